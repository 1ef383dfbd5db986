"""Part `tls`: TLS ended and begun again in the proxy, on both of its sides.

HAProxy cannot speak MySQL's TLS, which begins inside the protocol, so it is given connections that
are TLS from their first byte. What turns one into the other is a helper, an HAProxy of its own:

  haproxy    sysbench -plain- helper =TLS= HAPROXY   =TLS= helper -plain- MariaDB
  stockgate  sysbench =TLS=   helper =TLS= STOCKGATE =TLS= helper =TLS=   MariaDB

On each way there are as many hops, and TLS is ended or begun four times; the helper only passes the
second way's bytes on. So the ways as a whole can be compared, and the CPU time of the process in
the middle, which does the same work on both: it decrypts and encrypts each packet. `direct` is the
second way without anything in the middle. MySQL Router is left out: where it ends TLS, some logins
through it to MariaDB fail.
"""

import subprocess

import figures
import lab
import load
import peers
import report

CONNECTIONS_QUICK = [16]
ROWS_THREADS = 4
_TRUSTING = "ssl verify none"


class _Way:
    """A target at the near end of its way, and whether sysbench itself speaks TLS on it."""

    def __init__(self, route, name, process, is_encrypted=True):
        self.route = route
        self.name = name
        self.target = peers.Target(name, route.port, process)
        self.is_encrypted = is_encrypted


def measure(world, options, outcome):
    ways = _start(world, options)
    folder = world.database.certificate.folder_for_sysbench(world.laboratory.folder / "sysbench")
    for way in ways:
        if way.is_encrypted:
            _check_encrypted(way)
    for connections in CONNECTIONS_QUICK if options.quick else options.connections:
        samples = _rounds(ways, options, folder, "oltp_point_select", connections,
                          f"--tables={load.TABLES}", f"--table-size={load.ROWS}")
        outcome.samples[f"tls.points.{connections}"] = samples
        _print(f"point selects, {connections} connections", "queries/s", samples)
        _add_ratios(samples, f"tls.qps.{connections}", f"tls.cpu.{connections}", outcome)
    samples = _rounds(ways, options, folder, peers.script("rows"), ROWS_THREADS,
                      f"--table_size={load.ROWS}")
    outcome.samples["tls.rows"] = samples
    _print(f"results of 1,000 rows, {ROWS_THREADS} connections", "results/s", samples)
    _add_ratios(samples, "tls.rows1000", "tls.rows1000.cpu", outcome)


def _start(world, options):
    """The far ends, the proxies, the near ends. Returns the ways."""
    laboratory, certificate = world.laboratory, world.database.certificate
    passing = peers.Route(world.database.port)
    ending = peers.Route(world.database.port, bind=f"ssl crt {certificate.both}")
    laboratory.start(peers.HaProxy(laboratory, [ending, passing], name="tls-far"))
    ways = [_Way(peers.Route(passing.port), "direct", None)]
    if "haproxy" in options.peers:
        middle = peers.Route(ending.port, bind=f"ssl crt {certificate.both}", server=_TRUSTING)
        haproxy = laboratory.start(peers.HaProxy(laboratory, [middle], name="tls-haproxy"))
        ways.append(_Way(peers.Route(haproxy.port, server=_TRUSTING), "haproxy", haproxy,
                         is_encrypted=False))
    for name, build in (("baseline", options.baseline), ("stockgate", None)):
        if build is not None or name == "stockgate":
            stockgate = _start_stockgate(world, name, build, passing.port)
            ways.append(_Way(peers.Route(stockgate.port), name, stockgate))
    laboratory.start(peers.HaProxy(laboratory, [way.route for way in ways], name="tls-near"))
    return ways


def _start_stockgate(world, name, build, backend_port):
    certificate = world.database.certificate
    return peers.start_stockgate(
        world.laboratory, world.database, world.redis, name=f"tls-{name}", build=build,
        client={"tls": {"mode": "required", "certificate": str(certificate.path),
                        "key": str(certificate.key)}},
        backend={"address": f"{lab.LOOPBACK}:{backend_port}", "tls": {"mode": "required"}})


def _cipher_behind(port, *options):
    """What the server says of its own connection, or None where the client is not let in."""
    result = subprocess.run(
        ["mariadb", "--no-defaults", f"--host={lab.LOOPBACK}", f"--port={port}",
         f"--user={peers.USER}", f"--password={lab.PASSWORD}", "--connect-timeout=10", *options,
         "--skip-column-names", "--batch", "-e", "SHOW SESSION STATUS LIKE 'Ssl_cipher'"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=60)
    return result.stdout.split()[1:] if result.returncode == 0 else None


def _check_encrypted(way):
    """Both sides use TLS: the server says so of its own, and a plain client is refused."""
    port = way.target.port
    if not _cipher_behind(port, "--ssl"):
        raise figures.MeasureError(f"{way.name}: no TLS towards the server")
    if way.target.process is not None and _cipher_behind(port, "--skip-ssl") is not None:
        raise figures.MeasureError(f"{way.name}: a plain client is let in")


def _rounds(ways, options, folder, script, threads, *further):
    """Like the plain measurements, each way with what sysbench needs for it."""
    by_name = {way.name: way for way in ways}

    def measure_one(target, number):
        tls = ["--mysql-ssl=on"] if by_name[target.name].is_encrypted else []
        return load.run(target, script, threads, options.seconds, options.seed + number,
                        *further, *tls, folder=folder)

    return figures.interleave([way.target for way in ways], options.rounds, options.seed,
                              measure_one)


def _print(title, unit, samples):
    rows = []
    for name, of_target in samples.items():
        rows.append([
            name, f"{figures.median(of_target, 'per_second'):.0f}",
            figures.spread(of_target, "per_second"),
            f"{figures.median(of_target, 'p50_ms'):.2f}",
            f"{figures.median(of_target, 'p99_ms'):.2f}",
            figures.text_of_median(of_target, "cpu_us", "{:.1f}")])
    print(f"\nTLS on both sides: {title}\n" + report.table(
        ["", unit, "of the rounds", "p50 ms", "p99 ms", "CPU us each"], rows), flush=True)


def _add_ratios(samples, rate, cpu, outcome):
    if "haproxy" in samples:
        ours, theirs = samples["stockgate"], samples["haproxy"]
        outcome.add(f"haproxy.{rate}", figures.ratio(ours, theirs, "per_second"))
        outcome.add(f"haproxy.{cpu}", figures.ratio(ours, theirs, "cpu_us"))
