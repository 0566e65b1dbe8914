"""Rows of the name space: PMNS_NAMES, PMNS_IDS, PMNS_CHILD, PMNS_TRAVERSE (pdu.md 5.11-5.13; pmcd.md 9.4, 10)."""
import struct

import wire
from rows import BROKEN, MANY, NUMCLIENTS, ONE, OTHER, PUPPET, SAMPLE, UNREADY, Row, differs, unique
from rows_requests import NEGATIVE_COUNT
from rows_session import word

DYN, DYN_OTHER, DYN_UNREADY, DYN_BROKEN = (f"dyn{d}" for d in (PUPPET, OTHER, UNREADY, BROKEN))


def names_words(nbytes, nstatus, count, rest=b""):
    return wire.pdu(wire.PMNS_NAMES, word(nbytes, nstatus, count) + rest)


def ids_words(*words):
    return wire.pdu(wire.PMNS_IDS, b"".join(struct.pack(">I", w & 0xffffffff) for w in words))


def child_words(kind, subtype, length, rest=b""):
    return wire.pdu(kind, word(subtype, length) + rest)


NUL = "pdu.md 5.12: 6.0.3 reads a name up to its first NUL"
ONE_NAME = wire.counted("pmcd.numclients")
EMPTY = word(0)
lookups = [
    Row("names.good", "pdu 5.12, 5.11", wire.names_req(["pmcd.numclients", "sample.bin", f"{DYN}.one"])),
    Row("names.dynamic", "pmcd 9.4", wire.names_req([f"{DYN}.one"])),
    Row("names.dynamic-unknown", "pmcd 9.4", wire.names_req([f"{DYN}.two"]), -12357),
    Row("names.dynamic-root", "pmcd 9.4", wire.names_req([DYN])),
    Row("names.dynamic-prefix-alone", "pmcd 9.4", wire.names_req([f"{DYN}x.one"]), -12357),
    Row("names.unknown", "pmcd 9.4", wire.names_req(["no.such"]), -12357),
    Row("names.unknown-below-leaf", "pmcd 9.4", wire.names_req(["pmcd.numclients.x"]), -12357),
    Row("names.non-leaf", "pmcd 9.4", wire.names_req(["pmcd.agent"]), -12394),
    Row("names.root", "pmcd 9.4", wire.names_req(["root"]), -12357),
    Row("names.many", "pmcd 9.4", wire.names_req(["pmcd.numclients", "no.such", "pmcd", f"{DYN}.x", f"{DYN}.one",
                                                 "pmcd.version", "sample.bin", "pmcd.numclients"])),
    Row("names.all-unknown", "pdu 5.11", wire.names_req(["no.such", "pmcd"])),
    Row("names.some-not-connected", "pmcd 9.4", wire.names_req([f"{DYN_BROKEN}.x", "pmcd.version"])),
    Row("names.some-not-ready", "pmcd 9.4", wire.names_req([f"{DYN_UNREADY}.x", "pmcd.version"])),
    Row("names.two-agents", "pmcd 9.4", wire.names_req([f"{DYN}.one", f"{DYN_OTHER}.one"])),
    Row("names.root-prefix", "pmcd 9.4", wire.names_req(["root.pmcd.version", "pmcd.version"])),
    Row("names.dots", "pmcd 9.4", wire.names_req([".pmcd.version", "pmcd..version", "pmcd.version.", ".", "pmcd.version"])),
    Row("names.case", "pmcd 9.4", wire.names_req(["PMCD.version", "pmcd.version"])),
    Row("names.empty-first", "pdu 5.12", wire.names_req(["", "pmcd.version"])),
    Row("names.empty-last", "pdu 5.12", wire.names_req(["pmcd.version", ""]), -12366),
    Row("names.empty-alone", "pdu 5.12", wire.names_req([""]), -12366),
    Row("names.with-nul", "pdu 5.12", wire.names_req(["pmcd.version\0x", "pmcd.version"]),
        differs=differs(NUL, wire.names_req(["pmcd.version"] * 2), ["PMNS_IDS 00000001 00000002 ffffffff 00800007", "MARK"])),
    Row("names.long", "pdu 5.12", wire.names_req(["x" * 5000, "pmcd.version"])),
    Row("names.padding", "pdu 1", wire.names_req(["pmcd.version", "pmcd.pid"]).replace(b"~", b"\0")),
    Row("names.none", "pdu 5.12", wire.names_req([]), -12443),
    Row("names.with-status", "pdu 5.12", names_words(16, 1, 1, word(0) + ONE_NAME)),
    Row("names.status-count-other", "pdu 5.12", names_words(16, 2, 1, word(0) + ONE_NAME), -12366),
    Row("names.count-negative", "pdu 5.12", names_words(16, 0, -1, ONE_NAME), -12366),
    Row("names.count-too-many", "pdu 5.12", names_words(16, 0, 2, ONE_NAME), -12366),
    Row("names.count-huge", "pdu 5.12", names_words(16, 0, 0x40000000, ONE_NAME), -12366),
    Row("names.bytes-negative", "pdu 5.12", names_words(-16, 0, 1, ONE_NAME), -12366),
    Row("names.bytes-too-few", "pdu 5.12", names_words(15, 0, 1, ONE_NAME), -12366),
    Row("names.bytes-too-many", "pdu 5.12", names_words(17, 0, 1, ONE_NAME)),
    Row("names.bytes-huge", "pdu 5.12", names_words(1000, 0, 1, ONE_NAME), -12366),
    Row("names.length-negative", "pdu 5.12", names_words(16, 0, 1, word(-1) + ONE_NAME[4:]), -12366),
    Row("names.length-too-long", "pdu 5.12", names_words(100, 0, 1, word(20) + ONE_NAME[4:]), -12366),
]

