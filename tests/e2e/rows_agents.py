"""Rows of what agents answer: good, bad, late, not at all (pdu.md 5, 10, 13; pmcd.md 8, 9.1-9.4).

The scripted agent is told what to say next by a store into its metric STRINGS: so each row is whole in
itself. pmcd.agent.status, asked behind it, says what the collector thinks of the agent then.
"""
import struct

import wire
from rows import MANY, NUMCLIENTS, ONE, OTHER, PUPPET, STATUS, STRINGS, Row, differs, unique
from rows_session import word

READY = wire.profile()
INDOM = PUPPET << 22 | 1
DEAD_8, DEAD_2 = 8, 2
KEPT = "design.md: an agent that misses the time-out is kept"


def says(*steps):
    """What the agent does at its next request: bytes, or words of pipe_agent.py."""
    return wire.store([(STRINGS, [(-1, " ".join(s.hex() if isinstance(s, bytes) else s for s in steps))])])


def pull(request, *steps):
    """The request, the agent's answer to it, and what the collector says of the agent."""
    return READY + says(*steps) + request + wire.fetch([STATUS])


def result(*sets, flags=0, count=None, blocks=b""):
    return wire.pdu(wire.RESULT, word(flags, 0, len(sets) if count is None else count) + b"".join(sets) + blocks)


def vset(ident, *values):
    """values: words for one value each, under instance -1; none: no values."""
    return struct.pack(">Ii", ident, len(values)) + (word(0) + b"".join(word(-1, v) for v in values) if values else b"")


def failed(ident, code):
    return struct.pack(">Ii", ident, code)


STATUS_TAKEN = "6.0.3 takes a status for the answer, and ends by some"
FETCH, FETCH2 = wire.fetch([ONE]), wire.fetch([MANY, ONE])
GOOD = result(vset(ONE, 7))
UNKNOWN_TYPE = wire.pdu(0x7055, bytes(4))

# For every request that goes to one agent: the request, a good answer, and one of another kind.
SINGLE = {
    "FETCH": (FETCH, GOOD),
    "DESC": (wire.desc_req(ONE), wire.pdu(wire.DESC, struct.pack(">IiIiI", ONE, 3, wire.NULL_ID, 1, 0x10010000))),
    "DESC_IDS": (wire.desc_ids([ONE]), wire.pdu(wire.DESC, struct.pack(">IiIiI", ONE, 3, wire.NULL_ID, 1, 0))),
    "INSTANCE": (wire.instance_req(INDOM), wire.pdu(wire.INSTANCE, struct.pack(">Ii", INDOM, 1) + word(5) + wire.counted("five"))),
    "TEXT": (wire.text_req(ONE, 5), wire.pdu(wire.TEXT, struct.pack(">I", ONE) + wire.counted("some text"))),
    "LABEL": (wire.label_req(PUPPET, 2), wire.pdu(wire.LABEL, word(PUPPET, 2, 0, 1, -1, 1, 52, 7) + struct.pack(
        ">HBBHH", 2, 1, 2, 5, 1) + b'{"a":1}')),
    "NAMES": (wire.names_req([f"dyn{PUPPET}.x"]), wire.pdu(wire.PMNS_IDS, struct.pack(">iiI", 0, 1, MANY))),
    "IDS": (wire.ids_req(MANY), wire.pdu(wire.PMNS_NAMES, word(5, 0, 1) + wire.counted("many"))),
    "CHILD": (wire.child_req(f"dyn{PUPPET}"), wire.pdu(wire.PMNS_NAMES, word(5, 0, 1) + wire.counted("many"))),
    "CHILD.status": (wire.child_req(f"dyn{PUPPET}", 1), wire.pdu(wire.PMNS_NAMES, word(5, 1, 1) + word(1) + wire.counted("many"))),
    "TRAVERSE": (wire.traverse_req(f"dyn{PUPPET}"), wire.pdu(wire.PMNS_NAMES, word(5, 0, 1) + wire.counted("many"))),
    "TRAVERSE.below": (wire.traverse_req(f"dyn{PUPPET}.x"), wire.pdu(wire.PMNS_NAMES, word(5, 0, 1) + wire.counted("many"))),
    "STORE": (wire.store([(ONE, [(-1, 1)])]), wire.error(0)),
}


