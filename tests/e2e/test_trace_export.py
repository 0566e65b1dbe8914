"""`pitot trace export` as other programs read it, with metrics of the same time beside the events; `pitot trace run`."""
import json
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from harness import run, wait_until
from recording import Reader, Recorder
from tracers import ROOT, Tracer, returned

SECOND = 10**9


@pytest.fixture(scope="module")
def tracer(prefix, tmp_path_factory):
    return Tracer(prefix, tmp_path_factory.mktemp("trace"))


# Perfetto


TOKEN = re.compile(r'\s*(?:(\w+): (?:"((?:[^"\\]|\\.)*)"|(\S+))|(\w+) (\{)|(\}))')


def unquote(text):
    raw = re.sub(r"\\([0-7]{3}|.)", lambda m: chr(int(m[1], 8)) if len(m[1]) == 3 else {"n": "\n", "t": "\t", "r": "\r"}
                 .get(m[1], m[1]), text)
    return raw.encode("latin-1").decode("utf-8")


def number(text):
    if text in ("true", "false"):
        return text == "true"
    return text if re.match(r"[A-Z]", text) else float(text) if re.search(r"[.en]", text) else int(text)


def parse(text):
    """The output of protoc, as dicts of lists."""
    top, stack = {}, []
    here, position = top, 0
    while match := TOKEN.match(text, position):
        position = match.end()
        key, string, scalar, message, _, end = match.groups()
        if key:
            here.setdefault(key, []).append(unquote(string) if string is not None else number(scalar))
        elif message:
            stack.append(here)
            inner = {}
            here.setdefault(message, []).append(inner)
            here = inner
        elif end:
            here = stack.pop()
    assert text[position:].strip() == "", text[position:position + 200]
    return top


class Perfetto:
    """An exported file, decoded by protoc."""

    def __init__(self, path):
        if shutil.which("protoc") is None:
            pytest.skip("protoc is not installed")
        folder = ROOT / "src" / "tools" / "pitot" / "export"
        done = subprocess.run(["protoc", f"--proto_path={folder}", "--decode=perfetto.Trace", "perfetto.proto"],
                              stdin=open(path, "rb"), capture_output=True, timeout=180)
        assert done.returncode == 0, done.stderr
        self.packets = parse(done.stdout.decode())["packet"]
        self.tracks = {t["uuid"][0]: t for p in self.packets for t in p.get("track_descriptor", [])}
        self.events = [(p["timestamp"][0], e) for p in self.packets for e in p.get("track_event", [])]
        assert "clock_snapshot" in self.packets[0]
        assert all(p.get("timestamp_clock_id", [1]) == [1] for p in self.packets)

    def of_type(self, kind):
        return [(ns, e) for ns, e in self.events if e["type"] == [kind]]

    def counters(self):
        """{name of a track: [(time, value)]}"""
        found = {}
        for ns, e in self.of_type("TYPE_COUNTER"):
            values = e.get("counter_value", []) + e.get("double_counter_value", [])
            found.setdefault(self.tracks[e["track_uuid"][0]]["name"][0], []).append((ns, *values))
        return found


def described_before_used(trace):
    known = set()
    for p in trace.packets:
        for t in p.get("track_descriptor", []):
            assert t["uuid"][0] not in known and t.get("parent_uuid", [0])[0] in known | {0}
            known.add(t["uuid"][0])
        for e in p.get("track_event", []):
            assert e["track_uuid"][0] in known


def notes(event):
    """{name: value} of an event's annotations."""
    found = {}
    for note in event.get("debug_annotations", []):
        (value,) = [v for k, v in note.items() if k.endswith("_value")]
        found[note["name"][0]] = value[0]
    return found


def as_notes(event):
    """The required content for an event of `dump --json`."""
    fields = dict(event.get("fields", {}))
    if event["id"] < 9:
        fields = {k: v for k, v in fields.items() if k in ("auto", "error")}
    fields.update({k: event[k] for k in ("data", "rest") if k in event and event["id"] >= 9})
    fields["address"] = int(event["address"], 16)
    if event["truncated"]:
        fields["truncated"] = True
    return {k: float(v) if v in ("nan", "inf", "-inf") else v for k, v in fields.items()}


def same(a, b):
    return a.keys() == b.keys() and all(repr(a[k]) == repr(b[k]) or a[k] == b[k] for k in a)


def check_events(trace, events):
    instants = trace.of_type("TYPE_INSTANT")
    assert len(instants) == len(events)
    for (ns, seen), event in zip(instants, events):
        assert (ns, seen.get("name", [""])[0]) == (event["ns"], event["name"])
        track = trace.tracks[seen["track_uuid"][0]]
        if "thread" in track:
            assert (track["thread"][0]["pid"], track["thread"][0]["tid"]) == ([event["pid"]], [event["tid"]])
            assert trace.tracks[track["parent_uuid"][0]]["process"][0]["pid"] == [event["pid"]]
        assert same(notes(seen), as_notes(event)), (notes(seen), as_notes(event))


