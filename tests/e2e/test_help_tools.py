"""newhelp makes the files that Debian's makes, chkhelp prints what Debian's prints; and what goes in comes out."""
import random
import subprocess

import pytest

from sides import Sides

NAMES = """root {
	tst
}
tst {
	a	250:0:0
	b	250:0:1
	c	250:1:0
	same	250:1:0
	deep
	dyn	251:*:*
}
tst.deep {
	d	249:3:7
}
"""
LONG = "0123456789" * 13
SOURCES = [
    "",
    "# comment\n",
    "before\n@ tst.a x\ny\n",
    "@ tst.a one line\nhelp text\nmore\n\n",
    "@ tst.a one\ntext without newline",
    "@ tst.a one\nfoo\n# end",
    "@ tst.a x\n@",
    "@ tst.a x\n@ tst.b",
    "@\ntst.a foo\nbar\n@ tst.b x\n",
    "@ tst.b x\n\n\ny\n\n",
    " @ tst.b x\n#@ tst.a x\n@ tst.c y\n @ foo\n# c\nt\n",
    f"@ tst.a {LONG}\nab\n@ tst.b y\n",
    f"@ tst.a {LONG}{LONG}{LONG}\nab\n@ tst.b y\n",
    f"@{LONG}\nfoo\n",
    "@" + " " * 140 + "tst.a foo\nbar\n",
    "@ tst.a one\n" + "0123456789\n" * 92 + "@ tst.b y\n",        # just not too long
    "@ tst.a one\n" + "0123456789\n" * 91 + "0123456789012\n",
    "@ tst.a one\n" + "0123456789\n" * 91 + "01234567890123\n",
    "@ tst.a one\n" + "0123456789\n" * 100,                        # too long
    "@\n@tst.a\n@   tst.b   x  \n y \n#c\nz\n\n\n@ 1.2.3 pm\n@ 1.2 indom\n@ nosuch x\n@ tst.deep q\n@ tst.a dup\n@ tst.a dup2\n",
    "@ tst.a a\n@ tst.a b\n@ tst.a c\n@ 1.2 x\n@ 1.2 y\n",
    "@1.2.3.4 a\n@ 1.2x b\n@ 1.2.x c\n@ 600.1 d\n@ 1.5000.2000 e\n@ 1. f\n@ 1 g\n@ .1 h\n@ -1.2 i\n@ 1.-2.3 j\n@ 0x1.2 k\n"
    "@ 1.99999999999 l\n@ tst.dyn m\n@ tst.dyn.x n\n@ event.flags o\n@ '' p\n@ tst p\n",
    "@ 9.1 z\n@ 8.1 y\n@ 9.0.1 x\n@ 8.0.1 w\n@ 7.0.0 v\n@ tst.c u\n",
    "@\001 x\n@ tst.a foo\\\n bar\n",
]


@pytest.fixture(scope="module")
def pair(prefix, peer_root, tmp_path_factory):
    return Sides(prefix, peer_root, tmp_path_factory.mktemp, [("names", NAMES)])


MADE = ("out.pag", "out.dir")


@pytest.mark.parametrize("verbose", [[], ["-V"]], ids=["quiet", "verbose"])
@pytest.mark.parametrize("text", SOURCES, ids=[repr(t[:40]) for t in SOURCES])
def test_newhelp(pair, text, verbose):
    theirs, ours = pair.run("newhelp", ["-n", "names", "-o", "out", *verbose, "in"], [("in", text)], results=MADE)
    assert ours == theirs


def random_source(dice):
    keys = ["tst.a", "tst.b", "tst.c", "tst.deep.d", "tst.dyn", "nosuch", "tst", "1.2.3", "1.2", "250.0.0", "600.3.4", "1."]
    text = "@ tst.a first\n"
    for i in range(dice.randint(0, 8)):
        text += dice.choice([
            "@" + dice.choice(["", " ", "  ", "\t"]) + dice.choice(keys) + dice.choice([" ", "  \t", "\n"])
            + dice.choice(["one line", "x", "", "  y  ", "w" * dice.randint(1, 150)]) + "\n",
            "# comment " + "c" * dice.randint(0, 80) + "\n", "\n" * dice.randint(1, 3),
            " " + "z" * dice.choice([10, 125, 126, 127, 128, 253, 254, 255]) + "\n", f"line of text {i}\n"])
    return text.rstrip("\n") if dice.random() < 0.15 else text


def test_newhelp_with_random_sources(pair):
    dice = random.Random(3)
    for _ in range(100):
        text = random_source(dice)
        theirs, ours = pair.run("newhelp", ["-n", "names", "-o", "out", "-V", "in"], [("in", text)], results=MADE)
        assert ours == theirs, text


