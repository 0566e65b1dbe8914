"""The command line and the signals of our recorder."""
import re
import signal
import subprocess

import pytest

import harness
from recording import Reader, Recorder

CONFIG = "log mandatory on 50 msec { sample.bin sample.seconds }\n"


@pytest.fixture(scope="module")
def host(sample_pmcd):
    return sample_pmcd.host


@pytest.mark.parametrize("argv, says", [
    ([], "pmlogger: insufficient arguments"),
    (["a", "b"], "pmlogger: too many arguments"),
    (["-V", "4", "a"], "pmlogger: -V requires a version number of 2 or 3"),
    (["-P", "-h", "x", "a"], "pmlogger: -P and -h are mutually exclusive; use -P only when running\n"
                             "pmlogger on the same (local) host as the PMCD to which it connects."),
    (["-s", "0", "a"], "pmlogger: illegal size argument '0' for exit size"),
    (["-s", "5 parsecs", "a"], "pmlogger: illegal size argument '5 parsecs' for exit size"),
    (["-v", "-1kb", "a"], "pmlogger: illegal size argument '-1kb' for volume size"),
    (["-v", "0.03", "a"], "pmlogger: illegal size argument '0.03' for volume size"),
    (["-s", "0.5sec", "a"], "pmlogger: illegal size argument '0.5sec' for exit size"),
    (["--PID", "1x", "a"], "pmlogger: invalid process identifier (1x)"),
    (["--PID", "-666", "a"], "pmlogger: PID error - no such process (-666)"),
    (["--PID", "99999999", "a"], "pmlogger: PID error - no such process (99999999)"),
    (["-t", "soon", "a"], "illegal -t argument"),
    (["--keep-size", "much", "a"], "illegal size argument 'much' for keep size"),
    (["-?"], "Usage: pmlogger [options] archive"),
])
def test_usage(prefix, tmp_path, argv, says):
    done = harness.run([prefix.bin("pmlogger"), *argv], env=prefix.env(), cwd=tmp_path)
    assert done.returncode == 1
    assert says in done.stderr and "Usage: pmlogger" in done.stderr
    assert not (tmp_path / "pmlogger.log").exists()


def test_no_collector(prefix, tmp_path):
    recorder = Recorder(prefix, tmp_path, f"unix:{tmp_path}/nobody", CONFIG)
    assert recorder.run() == 1
    assert f'pmlogger: Cannot connect to PMCD on host "unix:{tmp_path}/nobody": ' in recorder.text()


def test_nothing_to_log(prefix, tmp_path, host):
    recorder = Recorder(prefix, tmp_path, host, "")
    assert recorder.run() == 1
    assert "Nothing to log, and not the primary logger instance ... good-bye" in recorder.text()
    assert not list(tmp_path.glob("archive*"))


def test_linger(prefix, tmp_path, host):
    with Recorder(prefix, tmp_path, host, "", "-L") as recorder:
        assert recorder.stop() == 0


def test_existing_archive_is_not_overwritten(prefix, tmp_path, host):
    for name in ("archive.0", "archive.meta", "archive.index"):
        (tmp_path / name).write_text("precious")
    recorder = Recorder(prefix, tmp_path, host, CONFIG)
    assert recorder.run() == 1
    assert '__pmLogNewFile: "archive.index" already exists, not over-written' in recorder.text()
    assert (tmp_path / "archive.0").read_text() == "precious"


def test_template(prefix, tmp_path, host, peer_root):
    reader = Reader(peer_root, tmp_path)
    for _ in range(3):
        recorder = Recorder(prefix, tmp_path, host, CONFIG, "-s", "2", base="%%x-%Y")
        assert recorder.run() == 0
    names = sorted(p.name[:-5] for p in tmp_path.glob("*.meta"))
    assert [re.sub(r"\d{4}", "Y", n) for n in names] == ["%x-Y", "%x-Y-00", "%x-Y-01"]
    for name in names:
        reader.check(name)


@pytest.mark.parametrize("option, value, reason", [
    ("-s", "7", "Sample limit reached"), ("-s", "4kb", "Byte limit reached"), ("-s", "1sec", "End of run time"),
    ("-T", "0.5sec", "End of run time"),
])
def test_end(prefix, tmp_path, host, peer_root, option, value, reason):
    recorder = Recorder(prefix, tmp_path, host, CONFIG, option, value)
    assert recorder.run() == 0
    assert f"Info: pmlogger: {reason}, exiting" in recorder.text()
    reader = Reader(peer_root, tmp_path)
    records = reader.records("archive")
    if value == "7":
        assert len(records) == 7 + 2
    if value == "4kb":
        assert recorder.size() >= 4096
    assert reader.ended("archive")


@pytest.mark.parametrize("value, cause", [("5", "sample counter"), ("3kbytes", "sample byte size"), ("1sec", "sample time")])
def test_volumes(prefix, tmp_path, host, peer_root, value, cause):
    recorder = Recorder(prefix, tmp_path, host, CONFIG, "-v", value, "-s", "30")
    assert recorder.run() == 0
    assert re.search(rf"New log volume 1, via {cause} at \w{{3}} \w{{3}}", recorder.text())
    assert (tmp_path / "archive.1").exists()
    reader = Reader(peer_root, tmp_path)
    reader.check("archive")
    assert len(reader.records("archive")) == 30 + 2