@pytest.mark.parametrize("what", [("kinds",), ("threads", "4", "3000"), ("family",)])
def test_perfetto(tracer, tmp_path, what):
    log, out = tmp_path / "a.log", tmp_path / "a.pftrace"
    tracer.record(log, tracer.worker, *what, options=["--size", "8M", "--children"])
    done = tracer("export", "--perfetto", out, log)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    trace = Perfetto(out)
    described_before_used(trace)
    check_events(trace, tracer.events(log))


def test_losses_are_slices(tracer, tmp_path):
    log, out = tmp_path / "a.log", tmp_path / "a.pftrace"
    assert tracer("record", "-o", log, "--log-size", "1M", tracer.worker, "burst", "100000").returncode == 0
    assert tracer("export", "--perfetto", out, log).returncode == 0
    trace = Perfetto(out)
    counts = json.loads(tracer("status", "--json", log).stdout)["counts"]
    lost = sum(v for k, v in counts.items() if k.startswith("lost_"))
    begins, ends = trace.of_type("TYPE_SLICE_BEGIN"), trace.of_type("TYPE_SLICE_END")
    assert len(begins) == len(ends) > 0
    assert sum(int(e["name"][0].split()[0]) for _, e in begins) == lost > 0
    lines = tracer("export", "--json", "-", log).stdout.splitlines()
    assert sum(json.loads(line).get("lost", 0) for line in lines) == lost


# JSON


def test_json_is_what_dump_says(tracer, tmp_path):
    log, out = tmp_path / "a.log", tmp_path / "a.json"
    tracer.record(log, tracer.worker, "kinds")
    assert tracer("export", "--json", out, log).returncode == 0
    dump = tracer("dump", "--json", log).stdout
    assert out.read_text() == dump == tracer("export", "--json", "-", log).stdout
    only = tracer("export", "--json", "-", "--name", "plain", log).stdout.splitlines()
    assert only == [line for line in dump.splitlines() if json.loads(line)["name"] == "plain"] != []


def test_a_file_that_is_there_stays(tracer, tmp_path):
    log = tmp_path / "a.log"
    tracer.record(log, tracer.worker, "burst", "5")
    before = log.read_bytes()
    for form in ("--perfetto", "--json"):
        done = tracer("export", form, log, log)
        assert done.returncode == 1 and "File exists" in done.stderr
    assert log.read_bytes() == before


@pytest.mark.parametrize("form", ["--perfetto", "--json"])
def test_a_full_output(tracer, tmp_path, form):
    tracer.record(tmp_path / "a.log", tracer.worker, "burst", "5000")
    with open("/dev/full", "w") as full:
        done = subprocess.run([tracer.pitot, "trace", "export", form, "-", str(tmp_path / "a.log")], env=tracer.env,
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=180)
    assert done.returncode == 1 and "No space left on device" in done.stderr


# metrics of the same time


METRICS = "sample.bin[bin-100,bin-300],sample.double,sample.seconds,sample.milliseconds"


@pytest.fixture(scope="module")
def night(prefix, peer_root, sample_pmcd, tracer, tmp_path_factory):
    """An archive and a trace of the same seconds; the records as Debian's pmdumplog reads them."""
    folder = tmp_path_factory.mktemp("night")
    config = "log mandatory on 100 msec { sample.bin sample.double sample.seconds sample.milliseconds sample.string }\n"
    with Recorder(prefix, folder, sample_pmcd.host, config) as recorder:
        recorder.grows()
        log = folder / "a.log"
        process = tracer.start("record", "-o", log, "--", tracer.worker, "steady", folder / "count")
        wait_until("events come", lambda: returned(folder / "count") > 1000, alive=process)
        for _ in range(16):  # an incomplete record may be read, too
            recorder.grows()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        recorder.grows()
        recorder.grows()
        recorder.stop()
    return folder, log, folder / "archive", Reader(peer_root, folder)


def recorded(reader, metric, instance=None):
    """[(nanoseconds since midnight, number)] of a metric, by Debian's pmdumplog."""
    found = []
    pattern = rf'inst \[\d+ or "{instance}"\] value (\S+)' if instance else r"value (\S+)"
    for record in reader.records("archive"):
        for names in record.metrics:
            if metric in names.split(" or "):
                body = re.split(r"\n    (?=\d)", record.text.split(f"({names}):")[1])[0]
                found.append((record.stamp % (86400 * SECOND), float(re.search(pattern, body)[1])))
    return found


def of_day(samples):
    return [(ns % (86400 * SECOND), *rest) for ns, *rest in samples]


