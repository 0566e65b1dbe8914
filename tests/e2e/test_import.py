"""libpcp_import: the same programs on our library and on Debian's write the same archives.

A program is tests/libpcp_import/script.c with lines of calls, a Python or Perl script on Debian's bindings, or one of
Debian's importers. Archives are compared byte by byte, without the process numbers in their labels, and as Debian's
pmdumplog prints them.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile

import pytest

import harness
import import_sessions as sessions
import peer as debian

TESTS = pathlib.Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"
PERL = "/usr/bin/perl"
PID_AT = slice(8, 12)  # in each file's label


class Side:
    """A program of Debian's world on one of the two libraries, with a folder of its own."""

    def __init__(self, name, folder, root, libraries):
        self.name, self.folder, self.root = name, folder / name, root
        self.folder.mkdir(parents=True)
        perl = root / "usr/lib/x86_64-linux-gnu/perl5/5.36"
        self.env = {**debian.bare_env(root, self.folder), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                    "PYTHONPATH": str(root / "usr/lib/python3/dist-packages"), "PCP_ARCHIVE_VERSION": "2",
                    "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0", "PERL5LIB": f"{perl}:{root / 'usr/share/perl5'}",
                    "LD_LIBRARY_PATH": f"{libraries}:{root / 'usr/lib'}:{root / 'usr/lib/x86_64-linux-gnu'}"}
        self.before = set(self.folder.iterdir())

    def run(self, argv, text=None, env=None):
        """(status, output, diagnostics), with nothing in them that differs by folder or process."""
        done = subprocess.run([str(word) for word in argv], cwd=self.folder, env={**self.env, **(env or {})}, text=True,
                              capture_output=True, input=text, timeout=harness.DEADLINE_S, errors="replace")
        return done.returncode, *(self.plain(text) for text in (done.stdout, done.stderr))

    def plain(self, text):
        return re.sub(r"\(\d+\)", "(PID)", text.replace(str(self.folder), "FOLDER"))

    def files(self):
        """{name: bytes} of what was written, without process numbers."""
        found = {}
        for path in sorted(set(self.folder.iterdir()) - self.before):
            data = bytearray(path.read_bytes())
            data[PID_AT] = b"\0" * 4
            found[path.name] = bytes(data)
        return found

    def dumps(self):
        """The output of Debian's pmdumplog for each archive."""
        env = {**self.env, "LD_LIBRARY_PATH": str(self.root / "usr/lib")}
        for meta in sorted(self.folder.glob("*.meta")):
            done = harness.run([self.root / "usr/bin/pmdumplog", "-azdhiLlmst", meta.stem], env=env, cwd=self.folder)
            yield done.returncode, re.sub(r"PID for pmlogger: \d+", "", done.stdout), done.stderr


class Sides:
    """Both libraries; the folder of each test is new."""

    def __init__(self, folder, root, prefix, script):
        self.script = script
        self.stock = Side("stock", folder, root, root / "usr/lib")
        self.ours = Side("ours", folder, root, prefix.path / "lib")

    def run(self, argv, text=None, env=None, need=None):
        """Runs a program on both; the result of both, which is the same. With need, it is skipped if it cannot run."""
        stock = self.stock.run(argv, text, env)
        if need is not None and stock[0] != 0 and re.search(r"Can't locate|No module named|cannot open shared", stock[2]):
            pytest.skip(f"{need} is not there: {stock[2].splitlines()[0]}")
        assert self.ours.run(argv, text, env) == stock
        return stock

    def call(self, lines, env=None):
        """Runs lines of calls on both."""
        status, out, err = self.run([self.script], lines + "\n", env)
        assert status == 0, err
        return out, err

    def same(self):
        """The names of the files that both wrote; they are the same."""
        stock, ours = self.stock.files(), self.ours.files()
        assert sorted(ours) == sorted(stock)
        assert list(self.ours.dumps()) == list(self.stock.dumps())
        assert {name for name in stock if stock[name] != ours[name]} == set()
        return list(stock)


