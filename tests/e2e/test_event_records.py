"""Event records of every kind (event_agent.py), live and recorded by both pmloggers: the output of our tools and
Debian's, byte for byte."""
import json
import os
import re
import signal
import subprocess
import sys

import pytest

import event_agent
import harness
from both import OUR_USAGE
from harness import run, wait_until
from peer import bare_env
from recorders import insist

DOMAIN = 244
# 6.0.3 does not step over a missed record where it sums them up (docs/spec/pmapi.md 12): the sum and the last time.
MISSED = re.compile(r"\[(\d+ event records) (?:\(\d+ missed\) )?timestamps ([\d:.]+)\.\.\.[\d:.]+\]")


class Tools:
    """Ours and Debian's, with a folder to work in."""

    def __init__(self, prefix, root, folder):
        self.prefix, self.root = prefix, root
        self.env = {**bare_env(root, folder), "TZ": "UTC"}

    def theirs(self, tool, *argv, cwd=None):
        return run([self.root / "usr/bin" / tool, *argv], env=self.env, cwd=cwd)

    def ours(self, tool, *argv, cwd=None):
        return run([self.prefix.bin(tool), *argv], env=self.prefix.env(TZ="UTC"), cwd=cwd)

    def same(self, line, *argv, cwd=None):
        """Runs a line with both, which say the same; what they say."""
        tool, *words = line.split()
        theirs, ours = (side(tool, *argv, *words, cwd=cwd) for side in (self.theirs, self.ours))
        for a, b in ((theirs.stdout, ours.stdout), (theirs.stderr, ours.stderr)):
            assert MISSED.sub(r"[\1 \2]", a) == MISSED.sub(r"[\1 \2]", OUR_USAGE.sub("", b))
        assert theirs.returncode == ours.returncode
        return ours


@pytest.fixture(scope="module")
def tools(prefix, peer_root, tmp_path_factory):
    return Tools(prefix, peer_root, tmp_path_factory.mktemp("peer"))


@pytest.fixture(scope="module")
def pmcd(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pmcd")
    (folder / "names").write_text(event_agent.names(DOMAIN))
    agents = [f"ev {DOMAIN} pipe binary {sys.executable} {event_agent.__file__} {DOMAIN}"]
    with harness.Pmcd(prefix, folder, agents, options=["-n", str(folder / "names")]) as daemon:
        yield daemon


def control(tools, pmcd, number):
    done = tools.ours("pmstore", "-h", pmcd.host, "-f", "ev.control", str(number))
    assert done.returncode == 0 or "currently available" in done.stdout


@pytest.fixture(params=[0, 1, 2], ids=["events", "none", "not now"])
def state(request, tools, pmcd):
    """The data of the agent."""
    control(tools, pmcd, request.param)
    yield request.param
    for pid in open(f"/proc/{pmcd.process.pid}/task/{pmcd.process.pid}/children").read().split():
        os.kill(int(pid), signal.SIGUSR1)  # pmstore wants a value first


LINES = ["pminfo -x ev", "pminfo -fx ev.records", "pminfo -f ev.highres", "pminfo -dmfx ev.odd", "pminfo -xF ev",
         "pmval -s 1 ev.records", "pmval -s 2 -t .02 ev.highres", "pmval -s 1 ev.plain", "pmval -s 1 ev.odd",
         "pmval -s 1 ev.typeless", "pmval -X -s 1 ev.records[4711\\ worker]",
         "pmevent -s 1 ev.records", "pmevent -s 2 -t .02 ev.highres", "pmevent -s 2 -t .02 ev.plain", "pmevent -s 1 ev.odd",
         "pmevent -s 1 ev.typeless", "pmevent -s 1 ev.param.int", "pmevent -s 1 -i nobody ev.records", "pmprobe -v ev"]


@pytest.mark.parametrize("line", LINES)
def test_live(tools, pmcd, state, line):
    said = tools.same(line, "-h", pmcd.host)
    if state == 0 and "ev.records" in line and "pmprobe" not in line and said.returncode == 0:
        assert "==> 70000 missed event records" in said.stdout
    if state == 2 and line.startswith("pmevent") and said.returncode == 0:
        assert "pmevent: pmFetch: " in said.stderr


# -- our own form of the same events

def test_lines(tools, pmcd):
    done = tools.ours("pmevent", "-h", pmcd.host, "-l", "-s", "1", "ev.highres")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ", 1) for line in done.stdout.splitlines()] == [
        [f"22:13:{20 + i}.123456789", f"[4711 worker] {rest}"] for i, rest in enumerate([
            'tick int=-1 uint=4294967295 long=-9223372036854775808 ulong=18446744073709551615 float=0.1 '
            'double=0.3333333333333333 string="a b" aggregate=0x6279746573',
            "-",
            "-",
            '"begin \\"it\\"" ev.param.int=5 ev.other.int=6 (start,id)',
            '"" string="" string="t\u00e4xt\\n\\x1b[31m\ufffd\\x85" string="no end" string="bad \ufffd" (end,id,parent)',
            "- aggregate=0x aggregate=0x01020304 aggregate=0xffffffffffffffff aggregate=0x61 aggregate=0x74657874 "
            "aggregate=0x7465787400 aggregate=0x6c696e650a aggregate=0x" + b"hullo world!".hex() * 9
            + " aggregate=0x" + bytes(range(20)).hex() + " (start,end)",
            "missed 7 events",
            "- float=inf float=1e-30 double=nan double=-1e+300 double=0 (point)",
            "- ulong=0 long=9223372036854775807 int=2147483647",
            "missed 70000 events"])]


