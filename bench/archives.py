#!/usr/bin/python3
"""archives - reading archives through our libpcp and through Debian's, on one generated archive of some 590 MB
(docs/performance.md part D). It prints medians of CPU time; the rounds of both libraries alternate. It checks nothing.

    archives.py BUILD [--rounds N] [--records N] [--only TEXT]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

RATE, EVERY = "39", "4"  # records per second; every fourth is wide: 6,400 are 164 s


def run(build, lib, base, peer, only):
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(lib), "PCP_DIR": peer, "LC_ALL": "C", "TZ": "UTC"}
    done = subprocess.run([str(build / "bench/bench-archive-fetch"), base, *([only] if only else [])], env=env,
                          capture_output=True, text=True, timeout=600, check=True)
    return {what: float(rate) for what, rate in (line.split("\t") for line in done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=int, default=6400)
    parser.add_argument("--only")
    args = parser.parse_args()
    peer = os.environ.get("PITOT_PEER")
    sides = {"Pitot": args.build / "src/libpcp"}
    if peer:
        sides["PCP"] = pathlib.Path(peer) / "usr/lib"
    rows = {name: [] for name in sides}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        base = folder + "/bench"
        make = [str(args.build / "bench/bench-archive-make"), base, "2", str(args.records), RATE, EVERY]
        subprocess.run(make, check=True, timeout=600)
        for _ in range(args.rounds):
            for name, lib in sides.items():
                rows[name].append(run(args.build, lib, base, peer or "/nonexistent", args.only))
    print(f"{'operations a second':40}" + "".join(f"{name:>12}" for name in sides) + "   ratio")
    for what in rows["Pitot"][0]:
        figures = [statistics.median(row[what] for row in rows[name]) for name in sides]
        ratio = f"{figures[0] / figures[1]:7.1f}x" if len(figures) > 1 else ""
        print(f"{what:40}" + "".join(f"{figure:12.1f}" for figure in figures) + ratio)


if __name__ == "__main__":
    main()
