"""For PCP's test archives pminfo, pmprobe and pmval print the same as Debian's, byte for byte.

Each archive, and each list of some, gets a row of each table, with different rows for each, so that all options are
tested with many archives. PITOT_ARCHIVE_ROWS is the number of rows (1), PITOT_ARCHIVE_STEP selects every n-th archive
(2). If 6.0.3 is wrong (docs/spec/archive.md 10.6) the reference is called differently, or without that metric, and a
test below proves it.
"""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import archive_sides
from peer import bare_env, peer_root
from test_tools_parity import blank

ROWS = int(os.environ.get("PITOT_ARCHIVE_ROWS", "1"))
STEP = int(os.environ.get("PITOT_ARCHIVE_STEP", "2"))

PMINFO = ["-f", "-d", "-m", "-t", "-T", "-l", "-I", "-dmtTlI", "-v", "-s", "-x -f", "-F", "-z -f -O +5", "-Z UTC -f -O -2",
          "-Z Asia/Tokyo -fI -O +1", "-f -O -1sec", "-b 5 -f"]
PMPROBE = ["", "-v", "-i", "-I", "-fiI", "-v -O +3", "-V", "-z -v -O -1", "-Z UTC -I -O +2"]
PMVAL = ["-s 5 -t 2", "-S +1 -t 2 -s 5", "-T +10 -t 1.5", "-A 5s -t 1 -s 4", "-z -t 2 -s 3", "-Z Asia/Tokyo -s 3 -t 5min",
         "-r -s 4 -t 3", "-O +2 -s 3 -t 1", "-S +3 -T +9 -A 2 -O +4 -t 1", "-f 2 -w 12 -s 4 -t 3", "-t 100ms -s 6",
         "-S -10 -t 3 -s 6", "-T -5 -t 10min -s 5", "-U {archive} -s 6", "-U {archive} -S +2 -s 4 -Z UTC", "-t 1hour -s 3"]

LISTS = ["multi", "multi-xz", "multi-xz-1k", "gap,gap", "gap.0,gap.0", "gap,", "diff1,diff2",
         "mark_no_mark_0,mark_no_mark_1,mark_no_mark_2,mark_no_mark_3,mark_no_mark_4", "mark_no_mark_3,mark_no_mark_2",
         "mark_no_mark_1,mark_no_mark_4", "multi/20150508.11.44,multi/20150508.11.57", "omnibus_v2,omnibus_v3",
         "tzchange-10-a,tzchange-10-b", "multi,multi/20150508.11.44"]

# Lists that do not open, with the same reason on both sides.
REFUSED = ["gap,gap.0", "gap.meta,gap", "gap,./gap", "gap,gap,gap2,./gap2", "multi/20150508.11.44.0,multi", "gap,gap2",
           "arch_a,arch_a,gap,./gap", "20190628.04.03,20190628.06.31", "gap,,gap2", "gap,,gap", ",gap", "gap,nosuch",
           "multi-xz,gap"]

# Interpolated, some metrics are wrong: integers that fall by more than their type holds, numbers in blocks without
# a type, and in version 3 what is there at the start alone.
FALL = re.compile(r"sample(dso)?\.wrap\.(long|longlong|ulonglong)$")
NO_TYPE = re.compile(r"960624.08.17_v2|ba\w+.(client|pmview)_v2|bozo.client_v2")
LONG = re.compile(r"(?m)^(\S+).*\n    Data Type: (?:64-bit|double)")
VERSION_3 = re.compile(r"_v3$")
PROLOGUE = re.compile(r"pmcd\.(pmlogger|pid|seqnum)")
CLUSTER = re.compile(r'"cluster":"zero",?')
REUSED = "20180416.10.00"  # instances that have other names later
RENAMED = ("pcp-uptime2", "pcpcmd")  # pminfo has the instances of the metric before


def bases():
    root = peer_root()
    folder = pathlib.Path(root or "/proc/nonexistent") / "var/lib/pcp/testsuite/archives"
    return sorted({path.name.split(".meta")[0] for path in folder.glob("*.meta*")})


