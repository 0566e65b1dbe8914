"""docs/admin.md and docs/troubleshooting.md as their reader follows them: each command is run, and works."""
import os
import pathlib
import re
import subprocess

import pytest

from harness import free_port, run, wait_until
from test_up import Up

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("admin", "troubleshooting")
MAN = (ROOT / "man/man1/pitot-doctor.1").read_text()


def page(name):
    return (ROOT / f"docs/{name}.md").read_text()


def console():
    for name in PAGES:
        for block in re.findall(r"(?ms)^```console\n(.*?)^```", page(name)):
            for line in block.splitlines():
                assert line.startswith("$ "), line
                yield line[2:]


@pytest.fixture(scope="module")
def up(prefix, tmp_path_factory):
    one = Up(prefix, tmp_path_factory.mktemp("admin"), "--port", str(free_port())).start()
    yield one
    one.stop()


@pytest.mark.parametrize("command", sorted(set(console())))
def test_a_command_works(prefix, up, command):
    env = {**up.env, "PATH": f"{prefix.path / 'bin'}:{os.environ['PATH']}", "PMCD_SOCKET": str(up.socket), "LC_ALL": "C",
           "PMCD_PORT": up.options[1]}
    command = command.replace("~/.local/state/pitot/archives", str(up.home / "archives")).replace("build/stage", str(prefix.path))
    tries = []

    def works():
        """At the start the archive has no second record yet, and a rate needs two."""
        tries[:] = [subprocess.run(["/bin/sh", "-c", command], env=env, cwd=ROOT, capture_output=True, text=True, timeout=120)]
        done = tries[0]
        return done.returncode == 0 and not done.stdout.endswith("No values available\n") and "Error" not in done.stdout + done.stderr
    try:
        wait_until(command, works)
    except AssertionError as e:
        raise AssertionError(f"{e}: {tries[0]}") from e


@pytest.mark.parametrize("name", PAGES)
def test_words_of_the_page_are_those_of_the_programs(prefix, name):
    """Options and checks that it names are there."""
    checks = set(re.findall(r"(?m)^\.It Cm (\S+)$", MAN))
    assert set(re.findall(r"`((?:recorder|clock|agent|disk)-[a-z-]+)`", page(name))) <= checks
    usage = run([prefix.bin("pitot"), "up", "--help"]).stdout
    for option in re.findall(r"`(?:[A-Z_]+=\S+ )?(?:pitot up )?(--[a-z-]+)[^`]*`", page(name)):
        assert option in usage, option


def test_the_pages_are_linked():
    for where, prefix in (("README.md", "docs/"), ("docs/README.md", "")):
        text = (ROOT / where).read_text()
        assert all(f"]({prefix}{name}.md)" in text for name in PAGES)
