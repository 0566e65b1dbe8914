"""pmlogextract answers as Debian's does: what both make of PCP's own archives is dumped by Debian's pmdumplog."""
import re
import shutil

import pytest

from archive_bytes import I32, INSTANT, NO_INDOM, Handmade
from archive_sides import ArchiveSides, sort_names

# Of the index, the last line: 6.0.3 stores where the last record ends if it has an entry already, ours where it begins.
LAST_ENTRY = re.compile(r"(?m)^(\S+\t.*)\s\d+\n(?=\n|\Z)")
PID = re.compile(r"(?m)^PID for pmlogger: .*\n")
INDEX_META = re.compile(r"(?m)^(\d\d:\d\d:\d\d\.\d+\t +\d+) +\d+( +\d+)? *$")

COPIES = """
arch_a
gap
omnibus_v2
omnibus_v3
sample-labels
interpmark
bug1057
dupname-a
pcp-tapestat-archive
20180102
ok-mv-bar
small
dstat-disks
-V 3 gap
-s 3 gap
-v 4 gap
-S +3sec -T +5sec arch_a
-S @06:50:58 -T @06:51:00.999 omnibus_v3
-c pid omnibus_v3
-c some gap
-c words gap
-c lines gap
-c split gap
-w -S @23:10 -T @23:30 20041125
-w gap
-z gap
-Z EST5 gap
-z diff1 diff2
-Z EST5 diff1 diff2
-z kenj-pc-1 kenj-pc-2
-fz tzchange-11-a tzchange-11-b
arch_a arch_b
diff1 diff2
kenj-pc-1 kenj-pc-2
-m diff1 diff2
tzchange-10-a tzchange-10-b
-f tzchange-11-a tzchange-11-b
dupname-a dupname-c
--config=pid omnibus_v3
--outputversion=3 --samples=3 gap
--start=+3sec --finish=+5sec arch_a
--hostzone gap
--timezone=EST5 gap
--mark --first --desperate diff1 diff2
"""

# Labels that inputs have alike are written once: at the last of them by 6.0.3, at the first by ours.
LABELLED = """
mark_no_mark_0 mark_no_mark_1 mark_no_mark_2 mark_no_mark_3 mark_no_mark_4
-m mark_no_mark_0 mark_no_mark_1 mark_no_mark_2
omnibus_v2 omnibus_v3
-c some omnibus_v3
"""

REFUSALS = """

gap
nosuch out
-V 7 gap out
-V 2 omnibus_v3 out
-s x gap out
-v x gap out
-zZ UTC gap out
-c nosuch gap out
-c wrong gap out
-c open gap out
-S @2050 gap out
-w -S @10:00 -T @11:00 20041125 out
gap arch_a out
schizo-A schizo-B out
gap gap
gap nosuch/out
-d nosuch out
-D nosuch gap out
--help
"""

# Each is refused, after the warnings of what comes before the mistake.
MISTAKES = [
    "sample.bin [ bin-100 ]", "sample-x", "nosuch-x", "nosuch ]", "nosuch 9", 'nosuch "x"', "nosuch []", "nosuch\n\n:",
    "sample.bin [ nope ] ]", "sample.bin [ nope -", "sample.bin [ nope", "sample.bin [ nope [", "sample.bin [", "sample.bin [ ]",
    "sample.bin [ _r ]", "sample.bin [ /dev/sda ]", "sample.bin [ a:b ]", "sample.bin [ .b ]", 'sample.bin [ "" ]',
    'sample.bin [ "a ]', "sample.bin [ \"a' ]", 'sample.bin [ "a\nb" ]', 'sample.bin [ "a\\"b" ]', 'sample.bin [ "bin-100" ] x"y',
    "sample.bin\n\n[ nope ]\n*", "\1",
]

