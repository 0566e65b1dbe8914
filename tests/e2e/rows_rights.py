"""Rows of rights: every request of a client that may not fetch, may not store, or may not connect (pmcd.md 6.3, 6.5).

No mark is sent after them, because the mark is a request too.
"""
import wire
from rows import ONE, Row, unique
from rows_session import GOOD

NO_FETCH, NO_STORE, NOTHING = "fetch", "store", "all"

OTHERS = {"CREDS.again": wire.creds(), "unknown-type": wire.pdu(0x7055), "malformed": wire.pdu(wire.DESC_REQ),
          "malformed-store": wire.pdu(wire.RESULT), "PROFILE.malformed": wire.pdu(wire.PROFILE)}


def requests():
    return [Row(name, "pmcd 6.5", data, mark=False) for name, data in {**GOOD, **OTHERS}.items()] + [
        Row("store-and-fetch", "pmcd 6.5", wire.profile() + wire.store([(ONE, [(-1, 1)])]) + wire.fetch([ONE]), mark=False)]


# By what the access section denies; None: the section as it is at the start.
rows = {
    NO_FETCH: unique(requests()),
    NO_STORE: unique(requests()),
    NOTHING: [Row("refused", "pmcd 6.3, pdu 5.1, 8.1", b"", hello=False, mark=False),
              Row("refused-and-creds", "pmcd 6.3", wire.creds() + wire.desc_req(ONE), hello=False, mark=False)],
}
