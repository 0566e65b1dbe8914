"""pmnsmerge, pmnsadd and pmnsdel make the files that Debian's make, and say what they say."""
import re
import stat
import subprocess

import pytest

from peer import awk
from sides import Sides

FILES = {
    "m1": "root {\n\ta\n\tb 1:2:3\n}\na {\n\tx\t1:1:1\n\tc\n}\na.c {\n\ty\t1:1:2\n}\n",
    "m2": "#define D 7\nroot {\n\ta\n\tz\n}\na {\n\tnew\tD:0:1\n\tc\n\tx\t1:1:1\n}\na.c {\n\tq\tD:0:2\n}\nz {\n\tleaf\tD:0:3\n"
          "\tdyn\tD:*:*\n}\n",
    "other": "root {\n\ta\n}\na {\n\tx 9:9:9\n\tw 9:9:8\n}\n",
    "deep": "root {\n\tz\n}\nz {\n\tsub\n\tleaf 2:2:2\n\tsub2\n\tleaf2 2:2:3\n\tsub3\n}\nz.sub {\n\tk 3:3:3\n\tdeep\n\tl 3:3:4\n}\n"
            "z.sub.deep {\n\tm 4:4:4\n}\nz.sub2 {\n\tn 5:5:5\n}\nz.sub3 {\n\tdd\n\tee\n\tff 1:2:3\n}\nz.sub3.dd {\n\to 6:6:6\n}\n"
            "z.sub3.ee {\n\tp 6:6:7\n}\n",
    "deep2": "root {\n\tz\n\tw\n}\nz {\n\tleaf 2:2:2\n\tsub3\n}\nz.sub3 {\n\tee\n}\nz.sub3.ee {\n\tq 9:9:9\n}\nw {\n\tv\n\tu 8:8:8\n}\n"
             "w.v {\n\tt 8:8:9\n}\n",
    "d1": "#define _DATESTAMP 2000\nroot {\n\tnew\n}\nnew {\n\tx 5:5:5\n}\n",
    "d2": "#define _DATESTAMP 1000\nroot {\n\told\n}\nold {\n\tx 6:5:5\n}\n",
    "d3": "root {\n\tnone\n}\nnone {\n\tx 7:5:5\n}\n",
    "d4": "\n#define _DATESTAMP\t15\nroot {\n\td 1:1:4\n}\n",
    "d5": "root {\n\tc 1:1:3\n}\n#define _DATESTAMP 7\n",
    "twice": "root {\n\tq 1:1:1\n\tr 1:1:1\n}\n",
    "clash": "root {\n\tk 1:1:1\n}\n",
    "none": "root {\n}\n",
    "broken": "root {\n\tq\n}\nq {\n x\n",
    "rootless": "foo {\n a 1:1:1\n}\n",
    "f1": "a2 {\n\tx 5:5:5\n}\n",
    "f2": "new.sub {\n\tx 5:5:5\n\ty 5:5:6\n}\n",
    "f3": "#define X 3\na.c.k.l {\n k X:1:1\n m\n}\na.c.k.l.m {\n o 1:1:2\n dyn X:*:*\n}\n",
    "f4": "",
    "f5": "a {\n\tx 5:5:5\n\tnext 5:5:6\n}\n",
    "f6": "a.k {\n\tx 5:5:5\n}\nzz {\n y 7:7:7\n}\n",
    "f7": "a.k {\n\tx\n}\n",
    "site": "root {\n\ta\n\tb\t1:2:3\n\tz\n}\n\na {\n\tx\t1:1:1\n\tc\n\tdyn\t4:*:*\n}\n\na.c {\n\ty\t1:1:2\n\tw\t1:1:4\n}\n\nz {\n"
            "\tleaf\t7:0:3\n}\n",
}
# Syntax errors: what is said of each, and the caret under the word. 6.0.3 shows a line with one blank between words.
WRONG = {
    "brace": "root {\n\ta\n\tb 1:2:3\n}\na {\n\tx 1:1:1 {\n}\n",
    "two words": "root {\n\ta\n}\na.b c {\n\tx 1:1:1\n}\n",
    "no name": "root {\n\t9a 1:2:3\n}\n",
    "no braces": "root {\n\ta 1:2:3\n}\nfoo bar\n",
    "character": "root\n{\n\ta$b 1:2:3\n}\n",
    "second line": "root {\n\ta 1:2:3\n\tb 1:2:4 }\n\tc 1:2:5\n}\n",
    "no definition": "root {\n\tlongername    longerstill   1:2:3\n}\n",
    "no include": '#include "nosuch"\nroot {\n\ta 1:2:3\n}\n',
    "no head": "}\n",
    "no path": "root {\n a\n}\nb {\n c 1:1:1\n}\n",
    "after a comment": "/* some\n lines */ root {\n\ta 1:2:3 ]\n}\n",
    "macro": "#define X 12\nroot {\n\ta X:2:3 ]\n}\n",
}
SCRATCH = re.compile(rb"/\S*/pmnsadd\.\w+/tmp")


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return Sides(prefix, peer_root, tmp_path_factory.mktemp, FILES.items())


