"""For each message of the library that pmda.md quotes, a test provokes it and reads it.

The texts come from the specification itself: texts in backticks that look like a message. The table names the file with
the actual text: a golden file has the output of the reference's library, compared line by line with ours (parity_*.c);
a test_*.c has the text that the test requires in the log. The whole text is searched for, with anything in place of
conversions and of <err>, <pmid>, <indom>.
"""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests/libpcp_pmda"

# Chapters about the library whose messages are meant. 15 has none, 18 and 19 are programs.
CHAPTERS = (5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17)

# How a text begins in the specification, and where it is read.
READ = {
    "golden_agent.txt": [
        "__pmdaSetup: %s PMDA:", "Unable to set result", "Unable to set fetch", "Unable to set check",
        "Unable to set done", "Unable to set end", "Unable to set label", "pmdaSetFlags:", "pmdaSetData:",
        "pmdaExtSetFlags:", "pmdaExtSetData:", "pmdaSetCommFlags:", "%s: -d requires", "%s: unrecognized debug",
        "%s: -%c option clashes", "pmdaInit: PMDA interface version %d", "pmdaInit: PMDA %s: using pmdaFetch",
        "pmdaInit: PMDA %s: nmetrics", "pmdaInit: PMDA %s: nindoms", "pmdaInit: PMDA %s: metrics",
        "pmdaInit: PMDA %s: indoms", "pmdaInit: PMDA %s: Metric", "pmdaInit: PMDA %s: Undefined",
        "pmdaInit: PMDA %s: No help text file", "pmdaDirect:", "name =", "domain =", "ext flags =",
        "num metrics =", "num indom =", "metric map =", "pmdaRehash: PMDA %s: successful",
        "pmdaConnect: PMDA interface version", "PMDA interface version %d not supported",
        "__pmdaCntInst: unknown", "__pmdaCntInst(", "__pmdaStartInst(", "__pmdaNextInst(",
        "pmdaFetch(", "pmdaFetch flags", "pmdaFetch: Requested", "pmdaFetch: Descriptor",
        "pmdaFetch: PMID", "pmdaFetch: Instance", "pmdaFetch: Fetch callback", "pmdaDesc: Requested", "pmdaDesc(",
        "pmdaInstance: exact", "pmdaInstance: matched", "Attribute: ctx", "pmdaLabel: InDom", "pmdaLabel: context",
        "pmdaLabel: domain", "pmdaLabel: cluster", "pmdaLabel: item", "pmdaAddLabels:", "pmdaAddNotes:",
    ],
    "golden_connect.txt": [
        "pmdaConnect: PMDA %s: opened inet", "pmdaConnect: PMDA %s: opened ipv6", "pmdaConnect: PMDA %s: Opened unix",
        "__pmdaOpenSocket", "__pmdaOpenUnix", "__pmdaSetupPDU", "__pmDumpPDUTrace:", "[0] xmit", "[1] recv",
    ],
    "golden_loop.txt": [
        "Received PDU_ERROR", "%s: unexpected error pdu", "%s: Failed to set", "%s: Unrecognised", "__pmSendError",
        "__pmSendResult", "__pmSendIDList", "__pmSendNameList", "__pmSendDesc", "__pmSendLabel", "__pmSendInstance",
        "__pmSendText",
    ],
    "golden_cache.txt": [
        "pmdaCache store:", "pmdaCacheStoreKey: indom", "pmdaCache: store:", "insert_cache: indom <indom>: zero",
        "insert_cache: indom <indom>: too many", "pmdaCacheLookupKey:", "After cache_save", "pmdaCacheOp:",
        "[match len", "pmdaCacheStoreKey hash", "hash once:", "%d hash attempts:", "inst hash", "name hash", "[%03d]",
        "[no key]",
    ],
    "golden_root.txt": ["recvmsg:", "pmdaRootConnect: cannot", "pmdaRootConnect: %s server"],
    "test_messages.c": [
        "%s: Unable to allocate", "Log for NAME", "Log finished", "pmdaGetOptions:", "pmdaInit: PMDA %s: Unable",
        "pmdaInit: PMDA %s: help file", "pmdaInit: PMDA %s: No help text path", "comm flags =",
        "pmdaRehash: PMDA %s: Hashed", "pmdaConnect: need", "pmdaConnect: called", "pmdaConnect: PMDA %s: opened pipe",
        "pmdaConnect: PMDA %s: Illegal", "PMDA Initialisation Failed", "__pmdaMainPDU: got", "IPC Error:", "Bad attr:",
        "%s: need to call", "insert_cache: indom <indom>: NULL", "__pmdaSetupPDU: PMDA %s send", "out-of-memory registering",
        "pmdaEventNewClient:", "pmdaEventEndClient", "Client queue", "Appending event:", "Event too large",
        "Dropping", "Client missed", "Removing", "event allocation", "Inserted", "queue_fetch start", "Clientq",
        "Culling event", "Adding event", "queue_cleanup:", "queue_shutdown:",
    ],
    "test_init_check.c": ["domain %d: expected", "metrics[%d] and", "indoms[%d] and"],
    "test_logged.c": ["Botch:", "pmdaFetch: Attempt"],
}

