"""Parts `slow` and `idle`: memory of a proxy whose client does not read, and of one at rest.

Each measures processes of its own: one that has had large results or many clients before would
have grown already.
"""

import resource
import time

import bulk
import figures
import lab
import peers
import procfs
import report
import wire

SLOW_ROWS = 2_000_000
SLOW_SECONDS = 10
SLOW_SECONDS_QUICK = 3
SLOW_STEP_BYTES = 64 * 1024
SLOW_STEP_SECONDS = 0.02
SLOW_RECEIVE_BUFFER = 64 * 1024
DRAIN_SECONDS_MAX = 240
GROWTH_MIB_BELOW = 8

IDLE = 10_000
IDLE_QUICK = 2_000
IDLE_LEAST = 100
IDLE_KIB_AT_MOST = 24
IDLE_OPEN_SECONDS_MAX = 180
IDLE_REST_SECONDS = 2
SETTLE_SECONDS_MAX = 60
WARM_CONNECTIONS = 20
SPARE_FILES = 200  # of a proxy, beside those of its connections
SPARE_CONNECTIONS = 50
SPARE_PORTS = 1000
KIB_PER_CONNECTION = 300  # of all processes and the kernel, on the safe side


class ManyConnections(peers.Database):
    """MariaDB that does not need a thread for each connection."""

    max_connections = IDLE + 1000
    settings = ("back-log = 4096", "thread-handling = pool-of-threads")


def _proxies(world, database, redis, prefix, options, connections_max):
    """Starts fresh processes of Stockgate and, for comparison, HAProxy, one after the other."""
    yield peers.start_stockgate(world.laboratory, database, redis, name=f"{prefix}-stockgate",
                                connections_max=connections_max)
    if "haproxy" in options.peers:
        yield world.laboratory.start(peers.HaProxy(
            world.laboratory, [peers.Route(database.port)], name=f"{prefix}-haproxy",
            connections_max=connections_max))


def measure_slow_client(world, options, outcome):
    seconds = SLOW_SECONDS_QUICK if options.quick else SLOW_SECONDS
    rows = []
    for process in _proxies(world, world.database, world.redis, "slow", options,
                            peers.CONNECTIONS_MAX):
        sample = _read_slowly(process, seconds)
        process.kill9()
        outcome.samples[process.name] = sample
        if process.name == "slow-stockgate":
            outcome.add("slow_client_growth_mib", sample["growth_mib"], below=GROWTH_MIB_BELOW)
        rows.append([process.name.removeprefix("slow-"), f"{sample['before_kib'] / 1024:.1f}",
                     f"{sample['growth_mib']:.2f}", f"{sample['drain_mb_per_second']:.0f}"])
    print(f"\na result of {SLOW_ROWS * bulk.ROW_BYTES / 1e9:.0f} GB, read at "
          f"{SLOW_STEP_BYTES / SLOW_STEP_SECONDS / 1e6:.1f} MB/s for {seconds} s, then drained\n"
          + report.table(["", "RSS before, MiB", "growth at most, MiB", "drained, MB/s"], rows),
          flush=True)


def _read_slowly(process, seconds):
    """One client that reads a little for some seconds, and then all the rest."""
    connection = wire.Connection(process.port, *peers.CREDENTIALS,
                                 receive_buffer=SLOW_RECEIVE_BUFFER)
    left = bulk.result_size(connection, SLOW_ROWS)
    buffer = bytearray(bulk.BUFFER_BYTES)
    before = procfs.resident_kib(process.pid)
    procfs.reset_peak(process.pid)
    connection.send(bulk.result_statement(SLOW_ROWS))
    slow_until = time.monotonic() + seconds
    while time.monotonic() < slow_until:
        connection.receive(SLOW_STEP_BYTES, buffer)
        left -= SLOW_STEP_BYTES
        time.sleep(SLOW_STEP_SECONDS)
    drained, started = left, time.monotonic()
    while left:
        if time.monotonic() - started > DRAIN_SECONDS_MAX:
            raise figures.MeasureError(f"{process.name}: {left} bytes of the large result had not "
                                       f"come after {DRAIN_SECONDS_MAX} s")
        count = min(left, 64 * len(buffer))
        connection.receive(count, buffer)
        left -= count
    drain_seconds = time.monotonic() - started
    bulk.check_in_step(connection, process.name)
    peak = procfs.peak_resident_kib(process.pid)
    connection.close()
    return {"before_kib": before, "growth_mib": (peak - before) / 1024,
            "drain_mb_per_second": drained / 1e6 / drain_seconds}


