"""Rows of PROFILE, FETCH, DESC, INSTANCE, TEXT, LABEL and of stores (pdu.md 5.2-5.9, 5.15, 12; pmcd.md 9)."""
import struct

import wire
from rows import (BROKEN, MANY, NUMAGENTS, NUMCLIENTS, ONE, OTHER, PUPPET, SAMPLE, SIMPLE, UNKNOWN, UNREADY, Row,
                  differs, unique)
from rows_session import word

READY = wire.profile()
FAILING = {"unknown": UNKNOWN, "not-connected": BROKEN, "not-ready": UNREADY}


def indom(domain, serial):
    return domain << 22 | serial


# pmcd.md 9: each request for an unknown domain, for one without an agent, and for one whose agent is not ready.
ROUTED = {
    "FETCH": lambda d: wire.fetch([wire.pmid(d, 0, 0)]),
    "HIGHRES_FETCH": lambda d: wire.fetch([wire.pmid(d, 0, 0)], kind=wire.HIGHRES_FETCH),
    "DESC_REQ": lambda d: wire.desc_req(wire.pmid(d, 0, 0)),
    "DESC_IDS": lambda d: wire.desc_ids([wire.pmid(d, 0, 0)]),
    "DESC_IDS.two": lambda d: wire.desc_ids([wire.pmid(d, 0, 0), ONE]),
    "INSTANCE_REQ": lambda d: wire.instance_req(indom(d, 1)),
    "TEXT_REQ": lambda d: wire.text_req(wire.pmid(d, 0, 0), 5),
    "TEXT_REQ.indom": lambda d: wire.text_req(indom(d, 1), 9),
    "LABEL_REQ.DOMAIN": lambda d: wire.label_req(d, 2),
    "LABEL_REQ.INDOM": lambda d: wire.label_req(indom(d, 1), 4),
    "LABEL_REQ.CLUSTER": lambda d: wire.label_req(wire.pmid(d, 0, 0), 8),
    "LABEL_REQ.ITEM": lambda d: wire.label_req(wire.pmid(d, 0, 0), 16),
    "LABEL_REQ.INSTANCES": lambda d: wire.label_req(indom(d, 1), 32),
    "RESULT": lambda d: wire.store([(wire.pmid(d, 0, 0), [(-1, 1)])]),
    "PMNS_IDS": lambda d: wire.ids_req(wire.pmid(d, 0, 0)),
    "PMNS_NAMES": lambda d: wire.names_req([f"dyn{d}.one"]),
    "PMNS_CHILD": lambda d: wire.child_req(f"dyn{d}.one", 1),
    "PMNS_TRAVERSE": lambda d: wire.traverse_req(f"dyn{d}.one"),
}
NEGATIVE_COUNT = differs("pmcd.md 9.4: 6.0.3 puts the error in the place of a count",
                         ["PMNS_NAMES 00000000 00000000 ffffcf9b", "MARK"], [-12389, "MARK"])
UNREADY_BELOW = differs("pmcd.md 9.4: of an agent that is not ready nobody knows as yet", [-12357, "MARK"], [-12389, "MARK"])
DIFFERENT = {("PMNS_CHILD", "not-ready"): NEGATIVE_COUNT, ("PMNS_TRAVERSE", "not-ready"): UNREADY_BELOW}
routes = [Row(f"route.{name}.{state}", "pmcd 9, 8.2", READY + make(domain), differs=DIFFERENT.get((name, state)))
          for name, make in ROUTED.items() for state, domain in FAILING.items()]


def patched(data, at, value):
    """A PDU with another word at an offset."""
    return data[:at] + word(value) + data[at + 4:]


def profile_words(slot, state, count, *rest):
    return wire.pdu(wire.PROFILE, word(slot, state, count, 0) + b"".join(struct.pack(">I", w & 0xffffffff) for w in rest))


