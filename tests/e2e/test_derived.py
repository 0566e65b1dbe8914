"""Derived metrics: Debian's tools with Debian's library, and ours, answer alike about some thousand expressions.

The expressions are generated: each function with each kind of metric, each operator with each pair of kinds, and texts
that are wrong. A file has them all, so that each tool runs once. The values do not change between the two runs
(constants of the sample agent, and archives), or are not compared (counters).
"""
import difflib
import itertools
import pathlib
import re

import pytest

from peer import Peer

# Metrics with a value that stays: each type, with and without instances, as counter and not, with and without units.
SINGLE = [f"sample.{t}.{n}" for t, n in (("long", "ten"), ("ulong", "one"), ("longlong", "hundred"),
                                         ("ulonglong", "million"), ("float", "ten"), ("double", "hundred"))]
SETS = [f"sample.{t}.bin" for t in ("long", "ulong", "longlong", "float", "double")]
COUNTERS = [f"sample.{t}.bin_ctr" for t in ("long", "ulong", "ulonglong", "double")]
OTHERS = ["sample.colour", "sample.part_bin", "sample.string.hullo", "sample.aggregate.hullo", "sample.noinst",
          "sample.nosuch", "mem.physmem", "hinv.ncpu"]
CONSTANTS = ["3", "2.5", "mkconst(7,type=32,semantics=instant)", 'mkconst(9,type=u64,semantics=counter,units="kbyte")',
             'mkconst(0,units=count)', 'mkconst(4,units="sec")', 'mkconst(6,type=float,units="byte / hour")']
OPERATORS = ["+", "-", "*", "/", "<", "<=", "==", ">=", ">", "!=", "&&", "||"]
FUNCTIONS = ["avg", "count", "delta", "max", "min", "sum", "rate", "instant", "defined"]
UNITS = ["kbyte", "sec", "count", "byte", "kbyte / hour", "count x 10^3", ""]

# Words for texts that are wrong. After a mistake in matchinst(), 6.0.3 takes later texts for patterns too.
WORDS = ["x", "3", "2.5", "(", ")", "+", "-", "*", "/", "<", "==", "!", "&&", "||", "?", ":", ",", "=", "[i]", "[", '"s"', '"',
         "avg(", "rescale(", "sum(", "/p/", "scalar(", "mkconst(", "anon(", "defined(", "type", "&", "@", "99999999999"]

# Deliberate differences. 6.0.3 crashes, or returns what was in memory.
DANGEROUS = [
    re.compile(r"^!.*(string|aggregate)"),           # not a number
    re.compile(r"^!.*(longlong|float|double|physmem|u64|2\.5)"),  # 32 bits in the place of a longer number
    re.compile(r"(max|min)\(sample\.noinst\)"),      # the greatest of nothing
    re.compile(r"scalar\(sample\.(noinst|(colour|long\.ten)\[)"),  # the first of nothing
    re.compile(r"anon\((?!PM_TYPE)"),                # freed twice
]


def good_and_bad():
    """Expressions that the grammar takes, with a meaning or without."""
    kinds = SINGLE + SETS + COUNTERS + OTHERS
    for function, metric in itertools.product(FUNCTIONS, kinds):
        yield f"{function}({metric})"
    for kind in kinds + CONSTANTS:
        yield f"-{kind}"
        yield f"!{kind}"
        yield kind
        yield f"scalar({kind})"
        yield f"{kind} ? 1 : 2"
        yield f"1 ? {kind} : {kind}" if not re.search("string|aggregate", kind) else f"{kind} + 1"
    pairs = [SINGLE[0], SINGLE[3], SETS[1], SETS[4], COUNTERS[1], COUNTERS[3], "sample.colour", "sample.part_bin",
             "sample.string.hullo", "mem.physmem"] + CONSTANTS[:4]
    for operator, (left, right) in itertools.product(OPERATORS, itertools.product(pairs, pairs)):
        if hash_of(operator + left + right) % 3 == 0:
            yield f"{left} {operator} {right}"
    for kind, unit in itertools.product([COUNTERS[1], COUNTERS[3], "mem.physmem", SINGLE[0], "sample.string.hullo"] + CONSTANTS,
                                        UNITS):
        yield f'rescale({kind}, "{unit}")'
    for left, right in itertools.product(CONSTANTS, CONSTANTS):
        yield f"{left} * {right}"
        yield f"{left} - {right}"
        yield f"{left} > 1 ? {left} : {right}"
    for metric in SETS + ["sample.colour", "sample.long.ten"]:
        yield f"{metric}[bin-300]"
        yield f"matchinst(/[123]/, {metric})"
        yield f"matchinst(!/[123]|red/, {metric})"
        yield f"{metric} > 300 ? {metric} : -{metric}"
        yield f"scalar({metric}[bin-500]) + {metric} * 2"
        yield f"sum({metric}) / count({metric})"