def each_request():
    for name, (request, good) in SINGLE.items():
        spec = "pmcd 9.2" if name == "STORE" else "pmcd 9.3, pdu 10.2"
        other = wire.pdu(wire.DESC, bytes(20)) if good[7] != wire.DESC & 0xff else wire.pdu(wire.TEXT, bytes(8))
        yield Row(f"agent.{name}.good", spec, pull(request, good))
        yield Row(f"agent.{name}.error", spec, pull(request, wire.error(-12357)))
        yield Row(f"agent.{name}.error-errno", spec, pull(request, wire.error(-2)))
        for code in (0, 5):
            yield Row(f"agent.{name}.error-{code}", spec, says(wire.error(code)) + READY + request,
                      **({} if name in ("FETCH", "STORE") else {"alone": STATUS_TAKEN, "gives": ("ERROR 0", "ERROR -12345", "MARK")}))
        yield Row(f"agent.{name}.error-extended", spec, pull(request, wire.pdu(wire.ERROR, word(-12357, 77))), agent_dies=True)
        yield Row(f"agent.{name}.error-short", spec, pull(request, wire.pdu(wire.ERROR)), agent_dies=True)
        yield Row(f"agent.{name}.other-type", spec, pull(request, other), agent_dies=True)
        yield Row(f"agent.{name}.unknown-type", spec, pull(request, UNKNOWN_TYPE), agent_dies=True)
        yield Row(f"agent.{name}.header-alone", spec, pull(request, good[4:8].join([word(12), word(0)])), agent_dies=True)
        yield Row(f"agent.{name}.short", spec, pull(request, word(len(good) - 4) + good[4:-4]), agent_dies=True)
        yield Row(f"agent.{name}.length-negative", spec, pull(request, word(-5) + good[4:12]), agent_dies=True)
        yield Row(f"agent.{name}.exits", spec, pull(request, "exit=3"), agent_dies=True)
        yield Row(f"agent.{name}.half-then-exits", spec, pull(request, good[:10], "exit=0"), agent_dies=True)
        yield Row(f"agent.{name}.NOTREADY", "pdu 10.3", pull(request, wire.error(-13394), "sleep=30", wire.error(-13393)))
        yield Row(f"agent.{name}.READY", "pdu 10.3", pull(request, wire.error(-13393)), agent_dies=True)


def without_exit(text):
    """How a process ended is seen when it is seen."""
    head, mark, tail = text.rpartition(f"{PUPPET:08x} ")
    return head + mark + tail[:4] + "...." + tail[8:] if mark and "00801001" in text else text


fetches = [
    Row("agent.fetch.two", "pmcd 9.1", pull(FETCH2, result(vset(MANY, 1, 2), vset(ONE, 3)))),
    Row("agent.fetch.no-values", "pmcd 9.1", pull(FETCH, result(vset(ONE)))),
    Row("agent.fetch.error-of-a-metric", "pmcd 9.1", pull(FETCH2, result(failed(MANY, -12357), vset(ONE, 3)))),
    Row("agent.fetch.odd-error-of-a-metric", "pmcd 9.1", pull(FETCH, result(failed(ONE, -5)))),
    Row("agent.fetch.other-order", "pmcd 9.1", pull(FETCH2, result(vset(ONE, 3), vset(MANY, 1, 2)))),
    Row("agent.fetch.other-pmid", "pmcd 9.1", pull(FETCH, result(vset(MANY, 3)))),
    Row("agent.fetch.other-domain", "pmcd 9.1", pull(FETCH, result(vset(NUMCLIENTS, 3)))),
    Row("agent.fetch.too-few", "pmcd 9.1", pull(FETCH2, result(vset(MANY, 3))), agent_dies=True),
    Row("agent.fetch.too-many", "pmcd 9.1", pull(FETCH, result(vset(ONE, 3), vset(ONE, 3))), agent_dies=True),
    Row("agent.fetch.none", "pmcd 9.1", pull(FETCH, result()), agent_dies=True),
    Row("agent.fetch.count-negative", "pmcd 9.1", pull(FETCH, result(vset(ONE, 3), count=-1)), agent_dies=True),
    Row("agent.fetch.count-too-large", "pmcd 9.1", pull(FETCH2, result(vset(ONE, 3), count=2)), agent_dies=True),
    Row("agent.fetch.values-too-many", "pdu 5.2", pull(FETCH, result(struct.pack(">Iiiii", ONE, 9, 0, -1, 5))), agent_dies=True),
    Row("agent.fetch.format-9", "pdu 5.2", pull(FETCH, result(struct.pack(">Iiiii", ONE, 1, 9, -1, 5))), agent_dies=True),
    Row("agent.fetch.surplus", "pdu 5.2", pull(FETCH, result(vset(ONE, 3), blocks=bytes(4))), agent_dies=True),
    Row("agent.fetch.highres", "pdu 10.2", pull(FETCH, wire.pdu(wire.HIGHRES_RESULT, word(1, 0, 0, 0, 0) + vset(ONE, 3))), agent_dies=True),
    Row("agent.fetch.split", "pmcd 9.1", pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, NUMCLIENTS]), result(vset(ONE, 3)))),
    Row("agent.fetch.split-bad", "pmcd 9.1", pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, NUMCLIENTS]), result()), agent_dies=True),
    Row("agent.fetch.split-exits", "pmcd 9.1", pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, ONE]), "exit=1"), agent_dies=True,
        ),
    Row("agent.fetch.then-dead", "pdu 18, pmcd 9.1", pull(FETCH, result()) + FETCH + FETCH, agent_dies=True),
    Row("agent.fetch.in-two-parts", "pdu 2", pull(FETCH, GOOD[:17], "sleep=20", GOOD[17:])),
    Row("agent.fetch.from-is-ignored", "pdu 2.3", pull(FETCH, GOOD[:8] + word(77) + GOOD[12:])),
]