REGISTER, REGISTERS = wire.pmid(2, 0, 8), indom(2, 2)
profiles = [
    Row("profile.none", "pdu 5.4, 12", wire.fetch([ONE]), -12381),
    Row("profile.none-highres", "pdu 5.5, 12", wire.fetch([ONE], kind=wire.HIGHRES_FETCH), -12381),
    Row("profile.slot-other", "pdu 12", wire.profile(slot=3) + wire.fetch([ONE], slot=2), -12381),
    Row("profile.slot-negative", "pdu 5.4", wire.profile(slot=-1), -12366),
    Row("profile.slot-negative-fetch", "pdu 12", READY + wire.fetch([ONE], slot=-1), -12381),
    Row("profile.slot-largest", "pdu 12", wire.profile(slot=0x7fffffff) + wire.fetch([ONE], slot=0x7fffffff)),
    Row("profile.slots", "pdu 12", wire.profile(slot=7) + wire.profile(slot=2, state=1) + wire.fetch([REGISTER], slot=7)
        + wire.fetch([REGISTER], slot=2)),
    Row("profile.exclude-all", "pdu 12", wire.profile(state=1) + wire.fetch([REGISTER, MANY, ONE])),
    Row("profile.state-odd", "pdu 12", wire.profile(state=7) + wire.fetch([REGISTER, MANY])),
    Row("profile.state-negative", "pdu 12", wire.profile(state=-1) + wire.fetch([REGISTER, MANY])),
    Row("profile.listed-alone", "pdu 12", wire.profile(entries=[(REGISTERS, 1, [3, 9, 99])]) + wire.fetch([REGISTER, MANY])),
    Row("profile.all-but-listed", "pdu 12", wire.profile(entries=[(REGISTERS, 0, [3, 9])]) + wire.fetch([REGISTER])),
    Row("profile.exclude-but-domain", "pdu 12",
        wire.profile(state=1, entries=[(REGISTERS, 0, [])]) + wire.fetch([REGISTER])),
    Row("profile.entry-state-odd", "pdu 12", wire.profile(entries=[(REGISTERS, 5, [3])]) + wire.fetch([REGISTER])),
    Row("profile.domain-twice", "pdu 12", wire.profile(entries=[(REGISTERS, 1, [3]), (REGISTERS, 1, [4])])
        + wire.fetch([REGISTER])),
    Row("profile.unsorted", "pdu 12", wire.profile(entries=[(REGISTERS, 1, [9, 3, 3, 1])]) + wire.fetch([REGISTER])),
    Row("profile.null-domain", "pdu 12", wire.profile(entries=[(wire.NULL_ID, 1, [])]) + wire.fetch([REGISTER, ONE])),
    Row("profile.two-domains", "pdu 12", wire.profile(entries=[(indom(2, 3), 1, [2]), (REGISTERS, 1, [0])])
        + wire.fetch([REGISTER, wire.pmid(2, 4, 3)])),
    Row("profile.replaced", "pdu 12", wire.profile(state=1) + READY + wire.fetch([REGISTER])),
    Row("profile.count-negative", "pdu 5.4", profile_words(0, 0, -1), -12366),
    Row("profile.count-too-many", "pdu 5.4", profile_words(0, 0, 2, REGISTERS, 0, 0, 0), -12366),
    Row("profile.instances-negative", "pdu 5.4", profile_words(0, 0, 1, REGISTERS, 0, -1, 0), -12366),
    Row("profile.instances-too-many", "pdu 5.4", profile_words(0, 0, 1, REGISTERS, 0, 2, 0, 5), -12366),
    Row("profile.count-huge", "pdu 5.4", profile_words(0, 0, 0x10000001, REGISTERS, 0, 0, 0), -12366),
    Row("profile.sample", "pdu 12", wire.profile(entries=[(indom(SAMPLE, 2), 1, [100, 500])])
        + wire.fetch([wire.pmid(SAMPLE, 0, 6), wire.pmid(SAMPLE, 0, 5)])),
]

# Metrics of the sample agent, of all types and errors, that stay what they are.
STEADY = [6, 9, *range(10, 14), *range(15, 19), *range(20, 24), *range(25, 29), 30, 31, 33, 34, 48, 49, 50, 51, 54,
          55, 93, 94, 95, 96, 98, 99, 100, 101, 103, 105, 107, 109, 113, 138, *range(141, 154), 1000, 1007, 1023]
