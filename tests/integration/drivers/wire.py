"""A bare MySQL client on a socket, for tests that need to see or to spoil single bytes."""

import hashlib
import socket
import struct

CLIENT_LONG_PASSWORD = 1 << 0
CLIENT_FOUND_ROWS = 1 << 1
CLIENT_LONG_FLAG = 1 << 2
CLIENT_CONNECT_WITH_DB = 1 << 3
CLIENT_PROTOCOL_41 = 1 << 9
CLIENT_TRANSACTIONS = 1 << 13
CLIENT_SECURE_CONNECTION = 1 << 15
CLIENT_MULTI_STATEMENTS = 1 << 16
CLIENT_MULTI_RESULTS = 1 << 17
CLIENT_PS_MULTI_RESULTS = 1 << 18
CLIENT_PLUGIN_AUTH = 1 << 19
CLIENT_SESSION_TRACK = 1 << 23
CLIENT_DEPRECATE_EOF = 1 << 24

BASE_CAPABILITIES = (
    CLIENT_LONG_PASSWORD | CLIENT_LONG_FLAG | CLIENT_CONNECT_WITH_DB | CLIENT_PROTOCOL_41 |
    CLIENT_TRANSACTIONS | CLIENT_SECURE_CONNECTION | CLIENT_MULTI_STATEMENTS |
    CLIENT_MULTI_RESULTS | CLIENT_PS_MULTI_RESULTS | CLIENT_PLUGIN_AUTH)

COM_QUIT, COM_INIT_DB, COM_QUERY, COM_FIELD_LIST = 1, 2, 3, 4
COM_STATISTICS, COM_PROCESS_KILL, COM_PING, COM_CHANGE_USER = 9, 12, 14, 17
COM_STMT_PREPARE, COM_STMT_EXECUTE, COM_STMT_SEND_LONG_DATA = 22, 23, 24
COM_STMT_CLOSE, COM_STMT_RESET, COM_SET_OPTION, COM_STMT_FETCH = 25, 26, 27, 28
COM_RESET_CONNECTION = 31

PAYLOAD_MAX = (1 << 24) - 1


class Closed(Exception):
    """The other side closed the connection."""


class ServerError(Exception):
    def __init__(self, payload):
        self.code = struct.unpack_from("<H", payload, 1)[0]
        self.text = payload[3:].decode(errors="replace")
        super().__init__(f"{self.code} {self.text}")


def scramble(password, salt):
    """mysql_native_password."""
    if not password:
        return b""
    once = hashlib.sha1(password.encode()).digest()
    twice = hashlib.sha1(once).digest()
    mask = hashlib.sha1(salt + twice).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


def scramble_sha2(password, salt):
    """caching_sha2_password, its quick way: the server has the password in its cache."""
    once = hashlib.sha256(password.encode()).digest()
    mask = hashlib.sha256(hashlib.sha256(once).digest() + salt).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


def length_encoded(data):
    size = len(data)
    if size < 251:
        return bytes([size]) + data
    if size < 1 << 16:
        return b"\xfc" + struct.pack("<H", size) + data
    return b"\xfd" + struct.pack("<I", size)[:3] + data


