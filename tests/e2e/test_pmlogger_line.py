"""The recorder's connection for fetches: a collector that answers in pieces, in part, too much, or one client only; and
questions that take long, which no record waits for but those of the metrics that they are about."""
import pathlib
import re
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
    """A collector, and a proxy in front of it."""
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd, \
            Between(tmp_path / "between", pmcd.socket) as between:
        yield between


def status(prefix, recorder):
    done = harness.run([prefix.bin("pmlc"), str(recorder.process.pid)], env=recorder.env, input="status\n", stdin=None)
    assert done.returncode == 0 and "log volume" in done.stdout, done.stdout + done.stderr


def test_answers_in_pieces(prefix, peer_root, tmp_path, scene):
    """Bytes arrive in pieces of any size: the recorded data is complete, and nothing is lost."""
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
    """The control port and signals are served meanwhile; then recording continues after a mark."""
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
        harness.wait_until("it is back", lambda: "Connected to PMCD again" in recorder.text(), alive=recorder.process)
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
        harness.wait_until("it is back", lambda: "Connected to PMCD again" in recorder.text(), alive=recorder.process)
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
            harness.wait_until("the one record", lambda: reader.count("archive", "sample.long.one") > 0, alive=recorder.process)
            pmcd.stop()
            harness.wait_until("it is said", lambda: "Lost connection" in recorder.text(), alive=recorder.process)
            status(prefix, recorder)
            assert recorder.stop() == 0
            assert recorder.text().count("Lost connection") == 1
    assert reader.ended("archive")


def sockets(path):
    """How many the collector has at this path: the one that listens, and one a client."""
    return sum(line.endswith(f" {path}") for line in pathlib.Path("/proc/net/unix").read_text().splitlines())


def test_collector_that_allows_one_connection(prefix, peer_root, tmp_path):
    reader = Reader(peer_root, tmp_path / "rec")
    access = '[access]\nallow "unix:" : maximum 1 connections;\n'
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix), access) as pmcd:
        # The one who asked whether it answers has left, but the collector has to notice: until then that is the one.
        harness.wait_until("it listens alone", lambda: sockets(pmcd.socket) == 1, alive=pmcd.process)
        with Recorder(prefix, reader.dir, pmcd.host, CONFIG) as recorder:
            for _ in range(3):
                recorder.grows()
            assert recorder.stop() == 0
            assert "Lost connection" not in recorder.text()
    reader.check("archive")
    assert len(reader.records("archive")) > 3


def log(prefix, recorder, *lines):
    done = harness.run([prefix.bin("pmlc"), str(recorder.process.pid)], env=recorder.env, input="\n".join(lines) + "\n",
                       stdin=None)
    assert done.returncode == 0, done.stdout + done.stderr


NEW = {"sample.ulong.ten", "sample.float.ten"}


def in_log(prefix, recorder):
    """Those of NEW that the recorder says are in its archive."""
    done = harness.run([prefix.bin("pmlc"), str(recorder.process.pid)], env=recorder.env, stdin=None,
                       input="query { sample.ulong.ten sample.float.ten }\n")
    return set(re.findall(r"(?m)^(sample\.\S+)\n    mand on (?! nl)", done.stdout))


# The task of those that are there already, one of their own, and once.
@pytest.mark.parametrize("when", ["20 msec", "30 msec", "once"])
def test_new_metrics_hold_up_nobody(prefix, peer_root, tmp_path, scene, when):
    """While help texts of new metrics are waited for all others are recorded; then the new ones are, and have them."""
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG) as recorder:
        recorder.grows()
        scene.mode = "hush"
        log(prefix, recorder, f"log mandatory on {when} {{ sample.ulong sample.float }}")
        harness.wait_until("a question is open", lambda: scene.held > 0, alive=recorder.process)
        for _ in range(20):
            recorder.grows()
        log(prefix, recorder, "new volume")
        recorder.grows("archive.1")
        scene.mode = "whole"
        harness.wait_until("the new ones are recorded", lambda: in_log(prefix, recorder) == NEW, alive=recorder.process)
        recorder.grows("archive.1")
        assert recorder.stop() == 0
        assert "Lost connection" not in recorder.text()
    reader.check("archive")
    records = reader.records("archive")
    assert not [r for r in records if not r.metrics]
    new = [i for i, r in enumerate(records) if "sample.ulong.ten" in r.text]
    old = [i for i, r in enumerate(records) if "sample.long.ten" in r.text]
    assert len([i for i in old if i < new[0]]) > 20 and old[-1] > new[0]
    assert when == "once" or all("sample.float.ten" in records[i].text for i in new)
    assert len(new) == 1 or when != "once"
    texts = reader.run("pmdumplog", "-h", "archive").stdout
    pmids = re.findall(r"PMID: (29\.\S+)", reader.run("pmdumplog", "-d", "archive").stdout)
    assert len(pmids) > 18 and all(f"PMID: {pmid} [" in texts for pmid in pmids)


@pytest.mark.parametrize("when", ["20 msec", "1 hour", "once"])
def test_questions_that_are_not_answered(prefix, peer_root, tmp_path, scene, when):
    """They are asked again."""
    reader = Reader(peer_root, tmp_path / "rec")
    with Recorder(prefix, reader.dir, scene.host, CONFIG, env={"PMCD_REQUEST_TIMEOUT": "2"}) as recorder:
        recorder.grows()
        scene.mode = "hush"
        log(prefix, recorder, f"log mandatory on {when} {{ sample.ulong sample.float }}")
        harness.wait_until("a question is open", lambda: scene.held > 0, alive=recorder.process)
        seen = scene.held
        harness.wait_until("it is asked again", lambda: scene.held > seen, alive=recorder.process)
        recorder.grows()
        scene.mode = "whole"
        harness.wait_until("the new ones are recorded", lambda: in_log(prefix, recorder) == NEW, alive=recorder.process)
        assert recorder.stop() == 0
    reader.check("archive")
