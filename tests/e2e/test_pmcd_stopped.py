"""A peer is not late when the collector was stopped: what it sent meanwhile is read before a deadline is looked at."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import harness
import wire

pytestmark = pytest.mark.alone

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
DOMAIN = 250
ONE = wire.pmid(DOMAIN, 0, 0)
VERSION = wire.pmid(2, 0, 7)
TIMEOUT_S = 2
STOPPED_S = 2 * TIMEOUT_S


def collector(prefix, directory, *ways, options=(), env=None):
    agents = [f"slow {DOMAIN} pipe binary {sys.executable} {AGENT} {DOMAIN} {' '.join(ways)}"]
    return harness.Pmcd(prefix, directory, agents, options=["-t", str(TIMEOUT_S), *options], env=env)


@contextlib.contextmanager
def stopped(*processes):
    """Stops processes for longer than any time-out; what is done inside happens when that time is over."""
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    yield
    for process in reversed(processes):
        process.send_signal(signal.SIGCONT)


class Pid:
    def __init__(self, pid):
        self.pid = pid

    def send_signal(self, what):
        os.kill(self.pid, what)


def agent_of(daemon):
    """The agent's process: the collector's child that runs it."""
    children = pathlib.Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text().split()
    for pid in children:
        if AGENT.name in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
            return Pid(int(pid))
    raise AssertionError(f"no agent among {children}")


def await_fetch(trace):
    """The agent has the client's FETCH."""
    harness.wait_until("the agent is asked", lambda: trace.exists() and f"{wire.FETCH:#x}" in trace.read_text())


def test_second_half_of_a_pdu(prefix, tmp_path):
    with collector(prefix, tmp_path / "p") as daemon, wire.ready(daemon.socket) as client:
        assert client.value(VERSION)
        pdu = wire.fetch([VERSION])
        client.send(pdu[:13])
        with stopped(daemon.process):
            client.send(pdu[13:])
        assert client.receive().values[0][0] == VERSION


def test_introduction(prefix, tmp_path):
    with collector(prefix, tmp_path / "p") as daemon:
        with wire.Client(daemon.socket, handshake=False) as client:
            client.receive()
            with stopped(daemon.process):
                client.send(wire.creds())
                client.send(wire.profile())
            assert client.value(VERSION)


def test_replies_that_were_not_taken(prefix, tmp_path):
    """The client takes its replies while the collector is stopped: it is not cut off."""
    many = [VERSION] * 4000
    with collector(prefix, tmp_path / "p") as daemon, wire.ready(daemon.socket) as client:
        asked = 0
        client.sock.settimeout(1)
        with contextlib.suppress(TimeoutError):
            while asked < 200:
                client.send(wire.fetch(many))
                asked += 1
        assert asked > 1
        client.sock.settimeout(60)
        with stopped(daemon.process):
            pass
        for _ in range(asked):
            assert len(client.receive().values) == len(many)


@pytest.mark.parametrize("both", [False, True], ids=["collector", "collector and agent"])
def test_answer_of_an_agent(prefix, tmp_path, both):
    """An agent that answered while the collector was stopped, or was stopped with it (as processes of a frozen
    container are), is neither late nor silent."""
    trace = tmp_path / "trace"
    with collector(prefix, tmp_path / "p", "slow=500", f"trace={trace}",
                   env={"PMCD_AGENT_SILENCE": "3"}) as daemon, wire.ready(daemon.socket) as client:
        agent = agent_of(daemon)
        client.send(wire.fetch([ONE]))
        await_fetch(trace)
        with stopped(daemon.process, *([agent] if both else [])):
            pass
        assert client.receive().values == [(ONE, [(-1, 42)])]
        assert agent_of(daemon).pid == agent.pid
        assert "has not answered" not in daemon.log.read_text()


def test_start_of_an_agent(prefix, tmp_path):
    """The collector is stopped while it waits for its agent's introduction, which comes meanwhile."""
    socket = tmp_path / "agent.socket"
    agents = [f"late {DOMAIN} socket unix {socket} {sys.executable} {AGENT} {DOMAIN} unix={socket} late=1500"]
    daemon = harness.Pmcd(prefix, tmp_path / "p", agents, options=["-q", str(TIMEOUT_S)])
    daemon.process = subprocess.Popen(daemon.command(), env=daemon.env, cwd=daemon.dir)
    try:
        harness.wait_until("the agent is started", lambda: has_child(daemon.process.pid), alive=daemon.process)
        with stopped(daemon.process):
            time.sleep(8)  # longer than the collector waits for a command and its introduction
        harness.wait_until("pmcd answers", lambda: harness.answers(daemon.socket), alive=daemon.process)
        with wire.ready(daemon.socket) as client:
            assert client.value(ONE) == 42
    finally:
        daemon.stop()


def has_child(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().strip() != ""
