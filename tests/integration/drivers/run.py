#!/usr/bin/python3
"""The same checklist with the real drivers of several languages, directly and through the proxy.

Each driver program prints what it observes. Directly it talks to plain tables, through the proxy
to the same tables with their SKUs adopted as hot: what it observes must be the same, the stock
that is left must be the same and what the checklist asks for, and after each driver the auditor
must be content.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import lab  # noqa: E402
import report  # noqa: E402
import shop  # noqa: E402

SKUS_PER_DRIVER = 16
UNITS = 10
BUCKETS = 4  # 3, 3, 2 and 2 units: quantities above three must be gathered
COLD_SKU = 900000
DRIVER_SECONDS_MAX = 120

# The stock that must be left per SKU of a driver, where all drivers do the same to it.
STOCK_LEFT = {0: 0, 1: 6, 2: 0, 3: 5, 4: 8, 6: 6, 7: 7, 8: 10, 9: 10, 10: 10, 11: 7, 12: 7, 13: 0,
              14: 9}


def drivers():
    """Name to the command in front of the common arguments; None where it cannot run."""
    modules = lab.PROJECT / "build" / "npm" / "node_modules"
    node = shutil.which("node") if (modules / "mysql2").exists() else None
    php = shutil.which("php8.2") or shutil.which("php")
    program = lab.build_folder() / "tests" / "integration" / "drivers" / "c_driver"
    return {
        "pymysql": ["/usr/bin/python3", HERE / "pymysql_driver.py"],
        "connector-c": [program] if program.exists() else None,
        "mysql2": [node, HERE / "node_driver.js"] if node else None,
        "mysqli": [php, "-d", "memory_limit=512M", HERE / "php_driver.php", "mysqli"]
        if php else None,
        "pdo": [php, "-d", "memory_limit=512M", HERE / "php_driver.php", "pdo"] if php else None,
    }


def make_tables(database, first_skus):
    skus = [first + offset for first in first_skus for offset in range(SKUS_PER_DRIVER)]
    rows = ", ".join(f"({sku}, 'item {sku}', {UNITS})" for sku in [*skus, COLD_SKU])
    database.execute(
        "DROP TABLE IF EXISTS t_stock, t_order, t_plain, t_blob, t_scratch",
        "CREATE TABLE t_stock (sku_id BIGINT NOT NULL PRIMARY KEY, title VARCHAR(100) NOT NULL, "
        "stock INT UNSIGNED NOT NULL) ENGINE=InnoDB",
        "CREATE TABLE t_order (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, order_no VARCHAR(64) "
        "NOT NULL, sku_id BIGINT NOT NULL, quantity INT NOT NULL, UNIQUE KEY (order_no)) "
        "ENGINE=InnoDB",
        "CREATE TABLE t_plain (id INT NOT NULL PRIMARY KEY, stock INT UNSIGNED NOT NULL) "
        "ENGINE=InnoDB",
        "CREATE TABLE t_blob (id INT NOT NULL PRIMARY KEY, body LONGBLOB) ENGINE=InnoDB",
        "DROP PROCEDURE IF EXISTS p_two_results",
        "CREATE PROCEDURE p_two_results() BEGIN SELECT 1, 'one'; SELECT 2, 'two'; END",
        f"INSERT INTO t_stock VALUES {rows}",
        database=shop.SCHEMA)
    return skus


def reset_cold(database):
    """What drivers share is set back, so that each finds the same."""
    database.execute(
        f"UPDATE t_stock SET stock = {UNITS} WHERE sku_id = {COLD_SKU}",
        "DELETE FROM t_plain", f"INSERT INTO t_plain VALUES (1, {UNITS})",
        "DELETE FROM t_order", "DROP TABLE IF EXISTS t_scratch", "DELETE FROM t_blob",
        # Empties MySQL's cache of passwords: the next login takes the long way, over RSA.
        "FLUSH PRIVILEGES",
        database=shop.SCHEMA)


def observe(command, port, first_sku):
    """Runs one driver program; name to value, in its order."""
    environment = dict(os.environ)
    environment["STOCKGATE_NODE_MODULES"] = str(lab.PROJECT / "build" / "npm" / "node_modules")
    result = subprocess.run(
        [*map(str, command), lab.LOOPBACK, str(port), shop.USER, lab.PASSWORD, shop.SCHEMA,
         str(first_sku)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=DRIVER_SECONDS_MAX, env=environment)
    seen = {}
    for line in result.stdout.splitlines():
        name, _, value = line.partition("\t")
        seen[name] = value
    if result.returncode != 0:
        seen["ended"] = f"code {result.returncode}: {result.stderr.strip()[-600:]}"
    return seen


def stock_left_direct(database, first_sku):
    rows = database.execute(
        f"SELECT sku_id, stock FROM t_stock WHERE sku_id BETWEEN {first_sku} "
        f"AND {first_sku + SKUS_PER_DRIVER - 1}", database=shop.SCHEMA)
    return {sku - first_sku: int(stock) for sku, stock in rows}


def stock_left_ledger(database, first_sku):
    rows = database.execute(
        "SELECT sku_id, SUM(bucket_total - sold_stock) FROM inventory_bucket GROUP BY sku_id",
        database=shop.SCHEMA)
    numbers = {int(sku.rpartition(":")[2]): int(left) for sku, left in rows}
    return {sku - first_sku: left for sku, left in numbers.items()
            if first_sku <= sku < first_sku + SKUS_PER_DRIVER}


def comparable(key, value):
    """The value as far as it must be the same."""
    if value is None:
        return None
    if key == "prepared.null":
        # Nonsense may be refused by the proxy with an error of its own.
        return re.sub(r"error \d+ \w+", "error", value)
    if key.startswith("unguarded."):
        # Out of range: 1690 for integers; with a parameter that is no integer the server computes
        # in floating point and says 1264, of the same SQL state.
        return value.replace("error 1264", "error 1690")
    return value


def compare(name, direct, through):
    failures = []
    for key in [*direct, *(key for key in through if key not in direct)]:
        if comparable(key, direct.get(key)) != comparable(key, through.get(key)):
            failures.append(f"{name} {key}: directly {direct.get(key)!r}, "
                            f"through the proxy {through.get(key)!r}")
    return failures


def check_left(name, where, left):
    return [f"{name}: {where} SKU {offset} has {left.get(offset)} left, not {expected}"
            for offset, expected in STOCK_LEFT.items()
            if left.get(offset) != expected]


def run_direct(database, chosen):
    observed, failures = {}, []
    for name, (command, first_sku) in chosen.items():
        reset_cold(database)
        seen = observe(command, database.port, first_sku)
        if "ended" in seen:
            failures.append(f"{name}, directly: {seen['ended']}")
        left = stock_left_direct(database, first_sku)
        failures += check_left(name, "directly", left)
        observed[name] = (seen, left)
    return observed, failures


def run_through(database, proxy, chosen, direct):
    rows, failures = [], []
    for name, (command, first_sku) in chosen.items():
        reset_cold(database)
        seen = observe(command, proxy.port, first_sku)
        found = compare(name, direct[name][0], seen)
        is_audited, audit = proxy.verify()
        if not is_audited:
            found.append(f"{name}: the auditor says no:\n{audit}")
        left = stock_left_ledger(database, first_sku)
        if left != direct[name][1]:
            found.append(f"{name}: left directly {direct[name][1]}, in the ledger {left}")
        if not proxy.is_alive():
            found.append(f"{name}: the proxy ended with {proxy.returncode}\n{proxy.tail()}")
            proxy.start()
        rows.append([name, len(seen), len(found), "PASS" if is_audited else "FAIL"])
        failures += found
    return rows, failures


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drivers", default="", help="comma-separated; all when left out")
    parser.add_argument("--server", choices=["mariadb", "mysql9"], default="mariadb")
    parser.add_argument("--gate", choices=["redis", "local"], default="redis")
    parser.add_argument("--only-direct", action="store_true", help="check the checklist itself")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    wanted = [name for name in arguments.drivers.split(",") if name]
    chosen, failures = {}, []
    for number, (name, command) in enumerate(drivers().items(), 1):
        if wanted and name not in wanted:
            continue
        if command is None:
            failures.append(f"{name}: not installed (tests/support/packages.sh, or not built)")
            continue
        chosen[name] = (command, number * 1000)
    with lab.Lab("drivers") as laboratory:
        if arguments.server == "mysql9" and lab.MySql9.chroot() is None:
            print("MySQL 9 is not installed (tests/support/mysql9.sh install): skipped")
            return 77
        database = laboratory.mysql9() if arguments.server == "mysql9" else laboratory.mariadb()
        shop.create_accounts(database)
        first_skus = [first for _, first in chosen.values()]
        make_tables(database, first_skus)
        database.execute(f"GRANT ALL ON {shop.SCHEMA}.* TO {shop.USER}@'%'")
        direct, found = run_direct(database, chosen)
        failures += found
        rows = [[name, len(seen), "-", "-"] for name, (seen, _) in direct.items()]
        if not arguments.only_direct:
            skus = make_tables(database, first_skus)
            redis = laboratory.redis() if arguments.gate == "redis" else None
            proxy = laboratory.proxy(database, redis, shop.managed_tables(skus, BUCKETS))
            shop.adopt(proxy)
            proxy.start()
            rows, found = run_through(database, proxy, chosen, direct)
            failures += found
            proxy.stop()
            failures += proxy.sanitizer_findings()
        laboratory.keep = bool(failures)
    print(report.table(["driver", "observations", "differences", "verify"], rows))
    report.write_json(arguments.json, {"rows": rows, "failures": failures})
    return report.verdict(f"drivers on {arguments.server}, gate {arguments.gate}", failures)


if __name__ == "__main__":
    sys.exit(main())
