"""Every program: its version, its help, and a complaint that a user at a terminal can see."""
import os
import pathlib
import pty
import re
import subprocess

import pytest

import harness
from recording import Recorder

# Their help says first what is missing, as PCP's do.
COMPLAIN_FIRST = {("chkhelp", "-?"), ("pmloglabel", "-?"), ("pmloglabel", "--help")}
# -h takes a host there.
HOST_BY_H = ("status", "doctor")
PITOT = ("up", "status", "doctor", "trace", "trace record", "trace run", "trace dump", "trace list", "trace follow",
         "trace status", "trace export", "trace recover")


@pytest.fixture(scope="module")
def short_archive(prefix, sample_pmcd, tmp_path_factory):
    folder = tmp_path_factory.mktemp("short")
    done = Recorder(prefix, folder, sample_pmcd.host, "log mandatory on 100 msec { sample.long.one }\n", "-T", "2sec")
    assert done.run() == 0
    return folder / "archive"


def programs(prefix):
    found = sorted(path.name for path in (prefix.path / "bin").iterdir())
    assert len(found) > 30
    return found


def answer(prefix, program, *options):
    done = subprocess.run([prefix.bin(program), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=harness.DEADLINE_S, env=prefix.env())
    return done.returncode, done.stdout + done.stderr


def test_versions(prefix):
    wrong = {}
    for program in programs(prefix):
        if program == "newhelp":
            continue  # its --version takes the version of the format; test_help_tools.py compares with Debian's
        status, text = answer(prefix, program, "--version")
        if status != 0 or not text.startswith(program) or "itot" not in text or len(text.splitlines()) != 1:
            wrong[program] = (status, text)
    assert not wrong


def test_help(prefix):
    wrong = {}
    for program in programs(prefix):
        for option in ("--help", "-?"):
            text = answer(prefix, program, option)[1]
            if (program, option) in COMPLAIN_FIRST:
                text = text.partition("\n")[2].lstrip()
            if not text.startswith("Usage: "):
                wrong[program, option] = text
    assert not wrong


@pytest.mark.parametrize("command", ["", *PITOT])
@pytest.mark.parametrize("option", ["-h", "--help", "-?"])
def test_help_of_pitot(prefix, command, option):
    if option == "-h" and command in HOST_BY_H:
        return
    status, text = answer(prefix, "pitot", *command.split(), option)
    assert status == 0 and text.startswith(f"Usage: pitot {command}".strip())


def at_terminal(prefix, argv, env=None):
    """The output of a program whose stderr is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=env or prefix.env())
    os.close(slave)
    shown = b""
    try:
        while True:
            part = os.read(master, 65536)
            if not part:
                break
            shown += part
    except OSError:
        pass  # the terminal's other end is closed
    finally:
        os.close(master)
    process.wait(harness.DEADLINE_S)
    return shown.decode().replace("\r", "")


LONG = ["pminfo", "pmval", "pmprobe", "pmstore", "pmevent", "pmlc", "pmdumplog", "pmlogcheck", "pmlogextract",
        "pmlogreduce", "pmlogrewrite", "pmloglabel", "pmlogsummary", "pmlogger", "dbpmda", "newhelp", "pmnsmerge"]


@pytest.mark.parametrize("program", LONG)
def test_a_complaint_at_a_terminal_is_not_pushed_away(prefix, terminals, program):
    """The complaint and where the options are; scripts get PCP's table (the parity tests compare it)."""
    shown = at_terminal(prefix, [prefix.bin(program), "--no-such-option"]).splitlines()
    assert shown[0] == f"{program}: unrecognized option '--no-such-option'"
    assert shown[-1] == f"{program}: `{program} --help` lists the options."
    assert len(shown) <= 3


@pytest.mark.parametrize("program", LONG)
def test_help_at_a_terminal_is_whole(prefix, terminals, program):
    shown = at_terminal(prefix, [prefix.bin(program), "--help"])
    assert "Usage: " in shown and "show this usage message" in shown


def test_a_wrong_value_at_a_terminal(prefix, terminals):
    shown = at_terminal(prefix, [prefix.bin("pmval"), "-s", "abc", "kernel.all.load"])
    assert shown.splitlines() == ["pmval: -s requires a positive numeric argument",
                                  "pmval: `pmval --help` lists the options."]


@pytest.mark.parametrize("argv", [["--no-such-option"], ["-V"], ["--port"]])
def test_pmcd_refuses_what_it_does_not_know(prefix, argv):
    status, text = answer(prefix, "pmcd", *argv)
    assert status == 1 and "Usage" not in text and argv[0].lstrip("-") in text


def test_no_program_is_forgotten():
    """Each subcommand of `pitot trace` is in PITOT."""
    source = pathlib.Path(__file__).parents[2] / "src/tools/pitot/trace/commands.c"
    for line in source.read_text().splitlines():
        if re.match(r"\s+\{\"\w+\", \".*\", trace_\w+_run\}", line) or re.match(r"\s+\{\"recover\"", line):
            assert f"trace {line.split(chr(34))[1]}" in PITOT


@pytest.mark.parametrize("argv", [["pminfo", "-a"], ["pmval", "-a"], ["pmprobe", "-a"], ["pmevent", "-a"],
                                  ["pmdumplog"], ["pmlogsummary"], ["pmloglabel", "-l"]])
def test_a_file_that_is_not_an_archive(prefix, tmp_path, argv):
    """After PCP's message, which says only that there is no such file, the form of an archive's name."""
    path = tmp_path / "notes.txt"
    path.write_text("not an archive\n")
    metric = ["kernel.all.load"] if argv[-1] == "-a" else []
    status, text = answer(prefix, argv[0], *argv[1:], str(path), *metric)
    assert status == 1
    assert f'Cannot open archive "{path}": No such file or directory' in text
    assert f'"{path}" exists but is not an archive: expected NAME for the files' in text


@pytest.mark.parametrize("window, misses", [
    (["-S", "1day"], True), (["-S", "@2001-01-01 00:00:00", "-T", "@2001-01-02 00:00:00"], True), (["-T", "1sec"], False), ([], False)])
@pytest.mark.parametrize("argv", [["pmval", "-s", "2", "-a", "ARCHIVE", "sample.long.one"], ["pmevent", "-a", "ARCHIVE", "sample.long.one"],
                                  ["pmlogsummary", "ARCHIVE"], ["pmdumplog", "ARCHIVE"]], ids=lambda argv: argv[0])
def test_a_window_outside_the_archive(prefix, window, misses, argv, short_archive):
    """The output is PCP's; standard error and the exit status say that it had nothing to show."""
    program, *rest = [short_archive if a == "ARCHIVE" else a for a in argv]
    done = harness.run([prefix.bin(program), *window, *rest], env=prefix.env())
    assert ("has nothing of the archive (" in done.stderr) == misses, done.stderr
    assert done.returncode == misses


def test_the_hint_of_pitot_up(prefix, terminals, tmp_path):
    """For a user who is there, and about this host; scripts get PCP's message alone."""
    argv = [prefix.bin("pminfo"), "kernel.all.load"]
    env = prefix.env(PMCD_SOCKET=tmp_path / "no.socket", PMCD_PORT="1")
    shown = at_terminal(prefix, argv, env).splitlines()
    assert shown == ['pminfo: Cannot connect to PMCD on host "local:": Connection refused',
                     "pminfo: no collector runs here: `pitot up` starts one"]
    assert len(at_terminal(prefix, [*argv, "-h", "localhost:1"], env).splitlines()) == 1
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=180)
    assert done.stderr.splitlines() == shown[:1]


