"""The recorder's connection for fetches, and a collector that answers in pieces, in part, too much or one client only."""
import signal

import harness
import pytest
from between import Between
from recording import Reader, Recorder

CONFIG = "log mandatory on 20 msec { sample.bin sample.long sample.hordes }\n"


def agents(prefix):
    return [f"sample 29 dso sample_init {prefix.dso('sample')}"]


@pytest.fixture
def scene(prefix, tmp_path):
    """A collector, and who stands before it."""
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd, \
            Between(tmp_path / "between", pmcd.socket) as between:
        yield between


def status(prefix, recorder):
    done = harness.run([prefix.bin("pmlc"), str(recorder.process.pid)], env=recorder.env, input="status\n", stdin=None)
    assert done.returncode == 0 and "log volume" in done.stdout, done.stdout + done.stderr


def test_answers_in_pieces(prefix, peer_root, tmp_path, scene):
    """Bytes come as they like: what is recorded is whole, and nothing is lost."""
    scene.mode = "pieces"
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG) as recorder:
        for _ in range(10):
            recorder.grows()
        status(prefix, recorder)
        assert recorder.stop() == 0
        assert "Lost connection" not in recorder.text()
    reader.check("archive")
    records = reader.records("archive")
    assert not [r for r in records if not r.metrics]
    sizes = [len(r.metrics) for r in records if any("sample." in name for name in r.metrics)]
    assert len(sizes) > 3 and len(set(sizes)) == 1 and sizes[0] > 3


def test_half_an_answer_is_waited_for_by_nobody(prefix, peer_root, tmp_path, scene):
    """The control port and signals are served meanwhile; then the collector is asked anew, behind a mark."""
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG, env={"PMCD_REQUEST_TIMEOUT": "3"}) as recorder:
        recorder.grows()
        scene.mode = "half"
        harness.wait_until("an answer is cut", lambda: scene.held > 0, alive=recorder.process)
        status(prefix, recorder)
        recorder.process.send_signal(signal.SIGHUP)
        harness.wait_until("SIGHUP is served", lambda: "via SIGHUP" in recorder.text(), alive=recorder.process)
        harness.wait_until("its time is over", lambda: "Lost connection" in recorder.text(), alive=recorder.process)
        status(prefix, recorder)
        scene.mode = "whole"
        harness.wait_until("it is back", lambda: "Connected to PMCD again" in recorder.text(), 60, alive=recorder.process)
        recorder.grows("archive.1")
        recorder.grows("archive.1")
        assert recorder.stop() == 0
    reader.check("archive")
    assert len(reader.marks("archive")) == 1


def test_end_while_half_an_answer_is_there(prefix, peer_root, tmp_path, scene):
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG) as recorder:
        recorder.grows()
        scene.mode = "half"
        harness.wait_until("an answer is cut", lambda: scene.held > 0, alive=recorder.process)
        assert recorder.stop() == 0
    reader.check("archive")
    assert reader.ended("archive")


def test_what_nobody_asked_for_ends_the_connection(prefix, peer_root, tmp_path, scene):
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG) as recorder:
        recorder.grows()
        scene.mode = "more"
        harness.wait_until("it is back", lambda: "Connected to PMCD again" in recorder.text(), 60, alive=recorder.process)
        recorder.grows()
        assert recorder.stop() == 0
        assert recorder.text().count("Lost connection") == 1
    reader.check("archive")
    assert len(reader.marks("archive")) == 1


def test_collector_that_goes_between_two_fetches(prefix, peer_root, tmp_path):
    """It is noticed at once, said once, and costs nothing until the next fetch is due."""
    reader = Reader(peer_root, tmp_path / "rec")
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        config = "log mandatory on 1 hour { sample.long }\n"
        with Recorder(prefix, reader.dir, pmcd.host, config) as recorder:
            recorder.grows()
            pmcd.stop()
            harness.wait_until("it is said", lambda: "Lost connection" in recorder.text(), alive=recorder.process)
            status(prefix, recorder)
            assert recorder.stop() == 0
            assert recorder.text().count("Lost connection") == 1
    assert reader.ended("archive")


def test_collector_that_allows_one_connection(prefix, peer_root, tmp_path):
    reader = Reader(peer_root, tmp_path / "rec")
    access = '[access]\nallow "unix:" : maximum 1 connections;\n'
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix), access) as pmcd:
        with Recorder(prefix, reader.dir, pmcd.host, CONFIG) as recorder:
            for _ in range(3):
                recorder.grows()
            assert recorder.stop() == 0
            assert "Lost connection" not in recorder.text()
    reader.check("archive")
    assert len(reader.records("archive")) > 3
