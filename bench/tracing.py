#!/usr/bin/python3
"""tracing - compares an event of libtrace with one of LTTng-UST, in one run (docs/performance.md part A).

Both programs have the same loop (trace_loop.h) and take turns, ours, theirs, ours, theirs …; a figure is the median of
the processor time that an event costs the thread which records it, and a ratio the median of the ratios of the pairs.
LTTng runs as its manual describes: a private session daemon without kernel tracing, below a private LTTNG_HOME; an
overwriting snapshot session is compared with a LOOP stream, and a session that writes to disk with a stream with log.
Without LTTng only Pitot's figures are printed, with a message.

    tracing.py [--rounds N] [--events N] [--build DIR] [--lib FILE]
"""
import argparse
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from setting import BUILD, STAGE, quick

LIBRARY = STAGE / "lib" / "libtrace.so.1"
PEER_LIBRARIES = [f"liblttng-ust{part}.so.1" for part in ("", "-common", "-tracepoint")]
SIZES = (4, 16, 64, 256)
# A stream of another process, and the cost of a trace point that records nothing.
OWN_MODES = ("loop", "strict", "until-full", "other", "filtered", "stopped", "none")
# Taking events out of a stream, into a log, and out of a log (trace_read.c). Only Pitot's.
READ_ROWS = [(mode, threads, size) for mode in ("next", "drain", "log") for threads in (1, 2) for size in (16, 64)]
READ_EVENTS = quick(200000, 1000)


class Lttng:
    """A session daemon of the user, and one session at a time."""

    def __init__(self, build):
        self.program = build / "bench-lttng-record"
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="bench-lttng-"))
        self.env = {**os.environ, "LTTNG_HOME": str(self.home), "LTTNG_UST_REGISTER_TIMEOUT": "-1"}
        self.log = open(self.home / "sessiond.log", "w")
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.env, stdout=self.log,
                                       stderr=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while self.lttng("list", check=False) != 0:
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise OSError("lttng-sessiond does not answer: " + (self.home / "sessiond.log").read_text())
            time.sleep(0.05)

    @classmethod
    def available(cls, build):
        return all(shutil.which(p) for p in ("lttng", "lttng-sessiond")) and (build / "bench-lttng-record").exists()

    def lttng(self, *args, check=True):
        return subprocess.run(["lttng", *args], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=check, timeout=30).returncode

    @contextlib.contextmanager
    def session(self, kind):
        """kind: "loop", "log"; "stopped" and "filtered" are loops that record nothing; "none": no session."""
        if kind == "none":
            yield
            return
        output = self.home / "out"
        self.lttng("create", "bench", *(["--snapshot"] if kind != "log" else []), f"--output={output}")
        self.lttng("enable-channel", "-u", "channel", *(["--subbuf-size=1M", "--num-subbuf=8"] if kind == "log" else []))
        self.lttng("enable-event", "-u", "another:*" if kind == "filtered" else "pitot_bench:*", "-c", "channel")
        if kind != "stopped":
            self.lttng("start")
        try:
            yield
        finally:
            self.lttng("destroy", "bench", check=False)
            shutil.rmtree(output, ignore_errors=True)

    def run(self, threads, size, events):
        return figures_of([self.program, threads, size, events], self.env)

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(20)
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)


def figures_of(argv, env=None):
    """{"event": ns, "call": ns, "rdtsc": ns ...} of one run, and "counts": its counts of lost events."""
    done = subprocess.run([str(a) for a in argv], env=env, capture_output=True, text=True, check=True, timeout=300)
    figures = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
    return {**figures, "counts": done.stderr.strip()}


def median(rows, key="event"):
    return statistics.median(row[key] for row in rows)


def show(title, a, b, ratio, more=""):
    peer = f"{b:10.1f}{ratio:6.1f}x" if b is not None else f"{'-':>10}{'-':>7}"
    print(f"{title:44}{a:10.1f}{peer}   {more}", flush=True)


