#!/usr/bin/python3
"""Starts a private database server and runs the background services' tests against it.

What follows `--` goes to the test program, for example `-- --gtest_filter=Judge*`. Redis is started
by the tests themselves, because they also take it away.
"""

import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import lab  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    default = lab.build_folder() / "tests" / "integration" / "services" / "integration_services"
    parser.add_argument("--program", default=default)
    parser.add_argument("--server", choices=["mariadb", "mysql9"], default="mariadb")
    parser.add_argument("rest", nargs="*")
    options = parser.parse_args()
    with lab.Lab("services") as servers:
        database = servers.mariadb() if options.server == "mariadb" else servers.mysql9()
        folder = servers.folder / "redis"
        folder.mkdir()
        environment = dict(
            os.environ,
            STOCKGATE_TEST_DATABASE_PORT=str(database.port),
            STOCKGATE_TEST_REDIS_PORT=str(lab.free_port()),
            STOCKGATE_TEST_FOLDER=str(folder))
        return subprocess.run(
            [str(options.program), *options.rest], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