def hash_of(text):
    """The same number in each run."""
    return sum(ord(c) * (i + 1) for i, c in enumerate(text))


def no_expressions():
    """Sequences of words: nearly all are mistakes."""
    for a, b in itertools.product(WORDS, WORDS):
        yield f"{a} {b}" if not a.endswith("(") else a + b
    for n, (a, b, c, d) in enumerate(itertools.product(WORDS, repeat=4)):
        if n % 3989 == 0:
            yield " ".join((a, b, c, d)).replace("( ", "(")


def allowed(expressions):
    """Without repetitions and known differences."""
    seen = dict.fromkeys(expressions)
    return [e for e in seen if not any(p.search(e) for p in DANGEROUS)]


class Pair:
    """Debian's tools, and ours, on one pmcd."""

    def __init__(self, prefix, peer):
        self.prefix, self.peer = prefix, peer
        self.archives = peer.root / "var/lib/pcp/testsuite/archives"

    def both(self, tool, *args, env=None):
        theirs = self.peer.run(tool, *args, env=env)
        ours = self.peer.run([self.prefix.bin(tool)], *args, env=env, lib=self.prefix.path / "lib")
        return theirs, ours


@pytest.fixture(scope="module")
def pair(prefix, peer_root):
    with Peer(root=peer_root) as peer:
        yield Pair(prefix, peer)


def changing_in(expressions):
    """The names of metrics whose values grow with each fetch."""
    return {f"d.m{n}" for n, e in enumerate(expressions) if re.search("bin_ctr|colour", e)}


def write_file(path, expressions):
    path.write_text("".join(f"d.m{n} = {e}\n" for n, e in enumerate(expressions)))
    return str(path)


def blank(text, changing):
    """The values of these metrics are different in each run."""
    blocks = re.split(r"(?m)^(?=d\.m\d+\b)", text)
    return "".join(re.sub(r"value \S+", "value #", block) if block.split(maxsplit=1)[:1] and block.split()[0] in changing
                   else block for block in blocks)


def assert_alike(theirs, ours, changing=()):
    wrong = []
    for stream in ("stdout", "stderr"):
        a, b = (blank(getattr(done, stream).decode(errors="replace"), changing).splitlines() for done in (theirs, ours))
        wrong += list(difflib.unified_diff(a, b, f"theirs: {stream}", f"ours: {stream}", lineterm="", n=1))[:60]
    assert not wrong, "\n".join(wrong)
    assert theirs.returncode == ours.returncode
    assert theirs.stdout or theirs.stderr


def test_numbers():
    assert len(allowed(good_and_bad())) > 1000
    assert len(allowed(no_expressions())) > 1000


def test_descriptors_and_values(pair, tmp_path):
    expressions = allowed(good_and_bad())
    config = write_file(tmp_path / "config", expressions)
    assert_alike(*pair.both("pminfo", "-c", config, "-dmf", "d"), changing_in(expressions))


def test_from_the_environment(pair, tmp_path):
    expressions = allowed(good_and_bad())[::10]
    config = write_file(tmp_path / "config", expressions)
    assert_alike(*pair.both("pminfo", "-df", "d", env={"PCP_DERIVED_CONFIG": config}), changing_in(expressions))


def test_mistakes(pair, tmp_path):
    config = write_file(tmp_path / "config", allowed(no_expressions()))
    assert_alike(*pair.both("pminfo", "-c", config, "-m", "d"))


ARCHIVES = ["gap", "log-derived", "arch_a", "diff1", "sample_expr", "pcp-mpstat3", "vldb-disks", "rattle", "runq", "binning", "uwrap", "small"]


