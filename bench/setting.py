"""setting - the programs that bench measures and the amount of work; uses the harness of the end-to-end tests to start
them."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "e2e"))
import harness  # noqa: E402,F401
import peer as debian  # noqa: E402,F401
import wire  # noqa: E402,F401

# The programs of bench, and an installed Pitot.
BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ROOT / "build" / "stage-build" / "bench"))
STAGE = pathlib.Path(os.environ.get("BENCH_STAGE", ROOT / "build" / "stage"))


def quick(usual, little):
    """The amount of work; with BENCH_QUICK only enough to test that it runs."""
    return little if os.environ.get("BENCH_QUICK") else usual


def ratio(top, bottom):
    """How many times; a figure of no time at all, as of the smallest amount of work, has no ratio."""
    return top / bottom if bottom else float("nan")
