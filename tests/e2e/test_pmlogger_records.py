"""The archives of our recorder, with our collector and with Debian's, read by Debian's tools."""
import re
import signal
import subprocess

import pytest

import harness
import peer
from recording import Reader, Recorder

SAMPLE = """
log mandatory on 200 msec { sample.bin sample.colour sample.long sample.double sample.string sample.aggregate }
log advisory on 300 msec { sample.seconds sample.event sample.bin [ "bin-100" ] }
log mandatory on once { sample.control pmcd.version }
"""


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    """Where metrics come from: our collector and Debian's, with a sample agent each."""
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}", f"linux 60 dso linux_init {prefix.dso('linux')}"]
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("ours"), agents) as ours, \
            peer.Peer(agents=("pmcd", "sample"), root=peer_root) as debian:
        yield {"ours": ours.host, "debian": debian.host}


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("side", ["ours", "debian"])
def test_archive_is_good(prefix, peer_root, sides, tmp_path, side, version):
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, sides[side], SAMPLE, "-V", version) as recorder:
        recorder.grows()
        recorder.process.send_signal(signal.SIGHUP)
        harness.wait_until("a second volume", (tmp_path / "archive.1").exists, alive=recorder.process)
        for _ in range(6):
            recorder.grows("archive.1")
        assert recorder.stop() == 0
    assert "New log volume 1, via SIGHUP at " in recorder.text()
    assert "Caught signal 15, exiting" in recorder.text()
    reader.check("archive")
    assert f"Log Format Version {version}" in reader.run("pmdumplog", "-l", "archive").stdout
    records = reader.records("archive")
    assert records[0].metrics == records[-1].metrics
    assert [m.split(" ")[0] for m in records[0].metrics] == [
        "pmcd.pmlogger.host", "pmcd.pmlogger.port", "pmcd.pmlogger.archive", "pmcd.pid", "pmcd.seqnum"]
    assert all(a.stamp <= b.stamp for a, b in zip(records, records[1:]))
    assert all(len(set(r.metrics)) == len(r.metrics) for r in records)
    assert not any(r.metrics == [] for r in records)
    text = "".join(r.text for r in records)
    assert 'inst [100 or "bin-100"] value 100' in text and "hullo world!" in text
    assert sum("sample.control" in "".join(r.metrics) for r in records) == 1
    done = reader.run("pmval", "-r", "-a", "archive", "-t", "0.1", "-s", "30", "sample.bin")
    assert "bin-900" in done.stdout
    assert "sample.long.ten" in reader.run("pmlogsummary", "archive", "sample.long").stdout


@pytest.mark.parametrize("side", ["ours", "debian"])
def test_metadata(prefix, peer_root, sides, tmp_path, side):
    """Names, labels, texts and domains are there, and each once."""
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, sides[side], SAMPLE) as recorder:
        for _ in range(6):
            recorder.grows()
        assert recorder.stop() == 0
    descs = reader.run("pmdumplog", "-d", "archive").stdout
    pmids = re.findall(r"(?m)^PMID: (\S+)", descs)
    assert len(pmids) == len(set(pmids)) and "29.0.6" in pmids
    assert "sample.seconds" in re.search(r"PMID: 29\.0\.2 \((.*)\)", descs)[1].split(" or ")
    texts = reader.run("pmdumplog", "-h", "archive").stdout
    assert re.search(r"PMID: 29\.0\.6 \[.+\]", texts)
    labels = reader.run("pmdumplog", "-e", "archive").stdout
    assert "Context labels" in labels and '"agent":"sample"' in labels
    assert '0 or "red"' in reader.run("pmdumplog", "-i", "archive").stdout


@pytest.mark.parametrize("side", ["ours", "debian"])
def test_all_names(prefix, peer_root, sides, tmp_path, side):
    """Hundreds of metrics, named in each way that there is: the archive has every name of each."""
    told = subprocess.run([prefix.bin("pminfo"), "-h", sides[side], "-m", "sample", "pmcd"], env=prefix.env(),
                          capture_output=True, text=True, timeout=180).stdout
    wanted = {}
    for name, pmid in re.findall(r"(?m)^(\S+) PMID: (\S+)", told):
        wanted.setdefault(pmid, set()).add(name)
    del wanted["29.0.54"]  # sample.bad.unknown, which has no descriptor
    listed = sorted(name for names in wanted.values() for name in names if name.startswith("pmcd."))
    config = f"log mandatory on 1 hour {{ sample no.such {' '.join(listed)} }}\n"
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, sides[side], config) as recorder:
        harness.wait_until("all is asked for", lambda: recorder.size() > 3000, alive=recorder.process)
        assert recorder.stop() == 0
    descs = dict(re.findall(r"(?m)^PMID: (\S+) \((.*)\)$", reader.run("pmdumplog", "-d", "archive").stdout))
    assert {pmid: set(text.split(" or ")) for pmid, text in descs.items()} == wanted
    assert len(descs) > 150 and any(len(names) > 1 for names in wanted.values())


@pytest.mark.parametrize("version", ["2", "3"])
def test_instances_come_and_go(prefix, peer_root, sides, tmp_path, version):
    """A domain that changes all the time: each value has the name it had then."""
    reader = Reader(peer_root, tmp_path)
    config = "log mandatory on 100 msec { sample.mirage sample.dynamic }\n"
    with Recorder(prefix, tmp_path, sides["ours"], config, "-V", version) as recorder:
        for _ in range(20):
            recorder.grows()
        assert recorder.stop() == 0
    reader.check("archive")
    for record in reader.records("archive"):
        assert "???" not in record.text


def test_large_domain_is_compared_once(prefix, peer_root, sides, tmp_path):
    """Domains that do not change are written once, however many metrics share them."""
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, sides["ours"], "log mandatory on 50 msec { sample.hordes sample.bin }\n") as recorder:
        for _ in range(10):
            recorder.grows()
        assert recorder.stop() == 0
    stored = reader.run("pmdumplog", "-I", "archive").stdout
    assert stored.count("InDom: 29.2 ") == 1
