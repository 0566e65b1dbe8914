"""Limits of a peer's cost for the collector, and of the data that it can obtain: promises P7, P8 and P9."""
import os
import pathlib
import resource
import signal
import socket
import struct
import sys

import pytest

import harness
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
GOOD, BAD = 240, 250
ONE = wire.pmid(GOOD, 0, 0)
SICK = wire.pmid(BAD, 0, 0)
VERSION = wire.pmid(2, 0, 7)
STATUS = wire.pmid(2, 4, 1)
CONTAINER_FEATURE = 1 << 6
# Where memory is measured: a sanitizer keeps what was freed, and that is not the collector's.
MEASURED = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"}


def agent_line(domain, *ways):
    return f"dyn{domain} {domain} pipe binary {sys.executable} {AGENT} {domain} {' '.join(ways)}"


def memory_kb(daemon, key="VmHWM"):
    for line in pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise AssertionError(key)


def children(daemon, domain):
    """Process ids of the agents of a domain."""
    out = []
    for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
        for pid in (task / "children").read_text().split():
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if str(domain).encode() in words:
                out.append(int(pid))
    return out


def test_agents_that_go_with_the_configuration_while_a_client_waits(prefix, tmp_path):
    """The second one's end closes the client, and the first one is gone by then."""
    agents = [agent_line(GOOD, "stop_at=1"), agent_line(BAD, "stop_at=1")]
    with harness.Pmcd(prefix, tmp_path / "p", agents) as daemon:
        with wire.ready(daemon.socket) as client, wire.ready(daemon.socket) as other:
            client.send(wire.fetch([ONE, SICK]))
            client.sock.shutdown(socket.SHUT_RD)
            assert other.value(VERSION) is not None
            daemon.conf.write_text(daemon.conf.read_text().splitlines()[0] + "\n")
            daemon.process.send_signal(signal.SIGHUP)
            harness.wait_until("the agents are gone", lambda: other.value(SICK) == wire.PM_ERR_NOAGENT,
                               alive=daemon.process)
            assert other.value(wire.pmid(2, 0, 3)) == 1


def test_a_client_that_introduces_itself_again_and_again(prefix, tmp_path):
    name = "x" * 4000
    attr = wire.pdu(wire.ATTR, struct.pack(">i", 15) + name.encode())
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        with wire.ready(daemon.socket) as client:
            again = wire.creds(flags=CONTAINER_FEATURE) + attr
            client.send(again)
            assert client.value(VERSION) is not None
            before = memory_kb(daemon)
            for _ in range(20000):
                client.send(again)
            assert client.value(VERSION) is not None
            assert memory_kb(daemon) - before < 20000


