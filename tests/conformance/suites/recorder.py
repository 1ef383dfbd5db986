"""The bytes themselves: the same client recorded directly and through the proxy, in both
directions; deliveries cut anywhere; pipelined commands; every order of close."""

import os
import random
import subprocess
import sys
import time

import closes
import driver_lab
import driver_programs
import greeting
import lab
import relay
import report
import shop
import streams

sys.path.insert(0, str(lab.PROJECT / "tests" / "integration" / "drivers"))
import transparent  # noqa: E402
import wire  # noqa: E402

SERVERS = ("mariadb", "mysql9")
PARTS = ("equal", "cut", "pipelined", "close")
# Programs with the checks whose bytes do not depend on time or on a connection's id.
RECORDED = {
    "pymysql": "statements,found_rows,transactions,results,big,stream,batch,load",
    "mysqldb": "statements,found_rows,transactions,results,big,stream,batch,load",
    "connector-c": "statements,prepared,interleaved,found rows,results,transactions,big,stream,"
                   "load,bulk",
}
SMALL_MAX = 20000  # statements up to this size are also delivered byte by byte


class Run:
    def __init__(self, options, server, laboratory):
        self.options, self.server, self.laboratory = options, server, laboratory
        self.rows, self.failures = [], []
        self.database = driver_lab.start_database(laboratory, server)
        database = self.database
        database.execute(f"GRANT PROCESS ON *.* TO {shop.LEDGER_USER}@'%'")
        self.proxy = driver_lab.start_proxy(laboratory, database)
        direct, through = greeting.read(database.port), greeting.read(self.proxy.port)
        self.masked = (direct.offered ^ through.offered) & 0xFFFFFFFF
        self.mariadb_masked = direct.offered_mariadb ^ through.offered_mariadb

    def fail(self, text):
        self.failures.append(f"{self.server} {text}")
        print(f"  different: {self.failures[-1]}", flush=True)

    def row(self, name, checks, different):
        self.rows.append([f"{self.server} {name}", checks, different])
        print(f"  {self.server} {name}: {checks} checks, {different} different", flush=True)

    def warm(self):
        """One login by a client that knows every way in: the server's cache then has the password."""
        self.database.connect(user=shop.USER).close()

    # -- equal

    def equal(self):
        for name, checks in RECORDED.items():
            try:
                program = driver_programs.MAKERS[name](self.laboratory.folder)
            except driver_programs.Missing as missing:
                print(f"SKIPPED recorder equal {name}: not installed: {missing}")
                continue
            direct = self._record(program, checks, self.database.port)
            through = self._record(program, checks, self.proxy.port)
            compared, different = self._compare(name, direct, through)
            self.row(f"equal, {name}", compared, different)

    def _record(self, program, checks, port):
        driver_lab.make_fresh(self.database)
        files = driver_lab.make_files(self.laboratory.folder / "files")
        with relay.Relay(port) as recorder:
            environment = {
                **os.environ, "STOCKGATE_CONFORMANCE_MODE": "plain",
                "STOCKGATE_CONFORMANCE_CHECKS": checks, "STOCKGATE_CONFORMANCE_FILES": str(files),
                "STOCKGATE_CONFORMANCE_HERE": str(driver_programs.HERE)}
            result = subprocess.run(
                [*map(str, program.command), lab.LOOPBACK, str(recorder.port), shop.USER,
                 lab.PASSWORD, shop.SCHEMA], env=environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, timeout=300, preexec_fn=lab.die_with_parent)
            if result.returncode != 0:
                self.fail(f"{program.name} ended with {result.returncode}: {result.stderr[-300:]}")
            time.sleep(0.3)  # the last bytes of the last connection
            return recorder.recordings

    def _compare(self, name, direct, through):
        compared = different = 0
        if len(direct) != len(through) or not direct:
            self.fail(f"equal {name}: {len(direct)} connections directly, {len(through)} through")
            different += 1
        for number, (one, other) in enumerate(zip(direct, through)):
            expected = by_direction(streams.comparable(one, self.masked, self.mariadb_masked))
            seen = by_direction(streams.comparable(other, self.masked, self.mariadb_masked))
            for direction in (relay.UP, relay.DOWN):
                compared += 1
                if expected[direction] != seen[direction]:
                    different += 1
                    self.fail(f"equal {name}, connection {number}, {direction}: "
                              + first_difference(expected[direction], seen[direction]))
        return compared, different

    # -- cut

    def cut(self):
        for name, cuts, statements in (
                ("random", lambda: relay.RandomCuts(self.options.seed), transparent.STATEMENTS),
                ("single bytes", lambda: relay.single_bytes,
                 [sql for sql in transparent.STATEMENTS if is_small(sql)])):
            whole = transparent.STATEMENTS
            transparent.STATEMENTS = statements
            try:
                self._cut(name, cuts)
            finally:
                transparent.STATEMENTS = whole

    def _cut(self, name, cuts):
        with relay.Relay(self.database.port, cuts(), cuts(), records=False) as server_side:
            proxy = self.laboratory.proxy(
                self.database, None, [], name=f"cut-{name[:6]}",
                backend={"address": f"{lab.LOOPBACK}:{server_side.port}"})
            proxy.binary = self.proxy.binary
            proxy.start()
            with relay.Relay(proxy.port, cuts(), cuts(), records=False) as client_side:
                for title, capabilities in transparent.CAPABILITIES.items():
                    self._converse(f"cut at {name}, {title}", client_side.port, capabilities)
            proxy.stop()
            self.failures += proxy.sanitizer_findings()

    def _converse(self, name, port, capabilities):
        answers = []
        for at in (self.database.port, port):
            driver_lab.make_fresh(self.database)
            self.warm()
            answers.append(list(transparent.converse(at, capabilities)))
        different = 0
        for (title, expected), (_, seen) in zip(*answers):
            if expected != seen:
                different += 1
                self.fail(f"{name}: {title}: directly {expected[:60].hex()}, seen {seen[:60].hex()}")
        self.row(name, len(answers[0]), different)

    # -- pipelined

    def pipelined(self):
        generator = random.Random(self.options.seed)
        total = different = 0
        for number in range(60):
            commands = batch(generator, self.server == "mariadb")
            early = number % 6 == 5 and self.server == "mariadb"
            answers = []
            for port in (self.database.port, self.proxy.port):
                driver_lab.reset_rows(self.database)
                self.warm()
                answers.append(send_batch(port, commands, early))
            total += 1
            if answers[0] != answers[1]:
                different += 1
                self.fail(f"pipelined {number} of seed {self.options.seed}"
                          f"{' behind the login' if early else ''}: "
                          f"{[command[:40] for command in commands]}: "
                          + first_difference(*answers))
        self.row("pipelined", total, different)

    # -- close

    def close(self):
        self.warm()
        total = wrong = 0
        for name, problem in closes.client_first(wire, self.database, self.proxy.port):
            total += 1
            if problem:
                wrong += 1
                self.fail(f"close: {name}: {problem}")
        self.row("close, client first", total, wrong)
        answers = []
        for port in (self.database.port, self.proxy.port):
            self.warm()
            answers.append(dict(closes.server_first(wire, self.database, port)))
        wrong = 0
        for name, expected in answers[0].items():
            if answers[1][name] != expected:
                wrong += 1
                self.fail(f"close: {name}: directly {expected}, through {answers[1][name]}")
        self.row("close, server first", len(answers[0]), wrong)
        self._broken()

    def _broken(self):
        with relay.Relay(self.database.port, records=False) as server_side:
            proxy = self.laboratory.proxy(
                self.database, None, [], name="broken",
                backend={"address": f"{lab.LOOPBACK}:{server_side.port}"})
            proxy.binary = self.proxy.binary
            proxy.start()
            limits = [*range(1, 130, 16), 150, 200, 1000, 5000, 100000, 5000000]
            ends = [(limit, is_hard) for limit in limits for is_hard in (False, True)]
            total = wrong = 0
            for name, problem in closes.broken_server(wire, proxy, server_side, ends):
                total += 1
                if problem or not proxy.is_alive():
                    wrong += 1
                    self.fail(f"close: {name}: {problem or 'the proxy ended'}")
            if closes.left_behind(self.database):
                wrong += 1
                self.fail("close: sessions are left at the server behind broken connections")
            self.row("close, server's side broken", total, wrong)
            proxy.stop()
            self.failures += proxy.sanitizer_findings()