def test_json(tools, pmcd):
    done = tools.ours("pmevent", "-h", pmcd.host, "-j", "-s", "1", "ev.records", "ev.plain")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()  # whatever is in a text does nothing to a terminal
    got = [json.loads(line) for line in done.stdout.splitlines()]
    assert [g["ns"] for g in got] == sorted(g["ns"] for g in got)  # of both metrics
    got.sort(key=lambda g: g["metric"], reverse=True)
    assert [g["metric"] for g in got] == ["ev.records"] * 10 + ["ev.plain"] * 4
    assert got[0] == {
        "ns": 1700000000123456000, "time": "2023-11-14T22:13:20.123456000+0000", "metric": "ev.records",
        "instance": "4711 worker", "inst": 1, "event": "tick",
        "fields": {"int": -1, "uint": 2**32 - 1, "long": -2**63, "ulong": str(2**64 - 1), "float": 0.1, "double": 1 / 3,
                   "string": "a b", "aggregate": b"bytes".hex()}}
    assert got[3]["fields"] == {"ev.param.int": 5, "ev.other.int": 6} and got[3]["event"] == 'begin "it"'
    assert got[4]["fields"]["string"] == ["", "t\u00e4xt\n\x1b[31m\u0085", "no end", "bad \ufffd"]
    assert got[7]["fields"] == {"float": ["inf", 1e-30], "double": ["nan", -1e300, 0.0]}
    assert [g.get("missed") for g in got] == [None] * 6 + [7] + [None] * 2 + [70000] + [None] * 4
    assert "instance" not in got[10] and got[10]["ns"] == 1700000000123456789


