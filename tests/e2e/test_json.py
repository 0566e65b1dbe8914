"""pminfo, pmprobe, pmval, pmrep and pmstat with --json: the output is JSON, and its values are those of the plain output."""
import csv
import json
import math
import pathlib
import re
import shlex

import pytest

from both import Both
from harness import run

PAGES = pathlib.Path(__file__).parents[2] / "man/man1"
SOURCES = ["20201109", "20180606", "all-sles9-sp1", "pcp-zeroconf", "interpmark", "eventrec", "sample_expr"]
PLAIN_VALUE = re.compile(r'^    (?:inst \[(-?\d+)(?: or "(.*)"| "DISAPPEARED")?\])? ?value (.*)$')


@pytest.fixture(scope="module")
def both(prefix, peer_root, tmp_path_factory):
    return Both(prefix, peer_root, tmp_path_factory.mktemp("json"), env={"TZ": "UTC"})


def loads(text):
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


def plain_metrics(text, names):
    """{name: (lines of the description, [(inst, name, text of the value)], the reason why there are none)}."""
    metrics = {}
    for line in text.splitlines():
        found = PLAIN_VALUE.match(line)
        if found:
            metrics[name][1].append(found.groups())
        elif line.split(":")[0] in names:
            name, *failure = line.split(": ", 2)
            metrics[name] = ([], [], failure[1:])
        elif line.startswith("    Data Type") or line.startswith("    Semantics"):
            metrics[name][0].append(line.strip())
        elif line.startswith("Error: "):
            metrics[name][2].append(line[len("Error: "):])
    return metrics


def assert_equals(value, text, kind):
    """A value of the document is the one that pmPrintValue writes."""
    if kind == "STRING":
        # Non-printing bytes and quotes are written in several ways.
        assert re.sub(r"[^\w ]", "", value) == re.sub(r"[^\w ]", "", text) or not text.isascii() or not value.isprintable()
    elif kind in ("FLOAT", "DOUBLE"):
        number = float(text)
        if not math.isfinite(number):
            assert value is None
        else:
            assert math.isclose(value, number, rel_tol=1e-5, abs_tol=1e-12), (value, text)
    elif kind in ("32", "U32", "64", "U64"):
        assert isinstance(value, int) and value == int(text)
    elif kind.endswith("EVENT"):
        assert re.match(rf"\[{value['events']} event record", text)
    else:
        assert re.fullmatch("([0-9a-f]{2})*", value)


def assert_same_metrics(document, text):
    metrics = loads(document)["metrics"]
    plain = plain_metrics(text, {m["name"] for m in metrics})
    assert [m["name"] for m in metrics] == list(plain)
    for m in metrics:
        lines, values, errors = plain[m["name"]]
        if "error" in m:
            assert errors == [m["error"]]
            continue
        assert lines[0].endswith("InDom: " + (m["indom"] or "PM_INDOM_NULL") + " 0x" + lines[0].split("0x")[-1])
        assert lines[1] == f"Semantics: {m['semantics']}  Units: {m['units']}"
        if isinstance(m["values"], dict):
            assert errors == [m["values"]["error"]]
            continue
        assert not errors and len(m["values"]) == len(values)
        for value, (inst, name, shown) in zip(m["values"], values):
            assert value.get("inst") == (None if inst is None else int(inst))
            assert value.get("instance") == name
            assert_equals(value["value"], shown, m["type"])
    return metrics


@pytest.mark.parametrize("archive", SOURCES)
def test_pminfo(both, archive):
    source = ["-a", "{archives}/" + archive, "-df"]
    plain, ours = both.ours("pminfo", *source), both.ours("pminfo", "--json", *source)
    assert (ours.status, ours.err) == (plain.status, plain.err)
    assert assert_same_metrics(ours.out, plain.out)


def test_pminfo_live(prefix, sample_pmcd, shared_pmcd):
    names = ["hinv", "kernel.all.uptime", "pmcd.agent", "sample.bin", "sample.long", "sample.ulonglong", "sample.string",
             "sample.float", "sample.double", "sample.aggregate", "sample.bad", "sample.colour"]
    names = [n for n in names if run([prefix.bin("pminfo"), "-h", shared_pmcd.host, n], prefix.env()).returncode == 0]
    argv = ["-h", shared_pmcd.host, "-df", *[n for n in names if n != "kernel.all.uptime"]]
    plain = run([prefix.bin("pminfo"), *argv], prefix.env())
    ours = run([prefix.bin("pminfo"), "--json", *argv], prefix.env())
    assert (ours.returncode, ours.stderr) == (plain.returncode, plain.stderr)
    metrics = assert_same_metrics(ours.stdout, plain.stdout)
    assert len(metrics) > 5