fetches = []
for name, kind in (("fetch", wire.FETCH), ("highres", wire.HIGHRES_FETCH)):
    good = wire.fetch([ONE], kind=kind)
    fetches += [
        Row(f"{name}.one", "pdu 5.2, 5.3, 5.5", READY + good),
        Row(f"{name}.many", "pdu 5.2, 5.3", READY + wire.fetch([MANY, ONE, MANY], kind=kind)),
        Row(f"{name}.split", "pmcd 9.1", READY + wire.fetch([
            wire.pmid(OTHER, 0, 1), ONE, NUMAGENTS, wire.pmid(SAMPLE, 0, 6), wire.pmid(OTHER, 0, 0), ONE,
            wire.pmid(UNKNOWN, 0, 0), wire.pmid(BROKEN, 0, 0), wire.pmid(UNREADY, 0, 0), wire.pmid(511, 0, 1),
            wire.pmid(PUPPET, 7, 7), wire.pmid(2, 0, 999), wire.pmid(0, 0, 0), wire.NULL_ID], kind=kind)),
        Row(f"{name}.flag-bit", "pdu 4.1", READY + wire.fetch([ONE | 1 << 31], kind=kind)),
        Row(f"{name}.unused-words", "pdu 5.5", READY + patched(patched(good, 16, 0x12345678), 20, -1)),
        Row(f"{name}.count-0", "pdu 5.5", READY + wire.fetch([], kind=kind), -12366),
        Row(f"{name}.count-negative", "pdu 5.5", READY + patched(good, 24, -1), -12366),
        Row(f"{name}.count-too-many", "pdu 5.5", READY + patched(good, 24, 2), -12366),
        Row(f"{name}.count-too-few", "pdu 5.5", READY + patched(wire.fetch([ONE, ONE], kind=kind), 24, 1), -12366),
        Row(f"{name}.count-huge", "pdu 5.5", READY + patched(good, 24, 0x40000001), -12366),
        Row(f"{name}.types", "pdu 4.4, 4.5, 5.2", READY + wire.fetch(
            [wire.pmid(SAMPLE, 0, item) for item in STEADY],
            kind=kind)),
        Row(f"{name}.collector", "pmcd 11", READY + wire.fetch(
            [wire.pmid(2, cluster, item) for cluster, item in ((0, 4), (0, 7), (0, 8), (4, 0), (4, 1), (4, 3), (6, 0))],
            kind=kind)),
    ]

descs = [
    Row("desc.good", "pdu 5.6", wire.desc_req(MANY)),
    Row("desc.unknown-item", "pdu 5.6", wire.desc_req(wire.pmid(PUPPET, 9, 9)), -12358),
    Row("desc.collector-unknown-item", "pdu 5.6", wire.desc_req(wire.pmid(2, 0, 999)), -12358),
    Row("desc.collector-unknown-cluster", "pdu 5.6", wire.desc_req(wire.pmid(2, 99, 0)), -12358),
    Row("desc.null", "pdu 4.1", wire.desc_req(wire.NULL_ID)),
    Row("desc.derived", "pdu 4.1", wire.desc_req(wire.pmid(511, 0, 1))),
    Row("desc.dynamic-root", "pdu 4.1", wire.desc_req(wire.pmid(511, PUPPET, 0))),
    Row("descs.good", "pdu 5.7", wire.desc_ids([ONE, MANY, NUMCLIENTS, ONE])),
    Row("descs.some-unknown", "pdu 5.7", wire.desc_ids([ONE, wire.pmid(UNKNOWN, 0, 0), wire.pmid(PUPPET, 9, 9), MANY])),
    Row("descs.all-unknown", "pdu 5.7", wire.desc_ids([wire.pmid(UNKNOWN, 0, 0), wire.pmid(PUPPET, 9, 9)])),
    Row("descs.one-unknown", "pdu 5.7", wire.desc_ids([wire.pmid(PUPPET, 9, 9)]), -12358),
    Row("descs.first-word-0", "pdu 5.7", patched(wire.desc_ids([ONE]), 12, 0), -12366),
    Row("descs.count-0", "pdu 5.7", wire.desc_ids([])),
    Row("descs.count-negative", "pdu 5.7", patched(wire.desc_ids([ONE]), 16, -1)),
    Row("descs.count-too-many", "pdu 5.7", patched(wire.desc_ids([ONE]), 16, 2), -12366),
    Row("descs.count-huge", "pdu 5.7", patched(wire.desc_ids([ONE]), 16, 0x40000001), -12366),
]

