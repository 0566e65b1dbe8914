"""Changes while our recorder runs: the day, labels, metadata; and the user that it runs as. And archives of Debian's
recorder, read by our tools while they grow."""
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

import harness
import labelled_agent
import moving_agent
import peer as debian
import recorders
import wire
from recording import Reader, Recorder

HERE = pathlib.Path(__file__).parent
DAY_S = 24 * 60 * 60


@pytest.fixture(scope="module")
def clock_shim(tmp_path_factory):
    """A library that sets the clock on the wall."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path_factory.mktemp("shim") / "clock_shim.so"
    done = harness.run([compiler, "-shared", "-fPIC", "-o", library, HERE / "clock_shim.c"])
    assert done.returncode == 0, done.stderr
    return library


def record_over_midnight(prefix, folder, clock_shim, lead_s, *options):
    """Starts so long before a midnight; the archives, or None if it came before the first record."""
    to_midnight = DAY_S - int(time.time()) % DAY_S
    env = {"LD_PRELOAD": clock_shim, "CLOCK_SET": to_midnight - lead_s, "TZ": "UTC"}
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    config = "log mandatory on 200 msec { sample.seconds }\nlog mandatory on once { sample.control }\n"
    with harness.Pmcd(prefix, folder / "pmcd", agents, env=env) as pmcd:
        recorder = Recorder(prefix, folder, pmcd.host, config, *options, base="day-%Y%m%d", env=env)
        with recorder:
            harness.wait_until("an archive", lambda: list(folder.glob("day-*.meta")), alive=recorder.process)
            first = sorted(folder.glob("day-*.meta"))[0].stem
            tomorrow = time.strftime("day-%Y%m%d", time.gmtime(time.time() + to_midnight + 60))
            if first == tomorrow:
                recorder.stop()
                return None
            second = folder / f"{tomorrow}.0"
            harness.wait_until("another day", second.exists, lead_s + 60, alive=recorder.process)
            recorder.grows(second.name)
            recorder.grows(second.name)
            if options:
                harness.wait_until("yesterday is compressed", lambda: not list(folder.glob(f"{first}.[0-9]")), 60,
                                   alive=recorder.process)
            assert recorder.stop() == 0
    return first, tomorrow


@pytest.mark.parametrize("options", [(), ("--compress=xz",)], ids=["plain", "xz"])
def test_another_day(prefix, peer_root, tmp_path, clock_shim, options):
    """At midnight begins an archive of its own, whole like the first; what is logged once is in both. The first is compressed
    then, its last volume too."""
    for lead_s in (6, 20, 60):
        folder = tmp_path / str(lead_s)
        folder.mkdir()
        names = record_over_midnight(prefix, folder, clock_shim, lead_s, *options)
        if names is not None:
            break
    assert names is not None
    reader = Reader(peer_root, folder)
    for name in names:
        reader.check(name)
        assert reader.ended(name) and reader.marks(name) == []
        assert sum("sample.control" in "".join(r.metrics) for r in reader.records(name)) == 1
    # The last record of the day is the epilogue, a millisecond after the last values; the next day begins at midnight.
    before, after = (reader.records(name) for name in names)
    assert before[-1].stamp > (DAY_S - 60) * 10**9 and after[0].stamp < 30 * 10**9
    assert len(list(folder.glob("*.meta"))) == 2


@pytest.fixture
def moving(prefix, tmp_path):
    """A collector with the agent, and the file that moves it."""
    state = tmp_path / "state"
    state.write_text("0")
    names = tmp_path / "names"
    names.write_text(moving_agent.NAMES)
    agents = [f"moving 77 pipe binary {sys.executable} {HERE}/moving_agent.py 77 {state}"]
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents, options=["-n", str(names)]) as pmcd:
        pmcd.state = state
        yield pmcd


def words_of(path):
    """The command line of a process, which may end meanwhile."""
    try:
        return path.read_bytes().split(b"\0")
    except OSError:
        return []


def agent_of(pmcd):
    """The agent's process."""
    found = [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
             if str(pmcd.state).encode() in words_of(path)]
    return found[0] if found else None


CONFIG = "log mandatory on 100 msec { moving.value }\n"


def write(path, text):
    """All at once: the agent reads it at any time."""
    path.with_suffix(".new").write_text(text)
    path.with_suffix(".new").rename(path)