def test_pminfo_options(both):
    done = both.ours("pminfo", "--json", "-dmMtTlsIFx", "-z", "-a", "{archives}/20201109", "kernel.all.load", "60.1", "nosuch")
    assert (done.status, done.err) == (1, "Error: nosuch: Unknown metric name\n")
    document = loads(done.out)
    indom, = document["indoms"]
    assert indom["indom"] == "60.1" and {"indom_number", "oneline", "help", "labels"} <= set(indom)
    metric, = document["metrics"]
    plain = both.ours("pminfo", "-tTls", "-a", "{archives}/20201109", "kernel.all.load").out
    assert [f"    Source: {metric['source']}", f"    Series: {metric['series']}"] == re.findall("(?m)^    S[oe].*", plain)
    for i in metric["instance_series"]:
        assert f'    inst [{i["inst"]} or "{i["instance"]}"] series {i["series"]}\n' in plain
    for i in metric["instance_labels"]:
        shown = re.search(rf'\[{i["inst"]} or "{i["instance"]}"\] labels (.*)', plain)[1]
        assert i["labels"] == json.loads(shown)
    assert metric["pmid_number"] == 60 << 22 | 2 << 10
    assert f"[{metric['oneline']}]" in plain and f"Help:\n{metric['help']}" in plain


def test_pminfo_failures(both):
    plain = both.ours("pminfo", "-v", "-a", "{archives}/pcp-zeroconf")
    ours = both.ours("pminfo", "--json", "-v", "-a", "{archives}/pcp-zeroconf")
    shown = [f"{m['name']}: {m['error']}" for m in loads(ours.out)["metrics"]]
    assert shown == [re.sub(": pm\\w+: ", ": ", line) for line in plain.out.splitlines()]
    assert (ours.status, ours.err) == (plain.status, plain.err)


def test_pminfo_event_records(both):
    done = both.ours("pminfo", "--json", "-x", "-a", "{archives}/eventrec")
    plain = both.ours("pminfo", "-x", "-a", "{archives}/eventrec").out
    records = [r for m in loads(done.out)["metrics"] for v in m.get("values", []) if isinstance(v["value"], dict)
               for r in v["value"]["records"]]
    assert len(records) == plain.count("--- event record [") > 0
    assert sum(len(r["parameters"]) for r in records) > 0


@pytest.mark.parametrize("option", ["", "-v", "-i", "-I", "-iI", "-fi", "-fI", "-fiI"])
@pytest.mark.parametrize("archive", SOURCES)
def test_pmprobe(both, archive, option):
    args = [*([option] if option else []), "-a", "{archives}/" + archive]
    plain, ours = both.ours("pmprobe", *args), both.ours("pmprobe", "--json", *args)
    assert (ours.status, ours.err) == (plain.status, plain.err)
    metrics = loads(ours.out)["metrics"]
    lines = plain.out.split("\n")[:-1]
    if option == "-v":  # a text may have lines
        lines = [line for line in lines if re.match(r"[\w.]+ -?\d+", line)]
    assert len(metrics) == len(lines) > 0
    for m, line in zip(metrics, lines):
        name, count, *rest = line.split(" ", 2)
        assert m["name"] == name
        if "error" in m:
            assert str(m["code"]) == count and rest[0].startswith(m["error"])
            continue
        assert str(m["count"]) == count
        if option == "-v":
            assert len(m["values"]) == m["count"]
        elif option:
            words = []
            for i in m["instances"]:
                number = "PM_IN_NULL" if i.get("inst") is None else f"?{i['inst']}"
                words += [number] if "i" in option else []
                words += [f'"{i["instance"]}"' if i["instance"] is not None else number] if "I" in option else []
            assert " ".join(words) == " ".join(rest)