def test_metrics_beside_events(tracer, night):
    folder, log, archive, reader = night
    lines = [json.loads(line) for line in tracer("export", "--json", "-", "--raw", "--archive", archive, "--metrics", METRICS,
                                                 log).stdout.splitlines()]
    events = [line for line in lines if "metric" not in line]
    assert events == tracer.events(log)
    times = [line["ns"] for line in lines if "metric" in line]
    assert times == sorted(times)
    assert all(a["ns"] <= b["ns"] for a, b in zip(lines, lines[1:]) if "metric" in a or "metric" in b)
    first, last = events[0]["ns"], events[-1]["ns"]
    samples = {}
    for line in lines:
        if "metric" in line:
            samples.setdefault((line["metric"], line.get("instance")), []).append((line["ns"], line["value"]))
    inner = {k for k in samples if k[0].startswith("sample.double.")}
    assert {"sample.double.ten", "sample.double.one"} <= {metric for metric, _ in inner}
    assert set(samples) - inner == {("sample.bin", "bin-100"), ("sample.bin", "bin-300"), ("sample.seconds", None),
                                    ("sample.milliseconds", None)}
    for (metric, instance), values in samples.items():
        assert len(values) >= 5
        assert all(first - 2 * SECOND <= ns <= last + 2 * SECOND for ns, _ in values)
        told = dict(recorded(reader, metric, instance))
        for ns, value in of_day(values):
            assert told[ns] == pytest.approx(value, rel=1e-5), (metric, instance)


def test_metrics_are_counter_tracks(tracer, night):
    folder, log, archive, _ = night
    args = ["--archive", archive, "--metrics", METRICS]
    assert tracer("export", "--perfetto", folder / "a.pftrace", *args, log).returncode == 0
    trace = Perfetto(folder / "a.pftrace")
    described_before_used(trace)
    check_events(trace, tracer.events(log))
    counters = trace.counters()
    assert {v for _, v in counters["sample.bin[bin-100]"]} == {100}
    assert {v for _, v in counters["sample.bin[bin-300]"]} == {300}
    raw = {}
    for line in tracer("export", "--json", "-", "--raw", *args, log).stdout.splitlines():
        line = json.loads(line)
        if line.get("metric") == "sample.milliseconds":
            raw[line["ns"]] = line["value"]
    rates = counters["sample.milliseconds"]
    assert len(rates) >= 5
    stamps = sorted(raw)
    for (ns, rate) in rates:
        place = stamps.index(ns)
        if place > 0:
            before = stamps[place - 1]
            # milliseconds a second: the part of the time, in seconds
            assert rate == pytest.approx((raw[ns] - raw[before]) / 1000 / ((ns - before) / SECOND), rel=1e-9)


def test_metrics_in_ctf(tracer, night):
    """babeltrace2 prints the same events and values as the lines of JSON, on one time axis."""
    if shutil.which("babeltrace2") is None:
        pytest.skip("babeltrace2 is not installed")
    folder, log, archive, _ = night
    for form in [], ["--raw"]:
        args = [*form, "--archive", archive, "--metrics", METRICS]
        lines = [json.loads(line) for line in tracer("export", "--json", "-", *args, log).stdout.splitlines()]
        out = folder / f"ctf{len(form)}"
        done = tracer("export", "--ctf", out, *args, log)
        assert done.returncode == 0, done.stderr
        done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", out], capture_output=True, text=True, timeout=180)
        assert done.returncode == 0 and done.stderr == ""
        stamps = [int(line[1:line.index("]")].replace(".", "")) for line in done.stdout.splitlines()]
        assert stamps == sorted(stamps) and len(stamps) == len(lines)
        found = re.findall(r'^\[(\d+)\.(\d+)\] (sample\.\S+): \{ (?:instance = "([^"]*)", )?value = (\S+), units = "([^"]*)" \}',
                           done.stdout, re.M)
        told = [(line["ns"], line["metric"], line.get("instance", ""), line.get("units", "")) for line in lines if "metric" in line]
        assert sorted((int(s + ns), metric, inst, units) for s, ns, metric, inst, _, units in found) == sorted(told)
        values = {(line["ns"], line["metric"], line.get("instance", "")): line["value"] for line in lines if "metric" in line}
        for s, ns, metric, inst, value, _ in found:
            assert float(value) == pytest.approx(values[int(s + ns), metric, inst], rel=1e-5)


