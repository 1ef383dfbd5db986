"""What a server or the proxy offers in its greeting."""

import dataclasses
import socket
import struct

import lab


@dataclasses.dataclass
class Greeting:
    version: str
    identity: int
    offered: int
    offered_mariadb: int

    @property
    def ssl(self):
        return bool(self.offered & 1 << 11)

    @property
    def compress(self):
        return bool(self.offered & 1 << 5)

    @property
    def is_mariadb(self):
        return not self.offered & 1


def parse(payload):
    end = payload.index(b"\0", 1)
    rest = end + 1 + 4 + 8 + 1
    low, _, _, high = struct.unpack_from("<HBHH", payload, rest)
    identity, = struct.unpack_from("<I", payload, end + 1)
    more, = struct.unpack_from("<I", payload, rest + 14)
    return Greeting(payload[1:end].decode(), identity, low | high << 16, more)


def read(port):
    with socket.create_connection((lab.LOOPBACK, port), timeout=30) as link, \
            link.makefile("rb") as reader:
        size = int.from_bytes(reader.read(4)[:3], "little")
        return parse(reader.read(size))
