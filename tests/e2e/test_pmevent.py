"""pmevent's own output formats, with one line per event: from archives, from our sample agent and from a test agent.

The formats that Debian's pmevent has too are compared in test_tools_parity.py (parity/pmevent.txt).
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest

import harness
import tracing_agent
from harness import run, wait_until

DEADLINE_S = 60


@pytest.fixture(scope="module")
def recorded(prefix, peer_root):
    """Runs pmevent on PCP's archive of events."""
    archive = peer_root / "var/lib/pcp/testsuite/archives/eventrec"

    def pmevent(*argv, **env):
        return run([prefix.bin("pmevent"), "-a", archive, *argv], env=prefix.env(TZ="UTC", **env))

    return pmevent


def lines(done):
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


FIRST = ['01:00:41.555955 [fungus] - type=4 param_u64=5 param_string="6" (start,id,parent)',
         '01:00:42.555955 [fungus] - type=7 param_double=8 param_double=-9',
         '01:00:43.555955 [fungus] - type=10 param_u64=11 param_string="twelve" param_string="thirteen" param_32=-14 '
         'param_u32=15 (end)',
         '01:00:44.555955 [fungus] missed 7 events',
         '01:00:45.555955 [fungus] - type=16 param_float=-17 param_aggregate=0x0103070f1f3f7fff',
         '01:00:51.555958 [bogus] - param_string="fetch #4"']


def test_a_line_an_event(recorded):
    assert lines(recorded("-l", "-s", "1", "sample.event.records")) == FIRST


def test_the_date_and_the_zone(recorded):
    got = lines(recorded("-l", "-X", "-Z", "Asia/Tokyo", "-s", "1", "sample.event.records"))
    assert got[0].startswith("2014-11-13 10:00:41.555955 [fungus] ")


def test_nanoseconds_where_there_are_some(recorded):
    got = lines(recorded("-l", "sample.event.highres_records"))
    assert got[0] == '01:00:51.555941984 [bogus] - param_string="fetch #0"'
    assert all(re.match(r"\d\d:\d\d:\d\d\.\d{9} \[(fungus|bogus)\] ", line) for line in got) and len(got) > 10


def test_a_metric_without_instances(recorded):
    assert lines(recorded("-l", "-s", "1", "sample.event.no_indom_records")) == ['01:00:51.555958 - param_string="fetch #4"']


def test_several_metrics_and_nodes_of_the_name_space(recorded):
    below = lines(recorded("-l", "sample.event"))
    assert {line.split()[1].split("[")[0] for line in below} == {
        "sample.event.records", "sample.event.highres_records", "sample.event.no_indom_records"}
    two = lines(recorded("-l", "sample.event.records", "sample.event.no_indom_records"))
    assert two == [line for line in below if "highres" not in line]


@pytest.mark.parametrize("argv, expected", [
    (["-i", "bogus"], [5]),
    (["sample.event.records[bogus]"], [5]),
    (["-P", "bog*"], [5]),
    (["-P", "nobody"], []),
    (["-W", "type=4"], [0, 3]),
    (["-W", "type=0x4"], [0, 3]),
    (["-W", "sample.event.type==4"], [0, 3]),
    (["-W", "type>4"], [1, 2, 3, 4]),
    (["-W", "type>=4", "-W", "type<10"], [0, 1, 3]),
    (["-W", "type!=4"], [1, 2, 3, 4]),
    (["-W", "param_double=-9"], [1, 3]),
    (["-W", "param_double<-9"], [3]),
    (["-W", "param_string=thirteen"], [2, 3]),
    (["-W", "param_string~fetch *"], [3, 5]),
    (["-W", "param_aggregate~0103*"], [3, 4]),
    (["-W", "nothing!=4"], [3]),
    (["-e", "tick"], [3]),
    (["-e", "*"], [0, 1, 2, 3, 4, 5]),
])
def test_what_is_wanted(recorded, argv, expected):
    metric = [] if "sample" in argv[0] and argv[0].endswith("]") else ["sample.event.records"]
    assert lines(recorded("-l", "-s", "1", *argv, *metric)) == [FIRST[i] for i in expected]


