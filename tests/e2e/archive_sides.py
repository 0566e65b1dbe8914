"""Debian's archive tools beside ours, over PCP's own test archives, and what their order leaves open."""
import difflib
import os
import re
import subprocess

from peer import bare_env

TIMEOUT_S = 240


class ArchiveSides:
    """Both sets of tools in the folder of the archives, or in another."""

    def __init__(self, prefix, peer_root, folder):
        env = bare_env(peer_root, folder)
        own = {name: value for name, value in env.items() if name != "LD_LIBRARY_PATH"}
        self.archives = peer_root / "var/lib/pcp/testsuite/archives"
        self.sides = [(f"{peer_root}/usr/bin/", env), (f"{prefix.path}/bin/", own)]

    def names(self):
        return sorted(path.name[:-len(".index")] for path in self.archives.glob("*.index"))

    def run(self, side, tool, args, cwd=None):
        programs, env = self.sides[side]
        return subprocess.run([programs + tool, *args], cwd=cwd or self.archives, env=env, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def both(self, tool, args, cwd=None):
        return [self.run(side, tool, args, cwd) for side in (0, 1)]


def as_it_is(text):
    return text


def sorted_lines(text):
    return "".join(sorted(text.splitlines(True)))


def blocks(head):
    """Paragraphs that begin with a word, in any order."""
    def order(text):
        first, *rest = re.split(r"(?m)^(?=%s)" % head, text)
        return first + "".join(sorted(rest))
    return order


NAMES = re.compile(r"\(([\w.]+(?: or [\w.]+)+)\)?")


def sort_names(text):
    """The names of one metric, in any order."""
    return NAMES.sub(lambda match: "(" + " or ".join(sorted(match[1].split(" or "))) + ")", text)


WRAP_VALUE = re.compile(r"\tvalue (-?\d+) at")


def check_lines(text):
    """Findings in any order; 6.0.3 prints counters as what a double makes of them."""
    return sorted_lines(WRAP_VALUE.sub(lambda match: "\tvalue %.12g at" % float(match[1]), text))


NUMBER = re.compile(r"(?<=[ ,\t])-?\d+\.\d{3}(?=[ ,\t\n])")


def nine_digits(text):
    """Averages: digits after the ninth depend on the order of additions."""
    return NUMBER.sub(lambda match: "%.9g" % float(match[0]), text)


WINDOW = re.compile(rb"(?m)^\S+: the time window \(.*\) has nothing of the archive \(.*\)\n")


def without_window(theirs, ours):
    """Ours reports a window that has nothing of the archive and exits with 1; Debian's is silent and exits with 0."""
    text, found = WINDOW.subn(b"", ours.stderr)
    if found and theirs.returncode == 0 and ours.returncode == 1:
        return subprocess.CompletedProcess(ours.args, 0, ours.stdout, text)
    return ours


def assert_same(what, theirs, ours, order=as_it_is):
    ours = without_window(theirs, ours)
    for name in ("stdout", "stderr"):
        a, b = (order(getattr(done, name).decode(errors="replace")) for done in (theirs, ours))
        if a != b:
            diff = difflib.unified_diff(a.splitlines(), b.splitlines(), "theirs", "ours", lineterm="", n=1)
            raise AssertionError("%s, %s:\n%s" % (what, name, "\n".join(list(diff)[:30])))
    assert theirs.returncode == ours.returncode, what


ALL = os.environ.get("PITOT_ALL_ARCHIVES") is not None  # all archives with all options