NAMED = wire.instance_req(indom(2, 3), name="pmcd")
instances = [
    Row("instance.all", "pdu 5.8", wire.instance_req(indom(PUPPET, 1))),
    Row("instance.collector-agents", "pdu 5.8, pmcd 11", wire.instance_req(indom(2, 3))),
    Row("instance.collector-registers", "pdu 5.8, pmcd 11", wire.instance_req(indom(2, 2))),
    Row("instance.collector-pools", "pdu 5.8, pmcd 11", wire.instance_req(indom(2, 5))),
    Row("instance.collector-loggers", "pdu 5.8, pmcd 11", wire.instance_req(indom(2, 1))),
    Row("instance.collector-pmies", "pdu 5.8, pmcd 11", wire.instance_req(indom(2, 4))),
    Row("instance.name-of-id", "pdu 5.8", wire.instance_req(indom(2, 3), inst=2)),
    Row("instance.id-of-name", "pdu 5.8", NAMED),
    Row("instance.unknown-id", "pdu 5.8", wire.instance_req(indom(2, 3), inst=99), -12360),
    Row("instance.unknown-name", "pdu 5.8", wire.instance_req(indom(2, 3), name="nobody"), -12360),
    Row("instance.both", "pdu 5.8", wire.instance_req(indom(2, 3), inst=2, name="pmcd")),
    Row("instance.both-differ", "pdu 5.8", wire.instance_req(indom(2, 3), inst=29, name="pmcd")),
    Row("instance.collector-unknown-domain", "pdu 5.8", wire.instance_req(indom(2, 9)), -12359),
    Row("instance.collector-serial-0", "pdu 5.8", wire.instance_req(indom(2, 0)), -12359),
    Row("instance.null-domain", "pdu 5.8", wire.instance_req(wire.NULL_ID)),
    Row("instance.unused-words", "pdu 5.8", patched(patched(NAMED, 16, -1), 20, 77)),
    Row("instance.padding", "pdu 1", wire.instance_req(indom(2, 3), name="dyn240").replace(b"~", b"\0")),
    Row("instance.no-padding", "pdu 1", struct.pack(">i", 38) + wire.instance_req(indom(2, 3), name="dyn240")[4:-2],
        differs=differs("pdu.md 1: what is missing is an error", wire.instance_req(indom(2, 3), name="dyn240"),
                        [-12366, "MARK"])),
    Row("instance.length-negative", "pdu 5.8", patched(NAMED, 28, -1), -12366),
    Row("instance.length-too-long", "pdu 5.8", patched(NAMED, 28, 5), -12366),
    Row("instance.length-huge", "pdu 5.8", patched(NAMED, 28, 0x7ffffffd), -12366),
    Row("instance.name-with-nul", "pdu 5.8", wire.instance_req(indom(2, 3), name="pm\0d")),
    Row("instance.sample", "pdu 5.8", wire.instance_req(indom(SAMPLE, 2))),
    Row("instance.sample-name", "pdu 5.8", wire.instance_req(indom(SAMPLE, 2), name="bin-300")),
    Row("instance.sample-id", "pdu 5.8", wire.instance_req(indom(SAMPLE, 2), inst=300)),
    Row("instance.sample-unknown", "pdu 5.8", wire.instance_req(indom(SAMPLE, 2), inst=301), -12360),
    Row("instance.ignores-profile", "pdu 12", wire.profile(state=1) + wire.instance_req(indom(2, 2))),
]

texts = [Row(f"text.bits-{bits}", "pdu 5.9", wire.text_req(wire.pmid(SAMPLE, 0, 0), bits)) for bits in range(-1, 34)]
texts += [Row(f"text.indom-bits-{bits}", "pdu 5.9", wire.text_req(indom(SAMPLE, 2), bits)) for bits in (8, 9, 10, 11, 13, 25)]
texts += [
    Row("text.unknown-item", "pdu 5.9", wire.text_req(wire.pmid(SAMPLE, 0, 999), 5)),
    Row("text.unknown-domain-of-instances", "pdu 5.9", wire.text_req(indom(SAMPLE, 99), 9)),
    Row("text.collector-unknown-item", "pdu 5.9", wire.text_req(wire.pmid(2, 0, 999), 5)),
    Row("text.scripted", "pdu 5.9", wire.text_req(ONE, 5)),
    Row("text.null", "pdu 5.9", wire.text_req(wire.NULL_ID, 5)),
    Row("text.null-indom", "pdu 5.9", wire.text_req(wire.NULL_ID, 9)),
]

labels = [Row(f"label.type-{kind}", "pdu 5.15", wire.label_req(SAMPLE, kind), -12397)
          for kind in (0, 3, 5, 64, 128, 63, -1, 0x40000000)]
labels += [
    Row("label.context", "pdu 5.15, 7, pmcd 8.6", wire.label_req(wire.NULL_ID, 1)),
    Row("label.context-other-ident", "pdu 5.15", wire.label_req(5, 1)),
    Row("label.domain", "pdu 5.15, 7", wire.label_req(SAMPLE, 2)),
    Row("label.indom", "pdu 5.15, 7", wire.label_req(indom(SAMPLE, 2), 4)),
    Row("label.cluster", "pdu 5.15, 7", wire.label_req(wire.pmid(SAMPLE, 0, 0), 8)),
    Row("label.item", "pdu 5.15, 7", wire.label_req(wire.pmid(SAMPLE, 0, 6), 16)),
    Row("label.instances", "pdu 5.15, 7", wire.label_req(indom(SAMPLE, 2), 32)),
    Row("label.instances-unknown", "pdu 5.15", wire.label_req(indom(SAMPLE, 999), 32)),
    Row("label.collector-domain", "pmcd 8.6", wire.label_req(2, 2)),
    Row("label.collector-indom", "pmcd 8.6", wire.label_req(indom(2, 3), 4)),
    Row("label.collector-cluster", "pmcd 8.6", wire.label_req(wire.pmid(2, 0, 0), 8)),
    Row("label.collector-item", "pmcd 8.6", wire.label_req(wire.pmid(2, 0, 7), 16)),
    Row("label.collector-instances", "pmcd 8.6", wire.label_req(indom(2, 3), 32)),
    Row("label.domain-too-large", "pdu 5.15", wire.label_req(512, 2)),
    Row("label.domain-511", "pdu 5.15", wire.label_req(511, 2)),
    Row("label.domain-negative", "pdu 5.15", wire.label_req(0xffffffff, 2)),
    Row("label.domain-wraps", "pdu 5.15", wire.label_req(512 + 2, 2)),
]

