"""What all parts share: one server with TLS, the accounts, and proxies of every configuration."""

import contextlib
import os
import socket

import certificates
import client
import lab
import shop

# Of 32 bytes, so that it can be the seed of an ed25519 key.
PASSWORD = "wire-password-of-32-bytes-length"
NATIVE_USER, SHA2_USER, ED25519_USER = "u_native", "u_sha2", "u_ed25519"
SSL_USER, X509_USER = "u_ssl", "u_x509"
SERVER_NAMES = ([lab.LOOPBACK, "::1"], ["db.test", "localhost"])


def has_ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def addresses():
    return f"{lab.LOOPBACK},::1" if has_ipv6() else lab.LOOPBACK


def laid_over(settings, lines):
    """Settings with some of them replaced. Not just appended: of skip-name-resolve, MySQL takes
    the first."""
    replaced = {line.partition("=")[0].strip() for line in lines}
    kept = [line for line in settings.splitlines()
            if line.partition("=")[0].strip() not in replaced]
    return "\n".join([*kept, *lines]) + "\n"


class TlsMariaDb(lab.MariaDb):
    """MariaDB with a certificate, for networks that speak for others, and with further settings
    that a restart brings in."""

    def __init__(self, laboratory, authority, issued):
        self._tls = [f"ssl-ca = {authority.path}", f"ssl-cert = {issued.path}",
                     f"ssl-key = {issued.key}", "proxy-protocol-networks = 127.0.0.1,::1"]
        super().__init__(laboratory)

    def _render(self):
        return laid_over(super()._render(), [f"bind-address = {addresses()}", *self._tls])

    def restart_with(self, *lines):
        self._settings.write_text(laid_over(self._render(), lines))
        self.restart()


class TlsMySql9(lab.MySql9):
    """It makes its certificates by itself."""

    def _render(self):
        return laid_over(super()._render(), [f"bind-address = {addresses()}"])

    def restart_with(self, *lines):
        (self.folder / "server.cnf").write_text(laid_over(self._render(), lines))
        self.restart()


