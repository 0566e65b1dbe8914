"""control_wire - a client of the control port that speaks for itself (docs/spec/logger.md part B)."""
import socket
import struct

LOG_CONTROL, RESULT, ERROR, CREDS = 0x8000, 0x7001, 0x7000, 0x700c
ENQUIRE = 13


class Wire:
    """A client that speaks for itself."""

    def __init__(self, recorder):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(recorder.socket))  # waits for a place in the queue, which a time limit would not
        self.sock.settimeout(60)

    def receive(self):
        head = self.take(12)
        length, kind, sender = struct.unpack(">IIi", head)
        return kind, sender, self.take(length - 12)

    def take(self, n):
        data = b""
        while len(data) < n:
            part = self.sock.recv(n - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def send(self, kind, body):
        self.sock.sendall(struct.pack(">IIi", 12 + len(body), kind, 0) + body)

    def control(self, pmids, control=ENQUIRE, state=0, delta=0, inst=None):
        """Of all instances, or of one."""
        insts = b"" if inst is None else struct.pack(">ii", inst, 0)
        sets = b"".join(struct.pack(">II", pmid, inst is not None) + insts for pmid in pmids)
        self.send(LOG_CONTROL, struct.pack(">iiiI", control, state, delta, len(pmids)) + sets)

    def greet(self):
        kind, sender, body = self.receive()
        assert kind == ERROR
        code, = struct.unpack(">i", body)
        if code > 0:
            self.send(CREDS, struct.pack(">IBBBB", 1, 1, 3, 0, 0))
        return code

    def close(self):
        self.sock.close()


def pmid(domain, cluster, item):
    return domain << 22 | cluster << 10 | item