TIMEOUT, REGS, TRACECONN = wire.pmid(2, 0, 4), REGISTER, wire.pmid(2, 0, 9)
DIES = "6.0.3 ends with a segmentation fault"
STRAYS = "6.0.3 reads what lies behind the value set"
BAD_BLOCK = wire.store([(ONE, [(-1, "text")])])
stores = [
    Row("store.good", "pdu 5.2, pmcd 9.2", wire.store([(ONE, [(-1, 1)])]), 0),
    Row("store.two-agents", "pmcd 9.2", wire.store([(ONE, [(-1, 1)]), (wire.pmid(OTHER, 0, 0), [(-1, 1)])]), 0),
    Row("store.none", "pmcd 9.2", wire.store([])),
    Row("store.no-values", "pmcd 9.2", wire.store([(ONE, [])])),
    Row("store.collector-no-values", "pmcd 9.2", wire.store([(TRACECONN, [])]), 0, alone=STRAYS),
    Row("store.error-as-values", "pdu 5.2", patched(wire.store([(TRACECONN, [])]), 28, -12357), 0, alone=STRAYS),
    Row("store.sample", "pmcd 9.2", wire.store([(wire.pmid(SAMPLE, 0, 36), [(-1, 7)])])),
    Row("store.sample-refuses", "pmcd 9.2", wire.store([(wire.pmid(SAMPLE, 0, 6), [(-1, 7)])])),
    Row("store.unknown-after-good", "pmcd 9.2",
        wire.store([(ONE, [(-1, 1)]), (wire.pmid(UNKNOWN, 0, 0), [(-1, 1)])]), -12386),
    Row("store.rank-noagent-over-again", "pmcd 9.2",
        wire.store([(wire.pmid(UNREADY, 0, 0), [(-1, 1)]), (wire.pmid(UNKNOWN, 0, 0), [(-1, 1)])]), -12386),
    Row("store.rank-noagent-first", "pmcd 9.2",
        wire.store([(wire.pmid(UNKNOWN, 0, 0), [(-1, 1)]), (wire.pmid(UNREADY, 0, 0), [(-1, 1)])]), -12386),
    Row("store.rank-again-over-plain", "pmcd 9.2",
        wire.store([(wire.pmid(UNREADY, 0, 0), [(-1, 1)]), (wire.pmid(2, 0, 7), [(-1, 1)])])),
    Row("store.rank-noagent-over-plain", "pmcd 9.2",
        wire.store([(wire.pmid(BROKEN, 0, 0), [(-1, 1)]), (wire.pmid(2, 0, 7), [(-1, 1)])])),
    Row("store.plain-last-wins", "pmcd 9.2",
        wire.store([(wire.pmid(2, 0, 7), [(-1, 1)]), (wire.pmid(SAMPLE, 0, 6), [(-1, 7)])])),
    Row("store.plain-last-wins-other-order", "pmcd 9.2",
        wire.store([(wire.pmid(SAMPLE, 0, 6), [(-1, 7)]), (wire.pmid(2, 0, 7), [(-1, 1)])])),
    Row("store.broken-domain", "pmcd 9", wire.store([(wire.pmid(BROKEN, 0, 0), [(-1, 1)])]), -12386),
    Row("store.domain-511", "pmcd 9", wire.store([(wire.pmid(511, 0, 1), [(-1, 1)])])),
    Row("store.count-negative", "pdu 5.2", patched(wire.store([(ONE, [(-1, 1)])]), 20, -1), -12366),
    Row("store.count-too-many", "pdu 5.2", patched(wire.store([(ONE, [(-1, 1)])]), 20, 2), -12366),
    Row("store.count-huge", "pdu 5.2", patched(wire.store([(ONE, [(-1, 1)])]), 20, 0x40000001), -12366),
    Row("store.values-too-many", "pdu 5.2", patched(wire.store([(ONE, [(-1, 1)])]), 28, 2), -12366),
    Row("store.values-too-few", "pdu 5.2", patched(wire.store([(ONE, [(-1, 1), (1, 1)])]), 28, 1), -12366),
    Row("store.format-2", "pdu 5.2", patched(BAD_BLOCK, 32, 2)),
    Row("store.format-3", "pdu 5.2", patched(BAD_BLOCK, 32, 3), -12366),
    Row("store.format-negative", "pdu 5.2", patched(BAD_BLOCK, 32, -1), -12366),
    Row("store.block-before-sets", "pdu 5.2", patched(BAD_BLOCK, 40, 3), -12366),
    Row("store.block-behind-end", "pdu 5.2", patched(BAD_BLOCK, 40, 14), -12366),
    Row("store.block-negative", "pdu 5.2", patched(BAD_BLOCK, 40, -1), -12366),
    Row("store.block-far", "pdu 5.2", patched(BAD_BLOCK, 40, 0x40000000), -12366),
    Row("store.block-length-3", "pdu 4.5, 5.2", patched(BAD_BLOCK, 44, 6 << 24 | 3), -12366),
    Row("store.block-length-4", "pdu 4.5, 5.2", patched(BAD_BLOCK, 44, 6 << 24 | 4), -12366),
    Row("store.block-length-large", "pdu 4.5, 5.2", patched(BAD_BLOCK, 44, 6 << 24 | 0xffffff), -12366),
    Row("store.block-gap", "pdu 5.2", patched(struct.pack(">i", len(BAD_BLOCK) + 4) + BAD_BLOCK[4:44] + bytes(4)
                                              + BAD_BLOCK[44:], 40, 12), -12366),
    Row("store.block-surplus", "pdu 5.2", struct.pack(">i", len(BAD_BLOCK) + 4) + BAD_BLOCK[4:] + bytes(4), -12366),
    Row("store.shared-block", "pdu 5.2", wire.pdu(wire.RESULT, word(0, 0, 1) + struct.pack(">I", ONE) + word(
        2, 1, -1, 14, 0, 14, 6 << 24 | 8) + b"abc\0"), -12366),
    Row("store.whoami", "pmcd 11", wire.store([(wire.pmid(2, 6, 0), [(-1, "me")])]), 0),
    Row("store.container", "pmcd 11, 8.5", wire.store([(wire.pmid(2, 6, 2), [(0, "box")])])),
    Row("store.whoami-two", "pmcd 11", wire.store([(wire.pmid(2, 6, 0), [(0, "a"), (1, "b")])]), -12360),
    Row("store.whoami-none", "pmcd 11", wire.store([(wire.pmid(2, 6, 0), [])])),
    Row("store.whoami-number", "pmcd 11", wire.store([(wire.pmid(2, 6, 0), [(0, 5)])]), -12362, alone=DIES),
    Row("store.container-number", "pmcd 11", wire.store([(wire.pmid(2, 6, 2), [(0, 5)])]), -12362, alone=DIES),
    Row("store.number-as-text", "pmcd 11", wire.store([(TRACECONN, [(-1, "1")])]), -12362, alone=DIES),
    Row("store.register-no-values", "pmcd 11", wire.store([(REGS, [])])),
    Row("store.sighup-no-values", "pmcd 11", wire.store([(wire.pmid(2, 0, 12), [])])),
    Row("store.fenced-no-values", "pmcd 11", wire.store([(wire.pmid(2, 4, 2), [])])),
    Row("store.start_date", "pmcd 11", wire.store([(wire.pmid(2, 6, 1), [(0, "x")])])),
    Row("store.timeout-negative", "pmcd 11", wire.store([(TIMEOUT, [(-1, -5)])]), -12364),
    Row("store.register", "pmcd 11", wire.store([(REGS, [(3, 77)])]) + READY + wire.fetch([REGS])
        + wire.store([(REGS, [(3, 0)])])),
    Row("store.register-two", "pmcd 11", wire.store([(REGS, [(3, 1), (4, 2)])]) + READY + wire.fetch([REGS])
        + wire.store([(REGS, [(3, 0), (4, 0)])])),
    Row("store.register-bad-instance", "pmcd 11", wire.store([(REGS, [(16, 1)])]), -12360),
    Row("store.register-good-then-bad", "pmcd 11", wire.store([(REGS, [(2, 9), (16, 1)])]) + READY + wire.fetch([REGS])
        + wire.store([(REGS, [(2, 0)])])),
    Row("store.traceconn-7", "pmcd 11", wire.store([(TRACECONN, [(-1, 7)])]), -12400),
    Row("store.tracepdu-2", "pmcd 11", wire.store([(wire.pmid(2, 0, 10), [(-1, 2)])]), -12400),
    Row("store.tracenobuf-2", "pmcd 11", wire.store([(wire.pmid(2, 0, 14), [(-1, 2)])]), -12400),
    Row("store.fenced-2", "pmcd 8.4", wire.store([(wire.pmid(2, 4, 2), [(PUPPET, 2)])]), -12400),
    Row("store.fenced-unknown", "pmcd 8.4", wire.store([(wire.pmid(2, 4, 2), [(UNKNOWN, 1)])]), -12360),
    Row("store.fenced-collector", "pmcd 8.4", wire.store([(wire.pmid(2, 4, 2), [(2, 1)])])),
]
# pmcd.md 11: whatever is not said to be writable.
stores += [Row(f"store.collector-2.{c}.{i}", "pmcd 11", wire.store([(wire.pmid(2, c, i), [(-1, 1)])]))
           for c, i in [(0, n) for n in (1, 2, 3, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27)]
           + [(1, 0), (1, 16), (2, 0), (3, 0), (4, 0), (4, 1), (4, 3), (5, 0), (7, 0), (7, 1), (8, 0), (8, 9), (9, 0)]]

