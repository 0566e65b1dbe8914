"""Hostile peers of the recorder: they use up its descriptors, or send while it is stopped."""
import os
import pathlib
import resource
import signal
import socket
import struct
import sys
import time

import pytest

import harness
import wire
from control_wire import LOG_CONTROL, RESULT, Wire, pmid
from recording import Reader, Recorder

pytestmark = pytest.mark.alone

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
CONFIG = "log mandatory on 50 msec { sample.bin sample.seconds }\n"
SECONDS = pmid(29, 0, 2)
PDU_S = 10  # docs/spec/logger.md B1: from a request's first byte to its last


@pytest.fixture(scope="module")
def host(sample_pmcd):
    return sample_pmcd.host


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def used_in(pid, seconds):
    before = processor_seconds(pid)
    time.sleep(seconds)
    return processor_seconds(pid) - before


def connections(recorder, n):
    """Clients of the control port that say nothing."""
    made = []
    for _ in range(n):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        try:
            one.connect(str(recorder.socket))
        except BlockingIOError:
            one.close()  # the queue is full, too
            break
        made.append(one)
    return made


def limit_files(pid, n):
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (n, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))


def open_files(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def test_descriptors_used_up(prefix, tmp_path, host, peer_root):
    """Connections that cannot be accepted don't make it spin, and it accepts again when it can."""
    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        recorder.grows()
        usual = used_in(recorder.process.pid, 2)
        limit_files(recorder.process.pid, open_files(recorder.process.pid) + 3)
        clients = connections(recorder, 40)
        assert len(clients) > 4
        assert used_in(recorder.process.pid, 2) < usual + 0.5
        recorder.grows()
        limit_files(recorder.process.pid, 1024)
        for one in clients:
            one.close()
        client = Wire(recorder)
        assert client.greet() > 0
        client.close()
        assert recorder.stop() == 0
    Reader(peer_root, tmp_path).check("archive")


def test_a_reserve_for_its_end(prefix, tmp_path, host, peer_root):
    """Clients take what they can get of few descriptors: the archive is ended in order all the same."""
    recorder = Recorder(prefix, tmp_path, host, CONFIG)
    recorder.argv = ["prlimit", "--nofile=48:", *recorder.argv]
    recorder.start()
    try:
        recorder.grows()
        clients = connections(recorder, 40)
        recorder.grows()
        assert recorder.stop() == 0
        for one in clients:
            one.close()
    finally:
        recorder.process.kill()
    assert "Cannot end" not in recorder.text() and "Too many open files" not in recorder.text()
    assert Reader(peer_root, tmp_path).ended("archive")


@pytest.mark.parametrize("late_s", [0, 2])
def test_second_half_of_a_request(prefix, tmp_path, host, late_s):
    """The answer arrived while the recorder was stopped; the recorder continues just after the deadline, or long after
    it."""
    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        client = Wire(recorder)
        assert client.greet() > 0
        body = struct.pack(">iiiIII", 13, 0, 0, 1, SECONDS, 0)
        whole = struct.pack(">IIi", 12 + len(body), LOG_CONTROL, 0) + body
        client.sock.sendall(whole[:14])
        time.sleep(0.5)
        recorder.process.send_signal(signal.SIGSTOP)
        time.sleep(PDU_S + late_s)
        client.sock.sendall(whole[14:])
        recorder.process.send_signal(signal.SIGCONT)
        assert client.receive()[0] == RESULT
        client.close()


def test_values_that_arrived_meanwhile(prefix, tmp_path):
    """The collector answered while the recorder was stopped: what it answered is recorded."""
    trace = tmp_path / "trace"
    agents = [f"dyn250 250 pipe binary {sys.executable} {AGENT} 250 slow=500 trace={trace}"]
    with harness.Pmcd(prefix, tmp_path / "p", agents) as daemon:
        with Recorder(prefix, tmp_path / "r", daemon.host, "log mandatory on 1 sec { dyn250.one }\n",
                      env={"PMCD_REQUEST_TIMEOUT": "2"}) as recorder:
            recorder.grows()
            asked = trace.read_text().count(f"{wire.FETCH:#x}")
            harness.wait_until("the agent is asked", lambda: trace.read_text().count(f"{wire.FETCH:#x}") > asked)
            recorder.process.send_signal(signal.SIGSTOP)
            time.sleep(5)
            recorder.process.send_signal(signal.SIGCONT)
            recorder.grows()
            recorder.grows()
            assert recorder.stop() == 0
        done = harness.run([prefix.bin("pmdumplog"), tmp_path / "r/archive"], env=prefix.env())
        asked = trace.read_text().count(f"{wire.FETCH:#x}")
        recorded = done.stdout.count("dyn250.one")
        assert asked - recorded in (0, 1) and recorded >= 3, recorder.text()  # one may be under way at the end


def test_silent_connections_lock_nobody_out(prefix, tmp_path, host):
    """More of them than the recorder serves: one that introduces itself is served at once, and so is the next one."""
    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        served = Wire(recorder)
        assert served.greet() > 0
        silent = [Wire(recorder) for _ in range(40)]
        time.sleep(1)  # they could have introduced themselves meanwhile
        for _ in range(3):
            client = Wire(recorder)
            assert client.greet() > 0
            client.control([SECONDS])
            assert client.receive()[0] == RESULT
        served.control([SECONDS])
        assert served.receive()[0] == RESULT
        for one in silent:
            one.close()
