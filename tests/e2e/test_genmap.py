"""pmgenmap translates as Debian's does: the same text from each input, good and bad."""
import re
import subprocess

import pytest

from peer import awk, bare_env

DATE = re.compile(rb"(?m)^ \* on .*$")

TEXTS = [
    "",
    "# only\n",
    "# a",
    "#\n",
    "#  \n",
    "# a\n#\n# b\n",
    "#\ta   b\tc  \n",
    "\t# x\n\t# y\n",
    "# a\n\n# b\n",
    "##\n",
    "#a b\n",
    "# */\n# a\\nb %s\n",
    " \n\t\n",
    "# hello\n# world\nfoo {\n\tsample.bin\tBIN\n# one\n\tsample.long.one\tONE\n}\n\nbar {\n\ta.b C\n}\n",
    "foo {\n\n a.b B\n\n# c1\n\n# c2\n a.c D\n # indented\n a.d E\n}\n# tail\n",
    "foo {\n# a\n# b\nc d\n}\n",
    "foo {\n# a\n\n}\n# b\n",
    "foo {\n# c\n",
    "foo {\n a.b A\n",
    "foo {\n}",
    "foo {\n}\n}\n",
    "foo {\n a.b C\n}\n# between\nbar {\n a.b D\n}\n",
    "foo {\n a.b C\n}\n\n# between\n#\n# them\n\nbar {\n a.b D\n}\n",
    "foo {\n a.b C\n}\n#between\nbar {\n a.b D\n}\n",
    "foo {}\n",
    "foo{\n a b\n}\n",
    "foo\n{\n a.b A\n}\n",
    "foo {\n a.b A\n bar {\n x Y\n}\n}\n",
    "foo {\n# c\nx {\n",
    "foo {\n a.b\n}\n",
    "foo {\n a.b B C\n}\n",
    "foo {\n a.b B }\n",
    "foo {\n a }\n}",
    "foo {\n{ y\n} z\n}\n",
    "{ {\n}\n",
    "}\n",
    "a.b C\n",
    "# c\nbad\n",
    "# c1\n# c2\nbad\nfoo {\n}\n",
    "foo {\na b\nbad\nc d\n}\n",
    "foo {\r\n a b\r\n}\r\n",
    "# a\rb {\r c d\r}\rbad\n",
    "foo {\n a\"b c\\td\n}\n",
    "x\fy {\nz\vw\n}\n",
]


@pytest.fixture(scope="module")
def peer_env(peer_root, tmp_path_factory):
    """Debian's is a script for awk, which the system may have under another name."""
    if awk() is None:
        pytest.skip("there is no awk")
    return bare_env(peer_root, tmp_path_factory.mktemp("genmap"))


def run(program, env, args, cwd, stdin=b""):
    done = subprocess.run([program, *args], env=env, cwd=cwd, input=stdin, capture_output=True, timeout=120, check=False)
    return done.returncode, DATE.sub(b" * on", done.stdout), done.stderr


def both(prefix, peer_root, peer_env, cwd, args, stdin=b""):
    theirs = run(str(peer_root / "usr/bin/pmgenmap"), peer_env, args, cwd, stdin)
    return theirs, run(prefix.bin("pmgenmap"), {"LC_ALL": "C", "TZ": "UTC"}, args, cwd, stdin)


@pytest.mark.parametrize("text", TEXTS, ids=[repr(t) for t in TEXTS])
def test_same_text(prefix, peer_root, peer_env, tmp_path, text):
    (tmp_path / "in").write_bytes(text.encode())
    theirs, ours = both(prefix, peer_root, peer_env, tmp_path, ["in"])
    assert ours == theirs


@pytest.mark.parametrize("args", [[], ["nosuch"], ["a", "b"], ["-?"], ["-x"], ["-x", "in"], ["/"], ["-"]])
def test_same_command_line(prefix, peer_root, peer_env, tmp_path, args):
    theirs, ours = both(prefix, peer_root, peer_env, tmp_path, args, b"foo {\n a.b C\n}\n")
    assert ours == theirs


def test_date(prefix, tmp_path):
    out = subprocess.run([prefix.bin("pmgenmap")], env={"TZ": "UTC"}, stdin=subprocess.DEVNULL, capture_output=True).stdout
    assert re.search(rb"\n \* on [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\n", out)
    out = subprocess.run([prefix.bin("pmgenmap")], env={"PACKAGE_BUILD_DATE": "then"}, stdin=subprocess.DEVNULL,
                         capture_output=True).stdout
    assert b"\n * on then\n" in out