@pytest.fixture(scope="module")
def script(prefix, tmp_path_factory):
    """The program of calls; LD_LIBRARY_PATH chooses its library."""
    if shutil.which("cc") is None:
        pytest.skip("no compiler")
    program = tmp_path_factory.mktemp("import") / "script"
    cc = shlex.split(os.environ.get("PITOT_CC", "cc"))
    done = harness.run([*cc, "-Wall", "-Werror", "-o", program, TESTS / "libpcp_import/script.c", f"-I{prefix.path}/include",
                        f"-L{prefix.path}/lib", "-lpcp_import", "-lpcp", f"-Wl,-rpath-link,{prefix.path}/lib"])
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture
def sides(peer_root, prefix, script, tmp_path):
    return Sides(tmp_path, peer_root, prefix, script)


# ---- lines of calls ----

def test_names(sides):
    sides.call(sessions.NAMES)
    sides.same()


@pytest.mark.parametrize("version", (2, 3))
@pytest.mark.parametrize("lines", (sessions.LATE, sessions.LARGE, sessions.MANY, sessions.HEIR), ids=("late", "large", "many", "heir"))
def test_archives(sides, lines, version):
    sides.call(lines.replace("VERSION", str(version)))
    assert len(sides.same()) >= 3


@pytest.mark.parametrize("version", (2, 3))
def test_conversions(sides, version):
    sides.call(sessions.conversions(version))
    assert len(sides.same()) == 3


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_random(sides, first):
    """Sessions of random calls, twenty in a test."""
    for seed in range(first, first + 20):
        lines, size = sessions.random_session(seed)
        sides.call(lines, {"PCP_LOGIMPORT_MAXLOGSZ": str(size)})
    assert len(sides.same()) > 20


@pytest.mark.parametrize("version", (2, 3))
@pytest.mark.parametrize("size", ("15000", "100", "70000"))
def test_volumes(sides, size, version):
    lines = ["start vol 0", f"version {version}", "metric s - 6 - 3"]
    lines += [f'value s NULL "{"x" * 5000}"\nwrite {second} 0' for second in range(1, 10)] + ["mark", "end"]
    if size == "100":  # Debian's begins with a volume that has no record
        sides.ours.run([sides.script], "\n".join(lines) + "\n", {"PCP_LOGIMPORT_MAXLOGSZ": size})
        assert len(list(sides.ours.folder.glob("vol.[0-9]*"))) == 9
        return
    sides.call("\n".join(lines), {"PCP_LOGIMPORT_MAXLOGSZ": size})
    sides.same()


ONE = "start one 0\nmetric a - 0 - 3\nvalue a NULL 1\nwrite 1 5\nend\n"


@pytest.mark.parametrize("zone", ("UTC", ":Europe/Berlin", "EST5EDT", "Europe/Berlin", None))
def test_zones(sides, zone):
    for side in (sides.stock, sides.ours):
        side.env.pop("TZ")
    for version in ("2", "3", "x3", " 3", "3x"):
        env = {"PCP_ARCHIVE_VERSION": "2" if version == "x3" else version, **({"TZ": zone} if zone else {})}
        sides.call(ONE.replace("one", f"v{ord(version[0])}{len(version)}"), env)
    sides.same()


@pytest.mark.parametrize("member", (".meta", ".0", ".index"))
def test_files_there(sides, member):
    for side in (sides.stock, sides.ours):
        (side.folder / f"one{member}").write_text("mine, and longer than a word\n")
    out, err = sides.call(ONE)
    assert "-17 File exists" in out and f'__pmLogNewFile: "one{member}" already exists, not over-written' in err
    assert sides.same() == [f"one{member}"]


def test_no_folder(sides):
    out, err = sides.call(ONE.replace("one", "no/such/folder"))
    assert "No such file or directory" in out and "failed to create" in err


# ---- files that end early ----

