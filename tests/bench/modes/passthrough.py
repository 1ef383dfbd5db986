"""Traffic that Stockgate only reads and passes on, beside other proxies that do less."""

import contextlib

import bulk
import connects
import figures
import lab
import load
import memory
import peers
import points
import pymysql
import tls

# Name: what measures it, called with (world, options, outcome). Each adds its own ratios.
PARTS = {
    "points": points.measure,
    "connect": connects.measure,
    "rows": bulk.measure_rows,
    "bulk": bulk.measure_bulk,
    "slow": memory.measure_slow_client,
    "idle": memory.measure_idle,
    "tls": tls.measure,
}


def run(options):
    outcome = figures.Outcome("passthrough")
    parts = {name: part for name, part in PARTS.items() if not options.only or name in options.only}
    with lab.Lab("bench-passthrough") as laboratory:
        world = _start(laboratory, options, outcome)
        _compare_results(world, outcome)
        for name, measure in parts.items():
            try:
                measure(world, options, outcome)
            except (figures.MeasureError, lab.LabError, OSError, pymysql.err.Error) as error:
                outcome.failures.append(f"{name}: {error}")
            _check_alive(world)
        _compare_results(world, outcome)
    return outcome


def _start(laboratory, options, outcome):
    print("Starting servers in", laboratory.folder, flush=True)
    database = peers.start_database(laboratory)
    load.prepare_tables(database)
    world = peers.World(laboratory, database, laboratory.redis())
    if "haproxy" in options.peers:
        world.add(laboratory.start(peers.HaProxy(laboratory, [peers.Route(database.port)])))
    if "router" in options.peers:
        root, reason = peers.router_root()
        if root is None:
            outcome.skipped.append(f"router: {reason}")
        else:
            world.add(laboratory.start(peers.Router(laboratory, root, database.port)))
    if options.baseline:
        world.add(peers.start_stockgate(
            laboratory, database, world.redis, name="baseline", build=options.baseline))
    world.add(peers.start_stockgate(laboratory, database, world.redis))
    return world


def _check_alive(world):
    for target in world.targets:
        if target.process is not None and not target.process.is_alive():
            raise lab.LabError(f"{target.name} has ended:\n{target.process.tail()}")


def _rows(port):
    """Results that must be the same through every address."""
    with contextlib.closing(pymysql.connect(
            host=lab.LOOPBACK, port=port, user=peers.USER, password=lab.PASSWORD,
            database=peers.SCHEMA, connect_timeout=10, read_timeout=60)) as connection:
        with connection.cursor() as cursor:
            found = []
            for text in ("SELECT * FROM sbtest1 ORDER BY id LIMIT 1000",
                         "SELECT COUNT(*), SUM(k) FROM sbtest2", "SELECT REPEAT('x', 20000000)"):
                cursor.execute(text)
                found.append(cursor.fetchall())
            return found


def _compare_results(world, outcome):
    wanted = _rows(world.database.port)
    for target in world.targets:
        if target.process is not None and _rows(target.port) != wanted:
            outcome.failures.append(f"{target.name}: results differ from the direct ones")