def fields_of(data):
    """The fields of a protobuf message by their numbers, without any description of it."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        else:
            length = {1: 8, 5: 4}.get(key & 7) or varint()
            value = data[at:at + length]
            at += length
        found.setdefault(key >> 3, []).append(value)
    return found


def test_the_numbers_of_perfetto(tracer, night):
    """Decodes the file with the numbers of the public reference: docs/trace-export.md has the table."""
    folder, log, archive, _ = night
    done = tracer("export", "--perfetto", folder / "numbers", "--archive", archive, "--metrics", METRICS, log)
    assert done.returncode == 0
    trace = fields_of((folder / "numbers").read_bytes())
    assert set(trace) == {1}
    packets = [fields_of(packet) for packet in trace[1]]
    clocks = fields_of(packets[0][6][0])  # the first packet says what time is, and that nothing is known from before
    assert {fields_of(clock)[1][0] for clock in clocks[1]} == {1, 6} and clocks[2] == [1] and packets[0][13] == [1]
    assert {packet[10][0] for packet in packets} == {1}
    tracks, kinds = {}, set()
    for packet in packets[1:]:
        assert len({11, 60} & set(packet)) == 1
        if 60 in packet:
            track = fields_of(packet[60][0])
            assert track[1][0] not in tracks and track[1][0] != 0
            assert 5 not in track or track[5][0] in tracks  # its parent is there already
            assert {2, 3, 4} & set(track)  # a name, or that of a process or thread
            tracks[track[1][0]] = track
            continue
        event = fields_of(packet[11][0])
        assert packet[58] == [1] and packet[8][0] > 10 ** 18
        track = tracks[event[11][0]]
        kinds.add(event[9][0])
        assert event[9][0] in (1, 2, 3, 4)
        assert (event[9][0] == 4) == (8 in track) == (30 in event or 44 in event)
        assert event[9][0] in (2, 4) or 23 in event
        for note in map(fields_of, event.get(4, [])):
            assert 10 in note and len({2, 3, 4, 5, 6, 7} & set(note)) == 1
    assert {3, 4} <= kinds
    threads = [fields_of(track[4][0]) for track in tracks.values() if 4 in track]
    assert threads and all(1 in thread and 2 in thread for thread in threads)
    assert any(5 in thread for thread in threads)  # the first thread has the process's name
    assert all(6 in fields_of(track[3][0]) for track in tracks.values() if 3 in track)
    assert any(6 in fields_of(track[8][0]) for track in tracks.values() if 8 in track)  # units


def test_wrong_metrics(tracer, night):
    _, log, archive, _ = night
    for metrics, text in [("sample.nosuch", "sample.nosuch: Unknown metric name"), ("sample.string", "has no numbers"),
                          ("sample.bin[", "--metrics")]:
        done = tracer("export", "--json", "-", "--archive", archive, "--metrics", metrics, log)
        assert done.returncode == 1 and text in done.stderr and done.stdout == ""


# run


def test_run_shows_and_records(tracer, tmp_path):
    done = tracer("run", "-o", "a.log", tracer.example, "3", cwd=tmp_path)
    assert done.returncode == 0
    lines = [re.sub(r"^\d\d:\d\d:\d\d\.\d{9} \d+/\d+ ", "", line) for line in done.stderr.splitlines()]
    assert [line for line in lines if line.startswith(("begin", "step"))] == [
        'begin "hello"', "step number=1 square=1", "step number=2 square=4", "step number=3 square=9"]
    assert re.fullmatch(r"pitot: trace run: a\.log: emitted (\d+): kept \1, overwritten 0, lost 0, \d+ bytes", lines[-1])
    assert [e["name"] for e in tracer.events(tmp_path / "a.log") if e["id"] >= 9] == ["begin", "step", "step", "step"]


def test_run_passes_on_what_the_command_does(tracer, tmp_path):
    done = tracer("run", "-q", "--", tracer.worker, "exit", "7", cwd=tmp_path)
    assert done.returncode == 7
    (log,) = tmp_path.glob("trace-worker-*.log")
    assert [e["name"] for e in tracer.events(log) if e["id"] >= 9] != []
    assert tracer("run", "-q", tracer.worker, "signal", "9", cwd=tmp_path).returncode == 128 + 9
    assert tracer("run", "/proc/nonexistent", cwd=tmp_path).returncode == 127
    done = tracer("run", "-q", "-Z", "Asia/Tokyo", "/usr/bin/env", cwd=tmp_path)
    assert "PITOT_TRACE=1\n" in done.stdout and "TZ=UTC\n" in done.stdout


def test_run_is_interrupted(tracer, tmp_path):
    process = tracer.start("run", "-o", tmp_path / "a.log", "--json", tracer.worker, "steady", tmp_path / "count",
                           stderr=open(tmp_path / "err", "w"))
    wait_until("events come", lambda: returned(tmp_path / "count") > 100, alive=process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 128 + signal.SIGTERM
    seen = [json.loads(line) for line in pathlib.Path(tmp_path / "err").read_text().splitlines() if line.startswith("{")]
    assert [e for e in seen if e["name"] == "tick"]
    assert tracer.numbers(tmp_path / "a.log") == list(range(len(tracer.numbers(tmp_path / "a.log"))))
    assert run(["pgrep", "-f", f"{tracer.worker} steady {tmp_path}"]).returncode == 1
