"""Version-2 archives made by hand: what a test wants to see in one, record by record (docs/spec/archive.md)."""
import pathlib
import struct

COUNTER, INSTANT, DISCRETE = 1, 3, 4
I32, U32, I64, U64, FLOAT, DOUBLE, STRING, AGGREGATE = 0, 1, 2, 3, 4, 5, 6, 7
NO_INDOM = 0xffffffff
START = 1700000000

BLOCKS = {I64: ">q", U64: ">Q", FLOAT: ">f", DOUBLE: ">d"}


def framed(payload):
    size = struct.pack(">I", len(payload) + 8)
    return size + payload + size


def block(kind, value):
    data = value if isinstance(value, bytes) else struct.pack(BLOCKS[kind], value)
    head = struct.pack(">I", kind << 24 | (len(data) + 4))
    return head + data + b"~" * (-len(data) % 4)


class Handmade:
    """Metrics are (pmid, type, indom, sem, name); times are seconds after START."""

    def __init__(self, metrics, host="h", zone="UTC"):
        self.types = {row[0]: row[1] for row in metrics}
        self.host, self.zone = host, zone
        self.meta, self.data = [], []
        for pmid, kind, indom, sem, name, *units in metrics:
            word = name.encode()
            self.meta.append(framed(struct.pack(">iIiIiIII", 1, pmid, kind, indom, sem, units[0] if units else 0,
                                                1, len(word)) + word))

    @staticmethod
    def stamp(when):
        usec = round(when * 1000000)
        return struct.pack(">ii", START + usec // 1000000, usec % 1000000)

    def indom(self, when, indom, names):
        ids, text = sorted(names), b"".join(names[i].encode() + b"\0" for i in sorted(names))
        at, offsets = 0, []
        for i in ids:
            offsets.append(at)
            at += len(names[i].encode()) + 1
        self.meta.append(framed(struct.pack(">i", 2) + self.stamp(when) +
                                struct.pack(">II%di%di" % (len(ids), len(ids)), indom, len(ids), *ids, *offsets) + text))

    def record(self, when, sets):
        """sets: {pmid: a value, {inst: value}, or an error code as [code]}"""
        heads, blocks = b"", b""
        room = 24 + sum(8 if isinstance(v, list) else 12 + 8 * (len(v) if isinstance(v, dict) else 1)
                        for v in sets.values())
        for pmid, value in sets.items():
            if isinstance(value, list):
                heads += struct.pack(">Ii", pmid, value[0])
                continue
            values = value if isinstance(value, dict) else {-1: value}
            kind = self.types[pmid]
            insitu = kind in (I32, U32)
            heads += struct.pack(">Iii", pmid, len(values), 0 if insitu else 1)
            for inst, one in values.items():
                if insitu:
                    heads += struct.pack(">iI", inst, one & 0xffffffff)
                else:
                    heads += struct.pack(">iI", inst, (room + len(blocks)) // 4)
                    blocks += block(kind, one)
        self.data.append((when, framed(self.stamp(when) + struct.pack(">I", len(sets)) + heads + blocks)))

    def mark(self, when):
        self.record(when, {})

    def label(self, volume):
        return framed(struct.pack(">II", 0x50052602, 1) + self.stamp(self.data[0][0]) + struct.pack(">i", volume) +
                      self.host.encode().ljust(64, b"\0") + self.zone.encode().ljust(40, b"\0"))

    def write(self, base):
        meta = self.label(-1) + b"".join(self.meta)
        body = self.label(0) + b"".join(record for _, record in self.data)
        last_at = len(body) - len(self.data[-1][1])
        entries = [struct.pack(">iII", 0, 132, 132), struct.pack(">iII", 0, len(meta), last_at)]
        index = self.label(-2) + self.stamp(self.data[0][0]) + entries[0] + self.stamp(self.data[-1][0]) + entries[1]
        for suffix, data in (("meta", meta), ("0", body), ("index", index)):
            pathlib.Path(f"{base}.{suffix}").write_bytes(data)