ids = [
    Row("ids.static", "pdu 5.11", wire.ids_req(NUMCLIENTS)),
    Row("ids.static-two-names", "pmcd 9.4", wire.ids_req(wire.pmid(SAMPLE, 0, 4))),
    Row("ids.dynamic", "pmcd 9.4", wire.ids_req(ONE)),
    Row("ids.dynamic-unknown", "pmcd 9.4", wire.ids_req(MANY), -12358),
    Row("ids.collector-unknown", "pmcd 9.4", wire.ids_req(wire.pmid(2, 0, 999))),
    Row("ids.sample-unknown", "pmcd 9.4", wire.ids_req(wire.pmid(SAMPLE, 0, 998))),
    Row("ids.dynamic-root", "pdu 4.1", wire.ids_req(wire.pmid(511, PUPPET, 0))),
    Row("ids.null", "pdu 4.1", wire.ids_req(wire.NULL_ID)),
    Row("ids.derived", "pdu 4.1", wire.ids_req(wire.pmid(511, 1, 1))),
    Row("ids.flag-bit", "pdu 4.1", wire.ids_req(NUMCLIENTS | 1 << 31)),
    Row("ids.status-ignored", "pdu 5.11", ids_words(5, 1, NUMCLIENTS)),
    Row("ids.status-negative", "pdu 5.11", ids_words(-12358, 1, NUMCLIENTS)),
    Row("ids.none", "pdu 5.11", ids_words(0, 0), -12366),
    Row("ids.count-negative", "pdu 5.11", ids_words(0, -1, NUMCLIENTS), -12366),
    Row("ids.count-too-many", "pdu 5.11", ids_words(0, 2, NUMCLIENTS), -12366),
    Row("ids.two", "pdu 5.11", ids_words(0, 2, NUMCLIENTS, ONE)),
    Row("ids.count-huge", "pdu 5.11", ids_words(0, 0x40000001, NUMCLIENTS), -12366),
]

trees = []
for what, kind in (("child", wire.PMNS_CHILD), ("traverse", wire.PMNS_TRAVERSE)):
    ask = wire.child_req if what == "child" else wire.traverse_req
    trees += [Row(f"{what}.{case}", "pdu 5.13, pmcd 9.4", ask(name)) for case, name in (
        ("root", ""), ("node", "pmcd.control"), ("leaf", "pmcd.version"), ("unknown", "no.such"), ("below-leaf", "pmcd.version.x"),
        ("dynamic-root", DYN), ("below-dynamic", f"{DYN}.one"), ("dynamic-broken", DYN_BROKEN),
        ("dynamic-prefix", f"{DYN}x"), ("root-by-name", "root"), ("dot-behind", "pmcd."), ("dot-before", ".pmcd"),
        ("two-dots", "pmcd..agent"), ("long", "x" * 5000), ("no-agent", "kernel.all"), ("deep", "pmcd.pmie.eval"))]
    trees += [
        Row(f"{what}.with-nul", "pdu 5.12", ask("pmcd\0x"), differs=differs(NUL, ask("pmcd"), [-12357, "MARK"])),
        Row(f"{what}.dynamic-unready", "pmcd 9.4", ask(DYN_UNREADY), differs=NEGATIVE_COUNT if what == "child" else None),
        Row(f"{what}.length-negative", "pdu 5.13", child_words(kind, 0, -1, b"pmcd"), -12366),
        Row(f"{what}.length-too-long", "pdu 5.13", child_words(kind, 0, 5, b"pmcd"), -12366),
        Row(f"{what}.length-huge", "pdu 5.13", child_words(kind, 0, 0x7ffffffd, b"pmcd"), -12366),
        Row(f"{what}.padding", "pdu 1", child_words(kind, 0, 5, b"pmcd.\0\0\0")),
    ]
trees += [Row(f"child.status-{subtype}", "pdu 5.13", child_words(wire.PMNS_CHILD, subtype, 4, b"pmcd"))
          for subtype in (1, 2, -1)]
trees += [Row(f"child.status-{name}", "pdu 5.13", wire.child_req(name, 1))
          for name in ("", "pmcd.version", "no.such", DYN, f"{DYN}.one", DYN_BROKEN, "sample")]
trees += [Row(f"traverse.subtype-{subtype}", "pdu 5.13", child_words(wire.PMNS_TRAVERSE, subtype, 4, b"pmcd"))
          for subtype in (1, -1)]

rows = unique(lookups + ids + trees)
