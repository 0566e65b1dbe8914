"""Debian's own programs on our libraries: with LD_LIBRARY_PATH they return the same as on Debian's, from archives and live
(docs/compatibility.md has the list of programs, and of those that are left out).
"""
import concurrent.futures
import difflib
import re
import shutil

import pytest

import harness
import peer as debian

PYTHON = "/usr/bin/python3"
# Two versions, compressed and in volumes, with gaps, events, labels, instances that change.
ARCHIVES = ["20041125", "20071023-08-06-36", "20130706", "20150105.17.57", "20180127.08.40", "20180416.10.00", "20190628.04.03",
            "20201109", "541380_v2", "changeinst", "eventrec", "gap", "mirage-3", "sample-labels"]
FEW = ["20041125", "20150105.17.57", "20180416.10.00", "20190628.04.03", "gap", "mirage-3"]
# Those with all the metrics that dstat derives others from: without them its message depends on when a metric is bound.
FULL = ["20180416.10.00", "20190628.04.03"]

RULES = """a = kernel.all.load > 0.1;
b = some_inst (disk.dev.read > 10 count/sec) -> print "hi " "%i=%v ";
c = sample.bin #'bin-600' > 500;
d = all_inst kernel.all.load >= 0;
e = count_inst (sample.bin > 450);
f = avg_inst kernel.all.load;
g = sum_inst disk.dev.read;
"""

# Programs in C: name and options; "A" is an archive, RULES the file with the rules.
COMPILED = """\
pminfo -a A -f
pminfo -a A -dtTmMsI
pminfo -a A -l
pmprobe -a A -v
pmprobe -a A -I
pmprobe -a A -i
pmlogsummary -a A
pmlogsummary -fsmMyz A
pmlogsummary -N -F -i -I A
pmstat -a A -s 4 -t 60
pmstat -x -z -a A -s 4 -t 60
pmclient -a A -s 3 -t 60
pmclient_fg -a A -s 3 -t 60
pmval -a A -s 4 -t 60 kernel.all.load
pmval -a A -z -r -s 4 -t 60 sample.bin
pmval -U A -s 4 kernel.all.cpu.user
pmevent -a A -s 4 sample.event.records
pmevent -a A sample.event.highres_records
pmie -v -a A -t 60 -c RULES -T +10min
pmie -v -e -z -a A -t 5min -c RULES
pmie -V -a A -t 1min -c RULES -T +5min
pmdumplog -L A
pmdumplog -deiL A
pmdumplog -htI A
pmdumplog -m -S +1sec -T +30sec A
pmdumplog -mr -S -30sec A
pcp -a A
pcp -a A -P
""".splitlines()

SCRIPTS = """\
pmrep -a A -s 3 -t 60 -p kernel.all.load mem.util.free
pmrep -z -a A -s 3 -u -o csv disk.dev.read kernel.all.cpu.user
pmrep -z -u -k -X inst -a A -s 3 sample.bin
pcp -a A dstat --nocolor -cdngym 60 3
pcp -a A free -m
pcp -a A uptime
pcp-free -a A
pcp-uptime -a A
pcp-numastat -a A
pcp-iostat -a A -s 2
pcp-vmstat -a A -s 2
pcp-mpstat -a A -s 2
pcp-pidstat -a A -s 2
pcp-ipcs -a A
pcp-tapestat -a A -s 2
pcp-slabinfo -a A -s 1
pcp-buddyinfo -a A -s 1
pcp-netstat -a A -s 2
pcp-ss -a A
pcp-lvmcache -a A
pcp-dmcache -a A
pcp-shping -a A
pcp-atop -r A 60 2
""".splitlines()

# Live, from one collector: what has constant values, and the rest by its shape.
LIVE = """\
pminfo -dmtTlM sample
pminfo -f sample.bin sample.string.hullo sample.long.ten sample.double sample.aggregate
pminfo -l sample.bin hinv.ncpu
pmprobe -v sample.bin sample.string
pmprobe -F sample
pmval -s 2 -t .1 sample.double.bin
pmstore sample.long.write_me -5
pmstore -F sample.string.write_me words
pmstore -i red,blue sample.colour 4
pmstore sample.long.one 1
pmie -v -t .1 -T .25 -c LIVERULES
pmlc -P
pmrep -s 2 -t .1 sample.bin sample.string.hullo hinv.ncpu
""".splitlines()
LIVE_RULES = """a = sample.bin #'bin-600' > 500;
b = some_inst sample.bin > 850 -> print "hi " "%i=%v ";
c = sample.long.one + hinv.ncpu * 0;
d = count_inst (sample.bin > 450);
"""
CHANGING = """\
pminfo -f kernel.all mem.util network.interface.in
pmstat -s 2 -t .2
pmclient -s 2 -t .2
pmclient_fg -s 2 -t .2
pcp-free
pcp-uptime
pcp-numastat
pcp-iostat -s 2 -t .2
pcp-vmstat -s 2 -t .2
pcp-mpstat -s 2 -t .2
pcp-dstat --nocolor -cdngym .2 2
""".splitlines()

