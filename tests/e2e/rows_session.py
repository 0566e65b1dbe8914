"""Rows of the session: challenge, credentials, framing, lengths and types (pdu.md 5.1, 5.10, 5.14, 8, 15)."""
import struct

import wire
from rows import CLOSED, MANY, NUMCLIENTS, ONE, SAMPLE, Row, differs, unique

REFUSED = "design.md: refused credentials, then served"
SURPLUS = "pdu.md 1: what is left over is an error"


def word(*values):
    return struct.pack(f">{len(values)}i", *values)


def cred(word_value, *more, count=None):
    words = (word_value, *more)
    return wire.pdu(wire.CREDS, struct.pack(f">i{len(words)}I", len(words) if count is None else count, *words), 1)


# One good request of each type; every one is answered, and its lengths are tried below.
GOOD = {
    "PROFILE": wire.profile(),
    "FETCH": wire.fetch([ONE]),
    "HIGHRES_FETCH": wire.fetch([ONE], kind=wire.HIGHRES_FETCH),
    "DESC_REQ": wire.desc_req(ONE),
    "DESC_IDS": wire.desc_ids([ONE]),
    "INSTANCE_REQ": wire.instance_req(MANY >> 10 << 10 & ~0x3fffff | 1),
    "INSTANCE_REQ.name": wire.instance_req(2 << 22 | 2, name="12"),
    "TEXT_REQ": wire.text_req(wire.pmid(SAMPLE, 0, 0), 5),
    "LABEL_REQ": wire.label_req(SAMPLE, 2),
    "PMNS_IDS": wire.ids_req(NUMCLIENTS),
    "PMNS_NAMES": wire.names_req(["pmcd.numclients"]),
    "PMNS_CHILD": wire.child_req("pmcd.client"),
    "PMNS_TRAVERSE": wire.traverse_req("pmcd.client"),
    "RESULT": wire.store([(wire.pmid(2, 0, 9), [(-1, 0)])]),
    "CREDS": wire.creds(),
}

READY = wire.profile()

hello = [
    Row("hello.challenge", "pdu 5.1, 8.1, 4.6", wire.creds(), hello=False,
        differs=differs("design.md: TLS, SASL and containers are not announced",
                        ["ERROR 00000000 02010e44", "MARK"], ["ERROR 00000000 02010e40", "MARK"])),
    Row("hello.none", "pdu 8.1", b"", hello=False),
]
# A PDU before the credentials ends the connection, without an answer.
before = [Row(f"before-creds.{name}", "pdu 8.1", data, hello=False) for name, data in GOOD.items() if name != "CREDS"]
before += [
    Row("before-creds.ERROR", "pdu 8.1", wire.error(0), hello=False),
    Row("before-creds.ATTR", "pdu 8.1", wire.pdu(wire.ATTR, word(15) + b"box"), hello=False),
    Row("before-creds.unknown-type", "pdu 8.1", wire.pdu(0x7018), hello=False),
    Row("before-creds.version-0", "pdu 8.1", wire.creds(version=0) + GOOD["DESC_REQ"], hello=False),
    Row("before-creds.unknown-credential", "pdu 8.1", cred(0x02020000) + GOOD["DESC_REQ"], hello=False),
    Row("before-creds.no-credential", "pdu 5.10", wire.pdu(wire.CREDS, word(0)) + GOOD["DESC_REQ"], hello=False),
]


def served_again(code):
    return differs(REFUSED, [HELLO_THEIRS, code, "MARK"], [HELLO_OURS, code, CLOSED])


HELLO_THEIRS, HELLO_OURS = "ERROR 00000000 02010e44", "ERROR 00000000 02010e40"


def hello_alike(text):
    """The challenge differs; another row shows how."""
    return HELLO_OURS if text == HELLO_THEIRS else text