def test_requests_with_large_replies_that_nobody_reads(prefix, tmp_path):
    """One reply and 64 KiB, not one reply for each request of a turn."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    many = [wire.pmid(2, 1, i) for i in range(2)] * 10 + [wire.pmid(2, 6, 0), wire.pmid(2, 6, 2)] * 500
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        crowd = [wire.Client(daemon.socket) for _ in range(300)]
        with wire.ready(daemon.socket) as client:
            one = len(client.fetch(many).raw)
            before = memory_kb(daemon)
            client.send(wire.fetch(many) * 15)
            with wire.ready(daemon.socket) as other:
                assert other.value(VERSION) is not None
            assert one > 2000000
            assert memory_kb(daemon) - before < 8 * one // 1024
        for c in crowd:
            c.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_store_to_all_domains(prefix, tmp_path):
    sets = wire.store([(wire.pmid(3 + i % 500, 0, 0), []) for i in range(8000)])
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        with wire.ready(daemon.socket) as client:
            before = memory_kb(daemon)
            took = []
            for _ in range(8):
                start = harness.cpu_s(daemon.process.pid)
                assert client.ask(sets).code == wire.PM_ERR_NOAGENT
                took.append(harness.cpu_s(daemon.process.pid) - start)
            assert min(took) < 0.05, took
            assert memory_kb(daemon) - before < 16000


def test_profiles_in_all_slots(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        with wire.ready(daemon.socket) as client:
            before = memory_kb(daemon)
            for slot in range(200):
                insts = [slot] + list(range(15000))
                client.send(wire.profile(slot, 1, [(BAD << 22, 0, insts)]))
            assert client.receive().code == wire.PM_ERR_TOOBIG
            assert memory_kb(daemon) - before < 6000


def trace_lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_an_agent_that_is_not_ready_takes_no_client_for_its_predecessor(prefix, tmp_path):
    """Connections in the meantime are reported to the agent, so the rights of one client never become those of
    another."""
    trace = tmp_path / "trace"
    line = agent_line(BAD, "flags=4", f"trace={trace}", "moody=1")
    with harness.Pmcd(prefix, tmp_path / "p", [line]) as daemon:
        pid, = children(daemon, BAD)
        with wire.ready(daemon.socket) as first:
            assert first.value(SICK) == wire.PM_ERR_AGAIN
        with wire.ready(daemon.socket) as second:
            assert second.value(STATUS) is not None
            before = len(trace_lines(trace))
            os.kill(pid, signal.SIGUSR1)
            harness.wait_until("the agent is ready", lambda: second.value(SICK) == 42)
            got = [line.split() for line in trace_lines(trace)[before:]]
            gone = [g for g in got if g[0] == f"{wire.ERROR:#x}"]
            attrs = [g for g in got if g[0] == f"{wire.ATTR:#x}"]
            assert gone and attrs
            # The second has the first's number, unless the harness's own probe left that late.
            assert gone[0][1] != attrs[0][1] or got.index(gone[0]) < got.index(attrs[0])


def test_an_agent_that_keeps_changing_its_mind_does_not_fill_the_log(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(BAD, "moody")]) as daemon:
        with wire.ready(daemon.socket) as client:
            for _ in range(200):
                assert client.value(SICK) == wire.PM_ERR_AGAIN
            assert daemon.log.read_text().count("ready") <= 4
            assert daemon.log.read_text().count("PMNS") <= 2


def test_more_questions_than_an_agent_may_be_asked(prefix, tmp_path):
    """Requests that do not fit are refused; every other request gets its own answer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip("too few descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(BAD)], options=["-t", "60"]) as daemon:
        pid, = children(daemon, BAD)
        crowd = [wire.Client(daemon.socket, timeout_s=60) for _ in range(1300)]  # some are held
        with wire.ready(daemon.socket) as last:
            for c in [*crowd, last]:  # shows that it is light: of heavy clients the agent would be asked one thing at a time
                assert c.ask(wire.desc_req(wire.pmid(2, 0, 3))).kind == wire.DESC
            os.kill(pid, signal.SIGSTOP)
            for c in crowd:
                c.send(wire.desc_ids([SICK] * 64))
            assert last.ask(wire.desc_req(SICK)).code == wire.PM_ERR_AGAIN
            os.kill(pid, signal.SIGCONT)
            assert all(c.receive().kind == wire.DESCS for c in crowd)
            assert last.ask(wire.desc_req(SICK)).kind == wire.DESC
            assert last.value(SICK) == 42
        assert "protocol failure" not in daemon.log.read_text()
        for c in crowd:
            c.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_exit_status_of_an_agent_whose_pipes_stay_open(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(BAD, "orphan_at=1")],
                      env={"PMCD_RESTART_AGENTS": 0}) as daemon:
        with wire.ready(daemon.socket) as client:
            assert client.value(SICK) == wire.PM_ERR_IPC
            assert dict(dict(client.fetch([STATUS]).values)[STATUS])[BAD] >> 8 == 3


def test_a_pipe_where_a_logger_leaves_its_file(prefix, tmp_path):
    """Nobody writes to it: reading would take for ever."""
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        folder = daemon.dir / "pmlogger"
        folder.mkdir()
        os.mkfifo(folder / str(os.getpid()))
        with wire.ready(daemon.socket) as client:
            try:
                assert client.fetch([wire.pmid(2, 3, 0)]).values == [(wire.pmid(2, 3, 0), 0)]
            finally:
                daemon.process.poll() is None and daemon.process.send_signal(signal.SIGCONT)
                fd = os.open(folder / str(os.getpid()), os.O_RDWR | os.O_NONBLOCK)
                os.close(fd)


def test_an_agent_in_this_process_that_comes_and_goes(prefix, tmp_path):
    """Its descriptors and threads cannot be taken back, so it must not create them again each time."""
    with harness.Pmcd(prefix, tmp_path / "p") as daemon, wire.ready(daemon.socket) as client:
        head, linux = daemon.conf.read_text().splitlines()[:2]
        everything = [wire.pmid(60, cluster, item) for cluster in range(80) for item in range(8)]
        opened = []
        for _ in range(4):
            client.fetch(everything)
            opened.append(len(os.listdir(f"/proc/{daemon.process.pid}/fd")))
            for lines, count in ((head, 1), (f"{head}\n{linux}", 2)):
                daemon.conf.write_text(lines + "\n")
                daemon.process.send_signal(signal.SIGHUP)
                harness.wait_until("the new table", lambda: client.value(wire.pmid(2, 0, 2)) == count)
        assert max(opened) < opened[0] + 10


def test_a_small_request_for_the_same_strings_again_and_again(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [], env=MEASURED) as daemon:
        with wire.ready(daemon.socket) as client:
            for _ in range(2):
                assert client.ask(wire.store([(wire.pmid(2, 6, 0), [(0, "x" * 4000)])])).code == 0
            before = memory_kb(daemon)
            assert client.ask(wire.fetch([wire.pmid(2, 6, 2)] + [wire.pmid(2, 6, 0)] * 15000)).code == wire.PM_ERR_TOOBIG
            assert memory_kb(daemon) - before < 16000
            assert len(client.fetch([wire.pmid(2, 6, 2)] + [wire.pmid(2, 6, 0)] * 100).values) == 101
