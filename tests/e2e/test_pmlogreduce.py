"""pmlogreduce makes the records that Debian's makes of PCP's own archives, and what its page promises where that one does not."""
import re
import shutil

import pytest

import archive_bytes as by_hand
from archive_sides import ArchiveSides, blocks, sort_names

PID = re.compile(r"(?m)^PID for pmlogger: .*\n")
ZONEINFO = re.compile(r"(?m)^Archive zoneinfo: .*\n")  # lost by 6.0.3
INSTANCE = re.compile(r"inst \[(\d+) or [^\n]*?\](?= value|$)")  # 6.0.3 knows some of them no more: ???

# Counters, instances that come and go, marks, both versions, compressed, several volumes; every option.
EQUAL = """
-t 1sec gap
-t 0.3 gap
-t 3sec -S +4 gap
-t 2sec -S +3 -T +12 gap
-t 1sec -S @21:14:45.5 -T @21:14:50 gap
-t 5sec -s 3 gap
-t 5sec -v 2 gap
-A 5sec -t 5sec gap
-A 1min gap
-z -t 5sec gap
-Z EST5 -t 5sec -v 2 gap
-z -A 10sec -S @07:14:30 -t 7sec gap
--interval=5sec --samples=2 --align=5sec gap
--start=+3 --finish=-5sec --hostzone -t 2sec gap
--timezone=UTC -t 4sec gap
gap
-s 1 arch_a
-t 700msec arch_a
-t 700msec diff1
-t 2sec diff1,diff2
-t 2min multi
-t 1min mark_no_mark_0,mark_no_mark_1,mark_no_mark_2
-t 2sec mirage-3
-t 1sec omnibus_v2
-t 1sec -S @06:50:56 omnibus_v3
-t 1sec -S @04:53:34 omnibus-nomark_v3
-t 17sec interpmark
-t 13sec mark-bug
-t 20sec count-mark
-t 1min 20041125
-t 8min small
-t 350msec dstat-disks
-t 3sec ok-mv-bar
-t 5sec ok-mv-bigbin
-t 3sec ok-noti-bigbin
-t 3sec dyninsts
-t 3sec dyninsts2
-t 2sec dynmetric
-t 1sec eventrec
-t 1min naslog
-t 1min 540117-short
-t 1min procsched
-t 5sec sample-secs
-t 3hour 20180606
-t 1sec pcp-atop
-t 10sec instant-1
-t 5sec late
-t 3sec rep
-t 10sec bug1057
"""

# Errors of 6.0.3 that ours does not have: the test runs both and verifies this.
DEFECTS = [
    ("-t 1sec omnibus_v3", "has no values at the start of a version 3 archive", "first"),
    ("-t 1sec wrap", "lets a counter of 32 bits wrap though it is one of 64 now", "wraps"),
    ("-t 1sec uwrap", "lets a counter of 32 bits wrap though it is one of 64 now", "wraps"),
    ("-t 13sec reduce-1", "lets a counter of 32 bits wrap though it is one of 64 now", "wraps"),
    ("-t 5sec changeinst", "gives up where an instance went and came", "fails"),
    ("-t 1min babylon.percpu_v2", "gives up where a value without domain has an instance", "fails"),
    ("-t 10sec bug_v2", "gives up where a value without domain has an instance", "fails"),
    ("-t 10min binning", "takes an index that points behind the record for damage", "fails"),
    ("-t 1sec value-test", "finds nothing at the last stamp where the index leads behind the record", "last"),
    ("-t 2sec pcp-mpstat3", "takes an index that points behind the record for damage", "fails"),
]

REFUSALS = """
nosuch out
/ out
-t x gap out
-t -5 gap out
-s x gap out
-s -1 gap out
-v x gap out
-S bad gap out
-T bad gap out
-A bad gap out
-z -Z EST gap out
-D nosuch gap out
gap gap
gap nosuch/out
gap p
gap r
gap s
"""


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return ReduceSides(prefix, peer_root, tmp_path_factory.mktemp("peer"))


class ReduceSides(ArchiveSides):
    """Debian's is in the folder of programs that users do not call."""

    def run(self, side, tool, args, cwd=None):
        if side == 0 and tool == "pmlogreduce":
            tool = "../lib/pcp/bin/pmlogreduce"
        return super().run(side, tool, args, cwd)


