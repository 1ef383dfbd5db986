"""Private servers for the demo and the tests: MariaDB, MySQL 9, Redis and the proxy.

Everything a Lab starts listens on a free loopback port, keeps its files in the Lab's own folder and
is a child process of this one, in a session of its own. It is ended by its process id when the Lab
is left, also after an exception, Ctrl-C or SIGTERM; should this process be killed outright, the
kernel ends the children (PR_SET_PDEATHSIG). Readiness is probed, never slept for.

Start servers from the main thread only: the kernel ties PR_SET_PDEATHSIG to the starting thread.
"""

import atexit
import contextlib
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import pymysql

PROJECT = pathlib.Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"
PASSWORD = "stockgate-lab"
START_SECONDS_MAX = 90
STOP_SECONDS_MAX = 30

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class LabError(RuntimeError):
    """A server did not start, did not stop, or ended by itself."""


def build_folder():
    """The build to test: $STOCKGATE_BUILD or the release preset's folder."""
    return pathlib.Path(os.environ.get("STOCKGATE_BUILD", PROJECT / "build" / "release")).resolve()


def proxy_binary():
    return build_folder() / "proxy" / "stockgate"


def free_port():
    """A free loopback port below the range that the kernel hands out to outgoing connections."""
    generator = random.SystemRandom()
    for _ in range(1000):
        port = generator.randrange(15000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
                return port
            except OSError:
                continue
    raise LabError("no free loopback port found")


def wait_until(probe, seconds, what, process=None):
    """Polls probe() until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        if process is not None and not process.is_alive():
            raise LabError(f"{process.name} ended with code {process.returncode}:\n{process.tail()}")
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            tail = f"\n{process.tail()}" if process is not None else ""
            raise LabError(f"waited {seconds} s for {what}{tail}")
        time.sleep(0.02)


def die_with_parent():
    """For preexec_fn of children that no Lab owns."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One child process with a log file."""

    def __init__(self, name, folder):
        self.name = name
        self.log = pathlib.Path(folder) / f"{name}.log"
        self._child = None

    def launch(self, command, user=None, environment=None, before_exec=None, cwd=None):
        def prepare():
            if before_exec is not None:
                before_exec()
            die_with_parent()

        with open(self.log, "ab") as log:
            self._child = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=[] if user else None,
                env=environment,
                cwd=cwd,
                preexec_fn=prepare,
            )

    @property
    def pid(self):
        return self._child.pid

    @property
    def returncode(self):
        return None if self._child is None else self._child.returncode

    def is_alive(self):
        return self._child is not None and self._child.poll() is None

    def signal(self, number):
        if self.is_alive():
            self._child.send_signal(number)

    def kill9(self):
        """kill -9, and wait for the end."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()

    def terminate(self, seconds=STOP_SECONDS_MAX):
        """SIGTERM, and wait. Returns the exit code; a process that does not end is an error."""
        if self._child is None:
            return None
        self._child.terminate()
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill9()
            raise LabError(f"{self.name} did not end {seconds} s after SIGTERM:\n{self.tail()}")

    def wait(self, seconds):
        return self._child.wait(seconds)

    def tail(self, lines=30):
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return ""


class _Server(Process):
    """A process that listens on one port and can be started again on the same one."""

    def __init__(self, name, folder):
        super().__init__(name, folder)
        self.port = free_port()

    def start(self):
        raise NotImplementedError

    def restart(self):
        self.kill9()
        self.start()


class _Database(_Server):
    """What MariaDB and MySQL have in common."""

    root_password = ""
    max_connections = 2000

    def connect(self, user="root", password=None, **options):
        """An autocommit PyMySQL connection straight to this server."""
        options.setdefault("autocommit", True)
        options.setdefault("charset", "utf8mb4")
        if password is None:
            password = self.root_password if user == "root" else PASSWORD
        return pymysql.connect(
            host=LOOPBACK, port=self.port, user=user, password=password, **options)

    def execute(self, *statements, **options):
        """Runs statements as root and returns the rows of the last one."""
        rows = []
        with contextlib.closing(self.connect(**options)) as connection:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                    rows = cursor.fetchall()
        return rows

    def is_ready(self):
        try:
            self.connect(connect_timeout=5).close()
            return True
        except pymysql.err.OperationalError:
            return False


def _server_folder(folder, user):
    """The folder for a server that runs as another user: itself, or, where that user cannot reach
    it (a clone in somebody's home), a folder in the temporary directory with a link to it."""
    path = pathlib.Path(folder)
    above = [path.parent, *path.parent.parents]
    if user is not None and any(not part.stat().st_mode & 0o001 for part in above):
        target = tempfile.mkdtemp(prefix="stockgate-")
        path.symlink_to(target)
        path = pathlib.Path(target)
    path.mkdir(parents=True, exist_ok=True)
    if user is not None:
        shutil.chown(path, user, user)
    return path


class MariaDb(_Database):
    """MariaDB with a durable binary log, as a shop would run it."""

    def __init__(self, lab, name="mariadb"):
        super().__init__(name, lab.folder)
        self.user = "mysql" if os.geteuid() == 0 else None
        self.folder = _server_folder(lab.folder / name, self.user)
        lab.add_folder(self.folder)
        self._settings = self.folder / "server.cnf"
        self._settings.write_text(self._render())
        self._install()

    def _render(self):
        lines = [
            "[mysqld]",
            f"datadir = {self.folder}/data",
            f"socket = {self.folder}/socket",
            f"pid-file = {self.folder}/pid",
            f"tmpdir = {self.folder}",
            f"bind-address = {LOOPBACK}",
            f"port = {self.port}",
            "server-id = 1",
            "log-bin = binlog",
            "sync-binlog = 1",
            "innodb-flush-log-at-trx-commit = 1",
            "innodb-buffer-pool-size = 256M",
            "innodb-log-file-size = 256M",
            "max-allowed-packet = 64M",
            f"max-connections = {self.max_connections}",
            "max-connect-errors = 4294967295",
            "character-set-server = utf8mb4",
            "local-infile = 1",
            "skip-name-resolve",
        ]
        if pathlib.Path("/usr/lib/mysql/plugin/auth_ed25519.so").exists():
            lines.append("plugin-load-add = auth_ed25519")
        return "\n".join(lines) + "\n"

    def _install(self):
        install = Process(f"{self.name}-install", self.log.parent)
        install.launch(
            ["mariadb-install-db", f"--defaults-file={self._settings}",
             f"--datadir={self.folder}/data", "--auth-root-authentication-method=normal",
             "--skip-test-db", "--skip-name-resolve"],
            user=self.user, cwd=self.folder)
        if install.wait(START_SECONDS_MAX) != 0:
            raise LabError(f"mariadb-install-db failed:\n{install.tail()}")

    def start(self):
        binary = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
        self.launch([binary, f"--defaults-file={self._settings}"], user=self.user, cwd=self.folder)
        wait_until(self.is_ready, START_SECONDS_MAX, "MariaDB to accept logins", self)
        return self


class MySql9(_Database):
    """MySQL 9 from the chroot that mysql9.sh makes. Its data lies inside that chroot."""

    def __init__(self, lab, name="mysql9"):
        super().__init__(name, lab.folder)
        self.root = MySql9.chroot()
        if self.root is None:
            raise LabError("MySQL 9 is not installed: tests/support/mysql9.sh install")
        identity = self._identity()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stockgate-", dir=self.root / "srv"))
        lab.add_folder(self.folder)
        os.chown(self.folder, *identity)
        self._inside = pathlib.Path("/srv") / self.folder.name
        (self.folder / "server.cnf").write_text(self._render())
        (self.folder / "accounts.sql").write_text(
            "CREATE USER root@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY '';\n"
            "GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n")
        self._run(["--initialize-insecure", f"--init-file={self._inside}/accounts.sql"])
        if self.wait(START_SECONDS_MAX) != 0:
            raise LabError(f"mysqld --initialize failed:\n{self.tail()}")

    @staticmethod
    def chroot():
        """The chroot's folder, or None where MySQL 9 cannot be run."""
        root = pathlib.Path(os.environ.get("STOCKGATE_MYSQL9_ROOT", "/var/cache/stockgate/sid"))
        usable = os.geteuid() == 0 and (root / ".stockgate-mysql9").exists()
        return root if usable else None

    def _identity(self):
        for line in (self.root / "etc/passwd").read_text().splitlines():
            fields = line.split(":")
            if fields[0] == "mysql":
                return int(fields[2]), int(fields[3])
        raise LabError("the chroot has no user mysql")

    def _render(self):
        return "\n".join([
            "[mysqld]",
            f"datadir = {self._inside}/data",
            f"socket = {self._inside}/socket",
            f"pid-file = {self._inside}/pid",
            f"bind-address = {LOOPBACK}",
            f"port = {self.port}",
            "mysqlx = 0",
            "server-id = 2",
            "log-bin = binlog",
            "sync-binlog = 1",
            "innodb-flush-log-at-trx-commit = 1",
            "innodb-buffer-pool-size = 256M",
            "innodb-redo-log-capacity = 256M",
            "max-allowed-packet = 64M",
            f"max-connections = {self.max_connections}",
            "max-connect-errors = 4294967295",
            "local-infile = 1",
            "skip-name-resolve",
        ]) + "\n"

    def _run(self, arguments):
        identity = self._identity()

        def enter():
            os.chroot(self.root)
            os.chdir("/")
            os.setgroups([])
            os.setgid(identity[1])
            os.setuid(identity[0])

        self.launch(["/usr/sbin/mysqld", f"--defaults-file={self._inside}/server.cnf", *arguments],
                    before_exec=enter)

    def start(self):
        self._run([])
        wait_until(self.is_ready, START_SECONDS_MAX, "MySQL to accept logins", self)
        return self


class Redis(_Server):
    """Redis without persistence, or with an append-only file."""

    def __init__(self, lab, name="redis", append_only=False):
        super().__init__(name, lab.folder)
        self.folder = lab.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self._append_only = append_only

    def start(self):
        self.launch([
            "redis-server", "--bind", LOOPBACK, "--port", self.port, "--dir", self.folder,
            "--save", "", "--appendonly", "yes" if self._append_only else "no",
            "--maxmemory-policy", "noeviction", "--daemonize", "no"])
        wait_until(self.is_ready, START_SECONDS_MAX, "Redis to answer PING", self)
        return self

    def is_ready(self):
        try:
            return self.command("PING") == b"PONG"
        except OSError:
            return False

    def command(self, *words):
        """One command on a connection of its own. Arrays come back as lists."""
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        request = b"*%d\r\n" % len(parts)
        for part in parts:
            request += b"$%d\r\n%s\r\n" % (len(part), part)
        with socket.create_connection((LOOPBACK, self.port), timeout=10) as link:
            link.sendall(request)
            with link.makefile("rb") as reader:
                return self._reply(reader)

    def _reply(self, reader):
        line = reader.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise LabError(f"Redis: {rest.decode()}")
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest
        if kind == b"$":
            return None if int(rest) < 0 else reader.read(int(rest) + 2)[:-2]
        return [self._reply(reader) for _ in range(int(rest))]


class Proxy(_Server):
    """`stockgate serve` with a configuration made from the lab's servers."""

    def __init__(self, lab, database, redis, tables, name="stockgate", **sections):
        super().__init__(name, lab.folder)
        self.admin_port = free_port()
        self.binary = proxy_binary()
        self.config = lab.folder / f"{name}.yaml"
        self._backend = database
        self.write_config(redis, tables, **sections)

    def write_config(self, redis, tables, **sections):
        """Writes the YAML. A section given as a dictionary is laid over the default one."""
        settings = {
            "listen": f"{LOOPBACK}:{self.port}",
            "backend": {"address": f"{LOOPBACK}:{self._backend.port}"},
            "ledger": {"user": "stockgate", "password": PASSWORD},
            "gate": {"kind": "local"},
            "admin": {"address": f"{LOOPBACK}:{self.admin_port}"},
            "log": {"level": "info"},
        }
        if redis is not None:
            settings["gate"] = {"kind": "redis", "redis": {"address": f"{LOOPBACK}:{redis.port}"}}
        for section, values in sections.items():
            merged = dict(settings.get(section, {}))
            merged.update(values)
            settings[section] = merged
        settings["tables"] = tables
        self.config.write_text(to_yaml(settings))

    def environment(self):
        environment = dict(os.environ)
        suppressions = PROJECT / "tests" / "support" / "lsan.supp"
        if suppressions.exists():
            environment.setdefault("LSAN_OPTIONS", f"suppressions={suppressions}:print_suppressions=0")
        return environment

    def start(self):
        self.launch([self.binary, "serve", "--config", self.config], environment=self.environment())
        wait_until(self.is_ready, START_SECONDS_MAX, "the proxy to listen", self)
        return self

    def is_ready(self):
        try:
            socket.create_connection((LOOPBACK, self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def stop(self):
        """SIGTERM; the proxy drains and ends with 0, anything else is an error."""
        code = self.terminate()
        if code != 0:
            raise LabError(f"the proxy ended with code {code}:\n{self.tail(60)}")

    def run(self, command, *arguments, check=True, seconds=120):
        """A stockgate command with this proxy's configuration."""
        result = subprocess.run(
            [str(self.binary), command, "--config", str(self.config),
             *[str(argument) for argument in arguments]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=seconds, env=self.environment())
        if check and result.returncode != 0:
            raise LabError(f"stockgate {command} ended with {result.returncode}:\n{result.stdout}")
        return result

    def verify(self, seconds=30):
        """Runs the auditor until it is content or the time is over, as what is on its way needs a
        moment to settle. Returns whether it was content, and its last output."""
        deadline = time.monotonic() + seconds
        while True:
            result = self.run("verify", check=False)
            if result.returncode == 0 or time.monotonic() > deadline:
                return result.returncode == 0, result.stdout
            time.sleep(0.2)

    def get(self, path):
        """Body of a GET on the admin listener."""
        with urllib.request.urlopen(
                f"http://{LOOPBACK}:{self.admin_port}{path}", timeout=10) as reply:
            return reply.read().decode()

    def metrics(self):
        """Prometheus samples by name with labels."""
        samples = {}
        for line in self.get("/metrics").splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                samples[name] = float(value)
        return samples

    def sanitizer_findings(self):
        """Lines of the log that a sanitizer or an assertion wrote."""
        marks = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:",
                 "WARNING: ThreadSanitizer", "terminate called", "Assertion")
        with contextlib.suppress(OSError):
            return [line for line in self.log.read_text(errors="replace").splitlines()
                    if any(mark in line for mark in marks)]
        return []


def to_yaml(value, indent=0):
    """Block YAML for dictionaries, lists and scalars. Strings are quoted, as JSON quotes them."""
    pad = " " * indent
    lines = []
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)) and item:
                lines.append(f"{pad}{key}:")
                lines.append(to_yaml(item, indent + 2).rstrip("\n"))
            else:
                lines.append(f"{pad}{key}: {json.dumps(item)}")
    else:
        for item in value:
            if isinstance(item, dict):
                block = to_yaml(item, indent + 2).rstrip("\n")
                lines.append(f"{pad}- {block[indent + 2:]}")
            else:
                lines.append(f"{pad}- {json.dumps(item)}")
    return "\n".join(lines) + "\n"


class Lab:
    """Owner of servers and of the folder they live in. Use as a context manager."""

    _open = []

    def __init__(self, name, folder=None, keep=False):
        if folder is None:
            folder = PROJECT / "build" / "run" / f"{name}-{os.getpid()}"
        self.folder = pathlib.Path(folder)
        self.keep = keep
        self._processes = []
        self._folders = []

    def __enter__(self):
        self._remove_folder(self.folder)
        self.folder.mkdir(parents=True)
        _install_handlers()
        Lab._open.append(self)
        return self

    def __exit__(self, kind, value, traceback):
        self.close()
        if kind is None and not self.keep:
            self._remove_folder(self.folder)
        elif kind is not None:
            print(f"logs are kept in {self.folder}", file=sys.stderr)

    def close(self):
        """Ends everything, newest first. Data is thrown away, so nothing is asked to be tidy."""
        for process in reversed(self._processes):
            process.kill9()
        self._processes.clear()
        for folder in self._folders:
            if self.folder not in folder.parents:
                shutil.rmtree(folder, ignore_errors=True)
        self._folders.clear()
        if self in Lab._open:
            Lab._open.remove(self)

    @staticmethod
    def _remove_folder(folder):
        if not folder.exists():
            return
        for entry in folder.iterdir():
            if entry.is_symlink():
                entry.unlink()
        shutil.rmtree(folder)

    def add_folder(self, folder):
        self._folders.append(folder)

    def add(self, process):
        self._processes.append(process)
        return process

    def start(self, process):
        return self.add(process).start()

    def mariadb(self, **options):
        return self.start(MariaDb(self, **options))

    def mysql9(self, **options):
        server = MySql9.__new__(MySql9)
        self.add(server)
        server.__init__(self, **options)
        return server.start()

    def redis(self, **options):
        return self.start(Redis(self, **options))

    def proxy(self, database, redis, tables, **options):
        """A proxy that is configured but not started: `init` usually comes first."""
        return self.add(Proxy(self, database, redis, tables, **options))

    def spawn(self, name, command, **options):
        process = self.add(Process(name, self.folder))
        process.launch(command, **options)
        return process


def _leave(number, _frame):
    # The exit code a shell would report for the signal.
    sys.exit(128 + number)


def _install_handlers():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)


@atexit.register
def _close_all():
    for lab in list(Lab._open):
        lab.close()
