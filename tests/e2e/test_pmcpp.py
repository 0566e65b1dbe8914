"""pmcpp puts out what Debian's puts out: good and bad texts, in all its ways."""
import re

import pytest

from sides import Sides

TEXTS = [
    "",
    "a\nb\n",
    "#define A 1\n#define EMPTY\n#define Q \"two words\"\nA EMPTY x Q /* c */ A1 A_ 1A\n#A #{A} #{Q} #B #{B} %A %{A}\n\"A\" $A ${A}\n",
    "%define A 1\n%define Q \"two words\"\nA #A #{A} %A %{A} /* kept */\n%ifdef A\nyes #A\n%else\nno\n%endif\n#define B 2\nB #B\n"
    "%include \"inc\"\nafter\n",
    "#A #{A #{A}} ##A #{ A } x#A #Ax #{Ax} #{} #\n%A %{A %{A}} %%A %{ A } x%A %Ax #A %{A\n",
    "#define A #B\n#define B 2\nA #A %A\n",
    "x /* c */\nx /* c */  \ny   \nz /* a */ b /* c */\n/* c */\n  /* c\n d */ e\nf /* g\nh */\n  \ni /* j */ \n/* c */ k\n",
    "/* x\n%define A 2\n#define A 3\n*/ A %A #A\n",
    "#include \"inc\"\n#include <inc>\n%include \"dinc\"\nA\n",
    "#include \"dinc\"\n#include <dinc>\nA\n",
    "%foo\n% define A 1\n#foo\n# define A 1\nA\n",
    "#ifdef A\nyes\n#else\nno\n#endif\n%ifndef A\nno\n%else\nyes\n%endif\n",
    "#define A 1\n#define A 1\n",
    "%define A 1\n%define A 1\n",
    "#define A 2\nA\n#bad\n#else\nmore\n",
    *[c + rest for c in "#%" for rest in (
        "ifdef A\n#ifdef B\n", "else\n", "endif\n", "ifdef\n", "include\n", "include \"nosuch\"\n", "include \"x\n", "include <x\n",
        "include <inc> x\n", "define\n", "define 1\n", "define A \"x\n", "define A x y\n", "define x(y) z\n", "undef\n",
        "undef A b\n", "include \"loop\"\n")],
]
WAYS = [[], ["-P"], ["-r"], ["-s"], ["-rs"], ["-rsP", "-D", "A=5", "-I", "d"]]
FILES = [("inc", "in inc #A %A A\n"), ("d/dinc", "in d #A %A A\n"), ("loop", "#include \"loop\"\n%include \"loop\"\n")]


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    return Sides(prefix, peer_root, tmp_path_factory.mktemp, FILES)


# Debian's does not report which of the two it was, nor, with -P, the place.
UNCLOSED = re.compile(rb"(no matching .endif for ).*(?m:$)")


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_same_output(sides, way):
    for text in TEXTS:
        theirs, ours = sides.run("pmcpp", [*way, "in"], [("in", text)])
        assert ours[:2] == theirs[:2], text
        assert UNCLOSED.sub(rb"\1", ours[2]) == UNCLOSED.sub(rb"\1", theirs[2]), text


@pytest.mark.parametrize("args", [
    [], ["in"], ["-P", "in", "out"], ["in", "/nosuch/x"], ["nosuch"], ["a", "b", "c"], ["-?"], ["--help"], ["-z"], ["-I"],
    ["in", "-P"], ["-P", "--", "in"], ["-DA"], ["-DA=", "in"], ["-D", "A=x y", "in"], ["-D", "A='x y'", "in"], ["-DA", "-DA", "in"],
    ["-D", "", "in"], ["-D", "1x", "in"], ["-DA=B", "-DB=2", "in"], ["-s", "-D", "A x y", "in"], ["-DQ=1", "in"], ["-Id", "in"],
    ["--define=A=7", "--restrict", "--shell", "--include=d", "in"], ["--define"],
], ids=" ".join)
def test_same_command_line(sides, args):
    text = "A B #A %A\n#define Q 2\nQ\n"
    theirs, ours = sides.run("pmcpp", args, [("in", text)], stdin=b"#ifdef A\nx A\n#endif\n", results=("out",))
    assert ours == theirs


def test_what_is_not_as_debian_has_it(sides):
    """A last line without newline is kept, and no command is run for a file."""
    assert sides.run("pmcpp", ["-P"], stdin=b"a\nb")[1][:3] == (0, b"a\nb\n", b"")
    status, output, error, _ = sides.run("pmcpp", [], stdin=b"x\n#shell \"echo y\"\n")[1]
    assert (status, output) == (1, b'# 1 "<stdin>"\nx\n')
    assert error == b'pmcpp: <stdin>[2]: #shell "echo y"\npmcpp: Error: #shell is refused: no command is run for a file\n'
