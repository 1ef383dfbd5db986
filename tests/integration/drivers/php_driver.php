<?php
// The checklist with mysqli and with PDO. Prints one observation per line: name, tab, value.
declare(strict_types=1);

[, $kind, $host, $port, $user, $password, $database, $first_sku] = $argv;
const GUARDED = 'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?';
const UNGUARDED = 'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ?';
const BLOB_BYTES = 20 * 1024 * 1024;

function observe(string $name, mixed $value): void
{
    echo $name, "\t", json_encode($value, JSON_UNESCAPED_UNICODE), "\n";
}

function sku(int $offset): int
{
    return (int)$GLOBALS['first_sku'] + $offset;
}

// The two interfaces, reduced to what the checklist needs. run() is text, execute() is prepared;
// both give the number of affected rows or the error.
abstract class Link
{
    abstract public function rows(string $sql): array;
    abstract public function sets(string $sql): array;
    abstract protected function text(string $sql): int;
    abstract protected function binary(string $sql, array $values): int;
    abstract protected function describe(Exception $error): string;
    abstract public function insertId(): int;

    public function run(string $sql): int|string
    {
        try {
            return $this->text($sql);
        } catch (mysqli_sql_exception | PDOException $error) {
            return $this->describe($error);
        }
    }

    public function execute(string $sql, array $values): int|string
    {
        try {
            return $this->binary($sql, $values);
        } catch (mysqli_sql_exception | PDOException $error) {
            return $this->describe($error);
        }
    }

    public function deduct(int $offset, int $units): int|string
    {
        $sku = sku($offset);
        return $this->run(
            "UPDATE t_stock SET stock = stock - $units WHERE sku_id = $sku AND stock >= $units"
        );
    }

    public function prepared(int $offset, int $units): int|string
    {
        return $this->execute(GUARDED, [$units, sku($offset), $units]);
    }

    public function one(string $sql): mixed
    {
        return $this->rows($sql)[0][0];
    }
}

final class MysqliLink extends Link
{
    public mysqli $handle;

    public function __construct(int $flags = 0)
    {
        global $host, $port, $user, $password, $database;
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $this->handle = mysqli_init();
        $this->handle->real_connect($host, $user, $password, $database, (int)$port, null, $flags);
        $this->handle->set_charset('utf8mb4');
    }

    public function rows(string $sql): array
    {
        return $this->handle->query($sql)->fetch_all();
    }

    public function sets(string $sql): array
    {
        $this->handle->multi_query($sql);
        $sets = [];
        do {
            $result = $this->handle->store_result();
            if ($result !== false) {
                $sets[] = $result->fetch_all();
            }
        } while ($this->handle->more_results() && $this->handle->next_result());
        return $sets;
    }

    protected function text(string $sql): int
    {
        $this->handle->query($sql);
        return (int)$this->handle->affected_rows;
    }

    protected function binary(string $sql, array $values): int
    {
        $statement = $this->handle->prepare($sql);
        $types = implode('', array_map(fn($value) => is_int($value) ? 'i' : 's', $values));
        $statement->bind_param($types, ...$values);
        $statement->execute();
        $rows = (int)$statement->affected_rows;
        $statement->close();
        return $rows;
    }

    protected function describe(Exception $error): string
    {
        return "error {$error->getCode()} {$this->handle->sqlstate}";
    }

    public function insertId(): int
    {
        return (int)$this->handle->insert_id;
    }
}

final class PdoLink extends Link
{
    public PDO $handle;

    public function __construct(bool $found_rows = false)
    {
        global $host, $port, $user, $password, $database;
        $this->handle = new PDO(
            "mysql:host=$host;port=$port;dbname=$database;charset=utf8mb4",
            $user,
            $password,
            [
                PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
                PDO::ATTR_EMULATE_PREPARES => false,
                PDO::MYSQL_ATTR_FOUND_ROWS => $found_rows,
            ]
        );
    }

