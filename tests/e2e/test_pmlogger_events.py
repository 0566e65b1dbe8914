"""Events are recorded: those of one instance, switched on and off by pmlc while others are not, with what describes
them before them; as Debian's tools read it."""
import re
import subprocess

import pytest

import harness
from recording import Reader, Recorder
from tracing_agent import Collector, Worker, compile_worker

# Every tracing agent of a user sees the programs of all others: these tests do not run side by side with their like.
pytestmark = pytest.mark.xdist_group(name="traced")

BASE = "log mandatory on 1 hour { pmcd.pid }\n"


def pmlc(prefix, recorder, commands):
    done = subprocess.run([prefix.bin("pmlc"), str(recorder.process.pid)], input=commands, text=True, capture_output=True,
                          timeout=180, env=recorder.env)
    return done.stdout + done.stderr


def state(prefix, recorder, metric, inst):
    """The output of query for an instance."""
    said = pmlc(prefix, recorder, f"query {metric}\n")
    return " ".join(re.search(rf'(?m)^    (\S.*?) +\[\d+ or "{re.escape(inst)}"\]', said)[1].split()).removesuffix(" nl")


def follows(prefix, recorder, metric, inst, between=lambda: None):
    """Switches an instance on and off in each way; while it is on, yields the way. between is called while it is off."""
    for on, off, way in (("mandatory on 50 msec", "mandatory off", "mand"), ("advisory on 50 msec", "advisory off", "adv")):
        if way == "adv":
            between()
            pmlc(prefix, recorder, f'log mandatory maybe {metric}["{inst}"]\n')
        pmlc(prefix, recorder, f'log {on} {metric}["{inst}"]\n')
        assert state(prefix, recorder, metric, inst).startswith(f"{way} on")
        recorder.grows()  # the recorder is a client of these events from here on
        recorder.grows()
        yield way
        recorder.grows()
        if way == "mand":
            assert "Warning" in pmlc(prefix, recorder, f'log advisory off {metric}["{inst}"]\n')
        pmlc(prefix, recorder, f'log {off} {metric}["{inst}"]\n')
        assert state(prefix, recorder, metric, inst).startswith(f"{way} off")


def undescribed(text):
    """Parameters of a dump that have no name."""
    return re.findall(r"(?m)^        \S+ \(<noname>\).*|.*pmLookupDesc.*", text)


def test_one_instance_of_the_sample_agent(prefix, peer_root, tmp_path):
    metric = "sample.event.highres_records"
    reader = Reader(peer_root, tmp_path)
    with harness.Pmcd(prefix, tmp_path / "pmcd", [f"sample 29 dso sample_init {prefix.dso('sample')}"]) as pmcd:
        with Recorder(prefix, tmp_path, pmcd.host, BASE) as recorder:
            for _ in follows(prefix, recorder, metric, "bogus"):
                for _ in range(8):
                    recorder.grows()
            assert recorder.stop() == 0
    reader.check("archive")
    text = "".join(r.text for r in reader.records("archive"))
    assert 'sample.event.highres_records[1 or "bogus"]): 1 event record\n' in text and "fungus" not in text
    assert 'sample.event.param_string): value "fetch #' in text and not undescribed(text)
    numbers = [int(n) for n in re.findall(r'value "fetch #(\d+)"', text)]  # each fetch makes such an event
    gaps = [b - a for a, b in zip(numbers, numbers[1:]) if b != a + 1]
    assert gaps == [2]  # the first one's output after it was switched on again
    assert recorder.text().count("  metric: sample.event.highres_records\n    instance: bogus") == 6
    told = reader.run("pminfo", "-x", "-a", "archive", metric).stdout
    assert re.search(r'inst \[1 or "bogus"\] value \[\d event records? timestamp', told) and "sample.event.param_string (29.0.134)" in told
    assert "sample.event.param_string" in reader.run("pmevent", "-a", "archive", "-t", "0.05", metric).stdout


def test_one_traced_process(prefix, peer_root, tmp_path):
    """Of two traced programs, the events of one are recorded: each once, in order, and none from the time in which
    recording was off, although the agent keeps them for us."""
    metric = "tracing.stream.events"
    program = compile_worker(prefix, tmp_path)
    reader = Reader(peer_root, tmp_path / "reader")
    emitted, count = {"mand": 100, "adv": 70}, {}
    with Collector(prefix) as collector, Worker(program) as one, Worker(program) as other:
        env = {"PCP_VAR_DIR": collector.home / "var"}
        with Recorder(prefix, tmp_path, collector.host, BASE, env=env) as recorder:
            inst = f"{one.pid} {program.name}"
            harness.wait_until("both are attached", lambda: {inst, f"{other.pid} {program.name}"} <= set(re.findall(
                r'\[\d+ or "(.*?)"\]', pmlc(prefix, recorder, f"query {metric}\n"))), 60, alive=recorder.process)
            for way in follows(prefix, recorder, metric, inst, lambda: one("emit 25")):
                one(f"emit {emitted[way]}")
                other("emit 30")
                harness.wait_until("all are recorded", lambda: len(ticks(reader, recorder)) >= sum(
                    emitted[w] for w in {*count, way}), 60, alive=recorder.process)
                count[way] = True
            one("emit 10")  # which is not recorded
            assert recorder.stop() == 0
    reader.check(recorder.dir / "archive")
    text = reader.run("pmdumplog", "-m", recorder.dir / "archive").stdout
    assert not undescribed(text)
    assert set(re.findall(r'tracing\.stream\.events\[\d+ or "(.*?)"\]', text)) == {inst}
    assert set(re.findall(r"tracing\.param\.pid\): value (\d+)", text)) == {str(one.pid)}
    first, then = emitted["mand"], emitted["mand"] + 25
    assert ticks(reader, recorder) == [*range(first), *range(then, then + emitted["adv"])]
    descs = reader.run("pmdumplog", "-d", recorder.dir / "archive").stdout
    assert {"tracing.param.event", "tracing.param.pid"} <= set(re.findall(r"PMID: \S+ \((.*)\)", descs))
    # As a reader meets them: what describes an event is there before it.
    lines = reader.run("pmevent", "-a", recorder.dir / "archive", "-t", "0.05", metric).stdout
    assert "tracing.param.event" in lines


def ticks(reader, recorder):
    """The numbers of recorded events, in the order of the archive."""
    text = reader.run("pmdumplog", "-m", recorder.dir / "archive").stdout
    return [int(number) for number in re.findall(r"tracing\.field\.tick\.\w+\): value (\d+)", text)]
