#!/usr/bin/python3
"""Malformed and hostile bytes on the client side. The proxy must stay up, answer with an error or
close (or wait, where the packet is not complete), leave other sessions alone, leak no backend
connection, and book nothing wrong. A witness session sells one unit after every case."""

import argparse
import pathlib
import random
import socket
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import lab  # noqa: E402
import report  # noqa: E402
import shop  # noqa: E402
import wire  # noqa: E402

WITNESS_SKU, VICTIM_SKU, COLD_SKU = 1001, 1002, 2002
UNITS = 100000
PATIENCE_SECONDS = 1.0
GUARDED = "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?"


def hear(link):
    """What comes back: 'closed', 'error CODE', 'reply' or 'silence'."""
    link.socket.settimeout(PATIENCE_SECONDS)
    try:
        packet = link.read_packet()
    except (wire.Closed, ConnectionError):
        return "closed"
    except socket.timeout:
        return "silence"
    if packet[:1] == b"\xff" and len(packet) >= 3:
        return f"error {struct.unpack_from('<H', packet, 1)[0]}"
    return "reply"


def packet(payload, sequence=0, size=None):
    declared = len(payload) if size is None else size
    return declared.to_bytes(3, "little") + bytes([sequence]) + payload


class Case:
    """expects: what hear() may say, as prefixes."""

    def __init__(self, name, attack, *expects):
        self.name = name
        self.attack = attack
        self.expects = expects


def before_login(data, sequence=None):
    """Sends bytes instead of a login packet, after the greeting."""
    def attack(port):
        link = wire.Wire(lab.LOOPBACK, port)
        link.read_greeting()
        payload = data(link) if callable(data) else data
        link.send_bytes(payload if sequence is None else packet(payload, sequence))
        answer = hear(link)
        link.close()
        return answer
    return attack


def unread(data):
    """Sends bytes at once and cuts the connection without reading."""
    def attack(port):
        link = wire.Wire(lab.LOOPBACK, port)
        link.send_bytes(data)
        link.close()
        return "closed"
    return attack


def cut_login(size):
    def attack(port):
        link = wire.Wire(lab.LOOPBACK, port)
        link.read_greeting()
        payload = link.login_payload(
            shop.USER, lab.PASSWORD, shop.SCHEMA, wire.BASE_CAPABILITIES & link.offered)
        link.send_bytes(packet(payload, 1)[:size])
        link.socket.shutdown(socket.SHUT_WR)
        answer = hear(link)
        link.close()
        return answer
    return attack


def logged_in(port):
    return wire.Wire(lab.LOOPBACK, port).login(shop.USER, lab.PASSWORD, shop.SCHEMA)


def after_login(data):
    def attack(port):
        link = logged_in(port)
        link.send_bytes(data)
        answer = hear(link)
        link.close()
        return answer
    return attack


def hot_execute(spoil):
    """Prepares the hot deduction and executes it with spoiled bytes."""
    def attack(port):
        link = logged_in(port)
        identity = link.prepare(GUARDED)
        good = wire.execute_payload(
            identity, [wire.integer(1), wire.integer(VICTIM_SKU), wire.integer(1)])
        link.send_bytes(packet(bytes([wire.COM_STMT_EXECUTE]) + spoil(good)))
        answer = hear(link)
        link.close()
        return answer
    return attack


def half_close(payload):
    def attack(port):
        link = logged_in(port)
        link.send_bytes(payload)
        link.socket.shutdown(socket.SHUT_WR)
        answer = hear(link)
        link.close()
        return answer
    return attack


def big_query(size):
    """One statement on the hot SKU of exactly this many payload bytes, over several packets."""
    def attack(port):
        link = logged_in(port)
        statement = (f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {VICTIM_SKU} "
                     "AND stock >= 1 /*").encode()
        filler = b"x" * (size - 1 - len(statement) - 2)
        link.command(wire.COM_QUERY, statement + filler + b"*/")
        link.socket.settimeout(30)
        try:
            return " ".join(str(part) for part in link.read_reply())
        except (wire.Closed, ConnectionError):
            return "closed"
        finally:
            link.close()
    return attack


