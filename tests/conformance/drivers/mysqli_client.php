<?php
// mysqli. Arguments: host port user password schema.

require __DIR__ . '/observe.php';
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

function make(): mysqli
{
    $link = mysqli_init();
    $link->options(MYSQLI_OPT_LOCAL_INFILE, 1);
    $link->options(MYSQLI_SET_CHARSET_NAME, 'utf8mb4');
    return $link;
}

function open(array $login = [], int $flags = 0): mysqli
{
    global $host, $port, $user, $password, $schema, $mode;
    $link = make();
    $flags |= $mode === 'compress' ? MYSQLI_CLIENT_COMPRESS : 0;
    $flags |= $mode === 'tls' ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0;
    $login += [$user, $password, $schema];
    $link->real_connect($host, $login[0], $login[1], $login[2], (int)$port, null, $flags);
    return $link;
}

function failure(mysqli_sql_exception $error): array
{
    return ['error', $error->getCode(), $error->getSqlState(), $error->getMessage()];
}

function outcome(mysqli $link, mixed $result): array
{
    $answer = [$link->affected_rows, $link->insert_id, $link->warning_count, $link->info,
        $link->field_count, $link->sqlstate];
    if ($result instanceof mysqli_result) {
        $answer[] = array_map(fn ($field) => (array)$field, $result->fetch_fields());
        $answer[] = $result->fetch_all();
        $result->free();
    }
    return $answer;
}

function ask(mysqli $link, string $sql): array
{
    try {
        return outcome($link, $link->query($sql));
    } catch (mysqli_sql_exception $error) {
        return failure($error);
    }
}

function several(mysqli $link, string $sql): array
{
    $answers = [];
    try {
        $link->multi_query($sql);
        do {
            $answers[] = outcome($link, $link->store_result());
        } while ($link->more_results() && $link->next_result());
    } catch (mysqli_sql_exception $error) {
        $answers[] = failure($error);
    }
    return $answers;
}

function prepared(mysqli $link, string $sql, array $values = [], int $rows = 0): array
{
    try {
        $statement = $link->prepare($sql);
        if ($rows) {
            $statement->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
        }
        $answers = [$statement->param_count];
        for ($turn = 0; $turn < ($values ? 2 : 1); ++$turn) {
            $statement->execute($values ?: null);
            do {
                $answer = [$statement->affected_rows, $statement->insert_id,
                    $link->warning_count, $statement->field_count];
                $result = $statement->get_result();
                if ($result) {
                    $answer[] = array_map(fn ($field) => (array)$field, $result->fetch_fields());
                    $answer[] = $result->fetch_all();
                    $result->free();
                }
                $answers[] = $answer;
            } while (!$rows && $statement->more_results() && $statement->next_result());
        }
        $statement->close();
        return $answers;
    } catch (mysqli_sql_exception $error) {
        return failure($error);
    }
}

function check_connect(): Generator
{
    $link = open();
    yield 'server' => [$link->server_info, $link->server_version, $link->protocol_version,
        $link->character_set_name(), $link->get_charset()];
    yield 'same id' => ask($link, "SELECT CONNECTION_ID() = $link->thread_id AS same");
    yield 'ping' => $link->ping();
    yield 'statistics' => $link->stat();
    yield 'session' => ask($link, "SHOW STATUS LIKE 'Compression'");
    yield 'cipher' => ask($link, "SHOW STATUS LIKE 'Ssl_cipher'")[7][0][1] !== '';
    foreach ([['nobody', 'x'], [1 => 'wrong'], [2 => 'nowhere'], [1 => '']] as $number => $login) {
        try {
            open($login);
            yield "login $number" => 'UNEXPECTED login';
        } catch (mysqli_sql_exception $error) {
            yield "login $number" => failure($error);
        }
    }
    try {
        $link->select_db('nowhere');
    } catch (mysqli_sql_exception $error) {
        yield 'select' => failure($error);
    }
    yield 'select again' => $link->select_db('shop');
}