STAMP = re.compile(r"\[\w{3} \w{3} +\d+ [\d:]+\] (\w+)\(\d+\)")
TEMPORARY = re.compile(r"pcp\.\w{9}|\.tmp\.\d+|0x[0-9a-f]{8,}")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?[KMGkmgB]?\b")
# Faults of 6.0.3 that ours does not have (docs/spec/pmapi.md 12, archive.md 10.6): the last stamp and the number of missed
# records of an event value, and the labels of a cluster.
EVENTS = re.compile(r"(\[\d+ event records?)( \(\d+ missed\))?( timestamps? [\d:]+\.\d+)(\.\.\.[\d:.]+)?")
# The help of the metrics of event records is in our own words.
HELP = re.compile(r"(?ms)^(event\.\w+ .*?^Help:\n).*?(?=^\n|\Z)")
CLUSTER = re.compile(r'"cluster":"\w+",?')


def plain(text):
    """The text without the program's number, the time of day and names of temporary files."""
    text = TEMPORARY.sub("TMP", STAMP.sub(r"STAMP \1", text))
    return HELP.sub(r"\1", CLUSTER.sub("", EVENTS.sub(r"\1\3", text)))


def shape(text):
    """The same with all numbers, and what depends on their width, made equal."""
    text = re.sub(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2}\b", "DAY", NUMBER.sub("N", plain(text)))
    return re.sub(r"[ \t]+", " ", re.sub(r"(?m)^[ \t]+|[ \t]+$|[ \t]*(\|)[ \t]*", r"\1", text))


class Programs:
    """Runs a program of Debian's twice: on Debian's libraries, and on ours."""

    def __init__(self, prefix, peer_root, folder):
        self.root, self.prefix, self.folder = peer_root, prefix, folder
        self.env = debian.bare_env(peer_root, folder)
        conf = folder / "pcp.conf"
        for name in ("etc", "var"):  # names and configurations that scripts look up there
            conf.write_text(re.sub(rf"(?m)^(PCP_\w+=)/{name}\b", rf"\1{peer_root}/{name}", conf.read_text()))
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"
        self.env["PYTHONPATH"] = str(peer_root / "usr/lib/python3/dist-packages")
        self.env["PATH"] = f"{peer_root}/usr/bin:{peer_root}/usr/lib/pcp/bin:/usr/bin:/bin"
        self.links = folder / "links"  # the names of development, for which Python's bindings ask
        self.links.mkdir()
        for library in (peer_root / "usr/lib").glob("libpcp*.so.*"):
            link = self.links / (library.name.split(".so.")[0] + ".so")
            if not link.exists():
                link.symlink_to(library)
        (folder / "rules").write_text(RULES)
        (folder / "liverules").write_text(LIVE_RULES)

    def path(self, program):
        for place in ("usr/bin", "usr/lib/pcp/bin"):
            if (self.root / place / program).exists():
                return self.root / place / program
        return None

    def is_python(self, program):
        return b"python" in self.path(program).read_bytes()[:40]

    def libraries(self, ours):
        theirs = f"{self.root}/usr/lib:{self.root}/usr/lib/x86_64-linux-gnu:{self.links}"
        return f"{self.prefix.path}/lib:{theirs}" if ours else theirs

    def start(self, ours, program, args, env):
        argv = [PYTHON] if self.is_python(program) else []
        done = harness.run([*argv, self.path(program), *args],
                           env={**self.env, **env, "LD_LIBRARY_PATH": self.libraries(ours)}, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def both(self, line, archive=None, env=None):
        words = {"RULES": str(self.folder / "rules"), "LIVERULES": str(self.folder / "liverules")}
        if archive:
            words["A"] = str(self.root / "var/lib/pcp/testsuite/archives" / archive)
        program, *args = line.split()
        args = [words.get(word, word) for word in args]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda ours: self.start(ours, program, args, env or {}), (False, True)))

    def require(self, program):
        """Skips a program that is not there, or that does not run here with its own libraries."""
        if self.path(program) is None:
            pytest.skip(f"Debian's {program} is not in the peer")
        if not self.is_python(program):
            return
        works = harness.run([PYTHON, "-c", "import cpmapi"],
                            env={**self.env, "LD_LIBRARY_PATH": self.libraries(ours=False)}, cwd=self.folder)
        if works.returncode != 0:
            pytest.skip("Debian's modules are for another version of Python")


