"""The conditions under which several processes can run the tests, as any user, in a clone at any place."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import conftest
import harness

HERE = pathlib.Path(__file__).resolve().parent
PORTS = "import harness, sys; print(*(harness.free_port() for _ in range(20)), flush=True); sys.stdin.read()"


def test_runners_side_by_side_get_different_ports():
    runners = [subprocess.Popen([sys.executable, "-c", PORTS], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for _ in range(4)]
    ports = [int(port) for one in runners for port in one.stdout.readline().split()]
    for one in runners:
        one.communicate()
    taken = ports + [port + 1 for port in ports]
    assert len(ports) == 80 and len(set(taken)) == len(taken)


def test_a_place_is_used_by_one_at_a_time():
    place = f"a place of {os.getpid()}"
    with harness.only_one(place):
        with pytest.raises(OSError):
            harness.claim(place)
    with harness.only_one(place):
        pass


def test_a_copy_of_an_installation_names_itself(prefix, tmp_path):
    copy = harness.install_copy(prefix.path, tmp_path / "copy")
    found = subprocess.run(["grep", "-rlIF", f"{prefix.path}/", copy / "etc", copy / "lib"], capture_output=True, text=True)
    assert found.stdout == ""
    assert str(copy) in (copy / "etc/pcp/pmcd/pmcd.conf").read_text()


def test_what_root_tests_is_open_to_all(prefix):
    assert os.geteuid() != 0 or not conftest.closed_to_others(prefix.path.resolve())


def test_closed_to_others(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a").chmod(0o700)
    assert conftest.closed_to_others(tmp_path / "a" / "b")
    assert not conftest.closed_to_others(pathlib.Path("/usr/bin"))


# Code that ties a test to one machine or one process: (pattern, reason, files that may have it).
TIED = [
    (r"socket\.gethostname\(", "the machine's own name may have no address: harness.own_name_has_address", {
        "harness.py", "test_pmcd_rights.py", "test_pmlogger_session.py"}),
    (r"""tmp["/)]+.*\{os\.getpid""", "a folder of its own is made by tempfile.mkdtemp", set()),
    (r"""["']/tmp/pitot-""", "one place of the machine: the fixture places_below_tmp", {"test_readme.py", "test_up.py", "conftest.py", "harness.py"}),
    (r"""-U", "(root|pcp)\"""", "the tests run as any user", {"test_pmcd_life.py"}),
    (r"""\bbind\(\(("[^"]*"), [1-9]""", "a port of its own: harness.free_port", set()),
    (r"getpwuid\(|getpass|getlogin", "the user may have no name: harness.own_name", {"harness.py"}),
    (r"os\.geteuid\(\) == 0 and pytest\.skip|can't run what was built", "what is tested is open to all users: conftest.py", set()),
]


@pytest.mark.parametrize("pattern, instead, known", TIED)
def test_nothing_is_tied_to_one_machine(pattern, instead, known):
    found = {path.name for path in HERE.glob("*.py") if path.name != "test_harness.py" and re.search(pattern, path.read_text())}
    assert not found - known, instead
