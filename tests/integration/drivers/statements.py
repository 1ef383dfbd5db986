#!/usr/bin/python3
"""Odd and hostile statements on a hot SKU: the answer is the database's own, or a clear error that
changes nothing; never a wrong booking. Each statement has an SKU of its own, is sent directly to
a plain copy first, and the stock that is left afterwards is compared."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import lab  # noqa: E402
import report  # noqa: E402
import shop  # noqa: E402
import wire  # noqa: E402

UNITS = 10
BUCKETS = 4
FIRST_SKU = 5000

GUARDED = "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?"

# SKU stands for the statement's own SKU.
TEXTS = [
    # The forms that a shop may write; these must be booked, not refused.
    "!update t_stock set STOCK=STOCK-1 where Sku_Id=SKU and STOCK>=1",
    "!UPDATE `t_stock` SET `stock` = `stock` - 2 WHERE `sku_id` = SKU AND `stock` >= 2",
    "!UPDATE shop.t_stock SET stock = stock - 2 WHERE sku_id = SKU AND stock >= 2",
    "!UPDATE t_stock AS s SET s.stock = s.stock - 1 WHERE s.sku_id = SKU AND s.stock >= 1",
    "!UPDATE t_stock s SET stock = s.stock - 1 WHERE s.stock >= 1 AND SKU = sku_id",
    "!UPDATE t_stock SET stock = (stock - 3) WHERE (sku_id = SKU) AND (3 <= stock)",
    "!UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock > 0",
    "!UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock - 1 >= 0",
    "!UPDATE t_stock SET stock = stock - '2' WHERE sku_id = 'SKU' AND stock >= '2'",
    "!UPDATE t_stock SET stock = stock - 2 WHERE sku_id = SKU",
    "!UPDATE t_stock SET stock = stock - 20 WHERE sku_id = SKU AND stock >= 20",
    "!UPDATE t_stock SET stock = stock - 20 WHERE sku_id = SKU",
    "!UPDATE t_stock SET stock = stock + 3 WHERE sku_id = SKU",
    "!UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1;",
    "!\n\tUPDATE\tt_stock\r\nSET stock=stock-1 -- one\nWHERE sku_id=SKU # key\nAND/**/stock>=1",
    "!/* " + "c" * 65536 + " */UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1",
    "!UPDATE t_stock SET stock = stock - 1 /* " + "c" * 65536 + " */ WHERE sku_id = SKU AND stock >= 1",
    # What a server itself makes of it, or a clear error.
    "UPDATE t_stock SET stock = stock - -3 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - - 3 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 0 WHERE sku_id = SKU AND stock >= 0",
    "UPDATE t_stock SET stock = stock + 0 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock + 1 WHERE sku_id = SKU AND stock >= 1000000",
    "UPDATE t_stock SET stock = stock - -1 WHERE sku_id = SKU AND stock >= 1000000",
    "UPDATE t_stock SET stock = stock - NULL WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = NULL AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= NULL",
    "UPDATE t_stock SET stock = stock - 18446744073709551615 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 18446744073709551616 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 9223372036854775808 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock + 4294967295 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock + 9223372036854775807 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 1.5 WHERE sku_id = SKU AND stock >= 1.5",
    "UPDATE t_stock SET stock = stock - 1e0 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 0x02 WHERE sku_id = SKU AND stock >= 2",
    "UPDATE t_stock SET stock = stock - 'two' WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - '2x' WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - '' WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - TRUE WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - (1 + 1) WHERE sku_id = SKU AND stock >= 2",
    "UPDATE t_stock SET stock = stock - 2 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 5",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU OR stock >= 1000",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id IN (SKU) AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id BETWEEN SKU AND SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 LIMIT 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 ORDER BY sku_id LIMIT 0",
    "UPDATE LOW_PRIORITY IGNORE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1, title = 'sold' WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = 4 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock * 2 WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = 1 - stock WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 1, stock = stock - 1 WHERE sku_id = SKU AND stock >= 2",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1; SELECT 1",
    "SELECT 1; UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 AND title = 'item SKU'",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 extra",
    "UPDATE t_stock SET stock = stock - WHERE sku_id = SKU",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 /* open",
    "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 'SKU",
    "/*!50000 UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 */",
    "/*!99999 UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 */",
    "/*M! UPDATE t_stock SET stock = stock - 1 WHERE sku_id = SKU AND stock >= 1 */",
    "UPDATE t_stock, t_order SET stock = stock - 1 WHERE t_stock.sku_id = SKU",
    "UPDATE t_stock SET stock = stock - @@server_id WHERE sku_id = SKU AND stock >= 1",
    "DELETE FROM t_stock WHERE sku_id = SKU",
    "REPLACE INTO t_stock VALUES (SKU, 'x', 3)",
    "INSERT INTO t_stock VALUES (SKU, 'x', 3) ON DUPLICATE KEY UPDATE stock = stock - 1",
    "WITH a AS (SELECT 1) SELECT * FROM a",
]

# Prepared: the statement and its parameters; SKU in a parameter as above.
SKU = "SKU"
PREPARED = [
    (GUARDED, [wire.integer(2), SKU, wire.integer(2)], True),
    (GUARDED, [wire.unsigned(2), SKU, wire.unsigned(2)], True),
    (GUARDED, [wire.text("2"), SKU, wire.text("2")], True),
    (GUARDED, [wire.double(2.0), SKU, wire.double(2.0)], True),
    (GUARDED, [(wire.TYPE_TINY, b"\x02"), SKU, (wire.TYPE_LONG, b"\x02\0\0\0")], True),
    (GUARDED, [wire.integer(50), SKU, wire.integer(50)], True),
    (GUARDED, [None, SKU, wire.integer(1)], False),
    (GUARDED, [wire.integer(1), None, wire.integer(1)], False),
    (GUARDED, [wire.integer(1), SKU, None], False),
    (GUARDED, [wire.integer(-3), SKU, wire.integer(1)], False),
    (GUARDED, [wire.integer(0), SKU, wire.integer(0)], False),
    (GUARDED, [wire.integer(2), SKU, wire.integer(5)], False),
    (GUARDED, [wire.integer(5), SKU, wire.integer(2)], False),
    (GUARDED, [wire.integer(2 ** 63 - 1), SKU, wire.integer(1)], False),
    (GUARDED, [wire.integer(-2 ** 63), SKU, wire.integer(1)], False),
    (GUARDED, [wire.unsigned(2 ** 64 - 1), SKU, wire.integer(1)], False),
    (GUARDED, [wire.text("two"), SKU, wire.integer(1)], False),
    (GUARDED, [wire.text(""), SKU, wire.text("")], False),
    (GUARDED, [wire.text(" 2 "), SKU, wire.text("2 ")], False),
    (GUARDED, [wire.double(1.5), SKU, wire.double(1.5)], False),
    (GUARDED, [wire.double(float("1e300")), SKU, wire.integer(1)], False),
    (GUARDED, [wire.text("2" * 40), SKU, wire.integer(1)], False),
    ("UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?", [wire.integer(-3), SKU], False),
    ("UPDATE t_stock SET stock = stock + ? WHERE sku_id = ? AND stock >= ?",
     [wire.integer(1), SKU, wire.integer(10 ** 6)], False),
    ("UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?",
     [wire.integer(-1), SKU, wire.integer(10 ** 6)], False),
    ("UPDATE t_stock SET stock = stock + ? WHERE sku_id = ?", [wire.integer(2 ** 62), SKU], False),
    ("UPDATE t_stock SET stock = ? WHERE sku_id = ?", [wire.integer(4), SKU], False),
    ("UPDATE t_stock SET stock = stock - 1 WHERE sku_id = ? AND stock >= 1", [SKU], True),
]


def cases():
    """(SKU, title, must be booked, function that sends it on a connection)."""
    number = FIRST_SKU
    for text in TEXTS:
        is_plain = text.startswith("!")
        sql = text.removeprefix("!").replace("SKU", str(number))
        yield number, sql[:70], is_plain, lambda link, sql=sql: link.query(sql)
        number += 1
    for sql, parameters, is_plain in PREPARED:
        values = [wire.integer(number) if value is SKU else value for value in parameters]

        def send(link, sql=sql, values=values):
            identity = link.prepare(sql)
            return link.execute(identity, values) if isinstance(identity, int) else identity

        shown = ["SKU" if value is SKU else value and value[1] for value in parameters]
        yield number, f"{sql[:40]}.. {shown}"[:90], is_plain, send
        number += 1


def send_all(port):
    """What each statement was answered, each on a connection of its own."""
    answers = {}
    for sku, _, _, send in cases():
        link = wire.Wire(lab.LOOPBACK, port)
        try:
            link.login(shop.USER, lab.PASSWORD, shop.SCHEMA)
            answers[sku] = send(link)
        except (wire.Closed, OSError) as error:
            answers[sku] = ("closed", type(error).__name__)
        except wire.ServerError as error:
            answers[sku] = ("error", error.code)
        finally:
            link.close()
    return answers


def left_direct(database):
    return {sku: int(stock) for sku, stock in
            database.execute("SELECT sku_id, stock FROM t_stock", database=shop.SCHEMA)}


def left_ledger(database):
    return {int(sku.rpartition(":")[2]): int(left) for sku, left in database.execute(
        "SELECT sku_id, SUM(bucket_total - sold_stock) FROM inventory_bucket GROUP BY sku_id",
        database=shop.SCHEMA)}


def judge(direct, through, left, ledger):
    """Rows of a table and failures."""
    same = refused = 0
    failures = []
    for sku, title, is_plain, _ in cases():
        expected, seen = direct[sku], through[sku]
        if expected == seen and left.get(sku) == ledger.get(sku):
            same += 1
        elif not is_plain and seen[0] == "error" and ledger.get(sku) == UNITS:
            refused += 1
        else:
            failures.append(f"{title!r}: directly {expected} and {left.get(sku)} left, through the "
                            f"proxy {seen} and {ledger.get(sku)} left")
    return [["as the database", same], ["refused with an error", refused],
            ["wrong", len(failures)]], failures


def main():
    skus = [sku for sku, _, _, _ in cases()]
    stocks = dict.fromkeys(skus, UNITS)
    with lab.Lab("statements") as laboratory:
        database = laboratory.mariadb()
        shop.create_accounts(database)
        shop.create_tables(database, stocks)
        direct = send_all(database.port)
        left = left_direct(database)
        database.execute("DROP TABLE t_stock, t_order", database=shop.SCHEMA)
        shop.create_tables(database, stocks)
        proxy = laboratory.proxy(
            database, laboratory.redis(), shop.managed_tables(skus, BUCKETS))
        shop.adopt(proxy)
        proxy.start()
        through = send_all(proxy.port)
        is_audited, audit = proxy.verify()
        rows, failures = judge(direct, through, left, left_ledger(database))
        if not is_audited:
            failures.append(f"the auditor says no:\n{audit}")
        proxy.stop()
        failures += proxy.sanitizer_findings()
        laboratory.keep = bool(failures)
    print(report.table(["answers", "statements"], rows))
    return report.verdict("statements", failures)


if __name__ == "__main__":
    sys.exit(main())
