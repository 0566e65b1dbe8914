#!/usr/bin/python3
"""events - measures events of posix_trace_event through the tracing agent and pmcd, to a client and into an archive:
their age at arrival, the rate at each stage, the cost for the traced program, and the fate of each of a million events.

One collector of ours with the agent as a daemon; programs of event_source.c, clients of event_client.c. Figures only,
never a verdict, except for the sums: an event that is not accounted for is an error.

    events.py [--build DIR] [--stage DIR]
"""
import argparse
import contextlib
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from setting import BUILD, STAGE, harness, quick

import tracing_agent  # of the end-to-end tests

CONFIG = "ignore command=[!b]* ;\n"
PROCESSES, EVENTS, PARTS = 8, quick(1000000, 32000), 4
STEP_S = 0.5
RATES = (10000, 2560000)  # the lowest and the highest rate of the search
STEPS, TRIES = quick(7, 1), quick(3, 1)
DELAYED, ALONE, LOTS = quick(2000, 50), quick(200000, 2000), quick(500, 10)
LOSSES = ("full", "overwritten", "attach", "queue")


class Partner:
    """A program that answers each line with one; it is killed at the end."""

    def __init__(self, argv, env):
        self.process = subprocess.Popen([str(a) for a in argv], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def numbers(self):
        """The numbers in the next line of its output."""
        return map(int, self.process.stdout.readline().split())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Source(Partner):
    """A program, traced or not."""

    def __init__(self, build, env):
        super().__init__([build / "bench-event-source"], env)
        self.process.stdout.readline()

    def tell(self, events, a_second=0):
        self.say(f"{int(events)} {int(a_second)}")

    def answer(self):
        """Events, their begin and end, and seconds of processor time."""
        events, begin, end, cpu = self.numbers()
        return events, begin / 1e9, end / 1e9, cpu / 1e9

    def emit(self, events, a_second=0):
        self.tell(events, a_second)
        return self.answer()


class Drain(Partner):
    """A client that fetches events; counts() returns the counts since the last call."""

    def __init__(self, build, collector, interval_us):
        super().__init__([build / "bench-event-client", collector.host, interval_us], collector.env)
        self.counts()

    def counts(self):
        self.say("")
        return dict(zip(("fetches", "events", "missed", "p50_ns", "p99_ns"), self.numbers()))


class Recorder:
    """Our pmlogger."""

    def __init__(self, args, collector, folder):
        self.build, self.collector, self.folder = args.build, collector, pathlib.Path(folder)
        (self.folder / "config").write_text("log mandatory on every 20 msec { tracing.stream.events }\n")
        self.process = subprocess.Popen([str(args.stage / "bin" / "pmlogger"), "-c", "config", "-h", collector.host, "-l", "log",
                                         "archive"], cwd=self.folder, env=collector.env, stdin=subprocess.DEVNULL)

    def stop(self):
        """Events and missed ones in the archive, and its bytes."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(harness.DEADLINE_S)
        told = subprocess.run([str(self.build / "bench-event-client"), "-a", str(self.folder / "archive")], text=True,
                              env=self.collector.env, capture_output=True, check=True, timeout=120).stdout.split()
        size = sum(p.stat().st_size for p in self.folder.glob("archive.*"))
        return {"events": int(told[1]), "missed": int(told[2]), "bytes": size}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def show(title, value, more=""):
    print(f"{title:58}{value:>12}   {more}", flush=True)


def sum_of(rows):
    return {key: sum(row[key] for row in rows) for key in rows[0]}


def totals(client, insts):
    return sum_of([client.counters(inst) for inst in insts])


def drained(client, insts):
    """The counters when all events have been read and delivered."""
    def empty():
        c = totals(client, insts)
        return c["queued"] == 0 and c["recorded"] == c["reported"] + c["overwritten"] + c["discarded"]
    harness.wait_until("all is taken out", empty)
    return totals(client, insts)


def interested(client, insts, clients):
    harness.wait_until("the clients are there", lambda: all(client.counters(i)["clients"] >= clients for i in insts))


def delays(args, collector, client, source, inst):
    figures = {}
    for interval_us in (0, 10000):
        with Drain(args.build, collector, interval_us) as drain:
            interested(client, [inst], 1)
            drain.counts()
            source.emit(DELAYED, 1000)
            drained(client, [inst])
            c = drain.counts()
        title = "delay, fetches " + ("back to back" if interval_us == 0 else f"every {interval_us // 1000} ms") + ", us p50/p99"
        show(title, f"{c['p50_ns'] / 1e3:.0f}/{c['p99_ns'] / 1e3:.0f}", f"{c['events']} events, {c['fetches']} fetches")
        figures[title] = {"p50_us": c["p50_ns"] / 1e3, "p99_us": c["p99_ns"] / 1e3}
    return figures


def lost_at(client, source, inst, rate):
    """The events lost in half a second at a rate, by reason, and the actual rate."""
    before = client.counters(inst)
    events, begin, end, _ = source.emit(rate * STEP_S, rate)
    after = drained(client, [inst])
    return {k: after[k] - before[k] for k in LOSSES if after[k] != before[k]}, events / (end - begin)


def highest(client, source, inst):
    """The highest rate without loss, by bisection on a logarithmic scale, and the loss at the next higher rate. Each
    rate is tried several times, because other processes sometimes take the processor."""
    low, high, best, beyond = RATES[0], RATES[1], 0, {}
    for _ in range(STEPS):
        rate = int((low * high) ** 0.5)
        for _ in range(TRIES):
            lost, reached = lost_at(client, source, inst, rate)
            if not lost:
                break
        if lost:
            high, beyond = rate, {"rate": rate, **lost}
            continue
        low, best = rate, max(best, reached)
        if reached < rate * 0.8:
            break  # the program can't go faster
    return best, ", ".join(f"{what} {n}" for what, n in beyond.items())


def rates(args, collector, client, source, inst):
    figures = {}
    with Drain(args.build, collector, 0) as drain:
        interested(client, [inst], 1)
        drain.counts()
        before = client.counters(inst)["reported"]
        best, beyond = highest(client, source, inst)
        got = drain.counts()
        account("received", client.counters(inst)["reported"] - before, got["events"] + got["missed"])
    show("to a client, events a second without loss", f"{best:.0f}", f"lost beyond: {beyond}")
    figures["client, events a second"] = best
    with tempfile.TemporaryDirectory(prefix="bench-events-") as folder, Recorder(args, collector, folder) as recorder:
        interested(client, [inst], 1)
        best, beyond = highest(client, source, inst)
        told = recorder.stop()
    show("into an archive, events a second without loss", f"{best:.0f}", f"{told['bytes'] / max(told['events'], 1):.1f} bytes an event; lost beyond: {beyond}")
    figures["archive, events a second"] = best
    figures["archive, bytes an event"] = told["bytes"] / max(told["events"], 1)
    return figures


def cost(args, collector, client, source, inst):
    """Processor time of an event in the recording program: without a stream, and with the agent's stream, which is
    being drained."""
    figures = {}
    with Source(args.build, {**collector.env, "PITOT_TRACE": ""}) as alone:
        none = statistics.median(alone.emit(ALONE)[3] for _ in range(15)) / ALONE * 1e9
    with Drain(args.build, collector, 0):
        interested(client, [inst], 1)
        lots = [source.emit(2000)[3] / 2000 * 1e9 for _ in range(LOTS) if not time.sleep(0.001)]
        drained(client, [inst])
    lots.sort()
    attached = statistics.median(lots)
    show("an event without a stream, ns", f"{none:.1f}")
    show("an event with the agent's stream, drained, ns", f"{attached:.1f}", f"p90 {lots[len(lots) * 9 // 10]:.1f}")
    figures["no stream, ns"], figures["attached, ns"] = none, attached
    return figures


def resident(pid):
    """KiB."""
    return next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("VmRSS"))


def one_part(sources, events, client, insts):
    """All programs record at once, and the agent takes out all events: the programs' count, the seconds from the first
    event to the last, and until all were taken out."""
    begin = time.monotonic()
    for source in sources:
        source.tell(events)
    told = [source.answer() for source in sources]
    drained(client, insts)
    return sum(t[0] for t in told), max(t[2] for t in told) - min(t[1] for t in told), time.monotonic() - begin


def account(title, left, right):
    if left != right:
        sys.exit(f"events: {title}: {left} is not {right}")


def million(args, collector, client):
    """A million events of 8 programs, and the fate of each."""
    agent, memory = collector.agent(), []
    with contextlib.ExitStack() as stack:
        sources = [stack.enter_context(Source(args.build, {**collector.env, "PITOT_TRACE": "1"})) for _ in range(PROCESSES)]
        insts = [client.attached(s.pid) for s in sources]
        drain = stack.enter_context(Drain(args.build, collector, 0))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-events-"))
        recorder = stack.enter_context(Recorder(args, collector, folder))
        interested(client, insts, 2)
        emitted, recording, took = 0, 0, 0
        for _ in range(PARTS):
            memory.append((resident(agent), resident(collector.process.pid)))
            events, recording_s, all_s = one_part(sources, EVENTS / PROCESSES / PARTS, client, insts)
            emitted, recording, took = emitted + events, recording + recording_s, took + all_s
        memory.append((resident(agent), resident(collector.process.pid)))
        c, got = totals(client, insts), drain.counts()
        told = recorder.stop()
    account("emitted", emitted, c["recorded"] + c["full"] + c["attach"])
    account("recorded", c["recorded"], c["reported"] + c["overwritten"] + c["discarded"])
    account("received", c["reported"], got["events"] + got["missed"])
    account("in the archive", c["reported"], told["events"] + told["missed"])
    return million_rows(emitted, recording, took, c, got, told, memory)


def million_rows(emitted, recording, took, c, got, told, memory):
    show(f"{EVENTS:,} events of {PROCESSES} programs: emitted, a second", f"{emitted / recording:.0f}", f"{emitted} events")
    show("  taken out by the agent, a second", f"{c['reported'] / took:.0f}",
         f"{c['reported']} events; overwritten {c['overwritten']}, full {c['full']}, attach {c['attach']}, discarded {c['discarded']}")
    show("  received by the client, a second", f"{got['events'] / took:.0f}", f"{got['events']} events, {got['missed']} missed")
    show("  in the archive, a second", f"{told['events'] / took:.0f}", f"{told['events']} events, {told['missed']} missed")
    for i, name in enumerate(("agent", "pmcd")):
        show(f"  KiB of {name}: start, after each quarter", " ".join(str(m[i]) for m in memory))
    return {"emitted": emitted, "emitted_s": recording, "all_s": took, "counters": c, "client": got, "archive": told, "memory_kib": memory}


def all_rows(args):
    prefix = harness.Prefix(args.stage)
    with tracing_agent.Collector(prefix, config=CONFIG) as collector, tracing_agent.Client(collector) as client:
        figures = {"million": million(args, collector, client)}
        with Source(args.build, {**collector.env, "PITOT_TRACE": "1"}) as source:
            inst = client.attached(source.pid)
            for part in (delays, rates, cost):
                figures[part.__name__] = part(args, collector, client, source, inst)
    return figures


def defaults(**more):
    return argparse.Namespace(**{"build": BUILD, "stage": STAGE, **more})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="where the programs are")
    parser.add_argument("--stage", type=pathlib.Path, default=STAGE, help="an installed Pitot")
    args = parser.parse_args()
    all_rows(defaults(build=args.build.resolve(), stage=args.stage.resolve()))


if __name__ == "__main__":
    main()
