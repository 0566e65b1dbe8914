"""The archive tools compared with Debian's, on archives of 64 and of 550 MB: processor time of the whole process,
medians of pairs (docs/performance.md part D)."""
import os
import pathlib
import statistics
import subprocess
import tempfile

from setting import BUILD, STAGE, quick, ratio

# Records of 1,000 singular metrics and of 10,000 instances in turn, one per second: their number, and the size in MB.
SMALL, LARGE = quick((("460", 64), ("4000", 550)), (("10", 1), ("12", 2)))
# A name, an archive, options; a tool that writes an archive gets a name for it.
LINES = (("pmdumplog", SMALL, [], False), ("pmlogcheck", SMALL, [], False), ("pmlogsummary", SMALL, [], False),
         ("pmlogreduce", SMALL, ["-t", "4min"], True),  # PCP's takes minutes for 550 MB
         ("pmlogextract", LARGE, [], True))


def cpu_of(argv, env):
    """Seconds of user and system time."""
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def find(prefix, tool):
    """Debian has some tools in the folder of programs that users do not call."""
    return next(path for path in (prefix / "bin" / tool, prefix / "lib/pcp/bin" / tool) if path.exists())


def remove(base):
    for path in base.parent.glob(base.name + ".*"):
        path.unlink()


def measure(sides, rounds, tool, base, options, writes):
    """The median seconds of each side."""
    seconds = {name: [] for name in sides}
    made = base.parent / "made"
    for _ in range(rounds):
        for name, (prefix, env) in sides.items():
            argv = [str(find(prefix, tool)), *options, str(base), *([str(made)] if writes else [])]
            seconds[name].append(cpu_of(argv, env))
            remove(made)
    return [statistics.median(seconds[name]) for name in sides]


def rows(rounds):
    peer = pathlib.Path(os.environ["PITOT_PEER"])
    sides = {"Pitot": (STAGE, dict(os.environ)),
             "PCP": (peer / "usr", {**os.environ, "LD_LIBRARY_PATH": str(peer / "usr/lib"), "PCP_DIR": str(peer)})}
    figures = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        base, there = pathlib.Path(directory) / "big", None
        for tool, size, options, writes in LINES:
            if there != size:
                remove(base)
                subprocess.run([str(BUILD / "bench-archive-make"), str(base), "2", size[0]], check=True, timeout=600)
                there = size
            a, b = measure(sides, rounds, tool, base, options, writes)
            title = f"{tool} of {size[1]} MB, CPU s"
            figures[title] = {"Pitot": a, "PCP": b, "ratio": ratio(b, a)}
            print(f"{title:44}{a:10.3f}{b:10.3f}{ratio(b, a):6.1f}x", flush=True)
    return figures