def pair(lttng, build, mode, threads, size, args):
    """A mode of Pitot and LTTng's session of the same kind, alternating."""
    ours, theirs = [], []
    kind = mode if mode in ("none", "log", "stopped", "filtered") else "loop"
    with lttng.session(kind) if lttng else contextlib.nullcontext():
        for _ in range(args.rounds):
            ours.append(figures_of([build / "bench-trace-record", threads, size, args.events, mode]))
            if lttng:
                theirs.append(lttng.run(threads, size, args.events))
    a, b = median(ours), median(theirs) if theirs else None
    ratio = statistics.median(t["event"] / o["event"] for o, t in zip(ours, theirs)) if theirs else None
    title = f"{mode}, {size} bytes, {threads} thread{'s' if threads > 1 else ''}, ns"
    show(title, a, b, ratio, f"rdtsc {median(ours, 'rdtsc'):.1f}, a call {median(ours, 'call'):.1f}, an empty loop {median(ours, 'empty'):.1f}"
         + (f"; {ours[-1]['counts']}" if mode in ("log", "until-full") else ""))
    return title, {"Pitot": a, "LTTng": b, "ratio": ratio, "rdtsc": median(ours, "rdtsc"),
                   "call": median(ours, "call"), "empty": median(ours, "empty")}


def read_row(build, mode, threads, size, args):
    """The best of the rounds, because only other processes slow a reader down."""
    rows = [figures_of([build / "bench-trace-read", threads, size, READ_EVENTS, mode]) for _ in range(args.rounds)]
    best = min(row["event"] for row in rows)
    title = f"take out: {mode}, {size} bytes, {threads} thread{'s' if threads > 1 else ''}, ns"
    show(title, best, None, None, f"rdtsc {median(rows, 'rdtsc'):.1f}")
    return title, {"Pitot": best, "rdtsc": median(rows, "rdtsc")}


def loaded(*files):
    """KiB of program and data of libraries, without debug symbols."""
    done = subprocess.run(["size", *map(str, files)], capture_output=True, text=True, check=True)
    return sum(int(line.split()[3]) for line in done.stdout.splitlines()[1:]) / 1024


def sizes(args):
    ours = loaded(args.lib)
    directory = pathlib.Path("/usr/lib") / f"{os.uname().machine}-linux-gnu"
    peer = [directory / name for name in PEER_LIBRARIES]
    theirs = loaded(*peer) if all(p.exists() for p in peer) else None
    show("size of the libraries, KiB", ours, theirs, theirs / ours if theirs else None)
    return {"Pitot": ours, "LTTng": theirs}


def all_rows(args):
    """Every row; args has rounds, events, build and lib."""
    lttng = Lttng(args.build) if Lttng.available(args.build) else None
    print(f"{'an event':44}{'Pitot':>10}{'LTTng':>10}{'ratio':>7}")
    if lttng is None:
        print("LTTng-UST is not installed: the figures are ours alone")
    figures = {}
    try:
        rows = [("loop", threads, size) for threads in (1, 2) for size in SIZES]
        rows += [("until-full", threads, 16) for threads in (1, 2)]
        rows += [("log", threads, size) for threads in (1, 2) for size in SIZES]
        rows += [(mode, 1, 16) for mode in OWN_MODES if mode not in ("loop", "until-full")]
        for mode, threads, size in rows:
            title, row = pair(lttng, args.build, mode, threads, size, args)
            figures[title] = row
        for mode, threads, size in READ_ROWS:
            title, row = read_row(args.build, mode, threads, size, args)
            figures[title] = row
        figures["sizes"] = sizes(args)
    finally:
        if lttng:
            lttng.stop()
    return figures


def defaults(**more):
    return argparse.Namespace(**{"rounds": 5, "events": quick(1000000, 1000), "build": BUILD, "lib": LIBRARY, **more})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="pairs a figure (5)")
    parser.add_argument("--events", type=int, default=1000000, help="events a thread and round (1,000,000)")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="where the programs are")
    parser.add_argument("--lib", type=pathlib.Path, default=LIBRARY, help="our library")
    all_rows(parser.parse_args())


if __name__ == "__main__":
    main()