stores.append(Row("store.collector-2.4.4", "pmcd 11", wire.store([(wire.pmid(2, 4, 4), [(-1, 1)])]),
                  differs=differs("pmcd.md 11: 6.0.3 does not look at the item", [0, "MARK"], [-12358, "MARK"])))

# pmcd.md 8.4: one agent fenced, everything asked of it, and the fence gone.
FENCED = wire.pmid(2, 4, 2)


def fenced(domain, data):
    return READY + wire.store([(FENCED, [(domain, 1)])]) + data + wire.store([(FENCED, [(domain, 0)])])


fences = [Row(f"route.{name}.fenced", "pmcd 8.4, 9", fenced(PUPPET, make(PUPPET))) for name, make in ROUTED.items()]
fences += [
    Row("fence.value", "pmcd 8.4", fenced(PUPPET, wire.fetch([FENCED]))),
    Row("fence.all", "pmcd 8.4",
        READY + wire.store([(FENCED, [(-1, 1)])]) + wire.fetch([FENCED, ONE, wire.pmid(OTHER, 0, 0), NUMAGENTS])
        + wire.store([(FENCED, [(-1, 0)])]) + wire.fetch([FENCED])),
    Row("fence.unknown-over-fence", "pmcd 8.4", fenced(PUPPET, wire.fetch([wire.pmid(PUPPET, 9, 9)]))),
]

