"""A folder in which two recorders wrote at the same time: its history does not end where the shorter archive ends."""
import re

import pytest

from archive_bytes import I32, INSTANT, NO_INDOM, Handmade
from archive_sides import ArchiveSides

VALUE, OTHER = 4 << 10, 4 << 10 | 1


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return ArchiveSides(prefix, peer_root, tmp_path_factory.mktemp("peer"))


def make(path, seconds, metrics=((VALUE, "x.value"),)):
    archive = Handmade([(pmid, I32, NO_INDOM, INSTANT, name) for pmid, name in metrics])
    for second in seconds:
        archive.record(second, {pmid: second for pmid, _ in metrics})
    archive.write(path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "all").mkdir()
    return tmp_path / "all"


def values(done):
    assert done.returncode == 0, done.stderr
    return [int(word) for word in re.findall(r"(?m)^[\d:.]+ +(-?\d+)$", done.stdout.decode())]


def shown(sides, side, folder, name, *options):
    return sides.run(side, "pmval", ["-a", name, "-r", "-t", "10", *options, "x.value"], folder.parent)


def test_a_contained_archive_does_not_end_the_history(sides, folder):
    make(folder / "long", range(0, 101, 10))
    make(folder / "short", range(21, 40, 3))
    assert values(shown(sides, 1, folder, "all")) == list(range(0, 101, 10))
    # 6.0.3 goes no farther than the end of the archive that started last.
    assert max(values(shown(sides, 0, folder, "all"))) < 100
    # By its name it is read as ever.
    assert values(shown(sides, 1, folder, "all/short")) == [21, 30]
    summary = sides.run(1, "pmlogsummary", ["-y", "all", "x.value"], folder.parent)
    assert b" 11 " in summary.stdout, summary.stdout


def test_several_contained_archives(sides, folder):
    make(folder / "a", range(0, 101, 10))
    make(folder / "b", range(21, 60, 3))
    make(folder / "c", range(31, 40, 3))
    make(folder / "d", range(120, 161, 10))
    make(folder / "e", range(131, 140, 3))
    got = values(shown(sides, 1, folder, "all"))
    assert [v for v in got if v <= 100] == list(range(0, 101, 10)) and [v for v in got if v >= 120] == list(range(120, 161, 10))


def test_without_an_index(sides, folder):
    make(folder / "long", range(0, 101, 10))
    make(folder / "short", range(21, 40, 3))
    for path in folder.glob("*.index"):
        path.unlink()
    assert values(shown(sides, 1, folder, "all")) == list(range(0, 101, 10))


def test_archives_one_after_the_other_are_left_alone(sides, folder):
    """Also those that overlap at an end, and a list of names, in which each archive counts."""
    make(folder / "a", range(0, 61, 10))
    make(folder / "b", range(45, 101, 10))
    whole, listed = (shown(sides, 1, folder, name) for name in ("all", "all/a,all/b"))
    assert values(whole) == values(listed) and max(values(whole)) > 60
    make(folder / "c", range(50, 56, 2))
    assert values(shown(sides, 1, folder, "all")) == values(whole)
    assert values(shown(sides, 1, folder, "all/a,all/b,all/c")) != values(whole)
