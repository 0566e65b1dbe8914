"""Every request and every error of pdu.md 5-15 and pmcd.md 5-12, at Debian's collector and at ours (rows.py)."""
import os
import pwd
import subprocess

import pytest

import rows_agents
import rows_names
import rows_requests
import rows_session
from rows import BROKEN, OTHER, PUPPET, SAMPLE, SIMPLE, UNREADY, Pair, check, pipe_line

USER = pwd.getpwuid(os.getuid()).pw_name
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
def pair(prefix, peer_root, tmp_path_factory):
    import peer as debian

    peer = debian.Peer(agents=("pmcd", "sample", "simple"))
    try:
        build_simple(peer)
        with Pair(prefix, peer, tmp_path_factory.mktemp("rows"), AGENTS, ["-t", "2"]) as started:
            yield started
    finally:
        peer.remove()


@pytest.mark.parametrize("row", rows_session.rows, ids=str)
def test_session(pair, row):
    check(pair, row)


@pytest.mark.parametrize("row", rows_requests.rows, ids=str)
def test_requests(pair, row):
    check(pair, row)


@pytest.mark.parametrize("row", rows_names.rows, ids=str)
def test_names(pair, row):
    check(pair, row)


@pytest.mark.parametrize("row", rows_agents.rows, ids=str)
def test_agents(pair, row):
    try:
        check(pair, row)
    finally:
        pair.revive()