NAMES = bases()[::STEP] + LISTS


class Tools:
    def __init__(self, prefix, root, home):
        self.folder = pathlib.Path(root) / "var/lib/pcp/testsuite/archives"
        env = bare_env(root, home)
        own = {name: value for name, value in env.items() if name != "LD_LIBRARY_PATH"}
        self.sides = ((pathlib.Path(root) / "usr/bin", env), (pathlib.Path(prefix.path) / "bin", own))
        self.home = home / "without-index"

    def run(self, side, words, folder=None, env=None):
        programs, own = self.sides[side]
        return subprocess.run([str(programs / words[0]), *words[1:]], env={**own, **(env or {})}, cwd=folder or self.folder,
                              capture_output=True, timeout=120, check=False)

    def without_index(self, name):
        """A folder with copies of the archives of a list, without their indexes."""
        folder = self.home / name.replace("/", "+")
        for path in [path for base in name.split(",") for path in self.folder.glob(base + ".*")]:
            if not path.name.endswith((".index", ".index.xz")) and not (folder / path.name).exists():
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, folder)
        return folder

    def both(self, words):
        return [self.run(side, words) for side in (0, 1)]

    def text(self, side, *words):
        return self.run(side, words).stdout.decode()

    def metrics(self, archive):
        names = [name for name in self.text(0, "pminfo", "-a", archive).split() if not name.startswith("event.")]
        assert names, archive
        return names


@pytest.fixture(scope="module")
def tools(prefix, tmp_path_factory):
    if peer_root() is None:
        pytest.skip("no reference installation")
    return Tools(prefix, peer_root(), tmp_path_factory.mktemp("archive-parity"))


CARRY = re.compile(r"(\d\d):(\d\d):(\d\d)\.1000")