@pytest.mark.parametrize("argv, expected", [
    (["-e", "tick"], ["tick"]),
    (["-e", "t*,begin*"], ["tick", "begin"]),
    (["-P", "4711", "-e", "tick"], ["tick"]),
    (["-P", "worker", "-e", "tick"], ["tick"]),
    (["-P", "4712"], None),
    (["-P", "two words"], None),
    (["-W", "ulong>18446744073709551614"], ["tick"]),
    (["-W", "float=0.1"], ["tick"]),
    (["-W", "event=tick"], ["tick"]),
    (["-W", "ev.other.int=6"], ["begin"]),
    (["-W", "string~* b"], ["tick"]),
    (["-W", "aggregate=61"], ["-"]),
    (["-W", "double>1"], []),
])
def test_filters(tools, pmcd, argv, expected):
    done = tools.ours("pmevent", "-h", pmcd.host, "-s", "1", *argv, "ev.records")
    got = [line.split("] ")[1] for line in done.stdout.splitlines()]
    events = [text.strip('"').split(" ")[0] for text in got if not text.startswith("missed")]
    assert events == (expected or [])
    assert len(got) - len(events) == (0 if expected is None else 2)  # the number of missed events is unknown


def test_a_record_that_is_none_is_told(tools, pmcd):
    done = tools.ours("pmevent", "-h", pmcd.host, "-l", "-s", "3", "-t", ".02", "ev.typeless")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "pmevent: ev.typeless: Unknown or illegal metric type\n"  # once



# -- Debian's Python

SCRIPT = """
import sys
import cpmapi as c
from pcp import pmapi
group = pmapi.fetchgroup(c.PM_CONTEXT_HOST, sys.argv[1])
fields = "ev.param.int", "ev.param.string", "ev.param.ulong", "ev.param.double", "ev.param.event"
for metric, inst in (("ev.records", "4711 worker"), ("ev.highres", "4711 worker"), ("ev.plain", None)):
    items = [group.extend_event(metric, field=field, instance=inst) for field in fields]
    group.fetch()
    for field, item in zip(fields, items):
        print(metric, field, [(str(stamp), value()) for stamp, value in item()])
"""


def test_fetch_groups_of_python(tools, pmcd, tmp_path):
    """Events of our collector, fetched by Debian's Python, which looks libraries up by their development names."""
    for library in (tools.root / "usr/lib").glob("libpcp*.so.*"):
        link = tmp_path / (library.name.split(".so.")[0] + ".so")
        if not link.exists():
            link.symlink_to(library)
    env = {**tools.env, "LD_LIBRARY_PATH": f"{tmp_path}:{tools.root}/usr/lib",
           "PYTHONPATH": str(tools.root / "usr/lib/python3/dist-packages")}
    done = run(["/usr/bin/python3", "-c", SCRIPT, pmcd.host], env=env)
    if "No module named" in done.stderr:
        pytest.skip("this Python can't load Debian's modules")
    assert (done.returncode, done.stderr) == (0, "")
    got = done.stdout.splitlines()
    assert len(got) == 15
    times = [f"2023-11-14 22:13:{second}.123456" for second in (20, 23, 28)]
    numbers = list(zip(times, (-1, 5, 2**31 - 1)))
    assert got[0] == f"ev.records ev.param.int {numbers}" and got[5] == f"ev.highres ev.param.int {numbers}"
    assert got[10] == f"ev.plain ev.param.int {numbers[:2]}"
    assert got[4] == f"ev.records ev.param.event {[(times[0], 'tick'), (times[1], 'begin %sit%s' % (chr(34), chr(34))), ('2023-11-14 22:13:24.123456', '')]}"
    assert "(" + repr(times[0]) + ", 18446744073709551615)" in got[7]


# -- recorded

@pytest.fixture(scope="module", params=["ours", "theirs"])
def recorded(request, prefix, tools, pmcd, tmp_path_factory):
    """An archive of each pmlogger, in its own folder. Debian's leaves an unreadable archive if a parameter has no
    name."""
    folder = tmp_path_factory.mktemp(request.param)
    metrics = "ev.records ev.highres ev.plain ev.control ev.param" + (" ev.odd" if request.param == "ours" else "")
    (folder / "config").write_text("log mandatory on 100 msec { %s }\n" % metrics)
    if request.param == "ours":
        program, env = prefix.bin("pmlogger"), prefix.env(TZ="UTC", PCP_RUN_DIR=folder, PCP_TMP_DIR=folder)
    else:
        program = tools.root / "usr/bin/pmlogger"
        env = {**tools.env, "PMLOGGER_LOCAL": "1", "PCP_RUN_DIR": str(folder), "PCP_TMP_DIR": str(folder)}
    control(tools, pmcd, 0)
    process = subprocess.Popen([str(program), "-h", pmcd.host, "-c", "config", "-l", "log", "archive"], cwd=folder, env=env)
    try:
        grow(folder, process)
        control(tools, pmcd, 1)
        grow(folder, process, 300)
        control(tools, pmcd, 0)
        grow(folder, process)
    finally:
        process.terminate()
        assert (insist(process) if request.param == "theirs" else process.wait(harness.DEADLINE_S)) == 0
    return folder


