"""A client or an agent that was stopped while the rest of a PDU arrived goes on with the whole PDU (for the daemons:
test_pmcd_stopped.py, test_pmlogger_peers.py)."""
import contextlib
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

import harness
import wire
from recording import Recorder

TIMEOUT_S = 1
STOPPED_S = 3 * TIMEOUT_S
PATIENT = {"PMCD_REQUEST_TIMEOUT": str(TIMEOUT_S), "PMCD_CONNECT_TIMEOUT": str(TIMEOUT_S),
           "PMLOGGER_REQUEST_TIMEOUT": str(TIMEOUT_S)}


class Halver:
    """Stands between a client and a server. Of one answer it sends the first bytes, and the rest on demand."""

    def __init__(self, path, server, cut, at):
        self.path, self.server, self.cut, self.at = path, server, cut, at
        self.is_cut, self.rest = threading.Event(), threading.Event()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(8)
        self.threads = []

    def forward(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def answers(self, server, client):
        """PDU by PDU: the one with this number is cut."""
        with contextlib.suppress(OSError, struct.error):
            with server.makefile("rb") as stream:
                number = 0
                while len(head := stream.read(4)) == 4:
                    pdu = head + stream.read(struct.unpack(">I", head)[0] - 4)
                    if number == self.at and not self.is_cut.is_set():
                        client.sendall(pdu[:self.cut])
                        self.is_cut.set()
                        self.rest.wait(harness.DEADLINE_S)
                        pdu = pdu[self.cut:]
                    client.sendall(pdu)
                    number += 1

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self.server))
                for task in ((self.forward, client, server), (self.answers, server, client)):
                    self.threads.append(threading.Thread(target=task[0], args=task[1:], daemon=True))
                    self.threads[-1].start()

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.rest.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def stopped_meanwhile(process, halver):
    """Stops a process for longer than its time-outs; the rest of the answer arrives at the end of that time."""
    assert halver.is_cut.wait(harness.DEADLINE_S)
    process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    halver.rest.set()
    time.sleep(0.2)
    process.send_signal(signal.SIGCONT)
    return process.communicate(timeout=harness.DEADLINE_S)


# The answers of a collector to pminfo, and how much of each arrives before the stop: nothing, or half.
@pytest.mark.parametrize("cut", [0, 17])
@pytest.mark.parametrize("at", range(4))
def test_client(prefix, tmp_path, shared_pmcd, at, cut):
    with Halver(tmp_path / "halver", shared_pmcd.socket, cut, at) as halver:
        client = subprocess.Popen([prefix.bin("pminfo"), "-h", f"unix:{tmp_path}/halver", "-fd", "pmcd.version"], text=True,
                                  env=prefix.env(**PATIENT), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = stopped_meanwhile(client, halver)
    assert (client.returncode, err) == (0, "")
    assert 'value "6.0.3"' in out


def read_pdu(stream):
    head = stream.read(12)
    length, kind, _ = struct.unpack(">IIi", head)
    return kind, stream.read(length - 12)


@pytest.mark.parametrize("agent, pmid", [("sample", wire.pmid(29, 0, 2)), ("linux", wire.pmid(60, 2, 3)),
                                         ("tracing", wire.pmid(487, 0, 0))])
def test_agent(prefix, tmp_path, agent, pmid):
    """The collector's introduction and a fetch arrive in halves."""
    process = subprocess.Popen([prefix.bin(f"pmda{agent}"), "-d", str(pmid >> 22), "-l", tmp_path / "log"], cwd=tmp_path,
                               env=prefix.env(PCP_LOG_DIR=tmp_path, **PATIENT), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert read_pdu(process.stdout)[0] == wire.CREDS
        for pdu in (wire.creds() + wire.profile(), wire.fetch([pmid])):
            process.stdin.write(pdu[:13])
            process.stdin.flush()
            time.sleep(0.2)
            process.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            process.stdin.write(pdu[13:])
            process.stdin.flush()
            process.send_signal(signal.SIGCONT)
        assert read_pdu(process.stdout)[0] == wire.RESULT
        process.stdin.close()
        assert process.wait(harness.DEADLINE_S) == 0


# The answers of a recorder: its greeting, a status, the states of a metric.
@pytest.mark.parametrize("at", range(3))
def test_client_of_a_recorder(prefix, tmp_path, shared_pmcd, at):
    with Recorder(prefix, tmp_path, shared_pmcd.host, "log mandatory on 1 sec { pmcd.version }\n") as recorder:
        with Halver(tmp_path / "halver", recorder.socket, 13, at) as halver:
            words = f"connect socket @ unix:{tmp_path}/halver\nstatus\nquery pmcd.version\n"
            pmlc = subprocess.Popen([prefix.bin("pmlc")], text=True, env=prefix.env(**PATIENT), stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            pmlc.stdin.write(words)
            pmlc.stdin.flush()
            out, err = stopped_meanwhile(pmlc, halver)
    assert err == "" and "pmcd.version" in out, (out, err)