CONFIGS = {
    "pid": "pmcd.pid\n",
    "some": "# x\nsample.proc, sample.colour[0]\n nosuch sample.dupnames [ 'bin-100', 200 \"bin-300\" ]\nproc.nprocs pmcd.pid",
    "wrong": "9x",
    "words": 'nosuch[red] sample.bin [ one, x.y z_9 "bin-100" 200 ]',
    "lines": "sample.bin [ bin100\n one ]\n\n proc.nprocs\npmcd.pid [ nope ]",
    "split": "sample.bin [ 9x 100 ]",
    **{"bad%d" % at: text for at, text in enumerate(MISTAKES)},
    "open": 'sample.bin [ "a"',
}


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return ArchiveSides(prefix, peer_root, tmp_path_factory.mktemp("peer"))


@pytest.fixture
def folder(sides, tmp_path):
    """With the archives, so that messages name them alike."""
    for path in sides.archives.iterdir():
        if path.is_file():
            (tmp_path / path.name).symlink_to(path)
    for name, text in CONFIGS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


# 6.0.3 takes the two in any order.
PMID_CHANGE = re.compile(r"PMID changed from (\S+) to (\S+)!")


def said(done, out):
    texts = [text.decode().replace(out, "OUT") for text in (done.stdout, done.stderr)]
    return done.returncode, [PMID_CHANGE.sub(lambda match: "PMIDs %s!" % sorted(match.groups()), text) for text in texts]


def dump(sides, folder, name):
    text = sides.run(0, "pmdumplog", ["-a", name], folder).stdout.decode(errors="replace")
    return LAST_ENTRY.sub(r"\1\n", PID.sub("", sort_names(text.replace(name, "OUT"))))


def extract(sides, folder, args):
    """Both, and what they made of it, as Debian's tools see it."""
    theirs, ours = (said(sides.run(side, "pmlogextract", [*args, out], folder), out)
                    for side, out in ((0, "out0"), (1, "out1")))
    assert theirs == ours
    assert theirs[0] == 0
    checked = [sides.run(0, "pmlogcheck", [out], folder).stderr.decode().replace(out, "OUT") for out in ("out0", "out1")]
    assert checked[0] == checked[1]
    return dump(sides, folder, "out0"), dump(sides, folder, "out1")


@pytest.mark.parametrize("line", COPIES.strip().splitlines())
def test_equal_archives(sides, folder, line):
    theirs, ours = extract(sides, folder, line.split())
    assert len(theirs) > 100
    assert theirs == ours


@pytest.mark.parametrize("line", LABELLED.strip().splitlines())
def test_equal_but_for_where_labels_are(sides, folder, line):
    theirs, ours = (INDEX_META.sub(r"\1\2", text) for text in extract(sides, folder, line.split()))
    assert len(theirs) > 100
    assert theirs == ours


