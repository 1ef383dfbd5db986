"""PyMySQL and mysqlclient. Arguments: pymysql|mysqldb host port user password schema."""

import importlib
import sys
import threading
import time

import observe
from observe import BLOB, FILES, MODE, STREAM

DRIVER, HOST, PORT, USER, PASSWORD, SCHEMA = sys.argv[1:7]
driver = importlib.import_module("MySQLdb" if DRIVER == "mysqldb" else "pymysql")
cursors = importlib.import_module(f"{driver.__name__}.cursors")
FLAGS = importlib.import_module(
    "MySQLdb.constants.CLIENT" if DRIVER == "mysqldb" else "pymysql.constants.CLIENT")


def connect(user=USER, password=PASSWORD, schema=SCHEMA, **options):
    options.setdefault("charset", "utf8mb4")
    options.setdefault("autocommit", True)
    options.setdefault("local_infile", True)
    if DRIVER == "mysqldb" and MODE == "compress":
        options["compress"] = True
    if MODE == "tls":
        options["ssl"] = {"ca": None} if DRIVER == "mysqldb" else {"verify_mode": "none"}
    return driver.connect(host=HOST, port=int(PORT), user=user, password=password,
                          database=schema, **options)


def outcome(connection, cursor):
    parts = [cursor.rowcount, cursor.lastrowid, cursor.description,
             getattr(connection, "warning_count", lambda: None)() if DRIVER == "mysqldb"
             else getattr(cursor._result, "warning_count", None),
             connection.info() if DRIVER == "mysqldb" else
             getattr(cursor._result, "message", None)]
    if cursor.description:
        parts.append(cursor.fetchall())
    return parts


def run(connection, sql, arguments=None, kind=None):
    with connection.cursor(kind) if kind else connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        answer = [outcome(connection, cursor)]
        while cursor.nextset():
            answer.append(outcome(connection, cursor))
        return answer


def value(connection, sql):
    return run(connection, sql)[0][-1][0][0]


def check_connect():
    connection = connect()
    yield "same id", connection.thread_id() == value(connection, "SELECT CONNECTION_ID()")
    yield "server", connection.get_server_info()
    yield "protocol", connection.get_proto_info()
    yield "charset", connection.character_set_name()
    yield "ping", connection.ping()
    if DRIVER == "mysqldb":
        yield "statistics", connection.stat()
    yield "cipher", bool(run(connection, "SHOW STATUS LIKE 'Ssl_cipher'")[0][-1][0][1])
    yield "compression", run(connection, "SHOW STATUS LIKE 'Compression'")[0][-1]
    for name, options in {"password": {"password": "wrong"}, "user": {"user": "nobody"},
                          "schema": {"schema": "nowhere"}}.items():
        try:
            connect(**options)
            yield f"wrong {name}", "UNEXPECTED login"
        except driver.Error as error:
            yield f"wrong {name}", error.args
    connection.select_db(SCHEMA)
    yield "select db", value(connection, "SELECT DATABASE()")
    try:
        connection.select_db("nowhere")
    except driver.Error as error:
        yield "select no db", error.args
    connection.close()


def check_found_rows():
    for name, flag in (("changed", 0), ("found", FLAGS.FOUND_ROWS)):
        connection = connect(client_flag=flag)
        yield name, [run(connection, f"UPDATE t_stock SET stock = stock + {number} WHERE "
                         f"sku_id = {sku}")[0][0] for number, sku in ((0, 2002), (1, 2002), (0, 9))]
        connection.close()


