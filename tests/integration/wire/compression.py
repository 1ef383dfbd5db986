"""Part `compression`: packed packets on each leg, alone and inside of TLS, as a server packs them."""

import os
import subprocess

import client
import lab
import layers
import shop
import tls_sessions
import wire
import world

LOCAL = "LOAD DATA LOCAL INFILE 'lines' INTO TABLE t_line FIELDS TERMINATED BY ','"
LINES = b"".join(b"%d,word %d\n" % (number, number) for number in range(20000))
BIG = 5_000_000
COUNTING = ["SELECT 1", "SELECT REPEAT('x', 100)", "SELECT REPEAT('y', 40000)",
            "SELECT REPEAT('z', 300000)", "SET @a = 1", "SELECT * FROM nowhere",
            "SELECT DISTINCT number, word FROM t_line ORDER BY number", "DO 1"]


def run(everything):
    everything.database.execute("TRUNCATE t_line", database=shop.SCHEMA)
    tables = shop.managed_tables([1001, 1002])
    for mode in ("as_client", "off"):
        with everything.proxy(tables, client={"tls": everything.client_tls()},
                              backend={"compression": mode}) as proxy:
            for name, context in (("plain", None), ("TLS", client.tls())):
                try_traffic(everything, proxy, f"{mode}, {name}", context, mode)
            try_numbers(everything, proxy, mode)
            try_pipeline(everything, proxy, mode)
            try_programs(everything, proxy, mode)
            is_audited, audit = proxy.verify()
            everything.check(f"{mode}: verify", is_audited, audit)
    try_not_offered(everything)


