"""dbpmda: Debian's and ours print the same, with Debian's agents and ours, over every transport; and bad agents.

Debian's example agents are compiled here from their sources, with Debian's headers and libraries and with ours.
Intended differences are in dbpmda(1), "DIFFERENCES".
"""
import difflib
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess

import pytest

from harness import free_port, own_name, wait_until

DEADLINE_S = 180
# Name: domain, sources, the metric names below it.
EXAMPLES = {"simple": (253, ["simple.c"]), "trivial": (250, ["trivial.c"]), "txmon": (249, ["txmon.c"]),
            "sample": (29, ["sample.c", "events.c", "percontext.c", "proc.c", "pmda.c"])}

# Every command, on an agent of domain D with instance domain D.I and metrics M, the writable W.
SCRIPT = """status
desc {m}
desc {d}.0.77
fetch {m}
fetch {m} {w}
getdesc on
fetch {m}, {w}
getiname on
fetch {m}
getiname off
getdesc off
fetch {d}.0.77
text {m}
text {d}.0.77
text indom {i}
text indom {d}.777
instance {i}
instance {i} 0
instance {i} {n}
instance {i} 99
instance {i} "no such"
instance {d}.777
profile {i} none
fetch {m}
profile {i} add 1
fetch {m}
status
profile {i} delete 1
profile {i} all
fetch {m}
store {w} "5"
store {w} "x"
store {m} "1"
store {m} "99999999999999999999"
children {m}
traverse {m}
pmid {m}
name {d}.0.0
label context
label domain
label indom {i}
label cluster 0
label cluster {d}.0
label item {m}
label instances {i}
attr 11 "7"
attr "username" "me"
attr "nosuch" "me"
attr 999
fetch nosuch.metric
frobnicate
debug pdu
status
debug -pdu
debug nosuch
debug none
timer on
timer off
wait 0
help
open
open dso
desc
fetch
store
text
instance
profile
name
pmid
children
traverse
attr
label
debug
timer
getdesc
getiname
wait
watch
close
fetch {m}
close
quit
"""

NORMAL = [
    (r"dump from 0x[0-9a-f]+ timestamp: .* numpmid", "dump from ADDRESS timestamp: TIME numpmid"),
    (r"\(pid: \d+\)", "(pid: PID)"),
    (r"Timer: [0-9.]+ seconds", "Timer: T seconds"),
    (r"\b(inet|ipv6)( port)? \d{4,5}", r"\1\2 PORT"),
    (r"^\[.*\] dbpmda\(\d+\)", "[DATE] dbpmda(PID)"),
    (r"^__pmGetPDU\(\d+\)", "__pmGetPDU(FD)"),
    (r"\b1[7-9]\d{8}\b( \S+ 0x[0-9a-f]{8})?", "NOW"),  # the time of day is what trivial measures
]


def normal(text, *more):
    for pattern, by in (*NORMAL, *more):
        text = re.sub(pattern, by, text, flags=re.M)
    return text


