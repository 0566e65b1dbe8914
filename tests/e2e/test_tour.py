"""Where events meet metrics: a traced program seen live, recorded, controlled, exported and killed, by our tools and by
Debian's side by side."""
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

import peer
from harness import free_port, run, wait_until
from test_up import Up
from tracers import ROOT, Tracer

# Every tracing agent of a user sees the programs of all others: these tests do not run side by side with their like.
pytestmark = pytest.mark.xdist_group(name="traced")

METRIC = "tracing.stream.events"


class Tour:
    """`pitot up` with a program that beats; both families of tools on both."""

    def __init__(self, prefix, peer_root, folder):
        self.prefix, self.root, self.dir = prefix, peer_root, folder
        self.up = Up(prefix, folder / "up", "--port", str(free_port()))
        self.archives = self.up.home / "archives"
        self.tracer = Tracer(prefix, folder)
        self.env = {**self.up.env, "PMCD_SOCKET": str(self.up.socket), "PMCD_PORT": self.up.options[1], "LC_ALL": "C"}
        self.heart = None

    def start(self):
        # Other users' programs may run on this machine; the agent reports an ended program for the duration of the
        # tests.
        shutil.copytree(self.prefix.path / "etc" / "pcp", self.up.home / "etc")
        (self.up.home / "etc" / "tracing" / "tracing.conf").write_text("linger 600 ;\nignore command=[!t]* ;\nignore command=traced* ;\n")
        self.up.env["PCP_SYSCONF_DIR"] = str(self.up.home / "etc")
        self.up.start()
        name = f"tour{os.getpid()}"
        program = self.tracer.compile(ROOT / "examples" / "heart.c", name)
        self.heart = subprocess.Popen([program], env={**self.env, "PITOT_TRACE": "1"})
        self.instance = f"{self.heart.pid} {name}"
        return self

    def stop(self):
        if self.heart is not None:
            self.heart.kill()
            self.heart.wait()
        self.up.stop()

    def ours(self, tool, *args, **more):
        return run([self.prefix.bin(tool), *map(str, args)], env=self.env, **more)

    def debian(self, tool, *args, **more):
        env = peer.bare_env(self.root, self.dir) | {"PMCD_PORT": self.up.options[1], "PMCD_SOCKET": str(self.up.socket),
                                                    "PCP_RUN_DIR": str(self.up.run_dir)}
        return run([self.root / "usr/bin" / tool, *map(str, args)], env=env, **more)

    def both(self, tool, *args, host=True):
        """The same by both: (ours, Debian's)."""
        where = ["-h", "localhost"] if host else []
        return [side(tool, *where, *args) for side in (self.ours, self.debian)]

    def archive(self):
        """The archive that grows, without its suffix."""
        return max(self.archives.glob("*.index")).with_suffix("")

    def recorded(self, side=None):
        """The numbers of the beats in the archive, as Debian's pmdumplog or another side has them."""
        text = (side or self.debian)("pmdumplog", "-x", self.archive(), METRIC).stdout
        return [int(n) for n in re.findall(r"tracing\.field\.beat\.number\S* .*?(\d+)$", text, re.M)]

    def emitted(self):
        """How many events of the program the agent's stream has had."""
        text = self.ours("pminfo", "-f", "tracing.stream.emitted").stdout
        return int(re.search(rf'"{self.instance}"\] value (\d+)', text)[1])

    def goes_on(self):
        """Waits until the heart program has recorded twenty more events."""
        before = self.emitted()
        wait_until("the heart beats", lambda: self.emitted() > before + 20, alive=self.heart)

    def streams(self):
        """How many trace the program."""
        listed = json.loads(self.tracer("list", "--json").stdout)
        return sum(p["streams"] for p in listed["processes"] if p["pid"] == self.heart.pid)

    def record(self, log):
        """A `pitot trace record` beside the agent, that has begun."""
        before = self.streams()
        recorder = self.tracer.start("record", "--pid", self.heart.pid, "-o", log)
        wait_until("it is recorded", lambda: self.streams() > before, alive=recorder)
        return recorder


@pytest.fixture(scope="module")
def tour(prefix, peer_root, tmp_path_factory):
    one = Tour(prefix, peer_root, tmp_path_factory.mktemp("tour"))
    try:
        yield one.start()
    finally:
        one.stop()


def numbers(text):
    """Of the beats, in what pminfo -x and pmevent print."""
    return [int(n) for n in re.findall(r"tracing\.field\.beat\.number(?: \(487\.3\.\d+\)\n +value)? (\d+)", text)]


def consecutive(found):
    return len(found) > 0 and found == list(range(found[0], found[0] + len(found)))


def test_a_program_is_seen_without_a_restart(tour):
    def seen():
        return tour.instance in tour.ours("pminfo", "-f", "tracing.stream.emitted").stdout
    wait_until("the agent has found it", seen, alive=tour.heart)
    for done in tour.both("pminfo", "-f", "tracing.stream.policy"):
        assert f'"{tour.instance}"] value "environment"' in done.stdout


