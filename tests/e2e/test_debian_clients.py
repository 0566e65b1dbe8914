"""Debian's clients with our collector and with Debian's: their outputs have the same shape, and are equal if the values
are constant. Ours has our linux agent in its process and Debian's sample agent as a daemon.
"""
import concurrent.futures
import pathlib
import re
import shutil

import pytest

import harness
import peer as debian

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?[KMGkmgB]?\b")
DAY = re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2}\b")
PYTHON = "/usr/bin/python3"


def lay_out_names(prefix, peer, folder):
    """The names of our linux agent and of Debian's sample agent, as fragments."""
    folder.mkdir(parents=True)
    shutil.copy(prefix.path / "var/lib/pcp/pmns/root_linux", folder)
    shutil.copy(peer.home / "var/lib/pcp/pmns/stdpmid", folder)
    shutil.copy(peer.pmdas / "sample/pmns", folder / "sample_names")
    (folder / "root_sample").write_text('#include "stdpmid"\nroot {\n\tsample\n}\n#include "sample_names"\n')


class Clients:
    """Runs a client of Debian's with both collectors at once."""

    def __init__(self, peer, ours, links):
        self.peer = peer
        self.sockets = [str(peer.socket), str(ours.socket)]
        self.links = links

    def start(self, socket, program, *args):
        path = program if program.startswith("/") else self.peer.program(program)
        argv = [PYTHON, path] if b"python" in pathlib.Path(path).read_bytes()[:40] else [path]
        env = {"PMCD_SOCKET": socket, "PMCD_PORT": None, "PYTHONPATH": self.peer.root / "usr/lib/python3/dist-packages"}
        done = self.peer.run(argv, *args, lib=f"{self.peer.lib}:{self.links}", env=env)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def run(self, program, *args, per_collector=((), ())):
        """Its output with Debian's collector, and with ours; each may have separate arguments."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return list(pool.map(lambda i: self.start(self.sockets[i], program, *args, *per_collector[i]), (0, 1)))


@pytest.fixture(scope="module")
def clients(prefix, peer_root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clients")
    links = folder / "links"
    links.mkdir()
    for library in (peer_root / "usr/lib").glob("libpcp*.so.*"):  # Python looks for the names of development
        link = links / (library.name.split(".so.")[0] + ".so")
        if not link.exists():
            link.symlink_to(library)
    with debian.Peer(agents=("pmcd", "sample", "linux"), root=peer_root) as peer:
        lay_out_names(prefix, peer, folder / "var/pmns")
        environment = f"PATH=/usr/bin:/bin LD_LIBRARY_PATH={peer.lib} PCP_DIR={peer.home} PCP_CONF={peer.conf}"
        sample = f"{peer.pmdas}/sample/pmdasample -d 29 -U {peer.user} -l {folder}/sample.log"
        agents = [f"linux 60 dso linux_init {prefix.dso('linux')}",
                  f"sample 29 pipe binary {shutil.which('env')} -i {environment} {sample}"]
        with harness.Pmcd(prefix, folder / "pmcd", agents=agents, env={"PCP_VAR_DIR": folder / "var"}) as ours:
            harness.wait_until("the sample agent answers", lambda: b"value 1" in peer.run(
                "pminfo", "-h", ours.host, "-f", "sample.long.one").stdout)
            yield Clients(peer, ours, links)


def shape(text):
    """Numbers and what depends on their width, made equal."""
    text = DAY.sub("DAY", NUMBER.sub("N", text))
    # A number that fills its column leaves no blank.
    text = re.sub(r"(?m)^[ \t]+|[ \t]+$|[ \t]*(\|)[ \t]*", r"\1", text)
    return re.sub(r"[ \t]+", " ", text)


def assert_alike(answers, stable=False):
    theirs, ours = answers
    assert ours[0] == theirs[0] == 0, (theirs, ours)
    assert shape(ours[2]) == shape(theirs[2])
    if stable:
        assert ours[1] == theirs[1]
    else:
        assert shape(ours[1]) == shape(theirs[1])
    assert ours[1] != ""


# One line per client; those with only constant values have the same output.
STABLE = [
    ("pminfo", "-dmtTl", "sample.bin", "sample.string", "sample.colour", "sample.double", "sample.bogus_bin"),
    ("pmrep", "-s", "2", "-t", ".1", "sample.bin", "sample.string.hullo", "hinv.ncpu"),
    ("pmrep", "-X", "inst", "-s", "1", "sample.bin", "sample.bogus_bin"),
    ("pmrep", "-i", "bin-100,bin-900", "-s", "1", "-J", "1", "sample.bin"),
    ("pmrep", "-C", "-g", "sample.bin", "kernel.all.load", "disk.dev.read"),
    ("pmval", "-s", "2", "-t", ".1", "sample.double.bin"),
]
CHANGING = [
    ("pmrep", "-p", "-s", "2", "-t", ".2", "kernel.all.load", "kernel.all.cpu.idle", "mem.util.free", "disk.dev.read"),
    ("pmrep", "-k", "-o", "csv", "-s", "2", "-t", ".2", "kernel.all.load", "network.interface.in.bytes"),
    ("pmrep", "-x", "-g", "-s", "1", "sample.bin", "kernel.all.load", "kernel.all.cpu.user"),
    ("pmstat", "-s", "2", "-t", ".2"),
    ("pmstat", "-x", "-s", "2", "-t", ".2"),
    ("pmclient", "-s", "2", "-t", ".2"),
    ("pmclient_fg", "-s", "2", "-t", ".2"),
    ("pcp-dstat", "--nocolor", "-cdngym", "--load", "1", "1"),
    ("pcp-free",),
    ("pcp-uptime",),
    ("pcp-numastat",),
    ("pcp-iostat", "-s", "2", "-t", ".2"),
]


@pytest.mark.parametrize("line", STABLE, ids=" ".join)
def test_same_output(clients, line):
    assert_alike(clients.run(*line), stable=True)


def alike_in_time(ask):
    """The answers of a round in which they are equal: on a busy machine a client may skip a sample, and report it."""
    for _ in range(harness.ROUNDS - 1):
        answers = ask()
        try:
            assert_alike(answers)
            return answers
        except AssertionError as wrong:
            print(wrong)
    answers = ask()
    assert_alike(answers)
    return answers


@pytest.mark.parametrize("line", CHANGING, ids=" ".join)
def test_same_shape(clients, line):
    if "You did not select any stats" not in clients.run(*line)[0][1]:
        alike_in_time(lambda: clients.run(*line))


def test_pmstore(clients):
    for line, values in ((("pmstore", "sample.long.write_me", "-5"), "-5"),
                         (("pmstore", "-F", "sample.string.write_me", "a b"), '"a b"'),
                         (("pmstore", "-i", "red,blue", "sample.colour", "4"), "4"),
                         (("pmstore", "sample.ulonglong.write_me", "0xfffffffff"), "68719476735")):
        answers = clients.run(*line)
        assert_alike(answers)
        assert f"new value={values}\n" in answers[1][1]
    theirs, ours = clients.run("pmstore", "sample.long.one", "1")
    assert ours == theirs and "No permission" in ours[1]


RULES = """delta = 0.1 sec;
a = sample.bin #'bin-600' > 500;
b = some_inst sample.bin > 850 -> print "hi " "%i=%v ";
c = sample.long.one + hinv.ncpu * 0;
d = all_inst kernel.percpu.cpu.idle >= 0;
e = sample.string.hullo == "hello world!";
f = count_inst (sample.bin > 450);
"""


@pytest.mark.parametrize("option", ["-v", "-V"])
def test_pmie(clients, option, tmp_path):
    (tmp_path / "rules").write_text(RULES)
    answers = alike_in_time(lambda: clients.run("pmie", option, "-T", "0.35sec", str(tmp_path / "rules")))
    assert "hi bin-900=900" in answers[1][1] and re.search(r"f: *5\n|f: \n.*: 5\n", answers[1][1])


LOGGED = """log mandatory on once { hinv.ncpu kernel.uname sample.string.hullo sample.aggregate.hullo }
log mandatory on 100msec { sample.bin sample.colour kernel.all.load kernel.all.cpu disk.dev.read
  network.interface.in.bytes sample.event.records pmcd.pdu_in.total }
