#!/usr/bin/env python3
"""An agent whose events are of every kind that the protocol allows: parameters of each type with extreme values, all
flags, missed records, records without parameters, parameters of unknown metrics.

    ev DOMAIN pipe binary python3 event_agent.py DOMAIN

The events are the same at each fetch; NAMES are its metrics, INSTANCES those of DOMAIN.1. A number stored into
ev.control: 1, there are no values; 2, values are not available now; 0 (or SIGUSR1), back to normal.
"""
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pipe_agent  # noqa: E402
import wire  # noqa: E402

INT, UINT, LONG, ULONG, FLOAT, DOUBLE, STRING, AGGREGATE = range(8)
EVENT, HIGHRES = 9, 10
NAMES = {"records": (0, 0, EVENT), "highres": (0, 1, HIGHRES), "plain": (0, 2, HIGHRES), "control": (0, 3, INT),
         "odd": (0, 4, EVENT), "typeless": (0, 5, EVENT),
         "param.int": (1, 0, INT), "param.uint": (1, 1, UINT), "param.long": (1, 2, LONG), "param.ulong": (1, 3, ULONG),
         "param.float": (1, 4, FLOAT), "param.double": (1, 5, DOUBLE), "param.string": (1, 6, STRING),
         "param.aggregate": (1, 7, AGGREGATE), "param.event": (1, 8, STRING), "other.int": (1, 9, INT),
         "param.static": (1, 10, 8), "param.unknown": (1, 11, 255)}
INSTANCES = {1: "4711 worker", 2: "4712.2 two words"}
FORMS = {INT: ">i", UINT: ">I", LONG: ">q", ULONG: ">Q", FLOAT: ">f", DOUBLE: ">d"}
POINT, START, END, ID, PARENT, MISSED = 1, 2, 4, 8, 16, 1 << 31
SECOND = 1700000000


def text(value):
    return value.encode("utf-8", "surrogateescape") + b"\0"


# Flags; parameters by name, or how many events were missed.
RECORDS = [
    (POINT, [("param.event", text("tick")), ("param.int", -1), ("param.uint", 2**32 - 1), ("param.long", -2**63),
             ("param.ulong", 2**64 - 1), ("param.float", 0.1), ("param.double", 1 / 3), ("param.string", text("a b")),
             ("param.aggregate", b"bytes")]),
    (0, []),
    (POINT, []),
    (START | ID, [("param.event", text("begin \"it\"")), ("param.int", 5), ("other.int", 6)]),
    (END | ID | PARENT, [("param.event", text("")), ("param.string", text("")), ("param.string", text("t\u00e4xt\n\x1b[31m\u0085")),
                         ("param.string", b"no end"), ("param.string", text("bad \udcff"))]),
    (START | END, [("param.aggregate", data) for data in (
        b"", b"\x01\x02\x03\x04", b"\xff" * 8, b"a", b"text", b"text\0", b"line\n", b"hullo world!" * 9, bytes(range(20)))]),
    (MISSED, 7),
    (POINT | 1 << 30, [("param.float", float("inf")), ("param.float", 1e-30), ("param.double", float("nan")),
                       ("param.double", -1e300), ("param.double", 0.0)]),
    (POINT, [("param.ulong", 0), ("param.long", 2**63 - 1), ("param.int", 2**31 - 1)]),
    (MISSED, 70000),
]
# With parameters of unknown metrics, and with one whose type a parameter cannot have.
ODD = [(POINT, [((2, 0, INT), 5), ("param.int", 1), ((2, 1, STRING), text("unknown"))]),
       (POINT, [("param.static", b"static"), ("param.static", b"")])]
TYPELESS = [(POINT, [("param.int", 1)]), (POINT, [("param.unknown", b"what")])]
SINGULAR = {"plain": RECORDS[:4], "odd": ODD, "typeless": TYPELESS}


def parameter(domain, name, value):
    cluster, item, kind = NAMES.get(name, name)
    data = value if isinstance(value, bytes) else struct.pack(FORMS[kind], value)
    return struct.pack(">II", wire.pmid(domain, cluster, item), kind << 24 | len(data) + 4) + wire.pad(data)


