"""Each numbered statement, point and row of a table in pmda.md 5 to 12 has a test.

A row here is (how it begins, without backticks; the file in tests/; a word of it); in the order of the
specification. A section without any has one row, which begins with "". Files named parity_*.c run with the
reference's library too, line by line.
"""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

AGENT, LOOP, CONNECT = (f"libpcp_pmda/parity_{name}.c" for name in ("agent", "loop", "connect"))
CACHE, LOT = "libpcp_pmda/parity_cache.c", "libpcp_pmda/parity_cache_lot.c"
MESSAGES, FETCH, MAINLOOP = (f"libpcp_pmda/test_{name}.c" for name in ("messages", "fetch", "mainloop"))
LOGGED, STARVED, UNIT_CACHE = (f"libpcp_pmda/test_{name}.c" for name in ("logged", "starved", "cache"))
DSO, LOCAL, HOLES = "e2e/test_bad_objects.py", "libpcp/test_local.c", "libpcp_pmda/test_holes.c"


def of(path, word, *begins):
    return [(begin, path, word) for begin in begins]


COVERED = {
    "5.1": of(AGENT, "show_versions", "1. If version") + of(MESSAGES, "no_ext", "2. Allocate")
    + of(AGENT, "show_places", "3. status", "4. Install", "5. Fill") + of(MESSAGES, "no_private_ext", "6. Allocate"),
    "5.2": of(AGENT, "daemon_setup", ""),
    "5.3": of(AGENT, "pmdaDSO", ""),
    "5.4": of(AGENT, "pmdaSetResultCallBack", "pmdaSetResultCallBack") + of(AGENT, "pmdaSetFetchCallBack", "pmdaSetFetch")
    + of(AGENT, "pmdaSetCheckCallBack", "pmdaSetCheck") + of(AGENT, "pmdaSetDoneCallBack", "pmdaSetDone")
    + of(AGENT, "pmdaSetEndContextCallBack", "pmdaSetEnd") + of(AGENT, "pmdaSetLabelCallBack", "pmdaSetLabel")
    + of(AGENT, "pmdaSetFlags", "pmdaSetFlags") + of(AGENT, "pmdaSetData", "pmdaSetData")
    + of(AGENT, "PMDA_EXT_FLAG_DIRECT", "pmdaExtSetFlags") + of(AGENT, "pmdaExtSetData", "pmdaExtSetData")
    + of(AGENT, "pmdaExtGetData", "pmdaExtGetData") + of(AGENT, "pmdaSetCommFlags", "pmdaSetCommFlags"),
    "5.5": of(MESSAGES, "log_opened", ""),
    "6.1": of(AGENT, "bad status", "If dispatch->status") + of(MESSAGES, "old_options", "If the interface")
    + of(AGENT, "override_x", "Set opts->version", "Repeatedly")
    + of(AGENT, '"-d 4x"', "d") + of(AGENT, "--debug=nonsense", "D") + of(AGENT, "-h help", "h") + of(AGENT, "-l file", "l")
    + of(AGENT, '"-i service"', "i") + of(AGENT, '"-6 99"', "6") + of(AGENT, '"-u a -6 3"', "u") + of(AGENT, '"-p -i 3"', "p")
    + of(AGENT, "-U user", "U") + of(AGENT, "--bogus", "?"),
    "6.2": of(AGENT, "pmdaUsageMessage", ""),
    "6.3": of(AGENT, "pmdaGetOpt(", ""),
    "7.1": of(AGENT, "pmdaInit(&dispatch, NULL, 0, NULL, 0)", "interface not supported")
    + of(AGENT, "no callback", "version.any.fetch") + of(AGENT, "metrics < 0", "nmetrics < 0")
    + of(AGENT, "indoms < 0", "nindoms < 0") + of(AGENT, "metrics NULL", "nmetrics == 0") + of(AGENT, "indoms NULL", "nindoms == 0"),
    "7.2": of(AGENT, "show_tables", "1. every metric", "2. every indom", "3. every metric") + of(AGENT, "undefined indom", "4. if nindoms"),
    "7.3": of(MESSAGES, "help_opened", "e_helptext set") + of(AGENT, "show_tables", "not set and")
    + of(MESSAGES, "no_help_wanted", "not set, own"),
    "7.4": of(AGENT, "show_lookups", "PMDA_EXT_FLAG_HASHED", "otherwise direct", "linear"),
    "7.5": of(AGENT, "e_status", ""),
    "7.6": of(AGENT, "pmdaRehash(", ""),
    "7.7": of(AGENT, "show_lookups", "hashed", "direct", "linear"),
    "8": of(MESSAGES, "connect_early", "1. ext NULL") + of(MESSAGES, "connect_twice", "2. CONNECTED")
    + of(AGENT, "pmdaConnect", "3. unsupported") + of(MESSAGES, "connect_told", "pipe") + of(CONNECT, "inet good", "inet")
    + of(CONNECT, "ipv6 good", "ipv6") + of(CONNECT, "unix good", "unix") + of(MESSAGES, "connect_nowhere", "other"),
    "8.1": of(CONNECT, "no-such-service", "1. If e_sockname") + of(CONNECT, "no_socket", "2. Create")
    + of(CONNECT, "no_option", "3. SO_REUSEADDR") + of(CONNECT, "no_wait", "4. Wait"),
    "8.2": of(CONNECT, "no_chown", ""),
    "8.3": of(MESSAGES, "connect_to_nobody", "1. Send") + of(CONNECT, "noise", "2. Read") + of(CONNECT, "creds_short", "3. If it is")
    + of(CONNECT, "desc_req", "4. Any other"),
    "9.1": of(MESSAGES, "loop_desperate", "1. Blocking") + of(LOOP, "end_context", "2. Interface >= 5") + of(LOOP, "refuse", "3. If a check")
    + of(LOOP, "requests[]", "4. Dispatch") + of(LOOP, "done", "5. Release"),
    "9.2": of(LOOP, "0xffffcf99", "ERROR") + of(LOOP, '"profile"', "PROFILE") + of(LOOP, '"fetch"', "FETCH")
    + of(LOOP, '"two names"', "PMNS_NAMES") + of(LOOP, '"child status"', "PMNS_CHILD") + of(LOOP, '"traverse"', "PMNS_TRAVERSE")
    + of(LOOP, '"bad ids"', "PMNS_IDS") + of(LOOP, '"desc"', "DESC_REQ") + of(LOOP, '"labels"', "LABEL_REQ")
    + of(LOOP, '"instance"', "INSTANCE_REQ") + of(LOOP, '"text"', "TEXT_REQ") + of(LOOP, '"store"', "RESULT")
    + of(LOOP, '"control"', "CONTROL_REQ") + of(LOOP, '"attr"', "ATTR") + of(LOOP, '"creds"', "anything else"),
    "9.3": of(AGENT, "pmdaGetContext", ""),
    "9.4": of("e2e/rows_agents.py", "-13394", "PM_ERR_PMDANOTREADY") + of("e2e/rows_agents.py", "-13393", "PM_ERR_PMDAREADY")
    + of("e2e/test_rows.py", "notready=True", "A pmcd.conf line"),
    "9.5": of(LOCAL, "couldn't find init function", "1. dlopen") + of(LOCAL, "initialization routine", "2. Fill", "3. Call init")
    + of(LOCAL, "Unknown PM", "4. Loader rejects") + of(DSO, "test_in_the_collector", "5. The loader calls")
    + of("e2e/test_pmcd_isolation.py", "in_an_object", "6. When a client", "7. If comm.flags")
    + of(LOGGED, "pmdaInterfaceMoved", "8. If pmcd"),
    "10.1": of(AGENT, "show_walks", "e_singular == 0", "e_ordinal >= 0, cache", "e_ordinal >= 0, table", "exhausted"),
    "10.2": of(AGENT, "show_fetch_of", "1. debug") + of(LOGGED, "back_pointer", "2. If the private") + of(AGENT, "context %d", "3. Interface")
    + of(FETCH, "pmdaFetch(", "4. The result") + of(AGENT, "PMDA_EXT_NAMES_CHANGE", "5. Timestamp")
    + of(AGENT, "show_methods_of", "6. For each", "a. Look", "b. Unknown", "c. Allocate", "d. Iterate", "e. If no value")
    + of(STARVED, "ask_fetch", "7. Clear")
    + of(FETCH, "ITEM_ENOENT", "< 0") + of(FETCH, "ITEM_NO_VALUE", "0") + of(FETCH, "PMDA_FETCH_STATIC", "1 or > 2")
    + of(FETCH, "ITEM_STRING_DYNAMIC", "2") + of(LOGGED, "ITEM_NO_PMID", "PM_ERR_PMID") + of(LOGGED, "ITEM_NO_INST", "PM_ERR_INST")
    + of(AGENT, "return PM_ERR_VALUE", "PM_ERR_VALUE") + of(LOGGED, "ITEM_ENOENT", "any other"),
    "10.3": of(AGENT, "pmdaDesc(", ""),
    "10.4": of(AGENT, "show_instances", "NULL", "NULL", "non-empty", "any non-NULL", '""'),
    "10.5": of(AGENT, "show_texts", ""),
    "10.6": of(AGENT, "pmdaProfile(", "pmdaProfile") + of(AGENT, "pmdaStore(", "pmdaStore") + of(AGENT, "pmdaPMID(", "pmdaPMID")
    + of(AGENT, "pmdaAttribute(", "pmdaAttribute"),
    "11.1": of(AGENT, "show_context", "PM_LABEL_CONTEXT") + of(AGENT, "PM_LABEL_DOMAIN", "PM_LABEL_DOMAIN")
    + of(AGENT, "PM_LABEL_INDOM", "PM_LABEL_INDOM") + of(AGENT, "PM_LABEL_CLUSTER", "PM_LABEL_CLUSTER")
    + of(AGENT, "PM_LABEL_ITEM", "PM_LABEL_ITEM") + of(AGENT, "PM_LABEL_INSTANCES", "PM_LABEL_INSTANCES")
    + of(AGENT, "zero", "PM_LABEL_COMPOUND") + of(AGENT, "PM_LABEL_OPTIONAL", "PM_LABEL_OPTIONAL"),
    "11.2": of(AGENT, "show_context", "CONTEXT") + of(AGENT, "PM_LABEL_DOMAIN", "DOMAIN") + of(AGENT, "PM_LABEL_CLUSTER", "INDOM, CLUSTER")
    + of(AGENT, "label_callback", "INSTANCES") + of(AGENT, "1 << 12", "anything else"),
    "11.3": of(AGENT, "pmdaAddNotes(", ""),
    "11.4": of(AGENT, "pmdaAddLabelFlags(", ""),
    "12.1": of(CACHE, "dump(", ""),
    "12.2": of(CACHE, "show_names", "no", "yes", "yes", "yes"),
    "12.3": of(CACHE, "PMDA_CACHE_HIDE", "1. Find", "2. Found", "3. flags", "4. Return"),
    "12.4": of(CACHE, "show_keys", "1. Name") + of(CACHE, "show_attempts", "2. Otherwise", "3. Continue")
    + of(CACHE, "show_keys", "bytes 01", "beta", "0123456789abcdef", "a longer key", "bytes 68"),
    "12.5": of(MESSAGES, "cache_no_name", "NULL name") + of(CACHE, "seven", "Known instance")
    + of(CACHE, "show_arguments", "Unknown instance") + of(CACHE, "pmdaCacheResize", "Mode 1")
    + of(LOT, "PMDA_CACHE_ADD", "New entry") + of(UNIT_CACHE, "PMDA_CACHE_REORG", "If reclaiming"),
    "12.6": of(CACHE, "PMDA_CACHE_LOAD", "LOAD") + of(CACHE, "PMDA_CACHE_SAVE", "SAVE") + of(CACHE, "PMDA_CACHE_SYNC", "SYNC")
    + of(CACHE, "PMDA_CACHE_STRINGS", "STRINGS") + of(LOT, "PMDA_CACHE_ACTIVE", "ACTIVE") + of(LOT, "PMDA_CACHE_INACTIVE", "INACTIVE")
    + of(CACHE, "PMDA_CACHE_CULL", "CULL") + of(LOT, "PMDA_CACHE_SIZE", "SIZE") + of(LOT, "PMDA_CACHE_SIZE_ACTIVE", "SIZE_ACTIVE")
    + of(LOT, "PMDA_CACHE_REUSE", "REUSE") + of(LOT, "PMDA_CACHE_REORG", "REORG") + of(LOT, "PMDA_CACHE_WALK_REWIND", "WALK_REWIND")
    + of(LOT, "PMDA_CACHE_WALK_NEXT", "WALK_NEXT") + of(LOT, "PMDA_CACHE_CHECK", "CHECK") + of(CACHE, "__pmdaCacheDump(", "DUMP")
    + of(CACHE, "show_arguments", "other"),
    "12.7": of(LOT, "pmdaCacheLookup(", "pmdaCacheLookup(") + of(LOT, "pmdaCacheLookupName(", "pmdaCacheLookupName")
    + of(CACHE, "pmdaCacheLookupKey(", "pmdaCacheLookupKey") + of(UNIT_CACHE, "pmdaCachePurgeCallback(", "pmdaCachePurgeCallback")
    + of(CACHE, "pmdaCacheResize(", "pmdaCacheResize"),
    "12.8": of(CACHE, "absent %d", "Open failure") + of(CACHE, '"3 0 0\\n"', "First line") + of(CACHE, "junk", "Each line")
    + of(CACHE, "7 2 other", "Each is inserted") + of(CACHE, "load %zu", "Returns") + of(CACHE, "show_strings", "The STRINGS mark")
    + of(CACHE, "show_empty_string", "An empty name"),
    "12.9": of(CACHE, "show_attempts", ""),
}

