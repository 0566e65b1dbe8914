"""The protocol as plain bytes (docs/spec/pdu.md): PDUs made and taken apart, a client without any
library, for tests that say exactly what is sent and when."""
import socket
import struct
import time

ERROR, RESULT, PROFILE, FETCH, DESC_REQ, DESC = range(0x7000, 0x7006)
INSTANCE_REQ, INSTANCE, TEXT_REQ, TEXT, CONTROL_REQ = range(0x7006, 0x700b)
CREDS, PMNS_IDS, PMNS_NAMES, PMNS_CHILD, PMNS_TRAVERSE = range(0x700c, 0x7011)
ATTR, LABEL_REQ, LABEL, HIGHRES_FETCH, HIGHRES_RESULT, DESC_IDS, DESCS = range(0x7011, 0x7018)

PM_ERR_NAME = -12357
PM_ERR_PMID = -12358
PM_ERR_INDOM = -12359
PM_ERR_INST = -12360
PM_ERR_IPC = -12366
PM_ERR_TIMEOUT = -12353
PM_ERR_NOPROFILE = -12381
PM_ERR_NOAGENT = -12386
PM_ERR_PERMISSION = -12387
PM_ERR_AGAIN = -12389
PM_ERR_NONLEAF = -12394
PM_ERR_TYPE = -12397
PM_ERR_BADSTORE = -12400
PM_ERR_TOOBIG = -12444
PM_ERR_PMDAFENCED = -12411
PM_ERR_PMDAREADY = -13393
PM_ERR_PMDANOTREADY = -13394

NULL_ID = 0xffffffff


def pmid(domain, cluster, item):
    return domain << 22 | cluster << 10 | item


def pdu(kind, body=b"", sender=0):
    return struct.pack(">iii", 12 + len(body), kind, sender) + body


def pad(text):
    text = text.encode() if isinstance(text, str) else text
    return text + b"~" * (-len(text) % 4)


def counted(text):
    return struct.pack(">i", len(text)) + pad(text)


def error(code, sender=0):
    return pdu(ERROR, struct.pack(">i", code), sender)


def creds(version=2, flags=0, sender=1):
    return pdu(CREDS, struct.pack(">iI", 1, 1 << 24 | version << 16 | flags), sender)


def profile(slot=0, state=0, entries=()):
    """entries: (indom, state, [instances])."""
    body = struct.pack(">iiii", slot, state, len(entries), 0)
    for indom, entry_state, insts in entries:
        body += struct.pack(">Iiii", indom, entry_state, len(insts), 0)
    for _, _, insts in entries:
        body += b"".join(struct.pack(">i", i) for i in insts)
    return pdu(PROFILE, body)


def fetch(pmids, slot=0, kind=FETCH):
    return pdu(kind, struct.pack(">iiii", slot, 0, 0, len(pmids)) + b"".join(struct.pack(">I", p) for p in pmids))


def desc_req(ident):
    return pdu(DESC_REQ, struct.pack(">I", ident))


def desc_ids(pmids):
    return pdu(DESC_IDS, struct.pack(">ii", -1, len(pmids)) + b"".join(struct.pack(">I", p) for p in pmids))


def instance_req(indom, inst=-1, name=""):
    return pdu(INSTANCE_REQ, struct.pack(">Iiii", indom, 0, 0, inst) + counted(name))


def text_req(ident, kind):
    return pdu(TEXT_REQ, struct.pack(">Ii", ident, kind))


def label_req(ident, kind):
    return pdu(LABEL_REQ, struct.pack(">Ii", ident, kind))


def names_req(names):
    body = struct.pack(">iii", sum(len(n) + 1 for n in names), 0, len(names))
    return pdu(PMNS_NAMES, body + b"".join(counted(n) for n in names))


def ids_req(ident):
    return pdu(PMNS_IDS, struct.pack(">iiI", 0, 1, ident))


def child_req(name, status=0):
    return pdu(PMNS_CHILD, struct.pack(">i", status) + counted(name))


def traverse_req(name):
    return pdu(PMNS_TRAVERSE, struct.pack(">i", 0) + counted(name))