def carry(match):
    """6.0.3 has a second of 1000 ms where two halves meet."""
    s = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]) + 1
    return "%02d:%02d:%02d.000" % (s // 3600 % 24, s // 60 % 60, s % 60)


# For records with nanoseconds, 6.0.3 does not use the last one for their time if it is a record of missed events (as
# blank() has it for others).
LAST_HIGHRES = re.compile(r"(event records timestamps [\d:]+\.\d{9}\.\.\.)[\d:.]+")


def difference(theirs, ours):
    """The differences of their outputs, "" for none."""
    ours = archive_sides.without_window(theirs, ours)
    for stream in ("stdout", "stderr"):
        a = CARRY.sub(carry, blank("archives", getattr(theirs, stream))).splitlines()
        b = blank("archives", getattr(ours, stream)).splitlines()
        a, b = ([LAST_HIGHRES.sub(r"\1#", line) for line in lines] for lines in (a, b))
        if CLUSTER.search("\n".join(b)):
            a, b = ([CLUSTER.sub("", line) for line in lines] for lines in (a, b))
        different = [(x, y) for x, y in zip(a + [None] * len(b), b + [None] * len(a)) if x != y]
        if different:
            return stream + "\n" + "\n".join("- %.200s\n+ %.200s" % pair for pair in different[:8])
    return "" if theirs.returncode == ours.returncode else "exit %d, %d" % (theirs.returncode, ours.returncode)


def assert_same(words, theirs, ours):
    different = difference(theirs, ours)
    assert not different, "%s: %s" % (" ".join(words), different)


def rows_of(table, number):
    """Others for each archive; in some dozen archives each row has its turn."""
    return [table[(number * ROWS + i) % len(table)] for i in range(min(ROWS, len(table)))]


def steady(tools, archive, names):
    """Metrics that 6.0.3 interpolates right."""
    long = set(LONG.findall(tools.text(0, "pminfo", "-d", "-a", archive))) if NO_TYPE.match(archive) else ()
    return [name for name in names if not FALL.match(name) and name not in long and
            not (VERSION_3.search(archive) and PROLOGUE.match(name))]


@pytest.mark.parametrize("name", NAMES)
def test_same_answers(tools, name):
    number = NAMES.index(name)
    names = tools.metrics(name)
    some = [names[(number * 7 + i * 13) % len(names)] for i in range(min(12, len(names)))]
    rows = [("pminfo", "-a", name, *row.split(), *some) for row in rows_of(PMINFO, number)]
    rows += [("pmprobe", "-a", name, *row.split(), *some) for row in rows_of(PMPROBE, number)]
    calm = steady(tools, name, some)
    for i, row in enumerate(rows_of(PMVAL, number) if calm else []):
        words = row.format(archive=name).split()
        source = [] if "-U" in words else ["-a", name]
        rows.append(("pmval", *source, *words, calm[(number + i) % len(calm)]))
    if name in RENAMED:
        rows = [(*row[:-len(some)], metric) for row in rows if row[0] == "pminfo" for metric in some]
    for row in rows:
        if name == REUSED and row[0] == "pmprobe" and {"-I", "-fiI"} & set(row):
            continue
        theirs, ours = tools.both(row)
        if difference(theirs, ours) and not os.path.isdir(tools.folder / name):
            # An index of an older writer hides the end from them: test_an_old_index_hides_the_end.
            theirs = tools.run(0, row, tools.without_index(name))
        assert_same(row, theirs, ours)


@pytest.mark.parametrize("names", REFUSED)
def test_refused_lists(tools, names):
    for words in (("pminfo", "-a", names), ("pmval", "-a", names, "sample.bin"), ("pmprobe", "-a", names)):
        theirs, ours = tools.both(words)
        assert_same(words, theirs, ours)
        assert ours.returncode != 0


@pytest.mark.parametrize("row", ["-U {} -s 4", "-U {} -s 3 -r", "-U {} -s 4 -f 2", "-a {} -s 4"])
@pytest.mark.parametrize("archive, metric, old, new", [("rank-pred", "disk.dev.write", 4, 9),
                                                       ("pcp-uptime2", "kernel.all.load", 15, 16)])
def test_instances_without_a_name(tools, tmp_path, archive, metric, old, new, row):
    ids = b"".join(i.to_bytes(4, "big") for i in {4: range(5), 15: (1, 5, 15)}[old])
    for path in tools.folder.glob(archive + ".*"):
        data = path.read_bytes()
        if path.suffix == ".meta":
            assert ids in data
            data = data.replace(ids, ids[:-4] + new.to_bytes(4, "big"))
        (tmp_path / path.name).write_bytes(data)
    words = ("pmval", *row.format(archive).split(), metric)
    theirs, ours = (tools.run(side, words, tmp_path) for side in (0, 1))
    assert_same(words, theirs, ours)
    assert ("instance=%d is unknown" % old in ours.stdout.decode()) == ("-U" in words)


# Cases in which 6.0.3 differs and is wrong: the same request in another form, or its own data, prove it.

def test_an_old_index_hides_the_end(tools):
    """The same archive without its index gives more."""
    for name, words in (("tzchange-10-a", ("pmprobe", "-v", "-O", "+3", "sample.drift")),
                        ("tzchange-11-b", ("pmprobe", "-v", "-O", "+3", "sample.drift")),
                        ("arch_a", ("pminfo", "-f", "-O", "+5", "irix.kernel.all.cpu.idle")),
                        ("pcp-mpstat3", ("pmval", "-s", "2", "-t", "1", "-S", "+2", "hinv.map.cpu_num")),
                        ("binning", ("pmval", "-S", "-10", "-t", "3", "pmcd.pmlogger.host"))):
        asked = (words[0], "-a", name, *words[1:])
        with_index, without, ours = (
            tools.run(0, asked), tools.run(0, asked, tools.without_index(name)), tools.run(1, asked))
        assert with_index.stdout != without.stdout
        assert_same(asked, without, ours)


def test_names_are_of_their_time(tools):
    """pminfo loses a name if another metric precedes it, pmprobe uses the newest: pminfo of a single metric is
    right."""
    asked = ("pminfo", "-a", "pcp-uptime2", "-f", "pmcd.pmlogger.host", "pmcd.pmlogger.pmcd_host")
    theirs, ours = (tools.text(side, *asked) for side in (0, 1))
    assert theirs != ours
    assert "".join(tools.text(0, *asked[:4], metric) for metric in asked[4:]) == ours
    named = ("-a", REUSED, "-O", "+2", "proc.memory.vmsize")
    names = re.findall(r'inst \[\d+ or "(.*?)"\] value', tools.text(0, "pminfo", "-f", *named))
    theirs, ours = (re.findall('"(.*?)"', tools.text(side, "pmprobe", "-I", *named)) for side in (0, 1))
    assert sorted(ours) == sorted(names) != sorted(theirs)


def test_the_start_has_nanoseconds(tools):
    """6.0.3's pmval begins at the microsecond before the start, where there is no value; at the next one all agree."""
    asked = ("pmval", "-a", "omnibus_v3", "-s", "1", "pmcd.pmlogger.host")
    later = (*asked[:-1], "-S", "@06:50:55.401625", "-Z", "UTC", asked[-1])
    theirs, ours = (tools.text(side, *asked) for side in (0, 1))
    assert "No values" in theirs and '"bozo-vm.localdomain"' in ours
    assert ours.splitlines()[-1] == tools.text(0, *later).splitlines()[-1] == tools.text(1, *later).splitlines()[-1]


def samples(text):
    """Lines of pmval -r with a value: seconds of the day, value."""
    return [(int(h) * 3600 + int(m) * 60 + float(s), int(value)) for h, m, s, value in
            re.findall(r"(?m)^(\d\d):(\d\d):([\d.]+) +(-?\d+)$", text)]


def between(at, records):
    """The records around a time: values and how far it is from the first to the second."""
    for (t0, a), (t1, b) in zip(records, records[1:]):
        if t0 < at < t1:
            return a, b, (at - t0) / (t1 - t0)
    return None


@pytest.mark.parametrize("kind, bits", [("long", 32), ("ulong", 32), ("longlong", 64), ("ulonglong", 64)])
def test_falling_counters(tools, kind, bits):
    """A value between two records is between their values; theirs overflows, except for unsigned 32 bits."""
    metric = "sample.wrap." + kind
    records = samples(tools.text(0, "pmval", "-r", "-w", "24", "-U", "kenj-pc-2", metric))
    asked = ("pmval", "-r", "-w", "24", "-a", "kenj-pc-2", "-t", "3", metric)

    def outside(text):
        found = [(value, between(at, records)) for at, value in samples(text)]
        return [value for value, around in found if around and not min(around[:2]) <= value <= max(around[:2])]

    theirs, ours = (tools.text(side, *asked) for side in (0, 1))
    assert len(samples(ours)) > 100 and not outside(ours)
    assert bool(outside(theirs)) == (kind != "ulong")
    rising = [pair for pair in zip(samples(theirs), samples(ours)) if (lambda a: a and a[1] > a[0])(
        between(pair[1][0], records))]
    assert len(rising) > 50 and all(a == b for a, b in rising)
    # Where counters wrap, what falls goes on upwards: 6.0.3 does so for ulong alone, and crashes for long.
    wrapped = samples(tools.run(1, asked, env={"PCP_COUNTER_WRAP": ""}).stdout.decode())
    for at, value in wrapped:
        around = between(at, records)
        if around:
            a, b, part = around
            assert abs((value - a) % 2**bits - part * ((b - a) % 2**bits)) < 0.01 * 2**bits, (at, value, around)
    if kind == "ulong":
        assert_same(asked, *(tools.run(side, asked, env={"PCP_COUNTER_WRAP": ""}) for side in (0, 1)))


@pytest.mark.parametrize("archive", ["kenj-pc-2", "chartqa1", "wrap", "reduce-2", "omnibus_v2", "20180102"])
@pytest.mark.parametrize("row", ["-r -t 3 -s 40", "-t 1.5 -s 40", "-t 700msec -s 20"])
def test_counters_that_wrap(tools, archive, row):
    names = [name for name in tools.metrics(archive) if "wrap.ulong" in name and not FALL.match(name)]
    names += [name for name in tools.metrics(archive) if re.match(r"kernel.all.cpu.(user|sys)$|sample.*bin_ctr$", name)]
    for metric in names[:4]:
        words = ("pmval", "-a", archive, *row.split(), metric)
        assert_same(words, *(tools.run(side, words, env={"PCP_COUNTER_WRAP": "1"}) for side in (0, 1)))


MARKED = ["-S +1.9sec -t 0.3 -s 8 -a omnibus_v2 sample.long.bin_ctr", "-t 0.3 -s 14 -a omnibus_v2 sample.bin",
          "-a mark_no_mark_0,mark_no_mark_1,mark_no_mark_2 -s 18 -t .7 simple.numfetch",
          "-a mark_no_mark_1,mark_no_mark_4 -s 18 -t .7 simple.numfetch", "-a mark_no_mark_1,mark_no_mark_4 -S +7 -s 2 hinv.ndisk",
          "-a changeinst -t 1 -s 30 irix.network.interface.total.packets", "-a multi -t 1min -s 30 kernel.all.load",
          "-U changeinst -s 30 irix.network.interface.total.packets", "-a count-mark -t 10 -s 30 kernel.all.pswitch"]


@pytest.mark.parametrize("limit", ["", "0.0073", "0.0074", "1msec", "5sec", "10 seconds", "foo", "10foo"])
def test_marks_that_are_ignored(tools, limit):
    """In omnibus_v2 there are 7.369 ms between the records around a mark, in others seconds."""
    told = set()
    for row in MARKED:
        words = ("pmval", *row.split())
        theirs, ours = (tools.run(side, words, env={"PCP_IGNORE_MARK_RECORDS": limit}) for side in (0, 1))
        assert_same(words, theirs, ours)
        told.add(ours.stdout != tools.run(1, words).stdout)
    assert (True in told) == (limit not in ("1msec", "foo", "10foo"))


def test_blocks_without_a_type(tools):
    """Read the other way round their numbers are counters that rise: ours interpolates those."""
    asked = ("pmval", "-r", "-w", "24", "-s", "12")
    raw = samples(tools.text(0, *asked, "-U", "bozo.client_v2", "disk.all.total"))
    turned = [(at, int.from_bytes(value.to_bytes(8, "big"), "little")) for at, value in raw]
    assert sorted(turned, key=lambda sample: sample[1]) == turned and sorted(raw, key=lambda sample: sample[1]) != raw
    theirs, ours = (samples(tools.text(side, *asked, "-a", "bozo.client_v2", "-t", "3", "disk.all.total")) for side in (0, 1))
    inside = [around and around[0] <= value <= around[1] for side in (theirs, ours) for value, around in
              [(value, between(at, turned)) for at, value in side]]
    assert len(ours) > 5 and not any(inside[:len(theirs)]) and all(inside[len(theirs):])


@pytest.mark.parametrize("names, metric, step, seconds", [
    ("dupname-a,dupname-b,dupname-c", "hinv.cpu.clock", 1, 1),  # a time between them
    ("arch_a,arch_b", "irix.kernel.all.cpu.idle", 3, 3)])  # a time that both have
def test_a_walk_arrives_where_a_step_does(tools, names, metric, step, seconds):
    """In lists of archives the values of 6.0.3 depend on the times of earlier requests."""
    asked = ("pmval", "-r", "-a", names, "-t", str(step), metric)
    walked = [tools.text(side, *asked, "-s", "2").splitlines()[-1] for side in (0, 1)]
    began = [tools.text(side, *asked, "-s", "1", "-S", "+%d" % seconds).splitlines()[-1] for side in (0, 1)]
    assert walked[1] == began[0] == began[1] != walked[0]