def is_small(sql):
    return len(sql) <= SMALL_MAX and "REPEAT('x', 100000)" not in sql and "17000000" not in sql


def by_direction(lines):
    return {way: [line[1:] for line in lines if line[0] == way] for way in (relay.UP, relay.DOWN)}


def first_difference(expected, seen):
    for number, (one, other) in enumerate(zip(expected, seen)):
        if one != other:
            return f"packet {number}: directly {one!r:.300}, through {other!r:.300}"
    return f"{len(expected)} packets directly, {len(seen)} through"


def batch(generator, is_mariadb):
    """Payloads of commands that are sent in one write."""
    choices = [
        b"\x0e", b"\x03SELECT 1", b"\x03SELECT * FROM t_types ORDER BY id", b"\x03DO 1", b"\x0e",
        b"\x03SELECT * FROM nowhere", b"\x03SELEC", b"\x03", b"\x02shop", b"\x02nowhere",
        b"\x03SELECT 1; SELECT 2, 'b'; DO 1", b"\x03CALL p_two()", b"\x03BEGIN", b"\x03ROLLBACK",
        b"\x03UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 2002 AND stock >= 1",
        b"\x03UPDATE t_stock SET stock = stock - 99999 WHERE sku_id = 2002 AND stock >= 99999",
        b"\x03SELECT stock FROM t_stock WHERE sku_id = 2002", b"\x1f", b"\x1b\x01\0", b"\x1b\0\0",
        b"\x03SET NAMES latin1", b"\x03SET NAMES utf8mb4", b"\x70",
        b"\x03SELECT '" + b"x" * generator.choice((10, 5000, 200000)) + b"'",
        b"\x16SELECT nowhere", b"\x19\x7f\x7f\x7f\x7f", b"\x17\x7f\x7f\x7f\x7f\0\1\0\0\0",
        b"\x03SELECT i FROM t_thousand ORDER BY i LIMIT 200",
    ]
    commands = []
    for _ in range(generator.randint(2, 30)):
        if is_mariadb and generator.random() < 0.2:
            # A statement is prepared and executed as "the last prepared one", -1, and closed.
            commands += [b"\x16SELECT ?, 'prepared'",
                         b"\x17\xff\xff\xff\xff\0\1\0\0\0\0\1\x08\0" + b"\x07" + bytes(7),
                         b"\x19\xff\xff\xff\xff"]
        else:
            commands.append(generator.choice(choices))
    return [*commands, b"\x01"]


