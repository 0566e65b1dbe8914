"""pmlogrewrite answers as Debian's does: what both make of PCP's own archives is dumped by Debian's pmdumplog."""
import re
import shutil

import pytest

from archive_sides import ArchiveSides, blocks, sort_names
from rows_pmlogrewrite import COPIES, DIFFERENT, MIGRATIONS, OPTIONS, REFUSALS, SAME

TOOL = "pmlogrewrite"
ROWS = [(archive, line) for archive, lines in SAME.items() for line in lines.strip().splitlines()]
DUMP_ADDRESS = re.compile(r"(?<=__pmResult dump from )0x[0-9a-f]+")
FAILED = re.compile(r"Error: \S+ \(([\d.]+)\): extracting value")
SECTIONS = re.compile(r"(?m)^(?=Descriptions for|Instance Domains in|Metric Labels in|Metric Help)")
LABEL_INSTANCE = re.compile(r"(?m)^(?=    \S)")


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    made = ArchiveSides(prefix, peer_root, tmp_path_factory.mktemp("peer"))
    made.sides[0] = (f"{peer_root}/usr/lib/pcp/bin/", made.sides[0][1])
    made.viewer = f"{peer_root}/usr/bin/"
    made.rules = peer_root / "etc/pcp/pmlogrewrite"
    return made


@pytest.fixture(scope="module")
def common(sides, tmp_path_factory):
    """With the archives, so that messages name them alike."""
    made = tmp_path_factory.mktemp("archives")
    for path in sides.archives.iterdir():
        if path.is_file():
            (made / path.name).symlink_to(path)
    return made


@pytest.fixture
def folder(common):
    """That folder, without what an earlier test left there."""
    for pattern in ("out*", "g.*", ".g.*", "conf", "folder"):
        for path in common.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (common / "folder").mkdir()
    (common / "folder/good").write_text("metric sample.bin { type -> U32 }\n")
    (common / "folder/.hidden").write_text("not looked at\n")
    (common / "folder/wrong").write_text("\nwrong\n")
    return common


def run_tool(sides, side, tool, args, folder):
    """A tool of Debian's besides the one that is compared."""
    programs, env = sides.sides[side]
    sides.sides[side] = (sides.viewer, env)
    try:
        return sides.run(side, tool, args, folder)
    finally:
        sides.sides[side] = (programs, env)


def dump(sides, folder, name):
    """Sections whose order is chance are sorted; the index is left to pmlogcheck."""
    text = run_tool(sides, 0, "pmdumplog", ["-dehiLlms", name], folder).stdout.decode(errors="replace")
    parts = SECTIONS.split(sort_names(text))
    orders = {"Descriptions": blocks("PMID: "), "Instance": blocks("InDom: ")}
    return "".join(orders.get(part.split(" ")[0], str)(part) for part in parts)


def check(sides, folder, name):
    done = run_tool(sides, 0, "pmlogcheck", [name], folder)
    return sorted(done.stderr.decode(errors="replace").replace(name, "OUT").splitlines())


def summary(text):
    first, *rest = text.strip("\n").split("\n\n")
    return [first, *sorted(rest)]


class Both:
    """The results of both tools for a configuration."""

    def __init__(self, sides, folder, archive, conf, options=(), checked=True):
        (folder / "conf").write_text(conf)
        self.config = ["-c", "conf"] if conf else []
        self.done, self.dumps, self.checks = [], [], []
        for side, out in ((0, "out0"), (1, "out1")):
            done = sides.run(side, TOOL, [*self.config, *options, archive, out], folder)
            said = [text.decode(errors="replace").replace(out, "OUT") for text in (done.stdout, done.stderr)]
            self.done.append((done.returncode, summary(said[0]), without_what_failed(said[1])))
            made = (folder / f"{out}.meta").exists()
            self.dumps.append(dump(sides, folder, out) if made else "")
            self.checks.append(check(sides, folder, out) if made and checked else [])

    def assert_same(self):
        assert self.done[0] == self.done[1]
        assert self.dumps[0] == self.dumps[1]
        assert self.checks[0] == self.checks[1]

    def everything(self, side):
        status, said, errors = self.done[side]
        return "%d\n%s\n%s\n%s" % (status, "\n\n".join(said), errors, self.dumps[side])


def without_what_failed(text):
    """The dump of a record without the address, and without the values that 6.0.3 has taken out of it already."""
    text = DUMP_ADDRESS.sub("ADDRESS", text)
    for pmid in FAILED.findall(text):
        text = re.sub(r"(?m)^  %s \(.*\n(?:    .*\n)*" % re.escape(pmid), "", text)
    return text