def measure_idle(world, options, outcome):
    wanted = IDLE_QUICK if options.quick else IDLE
    count, reason = _affordable(wanted)
    if reason is not None:
        outcome.notes.append(f"idle: {count} connections instead of {wanted}: {reason}")
    if count < IDLE_LEAST:
        raise figures.MeasureError(f"no {IDLE_LEAST} connections are possible here")
    database = peers.start_database(world.laboratory, ManyConnections, "mariadb-idle")
    redis = world.laboratory.redis(name="redis-idle")
    rows = []
    for process in _proxies(world, database, redis, "idle", options, count + SPARE_CONNECTIONS):
        sample = _rest(process, database, count)
        process.kill9()
        outcome.samples[process.name] = sample
        if process.name == "idle-stockgate":
            outcome.add("idle_kib", sample["kib"], at_most=IDLE_KIB_AT_MOST)
        rows.append([process.name.removeprefix("idle-"), sample["connections"],
                     f"{sample['before_kib'] / 1024:.1f}", f"{sample['after_kib'] / 1024:.1f}",
                     f"{sample['kib']:.1f}"])
        if sample["connections"] < count:
            outcome.notes.append(f"{process.name}: {sample['connections']} connections were opened "
                                 f"within {IDLE_OPEN_SECONDS_MAX} s, not {count}")
    database.kill9()
    redis.kill9()
    print("\nidle connections, each after one statement, both legs open\n" + report.table(
        ["", "connections", "RSS before, MiB", "RSS, MiB", "KiB/connection"], rows), flush=True)


def _affordable(wanted):
    """How many connections this machine can have, and what is in the way of more. Raises the limit
    on open files of this process and its children: a proxy needs two for a connection."""
    files = 2 * IDLE + SPARE_FILES
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < files:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            hard = files
        except (ValueError, OSError):
            files = hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    ports = procfs.ephemeral_ports() - SPARE_PORTS
    memory = procfs.available_kib() // KIB_PER_CONNECTION
    limits = [(wanted, None), ((files - SPARE_FILES) // 2, "the limit on open files"),
              (ports, "the range of local ports"), (memory, "free memory")]
    return min(limits, key=lambda limit: limit[0])


def _open_resting(port, count):
    """Connections that have run one statement; fewer when the time is over."""
    deadline = time.monotonic() + IDLE_OPEN_SECONDS_MAX
    connections = []
    while len(connections) < count and time.monotonic() < deadline:
        connection = wire.Connection(port, *peers.CREDENTIALS)
        connections.append(connection)
        connection.value("SELECT 1")
    return connections


def _server_connections(database):
    return int(database.execute("SHOW GLOBAL STATUS LIKE 'Threads_connected'")[0][1])


def _rest(process, database, count):
    for connection in _open_resting(process.port, WARM_CONNECTIONS):
        connection.close()
    others = lab.wait_until(
        lambda: _few_connections(database), SETTLE_SECONDS_MAX, "earlier connections to end")
    before = procfs.resident_kib(process.pid)
    connections = _open_resting(process.port, count)
    time.sleep(IDLE_REST_SECONDS)
    after = procfs.resident_kib(process.pid)
    behind = _server_connections(database) - others
    if behind < len(connections):
        raise figures.MeasureError(f"{process.name}: {len(connections)} connections in front, "
                                   f"{behind} behind")
    for connection in connections[::100]:
        bulk.check_in_step(connection, process.name)
    for connection in connections:
        connection.close()
    return {"connections": len(connections), "before_kib": before, "after_kib": after,
            "kib": (after - before) / len(connections)}


def _few_connections(database):
    """Their number once only the proxy's own and ours are left."""
    found = _server_connections(database)
    return found if found < WARM_CONNECTIONS else None