@pytest.fixture(scope="module")
def programs(prefix, peer_root, tmp_path_factory):
    return Programs(prefix, peer_root, tmp_path_factory.mktemp("on_ours"))


def differences(answers, form=plain):
    """The differences between the answers on Debian's libraries and on ours, as text."""
    (theirs, *their_texts), (ours, *our_texts) = answers
    found = [] if theirs == ours else [f"status {theirs}, on ours {ours}"]
    for expected, said in zip(their_texts, our_texts):
        found += difflib.unified_diff(form(expected).splitlines(), form(said).splitlines(), "Debian's", "ours", lineterm="", n=1)
    return "\n".join(found[:60])


@pytest.mark.parametrize("line", COMPILED)
def test_archives(programs, line):
    programs.require(line.split()[0])
    wrong = {archive: differences(programs.both(line, archive)) for archive in ARCHIVES}
    assert not any(wrong.values()), "\n".join(f"{archive}:\n{text}" for archive, text in wrong.items() if text)


@pytest.mark.parametrize("line", SCRIPTS)
def test_archives_of_scripts(programs, line):
    programs.require(line.split()[0])
    archives = FULL if " dstat " in line else FEW
    wrong = {archive: differences(programs.both(line, archive)) for archive in archives}
    assert not any(wrong.values()), "\n".join(f"{archive}:\n{text}" for archive, text in wrong.items() if text)


LOCAL = """\
pminfo -L -n NAMES -K clear -K AGENT -dmtT sample.bin sample.long sample.string sample.colour sample.aggregate sample.double
pminfo -L -n NAMES -K clear -K AGENT -f sample.bin sample.string.hullo sample.long.ten sample.aggregate
pminfo -L -n NAMES -K clear -K AGENT -l sample.bin
pmprobe -L -n NAMES -K clear -K AGENT -v sample.bin sample.string
pmval -L -n NAMES -K clear -K AGENT -s 2 -t .1 sample.double.bin
pmstore -L -n NAMES -K clear -K AGENT sample.long.write_me 7
""".splitlines()


@pytest.mark.parametrize("line", LOCAL)
def test_local(programs, line):
    """Debian's sample agent in the process of a client of Debian's."""
    folder = programs.root / "usr/lib/pcp/pmdas/sample"
    names = programs.folder / "names"
    names.write_text("root {\n\tsample\n}\n" + re.sub(r"\bSAMPLE:", "29:", (folder / "pmns").read_text()))
    answers = programs.both(line.replace("NAMES", str(names)).replace("AGENT", f"add,29,{folder}/pmda_sample.so,sample_init"))
    assert answers[0][0] == 0, answers[0]
    assert not differences(answers)


@pytest.fixture(scope="module")
def live(prefix, programs, tmp_path_factory):
    """The environment of clients of a collector of ours with constant and changing metrics."""
    agents = [f"linux 60 dso linux_init {prefix.dso('linux')}", f"sample 29 dso sample_init {prefix.dso('sample')}"]
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("live"), agents) as pmcd:
        yield {"PMCD_SOCKET": str(pmcd.socket), "PMCD_PORT": str(pmcd.port), "PCP_RUN_DIR": str(pmcd.dir)}


def same_in_time(programs, line, env, form):
    """A client of a busy machine may skip a sample, and a value may change between the two: equal answers of one round do."""
    programs.require(line.split()[0])
    for _ in range(harness.ROUNDS):
        wrong = differences(programs.both(line, env=env), form)
        if not wrong:
            return
    raise AssertionError(wrong)


@pytest.mark.parametrize("line", LIVE)
def test_live(programs, live, line):
    same_in_time(programs, line, live, plain)


@pytest.mark.parametrize("line", CHANGING)
def test_live_shape(programs, live, line):
    same_in_time(programs, line, live, shape)


