"""The tools answer as Debian's do: each line of parity/*.txt is run with both.

Both ask the same pmcd, Debian's; and once more ours, where the answers don't depend on the agents that
only the peer has. Debian's tools also run with our library in the place of theirs. PITOT_PARITY_LIB (a folder) makes our tools run with another libpcp, the peer's say.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess

import pytest

import harness
from peer import Peer

CASES = pathlib.Path(__file__).parent / "parity"
TOOLS = ("pminfo", "pmprobe", "pmval", "pmevent", "pmstore", "pmerr", "pmhostname")

# The requirement of a section: a command that shows whether our library has it.
NEEDS = {
    "archives": "pmprobe -a {archives}/gap sample.bin",
    "local": "pmprobe -L -K clear hinv.ncpu",
    "derived": "pmprobe --derived={derived} a.b",
    "names": "pmprobe -n {names} sample.bin",
}

STAMP = re.compile(r"\d\d:\d\d:\d\d\.\d+|fetch #\d+")
NUMBER = re.compile(r" *(?<![\w.])-?(\d+\.\d*|\d+)(E[-+]\d\d)?(?![\w.]) *| +[!?] +")
CLIENT = re.compile(r'inst \[\d+ or "\d+"\]')
# Intended differences: the help of the metrics without a source, and the time of the last event record if it is one of
# missed events.
OUR_HELP = re.compile(r"(?<=\nHelp:\n)(?:An anonymous derived metric|The flags of an event|How many event rec).*?"
                      r"(?=\nNo value|\n\n|\Z)", re.DOTALL)
LAST_MISSED = re.compile(r"(missed\) timestamps [\d:.]+?\.\.\.)[\d:.]+")
STORABLE = re.compile(r"sample\.(?:colour|bin|[\w.]*write_me)|pmcd\.control\.timeout")
VERSION = re.compile(r" \(Pitot [\d.]+\)")
# Our tools have forms of output that 6.0.3 does not have; the usage lists them at its end.
OUR_FORMS = re.compile(r"\n(?:One line an event, |Output for programs:).*\Z", re.DOTALL)


def read_cases(*sections):
    for tool in TOOLS:
        section = None
        for line in (CASES / (tool + ".txt")).read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and (not sections or section in sections):
                yield pytest.param(section, line, id=f"{section}: {line}")


class Pair:
    """Both sets of tools, asking one pmcd."""

    def __init__(self, prefix, peer):
        self.prefix = prefix
        self.peer = peer
        self.lib = os.environ.get("PITOT_PARITY_LIB") or prefix.path / "lib"  # Debian's agents in our process need it
        self.has = {}
        names = {"derived": "a.b = sample.long.one + 1\n", "bad_derived": "a.c = = 1\n"}
        for name, text in names.items():
            (peer.home / name).write_text(text)
        self.words = {name: str(peer.home / name) for name in names}
        self.words["socket"] = peer.host
        self.words["archives"] = str(peer.root / "var/lib/pcp/testsuite/archives")
        self.words["names"] = str(peer.home / "var/lib/pcp/pmns/root")

    def command(self, line):
        """A line's own environment, and its words."""
        for name, value in self.words.items():
            line = line.replace("{%s}" % name, value)
        argv = shlex.split(line)
        env = {}
        while "=" in argv[0]:
            name, value = argv.pop(0).split("=", 1)
            env[name] = value
        return env, argv

    def theirs(self, line):
        env, argv = self.command(line)
        return self.peer.run(argv[0], *argv[1:], env=env)

    def ours(self, line):
        env, argv = self.command(line)
        return self.peer.run([self.prefix.bin(argv[0])], *argv[1:], env=env, lib=self.lib)

    def theirs_with_our_library(self, line):
        """Debian's program with our libpcp and Debian's other libraries."""
        folder = self.peer.home / "our-libpcp"
        if not folder.exists():
            folder.mkdir()
            for library in self.peer.lib.glob("lib*.so.*"):
                (folder / library.name).symlink_to(library)
            (folder / "libpcp.so.3").unlink()
            (folder / "libpcp.so.3").symlink_to(self.prefix.path / "lib/libpcp.so.3")
        env, argv = self.command(line)
        return self.peer.run(argv[0], *argv[1:], env=env, lib=folder)

    def can(self, section):
        if section in NEEDS and section not in self.has:
            self.has[section] = self.ours(NEEDS[section]).returncode == 0
        return self.has.get(section, True)

    def reset_events(self):
        for agent in ("sample", "sampledso"):
            for metric in ("reset", "reset_highres"):
                self.peer.run("pmstore", f"{agent}.event.{metric}", "0")

    def prepare(self, section, line):
        """Both tools find what the sample agent keeps as they would alone."""
        if section == "events":
            self.reset_events()
        if section == "store":
            self.peer.run("pmstore", STORABLE.search(line)[0], "13")


@pytest.fixture(scope="module")
def pair(prefix, peer_root):
    with Peer(root=peer_root) as peer:
        yield Pair(prefix, peer)


def blank(section, data):
    text = OUR_FORMS.sub("", VERSION.sub("", data.decode(errors="replace")))
    if section == "events":
        text = STAMP.sub("#", text)
    if section == "archives":
        text = LAST_MISSED.sub(r"\1#", OUR_HELP.sub("#", text))
    if section == "own":
        text = CLIENT.sub("#", text)
    if section == "changing":
        text = NUMBER.sub(" # ", text)
    return text