def block(kind, data, at=11, fmt=1, length=None):
    """A result of one value that lies in a block."""
    head = kind << 24 | (len(data) + 4 if length is None else length)
    return result(struct.pack(">Iiiii", ONE, 1, fmt, -1, at), blocks=struct.pack(">I", head) + wire.pad(data))


EVENT = word(1) + word(5, 6, 1, 1) + struct.pack(">II", wire.pmid(PUPPET, 0, 2), 1 << 24 | 8) + word(9)
MISSED = word(1) + struct.pack(">iiIi", 5, 6, 0x80000000, 3)
HIGHRES = word(1) + struct.pack(">qqIi", 5, 6, 1, 1) + struct.pack(">II", wire.pmid(PUPPET, 0, 2), 1 << 24 | 8) + word(9)
HIGHRES_MISSED = word(1) + struct.pack(">qqIi", 5, 6, 0x80000000, 3)
blocks = [Row(f"agent.block.type-{kind}", "pdu 4.4, 4.5", pull(FETCH, block(kind, bytes(range(1, 9)))))
          for kind in (2, 3, 5, 6, 7, 8, 11, 255)]
blocks += [
    Row("agent.block.float", "pdu 4.5", pull(FETCH, block(4, b"\x40\x49\x0f\xdb"))),
    Row("agent.block.static", "pdu 5.2", pull(FETCH, block(7, b"abc", fmt=2))),
    Row("agent.block.padding", "pdu 1", pull(FETCH, block(6, b"abcde\0").replace(b"~", b"\x55"))),
    Row("agent.block.empty", "pdu 4.5", pull(FETCH, block(7, b""))),
    Row("agent.block.length-3", "pdu 4.5", pull(FETCH, block(7, b"", length=3)), agent_dies=True),
    Row("agent.block.length-0", "pdu 4.5", pull(FETCH, block(7, b"", length=0)), agent_dies=True),
    Row("agent.block.length-large", "pdu 4.5", pull(FETCH, block(7, b"abc", length=0xffffff)), agent_dies=True),
    Row("agent.block.gap", "pdu 5.2", pull(FETCH, block(7, b"abcdefg", at=12)), agent_dies=True),
    Row("agent.block.outside", "pdu 5.2", pull(FETCH, block(7, b"abc", at=99)), agent_dies=True),
    Row("agent.block.negative", "pdu 5.2", pull(FETCH, block(7, b"abc", at=-1)), agent_dies=True),
    Row("agent.event.good", "pdu 6", pull(FETCH, block(9, EVENT))),
    Row("agent.event.missed", "pdu 6", pull(FETCH, block(9, MISSED))),
    Row("agent.event.highres", "pdu 6", pull(FETCH, block(10, HIGHRES))),
    Row("agent.event.none", "pdu 6", pull(FETCH, block(9, word(0)))),
]

changes = [Row(f"agent.flags.{flags}", "pdu 10.4, 13", pull(FETCH, result(vset(ONE, 3), flags=flags)) + FETCH)
           for flags in (1, 2, 4, 8, 16, 31, 32, 63, 64, 128, 255, 256, 0x7fffff10, -1)]
changes += [
    Row("agent.flags.highres", "pdu 13", READY + says(result(vset(ONE, 3), flags=16)) + wire.fetch([ONE], kind=wire.HIGHRES_FETCH)),
    Row("agent.flags.not-elsewhere", "pdu 13", pull(FETCH, result(vset(ONE, 3), flags=16)) + wire.desc_req(MANY) + FETCH),
]

rows = unique(list(each_request()) + fetches + blocks + changes)
