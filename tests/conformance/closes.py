"""Every order of ends of a connection: what the client sees, and what is left behind."""

import select
import socket
import struct
import time

import lab
import shop

END_SECONDS_MAX = 10
BIG = "SELECT REPEAT('x', 3000000) FROM t_thousand LIMIT 50"


def opened(wire, port):
    return wire.Wire(lab.LOOPBACK, port).login(shop.USER, lab.PASSWORD, shop.SCHEMA)


def reset(link):
    """Closes with a reset instead of an orderly end."""
    link.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()


def half_command(link):
    link.send_bytes(b"\x20\0\0\0\x03SELECT 1")


def begun_result(link):
    link.send_bytes((len(BIG) + 1).to_bytes(3, "little") + b"\0\x03" + BIG.encode())
    link.read_exactly(100000)


# Name to what the client has done when it ends the connection.
def states(wire):
    def bare(port):
        return wire.Wire(lab.LOOPBACK, port)

    def greeted(port):
        link = bare(port)
        link.read_greeting()
        return link

    def half_login(port):
        link = greeted(port)
        payload = link.login_payload(shop.USER, lab.PASSWORD, shop.SCHEMA, wire.BASE_CAPABILITIES)
        link.send_bytes(len(payload).to_bytes(3, "little") + b"\1" + payload[:40])
        return link

    def sent_login(port):
        link = greeted(port)
        link.send_packet(link.login_payload(
            shop.USER, lab.PASSWORD, shop.SCHEMA, wire.BASE_CAPABILITIES))
        return link

    def idle(port):
        return opened(wire, port)

    def mid_command(port):
        link = idle(port)
        half_command(link)
        return link

    def mid_query(port):
        link = idle(port)
        link.command(wire.COM_QUERY, b"SELECT SLEEP(3)")
        return link

    def mid_result(port):
        link = idle(port)
        begun_result(link)
        return link

    def transaction(port):
        link = idle(port)
        link.query("BEGIN")
        link.query("UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 2002 AND stock >= 1")
        return link

    def load_local(port):
        link = wire.Wire(lab.LOOPBACK, port).login(
            shop.USER, lab.PASSWORD, shop.SCHEMA, wire.BASE_CAPABILITIES | 1 << 7)
        link.command(wire.COM_QUERY, b"LOAD DATA LOCAL INFILE 'x' INTO TABLE t_load (id, body)")
        link.read_packet()
        link.send_packet(b"1\tone\n")
        return link

    return {function.__name__.replace("_", " "): function for function in (
        bare, greeted, half_login, sent_login, idle, mid_command, mid_query, mid_result,
        transaction, load_local)}


def client_ends(wire):
    """Name to how the client ends it."""
    def quit_and_close(link):
        link.command(wire.COM_QUIT)
        link.close()

    def close(link):
        link.close()

    def half_close(link):
        link.socket.shutdown(socket.SHUT_WR)
        drain(link.socket)
        link.close()

    return {"quit": quit_and_close, "close": close, "half close": half_close, "reset": reset}


def drain(link):
    """Reads to the end. Returns (number of bytes, how it ended)."""
    size, deadline = 0, time.monotonic() + END_SECONDS_MAX
    while True:
        ready, _, _ = select.select([link], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return size, "no end"
        try:
            data = link.recv(1 << 20)
        except ConnectionError:
            return size, "reset"
        if not data:
            return size, "end"
        size += len(data)


def left_behind(database, seconds=END_SECONDS_MAX):
    """What the server still has of the shop's user after that time at most; empty when nothing."""
    deadline = time.monotonic() + seconds
    while True:
        rows = database.execute(
            "SELECT id, user, command, time, state, info FROM information_schema.processlist "
            f"WHERE user = '{shop.USER}' OR user = 'unauthenticated user'")
        if not rows or time.monotonic() > deadline:
            return rows
        time.sleep(0.05)


def client_first(wire, database, port):
    """(name, what was wrong or None) for every state and every way to end it."""
    for state, reach in states(wire).items():
        for way, end in client_ends(wire).items():
            if way == "quit" and state in ("bare", "greeted", "half login", "sent login",
                                           "mid command", "load local"):
                continue
            link = reach(port)
            try:
                end(link)
            except ConnectionError:
                pass  # the server was faster
            rows = left_behind(database)
            yield f"{state}, client: {way}", f"left at the server: {rows}" if rows else None
            for row in rows:
                database.execute(f"KILL {row[0]}")


def server_first(wire, database, port):
    """What the client reads to the end when the server ends the session: compared with direct."""
    for state in ("idle", "mid command", "mid query", "transaction", "load local", "mid result"):
        left_behind(database)
        link = states(wire)[state](port)
        for identity, in database.execute("SELECT id FROM information_schema.processlist WHERE "
                                          f"user = '{shop.USER}'"):
            database.execute(f"KILL {identity}")
        size, ending = drain(link.socket)
        link.close()
        # How much of a big result was on its way is a matter of time.
        yield f"{state}, server", (size if state != "mid result" else "some", ending)


def broken_server(wire, proxy, relay, ends):
    """The server's side breaks after so many bytes: the client is told or closed, never left
    waiting. Yields (name, what was wrong or None)."""
    for limit, is_hard in ends:
        relay.down_max, relay.break_hard = limit, is_hard
        link = None
        try:
            link = wire.Wire(lab.LOOPBACK, proxy.port, seconds=END_SECONDS_MAX)
            link.login(shop.USER, lab.PASSWORD, shop.SCHEMA)
            link.query("SELECT * FROM t_types")
            link.query(BIG)
            seen = "answered"
        except (wire.Closed, ConnectionError, wire.ServerError):
            seen = "ended"
        except (TimeoutError, socket.timeout):
            seen = "left waiting"
        finally:
            relay.down_max, relay.break_hard = None, False
            if link is not None:
                link.close()
        yield f"broken after {limit}, {'reset' if is_hard else 'closed'}", \
            None if seen == "ended" else seen