def test_pmprobe_values_and_errors(both):
    done = both.ours("pmprobe", "--json", "-v", "-V", "-a", "{archives}/20201109", "kernel.all.load", "nosuch", "hinv.ncpu")
    document = loads(done.out)
    assert document["metrics"] == [{"name": "nosuch", "error": "Unknown metric name", "code": -12357},
                                   {"name": "kernel.all.load", "count": 3, "values": [0.23, 0.24, 0.15]},
                                   {"name": "hinv.ncpu", "count": 1, "values": [8]}]
    assert len(document["sent"]) == len(document["received"]) == 23


def cells(text):
    """The stamp and the cells of each line below the header of pmval."""
    for line in text.splitlines():
        found = re.match(r"(\d\d:\d\d:\d\d\.\d{3}) *(.*)", line)
        if found:
            yield found.groups()


@pytest.mark.parametrize("options", ["kernel.all.load", "disk.dev.read", "-r disk.dev.read", "kernel.all.cpu.user -t 10",
                                     "hinv.ncpu -z", "-U {archives}/20201109 kernel.all.load", "kernel.all.nosuch",
                                     "kernel.all.load[1_minute]", "-i '15 minute' kernel.all.load", "-S @2019 kernel.all.load",
                                     "-Z UTC+3 kernel.all.uptime", "kernel.uname.release"])
def test_pmval(both, options):
    args = ["-s", "12", *([] if "-U" in options else ["-a", "{archives}/20201109"]), *shlex.split(options)]
    plain, ours = both.ours("pmval", *args), both.ours("pmval", "--json", *args)
    assert (ours.status, ours.err) == (plain.status, plain.err)
    objects = [loads(line) for line in ours.out.splitlines()]
    shown = list(cells(plain.out))
    assert [o["time"][11:23] for o in objects] == [stamp for stamp, _ in shown]
    for o, (_, text) in zip(objects, shown):
        assert abs(o["seconds"] % 60 - float(o["time"][17:26])) < 1e-5
        values = [v["value"] for v in o["values"]]
        if text == "No values available":
            assert values == []
        elif "release" in options:
            assert text == f'"{values[0]}"'
        else:
            numbers = [float(word) for word in text.split() if word not in "?!"]
            assert len(numbers) == len([v for v in values if v is not None])
            for value, number in zip(sorted(v for v in values if v is not None), sorted(numbers)):
                assert math.isclose(value, number, rel_tol=2e-3, abs_tol=1e-4)


def test_pmval_marks(both):
    name = both.ours("pminfo", "-a", "{archives}/interpmark").out.split()[0]
    args = ["-U", "{archives}/interpmark", name]
    plain, ours = both.ours("pmval", *args), both.ours("pmval", "--json", *args)
    objects = [loads(line) for line in ours.out.splitlines()]
    assert [o.get("mark", False) for o in objects] == [text == "Archive logging suspended" for _, text in cells(plain.out)]


def test_pmval_event_records(both):
    names = [m["name"] for m in loads(both.ours("pminfo", "--json", "-a", "{archives}/eventrec").out)["metrics"]
             if m.get("type", "").endswith("EVENT")]
    assert names
    for name in names:
        plain = both.ours("pmval", "-a", "{archives}/eventrec", name).out
        lines = both.ours("pmval", "--json", "-a", "{archives}/eventrec", name).out.splitlines()
        counts = [v["value"]["events"] for line in lines for v in loads(line)["values"]]
        assert counts == [int(n) for n in re.findall(r"(?m): (\d+) event records$", plain)]
        assert sum(counts) == plain.count("--- event record [")


@pytest.mark.parametrize("archive, metrics", [("20201109", "kernel.all.load disk.dev.read hinv.ncpu"),
                                              ("20201109", "-r -t 10 kernel.all.cpu.user disk.dev"),
                                              ("20201109", "-u kernel.all.load disk.dev.read"),
                                              ("20201109", "-i '1 minute' kernel.all.load"),
                                              ("20201109", "-J 1 -x -z kernel.all.load"),
                                              ("20180127.08.40", "-c /none -5 kernel.all.load network.interface.in.bytes,,,KB"),
                                              ("all-sles9-sp1", "-t 10 kernel.all.load mem.util.free,free,,MB")])