def test_json(recorded):
    got = [json.loads(line) for line in lines(recorded("-j", "-s", "1", "-Z", "UTC", "sample.event.records"))]
    assert list(got[0]) == ["ns", "time", "metric", "instance", "inst", "flags", "fields"]
    assert got[0] == {"ns": 1415840441555955000, "time": "2014-11-13T01:00:41.555955000+0000",
                      "metric": "sample.event.records", "instance": "fungus", "inst": 0, "flags": "start,id,parent",
                      "fields": {"type": 4, "param_u64": 5, "param_string": "6"}}
    assert got[1]["fields"] == {"type": 7, "param_double": [8, -9]}
    assert got[3] == {**got[3], "missed": 7} and "fields" not in got[3]
    assert got[4]["fields"] == {"type": 16, "param_float": -17, "param_aggregate": "0103070f1f3f7fff"}
    east = json.loads(lines(recorded("-j", "-s", "1", "-Z", "XST-5:30", "sample.event.records"))[0])
    assert east["time"] == "2014-11-13T06:30:41.555955000+0530" and east["ns"] == got[0]["ns"]


@pytest.mark.parametrize("argv, message", [
    (["-l"], "pmevent: tracing.stream.events: Unknown metric name\n"
             "pmevent: no metric is named, and the tracing agent is not there\n"),
    (["-l", "no.such"], "pmevent: no.such: Unknown metric name\n"),
    (["-l", "sample.colour"], "pmevent: sample.colour: no event metric\n"),
    (["-l", "sample.event.records[nobody]"], "pmevent: nobody: Instance identifier not defined in the PCP archive log\n"),
    (["-l", "sample.event.no_indom_records[x]"],
     "pmevent: sample.event.no_indom_records: singular metrics do not have instances\n"),
    (["-l", "host:sample.event.records"], "pmevent: host:sample.event.records: the source is named by -h, -a or -L\n"),
])
def test_what_can_not_be_had(recorded, argv, message):
    done = recorded(*argv)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


@pytest.mark.parametrize("argv, message", [
    (["-W", "type"], '-W "type": expected NAME=VALUE, or another of != < <= > >= ~'),
    (["-W", "=4"], '-W "=4": expected NAME=VALUE, or another of != < <= > >= ~'),
    (["-F"], "-F is for collectors only"),
    (["-l", "-x", "4"], "-x can't be used with one line an event"),
    (["-l", "-d"], "delay can't be used with one line an event"),
    (["-l", "-U", "x"], "-U can't be used with one line an event: -a reads every record"),
    (["-l", "-g"], "time control by a graphical program is not available"),
    (["-j", "-q"], "invalid option -- 'q'"),
])
def test_command_lines_that_make_no_sense(recorded, argv, message):
    done = recorded(*argv, "sample.event.records")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"pmevent: {message}\nUsage: pmevent [options] metricname\n")


def test_the_window(recorded):
    whole = lines(recorded("-l", "sample.event.records"))
    assert lines(recorded("-l", "-S", "+3", "sample.event.records")) == whole[10:]
    assert lines(recorded("-l", "-T", "+3", "sample.event.records")) == whole[:10]


# -- live

def live(prefix, pmcd, *argv):
    return run([prefix.bin("pmevent"), "-h", pmcd.host, *argv], env=prefix.env(TZ="UTC"))


@pytest.fixture
def reset(prefix, sample_pmcd):
    for metric in ("reset", "reset_highres"):
        assert run([prefix.bin("pmstore"), "-h", sample_pmcd.host, f"sample.event.{metric}", "0"]).returncode == 0


@pytest.mark.parametrize("metric", ["records", "highres_records"])
def test_events_as_they_come(prefix, sample_pmcd, reset, metric):
    got = lines(live(prefix, sample_pmcd, "-l", "-s", "4", "-t", ".01", f"sample.event.{metric}"))
    texts = [line.split(" ", 1)[1] for line in got]
    assert [t for t in texts if "bogus" in t and "fetch" in t] == [f'[bogus] - param_string="fetch #{i}"' for i in range(4)]
    assert [t for t in texts if "fungus" in t] == [
        "[fungus] -", "[fungus] - type=1", "[fungus] - type=2 param_64=-3", *(line.split(" ", 1)[1] for line in FIRST[:5])]


def test_a_metric_that_stops_is_told_once(prefix, tmp_path):
    """An agent that ends: the program goes on, and says so once."""
    pmdas = [p for p in prefix.path.rglob("pmdasample") if os.access(p, os.X_OK) and p.is_file()]
    assert pmdas
    agents = [f"sample 29 pipe binary {pmdas[0]} -d 29 -l {tmp_path}/sample.log"]
    # An agent that is started again at once may be back before pmevent asks the next time.
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents, env={"PMCD_RESTART_AGENTS": 0}) as pmcd, \
            Follower(prefix, pmcd.host, "-l", "-t", ".02", "sample.event.no_indom_records") as follower:
        follower.await_line("fetch")
        for pid in children_of(pmcd.process.pid):
            os.kill(pid, signal.SIGKILL)
        follower.await_error("pmevent: sample.event.no_indom_records: ")
        slept = switches(follower.process.pid)
        wait_until("ten more samples", lambda: switches(follower.process.pid) > slept + 20, DEADLINE_S,
                   alive=follower.process)
    told = follower.errors().splitlines()  # the collector may first find that the agent is gone, then that it comes back
    assert len(told) == len(set(told)) <= 3


