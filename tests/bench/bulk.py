"""Parts `rows` and `bulk`: results of 1,000 rows, and one result of 100 MB."""

import time
import zlib

import figures
import load
import peers
import procfs
import report
import wire

ROWS_THREADS = 4
BULK_ROWS = 100_000
ROW_BYTES = 1000
BUFFER_BYTES = 1 << 20
BULK_ROUNDS_FACTOR = 3  # they are short
VERSUS_HAPROXY = 1.0


def result_statement(rows):
    """A result of `rows` rows of 1,000 bytes, made by the server without reading a table."""
    return f"SELECT REPEAT(CHAR(65 + seq % 26), {ROW_BYTES}) FROM seq_1_to_{rows}"


def result_size(connection, rows):
    """Bytes of such a result on the wire: of the same with one row, and of the other rows."""
    row = 4 + 3 + ROW_BYTES  # header, length, value
    return connection.size(result_statement(1)) + (rows - 1) * row


def measure_rows(world, options, outcome):
    samples = figures.interleave(
        world.targets, options.rounds, options.seed,
        lambda target, number: load.run(
            target, peers.script("rows"), ROWS_THREADS, options.seconds, options.seed + number,
            f"--table_size={load.ROWS}"))
    outcome.samples["rows"] = samples
    rows = []
    for name, of_target in samples.items():
        rows.append([
            name, f"{figures.median(of_target, 'per_second'):.0f}",
            figures.spread(of_target, "per_second"),
            f"{figures.median(of_target, 'p99_ms'):.2f}",
            figures.text_of_median(of_target, "cpu_us", "{:.0f}")])
    print(f"\nresults of 1,000 rows, {ROWS_THREADS} connections\n" + report.table(
        ["", "results/s", "of the rounds", "p99 ms", "CPU us/result"], rows), flush=True)
    _add_ratios("rows1000", samples, "per_second", outcome)


def measure_bulk(world, options, outcome):
    buffer = bytearray(BUFFER_BYTES)
    size, digest = None, None
    for target in world.targets:
        found = _read_and_digest(target, buffer)
        if digest is not None and found != (size, digest):
            raise figures.MeasureError(f"{target.name}: another 100 MB result than the direct one")
        size, digest = found
    samples = figures.interleave(
        world.targets, options.rounds * BULK_ROUNDS_FACTOR, options.seed,
        lambda target, _: _read(target, size, buffer))
    outcome.samples["bulk"] = samples
    rows = []
    for name, of_target in samples.items():
        rows.append([
            name, f"{figures.median(of_target, 'mb_per_second'):.0f}",
            figures.spread(of_target, "mb_per_second"),
            figures.text_of_median(of_target, "cpu_us_per_mb", "{:.0f}")])
    print(f"\none result of {size / 1e6:.0f} MB in rows of {ROW_BYTES} bytes\n" + report.table(
        ["", "MB/s", "of the rounds", "CPU us/MB"], rows), flush=True)
    _add_ratios("bulk", samples, "mb_per_second", outcome)


def _add_ratios(name, samples, key, outcome):
    for peer, limit in (("haproxy", VERSUS_HAPROXY), ("router", None)):
        if peer in samples:
            outcome.add(f"{peer}.{name}", figures.ratio(samples["stockgate"], samples[peer], key),
                        at_least=limit)


def check_in_step(connection, name):
    """Behind a large result the next one must be where it belongs."""
    if connection.value("SELECT 17") != "17":
        raise figures.MeasureError(f"{name}: out of step behind a large result")


def _read_and_digest(target, buffer):
    """(bytes, checksum) of the result, every byte of it, headers too."""
    connection = wire.Connection(target.port, *peers.CREDENTIALS)
    size = result_size(connection, BULK_ROWS)
    connection.send(result_statement(BULK_ROWS))
    left, digest = size, 0
    while left:
        count = min(left, len(buffer))
        connection.receive(count, buffer)
        digest = zlib.crc32(memoryview(buffer)[:count], digest)
        left -= count
    check_in_step(connection, target.name)
    connection.close()
    return size, digest


def _read(target, size, buffer):
    connection = wire.Connection(target.port, *peers.CREDENTIALS)
    before = procfs.cpu_seconds(target.pid) if target.pid is not None else None
    started = time.perf_counter()
    connection.send(result_statement(BULK_ROWS))
    connection.receive(size, buffer)
    seconds = time.perf_counter() - started
    sample = {"mb_per_second": size / 1e6 / seconds}
    if before is not None:
        sample["cpu_us_per_mb"] = (procfs.cpu_seconds(target.pid) - before) * 1e12 / size
    check_in_step(connection, target.name)
    connection.close()
    return sample
