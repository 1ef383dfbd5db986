"""A relay between the proxy and the server that keeps what passes, speaks from an address of its
own, and can withhold the server's TLS."""

import socket
import threading

import lab

CLIENT_SSL_HIGH_BYTE = 0x08  # of the second byte of the greeting's lower capabilities


class Recording:
    def __init__(self):
        self.up = bytearray()
        self.down = bytearray()

    def has_tls(self):
        """A record of a TLS handshake follows the request for it."""
        return self.up[4 + 32:4 + 32 + 2] == b"\x16\x03"


class Relay:
    """Listens on a port of its own. The end of a stream is passed on in its direction; a reset
    ends both."""

    def __init__(self, target_port, source=None, hides_tls=False):
        self._target = target_port
        self._source = source
        self._hides_tls = hides_tls
        self.recordings = []
        self._links = []
        self._listener = socket.create_server((lab.LOOPBACK, lab.free_port()), backlog=100)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _close(self._listener)
        for link in self._links:
            _close(link)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                source = None if self._source is None else (self._source, 0)
                server = socket.create_connection(
                    (lab.LOOPBACK, self._target), source_address=source)
            except OSError:
                return
            for link in (client, server):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._links += [client, server]
            recording = Recording()
            self.recordings.append(recording)
            for arguments in ((client, server, recording.up, False),
                              (server, client, recording.down, self._hides_tls)):
                threading.Thread(target=_pump, args=arguments, daemon=True).start()


def _without_tls(greeting):
    """The server's greeting, which comes in one piece, without the bit that offers TLS."""
    changed = bytearray(greeting)
    flags = changed.index(b"\0", 5) + 1 + 4 + 8 + 1
    changed[flags + 1] &= ~CLIENT_SSL_HIGH_BYTE & 0xFF
    return bytes(changed)


def _pump(source, target, kept, hides_tls):
    try:
        while data := source.recv(1 << 16):
            if hides_tls:
                data, hides_tls = _without_tls(data), False
            kept += data
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        _close(target)


def _close(link):
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    link.close()
