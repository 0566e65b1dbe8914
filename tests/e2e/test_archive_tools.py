"""pmdumplog, pmlogcheck, pmloglabel and pmlogsummary answer as Debian's do, over PCP's own archives.

Every archive gets a few rows of options in turn; PITOT_ALL_ARCHIVES gives all rows to all archives."""
import re
import shlex
import shutil
import struct

import pytest

import rows_archive_tools as rows
from archive_bytes import I32, INSTANT, NO_INDOM, Handmade, framed
from archive_sides import ALL, ArchiveSides, assert_same, check_lines, sort_names, sorted_lines

ROWS_EACH = 3
EVERY = 1 if ALL else 2  # every second archive is enough for most runs


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return ArchiveSides(prefix, peer_root, tmp_path_factory.mktemp("peer"))


def chosen(names):
    names = [name for name in names if ALL or name not in rows.SLOW]
    for at, name in enumerate(names[::EVERY]):
        count = len(rows.OPTIONS)
        picked = range(count) if ALL else [(at * ROWS_EACH + i) % count for i in range(ROWS_EACH)]
        yield from ((name, *rows.OPTIONS[i]) for i in picked)


def test_options_over_archives(sides):
    """This is one test, because the archives are known only at run time; it reports all differences."""
    wrong = []
    names = sides.names()
    assert len(names) > 150
    for archive, tool, options, order in chosen(names):
        if (tool, archive, " ".join(options)) in rows.EXCEPT or (tool, archive) in rows.EXCEPT:
            continue
        what = f"{tool} {' '.join(options)} {archive}"
        try:
            assert_same(what, *sides.both(tool, [*options, archive]), lambda text: sort_names(order(sort_names(text))))
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("line", rows.LINES.strip().splitlines())
def test_command_lines(sides, line):
    tool, *args = shlex.split(line)
    assert_same(line, *sides.both(tool, args))


def test_strict_check(sides):
    """6.0.3 exits with 0 after most findings; --strict makes it 1, and nothing else."""
    for archive, found in (("gap", False), ("20101004-trunc", True)):
        plain, strict = (sides.run(1, "pmlogcheck", [*options, archive]) for options in ([], ["--strict"]))
        assert (plain.returncode, strict.returncode) == (0, int(found))
        assert plain.stderr == strict.stderr and (plain.stderr != b"") == found


@pytest.mark.parametrize("tool, line, order", rows.LONG, ids=[f"{row[0]} {row[1]}" for row in rows.LONG])
def test_long_options(sides, tool, line, order):
    theirs, ours = sides.both(tool, line.split())
    assert_same(f"{tool} {line}", theirs, ours, lambda text: sort_names(order(sort_names(text))))


@pytest.mark.parametrize("start", ["-S", "--start"])
def test_a_check_begins_where_its_window_does(sides, start):
    """6.0.3 begins at the first record, reports that it goes back, and counts one record after the end."""
    argument = [start, "+2"] if start == "-S" else [start + "=+2"]
    theirs, ours = sides.both("pmlogcheck", ["-v", *argument, "-T", "+5", "gap"])
    assert b"went backwards" in theirs.stderr
    assert b"went backwards" not in ours.stderr and b"Processed 5 pmResult records" in ours.stderr


OWN = {"pmlogcheck": {"-S", "--start", "-R", "--repair", "-t", "--trim", "--strict", "--keep-undescribed", "--keep", "-V", "--version"}}  # tested in their own tests
ELSEWHERE = {"-V", "--version", "-?", "--help"}  # they differ by what is ours


@pytest.mark.parametrize("tool", ["pmdumplog", "pmlogcheck", "pmloglabel", "pmlogsummary"])
def test_every_option_has_a_row(sides, tool):
    """Checks the usage, in both of its forms."""
    usage = sides.run(1, tool, ["--help"]).stderr.decode()
    told = set(re.findall(r"(?m)^  (-[^-])|(--[a-z]+)", usage.split("Options:")[1]))
    told = {name for pair in told for name in pair if name} - OWN.get(tool, set()) - ELSEWHERE
    lines = [shlex.split(line) for line in rows.LINES.strip().splitlines()]
    lines += [[row[0], *row[1]] for row in (*rows.OPTIONS, *rows.DAMAGE_TOOLS)] + [[row[0], *row[1].split()] for row in rows.LONG]
    lines += [["pmloglabel", *row[3]] for row in rows.WRITES]
    words = [word for line in lines if line[0] == tool for word in line[1:] if word.startswith("-")]
    given = {word.split("=")[0] for word in words} | {"-" + letter for word in words if word[1:2] != "-" for letter in word[1:]}
    assert len(told) > 10 and told - given == set()


