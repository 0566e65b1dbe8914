"""scripts/bootstrap with a dpkg and an apt-get of our own: the packages that are there count, not the status of apt-get."""
import os
import pathlib
import subprocess

import pytest

BOOTSTRAP = pathlib.Path(__file__).parents[2] / "scripts/bootstrap"
PROGRAMS = {
    "dpkg-query": 'for package; do :; done; grep -qx "$package" "$STATE/installed" && printf installed',
    "id": 'cat "$STATE/user"',
    # Notes its arguments. Installs all that it is asked for but LACKS; nothing before an update if NEEDS_UPDATE is set.
    "apt-get": '''echo "$@" >>"$STATE/calls"
case " $* " in
*" update "*) : >"$STATE/updated"; exit 0 ;;
esac
[ -n "$NEEDS_UPDATE" ] && [ ! -e "$STATE/updated" ] && exit 100
for word; do
	case $word in -* | DPkg* | install) continue ;; esac
	[ "$word" = "$LACKS" ] || echo "$word" >>"$STATE/installed"
done
exit "$STATUS"''',
    "sudo": '''[ -e "$STATE/sudo" ] || exit 1
[ "$1" != -n ] || shift
"$@"''',
}


@pytest.fixture
def machine(tmp_path):
    """Runs the script on a machine without our packages: (its result, the calls of apt-get)."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "installed").write_text("")
    (tmp_path / "calls").write_text("")
    for name, text in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)

    def bootstrap(*words, user=0, sudo=True, **env):
        (tmp_path / "user").write_text(f"{user}\n")
        if sudo:
            (tmp_path / "sudo").write_text("")
        env = {"PATH": f"{folder}:{os.environ['PATH']}", "STATE": str(tmp_path), "STATUS": "0", "LACKS": "", "NEEDS_UPDATE": "",
               **env}
        done = subprocess.run([BOOTSTRAP, *words], env=env, capture_output=True, text=True, timeout=60)
        return done, (tmp_path / "calls").read_text().splitlines()
    return bootstrap


def test_nothing_is_asked_for_twice(machine):
    done, calls = machine("run")
    assert done.returncode == 0 and len(calls) == 1
    done, calls = machine("run")
    assert (done.returncode, done.stderr, len(calls)) == (0, "", 1)


@pytest.mark.parametrize("words", ["run", "check"])
@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("fault", [{"STATUS": "100"}, {"NEEDS_UPDATE": "1"}, {"NEEDS_UPDATE": "1", "STATUS": "100"}], ids=str)
def test_a_failure_for_the_sake_of_another_package(machine, words, user, fault):
    """Ours have been installed all the same, at once or after an update."""
    done, calls = machine(words, user=user, **fault)
    assert done.returncode == 0, done.stderr
    assert len(calls) == (3 if "NEEDS_UPDATE" in fault else 1)


@pytest.mark.parametrize("status", ["0", "100"])
def test_a_package_that_cannot_be_had(machine, status):
    done, _ = machine("check", LACKS="mandoc", STATUS=status)
    assert done.returncode == 1
    assert "these packages are missing:\n  mandoc: checks the manual pages, searches them\n" in done.stderr
    assert "pytest" not in done.stderr.partition("these packages are missing")[2]


def test_a_user_who_may_not_install(machine):
    done, calls = machine("run", user=1000, sudo=False)
    assert (done.returncode, calls) == (1, [])
    assert "apt-get install --no-install-recommends gcc libc6-dev" in done.stderr