# Agents as daemons, by name: their domain and arguments. Those that need a service, or root's rights, end or answer without
# values; they do the same on both.
DAEMONS = {"trace": "10", "weblog": "22", "pipe": "128", "summary": "27 /bin/true", "cisco": "5", "mounts": "72", "mailq": "9",
           "roomtemp": "69", "shping": "19", "bash": "112", "logger": "106", "systemd": "114", "overhead": "158",
           "lustrecomm": "93", "gfs2": "115", "apache": "68", "root": "1", "sample": "29", "linux": "60", "proc": "3",
           "xfs": "11", "jbd2": "122", "dm": "129", "cifs": "121", "mmv": "70", "nvidia": "120", "denki": "156",
           "hacluster": "155", "smart": "150", "sockets": "154", "zfs": "153", "kvm": "95"}
METRICS = 12
VALUES = re.compile(r"(value |timestamp: ).*")


def ask_daemon(programs, name, ours):
    """The answers of an agent to dbpmda: descriptors, texts, values without their numbers."""
    domain, *args = DAEMONS[name].split()
    folder = programs.root / "usr/lib/pcp/pmdas" / name
    names = "".join((folder / part).read_text() for part in ("pmns", "root") if (folder / part).exists())
    metrics = [f"{domain}.{rest}".replace(":", ".") for rest in re.findall(r"\b[A-Z]\w*:(\d+:\d+)", names)[:METRICS]]
    places = {"PCP_CONF": programs.folder / "pcp.conf", "PCP_LOG_DIR": programs.folder, "PCP_RUN_DIR": programs.folder,
              "LD_LIBRARY_PATH": programs.libraries(ours)}
    environment = " ".join(f"{variable}={value}" for variable, value in places.items())
    lines = [f"open pipe {shutil.which('env')} {environment} {folder}/pmda{name} {' '.join(args)}", "getdesc on"]
    lines += [f"{what} {metric}" for what in ("desc", "text", "fetch") for metric in metrics]
    done = harness.run([programs.prefix.bin("dbpmda")], input="\n".join([*lines, "quit", ""]), stdin=None, cwd=programs.folder,
                       env={"PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C"})
    text = VALUES.sub(r"\1", plain(done.stdout + done.stderr))
    # An agent that ends is missed by one request or the next.
    kept = [line for line in text.splitlines() if not re.match(r"Start |Error: __pm|dbpmda> ", line)]
    return "\n".join(kept)


@pytest.mark.parametrize("name", DAEMONS)
def test_daemons(programs, name):
    if not (programs.root / "usr/lib/pcp/pmdas" / name / f"pmda{name}").exists():
        pytest.skip(f"Debian's pmda{name} is not in the peer")
    theirs, ours = (ask_daemon(programs, name, side) for side in (False, True))
    assert theirs == ours


def symbols(path, which):
    return [line.split()[-1] for line in harness.run(["nm", "-D", which, path]).stdout.splitlines()]


def test_symbols(programs):
    """Each program that is tested here finds all symbols of the two libraries in ours, at their versions."""
    needed = {line.split()[0] for line in COMPILED + SCRIPTS + LIVE + CHANGING}
    paths = [programs.path(name) for name in sorted(needed) if programs.path(name) is not None]
    paths += [path for name in DAEMONS for path in (programs.root / "usr/lib/pcp/pmdas" / name).glob("pmda*") if path.suffix in ("", ".so")]
    paths += [*(programs.root / "usr/lib/python3/dist-packages").glob("*.so"), programs.root / "usr/lib/libpcp_gui.so.2",
              programs.root / "usr/lib/libpcp_trace.so.2", programs.root / "usr/lib/libpcp_mmv.so.1"]
    libraries = [programs.prefix.path / "lib" / name for name in ("libpcp.so.3", "libpcp_pmda.so.3")]
    have = {symbol.replace("@@", "@") for library in libraries for symbol in symbols(library, "--defined-only")}
    missing = {path.name: sorted({symbol for symbol in symbols(path, "--undefined-only") if "@PCP_3" in symbol or "@PCP_PMDA" in symbol}
                                 - have) for path in paths if path.read_bytes()[:4] == b"\x7fELF"}
    missing.pop("pmda_pmcd.so", None)
    assert len(missing) > 50 and not any(missing.values()), {name: wanted for name, wanted in missing.items() if wanted}