def test_labels_change(prefix, peer_root, tmp_path):
    """Other labels of the host are written when the collector says that they have changed."""
    reader = Reader(peer_root, tmp_path)
    labels = tmp_path / "etc/labels/place.json"
    labels.parent.mkdir(parents=True)
    labels.write_text('{"place":"here"}')
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents, env={"PCP_SYSCONF_DIR": tmp_path / "etc"}) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, "log mandatory on 100 msec { sample.seconds }\n") as recorder:
            recorder.grows()
            write(labels, '{"place":"there"}')
            pmcd.process.send_signal(signal.SIGHUP)
            harness.wait_until("other labels", lambda: "there" in reader.run("pmdumplog", "-e", "archive", status=None).stdout, 60,
                               alive=recorder.process)
            recorder.grows()
            assert recorder.stop() == 0
    reader.check("archive")
    said = reader.run("pmdumplog", "-e", "archive").stdout
    assert re.findall(r'"place":"(\w+)"', said) == ["here", "there"], said


class Labelled:
    """The agent whose labels change, and what recorders have of them."""

    def __init__(self, folder):
        self.values = {"domain": "d0", "cluster": "c0", "item": "i0", "indom": "n0", "instances": "s0"}
        self.state, self.names = folder / "labels", folder / "names"
        self.names.write_text(labelled_agent.NAMES)
        self.command = f"pipe binary {sys.executable} {HERE}/labelled_agent.py 77 {self.state}"
        self.change()

    def change(self, **values):
        self.values = {word: value for word, value in {**self.values, **values}.items() if value is not None}
        write(self.state, json.dumps(self.values))

    @staticmethod
    def told(reader, base="archive"):
        """Of each label its values, in the order of time."""
        found = {}
        for who, labels in re.findall(r"^    (.*) labels \(\d+ bytes\): (.*)$", reader.run("pmdumplog", "-e", base).stdout, re.M):
            if not who.startswith("Context"):
                found.setdefault(who, []).append("".join(json.loads(labels or "{}").values()))
        return found


LABELLED = "log mandatory on 100 msec { labelled.one labelled.many }\n"


def test_labels_of_an_agent_change(prefix, peer_root, tmp_path):
    """Of each level: what is another one is written with the time of the record, what is the same is not; labels that go
    are gone, and an instance that comes has its own."""
    reader, agent = Reader(peer_root, tmp_path), Labelled(tmp_path)
    one, many = "PMID 77.0.0", "PMID 77.0.1"
    with harness.Pmcd(prefix, tmp_path / "pmcd", [f"lab 77 {agent.command}"], options=["-n", str(agent.names)]) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, LABELLED) as recorder:
            def tells(expected):
                return lambda: all(agent.told(reader).get(who) == values for who, values in expected.items())
            expected = {"Domain 77": ["d0"], "Cluster 77.0": ["c0"], one: ["i0"], many: ["i0"], "InDom 77.1": ["n0"],
                        "InDom 77.1[1]": ["s01"], "InDom 77.1[2]": ["s02"]}
            harness.wait_until("labels", tells(expected), alive=recorder.process)
            agent.change(cluster="c1", indom="n1", item="i1", instances="s1")
            for who, value in (("Cluster 77.0", "c1"), (one, "i1"), (many, "i1"), ("InDom 77.1", "n1"), ("InDom 77.1[1]", "s11"),
                               ("InDom 77.1[2]", "s12")):
                expected[who].append(value)
            harness.wait_until("all but the domain", tells(expected), alive=recorder.process)
            agent.change(domain="d1", insts=3, item=None)
            harness.wait_until("a third instance", lambda: "InDom 77.1[3]" in agent.told(reader), alive=recorder.process)
            recorder.grows()

            argv = ["-l", "-O", "-0.5sec", "-a", tmp_path / "archive", "labelled.one", "labelled.many"]

            def labels_are_gone(said):
                return '"item"' not in said and '"domain":"d1"' in said and '"instances":"s13"' in said
            harness.wait_until("ours tells", lambda: labels_are_gone(harness.run([prefix.bin("pminfo"), *argv],
                                                                                 env=prefix.env()).stdout), 60)
            harness.wait_until("theirs tells", lambda: labels_are_gone(reader.run("pminfo", *argv, status=None).stdout))
            assert recorder.stop() == 0
    reader.check("archive")
    told = agent.told(reader)
    assert told["Domain 77"] == ["d0", "d1"] and told["InDom 77.1[3]"] == ["s13"] and told[one] == ["i0", "i1", ""]
    # The label of before is what holds before.
    first = reader.run("pminfo", "-l", "-O", "0", "-a", "archive", "labelled.one").stdout
    assert '"item":"i0"' in first and '"domain":"d0"' in first


