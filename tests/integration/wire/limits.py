"""Part `limits`: how many clients, how long they may take, and how much they may cost."""

import contextlib
import pathlib
import socket
import time

import client
import wire
import world

SILENT = 300
# What one client that does not read may keep in the proxy, with room for the allocator.
FLAT_KIB = 6 * 1024
TICK_SECONDS = 0.5


def run(everything):
    try_connections(everything)
    try_handshake(everything)
    try_idle(everything)
    try_write(everything)
    try_silent(everything)


def memory_kib(proxy):
    for line in pathlib.Path(f"/proc/{proxy.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def try_connections(everything):
    with everything.proxy(limits={"connections_max": 3}) as proxy:
        world.wait_for_sessions(proxy, 0)
        with contextlib.ExitStack() as open_links:
            links = [open_links.enter_context(everything.log_in(proxy.port)) for _ in range(3)]
            for _ in range(5):
                everything.refused("one too many", (1040, "too many connections"),
                                   lambda: everything.log_in(proxy.port))
            everything.equal("the others", [link.value("SELECT 1") for link in links], ["1"] * 3)
            links[0].command(wire.COM_QUIT)
            links[0].close()
            world.wait_for_sessions(proxy, 2)
            everything.refused("room again", "ok", lambda: everything.log_in(proxy.port))


def closed_after(link, seconds):
    """Seconds until the other side ends the connection; None when it does not."""
    begun = time.monotonic()
    link.socket.settimeout(seconds)
    try:
        while link.socket.recv(1 << 16):
            pass
    except socket.timeout:
        return None
    except client.LOST:
        pass
    return time.monotonic() - begun


def between(everything, name, seconds, least, most):
    everything.check(name, seconds is not None and least <= seconds <= most,
                     f"{seconds} s, expected {least} to {most}")


def try_handshake(everything):
    with everything.proxy(limits={"handshake_timeout_ms": 800},
                          client={"tls": everything.client_tls()}) as proxy:
        def silent(link):
            pass

        def half(link):
            link.read_greeting()
            link.send_bytes(b"\x50\0\0\1" + b"x" * 20)

        def half_tls(link):
            link.read_greeting()
            link.send_packet(link.head(wire.BASE_CAPABILITIES | client.CLIENT_SSL))
            link.send_bytes(b"\x16\x03\x01\x02\x00")

        for kind in (silent, half, half_tls):
            with client.Client(proxy.port) as link:
                kind(link)
                between(everything, f"handshake, {kind.__name__}", closed_after(link, 10), 0.5, 4)
        with everything.log_in(proxy.port) as link:
            time.sleep(1)
            everything.equal("longer than a handshake", link.value("SELECT 1"), "1")
            link.change_user(everything.user, world.PASSWORD, plugin=everything.plugin)
            everything.equal("a later change of user", link.value("SELECT 1"), "1")


def try_idle(everything):
    with everything.proxy(limits={"idle_timeout_ms": 600}) as proxy:
        with everything.log_in(proxy.port) as link, everything.log_in(proxy.port) as busy:
            for _ in range(4):
                everything.equal("a busy client", busy.value("SELECT SLEEP(0.3)"), "0")
            between(everything, "idle", closed_after(link, 5), 0, 2)
            everything.equal("a statement that takes longer", busy.value("SELECT SLEEP(1.5)"), "0")
            # A tick, and less than the limit: the client was not idle meanwhile.
            time.sleep(TICK_SECONDS)
            seen, text = world.outcome(lambda: busy.query("SELECT 1") and None)
            everything.check("a statement after a long one", seen == "ok", f"{seen} {text}")
        world.wait_for_log(proxy, "event=idle_timeout")


def try_write(everything):
    """A client that asks for much and reads nothing."""
    everything.database.execute("SET GLOBAL net_write_timeout = 60")
    sql = "SELECT REPEAT('x', 15000000), REPEAT('y', 15000000)"
    with everything.proxy(limits={"write_timeout_ms": 1000},
                          client={"tls": everything.client_tls()}) as proxy:
        everything.log_in(proxy.port).close()
        before = memory_kib(proxy)
        for name, options in (("plain", {}), ("TLS", {"context": client.tls()}),
                              ("compressed", {"compress": True})):
            with everything.log_in(proxy.port, **options) as link:
                link.command(wire.COM_QUERY, sql.encode())
                count = proxy.log.read_text().count("event=write_timeout")
                if name == "compressed":
                    # Packed it fits into the sockets: nothing to wait for.
                    continue
                world.wait_for_log(proxy, "event=write_timeout", count + 1, 10)
                grown = memory_kib(proxy) - before
                everything.check(f"write, {name}: memory", grown < FLAT_KIB, f"{grown} KiB more")
        world.wait_for_sessions(proxy, 0)
        with everything.log_in(proxy.port) as link:
            link.command(wire.COM_QUERY, sql.encode())
            left = 30_000_000
            while left > 0 and (part := link.socket.recv(1 << 20)):
                left -= len(part)
            everything.check("a client that reads", left <= 0, f"{left} bytes are missing")


def try_silent(everything):
    """Clients that connect and say nothing, while one works."""
    with everything.proxy(limits={"handshake_timeout_ms": 2500}) as proxy:
        with everything.log_in(proxy.port) as worker:
            begun = time.monotonic()
            before = memory_kib(proxy)
            silent = [client.open_socket(proxy.port) for _ in range(SILENT)]
            world.wait_for_sessions(proxy, SILENT + 1)
            each = (memory_kib(proxy) - before) / SILENT
            everything.check("memory of a silent client", each < 20, f"{each:.1f} KiB")
            everything.equal("the worker meanwhile", worker.value("SELECT 1"), "1")
            world.wait_for_sessions(proxy, 1)
            between(everything, "all are gone", time.monotonic() - begun, 2, 15)
            everything.equal("the worker afterwards", worker.value("SELECT 1"), "1")
            for link in silent:
                link.close()
            rows = everything.database.execute("SHOW PROCESSLIST")
            everything.check("connections at the server", len(rows) < 20, len(rows))
