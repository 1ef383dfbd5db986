"""A TCP relay that records both directions, may cut what it delivers, and may break connections."""

import random
import select
import socket
import struct
import threading

import lab

UP, DOWN = "client to server", "server to client"


def whole(data):
    yield data


def single_bytes(data):
    for offset in range(len(data)):
        yield data[offset:offset + 1]


class RandomCuts:
    """Pieces of random sizes, mostly small ones. The same seed, the same sizes."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def __call__(self, data):
        offset = 0
        while offset < len(data):
            size = self._random.choice((1, 2, 3, 4, 5, 7, 16, 100, 1000, 40000, 400000))
            size = self._random.randint(1, size)
            yield data[offset:offset + size]
            offset += size


class Recording:
    """What went over one connection: (direction, bytes), in the order of its arrival."""

    def __init__(self):
        self.parts = []
        self._lock = threading.Lock()

    def add(self, direction, data):
        with self._lock:
            self.parts.append((direction, data))

    def bytes_of(self, direction):
        return b"".join(data for way, data in self.parts if way == direction)


class Relay:
    """Listens on a port of its own. cut makes the pieces for one direction; down_max, where it is
    set when a connection opens, is after how many bytes of the server's the connection is broken:
    closed, or reset where break_hard is set."""

    def __init__(self, target_port, cut_up=whole, cut_down=whole, records=True):
        self.target_port = target_port
        self.cuts = {UP: cut_up, DOWN: cut_down}
        self.records = records
        self.recordings = []
        self.down_max = None
        self.break_hard = False
        self._listener = socket.create_server((lab.LOOPBACK, lab.free_port()), backlog=100)
        self.port = self._listener.getsockname()[1]
        self._links = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _shut(self._listener)
        for link in self._links:
            _shut(link)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection((lab.LOOPBACK, self.target_port))
            except OSError:
                return
            for link in (client, server):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._links += [client, server]
            recording = Recording()
            self.recordings.append(recording)
            for direction, source, target, limit in (
                    (UP, client, server, None), (DOWN, server, client, self.down_max)):
                threading.Thread(target=self._pump, daemon=True, args=(
                    direction, source, target, recording, limit)).start()

    def _pump(self, direction, source, target, recording, limit):
        """One direction until its end; an end is passed on as what it was: end or reset."""
        passed = 0
        try:
            while data := _receive(source):
                if limit is not None:
                    data = data[:limit - passed]
                passed += len(data)
                if self.records:
                    recording.add(direction, data)
                for piece in self.cuts[direction](data):
                    target.sendall(piece)
                if limit is not None and passed >= limit:
                    for link in (source, target):
                        _shut(link, self.break_hard)
                    return
            target.shutdown(socket.SHUT_WR)
        except ConnectionError:
            _shut(target, is_hard=True)
        except (OSError, ValueError):
            pass  # closed here, by the other direction


def _receive(source):
    """Waits in short turns: a socket that is closed here while a call waits on it would stay open,
    without its reset, until that call ends."""
    while not select.select([source], [], [], 0.1)[0]:
        pass
    return source.recv(1 << 16)


def _shut(link, is_hard=False):
    """Closes for all threads that use it. Hard: with a reset instead of an orderly end."""
    try:
        if is_hard:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            link.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    link.close()

