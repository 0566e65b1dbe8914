"""A recording when the collector, the disk or the recorder itself fails."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pytest

import harness
from recording import Reader, Recorder

CONFIG = "log mandatory on 100 msec { sample.bin sample.seconds }\nlog advisory on 70 msec { sample.mirage }\n"


def agents(prefix):
    return [f"sample 29 dso sample_init {prefix.dso('sample')}"]


def test_mark_after_a_restart_of_the_collector(prefix, peer_root, tmp_path):
    reader = Reader(peer_root, tmp_path)
    pmcd = harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)).start()
    try:
        with Recorder(prefix, tmp_path, pmcd.host, CONFIG) as recorder:
            recorder.grows()
            pmcd.process.kill()
            pmcd.process.wait()
            harness.wait_until("the loss is told", lambda: "Lost connection to PMCD" in recorder.text())
            pmcd.start()
            harness.wait_until("the return is told", lambda: "Connected to PMCD again" in recorder.text())
            recorder.grows()
            recorder.grows()
            assert recorder.stop() == 0
    finally:
        pmcd.stop()
    reader.check("archive")
    records = reader.records("archive")
    marks = [i for i, r in enumerate(records) if not r.metrics]
    assert len(marks) == 1
    before, mark, after = records[marks[0] - 1], records[marks[0]], records[marks[0] + 1]
    assert mark.stamp - before.stamp in range(999_000, 1_001_000) and after.stamp > mark.stamp
    assert reader.ended("archive")
    assert recorder.text().count("Lost connection") == 1


def test_stopped_collector_does_not_stop_the_end(prefix, peer_root, tmp_path):
    """A collector that does not answer holds up nothing but its own values: a recorder that waited for the answer would
    wait longer than this test does."""
    reader = Reader(peer_root, tmp_path)
    patient = {"PMCD_REQUEST_TIMEOUT": 10 * harness.DEADLINE_S}
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, CONFIG, env=patient) as recorder:
            recorder.grows()
            pmcd.process.send_signal(signal.SIGSTOP)
            try:
                time.sleep(0.5)  # until it has asked, and waits
                recorder.process.send_signal(signal.SIGHUP)
                harness.wait_until("SIGHUP is served", lambda: "via SIGHUP" in recorder.text())
                assert recorder.stop() == 0
            finally:
                pmcd.process.send_signal(signal.SIGCONT)
    reader.check("archive")
    assert reader.ended("archive")


@pytest.mark.parametrize("version", ["2", "3"])
def test_killed_at_any_time(prefix, peer_root, tmp_path, version):
    """After kill -9 the archive is readable without repair, up to its last record."""
    rng = random.Random(int(os.environ.get("PITOT_SEED", "7")))
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        for n in range(int(os.environ.get("PITOT_KILLS", "6"))):
            reader = Reader(peer_root, tmp_path / f"run{n}")
            with Recorder(prefix, reader.dir, pmcd.host, CONFIG, "-V", version) as recorder:
                recorder.grows()
                time.sleep(rng.random() * 0.5)
                recorder.process.kill()
                recorder.process.wait()
            assert len(reader.records("archive")) >= 2
            reader.check("archive")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KiB."""
    where = tmp_path / "disk"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(where)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


def test_full_disk_is_an_event(prefix, peer_root, tmp_path, small_disk):
    """Recording pauses with one line, and resumes by itself after a mark when there is space again."""
    config = "log mandatory on 200 msec { sample.bin sample.hordes sample.long }\n"
    filler = small_disk / "filler"
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        filler.write_bytes(b"x" * (160 << 10))  # as much as some twenty records, seconds of them
        recorder = Recorder(prefix, tmp_path, pmcd.host, config, base=str(small_disk / "archive"))
        with recorder:
            harness.wait_until("the disk is full", lambda: "recording pauses" in recorder.text())
            time.sleep(1)
            filler.unlink()
            harness.wait_until("recording goes on", lambda: "Recording goes on" in recorder.text())
            size = recorder.size(small_disk / "archive.0")
            harness.wait_until("it grows", lambda: recorder.size(small_disk / "archive.0") > size)
            assert recorder.stop() == 0
        assert recorder.text().count("recording pauses") == 1
        reader = Reader(peer_root, tmp_path)
        reader.check(small_disk / "archive")
        records = reader.records(small_disk / "archive")
        marks = [i for i, r in enumerate(records) if not r.metrics]
        assert len(marks) == 1 and 1 < marks[0] < len(records) - 1
        assert records[marks[0] + 1].stamp - records[marks[0]].stamp > 500_000_000


