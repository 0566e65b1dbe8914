"""Our recorder and the events that change what it does: pmlc, agents that start, clocks that are set."""
import re
import signal
import struct
import subprocess
import time

import pytest

import harness
from control_wire import RESULT, Wire, pmid
from recording import Reader, Recorder

CONFIG = "log mandatory on 100 msec { sample.bin }\nlog advisory on 1 hour { sample.colour }\n"


def agents(prefix):
    return [f"sample 29 dso sample_init {prefix.dso('sample')}"]


def pmlc(prefix, recorder, commands, pmcd=None):
    """Runs commands of pmlc on a recorder."""
    done = subprocess.run([prefix.bin("pmlc"), str(recorder.process.pid)], input=commands, text=True,
                          capture_output=True, timeout=180, env=recorder.env)
    return done.stdout + done.stderr


@pytest.fixture
def recording(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, CONFIG) as recorder:
            recorder.grows()
            recorder.pmcd = pmcd
            yield recorder


def test_changes_are_recorded(prefix, peer_root, recording):
    recorder, reader = recording, Reader(peer_root, recording.dir)
    assert pmlc(prefix, recorder, "log mandatory on 50 msec sample.seconds\nlog advisory on once sample.control\n"
                                  "log mandatory off sample.colour\n").startswith("Connected to pmlogger")
    harness.wait_until("both are recorded", lambda: reader.count("archive", "sample.control") and
                       reader.count("archive", "sample.seconds") > 1, 60, alive=recorder.process)
    said = pmlc(prefix, recorder, "query { sample.seconds sample.control sample.colour sample.long.one sample.bin }\n")
    assert re.search(r"sample.seconds\n    mand on          50 msec", said), said
    assert re.search(r"sample.control\n    adv  on             once", said), said
    assert re.search(r"sample.colour\n    mand off", said) and re.search(r"sample.long.one\n    adv  off nl", said)
    assert len(re.findall(r"    mand on         100 msec \[\d00 or \"bin-\d00\"\]", said)) == 9
    assert recorder.stop() == 0
    text = recorder.text()
    assert re.search(r"\n\n\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}\npmlc request from \S+: mandatory on 0\.1 sec\n  metric: .*"
                     r"sample\.seconds", text), text
    assert re.search(r"pmlc request from \S+: advisory on once\n  metric: sample.control\n", text)
    reader.check("archive")
    assert reader.count("archive", "sample.control") == 1


def test_refusals(prefix, recording):
    said = pmlc(prefix, recording, 'log advisory off sample.bin\nlog mandatory on 1 sec sample.bin [ "bin-100" ]\n'
                                   "query sample.bin\n")
    assert said.count("Warning: unable to change logging state for:") == 2
    assert len(re.findall(r"mand on         100 msec", said)) == 9
    assert recording.text().count(" [request failed]") == 10  # each of the instances


def test_once_again(prefix, peer_root, recording):
    """Each request for one record gets one."""
    reader = Reader(peer_root, recording.dir)
    for _ in range(3):
        pmlc(prefix, recording, "log mandatory on once sample.long.ten\n")
    harness.wait_until("they are recorded", lambda: reader.count("archive", "sample.long.ten") >= 3, alive=recording.process)
    recording.grows()
    assert recording.stop() == 0
    assert reader.count("archive", "sample.long.ten") == 3


def test_new_volume(prefix, recording):
    assert "New log volume 1\n" in pmlc(prefix, recording, "new volume\nstatus\n")
    harness.wait_until("the volume", (recording.dir / "archive.1").exists)
    assert "New log volume 1, via pmlc request at " in recording.text()


def test_stopped_collector_stops_no_status(prefix, tmp_path):
    """Recorder and collector are as patient with each other as can be, so that nothing but the status comes."""
    patient = {"PMCD_REQUEST_TIMEOUT": 10 * harness.DEADLINE_S}
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd, \
            Recorder(prefix, tmp_path, pmcd.host, CONFIG, env=patient) as recording:
        recording.grows()
        pmcd.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(0.5)  # until it has asked, and waits
            assert "log volume       0" in pmlc(prefix, recording, "status\n")
        finally:
            pmcd.process.send_signal(signal.SIGCONT)
        recording.grows()


