#!/usr/bin/python3
"""A SKU that is not hot, and a table that is not managed, behave bit for bit as without the proxy:
the same packets are sent directly and through it, and every byte of the replies is compared, for
several sets of capabilities. The proxy manages a hot SKU of the same table meanwhile."""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import lab  # noqa: E402
import report  # noqa: E402
import shop  # noqa: E402
import wire  # noqa: E402

HOT, COLD = 1001, 2002

CAPABILITIES = {
    "base": wire.BASE_CAPABILITIES,
    "found rows": wire.BASE_CAPABILITIES | wire.CLIENT_FOUND_ROWS,
    "no eof": wire.BASE_CAPABILITIES | wire.CLIENT_DEPRECATE_EOF,
    "session track": wire.BASE_CAPABILITIES | wire.CLIENT_DEPRECATE_EOF |
    wire.CLIENT_SESSION_TRACK,
}

# Statements on the cold SKU come as for the hot one, so that each passes the recogniser.
STATEMENTS = [
    "SELECT 1", "", " ", ";", "-- comment", "SELECT 'a' AS b, NULL, 1.5e3, X'00FF'",
    "SET NAMES utf8mb4", "SET sql_mode = 'ANSI_QUOTES'", 'SELECT 1 AS "quoted"',
    "SET sql_mode = DEFAULT", "USE shop",
    f"SELECT * FROM t_stock WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD} AND stock >= 1",
    f"UPDATE `shop`.`t_stock` AS s SET s.stock = s.stock - 2 WHERE s.stock >= 2 AND {COLD} = s.sku_id",
    f"UPDATE t_stock SET stock = stock - 1000000 WHERE sku_id = {COLD} AND stock >= 1000000",
    f"UPDATE t_stock SET stock = stock - 1000000 WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET stock = stock - -3 WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET stock = stock - 0 WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET stock = stock - NULL WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET stock = stock - '2' WHERE sku_id = '{COLD}' AND stock >= '2'",
    f"UPDATE t_stock SET stock = stock + 5 WHERE sku_id = {COLD}",
    f"UPDATE t_stock SET title = 'x', stock = stock - 1 WHERE sku_id = {COLD} AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 3003 AND stock >= 1",
    "BEGIN", f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD} AND stock >= 1",
    "SELECT ROW_COUNT(), LAST_INSERT_ID()", "SAVEPOINT a",
    f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD} AND stock >= 1",
    "ROLLBACK TO a", "COMMIT",
    "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('RUN-1', 1, 1)",
    "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('RUN-1', 1, 1)",
    "UPDATE t_order SET quantity = quantity - 1 WHERE order_no = 'RUN-1' AND quantity >= 1",
    "DELETE FROM t_order WHERE order_no = 'RUN-1'",
    "SELECT * FROM nowhere", "SELEC", "SELECT 1; SELECT 2; SELECT * FROM nowhere; SELECT 3",
    "CALL p_two_results()", "SHOW WARNINGS", "DO SLEEP(0)",
    "SELECT REPEAT('x', 100000)", "SELECT REPEAT('y', 17000000)",
    "SET autocommit = 0", f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD}",
    "ROLLBACK", "SET autocommit = 1",
    "/* " + "long comment " * 5000 + f"*/ UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD}",
    f"/*!50000 UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {COLD} */",
]

PREPARED = [
    ("SELECT ?, ? + 1", (wire.text("żółć"), wire.integer(4))),
    ("UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?",
     (wire.integer(1), wire.integer(COLD), wire.integer(1))),
    ("UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?",
     (wire.text("1"), wire.text(str(COLD)), wire.double(1.0))),
    ("UPDATE t_stock SET stock = stock - ? WHERE sku_id = ?", (None, wire.integer(COLD))),
    ("SELECT * FROM t_stock WHERE sku_id = ?", (wire.unsigned(COLD),)),
    ("SELECT * FROM nowhere", ()),
]


def read_bare(link):
    """The reply of a command that is a single packet."""
    link.read_packet()


def converse(port, capabilities):
    """Name and reply bytes of every exchange."""
    link = wire.Wire(lab.LOOPBACK, port)
    link.login(shop.USER, lab.PASSWORD, shop.SCHEMA, capabilities)
    for number, sql in enumerate(STATEMENTS):
        link.query(sql)
        yield f"{number} {sql[:60]}", bytes(link.raw)
    for number, (sql, parameters) in enumerate(PREPARED):
        identity = link.prepare(sql)
        reply = bytearray(link.raw)
        if isinstance(identity, int):
            reply[5:9] = bytes(4)  # the server counts statements over all its connections
        yield f"prepare {number} {sql[:60]}", bytes(reply)
        if isinstance(identity, int):
            for _ in range(2):
                link.execute(identity, parameters)
                yield f"execute {number} {sql[:60]}", bytes(link.raw)
            link.command(wire.COM_STMT_RESET, struct.pack("<I", identity))
            read_bare(link)
            yield f"reset {number}", bytes(link.raw)
            link.command(wire.COM_STMT_CLOSE, struct.pack("<I", identity))
    for name, number, payload in (
            ("ping", wire.COM_PING, b""), ("init db", wire.COM_INIT_DB, b"shop"),
            ("no such db", wire.COM_INIT_DB, b"nowhere"),
            ("set option", wire.COM_SET_OPTION, b"\x01\x00"), ("unknown command", 0x70, b"abc"),
            ("reset", wire.COM_RESET_CONNECTION, b""), ("ping again", wire.COM_PING, b"")):
        link.command(number, payload)
        read_bare(link)
        yield name, bytes(link.raw)
    link.command(wire.COM_QUIT)
    link.close()


def make_tables(database):
    shop.create_tables(database, {HOT: 100, COLD: 1000})
    database.execute(
        "CREATE PROCEDURE p_two_results() BEGIN SELECT 1, 'one'; SELECT 2, 'two'; END",
        f"GRANT EXECUTE ON {shop.SCHEMA}.* TO {shop.USER}@'%'", database=shop.SCHEMA)


def reset(database):
    database.execute(
        f"UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = {COLD}",
        "TRUNCATE t_order", database=shop.SCHEMA)


def main():
    rows, failures = [], []
    with lab.Lab("transparent") as laboratory:
        database = laboratory.mariadb()
        shop.create_accounts(database)
        make_tables(database)
        proxy = laboratory.proxy(database, laboratory.redis(), shop.managed_tables([HOT]))
        shop.adopt(proxy)
        proxy.start()
        for name, capabilities in CAPABILITIES.items():
            reset(database)
            direct = list(converse(database.port, capabilities))
            reset(database)
            different = 0
            for (title, expected), (_, seen) in zip(direct, converse(proxy.port, capabilities)):
                if expected != seen:
                    different += 1
                    failures.append(f"{name}: {title}: directly {expected[:80].hex()}, "
                                    f"through the proxy {seen[:80].hex()}")
            size = sum(len(reply) for _, reply in direct)
            rows.append([name, len(direct), size, different])
        is_audited, audit = proxy.verify()
        if not is_audited:
            failures.append(f"the auditor says no:\n{audit}")
        proxy.stop()
        failures += proxy.sanitizer_findings()
        laboratory.keep = bool(failures)
    print(report.table(["capabilities", "exchanges", "bytes", "different"], rows))
    return report.verdict("transparent", failures)


if __name__ == "__main__":
    sys.exit(main())