def switches(pid):
    """How often a process has gone to sleep: once for a fetch, once for the time between two."""
    return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])


def children_of(pid):
    return [int(p) for p in open(f"/proc/{pid}/task/{pid}/children").read().split()]


class Follower:
    """pmevent in the background, with what it has said so far in files."""

    def __init__(self, prefix, host, *argv):
        self.argv = [prefix.bin("pmevent"), "-h", host, *argv]
        self.env = prefix.env(TZ="UTC")

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.text = {self.process.stdout: b"", self.process.stderr: b""}
        for pipe in self.text:
            os.set_blocking(pipe.fileno(), False)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(DEADLINE_S)
        self.read()
        for pipe in self.text:
            pipe.close()

    def read(self):
        for pipe in self.text:
            self.text[pipe] += pipe.read() or b""

    def output(self):
        return self.text[self.process.stdout].decode()

    def errors(self):
        return self.text[self.process.stderr].decode()

    def await_line(self, text, after=0):
        """Waits until the output has the text, after this number of characters."""
        def there():
            self.read()
            return text in self.output()[after:]
        wait_until(f"a line with {text}", there, DEADLINE_S, alive=self.process)

    def await_error(self, text):
        def there():
            self.read()
            return text in self.errors()
        wait_until(f"the word of {text}", there, DEADLINE_S, alive=self.process)


def test_a_collector_that_goes_and_comes_back(prefix, tmp_path):
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    pmcd = harness.Pmcd(prefix, tmp_path / "pmcd", agents)
    with pmcd, Follower(prefix, pmcd.host, "-F", "-t", ".02", "sample.event.records[bogus]") as follower:
        follower.await_line("fetch #2")
        pmcd.stop()
        follower.await_error("is lost")
        before = len(follower.output())
        with pmcd:
            follower.await_error("is back")
            follower.await_line("[bogus] - ", before)  # a new agent counts from the beginning
            assert follower.process.poll() is None
            follower.process.terminate()
            assert follower.process.wait(DEADLINE_S) == -signal.SIGTERM
    assert re.fullmatch(r"pmevent: unix:\S+ is lost: .+; waiting\npmevent: unix:\S+ is back; what happened in between is "
                        r"not known\n", follower.errors())
    assert follower.output().endswith("\n")


def test_without_follow_a_lost_collector_ends_it(prefix, tmp_path):
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents) as pmcd, \
            Follower(prefix, pmcd.host, "-l", "-t", ".02", "sample.event.records") as follower:
        follower.await_line("fetch #2")
        pmcd.stop()
        assert follower.process.wait(DEADLINE_S) == 1
    assert follower.errors().startswith("pmevent: pmFetch: ")


# -- the tracing agent, whose events are the default

