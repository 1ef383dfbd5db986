"""MariaDB's ODBC driver through pyodbc. Arguments: host port user password schema."""

import re
import sys
import threading
import time

import pyodbc

import observe
from observe import BLOB, FILES, MODE, STREAM

HOST, PORT, USER, PASSWORD, SCHEMA = sys.argv[1:6]


def connect(user=USER, password=PASSWORD, schema=SCHEMA, autocommit=True, **options):
    settings = {"DRIVER": "{MariaDB Unicode}", "SERVER": HOST, "PORT": PORT, "UID": user,
                "PWD": password, "DATABASE": schema, "CHARSET": "utf8mb4", **options}
    if MODE == "tls":
        settings["FORCETLS"] = "1"
    if MODE == "compress":
        settings["COMPRESSED_PROTO"] = "1"
    text = ";".join(f"{name}={value}" for name, value in settings.items())
    return pyodbc.connect(text, autocommit=autocommit)


def run(connection, sql, *values):
    answer = []
    try:
        cursor = connection.cursor()
        cursor.execute(sql, *values)
        while True:
            part = [cursor.rowcount, cursor.description]
            if cursor.description:
                part.append(cursor.fetchall())
            answer.append(part)
            if not cursor.nextset():
                break
    except pyodbc.Error as error:
        # The driver adds what happens to lie behind a message with letters beyond ASCII.
        answer.append([re.sub(r"\0..?(?= \(\d+\) \()", "", str(part)) for part in error.args])
    except MemoryError:
        answer.append("too long for the driver's buffers")  # of a column without a bound
    return answer


def value(connection, sql):
    return connection.cursor().execute(sql).fetchone()[0]


def check_connect():
    connection = connect()
    for name in ("SQL_DBMS_NAME", "SQL_DBMS_VER", "SQL_DATABASE_NAME", "SQL_TXN_CAPABLE"):
        yield name, connection.getinfo(getattr(pyodbc, name))
    yield "cipher", bool(run(connection, "SHOW STATUS LIKE 'Ssl_cipher'")[0][2][0][1])
    yield "compression", run(connection, "SHOW STATUS LIKE 'Compression'")
    for name, options in {"password": {"password": "wrong"}, "user": {"user": "nobody"},
                          "schema": {"schema": "nowhere"}}.items():
        try:
            connect(**options)
            yield f"wrong {name}", "UNEXPECTED login"
        except pyodbc.Error as error:
            yield f"wrong {name}", error.args
    cursor = connection.cursor()
    yield "tables", sorted(row.table_name for row in cursor.tables(catalog=SCHEMA))
    yield "columns", [tuple(row) for row in cursor.columns(table="t_types")]
    yield "keys", [tuple(row)[:6] for row in cursor.statistics("t_order")]


def check_statements():
    for name, options in {"prepared": {}, "text": {"NO_SSPS": "1"}}.items():
        connection = connect(OPTION=str(1 << 26 | 1 << 16), **options)
        run(connection, "DELETE FROM t_order")
        run(connection, "ALTER TABLE t_order AUTO_INCREMENT = 1")
        run(connection, "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002")
        for number, sql in enumerate(observe.statements()):
            if sql.startswith("/*"):
                continue  # the driver's own parser ends the process
            try:
                yield f"{name} {number:03} {sql[:50]}", run(connection, sql)
            except (ValueError, SystemError) as error:  # a date that Python does not have
                yield f"{name} {number:03} {sql[:50]}", (type(error).__name__, error.args)


def check_prepared():
    connection = connect()
    yield "kinds", run(connection, "SELECT ?, ?, ?, ?", -5, 2.5, "żółw", None)
    cursor = connection.cursor()
    sql = "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?"
    yield "deduct", [cursor.execute(sql, units, 2002, units).rowcount for units in (1, 2, 10 ** 6)]
    yield "call", run(connection, "CALL p_two()")
    yield "call out", run(connection, "{CALL p_out(?, @b, @c)}", 21)
    yield "call fails", run(connection, "CALL p_fails()")
    cursor.executemany("INSERT INTO t_load VALUES (?, ?)",
                       [(number, f"row {number}") for number in range(1000)])
    yield "batch", run(connection, "SELECT COUNT(*), SUM(id) FROM t_load")
    run(connection, "DELETE FROM t_load")


def check_results():
    connection = connect(OPTION=str(1 << 26))
    for number, sql in enumerate((
            "SELECT 1; SELECT 2, 'b'; DO 1", "SELECT 1; SELECT * FROM nowhere; SELECT 3",
            "CALL p_two(); SELECT 9")):
        yield number, run(connection, sql)
    yield "off", run(connect(), "SELECT 1; SELECT 2")


def check_found_rows():
    for option in (0, 2):
        connection = connect(OPTION=str(option))
        yield option, [run(connection, f"UPDATE t_stock SET stock = {what} WHERE sku_id = 2002")
                       for what in ("stock", "stock + 1")]


def check_transactions():
    connection, other = connect(autocommit=False), connect()
    look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'"
    run(connection, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)")
    yield "not seen", value(other, look)
    connection.commit()
    yield "seen", value(other, look)
    run(connection, "DELETE FROM t_order WHERE order_no = 'C-1'")
    connection.rollback()
    yield "rollback", value(connection, look)


def check_big():
    connection = connect()
    cursor = connection.cursor()
    yield "written", cursor.execute("INSERT INTO t_blob VALUES (1, ?)", BLOB).rowcount
    yield "arrived", run(connection, "SELECT LENGTH(body), SHA2(body, 256) FROM t_blob")
    yield "read", observe.digest(value(connection, "SELECT body FROM t_blob"))


def check_stream():
    for name, options in {"stored": {}, "streamed": {"NO_CACHE": "1"}}.items():
        connection = connect(**options)
        count = total = 0
        for row in connection.cursor().execute(STREAM):
            count += 1
            total += row[0]
        yield name, (count, total)
        yield f"{name}, behind", value(connection, "SELECT 5")


def check_load():
    connection = connect(OPTION=str(1 << 16))
    for name in ("small", "large", "empty", "missing", "bad"):
        yield name, run(connection,
                        f"LOAD DATA LOCAL INFILE '{FILES}/{name}.tsv' INTO TABLE t_load (id, body)")
        yield f"{name}, loaded", run(connection, "SELECT COUNT(*), SUM(id), SHA2(GROUP_CONCAT(id, "
                                                 "body ORDER BY id), 256) FROM t_load")
        run(connection, "DELETE FROM t_load")


def kill(identity, verb):
    connection = connect()
    for _ in range(500):
        if value(connection, "SELECT COUNT(*) FROM information_schema.processlist WHERE "
                             f"id = {identity} AND info LIKE 'SELECT SLEEP%'"):
            break
        time.sleep(0.02)
    run(connection, f"{verb} {identity}")


def check_kill():
    for verb in ("KILL QUERY", "KILL"):
        connection = connect()
        identity = value(connection, "SELECT CONNECTION_ID()")
        killer = threading.Thread(target=kill, args=(identity, verb))
        killer.start()
        yield verb, run(connection, "SELECT SLEEP(20)")
        killer.join()
        yield f"{verb}, next", run(connection, "SELECT 6")


observe.run([check_connect, check_statements, check_prepared, check_results, check_found_rows,
             check_transactions, check_big, check_stream, check_load, check_kill])
