"""Recorded connections as packets, with what must differ from run to run taken out by name."""

import dataclasses
import re
import struct

import relay

COM_STMT_PREPARE = 0x16
# Commands that begin with a statement's id.
COM_OF_STATEMENT = {0x17, 0x18, 0x19, 0x1A, 0x1C, 0xFA}
COM_WITHOUT_REPLY = {0x01, 0x18, 0x19}
MARIADB_PROGRESS = 1
# MariaDB: the statement that this connection prepared last.
MARIADB_DIRECT = b"\xff\xff\xff\xff"


@dataclasses.dataclass
class Packet:
    direction: str
    sequence: int
    payload: bytes


def packets(recording):
    """In the order in which they were complete; and what is left over in each direction."""
    pending = {relay.UP: bytearray(), relay.DOWN: bytearray()}
    found = []
    for direction, data in recording.parts:
        buffer = pending[direction]
        buffer += data
        offset = 0
        while len(buffer) - offset >= 4:
            size = int.from_bytes(buffer[offset:offset + 3], "little")
            if len(buffer) - offset < 4 + size:
                break
            found.append(Packet(direction, buffer[offset + 3],
                                bytes(buffer[offset + 4:offset + 4 + size])))
            offset += 4 + size
        del buffer[:offset]
    return found, {way: bytes(rest) for way, rest in pending.items()}


def greeting_without(payload, masked, mariadb_masked):
    """The server's greeting without the connection's id, the salt, and the masked bits."""
    end = payload.index(b"\0", 1) + 1
    data = bytearray(payload)
    data[end:end + 4] = bytes(4)
    data[end + 4:end + 12] = bytes(8)
    rest = end + 13
    low, = struct.unpack_from("<H", data, rest)
    high, = struct.unpack_from("<H", data, rest + 5)
    flags = (low | high << 16) & ~masked
    struct.pack_into("<H", data, rest, flags & 0xFFFF)
    struct.pack_into("<H", data, rest + 5, flags >> 16)
    if not low & 1:
        more, = struct.unpack_from("<I", data, rest + 14)
        struct.pack_into("<I", data, rest + 14, more & ~mariadb_masked)
    salt = rest + 18
    data[salt:salt + 12] = bytes(12)
    return bytes(data)


def login_without(payload, masked, mariadb_masked):
    """The client's login without its answer to the salt, its process id, and the masked bits."""
    data = bytearray(payload)
    flags, = struct.unpack_from("<I", data, 0)
    struct.pack_into("<I", data, 0, flags & ~masked)
    if not flags & 1:
        more, = struct.unpack_from("<I", data, 28)
        struct.pack_into("<I", data, 28, more & ~mariadb_masked)
    end = data.index(b"\0", 32) + 1
    size = data[end]
    data[end + 1:end + 1 + size] = bytes(size)
    text = re.sub(rb"\x04_pid.\d+", b"_pid", bytes(data), flags=re.DOTALL)
    # The block of attributes begins with its length, which the process id changes.
    where = text.rfind(b"password\0")
    return text if where < 0 else text[:where + 9] + b"attributes" + text[where + 10:]


def comparable(recording, masked, mariadb_masked):
    """Lines of (direction, sequence, payload) that must be equal in two runs of the same client."""
    found, left = packets(recording)
    identities, lines, commands, is_login, dropped = {}, [], [], True, 0
    for number, packet in enumerate(found):
        payload = packet.payload
        if packet.sequence == 0:
            dropped = 0
        if mariadb_masked & MARIADB_PROGRESS and packet.direction == relay.DOWN and \
                payload[:3] == b"\xff\xff\xff":
            dropped += 1  # a report of progress: the capability is masked
            continue
        if number == 0:
            payload = greeting_without(payload, masked, mariadb_masked)
        elif number == 1:
            payload = login_without(payload, masked, mariadb_masked)
        elif is_login:
            payload = _of_login(packet)
            is_login = not (packet.direction == relay.DOWN and payload[:1] in (b"\0", b"\xff"))
        elif packet.direction == relay.UP and packet.sequence == 0:
            command = payload[0] if payload else None
            if command in COM_OF_STATEMENT and payload[1:5] != MARIADB_DIRECT:
                payload = payload[:1] + _ordinal(identities, payload[1:5]) + payload[5:]
            if command not in COM_WITHOUT_REPLY:
                commands.append([command, 1])
        elif packet.direction == relay.UP and commands:
            commands[-1][1] = (packet.sequence + 1) & 0xFF  # a command of more than 16 MB
        elif packet.direction == relay.DOWN and commands and packet.sequence == commands[0][1]:
            if commands.pop(0)[0] == COM_STMT_PREPARE and payload[:1] == b"\0":
                payload = payload[:1] + _ordinal(identities, payload[1:5]) + payload[5:]
        lines.append((packet.direction, (packet.sequence - dropped) & 0xFF, payload))
    return lines + [(way, "incomplete", rest) for way, rest in left.items() if rest]


def _of_login(packet):
    """Turns of a login: the salt of a switch, and answers to it, are of this run alone."""
    payload = packet.payload
    if packet.direction == relay.UP:
        return f"answer of {len(payload)} bytes".encode()
    if payload[:1] == b"\xfe":
        plugin, _, salt = payload[1:].partition(b"\0")
        return b"\xfe" + plugin + f" salt of {len(salt)} bytes".encode()
    return payload


def _ordinal(identities, identity):
    """Servers count statements over all connections: the first of a connection becomes 1."""
    return struct.pack("<I", identities.setdefault(identity, len(identities) + 1))
