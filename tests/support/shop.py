"""The shop that the demo and the fault tests use: its tables, its accounts, its flash sale client,
and what its own books say afterwards. The shop knows nothing of Stockgate."""

import json
import pathlib
import subprocess

import lab

USER = "shop"
LEDGER_USER = "stockgate"
SCHEMA = "shop"
TABLE = "shop.t_stock"

# Rights of the application on its own tables; those on the ledger come from `init --run-grants`.
APPLICATION_GRANTS = "SELECT, INSERT, UPDATE, DELETE"


def create_accounts(database, plugin="mysql_native_password"):
    """The application's account and the proxy's own. MySQL 9 has only its newer plugins."""
    if isinstance(database, lab.MySql9):
        identified = f"IDENTIFIED WITH caching_sha2_password BY '{lab.PASSWORD}'"
    else:
        identified = f"IDENTIFIED VIA {plugin} USING PASSWORD('{lab.PASSWORD}')"
    database.execute(
        f"CREATE DATABASE IF NOT EXISTS {SCHEMA}",
        f"CREATE USER {USER}@'%' {identified}",
        f"CREATE USER {LEDGER_USER}@'%' {identified}",
        f"GRANT ALL ON {SCHEMA}.* TO {LEDGER_USER}@'%' WITH GRANT OPTION",
    )


def create_tables(database, stocks):
    """t_stock with one row per item of stocks (SKU to units), and t_order."""
    values = ", ".join(f"({sku}, 'item {sku}', {units})" for sku, units in stocks.items())
    database.execute(
        "CREATE TABLE t_stock (sku_id BIGINT NOT NULL PRIMARY KEY, title VARCHAR(100) NOT NULL, "
        "stock INT UNSIGNED NOT NULL) ENGINE=InnoDB",
        "CREATE TABLE t_order (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, "
        "order_no VARCHAR(64) NOT NULL, sku_id BIGINT NOT NULL, quantity INT NOT NULL, "
        "created TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), UNIQUE KEY (order_no)) "
        "ENGINE=InnoDB",
        f"INSERT INTO t_stock VALUES {values}",
        f"GRANT {APPLICATION_GRANTS} ON t_stock TO {USER}@'%'",
        f"GRANT {APPLICATION_GRANTS} ON t_order TO {USER}@'%'",
        database=SCHEMA,
    )


def managed_tables(skus, buckets=16):
    """The `tables` section of the proxy's configuration."""
    return [{
        "table": TABLE,
        "key": ["sku_id"],
        "stock": "stock",
        "buckets": buckets,
        "skus": list(skus),
    }]


def adopt(proxy):
    """`init`: ledger tables, the application's grants on them, and the SKUs."""
    return proxy.run("init", "--run-grants", f"'{USER}'@'%'").stdout


def client_binary():
    return lab.build_folder() / "tests" / "demo" / "flash_sale"


def client_command(port, folder, run, **options):
    """Command line of the flash sale client. Options are spelled with underscores."""
    command = [client_binary(), "--host", lab.LOOPBACK, "--port", port, "--user", USER,
               "--password", lab.PASSWORD, "--database", SCHEMA, "--run", run,
               "--json", pathlib.Path(folder) / f"{run}.json",
               "--log", pathlib.Path(folder) / f"{run}.attempts"]
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            command.append(name)
        elif value is not None and value is not False:
            command += [name, value]
    return [str(part) for part in command]


def run_client(port, folder, run, **options):
    """Runs a sale to its end with its progress on our output; returns its figures."""
    subprocess.run(client_command(port, folder, run, **options), check=True,
                   stdin=subprocess.DEVNULL, preexec_fn=lab.die_with_parent)
    return json.loads((pathlib.Path(folder) / f"{run}.json").read_text())


def attempts(folder, run):
    """What the client was told: (order number, SKU, units, outcome) for each attempt."""
    lines = (pathlib.Path(folder) / f"{run}.attempts").read_text().splitlines()
    for line in lines:
        number, sku, units, outcome = line.split()
        yield number, int(sku), int(units), outcome


def orders(database, run):
    """The committed orders of a run: order number to (SKU, units)."""
    rows = database.execute(
        "SELECT order_no, sku_id, quantity FROM t_order "
        f"WHERE order_no LIKE '{run}-%'", database=SCHEMA)
    return {number: (sku, units) for number, sku, units in rows}


def broken_promises(database, folder, run):
    """Compares what the client was told with the committed orders (transaction mode only, where
    the order row and the deduction are one transaction)."""
    committed = orders(database, run)
    failures = []
    seen = set()
    for number, _, _, outcome in attempts(folder, run):
        seen.add(number)
        if outcome == "sold" and number not in committed:
            failures.append(f"{number}: told sold, but no order row is committed")
        if outcome not in ("sold", "unknown") and number in committed:
            failures.append(f"{number}: told {outcome}, but its order row is committed")
    for number in committed.keys() - seen:
        failures.append(f"{number}: an order row that no attempt of the client explains")
    return failures