@pytest.mark.xdist_group(name="traced")  # as in test_tour.py
def test_what_programs_trace(prefix, tmp_path):
    program = tracing_agent.compile_worker(prefix, tmp_path)
    name = pathlib.Path(program).name
    with tracing_agent.Collector(prefix) as collector, tracing_agent.Client(collector) as client, \
            tracing_agent.Worker(program) as worker, tracing_agent.Worker(program) as other:
        insts = [client.attached(w.pid) for w in (worker, other)]
        quick = ["-F", "-t", ".02"]
        ours = ["-P", f"{worker.pid},{other.pid}"]  # there may be other programs that are traced
        with Follower(prefix, collector.host, *quick, *ours) as everything, \
                Follower(prefix, collector.host, *quick, *ours, "-v") as verbose, \
                Follower(prefix, collector.host, *quick, "-P", str(worker.pid), "-e", "ti*", "-W", "number>0") as some, \
                Follower(prefix, collector.host, *quick, "-j", "-P", "work*", "-W", f"text~{worker.pid} *") as said:
            clients = tracing_agent.COUNTERS["clients"]
            wait_until("all four listen", lambda: [client.number(clients, inst) for inst in insts] == [4, 4], DEADLINE_S)
            for traced in (worker, other):
                traced("emit 3")
                traced(f"text {worker.pid} hello")
            for inst in insts:
                wait_until("all is read", lambda i=inst: client.number(tracing_agent.COUNTERS["queued"], i) == 0, DEADLINE_S)
            for pid in (worker.pid, other.pid):
                everything.await_line(f"[{pid} {name}] tick")
            some.await_line(" number=2")
            wait_until("both say it", lambda: said.read() or said.output().count("\n") == 2, DEADLINE_S, alive=said.process)
            wait_until("all of it", lambda: everything.read() or everything.output().count(" said ") == 4, DEADLINE_S,
                       alive=everything.process)
            wait_until("all of all", lambda: verbose.read() or verbose.output().count(" said ") == 4, DEADLINE_S,
                       alive=verbose.process)
    lines = everything.output().splitlines()
    head = rf"\d\d:\d\d:\d\d\.\d{{9}} \[(\d+) {name}\] "
    assert all(re.match(head + r"(tick number=\d|said i1=-5 x2=48879( |$))", line) for line in lines), lines
    assert " type=" not in everything.output() and " address=" not in everything.output()
    assert all(re.match(head + r"(tick number=\d|said i1=-5 x2=48879\b.*) pid=\1 tid=\1 address=\d+ (truncation=\d )?type=0$",
                        line) for line in verbose.output().splitlines()) and verbose.output().count(" tick ") == 6
    assert sum(line.endswith(" number=2") for line in lines) == 2
    assert sum(f'text="{worker.pid} hello"' in line and " u8=18446744073709551615 " in line for line in lines) == 2
    assert [line.rsplit(" ", 1)[1] for line in some.output().splitlines()] == ["number=1", "number=2"]
    assert all(f"[{worker.pid} {name}] tick" in line for line in some.output().splitlines())
    objects = [json.loads(line) for line in said.output().splitlines()]
    assert {o["fields"]["pid"] for o in objects} == {worker.pid, other.pid}
    assert all({"tid", "address", "type"} <= set(o["fields"]) for o in objects)
    assert all(o["event"] == "said" and o["metric"] == "tracing.stream.events" and o["fields"]["text"] == f"{worker.pid} hello"
               and o["fields"]["bytes"] == "0001feff" and o["fields"]["i8"] == -2**63 for o in objects)
    assert everything.errors() + some.errors() + said.errors() == ""


def test_what_is_waited_for_is_told(prefix, tmp_path):
    program = tracing_agent.compile_worker(prefix, tmp_path)
    with tracing_agent.Collector(prefix) as collector, tracing_agent.Client(collector) as client, \
            Follower(prefix, collector.host, "-l", "-t", ".02", "-P", pathlib.Path(program).name[:3] + "*") as follower:
        follower.await_error("pmevent: waiting: no process of -P is traced: tracing.stream.events has no instances; see ")
        with tracing_agent.Worker(program) as worker:
            client.attached(worker.pid)
            clients = tracing_agent.COUNTERS["clients"]
            wait_until("it listens", lambda: client.number(clients, client.attached(worker.pid)) >= 1, DEADLINE_S)
            worker("emit 3")
            follower.await_line("tick number=2")
    assert follower.errors().count("\n") == 1


# -- where it is shown

def on_a_terminal(prefix, archive, **env):
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(prefix.bin("pmevent"), ["pmevent", "-l", "-a", str(archive), "-s", "1", "sample.event.records"],
                  prefix.env(TZ="UTC", **env))
    got, end = b"", time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                got += os.read(fd, 4096)
            except OSError:
                break
    os.close(fd)
    assert os.waitpid(pid, 0)[1] == 0
    return got.decode().replace("\r\n", "\n").splitlines()


def test_colours_are_for_terminals(prefix, peer_root, terminals):
    archive = peer_root / "var/lib/pcp/testsuite/archives/eventrec"
    got = on_a_terminal(prefix, archive, TERM="xterm", NO_COLOR="")
    assert got[3] == "\033[2m01:00:44.555955\033[0m [fungus] \033[31mmissed 7 events\033[0m"
    assert [re.sub("\033\\[\\d+m", "", line) for line in got] == FIRST
    assert on_a_terminal(prefix, archive, TERM="xterm", NO_COLOR="1") == FIRST
    assert on_a_terminal(prefix, archive, TERM="dumb", NO_COLOR="") == FIRST


def test_a_full_device_is_an_error(prefix, peer_root):
    archive = peer_root / "var/lib/pcp/testsuite/archives/eventrec"
    with open("/dev/full", "w") as full:
        done = subprocess.run([prefix.bin("pmevent"), "-l", "-a", archive, "sample.event"], env=prefix.env(), stdout=full,
                              stderr=subprocess.PIPE, timeout=180)
    assert done.returncode == 1 and b"No space left on device" in done.stderr