# pmcd.md 11: each metric and each domain of the collector, described.
METRICS = [(0, i) for i in range(28)] + [(1, i) for i in range(26)] + [(2, i) for i in range(26)] + [
    (3, i) for i in range(5)] + [(4, i) for i in range(5)] + [(5, i) for i in range(11)] + [(6, i) for i in range(4)] + [
    (7, i) for i in range(3)] + [(8, i) for i in range(11)] + [(9, 0)]
# Features that ours does not have, or has by default.
OTHER_VALUES = {(8, 3): (1, "design.md: no SASL"), (8, 8): (0, "design.md: loopback by default")}
builtin = []
for c, i in METRICS:
    ident = wire.pmid(2, c, i)
    ask = wire.desc_req(ident) + wire.ids_req(ident) + (b"" if (c, i) in OTHER_VALUES else wire.fetch([ident]))
    builtin.append(Row(f"builtin.2.{c}.{i}", "pmcd 11", READY + ask))


def value_of(c, i, value):
    return f"RESULT 00000000 00000000 00000001 {wire.pmid(2, c, i):08x} 00000001 00000000 ffffffff {value:08x}"


builtin += [
    Row(f"builtin.value.2.{c}.{i}", "pmcd 11", READY + wire.fetch([wire.pmid(2, c, i)]),
        differs=differs(reason, [value_of(c, i, theirs), "MARK"], [value_of(c, i, 1 - theirs), "MARK"]))
    for (c, i), (theirs, reason) in OTHER_VALUES.items()
]

# An agent in the collector's process: with Debian's agent library there, with ours here.
COLOR, COLORS = wire.pmid(SIMPLE, 0, 1), indom(SIMPLE, 0)