def login_cases():
    any_end = ("closed", "error")
    waiting = ("closed", "error", "silence")
    names = struct.pack("<IIB23x", wire.BASE_CAPABILITIES, 1 << 24, 45)
    yield Case("connect and leave", unread(b""), "closed")
    yield Case("garbage before the greeting", unread(bytes(range(256)) * 8), "closed")
    yield Case("HTTP request", before_login(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), *waiting)
    yield Case("TLS hello", before_login(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 500),
               *waiting)
    yield Case("zeros", before_login(b"\0" * 512), *any_end)
    yield Case("empty login", before_login(b"", 1), *any_end)
    yield Case("one byte login", before_login(b"\x85", 1), *any_end)
    yield Case("capabilities only", before_login(names[:4], 1), *any_end)
    yield Case("fixed part only", before_login(names, 1), *any_end)
    yield Case("unterminated user", before_login(names + b"x" * 40, 1), *any_end)
    yield Case("answer past the end", before_login(names + b"shop\0\xff" + b"a" * 10, 1), *any_end)
    yield Case("no capabilities", before_login(b"\0" * 32 + b"shop\0\0", 1), *any_end)
    yield Case("old protocol", before_login(b"\x05\x00\xff\xff\xffshop\0", 1), *any_end)
    yield Case("all capabilities", before_login(b"\xff" * 32 + b"shop\0\0shop\0", 1), *waiting)
    yield Case("TLS request", before_login(struct.pack("<IIB23x", 0x00000A00, 1 << 24, 45), 1),
               *waiting)
    yield Case("wrong sequence", before_login(names + b"shop\0\0", 9), *any_end)
    yield Case("login of 16 MiB announced", before_login(packet(b"abc", 1, 0xFFFFFF)), *waiting)
    yield Case("login of 2 MiB", before_login(
        lambda link: packet(names + b"u" * (2 << 20) + b"\0", 1)), *any_end)
    yield Case("attributes with a huge length", before_login(
        struct.pack("<IIB23x", wire.BASE_CAPABILITIES | 1 << 20, 1 << 24, 45) +
        b"shop\0\0shop\0mysql_native_password\0\xfe" + b"\xff" * 8, 1), *any_end)
    for size in (1, 3, 4, 5, 20, 36, 37, 40, 45, 60, 80):
        yield Case(f"login cut after {size} bytes", cut_login(size), *any_end)