def grow(folder, process, by=10000):
    """Waits until the recording has some samples more."""
    path = folder / "archive.0"
    size = [path.stat().st_size if path.exists() else 0]
    wait_until("the archive grows", lambda: path.exists() and path.stat().st_size > size[0] + by, alive=process)


ARCHIVE_LINES = [
    "pmlogcheck archive", "pmdumplog -L archive", "pmdumplog archive ev", "pmdumplog archive ev.records", "pmlogsummary archive",
    "pminfo -x -a archive ev", "pminfo -x -O +1 -a archive ev.highres", "pminfo -fx -O -0 -a archive ev.records",
    "pmevent -a archive ev.records", "pmevent -U archive ev.highres", "pmevent -a archive -s 3 ev.plain",
    "pmevent -XX -s 2 -a archive ev.highres", "pmval -a archive ev.records", "pmevent -a archive ev.odd",
    "pmevent -a archive ev.param.int", "pmval -U archive ev.control", "pmprobe -v -a archive ev",
]


@pytest.mark.parametrize("line", ARCHIVE_LINES)
def test_recorded(tools, recorded, line):
    said = tools.same(line, cwd=recorded)
    if "ev.records" in line and "-O" not in line:
        assert "==> 70000 missed event records" in said.stdout
        assert "no end" in said.stdout


def test_descriptions_of_parameters_are_recorded(tools, recorded):
    done = tools.theirs("pmdumplog", "-d", "archive", cwd=recorded)
    assert done.returncode == 0
    for name, (_, _, kind) in event_agent.NAMES.items():
        if name not in ("typeless", "odd", "param.unknown", "param.static"):
            assert f"(ev.{name})" in done.stdout


def test_what_was_recorded_is_what_was_live(tools, recorded, pmcd):
    live = tools.ours("pmevent", "-h", pmcd.host, "-l", "-X", "-s", "1", "ev.records").stdout
    done = tools.ours("pmevent", "-l", "-X", "-a", "archive", "-s", "1", "ev.records", cwd=recorded)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == live and live.count("\n") == 10


# -- no metric named

def test_events_of_the_tracing_agent_are_the_default(prefix, tools, tmp_path):
    """An agent with a metric of that name replaces it: pmevent only uses the name."""
    (tmp_path / "names").write_text(f"root {{\n\ttracing\n}}\ntracing {{\n\tstream\n\tparam\n}}\ntracing.stream {{\n\tevents\t{DOMAIN}:0:1\n}}\n"
                                    f"tracing.param {{\n\tevent\t{DOMAIN}:1:8\n\tpid\t{DOMAIN}:1:0\n}}\n")
    agents = [f"ev {DOMAIN} pipe binary {sys.executable} {event_agent.__file__} {DOMAIN}"]
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents, options=["-n", str(tmp_path / "names")]) as daemon:
        done = tools.ours("pmevent", "-h", daemon.host, "-v", "-s", "1", "-W", "pid<0")
        plain = tools.ours("pmevent", "-h", daemon.host)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "22:13:20.123456789 [4711 worker] tick pid=-1"
    assert plain.stderr.startswith("pmevent: error - no metricname specified\n")  # PCP's form has no default
