"""Rows of agents' answers: good, bad, late, or none (pdu.md 5, 10, 13; pmcd.md 8, 9.1-9.4).

A store into its metric STRINGS sets the next answer of the scripted agent, so each row is self-contained. A fetch of
pmcd.agent.status after it returns the collector's state of the agent.
"""
import dataclasses
import re
import struct

import wire
from rows import (BROKEN, MANY, NUMCLIENTS, ONE, OTHER, PUPPET, SAMPLE, SIMPLE, STATUS, STRINGS, UNREADY,
                  UNTIL_REVIVED, Retold, Row, differs, unique)
from rows_session import word

READY = wire.profile()
INDOM = PUPPET << 22 | 1


def says(*steps):
    """The agent's behaviour at its next request: bytes, or words of pipe_agent.py."""
    return wire.store([(STRINGS, [(-1, " ".join(s.hex() if isinstance(s, bytes) else s for s in steps))])])


def pull(request, *steps):
    """The request, the agent's answer to it, and what the collector says of the agent."""
    return READY + says(*steps) + request + wire.fetch([STATUS])


def result(*sets, flags=0, count=None, blocks=b""):
    return wire.pdu(wire.RESULT, word(flags, 0, len(sets) if count is None else count) + b"".join(sets) + blocks)


def status_is(status):
    """The word of pmcd.agent.status when the scripted agent has this one."""
    others = {2: 0, SAMPLE: 0, SIMPLE: 0, PUPPET: status, OTHER: 0, UNREADY: 1, BROKEN: 4}
    return f"RESULT 00000000 00000000 00000001 {STATUS:08x} {len(others):08x} 00000000 " + " ".join(
        f"{domain:08x} {value:08x}" for domain, value in others.items())


def vset(ident, *values):
    """values: words for one value each, under instance -1; none: no values."""
    return struct.pack(">Ii", ident, len(values)) + (word(0) + b"".join(word(-1, v) for v in values) if values else b"")


def failed(ident, code):
    return struct.pack(">Ii", ident, code)


STATUS_TAKEN = "pmcd.md 9.3: 6.0.3 takes a status for the answer, and ends by some"
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


# pmcd.md 9.4: 6.0.3 sends a list of names whose count is the error.
NEGATIVE = Retold("pmcd.md 9.4: an error in the place of a count",
                  lambda text: re.sub(r"^PMNS_NAMES 00000000 00000000 (f{4}\w{4})$", count_to_error, text))
NEGATIVE_READY = Retold("pmcd.md 9.4, pdu.md 10.3", lambda text: READY_CODE.put(NEGATIVE.put(text)))


def count_to_error(found):
    return f"ERROR {int(found.group(1), 16) - (1 << 32)}"


READY_CODE = Retold("pdu.md 10.3: 6.0.3 tells the client of it", lambda text: text.replace("ERROR -13393", "ERROR -12366"))
READY_VALUES = differs("pdu.md 10.3: 6.0.3 tells the client of it, ours ends the agent", [
    0, f"RESULT 00000000 00000000 00000001 {ONE:08x} ffffcbaf", status_is(0), "MARK"], [
    0, 4, f"RESULT 00000000 00000000 00000001 {ONE:08x} ffffcfb2", status_is(8), "MARK"])


def each_request():
    for name, (request, good) in SINGLE.items():
        for row in one_request(name, request, good):
            if name.startswith("CHILD"):
                row = dataclasses.replace(row, retold=NEGATIVE_READY if row.name.endswith(".READY") else NEGATIVE)
            yield row


# pmcd.md 9.4: what 6.0.3 makes of an agent that is not ready where names are asked for.
NAME_REQUESTS = ("NAMES", "IDS", "CHILD", "CHILD.status", "TRAVERSE", "TRAVERSE.below")
DEAF = "pdu.md 10.3: 6.0.3 does not hear it of an agent that was asked for names"


def unready(name, request):
    """The agent is not ready, and stays so until the row is over; then it says that it is."""
    data = READY + says(wire.error(-13394), UNTIL_REVIVED, wire.error(-13393)) + request
    if name not in NAME_REQUESTS:
        return Row(f"agent.{name}.NOTREADY", "pdu 10.3", data + wire.fetch([STATUS]), agent_dies=True)
    answer = {"TRAVERSE": "PMNS_NAMES 00000007 00000000 00000001 00000006 64796e32 34307e7e", "TRAVERSE.below": "ERROR -12389"}
    return Row(f"agent.{name}.NOTREADY", "pdu 10.3", data, alone=DEAF, agent_dies=True,
               gives=("ERROR 0", answer.get(name, "ERROR -12389"), "MARK"))


