"""Part `probes`: clients that go away before they log in. A server counts connections without a
login and blocks the host that makes too many (max_connect_errors); the proxy's host must not be.

A server does not count those of the loopback address, so that all go through a relay that speaks
from another one. That it counts is shown first, by probes without a proxy, from an address of
their own. FLUSH HOSTS is never used."""

import socket
import threading

import client
import relay
import wire
import world

MAX_ERRORS = 3
PROBES = 20
CONTROL_SOURCE, SOURCE = "127.0.0.2", "127.0.0.3"
HANDSHAKE_MS = 400


def run(everything):
    # The host cache is what counts; it needs names to be looked up.
    everything.database.restart_with(
        f"max-connect-errors = {MAX_ERRORS}", "skip-name-resolve = OFF", "connect-timeout = 5")
    with relay.Relay(everything.database.port, CONTROL_SOURCE) as direct:
        everything.refused("without a proxy the host is blocked", (1129, "blocked"),
                           lambda: probe_until_blocked(direct.port))
    with relay.Relay(everything.database.port, SOURCE) as record:
        for offers_tls in (False, True):
            sections = {"client": {"tls": everything.client_tls()}} if offers_tls else {}
            with everything.proxy(backend_port=record.port, limits={
                    "handshake_timeout_ms": HANDSHAKE_MS}, **sections) as proxy:
                for name, probe in KINDS.items():
                    others = OF_MARIADB if everything.is_mysql else OF_MYSQL
                    if offers_tls == name.startswith("TLS") and name not in others:
                        try_kind(everything, proxy, name, probe)


def probe_until_blocked(port):
    """The server counts a probe when it sees it gone, which may be a moment later."""
    for _ in range(100):
        with client.Client(port) as link:
            link.read_greeting()


def try_kind(everything, proxy, name, probe):
    workers = [threading.Thread(target=probe, args=(everything, proxy.port)) for _ in range(PROBES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    # All of them have been through the server when no session is left.
    world.wait_for_sessions(proxy, 0)
    seen, text = world.outcome(lambda: everything.log_in(proxy.port, seconds=10))
    everything.check(f"after {PROBES} of: {name}", seen == "ok", f"{seen} {text!r}")


def close_at_once(_, port):
    client.open_socket(port).close()


def reset_at_once(_, port):
    link = client.open_socket(port)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    link.close()


def read_greeting(_, port):
    with client.Client(port) as link:
        link.read_greeting()


def say_nothing(_, port):
    with client.Client(port) as link:
        link.read_greeting()
        wait_for_end(link)


def half_a_login(_, port):
    with client.Client(port) as link:
        link.read_greeting()
        link.send_bytes(b"\x50\0\0\1" + b"x" * 30)


def leave_at_auth_switch(everything, port):
    """The server asks again, with another plugin or for the whole exchange, and nobody answers."""
    with client.Client(port) as link:
        link.read_greeting()
        link.send_packet(link.head(wire.BASE_CAPABILITIES & link.offered) +
                         everything.user.encode() + b"\0\0\0" + b"no_such_plugin\0")
        link.read_packet()


def leave_at_signature(_, port):
    """A plugin that counts an answer of the wrong size like none."""
    with client.Client(port) as link:
        link.read_greeting()
        link.send_packet(link.head(wire.BASE_CAPABILITIES & link.offered) +
                         world.ED25519_USER.encode() + b"\0\0\0" + b"mysql_native_password\0")
        link.read_packet()


def leave_at_password(_, port):
    """The server asks for the password itself, as it has none in its cache."""
    ask_for_password(port, b"")


def leave_at_key(_, port):
    ask_for_password(port, b"\x02")


def ask_for_password(port, then):
    with client.Client(port) as link:
        link.read_greeting()
        link.send_packet(link.head(wire.BASE_CAPABILITIES & link.offered) +
                         world.SHA2_USER.encode() + b"\0\x20" + b"x" * 32 + b"\0" +
                         b"caching_sha2_password\0")
        link.read_packet()
        if then:
            link.send_packet(then)
            link.read_packet()


def leave_in_tls(_, port):
    with client.Client(port) as link:
        link.read_greeting()
        link.send_packet(link.head(wire.BASE_CAPABILITIES | client.CLIENT_SSL))
        link.send_bytes(b"\x16\x03\x01\x02\x00\x01")


def nonsense_in_tls(_, port):
    with client.Client(port) as link:
        link.read_greeting()
        link.send_packet(link.head(wire.BASE_CAPABILITIES | client.CLIENT_SSL))
        link.send_bytes(b"GET / HTTP/1.1\r\n\r\n")
        wait_for_end(link)


def leave_behind_tls(_, port):
    with client.Client(port) as link:
        link.read_greeting()
        link.capabilities = wire.BASE_CAPABILITIES & link.offered
        link.start_tls(client.tls())


def not_a_client(_, port):
    with client.Client(port) as link:
        link.send_bytes(b"GET / HTTP/1.1\r\n\r\n")
        wait_for_end(link)


def wait_for_end(link):
    try:
        while link.socket.recv(1 << 12):
            pass
    except client.LOST:
        pass


OF_MARIADB = {"gone at the signature"}
OF_MYSQL = {"gone at the password", "gone at the server's key"}
KINDS = {
    "connect and close": close_at_once, "connect and reset": reset_at_once,
    "greeting, then close": read_greeting, "silent until the timeout": say_nothing,
    "half a login": half_a_login, "gone at the switch of plugins": leave_at_auth_switch,
    "gone at the signature": leave_at_signature, "gone at the password": leave_at_password,
    "gone at the server's key": leave_at_key, "not a client": not_a_client, "TLS begun": leave_in_tls, "TLS not understood": nonsense_in_tls,
    "TLS, then close": leave_behind_tls,
}
