"""Part `sessions`: what goes on inside of TLS, and whose certificates are accepted."""

import os
import ssl
import struct
import subprocess

import client
import lab
import pymysql
import relay
import shop
import wire
import world

SKU = 1001
BLOB_SIZE = 20_000_000  # of two frames
GUARDED = "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?"


def run(everything):
    try_traffic(everything)
    try_client_certificates(everything)
    try_versions(everything)
    try_clear_password(everything)
    if everything.is_mysql:
        return
    try_server_certificates(everything)
    try_own_certificate(everything)
    try_server_without_tls(everything)
    try_ledger_account(everything)


def sell(link, sku=SKU):
    """One unit as text, two prepared, and three in a transaction that is rolled back."""
    sold = [link.query(f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {sku} AND stock >= 1")]
    identity = link.prepare(GUARDED)
    sold.append(link.execute(identity, (wire.integer(2), wire.integer(sku), wire.integer(2))))
    link.query("BEGIN")
    sold.append(link.execute(identity, (wire.integer(3), wire.integer(sku), wire.integer(3))))
    link.query("ROLLBACK")
    return sold


SOLD = [("ok", 1)] * 3


def hold_blob(link, size):
    """A blob of several frames there and back; True when it came back as it was."""
    blob = os.urandom(size)
    identity = link.prepare("REPLACE INTO t_blob VALUES (1, ?)")
    body = b"\xfe" + struct.pack("<Q", size) + blob
    link.execute(identity, [(wire.TYPE_VAR_STRING, body)])
    return link.rows("SELECT body FROM t_blob WHERE id = 1") == [[blob]]


def left(everything, sku=SKU):
    rows = everything.database.execute(
        "SELECT SUM(bucket_total - sold_stock) FROM inventory_bucket "
        f"WHERE sku_id LIKE '%:{sku}'", database=shop.SCHEMA)
    return int(rows[0][0])


def try_traffic(everything):
    tables = shop.managed_tables([1001, 1002])
    everything.database.execute(f"GRANT ALL ON {shop.SCHEMA}.* TO {shop.USER}@'%'")
    with everything.proxy(tables, client={"tls": everything.client_tls()}) as proxy:
        expected = left(everything)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            name = version.name
            with everything.log_in(proxy.port, context=client.tls(version)) as link:
                size = BLOB_SIZE if version == ssl.TLSVersion.TLSv1_3 else BLOB_SIZE // 10
                everything.check(f"{name}: blob", hold_blob(link, size), "came back different")
                everything.equal(f"{name}: hot", sell(link), SOLD)
                link.change_user(shop.USER, lab.PASSWORD, shop.SCHEMA, everything.plugin)
                everything.equal(f"{name}: user", link.value("SELECT USER()").split("@")[0],
                                 shop.USER)
                everything.equal(f"{name}: hot as another user", sell(link), SOLD)
                everything.check(f"{name}: still TLS",
                                 bool(link.value("SHOW STATUS LIKE 'Ssl_cipher'")), "none")
            expected -= 6
            everything.equal(f"{name}: left", left(everything), expected)
        try_drivers(everything, proxy)
        is_audited, audit = proxy.verify()
        everything.check("verify", is_audited, audit)


def try_drivers(everything, proxy):
    """Real clients, with their own idea of TLS."""
    context = client.tls(authority=everything.authority.path)
    link = pymysql.connect(
        host=lab.LOOPBACK, port=proxy.port, user=everything.user, password=world.PASSWORD,
        database=shop.SCHEMA, ssl=context, autocommit=True, max_allowed_packet=1 << 26)
    with link, link.cursor() as cursor:
        blob = os.urandom(BLOB_SIZE // 4)
        cursor.execute("REPLACE INTO t_blob VALUES (2, _binary %s)", (blob,))
        cursor.execute("SELECT body FROM t_blob WHERE id = 2")
        everything.check("PyMySQL: blob", cursor.fetchone()[0] == blob, "came back different")
        cursor.execute("SHOW STATUS LIKE 'Ssl_cipher'")
        everything.check("PyMySQL: cipher", bool(cursor.fetchone()[1]), "none")
    result = subprocess.run(
        ["mariadb", "--no-defaults", f"--host={lab.LOOPBACK}", f"--port={proxy.port}",
         f"--user={everything.user}", f"--password={world.PASSWORD}", "--batch", "--skip-column-names",
         f"--ssl-ca={everything.authority.path}", "--ssl-verify-server-cert",
         "-e", "SHOW STATUS LIKE 'Ssl_cipher'"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=60)
    everything.check("mariadb: cipher", len(result.stdout.split()) == 2, result.stdout)


def try_client_certificates(everything):
    shown = {"none": None, "own": everything.client_certificate,
             "foreign": everything.foreign_certificate}
    for is_required in (False, True):
        section = everything.client_tls(client_ca=str(everything.authority.path),
                                        client_certificate_required=is_required)
        with everything.proxy(client={"tls": section}) as proxy:
            for kind, certificate in shown.items():
                for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                    context = client.tls(version, certificate=certificate)
                    intended = "lost" if kind == "foreign" or (
                        is_required and kind == "none") else "ok"
                    everything.refused(
                        f"client certificate {kind}, required {is_required}, {version.name}",
                        intended, lambda: everything.log_in(proxy.port, context=context))
            world.wait_for_log(proxy, "event=tls_failed side=client", 4 if is_required else 2)


def try_versions(everything):
    section = everything.client_tls(min_version="TLSv1.3")
    with everything.proxy(client={"tls": section}) as proxy:
        for version, intended in ((ssl.TLSVersion.TLSv1_2, "lost"), (ssl.TLSVersion.TLSv1_3, "ok")):
            everything.refused(
                f"min_version TLSv1.3, {version.name}", intended,
                lambda: everything.log_in(proxy.port, context=client.tls(version)))


def try_clear_password(everything):
    """A plugin that sends the password as it is, with the login and when asked to change over."""
    section = {"client": {"tls": everything.client_tls()}, "backend": {"tls": {"mode": "disabled"}}}
    with relay.Relay(everything.database.port) as record:
        with everything.proxy(backend_port=record.port, **section) as proxy:
            everything.refused(
                "clear password over a plain backend leg", (1045, "must not go to the database"),
                lambda: everything.log_in(proxy.port, context=client.tls(), plugin=client.CLEAR))
        everything.check("the clear password on the wire", not any(
            world.PASSWORD.encode() in recording.up for recording in record.recordings), "is there")


def try_server_certificates(everything):
    ours, theirs = str(everything.authority.path), str(everything.stranger.path)
    wrong_authority = (1053, "self-signed certificate in certificate chain")
    cases = {
        "ca": ({"verify": "ca", "ca": ours}, "ok"),
        "ca of strangers": ({"verify": "ca", "ca": theirs}, wrong_authority),
        "host by address": ({"verify": "host", "ca": ours}, "ok"),
        "host by name": ({"verify": "host", "ca": ours, "host": "db.test"}, "ok"),
        "another host": ({"verify": "host", "ca": ours, "host": "other.test"},
                         (1053, "hostname mismatch")),
        "another address": ({"verify": "host", "ca": ours, "host": "127.0.0.9"},
                            (1053, "IP address mismatch")),
        "host, strangers": ({"verify": "host", "ca": theirs, "host": "db.test"}, wrong_authority),
        "none": ({"verify": "none"}, "ok"),
    }
    for name, (settings, intended) in cases.items():
        with everything.proxy(backend={"tls": {"mode": "required", **settings}}) as proxy:
            everything.refused(f"verify {name}", intended, lambda: everything.log_in(proxy.port))


def try_own_certificate(everything):
    """REQUIRE X509 is about the certificate that the server sees: the proxy's."""
    own = everything.client_certificate
    shown = {"certificate": str(own.path), "key": str(own.key)}
    for name, more, intended in (("shown", shown, "ok"), ("none", {}, (1045, "Access denied"))):
        with everything.proxy(backend={"tls": {"mode": "required", **more}}) as proxy:
            everything.refused(f"proxy's certificate {name}", intended,
                               lambda: everything.log_in(proxy.port, world.X509_USER))


def try_server_without_tls(everything):
    with relay.Relay(everything.database.port, hides_tls=True) as bare:
        for mode, intended in (("as_client", "ok"), ("preferred", "ok"),
                               ("required", (1043, "does not offer TLS"))):
            with everything.proxy(backend_port=bare.port, backend={"tls": {"mode": mode}},
                                  client={"tls": everything.client_tls()}) as proxy:
                everything.refused(f"server without TLS, {mode}", intended, lambda: everything.log_in(
                    proxy.port, context=client.tls()))


def try_ledger_account(everything):
    """The proxy's own account has no client to follow; its TLS is what the mode says."""
    account = f"{shop.LEDGER_USER}@'%'"
    ca = str(everything.authority.path)
    everything.database.execute(f"ALTER USER {account} REQUIRE SSL")
    verified = {"mode": "required", "verify": "host", "ca": ca}
    cases = {"required": {"mode": "required"}, "preferred": {"mode": "preferred"},
             "verify host": verified}
    for name, tls in cases.items():
        try_ledger(everything, name, {"tls": tls})
    everything.database.execute(f"ALTER USER {account} REQUIRE NONE")
    with relay.Relay(everything.database.port, hides_tls=True) as bare:
        try_ledger(everything, "preferred, server without TLS", {"tls": {"mode": "preferred"}},
                   bare.port)
        if everything.is_open("the ledger account where required TLS is withheld"):
            try_withheld(everything, bare.port)
    if everything.is_open("the ledger account where the server is verified by a name"):
        # A certificate for names only: what is checked must be the name, not what it resolves to.
        everything.issue_for_server([], ["db.test", "localhost"])
        everything.database.execute("FLUSH SSL")
        try_ledger(everything, "verify the name in the address", {
            "address": f"localhost:{everything.database.port}", "tls": verified})
        try_ledger(everything, "verify another name", {"tls": {**verified, "host": "db.test"}})
        everything.issue_for_server(*world.SERVER_NAMES)
        everything.database.execute("FLUSH SSL")


def try_withheld(everything, port):
    """Somebody in between makes the server look as if it had no TLS."""
    try:
        with everything.proxy(shop.managed_tables([1001, 1002]), port,
                              backend={"tls": {"mode": "required"}}):
            everything.check("ledger account, TLS withheld", False, "logged in without TLS")
    except lab.LabError as error:
        everything.check("ledger account, TLS withheld", "TLS" in str(error), str(error)[-300:])


def try_ledger(everything, name, backend, port=None):
    try:
        with everything.proxy(shop.managed_tables([1001, 1002]), port, backend=backend) as proxy:
            with everything.log_in(proxy.port) as link:
                everything.equal(f"ledger account, {name}", sell(link), SOLD)
    except lab.LabError as error:
        everything.check(f"ledger account, {name}", False, str(error)[-300:])