def one_request(name, request, good):
    """The possible outcomes of a request to an agent."""
    spec = "pmcd 9.2" if name == "STORE" else "pmcd 9.3, pdu 10.2"
    other = wire.pdu(wire.DESC, bytes(20)) if good[7] != wire.DESC & 0xff else wire.pdu(wire.TEXT, bytes(8))
    yield Row(f"agent.{name}.good", spec, pull(request, good))
    yield Row(f"agent.{name}.error", spec, pull(request, wire.error(-12357)))
    yield Row(f"agent.{name}.error-errno", spec, pull(request, wire.error(-2)))
    for code in (0, 5):
        taken = {"alone": STATUS_TAKEN, "gives": ("ERROR 0", "ERROR -12345", "MARK")}
        yield Row(f"agent.{name}.error-{code}", spec, says(wire.error(code)) + READY + request,
                  **({} if name in ("FETCH", "STORE", "TRAVERSE", "TRAVERSE.below") else taken))
    yield Row(f"agent.{name}.error-extended", spec, pull(request, wire.pdu(wire.ERROR, word(-12357, 77))), agent_dies=True)
    yield Row(f"agent.{name}.error-short", spec, pull(request, wire.pdu(wire.ERROR)), agent_dies=True)
    yield Row(f"agent.{name}.other-type", spec, pull(request, other), agent_dies=True)
    yield Row(f"agent.{name}.unknown-type", spec, pull(request, UNKNOWN_TYPE), agent_dies=True)
    yield Row(f"agent.{name}.header-alone", spec, pull(request, good[4:8].join([word(12), word(0)])), agent_dies=True)
    yield Row(f"agent.{name}.short", spec, pull(request, word(len(good) - 4) + good[4:-4]), agent_dies=True)
    yield Row(f"agent.{name}.length-negative", spec, pull(request, word(-5) + good[4:12]), agent_dies=True)
    yield Row(f"agent.{name}.exits", spec, pull(request, "exit=3"), agent_dies=True, loose=without_exit)
    yield Row(f"agent.{name}.half-then-exits", spec, pull(request, good[:10], "exit=0"), agent_dies=True, loose=without_exit)
    yield unready(name, request)
    yield Row(f"agent.{name}.READY", "pdu 10.3", pull(request, wire.error(-13393)), agent_dies=True,
              differs=READY_VALUES if name == "FETCH" else None, retold=READY_CODE if name in ("NAMES", "IDS") else None)


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
    Row("agent.fetch.values-too-many", "pdu 5.2",
        pull(FETCH, result(struct.pack(">Iiiii", ONE, 9, 0, -1, 5))), agent_dies=True),
    Row("agent.fetch.format-9", "pdu 5.2", pull(FETCH, result(struct.pack(">Iiiii", ONE, 1, 9, -1, 5))), agent_dies=True),
    Row("agent.fetch.surplus", "pdu 5.2", pull(FETCH, result(vset(ONE, 3), blocks=bytes(4))), agent_dies=True),
    Row("agent.fetch.highres", "pdu 10.2",
        pull(FETCH, wire.pdu(wire.HIGHRES_RESULT, word(1, 0, 0, 0, 0) + vset(ONE, 3))), agent_dies=True),
    Row("agent.fetch.split", "pmcd 9.1", pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, NUMCLIENTS]), result(vset(ONE, 3)))),
    Row("agent.fetch.split-bad", "pmcd 9.1",
        pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, NUMCLIENTS]), result()), agent_dies=True),
    Row("agent.fetch.split-exits", "pmcd 9.1",
        pull(wire.fetch([wire.pmid(OTHER, 0, 0), ONE, ONE]), "exit=1"), agent_dies=True,
        loose=without_exit),
    Row("agent.fetch.then-dead", "pdu 18, pmcd 9.1", pull(FETCH, result()) + FETCH + FETCH, agent_dies=True),
    Row("agent.fetch.in-two-parts", "pdu 2", pull(FETCH, GOOD[:17], "sleep=20", GOOD[17:])),
    Row("agent.fetch.from-is-ignored", "pdu 2.3", pull(FETCH, GOOD[:8] + word(77) + GOOD[12:])),
]