def metrics_of(pair, archive):
    """Some numbers of an archive: their names."""
    done = pair.peer.run("pminfo", "-a", str(archive), "-d")
    blocks = done.stdout.decode(errors="replace").split("\n\n")
    names = [block.strip().splitlines()[0].split()[0] for block in blocks
             if re.search(r"Data Type: (32|64|float|double)", block)]
    return [n for n in names if not n.startswith("event.")][:8]


def of_archive(names):
    for function, name in itertools.product(FUNCTIONS, names):
        yield f"{function}({name})"
    for a, b in itertools.product(names[:4], names[:4]):
        yield f"{a} - {b}"
        yield f"{a} / {b}"
        yield f"rate({a}) > rate({b}) ? rate({a}) : rate({b})"
    for name in names:
        yield f"matchinst(/[0-9]/, {name}) * 2"
        yield f"avg({name}) + sum({name})"


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives(pair, tmp_path, name):
    archive = pair.archives / name
    if not pathlib.Path(f"{archive}.meta").exists() and not list(pair.archives.glob(f"{name}.meta*")):
        pytest.skip("the installation has no archive %s" % name)
    expressions = [e for e in of_archive(metrics_of(pair, archive)) if not re.match("max|min", e)]
    config = write_file(tmp_path / "config", expressions)
    assert_alike(*pair.both("pminfo", "-z", "-a", str(archive), "-c", config, "-df", "d"))
    for number in [n for n, e in enumerate(expressions) if re.match("rate|delta|sum", e)][:10:3]:
        for args in (["-t", "1"], ["-t", "10sec", "-r"], []):
            assert_alike(*pair.both("pmval", "-z", "-s", "8", *args, "-a", str(archive), f"--derived={config}", f"d.m{number}"))


def test_local_contexts(pair, tmp_path):
    config = write_file(tmp_path / "config", ["sum(sampledso.bin)", "delta(sampledso.bin)", "sampledso.string.hullo", "3",
                                              "matchinst(/bin-[12]/, sampledso.bin) + 1", "sampledso.bin + sampledso.colour"])
    agent = f"add,30,{pair.peer.pmdas}/sample/pmda_sample.so,sample_init"
    assert_alike(*pair.both("pminfo", "-L", "-K", "clear", "-K", agent, "-c", config, "-dmf", "d", "sampledso.long.one"))


# Recorded metrics: with instances, of the fetch before, constants, strings, and one that there is none of.
RECORDED = ["sample.bin * 2", "sum(sample.bin)", "matchinst(/bin-[12]/, sample.long.bin)", "sample.string.hullo",
            "delta(sample.bin)", 'mkconst(3,type=double,units="kbyte")', "sample.nosuch + 1", "defined(sample.bin)"]


def record(run, pair, tmp_path, env):
    """An archive of four records by a logger: descriptors, and the values of the last record."""
    tmp_path.mkdir()
    (tmp_path / "conf").write_text("log mandatory on 250 msec { d.m0 d.m1 d.m2 d.m3 d.m4 d.m5 d.m6 d.m7 sample.long.one }\n")
    archive = str(tmp_path / "archive")
    done = run("-c", str(tmp_path / "conf"), "-l", str(tmp_path / "log"), "-s", "4", "-h", pair.peer.host, archive, env=env)
    assert done.returncode == 0, done.stderr
    wrong = re.findall("(?m)^Problem with.*|^Reason.*", (tmp_path / "log").read_text())
    shown = [pair.peer.run("pminfo", "-a", archive, "-dmtT", "d").stdout.decode().splitlines()]
    dump = pair.peer.run("pmdumplog", archive).stdout.decode().split("\n\n")
    shown += [block.splitlines()[1:] for block in dump if "(d.m1)" in block]
    return wrong, shown


def test_recording(pair, tmp_path):
    env = {"PCP_DERIVED_CONFIG": write_file(tmp_path / "config", RECORDED)}
    (tmp_path / "config").open("a").write("d.m1(oneline) = the sum\nd.m1(helptext) = 'the sum\nof all'\n")
    theirs = record(lambda *args, **kw: pair.peer.run("pmlogger", *args, **kw), pair, tmp_path / "theirs", env)
    ours = record(lambda *args, **kw: pair.peer.run([pair.prefix.bin("pmlogger")], *args, lib=pair.prefix.path / "lib", **kw),
                  pair, tmp_path / "ours", env)
    assert ours == theirs
    assert len(ours[1]) == 5 and ours[0]
