"""Every request and every error of pdu.md 5-15 and pmcd.md 5-12, at Debian's collector and at ours (rows.py)."""
import os
import pwd

import pytest

import rows_session
from rows import BROKEN, OTHER, PUPPET, SAMPLE, SAMPLEDSO, UNREADY, Pair, check, pipe_line

USER = pwd.getpwuid(os.getuid()).pw_name
AGENTS = [
    f"sample {SAMPLE} PEER PMDAS/sample/pmdasample -d {SAMPLE} -U {USER} -l sample.log",
    # f"sampledso {SAMPLEDSO} dso sample_init PMDAS/sample/pmda_sample.so",
    pipe_line(PUPPET, "puppet"),
    pipe_line(OTHER),
    pipe_line(UNREADY, notready=True),
    f"dyn{BROKEN} {BROKEN} pipe binary /no/such/program",
]


@pytest.fixture(scope="module")
def pair(prefix, peer_root, tmp_path_factory):
    import peer as debian

    peer = debian.Peer(agents=("pmcd", "sample", "sampledso"))
    try:
        with Pair(prefix, peer, tmp_path_factory.mktemp("rows"), AGENTS, ["-t", "2"]) as started:
            yield started
    finally:
        peer.remove()


@pytest.mark.parametrize("row", rows_session.rows, ids=str)
def test_session(pair, row):
    check(pair, row)
