#!/usr/bin/python3
"""The checklist with PyMySQL. Prints one observation per line: name, tab, value."""

import hashlib
import sys

import pymysql
from pymysql.constants import CLIENT, COMMAND

HOST, PORT, USER, PASSWORD, DATABASE, FIRST_SKU = sys.argv[1:7]
FIRST_SKU = int(FIRST_SKU)
DEDUCT = "UPDATE t_stock SET stock = stock - %s WHERE sku_id = %s AND stock >= %s"
BLOB_BYTES = 20 * 1024 * 1024


def observe(name, value):
    print(f"{name}\t{value}", flush=True)


def connect(flags=0):
    return pymysql.connect(
        host=HOST, port=int(PORT), user=USER, password=PASSWORD, database=DATABASE,
        charset="utf8mb4", autocommit=True, client_flag=flags | CLIENT.MULTI_STATEMENTS)


class Session:
    def __init__(self, flags=0):
        self.connection = connect(flags)
        self.cursor = self.connection.cursor()

    def rows(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall()

    def run(self, sql, *parameters):
        """Affected rows, or the error."""
        try:
            return self.cursor.execute(sql, parameters or None)
        except pymysql.MySQLError as error:
            return f"error {error.args[0]}"

    def deduct(self, offset, units):
        return self.run(DEDUCT, units, FIRST_SKU + offset, units)

    def info(self):
        return self.connection._result.message.decode()

    def one(self, sql):
        return self.rows(sql)[0][0]

    def in_transaction(self):
        """MariaDB's own variable; elsewhere the error, which must then be the same too."""
        answer = self.run("SELECT @@in_transaction")
        return self.cursor.fetchall() if answer == 1 else answer


def check_basics(session):
    observe("login", session.rows("SELECT CURRENT_USER(), DATABASE()"))
    observe("text.row", session.rows("SELECT 1, 'a', NULL, 1.5, DATE('2024-02-29')"))
    observe("text.utf8", session.one("SELECT 'żółć 漢字 😀'"))
    many = session.rows("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n "
                        "WHERE i < 1000) SELECT i, REPEAT('x', i) FROM n")
    observe("text.rows", (len(many), sum(row[0] for row in many), len(many[-1][1])))
    session.cursor.execute("SELECT 1; SELECT 2, 3; DO 0; SELECT 4")
    results = [session.cursor.fetchall()]
    while session.cursor.nextset():
        results.append(session.cursor.fetchall())
    observe("multi.statements", results)
    session.cursor.execute("CALL p_two_results()")
    results = [session.cursor.fetchall()]
    while session.cursor.nextset():
        results.append(session.cursor.fetchall())
    observe("multi.procedure", results)


def check_blob(session):
    blob = bytes(range(256)) * (BLOB_BYTES // 256)
    session.run("DELETE FROM t_blob")
    observe("blob.insert", session.run("INSERT INTO t_blob VALUES (1, %s)", blob))
    observe("blob.stored", session.rows("SELECT LENGTH(body), SHA2(body, 256) FROM t_blob"))
    observe("blob.read", hashlib.sha256(session.one("SELECT body FROM t_blob")).hexdigest())


def check_errors(session):
    observe("error.table", session.run("SELECT * FROM no_such_table"))
    observe("error.syntax", session.run("SELEC 1"))
    session.run("DELETE FROM t_plain WHERE id = 77")
    session.run("INSERT INTO t_plain VALUES (77, 1)")
    observe("error.duplicate", session.run("INSERT INTO t_plain VALUES (77, 1)"))
    observe("after.error", session.one("SELECT 1"))


def check_autocommit(session):
    observe("ac.sold", session.deduct(0, 3))
    observe("ac.sold.info", session.info())
    observe("ac.sold.row_count", session.one("SELECT ROW_COUNT()"))
    observe("ac.refused", session.deduct(0, 9))
    observe("ac.refused.info", session.info())
    observe("ac.last", session.deduct(0, 7))


def check_transactions(session):
    session.run("BEGIN")
    session.run("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('py-1', 1, 4)")
    order = session.cursor.lastrowid
    observe("tx.affected", session.deduct(1, 4))
    observe("tx.row_count", session.one("SELECT ROW_COUNT()"))
    observe("tx.last_insert_id", session.one("SELECT LAST_INSERT_ID()") - order)
    observe("tx.commit", session.run("COMMIT"))
    session.run("BEGIN")
    observe("rb.affected", session.deduct(2, 10))
    observe("rb.refused", session.deduct(2, 1))
    session.run("ROLLBACK")
    observe("rb.again", session.deduct(2, 10))
    session.run("BEGIN")
    steps = [session.deduct(3, 1), session.run("SAVEPOINT a"), session.deduct(3, 2),
             session.run("ROLLBACK TO a"), session.deduct(3, 4), session.run("COMMIT")]
    observe("savepoint.steps", steps)
    steps = [session.run("SET autocommit=0"), session.deduct(4, 2), session.run("COMMIT"),
             session.deduct(4, 3), session.run("ROLLBACK"), session.run("SET autocommit=1")]
    observe("autocommit0.steps", steps)


def check_special(session):
    unguarded = "UPDATE t_stock SET stock = stock - %s WHERE sku_id = %s"
    observe("unguarded.sold", session.run(unguarded, 4, FIRST_SKU + 6))
    observe("unguarded.refused", session.run(unguarded, 7, FIRST_SKU + 6))
    session.run("BEGIN")
    observe("unguarded.tx", (session.run(unguarded, 7, FIRST_SKU + 6), session.run("COMMIT")))
    session.deduct(7, 5)
    observe("return", session.run(
        "UPDATE t_stock SET stock = stock + %s WHERE sku_id = %s", 2, FIRST_SKU + 7))
    session.run("BEGIN")
    observe("ddl.steps", (session.deduct(11, 3),
                          session.run("CREATE TABLE IF NOT EXISTS t_scratch (a INT)"),
                          session.run("ROLLBACK")))
    session.run("BEGIN")
    observe("error.in_tx", (session.deduct(12, 3),
                            session.run("INSERT INTO t_plain VALUES (77, 1)"),
                            session.run("COMMIT")))
    observe("gather", (session.deduct(13, 8), session.deduct(13, 3), session.deduct(13, 2)))


def check_endings(session):
    session.run("BEGIN")
    observe("reset.affected", session.deduct(8, 3))
    session.connection._execute_command(COMMAND.COM_STMT_RESET + 5, b"")  # COM_RESET_CONNECTION
    session.connection._read_ok_packet()
    observe("reset.in_tx", (session.in_transaction(), session.one("SELECT DATABASE()")))
    leaving = Session()
    leaving.run("BEGIN")
    observe("disconnect.affected", leaving.deduct(10, 3))
    leaving.connection._force_close()


def check_found_rows(session):
    same = "UPDATE t_plain SET stock = stock WHERE id = 77"
    observe("found.without", session.run(same))
    finding = Session(CLIENT.FOUND_ROWS)
    observe("found.with", finding.run(same))
    observe("found.hot", (finding.deduct(14, 1), finding.deduct(14, 100)))
    finding.connection.close()


def check_cold(session):
    for name, sql in (
            ("cold", "UPDATE t_stock SET stock = stock - 3 WHERE sku_id = 900000 AND stock >= 3"),
            ("plain", "UPDATE t_plain SET stock = stock - 3 WHERE id = 1 AND stock >= 3")):
        observe(f"{name}.sold", (session.run(sql), session.info()))
        session.run("BEGIN")
        observe(f"{name}.tx", (session.run(sql), session.run("ROLLBACK")))
    observe("cold.stock", session.one("SELECT stock FROM t_stock WHERE sku_id = 900000"))
    observe("plain.stock", session.one("SELECT stock FROM t_plain WHERE id = 1"))


def main():
    session = Session()
    for check in (check_basics, check_blob, check_errors, check_autocommit, check_transactions,
                  check_special, check_endings, check_found_rows, check_cold):
        check(session)
    session.connection.close()


main()
