"""Completion knows each installed program: what bash's machinery gets from it for a line, and that zsh can
read its file."""
import os
import pty
import select
import shutil
import socket
import subprocess
import time

import pytest

from harness import DEADLINE_S

PROBE = r"""
source "$COMPLETION" || exit 1
line=("$@")
f=$(complete -p "${line[0]##*/}") || exit 1
[[ $f == "complete -F _pitot "* ]] || exit 1
COMP_WORDS=("${line[@]}") COMP_CWORD=$((${#line[@]} - 1))
_pitot "${line[0]}" "${line[-1]}" "${line[-2]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(prefix, shared_pmcd, tmp_path_factory):
    """Completes a line given as bash's words; the last one is that of the cursor."""
    folder = tmp_path_factory.mktemp("completion")
    for name in ("file.one", "file two", "other"):
        (folder / name).touch()
    script = prefix.path / "share/bash-completion/completions/pitot"

    def complete(*words, **env):
        words = [shared_pmcd.host if word == "HOST" else word for word in words]
        words[0] = prefix.bin(words[0])
        done = subprocess.run(["bash", "--norc", "-c", PROBE, "bash", *words], cwd=folder, capture_output=True, text=True,
                              env=prefix.env(COMPLETION=script, PMCD_SOCKET=shared_pmcd.socket, **env), timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        return sorted(done.stdout.split("\n")[:-1])

    return complete


def test_every_program_has_completion(prefix):
    folder = prefix.path / "share/bash-completion/completions"
    programs = sorted(p.name for p in (prefix.path / "bin").iterdir())
    assert sorted(p.name for p in folder.iterdir()) == programs
    head = (prefix.path / "share/zsh/site-functions/_pitot").read_text().split("\n", 1)[0]
    assert head.split() == ["#compdef", *programs]


@pytest.mark.parametrize("words, some, none", [
    (["pminfo", "--f"], ["--fetch", "--fetchall", "--fullindom", "--fullpmid"], ["--help"]),
    (["pminfo", "--arch"], ["--archive="], []),
    (["pminfo", "-"], ["-a", "-f", "-?", "--archive=", "--help"], ["-archive"]),
    (["pmprobe", "--b"], ["--batch="], ["--fetch"]),
    (["pminfo", "--j"], ["--json"], []),
    (["pmval", "--js"], ["--json"], []),
    (["pmerr", "-"], ["-l", "--list"], []),
    (["pmcd", "--config"], ["--config="], []),
    (["pitot", ""], ["up"], []),
    (["pitot", "up", "--s"], ["--seconds="], []),
    (["pitot", "trace", "r"], ["record", "recover"], ["up", "list"]),
    (["pitot", "trace", "record", "--log"], ["--log-size=", "--log-policy="], ["--json"]),
    (["pitot", "trace", "dump", "--s"], ["--since="], ["--seconds="]),
    (["pitot", "--"], ["--help", "--version"], ["--seconds="]),
])
def test_options(bash, words, some, none):
    got = bash(*words)
    assert set(some) <= set(got)
    assert all(word.startswith(words[-1]) for word in got)
    assert not set(none) & set(got)


def test_a_hostile_source_puts_no_command_on_the_line(prefix, tmp_path):
    fake = tmp_path / "pminfo"
    fake.write_text("#!/bin/sh\nprintf '%s\\n' 'a.$(touch x)' 'a.;id' 'a.`id`' 'a.b c' \"a.'\" 'a.>x' 'a.good_1'\n")
    fake.chmod(0o755)
    script = prefix.path / "share/bash-completion/completions/pitot"
    done = subprocess.run(["bash", "--norc", "-c", PROBE, "bash", fake, "a."], capture_output=True, text=True, timeout=120,
                          env=prefix.env(COMPLETION=script), cwd=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "a.good_1\n")


FILES = ["file two", "file.one"]


@pytest.mark.parametrize("words, expected", [
    (["pminfo", "-n", "fi"], FILES),
    (["pminfo", "--namespace", "=", "fi"], FILES),
    (["pminfo", "--namespace", "="], ["file two", "file.one", "other"]),
    (["pmcd", "-c", "o"], ["other"]),
    (["pitot", "up", "--config", "o"], ["other"]),
    (["pmgenmap", "o"], ["other"]),
    (["pmval", "-t", ""], []),
    (["pmstore", "hinv.ncpu", ""], []),
    (["pminfo", "-h", "localh"], ["localhost"]),
    (["pmhostname", "localh"], ["localhost"]),
])
def test_arguments(bash, words, expected):
    assert bash(*words) == expected


@pytest.mark.parametrize("words, expected", [
    (["pminfo", "kernel.all.lo"], ["kernel.all.load"]),
    (["pminfo", "hinv"], ["hinv."]),
    (["pminfo", "kernel.uname.n"], ["kernel.uname.nodename"]),
    (["pminfo", "kernel.uname.re"], ["kernel.uname.release"]),
    (["pminfo", "-f", "hinv.ncpu", "hinv.nn"], ["hinv.nnode"]),
    (["pmval", "-t", "1", "hinv.nn"], ["hinv.nnode"]),
    (["pmval", "hinv.ncpu", ""], []),
    (["pmstore", "-f", "pmcd.control.time"], ["pmcd.control.timeout"]),
    (["pmprobe", "-v", "no.such"], []),
    (["pmprobe", "--host", "=", "HOST", "hinv.nn"], ["hinv.nnode"]),
])
def test_metrics(bash, words, expected):
    assert bash(*words) == expected


def test_metrics_of_another_source(bash, tmp_path):
    names = tmp_path / "names"
    names.write_text("root {\n\tduck\n}\nduck {\n\tpond\t1:2:3\n\tparade\t1:2:4\n}\n")
    assert bash("pminfo", "-n", str(names), "duck.") == ["duck.parade", "duck.pond"]
    assert bash("pminfo", "-h", "unix", ":", "/no/such", "hinv.") == []


def test_a_source_that_does_not_answer_is_given_up(bash, tmp_path):
    """Although the user's programs wait for a collector as long as it takes: longer than this test does."""
    path = tmp_path / "silent"
    patient = {"PMCD_CONNECT_TIMEOUT": 3600, "PMCD_REQUEST_TIMEOUT": 3600}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert bash("pminfo", "-h", "unix", ":", str(path), "hinv.", **patient) == []


def test_tab_in_a_shell(prefix, shared_pmcd, terminals):
    """Once as a person would: a key, and what the line becomes."""
    script = prefix.path / "share/bash-completion/completions/pitot"
    env = prefix.env(PMCD_SOCKET=shared_pmcd.socket, PS1="", TERM="dumb", PATH=f"{prefix.path}/bin:/usr/bin:/bin",
                     INPUTRC="/dev/null", HISTFILE="")
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], env)
    os.write(fd, f". {script}\n".encode())
    os.write(fd, b"pminfo --fetcha\thinv.ncp\t\n")
    seen, end = b"", time.monotonic() + DEADLINE_S
    while b'value ' not in seen and time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 4096)
    os.write(fd, b"exit\n")
    os.close(fd)
    os.waitpid(pid, 0)
    assert b"pminfo --fetchall hinv.ncpu" in seen
    assert b"    value " in seen


@pytest.fixture
def zsh():
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")

    def run(*argv):
        done = subprocess.run(["zsh", "-f", *argv], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def test_zsh_reads_its_file(prefix, zsh):
    assert zsh("-n", str(prefix.path / "share/zsh/site-functions/_pitot")) == ""


def test_zsh_takes_it_for_every_program(prefix, zsh):
    folder = prefix.path / "share/zsh/site-functions"
    script = "fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; shift; for p; do print $p ${_comps[$p]}; done"
    programs = sorted(p.name for p in (prefix.path / "bin").iterdir())
    assert zsh("-c", script, "zsh", str(folder), *programs).split("\n")[:-1] == [f"{p} _pitot" for p in programs]