@pytest.mark.parametrize("line", """m1 out
m1 m2 out
m2 m1 out
-f m1 m2 out
-v m1 m2 out
-vv m1 out
-v -v d3 d5 d1 d4 d2 m1 out
-v d1 d2 d3 out
-v d3 d5 d1 d4 d2 m1 out
-a -v d1 d2 d3 out
m1 other out
-v m1 other out
other m1 out
m1 deep out
deep out
deep2 deep out
deep deep2 out
m1 m1 out
-d m1 out
--dupok m1 out
twice out
m1 twice out
none out
none m1 out
broken out
m1 broken out
rootless out
nosuch out
m1 nosuch out
m1 m2
-f --verbose m1 out
m1 /nosuch/x
m1

-z
-?
--help
-D nosuch m1 out""".split("\n"))
def test_pmnsmerge(sides, line):
    theirs, ours = sides.run("pmnsmerge", line.split(), results=("out",))
    if theirs[0] != 0:  # Debian's partial output is not a name space
        theirs[3][0] = ours[3][0] = None
    assert ours == theirs


@pytest.mark.parametrize("what", WRONG)
def test_a_syntax_error(sides, what):
    theirs, ours = sides.run("pmnsmerge", ["wrong", "out"], [("wrong", WRONG[what])], results=("out",))
    assert ours[:3] == theirs[:3] and ours[0] == 1


def test_pmnsmerge_of_duplicates(sides):
    """Debian's has an empty line after this message."""
    for line in ["-x", "twice", "out"], ["--nodups", "m1", "twice", "out"]:
        theirs, ours = sides.run("pmnsmerge", line, results=("out",))
        assert ours[:2] == theirs[:2] and ours[0] == 1
        assert ours[2] == theirs[2].replace(b"\n\n", b"\n")


def test_pmnsmerge_of_duplicates_in_two_files(sides):
    """-x finds them in what it has written, and ends with 1. Which of the two names comes first is each one's own."""
    theirs, ours = sides.run("pmnsmerge", ["-x", "m1", "clash", "out"], results=("out",))
    assert ours[0] == theirs[0] == 1 and ours[3] == theirs[3]
    named = [sorted(re.findall(rb'"([^"]+)"', side[2])) for side in (ours, theirs)]
    assert named[0] == named[1] == [b"a.x", b"k"]
    assert ours[2].splitlines()[-1] == theirs[2].splitlines()[-1]


@pytest.mark.parametrize("line", """-n site a.x
-n site a.c
-n site b
-n site z.leaf
-n site z a.c.y
-d -n site a.x
-n site -d nosuch
-n site a.dyn
-n site a b z
--namespace=site a
-n site a.x nosuch a.c
-n site root
-n site a..x
-n site a.
-n site a.x.y
-n site x
-n nosuch a
-n broken q
-n site

-z
-?""".split("\n"))
def test_pmnsdel(sides, line):
    theirs, ours = sides.run("pmnsdel", line.split(), FILES.items(), results=("site",))
    assert ours == theirs


