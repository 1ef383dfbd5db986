"""A client of the wire protocol that is cheap enough to measure with: no rows are decoded, and an
idle connection costs one socket. Text protocol and mysql_native_password only."""

import hashlib
import socket
import struct

import lab
from figures import MeasureError

_LONG_PASSWORD = 1 << 0
_CONNECT_WITH_DB = 1 << 3
_PROTOCOL_41 = 1 << 9
_SECURE_CONNECTION = 1 << 15
_PLUGIN_AUTH = 1 << 19
_CAPABILITIES = (_LONG_PASSWORD | _CONNECT_WITH_DB | _PROTOCOL_41 | _SECURE_CONNECTION
                 | _PLUGIN_AUTH)
_PACKET_MAX = 1 << 24
_UTF8MB4 = 45
_QUERY = b"\x03"


def _native_password(password, scramble):
    if not password:
        return b""
    first = hashlib.sha1(password.encode()).digest()
    mask = hashlib.sha1(scramble + hashlib.sha1(first).digest()).digest()
    return bytes(left ^ right for left, right in zip(first, mask))


class Connection:
    """One connection. `link` is its socket, for those who read a result themselves."""

    def __init__(self, port, user, password, database, seconds=60, receive_buffer=None):
        self.link = socket.socket()
        self.link.settimeout(seconds)
        if receive_buffer is not None:
            self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.link.connect((lab.LOOPBACK, port))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._log_in(user, password, database)
        except BaseException:
            self.link.close()
            raise

    def _log_in(self, user, password, database):
        greeting = self._packet()
        if greeting[0] == 0xff:
            raise MeasureError(f"refused: {greeting[3:].decode(errors='replace')}")
        at = greeting.index(b"\0", 1) + 5  # behind the version and the thread id
        scramble = greeting[at:at + 8] + greeting[at + 27:at + 39]
        answer = _native_password(password, scramble)
        login = (struct.pack("<IIB23x", _CAPABILITIES, _PACKET_MAX, _UTF8MB4)
                 + user.encode() + b"\0" + bytes([len(answer)]) + answer
                 + database.encode() + b"\0mysql_native_password\0")
        self.link.sendall(struct.pack("<I", len(login) | 1 << 24) + login)
        reply = self._packet()
        if reply[0] != 0:
            raise MeasureError(f"login failed: {reply[1:].decode(errors='replace')}")

    def _exactly(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.link.recv(size - len(data))
            if not part:
                raise MeasureError("the connection was closed")
            data += part
        return bytes(data)

    def _packet(self):
        head = struct.unpack("<I", self._exactly(4))[0]
        return self._exactly(head & 0xffffff)

    def send(self, text):
        """Sends a statement and reads nothing."""
        payload = _QUERY + text.encode()
        self.link.sendall(struct.pack("<I", len(payload)) + payload)

    def receive(self, size, buffer):
        """Reads `size` bytes of a result as fast as they come, round and round in the buffer."""
        view = memoryview(buffer)
        at = 0
        while size:
            count = self.link.recv_into(view[at:], min(size, len(view) - at))
            if count == 0:
                raise MeasureError(f"the connection was closed, {size} bytes before the end")
            size -= count
            at = (at + count) % len(view)

    def _result(self, text):
        """The packets of a statement's only result, and whether each is a row."""
        self.send(text)
        is_row = False
        while True:
            packet = self._packet()
            if packet[0] == 0xff:
                raise MeasureError(f"{text}: {packet[3:].decode(errors='replace')}")
            is_end = packet[0] == 0xfe and len(packet) < 9
            yield packet, is_row and not is_end
            if is_end and is_row:
                return
            is_row = is_row or is_end

    def value(self, text):
        """The first value of a statement's first row."""
        rows = [packet for packet, is_row in self._result(text) if is_row]
        return rows[0][1:1 + rows[0][0]].decode()

    def size(self, text):
        """Bytes of a statement's result on the wire."""
        return sum(4 + len(packet) for packet, _ in self._result(text))

    def close(self):
        """Says goodbye, as a client should."""
        with self.link:
            self.link.sendall(b"\x01\0\0\0\x01")
