"""The driver programs: what each needs, how it is built and called."""

import dataclasses
import os
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


def _php(name):
    def make(_folder):
        php = _need(shutil.which("php8.2") or shutil.which("php"), "php8.2-cli")
        module = "mysqli" if name == "mysqli" else "pdo_mysql"
        found = subprocess.run([php, "-m"], capture_output=True, text=True)
        if module not in found.stdout:
            raise Missing("php8.2-mysql")
        return Program(f"php-{name}", [php, "-d", "memory_limit=1G", "-d",
                                        "mysqli.allow_local_infile=1", HERE / f"{name}_client.php"])
    return make


def _perl(driver, package):
    def make(_folder):
        perl = _need(shutil.which("perl"), "perl")
        if subprocess.run([perl, f"-MDBD::{driver}", "-e1"], capture_output=True).returncode != 0:
            raise Missing(package)
        return Program(f"dbd-{driver}", [perl, HERE / "perl_client.pl", driver])
    return make


def _ruby(_folder):
    ruby = _need(shutil.which("ruby"), "ruby")
    if subprocess.run([ruby, "-e", "require 'mysql2'"], capture_output=True).returncode != 0:
        raise Missing("ruby-mysql2")
    return Program("ruby-mysql2", [ruby, HERE / "ruby_client.rb"])


# How Connector/J sends prepared statements and batches.
JDBC = {
    "text": "useServerPrepStmts=false&useBatchMultiSend=false",
    "prepared": "useServerPrepStmts=true&useBatchMultiSend=false",
    "rewritten": "rewriteBatchedStatements=true",
    "bulk": "useServerPrepStmts=true&useBulkStmts=true",
    "pipelined": "useServerPrepStmts=true&useBatchMultiSend=true&useBulkStmts=false"
                 "&usePipelineAuth=true",
}


def _jdbc(name):
    def make(folder):
        jar = _need("/usr/share/java/mariadb-java-client.jar", "libmariadb-java")
        java = _need(shutil.which("java"), "default-jre-headless")
        compiler = _need(shutil.which("javac"), "default-jdk-headless")
        classes = folder / "classes"
        if not classes.exists():
            subprocess.run([compiler, "-encoding", "UTF-8", "-cp", jar, "-d", classes,
                            HERE / "JdbcClient.java"], check=True)
        return Program(f"jdbc-{name}", [java, "-Xmx1g", "-cp", f"{classes}:{jar}", "JdbcClient",
                                        JDBC[name]])
    return make


def _go(_folder):
    go = _need(shutil.which("go"), "golang-go")
    sources = pathlib.Path("/usr/share/gocode")
    _need(sources / "src/github.com/go-sql-driver/mysql", "golang-github-go-sql-driver-mysql-dev")
    folder = lab.PROJECT / "build" / "conformance"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOPATH": str(sources), "GO111MODULE": "off", "GOFLAGS": "",
                   "GOCACHE": str(folder / "go-cache")}
    subprocess.run([go, "build", "-o", folder / "go_client", HERE / "go_client.go"], check=True,
                   env=environment)
    return Program("go-sql-driver", [folder / "go_client", ""], modes=("plain", "tls"))


def _odbc(_folder):
    python = _need("/usr/bin/python3", "python3")
    if subprocess.run([python, "-c", "import pyodbc"], capture_output=True).returncode != 0:
        raise Missing("python3-pyodbc")
    _need("/usr/lib/x86_64-linux-gnu/odbc/libmaodbc.so", "odbc-mariadb")
    return Program("odbc-mariadb", [python, HERE / "odbc_client.py"])


def _node(module):
    def make(_folder):
        node = _need(shutil.which("node"), "nodejs")
        _need(MODULES / module, f"{module} from npm")
        return Program(f"node-{module}", [node, HERE / f"{module}_client.js"])
    return make


MAKERS = {
    "go-sql-driver": _go,
    "odbc-mariadb": _odbc,
    "node-mysql2": _node("mysql2"),
    "node-mariadb": _node("mariadb"),
    **{f"jdbc-{name}": _jdbc(name) for name in JDBC},
    "ruby-mysql2": _ruby,
    "php-mysqli": _php("mysqli"),
    "php-pdo": _php("pdo"),
    "dbd-mysql": _perl("mysql", "libdbd-mysql-perl"),
    "dbd-MariaDB": _perl("MariaDB", "libdbd-mariadb-perl"),
    "connector-c": _connector_c,
    "mariadb-cli": _mariadb_cli,
    "mysql-cli": _mysql_cli,
    "pymysql": _python("pymysql", "pymysql", "python3-pymysql"),
    "mysqldb": _python("mysqldb", "MySQLdb", "python3-mysqldb"),
}
