# mysql2. Arguments: host port user password schema.

require 'digest'
require 'mysql2'

$stdout.sync = true
HOST, PORT, USER, PASSWORD, SCHEMA = ARGV
MODE = ENV['STOCKGATE_CONFORMANCE_MODE'] || 'plain'
FILES = ENV['STOCKGATE_CONFORMANCE_FILES'] || '.'
BLOB = ((0..255).map(&:chr).join.b * (80 * 1024)).b
STREAM = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, " \
         't_thousand b WHERE a.i <= 200 ORDER BY 1'

def observe(name, value)
  text = value.inspect.gsub("\n", '\\n').gsub("\t", '\\t')
  text = "#{text[0, 60]}.. #{text.length} letters, sha1 #{Digest::SHA1.hexdigest(text)}" if text.length > 2000
  puts "#{name}\t#{text}"
end

def connect(**options)
  flags = Mysql2::Client::MULTI_STATEMENTS
  flags |= Mysql2::Client::COMPRESS if MODE == 'compress'
  options[:sslverify] = false if MODE == 'tls'
  options[:ssl_mode] = :required if MODE == 'tls'
  flags |= options.delete(:more) || 0
  Mysql2::Client.new({ host: HOST, port: PORT.to_i, username: USER, password: PASSWORD,
                       database: SCHEMA, flags: flags, encoding: 'utf8mb4', local_infile: true,
                       reconnect: false, cast_booleans: false }.merge(options))
end

def failure(error)
  [:error, error.error_number, error.sql_state, error.message]
end

def outcome(link, result)
  answer = [link.affected_rows, link.last_id, link.warning_count, link.query_info]
  if result
    answer << result.fields << (result.field_types if result.respond_to?(:field_types))
    answer << result.to_a.map { |row| row.map { |key, value| [key, value.is_a?(Time) ? value.to_s : value] } }
  end
  answer
end

def ask(link, sql)
  answers = []
  begin
    answers << outcome(link, link.query(sql))
    while link.next_result
      answers << outcome(link, link.store_result)
    end
  rescue Mysql2::Error => e
    answers << failure(e)
    link.abandon_results! unless link.closed?
  end
  answers
end

def prepared(link, sql, *values)
  statement = link.prepare(sql)
  answers = [statement.param_count, statement.field_count]
  (values.empty? ? 1 : 2).times do
    result = statement.execute(*values)
    answers << [statement.affected_rows, statement.last_id, result && result.fields, result && result.to_a.map(&:to_a)]
  end
  statement.close
  answers
rescue Mysql2::Error => e
  failure(e)
rescue ArgumentError => e # Ruby's Time does not hold every DATETIME and TIME
  [e.class, e.message]
end

def statements
  File.readlines(File.join(__dir__, 'statements.txt'), chomp: true, encoding: 'UTF-8')
      .reject { |line| line.empty? || line.start_with?('#') }
end

def check_connect
  link = connect
  observe('connect.server', [link.server_info, link.encoding.to_s])
  observe('connect.same id', ask(link, "SELECT CONNECTION_ID() = #{link.thread_id} AS same"))
  observe('connect.ping', link.ping)
  observe('connect.session', ask(link, "SHOW STATUS LIKE 'Compression'"))
  observe('connect.cipher', !link.ssl_cipher.nil?)
  [{ password: 'wrong' }, { username: 'nobody' }, { database: 'nowhere' }].each_with_index do |login, number|
    connect(**login)
    observe("connect.login #{number}", 'UNEXPECTED login')
  rescue Mysql2::Error => e
    observe("connect.login #{number}", failure(e))
  end
  begin
    link.select_db('nowhere')
  rescue Mysql2::Error => e
    observe('connect.select', failure(e))
  end
end

def check_statements
  [:ask, :prepared].each do |kind|
    link = connect
    ['DELETE FROM t_order', 'ALTER TABLE t_order AUTO_INCREMENT = 1',
     "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002"].each { |sql| link.query(sql) }
    statements.each_with_index do |sql, number|
      observe(format('statements.%s %03d %.50s', kind, number, sql), send(kind, link, sql))
    rescue EncodingError, ArgumentError => e
      observe(format('statements.%s %03d %.50s', kind, number, sql), [e.class, e.message])
    end
  end
end