credentials = [
    Row("creds.version-9", "pdu 8.1", wire.creds(version=9), hello=False),
    Row("creds.version-255", "pdu 8.1", wire.creds(version=255), hello=False),
    Row("creds.second", "pdu 8.1", wire.creds() + GOOD["DESC_REQ"] + wire.creds() + GOOD["DESC_REQ"], hello=False),
    Row("creds.version-0-then-2", "pdu 8.1", wire.creds(version=0) + wire.creds(), hello=False),
    Row("creds.version-0-later", "pdu 8.1", wire.creds() + wire.creds(version=0), hello=False),
    Row("creds.two-in-one", "pdu 5.10", cred(0x01020000, 0x01020000), hello=False),
    Row("creds.unknown-and-version", "pdu 5.10", cred(0x7f000000, 0x01020000), hello=False),
    Row("creds.version-and-unknown", "pdu 5.10", cred(0x01020000, 0x7f000000), hello=False),
    Row("creds.versions-2-and-0", "pdu 5.10", cred(0x01020000, 0x01000000), hello=False),
    Row("creds.versions-0-and-2", "pdu 5.10", cred(0x01000000, 0x01020000), hello=False),
    Row("creds.flags-first-only", "pdu 5.10", cred(0x01020002, 0x01020000), hello=False),
    Row("creds.acknowledged", "pdu 8.2", wire.creds(flags=0x088), hello=False),
    Row("creds.COMPRESS", "pdu 8.2", wire.creds(flags=0x002), hello=False, differs=served_again(-95)),
    Row("creds.NO_NSS_INIT", "pdu 8.2", wire.creds(flags=0x020), hello=False, differs=served_again(-12366)),
    Row("creds.BAD_LABEL", "pdu 8.2", wire.creds(flags=0x100), hello=False, differs=served_again(-12366)),
    Row("creds.LABELS", "pdu 8.2", wire.creds(flags=0x200), hello=False, differs=served_again(-12366)),
    Row("creds.HIGHRES", "pdu 8.2", wire.creds(flags=0x400), hello=False, differs=served_again(-12366)),
    Row("creds.DESCS", "pdu 8.2", wire.creds(flags=0x800), hello=False, differs=served_again(-12366)),
    Row("creds.SECURE", "pdu 8.4", wire.creds(flags=0x001), hello=False, differs=served_again(-12391)),
    Row("creds.container", "pdu 8.4, 5.14",
        wire.creds(flags=0x040) + wire.pdu(wire.ATTR, word(15) + b"box") + READY, hello=False),
    Row("creds.container-empty", "pdu 5.14",
        wire.creds(flags=0x040) + wire.pdu(wire.ATTR, word(15)) + READY, hello=False),
    Row("creds.container-other-type", "pdu 8.4",
        wire.creds(flags=0x040) + wire.error(0), hello=False, differs=served_again(-12366)),
    Row("creds.container-other-key", "pdu 8.4, 5.14",
        wire.creds(flags=0x040) + wire.pdu(wire.ATTR, word(14) + b"1"), hello=False, differs=served_again(-12366)),
    Row("creds.container-too-long", "pdu 5.14",
        wire.creds(flags=0x040) + wire.pdu(wire.ATTR, word(15) + b"x" * 4096), hello=False,
        differs=served_again(-12366)),
    Row("creds.container-longest", "pdu 5.14",
        wire.creds(flags=0x040) + wire.pdu(wire.ATTR, word(15) + b"x" * 4094), hello=False),
    Row("creds.count-1024", "pdu 5.10", cred(*[0x01020000] * 1024), hello=False),
    Row("creds.count-1025", "pdu 5.10", cred(*[0x01020000] * 1025), hello=False),
    Row("creds.count-negative", "pdu 5.10", cred(0x01020000, count=-1), hello=False),
    Row("creds.count-too-many", "pdu 5.10", cred(0x01020000, count=2), hello=False),
    Row("creds.count-too-few", "pdu 5.10", cred(0x01020000, 0x01020000, count=1), hello=False),
    Row("attr.unasked", "pdu 5.14", wire.pdu(wire.ATTR, word(15) + b"box")),
    Row("attr.sasl-unasked", "pdu 8.4", wire.pdu(wire.ATTR, word(0) + b"PLAIN\0")),
]
framing = [
    Row(f"frame.length-{name}", "pdu 2.1", struct.pack(">iii", length, wire.FETCH, 0), "CLOSED")
    for name, length in (("negative", -1), ("0", 0), ("11", 11), ("huge", 0x7fffffff), ("65537", 65537))
] + [
    Row("frame.type-negative", "pdu 2.1", struct.pack(">iIi", 12, 0x80000000, 0), "CLOSED"),
    Row("frame.header-only-then-end", "pdu 2.1", struct.pack(">iii", 16, wire.DESC_REQ, 0), "CLOSED", mark=False),
    Row("frame.half-header-then-end", "pdu 2.1", b"\0\0\0\x10\0\0", "CLOSED", mark=False),
    Row("frame.three-bytes-then-end", "pdu 2.1", b"\0\0\0", "CLOSED", mark=False),
    Row("frame.end-at-once", "pdu 2.1", b"", "CLOSED", mark=False),
    Row("frame.good-then-end", "pdu 2", GOOD["DESC_REQ"], mark=False),
    Row("frame.largest", "pdu 2.2, pmcd 15", READY + wire.fetch([ONE] * ((65536 - 28) // 4))),
    Row("frame.from-is-ignored", "pdu 2.3", struct.pack(">iiiI", 16, wire.DESC_REQ, -1, ONE)),
    Row("frame.ahead", "pdu 2", (GOOD["DESC_REQ"] + GOOD["PMNS_CHILD"]) * 20),
]

# Types that a client may not send, or that do not exist: ERROR(PM_ERR_IPC), and the session continues.
NOT_FOR_CLIENTS = {
    "ERROR": wire.error(0), "ERROR.extended": wire.pdu(wire.ERROR, word(0, 0)), "DESC": wire.pdu(wire.DESC, bytes(20)),
    "INSTANCE": wire.pdu(wire.INSTANCE, bytes(8)), "TEXT": wire.pdu(wire.TEXT, bytes(8)),
    "CONTROL_REQ": wire.pdu(wire.CONTROL_REQ), "retired": wire.pdu(0x700b), "LABEL": wire.pdu(wire.LABEL, bytes(16)),
    "HIGHRES_RESULT": wire.pdu(wire.HIGHRES_RESULT, bytes(20)), "DESCS": wire.pdu(wire.DESCS, bytes(4)),
    "one-too-many": wire.pdu(0x7018), "one-too-few": wire.pdu(0x6fff), "largest": wire.pdu(0x7fffffff),
    "LOG_CONTROL": wire.pdu(0x8000, bytes(16)), "LOG_STATUS_V2": wire.pdu(0x8001, bytes(252)),
    "LOG_REQUEST": wire.pdu(0x8002, word(2)), "LOG_STATUS": wire.pdu(0x8003, bytes(76)),
}
ZERO = differs("pdu.md 2.1: no accident of 6.0.3, whose reader says 0 for an end", [CLOSED], [-12366, "MARK"])
types = [Row("type.0", "pdu 2.1", wire.pdu(0), differs=ZERO)]
types += [Row(f"type.{name}", "pdu 3, 5.16, 5.17, 5.18, 5.19, pmcd 9", data, -12366)
         for name, data in NOT_FOR_CLIENTS.items()]


def resized(data, change):
    """The PDU with a word more or less at its end; its header says so."""
    body = data[:change] if change < 0 else data + b"\0" * change
    return struct.pack(">i", len(body)) + body[4:]


# 6.0.3 does not look for an end of these; FETCH, DESC_REQ, RESULT and CREDS it does.
LOOSE_ENDS = ("PROFILE", "DESC_IDS", "INSTANCE_REQ", "INSTANCE_REQ.name", "TEXT_REQ", "LABEL_REQ", "PMNS_IDS",
              "PMNS_NAMES", "PMNS_CHILD", "PMNS_TRAVERSE")


def lengths():
    """Each request a word short, a word too long, and nothing but a header."""
    for name, data in GOOD.items():
        for what, change in (("short", -4), ("long", 4), ("header-only", 12 - len(data))):
            on_purpose = None
            if name == "CREDS":
                on_purpose = differs(REFUSED, [-12366, "MARK"], [-12366, CLOSED])
            elif what == "long" and name in LOOSE_ENDS:
                on_purpose = differs(SURPLUS, READY + data, [-12366, "MARK"])
            yield Row(f"length.{name}.{what}", "pdu 5, 2.1", READY + resized(data, change), differs=on_purpose)


rows = unique(hello + before + credentials + framing + types + list(lengths()))
for index, one in enumerate(rows):
    if not one.hello and one.name != "hello.challenge" and one.differs is None:
        rows[index] = Row(**{**one.__dict__, "loose": hello_alike})
