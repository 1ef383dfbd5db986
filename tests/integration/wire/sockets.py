"""Part `sockets`: unix sockets and IPv6 on either side."""

import os
import stat
import subprocess

import client
import lab
import shop
import tls_sessions
import world


def run(everything):
    path = everything.laboratory.folder / "s"
    server = str(everything.database.folder / "socket")
    try_listener(everything, path)
    try_stale(everything, path)
    try_backend(everything, path, server)
    try_ipv6(everything)


def try_listener(everything, path):
    with everything.proxy(listen=[f"unix:{path}"], client={"tls": everything.client_tls()}) as proxy:
        everything.equal("mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o777")
        with everything.log_in(str(path)) as link:
            everything.equal("through the socket", link.value("SELECT 1"), "1")
        with everything.log_in(str(path), context=client.tls()) as link:
            everything.equal("TLS in the socket", link.value("SELECT 2"), "2")
        with everything.log_in(proxy.port) as link:
            everything.equal("and the port", link.value("SELECT 3"), "3")
        try_program(everything, path)
    everything.check("removed at the end", not path.exists(), "is still there")


def try_program(everything, path):
    result = subprocess.run(
        ["mariadb", "--no-defaults", f"--socket={path}", f"--user={everything.user}",
         f"--password={world.PASSWORD}", "--batch", "--skip-column-names", "-e", "SELECT 'in'"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=60)
    everything.equal("mariadb through the socket", result.stdout.strip(), "in")


def try_stale(everything, path):
    """What a dead proxy left is replaced; what is in use, or no socket, is not."""
    with everything.proxy(listen=[f"unix:{path}"]) as proxy:
        proxy.kill9()
        proxy.start()
        with everything.log_in(str(path)) as link:
            everything.equal("after kill -9", link.value("SELECT 1"), "1")
        everything.check("a second proxy", "another process listens there" in start_fails(
            everything, path), "started")
        with everything.log_in(str(path)) as link:
            everything.equal("the first goes on", link.value("SELECT 1"), "1")
    path.write_text("precious")
    everything.check("a file in the way", "is no socket" in start_fails(everything, path), "started")
    everything.equal("the file", path.read_text(), "precious")
    path.unlink()


def start_fails(everything, path):
    """The log of a proxy that cannot start."""
    proxy = None
    try:
        with everything.proxy(listen=[f"unix:{path}"]) as proxy:
            return ""
    except lab.LabError as error:
        return str(error)


def try_backend(everything, path, server):
    """The server's socket is as good as TLS: a password may be sent on it."""
    tables = shop.managed_tables([1001, 1002])
    # Of the server's host, which is what it sees through its socket.
    for mode in ("as_client", "preferred"):
        with everything.proxy(tables, listen=[f"unix:{path}"], client={"tls": everything.client_tls()},
                              backend={"address": f"unix:{server}", "tls": {"mode": mode}}) as proxy:
            for name, target, context in (("port", proxy.port, None), ("socket", str(path), None),
                                          ("TLS", proxy.port, client.tls())):
                with everything.log_in(target, context=context) as link:
                    everything.equal(f"backend socket, {mode}, {name}: cipher", bool(link.value(
                        "SHOW STATUS LIKE 'Ssl_cipher'")), False)
                    everything.equal(f"backend socket, {mode}, {name}: host",
                                     link.value("SELECT USER()"), f"{everything.user}@localhost")
                    everything.equal(f"backend socket, {mode}, {name}: hot",
                                     tls_sessions.sell(link), tls_sessions.SOLD)
            if everything.is_mysql:
                try_cold(everything, proxy, path, mode)
            is_audited, audit = proxy.verify()
            everything.check(f"backend socket, {mode}: verify", is_audited, audit)


def try_cold(everything, proxy, path, mode):
    for name, target, context, intended in (
            ("port", proxy.port, None, (1045, "connect with TLS")),
            ("socket", str(path), None, "ok"), ("TLS", proxy.port, client.tls(), "ok")):
        everything.database.execute("FLUSH PRIVILEGES")
        title = f"backend socket, {mode}, {name}, cold"

        def attempt():
            return everything.log_in(target, context=context)

        if intended != "ok" and not everything.is_open("why a password is not passed"):
            seen, text = world.outcome(attempt)
            everything.check(title, seen in ("lost", intended[0]), f"{seen} {text!r}")
        else:
            everything.refused(title, intended, attempt)


def try_ipv6(everything):
    if not world.has_ipv6():
        print("sockets: no IPv6 here, skipped")
        return
    port = lab.free_port()
    with everything.proxy(listen=[f"[::1]:{port}"], backend={
            "address": f"[::1]:{everything.database.port}"}) as proxy:
        for name, target in (("IPv4", proxy.port), ("IPv6", ("::1", port))):
            with everything.log_in(target) as link:
                host = link.value("SELECT HOST FROM information_schema.PROCESSLIST "
                                  "WHERE ID = CONNECTION_ID()")
                everything.check(f"{name} to an IPv6 backend", host.startswith((
                    "::1", "localhost", "ip6-localhost")), host)
