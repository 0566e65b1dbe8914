"""Each part of bench runs to its end, as small as it gets: what it measures is of no interest here."""
import os
import pathlib
import re
import sys

import pytest

from harness import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
PARTS = ("trace", "fetch", "start_up_ms", "memory_kib", "names", "pmda_fetch", "pmda_cache", "pmda_events", "events",
         "client", "derived", "reports", "archives", "archive_tools", "control")
# Parts without a comparison, or whose peer is not PCP.
ALONE = ("trace", "events")
LONG_S = 300


@pytest.fixture(scope="module")
def build(prefix):
    """The build folder that an installation comes from, if bench's programs are there."""
    original = pathlib.Path(os.environ.get("PITOT_PREFIX_ORIGINAL", prefix.path))
    one = original.parent / original.name.removeprefix("prefix-")
    if not (one / "bench" / "bench-load").exists():
        pytest.skip("the programs of bench are not beside the installed ones")
    if "sanitize" in os.environ.get("PITOT_CC", ""):
        pytest.skip("programs under a sanitizer do not load Debian's libraries")
    return one


@pytest.fixture(scope="module")
def env(prefix, build):
    return {**os.environ, "BENCH_BUILD": str(build / "bench"), "BENCH_STAGE": str(prefix.path), "BENCH_QUICK": "1",
            "BENCH_S": "0.1", "PITOT_PREFIX": str(prefix.path)}


def python(env, *argv):
    done = run([sys.executable, *argv], env=env, timeout=LONG_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_parts_are_known(env):
    listed = re.search(r"one part \(([^)]*)\)", " ".join(python(env, BENCH / "bench", "--help").split()))
    assert tuple(listed[1].split(", ")) == PARTS


def test_names_of_modules():
    """Parts of bench use modules of these tests: a name that both have would hide one of them."""
    assert not {p.name for p in BENCH.glob("*.py")} & {p.name for p in pathlib.Path(__file__).parent.glob("*.py")}


@pytest.mark.parametrize("part", PARTS)
def test_part(env, request, part):
    if part not in ALONE:
        request.getfixturevalue("peer_root")
    assert re.search(r"\d", python(env, BENCH / "bench", "--rounds", "1", "--ms", "5", "--only", part))


def test_archives(env, build):
    assert "INTERP" in python(env, BENCH / "archives.py", build, "--rounds", "1", "--records", "40")


def test_linux_agent(env, build, prefix, peer_root):
    assert re.search(r"(?m)^uptime +\d", python(env, BENCH / "linux_agent", build / "bench" / "bench-agent-fetch", prefix.path,
                                                "--only", "uptime"))


def test_recorder(env, peer_root):
    assert re.search(r"(?m)^singular +\d", python(env, BENCH / "recorder.py"))


@pytest.mark.parametrize("name", ["bench_result", "bench_disk", "bench_store", "bench-fetch-wire"])
def test_program(env, build, name):
    done = run([build / "bench" / name], env=env, timeout=LONG_S)
    assert done.returncode == 0 and re.search(r"\d", done.stdout), done.stderr
