"""The archive tools beside Debian's, over one archive of 64 MB: processor time of the whole process, medians of
pairs (docs/performance.md part D)."""
import os
import pathlib
import statistics
import subprocess
import tempfile

from sides import BUILD, STAGE

RECORDS = "460"  # 64 MB: 1,000 singular metrics, and records of 10,000 instances, in turn
LINES = (("pmdumplog", []), ("pmlogcheck", []), ("pmlogsummary", []))


def cpu_of(argv, env):
    """Seconds of user and system time."""
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def rows(rounds):
    peer = pathlib.Path(os.environ["PITOT_PEER"])
    sides = {"Pitot": (STAGE, dict(os.environ)),
             "PCP": (peer / "usr", {**os.environ, "LD_LIBRARY_PATH": str(peer / "usr/lib"), "PCP_DIR": str(peer)})}
    figures = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        base = os.path.join(directory, "big")
        subprocess.run([str(BUILD / "bench-archive-make"), base, "2", RECORDS], check=True, timeout=300)
        for tool, options in LINES:
            seconds = {name: [] for name in sides}
            for _ in range(rounds):
                for name, (prefix, env) in sides.items():
                    seconds[name].append(cpu_of([str(prefix / "bin" / tool), *options, base], env))
            a, b = (statistics.median(seconds[name]) for name in sides)
            title = f"{tool} of 64 MB, CPU s"
            figures[title] = {"Pitot": a, "PCP": b, "ratio": b / a}
            print(f"{title:44}{a:10.3f}{b:10.3f}{b / a:6.1f}x", flush=True)
    return figures