@pytest.fixture
def folder(sides, tmp_path):
    """With the archives, so that messages name them alike."""
    for path in sides.archives.iterdir():
        (tmp_path / path.name).symlink_to(path)
    for name in ("p.0", "r.meta", "s.index"):
        (tmp_path / name).write_text("precious")
    return tmp_path


def said(done, out):
    return done.returncode, [text.decode().replace(out, "OUT") for text in (done.stdout, done.stderr)]


def dump(sides, folder, name, options="-Lm"):
    """The archive as Debian's tools print it; the values of a record are in any order."""
    done = sides.run(0, "pmdumplog", [options, name], folder)
    text = INSTANCE.sub(r"inst [\1]", done.stdout.decode(errors="replace") + done.stderr.decode())
    text = ZONEINFO.sub("", PID.sub("", sort_names(text.replace(name, "OUT"))))
    return "\n\n".join("\n".join(sorted(part.split("\n"))) for part in text.split("\n\n"))


def paragraphs(text):
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def reduce(sides, folder, line):
    return [said(sides.run(side, "pmlogreduce", [*line.split(), out], folder), out)
            for side, out in ((0, "out0"), (1, "out1"))]


def findings(sides, folder, name):
    checked = sides.run(0, "pmlogcheck", ["-w", name], folder)
    return checked.returncode, checked.stderr.decode().replace(name, "OUT")


def is_sound(sides, folder, name="out1", like=(0, "")):
    """Nothing for pmlogcheck to find, and every instance has a name."""
    return findings(sides, folder, name) == like and b"???" not in sides.run(0, "pmdumplog", ["-m", name], folder).stdout


@pytest.mark.parametrize("line", EQUAL.strip().splitlines())
def test_equal_records(sides, folder, line):
    theirs, ours = reduce(sides, folder, line)
    assert theirs == ours
    assert ours[0] == 0
    for options in ("-Lm", "-M"):
        theirs, ours = (dump(sides, folder, out, options) for out in ("out0", "out1"))
        assert len(theirs) > 100
        assert theirs == ours
    theirs, ours = (blocks("PMID: ")(dump(sides, folder, out, "-d")) for out in ("out0", "out1"))
    assert theirs == ours
    assert len(list(folder.glob("out0.*"))) == len(list(folder.glob("out1.*")))
    assert is_sound(sides, folder, like=findings(sides, folder, "out0"))


def value_of(text, metric):
    return [int(word) for word in re.findall(r"\(%s\): value (-?\d+)" % re.escape(metric), text)]


@pytest.mark.parametrize("line, what, kind", DEFECTS, ids=[row[0] for row in DEFECTS])
def test_where_theirs_is_wrong(sides, folder, line, what, kind):
    theirs, ours = reduce(sides, folder, line)
    assert ours[0] == 0 and is_sound(sides, folder), what
    texts = [dump(sides, folder, out, "-m") for out in ("out0", "out1")]
    if kind == "fails":
        assert theirs[0] == 1, what
        assert "metric" in texts[1]
    elif kind == "first":
        texts = [paragraphs(text) for text in texts]
        first = [text[0] for text in texts]
        assert '"bozo-vm.localdomain"' in first[1] and "value" not in first[0].replace("No values", ""), what
        assert texts[0][2:] == texts[1][2:]
    elif kind == "last":
        theirs, ours = (paragraphs(text) for text in texts)
        assert len(ours) == len(theirs) + 1 and ours[:-1] == theirs, what
    else:
        name = "sample.wrap.long" if "sample.wrap.long)" in texts[0] else "sample.wrap.ulong"
        falling, rising = (value_of(text, name) for text in texts)
        assert falling != sorted(falling), what
        assert len(rising) == len(falling) and rising == sorted(rising)


def test_labels_texts_and_zone_are_kept(sides, folder):
    """All metadata, says the page; 6.0.3 drops labels, texts and zoneinfo."""
    reduce(sides, folder, "-t 1sec omnibus_v3")
    for section in ("-e", "-h"):
        theirs, ours, whole = (sides.run(0, "pmdumplog", [section, name], folder).stdout.decode()
                               for name in ("out0", "out1", "omnibus_v3"))
        lines = {line for line in whole.splitlines() if re.match(r"\s*(PMID|InDom|Context|Domain|Cluster|\[)", line)}
        assert len(theirs) < 60 < len(ours)
        assert [line for line in ours.splitlines() if re.match(r"\s*(PMID|InDom|Context|Domain|Cluster|\[)", line)
                and line not in lines] == []
    assert b"zoneinfo: :Australia" in sides.run(0, "pmdumplog", ["-L", "out1"], folder).stdout