@pytest.mark.parametrize("line", REFUSALS.splitlines()[1:])
def test_refusals(sides, folder, line):
    theirs, ours = (sides.run(side, "pmlogextract", line.split(), folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stdout, theirs.stderr) == (ours.returncode, ours.stdout, OWN_USAGE.sub(b"", ours.stderr))
    assert ours.returncode == 1
    assert not list(folder.glob("out.*"))


OWN_USAGE = re.compile(rb"(?m)^  --strict .*\n")


@pytest.mark.parametrize("line, strict", [("gap", 0), ("-c some omnibus_v3", 1), ("-x schizo-A schizo-B", 1), ("-S @2050 gap", 1)])
def test_strict(sides, folder, line, strict):
    """A partial result is status 0 by default."""
    *options, archive = line.split()
    plain = sides.run(1, "pmlogextract", [*options, archive, "plain"], folder)
    done = sides.run(1, "pmlogextract", ["--strict", *options, archive, "strict"], folder)
    assert plain.returncode == (1 if options[:1] == ["-S"] else 0) and done.returncode == strict, done.stderr
    assert plain.stderr.replace(b"plain", b"strict") == done.stderr


def handmade(path, names, second):
    """An archive of metrics {pmid: name}, recorded from a second on."""
    archive = Handmade([(pmid, I32, NO_INDOM, INSTANT, name) for pmid, name in names.items()])
    for i in range(3):
        archive.record(second + i, dict.fromkeys(names, i))
    archive.write(path)


ONE, TWO = 4 << 10, 4 << 10 | 1
CHANGES = {
    "name changed": ({ONE: "x.old"}, {ONE: "x.new"}, "metric PMID 0.4.0: name changed from x.old to x.new!"),
    "name changed back": ({ONE: "x.new"}, {ONE: "x.old"}, "metric PMID 0.4.0: name changed from x.new to x.old!"),
    "PMID changed": ({ONE: "x.old"}, {TWO: "x.old"}, "metric x.old: PMID changed from 0.4.0 to 0.4.1!"),
    "PMID changed back": ({TWO: "x.old"}, {ONE: "x.old"}, "metric x.old: PMID changed from 0.4.1 to 0.4.0!"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_from_the_earlier_input_to_the_later(sides, tmp_path, what):
    earlier, later, message = CHANGES[what]
    handmade(tmp_path / "a", earlier, 0)
    handmade(tmp_path / "b", later, 10)
    theirs, ours = (sides.run(side, "pmlogextract", ["a", "b", "out"], tmp_path) for side in (0, 1))
    assert f"pmlogextract: Error: {message}\n" in ours.stderr.decode()
    assert ours.returncode == theirs.returncode == 1
    if "name" in what:
        assert ours.stderr == theirs.stderr


@pytest.mark.parametrize("at", range(len(MISTAKES)))
def test_mistakes_in_a_configuration(sides, folder, at):
    theirs, ours = (sides.run(side, "pmlogextract", ["-c", f"bad{at}", "gap", "out"], folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stdout, theirs.stderr) == (ours.returncode, ours.stdout, ours.stderr)
    assert ours.returncode == 1 and b"Specification error" in ours.stderr
    assert not list(folder.glob("out.*"))


@pytest.mark.parametrize("text", ["sample.bin [ nope ]", "nosuch", "nosuch [ a, b ]"])
def test_a_choice_of_nothing_makes_no_archive(sides, folder, text):
    """6.0.3 makes an archive of one empty record, or of all metrics, and exits with 0."""
    (folder / "nothing").write_text(text)
    done = sides.run(1, "pmlogextract", ["-c", "nothing", "gap", "out"], folder)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Warning [nothing, line 1]") and b"no qualifying records" in done.stderr
    assert not list(folder.glob("out.*"))


def as_it_is(done, out):
    return done.returncode, [text.decode().replace(out, "OUT") for text in (done.stdout, done.stderr)]


CHANGED = {"name": "name -> sample.can", "semantics": "sem -> counter", "pmid": "pmid -> 29.0.300", "type": "type -> FLOAT",
           "units": "units -> 1,0,0,BYTE,0,0"}


@pytest.mark.parametrize("changed", CHANGED)
def test_a_metric_that_changed(sides, folder, changed):
    """Old and new, all names, and which of the two -x leaves out."""
    (folder / "rule").write_text("metric sample.bin { %s }\n" % CHANGED[changed])
    assert sides.run(1, "pmlogrewrite", ["-c", "rule", "gap", "changed"], folder).returncode == 0
    for inputs in (["gap", "changed"], ["changed", "gap"], ["-x", "gap", "changed"], ["-x", "changed", "gap"]):
        theirs, ours = (as_it_is(sides.run(side, "pmlogextract", [*inputs, out], folder), out)
                        for side, out in ((0, "out0"), (1, "out1")))
        ours[1][1] = re.sub(r"\bnone\b", "", ours[1][1])  # units without a dimension
        assert theirs == ours and f"{changed} changed from " in theirs[1][1].replace("PMID", "pmid")
        if theirs[0] == 0:
            left = [sides.run(0, "pminfo", ["-m", "-a", out], folder).stdout for out in ("out0", "out1")]
            assert left[0] == left[1] != b""
            for path in folder.glob("out*"):
                path.unlink()


@pytest.mark.parametrize("options", [["-x"], ["-x", "-d"]])
def test_a_pmid_that_changed_backward(sides, folder, options):
    """Here 6.0.3 has the PMIDs of schizo.foo the wrong way round, whatever the order of the inputs, and leaves out the
    second; otherwise both agree."""
    theirs, ours = (as_it_is(sides.run(side, "pmlogextract", [*options, "schizo-A", "schizo-B", out], folder), out)
                    for side, out in ((0, "out0"), (1, "out1")))
    assert "schizo.foo: PMID changed from 241.0.3 to 241.0.1!" in theirs[1][1]
    assert "schizo.foo: PMID changed from 241.0.1 to 241.0.3!" in ours[1][1]
    same = [re.sub(r"from 241.0.[13] to 241.0.[13]|PMID: 241.0.[13]", "#", text) for text in (theirs[1][1], ours[1][1])]
    assert (theirs[0], same[0]) == (ours[0], same[1])
    metrics = [set(re.findall(r"(\S+) PMID: (\S+)", sides.run(0, "pminfo", ["-m", "-a", out], folder).stdout.decode()))
               for out in ("out0", "out1")]
    assert metrics[0] ^ metrics[1] == {("schizo.foo", "241.0.1"), ("schizo.foo", "241.0.3")}


@pytest.mark.parametrize("name", ["out.index", "out.meta", "out.0"])
def test_what_exists_stays(sides, folder, name):
    (folder / name).write_text("precious")
    theirs, ours = (sides.run(side, "pmlogextract", ["gap", "out"], folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stderr) == (ours.returncode, ours.stderr)
    assert [path.name for path in folder.glob("out.*")] == [name]
    assert (folder / name).read_text() == "precious"


def copy_as_g(sides, folder, name="gap"):
    for suffix in ("0", "index", "meta"):
        (folder / f"g.{suffix}").unlink(missing_ok=True)
        shutil.copy(sides.archives / f"{name}.{suffix}", folder / f"g.{suffix}")


def test_other_zone(sides, folder):
    copy_as_g(sides, folder, "diff1")
    assert sides.run(1, "pmloglabel", ["-Z", "EST5EDT", "g"], folder).returncode == 0
    for options in ([], ["-f"]):
        theirs, ours = extract(sides, folder, [*options, "g", "diff2"])
        assert theirs == ours
        for path in folder.glob("out?.*"):
            path.unlink()


def test_empty_input(sides, folder):
    copy_as_g(sides, folder)
    with open(folder / "g.0", "r+b") as f:
        f.truncate(132)
    theirs, ours = (sides.run(side, "pmlogextract", ["g", "out"], folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stderr) == (ours.returncode, ours.stderr)
    theirs, ours = extract(sides, folder, ["g", "arch_a"])
    assert theirs == ours


OFFSET = re.compile(r"byte offset \d+")  # 6.0.3 prints the read position of its buffer


@pytest.mark.parametrize("cut", [10, 2000])
def test_torn_input(sides, folder, cut):
    copy_as_g(sides, folder)
    with open(folder / "g.0", "r+b") as f:
        f.truncate((folder / "g.0").stat().st_size - cut)
    theirs, ours = (sides.run(side, "pmlogextract", ["g", f"out{side}"], folder) for side in (0, 1))
    assert theirs.returncode == ours.returncode == 0
    assert OFFSET.sub("", theirs.stderr.decode()) == OFFSET.sub("", ours.stderr.decode()) != ""
    assert dump(sides, folder, "out0") == dump(sides, folder, "out1")


def test_lists_and_folders(sides, folder):
    """6.0.3 takes the first of a list alone."""
    (folder / "some").unlink()
    (folder / "some").mkdir()
    for name in ("diff1", "diff2"):
        for suffix in ("0", "index", "meta"):
            shutil.copy(sides.archives / f"{name}.{suffix}", folder / "some" / f"{name}.{suffix}")
    for out, args in (("out1", ["diff1", "diff2"]), ("out2", ["diff1,diff2"]), ("out3", ["some"])):
        assert sides.run(1, "pmlogextract", [*args, out], folder).returncode == 0
    assert dump(sides, folder, "out1") == dump(sides, folder, "out2") == dump(sides, folder, "out3")