def unescape(line):
    return line.encode().decode("unicode_escape")


@pytest.mark.parametrize("archive, line", ROWS)
def test_same(sides, folder, archive, line):
    Both(sides, folder, archive, unescape(line), ["-wv"], checked=False).assert_same()


@pytest.mark.parametrize("options, archive, conf", OPTIONS)
def test_options(sides, folder, options, archive, conf):
    Both(sides, folder, archive, conf, options).assert_same()


@pytest.mark.parametrize("archive", COPIES.split())
def test_copies(sides, folder, archive):
    both = Both(sides, folder, archive, "")
    both.assert_same()
    assert len(both.dumps[1]) > 100


@pytest.mark.parametrize("archive", MIGRATIONS.split())
def test_debians_rules(sides, folder, archive):
    both = Both(sides, folder, archive, "", ["-c", str(sides.rules)])
    both.assert_same()
    assert len(both.dumps[1]) > 100


@pytest.mark.parametrize("line", REFUSALS.splitlines()[1:])
def test_refusals(sides, folder, line):
    theirs, ours = (sides.run(side, TOOL, line.split(), folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stdout, theirs.stderr) == (ours.returncode, ours.stdout, ours.stderr)
    assert ours.returncode == 1
    assert not list(folder.glob("out.*"))


@pytest.mark.parametrize("archive, conf, why, wanted", DIFFERENT)
def test_defects_of_603(sides, folder, archive, conf, why, wanted):
    both = Both(sides, folder, archive, conf, ["-wv"])
    assert both.everything(0) != both.everything(1), why
    if wanted is not None:
        assert re.search(wanted, both.everything(1)), why
        assert not re.search(wanted, both.everything(0)), why
    if both.done[1][0] == 0:
        assert not [line for line in both.checks[1] if "bad" in line or "went backwards" in line]


def test_deleted_is_gone(sides, folder):
    """No trace is left of deleted metrics, instances and labels."""
    both = Both(sides, folder, "omnibus_v3", "metric 29.0.14 { delete } indom 29.2 { inst 100 -> delete }")
    assert "29.0.14" in dump(sides, folder, "omnibus_v3")
    assert not re.search(r"29\.0\.14\b|29\.2\[100\]|inst \[100 or", both.dumps[1])


def copy_as_g(sides, folder, name="gap"):
    for suffix in ("0", "index", "meta"):
        (folder / f"g.{suffix}").unlink(missing_ok=True)
        shutil.copy(sides.archives / f"{name}.{suffix}", folder / f"g.{suffix}")


def test_torn_input(sides, folder):
    """There is no output, but with -d the undamaged part. 6.0.3 prints the read position of its buffer."""
    copy_as_g(sides, folder)
    with open(folder / "g.0", "r+b") as f:
        f.truncate((folder / "g.0").stat().st_size - 10)
    for options, made in (([], False), (["-d"], True)):
        done = [sides.run(side, TOOL, [*options, "g", f"out{side}"], folder) for side in (0, 1)]
        assert [one.returncode for one in done] == [1, 1]
        assert b"__pmLogRead[log g]: Corrupted record in a PCP archive log" in done[1].stderr
        assert (folder / "out1.meta").exists() == made
    assert dump(sides, folder, "out1").count("\n") > 500


def test_empty_input(sides, folder):
    copy_as_g(sides, folder)
    with open(folder / "g.0", "r+b") as f:
        f.truncate(132)
    theirs, ours = (sides.run(side, TOOL, ["g", "out"], folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stderr) == (ours.returncode, ours.stderr)
    assert not list(folder.glob("out.*"))


@pytest.mark.parametrize("name", ["out.index", "out.meta", "out.0"])
def test_what_exists_stays(sides, folder, name):
    (folder / name).write_text("precious")
    theirs, ours = (sides.run(side, TOOL, ["gap", "out"], folder) for side in (0, 1))
    assert (theirs.returncode, theirs.stderr) == (ours.returncode, ours.stderr)
    assert [path.name for path in folder.glob("out.*")] == [name]
    assert (folder / name).read_text() == "precious"


def test_configs_of_a_folder(sides, folder):
    """By name, without hidden ones; a later -c goes on where the first ended."""
    (folder / "folder/wrong").write_text("metric sample.bin { name -> foo.bin }\n")
    (folder / "conf").write_text('global { hostname -> "x" }\n')
    done = sides.run(1, TOOL, ["-c", "folder", "-v", "-c", "conf", "rewrite", "out"], folder)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[0] == "Specification error in configuration file (conf)"
    (folder / "conf").write_text("global { hostname -> x }\n")
    done = sides.run(1, TOOL, ["-c", "folder", "-v", "-c", "conf", "rewrite", "out"], folder)
    assert done.returncode == 0
    for line in ("Hostname:\tbozo-laptop -> x", "Name:\t\tsample.bin -> foo.bin", "Type:\t\t32 -> U32"):
        assert line in done.stdout.decode()


def names(folder):
    return sorted(path.name for pattern in ("g.*", ".g.*") for path in folder.glob(pattern))


def test_in_place(sides, folder):
    copy_as_g(sides, folder, "rewrite")
    (folder / "g.meta").chmod(0o640)
    (folder / "conf").write_text("metric sample.bin { name -> foo.bin type -> 64 }")
    assert sides.run(1, TOOL, ["-c", "conf", "rewrite", "out1"], folder).returncode == 0
    done = sides.run(1, TOOL, ["-c", "conf", "-i", "g"], folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert dump(sides, folder, "g") == dump(sides, folder, "out1")
    assert names(folder) == ["g.0", "g.index", "g.meta"]
    assert [(folder / f"g.{suffix}").stat().st_mode & 0o777 for suffix in ("0", "index", "meta")] == [0o640] * 3


def test_in_place_of_other_files(sides, folder):
    """Compressed files and volumes of the old archive are removed."""
    for path in sides.archives.glob("pcp-zeroconf.*"):
        shutil.copy(path, folder / path.name.replace("pcp-zeroconf", "g"))
    before = dump(sides, folder, "pcp-zeroconf")
    assert sides.run(1, TOOL, ["-i", "g"], folder).returncode == 0
    assert dump(sides, folder, "g") == before
    assert names(folder) == ["g.0", "g.index", "g.meta"]


def test_in_place_fails_and_leaves_it(sides, folder):
    copy_as_g(sides, folder, "20041125")
    before = [(folder / f"g.{suffix}").read_bytes() for suffix in ("0", "index", "meta")]
    (folder / "conf").write_text("metric swapdev.priority { type -> u32 }")
    done = sides.run(1, TOOL, ["-c", "conf", "-i", "g"], folder)
    assert done.returncode == 1
    assert b"Negative value in conversion to unsigned" in done.stderr
    assert [(folder / f"g.{suffix}").read_bytes() for suffix in ("0", "index", "meta")] == before
    assert names(folder) == ["g.0", "g.index", "g.meta"]


def test_torn_metadata(sides, folder):
    """The undamaged part is used and the damage reported, but not in place."""
    copy_as_g(sides, folder)
    size = (folder / "g.meta").stat().st_size
    with open(folder / "g.meta", "r+b") as f:
        f.truncate(size - 10)
    before = (folder / "g.meta").read_bytes()
    done = sides.run(1, TOOL, ["g", "out1"], folder)
    assert done.returncode == 0
    assert re.fullmatch(rb'pmlogrewrite: Warning: metadata of "g" is torn at byte offset \d+\n', done.stderr)
    assert dump(sides, folder, "out1").count("PMID: ") == dump(sides, folder, "gap").count("PMID: ")
    done = sides.run(1, TOOL, ["-i", "g"], folder)
    assert done.returncode == 1
    assert done.stderr.startswith(b'pmlogrewrite: Error: metadata of "g" is torn')
    assert (folder / "g.meta").read_bytes() == before
    assert names(folder) == ["g.0", "g.index", "g.meta"]


def test_interrupted_in_place(sides, folder):
    """If the program is killed after it renamed the old archive, the next run restores the old name."""
    copy_as_g(sides, folder, "rewrite")
    for suffix in ("0", "index", "meta"):
        (folder / f"g.{suffix}").rename(folder / f".g.rewrite-old.{suffix}")
        shutil.copy(sides.archives / f"gap.{suffix}", folder / f".g.rewrite-new.{suffix}")
    shutil.copy(sides.archives / "gap.0", folder / "g.0")
    (folder / "conf").write_text("metric sample.bin { name -> foo.bin }")
    done = sides.run(1, TOOL, ["-c", "conf", "-i", "g"], folder)
    assert done.returncode == 0
    assert done.stderr == b'pmlogrewrite: Warning: rewriting of "g" was interrupted: the old archive is back\n'
    assert names(folder) == ["g.0", "g.index", "g.meta"]
    assert dump(sides, folder, "g") == dump(sides, folder, "rewrite").replace("sample.bin", "foo.bin")


def records_of(sides, folder, name):
    return run_tool(sides, 0, "pmdumplog", ["-m", name], folder).stdout.decode(errors="replace")


@pytest.mark.parametrize("archive", ["eventrec", "eventrec-old"])
def test_parameters_of_events_are_renumbered(sides, folder, archive):
    """All numbers of a domain change, also inside event records: there 6.0.3 leaves what the archive no longer describes."""
    Both(sides, folder, archive, "metric 29.*.* { PMID -> 129.*.* }", checked=False)
    theirs, ours = (records_of(sides, folder, out) for out in ("out0", "out1"))
    assert "pmLookupDesc: " in theirs and "pmLookupDesc: " not in ours
    assert re.sub(r"\b129\.", "29.", ours) == records_of(sides, folder, archive)
    assert "        129.0.134 (sample.event.param_string): " in ours


def test_parameters_of_events_change(sides, folder):
    """They are deleted, renumbered and converted; what is missed is counted as before."""
    conf = """metric 29.0.128 { PMID -> 29.0.900 NAME -> foo.bar TYPE -> DOUBLE }
              metric 29.0.131 { TYPE -> FLOAT UNITS -> 0,1,0,0,SEC,0 }
              metric 29.0.132 { TYPE -> 64 }
              metric 29.0.127 { DELETE }"""
    both = Both(sides, folder, "eventrec", conf)
    assert both.done[1][0] == 0 and both.checks[1] == []
    before, after = records_of(sides, folder, "eventrec"), records_of(sides, folder, "out1")
    expected = "".join(line for line in before.splitlines(True) if "(sample.event.type)" not in line)
    assert after == expected.replace("29.0.128 (sample.event.param_32)", "29.0.900 (foo.bar)")
    assert "(foo.bar): value -14" in after and "==> 7 missed event records" in after
    # A value that does not fit names the parameter.
    for path in folder.glob("out*"):
        path.unlink()
    done = Both(sides, folder, "eventrec", "metric 29.0.128 { TYPE -> U32 }").done[1]
    assert done[0] == 1 and "sample.event.param_32 (29.0.128): extracting value from type 32 to U32: Negative value" in done[2]


def split(sides, folder, archive, seconds):
    """Two archives of one, with nothing of it left out but the time between, made by Debian's pmlogextract."""
    for path in [*folder.glob("half*"), *folder.glob("halves/*")]:
        path.unlink()
    (folder / "halves").mkdir(exist_ok=True)
    for name, window in (("halfa", ["-T", f"+{seconds}s"]), ("halfb", ["-S", f"+{seconds + 1}s"])):
        assert run_tool(sides, 0, "pmlogextract", [*window, archive, name], folder).returncode == 0
        for path in folder.glob(f"{name}.*"):
            shutil.copy(path, folder / "halves")


@pytest.mark.parametrize("name", ["halfa,halfb", "halfb,halfa", "halves"])
def test_several_archives(sides, folder, name):
    """A list and a folder are one archive, with a mark where two meet."""
    split(sides, folder, "rep", 1)
    both = Both(sides, folder, name, "global { HOSTNAME -> some.where }")
    both.assert_same()
    assert both.done[1][0] == 0 and "<mark>" in both.dumps[1] and "host some.where" in both.dumps[1]
    assert not [path.name for path in folder.iterdir() if "join" in path.name]


def test_several_archives_with_instances_that_come(sides, folder):
    """Ours says what the two say; of 6.0.3's many instances have no name, where a domain changes after the mark."""
    split(sides, folder, "pcp-zeroconf", 100)
    Both(sides, folder, "halfa,halfb", "global { HOSTNAME -> some.where }", checked=False)
    parts = records_of(sides, folder, "halfa") + records_of(sides, folder, "halfb")
    theirs, ours = (records_of(sides, folder, out).splitlines() for out in ("out0", "out1"))
    lines = [line for line in ours if "<mark>" not in line and line]
    same = lines == [line for line in parts.splitlines() if line]  # no difference of 400,000 lines is to be printed
    assert same and len(ours) > len(lines)
    assert sum("???" in line for line in theirs) > sum("???" in line for line in ours)


def test_several_archives_that_do_not_go_together(sides, folder):
    """Of two hosts; and in place, where 6.0.3 makes an archive of the name `a,b`."""
    both = Both(sides, folder, "rep,rewrite", "global { HOSTNAME -> some.where }")
    both.assert_same()
    assert both.done[1][0] == 1 and "Archives differ by host" in both.done[1][2]
    done = sides.run(1, TOOL, ["-c", "conf", "-i", "rep,rewrite"], folder)
    assert done.returncode == 1 and b"Multiple archives are not supported" in done.stderr
    assert not [path.name for path in folder.iterdir() if "join" in path.name]
