"""Every request and every error of pdu.md 5-15 and pmcd.md 5-12, at Debian's collector and at ours (rows.py)."""
import os
import subprocess

import pytest

import rows_agents
import rows_late
import rows_names
import rows_requests
import rows_rights
import rows_session
import wire
from harness import own_name
from rows import BROKEN, ONE, OTHER, PUPPET, SAMPLE, SIMPLE, UNREADY, Pair, check, pipe_line, word_of

USER = own_name()
AGENTS = [
    f"sample {SAMPLE} PEER PMDAS/sample/pmdasample -d {SAMPLE} -U {USER} -l sample.log",
    f"simple {SIMPLE} dso simple_init PMDAS/simple/pmda_simple.so",
    pipe_line(PUPPET, "puppet"),
    pipe_line(OTHER),
    pipe_line(UNREADY, notready=True),
    f"dyn{BROKEN} {BROKEN} pipe binary /no/such/program",
]


def build_simple(peer):
    """The simple agent as an object for the collector's process; it comes as source."""
    subprocess.run(["cc", "-w", "-shared", "-fPIC", f"-I{peer.root}/usr/include", "-o", "pmda_simple.so", "simple.c",
                    f"-L{peer.lib}", "-lpcp_pmda", "-lpcp"], cwd=peer.pmdas / "simple", check=True)


@pytest.fixture(scope="module")
def debian(peer_root):
    """Debian's packages laid out; its collector is started by a Pair, one at a time."""
    import peer

    made = peer.Peer(agents=("pmcd", "sample", "simple"))
    try:
        build_simple(made)
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="class")
def pair(prefix, debian, tmp_path_factory):
    with Pair(prefix, debian, tmp_path_factory.mktemp("rows"), AGENTS, ["-t", "30"]) as started:
        yield started


class TestRequests:
    @pytest.mark.parametrize("row", rows_session.rows, ids=str)
    def test_session(self, pair, row):
        check(pair, row)

    @pytest.mark.parametrize("row", rows_requests.rows, ids=str)
    def test_requests(self, pair, row):
        if row.name.startswith("store.fenced-") and os.getuid() != 0:
            pytest.skip("only root may fence, the collector's user may at 6.0.3's")
        check(pair, row)

    @pytest.mark.parametrize("row", rows_names.rows, ids=str)
    def test_names(self, pair, row):
        check(pair, row)

    @pytest.mark.parametrize("row", rows_agents.rows, ids=str)
    def test_agents(self, pair, row):
        try:
            check(pair, row)
        finally:
            pair.revive()


class TestRights:
    @pytest.fixture(scope="class", params=rows_rights.rows)
    def denied(self, request, pair):
        pair.deny(request.param)
        return request.param

    def test_rights(self, pair, denied):
        for row in rows_rights.rows[denied]:
            check(pair, row)


class TestLate:
    AGENTS = [pipe_line(PUPPET, "puppet", "flags=4", "trace=heard"), pipe_line(OTHER)]

    @pytest.fixture(scope="class")
    def pair(self, prefix, debian, tmp_path_factory):
        with Pair(prefix, debian, tmp_path_factory.mktemp("late"), self.AGENTS, ["-t", "2"]) as started:
            yield started

    @pytest.mark.parametrize("row", rows_late.rows, ids=str)
    def test_late(self, pair, row):
        try:
            check(pair, row)
        finally:
            pair.revive()

    def test_agents_hear_the_same(self, pair):
        """A client's request reaches the agent in the same bytes with both collectors."""
        questions = [row.send for row in rows_agents.rows if row.name.endswith(".good")]
        heard = pair.heard(b"".join(questions), rows_agents.READY)
        assert len(heard["theirs"]) >= len(questions) and heard["ours"] == heard["theirs"]

    def test_agents_hear_of_clients(self, pair):
        heard = pair.heard(wire.desc_req(ONE), b"", kinds=(wire.ATTR,))
        assert len(heard["theirs"]) == 3 and heard["ours"] == heard["theirs"]

    def test_agents_greet(self, pair):
        for lines in pair.heard_first():
            assert lines[0] == f"{wire.CREDS:#x} 0000000101020004"

    def test_changes_are_told_once(self, pair):
        """An agent ends, and a SIGHUP brings it back: the next fetch begins with the mask, the one after it does
        not."""
        words = {}
        clients = {name: wire.ready(address) for name, address in pair.sides()}
        for client in clients.values():
            client.ask(rows_agents.says("exit=3"))
            assert client.ask(wire.desc_req(ONE)).code == wire.PM_ERR_IPC
        pair.revive()
        for name, client in clients.items():
            client.send(wire.fetch([ONE]) + wire.fetch([ONE]))
            words[name] = [word_of(client.receive()) for _ in range(3)]
            client.close()
        assert words["ours"] == words["theirs"]
        assert words["ours"][0] == "ERROR 7"
