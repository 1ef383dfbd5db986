"""A client that shows what drivers hide: each leg's layers, packet numbers, and the plugins' own
packets. Built on the bare client of the driver tests."""

import hashlib
import pathlib
import socket
import ssl
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "drivers"), str(HERE.parents[1] / "support")]

import layers  # noqa: E402
import wire  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ed25519, padding  # noqa: E402

CLIENT_COMPRESS = 1 << 5
CLIENT_LOCAL_FILES = 1 << 7
CLIENT_SSL = 1 << 11

LOOPBACK = "127.0.0.1"
KEPT_MAX = 1 << 20
NATIVE = "mysql_native_password"
SHA2 = "caching_sha2_password"
ED25519 = "client_ed25519"
CLEAR = "mysql_clear_password"

# What a client cannot know: that the other side is not what it should be.
LOST = (wire.Closed, ConnectionError, ssl.SSLError, socket.timeout)

ServerError = wire.ServerError


class NotOffered(Exception):
    """The greeting has not what the client insists on."""


class OutOfOrder(Exception):
    """A packet has not the number that it must have."""


def tls(version=None, authority=None, certificate=None):
    """A context for a client that uses TLS of one version, or any."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if authority is not None:
        context.load_verify_locations(str(authority))
        context.verify_mode = ssl.CERT_REQUIRED
    if certificate is not None:
        context.load_cert_chain(str(certificate.path), str(certificate.key))
    if version is not None:
        context.minimum_version = context.maximum_version = version
    return context


def open_socket(target, seconds=30, source=None):
    """target: a port of the loopback address, (host, port), or the path of a unix socket."""
    if isinstance(target, (str, pathlib.Path)):
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(seconds)
        link.connect(str(target))
        return link
    address = (LOOPBACK, target) if isinstance(target, int) else target
    link = socket.create_connection(
        address, timeout=seconds, source_address=None if source is None else (source, 0))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


class Client(wire.Wire):
    """`header` is sent first, for PROXY headers. Packet numbers are checked where a client checks
    them: everywhere, but on compressed connections only those of the compressed packets."""

    def __init__(self, target, seconds=30, header=b"", source=None):
        self.socket = open_socket(target, seconds, source)
        self.is_unix = self.socket.family == socket.AF_UNIX
        self.sequence = 0
        self.raw = bytearray()
        self.status = 0
        self.capabilities = 0
        self.packed = None
        self.tls = None
        if header:
            self.socket.sendall(header)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read_exactly(self, size):
        """Of large packets nothing is kept in raw."""
        parts, missing = [], size
        while missing:
            part = self.socket.recv(min(missing, 1 << 18))
            if not part:
                raise wire.Closed()
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        if size <= KEPT_MAX:
            self.raw += data
        return data

    def read_packet(self):
        payload = b""
        while True:
            header = self.read_exactly(4)
            size = int.from_bytes(header[:3], "little")
            if self.packed is None and header[3] != self.sequence:
                raise OutOfOrder(f"packet {header[3]}, expected {self.sequence}")
            self.sequence = (header[3] + 1) & 0xFF
            payload += self.read_exactly(size)
            if size < wire.PAYLOAD_MAX:
                return payload

    def command(self, number, payload=b""):
        if self.packed is not None:
            self.packed.begin_command()
        super().command(number, payload)

    def head(self, capabilities):
        """What a login begins with, and all that a request for TLS has."""
        return struct.pack("<IIB23x", capabilities, 1 << 24, 45)

    def log_in(self, user, password, database="", context=None, compress=False, plugin=NATIVE,
               more=0):
        """context: a TLS context for a client that insists on TLS."""
        self.read_greeting()
        wanted = wire.BASE_CAPABILITIES | more
        for needed, flag in ((context, CLIENT_SSL), (compress, CLIENT_COMPRESS)):
            if needed:
                if not self.offered & flag:
                    raise NotOffered("TLS" if flag == CLIENT_SSL else "compression")
                wanted |= flag
        self.capabilities = wanted & self.offered
        if context is not None:
            self.start_tls(context)
        answer = self.first_answer(plugin, password)
        self.send_packet(self.head(self.capabilities) + user.encode() + b"\0" +
                         bytes([len(answer)]) + answer + database.encode() + b"\0" +
                         plugin.encode() + b"\0")
        self.finish_auth(password)
        if compress:
            self.packed = self.socket = layers.Packed(self.socket)
        return self

    def start_tls(self, context):
        self.send_packet(self.head(self.capabilities | CLIENT_SSL))
        self.socket = self.tls = context.wrap_socket(self.socket)

    def first_answer(self, plugin, password):
        if plugin == NATIVE:
            return wire.scramble(password, self.salt[:20])
        if plugin == SHA2:
            return wire.scramble_sha2(password, self.salt[:20])
        if plugin == CLEAR:
            return password.encode() + b"\0"
        return b""

    def finish_auth(self, password):
        salt = self.salt
        while True:
            reply = self.read_packet()
            if reply[:1] == b"\0":
                return
            if reply[:1] == b"\xff":
                raise wire.ServerError(reply)
            if reply[:1] == b"\xfe":
                name, _, salt = reply[1:].partition(b"\0")
                self.send_packet(self.answer(name.decode(), password, salt))
            elif reply == b"\x01\x04":
                self.send_packet(self.full_answer(password, salt))
            elif reply != b"\x01\x03":
                raise ValueError(f"unexpected packet in a login: {reply[:20]!r}")

    def answer(self, plugin, password, salt):
        if plugin == ED25519:
            # The password itself is what the key is made from, so that one of 32 bytes is a seed.
            return ed25519.Ed25519PrivateKey.from_private_bytes(password.encode()).sign(salt[:32])
        self.salt = salt
        return self.first_answer(plugin, password)

    def full_answer(self, password, salt):
        """caching_sha2_password, when the server has not the password in its cache."""
        if self.tls is not None or self.is_unix:
            return password.encode() + b"\0"
        self.send_packet(b"\x02")
        reply = self.read_packet()
        if reply[:1] == b"\xff":
            raise wire.ServerError(reply)
        key = serialization.load_pem_public_key(reply[1:])
        text = password.encode() + b"\0"
        mask = (salt[:20] * (len(text) // 20 + 1))[:len(text)]
        mixed = bytes(a ^ b for a, b in zip(text, mask))
        sha1 = hashes.SHA1()
        return key.encrypt(mixed, padding.OAEP(padding.MGF1(sha1), sha1, None))

    def change_user(self, user, password, database="", plugin=NATIVE):
        answer = self.first_answer(plugin, password)
        self.command(wire.COM_CHANGE_USER, user.encode() + b"\0" + bytes([len(answer)]) + answer +
                     database.encode() + b"\0" + struct.pack("<H", 45) + plugin.encode() + b"\0")
        self.finish_auth(password)

    def rows(self, sql):
        """The text rows of one result."""
        self.command(wire.COM_QUERY, sql.encode())
        first = self.read_packet()
        if first[:1] == b"\xff":
            raise wire.ServerError(first)
        if first[:1] == b"\0":
            return []
        for _ in range(self._integer(first, 0)[0] + 1):
            self.read_packet()
        rows = []
        while True:
            packet = self.read_packet()
            if packet[:1] == b"\xff":
                raise wire.ServerError(packet)
            if packet[:1] == b"\xfe" and len(packet) == 5:
                return rows
            rows.append(self._row(packet))

    def _row(self, packet):
        row, offset = [], 0
        while offset < len(packet):
            if packet[offset] == 0xFB:
                row.append(None)
                offset += 1
                continue
            size, offset = self._integer(packet, offset)
            row.append(packet[offset:offset + size])
            offset += size
        return row

    def value(self, sql):
        return self.rows(sql)[0][-1].decode()

    def load_local(self, sql, data):
        """LOAD DATA LOCAL; returns the rows it loaded."""
        self.command(wire.COM_QUERY, sql.encode())
        first = self.read_packet()
        if first[:1] == b"\xff":
            raise wire.ServerError(first)
        for offset in range(0, len(data), 1 << 16):
            self.send_packet(data[offset:offset + (1 << 16)])
        self.send_packet(b"")
        reply = self.read_packet()
        if reply[:1] == b"\xff":
            raise wire.ServerError(reply)
        return self._integer(reply, 1)[0]


def digest(data):
    return hashlib.sha256(data).hexdigest()
