"""Part `matrix`: who gets in. Every way of a client to speak, both modes, every plugin; what the
server sees of TLS, and that no password is read off a plain backend leg."""

import ssl

import client
import relay
import world

CLIENTS = {"plain": None, "TLS 1.2": ssl.TLSVersion.TLSv1_2, "TLS 1.3": ssl.TLSVersion.TLSv1_3}
CLIENT_MODES = ("off", "optional", "required")
BACKEND_MODES = ("as_client", "disabled", "preferred", "required")

# A password that the server wants to see itself, when one leg alone is encrypted: on a plain
# backend leg it would leak, and over a plain client leg the client encrypts it for a server that
# expects it as it is.
LEAK = (1045, "must not go to the database")
NEEDS_TLS = (1045, "connect with TLS")


def enters(kind, client_mode):
    """What the client's leg alone makes of it."""
    if kind == "plain":
        return (3159, "insecure transport") if client_mode == "required" else "ok"
    return "not offered" if client_mode == "off" else "ok"


def backend_has_tls(kind, backend_mode):
    return {"as_client": kind != "plain", "disabled": False}.get(backend_mode, True)


def expected(kind, client_mode, backend_mode, account):
    """The intended end of a login: 'ok', or the error."""
    entry = enters(kind, client_mode)
    if entry != "ok":
        return entry
    has_tls = backend_has_tls(kind, backend_mode)
    if account == "ssl" and not has_tls:
        return (1045, "Access denied")
    if account == "sha2 cold":
        if kind != "plain" and not has_tls:
            return LEAK
        if kind == "plain" and has_tls:
            return NEEDS_TLS
    return "ok"


def accounts(is_mysql):
    """Name to (user, does the server not know the password yet)."""
    if is_mysql:
        return {"sha2 cold": (world.SHA2_USER, True), "sha2 warm": (world.SHA2_USER, False),
                "ssl": (world.SSL_USER, False)}
    return {"native": (world.NATIVE_USER, False), "ed25519": (world.ED25519_USER, False),
            "ssl": (world.SSL_USER, False)}


def warm_up(everything, user):
    """The server keeps the password from here on."""
    everything.log_in(everything.database.port, user, context=client.tls()).close()


def try_login(everything, proxy, record, kind, client_mode, backend_mode, account):
    user, is_cold = accounts(everything.is_mysql)[account]
    if everything.is_mysql and is_cold:
        everything.database.execute("FLUSH PRIVILEGES")
    elif everything.is_mysql:
        warm_up(everything, user)
    version = CLIENTS[kind]
    name = f"{kind} client, client.tls {client_mode}, backend.tls {backend_mode}, {account}"
    intended = expected(kind, client_mode, backend_mode, account)
    context = None if kind == "plain" else client.tls(version)
    cipher = None

    def attempt():
        nonlocal cipher
        link = everything.log_in(proxy.port, user, context=context)
        cipher = link.value("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        if link.tls is not None:
            everything.equal(f"{name}: version", link.tls.version(), kind.replace("TLS ", "TLSv"))
        return link

    count = len(record.recordings)
    if intended == "ok":
        seen, text = world.outcome(attempt)
        everything.check(name, seen == "ok", f"{seen} {text!r}, expected ok")
        has_tls = backend_has_tls(kind, backend_mode)
        if seen == "ok":
            everything.equal(f"{name}: the server's cipher", bool(cipher), has_tls)
            everything.equal(f"{name}: TLS on the wire", record.recordings[-1].has_tls(), has_tls)
    elif intended in (LEAK, NEEDS_TLS) and not everything.is_open("why a password is not passed"):
        seen, text = world.outcome(attempt)
        everything.check(name, seen in ("lost", intended[0]), f"{seen} {text!r}, expected a refusal")
    else:
        everything.refused(name, intended, attempt)
    for recording in record.recordings[count:]:
        everything.check(f"{name}: the password on the backend leg",
                         world.PASSWORD.encode() not in recording.up, "it is readable")


def insistent(proxy):
    """A client that asks for TLS although the greeting has none."""
    link = client.Client(proxy.port)
    try:
        link.read_greeting()
        link.send_packet(link.head(client.wire.BASE_CAPABILITIES | client.CLIENT_SSL))
        raise client.ServerError(link.read_packet())
    finally:
        link.close()


def run(everything):
    with relay.Relay(everything.database.port) as record:
        for client_mode in CLIENT_MODES:
            for backend_mode in BACKEND_MODES:
                sections = {"backend": {"tls": {"mode": backend_mode}}}
                if client_mode != "off":
                    sections["client"] = {"tls": everything.client_tls(client_mode)}
                with everything.proxy(backend_port=record.port, **sections) as proxy:
                    for kind in CLIENTS:
                        for account in accounts(everything.is_mysql):
                            try_login(everything, proxy, record, kind, client_mode, backend_mode,
                                      account)
                    if client_mode == "off" and backend_mode == "as_client":
                        everything.refused("TLS that was not offered", (1043, "does not offer it"),
                                           lambda: insistent(proxy))