def test_debian_writes_no_labels_that_changed(peer_root, prefix, tmp_path, monkeypatch):
    """Beside each other, of one collector: why ours has more than its peer."""
    agent = Labelled(tmp_path)
    monkeypatch.setitem(debian.AGENTS, "lab", (77, agent.command))
    with debian.Peer(agents=("pmcd", "lab"), root=peer_root) as one:
        def make(kit, name):
            return kit.recorder(one, name, config=LABELLED, options=("-n", str(agent.names)))
        with make(recorders.theirs(one), "theirs") as theirs, make(recorders.ours(prefix), "ours") as ours:
            readers = [Reader(peer_root, recorder.dir) for recorder in (theirs, ours)]
            for reader, recorder in zip(readers, (theirs, ours)):
                harness.wait_until("labels", lambda r=reader: agent.told(r).get("PMID 77.0.0") == ["i0"], alive=recorder.process)
            assert agent.told(readers[0]) == agent.told(readers[1])
            agent.change(item="i1")
            harness.wait_until("ours", lambda: agent.told(readers[1])["PMID 77.0.0"] == ["i0", "i1"], alive=ours.process)
            records = len(readers[0].records("archive"))
            harness.wait_until("theirs goes on", lambda: len(readers[0].records("archive")) > records + 5, alive=theirs.process)
            assert agent.told(readers[0])["PMID 77.0.0"] == ["i0"]


def test_the_last_fetch_is_in_the_archive(prefix, peer_root, tmp_path):
    """An end that comes while the collector is being asked waits for what it says."""
    trace, names = tmp_path / "trace", tmp_path / "names"
    names.write_text(moving_agent.NAMES)
    agent = f"slow 77 pipe binary {sys.executable} {HERE}/pipe_agent.py 77 slow=300 trace={trace}"

    def fetches():
        return sum(line.startswith(f"{wire.FETCH:#x} ") for line in trace.read_text().splitlines()) if trace.exists() else 0
    with harness.Pmcd(prefix, tmp_path / "pmcd", [agent], options=["-n", str(names)]) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, CONFIG) as recorder:
            harness.wait_until("a third fetch", lambda: fetches() > 2, alive=recorder.process)
            assert recorder.stop() == 0
    reader = Reader(peer_root, tmp_path)
    assert sum("(moving.value): value 42" in r.text for r in reader.records("archive")) == fetches()
    assert reader.ended("archive")


def test_metadata_changes(prefix, peer_root, tmp_path, moving):
    """A metric that is another one after its agent came back ends the recording, with status 1 and a whole archive."""
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, moving.host, CONFIG) as recorder:
        recorder.grows()
        write(moving.state, "1")
        agent = agent_of(moving)
        os.kill(agent, signal.SIGKILL)
        harness.wait_until("the agent is gone", lambda: agent_of(moving) != agent)
        moving.process.send_signal(signal.SIGHUP)
        harness.wait_until("the end", lambda: recorder.process.poll() is not None)
        assert recorder.process.returncode == 1
    assert 'Metric "moving.value": its type has changed' in recorder.text()
    assert "Metrics have changed, exiting" in recorder.text()
    reader.check("archive")
    assert reader.ended("archive") and any("(moving.value): value 42" in r.text for r in reader.records("archive"))


def test_the_same_metadata_again(prefix, peer_root, tmp_path, moving):
    """An agent that comes back as it was leaves a mark, and recording goes on."""
    reader = Reader(peer_root, tmp_path)
    with Recorder(prefix, tmp_path, moving.host, CONFIG) as recorder:
        recorder.grows()
        agent = agent_of(moving)
        os.kill(agent, signal.SIGKILL)
        harness.wait_until("the agent is gone", lambda: agent_of(moving) != agent)
        moving.process.send_signal(signal.SIGHUP)
        harness.wait_until("the agent is back", lambda: agent_of(moving) not in (None, agent))

        def goes_on():
            said, mark, since = reader.run("pmdumplog", "archive").stdout.rpartition("<mark>")
            return mark and "(moving.value): value" in since
        harness.wait_until("values behind a mark", goes_on, alive=recorder.process)
        assert recorder.stop() == 0
    reader.check("archive")
    records = reader.records("archive")
    marks = [i for i, r in enumerate(records) if not r.metrics]
    with_value = [i for i, r in enumerate(records) if "(moving.value): value 42" in r.text]
    assert with_value and marks and with_value[0] < marks[0] and marks[-1] < with_value[-1]


