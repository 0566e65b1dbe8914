"""Our recorder dies before each of its calls that change files, in a run with changes of volumes: what it wrote before
is an archive that Debian's tools and ours read, with every record. tests/libstore/test_kill_points.c tests the writer
alone, and torn writes."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal

import pytest

import harness
from recording import Reader, Recorder

CONFIG = "log mandatory on 20 msec { sample.bin sample.seconds }\nlog mandatory on 30 msec { sample.mirage }\n"
RUN = ("-s", "14", "-v", "5")
AT_ONCE = 4


@pytest.fixture(scope="module")
def kill_shim(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path_factory.mktemp("shim") / "kill_shim.so"
    done = harness.run([compiler, "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).parent / "kill_shim.c", "-ldl"])
    assert done.returncode == 0, done.stderr
    return library


class Run:
    """One recorder, which dies before a call; at 0 it does not."""

    def __init__(self, prefix, peer_root, folder, host, kill_shim, version, at):
        self.at, self.folder = at, folder
        self.reader = Reader(peer_root, folder)
        env = {"LD_PRELOAD": kill_shim, "KILL_AT": at, "KILL_LOG": folder / "calls",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        self.recorder = Recorder(prefix, folder, host, CONFIG, *RUN, "-V", version, env=env)
        self.status = self.recorder.run()

    def calls(self):
        path = self.folder / "calls"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def written(self):
        """The number of records: one write each, not counting labels, which are at offset 0."""
        return sum(what == "write" and re.search(r"/archive\.\d+$", name) is not None and int(at) > 0 and int(n) > 0
                   for what, name, at, n in self.calls())

    def check(self, prefix):
        """All that was written is there, for either side."""
        count = self.written()
        if count == 0:
            return 0
        dump = self.reader.run("pmdumplog", "-m", "archive").stdout
        assert len(self.reader.records("archive")) == count, (self.at, dump)
        ours = harness.run([prefix.bin("pmdumplog"), "-m", "archive"], cwd=self.folder, env=prefix.env(TZ="UTC"))
        assert ours.returncode == 0 and ours.stdout == dump, (self.at, ours.stderr)
        assert "???" not in dump
        # A trim removes a volume without records and writes a missing index: then pmlogcheck has no complaints.
        trim = harness.run([prefix.bin("pmlogcheck"), "-t", "archive"], cwd=self.folder, env=prefix.env())
        assert trim.returncode == 0, (self.at, trim.stderr)
        self.reader.check("archive")
        assert self.reader.run("pmdumplog", "-m", "archive").stdout == dump, self.at
        return count


@pytest.mark.parametrize("version", ["2", "3"])
def test_killed_before_each_call(prefix, peer_root, tmp_path, sample_pmcd, kill_shim, version):
    def one(at):
        folder = tmp_path / str(at)
        folder.mkdir()
        run = Run(prefix, peer_root, folder, sample_pmcd.host, kill_shim, version, at)
        count, calls = run.check(prefix), run.calls()
        if run.status == 0:
            assert at == 0 or len(calls) < at
        else:
            assert (run.status, len(calls)) == (-signal.SIGKILL, at - 1)
        shutil.rmtree(folder)
        return count, calls

    records, calls = one(0)
    assert records == 14 + 2 and {"write", "sync", "allocate"} <= {what for what, *_ in calls}
    assert any(name.endswith("/archive.2") for _, name, *_ in calls)
    # Another run may have some calls more or less: time makes syncs.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        counts = list(pool.map(lambda at: one(at)[0], range(1, len(calls) + 1)))
    assert counts[0] == 0 and max(counts) >= records - 1