# Not rows: heads of tables, and 7.8, which only says what the manual calls the messages of 7.1 to 7.6.
HEADS = {"Function", "c", "Condition", "Situation", "Strategy", "e_io", "PDU (type)", "sts", "name", "Level", "type", "Key",
         "sought name has more (a space)?", "op", "Callback sts", "---"}


def sections():
    text = re.sub(r"(?ms)^```.*?^```", "", (ROOT / "docs/spec/pmda.md").read_text())
    parts = re.split(r"(?m)^##+ (\d+(?:\.\d+)?)\.? .*\n", text)
    bodies = dict(zip(parts[1::2], parts[2::2]))
    return {n: body for n, body in bodies.items() if 5 <= int(n.split(".")[0]) <= 12 and n != "7.8"
            and not (n + ".1" in bodies and n != "8")}


def rows(body):
    found = []
    for line in body.replace("`", "").replace("*direct*", "direct").replace("*linear*", "linear").splitlines():
        point = re.match(r"(?:\* |(?=\d+\. )|   (?=[a-z]\. ))(.*)", line)
        if point:
            found.append(point[1])
        elif line.startswith("|") and line.split("|")[1].strip() not in HEADS and not line.startswith("|---"):
            found.append(line.split("|")[1].strip())
    return found or [""]


@pytest.mark.parametrize("section", sections())
def test_each_row_has_a_test(section):
    spec, ours = rows(sections()[section]), COVERED.get(section, [])
    unlike = [(text, begin) for text, (begin, *_) in zip(spec, ours) if not text.startswith(begin)]
    assert not unlike
    assert len(spec) == len(ours), spec[len(ours):] or ours[len(spec):]


@pytest.mark.parametrize("section", COVERED)
def test_the_tests_are_there(section):
    missing = [row for row in COVERED[section] if row[2] not in (ROOT / "tests" / row[1]).read_text()]
    assert not missing
