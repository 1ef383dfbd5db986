#!/usr/bin/python3
"""The demo: a flash sale directly against MariaDB, then through Stockgate, by the same program.

Called by ./demo, which builds first. Starts its own servers in build/demo and ends them.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import lab  # noqa: E402
import report  # noqa: E402
import shop  # noqa: E402

FIRST_SKU = 1001


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./demo", description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=200, metavar="N")
    parser.add_argument("--attempts", type=int, default=20000, metavar="N")
    parser.add_argument("--units", type=int, default=5000, metavar="N", help="stock on sale")
    parser.add_argument("--rollbacks", type=float, default=0.10, metavar="SHARE")
    parser.add_argument("--disconnects", type=float, default=0.05, metavar="SHARE")
    parser.add_argument("--buckets", type=int, default=16, metavar="N")
    parser.add_argument("--rounds", type=int, default=1, metavar="N",
                        help="sales through Stockgate, each of a fresh SKU")
    parser.add_argument("--no-direct", action="store_true", help="leave out the direct sale")
    parser.add_argument("--prepared", action="store_true", help="prepared statements")
    parser.add_argument("--think-ms", type=int, default=1, metavar="MS",
                        help="pause of the program between its statements")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--folder", default=lab.PROJECT / "build" / "demo", help=argparse.SUPPRESS)
    return parser.parse_args()


def sell(database, port, folder, run, sku, arguments, seed):
    """One sale, and what the database says about it afterwards."""
    figures = shop.run_client(
        port, folder, run, sku=sku, connections=arguments.connections,
        attempts=arguments.attempts, rollback_share=arguments.rollbacks,
        disconnect_share=arguments.disconnects, think_ms=arguments.think_ms,
        prepared=arguments.prepared, seed=seed)
    committed = shop.orders(database, run)
    units = sum(units for _, units in committed.values())
    figures["order_rows"] = len(committed)
    figures["oversold"] = max(0, units - arguments.units)
    # Nobody was refused: there was simply not enough demand.
    figures["undersold"] = max(0, arguments.units - units) if figures["refused"] else 0
    figures["broken_promises"] = shop.broken_promises(database, folder, run)
    return figures


def check(name, figures):
    failures = [f"{name}: {text}" for text in figures["broken_promises"][:5]]
    for key in ("oversold", "undersold"):
        if figures[key]:
            failures.append(f"{name}: {figures[key]} units {key}")
    if figures["order_rows"] != figures["sold"] + figures["unknown"]:
        failures.append(f"{name}: {figures['sold']} sold, {figures['order_rows']} order rows")
    if figures["error"] or figures["unknown"]:
        failures.append(
            f"{name}: {figures['error']} errors, {figures['unknown']} unknown outcomes "
            f"{figures['error_codes']}")
    return failures


def print_comparison(runs):
    rows = [
        ("sold", "sold", "{}"), ("refused", "refused", "{}"), ("rolled back", "rolled_back", "{}"),
        ("dropped connections", "dropped", "{}"), ("errors", "error", "{}"),
        ("order rows committed", "order_rows", "{}"), ("oversold", "oversold", "{}"),
        ("undersold", "undersold", "{}"), ("successes/s", "successes_per_second", "{:.0f}"),
        ("p50 of a success, ms", "p50_ms", "{:.1f}"), ("p99 of a success, ms", "p99_ms", "{:.1f}"),
        ("seconds until the last sale", "seconds_until_sold", "{:.1f}"),
    ]
    print(report.table(
        ["", *runs.keys()],
        [[title, *[form.format(figures[key]) for figures in runs.values()]]
         for title, key, form in rows]))


def print_rounds(rounds):
    print(report.table(
        ["round", "sold", "refused", "rolled back", "dropped", "errors", "oversold", "undersold",
         "successes/s", "p50 ms", "p99 ms", "verify"],
        [[number, row["sold"], row["refused"], row["rolled_back"], row["dropped"], row["error"],
          row["oversold"], row["undersold"], f"{row['successes_per_second']:.0f}",
          f"{row['p50_ms']:.1f}", f"{row['p99_ms']:.1f}", row["verify"]]
         for number, row in enumerate(rounds, 1)]))


def sell_through_stockgate(laboratory, database, redis, skus, arguments):
    """All rounds; returns their figures, the failures and the last output of the auditor."""
    proxy = laboratory.proxy(
        database, redis, shop.managed_tables(skus, arguments.buckets))
    shop.adopt(proxy)
    proxy.start()
    rounds, failures, audit = [], [], ""
    for number, sku in enumerate(skus, 1):
        print(f"\nThrough Stockgate (port {proxy.port}), round {number} of {len(skus)}:")
        name = f"round{number}"
        figures = sell(database, proxy.port, laboratory.folder, name, sku, arguments,
                       arguments.seed + number - 1)
        result = proxy.run("verify", check=False)
        figures["verify"] = "PASS" if result.returncode == 0 else "FAIL"
        audit = result.stdout
        failures += check(name, figures)
        if result.returncode != 0:
            failures.append(f"{name}: the auditor says no:\n{audit}")
        rounds.append(figures)
    proxy.stop()
    failures += proxy.sanitizer_findings()
    return rounds, failures, audit


def main():
    arguments = parse_arguments()
    skus = [FIRST_SKU + number for number in range(arguments.rounds)]
    with lab.Lab("demo", folder=arguments.folder, keep=True) as laboratory:
        print("Starting MariaDB and Redis in", laboratory.folder, flush=True)
        database = laboratory.mariadb()
        redis = laboratory.redis()
        shop.create_accounts(database)
        shop.create_tables(database, dict.fromkeys(skus, arguments.units))
        print(f"On sale: {arguments.units} units of SKU {FIRST_SKU}; {arguments.attempts} attempts "
              f"on {arguments.connections} connections; {arguments.rollbacks:.0%} roll back, "
              f"{arguments.disconnects:.0%} disconnect in the middle; the program spends "
              f"{arguments.think_ms} ms between two statements.", flush=True)
        runs = {}
        if not arguments.no_direct:
            print(f"\nDirectly against MariaDB (port {database.port}):", flush=True)
            runs["direct"] = sell(database, database.port, laboratory.folder, "direct", FIRST_SKU,
                                  arguments, arguments.seed)
            database.execute(f"UPDATE t_stock SET stock = {arguments.units}", "DELETE FROM t_order",
                             database=shop.SCHEMA)
        rounds, failures, audit = sell_through_stockgate(
            laboratory, database, redis, skus, arguments)
    runs["through Stockgate"] = rounds[0]
    print()
    print_comparison(runs)
    if len(rounds) > 1:
        print()
        print_rounds(rounds)
    print(f"\nstockgate verify:\n{audit}")
    report.write_json(arguments.json, {
        "seed": arguments.seed, "direct": runs.get("direct"), "rounds": rounds,
        "failures": failures})
    return report.verdict("demo", failures, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
