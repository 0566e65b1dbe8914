"""Our recorder beside Debian's, of one collector: names in archives, files that are in the way, arguments that are refused."""
import os
import re
import signal
import subprocess

import pytest

import harness
import peer as debian
import recorders
from recording import Reader
from test_up import NOBODY, readable  # noqa: F401

CONFIG = "log mandatory on once { sample.long.one }\n"


@pytest.fixture(scope="module")
def collector(peer_root):
    with debian.Peer(agents=("pmcd", "sample"), root=peer_root) as one:
        yield one


@pytest.fixture(scope="module")
def kits(collector, prefix):
    return [recorders.theirs(collector), recorders.ours(prefix)]


NAMES = ["sample.secret.foo.bar.max.redirect", "pmcd.agent.status sample.secret.foo.bar.max.redirect",
         "sample.secret.foo.bar.max.redirect pmcd.agent.status", "sample.part_bin",
         "sample.dupnames.five.part_bin sample.dupnames.two.bin"]


@pytest.mark.parametrize("at", range(len(NAMES)), ids=NAMES)
def test_the_name_that_was_asked_for(collector, kits, peer_root, at):
    """All names of the metric, and the one in the configuration: an agent may give it to a metric of another agent."""
    found = []
    for kit in kits:
        with kit.recorder(collector, f"names-{kit.name}-{at}", config=f"log mandatory on once {{ {NAMES[at]} }}\n") as one:
            reader = Reader(peer_root, one.dir)
            harness.wait_until("a record", lambda r=reader: len(r.records("archive")) > 1, alive=one.process)
            one.stop()
            text = reader.run("pmdumplog", "-d", "archive").stdout
        found.append({pmid: set(names.split(" or ")) for pmid, names in re.findall(r"(?m)^PMID: (\S+) \((.*)\)$", text)})
    assert found[0] == found[1]
    assert set(NAMES[at].split()) <= set().union(*found[1].values())


def record(collector, kit, folder, *options):
    """One sample into the archive "a" of a folder: what was said on standard error and in the log."""
    (folder / "config").write_text(CONFIG)
    done = subprocess.run([str(kit.pmlogger), "-h", collector.host, "-c", "config", "-s", "1", "-l", "the.log", *options, "a"],
                          cwd=folder, env=collector.env(lib=kit.lib), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False)
    log = (folder / "the.log").read_text() if (folder / "the.log").exists() else ""
    return done.returncode, done.stderr, [line for line in log.splitlines() if "__pmLog" in line]


# A file of the folder, and whether Debian's recorder makes its archive there.
PRESENT = [("a.0", False), ("a.meta", False), ("a.index", False), ("a.0.xz", False), ("a.meta.gz", False), ("a.SOMETHING", True),
           ("a.config", True), ("a.log", True), ("a.0.foo", True), ("a.x1", True), ("a.1x", True), ("a.", True), ("ab.0", True)]
# It would write into these, or its readers would take them for its own: ours refuses.
OWN_VOLUMES = ["a.7", "a.12.lzma", "a.index.zst"]


@pytest.mark.parametrize("name, recorded", PRESENT, ids=[name for name, _ in PRESENT])
def test_what_is_in_the_way(collector, kits, tmp_path, name, recorded):
    done = []
    for kit in kits:
        (tmp_path / kit.name).mkdir()
        (tmp_path / kit.name / name).write_text("precious")
        done.append(record(collector, kit, tmp_path / kit.name))
        assert (tmp_path / kit.name / name).read_text() == "precious"
    assert done[0][0] == done[1][0] == (0 if recorded else 1)
    if name.count(".") == 1:  # of one that is compressed theirs has no line
        assert done[0][2] == done[1][2]
    assert bool(done[1][2]) != recorded
    if not recorded:
        assert done[1][2][0] == f'__pmLogNewFile: "{name}" already exists, not over-written'


@pytest.mark.parametrize("name", OWN_VOLUMES)
def test_a_member_of_the_archive_is_in_the_way(collector, kits, tmp_path, name):
    (tmp_path / name).write_text("precious")
    status, _, log = record(collector, kits[1], tmp_path)
    assert status == 1 and log[0] == f'__pmLogNewFile: "{name}" already exists, not over-written'


@pytest.mark.parametrize("options", ["-v 0.03", "-s 0.03", "-v 0", "-s 0", "-v -1", "-v 0.9", "-s 0.9b", "-v 0.9sec", "-s 0.2sec",
                                     "-v 0.5msec", "--PID -666", "--PID=-666", "--PID 99999999"])
def test_arguments_that_are_refused(collector, kits, tmp_path, options):
    done = []
    for kit in kits:
        (tmp_path / kit.name).mkdir()
        done.append(record(collector, kit, tmp_path / kit.name, *options.split()))
    assert done[0][0] == done[1][0] == 1
    assert done[0][1].split("Usage:")[0] == done[1][1].split("Usage:")[0] != ""


def test_a_log_that_cannot_be_made(collector, kits, tmp_path):
    done = []
    for kit in kits:
        (tmp_path / kit.name).mkdir()
        status, said, _ = record(collector, kit, tmp_path / kit.name, "-l", "/proc/nonexistent/x.log")
        assert status == 0 and (tmp_path / kit.name / "a.0").exists()
        said = re.sub(r"\d\d:\d\d:\d\d|pmlogger\(\d+\)", "", said)
        done.append([line for line in said.splitlines() if not line.startswith(("preprocessor cmd", "Archive basename"))])
    assert done[0] == done[1]
    assert "pmlogger: Warning: log file (/proc/nonexistent/x.log) creation failed" in done[1]


def test_an_ordinary_user_has_no_error_in_the_log(collector, readable):  # noqa: F811
    """The folders of the system for sockets and for the list of recorders are not that user's: there is one in the home,
    where pmlc finds the recorder."""
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    home = readable / "home"
    env = {"PATH": f"{readable}/prefix/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C"}
    process = subprocess.Popen(["pmlogger", "-h", f"localhost:{collector.port}", "-L", "-l", "the.log", "a"], cwd=home, env=env,
                               text=True, stdin=subprocess.PIPE, **who)
    try:
        process.stdin.write(CONFIG)
        process.stdin.close()
        log = home / "the.log"
        harness.wait_until("it records", lambda: log.exists() and "Archive basename" in log.read_text(), alive=process)
        found = subprocess.run(["pmlc", str(process.pid)], input="status\n", env=env, text=True, capture_output=True, timeout=60,
                               check=False, **who)
        assert found.stderr == "" and f"pmlogger [{process.pid}]" in found.stdout
    finally:
        harness.end(process, signal.SIGTERM)
    assert not re.search(r"(?i)error|warning|denied", log.read_text()), log.read_text()