def test_process_to_follow(prefix, tmp_path, host):
    with subprocess.Popen(["sleep", "60"]) as sleep:
        with Recorder(prefix, tmp_path, host, CONFIG, "-p", str(sleep.pid)) as recorder:
            recorder.grows()
            sleep.kill()
            sleep.wait()
            harness.wait_until("the end", lambda: recorder.process.poll() is not None)
            assert recorder.process.returncode == 0
            assert "process from -p has vanished, exiting" in recorder.text()


def test_report(prefix, tmp_path, host):
    recorder = Recorder(prefix, tmp_path, host, CONFIG + "log on once { sample.control }\n", "-r", "-s", "4")
    assert recorder.run() == 0
    assert re.search(r"\nGroup \[2 metrics\] \{\n\tsample\.\S*bin\n\tsample\.\S+\n\} logged every 0\.05 sec: \d+ bytes or "
                     r"\d+\.\d\d Mbytes/day\n", recorder.text())
    assert re.search(r"\nMetric sample.control logged once: \d+ bytes\n", recorder.text())


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGVTALRM, signal.SIGPROF])
def test_signals_that_end(prefix, tmp_path, host, peer_root, sig):
    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        recorder.grows()
        for harmless in (signal.SIGPIPE, signal.SIGWINCH, signal.SIGURG, signal.SIGTSTP, signal.SIGTTIN, signal.SIGXFSZ):
            recorder.process.send_signal(harmless)
        recorder.grows()
        assert recorder.stop(sig) == 0
    assert f"Caught signal {int(sig)}, exiting" in recorder.text()
    assert "\nLog finished " in recorder.text()
    assert Reader(peer_root, tmp_path).ended("archive")


def test_fatal_signal_leaves_a_trace(prefix, tmp_path, host):
    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        recorder.grows()
        assert recorder.stop(signal.SIGQUIT) == signal.SIGQUIT
    assert "traceback" in recorder.text()


def test_start_anew(prefix, tmp_path, host, peer_root):
    """SIGUSR2: the same process begins another archive, in the same log."""
    with Recorder(prefix, tmp_path, host, CONFIG, "-m", "a note", base="a%H") as recorder:
        harness.wait_until("an archive", lambda: len(list(tmp_path.glob("a*.0"))) == 1, alive=recorder.process)
        recorder.process.send_signal(signal.SIGUSR2)
        harness.wait_until("another one", lambda: len(list(tmp_path.glob("a*.0"))) == 2, alive=recorder.process)
        assert recorder.stop() == 0
    assert recorder.text().count("Archive basename:") == 2
    assert recorder.text().count(f"pmlogger({recorder.process.pid}) Info: Start") == 2
    for archive in tmp_path.glob("a*.meta"):
        Reader(peer_root, tmp_path).check(archive.name[:-5])


def test_label(prefix, tmp_path, host, peer_root):
    recorder = Recorder(prefix, tmp_path, host, CONFIG, "-H", "some.where", "-s", "1")
    assert recorder.run() == 0
    said = Reader(peer_root, tmp_path).run("pmdumplog", "-L", "archive").stdout
    assert "Performance metrics from host some.where\n" in said
    assert f"PID for pmlogger: {recorder.process.pid}\n" in said


def test_without_a_collector(prefix, tmp_path, peer_root):
    """-K: agents in our own process."""
    spec = f"add,29,{prefix.dso('sample')},sample_init"
    names = tmp_path / "names"
    names.write_text("root { sample }\nsample { seconds 29:0:2 bin 29:0:6 }\n")
    recorder = Recorder(prefix, tmp_path, None, CONFIG, "-K", spec, "-n", names, "-s", "4")
    assert recorder.run() == 0, recorder.text()
    reader = Reader(peer_root, tmp_path)
    reader.check("archive")
    assert any("sample.bin" in r.metrics for r in reader.records("archive"))


def test_primary(prefix, tmp_path, peer_root):
    """-P: the local collector, which may come a little later; found by pmlc; nothing is left of it."""
    pmcd = harness.Pmcd(prefix, tmp_path, [f"sample 29 dso sample_init {prefix.dso('sample')}"])
    env = {"PMCD_SOCKET": pmcd.socket}
    recorder = Recorder(prefix, tmp_path, None, CONFIG, "-P", "-N", env=env)
    recorder.process = subprocess.Popen([str(a) for a in recorder.argv], cwd=tmp_path, env=recorder.env,
                                        stdin=subprocess.DEVNULL)
    with pmcd, recorder.process:
        harness.wait_until("recording", lambda: "Archive basename" in recorder.text(), alive=recorder.process)
        assert "Starting primary logger for host " in recorder.text()
        assert (tmp_path / "pmlogger.pid").read_text() == str(recorder.process.pid)
        said = harness.run([prefix.bin("pmlc"), "-P"], env=recorder.env)
        assert "Connected to primary pmlogger at local:" in said.stdout
        recorder.grows()
        assert recorder.stop() == 0
    assert not (tmp_path / "pmlogger.pid").exists()
    assert not list((tmp_path / "pmlogger").glob("*")) and not list(tmp_path.glob("pmlogger*.socket"))
    Reader(peer_root, tmp_path).check("archive")