@pytest.mark.parametrize("program, options, reason", [
    ("pmlogger", ["-c", "/proc/nonexistent/config", "-l", "log", "archive"], "/proc/nonexistent/config"),
    ("pmlogger", ["-h", "localhost:1", "-l", "log", "archive"], "Cannot connect to PMCD"),
    ("pmcd", ["-f", "-c", "/proc/nonexistent/conf", "-l", "log"], "/proc/nonexistent/conf"),
    ("pmcd", ["-f", "-n", "/proc/nonexistent/names", "-s", "/proc/nonexistent/socket", "-p", "1", "-l", "log"], "socket"),
])
def test_why_a_daemon_does_not_start(prefix, terminals, shared_pmcd, tmp_path, monkeypatch, program, options, reason):
    """At a terminal the log's words; else the log alone."""
    monkeypatch.chdir(tmp_path)
    env = prefix.env(PCP_RUN_DIR=tmp_path, PMCD_SOCKET=shared_pmcd.socket)
    shown = at_terminal(prefix, [prefix.bin(program), *options], env)
    assert reason in shown and f"{program}: not started. Its log \"log\" says:" in shown, shown
    (tmp_path / "log").unlink(missing_ok=True)
    done = subprocess.run([prefix.bin(program), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env,
                          timeout=harness.DEADLINE_S)
    assert done.returncode == 1 and reason in (tmp_path / "log").read_text()
    assert "not started" not in done.stderr


def test_a_recorder_whose_log_cannot_be_made_records(prefix, shared_pmcd, tmp_path):
    """As Debian's: a warning, messages on standard error, and it goes on."""
    (tmp_path / "config").write_text("log mandatory on 100 msec { pmcd.version }\n")
    done = subprocess.run([prefix.bin("pmlogger"), "-c", str(tmp_path / "config"), "-l", "/proc/nonexistent/log", "-s", "2",
                           "-h", shared_pmcd.host, str(tmp_path / "archive")], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=prefix.env(PCP_RUN_DIR=tmp_path, PCP_TMP_DIR=tmp_path), timeout=harness.DEADLINE_S)
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == \
        'pmlogger: cannot open log "/proc/nonexistent/log" for writing : No such file or directory'
    assert "pmlogger: Warning: log file (/proc/nonexistent/log) creation failed\n" in done.stderr
    assert (tmp_path / "archive.0").stat().st_size > 132