def count_records(folder, name="long"):
    """Whole records of the data file of version 3."""
    data = (folder / f"{name}.0").read_bytes()
    at, n = struct.unpack(">I", data[:4])[0], 0
    while at + 4 <= len(data):
        size = struct.unpack(">I", data[at:at + 4])[0]
        if at + size > len(data):
            return n, False
        at, n = at + size, n + 1
    return n, at == len(data)


def test_killed(sides):
    """kill -9 between calls: every record of a call that returned can be read, by both libraries, without repair."""
    with subprocess.Popen([sides.script], cwd=sides.ours.folder, env=sides.ours.env, text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdin.write("start long 0\nversion 3\nmetric a 1.1.1 0 1.1 3\ninst 1.1 one 1\n")
        for second in range(1, 200):
            process.stdin.write(f"value a one {second}\nwrite {second} 0\n")
        process.stdin.flush()
        harness.wait_until("all is written", lambda: "write 0" in process.stdout.readline()
                           and count_records(sides.ours.folder) == (199, True), alive=process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [status for status, _, _ in sides.ours.dumps()] == [0]
    dump = next(sides.ours.dumps())[1]
    assert dump.count('inst [1 or "one"]') == 199


def test_full_disk(sides):
    """Without space a call returns ENOSPC, whole records stay, and the next call that has space goes on."""
    lines = ["start long 0", "version 3", "metric s 1.1.1 6 - 3"]
    lines += [f'value s NULL "{"x" * 8000}"\nwrite {second} 0' for second in range(1, 20)]
    lines += ["mark", "value s NULL small", "write 30 0", "end"]
    kept = sides.ours.folder.parent / "kept"
    kept.mkdir()
    program = f"mount -t tmpfs -o size=96k none {sides.ours.folder} && cd {sides.ours.folder} && {sides.script} && " \
        f"cp long.* {kept}"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", program], text=True, env=sides.ours.env,
                          input="\n".join(lines) + "\n", capture_output=True)
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no file system of our own: {done.stderr.strip()}")
    assert "-28 No space left on device" in done.stdout and done.stdout.splitlines()[-1].endswith("end 0"), done
    for path in kept.iterdir():
        shutil.copy(path, sides.ours.folder)
    records, whole = count_records(sides.ours.folder)
    assert whole and 5 < records < 20
    status, dump, err = next(sides.ours.dumps())
    assert (status, err) == (0, "") and '"small"' in dump and "<mark>" in dump


# ---- Debian's bindings ----

PYTHON_SCRIPT = '''
import sys
import cpmapi
from pcp import pmapi, pmi
log = pmi.pmiLogImport("python")
log.pmiSetVersion(int(sys.argv[1]))
log.pmiSetHostname("www.abc.com")
log.pmiSetTimezone("EST-10")
domain = 60
pmid = log.pmiID(domain, 2, 0)
indom = log.pmiInDom(domain, 2)
units = log.pmiUnits(0, 0, 0, 0, 0, 0)
log.pmiAddMetric("kernel.all.load", pmid, cpmapi.PM_TYPE_FLOAT, indom, cpmapi.PM_SEM_INSTANT, units)
log.pmiAddInstance(indom, "1 minute", 1)
log.pmiAddInstance(indom, "5 minute", 5)
log.pmiAddMetric("one", log.pmiID(domain, 2, 1), cpmapi.PM_TYPE_U64, pmapi.pmInDom(cpmapi.PM_INDOM_NULL),
                 cpmapi.PM_SEM_COUNTER, log.pmiUnits(1, -1, 0, cpmapi.PM_SPACE_MBYTE, cpmapi.PM_TIME_SEC, 0))
log.pmiPutText(cpmapi.PM_TEXT_PMID, cpmapi.PM_TEXT_ONELINE, pmid, "text")
log.pmiPutLabel(cpmapi.PM_LABEL_ITEM, pmid, 0, "name", "value")
handle = log.pmiGetHandle("one", "")
for second in range(1, 10):
    log.pmiPutValue("kernel.all.load", "1 minute", "%f" % (second / 100))
    log.pmiPutValueHandle(handle, str(second))
    if second % 2:
        log.pmiWrite(second, 7)
    else:
        log.pmiHighResWrite(second, 123456789)
log.pmiPutMark()
for wrong in (lambda: log.pmiPutValue("one", "x", "1"), lambda: log.pmiPutValue("two", "", "1"),
              lambda: log.pmiWrite(99, 0), lambda: log.pmiSetVersion(7)):
    try:
        wrong()
    except pmi.pmiErr as error:
        print(error.args, error)
del log
'''

PERL_SCRIPT = '''
use strict;
use PCP::LogImport;
my $context = pmiStart("perl", 0);
print "$context\\n";
pmiSetVersion($ARGV[0]);
pmiSetHostname("www.abc.com");
pmiSetTimezone("EST-10");
my $indom = pmiInDom(PMI_DOMAIN, 1);
print pmiAddMetric("my.metric.foo", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, pmiUnits(0,0,0,0,0,0)), "\\n";
print pmiAddMetric("my.metric.bar", pmiID(PMI_DOMAIN,0,7), PM_TYPE_U64, $indom, PM_SEM_COUNTER,
    pmiUnits(0,1,-1,0,PM_TIME_MSEC,PM_COUNT_ONE)), "\\n";
pmiAddInstance($indom, "eek really", 1);
pmiAddInstance($indom, "guh", 2);
my $handle = pmiGetHandle("my.metric.bar", "guh");
print "$handle ", pmiPutValue("my.metric.foo", "", "123"), " ", pmiPutValue("my.metric.foo", "", "1"), "\\n";
print pmiErrStr(-1), " ", pmiErrStr(pmiPutValue("nope", "", "1")), "\\n";
pmiPutValueHandle($handle, "77");
pmiPutValue("my.metric.bar", "eek really", "5");
pmiPutText(PM_TEXT_PMID, PM_TEXT_HELP, pmiID(PMI_DOMAIN,0,7), "the help");
pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", "b");
print pmiWrite(1000, 5), " ", pmiPutMark(), " ", pmiEnd(), "\\n";
'''


def link_libraries(side, import_library, pcp_library):
    """ctypes asks for the names of development, which Debian's packages of libraries do not have."""
    links = pathlib.Path(tempfile.mkdtemp(prefix="links-", dir=side.folder.parent))
    for library in (import_library, pcp_library):
        for name in (library.name, library.name.rpartition(".")[0]):
            (links / name).symlink_to(library)
    side.env["LD_LIBRARY_PATH"] = f"{links}:{side.root / 'usr/lib'}"


@pytest.mark.parametrize("version", (2, 3))
def test_python(sides, prefix, version):
    theirs, ours = sides.stock.root / "usr/lib", prefix.path / "lib"
    link_libraries(sides.stock, theirs / "libpcp_import.so.1", theirs / "libpcp.so.3")
    link_libraries(sides.ours, ours / "libpcp_import.so.1", ours / "libpcp.so.3")
    if "undefined symbol" in sides.ours.run([PYTHON, "-c", "from pcp import pmi"])[2]:
        # Our libpcp lacks functions that the binding needs: our libpcp_import runs on Debian's then.
        link_libraries(sides.ours, ours / "libpcp_import.so.1", theirs / "libpcp.so.3")
    status, out, err = sides.run([PYTHON, "-c", PYTHON_SCRIPT, version], need="Debian's Python binding")
    assert status == 0 and "Null instance expected" in out, err
    assert len(sides.same()) == 3


@pytest.mark.parametrize("version", (2, 3))
def test_perl(sides, version):
    if not os.access(PERL, os.X_OK):
        pytest.skip("no Perl")
    status, out, err = sides.run([PERL, "-e", PERL_SCRIPT, version], need="Debian's Perl binding")
    assert status == 0 and "Value already assigned" in out, err
    assert len(sides.same()) == 3


# ---- Debian's importers ----

MRTG = "1700001200 100 200\n" + "".join(f"{1700001200 - 300 * n} {n * 11} {n * 7} {n * 20} {n * 9}\n" for n in range(50))

IOSTAT = "Linux 6.1.0 (host) \t2023-11-14 \t_x86_64_\t(2 CPU)\n\n" + "".join(f"""2023-11-14T22:{10 + n}:00+0100
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           {n}.50    0.00    1.00    0.25    0.00   90.25

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda              {n}.00         {n * 3}.50        12.00      33000     120000
sdb              1.00          3.50         2.00       3000      20000

""" for n in range(9))

SHEET_MAP = """<?xml version="1.0" encoding="UTF-8"?>
<sheet heading="1" hostname="some.where" timezone="+1100">
    <metric pmid="60.0.2" indom="60.0" units="0,1,0,0,PM_TIME_MSEC,0" type="PM_TYPE_FLOAT" sem="PM_SEM_INSTANT">
    kernel.percpu.cpu.sys</metric>
    <datetime></datetime>
    <skip></skip>
    <data>kernel.percpu.cpu.sys[cpu0]</data>
    <data>kernel.percpu.cpu.sys[cpu1]</data>
</sheet>
"""
SHEET = 'Date,"Status","SysTime - 0","SysTime - 1"\n' + "".join(
    f'26/01/2001 14:05:{n},"OK",0.{n},0.1{n}\n' for n in range(10, 40))

SAR = """<?xml version="1.0" encoding="UTF-8"?>
<sysstat><sysdata-version>2.15</sysdata-version><host nodename="some.where"><sysname>Linux</sysname>
<release>6.1.0</release><machine>x86_64</machine><number-of-cpus>2</number-of-cpus><file-date>2023-11-14</file-date>
<statistics>
""" + "".join(f"""<timestamp date="2023-11-14" time="22:{10 + n}:00" utc="1" interval="60">
<cpu-load><cpu number="all" user="{n}.50" nice="0.00" system="1.00" iowait="0.25" steal="0.00" idle="90.00"/>
<cpu number="0" user="{n}.75" nice="0.00" system="1.00" iowait="0.25" steal="0.00" idle="90.00"/></cpu-load>
<process-and-context-switch per="second" proc="1.5" cswch="{n * 100}.00"/>
<queue><runq-sz>{n}</runq-sz><plist-sz>200</plist-sz><ldavg-1>0.{n}</ldavg-1><ldavg-5>0.20</ldavg-5><ldavg-15>0.10</ldavg-15></queue>
<disk per="second"><disk-device dev="sda" tps="{n}.00" rd_sec="1.00" wr_sec="2.00" avgrq-sz="3.00" avgqu-sz="0.10"
await="1.00" svctm="0.50" util-percent="2.00"/></disk>
<network per="second"><net-dev iface="eth0" rxpck="{n}.00" txpck="2.00" rxkB="1.00" txkB="1.00" rxcmp="0.00" txcmp="0.00"
rxmcst="0.00"/></network>
</timestamp>
""" for n in range(9)) + "</statistics></host></sysstat>\n"

COLLECTL = """################################################################################
# Collectl:   V3.6.9-1  HiRes: 1  Options: -D  Zlib: 1.48  Dirs: /tmp
# Host:       some.where   DaemonOpts:
# Distro:     Red Hat  Platform:
# Date:       20231114-221000  Secs: 1700000000 TZ: +0100
# SubSys:     bcdfijmnstx Options: z Interval: 10:60 NumCPUs: 2  NumBud: 4 Flags: i
# Filters:    NfsFilt:  EnvFilt:
# HZ:         100  Arch: x86_64-linux-thread-multi PageSize: 4096
# Cpu:        GenuineIntel Speed(MHz): 2000 Cores: 2  Siblings: 2 Nodes: 1
# Kernel:     2.6.32  Memory: 16000000 kB  Swap: 2000000 kB
# NumDisks:   1 DiskNames: sda
# NumNets:    2 NetNames: lo: eth0:
# SCSI:       DA:0:00:00:00
################################################################################
""" + "".join(f""">>> {1700000000 + 10 * n}.001 <<<
cpu  {n * 100} 20 300 40000 50 6 7 0 0 0
cpu0 {n * 50} 10 150 20000 25 3 3 0 0 0
cpu1 {n * 50} 10 150 20000 25 3 4 0 0 0
intr {n * 1000} 1 2 3
ctxt {n * 2000}
btime 1690000000
processes {n * 5}
procs_running {n}
procs_blocked 0
load 0.{n} 0.20 0.10 1/200 1234
disk    8       0 sda {n * 10} 20 {n * 300} 40 50 60 70 80 0 90 100
MemTotal: 16000000 kB
MemFree: {8000000 - n} kB
Buffers: 1000 kB
Cached: 2000 kB
net    lo: {n * 100} 10 0 0 0 0 0 0 {n * 100} 10 0 0 0 0 0 0
net  eth0: {n * 1000} 10 0 0 0 0 0 0 {n * 500} 10 0 0 0 0 0 0
""" for n in range(1, 9))


def importer(sides, name):
    """The program, or a skip."""
    path = sides.stock.root / "usr/bin" / name
    if not path.exists():
        pytest.skip(f"the package of {name} could not be fetched")
    if path.read_bytes()[:2] == b"#!" and not os.access(PERL, os.X_OK):
        pytest.skip("no Perl")
    return [path] if path.read_bytes()[:4] == b"\x7fELF" else [PERL, path]


def run_importer(sides, name, inputs, args):
    """Runs it with the same input files on both sides; the archives are the same, and the files that were written."""
    program = importer(sides, name)
    for side in (sides.stock, sides.ours):
        for file, text in inputs.items():
            (side.folder / file).write_text(text)
        side.before = set(side.folder.iterdir())
    status, out, err = sides.run([*program, *args], need=name)
    assert status == 0, out + err
    files = sides.same()
    assert len(files) == 3
    return files


def test_mrtg2pcp(sides):
    run_importer(sides, "mrtg2pcp", {"mrtg.log": MRTG}, ["some.where", "eth0", "EST-10", "mrtg.log", "out"])


@pytest.mark.parametrize("version", (2, 3))
def test_iostat2pcp(sides, version):
    run_importer(sides, "iostat2pcp", {"iostat.txt": IOSTAT}, ["-V", version, "iostat.txt", "out"])


def test_sheet2pcp(sides):
    run_importer(sides, "sheet2pcp", {"sheet.csv": SHEET, "map.xml": SHEET_MAP}, ["sheet.csv", "map.xml", "out"])


def test_sar2pcp(sides):
    run_importer(sides, "sar2pcp", {"sar.xml": SAR}, ["sar.xml", "out"])


def test_collectl2pcp(sides):
    run_importer(sides, "collectl2pcp", {"collectl.raw": COLLECTL}, ["-v", "collectl.raw", "out"])


RRD_SCRIPT = '''
use strict;
use RRDs;
foreach my $name ("load_one", "mem_free", "cpu_user", "bytes_in") {
    RRDs::create("$name.rrd", "--start", 1700000000, "--step", 15, "DS:sum:GAUGE:120:U:U", "RRA:AVERAGE:0.5:1:500");
    for my $n (1 .. 100) {
        RRDs::update("$name.rrd", (1700000000 + 15 * $n) . ":" . ($n * 1.5));
    }
}
'''


def test_ganglia2pcp(sides):
    program = importer(sides, "ganglia2pcp")
    for side in (sides.stock, sides.ours):
        rrds = side.folder.parent / "rrds"
        if not rrds.exists():
            rrds.mkdir()
            done = subprocess.run([PERL, "-e", RRD_SCRIPT], cwd=rrds, env=side.env, capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"no RRDs: {done.stderr.splitlines()[0]}")
    status, out, err = sides.run([*program, "-f", "out", "-h", "some.where", "-s", "2023-11-14 22:20:00", "-e",
                                  "2023-11-14 22:30:00", "-Z", "+0000", sides.stock.folder.parent / "rrds"], need="ganglia2pcp")
    assert status == 0, out + err
    assert len(sides.same()) == 3