NAMES_ONE, CHILD_ONE = wire.names_req([f"dyn{PUPPET}.x"]), wire.child_req(f"dyn{PUPPET}")
TRAVERSE_ONE, INSTANCES = wire.traverse_req(f"dyn{PUPPET}"), wire.instance_req(INDOM)
DESC, TEXT, LABELS = wire.desc_req(ONE), wire.text_req(ONE, 5), wire.label_req(PUPPET, 2)


def ids(status, *pmids):
    return wire.pdu(wire.PMNS_IDS, word(status, len(pmids)) + b"".join(struct.pack(">I", p) for p in pmids))


def names(*list_of, status=()):
    body = word(sum(len(n) + 1 for n in list_of), len(status), len(list_of))
    for i, name in enumerate(list_of):
        body += (word(status[i]) if status else b"") + wire.counted(name)
    return wire.pdu(wire.PMNS_NAMES, body)


def label_set(ident, kind, *sets):
    return wire.pdu(wire.LABEL, word(ident, kind, 0, len(sets)) + b"".join(sets))


PADDING = Retold("pdu.md 1: an agent's PDU is relayed as it came", lambda text: text.replace("61627e7e", "61620000"))
# Answers of the right type that do not say what was asked.
shapes = [
    Row("agent.shape.desc-other-pmid", "pmcd 9.3",
        pull(DESC, wire.pdu(wire.DESC, struct.pack(">IiIiI", MANY, 0, INDOM, 3, 0)))),
    Row("agent.shape.desc-odd-type", "pdu 4.4",
        pull(DESC, wire.pdu(wire.DESC, struct.pack(">IiIiI", ONE, 99, INDOM, 77, 0xffffffff)))),
    Row("agent.shape.descs-other-pmid", "pmcd 9.3",
        pull(wire.desc_ids([ONE, MANY]), wire.pdu(wire.DESC, struct.pack(">IiIiI", MANY, 0, INDOM, 3, 0)))),
    Row("agent.shape.instance-other-domain", "pdu 5.8", pull(INSTANCES, wire.pdu(wire.INSTANCE, word(5, 0)))),
    Row("agent.shape.instance-none", "pdu 5.8", pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, 0)))),
    Row("agent.shape.instance-empty-name", "pdu 5.8", pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, 2, 1, 0, 2, 0)))),
    Row("agent.shape.instance-count-negative", "pdu 5.8",
        pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, -1))), agent_dies=True),
    Row("agent.shape.instance-count-large", "pdu 5.8",
        pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, 3, 1, 0))), agent_dies=True),
    Row("agent.shape.instance-length-negative", "pdu 5.8",
        pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, 1, 1, -4))), agent_dies=True),
    Row("agent.shape.instance-padding", "pdu 1",
        pull(INSTANCES, wire.pdu(wire.INSTANCE, word(INDOM, 1, 1, 2) + b"ab\0\0")), retold=PADDING),
    Row("agent.shape.text-none", "pdu 5.9", pull(TEXT, wire.pdu(wire.TEXT, word(ONE, 0)))),
    Row("agent.shape.text-length-negative", "pdu 5.9", pull(TEXT, wire.pdu(wire.TEXT, word(ONE, -1))), agent_dies=True),
    Row("agent.shape.text-length-large", "pdu 5.9",
        pull(TEXT, wire.pdu(wire.TEXT, word(ONE, 5) + b"abcd")), agent_dies=True),
    Row("agent.shape.text-padding", "pdu 1", pull(TEXT, wire.pdu(wire.TEXT, word(ONE, 2) + b"ab\0\0")), retold=PADDING),
    Row("agent.shape.ids-positive-status", "pdu 5.11", pull(NAMES_ONE, ids(3, MANY))),
    Row("agent.shape.ids-negative-status", "pdu 5.11", pull(NAMES_ONE, ids(-12357, MANY))),
    Row("agent.shape.ids-two", "pdu 5.11", pull(NAMES_ONE, ids(0, MANY, ONE)), agent_dies=True),
    Row("agent.shape.ids-none", "pdu 5.11", pull(NAMES_ONE, ids(0)), agent_dies=True),
    Row("agent.shape.ids-null", "pdu 5.11", pull(NAMES_ONE, ids(0, wire.NULL_ID))),
    Row("agent.shape.ids-other-domain", "pdu 5.11", pull(NAMES_ONE, ids(0, NUMCLIENTS))),
    Row("agent.shape.names-none", "pdu 5.12", pull(wire.ids_req(MANY), names())),
    Row("agent.shape.names-two", "pdu 5.12", pull(wire.ids_req(MANY), names("a.b", "c"))),
    Row("agent.shape.names-with-status", "pdu 5.12", pull(wire.ids_req(MANY), names("a", status=[0]))),
    Row("agent.shape.child-none", "pdu 5.12", pull(CHILD_ONE, names())),
    Row("agent.shape.child-unasked-status", "pdu 5.12", pull(CHILD_ONE, names("a", "b", status=[0, 1]))),
    Row("agent.shape.child-no-status", "pdu 5.12", pull(wire.child_req(f"dyn{PUPPET}", 1), names("a", "b"))),
    Row("agent.shape.child-odd-status", "pdu 5.12",
        pull(wire.child_req(f"dyn{PUPPET}", 1), names("a", "b", status=[7, -1]))),
    Row("agent.shape.traverse-none", "pdu 5.12", pull(TRAVERSE_ONE, names())),
    Row("agent.shape.traverse-elsewhere", "pdu 5.12", pull(TRAVERSE_ONE, names("pmcd.version", "x"))),
    Row("agent.shape.traverse-with-status", "pdu 5.12", pull(TRAVERSE_ONE, names("a", status=[0]))),
    Row("agent.shape.traverse-bytes-wrong", "pdu 5.12",
        pull(TRAVERSE_ONE, wire.pdu(wire.PMNS_NAMES, word(1, 0, 1) + wire.counted("many"))), agent_dies=True),
    Row("agent.shape.traverse-not-ready-of-many", "pmcd 9.4", pull(wire.traverse_req(""), names(f"dyn{PUPPET}.all"))),
    Row("agent.shape.label-other-ident", "pdu 5.15", pull(LABELS, label_set(5, 2)), agent_dies=True),
    Row("agent.shape.label-other-type", "pdu 5.15", pull(LABELS, label_set(PUPPET, 4)), agent_dies=True),
    Row("agent.shape.label-none", "pdu 5.15", pull(LABELS, label_set(PUPPET, 2))),
    Row("agent.shape.label-empty-set", "pdu 5.15", pull(LABELS, label_set(PUPPET, 2, word(-1, 0, 44, 0)))),
    Row("agent.shape.label-error-set", "pdu 5.15",
        pull(wire.label_req(INDOM, 32), label_set(INDOM, 32, word(1, -12351, 44, 0)))),
    Row("agent.shape.label-two-sets", "pmcd 9.3",
        pull(LABELS, label_set(PUPPET, 2, word(-1, 0, 60, 0), word(-1, 0, 60, 0)))),
    Row("agent.shape.label-two-instances", "pmcd 9.3",
        pull(wire.label_req(INDOM, 32), label_set(INDOM, 32, word(1, 0, 60, 0), word(2, 0, 60, 0)))),
    Row("agent.shape.label-count-negative", "pdu 5.15",
        pull(LABELS, wire.pdu(wire.LABEL, word(PUPPET, 2, 0, -1))), agent_dies=True),
    Row("agent.shape.label-count-large", "pdu 5.15",
        pull(LABELS, wire.pdu(wire.LABEL, word(PUPPET, 2, 0, 9))), agent_dies=True),
    Row("agent.shape.label-text-outside", "pdu 5.15",
        pull(LABELS, label_set(PUPPET, 2, word(-1, 0, 44, 9))), agent_dies=True),
]


def block(kind, data, at=11, fmt=1, length=None):
    """A result of one value in a block."""
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
    Row("agent.block.padding", "pdu 1", pull(FETCH, block(6, b"ab").replace(b"~~", b"\0\0")), retold=PADDING),
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
    Row("agent.flags.highres", "pdu 13",
        READY + says(result(vset(ONE, 3), flags=16)) + wire.fetch([ONE], kind=wire.HIGHRES_FETCH)),
    Row("agent.flags.not-elsewhere", "pdu 13", pull(FETCH, result(vset(ONE, 3), flags=16)) + wire.desc_req(MANY) + FETCH),
]

rows = unique(list(each_request()) + fetches + shapes + blocks + changes)