class Bench:
    """Debian's installation, and its examples compiled against both sides' libraries, which they find by themselves."""

    def __init__(self, prefix, peer, folder):
        self.prefix, self.peer, self.folder = prefix, peer, folder
        self.names = peer.home / "var/lib/pcp/pmns/root"
        self.libs = {"theirs": str(peer.lib), "ours": f"{prefix.path}/lib:{peer.lib}"}
        self.programs = {"theirs": peer.program("dbpmda"), "ours": prefix.bin("dbpmda")}
        for name, (_, sources) in EXAMPLES.items():
            self.compile("theirs", name, sources, peer.root / "usr/include", peer.lib)
            self.compile("ours", name, sources, prefix.path / "include", prefix.path / "lib")

    def compile(self, side, name, sources, include, lib):
        paths = [self.peer.pmdas / name / source for source in sources]
        for out, flags in ((f"{side}_{name}", []), (f"{side}_{name}.so", ["-shared", "-fPIC"])):
            done = subprocess.run(
                ["cc", "-w", "-fno-diagnostics-show-caret", f"-I{include}", *flags, "-o", self.folder / out, *paths,
                 f"-L{lib}", "-lpcp_pmda", "-lpcp",
                 *([] if flags else [f"-Wl,-rpath,{lib},--disable-new-dtags"])],
                capture_output=True, text=True, check=False)
            assert done.returncode == 0, (name, side, done.stderr.splitlines()[-3:])

    def env(self, side):
        return self.peer.env(lib=self.libs[side])

    def run(self, side, script, *args, names=None, timeout=180):
        """The output of one side's dbpmda for a script, without values that change."""
        done = subprocess.run([self.programs[side], "-f", "-e", "-n", str(names or self.names), *args],
                              env=self.env(side), cwd=self.folder, input=script, capture_output=True, text=True,
                              timeout=timeout, errors="replace", check=False)
        return done.returncode, normal(done.stdout), normal(done.stderr)

    def listen(self, agent, *args):
        """An agent that listens; it serves one connection."""
        return subprocess.Popen([self.folder / agent, *args], env=self.env("ours"), cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def bench(prefix, peer_root, tmp_path_factory):
    import peer as debian

    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    one = debian.Peer()
    yield Bench(prefix, one, tmp_path_factory.mktemp("dbpmda"))
    one.remove()


TARGETS = {
    "simple": {"d": 253, "m": "simple.color", "w": "simple.numfetch", "i": "253.0", "n": "red"},
    "trivial": {"d": 250, "m": "250.0.0", "w": "250.0.0", "i": "250.0", "n": "red"},
    "txmon": {"d": 249, "m": "249.0.1", "w": "249.0.3", "i": "249.0", "n": "red"},
    "sample": {"d": 29, "m": "sample.bin", "w": "sample.write_me", "i": "29.2", "n": '"bin-300"'},
}
TABLES = re.compile(r"^\[DATE\] dbpmda\(PID\) Warning: pmdaInit: PMDA .*: (?:metrics|indoms)\[.*\n|"
                    r"^\[DATE\] dbpmda\(PID\) Warning: pmdaInit: PMDA .*: (?:instance )?domain .*\n", re.M)
UNNAMED = re.compile(r"^Warning: PMID \(.*\) is not defined in the PMNS\n", re.M)


def as_ours_says_it(theirs, ours):
    """Debian's output, without messages that ours does not need: ours asks the agent for names that no file has."""
    rest, kept = ours[2].splitlines(keepends=True), []
    for line in theirs[2].splitlines(keepends=True):
        if UNNAMED.fullmatch(line) and (not rest or rest[0] != line):
            continue
        kept.append(line)
        rest = rest[1:]
    return theirs[0], theirs[1], "".join(kept)


def without_tables(said):
    """Our output, without warnings about the agent's tables, which Debian's library does not check."""
    return said[0], said[1], TABLES.sub("", said[2])


USER = own_name()


def is_listening(port):
    """True if a process listens on this TCP port, without connecting: the agent would accept the connection as the
    debugger's."""
    wanted = f":{port:04X} "
    return any(wanted in line and " 0A " in line
               for table in ("/proc/net/tcp", "/proc/net/tcp6") if os.path.exists(table)
               for line in pathlib.Path(table).read_text().splitlines())


def connected(bench, agent, transport, domain):
    """Starts an agent that listens: the process, and how to open it."""
    if transport == "unix":
        path = bench.folder / f"{agent}.sock"
        path.unlink(missing_ok=True)
        process = bench.listen(agent, "-d", str(domain), "-U", USER, "-l", "agent.log", "-u", str(path))
        wait_until("the agent listens", path.exists, alive=process)
        return process, "open socket unix ./agent.sock"
    port = free_port()
    option = {"inet": "-i", "ipv6": "-6"}[transport]
    process = bench.listen(agent, "-d", str(domain), "-U", USER, "-l", "agent.log", option, str(port))
    wait_until("the agent listens", lambda: is_listening(port), alive=process)
    return process, f"open socket {transport} {port}"


def session(bench, side, agent, name, transport, script=SCRIPT):
    """One script, through one dbpmda, to one agent."""
    domain = TARGETS[name]["d"]
    process = None
    ending = ".so" if transport == "dso" else ""
    (bench.folder / f"agent{ending}").unlink(missing_ok=True)
    shutil.copy(bench.folder / f"{agent}{ending}", bench.folder / f"agent{ending}")
    if transport == "dso":
        opening = f"open dso ./agent.so {name}_init {domain}"
    elif transport == "pipe":
        words = " one red three" if name == "txmon" else ""
        opening = f"open pipe ./agent -d {domain} -U {USER} -l agent.log{words}"
    else:
        process, opening = connected(bench, "agent", transport, domain)
    script = script.format(**TARGETS[name])
    if name == "trivial" and transport == "dso":
        script = re.sub(r"(store 2|label).*\n", "", script)  # Debian's crashes in them
    if transport in ("inet", "ipv6"):
        # After a port Debian's takes more for the name of a file, and reads ahead.
        script = script.replace(",", "").replace('attr "nosuch" "me"\n', "")
    try:
        return bench.run(side, opening + "\n" + script)
    finally:
        if process is not None:
            process.kill()
            process.wait()


CASES = [(name, transport) for name in EXAMPLES for transport in ("dso", "pipe") if (name, transport) != ("txmon", "dso")]
CASES += [("simple", transport) for transport in ("unix", "inet", "ipv6")]


@pytest.mark.parametrize("name, transport", CASES)
def test_the_same_words(bench, name, transport):
    """Either dbpmda, and the same source built with either side: what Debian's says of Debian's."""
    if transport == "ipv6" and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("this system has no IPv6")
    expected = session(bench, "theirs", f"theirs_{name}", name, transport)
    assert "Broken pipe" not in expected[1] and len(expected[1]) > 3000, expected
    for side, agent in (("ours", "ours"), ("theirs", "ours"), ("ours", "theirs")):
        said = session(bench, side, f"{agent}_{name}", name, transport)
        for was, now in zip(expected, said):
            if was != now:
                diff = difflib.unified_diff(str(was).split("\n"), str(now).split("\n"), lineterm="", n=1)
                pytest.fail(f"dbpmda {side}, agent {agent}\n" + "\n".join(list(diff)[:60]))


TRACED = """debug pdu
desc {m}
getdesc on
fetch {m}
instance {i}
profile {i} none
fetch {m}
store {w} "2"
getdesc off
getiname on
profile {i} all
fetch {m}
debug none
fetch {m}
quit
"""


@pytest.mark.parametrize("transport", ["dso", "pipe"])
@pytest.mark.parametrize("name", ["simple", "sample"])
def test_what_is_traced(bench, name, transport):
    """With debug 1: methods of an object, descriptors that getdesc on asks for. PDUs are on standard error."""
    expected = session(bench, "theirs", f"theirs_{name}", name, transport, TRACED)
    for agent in ("ours", "theirs"):
        assert session(bench, "ours", f"{agent}_{name}", name, transport, TRACED)[:2] == expected[:2]
    assert expected[1].count("Data Type") > 3 and ("DSO fetch()" in expected[2]) == (transport == "dso")


LINUX = """desc hinv.ncpu
fetch hinv.ncpu hinv.ndisk
getdesc on
getiname on
fetch hinv.ncpu
fetch hinv.cpu.online
instance 60.0
text hinv.ncpu
text indom 60.0
label context
label domain
label item hinv.ncpu
label instances 60.0
profile 60.0 none
profile 60.0 add 0
fetch hinv.cpu.online
store hinv.ncpu "3"
desc 60.0.9999
children hinv
pmid hinv.ncpu
name 60.0.32
status
"""


@pytest.mark.parametrize("agent", ["theirs", "ours"])
@pytest.mark.parametrize("transport", ["dso", "pipe"])
def test_linux_by_either(bench, agent, transport):
    if (agent, transport) == ("theirs", "pipe") and os.geteuid() != 0:
        pytest.skip("Debian's linux agent insists on becoming root")
    """Both debuggers say the same of Debian's linux agent, and of ours."""
    paths = {("theirs", "dso"): bench.peer.root / "usr/lib/pcp/pmdas/linux/pmda_linux.so",
             ("theirs", "pipe"): bench.peer.root / "usr/lib/pcp/pmdas/linux/pmdalinux",
             ("ours", "dso"): bench.prefix.dso("linux"),
             ("ours", "pipe"): bench.folder / "pmdalinux"}
    # Under Debian's debugger, and its LD_LIBRARY_PATH, ours shall have our libraries.
    paths["ours", "pipe"].write_text(f"#!/bin/sh\nunset LD_LIBRARY_PATH\nexec {bench.prefix.bin('pmdalinux')}\n")
    paths["ours", "pipe"].chmod(0o755)
    opening = f"open {transport} {paths[agent, transport]}"
    if transport == "dso":
        opening += " linux_init 60"
    said = {side: bench.run(side, opening + "\n" + LINUX)
            for side in ("theirs", "ours") if (side, agent, transport) != ("theirs", "ours", "dso")}
    assert "PMID(s): 60.0.32" in said["ours"][1], said["ours"]
    ours = without_tables(said["ours"])
    assert ours == said["ours"]  # there is nothing to warn of
    assert as_ours_says_it(said.get("theirs", ours), ours) == ours


@pytest.mark.parametrize("name", ["simple", "trivial"])
def test_our_examples_by_either(bench, name):
    """Both debuggers say the same of the examples that are ours."""
    agent = bench.folder / f"pmda{name}"
    agent.write_text(f"#!/bin/sh\nunset LD_LIBRARY_PATH\nexec {bench.prefix.bin('pmda' + name)}\n")
    agent.chmod(0o755)
    script = f"open pipe {agent}\n" + SCRIPT.format(**TARGETS[name])
    theirs, ours = (bench.run(side, script) for side in ("theirs", "ours"))
    # The name of trivial's metric is in no file.
    ours = ours[0], ours[1].replace("(trivial.time)", "(<noname>)"), ours[2]
    assert "Broken pipe" not in ours[1] and ours == as_ours_says_it(theirs, ours)


PROCESSES = {"proc": 3, "mmv": 70, "dm": 129, "nvidia": 120, "bash": 112, "mounts": 72, "jbd2": 122, "xfs": 11,
             "cifs": 121, "systemd": 114, "mailq": 55, "zfs": 153, "denki": 156, "smart": 150}

AS_THEY_ARE = ("dm", "nvidia", "xfs", "cifs", "zfs")  # no option for a user


@pytest.mark.parametrize("name", PROCESSES)
def test_debian_processes(bench, name):
    """Debian's agents that are processes of their own say the same on our libraries."""
    domain = PROCESSES[name]
    agent = bench.peer.root / f"usr/lib/pcp/pmdas/{name}/pmda{name}"
    options = f"-d {domain} -l {bench.folder}/agent.log" + (f" -U {USER}" if name not in AS_THEY_ARE else "")
    script = f"open pipe {agent} {options}\nstatus\n" + "".join(
        f"desc {domain}.{c}.{i}\n" for c in (0, 1, 2, 3, 8, 16) for i in range(4)) + "".join(
        f"instance {domain}.{i}\n" for i in range(1, 4)) + "label domain\nlabel context\ntext 1.2.3\nattr 11 \"0\"\n"
    theirs, ours = (bench.run(side, script) for side in ("theirs", "ours"))
    assert "Semantics" in theirs[1], theirs
    assert ours == as_ours_says_it(theirs, ours)


# Debian's objects, and of those that don't load what the loader misses: the insides of the pmcd program, and those of
# libpcp that only libpcp_web asks for (docs/libpcp_pmda.md).
OBJECTS = ("bpf", "cifs", "denki", "dm", "docker", "hacluster", "jbd2", "kvm", "linux", "mmv", "nvidia", "perfevent", "pmcd",
           "podman", "proc", "sample", "sendmail", "smart", "sockets", "xfs", "zfs")
MISSING = {"pmcd": r"pmda_pmcd\.so: undefined symbol: \w+$",
           **{name: r"libpcp_web\.so\.1: undefined symbol: __pm\w+, version PCP_3\.\d+$" for name in ("bpf", "docker", "podman")}}


WRONG_TABLES = ("hacluster",)  # two of its metrics have one PMID
# Its thread runs on while it is unloaded: about one run in thirty of either program ends by a signal.
CRASHING = ("perfevent",)
CRASHES_MAX = 10


def object_of(bench, name):
    return bench.peer.root / f"usr/lib/pcp/pmdas/{name}/pmda_{name}.so"


def test_the_objects_are_all(bench):
    found = {path.name[5:-3] for path in bench.peer.root.glob("usr/lib/pcp/pmdas/*/pmda_*.so")}
    assert found == set(OBJECTS)


@pytest.mark.parametrize("name", OBJECTS)
def test_debian_objects(bench, name):
    """Each is loaded and initialised as by Debian's debugger, or the loader says what is missing."""
    path = object_of(bench, name)
    needs = subprocess.run(["ldd", path], env=bench.env("theirs"), capture_output=True, text=True, check=False).stdout
    if "not found" in needs:
        pytest.skip("a library that is not PCP's is not installed here")
    script = f"open dso {path} {name}_init 77\nstatus\ndesc 77.0.0\nclose\n"

    def run_whole(side):
        for _ in range(CRASHES_MAX if name in CRASHING else 0):
            answer = bench.run(side, script)
            if answer[0] >= 0:
                return answer
        return bench.run(side, script)
    code, out, err = run_whole("ours")
    if name in MISSING:
        assert re.search(MISSING[name], out, re.M) and "PMDA:                   none" in out, out
        return

    theirs = run_whole("theirs")
    assert TABLES.search(err) is None or name in WRONG_TABLES, err
    code, out, err = without_tables((code, out, err))
    theirs = as_ours_says_it(theirs, (code, out, err))
    if theirs[0] < 0:  # an agent that finds nothing to measure: Debian's dbpmda ends, ours reports it
        assert code == 0 and f'Error: initialization routine "{name}_init" failed in DSO "{path}"' in out
    else:
        assert (code, out, err) == theirs
    assert str(path) in out and "Error attaching" not in out


# The missing symbols of processes that do not run, or not completely.
STRANGERS = {"apache": "libpcp_web", "bpf": "libpcp_web", "docker": "libpcp_web", "podman": "libpcp_web", "root": "libpcp_web",
             "trace": "libpcp_trace"}


def test_debian_processes_find_all_they_import(bench):
    """Each symbol of libpcp and libpcp_pmda that an agent process of Debian's imports is there, but for the strangers'."""
    def symbols(path, *options):
        done = subprocess.run(["nm", "-D", *options, path], capture_output=True, text=True, check=True)
        return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}

    if shutil.which("nm") is None:
        pytest.skip("no binutils")
    libraries = ("libpcp.so.3", "libpcp_pmda.so.3")
    ours = set().union(*(symbols(bench.prefix.path / "lib" / name, "--defined-only") for name in libraries))
    theirs = set().union(*(symbols(bench.peer.lib / name, "--defined-only") for name in libraries))
    strange = {}
    for path in sorted(bench.peer.root.glob("usr/lib/pcp/pmdas/*/pmda*")):
        if path.suffix or path.open("rb").read(4) != b"\x7fELF":
            continue
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        missing = (symbols(path, "--undefined-only") & theirs - ours) | set(re.findall(r"libpcp_(?:web|trace)", needed))
        if missing:
            strange[path.name[4:]] = missing
    assert {name: STRANGERS.get(name) in missing for name, missing in strange.items()} == dict.fromkeys(STRANGERS, True)


