<?php
// PDO. Arguments: host port user password schema.

require __DIR__ . '/observe.php';

function open(array $options = [], array $login = []): PDO
{
    global $host, $port, $user, $password, $schema, $mode;
    $login += [$user, $password, $schema];
    $options += [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::MYSQL_ATTR_LOCAL_INFILE => true];
    if ($mode === 'compress') {
        $options[PDO::MYSQL_ATTR_COMPRESS] = true;
    }
    if ($mode === 'tls') {
        $options[PDO::MYSQL_ATTR_SSL_CIPHER] = 'DEFAULT';
        $options[PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT] = false;
    }
    return new PDO("mysql:host=$host;port=$port;dbname=$login[2];charset=utf8mb4", $login[0],
        $login[1], $options);
}

function failure(PDOException $error): array
{
    return ['error', $error->getCode(), $error->errorInfo, $error->getMessage()];
}

function outcome(PDO $link, PDOStatement $statement): array
{
    $answers = [];
    do {
        $answer = [$statement->rowCount(), $statement->columnCount(), $link->lastInsertId()];
        for ($column = 0; $column < $statement->columnCount(); ++$column) {
            $answer[] = $statement->getColumnMeta($column);
        }
        if ($statement->columnCount() > 0) {
            $answer[] = $statement->fetchAll(PDO::FETCH_NUM);
        }
        $answers[] = $answer;
    } while ($statement->nextRowset());
    return $answers;
}

function ask(PDO $link, string $sql): array
{
    try {
        return outcome($link, $link->query($sql));
    } catch (PDOException $error) {
        return failure($error);
    }
}

function prepared(PDO $link, string $sql, array $values = []): array
{
    try {
        $statement = $link->prepare($sql);
        $answers = [];
        for ($turn = 0; $turn < ($values ? 2 : 1); ++$turn) {
            $statement->execute($values ?: null);
            $answers[] = outcome($link, $statement);
        }
        return $answers;
    } catch (PDOException $error) {
        return failure($error);
    }
}

function native(array $options = []): PDO
{
    return open($options + [PDO::ATTR_EMULATE_PREPARES => false]);
}

function check_connect(): Generator
{
    $link = open();
    yield 'server' => [$link->getAttribute(PDO::ATTR_SERVER_VERSION),
        $link->getAttribute(PDO::ATTR_DRIVER_NAME)];
    yield 'statistics' => $link->getAttribute(PDO::ATTR_SERVER_INFO);
    yield 'session' => ask($link, "SHOW STATUS LIKE 'Compression'");
    yield 'cipher' => $link->query("SHOW STATUS LIKE 'Ssl_cipher'")->fetch()[1] !== '';
    foreach ([['nobody', 'x'], [1 => 'wrong'], [2 => 'nowhere']] as $number => $login) {
        try {
            open([], $login);
            yield "login $number" => 'UNEXPECTED login';
        } catch (PDOException $error) {
            yield "login $number" => failure($error);
        }
    }
}

function check_statements(): Generator
{
    foreach (['text' => open(), 'native' => native(),
        'unbuffered' => native([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false])] as $kind => $link) {
        ask($link, 'DELETE FROM t_order');
        ask($link, 'ALTER TABLE t_order AUTO_INCREMENT = 1');
        ask($link, "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002");
        foreach (statements() as $number => $sql) {
            yield sprintf('%s %03d %.50s', $kind, $number, $sql) =>
                $kind === 'native' ? prepared($link, $sql) : ask($link, $sql);
        }
    }
}

