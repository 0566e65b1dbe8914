"""reports - from the start of a tool that reports to its last line, ours beside Debian's, from one archive of its test suite
and from one collector (Debian's)."""
import pathlib
import statistics
import tempfile
import time

from collectors import Theirs
from setting import STAGE, harness, quick, ratio
from both import Both

ARCHIVE = "{archives}/rep"
LINES = {
    "pmrep, a line of an archive": ("pmrep", "-a", ARCHIVE, "-s", "1", "kernel.all.load"),
    "pmrep, a line, live": ("pmrep", "-h", "{host}", "-s", "1", "kernel.all.load"),
    "pmrep, an archive as csv": ("pmrep", "-a", ARCHIVE, "-o", "csv", "kernel.all.load", "kernel.percpu.cpu.user", "mem.util.used"),
    "pmstat, an archive": ("pmstat", "-a", ARCHIVE, "-s", "10"),
    "pmstat, a line, live": ("pmstat", "-h", "{host}", "-s", "1", "-t", "0.01"),
}


def milliseconds(run, words):
    start = time.monotonic()
    done = run(*words)
    assert done.status == 0 and done.out, (words, done)
    return (time.monotonic() - start) * 1e3


def rows(rounds):
    figures = {}
    side = Theirs()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as directory:
            both = Both(harness.Prefix(STAGE), side.peer.root, pathlib.Path(directory))
            for what, line in LINES.items():
                words = [word.replace("{host}", f"unix:{side.socket}") for word in line]
                times = {"ours": [], "theirs": []}
                for _ in range(quick(rounds, 1)):
                    for name in times:
                        times[name].append(milliseconds(getattr(both, name), words))
                a, b = (statistics.median(times[name]) for name in ("ours", "theirs"))
                title = f"{what}, ms"
                figures[title] = {"Pitot": a, "PCP": b, "ratio": ratio(b, a)}
                print(f"{title:44}{a:10.1f}{b:10.1f}{ratio(b, a):6.1f}x", flush=True)
    finally:
        side.stop()
    return figures
