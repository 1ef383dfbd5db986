"""The load generator: sysbench, and what it prints."""

import re
import subprocess
import threading
import time

import lab
import peers
import procfs
from figures import MeasureError

TABLES = 4
ROWS = 20000
START_SECONDS_MAX = 60
CLOSE_SECONDS = 0.05  # a proxy closes the last connections after their client has gone
_BUCKET = re.compile(r"^\s*([0-9.]+) \|[* ]*?\s+(\d+)$", re.MULTILINE)


def _command(port, script, *options):
    return ["sysbench", "--db-driver=mysql", f"--mysql-host={lab.LOOPBACK}", f"--mysql-port={port}",
            f"--mysql-user={peers.USER}", f"--mysql-password={lab.PASSWORD}",
            f"--mysql-db={peers.SCHEMA}", *options, str(script)]


def prepare_tables(database):
    """The generator's own tables."""
    result = subprocess.run(
        [*_command(database.port, "oltp_point_select", f"--tables={TABLES}",
                   f"--table-size={ROWS}", "--threads=2"), "prepare"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=300, preexec_fn=lab.die_with_parent)
    if result.returncode != 0:
        raise MeasureError(f"sysbench prepare failed:\n{result.stdout}")


def percentile(histogram, share):
    """From [(milliseconds, count)] in ascending order."""
    wanted = share * sum(count for _, count in histogram)
    seen = 0
    for value, count in histogram:
        seen += count
        if seen >= wanted:
            return value
    return 0.0


def _number(pattern, text):
    found = re.search(pattern, text)
    if found is None:
        raise MeasureError(f"sysbench printed no {pattern}:\n{text}")
    return float(found.group(1))


def parse(text):
    """The figures of a run."""
    for line in text.splitlines():
        if "FATAL" in line or "ALERT" in line:
            raise MeasureError(f"sysbench: {line}")
    if _number(r"ignored errors:\s+(\d+)", text) or _number(r"reconnects:\s+(\d+)", text):
        raise MeasureError(f"sysbench saw errors or lost connections:\n{text}")
    histogram = [(float(value), int(count)) for value, count in _BUCKET.findall(text)]
    events = _number(r"total number of events:\s+(\d+)", text)
    if events == 0 or sum(count for _, count in histogram) != events:
        raise MeasureError(f"sysbench printed no usable histogram:\n{text}")
    return {
        "events": events,
        "per_second": _number(r"transactions:\s+\d+\s+\(([0-9.]+) per sec", text),
        "p50_ms": percentile(histogram, 0.50),
        "p99_ms": percentile(histogram, 0.99),
    }


def run(target, script, threads, seconds, seed, *options, folder=None):
    """One run through one address. The CPU time of the process behind it is counted from when all
    connections are there, and divided by the events: `cpu_us`. With TLS, sysbench takes its
    certificates from its working folder."""
    command = [*_command(target.port, script, f"--threads={threads}", f"--time={seconds}",
                         f"--rand-seed={seed}", "--rand-type=uniform", "--db-ps-mode=disable",
                         "--histogram=on", *options), "run"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, cwd=folder,
                          preexec_fn=lab.die_with_parent) as child:
        timer = threading.Timer(seconds + START_SECONDS_MAX, child.kill)
        timer.start()
        try:
            before = _read_until_started(child, target)
            rest = child.stdout.read()
        finally:
            in_time = timer.is_alive()
            timer.cancel()
            child.kill()
    if not in_time:
        raise MeasureError(f"{target.name}: sysbench did not end {START_SECONDS_MAX} s after its "
                           "time")
    if child.returncode != 0:
        raise MeasureError(f"{target.name}: sysbench failed:\n{rest}")
    time.sleep(CLOSE_SECONDS)
    figures = parse(rest)
    if target.pid is not None:
        figures["cpu_us"] = (procfs.cpu_seconds(target.pid) - before) * 1e6 / figures["events"]
    return figures


def _read_until_started(child, target):
    """Waits until all threads have connected; returns the CPU time of the process until then."""
    seen = []
    for line in child.stdout:
        seen.append(line)
        if line.startswith("Threads started"):
            return procfs.cpu_seconds(target.pid) if target.pid is not None else 0.0
    fatal = [line for line in seen if "FATAL" in line] or seen
    raise MeasureError(f"{target.name}: sysbench did not start:\n{''.join(fatal[:4])}")
