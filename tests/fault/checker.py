"""What must be true after the faults, when everything is up again and at rest."""

import json
import pathlib

import shop

SETTLE_SECONDS_MAX = 60


def settle(world):
    """Waits until the auditor is content. What is undecided must be decided within the time."""
    is_audited, audit = world.proxy.verify(SETTLE_SECONDS_MAX)
    return [] if is_audited else [f"not at rest after {SETTLE_SECONDS_MAX} s:\n{audit}"]


def sell_the_rest(world, run, skus, seed):
    """Final buyers: one unit at a time until each SKU is refused, with nothing in their way."""
    command = shop.client_command(
        world.proxy.port, world.laboratory.folder, run, sku=",".join(map(str, skus)),
        connections=8, attempts=4 * units_left(world.database, skus) + 400, seed=seed + 7,
        quiet=True)
    client = world.laboratory.spawn(run, command)
    client.wait(180)


def units_left(database, skus):
    return sum(books(database, sku)[2] for sku in skus)


def figures(world, run):
    return json.loads((pathlib.Path(world.laboratory.folder) / f"{run}.json").read_text())


def check(world, runs, skus, units):
    """The row of a round and the violations of its promises."""
    database, folder = world.database, world.laboratory.folder
    row = {key: 0 for key in ("sold", "refused", "rolled_back", "dropped", "error", "unknown")}
    violations, ordered = [], 0
    confirmed = 0
    for run in runs:
        numbers = figures(world, run)
        for key in row:
            row[key] += numbers[key]
        confirmed += numbers["units_sold"]
        violations += shop.broken_promises(database, folder, run)[:10]
        ordered += sum(quantity for _, quantity in shop.orders(database, run).values())
    row["booked"] = row["oversold"] = row["undersold"] = 0
    for sku in skus:
        booked, orders, left = books(database, sku)
        row["booked"] += booked
        row["oversold"] += max(0, booked - units)
        row["undersold"] += max(0, units - booked)
        if orders != details(database, sku):
            violations.append(f"SKU {sku}: {orders} order rows, {details(database, sku)} details")
        if booked != units:
            violations.append(f"SKU {sku}: {booked} of {units} units booked, {left} left, although "
                              "the last buyers were refused")
    if confirmed > row["booked"]:
        violations.append(f"{confirmed} units confirmed to clients, {row['booked']} booked")
    if ordered != row["booked"]:
        violations.append(f"{ordered} units in order rows, {row['booked']} booked")
    row["violations"] = len(violations)
    return row, violations


def books(database, sku):
    """(units booked, order rows, units left) of one SKU."""
    booked, left = database.execute(
        "SELECT COALESCE(SUM(sold_stock), 0), COALESCE(SUM(bucket_total - sold_stock), 0) "
        f"FROM inventory_bucket WHERE sku_id = 't_stock:{sku}'", database=shop.SCHEMA)[0]
    orders = database.execute(
        f"SELECT COUNT(*) FROM t_order WHERE sku_id = {sku}", database=shop.SCHEMA)[0][0]
    return int(booked), int(orders), int(left)


def details(database, sku):
    return int(database.execute(
        "SELECT COUNT(*) FROM stock_deduct_detail WHERE status = 1 "
        f"AND sku_id = 't_stock:{sku}'", database=shop.SCHEMA)[0][0])