def command_cases():
    any_end = ("closed", "error")
    waiting = ("closed", "error", "silence")
    anything = ("closed", "error", "reply", "silence")
    hot = f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {VICTIM_SKU} AND stock >= 1".encode()
    yield Case("empty packet", after_login(packet(b"")), *any_end)
    for number in (0x00, 0x05, 0x0B, 0x13, 0x1D, 0x21, 0x7E, 0xFA, 0xFF):
        yield Case(f"command {number:#04x}", after_login(packet(bytes([number]) + b"abc")), *any_end)
    yield Case("COM_QUERY without text", after_login(packet(b"\x03")), *any_end)
    yield Case("COM_QUERY with sequence 7", after_login(packet(b"\x03SELECT 1", 7)), *anything)
    yield Case("NUL in the text", after_login(packet(b"\x03" + hot.replace(b"- 1", b"-\0 1"))),
               *any_end)
    yield Case("invalid UTF-8", after_login(packet(b"\x03" + hot + b" AND '\xc3\x28' = ''")),
               *anything)
    yield Case("half a packet", after_login(packet(b"\x03" + hot[:20], 0, len(hot) + 1)), *waiting)
    yield Case("half a packet, half closed", half_close(packet(b"\x03" + hot[:20], 0, 500)),
               *any_end)
    yield Case("half a header, half closed", half_close(b"\x10\x00"), *any_end)
    yield Case("deduction, half closed", half_close(packet(b"\x03" + hot)), *anything)
    yield Case("16 MiB announced", after_login(packet(b"\x03SELECT 1", 0, 0xFFFFFF)), *waiting)
    yield Case("field list without end", after_login(packet(b"\x04t_stock")), *anything)
    yield Case("kill without privilege", after_login(packet(b"\x0c\x01\x00\x00\x00")), *any_end)
    yield Case("binlog dump without privilege", after_login(
        packet(b"\x12\x04\x00\x00\x00\x00\x00\x07\x00\x00\x00")), *any_end)
    yield Case("register as replica", after_login(packet(b"\x15" + b"\0" * 18)), *anything)
    yield Case("change user, nothing", after_login(packet(b"\x11")), *anything)
    yield Case("change user, unterminated", after_login(packet(b"\x11shop")), *any_end)
    yield Case("change user, answer past the end", after_login(
        packet(b"\x11shop\0\xffabc")), *any_end)
    yield Case("set option, short", after_login(packet(b"\x1b\x00")), *anything)
    for number, name in ((0x17, "execute"), (0x1A, "reset"), (0x1C, "fetch")):
        for size in (0, 1, 3, 4, 8):
            yield Case(f"{name}, {size} bytes", after_login(
                packet(bytes([number]) + b"\xee" * size)), *any_end)
    for number, name in ((0x18, "long data"), (0x19, "close")):
        for size in (0, 3, 4, 7):
            yield Case(f"{name}, {size} bytes", after_login(
                packet(bytes([number]) + b"\xee" * size) + packet(b"\x0e")), *anything)
    for size in (*range(0, 16), 20, 30, 40):
        yield Case(f"hot execute cut after {size}", hot_execute(lambda good, size=size: good[:size]),
                   *any_end)
    yield Case("hot execute, types never sent", hot_execute(
        lambda good: good[:10] + b"\0" + good[17:]), *any_end)
    yield Case("hot execute, huge text length", hot_execute(
        lambda good: good[:11] + struct.pack("<HHH", 253, 8, 8) + b"\xfe" + b"\xff" * 16), *any_end)
    yield Case("hot execute, unknown type", hot_execute(
        lambda good: good[:11] + struct.pack("<HHH", 0x77, 8, 8) + good[17:]), *any_end)
    yield Case("hot execute, bytes left over", hot_execute(lambda good: good + b"tail"), *anything)
    for size in (0xFFFFFE, 0xFFFFFF, 0x1000000, 0x1000001):
        yield Case(f"hot statement of {size:#x} bytes", big_query(size), "ok", "error", "closed")


def random_cases(count, seed):
    generator = random.Random(seed)
    commands = [0x02, 0x03, 0x04, 0x09, 0x0E, 0x11, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1F]
    for number in range(count):
        data = b""
        for _ in range(generator.randrange(1, 6)):
            body = bytes([generator.choice(commands)]) + generator.randbytes(
                generator.choice([0, 1, 4, 9, 40, 300]))
            size = None if generator.random() < 0.8 else generator.randrange(0, 1 << 24)
            data += packet(body, generator.choice([0, 0, 0, 1, 255]), size)
        yield Case(f"random commands {number}", after_login(data), "")


class Witness:
    """An ordinary session that must not notice anything."""

    def __init__(self, port):
        self.link = logged_in(port)
        self.sold = 0

    def problem(self):
        try:
            answer = self.link.query(
                f"UPDATE t_stock SET stock = stock - 1 WHERE sku_id = {WITNESS_SKU} AND stock >= 1")
            if answer != ("ok", 1):
                return f"the witness was answered {answer}"
            self.sold += 1
            if self.link.query("SELECT 1 UNION SELECT 2") != ("rows", 2):
                return "the witness's SELECT went wrong"
        except (wire.Closed, OSError) as error:
            return f"the witness lost its connection ({type(error).__name__})"
        return None


