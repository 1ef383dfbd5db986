"""The driver programs: what each needs, how it is built and called."""

import dataclasses
import pathlib
import shutil
import subprocess

import lab

HERE = pathlib.Path(__file__).resolve().parent / "drivers"
MODULES = lab.PROJECT / "build" / "npm" / "node_modules"


class Missing(Exception):
    """The driver is not installed; the text says what is missing."""


@dataclasses.dataclass
class Program:
    name: str
    command: list
    modes: tuple = ("plain", "tls", "compress")
    servers: tuple = ("mariadb", "mysql9")
    files_under: pathlib.Path | None = None  # the root of a program that lives in a chroot


def _need(path, package):
    if path is None or not pathlib.Path(path).exists():
        raise Missing(package)
    return str(path)


def _python(name, module, package):
    def make(_folder):
        python = _need("/usr/bin/python3", "python3")
        found = subprocess.run([python, "-c", f"import {module}"], capture_output=True)
        if found.returncode != 0:
            raise Missing(package)
        return Program(name, [python, HERE / "python_client.py", name])
    return make


def _mariadb_cli(_folder):
    program = _need(shutil.which("mariadb"), "mariadb-client")
    return Program("mariadb-cli", ["/usr/bin/python3", HERE / "cli_client.py", program, "--"])


def _mysql_cli(_folder):
    root = lab.MySql9.chroot()
    _need(root and root / "usr/bin/mysql", "tests/support/mysql9.sh")
    return Program("mysql-cli", ["/usr/bin/python3", HERE / "cli_client.py", "mysql", "chroot",
                                 root, "--"], files_under=root)


def _connector_c(folder):
    compiler = _need(shutil.which("cc"), "gcc")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libmariadb"],
                           capture_output=True, text=True)
    if flags.returncode != 0:
        raise Missing("libmariadb-dev")
    binary = folder / "c_client"
    subprocess.run([compiler, "-O1", "-o", binary, HERE / "c_client.c", *flags.stdout.split(),
                    "-lpthread"], check=True)
    return Program("connector-c", [binary])


MAKERS = {
    "connector-c": _connector_c,
    "mariadb-cli": _mariadb_cli,
    "mysql-cli": _mysql_cli,
    "pymysql": _python("pymysql", "pymysql", "python3-pymysql"),
    "mysqldb": _python("mysqldb", "MySQLdb", "python3-mysqldb"),
}