    public function rows(string $sql): array
    {
        return $this->handle->query($sql)->fetchAll(PDO::FETCH_NUM);
    }

    public function sets(string $sql): array
    {
        $this->handle->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
        $statement = $this->handle->query($sql);
        $sets = [];
        do {
            if ($statement->columnCount() > 0) {
                $sets[] = $statement->fetchAll(PDO::FETCH_NUM);
            }
        } while ($statement->nextRowset());
        $this->handle->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        return $sets;
    }

    protected function text(string $sql): int
    {
        return (int)$this->handle->exec($sql);
    }

    protected function binary(string $sql, array $values): int
    {
        // PDO sends every value as a string.
        $statement = $this->handle->prepare($sql);
        $statement->execute($values);
        return $statement->rowCount();
    }

    protected function describe(Exception $error): string
    {
        return "error {$error->errorInfo[1]} {$error->errorInfo[0]}";
    }

    public function insertId(): int
    {
        return (int)$this->handle->lastInsertId();
    }
}

function check_basics(Link $link): void
{
    observe('login', $link->rows('SELECT CURRENT_USER(), DATABASE()'));
    observe('text.row', $link->rows("SELECT 1, 'a', NULL, 1.5, DATE('2024-02-29')"));
    observe('text.utf8', $link->one("SELECT 'żółć 漢字 😀'"));
    observe('multi.statements', $link->sets('SELECT 1; SELECT 2, 3; SELECT 4'));
    observe('multi.procedure', $link->sets('CALL p_two_results()'));
    $blob = str_repeat('stockgate.', intdiv(BLOB_BYTES, 10));
    $link->run('DELETE FROM t_blob');
    observe('blob.insert', $link->execute('INSERT INTO t_blob VALUES (1, ?)', [$blob]));
    observe('blob.stored', $link->rows('SELECT LENGTH(body), SHA2(body, 256) FROM t_blob'));
    observe('blob.read', hash('sha256', $link->one('SELECT body FROM t_blob')));
    observe('error.table', $link->run('DELETE FROM no_such_table'));
    observe('error.syntax', $link->run('SELEC 1'));
    $link->run('DELETE FROM t_plain WHERE id = 77');
    $link->run('INSERT INTO t_plain VALUES (77, 1)');
    observe('error.duplicate', $link->execute('INSERT INTO t_plain VALUES (?, 1)', [77]));
}

function check_deductions(Link $link): void
{
    observe('ac.sold', $link->deduct(0, 3));
    observe('ac.sold.row_count', $link->one('SELECT ROW_COUNT()'));
    observe('ac.refused', $link->deduct(0, 9));
    observe('ac.last', $link->prepared(0, 7));
    $link->run('BEGIN');
    $link->run("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('php-1', 1, 4)");
    $order = $link->insertId();
    observe('tx.affected', $link->deduct(1, 4));
    observe('tx.row_count', $link->one('SELECT ROW_COUNT()'));
    observe('tx.last_insert_id', (int)$link->one('SELECT LAST_INSERT_ID()') - $order);
    observe('tx.commit', $link->run('COMMIT'));
    $link->run('DELETE FROM t_order');
    $link->run('BEGIN');
    observe('rb.affected', [$link->prepared(2, 10), $link->prepared(2, 1)]);
    $link->run('ROLLBACK');
    observe('rb.again', $link->prepared(2, 10));
    $link->run('BEGIN');
    observe('savepoint.steps', [
        $link->deduct(3, 1), $link->run('SAVEPOINT a'), $link->prepared(3, 2),
        $link->run('ROLLBACK TO a'), $link->prepared(3, 4), $link->run('COMMIT')]);
    observe('autocommit0.steps', [
        $link->run('SET autocommit=0'), $link->deduct(4, 2), $link->run('COMMIT'),
        $link->deduct(4, 3), $link->run('ROLLBACK'), $link->run('SET autocommit=1')]);
    observe('prepared.steps', [$link->prepared(5, 2), $link->prepared(5, 20)]);
    $link->run('BEGIN');
    observe('prepared.tx', [$link->prepared(5, 3), $link->run('COMMIT')]);
    observe('prepared.strings', $link->execute(GUARDED, ['1', (string)sku(15), '1']));
    observe('prepared.null', [
        $link->execute(GUARDED, [null, sku(15), 1]), $link->execute(GUARDED, [1, null, 1]),
        $link->execute(GUARDED, [1, sku(15), null])]);
}