@pytest.mark.parametrize("line", REFUSALS.strip().splitlines())
def test_refusals(sides, folder, line):
    theirs, ours = (sides.run(side, "pmlogreduce", line.split(), folder) for side in (0, 1))
    usage = b"Usage:"
    assert (theirs.returncode, theirs.stdout, theirs.stderr.split(usage)[0]) == \
        (ours.returncode, ours.stdout, ours.stderr.split(usage)[0])
    assert (usage in theirs.stderr) == (usage in ours.stderr)
    assert ours.returncode == 1
    assert not list(folder.glob("out.*"))
    assert (folder / "p.0").read_text() == (folder / "r.meta").read_text() == (folder / "s.index").read_text() == "precious"


OWN_USAGE = re.compile(r"(?m)^  (?:-m, --mean|-V, --version).*\n(?: {24}.*\n)*")


@pytest.mark.parametrize("args", [[], ["-?"], ["--help"], ["-Q"], ["gap"]])
def test_usage(sides, folder, args):
    theirs, ours = (sides.run(side, "pmlogreduce", args, folder) for side in (0, 1))
    assert OWN_USAGE.search(ours.stderr.decode())
    assert OWN_USAGE.sub("", ours.stderr.decode()) == theirs.stderr.decode()
    assert (theirs.returncode, theirs.stdout) == (ours.returncode, ours.stdout)


def test_version(sides, folder):
    done = sides.run(1, "pmlogreduce", ["--version"], folder)
    assert done.returncode == 0 and b"6.0.3" in done.stdout + done.stderr


@pytest.mark.parametrize("line, text", [
    ("-S @2050 gap out", "no qualifying records found"),  # 6.0.3: three empty files, and success
    ("-T @1999 gap out", "no qualifying records found"),
    ("-t 0 gap out", "-t requires"),  # 6.0.3 writes until the disk is full
    ("gap arch_a out", "several inputs"),  # 6.0.3 reads the first of them and says nothing
])
def test_what_would_make_no_archive(sides, folder, line, text):
    done = sides.run(1, "pmlogreduce", line.split(), folder)
    assert done.returncode == 1 and text in done.stderr.decode()
    assert not list(folder.glob("out.*"))


def test_no_samples_is_all_of_them(sides, folder):
    """As the page says; 6.0.3 writes none."""
    theirs, ours = reduce(sides, folder, "-s 0 -t 5sec gap")
    assert theirs[0] == ours[0] == 0
    assert (folder / "out0.0").stat().st_size <= 132
    assert sides.run(1, "pmlogreduce", ["-t", "5sec", "gap", "all"], folder).returncode == 0
    assert dump(sides, folder, "out1") == dump(sides, folder, "all")


@pytest.mark.parametrize("offset", [3000, 6000])
def test_damage_is_told_and_what_is_before_it_stays(sides, folder, offset):
    for suffix in ("0", "index", "meta"):
        shutil.copy(sides.archives / f"gap.{suffix}", folder / f"g.{suffix}")
    with open(folder / "g.0", "r+b") as f:
        f.seek(offset)
        f.write(b"X" * 400)
    theirs, ours = reduce(sides, folder, "-t 1sec g")
    assert theirs[0] == ours[0] == 1
    assert theirs[1][1].splitlines()[-1] == ours[1][1].splitlines()[0]
    assert re.search(r"byte offset \d+ into a file of \d+ bytes", ours[1][1])
    assert is_sound(sides, folder)
    whole = sides.run(1, "pmlogreduce", ["-t", "1sec", "gap", "all"], folder)
    assert whole.returncode == 0
    part, whole = (paragraphs(dump(sides, folder, name, "-m")) for name in ("out1", "all"))
    assert 0 < len(part) < len(whole) and part == whole[:len(part)]


PMID, DOMAIN = 5 << 22 | 1 << 10, 5 << 22 | 1
METRICS = [(PMID, by_hand.U32, DOMAIN, by_hand.COUNTER, "w.u32"), (PMID + 1, by_hand.I32, by_hand.NO_INDOM, by_hand.COUNTER, "w.i32"),
           (PMID + 2, by_hand.U32, by_hand.NO_INDOM, by_hand.INSTANT, "w.now"),
           (PMID + 3, by_hand.DOUBLE, DOMAIN, by_hand.INSTANT, "w.num"),
           (PMID + 4, by_hand.STRING, by_hand.NO_INDOM, by_hand.DISCRETE, "w.text")]