def test_its_events_are_metrics(tour):
    for side in (tour.ours, tour.debian):
        seen = []

        def some():
            seen[:] = numbers(side("pminfo", "-h", "localhost", "-x", METRIC).stdout)
            return seen
        wait_until("pminfo -x has some", some, alive=tour.heart)
        assert consecutive(seen)
    for done in tour.both("pmevent", "-s", "3", "-t", "0.5", METRIC):
        assert consecutive(numbers(done.stdout)), done.stdout + done.stderr
        assert 'tracing.param.event "beat"' in done.stdout
    lines = [json.loads(line) for line in tour.ours("pmevent", "--json", "-s", "3", "-t", "0.5").stdout.splitlines()]
    beats = [line["fields"]["number"] for line in lines if line.get("event") == "beat"]
    assert consecutive(beats)


def test_they_are_recorded(tour):
    wait_until("events are in the archive", lambda: len(tour.recorded()) > 10, alive=tour.heart)
    for side in (tour.ours, tour.debian):
        assert consecutive(tour.recorded(side))
        found = numbers(side("pmevent", "-a", tour.archive(), METRIC).stdout)
        assert len(found) > 10 and consecutive(found)
    # It grows: what is written while it is being looked at may be seen in part.
    wait_until("nothing is wrong with it", lambda: tour.debian("pmlogcheck", tour.archive()).stdout == "", alive=tour.heart)


def test_babeltrace_reads_what_is_recorded_beside_it(tour):
    if shutil.which("babeltrace2") is None:
        pytest.skip("babeltrace2 is not installed")
    log, out = tour.dir / "beside.log", tour.dir / "beside.ctf"
    recorder = tour.record(log)
    tour.goes_on()
    recorder.send_signal(signal.SIGINT)
    recorder.communicate(timeout=180)
    assert tour.ours("pitot", "trace", "export", "--ctf", out, log).returncode == 0
    text = run(["babeltrace2", "--names=payload", out]).stdout
    found = [int(n) for n in re.findall(r"number = (\d+)", text)]
    assert consecutive(found)
    wait_until("the archive has them too", lambda: set(found) <= set(tour.recorded()), alive=tour.heart)


def pmlc(tour, side, command):
    """Through the recorder's socket, below the run directory: clients on TCP may only read."""
    (tour.dir / "script").write_text(command + "\n")
    with open(tour.dir / "script") as script:
        done = side("pmlc", "-P", stdin=script)
    assert "Error" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("off, on", [("ours", "debian"), ("debian", "ours")])
def test_recording_is_switched(tour, off, on):
    pmlc(tour, getattr(tour, off), f"log mandatory off {METRIC}")
    assert "mand off" in pmlc(tour, getattr(tour, on), f"query {METRIC}")

    def stands_still():
        before = tour.recorded()
        tour.goes_on()
        return tour.recorded() == before
    assert stands_still() or stands_still(), "what was being asked for at the switch may come, and nothing more"
    live = []

    def some():
        live[:] = numbers(tour.ours("pmevent", "-s", "4", "-t", "1", METRIC).stdout)
        return len(live) > 20
    wait_until("pmevent has them", some, alive=tour.heart)
    assert consecutive(live)
    after_off = tour.recorded()
    assert after_off[-1] < live[0]
    pmlc(tour, getattr(tour, on), f"log mandatory on 1 second {METRIC}")
    wait_until("it is recorded again", lambda: tour.recorded()[-1] > after_off[-1] + 20, alive=tour.heart)
    found = tour.recorded()
    assert found == sorted(set(found)) and not consecutive(found), "ascending, each once, with a hole"


def test_its_last_events_are_there(tour):
    log = tour.dir / "last.log"
    recorder = tour.record(log)
    tour.goes_on()
    os.kill(tour.heart.pid, signal.SIGKILL)
    tour.heart.wait()
    recorder.communicate(timeout=180)
    last = [e["fields"]["number"] for e in tour.tracer.events(log) if e["name"] == "beat"][-1]
    wait_until("the archive has the last beat", lambda: tour.recorded()[-1] == last)
    assert tour.recorded(tour.ours)[-1] == last

    def ended():
        text = tour.ours("pminfo", "-f", "tracing.stream.status").stdout
        return f'"{tour.instance}"] value 3' in text
    wait_until("the stream has ended", ended)


def test_the_counters_add_up(tour):
    """All events since the agent attached were recorded or lost, and all recorded ones were taken out."""
    values = {}
    assert tour.heart.poll() is not None, "nothing changes between two questions"
    for name in ("emitted", "recorded", "reported", "lost.full", "lost.overwritten", "lost.attach", "lost.queue", "discarded"):
        text = tour.debian("pminfo", "-h", "localhost", "-f", f"tracing.stream.{name}").stdout
        values[name] = int(re.search(rf'"{tour.instance}"\] value (\d+)', text)[1])
    assert values["emitted"] == values["recorded"] + values["lost.full"] + values["lost.attach"]
    assert values["recorded"] == values["reported"] + values["lost.overwritten"] + values["discarded"]
    assert values["emitted"] > 50 and values["lost.queue"] == 0