def check_prepared
  link = connect
  observe('prepared.kinds', prepared(link, 'SELECT ?, ?, ?, ?, ?', -5, 2.5, 'żółw 😀', nil, Time.utc(2024, 2, 29, 1, 2, 3)))
  observe('prepared.deduct', prepared(link, 'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?', 1, 2002, 1))
  observe('prepared.types', prepared(link, 'SELECT * FROM t_types WHERE id > ? ORDER BY id', 0))
  observe('prepared.call', prepared(link, 'CALL p_signal()'))
  statement = link.prepare('SELECT i FROM t_thousand WHERE i < ? ORDER BY i')
  observe('prepared.stream', statement.execute(500, stream: true, cache_rows: false).sum { |row| row['i'] })
  observe('prepared.again', statement.execute(10).to_a)
end

def check_found_rows
  [0, Mysql2::Client::FOUND_ROWS].each do |flag|
    link = connect(found_rows: flag != 0)
    %w[stock stock+1].each do |value|
      observe("found.#{flag} #{value}", ask(link, "UPDATE t_stock SET stock = #{value} WHERE sku_id = 2002"))
    end
  end
end

def check_results
  link = connect
  ["SELECT 1; SELECT 2, 'b'; DO 1", 'CALL p_two()', 'SELECT 1; SELECT * FROM nowhere; SELECT 3', 'CALL p_fails()',
   "SET @a = 21, @c = 'x'; CALL p_out(@a, @b, @c); SELECT @b, @c"].each_with_index do |sql, number|
    observe("results.#{number}", ask(link, sql))
  end
  link.set_server_option(Mysql2::Client::OPTION_MULTI_STATEMENTS_OFF)
  observe('results.off', ask(link, 'SELECT 1; SELECT 2'))
  observe('results.behind', ask(link, 'SELECT 4'))
end

def check_transactions
  link = connect
  other = connect
  look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'"
  link.query('BEGIN')
  link.query("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)")
  observe('transactions.not seen', ask(other, look))
  link.query('COMMIT')
  observe('transactions.seen', ask(other, look))
  link.query('BEGIN')
  link.query("DELETE FROM t_order WHERE order_no = 'C-1'")
  link.query('ROLLBACK')
  observe('transactions.rollback', ask(link, look))
end

def check_big
  link = connect
  observe('big.prepared', link.prepare('INSERT INTO t_blob VALUES (1, ?)').execute(BLOB))
  link.query("INSERT INTO t_blob VALUES (2, _binary '".b + link.escape(BLOB).b + "')".b)
  observe('big.text', link.affected_rows)
  observe('big.arrived', ask(link, 'SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id'))
  observe('big.read', Digest::SHA1.hexdigest(link.query('SELECT body FROM t_blob WHERE id = 1').first['body']))
  back = link.prepare('SELECT body FROM t_blob WHERE id = 2').execute.first['body']
  observe('big.read prepared', Digest::SHA1.hexdigest(back))
end

def check_stream
  link = connect
  count = sum = 0
  link.query(STREAM, stream: true, cache_rows: false).each do |row|
    count += 1
    sum += row['n']
  end
  observe('stream.all', [count, sum])
  observe('stream.behind', ask(link, 'SELECT 5'))
end

def check_load
  link = connect
  %w[small large empty missing bad].each do |name|
    observe("load.#{name}", ask(link, "LOAD DATA LOCAL INFILE '#{FILES}/#{name}.tsv' INTO TABLE t_load (id, body)"))
    observe("load.#{name}, loaded", ask(link, 'SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load'))
    link.query('DELETE FROM t_load')
  end
end

def check_kill
  ['KILL QUERY', 'KILL'].each do |verb|
    link = connect
    other = connect
    link.query('SELECT SLEEP(20)', async: true)
    look = "SELECT id FROM information_schema.processlist WHERE id = #{link.thread_id} AND info LIKE 'SELECT SLEEP%'"
    500.times { other.query(look).count == 1 ? break : sleep(0.02) }
    other.query("#{verb} #{link.thread_id}")
    begin
      observe("kill.#{verb}", link.async_result.to_a)
    rescue Mysql2::Error => e
      observe("kill.#{verb}", failure(e))
    end
    begin
      observe("kill.#{verb}, next", link.query('SELECT 6').to_a)
    rescue Mysql2::Error => e
      observe("kill.#{verb}, next", failure(e))
    end
  end
end

%w[connect statements prepared found_rows results transactions big stream load kill].each do |name|
  send("check_#{name}")
rescue StandardError => e
  puts "#{name}.end\tUNEXPECTED #{e.class} #{e.message.lines.first} #{e.backtrace.first}"
end