# An agent that does what its first argument says, at its first request.
BAD_AGENT = r"""#!/usr/bin/env python3
import os, struct, sys
def wait():
    while os.read(0, 4096):
        pass
def say(type, body):
    os.write(1, struct.pack(">iii", 12 + len(body), type, 0) + body)
mode = sys.argv[1]
if mode == "silent":
    wait()
if mode == "gone":
    sys.exit(0)
if mode == "desc first":
    say(0x7005, bytes(20))
else:
    say(0x700c, struct.pack(">iI", 1, 0x01020000))
os.read(0, 20)
os.read(0, 4096)
if mode == "garbage":
    os.write(1, b"\x7f" * 64)
if mode == "cut":
    os.write(1, struct.pack(">iii", 40, 0x7005, 0) + b"1234")
if mode == "wrong":
    say(0x7009, struct.pack(">i", 0))
if mode == "short":
    say(0x7005, bytes(3))
if mode == "hangs":
    wait()
"""
DIED = "Error: __pmGetPDU() failed: PDU empty, PMDA may have died"
BAD = {
    "dies": DIED,
    "cut": DIED,
    "garbage": "Error: __pmGetPDU() failed: IPC protocol failure",
    "wrong": "Error: expecting PDU type DESC, got PDU type ",
    "short": "Error PDU: IPC protocol failure",
    "gone": "pmdaversion: expecting PDU_CREDS, got EOF\nWarning: no version exchange with PMDA ./bad.py after 20 secs",
    "desc first": "pmdaversion: expecting PDU_CREDS, got PDU type DESC\nWarning: no version exchange",
    "silent": "Timeout waiting for a response from PMCD\nWarning: no version exchange with PMDA ./bad.py after 12 secs",
}


