"""Fixtures of the end-to-end tests; see harness.py for what they are made of."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402


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


@pytest.fixture(scope="session")
def terminals():
    """For tests that open a pseudo-terminal: a bare chroot has none."""
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError as e:
        pytest.skip(f"no pseudo-terminals: {e}")