class World:
    """The server, its certificates, and what failed so far."""

    def __init__(self, laboratory, is_mysql):
        self.laboratory = laboratory
        self.is_mysql = is_mysql
        # The server's user must reach the files of its certificate.
        folder = laboratory.folder / "certificates"
        self.authority = certificates.Authority(folder, "authority")
        self.stranger = certificates.Authority(folder, "stranger")
        self.proxy_certificate = self.authority.issue("proxy", [lab.LOOPBACK], ["proxy.test"])
        self.client_certificate = self.authority.issue("client")
        self.foreign_certificate = self.stranger.issue("foreign")
        self.database = self._start_mysql() if is_mysql else self._start_mariadb()
        self._make_accounts()
        self.failures = []
        self.checks = 0
        self.with_open = False
        self.left_out = set()
        self._number = 0

    def _start_mysql(self):
        server = TlsMySql9.__new__(TlsMySql9)
        self.laboratory.add(server)
        server.__init__(self.laboratory)
        return server.start()

    def _start_mariadb(self):
        owner = "mysql" if os.geteuid() == 0 else None
        folder = lab._server_folder(self.laboratory.folder / "server-certificate", owner)
        self.laboratory.add_folder(folder)
        self.issue_for_server = lambda addresses, hosts: self.authority.issue(
            "server", addresses, hosts, owner, folder)
        issued = self.issue_for_server(*SERVER_NAMES)
        public = folder / "authority.pem"
        public.write_bytes(self.authority.path.read_bytes())
        authority = certificates.Issued(folder, "authority")
        return self.laboratory.start(TlsMariaDb(self.laboratory, authority, issued))

    def _make_accounts(self):
        shop.create_accounts(self.database)
        shop.create_tables(self.database, {1001: 100000, 1002: 100000})
        if self.is_mysql:
            plugins = {SHA2_USER: "", SSL_USER: "REQUIRE SSL"}
            identified = f"IDENTIFIED WITH caching_sha2_password BY '{PASSWORD}'"
        else:
            plugins = {NATIVE_USER: "", ED25519_USER: "", SSL_USER: "REQUIRE SSL",
                       X509_USER: "REQUIRE X509"}
            identified = f"IDENTIFIED VIA mysql_native_password USING PASSWORD('{PASSWORD}')"
        for user, requires in plugins.items():
            way = identified
            if user == ED25519_USER:
                way = f"IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')"
            self.database.execute(f"CREATE USER {user}@'%' {way} {requires}",
                                  f"GRANT ALL ON {shop.SCHEMA}.* TO {user}@'%'")
        self.database.execute("CREATE TABLE t_blob (id INT PRIMARY KEY, body LONGBLOB)",
                              "CREATE TABLE t_line (number INT, word VARCHAR(100))",
                              database=shop.SCHEMA)

    @property
    def user(self):
        """An account without conditions."""
        return SHA2_USER if self.is_mysql else NATIVE_USER

    @property
    def plugin(self):
        return client.SHA2 if self.is_mysql else client.NATIVE

    def log_in(self, target, user=None, password=PASSWORD, header=b"", seconds=30, source=None,
               **options):
        """A logged-in client; closed again when the login fails."""
        link = client.Client(target, seconds, header, source)
        try:
            options.setdefault("plugin", self.plugin)
            return link.log_in(user or self.user, password, shop.SCHEMA, **options)
        except BaseException:
            link.close()
            raise

    def client_tls(self, mode="optional", **more):
        """The `client.tls` section."""
        return {"mode": mode, "certificate": str(self.proxy_certificate.path),
                "key": str(self.proxy_certificate.key), **more}

    @contextlib.contextmanager
    def proxy(self, tables=(), backend_port=None, listen=None, **sections):
        """A running proxy that ends in order when it is left, and wrote nothing it should not."""
        self._number += 1
        sections["backend"] = {
            "address": f"{lab.LOOPBACK}:{backend_port or self.database.port}",
            **sections.get("backend", {})}
        if not tables:
            sections["ledger"] = {"user": "", "password": ""}
        proxy = lab.Proxy(self.laboratory, self.database, None, list(tables),
                          name=f"proxy-{self._number}", **sections)
        if listen is not None:
            text = proxy.config.read_text()
            old = f'listen: "{lab.LOOPBACK}:{proxy.port}"\n'
            proxy.config.write_text(text.replace(old, "listen:\n" + lab.to_yaml(
                [f"{lab.LOOPBACK}:{proxy.port}", *listen], 2)))
        self.laboratory.add(proxy)
        if tables:
            shop.adopt(proxy)
        proxy.start()
        yield proxy
        if proxy.is_alive():
            proxy.stop()
        elif proxy.returncode != 0:
            raise lab.LabError(f"the proxy ended with {proxy.returncode}:\n{proxy.tail(60)}")
        self.failures += proxy.sanitizer_findings()

    def check(self, name, is_right, seen=""):
        self.checks += 1
        if not is_right:
            self.failures.append(f"{name}: {seen}")
            print(f"  FAIL  {name}: {seen}", flush=True)

    def is_open(self, what):
        """Whether to check what is known to fail; it is listed either way."""
        self.left_out.add(what)
        return self.with_open

    def equal(self, name, seen, expected):
        self.check(name, seen == expected, f"{seen!r}, expected {expected!r}")

    def refused(self, name, expected, attempt):
        """The attempt fails with this number, 'lost' or 'not offered', and with a part of the
        message where expected is a pair."""
        code, part = expected if isinstance(expected, tuple) else (expected, "")
        seen, text = outcome(attempt)
        self.check(name, seen == code and part in text, f"{seen} {text!r}, expected {expected!r}")


def outcome(attempt):
    """How it ended: 'ok', 'lost', 'not offered' or the number of an error; and its message."""
    try:
        link = attempt()
    except client.ServerError as error:
        return error.code, error.text
    except client.NotOffered as error:
        return "not offered", str(error)
    except client.LOST as error:
        return "lost", str(error)
    if link is not None:
        link.close()
    return "ok", ""


def wait_for_log(proxy, text, count=1, seconds=20):
    lab.wait_until(lambda: proxy.log.read_text(errors="replace").count(text) >= count, seconds,
                   f"{text} in the log", proxy)


def wait_for_sessions(proxy, count):
    lab.wait_until(lambda: proxy.metrics()["stockgate_sessions_open"] == count, 20,
                   f"{count} sessions", proxy)
