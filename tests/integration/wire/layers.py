"""MySQL's compressed packets around a socket, as a client makes them, with their numbers kept."""

import zlib

CONTENT_MAX = 1 << 22
CONTENT_MIN = 50
HEADER_SIZE = 7


class NumberError(Exception):
    """A compressed packet has not the number that a client expects."""


class Packed:
    """Looks like a socket. `numbers` holds the numbers of the packets received since the last
    command, `stored` how many of all came as they are."""

    def __init__(self, link):
        self._link = link
        self._content = b""
        self._at = 0
        self._next = 0
        self.is_strict = True
        self.numbers = []
        self.stored = 0
        self.received = 0

    def begin_command(self):
        self._next = 0
        self.numbers = []

    def expect(self, number):
        """For a reply to a command that was sent ahead."""
        self._next = number

    def settimeout(self, seconds):
        self._link.settimeout(seconds)

    def close(self):
        self._link.close()

    def sendall(self, data):
        for offset in range(0, len(data), CONTENT_MAX):
            content = data[offset:offset + CONTENT_MAX]
            size = 0
            if len(content) >= CONTENT_MIN:
                packed = zlib.compress(content, 1)
                if len(packed) < len(content):
                    size, content = len(content), packed
            header = (len(content).to_bytes(3, "little") + bytes([self._next]) +
                      size.to_bytes(3, "little"))
            self._next = (self._next + 1) & 0xFF
            self._link.sendall(header + content)

    def recv(self, size):
        while self._at == len(self._content):
            header = self._exactly(HEADER_SIZE)
            if not header:
                return b""
            if self.is_strict and header[3] != self._next:
                raise NumberError(f"compressed packet {header[3]}, expected {self._next}")
            self._next = (header[3] + 1) & 0xFF
            self.numbers.append(header[3])
            self.received += 1
            content = self._exactly(int.from_bytes(header[:3], "little"))
            original = int.from_bytes(header[4:7], "little")
            if original:
                content = zlib.decompress(content)
                if len(content) != original:
                    raise NumberError("a compressed packet's length is not what it says")
            else:
                self.stored += 1
            self._content, self._at = content, 0
        part = self._content[self._at:self._at + size]
        self._at += len(part)
        return part

    def _exactly(self, size):
        parts, missing = [], size
        while missing:
            part = self._link.recv(min(missing, 1 << 20))
            if not part:
                return b""
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