function check_special(Link $link): void
{
    $sku = sku(6);
    observe('unguarded.sold', $link->run("UPDATE t_stock SET stock=stock-4 WHERE sku_id=$sku"));
    observe('unguarded.refused', $link->run("UPDATE t_stock SET stock=stock-7 WHERE sku_id=$sku"));
    observe('unguarded.prepared', $link->execute(UNGUARDED, [7, $sku]));
    $link->run('BEGIN');
    observe('unguarded.tx', [$link->execute(UNGUARDED, [7, $sku]), $link->run('COMMIT')]);
    $link->deduct(7, 5);
    observe('return', $link->execute(
        'UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?', [2, sku(7)]));
    $link->run('BEGIN');
    observe('ddl.steps', [$link->deduct(11, 3),
        $link->run('CREATE TABLE IF NOT EXISTS t_scratch (a INT)'), $link->run('ROLLBACK')]);
    $link->run('BEGIN');
    observe('error.in_tx', [$link->prepared(12, 3),
        $link->run('INSERT INTO t_plain VALUES (77, 1)'), $link->run('COMMIT')]);
    observe('gather', [$link->deduct(13, 8), $link->deduct(13, 3), $link->prepared(13, 2)]);
    foreach (['cold' => 't_stock SET stock=stock-3 WHERE sku_id=900000 AND stock>=3',
              'plain' => 't_plain SET stock=stock-3 WHERE id=1 AND stock>=3'] as $name => $rest) {
        observe("$name.sold", [$link->run("UPDATE $rest"), $link->execute(
            str_replace('-3', '-?', "UPDATE $rest"), [3])]);
    }
    observe('cold.stock', $link->one('SELECT stock FROM t_stock WHERE sku_id = 900000'));
}

function check_mysqli_only(MysqliLink $link): void
{
    global $user, $password, $database;
    $link->deduct(14, 1);
    observe('info.sold', [$link->handle->info, $link->handle->warning_count]);
    $link->deduct(14, 100);
    observe('info.refused', $link->handle->info);
    $link->run('BEGIN');
    observe('change_user.affected', $link->deduct(9, 3));
    $link->handle->change_user($user, $password, $database);
    // MariaDB's own variable; elsewhere the error, which must then be the same too.
    observe('change_user.in_tx', $link->run('SELECT @@in_transaction') === 1
        ? $link->one('SELECT @@in_transaction') : $link->handle->sqlstate);
    $finding = new MysqliLink(MYSQLI_CLIENT_FOUND_ROWS);
    observe('found', [$link->run('UPDATE t_plain SET stock = stock WHERE id = 77'),
        $finding->run('UPDATE t_plain SET stock = stock WHERE id = 77')]);
    $finding->run('BEGIN');
    observe('disconnect.affected', $finding->deduct(10, 3));
    $finding->handle->close();
}

function check_pdo_only(): void
{
    $finding = new PdoLink(true);
    observe('found', $finding->run('UPDATE t_plain SET stock = stock WHERE id = 77'));
    observe('found.hot', [$finding->deduct(14, 1), $finding->prepared(14, 100)]);
    $finding->handle->beginTransaction();
    observe('disconnect.affected', $finding->deduct(10, 3));
    $finding = null;
}

$link = $kind === 'pdo' ? new PdoLink() : new MysqliLink();
check_basics($link);
check_deductions($link);
check_special($link);
if ($link instanceof MysqliLink) {
    check_mysqli_only($link);
} else {
    check_pdo_only();
}