def no_labels(*insts):
    """The text for labels of the instances of COLORS: these instances, without labels."""
    at = 28 + 16 * len(insts)
    return f"LABEL {COLORS:08x} 00000020 00000000 {len(insts):08x} " + " ".join(
        f"{inst & 0xffffffff:08x} 00000000 {at:08x} 00000000" for inst in insts)


dso = []
for name, kind in (("fetch", wire.FETCH), ("highres", wire.HIGHRES_FETCH)):
    dso.append(Row(f"dso.{name}", "pmcd 8.1, 9.1", READY + wire.fetch([wire.pmid(SIMPLE, 0, 0), COLOR, COLOR], kind=kind)))
    dso.append(Row(f"dso.{name}-unknown", "pmcd 9.1",
                   READY + wire.fetch([wire.pmid(SIMPLE, 0, 999), wire.pmid(SIMPLE, 9, 9)], kind=kind)))
    dso.append(Row(f"dso.{name}-mixed", "pmcd 9.1", READY + wire.fetch(
        [COLOR, ONE, wire.pmid(SAMPLE, 0, 6), NUMAGENTS, wire.pmid(SIMPLE, 0, 999), ONE, COLOR], kind=kind)))
dso += [
    Row("dso.desc", "pmcd 9.3",
        b"".join(wire.desc_req(wire.pmid(SIMPLE, c, i)) for c, i in ((0, 0), (0, 1), (1, 2), (1, 3), (2, 4)))),
    Row("dso.desc-unknown", "pmcd 9.3", wire.desc_req(wire.pmid(SIMPLE, 0, 998)), -12358),
    Row("dso.descs", "pdu 5.7", wire.desc_ids([COLOR, wire.pmid(SIMPLE, 0, 998), wire.pmid(SIMPLE, 0, 0)])),
    Row("dso.profile", "pdu 12", wire.profile(entries=[(COLORS, 1, [0, 2])]) + wire.fetch([COLOR])),
    Row("dso.profile-nothing", "pdu 12", wire.profile(entries=[(COLORS, 1, [])]) + wire.fetch([COLOR])),
    Row("dso.instances", "pdu 5.8", wire.instance_req(COLORS)),
    Row("dso.instance-name", "pdu 5.8", wire.instance_req(COLORS, name="green")),
    Row("dso.instance-id", "pdu 5.8", wire.instance_req(COLORS, inst=1)),
    Row("dso.instance-unknown", "pdu 5.8", wire.instance_req(COLORS, inst=301), -12360),
    Row("dso.instance-unknown-domain", "pdu 5.8", wire.instance_req(indom(SIMPLE, 77)), -12359),
    Row("dso.text", "pdu 5.9", wire.text_req(COLOR, 5)),
    Row("dso.text-unknown", "pdu 5.9", wire.text_req(wire.pmid(SIMPLE, 0, 998), 5)),
    Row("dso.text-indom", "pdu 5.9", wire.text_req(COLORS, 9)),
    Row("dso.label-domain", "pmcd 8.6", wire.label_req(SIMPLE, 2)),
    Row("dso.label-indom", "pmcd 8.6", wire.label_req(COLORS, 4)),
    Row("dso.label-cluster", "pmcd 8.6", wire.label_req(COLOR, 8)),
    Row("dso.label-item", "pmcd 8.6", wire.label_req(COLOR, 16)),
    Row("dso.label-instances", "pdu 5.15",
        wire.profile(entries=[(COLORS, 1, [])]) + wire.fetch([COLOR]) + wire.label_req(COLORS, 32),
        differs=differs("pmcd-internals.md: labels of instances under a profile of everything", [
            f"RESULT 00000000 00000000 00000001 {COLOR:08x} 00000000", no_labels(-1), "MARK"], [
            f"RESULT 00000000 00000000 00000001 {COLOR:08x} 00000000", no_labels(0, 1, 2), "MARK"])),
    Row("dso.store", "pmcd 9.2", wire.store([(wire.pmid(SIMPLE, 0, 0), [(-1, 7)])])),
    Row("dso.store-refused", "pmcd 9.2", wire.store([(wire.pmid(SIMPLE, 0, 0), [(-1, -7)])])),
    Row("dso.store-unknown", "pmcd 9.2", wire.store([(wire.pmid(SIMPLE, 0, 998), [(-1, 7)])])),
    Row("dso.ids-unknown", "pmcd 9.4", wire.ids_req(wire.pmid(SIMPLE, 0, 998))),
    Row("dso.fenced", "pmcd 8.4, 16", fenced(SIMPLE, wire.fetch([COLOR]) + wire.desc_req(COLOR) + wire.text_req(COLOR, 5))),
]

rows = unique(routes + profiles + fetches + descs + instances + texts + labels + stores + fences + dso + builtin)