@pytest.fixture
def bad_agent(tmp_path):
    (tmp_path / "bad.py").write_text(BAD_AGENT)
    (tmp_path / "bad.py").chmod(0o755)
    (tmp_path / "names").write_text("root {\n\tbad 5:0:0\n\tother 5:0:1\n}\n")
    return tmp_path


@pytest.mark.parametrize("mode", BAD)
def test_bad_agents(prefix, bad_agent, mode):
    """Each mistake is reported, and the debugger continues: another bad agent, and the status."""
    script = f"open pipe ./bad.py '{mode}'\ndesc bad\nopen pipe ./bad.py dies\nstatus\n"
    if mode in ("silent", "gone", "desc first"):
        script = script.replace("desc bad\n", "")
    # Only silence is waited for to its end: a loaded machine is slow to start the others.
    patience = "12" if mode == "silent" else "20"
    done = subprocess.run([prefix.bin("dbpmda"), "-f", "-q", patience, "-n", "names"], cwd=bad_agent, input=script, text=True,
                          env=prefix.env(), capture_output=True, timeout=120, check=False)
    assert BAD[mode] in done.stdout + done.stderr, (done.stdout, done.stderr)
    assert done.returncode == 0 and "PMDA PMAPI Version:     2" in done.stdout, (done.stdout, done.stderr)