class Wire:
    """One connection. Packets are whole payloads; sequence numbers are kept as a client does."""

    def __init__(self, host, port, seconds=30):
        self.socket = socket.create_connection((host, port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sequence = 0
        self.raw = bytearray()  # every byte received since the last command
        self.status = 0
        self.capabilities = 0

    def close(self):
        self.socket.close()

    def send_bytes(self, data):
        self.socket.sendall(data)

    def read_exactly(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise Closed()
            data += part
        self.raw += data
        return bytes(data)

    def read_packet(self):
        payload = b""
        while True:
            header = self.read_exactly(4)
            size = int.from_bytes(header[:3], "little")
            self.sequence = (header[3] + 1) & 0xFF
            payload += self.read_exactly(size)
            if size < PAYLOAD_MAX:
                return payload

    def send_packet(self, payload):
        while True:
            part, payload = payload[:PAYLOAD_MAX], payload[PAYLOAD_MAX:]
            self.send_bytes(len(part).to_bytes(3, "little") + bytes([self.sequence]) + part)
            self.sequence = (self.sequence + 1) & 0xFF
            if len(part) < PAYLOAD_MAX:
                return

    def read_greeting(self):
        greeting = self.read_packet()
        if greeting[:1] == b"\xff":
            raise ServerError(greeting)
        end = greeting.index(b"\0", 1)
        first = greeting[end + 5:end + 13]
        rest = end + 5 + 8 + 1
        low, _, self.status, high = struct.unpack_from("<HBHH", greeting, rest)
        salt_size = greeting[rest + 7]
        second = greeting[rest + 18:rest + 18 + max(13, salt_size - 8)].rstrip(b"\0")
        self.offered = low | high << 16
        self.salt = first + second
        return greeting

    def login_payload(self, user, password, database, capabilities):
        answer = scramble(password, self.salt)
        return (struct.pack("<IIB23x", capabilities, 1 << 24, 45) + user.encode() + b"\0" +
                bytes([len(answer)]) + answer + database.encode() + b"\0" +
                b"mysql_native_password\0")

    def login(self, user, password, database, capabilities=BASE_CAPABILITIES):
        self.read_greeting()
        self.capabilities = capabilities & self.offered
        self.send_packet(self.login_payload(user, password, database, self.capabilities))
        self.finish_login(password)
        return self

    def finish_login(self, password):
        while True:
            reply = self.read_packet()
            if reply[:1] == b"\0":
                return
            if reply[:1] == b"\xff":
                raise ServerError(reply)
            if reply == b"\x01\x03":
                continue
            if reply[:1] != b"\xfe":
                raise ValueError(f"unexpected packet in login: {reply[:20]!r}")
            plugin, _, data = reply[1:].partition(b"\0")
            answer = scramble_sha2 if plugin == b"caching_sha2_password" else scramble
            self.send_packet(answer(password, data.rstrip(b"\0")))

    def command(self, number, payload=b""):
        """Sends a command; the raw buffer then starts with its reply."""
        self.sequence = 0
        self.raw.clear()
        self.send_packet(bytes([number]) + payload)

    def query(self, sql):
        """Sends text and reads its whole reply. Returns ('ok', affected rows), ('error', code)
        or ('rows', number of rows) of the last result."""
        self.command(COM_QUERY, sql if isinstance(sql, bytes) else sql.encode())
        return self.read_reply()

    def read_reply(self):
        while True:
            answer, more = self._read_result()
            if not more:
                return answer

    def _read_result(self):
        first = self.read_packet()
        if first[:1] == b"\xff":
            return ("error", ServerError(first).code), False
        if first[:1] == b"\0":
            affected, offset = self._integer(first, 1)
            _, offset = self._integer(first, offset)
            self.status = struct.unpack_from("<H", first, offset)[0]
            return ("ok", affected), bool(self.status & 8)
        columns, _ = self._integer(first, 0)
        for _ in range(columns):
            self.read_packet()
        if not self.capabilities & CLIENT_DEPRECATE_EOF:
            self.read_packet()
        rows = 0
        while True:
            packet = self.read_packet()
            if packet[:1] == b"\xff":
                return ("error", ServerError(packet).code), False
            if packet[:1] == b"\xfe" and len(packet) < 0xFFFFFF:
                if self.capabilities & CLIENT_DEPRECATE_EOF:
                    _, offset = self._integer(packet, 1)
                    _, offset = self._integer(packet, offset)
                    self.status = struct.unpack_from("<H", packet, offset)[0]
                    return ("rows", rows), bool(self.status & 8)
                if len(packet) == 5:
                    self.status = struct.unpack_from("<H", packet, 3)[0]
                    return ("rows", rows), bool(self.status & 8)
            rows += 1

    @staticmethod
    def _integer(data, offset):
        first = data[offset]
        if first < 251:
            return first, offset + 1
        size = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
        return int.from_bytes(data[offset + 1:offset + 1 + size], "little"), offset + 1 + size

    def prepare(self, sql):
        """Returns the statement's id, or the error's number as ('error', code)."""
        self.command(COM_STMT_PREPARE, sql.encode())
        first = self.read_packet()
        if first[:1] == b"\xff":
            return ("error", ServerError(first).code)
        identity, columns, parameters = struct.unpack_from("<IHH", first, 1)
        for count in (parameters, columns):
            if count:
                for _ in range(count):
                    self.read_packet()
                if not self.capabilities & CLIENT_DEPRECATE_EOF:
                    self.read_packet()
        return identity

    def execute(self, identity, parameters=()):
        """parameters: (type, encoded bytes), or None for NULL."""
        self.command(COM_STMT_EXECUTE, execute_payload(identity, parameters))
        return self.read_reply()


TYPE_TINY, TYPE_LONG, TYPE_DOUBLE, TYPE_NULL, TYPE_LONGLONG = 1, 3, 5, 6, 8
TYPE_VAR_STRING = 253
UNSIGNED = 0x8000


def integer(value):
    return (TYPE_LONGLONG, struct.pack("<q", value))


def unsigned(value):
    return (TYPE_LONGLONG | UNSIGNED, struct.pack("<Q", value))


def text(value):
    return (TYPE_VAR_STRING, length_encoded(value.encode()))


def double(value):
    return (TYPE_DOUBLE, struct.pack("<d", value))


def execute_payload(identity, parameters):
    payload = struct.pack("<IBI", identity, 0, 1)
    if not parameters:
        return payload
    nulls = bytearray((len(parameters) + 7) // 8)
    for index, parameter in enumerate(parameters):
        if parameter is None:
            nulls[index // 8] |= 1 << index % 8
    kinds = b"".join(
        struct.pack("<H", TYPE_NULL if parameter is None else parameter[0])
        for parameter in parameters)
    values = b"".join(parameter[1] for parameter in parameters if parameter is not None)
    return payload + bytes(nulls) + b"\x01" + kinds + values