def sold_in_ledger(database, sku):
    return int(database.execute(
        f"SELECT COALESCE(SUM(sold_stock), 0) FROM inventory_bucket WHERE sku_id = 't_stock:{sku}'",
        database=shop.SCHEMA)[0][0])


def run_cases(cases, proxy, witness):
    failures, counts = [], {}
    for case in cases:
        try:
            answer = case.attack(proxy.port)
        except (wire.Closed, wire.ServerError, OSError) as error:
            answer = f"closed ({type(error).__name__})"
        counts[answer.split()[0]] = counts.get(answer.split()[0], 0) + 1
        if not answer.startswith(case.expects):
            failures.append(f"{case.name}: {answer}, expected {' or '.join(case.expects)}")
        if not proxy.is_alive():
            failures.append(f"{case.name}: the proxy ended with {proxy.returncode}\n{proxy.tail()}")
            return failures, counts
        problem = witness.problem()
        if problem:
            failures.append(f"{case.name}: {problem}")
            witness.link = logged_in(proxy.port)
    return failures, counts


def open_half(port, count):
    """Connections that never log in: silent ones, and ones with a part of a login packet."""
    links = []
    for number in range(count):
        link = socket.create_connection((lab.LOOPBACK, port))
        if number % 3 == 1:
            link.sendall(b"\x50\x00\x00\x01\x85\xa6")
        if number % 3 == 2:
            link.sendall(b"\xff\xff\xff\x01" + b"a" * 70000)
        links.append(link)
    return links


def check_half_open(links):
    """The handshake timeout must have closed all of them."""
    waiting = 0
    deadline = time.monotonic() + 20
    for link in links:
        link.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            while link.recv(4096):
                pass
        except ConnectionError:
            pass
        except socket.timeout:
            waiting += 1
    return [f"{waiting} connections without a login are still open"] if waiting else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=60, metavar="N", help="random sessions")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with lab.Lab("bad-input") as laboratory:
        database = laboratory.mariadb()
        shop.create_accounts(database)
        shop.create_tables(database, {WITNESS_SKU: UNITS, VICTIM_SKU: UNITS, COLD_SKU: UNITS})
        proxy = laboratory.proxy(
            database, laboratory.redis(), shop.managed_tables([WITNESS_SKU, VICTIM_SKU]),
            limits={"handshake_timeout_ms": 5000})
        shop.adopt(proxy)
        proxy.start()
        witness = Witness(proxy.port)
        half_open = open_half(proxy.port, 60)
        cases = [*login_cases(), *command_cases(),
                 *random_cases(arguments.random, arguments.seed)]
        failures, counts = run_cases(cases, proxy, witness)
        if proxy.is_alive():
            failures += check_afterwards(database, proxy, witness)
            failures += check_half_open(half_open)
        for link in half_open:
            link.close()
        if proxy.is_alive():
            proxy.stop()
        failures += proxy.sanitizer_findings()
        laboratory.keep = bool(failures)
    print(report.table(["answers", "cases"], sorted(counts.items())))
    return report.verdict("bad input", failures, arguments.seed)


def check_afterwards(database, proxy, witness):
    failures = []
    is_audited, audit = proxy.verify()
    if not is_audited:
        failures.append(f"the auditor says no:\n{audit}")
    sold = sold_in_ledger(database, WITNESS_SKU)
    if sold != witness.sold:
        failures.append(f"the witness bought {witness.sold}, the ledger has {sold}")
    # Everybody but the witness has gone, and the half-open sockets have timed out.
    count = "SELECT COUNT(*) FROM information_schema.processlist WHERE user IN " \
            f"('{shop.USER}', 'unauthenticated user')"
    try:
        lab.wait_until(lambda: database.execute(count)[0][0] <= 1, 20, "backend connections to end")
    except lab.LabError:
        failures.append(f"{database.execute(count)[0][0]} backend connections are left, not 1")
    return failures


if __name__ == "__main__":
    sys.exit(main())
