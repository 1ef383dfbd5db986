"""Part `headers`: the PROXY protocol, towards us and towards the server."""

import client
import lab
import struct
import world

V2 = b"\r\n\r\n\0\r\nQUIT\n"
ADDRESS, PORT = "192.0.2.77", 4711
V1_HEADER = f"PROXY TCP4 {ADDRESS} 127.0.0.1 {PORT} 3306\r\n".encode()
V1_UNKNOWN = b"PROXY UNKNOWN\r\n"
V1_IPV6 = b"PROXY TCP6 2001:db8::77 ::1 4711 3306\r\n"


def v2(command, family, body):
    return V2 + bytes([0x20 | command, family]) + struct.pack(">H", len(body)) + body


V2_HEADER = v2(1, 0x11, bytes([192, 0, 2, 77, 127, 0, 0, 1]) + struct.pack(">HH", PORT, 3306))
V2_LONGER = v2(1, 0x11, bytes([192, 0, 2, 77, 127, 0, 0, 1]) + struct.pack(">HH", PORT, 3306) +
               b"\x05\x00\x03abc")
V2_LOCAL = v2(0, 0x00, b"")

ACCEPTED = {"v1": V1_HEADER, "v1 unknown": V1_UNKNOWN, "v1 IPv6": V1_IPV6, "v2": V2_HEADER,
            "v2 with extensions": V2_LONGER, "v2 local": V2_LOCAL}
MALFORMED = {"v1 without addresses": b"PROXY TCP4\r\n", "v1 without end": b"PROXY TCP4 " + b"1" * 120,
             "v2 of version 3": V2 + b"\x31\x11\x00\x00",
             "v2 too short": v2(1, 0x11, b"\x01\x02"),
             "something else": b"GET / HTTP/1.1\r\n\r\n"}
TRUSTED = {"proxy_protocol": {"trusted": ["127.0.0.0/8"]}}
NAMES_SOMEBODY = ("v1", "v2", "v2 with extensions")
HANDSHAKE = {"handshake_timeout_ms": 500}


def run(everything):
    try_trusted(everything)
    try_untrusted(everything)
    if not everything.is_mysql:
        try_towards_server(everything)


def try_trusted(everything):
    with everything.proxy(client=TRUSTED, limits=HANDSHAKE) as proxy:
        for name, header in ACCEPTED.items():
            everything.refused(f"trusted, {name}", "ok", lambda: everything.log_in(
                proxy.port, header=header))
        for name, header in MALFORMED.items():
            everything.refused(f"trusted, {name}", (1156, "no usable PROXY protocol header"),
                               lambda: everything.log_in(proxy.port, header=header))
        # Such a client waits for a greeting, as this proxy waits for a header.
        everything.refused("trusted, no header", "lost", lambda: everything.log_in(proxy.port))
        world.wait_for_log(proxy, "event=handshake_timeout")
        everything.refused("trusted, cut", "lost", lambda: everything.log_in(
            proxy.port, header=V1_HEADER[:20]))
        try_pieces(everything, proxy)


def try_pieces(everything, proxy):
    for name, header in (("v1", V1_HEADER), ("v2", V2_LONGER)):
        link = client.Client(proxy.port)
        for byte in header:
            link.send_bytes(bytes([byte]))
        with link.log_in(everything.user, world.PASSWORD, plugin=everything.plugin):
            everything.equal(f"{name} in single bytes", link.value("SELECT 1"), "1")


def try_untrusted(everything):
    with everything.proxy(client={"proxy_protocol": {"trusted": ["192.0.2.0/24"]}},
                          limits=HANDSHAKE) as proxy:
        everything.refused("untrusted, no header", "ok", lambda: everything.log_in(proxy.port))
        for name in ("v1", "v2"):
            everything.refused(f"untrusted, {name}", (1156, "client.proxy_protocol.trusted"),
                               lambda: raw_login(proxy, ACCEPTED[name]))


def raw_login(proxy, header):
    """A header where the login belongs: the greeting comes, and then the error."""
    with client.Client(proxy.port, header=header) as link:
        link.read_greeting()
        link.sequence = 2
        raise client.ServerError(link.read_packet())


def try_towards_server(everything):
    """The server believes us and shows whom we speak for."""
    for version in ("v1", "v2"):
        backend = {"proxy_protocol": version}
        with everything.proxy(backend=backend) as proxy:
            with everything.log_in(proxy.port, source="127.0.0.5") as link:
                check_host(everything, f"out {version}, socket's own", link, "127.0.0.5",
                           link.socket.getsockname()[1])
            with everything.log_in(proxy.port, context=None) as link:
                everything.equal(f"out {version}, query", link.value("SELECT 1"), "1")
        with everything.proxy(backend={**backend, "tls": {"mode": "required"}}, client=TRUSTED) as proxy:
            for name in NAMES_SOMEBODY:
                with everything.log_in(proxy.port, header=ACCEPTED[name]) as link:
                    check_host(everything, f"out {version}, in {name}", link, ADDRESS, PORT)
                    everything.check(f"out {version}, in {name}, TLS", bool(link.value(
                        "SHOW STATUS LIKE 'Ssl_cipher'")), "none")
            with everything.log_in(proxy.port, header=V1_IPV6) as link:
                check_host(everything, f"out {version}, in IPv6", link, "2001:db8::77", PORT)
            for name in ("v1 unknown", "v2 local"):
                with everything.log_in(proxy.port, header=ACCEPTED[name]) as link:
                    host = link.value("SELECT USER()").split("@")[1]
                    everything.check(f"out {version}, in {name}", host in (
                        lab.LOOPBACK, "localhost"), host)


def check_host(everything, name, link, address, port):
    everything.equal(f"{name}: user", link.value("SELECT USER()"), f"{everything.user}@{address}")
    everything.equal(f"{name}: process list", link.value(
        "SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()"),
        f"{address}:{port}")