def test_bins_leave_averages_alone(sides):
    """6.0.3 with -B: an average below the least of values that are all 100."""
    for options, side, average in (([], 0, b"100.000"), (["-B", "4"], 0, b"88.482"), (["-B", "4"], 1, b"100.000")):
        said = sides.run(side, "pmlogsummary", [*options, "diff1,diff2", "sample.bin"]).stdout
        assert said.startswith(b'sample.bin ["bin-100"] ' + average)


@pytest.mark.parametrize("words, bins", [(["sample.bin[bin-100]", "sample.bin[bin-300]"], [1, 3]),
                                         (["sample.bin[nosuch]", "sample.bin"], [1, 2, 3, 4]),
                                         (["sample", "sample.bin[bin-100]"], [1, 2, 3, 4])])
def test_instances_of_several_words_add_up(sides, words, bins):
    """6.0.3 takes the first word that names a metric, and drops the others without a message."""
    done = sides.run(1, "pmlogsummary", ["gap", *words])
    found = re.findall(rb'(?m)^sample.bin \["bin-(\d)00"\] ', done.stdout)
    assert (done.returncode, done.stderr, sorted(map(int, found))) == (0, b"", bins)


@pytest.mark.parametrize("options", [[], ["-v"], ["-vN"], ["-Nv"], ["-va"], ["-v", "-S", "+1"]], ids=" ".join)
def test_metrics_without_name_or_descriptor_are_passed_by(sides, tmp_path, options):
    named, nameless, unknown = 4 << 10, 4 << 10 | 1, 4 << 10 | 2
    archive = Handmade([(named, I32, NO_INDOM, INSTANT, "x.named"), (nameless, I32, NO_INDOM, INSTANT, "x.gone")])
    archive.meta[1] = framed(struct.pack(">iIiIiII", 1, nameless, I32, NO_INDOM, INSTANT, 0, 0))
    archive.types[unknown] = I32
    for second in range(4):
        archive.record(second, {unknown: 1, nameless: second, named: second})
    archive.write(tmp_path / "g")
    theirs, ours = sides.both("pmlogsummary", [*options, "g"], tmp_path)
    assert b"x.named" in ours.stdout
    assert_same(options, theirs, ours)


def test_an_instance_that_has_no_name_is_not_chosen(sides):
    """6.0.3 prints each instance whose name is unknown, besides those that were asked for."""
    word = "proc.psinfo.pid[nosuch]"
    theirs, ours = sides.both("pmlogsummary", ["pcp-pidstat-process-args", word])
    assert b"proc.psinfo.pid [" in theirs.stdout
    assert (ours.returncode, ours.stdout, ours.stderr) == (0, b"", b"")


OWN_USAGE = re.compile(r"(?m)^  (?:-R OUT|-t, --trim|-V, --version|--strict|--keep-undescribed).*\n(?: {24}.*\n)*")


@pytest.mark.parametrize("args", [[], ["-?"], ["-Q"], ["-zZ", "UTC", "gap"]])
def test_usage_of_pmlogcheck(sides, args):
    """It differs by the options that are ours."""
    theirs, ours = sides.both("pmlogcheck", args)
    assert OWN_USAGE.search(ours.stderr.decode())
    assert_same(args, theirs, ours, lambda text: OWN_USAGE.sub("", text))


def copy_archive(sides, name, folder):
    folder.mkdir(exist_ok=True)
    for suffix in ("0", "index", "meta"):
        shutil.copy(sides.archives / f"{name}.{suffix}", folder / f"g.{suffix}")