def test_instances_of_one_domain_are_recorded_apart(prefix, peer_root, recording):
    """A metric's own instances, though another metric of the domain has them all in the same task."""
    reader = Reader(peer_root, recording.dir)
    pmlc(prefix, recording, 'log mandatory on 100 msec sample.long.bin [ "bin-100" 300 ]\n')
    harness.wait_until("they are recorded", lambda: reader.count("archive", "sample.long.bin") > 1, alive=recording.process)
    assert recording.stop() == 0
    reader.check("archive")
    parts = [r.text for r in reader.records("archive") if "sample.long.bin" in r.text]
    assert parts and all("bin-100" in p and "bin-300" in p and "bin-200" not in p for p in parts)


def test_agent_that_comes_later(prefix, peer_root, tmp_path):
    """A name that was nothing is recorded when it is a metric; the gap before it is marked."""
    reader, pmcd = Reader(peer_root, tmp_path), harness.Pmcd(prefix, tmp_path / "pmcd", [])
    conf = pmcd.conf.read_text()
    with pmcd:
        config = "log mandatory on 100 msec { pmcd.numagents }\nlog mandatory on 50 msec { sample.long }\n"
        with Recorder(prefix, tmp_path, pmcd.host, config) as recorder:
            recorder.grows()
            pmcd.conf.write_text(conf + agents(prefix)[0] + "\n")
            pmcd.process.send_signal(signal.SIGHUP)
            harness.wait_until("new metrics", lambda: "pmlc request from pmlogger: mandatory on 0.1 sec" in
                               recorder.text() or "pmlc request from pmlogger: mandatory on 0.0 sec" in recorder.text(),
                               60)
            harness.wait_until("they are recorded", lambda: reader.count("archive", "sample.long.ten"), alive=recorder.process)
            assert recorder.stop() == 0
    reader.check("archive")
    assert len(reader.marks("archive")) == 1


def test_event_parameters_are_described(prefix, peer_root, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents(prefix)) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, "log mandatory on 100 msec { sample.event }\n") as recorder:
            for _ in range(16):  # half a record may be seen, too
                recorder.grows()
            assert recorder.stop() == 0
    reader = Reader(peer_root, tmp_path)
    reader.check("archive")
    text = "".join(r.text for r in reader.records("archive"))
    assert "event record" in text
    assert re.search(r"sample\.event\.param\S+\)?:? ", text), text[-3000:]


def test_no_request_holds_up_others(prefix, recording):
    """Thousands of metrics that are new to the recorder: asked for in bulk, and others are served in between."""
    text = "".join(f"log mandatory on 1 hour sample.{name}\n" for name in ("long", "double", "string", "ulong"))
    with subprocess.Popen([prefix.bin("pmlc"), str(recording.process.pid)], stdin=subprocess.PIPE, text=True,
                          env=recording.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as busy:
        busy.stdin.write(text * 20)
        busy.stdin.close()
        for _ in range(5):
            assert len(re.findall(r"mand on", pmlc(prefix, recording, "query sample.bin\n"))) == 9
        assert busy.wait(60) == 0
    assert re.search(r"mand on .* 1 hour", pmlc(prefix, recording, "query sample.ulong.ten\n"))


def test_stopped_collector_holds_up_nothing_that_is_known(prefix, recording):
    """Requests that need no collector are answered without one."""
    recording.pmcd.process.send_signal(signal.SIGSTOP)
    try:
        time.sleep(0.3)
        assert "New log volume 1\n" in pmlc(prefix, recording, "new volume\n")
        wire = Wire(recording)
        assert wire.greet() == 3
        # Of an instance of what was never logged there is nothing to be known (B3).
        wire.control([pmid(29, 0, 6), pmid(29, 0, 10), pmid(29, 1023, 1023)], inst=100)
        kind, _, body = wire.receive()
        assert kind == RESULT and struct.unpack(">I", body[8:12]) == (3,)
        sets = [struct.unpack(">IiiiI", body[12 + i * 20:32 + i * 20]) for i in range(3)]
        assert [(one[1], one[3]) for one in sets] == [(1, 100)] * 3
        assert sets[0][4] & 3 == 3 and sets[1][4] == sets[2][4] == 0
        wire.close()
    finally:
        recording.pmcd.process.send_signal(signal.SIGCONT)
    harness.wait_until("the volume", lambda: recording.size("archive.1") > 1000)