@pytest.mark.parametrize("args", [
    ["-?"], ["--help"], ["-z"], ["--version"], ["-v", "1", "in"], ["-v", "x", "in"], ["-v", "2", "-n", "names", "in"],
    ["-D", "nosuch", "in"], ["-n", "names", "nosuch"], ["-n", "/nosuch", "in"], ["-n", "names"],
    ["-n", "names", "-o", "/nosuch/x", "in"], ["-n", "names", "-o", "out"], ["-n", "names", "-o", "out", "in", "nosuch"],
    ["-n", "names", "in", "in"], ["-n", "names", "-o", "out", "-V", "in", "in"],
], ids=" ".join)
def test_newhelp_command_line(pair, args):
    theirs, ours = pair.run("newhelp", args, [("in", "@ tst.a x\ny\n")], stdin=b"@ tst.b s\nt\n",
                        results=("out.pag", "out.dir", "in.pag", "in.dir"))
    assert ours == theirs


HELP = ("@ tst.a one a\nHelp a\nl2\n@ tst.b only one\n@ 250.3 indom one\nindom help\n@ tst.c\nonly help\n"
        "@ 7.7.7 unknown metric\nuh\n@ 9.9\n@ tst.deep.d dd\n")


@pytest.mark.parametrize("line", """help
-n names help
-n names -p help
-n names -i help
-n names -p -i -H help
-n names -p -O -H help
-n names -e help
-n names -e help tst.deep tst.a
-n names -e help nosuch
-n names help tst.a tst.b tst.c tst.deep.d tst.deep nosuch event.flags
-n names -H help tst.a tst.b event.flags tst.dyn
-n names -HO help tst.a event.flags
-n names help -p
-n names -O help 250.3 7.7.7
-n names -p empty
nosuch
names
-n names broken
-n /nosuch help
-H help
-O help
-n names -p help tst.a
-n names -e -p help
-e -p -O a b
-n names -e -H help
-v 1 help
-v x help
-v 2 -n names help
-D nosuch help
-z help
-n
-?""".split("\n"))
def test_chkhelp(pair, line):
    pair.run("newhelp", ["-n", "names", "-o", "help", "help"], [("help", HELP)])
    pair.run("newhelp", ["-n", "names", "-o", "empty"])
    files = [("broken.dir", "no such thing"), ("broken.pag", "")]
    if "-n" not in line:
        line = line.replace("help", "-n names help", 1) if line == "help" else line
    theirs, ours = pair.run("chkhelp", line.split(), files)
    assert ours == theirs


def test_an_entry_behind_one_that_is_too_long_is_kept(prefix, tmp_path):
    """Debian's loses it; and of a comment too long for its line buffer, it makes text."""
    (tmp_path / "names").write_text(NAMES)
    (tmp_path / "in").write_text("@ tst.a one\n" + "0123456789\n" * 100 + "@ tst.b two\nb\n# " + LONG + "\n@ tst.c three\nc\n")
    run = dict(cwd=tmp_path, capture_output=True, text=True, env={})
    made = subprocess.run([prefix.bin("newhelp"), "-n", "names", "in"], **run)
    assert made.returncode == 1 and made.stderr.startswith("newhelp: [in:94] entry truncated after ... ")
    got = subprocess.run([prefix.bin("chkhelp"), "-n", "names", "-OH", "in", "tst.b", "tst.c"], **run)
    assert got.stdout == "\nPMID 250.0.1 tst.b: two\nb\n\nPMID 250.1.0 tst.c: three\nc\n"


def test_what_goes_in_comes_out(prefix, tmp_path):
    """Through pmdaGetHelp and pmdaGetInDomHelp, in the order of the index."""
    (tmp_path / "names").write_text(NAMES)
    (tmp_path / "in").write_text("".join(f"@ 250.7.{i} line {i}\nhelp {i}\n\nof {i}\n@ 250.{i} domain {i}\n" for i in range(1000)))
    run = dict(cwd=tmp_path, capture_output=True, text=True, env={})
    assert subprocess.run([prefix.bin("newhelp"), "-n", "names", "in"], **run).returncode == 0
    got = subprocess.run([prefix.bin("chkhelp"), "-n", "names", "-piOH", "in"], **run)
    assert got.stdout == ("".join(f"\nPMID 250.7.{i}: line {i}\nhelp {i}\n\nof {i}\n" for i in range(1000))
                          + "".join(f"\nInDom 250.{i}: domain {i}\n<no full text available>\n" for i in range(1000)))