def check_transactions():
    connection, other = connect(autocommit=False), connect()
    look = "SELECT COUNT(*) FROM t_order WHERE order_no LIKE 'P-%'"
    run(connection, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('P-1', 1, 1)")
    yield "not seen", value(other, look)
    connection.commit()
    yield "seen", value(other, look)
    run(connection, "DELETE FROM t_order WHERE order_no = 'P-1'")
    connection.rollback()
    yield "again", value(connection, look)
    connection.autocommit(True)
    run(connection, "DELETE FROM t_order WHERE order_no = 'P-1'")
    yield "gone", value(other, look)
    connection.close()
    other.close()


def check_results():
    connection = connect(client_flag=FLAGS.MULTI_STATEMENTS)
    yield "several", run(connection, "SELECT 1; SELECT 2, 'b'; DO 1; SELECT * FROM t_types")
    yield "call", run(connection, "CALL p_two()")
    for name, sql in {"fails in between": "SELECT 1; SELECT * FROM nowhere; SELECT 3",
                      "call fails": "CALL p_fails()"}.items():
        with connection.cursor() as cursor:
            cursor.execute(sql)
            answer = [cursor.fetchall()]
            try:
                while cursor.nextset():
                    answer.append(cursor.fetchall())
            except driver.Error as error:
                answer.append(error.args)
            yield name, answer
        yield f"{name}, behind", value(connection, "SELECT 7")
    with connection.cursor() as cursor:
        yield "callproc", cursor.callproc("p_out", (21, 0, "żółw"))
        while cursor.nextset():
            pass
        cursor.execute("SELECT @_p_out_0, @_p_out_1, @_p_out_2")
        yield "out", cursor.fetchall()
    connection.close()


def check_big():
    connection = connect()
    if DRIVER == "pymysql":
        connection.max_allowed_packet = 64 << 20
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO t_blob VALUES (1, _binary %s)", (BLOB,))
        yield "written", cursor.rowcount
        cursor.execute("SELECT LENGTH(body), SHA2(body, 256) FROM t_blob WHERE id = 1")
        yield "arrived", cursor.fetchall()
        cursor.execute("SELECT body FROM t_blob WHERE id = 1")
        yield "read", observe.digest(cursor.fetchone()[0])
        for size in (0xFFFFFF - 5, 0xFFFFFF - 4, 0xFFFFFF - 1, 0xFFFFFF, 0x1000000):
            cursor.execute(f"SELECT REPEAT('z', {size})")
            yield f"row of {size}", len(cursor.fetchone()[0])


def check_over_limit():
    connection = connect()
    if DRIVER == "pymysql":
        connection.max_allowed_packet = 128 << 20
    with connection.cursor() as cursor:
        try:
            cursor.execute("INSERT INTO t_blob VALUES (2, %s)", (b"x" * (65 << 20),))
            yield "written", "UNEXPECTED"
        except driver.Error as error:
            # Whether the server's answer is read before its reset is a matter of time.
            yield "refused", error.args[0] in (0, 1153, 2006, 2013)


def check_stream():
    connection = connect()
    with connection.cursor(cursors.SSCursor) as cursor:
        cursor.execute(STREAM)
        count = total = 0
        while rows := cursor.fetchmany(1000):
            count += len(rows)
            total += sum(row[0] for row in rows)
        yield "streamed", (count, total)
        cursor.execute(STREAM)
        yield "left early", cursor.fetchmany(10)[9]
    yield "behind", value(connection, "SELECT 5")
    with connection.cursor(cursors.DictCursor) as cursor:
        cursor.execute("SELECT * FROM t_types ORDER BY id")
        yield "dictionaries", cursor.fetchall()
    connection.close()


def check_batch():
    connection = connect()
    with connection.cursor() as cursor:
        rows = [(f"M-{number}", 5, number) for number in range(2000)]
        yield "rows", cursor.executemany(
            "INSERT INTO t_order (order_no, sku_id, quantity) VALUES (%s, %s, %s)", rows)
        yield "first id", cursor.lastrowid > 0
        yield "updates", cursor.executemany(
            "UPDATE t_order SET quantity = %s WHERE order_no = %s",
            [(number, f"M-{number}") for number in range(50, 100)])
        cursor.execute("DELETE FROM t_order WHERE sku_id = 5")
        yield "deleted", cursor.rowcount
    connection.close()


def check_load():
    connection = connect()
    sql = f"LOAD DATA LOCAL INFILE '{FILES}/%s' INTO TABLE t_load (id, body)"
    with connection.cursor() as cursor:
        for name in ("small.tsv", "large.tsv", "empty.tsv", "missing.tsv", "bad.tsv"):
            try:
                cursor.execute(sql % name)
                yield name, (cursor.rowcount, connection.info() if DRIVER == "mysqldb" else
                             cursor._result.message)
            except driver.Error as error:
                yield name, error.args
            cursor.execute("SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load")
            yield f"{name}, loaded", cursor.fetchall()
            cursor.execute("DELETE FROM t_load")
    connection.close()


def kill(identity, verb):
    with_id = f"SELECT COUNT(*) FROM information_schema.processlist WHERE id = {identity} AND " \
              "info LIKE 'SELECT SLEEP%'"
    connection = connect()
    for _ in range(500):
        if value(connection, with_id):
            break
        time.sleep(0.02)
    run(connection, f"{verb} {identity}")
    connection.close()


def check_kill():
    for verb in ("KILL QUERY", "KILL"):
        connection = connect()
        killer = threading.Thread(target=kill, args=(connection.thread_id(), verb))
        killer.start()
        try:
            yield verb, run(connection, "SELECT SLEEP(20)")
        except driver.Error as error:
            yield verb, error.args
        killer.join()
        try:
            yield f"{verb}, next", value(connection, "SELECT 6")
        except driver.Error as error:
            yield f"{verb}, next", error.args


def check_change_user():
    if DRIVER != "mysqldb":
        return
    connection = connect()
    run(connection, "SET @kept = 1")
    connection.change_user("other", "stockgate-other", SCHEMA)
    yield "changed", run(connection, "SELECT CURRENT_USER(), DATABASE(), @kept")
    try:
        connection.change_user("other", "wrong", SCHEMA)
    except driver.Error as error:
        yield "wrong password", error.args
    connection = connect()
    yield "set server option", connection.set_server_option(0)
    connection.set_character_set("latin1")
    yield "character set", run(connection, "SELECT @@character_set_client, 'e'")


def check_statements():
    connection = connect()
    for number, sql in enumerate(observe.statements()):
        try:
            yield f"{number:03} {sql[:50]}", run(connection, sql)
        except (driver.Error, ValueError) as error:  # a driver may fail to decode what it asked for
            yield f"{number:03} {sql[:50]}", ("error", type(error).__name__, error.args)
    connection.close()


observe.run([check_connect, check_statements, check_found_rows, check_transactions, check_results,
             check_big, check_over_limit, check_stream, check_batch, check_load, check_kill, check_change_user])