"""


def test_pmlogger(clients, tmp_path):
    (tmp_path / "config").write_text(LOGGED)
    archives = [tmp_path / "theirs", tmp_path / "ours"]
    own = [("-l", f"{archive}.log", str(archive)) for archive in archives]
    answers = clients.run("pmlogger", "-c", str(tmp_path / "config"), "-s", "4", per_collector=own)
    assert [answer[0] for answer in answers] == [0, 0] and answers[1][2] == ""
    log = pathlib.Path(f"{archives[1]}.log").read_text()
    assert "Sample limit reached" in log and "Error" not in log and "Warning" not in log
    dumps = []
    for archive in archives:
        check = clients.peer.run("pmlogcheck", archive)
        assert (check.returncode, check.stdout, check.stderr) == (0, b"", b"")
        dumped = {}
        for option in "-d", "-i", "-t", "-L":
            done = clients.peer.run("pmdumplog", option, archive)
            assert (done.returncode, done.stderr) == (0, b"")
            dumped[option] = done.stdout.decode()
        values = clients.peer.run("pmdumplog", archive, "sample.bin", "sample.string.hullo", "kernel.uname.release")
        assert values.returncode == 0
        dumped["values"] = re.sub(r"(?m)^\d\d:\d\d:\d\d\.\d+", "TIME", values.stdout.decode())
        dumps.append(dumped)
    theirs, ours = dumps
    assert ours["-d"] == theirs["-d"]
    assert len(re.findall(r'"bin-900"\]? value 900', ours["values"])) >= 3
    assert ours["values"] == theirs["values"]
    assert shape(ours["-L"]) == shape(theirs["-L"])


SCRIPT = '''
import sys
import cpmapi as c
from pcp import pmapi

context = pmapi.pmContext(c.PM_CONTEXT_HOST, "local:")
names = []
context.pmTraversePMNS("sample.long", names.append)
print(names, context.pmGetChildren("sample.double"))
names = ["sample.bin", "sample.string.hullo", "hinv.ncpu", "sample.double.hundred", "sample.colour"]
pmids = context.pmLookupName(names)
descs = context.pmLookupDescs(pmids)
context.pmAddProfile(descs[0], [context.pmLookupInDom(descs[0], "bin-300")])
result = context.pmFetch(pmids)
for i, name in enumerate(names):
    desc = descs[i].contents
    print(name, context.pmIDStr(pmids[i]), result.contents.get_numval(i), context.pmTypeStr(desc.type))
    print(context.pmInDomStr(descs[i]), context.pmUnitsStr(desc.units), context.pmLookupText(pmids[i]) if "sample" in name else "")
atom = context.pmExtractValue(result.contents.get_valfmt(0), result.contents.get_vlist(0, 0),
                              descs[0].contents.type, c.PM_TYPE_DOUBLE)
print(atom.d)
context.pmFreeResult(result)
print(context.pmGetInDom(descs[0]), context.pmNameInDom(descs[0], 500), sorted(context.pmNameAll(pmids[4])))
try:
    context.pmLookupName("no.such")
except pmapi.pmErr as error:
    print(error.args[0])
group = pmapi.fetchgroup(c.PM_CONTEXT_HOST, "local:")
item = group.extend_item("sample.bin", instance="bin-700")
colours = group.extend_indom("sample.colour")
load = group.extend_indom("kernel.all.load")
group.fetch()
print(item(), sorted((i, name) for i, name, value in colours()), sorted(name for _, name, value in load() if value() >= 0))
'''


def test_python(clients, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("#!python3\n" + SCRIPT)
    answers = clients.run(str(script))
    assert_alike(answers, stable=True)
    assert "300.0" in answers[1][1] and "bin-500" in answers[1][1]