def test_pmnsdel_of_an_empty_name(sides):
    theirs, ours = sides.run("pmnsdel", ["-n", "site", ""], FILES.items(), results=("site",))
    assert ours == theirs


@pytest.mark.parametrize("line", """-n site f1
-n site f2
-n site f3
-n site f4
-n site f5
-n site f6
-n site f7
-n site m2
-n site deep
-d -n site f1
-n site nosuch
-n site broken
-d

a b
-x
-n
-?""".split("\n"))
def test_pmnsadd(sides, line):
    if awk() is None:
        pytest.skip("there is no awk")
    theirs, ours = sides.run("pmnsadd", line.split(), FILES.items(), results=("site",))
    # Debian's merges a copy by the name of a scratch file, with pmnsmerge.
    file = line.split()[-1] if line else ""
    assert ours[:2] == theirs[:2]
    assert ours[3] == theirs[3]
    expected = SCRATCH.sub(file.encode(), theirs[2])
    for program in b"Error: pmLoad", b"Warning: perf":
        expected = expected.replace(b"pmnsmerge: " + program, b"pmnsadd: " + program)
    assert ours[2] == expected


def test_pmnsadd_finds_the_first_node_behind_a_comment(prefix, tmp_path):
    (tmp_path / "site").write_text(FILES["site"])
    (tmp_path / "part").write_text("/* comment\n of { two lines */\nnew.sub {\n\tx 5:5:5\n}\n")
    done = subprocess.run([prefix.bin("pmnsadd"), "-n", "site", "part"], cwd=tmp_path, capture_output=True, env={})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "new.sub {\n\tx\t5:5:5\n}\n" in (tmp_path / "site").read_text()


def test_the_file_keeps_its_mode_and_a_link_its_place(prefix, tmp_path):
    for name in "site", "f1":
        (tmp_path / name).write_text(FILES[name])
    (tmp_path / "link").symlink_to("site")
    (tmp_path / "site").chmod(0o640)
    run = dict(cwd=tmp_path, capture_output=True, env={})
    assert subprocess.run([prefix.bin("pmnsadd"), "-n", "link", "f1"], **run).returncode == 0
    assert subprocess.run([prefix.bin("pmnsdel"), "-n", "link", "z"], **run).returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "site").stat().st_mode) == 0o640
    assert "a2" in (tmp_path / "site").read_text() and "z {" not in (tmp_path / "site").read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f1", "link", "site"]


def test_a_file_that_cannot_be_written_stays(prefix, tmp_path):
    (tmp_path / "site").write_text(FILES["site"])
    done = subprocess.run([prefix.bin("pmnsmerge"), "-f", "site", "/dev/null/x"], cwd=tmp_path, capture_output=True, env={})
    assert done.returncode == 1 and b"cannot create output PMNS file" in done.stderr
    assert (tmp_path / "site").read_text() == FILES["site"]


def test_our_library_reads_what_they_write(prefix, tmp_path):
    for name in "deep", "m2":
        (tmp_path / name).write_text(FILES[name])
    run = dict(cwd=tmp_path, capture_output=True, text=True, env={})
    assert subprocess.run([prefix.bin("pmnsmerge"), "deep", "m2", "out"], **run).returncode == 0
    names = re.findall(r"(?m)^(\S+) {", (tmp_path / "out").read_text())
    assert names == ["root", "z", "z.sub", "z.sub.deep", "z.sub2", "z.sub3", "z.sub3.dd", "z.sub3.ee", "a", "a.c"]
    again = subprocess.run([prefix.bin("pmnsmerge"), "out", "again"], **run)
    assert again.returncode == 0 and (tmp_path / "again").read_text() == (tmp_path / "out").read_text()
