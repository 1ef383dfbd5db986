#!/usr/bin/python3
"""Everything below the commands, end to end: TLS and its modes, certificates that change, packed
packets, unix sockets, PROXY headers, clients that go away, limits and the end of the process.
Checks that are known to fail run with --open only."""

import argparse
import importlib
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "support")]

import lab  # noqa: E402
import report  # noqa: E402
import world  # noqa: E402

# In this order: the last one restarts the server with other settings.
PARTS = {"matrix": "tls_matrix", "sessions": "tls_sessions", "reload": "tls_reload",
         "compression": "compression", "sockets": "sockets", "headers": "proxy_headers",
         "limits": "limits", "end": "shutdown", "probes": "probes"}
# Where the server plays no part, one is enough.
OF_ANY_SERVER = {"reload", "limits"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", choices=["mariadb", "mysql9"], default="mariadb")
    parser.add_argument("--parts", default="", help="comma-separated; all when left out")
    parser.add_argument("--open", action="store_true", help="also what is known to fail")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    is_mysql = arguments.server == "mysql9"
    if is_mysql and lab.MySql9.chroot() is None:
        print("MySQL 9 is not installed (tests/support/mysql9.sh install): skipped")
        return 77
    parts = [part for part in arguments.parts.split(",") if part] or [
        part for part in PARTS if not (is_mysql and part in OF_ANY_SERVER)]
    rows = []
    with lab.Lab(f"wire-{arguments.server}") as laboratory:
        everything = world.World(laboratory, is_mysql)
        everything.with_open = arguments.open
        for part in parts:
            begun, checks = time.monotonic(), everything.checks
            failed = len(everything.failures)
            importlib.import_module(PARTS[part]).run(everything)
            rows.append([part, everything.checks - checks, len(everything.failures) - failed,
                         f"{time.monotonic() - begun:.1f}"])
        failures = everything.failures
        laboratory.keep = bool(failures)
    print(report.table(["part", "checks", "failed", "seconds"], rows))
    if not arguments.open:
        for what in sorted(everything.left_out):
            print(f"  left out, known to fail: {what}")
    return report.verdict(f"wire on {arguments.server}", failures)


if __name__ == "__main__":
    sys.exit(main())