function check_statements(): Generator
{
    foreach (['text' => 'ask', 'prepared' => 'prepared'] as $kind => $function) {
        $link = open();
        several($link, 'DELETE FROM t_order; ALTER TABLE t_order AUTO_INCREMENT = 1; '
            . "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002");
        foreach (statements() as $number => $sql) {
            yield sprintf('%s %03d %.50s', $kind, $number, $sql) => $function($link, $sql);
        }
    }
}

function check_prepared(): Generator
{
    $link = open();
    yield 'kinds' => prepared($link, 'SELECT ?, ?, ?, ?', [-5, 2.5, 'żółw 😀', null]);
    yield 'deduct' => prepared($link,
        'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?', [1, 2002, 1]);
    yield 'cursor' => prepared($link, 'SELECT * FROM t_types ORDER BY id', [], 2);
    yield 'cursor long' => prepared($link, 'SELECT i FROM t_thousand ORDER BY i', [], 2);
    yield 'call' => prepared($link, 'CALL p_two()');
    yield 'out' => prepared($link, 'CALL p_out(?, @b, @c)', [21]);
    yield 'call fails' => prepared($link, 'CALL p_fails()');
    $statement = $link->prepare('SELECT i FROM t_thousand WHERE i > ? ORDER BY i LIMIT 20');
    $statement->bind_param('i', $from);
    $statement->bind_result($seen);
    foreach ([0, 500, 990, 5000] as $from) {
        $statement->execute();
        $sum = 0;
        while ($statement->fetch()) {
            $sum += $seen;
        }
        $statement->free_result();
        yield "unbuffered $from" => $sum;
    }
    $statement->execute();
    $statement->fetch();
    yield 'out of order' => ask($link, 'SELECT 1');
    $statement->reset();
    $statement->close();
    yield 'behind' => ask($link, 'SELECT 2');
}

function check_found_rows(): Generator
{
    foreach ([0, MYSQLI_CLIENT_FOUND_ROWS] as $flags) {
        $link = open([], $flags);
        foreach (['stock', 'stock + 1'] as $value) {
            yield "$flags $value" => ask($link,
                "UPDATE t_stock SET stock = $value WHERE sku_id = 2002");
        }
    }
}

function check_results(): Generator
{
    $link = open();
    $texts = ["SELECT 1; SELECT 2, 'b'; DO 1; SELECT * FROM t_types ORDER BY id", 'CALL p_two()',
        'SELECT 1; SELECT * FROM nowhere; SELECT 3', 'CALL p_fails()', 'CALL p_two(); SELECT 9',
        "SET @a = 21, @c = 'x'; CALL p_out(@a, @b, @c); SELECT @b, @c", ';', 'SELECT 1;;'];
    foreach ($texts as $number => $text) {
        yield $number => several($link, $text);
    }
    yield 'behind' => ask($link, 'SELECT 4');
}

function check_transactions(): Generator
{
    [$link, $other] = [open(), open()];
    $look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'";
    $link->autocommit(false);
    ask($link, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)");
    yield 'not seen' => ask($other, $look);
    yield 'commit' => $link->commit();
    yield 'seen' => ask($other, $look);
    ask($link, "DELETE FROM t_order WHERE order_no = 'C-1'");
    yield 'rollback' => [$link->rollback(), ask($link, $look)];
    $link->autocommit(true);
    yield 'begin' => $link->begin_transaction(MYSQLI_TRANS_START_READ_ONLY);
    yield 'read only' => ask($link, "DELETE FROM t_order WHERE order_no = 'C-1'");
    yield 'chain' => [$link->commit(MYSQLI_TRANS_COR_AND_CHAIN), $link->savepoint('a'),
        $link->release_savepoint('a'), $link->rollback()];
}

function check_big(): Generator
{
    $link = open();
    $blob = blob();
    $statement = $link->prepare('INSERT INTO t_blob VALUES (?, ?)');
    $identity = 1;
    $statement->bind_param('ib', $identity, $body);
    foreach (str_split($blob, 1 << 20) as $part) {
        $statement->send_long_data(1, $part);
    }
    yield 'long data' => [$statement->execute(), $statement->affected_rows];
    $statement = $link->prepare('INSERT INTO t_blob VALUES (?, ?)');
    $identity = 2;
    $statement->bind_param('is', $identity, $blob);
    yield 'one packet' => [$statement->execute(), $statement->affected_rows];
    yield 'text' => ask($link, "INSERT INTO t_blob VALUES (3, _binary '"
        . $link->real_escape_string($blob) . "')");
    yield 'arrived' => ask($link,
        'SELECT id, LENGTH(body), SHA2(body, 256) FROM t_blob ORDER BY id');
    yield 'read' => sha1($link->query('SELECT body FROM t_blob WHERE id = 2')->fetch_row()[0]);
    $result = $link->execute_query('SELECT body FROM t_blob WHERE id = ?', [1]);
    yield 'read prepared' => sha1($result->fetch_row()[0]);
}

