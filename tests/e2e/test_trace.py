"""`pitot trace` on real programs: record, follow, list, status, dump, export, recover; and their behaviour when a
process is killed, the disk is full, or the user lacks rights."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from harness import run, wait_until
from tracers import Tracer, returned, steady, stop

KEEPER_S = 2.0  # within which the log of a killed recorder is complete
PATIENCE_S = 60  # of a busy machine
FLUSH_S = 240  # within which a worker there fills a quarter of the stream's memory


@pytest.fixture(scope="module")
def tracer(prefix, tmp_path_factory):
    return Tracer(prefix, tmp_path_factory.mktemp("trace"))


def names(events):
    return [e["name"] for e in events]


def user(events):
    """Those of the program, not of the system."""
    return [e for e in events if e["id"] >= 9]


# record and dump


def test_record_and_dump_an_example(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.example, "2")
    done = tracer("dump", log)
    assert done.returncode == 0 and done.stderr == ""
    lines = [re.sub(r"^\d\d:\d\d:\d\d\.\d{9} \d+/\d+ ", "", line) for line in done.stdout.splitlines()]
    assert lines == ["posix_trace_start filter={}", 'begin "hello"', "step number=1 square=1", "step number=2 square=4",
                     "posix_trace_stop auto=0"]
    events = tracer.events(log)
    assert names(user(events)) == ["begin", "step", "step"]
    assert {e["tid"] for e in user(events)} == {e["pid"] for e in events}
    assert [e["fields"] for e in events if e["name"] == "step"] == [{"number": 1, "square": 1}, {"number": 2, "square": 4}]
    assert [e["data"] for e in events if e["name"] == "begin"] == [b"hello".hex()]
    assert all(a["ns"] <= b["ns"] for a, b in zip(events, events[1:]))
    assert all(abs(e["ns"] / 1e9 - time.time()) < 60 for e in events)


def test_nothing_is_lost_of_a_burst(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "burst", "50000", options=["--size", "16M"])
    assert tracer.numbers(log) == list(range(50000))


def test_threads(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "threads", "8", "2000", options=["--size", "8M"])
    per_thread = {}
    for e in tracer.events(log, "--name=tick"):
        per_thread.setdefault(e["tid"], []).append(e["fields"]["number"])
    assert sorted(per_thread.values()) == [list(range(2000))] * 8


@pytest.mark.parametrize("arguments, status", [(["exit", "0"], 0), (["exit", "7"], 7), (["signal", "9"], 137),
                                               (["signal", "15"], 143)])
def test_the_status_of_the_command_is_ours(tracer, tmp_path, arguments, status):
    log = tmp_path / "a.log"
    done = tracer("record", "-o", log, tracer.worker, *arguments)
    assert (done.returncode, done.stderr) == (status, "")
    assert tracer.numbers(log) == [0]
    assert tracer("follow", "--", tracer.worker, *arguments).returncode == status


def test_a_command_that_can_not_run(tracer, tmp_path):
    for command, status in ((tmp_path / "nothing", 127), (tmp_path, 126)):
        done = tracer("record", "-o", tmp_path / "a.log", command)
        assert done.returncode == status
        assert "cannot run the command" in done.stderr


# Nothing was recorded, or nothing of what was asked for


@pytest.mark.parametrize("arguments, status, told", [
    (["record", "-o", "a.log", "/bin/true"], 1, "nothing was recorded: /bin/true has opened no event type; only programs"),
    (["record", "-o", "a.log", "/bin/sh", "-c", "exit 7"], 7, "/bin/sh has opened no event type"),
    (["record", "-o", "a.log", "--only", "nosuch", "/bin/true"], 1, "/bin/true has opened no event type but nosuch"),
    (["record", "-o", "a.log", "--only", "nosuch", "WORKER", "burst", "3"], 0,
     "no event of type nosuch; WORKER also has the types tick\n"),
    (["record", "-o", "a.log", "WORKER", "burst", "0"], 0, "no event of the types of WORKER: tick\n"),
    (["run", "-o", "a.log", "/bin/true"], 1, "/bin/true has opened no event type"),
    (["run", "-o", "a.log", "--name", "nosuch", "WORKER", "burst", "3"], 0, "--name: there is no event type 'nosuch': there are tick\n"),
    (["follow", "/bin/true"], 1, "/bin/true has opened no event type"),
    (["follow", "--name", "nosuch,t*", "WORKER", "burst", "3"], 0, "there is no event type 'nosuch': there are tick\n"),
    (["follow", "--name", "nosuch", "WORKER", "burst", "3"], 1, "there is no event type 'nosuch': there are tick\n"),
    (["dump", "--name", "nosuch", "LOG"], 1, "--name: there is no event type 'nosuch': there are tick\n"),
    (["dump", "--name", "nosuch,tick", "LOG"], 0, "there is no event type 'nosuch': there are tick\n"),
    (["export", "--json", "x", "--name", "n*", "LOG"], 1, "there is no event type 'n*': there are tick\n"),
])
def test_nothing_is_not_passed_over(tracer, tmp_path, arguments, status, told):
    tracer.record(tmp_path / "LOG", tracer.worker, "burst", "1")
    done = tracer(*[tracer.worker if a == "WORKER" else a for a in arguments], cwd=tmp_path)
    assert done.returncode == status and told.replace("WORKER", tracer.worker) in done.stderr, done.stderr


@pytest.mark.parametrize("arguments", [["dump", "--name", "posix_trace_st*,tick", "LOG"], ["dump", "--pid", "1", "LOG"]])
def test_nothing_is_said_where_there_is_something(tracer, tmp_path, arguments):
    tracer.record(tmp_path / "LOG", tracer.worker, "burst", "1")
    done = tracer(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("verb, options", [("record", ["-o", "a.log"]), ("follow", [])])
def test_a_process_without_the_library(tracer, tmp_path, verb, options):
    worker = steady(tracer, tmp_path / "progress")
    sleeper = subprocess.Popen(["/bin/sleep", "300"])
    try:
        recorder = tracer.start(verb, *options, "--pid", sleeper.pid, cwd=tmp_path)
        told = recorder.stderr.readline()  # at once, not at the end
        assert f"process {sleeper.pid} does not use <trace.h>, or not yet; processes that do: " in told
        assert f"{worker.pid} worker" in told or told.endswith(", ...\n")
        recorder.send_signal(signal.SIGINT)
        _, errors = recorder.communicate(timeout=120)
        assert recorder.returncode == 1
        assert f"nothing was recorded: process {sleeper.pid} has opened no event type; only programs" in errors
    finally:
        stop(sleeper)
        stop(worker)


def test_children(tracer, tmp_path):
    tracer.record(tmp_path / "a.log", tracer.worker, "family")
    assert tracer.numbers(tmp_path / "a.log") == [0, 1]
    tracer.record(tmp_path / "b.log", tracer.worker, "family", options=["--children"])
    events = tracer.events(tmp_path / "b.log", "--name", "tick")
    assert [e["fields"]["number"] for e in events] == [0, 100, 0, 1, 1]
    assert len({e["pid"] for e in events}) == 3
    pid = events[1]["pid"]
    assert [e["fields"]["number"] for e in tracer.events(tmp_path / "b.log", "--pid", str(pid))] == [100]


@pytest.mark.parametrize("command", ["record", "run"])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_command_that_becomes_a_daemon(tracer, tmp_path, command, interrupted):
    """With --children the recording goes on while processes of the command live, and says how it is stopped."""
    log, end = tmp_path / "a.log", tmp_path / "end"
    quiet = ["--quiet"] if command == "run" else []
    recorder = tracer.start(command, *quiet, "--children", "-o", log, "--", tracer.worker, "daemon", end)
    try:
        line = recorder.stderr.readline()
        assert f"trace {command}: the command has ended, processes that it started go on: Ctrl-C stops the recording\n" in line
        wait_until("the daemon has recorded", end.exists, alive=recorder)
        if interrupted:
            recorder.send_signal(signal.SIGINT)
        else:
            end.unlink()
        _, errors = recorder.communicate(timeout=120)
        assert recorder.returncode == 0
        assert ("processes that the command started go on without being recorded" in errors) == interrupted
    finally:
        stop(recorder)
        end.unlink(missing_ok=True)
    events = tracer.events(log, "--name", "tick")
    assert [e["fields"]["number"] for e in events] == list(range(31))
    assert len({e["pid"] for e in events}) == 2


def test_filter_and_only(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "kinds", options=["--filter", "plain,nothing"])
    assert not {"plain", "nothing"} & set(names(tracer.events(log)))
    assert "stream" in names(tracer.events(log))
    tracer.record(log, tracer.worker, "kinds", options=["--only", "plain"])
    assert names(user(tracer.events(log))) == ["plain", "plain"]


def test_every_loss_is_told(tracer, tmp_path):
    log, n = tmp_path / "a.log", 200000
    done = tracer("record", "-o", log, "--size", "32M", "--log-size", "1M", tracer.worker, "burst", str(n))
    counts = json.loads(tracer("status", "--json", log).stdout)["counts"]
    lost = sum(v for k, v in counts.items() if k.startswith("lost_"))
    numbers = tracer.numbers(log)
    assert done.returncode == 0 and lost > 0
    assert numbers == list(range(n - len(numbers), n))  # the most recent
    assert counts["reported"] == len(numbers) and counts["recorded"] == n == lost + len(numbers)
    assert f"emitted {n}: kept {len(numbers)}, overwritten {lost}, lost 0 (" in done.stderr and str(log) in done.stderr
    assert log.stat().st_size <= (1 << 20) + (256 << 10)


@pytest.mark.parametrize("log_policy", ["append", "loop", "until-full"])
@pytest.mark.parametrize("policy", ["flush", "loop", "until-full"])
@pytest.mark.parametrize("size", ["64k", "16M"])  # memory is short, or the log
def test_kept_and_overwritten_and_lost_are_all(tracer, tmp_path, policy, log_policy, size):
    """kept + overwritten + lost = emitted, in these words, and what is kept is in the log."""
    log, n = tmp_path / "a.log", 4 * 50000
    options = ["--policy", policy, "--log-policy", log_policy, "--size", size]
    if log_policy != "append":
        options += ["--log-size", "200k"]
    done = tracer("record", "-v", "-o", log, *options, tracer.worker, "threads", "4", str(n // 4))
    told = [int(x) for x in re.search(r"emitted (\d+): kept (\d+), overwritten (\d+), lost (\d+)[, ]", done.stderr).groups()]
    status = tracer("status", "--json", log).stdout
    emitted, kept, overwritten, lost = [json.loads(status)["counts"][k] for k in ("emitted", "kept", "overwritten", "lost")]
    assert done.returncode == 0 and told == [emitted, kept, overwritten, lost]
    assert emitted == n == kept + overwritten + lost
    assert kept == len(tracer.numbers(log))
    if size == "16M":
        assert (overwritten > 0, lost > 0) == (log_policy == "loop", log_policy == "until-full")
    parts = [int(x) for x in re.findall(r"[a-z] (\d+)(?=[,)])", done.stderr.partition("(")[2].partition(")")[0] + ")")]
    assert sum(parts) == overwritten + lost


# Somebody is killed


def test_the_last_events_of_a_killed_program_are_there(tracer, tmp_path):
    log, progress = tmp_path / "a.log", tmp_path / "progress"
    recorder = tracer.start("record", "-o", log, "--", tracer.worker, "steady", progress)
    wait_until("the worker works", lambda: returned(progress) > 1000, alive=recorder)
    (child,) = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()[:1]
    os.kill(int(child), signal.SIGKILL)
    _, errors = recorder.communicate(timeout=120)
    assert (recorder.returncode, errors) == (128 + signal.SIGKILL, "")
    numbers = tracer.numbers(log)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= returned(progress)


def test_the_log_of_a_killed_recorder_is_completed(tracer, tmp_path):
    log, progress = tmp_path / "a.log", tmp_path / "progress"
    worker = steady(tracer, progress)
    try:
        recorder = tracer.start("record", "-o", log, "--pid", worker.pid)
        wait_until("events are in the log", lambda: log.exists() and log.stat().st_size > 20000, FLUSH_S, alive=recorder)
        stop(recorder)
        wait_until("the log is complete", lambda: tracer("dump", log).returncode == 0, deadline_s=KEEPER_S + PATIENCE_S)
        numbers = tracer.numbers(log)
        assert len(numbers) > 100
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        before = returned(progress)
        wait_until("the worker goes on", lambda: returned(progress) > before + 100, alive=worker)
    finally:
        stop(worker)


def test_remains_of_a_killed_follower_are_recovered(tracer, tmp_path):
    progress, log = tmp_path / "progress", tmp_path / "a.log"
    worker = steady(tracer, progress)
    try:
        follower = tracer.start("follow", "--pid", worker.pid, stdout=subprocess.PIPE)
        follower.stdout.readline()
        follower.send_signal(signal.SIGSTOP)  # so that something is unread
        before = returned(progress)
        wait_until("there is more", lambda: returned(progress) > before + 100, alive=worker)
        stop(follower)

        def mine():
            return [r for r in json.loads(tracer("list", "--json").stdout)["remains"] if r["target"] == worker.pid]

        wait_until("there are remains", mine, deadline_s=KEEPER_S + PATIENCE_S)
        assert "REMAINS" in tracer("list").stdout
        assert isinstance(mine()[0]["id"], str)  # jq has no whole numbers of 64 bits
        done = tracer("recover", "--remains", mine()[0]["id"], "-o", log)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(tracer.numbers(log)) >= 100
        assert mine() == []
    finally:
        stop(worker)


# A process that runs


def test_attach_and_interrupt(tracer, tmp_path):
    progress = tmp_path / "progress"
    worker = steady(tracer, progress)
    try:
        recorder = tracer.start("record", "--pid", worker.pid, cwd=tmp_path)
        log = tmp_path / f"trace-{worker.pid}.log"
        wait_until("it records", lambda: log.exists() and log.stat().st_size > 20000, FLUSH_S, alive=recorder)
        recorder.send_signal(signal.SIGINT)
        out, errors = recorder.communicate(timeout=120)
        assert (recorder.returncode, out, errors) == (0, "", "")
        numbers = tracer.numbers(log)
        assert len(numbers) > 100 and numbers[0] > 0
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert names(tracer.events(log))[-1] == "posix_trace_stop"
        assert worker.poll() is None
    finally:
        stop(worker)


def test_attached_until_the_process_ends(tracer, tmp_path):
    progress, log = tmp_path / "progress", tmp_path / "a.log"
    worker = steady(tracer, progress)
    recorder = tracer.start("record", "--pid", worker.pid, "-o", log)
    try:
        wait_until("it records", lambda: log.exists() and log.stat().st_size > 20000, FLUSH_S, alive=recorder)
    finally:
        stop(worker)
    assert recorder.wait(120) == 0
    assert tracer.numbers(log)[-1] >= returned(progress) - 1


def test_a_signal_is_handed_on_to_the_command(tracer, tmp_path):
    log, progress = tmp_path / "a.log", tmp_path / "progress"
    recorder = tracer.start("record", "-o", log, tracer.worker, "steady", progress)
    wait_until("the worker works", lambda: returned(progress) > 100, alive=recorder)
    recorder.send_signal(signal.SIGTERM)
    assert recorder.wait(120) == 128 + signal.SIGTERM
    assert len(tracer.numbers(log)) >= 100


@pytest.mark.parametrize("verb, options", [("record", []), ("run", ["-q"])])
def test_a_command_that_does_not_end_is_left(tracer, tmp_path, verb, options):
    """A command that ignores the signal: `record` waits for a while and names it, and the recorded events can be
    read."""
    log, progress = tmp_path / "a.log", tmp_path / "progress"
    command = ["env", "--ignore-signal=TERM", tracer.worker, "steady", progress]
    with open(tmp_path / "errors", "w", encoding="utf-8") as file:  # which the command keeps open
        recorder = tracer.start(verb, *options, "-o", log, "--", *command, stdout=file, stderr=file)
    wait_until("the worker works", lambda: returned(progress) > 100, alive=recorder)
    recorder.send_signal(signal.SIGTERM)
    status, errors = recorder.wait(120), (tmp_path / "errors").read_text(encoding="utf-8")
    left = re.search(rf"pitot: trace {verb}: process (\d+) goes on without being recorded\n", errors)
    assert left, errors
    before = returned(progress)
    try:
        wait_until("it goes on", lambda: returned(progress) > before)
    finally:
        os.kill(int(left[1]), signal.SIGKILL)
    assert status == 128 + signal.SIGTERM
    assert len(tracer.numbers(log)) >= 100


def test_follow(tracer, tmp_path):
    worker = steady(tracer, tmp_path / "progress")
    try:
        follower = tracer.start("follow", "--json", "--name", "t*", "--pid", worker.pid)
        seen = [json.loads(follower.stdout.readline()) for _ in range(200)]
        assert {e["name"] for e in seen} == {"tick"} and {e["pid"] for e in seen} == {worker.pid}
        numbers = [e["fields"]["number"] for e in seen]
        assert numbers == list(range(numbers[0], numbers[0] + 200))
        follower.send_signal(signal.SIGTERM)
        follower.communicate(timeout=120)
        assert follower.returncode == 0 and worker.poll() is None
    finally:
        stop(worker)


def test_who_reads_has_enough(tracer, tmp_path):
    """`pitot trace follow | head`: it ends as other programs do, and leaves no stream."""
    worker = steady(tracer, tmp_path / "progress")
    try:
        follower = tracer.start("follow", "--pid", worker.pid)
        assert follower.stdout.readline()
        follower.stdout.close()
        assert follower.wait(120) == -signal.SIGPIPE and follower.stderr.read() == ""
        follower.stderr.close()
        listed = json.loads(tracer("list", "--json").stdout)
        assert [r for r in listed["remains"] if r["target"] == worker.pid] == []
        assert [p["streams"] for p in listed["processes"] if p["pid"] == worker.pid] == [0]
    finally:
        stop(worker)


def test_a_command_has_its_signals(tracer, tmp_path):
    """As they were: what we ignore it does not."""
    done = tracer("record", "-o", tmp_path / "a.log", "/bin/grep", "SigIgn", "/proc/self/status")
    assert done.returncode == 1 and int(done.stdout.split()[1], 16) & 1 << (signal.SIGPIPE - 1) == 0


def test_lines_that_can_not_be_written(tracer):
    done = tracer("follow", "-o", "/dev/full", "--", tracer.example, "3")
    assert done.returncode == 1 and "/dev/full: No space left on device" in done.stderr


def test_a_word_that_is_no_command_costs_no_log(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.example, "3")
    before = log.read_bytes()
    for verb in "record", "run":
        for command, status in (tmp_path / "nothing", 127), ("no-such-command-at-all", 127), (tmp_path, 126), (log, 126):
            done = tracer(verb, "-o", log, "--", command)
            assert done.returncode == status and f"cannot run the command: {command}: " in done.stderr
            assert log.read_bytes() == before


def test_text_is_text_in_every_language(tracer, tmp_path):
    program = tmp_path / "words.c"
    program.write_text('''#include <trace.h>
int main(void)
{
	trace_event_id_t id;

	posix_trace_eventid_open("said", &id);
	posix_trace_event(id, "caf\\xc3\\xa9 \\xe2\\x82\\xac", 9);
	posix_trace_event(id, "\\xc3(", 2);
	posix_trace_event(id, "\\xc2\\x9b" "1m", 4);
	return 0;
}
''')
    tracer.record(tmp_path / "a.log", tracer.compile(program, "words"))
    said = [line.split(" ", 3)[3] for line in tracer("dump", "--name", "said", tmp_path / "a.log").stdout.splitlines()]
    # Two and four bytes that are not text are numbers, most likely.
    assert said == ['"café €"', "0x28c3", "0x6d319bc2"]


def test_follow_a_command_to_its_end(tracer, tmp_path):
    out = tmp_path / "lines"
    done = tracer("follow", "-o", out, "--", tracer.example, "3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [line.split()[-2:] for line in out.read_text().splitlines() if " step " in line] == [
        ["number=1", "square=1"], ["number=2", "square=4"], ["number=3", "square=9"]]


def test_list_and_status(tracer, tmp_path):
    worker = steady(tracer, tmp_path / "progress")
    try:
        def found():
            listed = json.loads(tracer("list", "-j").stdout)
            return next((p for p in listed["processes"] if p["pid"] == worker.pid), None)

        assert found()["command"] == "worker" and found()["streams"] == 0 and found()["event_types"] >= 1
        follower = tracer.start("follow", "--pid", worker.pid, stdout=subprocess.DEVNULL)
        wait_until("it is traced", lambda: found()["streams"] == 1, alive=follower)
        assert re.search(rf"^ *{worker.pid} +\S+ +1 +\d+  worker$", tracer("list").stdout, re.M)
        assert f"  {worker.pid} worker: 1 stream," in tracer("status").stdout
        assert json.loads(tracer("status", "--json").stdout)["traced"] >= 1
        follower.send_signal(signal.SIGINT)
        assert follower.wait(120) == 0
        assert found()["streams"] == 0
    finally:
        stop(worker)


def test_status_of_a_log(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "burst", "100", options=["--data", "100", "--children"])
    (status,) = [json.loads(line) for line in tracer("status", "-j", log).stdout.splitlines()]
    assert status["name"] == "worker" and status["policy"] == "flush" and status["log_policy"] == "append"
    assert status["counts"]["recorded"] == 100 and status["children"] and status["data_size"] == 100
    assert status["bytes"] == log.stat().st_size
    text = tracer("status", log).stdout
    assert "emitted 100: kept 100, overwritten 0, lost 0\n" in text and text.startswith(f"{log}: ")


@pytest.mark.parametrize("command, status, told", [("worker burst 5", 0, b"emitted 5: kept 5, overwritten 0, lost 0, "),
                                                   ("/bin/true", 1, b"nothing was recorded")])
def test_counts_are_told_on_a_terminal(tracer, terminals, tmp_path, command, status, told):
    command = [tracer.worker if word == "worker" else word for word in command.split()]
    master, slave = pty.openpty()
    with subprocess.Popen([tracer.pitot, "trace", "record", "-o", str(tmp_path / "a.log"), *command],
                          env=tracer.env, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        text = b""
        try:
            while data := os.read(master, 4096):
                text += data
        except OSError:
            pass
    os.close(master)
    assert process.returncode == status and told in text


# dump


def test_dump_selects(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "burst", "50")
    events = tracer.events(log, "--name", "tick")
    middle = events[25]["ns"]
    stamp = f"@{middle // 10**9}.{middle % 10**9:09}"
    first = sum(e["ns"] < middle for e in events)  # 25, but for two in one nanosecond
    assert [e["fields"]["number"] for e in tracer.events(log, "--name=tick", "--since", stamp)] == list(range(first, 50))
    assert [e["fields"]["number"] for e in tracer.events(log, "--name=tick", "--until", stamp)] == list(range(first))
    clock = events[25]["time"][11:29]
    assert len(tracer.events(log, "--name=tick", "--since", clock)) == 50 - first
    assert len(tracer.events(log, "--name=tick", "--since", events[25]["time"][:29])) == 50 - first
    assert tracer.events(log, "--since", "+3600") == []
    assert names(tracer.events(log, "--name", "*_st?rt,nothing")) == ["posix_trace_start"]
    zone = tracer("dump", "-d", "-Z", "XYZ-5", log).stdout.split()[:2]
    east = time.strftime("%Y-%m-%d %H", time.gmtime(events[0]["ns"] // 10**9 + 5 * 3600))
    assert f"{zone[0]} {zone[1][:2]}" == east


KINDS = {"i1": -5, "u1": 200, "i2": -3000, "x2": 0xbeef, "i4": -7, "f4": 0.5, "i8": -2**63, "u8": 2**64 - 1, "f8": -2.25,
         "text": 'te"x\\t', "bytes": "0001feff", "rest": "the rest"}


def test_every_kind_of_field(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "kinds")
    events = user(tracer.events(log))
    assert [(e["name"], {k: e[k] for k in ("fields", "data", "rest") if k in e}) for e in events] == [
        ("all kinds", {"fields": KINDS}), ("all kinds", {"data": events[1]["data"]}),
        ("stream", {"fields": {"event": 42}}), ("stream", {"fields": {"event": 0xa5a5a5a5}, "rest": "a5" * 5}),
        ("plain", {"data": b"some text".hex()}), ("plain", {"data": "a5" * 20}), ("nothing", {"data": ""}),
        ('quo"te \\ \x01ä\ufffd', {"data": "78"}), ("", {"data": "79"}), ("posix_trace_unnamed_userevent", {"data": "7a"})]
    assert len(events[1]["data"]) == 10
    text = tracer("dump", log).stdout
    assert 'i8=-9223372036854775808 u8=18446744073709551615 f8=-2.25 text="te\\"x\\\\t" bytes=0x0001feff' in text
    assert 'plain "some text"\n' in text and "\x01" not in text


def test_truncated_data(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "kinds", options=["--data", "8"])
    cut = [e for e in tracer.events(log) if e["truncated"]]
    assert {e["name"] for e in cut} >= {"plain", "all kinds"} and all(len(e["data"]) == 16 for e in cut if "data" in e)
    assert "plain \"some tex\" (truncated)\n" in tracer("dump", log).stdout


# export


@pytest.fixture(scope="module")
def babeltrace():
    if shutil.which("babeltrace2") is None:
        pytest.skip("babeltrace2 is not installed")

    def read(directory):
        done = run(["babeltrace2", "--clock-seconds", "--no-delta", "--names=payload,context", directory])
        assert done.returncode == 0, done.stderr
        return done
    return read


LINE = re.compile(r"\[(\d+)\.(\d{9})\] (.*): \{ vpid = (-?\d+), vtid = (-?\d+), thread = (0x[0-9A-F]+), ip = (0x[0-9A-F]+), "
                  r"truncated = ([01]) \}, \{ ?(.*?) ?\}$")
TOKEN = re.compile(r'(\w+) = (?:\[ ?((?:\[\d+\] = \d+(?:, )?)*) ?\]|"((?:[^"\\]|\\.)*)"|([^,]+))(?:, |$)')


def payload(text):
    """{name: value} of what babeltrace2 prints between the braces."""
    fields, position = {}, 0
    while position < len(text):
        match = TOKEN.match(text, position)
        assert match, text[position:]
        position = match.end()
        name, array, string, number = match.groups()
        if array is not None:
            fields[name] = [int(item.split(" = ")[1]) for item in array.split(", ") if item]
        elif string is not None:
            fields[name] = re.sub(r"\\(.)", r"\1", string)
        else:
            fields[name] = float(number) if re.search(r"[.e]|nan|inf", number) and "x" not in number else int(number, 0)
    return {name: value for name, value in fields.items() if not name.endswith("_length")}


def as_ctf(event, ids):
    """The form of an event of `dump --json` for a reader of the exported trace."""
    fields = dict(event.get("fields", {}))
    for key in ("data", "rest"):
        if key in event:
            fields[{"data": "data", "rest": "rest__"}[key]] = list(bytes.fromhex(event[key]))
    if "bytes" in fields:
        fields["bytes"] = list(bytes.fromhex(fields["bytes"]))
    for key in ("filter", "old", "new"):
        if key in fields and event["id"] < 9:
            fields[key] = [ids[name] for name in fields[key]]
    name = "".join(c if " " <= c <= "~" else "?" * len(c.encode()) for c in event["name"].replace("\ufffd", "?"))
    return (event["ns"], name or f"#{event['id']}", event["pid"], event["tid"], int(event["thread"], 16),
            int(event["address"], 16), event["truncated"], fields)


def compare(tracer, babeltrace, log, directory):
    done = tracer("export", "--ctf", directory, log)
    assert done.returncode == 0, done.stderr
    read = babeltrace(directory)
    seen = []
    for line in read.stdout.splitlines():
        match = LINE.match(line)
        assert match, line
        s, ns, name, pid, tid, thread, ip, cut, fields = match.groups()
        seen.append((int(s) * 10**9 + int(ns), name, int(pid), int(tid), int(thread, 16), int(ip, 16), cut == "1",
                     payload(fields)))
    events = tracer.events(log)
    ids = {e["name"]: e["id"] for e in events}
    # Equal times may come in either order: the files of a trace are merged.
    assert sorted(seen, key=repr) == sorted((as_ctf(e, ids) for e in events), key=repr)
    assert [s[0] for s in seen] == sorted(e["ns"] for e in events)
    return read, events


def test_export_of_every_kind_of_field(tracer, babeltrace, tmp_path):
    tracer.record(tmp_path / "a.log", tracer.worker, "kinds")
    _, events = compare(tracer, babeltrace, tmp_path / "a.log", tmp_path / "ctf")
    assert len(events) >= 11
    metadata = (tmp_path / "ctf" / "metadata").read_text()
    assert 'quo"te \\ \x01'.encode().hex() in metadata


def test_export_of_threads(tracer, babeltrace, tmp_path):
    tracer.record(tmp_path / "a.log", tracer.worker, "threads", "4", "5000", options=["--size", "8M"])
    compare(tracer, babeltrace, tmp_path / "a.log", tmp_path / "ctf")


def test_losses_are_discarded_events(tracer, babeltrace, tmp_path):
    log = tmp_path / "a.log"
    done = tracer("record", "-o", log, "--log-size", "1M", tracer.worker, "burst", "100000")
    assert done.returncode == 0
    read, _ = compare(tracer, babeltrace, log, tmp_path / "ctf")
    counts = json.loads(tracer("status", "--json", log).stdout)["counts"]
    told = sum(int(n) for n in re.findall(r"discarded (\d+) event", read.stderr))
    assert told == sum(v for k, v in counts.items() if k.startswith("lost_")) > 0


def test_export_into_a_folder_that_is_in_use(tracer, tmp_path):
    tracer.record(tmp_path / "a.log", tracer.worker, "burst", "5")
    done = tracer("export", "--ctf", tmp_path, tmp_path / "a.log")
    assert done.returncode == 1 and "Directory not empty" in done.stderr and str(tmp_path) in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.log"]


# recover


@pytest.mark.parametrize("part", [0.3, 0.7, 0.999])
def test_recover_a_log_that_was_cut(tracer, tmp_path, part):
    log, cut, whole = tmp_path / "a.log", tmp_path / "cut.log", tmp_path / "whole.log"
    tracer.record(log, tracer.worker, "burst", "20000", options=["--size", "8M"])
    data = log.read_bytes()
    cut.write_bytes(data[:int(len(data) * part)])
    done = tracer("dump", cut)
    assert done.returncode == 1 and "pitot trace recover" in done.stderr
    done = tracer("recover", cut, "-o", whole)
    assert (done.returncode, done.stderr) == (0, "")
    kept = int(re.match(r"(\d+) events kept, \d+ bytes dropped\n", done.stdout)[1])
    numbers = tracer.numbers(whole)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 20000 * part * 0.6
    assert kept == len(tracer.events(whole))


def test_recover_says_what_it_can_not(tracer, tmp_path):
    (tmp_path / "text").write_text("no log at all\n" * 100)
    done = tracer("recover", tmp_path / "text", "-o", tmp_path / "out")
    assert done.returncode == 1 and "not even the beginning of a trace log" in done.stderr
    assert not (tmp_path / "out").exists()
    done = tracer("recover", tmp_path / "text", "-o", tmp_path / "text")
    assert done.returncode == 1 and "File exists" in done.stderr
    done = tracer("recover", "--remains", "987654321", "-o", tmp_path / "out")
    assert done.returncode == 1 and "there are no remains 987654321" in done.stderr


# Errors


def test_a_full_disk(tracer, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    if run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).returncode != 0:
        pytest.skip("no tmpfs can be mounted here")
    try:
        log = disk / "a.log"
        done = tracer("record", "-o", log, tracer.worker, "burst", "200000")
        assert done.returncode == 1
        assert f"{log}: No space left on device" in done.stderr and "lost " in done.stderr
    finally:
        run(["umount", "-l", disk])


def test_without_root(tracer, prefix, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("the other tests run without root")
    home = pathlib.Path(tempfile.mkdtemp(prefix="trace-", dir="/tmp"))
    os.chown(home, 65534, 65534)
    nobody = dict(user=65534, group=65534, extra_groups=[], cwd=home)
    theirs = shutil.copy(tracer.worker, home)
    worker = steady(tracer, tmp_path / "progress")
    try:
        done = tracer("record", "-o", "a.log", theirs, "burst", "100", **nobody)
        assert (done.returncode, done.stderr) == (0, "")
        assert tracer.numbers(home / "a.log") == list(range(100))
        done = tracer("record", "--pid", str(worker.pid), "-o", "b.log", **nobody)
        assert done.returncode == 1 and "it belongs to another user" in done.stderr
        assert not (home / "b.log").exists()
    finally:
        stop(worker)
        shutil.rmtree(home)


@pytest.mark.parametrize("taken", [1, 8], ids=["the first place", "all places"])
def test_places_taken_by_another_user(tracer, taken):
    """Anybody may make /dev/shm/pitot-UID before its owner does: another place is used, or the message names
    the folder that is in the way."""
    if os.geteuid() != 0:
        pytest.skip("only root can act for two users")
    victim, stranger = 5011, 5012
    home = pathlib.Path(tempfile.mkdtemp(prefix="trace-", dir="/tmp"))
    os.chown(home, victim, victim)
    theirs = shutil.copy(tracer.worker, home)
    places = [pathlib.Path(f"/dev/shm/pitot-{victim}{end}") for end in ["", *(f".{i}" for i in range(1, 8))]]
    try:
        for place in places[:taken]:
            place.mkdir(mode=0o700)
            os.chown(place, stranger, stranger)
        done = tracer("record", "-o", "a.log", theirs, "burst", "100", user=victim, group=victim, extra_groups=[], cwd=home)
        if taken == 1:
            assert (done.returncode, done.stderr) == (0, "")
            assert tracer.numbers(home / "a.log") == list(range(100))
        else:
            assert done.returncode == 1
            assert f"{places[0]} belongs to user {stranger}, not to user {victim}" in done.stderr
    finally:
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(home)


def test_root_traces_the_process_of_another_user(tracer, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root may")
    home = pathlib.Path(tempfile.mkdtemp(prefix="trace-", dir="/tmp"))
    os.chown(home, 65534, 65534)
    theirs = shutil.copy(tracer.worker, home)
    log, progress = tmp_path / "a.log", home / "progress"
    worker = subprocess.Popen([theirs, "steady", progress], user=65534, group=65534, extra_groups=[], cwd=home)
    try:
        wait_until("the worker works", lambda: returned(progress) > 100, alive=worker)
        listed = json.loads(tracer("list", "-j").stdout)["processes"]
        assert [p["uid"] for p in listed if p["pid"] == worker.pid] == [65534]
        recorder = tracer.start("record", "--pid", worker.pid, "-o", log)
        wait_until("it records", lambda: log.exists() and log.stat().st_size > 20000, FLUSH_S, alive=recorder)
        follower = tracer.start("follow", "--json", "--name", "tick", "--pid", worker.pid)
        seen = [json.loads(follower.stdout.readline()) for _ in range(100)]
        assert {e["pid"] for e in seen} == {worker.pid}
        follower.send_signal(signal.SIGTERM)
        follower.communicate(timeout=120)
        assert follower.returncode == 0
        recorder.send_signal(signal.SIGINT)
        out, errors = recorder.communicate(timeout=120)
        assert (recorder.returncode, out, errors) == (0, "", "")
        numbers = tracer.numbers(log)
        assert len(numbers) > 100 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert worker.poll() is None
    finally:
        stop(worker)
        shutil.rmtree(home)


@pytest.mark.parametrize("arguments, status, text", [
    ([], 2, "Usage: pitot trace COMMAND"),
    (["recor"], 2, "did you mean 'pitot trace record'?"),
    (["record"], 2, "expected a command, or --pid"),
    (["record", "ls"], 2, "expected -o FILE"),
    (["record", "-o", "x", "--pid", "1", "ls"], 2, "a command and --pid exclude each other"),
    (["record", "-o", "x", "--size", "3q", "ls"], 2, "--size: '3q' is no size"),
    (["record", "-o", "x", "--policy", "append", "ls"], 2, "--policy: unknown policy 'append'"),
    (["record", "-o", "x", "--log-policy", "loop", "ls"], 2, "need --log-size"),
    (["record", "-o", "/proc/nonexistent/x", "/bin/true"], 1, "/proc/nonexistent/x: No such file or directory"),
    (["record", "-o", "x", "--pid", "2147483646"], 1, "--pid 2147483646: there is no such process"),
    (["record", "-o", "x", "--pid", "self"], 2, "--pid: 'self' is no number"),
    (["record", "-o", "x", "nosuch"], 127, "cannot run the command: nosuch: No such file or directory"),
    (["record", "-o", "x", "--log-size", "1", "/bin/true"], 1, "--log-size"),
    (["record", "-o", "x", "--only", "n" * 64, "/bin/true"], 1, "n" * 64 + ": File name too long"),
    (["follow"], 2, "expected either a command or --pid"),
    (["dump"], 2, "expected one FILE"),
    (["dump", "/proc/nonexistent"], 1, "/proc/nonexistent: No such file or directory"),
    (["dump", "/"], 1, "/: not a regular file"),
    (["dump", "/dev/null"], 1, "/dev/null: not a regular file"),
    (["dump", "EMPTY"], 1, "too short for a trace log"),
    (["dump", "TEXT"], 1, "not a complete trace log"),
    (["dump", "--pid", "x", "TEXT"], 2, "--pid: 'x' is no number"),
    (["dump", "--since", "noon", "LOG"], 2, "--since: 'noon' is no time"),
    (["dump", "--timezone", "Foo/Bar", "LOG"], 2, "--timezone: 'Foo/Bar' is no time zone"),
    (["dump", "--timezone", "", "LOG"], 2, "is no time zone"),
    (["dump", "--name", ",", "LOG"], 2, "--name: expected names of event types"),
    (["status", "TEXT"], 1, "not a complete trace log"),
    (["export", "LOG"], 2, "expected one of --ctf DIR, --perfetto FILE and --json FILE"),
    (["export", "--ctf", "x", "--json", "x", "LOG"], 2, "expected one of"),
    (["export", "--json", "x"], 2, "expected one FILE"),
    (["export", "--json", "x", "--archive", "a", "LOG"], 2, "--archive and --metrics go together"),
    (["export", "--ctf", "x", "--archive", "a", "--metrics", "m", "LOG"], 1, "a: No such file or directory"),
    (["export", "--ctf", "x", "--raw", "LOG"], 2, "--raw is for --metrics"),
    (["export", "--json", "x", "--archive", "/proc/nonexistent", "--metrics", "m", "LOG"], 1, "/proc/nonexistent: No such file"),
    (["export", "--json", "LOG", "LOG"], 1, "LOG: File exists"),
    (["run"], 2, "expected a command"),
    (["run", "-o", "/proc/nonexistent/x", "/bin/true"], 1, "/proc/nonexistent/x: No such file or directory"),
    (["export", "--ctf", "/proc/nonexistent/x", "LOG"], 1, "/proc/nonexistent/x: No such file or directory"),
    (["recover", "-o", "x"], 2, "expected -o FILE and one FILE"),
    (["recover", "/proc/nonexistent", "-o", "x"], 1, "/proc/nonexistent: No such file or directory"),
])
def test_errors(tracer, tmp_path, arguments, status, text):
    (tmp_path / "EMPTY").touch()
    (tmp_path / "TEXT").write_text("text\n" * 1000)
    tracer.record(tmp_path / "LOG", tracer.worker, "burst", "1")
    done = tracer(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert text in done.stderr
    assert not (tmp_path / "x").exists()


def test_every_command_has_its_usage(tracer):
    done = tracer("--help")
    assert done.returncode == 0
    commands = re.findall(r"^  ([a-z]+)  ", done.stdout, re.M)
    assert commands == ["record", "run", "follow", "list", "status", "dump", "export", "recover"]
    for command in commands:
        done = tracer(command, "--help")
        assert done.returncode == 0 and done.stdout.startswith(f"Usage: pitot trace {command} [OPTIONS]")
        told = done.stdout.partition("Options:\n")[2].splitlines()
        assert all(re.match(r"  (-|.{21}  ?)", line) for line in told)
        assert all(line[25:26].strip() for line in told if len(line) > 25)  # one column


def test_a_full_output(tracer, tmp_path):
    tracer.record(tmp_path / "a.log", tracer.worker, "burst", "5000")
    with open("/dev/full", "w") as full:
        done = subprocess.run([tracer.pitot, "trace", "dump", str(tmp_path / "a.log")], env=tracer.env, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=180)
    assert done.returncode == 1 and "No space left on device" in done.stderr
