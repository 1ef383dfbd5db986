"""The servers of a benchmark: MariaDB, the proxies to compare, and Stockgate in front of it.

All are given the same number of threads, and each is what its users run: HAProxy in TCP mode is
blind to SQL; MySQL Router passes the protocol through and shares no connections; Stockgate has a
managed table, adopted and on sale, so that it reads every statement.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

import certificates
import lab
import shop

THREADS = 2
USER = "bench"
SCHEMA = "sbtest"
CREDENTIALS = (USER, lab.PASSWORD, SCHEMA)
CONNECTIONS_MAX = 4000
MANAGED_SKU = 1001
ROUTER_INSTALL_SECONDS_MAX = 900


def script(name):
    return pathlib.Path(__file__).resolve().parent / "lua" / f"{name}.lua"


class World:
    """Everything that is running."""

    def __init__(self, laboratory, database, redis):
        self.laboratory = laboratory
        self.database = database
        self.redis = redis
        self.targets = [Target("direct", database.port)]

    def add(self, process):
        self.targets.append(Target(process.name, process.port, process))


class Target:
    """An address to be measured, and the process whose CPU time is charged to it."""

    def __init__(self, name, port, process=None):
        self.name = name
        self.port = port
        self.process = process

    @property
    def pid(self):
        return None if self.process is None else self.process.pid


class Database(lab.MariaDb):
    """MariaDB with a certificate and further settings."""

    settings = ("back-log = 1024",)

    def _render(self):
        self.certificate = certificates.Certificate(self.folder, self.user)
        # sysbench shows the same certificate as a client.
        tls = (f"ssl-ca = {self.certificate.path}", f"ssl-cert = {self.certificate.path}",
               f"ssl-key = {self.certificate.key}")
        return super()._render() + "\n".join([*self.settings, *tls]) + "\n"


class _Listener(lab.Process):
    def __init__(self, name, folder, port):
        super().__init__(name, folder)
        self.port = port

    def wait_for_port(self):
        lab.wait_until(self._is_listening, lab.START_SECONDS_MAX, f"{self.name} to listen", self)
        return self

    def _is_listening(self):
        try:
            socket.create_connection((lab.LOOPBACK, self.port), timeout=5).close()
            return True
        except OSError:
            return False


class Route:
    """One address of HAProxy and what is behind it; `bind` and `server` are further words."""

    def __init__(self, backend_port, bind="", server=""):
        self.port = lab.free_port()
        self._lines = [
            f"listen port{self.port}",
            f"    bind {lab.LOOPBACK}:{self.port} {bind}".rstrip(),
            f"    server backend {lab.LOOPBACK}:{backend_port} {server}".rstrip()]

    def lines(self):
        return self._lines


class HaProxy(_Listener):
    def __init__(self, laboratory, routes, name="haproxy", connections_max=CONNECTIONS_MAX):
        super().__init__(name, laboratory.folder, routes[-1].port)
        self._settings = laboratory.folder / f"{name}.cfg"
        lines = [
            "global",
            f"    maxconn {connections_max}",
            f"    nbthread {THREADS}",
            "defaults",
            "    mode tcp",
            "    timeout connect 10s",
            "    timeout client 1h",
            "    timeout server 1h",
        ]
        for route in routes:
            lines += route.lines()
        self._settings.write_text("\n".join(lines) + "\n")

    def start(self):
        binary = shutil.which("haproxy") or "/usr/sbin/haproxy"
        self.launch([binary, "-db", "-f", self._settings])
        return self.wait_for_port()


class Router(_Listener):
    """MySQL Router from the chroot that mysql9.sh makes; its files lie inside that chroot."""

    def __init__(self, laboratory, root, backend_port):
        super().__init__("router", laboratory.folder, lab.free_port())
        self._root = root
        folder = pathlib.Path(tempfile.mkdtemp(prefix="stockgate-", dir=root / "srv"))
        laboratory.add_folder(folder)
        self._identity = _identity(root, "mysql")
        os.chown(folder, *self._identity)
        self._inside = pathlib.Path("/srv") / folder.name
        (folder / "router.conf").write_text("\n".join([
            "[DEFAULT]",
            f"logging_folder = {self._inside}",
            f"runtime_folder = {self._inside}",
            f"data_folder = {self._inside}",
            f"max_total_connections = {CONNECTIONS_MAX}",
            "[logger]",
            "level = WARNING",
            "[io]",
            f"threads = {THREADS}",
            "[routing:database]",
            f"bind_address = {lab.LOOPBACK}",
            f"bind_port = {self.port}",
            f"destinations = {lab.LOOPBACK}:{backend_port}",
            "routing_strategy = first-available",
            "protocol = classic",
            "client_ssl_mode = PASSTHROUGH",
            "server_ssl_mode = AS_CLIENT",
            "connection_sharing = 0",
            f"max_connections = {CONNECTIONS_MAX}",
            "max_connect_errors = 4294967295",
        ]) + "\n")

    def start(self):
        def enter():
            os.chroot(self._root)
            os.chdir("/")
            os.setgroups([])
            os.setgid(self._identity[1])
            os.setuid(self._identity[0])

        self.launch(["/usr/bin/mysqlrouter", "-c", f"{self._inside}/router.conf"],
                    before_exec=enter)
        return self.wait_for_port()


def _identity(root, user):
    for line in (root / "etc/passwd").read_text().splitlines():
        fields = line.split(":")
        if fields[0] == user:
            return int(fields[2]), int(fields[3])
    raise lab.LabError(f"{root} has no user {user}")


def router_root():
    """(the chroot with Router in it, None), or (None, why there is none)."""
    script = lab.PROJECT / "tests" / "support" / "mysql_router.sh"
    try:
        result = subprocess.run(
            [str(script), "install"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=ROUTER_INSTALL_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None, f"not installed within {ROUTER_INSTALL_SECONDS_MAX} s"
    root = lab.MySql9.chroot()
    if result.returncode != 0 or root is None:
        lines = result.stdout.strip().splitlines() or ["the chroot cannot be used"]
        return None, lines[-1]
    return root, None


def start_database(laboratory, kind=Database, name="mariadb"):
    """MariaDB with the load generator's account, and the shop that makes Stockgate read SQL."""
    database = laboratory.start(kind(laboratory, name))
    shop.create_accounts(database)
    shop.create_tables(database, {MANAGED_SKU: 1000})
    database.execute(
        f"CREATE DATABASE {SCHEMA}",
        f"CREATE USER {USER}@'%' IDENTIFIED VIA mysql_native_password "
        f"USING PASSWORD('{lab.PASSWORD}')",
        f"GRANT ALL ON {SCHEMA}.* TO {USER}@'%'")
    return database


def start_stockgate(laboratory, database, redis, name="stockgate", build=None,
                    connections_max=CONNECTIONS_MAX, **sections):
    """Stockgate with one adopted SKU; `build` is another build's folder."""
    proxy = laboratory.proxy(
        database, redis, shop.managed_tables([MANAGED_SKU]), name=name,
        limits={"connections_max": connections_max}, **sections)
    if build is not None:
        proxy.binary = pathlib.Path(build) / "proxy" / "stockgate"
    proxy.config.write_text(
        f"instance: {name}\nthreads: {THREADS}\n" + proxy.config.read_text())
    shop.adopt(proxy)
    return proxy.start()