def try_traffic(everything, proxy, name, context, mode):
    with everything.log_in(proxy.port, context=context, compress=True,
                           more=client.CLIENT_LOCAL_FILES) as link:
        everything.equal(f"{name}: the server says", link.value("SHOW STATUS LIKE 'Compression'"),
                         "ON" if mode == "as_client" else "OFF")
        noise = os.urandom(BIG // 2)
        link.query(b"REPLACE INTO t_blob VALUES (3, X'" + noise.hex().encode() + b"')")
        everything.check(f"{name}: noise", link.rows(
            "SELECT body FROM t_blob WHERE id = 3") == [[noise]], "came back different")
        before = link.packed.received
        everything.equal(f"{name}: big", client.digest(
            link.value(f"SELECT REPEAT('abcdefgh', {BIG} / 8)").encode()),
            client.digest(b"abcdefgh" * (BIG // 8)))
        everything.check(f"{name}: received in packets", link.packed.received > before, "none")
        everything.equal(f"{name}: hot", tls_sessions.sell(link), tls_sessions.SOLD)
        everything.equal(f"{name}: local file", link.load_local(LOCAL, LINES), 20000)
        link.change_user(shop.USER, lab.PASSWORD, shop.SCHEMA, everything.plugin)
        everything.equal(f"{name}: another user", link.value("SELECT USER()").split("@")[0],
                         shop.USER)
        everything.equal(f"{name}: hot as another user", tls_sessions.sell(link),
                         tls_sessions.SOLD)
        everything.equal(f"{name}: then", link.value("SELECT 'here'"), "here")


def converse(everything, port):
    """For each statement the numbers of the packed packets, and the bytes inside."""
    with everything.log_in(port, compress=True, more=client.CLIENT_LOCAL_FILES) as link:
        for sql in COUNTING:
            link.query(sql)
            yield sql, list(link.packed.numbers), bytes(link.raw)
        link.load_local(LOCAL, LINES)
        yield "local file", list(link.packed.numbers), b""
        link.change_user(shop.USER, lab.PASSWORD, shop.SCHEMA, everything.plugin)
        yield "change of user", list(link.packed.numbers), b""


def begins(numbers):
    """Where the numbers go on after a turn of the client's."""
    return [number for number in numbers if number - 1 not in numbers]


def try_numbers(everything, proxy, mode):
    """Numbers begin where the server's begin and go up by one; how many there are is the packer's
    matter. That they follow the client's own is checked with every packet (layers.py)."""
    direct = list(converse(everything, everything.database.port))
    for (sql, expected, inside), (_, seen, bytes_seen) in zip(direct, converse(everything, proxy.port)):
        name = f"{mode}: numbers of {sql[:40]}"
        if sql in COUNTING:
            counted = [(expected[0] + offset) & 0xFF for offset in range(len(seen))]
            everything.equal(name, seen, counted)
        else:
            everything.equal(name, begins(seen), begins(expected))
        if mode == "as_client":
            everything.check(f"{name}: the bytes inside", inside == bytes_seen,
                             f"directly {inside[:60].hex()}, here {bytes_seen[:60].hex()}")


def try_pipeline(everything, proxy, mode):
    """Commands sent before the reply to the former; their numbers begin at 0 each. A server takes
    them one by one: of two in one packed packet it loses the second to its reply to the first."""
    everything.equal("directly: sent ahead", pipelined(everything, everything.database.port), "ok")
    if everything.is_open("commands sent ahead on compressed connections"):
        everything.equal(f"{mode}: sent ahead, all are answered", pipelined(
            everything, proxy.port, is_strict=False), "ok")
        everything.equal(f"{mode}: sent ahead, numbers", pipelined(everything, proxy.port), "ok")


def pipelined(everything, port, is_strict=True):
    sizes = [1_000_000, 10, 2_000_000, 20] * 3
    with everything.log_in(port, compress=True, seconds=5) as link:
        link.packed.is_strict = is_strict
        for size in sizes:
            link.packed.begin_command()
            link.sequence = 0
            link.send_packet(bytes([wire.COM_QUERY]) + f"SELECT REPEAT('x', {size})".encode())
        for number, size in enumerate(sizes):
            link.packed.expect(1)
            link.sequence = 1
            try:
                if link.read_reply() != ("rows", 1):
                    return f"reply {number} is wrong"
            except (layers.NumberError, *client.LOST) as error:
                return f"reply {number}: {error!r}"
    return "ok"


def try_programs(everything, proxy, mode):
    """The vendors' own clients."""
    sql = "SHOW STATUS LIKE 'Compression'; SELECT LENGTH(REPEAT('x', 1000000)); SELECT SHA2(body, 256) " \
          "FROM t_blob WHERE id = 3"
    common = [f"--host={lab.LOOPBACK}", f"--port={proxy.port}", f"--user={everything.user}",
              f"--password={world.PASSWORD}", "--batch", "--skip-column-names", shop.SCHEMA,
              "-e", sql]
    plain = everything.database.execute("SELECT SHA2(body, 256) FROM t_blob WHERE id = 3",
                                        database=shop.SCHEMA)[0][0]
    expected = ["Compression", "ON" if mode == "as_client" else "OFF", "1000000", plain]
    for name, command in programs(everything).items():
        result = subprocess.run(
            [*command, *common], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=60)
        everything.equal(f"{mode}: {name} ({result.stderr.strip()[:200]})", result.stdout.split(),
                         expected)


def programs(everything):
    if not everything.is_mysql:
        return {"mariadb": ["mariadb", "--no-defaults", "--compress"],
                "mariadb, TLS": ["mariadb", "--no-defaults", "--compress", "--ssl"]}
    inside = ["chroot", everything.database.root, "/usr/bin/mysql", "--no-defaults"]
    zstd = ["--compression-algorithms=zstd", "--zstd-compression-level=7"]
    zlib = ["--compression-algorithms=zlib"]
    plain = ["--ssl-mode=DISABLED"]
    return {"mysql zstd": inside + zstd + plain, "mysql zstd, TLS": inside + zstd,
            "mysql zlib": inside + zlib + plain, "mysql zlib, TLS": inside + zlib}


def try_not_offered(everything):
    with everything.proxy(client={"compression": False}) as proxy:
        everything.refused("client.compression false", "not offered",
                           lambda: everything.log_in(proxy.port, compress=True))
        everything.refused("client.compression false, plain", "ok",
                           lambda: everything.log_in(proxy.port))