function check_prepared(): Generator
{
    foreach (['emulated' => open(), 'native' => native()] as $kind => $link) {
        yield "$kind kinds" => prepared($link, 'SELECT ?, ?, ?, ?', [-5, 2.5, 'żółw 😀', null]);
        yield "$kind deduct" => prepared($link,
            'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?', [1, 2002, 1]);
        yield "$kind call" => prepared($link, 'CALL p_two()');
        yield "$kind out" => prepared($link, 'CALL p_out(?, @b, @c)', [21]);
        yield "$kind call fails" => prepared($link, 'CALL p_fails()');
        yield "$kind refused" => prepared($link, 'SELECT * FROM nowhere WHERE id = ?', [1]);
        $statement = $link->prepare('SELECT * FROM t_types WHERE id = :id');
        foreach ([1, 2, 9] as $identity) {
            $statement->bindValue(':id', $identity, PDO::PARAM_INT);
            $statement->execute();
            yield "$kind row $identity" => $statement->fetch(PDO::FETCH_ASSOC);
            $statement->closeCursor();
        }
    }
}

function check_found_rows(): Generator
{
    foreach ([false, true] as $found) {
        $link = open([PDO::MYSQL_ATTR_FOUND_ROWS => $found]);
        foreach (['stock', 'stock + 1'] as $value) {
            yield "$found $value" => $link->exec(
                "UPDATE t_stock SET stock = $value WHERE sku_id = 2002");
        }
    }
}

function check_results(): Generator
{
    foreach (['text' => open(), 'off' => open([PDO::MYSQL_ATTR_MULTI_STATEMENTS => false])] as $kind => $link) {
        $texts = ["SELECT 1; SELECT 2, 'b'; DO 1", 'CALL p_two()',
            'SELECT 1; SELECT * FROM nowhere; SELECT 3', 'CALL p_fails()'];
        foreach ($texts as $number => $text) {
            yield "$kind $number" => ask($link, $text);
        }
        yield "$kind behind" => ask($link, 'SELECT 4');
    }
}

function check_transactions(): Generator
{
    [$link, $other] = [open(), open()];
    $look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'";
    $link->beginTransaction();
    yield 'insert' => $link->exec(
        "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)");
    yield 'not seen' => ask($other, $look);
    yield 'commit' => [$link->inTransaction(), $link->commit(), $link->inTransaction()];
    yield 'seen' => ask($other, $look);
    $link->beginTransaction();
    $link->exec("DELETE FROM t_order WHERE order_no = 'C-1'");
    yield 'rollback' => [$link->rollBack(), ask($link, $look)];
    $link->beginTransaction();
    $link->exec('CREATE TABLE t_scratch (id INT) ENGINE=InnoDB');
    yield 'implicit commit' => $link->inTransaction();
    $link->exec('DROP TABLE t_scratch');
}

function check_big(): Generator
{
    $blob = blob();
    foreach (['emulated' => open(), 'native' => native()] as $kind => $link) {
        $statement = $link->prepare('REPLACE INTO t_blob VALUES (1, ?)');
        $statement->bindParam(1, $blob, PDO::PARAM_LOB);
        yield "$kind written" => [$statement->execute(), $statement->rowCount()];
        yield "$kind arrived" => ask($link, 'SELECT LENGTH(body), SHA2(body, 256) FROM t_blob');
        yield "$kind read" => sha1($link->query('SELECT body FROM t_blob')->fetch()[0]);
    }
}

function check_stream(): Generator
{
    $link = open([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
    $sum = $count = 0;
    foreach ($link->query(STREAM) as $row) {
        $sum += $row['n'];
        ++$count;
    }
    yield 'all' => [$count, $sum];
    $statement = $link->query(STREAM);
    yield 'first' => $statement->fetch();
    yield 'out of order' => ask($link, 'SELECT 1');
    $statement->closeCursor();
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
        yield "$name, loaded" => ask($link,
            'SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load');
        ask($link, 'DELETE FROM t_load');
    }
}

function check_persistent(): Generator
{
    foreach (['first', 'second'] as $turn) {
        $link = open([PDO::ATTR_PERSISTENT => true]);
        yield $turn => ask($link, 'SELECT @kept');
        $link->exec('SET @kept = 1');
        $link = null;
    }
}

run_checks(['check_connect', 'check_statements', 'check_prepared', 'check_found_rows',
    'check_results', 'check_transactions', 'check_big', 'check_stream', 'check_load',
    'check_persistent']);