def make_by_hand(base):
    """Counters that wrap each 10 seconds, and b that goes while c comes."""
    made = by_hand.Handmade(METRICS)
    made.indom(0, DOMAIN, {0: "a", 1: "b"})
    made.indom(12, DOMAIN, {0: "a", 2: "c"})
    step = 2 ** 32 // 10 + 1
    for k in range(26):
        insts = (0, 1) if k < 12 else (0, 2)
        sets = {PMID: {i: (i + k * step) % 2 ** 32 for i in insts}, PMID + 1: (k * step) % 2 ** 32, PMID + 2: k,
                PMID + 3: {i: k * (i + 1) + 0.25 for i in insts}}
        if k in (0, 9):
            sets[PMID + 4] = b"text %d\0" % k
        if k == 18:
            made.mark(17.5)
        made.record(k, sets)
    made.write(base)
    return step


def values(sides, folder, name, metric):
    """{instance or None: values in order}"""
    found = {}
    for record in sides.run(0, "pmdumplog", ["-m", name, metric], folder).stdout.decode().split("\n\n"):
        for inst, value in re.findall(r"(?:inst \[(\d+) or [^\]]*\]|\): )\s?value (\S+)", record):
            found.setdefault(int(inst) if inst else None, []).append(float(value))
    return found


def test_wraps_are_undone_up_to_a_mark(sides, tmp_path):
    step = make_by_hand(tmp_path / "in")
    done = sides.run(1, "pmlogreduce", ["-t", "2.5sec", "in", "out1"], tmp_path)
    assert done.returncode == 0 and is_sound(sides, tmp_path)
    one = values(sides, tmp_path, "out1", "w.i32")[None]
    expect = [k * 2.5 * step for k in range(7)]
    assert [abs(a - b) <= 1 for a, b in zip(one, expect)] == [True] * 7
    after = one[7:]  # after the mark it begins again, with the recorded value
    assert after[0] < 2 ** 31 and after == sorted(after)
    many = values(sides, tmp_path, "out1", "w.u32")
    assert [abs(a - b) <= 2 for a, b in zip(many[0], expect)] == [True] * 7
    assert set(many) == {0, 1, 2}


def test_means_where_they_are_asked_for(sides, tmp_path):
    """The mean of the values since the last sample; without the option the value at the time of the sample, as always
    in 6.0.3."""
    make_by_hand(tmp_path / "in")
    for out, options in (("mean", ["--mean"]), ("at", [])):
        assert sides.run(1, "pmlogreduce", [*options, "-t", "5sec", "in", out], tmp_path).returncode == 0
        assert is_sound(sides, tmp_path, out)
    assert values(sides, tmp_path, "at", "w.now")[None] == [0, 5, 10, 15, 20, 25]
    assert values(sides, tmp_path, "mean", "w.now")[None] == [0, 3, 8, 13, 18, 23]
    assert values(sides, tmp_path, "mean", "w.num")[1] == [0.25, 6.25, 16.25, 22.25]
    assert sides.run(0, "pmdumplog", ["-m", "mean", "w.text"], tmp_path).stdout.count(b'"text') == 2


def test_what_went_keeps_its_name(sides, tmp_path):
    """6.0.3 writes the domain of the next sample with each record: instances that are gone by then have no name."""
    make_by_hand(tmp_path / "in")
    for side, out in ((0, "out0"), (1, "out1")):
        assert sides.run(side, "pmlogreduce", ["-t", "5sec", "in", out], tmp_path).returncode == 0
    assert b"???" in sides.run(0, "pmdumplog", ["-m", "out0"], tmp_path).stdout
    assert is_sound(sides, tmp_path)


def test_folders_are_lists(sides, tmp_path):
    (tmp_path / "all").mkdir()
    for name in ("diff1", "diff2"):
        for suffix in ("0", "index", "meta"):
            shutil.copy(sides.archives / f"{name}.{suffix}", tmp_path / "all" / f"{name}.{suffix}")
    theirs, ours = reduce(sides, tmp_path, "-t 1sec all")
    assert theirs == ours
    assert dump(sides, tmp_path, "out0") == dump(sides, tmp_path, "out1")
    assert "<mark>" in dump(sides, tmp_path, "out1")