# Missing or wrong methods of a DSO: the command, the message.
BAD_DSO = {
    "without_profile": ("profile 5.0 none\nfetch bad", "Error: DSO has no profile() method"),
    "without_fetch": ("fetch bad\nstore bad 1", "Error: DSO has no fetch() method"),
    "without_desc": ("desc bad\ngetdesc on\nfetch bad\nstore bad 1", "Error: DSO has no desc() method"),
    "without_instance": ("instance 5.0\ngetiname on\nfetch bad", "Error: DSO has no instance() method"),
    "without_text": ("text bad\ntext indom 5.0", "Error: DSO has no text() method"),
    "without_store": ('store bad "1"', "Error: DSO has no store() method"),
    "without_pmid": ("pmid some.name", "Error: DSO has no pmid() method"),
    "without_name": ("name 5.0.0", "Error: DSO has no name() method"),
    "without_children": ("children some\ntraverse some", "Error: DSO has no children() method"),
    "without_attribute": ('attr 11 "7"', "Error: DSO has no attribute() method"),
    "without_label": ("label domain\nlabel instances 5.0", "Error: DSO has no label() method"),
    "hole_set": ("fetch other bad\ngetdesc on\nfetch other bad\nstore bad 1", "Error: DSO fetch() gave no value set of 5.0.0"),
    "hole_block": ("fetch other\ngetdesc on\nfetch other\nstore other x", "Error: DSO fetch() gave no value of 5.0.1"),
    "hole_names": ("name 5.0.0", "   (null)\n   (null)\n"),
    "hole_children": ("children some\ntraverse some", "       leaf (null)\n"),
    "hole_instance": ("instance 5.0\ngetiname on\nfetch bad", '[  0] name: "(null)"'),
    "hole_label": ("label domain", "Labels:\nError: no text of label 0\n"),
}