@pytest.mark.parametrize("what, archive, damage, options", rows.WRITES, ids=[row[0] for row in rows.WRITES])
def test_labels_written(sides, tmp_path, what, archive, damage, options):
    """Both write the same bytes."""
    done = []
    for side, folder in enumerate((tmp_path / "theirs", tmp_path / "ours")):
        copy_archive(sides, archive, folder)
        if damage:
            damage(folder)
        done.append(sides.run(side, "pmloglabel", [*options, "g"], folder))
    assert_same(what, *done)
    for suffix in ("0", "index", "meta"):
        assert (tmp_path / "theirs" / f"g.{suffix}").read_bytes() == (tmp_path / "ours" / f"g.{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["g.0", "g.index", "g.meta"])
@pytest.mark.parametrize("what, at, data", [("prefix", 0, rows.SMALL), ("suffix", 804, rows.SMALL), ("volume", 8 + 16, b"\7")])
def test_a_label_of_version_3_is_mended(sides, tmp_path, name, what, at, data):
    """6.0.3 with -s empties the time zone's name in all files."""
    copy_archive(sides, "omnibus_v3", tmp_path)
    before = (tmp_path / name).read_bytes()
    rows.put(name, at, data)(tmp_path)
    assert (tmp_path / name).read_bytes() != before
    assert sides.run(1, "pmloglabel", ["g"], tmp_path).returncode == 2
    assert sides.run(1, "pmloglabel", ["-s", "g"], tmp_path).returncode == 0
    assert (tmp_path / name).read_bytes() == before
    assert sides.run(0, "pmloglabel", ["g"], tmp_path).returncode == 0


@pytest.mark.parametrize("at", [0, 128])
def test_labels_that_are_all_bad_are_reported(sides, tmp_path, at):
    """6.0.3 ends with a segmentation fault."""
    copy_archive(sides, "gap", tmp_path)
    for name in ("g.0", "g.index", "g.meta"):
        rows.put(name, at, rows.SMALL)(tmp_path)
    done = sides.run(1, "pmloglabel", ["-s", "g"], tmp_path)
    assert done.returncode == 2 and done.stderr.count(b"label: Illegal label record") == 3


@pytest.mark.parametrize("size", [0, 100])
def test_a_file_without_a_label_gets_none(sides, tmp_path, size):
    """6.0.3 writes one into an empty file, and exits with 0: the archive looks whole, and has no data."""
    copy_archive(sides, "gap", tmp_path)
    rows.cut("g.0", size)(tmp_path)
    done = sides.run(1, "pmloglabel", ["-s", "g"], tmp_path)
    assert done.returncode == 3 and b"Failed data volume 0 write" in done.stderr
    assert (tmp_path / "g.0").stat().st_size == size


def test_the_label_of_a_foreign_version_stays(sides, tmp_path):
    """A data volume of version 3 beside the rest of version 2: what is there is whole."""
    copy_archive(sides, "gap", tmp_path)
    shutil.copy(sides.archives / "omnibus_v3.0", tmp_path / "g.0")
    rows.put("g.0", 7, b"\2")(tmp_path)
    before = (tmp_path / "g.0").read_bytes()
    assert sides.run(1, "pmloglabel", ["-s", "g"], tmp_path).returncode == 3
    assert (tmp_path / "g.0").read_bytes() == before


def test_a_label_of_another_version_is_refused(sides, tmp_path):
    """6.0.3 writes it over the first records."""
    copy_archive(sides, "gap", tmp_path)
    before = (tmp_path / "g.0").read_bytes()
    done = sides.run(1, "pmloglabel", ["-V", "3", "g"], tmp_path)
    assert done.returncode == 3 and b"no room" in done.stderr
    assert (tmp_path / "g.0").read_bytes() == before


ORDER = {"pmdumplog": sort_names, "pmlogcheck": check_lines, "pmloglabel": sorted_lines, "pmlogsummary": sorted_lines}


@pytest.mark.parametrize("tool, options", rows.DAMAGE_TOOLS)
@pytest.mark.parametrize("what, damage, differs", rows.DAMAGE, ids=[row[0] for row in rows.DAMAGE])
def test_damage(sides, tmp_path, tool, options, what, damage, differs):
    copy_archive(sides, "gap", tmp_path)
    damage(tmp_path)
    theirs, ours = sides.both(tool, options if "g" in options else [*options, "g"], tmp_path)
    assert ours.returncode in (0, 1, 2)
    if "*" not in differs and tool not in differs:
        assert_same(what, theirs, ours, ORDER[tool])


@pytest.mark.parametrize("seconds", [5, 500])
def test_records_before_the_time_of_the_label_are_counted(sides, tmp_path, seconds):
    copy_archive(sides, "gap", tmp_path)
    rows.label_later(seconds)(tmp_path)
    theirs, ours = sides.both("pmlogcheck", ["-v", "g"], tmp_path)
    assert b"timestamp before label timestamp" in ours.stderr and b"Processed 23 pmResult records" in ours.stderr
    assert_same(seconds, theirs, ours, check_lines)


@pytest.mark.parametrize("options", [[], ["-S", "+3"]], ids=["whole", "from a moment"])
def test_an_end_that_cannot_be_located_is_reported(sides, tmp_path, options):
    """By the library's option parser too; ours knows the end of the records that are whole."""
    copy_archive(sides, "gap", tmp_path)
    rows.both(rows.cut("g.0", -30), rows.gone("g.index"))(tmp_path)
    theirs, ours = sides.both("pmval", ["-s", "2", "-a", "g", *options, "sample.bin"], tmp_path)
    assert b"pmval: Cannot locate end of archive g: " in theirs.stderr
    assert (theirs.returncode, theirs.stderr) == (ours.returncode, ours.stderr)
    assert b"end:  " in ours.stdout and b"100         200 " in ours.stdout


def records_of(sides, side, archive, folder):
    done = sides.run(side, "pmdumplog", ["-M", archive], folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize("archive", ["gap", "omnibus_v3", "omnibus_v2", "mirage-3", "foo+"])
def test_repair_of_a_whole_archive_is_a_copy(sides, tmp_path, archive):
    copy_archive(sides, archive, tmp_path)
    done = sides.run(1, "pmlogcheck", ["--repair=copy", "g"], tmp_path)
    assert done.returncode == 0 and b"skipped" not in done.stderr and b"left out" not in done.stderr
    assert records_of(sides, 0, "copy", tmp_path) == records_of(sides, 0, "g", tmp_path)
    theirs = sides.run(0, "pmlogcheck", ["-w", "copy"], tmp_path)
    assert theirs.returncode == 0
    for section in ("-e", "-h"):
        a, b = (sides.run(0, "pmdumplog", [section, name], tmp_path).stdout for name in ("g", "copy"))
        assert a == b


@pytest.mark.parametrize("offset", [9000, 12000])
def test_repair_skips_damage_and_marks_it(sides, tmp_path, offset):
    copy_archive(sides, "omnibus_v3", tmp_path)
    rows.put("g.0", offset, b"X" * 4000)(tmp_path)
    done = sides.run(1, "pmlogcheck", ["--repair", "part", "g"], tmp_path)
    assert done.returncode == 0 and b"skipped" in done.stderr
    whole = records_of(sides, 1, str(sides.archives / "omnibus_v3"), tmp_path)
    part = records_of(sides, 0, "part", tmp_path)
    assert part.count("<mark>") == whole.count("<mark>") + 1
    stamps = [line for line in part.splitlines() if re.match(r"[\d:.]+ \d+ metrics?$", line)]
    assert 25 < len(stamps) < 36 and set(stamps) <= set(whole.splitlines())
    assert sides.run(0, "pmlogcheck", ["-w", "part"], tmp_path).returncode == 0


def test_repair_where_metadata_is_cut_off(sides, tmp_path):
    """Values whose metric has no description any more are left out, or kept on request, and counted."""
    for suffix in ("0", "index", "meta"):
        shutil.copy(sides.archives / f"babylon.percpu_v2.{suffix}", tmp_path / f"cut.{suffix}")
    meta = tmp_path / "cut.meta"
    meta.write_bytes(meta.read_bytes()[:700])
    done = sides.run(1, "pmlogcheck", ["-R", "out", "cut"], tmp_path)
    lost = re.search(rb"out: (\d+) metrics have values and no description: their values are left out", done.stderr)
    assert done.returncode == 0 and int(lost[1]) > 2, done.stderr
    assert sides.run(1, "pmlogcheck", ["--strict", "-R", "strict", "cut"], tmp_path).returncode == 1
    # Debian's tools read all of it; nothing in it is without a description.
    shown = sides.run(0, "pmdumplog", ["-a", "out"], tmp_path)
    assert shown.returncode == 0 and shown.stderr == b"" and b"<noname>" not in shown.stdout and b" value " in shown.stdout
    assert sides.run(0, "pmlogcheck", ["-w", "out"], tmp_path).stderr == b""
    kept = sides.run(1, "pmlogcheck", ["-R", "kept", "--keep-undescribed", "cut"], tmp_path)
    assert b"out: " not in kept.stderr and b"%s metrics have values and no description: kept" % lost[1] in kept.stderr
    assert (tmp_path / "kept.0").stat().st_size > (tmp_path / "out.0").stat().st_size
    assert sides.run(1, "pmlogcheck", ["--keep-undescribed", "cut"], tmp_path).returncode == 1


def test_repair_never_overwrites(sides, tmp_path):
    copy_archive(sides, "gap", tmp_path)
    before = (tmp_path / "g.0").read_bytes()
    done = sides.run(1, "pmlogcheck", ["--repair", "g", "g"], tmp_path)
    assert done.returncode == 1 and (tmp_path / "g.0").read_bytes() == before


def test_trim_makes_a_torn_archive_one_that_theirs_open(sides, tmp_path):
    copy_archive(sides, "gap", tmp_path)
    for damage in (rows.cut("g.0", -30), rows.cut("g.meta", -30), rows.cut("g.index", 140)):
        damage(tmp_path)
    assert sides.run(0, "pmdumplog", ["-a", "g"], tmp_path).returncode == 1
    done = sides.run(1, "pmlogcheck", ["--trim", "g"], tmp_path)
    assert done.returncode == 0 and b"cut off" in done.stderr
    assert sides.run(0, "pmdumplog", ["-a", "g"], tmp_path).returncode == 0
    assert sides.run(0, "pmlogcheck", ["g"], tmp_path).stderr == b""
