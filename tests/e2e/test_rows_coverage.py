"""Every section of pdu.md 5-15 and pmcd.md 5-12 has a row, or a test elsewhere; so has each cell of the table of routes."""
import pathlib
import re

import pytest

import rows_agents
import rows_late
import rows_names
import rows_requests
import rows_rights
import rows_session

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = [row for rows in (rows_session.rows, rows_requests.rows, rows_names.rows, rows_agents.rows, rows_late.rows,
                         *rows_rights.rows.values()) for row in rows]

# Sections that no request of a client covers, and their check: a test, or the page that says why there is none.
ELSEWHERE = {
    "pdu 8": "its subsections", "pdu 10": "its subsections",
    "pdu 8.3": "tests/libpcp/test_dial.c",
    "pdu 8.5": "tests/e2e/test_interop.py",
    "pdu 9": "docs/design.md",       # pmproxy: not now
    "pdu 10.1": "tests/e2e/test_rows.py",
    "pdu 10.5": "tests/e2e/test_pmcd_requests.py",
    "pdu 11": "docs/design.md",      # the control port is pmlogger's
    "pdu 15": "tests/libpcp/test_error.c",
    "pmcd 5": "its subsections", "pmcd 6": "its subsections", "pmcd 7": "its subsections", "pmcd 8": "its subsections",
    "pmcd 5.1": "tests/daemons/pmcd/test_config.c",
    "pmcd 5.2": "tests/daemons/pmcd/test_config.c",
    "pmcd 5.3": "tests/e2e/test_interop.py",
    "pmcd 6.1": "tests/daemons/pmcd/test_config.c",
    "pmcd 6.2": "tests/daemons/pmcd/test_access.c",
    "pmcd 6.4": "tests/daemons/pmcd/test_access.c",
    "pmcd 6.6": "tests/daemons/pmcd/test_access.c",
    "pmcd 7.1": "tests/e2e/test_pmcd_sighup.py",
    "pmcd 7.2": "tests/e2e/test_pmcd_isolation.py",
    "pmcd 7.3": "tests/e2e/test_pmcd_requests.py",
    "pmcd 10": "its subsections",
    "pmcd 10.1": "tests/libpmns/test_load.c",
    "pmcd 10.2": "tests/libpmns/test_cpp.c",
    "pmcd 10.3": "tests/libpmns/test_stdpmid.c",
    "pmcd 11.1": "tests/e2e/test_pmcd_control.py",
    "pmcd 12": "tests/libpcp/test_hostspec.c",
}


def sections(name, first, last):
    """Numbers of the headings of a specification, in a range of chapters."""
    text = (ROOT / "docs/spec" / f"{name}.md").read_text()
    numbers = re.findall(r"(?m)^##+ (\d+(?:\.\d+)?)\.? ", text)
    return [f"{name} {number}" for number in numbers if first <= int(number.split(".")[0]) <= last]


def cited(row):
    """"pdu 5.6, 12, pmcd 9" as ["pdu 5.6", "pdu 12", "pmcd 9"]."""
    name = None
    for word in row.spec.split(", "):
        name, _, number = word.rpartition(" ")[0] or name, None, word.rpartition(" ")[2]
        yield f"{name} {number}"


CITED = {section for row in ROWS for section in cited(row)}


@pytest.mark.parametrize("section", sections("pdu", 5, 15) + sections("pmcd", 5, 12))
def test_each_section_has_a_case(section):
    if section in CITED:
        assert section not in ELSEWHERE, "there is a row: elsewhere is not needed"
        return
    where = ELSEWHERE.get(section)
    assert where is not None, "neither a row nor a test elsewhere"
    assert where == "its subsections" or (ROOT / where).exists()


def test_rows_cite_what_is_there():
    everything = {s for name in ("pdu", "pmcd") for s in sections(name, 1, 99)}
    assert CITED <= everything


# How the table of pmcd.md 9 calls a request, and how the rows do.
REQUESTS = {
    "FETCH": ["FETCH", "HIGHRES_FETCH"],
    "DESC_REQ": ["DESC_REQ"],
    "DESC_IDS": ["DESC_IDS"],
    "INSTANCE_REQ": ["INSTANCE_REQ"],
    "TEXT_REQ": ["TEXT_REQ", "TEXT_REQ.indom"],
    "LABEL_REQ DOMAIN": ["LABEL_REQ.DOMAIN"],
    "LABEL_REQ INDOM": ["LABEL_REQ.INDOM", "LABEL_REQ.INSTANCES"],
    "LABEL_REQ CLUSTER": ["LABEL_REQ.CLUSTER", "LABEL_REQ.ITEM"],
    "RESULT": ["RESULT"],
    "PMNS_IDS": ["PMNS_IDS"],
    "PMNS_NAMES": ["PMNS_NAMES"],
    "PMNS_CHILD": ["PMNS_CHILD", "PMNS_TRAVERSE"],
}
STATES = ("unknown", "not-connected", "fenced", "not-ready")


def routes():
    """The first cells of the rows of the table of routes."""
    text = (ROOT / "docs/spec/pmcd.md").read_text().split("## 9. Request routing")[1].split("###")[0]
    return [re.split(r"[,(]", line.split("|")[1])[0].strip() for line in text.splitlines()
            if line.startswith("| ") and not line.startswith("| Request")]


def test_each_cell_of_the_routes_has_a_case():
    names = {row.name for row in ROWS}
    assert set(routes()) == set(REQUESTS)
    missing = [f"route.{request}.{state}" for kinds in REQUESTS.values() for request in kinds for state in STATES
               if f"route.{request}.{state}" not in names]
    assert not missing


def test_each_type_is_sent():
    """The table of types, pdu.md 3: what a client may send has rows of lengths, whatever it may not one of its own."""
    text = (ROOT / "docs/spec/pdu.md").read_text().split("## 3. PDU types")[1].split("## 4.")[0]
    types = re.findall(r"(?m)^\| 0x[78]\w{3} \| (\w+) \|", text)
    names = {row.name for row in ROWS}
    assert len(types) >= 26
    missing = [t for t in types if f"length.{t}.short" not in names and f"type.{t}" not in names
               and not any(n.startswith(f"{t.lower()}.") for n in names)]
    assert not missing