@pytest.fixture(scope="module")
def bad_dso(prefix, tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("bad_dso")
    (folder / "names").write_text("root {\n\tbad 5:0:0\n\tother 5:0:1\n}\n")
    subprocess.run(["cc", "-Wall", "-shared", "-fPIC", f"-I{prefix.path}/include", "-o", folder / "bad.so",
                    pathlib.Path(__file__).parent / "bad_dso.c", f"-L{prefix.path}/lib", "-lpcp_pmda", "-lpcp"], check=True)
    return folder


@pytest.mark.parametrize("entry", BAD_DSO)
def test_bad_dsos(prefix, bad_dso, entry):
    """Missing methods of a DSO are reported each time they are needed, and the debugger continues to the end."""
    commands, said = BAD_DSO[entry]
    done = subprocess.run([prefix.bin("dbpmda"), "-f", "-n", "names"], cwd=bad_dso, text=True, capture_output=True,
                          input=f"open dso ./bad.so {entry} 5\n{commands}\nclose\nstatus\n", timeout=120, check=False,
                          # Memory that pmdaDSO allocates cannot be freed: an object is unloaded before the end of the
                          # program.
                          env=prefix.env(LD_LIBRARY_PATH=prefix.path / "lib",
                                         ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"))
    assert said in done.stdout, (done.stdout, done.stderr)
    assert done.returncode == 0 and "PMDA:                   none" in done.stdout, (done.returncode, done.stdout)


class Terminal:
    """A program at a terminal."""

    def __init__(self, argv, env, cwd):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(argv[0], argv, env)

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def expect(self, wanted):
        """Reads until the text appears; the output before it is discarded."""
        def came():
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.text += os.read(self.fd, 4096).decode(errors="replace")
                except OSError:
                    return True
            return wanted in self.text
        wait_until(f"{wanted!r} in {self.text!r}", came)
        before, found, self.text = self.text.partition(wanted)
        assert found, before
        return before

    def runs_a_command(self):
        """Waits until ^C is the command's: at the prompt it would end the program."""
        def caught():
            status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
            return int(re.search(r"SigCgt:\s*([0-9a-f]+)", status)[1], 16) & 1 << signal.SIGINT - 1
        wait_until("a command runs", caught)

    def close(self):
        """Its exit status, after it has ended by itself."""
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal(prefix, bad_agent, terminals):
    one = Terminal([prefix.bin("dbpmda"), "-f", "-n", "names"], prefix.env(TERM="dumb", HOME=bad_agent), bad_agent)
    one.expect("dbpmda> ")
    yield one


def test_at_a_terminal(terminal):
    """A prompt, completion of commands and of names, history, and the end of input."""
    terminal.type("stat\t\r")
    terminal.expect("Namespace:              names")
    terminal.expect("dbpmda> ")
    terminal.type("desc ot\t\r")
    terminal.expect("No PMDA currently opened")
    terminal.expect("dbpmda> ")
    terminal.type("\x10\x10\r")  # the line before the last
    terminal.expect("Namespace:              names")
    terminal.expect("dbpmda> ")
    terminal.type("quit\r")
    assert terminal.close() == 0


def test_interrupt(terminal):
    """^C ends the wait for an agent that hangs; both processes keep running."""
    terminal.type("open pipe ./bad.py hangs\r")
    terminal.expect("dbpmda> ")
    terminal.type("desc bad\r")
    terminal.expect("PMID: 5.0.0")
    terminal.type("\x03")
    terminal.expect("__pmGetPDU() failed: Interrupted system call")
    terminal.expect("dbpmda> ")
    terminal.type("wait 60\r")
    terminal.expect("wait 60")
    terminal.runs_a_command()
    terminal.type("\x03")
    terminal.expect("dbpmda> ")
    terminal.type("status\r")
    terminal.expect("Connection:             daemon (pid: ")
    terminal.expect("dbpmda> ")
    terminal.type("quit\r")
    assert terminal.close() == 0


def test_rest_of_a_bad_line(prefix, bad_agent):
    """Nothing of a line that is wrong is run, and the next one begins afresh."""
    done = subprocess.run([prefix.bin("dbpmda"), "-f", "-n", "names"], cwd=bad_agent, text=True, capture_output=True,
                          input="timer on $\nstore 1 $\nstatus\n", env=prefix.env(), timeout=120, check=False)
    assert done.stderr.count("Error: Illegal character") == 2 and "Timer:                  off" in done.stdout


def test_examples_of_the_manual(prefix, tmp_path):
    """The session in dbpmda(1) under EXAMPLES."""
    page = (pathlib.Path(__file__).parents[2] / "man/man1/dbpmda.1").read_text()
    lines = re.search(r"\.Sh EXAMPLES.*?\.Bd.*?\n(.*?)\.Ed", page, re.S)[1].replace("\\&", "").splitlines()
    assert lines.pop(0) == "$ dbpmda -n names"
    (tmp_path / "names").write_text("root {\n\tsimple\n}\nsimple {\n\tcolor 253:0:1\n}\n")
    shutil.copy(prefix.dso("simple"), tmp_path)
    script = "".join(line.removeprefix("dbpmda> ") + "\n" for line in lines if line.startswith("dbpmda> "))
    expected = "\n".join(line for line in lines if not line.startswith("dbpmda> "))
    done = subprocess.run([prefix.bin("dbpmda"), "-f", "-n", "names"], cwd=tmp_path, input=script, text=True,
                          env=prefix.env(LD_LIBRARY_PATH=prefix.path / "lib"), capture_output=True, timeout=120,
                          check=False)
    assert normal(done.stdout).strip() == normal(expected).strip(), (done.stdout, done.stderr)