def test_pmrep(both, archive, metrics):
    args = ["-s", "8", "-P", "9", "-a", "{archives}/" + archive, *shlex.split(metrics.replace("-c /none ", ""))]
    plain, ours = both.ours("pmrep", "-o", "csv", *args), both.ours("pmrep", "--json", *args)
    assert (ours.status, ours.err) == (plain.status, plain.err)
    assert both.ours("pmrep", "-o", "json", *args) == ours
    lines = [line for line in plain.out.splitlines() if not line.startswith("#")]
    header, *rows = csv.reader(lines)
    objects = [loads(line) for line in ours.out.splitlines()]
    assert len(objects) == len(rows) > 0
    for o, row in zip(objects, rows):
        assert o["time"][:19] == row[0].replace(" ", "T")
        values = {m["name"] + ("-" + v["instance"].replace(",", " ") if "inst" in v else ""): v["value"]
                  for m in o["metrics"] for v in m["values"]}
        assert all(m["values"] == [] and m["code"] < 0 for m in o["metrics"] if "error" in m)
        for name, text in zip(header[1:], row[1:]):
            if text == "":
                assert name not in values
            else:
                assert math.isclose(values[name], float(text), rel_tol=1e-6, abs_tol=1e-8)


def test_pmrep_says_why_there_is_no_value(both):
    done = both.ours("pmrep", "--json", "-s", "1", "-z", "-a", "{archives}/sample_expr", "sample.scale_step.bytes_down")
    metric, = loads(done.out)["metrics"]
    assert (metric["values"], metric["error"], metric["code"]) == ([], "Missing metric value(s)", -12351)


def test_pmrep_refuses_an_overall_ranking(both):
    done = both.ours("pmrep", "--json", "-2", "-J", "1", "-a", "{archives}/20201109", "kernel.all.load")
    assert (done.status, done.out, done.err) == (1, "", "Overall ranking is not available with JSON output.\n")


@pytest.mark.parametrize("archive", ["20201109", "pcp-vmstat", "all-sles9-sp1", "20180127.08.40"])
def test_pmstat(both, archive):
    args = ["-x", "-t", "1", "-s", "4", "-a", "{archives}/" + archive]
    plain, ours = both.ours("pmstat", *args), both.ours("pmstat", "--json", *args)
    assert (ours.status, ours.err) == (plain.status, plain.err)
    rows = [line.split() for line in plain.out.splitlines() if re.match(r" +[\d?.]+ +[\d?]+[mg]? ", line)]
    objects = [loads(line) for line in ours.out.splitlines() if "error" not in loads(line)]
    assert len(objects) == len(rows) > 0
    for o, row in zip(objects, rows):
        assert re.match(r"\d{4}-\d\d-\d\dT", o.pop("time")) and o.pop("host") and o.pop("seconds") > 0
        cpu = o.pop("cpu")
        assert list(cpu) == ["user", "system", "idle", "wait", "steal"]
        for value, text in zip([*o.values(), *cpu.values()], row, strict=True):
            assert (value is None) == (text == "?")
            if text.isdigit():
                assert abs(value - int(text)) <= 0.5
            elif text != "?" and text[-1].isdigit():
                assert abs(value - float(text)) <= 0.005


def test_errors_print_nothing(both):
    for tool, *args in (["pminfo"], ["pmprobe"], ["pmval", "a.b"]):
        plain, ours = both.ours(tool, *args, "-a", "nope"), both.ours(tool, "--json", *args, "-a", "nope")
        assert ours == plain and ours.out == ""


def example(tool):
    """The example with --json on a page: its words and its output."""
    text = (PAGES / f"{tool}.1").read_text()
    line, output = re.search(rf"(?ms)^\$ ({tool} --json .*?)\n(.*?)^\.Ed", text).groups()
    return shlex.split(line), loads(output.replace("\\&", ""))


def shape(data):
    """Data without numbers that change."""
    if isinstance(data, dict):
        return {k: shape(v) if k not in ("value", "time", "seconds") else type(v).__name__ for k, v in data.items()}
    return [shape(d) for d in data] if isinstance(data, list) else data


@pytest.mark.parametrize("tool", ["pminfo", "pmprobe", "pmval", "pmrep"])
def test_the_example_of_the_page(prefix, shared_pmcd, tool):
    words, wanted = example(tool)
    done = run([prefix.bin(words[0]), *words[1:]], prefix.env(PMCD_SOCKET=shared_pmcd.socket))
    assert (done.returncode, done.stderr) == (0, "")
    assert shape(loads(done.stdout)) == shape(wanted)