def differences(section, theirs, ours):
    """{stream, or "status": how it differs}."""
    wrong = {}
    for name in ("stdout", "stderr"):
        a, b = blank(section, getattr(theirs, name)), blank(section, getattr(ours, name))
        if a != b:
            diff = difflib.unified_diff(a.splitlines(), b.splitlines(), "theirs", "ours", lineterm="", n=1)
            wrong[name] = "\n".join(list(diff)[:40])
    if theirs.returncode != ours.returncode:
        wrong["status"] = f"{theirs.returncode}, ours: {ours.returncode}"
    return wrong


def assert_none(line, wrong):
    assert not wrong, "%s: %s" % (line, "\n".join(f"{name}\n{how}" for name, how in wrong.items()))


MOVES = "two programs one after the other: sample.colour and others change with each fetch, and samples of -t may be late"


def lives(section, line):
    """Some data may change between the two: instances appear and vanish, a sample is late and the next one is
    skipped."""
    return section in ("changing", "events") or " -t " in line


@pytest.mark.parametrize("section, line", read_cases())
def test_same_answer(pair, section, line):
    if not pair.can(section):
        pytest.skip("our library has no %s" % section)
    def look(_=1):
        answers = []
        for run in (pair.theirs, pair.ours):
            pair.prepare(section, line)
            answers.append(run(line))
        return differences(section, *answers)
    wrong = harness.wrong_each_time(MOVES, look) if lives(section, line) else look()
    assert_none(line, wrong)


@pytest.mark.parametrize("section, line", read_cases("plain"))
def test_their_tools_with_our_library(pair, section, line):
    if not (pair.prefix.path / "lib/libpcp.so.3").exists():
        pytest.skip("no library of ours beside the programs")
    def look(_=1):
        return differences(section, pair.theirs(line), pair.theirs_with_our_library(line))
    assert_none(line, harness.wrong_each_time(MOVES, look) if lives(section, line) else look())


# Requests to our pmcd: constant metrics, and errors.
AT_OURS = [
    "pminfo -h {host}",
    "pminfo -h {host} -m",
    "pminfo -h {host} -d",
    "pminfo -h {host} -v",
    "pminfo -h {host} -dmMtTI hinv kernel mem network disk filesys pmcd",
    "pminfo -h {host} -ls hinv kernel.all.load disk.dev",
    "pminfo -h {host} -f hinv kernel.uname",
    "pminfo -h {host} -F hinv.cpu",
    "pminfo -h {host} -tTl 60.1 60.0 400.1",
    "pminfo -h {host} no.such 1.2.3 60.0.32",
    "pmprobe -h {host}",
    "pmprobe -h {host} -V hinv",
    "pmprobe -h {host} -v hinv",
    "pmprobe -h {host} -iI hinv kernel.all.load",
    "pmprobe -h {host} -fiI hinv kernel.all.load network disk no.such",
    "pmval -h {host} -s 2 -t .05 hinv.ncpu",
    "pmval -h {host} -s 2 -t .05 hinv.cpu.clock",
    "pmval -h {host} -s 1 kernel.uname.release",
    "pmval -h {host} -s 1 -z kernel.uname.sysname",
    "pmval -h {host} -s 1 no.such",
]


@pytest.fixture(scope="module")
def still_pmcd(prefix, tmp_path_factory):
    """Of a recorded machine: clocks of its CPUs do not move."""
    root = pathlib.Path(__file__).parents[1] / "fixtures/linux/6.18"
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("still"), env={"PITOT_LINUX_ROOT": root}) as pmcd:
        yield pmcd


@pytest.mark.parametrize("line", AT_OURS)
def test_same_answer_of_our_pmcd(pair, still_pmcd, line):
    line = line.replace("{host}", still_pmcd.host)
    assert_none(line, differences("plain", pair.theirs(line), pair.ours(line)))


# -- what the shell expects: of our tools alone, with our collector and sample agent

def run_shell(prefix, pmcd, script):
    tool = {name: shlex.quote(prefix.bin(name)) for name in TOOLS}
    return subprocess.run(["sh", "-c", script.format(**tool)], env=prefix.env(PMCD_SOCKET=pmcd.socket), timeout=180,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


@pytest.mark.parametrize("command", ["{pminfo}", "{pmprobe}", "{pmval} -t .01 sample.bin"])
def test_a_reader_that_goes_is_no_error_message(prefix, sample_pmcd, command):
    done = run_shell(prefix, sample_pmcd, command + " | head -1")
    assert done.stdout != b"" or "pmval" in command
    assert done.stderr == b""


@pytest.mark.parametrize("command", ["{pminfo}", "{pmprobe}", "{pmval} -s 2 -t .01 sample.bin"])
def test_a_full_device_is_an_error(prefix, sample_pmcd, command):
    done = run_shell(prefix, sample_pmcd, command + " >/dev/full")
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr


def test_samples_come_when_they_are_taken(prefix, sample_pmcd):
    argv = [prefix.bin("pmval"), "-t", "0.05", "sample.long.one"]
    with subprocess.Popen(argv, env=prefix.env(PMCD_SOCKET=sample_pmcd.socket), stdout=subprocess.PIPE) as child:
        lines = [child.stdout.readline() for _ in range(9)]
        child.terminate()
    assert lines[-1].strip() == b"1"