def user_of(pid):
    """Names of all its users: real, effective, saved, of the file system."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return {int(uid) for uid in re.search(r"Uid:\s+(.*)", status)[1].split()}


def test_root_becomes_a_user(prefix, sample_pmcd, tmp_path):
    """-U, for one that a script started."""
    if os.geteuid() != 0:
        pytest.skip("not root")
    nobody = pwd.getpwnam("nobody")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.getuid() and folder != pathlib.Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    config = "log mandatory on 100 msec { sample.seconds }\n"
    with Recorder(prefix, tmp_path, f"127.0.0.1:{sample_pmcd.port}", config, "-U", "nobody", "-m", "pmlogger_check") as recorder:
        recorder.grows()
        assert user_of(recorder.process.pid) == {nobody.pw_uid}
        assert (tmp_path / "archive.0").stat().st_uid == nobody.pw_uid
        assert recorder.stop() == 0


@pytest.mark.parametrize("has_user", [True, False])
def test_root_becomes_pcp(prefix, sample_pmcd, tmp_path, has_user):
    """Without -U it is the user pcp, where there is one; else it says so and stays."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no mount name space can be made here")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.getuid() and folder != pathlib.Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    lines = [line for line in pathlib.Path("/etc/passwd").read_text().splitlines() if not line.startswith("pcp:")]
    (tmp_path / "passwd").write_text("\n".join(lines + ["pcp:x:4711:4711::/:/bin/false"] * has_user) + "\n")
    config = "log mandatory on 100 msec { sample.seconds }\n"
    recorder = Recorder(prefix, tmp_path, f"127.0.0.1:{sample_pmcd.port}", config, "-m", "pmlogger_check")
    recorder.argv = ["unshare", "-m", "sh", "-c", f'mount --bind {tmp_path}/passwd /etc/passwd && exec "$@"', "sh", *recorder.argv]
    with recorder:
        recorder.grows()
        assert user_of(recorder.process.pid) == {4711 if has_user else 0}
        assert ('There is no user "pcp": pmlogger stays root' in recorder.text()) == (not has_user)
        assert recorder.stop() == 0


class Growing:
    """A program with one context of an archive, which it reads to the end on each request."""

    def __init__(self, prefix, folder, archive, metric):
        program = folder / "growing"
        cc = shlex.split(os.environ.get("PITOT_CC", "cc"))
        subprocess.run([*cc, f"-I{prefix.path}/include", "-o", program, HERE / "growing_reader.c", f"-L{prefix.path}/lib", "-lpcp",
                        f"-Wl,-rpath,{prefix.path}/lib"], check=True)
        self.process = subprocess.Popen([program, archive, metric], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=prefix.env())

    def read(self):
        """How many records with the metric have come since, and the greatest value of all."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        count, greatest = self.process.stdout.readline().split()
        return int(count), float(greatest)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("version", ["2", "3"])
def test_archive_that_debian_writes(prefix, peer_root, tmp_path, version):
    """One context of ours follows Debian's recorder, over a change of volumes, without a record twice or left out."""
    if shutil.which("cc") is None:
        pytest.skip("no compiler")
    with debian.Peer(agents=("pmcd", "sample"), root=peer_root) as one:
        config = "log mandatory on 100 msec { sample.seconds }\n"
        recorder = recorders.theirs(one).recorder(one, "growing", config=config, options=("-V", version))
        with recorder:
            archive = recorder.dir / "archive"
            harness.wait_until("an archive", lambda: archive.with_suffix(".index").exists(), alive=recorder.process)
            harness.wait_until("records", lambda: archive.with_suffix(".0").stat().st_size > 1000, alive=recorder.process)
            with Growing(prefix, tmp_path, archive, "sample.seconds") as reader:
                total, before = reader.read()
                assert total > 0
                for change in (False, True, False):
                    if change:
                        recorder.process.send_signal(signal.SIGHUP)
                    news = []
                    harness.wait_until("more records", lambda: news.append(reader.read()) or sum(n for n, _ in news) > 2, 60,
                                       alive=recorder.process)
                    total += sum(n for n, _ in news)
                    assert news[-1][1] >= before
                    before = news[-1][1]
                recorder.stop()
                total += reader.read()[0]
        assert archive.with_suffix(".1").exists()
        reader = Reader(peer_root, recorder.dir)
        assert total == sum("sample.seconds" in "".join(r.metrics) for r in reader.records("archive"))
