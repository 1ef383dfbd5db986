"""Traffic that Stockgate only reads and passes on, beside other proxies that do less."""

import contextlib

import figures
import lab
import load
import peers
import points

# Name: what measures it, called with (targets, options, outcome). Each adds its own ratios.
PARTS = {
    "points": points.measure,
}


def run(options):
    outcome = figures.Outcome("passthrough")
    with lab.Lab("bench-passthrough") as laboratory:
        targets = _start(laboratory, options, outcome)
        _compare_results(targets, outcome)
        for name, measure in PARTS.items():
            if options.only and name not in options.only:
                continue
            try:
                measure(targets, options, outcome)
            except (figures.MeasureError, lab.LabError) as error:
                outcome.failures.append(f"{name}: {error}")
            _check_alive(targets, outcome)
        _compare_results(targets, outcome)
    return outcome


def _start(laboratory, options, outcome):
    print("Starting servers in", laboratory.folder, flush=True)
    database = peers.start_database(laboratory)
    load.prepare_tables(database)
    redis = laboratory.redis()
    targets = [peers.Target("direct", database.port)]
    if "haproxy" in options.peers:
        haproxy = laboratory.start(peers.HaProxy(laboratory, database.port))
        targets.append(peers.Target("haproxy", haproxy.port, haproxy))
    if "router" in options.peers:
        root, reason = peers.router_root()
        if root is None:
            outcome.skipped.append(f"router: {reason}")
        else:
            router = laboratory.start(peers.Router(laboratory, root, database.port))
            targets.append(peers.Target("router", router.port, router))
    if options.baseline:
        baseline = peers.start_stockgate(
            laboratory, database, redis, name="baseline", build=options.baseline)
        targets.append(peers.Target("baseline", baseline.port, baseline))
    stockgate = peers.start_stockgate(laboratory, database, redis)
    targets.append(peers.Target("stockgate", stockgate.port, stockgate))
    return targets


def _check_alive(targets, outcome):
    for target in targets:
        if target.process is not None and not target.process.is_alive():
            raise lab.LabError(f"{target.name} has ended:\n{target.process.tail()}")


def _rows(port):
    """Results that must be the same through every address."""
    with contextlib.closing(lab.pymysql.connect(
            host=lab.LOOPBACK, port=port, user=peers.USER, password=lab.PASSWORD,
            database=peers.SCHEMA, connect_timeout=10, read_timeout=60)) as connection:
        with connection.cursor() as cursor:
            found = []
            for text in ("SELECT * FROM sbtest1 ORDER BY id LIMIT 1000",
                         "SELECT COUNT(*), SUM(k) FROM sbtest2", "SELECT REPEAT('x', 20000000)"):
                cursor.execute(text)
                found.append(cursor.fetchall())
            return found


def _compare_results(targets, outcome):
    wanted = _rows(targets[0].port)
    for target in targets[1:]:
        if _rows(target.port) != wanted:
            outcome.failures.append(f"{target.name}: results differ from the direct ones")
