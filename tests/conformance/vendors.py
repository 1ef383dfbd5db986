"""Where the vendors' own test programs are, and how they are started."""

import os
import pathlib
import random
import shutil
import socket
import subprocess

import lab

NICE = ["nice", "-n", "5"]


def all_free(first, count):
    """Whether these neighbouring ports are free on loopback."""
    for port in range(first, first + count):
        with socket.socket() as probe:
            try:
                probe.bind((lab.LOOPBACK, port))
            except OSError:
                return False
    return True


class Vendor:
    """What the two have in common. Paths are as the vendor's programs see them."""

    def build_thread(self):
        """A number of which the harness makes its ports, and the port of its first server."""
        generator = random.SystemRandom()
        for _ in range(1000):
            number = generator.randrange(5000 // self.port_step, 21000 // self.port_step)
            first = number * self.port_step + 10000
            if all_free(first, self.ports):
                return number, first
        raise lab.LabError("no free ports for the test harness")

    def client_cases(self):
        """Names of all cases of the client test, from the program itself."""
        listing = subprocess.run(
            self.command([self.client_test, "--no-defaults", "-T"]), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        _, _, names = listing.partition("possible test names:")
        return names.split()

    def outside(self, path):
        """A path of the vendor's programs as this process sees it."""
        return pathlib.Path(path)

    def proxy_sections(self):
        """Configuration that lets the proxy do what the vendor's server does: it shows the very
        certificate that the harness gives to the server."""
        data = self.outside(self.folder) / "std_data"
        return {"client": {"tls": {"mode": "optional", "certificate": str(data / "server-cert.pem"),
                                   "key": str(data / "server-key.pem")}}}


class MariaDbVendor(Vendor):
    """Debian's mariadb-test and mariadb-test-data."""

    flavour = "mariadb"
    ports = 30
    port_step = 30
    folder = "/usr/share/mysql/mysql-test"
    harness = "mariadb-test-run.pl"
    test_program = "/usr/bin/mariadb-test"
    client_test = "/usr/bin/mariadb-client-test"
    client_options = ["--plugin-dir=/usr/lib/x86_64-linux-gnu/libmariadb3/plugin"]
    client_settings = [
        "SET GLOBAL character_set_server = latin1",
        "SET GLOBAL collation_server = latin1_swedish_ci",
        "SET GLOBAL query_cache_type = ON",
        "SET GLOBAL query_cache_size = 1048576",
        "SET GLOBAL proxy_protocol_networks = '*'",
    ]
    harness_options = ["--nowarnings", "--mysqld=--bind-address=127.0.0.1"]

    def missing(self):
        """Why the suite cannot run here, or an empty text."""
        for path in (self.client_test, f"{self.folder}/{self.harness}"):
            if not pathlib.Path(path).exists():
                return f"{path} is missing: tests/support/packages.sh conformance"
        return ""

    def install(self):
        subprocess.run([lab.PROJECT / "tests/support/packages.sh", "conformance"], check=False,
                       stdin=subprocess.DEVNULL)

    def command(self, arguments, folder="/"):
        return [*NICE, "env", "-C", str(folder), *map(str, arguments)]

    def scratch(self, laboratory, name):
        """A folder for the harness's files."""
        folder = laboratory.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def server(self, laboratory):
        return laboratory.mariadb()


class MySqlVendor(Vendor):
    """mysql-testsuite in the chroot that mysql9.sh makes."""

    flavour = "mysql"
    ports = 40
    port_step = 10
    folder = "/usr/lib/mysql-test"
    harness = "mysql-test-run.pl"
    test_program = "/usr/lib/mysql-test/bin/mysqltest"
    client_test = "/usr/lib/mysql-test/bin/mysql_client_test"
    client_options = []
    client_settings = []
    harness_options = ["--nowarnings", "--mysqld=--bind-address=127.0.0.1", "--mysqld=--mysqlx=0",
                       "--client-bindir=/usr/lib/mysql-test/bin"]

    def __init__(self):
        self.root = lab.MySql9.chroot()

    def missing(self):
        if self.root is None:
            return "MySQL 9 is not installed: tests/support/mysql9.sh suite, as root"
        if not self.outside(self.client_test).exists():
            return "MySQL's test suite is not in the chroot: tests/support/mysql9.sh suite"
        return ""

    def install(self):
        if os.geteuid() == 0:
            subprocess.run([lab.PROJECT / "tests/support/mysql9.sh", "suite"], check=False,
                           stdin=subprocess.DEVNULL)
            self.root = lab.MySql9.chroot()

    def outside(self, path):
        return self.root / str(path).lstrip("/")

    def command(self, arguments, folder="/"):
        """Inside the chroot, with /proc and /dev in a mount namespace that ends with it."""
        enter = ('mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && '
                 'exec chroot "$0" env -C "$@"')
        return [*NICE, "unshare", "--mount", "--propagation", "private", "sh", "-c", enter,
                str(self.root), str(folder), *map(str, arguments)]

    def scratch(self, laboratory, name):
        self._remove_old()
        folder = self.root / "srv" / f"stockgate-{laboratory.folder.name}-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        laboratory.add_folder(folder)
        return pathlib.Path("/") / folder.relative_to(self.root)

    def _remove_old(self):
        """A run that was killed leaves its folder: servers of the harness write to the very end."""
        for folder in (self.root / "srv").glob("stockgate-conformance-mysql-*"):
            owner = folder.name.split("-")[3]
            if owner.isdigit() and not pathlib.Path("/proc", owner).exists():
                shutil.rmtree(folder, ignore_errors=True)

    def server(self, laboratory):
        return laboratory.mysql9()
