"""What the kernel says of a process: CPU time and memory."""

import os
import pathlib

PROC = pathlib.Path("/proc")


def cpu_seconds(pid):
    """CPU time of all threads of a process, user and kernel, in seconds.

    The scheduler counts in nanoseconds, but forgets threads that have ended; the ticks of `stat`
    remember them. The servers measured here keep their threads.
    """
    total = 0
    try:
        for task in (PROC / str(pid) / "task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    except FileNotFoundError:
        return _cpu_seconds_by_ticks(pid)
    return total / 1e9


def _cpu_seconds_by_ticks(pid):
    # The name of the command, in brackets, may itself have blanks and brackets.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _status_kib(pid, key):
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise KeyError(key)


def resident_kib(pid):
    return _status_kib(pid, "VmRSS")


def peak_resident_kib(pid):
    """The highest resident size since reset_peak()."""
    return _status_kib(pid, "VmHWM")


def reset_peak(pid):
    (PROC / str(pid) / "clear_refs").write_text("5\n")


def ephemeral_ports():
    """How many ports the kernel hands out to outgoing connections."""
    first, last = (PROC / "sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(last) - int(first) + 1


def available_kib():
    for line in (PROC / "meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    raise KeyError("MemAvailable")