def test_archive_of_a_dead_recorder_is_repaired(prefix, peer_root, tmp_path):
    """The next start in the same folder cuts what is torn."""
    config = "log mandatory on 50 msec { sample.bin }\n"
    reader = Reader(peer_root, tmp_path)
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, config, base="first") as recorder:
            recorder.grows()
            recorder.kill_between_calls()
        volume = tmp_path / "first.0"
        whole = volume.stat().st_size
        with volume.open("ab") as f:
            f.write(b"\0\0\1\0torn")
        with Recorder(prefix, tmp_path, pmcd.host, config, base="second") as recorder:
            harness.wait_until("the repair", lambda: "Archive repaired" in recorder.text())
            assert recorder.stop() == 0
    assert volume.stat().st_size == whole
    reader.check("first")
    reader.check("second")


def test_caps(prefix, peer_root, tmp_path):
    """Old volumes go when all together are too large; what is being written stays."""
    config = "log mandatory on 20 msec { sample.bin sample.hordes }\n"
    reader = Reader(peer_root, tmp_path)
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, config, "--keep-size", "60kb", "-v", "20kb") as recorder:
            harness.wait_until("the sixth volume", (tmp_path / "archive.6").exists, alive=recorder.process)
            harness.wait_until("the first one goes", lambda: not (tmp_path / "archive.0").exists())
            assert recorder.stop() == 0
    assert (tmp_path / "archive.6").exists()
    assert reader.ended("archive") and len(reader.records("archive")) > 2


@pytest.fixture(scope="module")
def clock_shim(tmp_path_factory):
    """A library that sets the clock on the wall, for the collector: stamps are its."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path_factory.mktemp("shim") / "clock_shim.so"
    done = harness.run([compiler, "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).parent / "clock_shim.c"])
    assert done.returncode == 0, done.stderr
    return library


@pytest.mark.parametrize("set_by", [-3600, 3600])
def test_clock_is_set(prefix, peer_root, tmp_path, clock_shim, set_by):
    """Set back: another archive; set ahead: a mark. Time never goes back within an archive."""
    reader = Reader(peer_root, tmp_path)
    env = {"LD_PRELOAD": clock_shim, "CLOCK_SET": set_by, "CLOCK_WHEN": tmp_path / "now"}
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix), env=env) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, "log mandatory on 100 msec { sample.bin }\nlog on once sample.control\n"
                      ) as recorder:
            recorder.grows()
            recorder.grows()
            (tmp_path / "now").touch()
            second = tmp_path / "archive-00.0"
            if set_by < 0:
                harness.wait_until("another archive", second.exists, alive=recorder.process)
                recorder.grows(second.name)
                recorder.grows(second.name)
            else:
                harness.wait_until("the mark", lambda: reader.marks("archive"), alive=recorder.process)
                recorder.grows()
                recorder.grows()
            assert recorder.stop() == 0
    reader.check("archive")
    stamps = [r.stamp for r in reader.records("archive")]
    steps = [b - a for a, b in zip(stamps, stamps[1:]) if b - a > 1800 * 10**9 or a - b > 1800 * 10**9]
    if set_by < 0:
        reader.check("archive-00")
        assert reader.marks("archive") == [] and steps == []
        assert reader.ended("archive") and reader.ended("archive-00")
        assert all(sum("sample.control" in "".join(r.metrics) for r in reader.records(base)) == 1
                   for base in ("archive", "archive-00"))
    else:
        assert len(reader.marks("archive")) == 1 and len(steps) == 1
        assert not second.exists()