def send_batch(port, commands, early):
    """Everything the server answers to a batch, statement ids blanked, to the connection's end."""
    link = wire.Wire(lab.LOOPBACK, port)
    data = b"".join(len(command).to_bytes(3, "little") + b"\0" + command for command in commands)
    if early:
        link.read_greeting()
        link.capabilities = wire.BASE_CAPABILITIES & link.offered
        payload = link.login_payload(shop.USER, lab.PASSWORD, shop.SCHEMA, link.capabilities)
        link.send_bytes(len(payload).to_bytes(3, "little") + b"\1" + payload + data)
    else:
        link.login(shop.USER, lab.PASSWORD, shop.SCHEMA)
        link.send_bytes(data)
    recording = relay.Recording()
    try:
        while part := link.socket.recv(1 << 20):
            recording.add(relay.DOWN, part)
    except ConnectionError:
        recording.add(relay.DOWN, b"reset")
    link.close()
    found, left = streams.packets(recording)
    answers = []
    for packet in found:
        payload = packet.payload
        if packet.sequence == 1 and payload[:1] == b"\0" and len(payload) == 12 and \
                payload[9:10] == b"\0" and payload[5:9] != bytes(4):
            payload = payload[:1] + bytes(4) + payload[5:]  # the reply to a prepare
        answers.append((packet.sequence, payload))
    return [*answers, ("left", left[relay.DOWN])]


def run(options):
    rows, failures = [], []
    servers = [name for name in SERVERS if name in options.only] or SERVERS
    parts = [name for name in PARTS if name in options.only] or PARTS
    for server in servers:
        if server == "mysql9" and lab.MySql9.chroot() is None:
            print("SKIPPED recorder on mysql9: not installed (tests/support/mysql9.sh)")
            continue
        with lab.Lab(f"recorder-{server}") as laboratory:
            print(f"  {server}, logs in {laboratory.folder}", flush=True)
            work = Run(options, server, laboratory)
            driver_lab.make_fresh(work.database)
            for part in parts:
                getattr(work, part)()
                if not work.proxy.is_alive():
                    work.fail(f"{part}: the proxy ended with {work.proxy.returncode}")
                    work.proxy.start()
            work.proxy.stop()
            failures += work.failures + work.proxy.sanitizer_findings()
            rows += work.rows
            laboratory.keep = bool(work.failures)
    print(report.table(["server, part", "checks", "different"], rows))
    options.results["recorder"] = {"rows": rows, "failures": failures}
    return report.verdict("recorder", failures, options.seed)