function check_stream(): Generator
{
    $link = open();
    $sum = $count = 0;
    foreach ($link->query(STREAM, MYSQLI_USE_RESULT) as $row) {
        $sum += $row['n'];
        ++$count;
    }
    yield 'all' => [$count, $sum];
    $result = $link->query(STREAM, MYSQLI_USE_RESULT);
    yield 'first' => $result->fetch_row();
    yield 'out of order' => ask($link, 'SELECT 1');
    $result->free();
    yield 'behind' => ask($link, 'SELECT 2');
}

function check_load(): Generator
{
    global $files;
    $link = open();
    foreach (['small', 'large', 'empty', 'missing', 'bad'] as $name) {
        set_error_handler(fn () => true);
        yield $name => ask($link,
            "LOAD DATA LOCAL INFILE '$files/$name.tsv' INTO TABLE t_load (id, body)");
        restore_error_handler();
        yield "$name, warnings" => ask($link, 'SHOW WARNINGS LIMIT 5');
        yield "$name, loaded" => ask($link,
            'SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load');
        ask($link, 'DELETE FROM t_load');
    }
}

function check_kill(): Generator
{
    foreach (['KILL QUERY', 'KILL'] as $verb) {
        [$link, $other] = [open(), open()];
        $link->query('SELECT SLEEP(20)', MYSQLI_ASYNC);
        for ($turn = 0; $turn < 500; ++$turn) {
            $found = ask($other, 'SELECT COUNT(*) FROM information_schema.processlist WHERE id = '
                . "$link->thread_id AND info LIKE 'SELECT SLEEP%'");
            if ($found[7][0][0] == 1) {
                break;
            }
            usleep(20000);
        }
        $other->query("$verb $link->thread_id");
        try {
            yield $verb => outcome($link, $link->reap_async_query());
        } catch (mysqli_sql_exception $error) {
            yield $verb => failure($error);
        }
        set_error_handler(fn () => true);
        yield "$verb, next" => ask($link, 'SELECT 6');
        restore_error_handler();
    }
    [$link, $other] = [open(), open()];
    try {
        yield 'method' => @$other->kill($link->thread_id);
    } catch (mysqli_sql_exception $error) {
        yield 'method' => failure($error);  // MySQL 9 has no such command any more
    }
    usleep(300000);
    set_error_handler(fn () => true);
    yield 'method, next' => ask($link, 'SELECT 7');
    restore_error_handler();
}

function check_change_user(): Generator
{
    global $schema;
    $link = open();
    $look = 'SELECT CURRENT_USER(), DATABASE(), @kept, @@autocommit';
    ask($link, 'SET @kept = 1, autocommit = 0');
    yield 'changed' => [$link->change_user('other', 'stockgate-other', $schema), ask($link, $look)];
    yield 'without schema' => [$link->change_user('other', 'stockgate-other', null),
        ask($link, $look)];
    try {
        $link->change_user('other', 'wrong', $schema);
        yield 'wrong' => 'UNEXPECTED';
    } catch (mysqli_sql_exception $error) {
        yield 'wrong' => failure($error);
    }
    set_error_handler(fn () => true);
    yield 'wrong, next' => ask($link, 'SELECT CURRENT_USER()');
    restore_error_handler();
    $link = open();
    yield 'character set' => [$link->set_charset('latin1'), ask($link, 'SELECT @@character_set_client')];
}

run_checks(['check_connect', 'check_statements', 'check_prepared', 'check_found_rows',
    'check_results', 'check_transactions', 'check_big', 'check_stream', 'check_load', 'check_kill',
    'check_change_user']);