# Messages of which a test reads only a part, or whose text in the specification differs from the actual one.
PARTS = {
    "%s: Unable to allocate memory for e_ext_t": "m: Unable to allocate memory for e_ext_t structure (",
    "Log for NAME": "Log for m on ",
    "Log finished": "Log finished ",
    "pmdaInit: PMDA %s: help file": "pmdaInit: PMDA m: help file ",
    "__pmSendError(%d,...,%d) NAME": ",-12358) DESC_REQ failed: ",  # each below
    "Botch:": "Botch: pmdaFetch: PMDA domain=250 ",
    "pmdaCacheStoreKey hash": "pmdaCacheStoreKey hash stats ...",
    "pmdaCacheLookupKey": "]: no matching key in cache",
    "pmdaDesc(": "pmdaDesc(250.0.0, ...) method=linear success",
}

# Texts in backticks that are not messages, and messages that ours has no cause for, with the reason.
NOT_MESSAGES = (
    "pmdatst: ", "PROG: ", "%p", "-i http", "green ", "foo ", "a longer key", "$PCP_VAR_DIR", "path {", "pmid %",
    "name id pipe", "pmdaInit: PMDA interface version …",
    "…: sock addr alloc failed",  # an address is not an allocation
)

CONVERSION = re.compile(r"%[-0-9l]*[a-z]|<(?:err|pmid|indom)>|…")
FAMILY = {"8.1": "__pmdaOpenSocket(%s,%d,%d)", "8.2": "__pmdaOpenUnix(%s)"}


def body():
    text = (ROOT / "docs/spec/pmda.md").read_text()
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    parts = re.split(r"(?m)^##+ (\d+(?:\.\d+)?)\.? .*\n", text)
    return zip(parts[1::2], parts[2::2])


def messages():
    """(section, text) of each message."""
    for section, text in body():
        if int(section.split(".")[0]) not in CHAPTERS:
            continue
        for quoted in re.findall(r"`([^`]+)`", text):
            quoted = re.sub(r"\s+", " ", quoted.replace("\\|", "|").replace("\\n", "")).strip()
            told = re.search(r"%|<(?:err|pmid|indom)>|[a-z]:? [a-z]|^PMDA I", quoted)
            if quoted.startswith(NOT_MESSAGES) or not told:
                continue
            yield section, re.sub("^… ?(?=: |ipv6)", FAMILY.get(section, "") + ": ", quoted).replace(": : ", ": ")


def unquoted(name):
    """A file of expected texts; of a C source the literals, joined as the compiler joins them."""
    text = (TESTS / name).read_text()
    if name.endswith(".c"):
        text = re.sub(r'"\s*\n\s*"', "", text).replace('\\"', '"')
    return re.sub(r"[ \t]+", " ", text)


def places(text):
    return [name for name, begins in READ.items() if text.startswith(tuple(begins))]


@pytest.mark.parametrize("section,text", list(messages()))
def test_each_message_is_read(section, text):
    files = places(text)
    assert files, f"{section}: no test"
    part = next((word for begin, word in PARTS.items() if text.startswith(begin)), None)
    if part is not None:
        assert any(part in unquoted(name) for name in files)
        return
    literals = CONVERSION.split(text)
    pattern = re.compile(".*?".join(re.escape(word) for word in literals))
    assert any(pattern.search(unquoted(name)) for name in files), f"{section}: not in {files}"


def test_the_table_has_nothing_else():
    texts = [text for _, text in messages()]
    idle = [begin for begins in (*READ.values(), PARTS) for begin in begins
            if not any(text.startswith(begin) for text in texts)]
    assert not idle


@pytest.mark.parametrize("sent", ["__pmSendError", "__pmSendNameList"])
def test_each_answer_that_cannot_be_sent_is_told(sent):
    """Those names that the specification lists after each."""
    names = {"__pmSendError": "FETCH PMNS_NAMES PMNS_CHILD PMNS_TRAVERSE PMNS_IDS DESC_REQ LABEL_REQ INSTANCE_REQ TEXT_REQ RESULT",
             "__pmSendNameList": "PMNS_CHILD PMNS_TRAVERSE PMNS_IDS"}[sent].split()
    section = dict(body())["9.2"]
    texts = unquoted("golden_loop.txt") + unquoted("test_messages.c")
    assert [name for name in names if name not in section.split("DEBUG texts for failed sends")[1]] == []
    assert [name for name in names if not re.search(rf"{sent}\(999,.*\) {name} failed: ", texts)] == []
