"""Fixtures of the end-to-end tests; see harness.py for what they are made of."""
import functools
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402


LOGS, LINES = 8, 60  # of a test that fails: how many are shown, and how much of each


def logs_since(start):
    """The lines that programs have written to their logs since then: (path, the last lines), the newest last."""
    found = {}
    for folder in harness.folders:
        for path in [*folder.rglob("*.log"), *folder.rglob("log"), *folder.rglob("*log.txt")] if folder.is_dir() else []:
            try:
                if path.is_file() and path.stat().st_mtime >= start:
                    found[path] = path.stat().st_mtime
            except OSError:
                continue  # it goes with the program
    for path in sorted(found, key=found.get)[-LOGS:]:
        yield path, "\n".join(path.read_bytes().decode(errors="replace").splitlines()[-LINES:])


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    """A test that fails on another machine has to be understood by what is printed: its programs' logs are shown too."""
    report = (yield).get_result()
    if report.failed:
        folders = [item.funcargs["tmp_path"]] if "tmp_path" in getattr(item, "funcargs", {}) else []
        harness.folders.extend(folders)
        for path, text in logs_since(item.stash.get(STARTED, call.start) - 1):
            report.sections.append((f"end of {path}", text))


STARTED = pytest.StashKey()

# Fixtures that are made once for all tests, and cost nothing to make again in another process.
CHEAP = {"prefix", "peer_root", "terminals", "tmp_path_factory", "request", "pytestconfig"}


def pytest_configure(config):
    # A shell starts what runs in the background with these ignored, and so would be all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    config.addinivalue_line("markers", "alone: measures time or load, so nothing may run beside it")
    config.addinivalue_line("markers", "xdist_group(name): tests that share a place or a daemon, so one process runs them")


def closed_to_others(path):
    """True if only its owner gets there, such as below a home."""
    return any(not folder.stat().st_mode & 0o001 for folder in [path, *path.parents])


OUR_COPIES = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Root's tests start programs as other users too: what is tested, and the peer, are where every user gets to."""
    if os.geteuid() != 0 or hasattr(session.config, "workerinput"):
        return
    session.config.stash[OUR_COPIES] = copies = []
    for name, copy in (("PITOT_PREFIX", harness.install_copy), ("PITOT_PEER", functools.partial(shutil.copytree, symlinks=True))):
        path = pathlib.Path(os.environ.get(name) or "/").resolve()
        if not path.is_dir() or not closed_to_others(path):
            continue
        copies.append(pathlib.Path(tempfile.mkdtemp(prefix="pitot-open-", dir="/tmp")))
        copies[-1].chmod(0o755)
        os.environ[f"{name}_ORIGINAL"] = str(path)
        os.environ[name] = str(copy(path, copies[-1] / path.name))


def pytest_sessionfinish(session):
    for copy in session.config.stash.get(OUR_COPIES, []):
        shutil.rmtree(copy, ignore_errors=True)


def shared_fixtures(item):
    """Names of the fixtures that this test shares with others of its file."""
    info = getattr(item, "_fixtureinfo", None)
    found = info.name2fixturedefs.items() if info is not None else ()
    return {name for name, definitions in found if definitions[-1].scope != "function"} - CHEAP


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Side by side (pytest-xdist, --dist loadgroup) tests that share fixtures stay together: one daemon serves them all.
    The large groups come first, so that single tests fill the time until the last group ends."""
    if not config.getoption("loadgroup", False):
        return
    sizes = {}
    for item in items:
        group = item.get_closest_marker("xdist_group")
        if group is None and shared_fixtures(item):
            item.add_marker(pytest.mark.xdist_group(name=item.path.stem))
        if group is None and item.get_closest_marker("xdist_group") is None:
            continue
        name = item.get_closest_marker("xdist_group").kwargs["name"]
        sizes[name] = sizes.get(name, 0) + 1

    def size(item):
        group = item.get_closest_marker("xdist_group")
        return -sizes[group.kwargs["name"]] if group else 0

    items.sort(key=size)


def pytest_runtest_logstart():
    """Only folders of this test, and of the fixtures that it shares, are looked through."""
    harness.folders[:] = [folder for folder in harness.folders if folder.is_dir()]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[STARTED] = time.time()


@pytest.fixture(scope="session")
def prefix():
    """The installed Pitot under test."""
    path = os.environ.get("PITOT_PREFIX")
    if not path:
        pytest.fail("PITOT_PREFIX is not set: run scripts/check-suite, or make stage and set it to build/stage")
    return harness.Prefix(path)


@pytest.fixture(scope="session")
def peer_root():
    """The unpacked Debian PCP; tests that need it are skipped where it can't be had."""
    path = os.environ.get("PITOT_PEER")
    if not path or not pathlib.Path(path, "usr/bin/pminfo").exists():
        pytest.skip("Debian's PCP could not be fetched")
    return pathlib.Path(path)


@pytest.fixture
def pmcd(prefix, tmp_path):
    """A running collector of ours with the linux agent in its process."""
    with harness.Pmcd(prefix, tmp_path / "pmcd") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def shared_pmcd(prefix, tmp_path_factory):
    """As pmcd, one for all tests of a file."""
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("pmcd")) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def sample_pmcd(prefix, tmp_path_factory):
    """One for all tests of a file, with our sample agent in its process: metrics of every kind (pmdasample(1))."""
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("sample"), agents) as daemon:
        yield daemon


@pytest.fixture
def places_below_tmp():
    """For tests whose programs use /tmp/pitot-UID: one at a time."""
    with harness.only_one("/tmp/pitot-UID"):
        yield


@pytest.fixture(scope="session")
def terminals():
    """For tests that open a pseudo-terminal: a bare chroot has none."""
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError as e:
        pytest.skip(f"no pseudo-terminals: {e}")