def store(sets):
    """sets: (pmid, [(inst, word)] for values in place or [(inst, text)] for strings)."""
    head = 24 + sum(12 + 8 * len(values) if values else 8 for _, values in sets)
    out, blocks = b"", b""
    for ident, values in sets:
        out += struct.pack(">Ii", ident, len(values))
        if not values:
            continue
        text = isinstance(values[0][1], str)
        out += struct.pack(">i", 1 if text else 0)
        for inst, value in values:
            if text:
                out += struct.pack(">ii", inst, (head + len(blocks)) // 4)
                raw = value.encode() + b"\0"
                blocks += pad(struct.pack(">I", 6 << 24 | len(raw) + 4) + raw)
            else:
                out += struct.pack(">ii", inst, value)
    return pdu(RESULT, struct.pack(">iii", 0, 0, len(sets)) + out + blocks)


def vsets(raw, at, count):
    """The value sets of a result: {pmid: error or [(inst, word or block bytes)]}, in order."""
    out = []
    for _ in range(count):
        ident, numval = struct.unpack_from(">Ii", raw, at)
        at += 8
        if numval <= 0:
            out.append((ident, numval))
            continue
        valfmt, = struct.unpack_from(">i", raw, at)
        at += 4
        values = []
        for _ in range(numval):
            inst, word = struct.unpack_from(">iI", raw, at)
            at += 8
            if valfmt != 0:
                length = struct.unpack_from(">I", raw, word * 4)[0] & 0xffffff
                word = raw[word * 4 + 4:word * 4 + length]
            values.append((inst, word))
        out.append((ident, values))
    return out


class Pdu:
    """One PDU that has come."""

    def __init__(self, raw):
        self.raw = raw
        self.len, self.kind, self.sender = struct.unpack_from(">iii", raw)

    def __repr__(self):
        return f"<{self.kind:#x} {self.raw[12:60].hex()}>"

    def words(self, count, at=12):
        return struct.unpack_from(f">{count}i", self.raw, at)

    @property
    def code(self):
        """Of an ERROR."""
        assert self.kind == ERROR, self
        return self.words(1)[0]

    @property
    def values(self):
        """Of a RESULT or HIGHRES_RESULT: [(pmid, error or [(inst, value)])]."""
        if self.kind == HIGHRES_RESULT:
            return vsets(self.raw, 32, self.words(1)[0])
        assert self.kind == RESULT, self
        return vsets(self.raw, 24, self.words(1, 20)[0])

    @property
    def names(self):
        """Of a PMNS_NAMES: [(name, status or None)]."""
        assert self.kind == PMNS_NAMES, self
        _, numstatus, count = self.words(3)
        at, out = 24, []
        for _ in range(count):
            status = None
            if numstatus:
                status, = struct.unpack_from(">i", self.raw, at)
                at += 4
            length, = struct.unpack_from(">i", self.raw, at)
            out.append((self.raw[at + 4:at + 4 + length].decode(), status))
            at += 4 + length + -length % 4
        return out

    @property
    def instances(self):
        """Of an INSTANCE: [(inst, name)]."""
        assert self.kind == INSTANCE, self
        count, at, out = self.words(1, 16)[0], 20, []
        for _ in range(count):
            inst, length = struct.unpack_from(">ii", self.raw, at)
            out.append((inst, self.raw[at + 8:at + 8 + length].decode()))
            at += 8 + length + -length % 4
        return out


class Closed(Exception):
    """The other side has ended the connection."""


class Client:
    """A connection with a collector; address is a path or (host, port), source an address of this machine."""

    def __init__(self, address, handshake=True, timeout_s=60, source=None):
        family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
        self.sock = socket.socket(family)
        self.sock.settimeout(timeout_s)
        if source is not None:
            self.sock.bind((source, 0))
        self.sock.connect(address if isinstance(address, tuple) else str(address))
        self.hello = None
        if handshake:
            self.hello = self.receive()
            self.send(creds())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)

    def _exactly(self, count):
        out = b""
        while len(out) < count:
            try:
                more = self.sock.recv(count - len(out))
            except (ConnectionResetError, BrokenPipeError):
                more = b""
            if not more:
                raise Closed()
            out += more
        return out

    def receive(self):
        head = self._exactly(12)
        return Pdu(head + self._exactly(struct.unpack_from(">i", head)[0] - 12))

    def ask(self, data):
        self.send(data)
        return self.receive()

    def fetch(self, pmids, slot=0, kind=FETCH):
        """The reply, and the mask of changes that came before it."""
        mask = 0
        got = self.ask(fetch(pmids, slot, kind))
        while got.kind == ERROR and got.code > 0:
            mask |= got.code
            got = self.receive()
        got.mask = mask
        return got

    def value(self, ident):
        """The single value of a metric, or its error."""
        values = self.fetch([ident]).values[0][1]
        return values[0][1] if isinstance(values, list) else values

    def is_closed(self):
        """True when the other side closes within the time-out, and says nothing before."""
        try:
            self.receive()
        except Closed:
            return True
        except TimeoutError:
            return False
        return False


def ready(address, **more):
    """A client with a profile for slot 0: ready to fetch."""
    client = Client(address, **more)
    client.send(profile())
    return client


def latencies(client, ident, seconds):
    """Seconds that each of a series of one-metric fetches took."""
    out, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        client.fetch([ident])
        out.append(time.monotonic() - start)
    return out
