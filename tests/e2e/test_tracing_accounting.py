"""The accounting of each event: programs record at their highest rate, and their own counts equal those of stream,
agent, clients and archive exactly, even with slow clients and losses. Only sums, no times.

The recorder is ours: Debian's pmlogger writes 0 for the number of missed events of a high-resolution array.
"""
import re
import signal
import subprocess
import threading

import pytest
from harness import run, wait_until
from tracing_agent import LONG_S, Client, Collector, Worker, adds_up, compile_worker

# Every tracing agent of a user sees the programs of all others: these tests do not run side by side with their like.
pytestmark = pytest.mark.xdist_group(name="traced")

PROCESSES, EVENTS, ROUNDS = 8, 20000, 4
# The queue holds less than a stream, so that a client that does not come for long misses some.
CONFIG = "ignore command=[!w]* ;\nignore command=worker ;\nqueue 64k ;\n"
RECORDED = "log mandatory on every 50 msec { tracing.stream.events tracing.stream.emitted tracing.stream.lost }\n"


class Taken:
    """The events that one client got of each stream: their numbers, and the number of missed ones."""

    def __init__(self):
        self.numbers, self.missed = {}, {}

    def add(self, arrays):
        for inst, records in arrays.items():
            self.missed[inst] = self.missed.get(inst, 0) + sum(r for r in records if isinstance(r, int))
            self.numbers.setdefault(inst, []).extend(r["field.tick.number"] for r in records if not isinstance(r, int))

    def accounts_for(self, inst, reported):
        numbers = self.numbers.get(inst, [])
        assert all(a < b for a, b in zip(numbers, numbers[1:])), "each event once, in order"
        assert len(numbers) + self.missed.get(inst, 0) == reported


class Fast(threading.Thread):
    """A client that asks again as soon as it has its answer."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.taken, self.done, self.error = client, Taken(), threading.Event(), None

    def run(self):
        try:
            last = False
            while not last:
                last = self.done.is_set()
                self.taken.add(self.client.events())
        except Exception as e:  # reported by finish()
            self.error = e

    def finish(self):
        self.done.set()
        self.join(LONG_S)
        assert not self.is_alive() and self.error is None, self.error


def from_dump(text):
    """The output of pmdumplog for an archive: numbers and missed events by stream."""
    taken, numbers, inst = Taken(), [], None
    for line in text.splitlines():
        if "tracing.field.tick.number" in line:
            numbers.append(int(line.split()[-1]))
        elif "tracing.stream.events[" in line:
            inst = int(re.search(r"events\[(\d+) or", line)[1])
            numbers = taken.numbers.setdefault(inst, [])
        elif " missed event" in line:
            taken.add({inst: [int(re.search(r"(\d+) missed event", line)[1])]})
    return taken


def drained(counters):
    return counters["status"] == 3 and counters["recorded"] == (
        counters["reported"] + counters["overwritten"] + counters["discarded"])


@pytest.mark.parametrize("kind", ["pipe", "dso"])
def test_every_event_is_accounted_for(prefix, peer_root, tmp_path, kind):
    program = compile_worker(prefix, tmp_path)
    (tmp_path / "config").write_text(RECORDED)
    archive = tmp_path / "archive"
    with Collector(prefix, kind, CONFIG) as collector, Client(collector) as fast_one, Client(collector) as slow, \
            Client(collector) as other:
        env = {**collector.env, "PCP_ARCHIVE_DIR": str(tmp_path)}
        workers = [Worker(program) for _ in range(PROCESSES)]
        logger = subprocess.Popen([prefix.bin("pmlogger"), "-c", tmp_path / "config", "-h", collector.host, "-l",
                                   tmp_path / "log", archive], env=env, stdin=subprocess.DEVNULL)
        fast, slow_taken = Fast(fast_one), Taken()
        try:
            insts = [other.attached(w.pid) for w in workers]
            slow.events()
            fast.start()
            wait_until("all three are there", lambda: all(other.counters(i)["clients"] == 3 for i in insts), LONG_S,
                       alive=logger)
            for _ in range(ROUNDS):
                for w in workers:
                    w.tell(f"emit {EVENTS // ROUNDS}")
                for w in workers:
                    assert w.process.stdout.readline() == "done\n"
            assert [w.end() for w in workers] == [0] * PROCESSES
            wait_until("all are taken out", lambda: all(drained(other.counters(i)) for i in insts), LONG_S)
            slow_taken.add(slow.events())
            wait_until("each client has had them", lambda: all(other.counters(i)["queued"] == 0 for i in insts), LONG_S,
                       alive=logger)
            fast.finish()
            counters = {i: other.counters(i) for i in insts}
        finally:
            logger.send_signal(signal.SIGINT)
            assert logger.wait(LONG_S) == 0
            for w in workers:
                w.__exit__()
    recorded = dumps(prefix, peer_root, collector, archive)
    for inst in insts:
        c = counters[inst]
        adds_up(c)
        assert c["emitted"] == EVENTS and drained(c)
        missed = []
        for taken in (fast.taken, slow_taken, recorded):
            taken.accounts_for(inst, c["reported"])
            missed.append(taken.missed.get(inst, 0))
        assert missed[1] > 0, "20,000 events do not fit the queue"
        assert max(missed) <= c["queue"] <= sum(missed)


def dumps(prefix, peer_root, collector, archive):
    """The archive as both pmdumplogs print it."""
    ours = run([prefix.bin("pmdumplog"), archive, "tracing.stream.events"], env=collector.env, timeout=300)
    theirs = run([peer_root / "usr/bin/pmdumplog", archive, "tracing.stream.events"], timeout=300,
                 env=prefix.env(LD_LIBRARY_PATH=peer_root / "usr/lib", PCP_DIR=peer_root))
    assert ours.returncode == theirs.returncode == 0, ours.stderr + theirs.stderr
    found = [from_dump(done.stdout) for done in (ours, theirs)]
    assert found[0].numbers == found[1].numbers and found[0].missed == found[1].missed
    return found[0]