def array(domain, highres, records, first):
    """The block of a value: its records are a second apart."""
    out = struct.pack(">I", len(records))
    for i, (flags, what) in enumerate(records):
        out += struct.pack(">qq", first + i, 123456789) if highres else struct.pack(">ii", first + i, 123456)
        if flags == MISSED:
            out += struct.pack(">II", flags, what)
        else:
            out += struct.pack(">II", flags, len(what)) + b"".join(parameter(domain, *p) for p in what)
    return struct.pack(">I", (HIGHRES if highres else EVENT) << 24 | len(out) + 4) + out


def names(domain):
    """The name space of the agent, as a file for pmcd -n."""
    groups = {}
    for name, (cluster, item, _) in NAMES.items():
        group, _, leaf = name.rpartition(".")
        groups.setdefault(group, []).append(f"\t{leaf}\t{domain}:{cluster}:{item}")
    out = "root {\n\tev\n}\nev {\n" + "\n".join(groups[""] + [f"\t{g}" for g in groups if g]) + "\n}\n"
    return out + "".join(f"ev.{g} {{\n" + "\n".join(lines) + "\n}\n" for g, lines in groups.items() if g)


class Agent(pipe_agent.Agent):
    control = 0

    def metric(self, ident):
        return next(((n, *where) for n, where in NAMES.items() if wire.pmid(self.domain, *where[:2]) == ident), None)

    def desc(self, got):
        ident = got.words(1)[0] & 0xffffffff
        found = self.metric(ident)
        if found is None:
            return wire.error(wire.PM_ERR_PMID)
        indom = self.indom() if found[0] in ("records", "highres") else wire.NULL_ID
        return wire.pdu(wire.DESC, struct.pack(">IiIiI", ident, found[3], indom, 3, 0))

    def instance(self, got):
        inst, length = got.words(2, 24)
        name = got.raw[32:32 + length].decode()
        found = [(i, n) for i, n in INSTANCES.items() if i == inst or n == name or (inst == -1 and not name)]
        if not found:
            return wire.error(wire.PM_ERR_INST)
        body = b"".join(struct.pack(">i", i) + wire.counted(n) for i, n in found)
        return wire.pdu(wire.INSTANCE, struct.pack(">Ii", self.indom(), len(found)) + body)

    def fetch(self, got):
        pmids = [w & 0xffffffff for w in got.words(got.words(1, 24)[0], 28)]
        sets = [self.blocks(p) for p in pmids]
        at = 24 + sum(12 + 8 * len(s) if isinstance(s, list) and s else 8 for s in sets)
        head, tail = b"", b""
        for ident, values in zip(pmids, sets):
            if not values or isinstance(values, int):
                head += struct.pack(">Ii", ident, values or 0)
                continue
            head += struct.pack(">Iii", ident, len(values), 1)
            for inst, block in values:
                head += struct.pack(">ii", inst, (at + len(tail)) // 4)
                tail += wire.pad(block)
        return wire.pdu(wire.RESULT, struct.pack(">iii", 0, 0, len(pmids)) + head + tail)

    def blocks(self, ident):
        """The values of a metric: (instance, block) each, or an error."""
        found = self.metric(ident)
        if found is None:
            return wire.PM_ERR_PMID
        if self.control == 2:
            return wire.PM_ERR_AGAIN
        if found[3] not in (EVENT, HIGHRES) or self.control == 1:
            return []
        highres = found[3] == HIGHRES
        if found[0] in SINGULAR:
            return [(-1, array(self.domain, highres, SINGULAR[found[0]], SECOND))]
        few = array(self.domain, highres, [], SECOND)
        return [(1, array(self.domain, highres, RECORDS, SECOND)), (2, few)]

    def store(self, got):
        for ident, values in wire.vsets(got.raw, 24, got.words(1, 20)[0]):
            self.control = values[0][1]
        return wire.error(0)

    def serve(self):
        signal.signal(signal.SIGUSR1, lambda *_: setattr(self, "control", 0))
        super().serve()

    ANSWERS = {**pipe_agent.Agent.ANSWERS, wire.FETCH: fetch, wire.DESC_REQ: desc, wire.INSTANCE_REQ: instance,
               wire.RESULT: store}


if __name__ == "__main__":
    Agent(int(sys.argv[1]), sys.argv[2:]).serve()
