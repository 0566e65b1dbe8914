"""pmrep(1) prints the same as Debian's, from archives and from a collector; and its own sets of metrics."""
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from both import ARCHIVES, Both, assert_same
from peer import Peer

CASES = pathlib.Path(__file__).parent / "parity"
SETS = pathlib.Path(__file__).parents[2] / "etc/pmrep"
# 6.0.3 loses the names of some instances of pmcd.pmlogger whose values it keeps over a gap, and rounds large numbers between
# two records.
OTHERS = ("gap", "all-sles9-sp1", "uwrap", "20201109")
# 6.0.3 needs minutes for everything that these have.
LARGE = ("20130706", "20180102", "20180127.08.40", "20180606", "20190628.04.03", "daily_report", "pcp-atop", "pcp-zeroconf")


def read_lines():
    section = None
    for number, line in enumerate((CASES / "pmrep.txt").read_text().splitlines(), 1):
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield pytest.param(line, id=f"{section}, {number}: {line}")


def arguments(line):
    """The words of a line; @NAME is an archive."""
    for word in shlex.split(line):
        yield from ["-a", "{archives}/" + word[1:]] if re.match(r"@[\w.]", word) and ":" not in word else [word]


@pytest.fixture(scope="module")
def both(prefix, peer_root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pmrep")
    shutil.copytree(CASES / "pmrep", folder, dirs_exist_ok=True)
    return Both(prefix, peer_root, folder)


@pytest.mark.parametrize("line", read_lines())
def test_line(both, line):
    assert_same([both.differences("pmrep", *arguments(line))])


@pytest.mark.parametrize("archive", [name for name in ARCHIVES if name not in OTHERS])
def test_archive(both, archive):
    """All metrics of an archive as text and as CSV, and the highest values of each."""
    common = ["-I", "-a", "{archives}/" + archive, "-s", "3", "-t", "7", *(["kernel", "mem.util"] if archive in LARGE else [""])]
    assert_same(both.differences("pmrep", *options, *common) for options in (["-p"], ["-o", "csv", "-k"], ["-1", "-g", "-J", "2"]))


def all_sets():
    for path in sorted(SETS.glob("*.conf")):
        yield from re.findall(r"(?m)^\[([\w-]+)\]", path.read_text())


@pytest.mark.parametrize("name", all_sets())
def test_sets_are_understood_by_both(both, name):
    """Our configurations are configurations of PCP's program too."""
    assert_same(both.differences("pmrep", "-c", SETS, "-5", "-a", "{archives}/" + archive, "-s", "3", "-t", "10", ":" + name)
                for archive in ("20180127.08.40", "20201109"))


@pytest.mark.parametrize("name", [name for name in all_sets() if not name.startswith("pidstat")])
def test_sets_on_this_host(prefix, shared_pmcd, name):
    done = subprocess.run([prefix.bin("pmrep"), "-h", shared_pmcd.host, "-s", "2", "-t", "0.2", ":" + name],
                          env=prefix.env(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) >= 3 and re.search(r"\d", done.stdout)


# Constant metrics: equal to the last character.
CONSTANT = ["sample.long sample.float sample.double sample.string", "-r sample.bin hinv.ncpu hinv.physmem",
            "-o csv sample.string.hullo sample.string.null sample.bin sample.ulonglong", "-X bin -s 1 sample.bin sample.long.one",
            "-m -g sample.bin", "-i bin-100,bin-900 sample.bin", "-J 2 -1 sample.bin", "-8 500 -1 -X a sample.bin",
            "-6 -sample.bin -X a sample.bin", "-p -f %Y sample.long.ten,ten,,,,8", "sample.bad", "-I sample.bad.nosupport hinv.ncpu",
            "sample.event", "sample.aggregate", "-T 0.2 -s 3 sample.long.one", "-C -x sample.long.one", "-C -x -T 60 sample.long.one", "-C -x -s 5 -t 10 -o csv sample.bin", "-v sample.bin sample.long.one"]


@pytest.fixture(scope="module")
def peer(peer_root):
    with Peer(root=peer_root, agents=("pmcd", "linux", "sample", "sampledso")) as running:
        yield running


@pytest.mark.parametrize("line", CONSTANT)
def test_live(prefix, peer, tmp_path, line):
    preload = " ".join(str(peer.lib / name) for name in ("libpcp_import.so.1", "libpcp.so.3"))
    python = {"PYTHONPATH": f"{peer.lib}/python3/dist-packages", "LD_PRELOAD": preload, "PYTHONDONTWRITEBYTECODE": "1"}
    args = shlex.split(line)
    if "-s" not in args:
        args = ["-s", "2", "-t", "0.1", *args]
    theirs = peer.run(["/usr/bin/python3", peer.program("pmrep")], *args, env={**python, "LC_ALL": "C.UTF-8"})
    ours = peer.run([prefix.bin("pmrep")], *args, lib="", env={"LC_ALL": "C.UTF-8"})

    def blank(text):
        text = text.decode()
        if "-k" not in args and "csv" in args:
            text = re.sub(r"(?m)^\d{4}-\S+ [\d:]+", "#", text)
        return re.sub(r"(?m)^(#? +start:|#? +end:).*$", r"\1 #", text)
    assert ours.returncode == theirs.returncode
    assert blank(ours.stdout) == blank(theirs.stdout)
    assert ours.stderr.decode() == theirs.stderr.decode()


def test_examples_of_the_page(prefix, shared_pmcd, tmp_path):
    """man/man1/pmrep.1."""
    env = prefix.env(PMCD_SOCKET=shared_pmcd.socket)

    def run(*args):
        done = subprocess.run([prefix.bin("pmrep"), *args], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    assert len(run("-s", "2", "-t", "0.1", "-p", "kernel.all.load")) == 5
    assert len(run("-s", "3", "-t", "0.1", ":vmstat")) == 5
    lines = run("-s", "2", "-t", "0.1", "-o", "csv", "kernel.all.load", "mem.util.free,,,MB")
    assert lines[0] == 'Time,"kernel.all.load-1 minute","kernel.all.load-5 minute","kernel.all.load-15 minute","mem.util.free"'
    (tmp_path / "my.conf").write_text("[mine]\ntimestamp = yes\nhinv.ncpu = cpus,,,,5\nf = mem.util.free\nf.label = free\nf.unit = MB\n"
                                      "f.width = 9\n")
    lines = run("-c", "my.conf", "-s", "1", ":mine")
    assert lines[0].split() == ["cpus", "free"] and lines[1].split() == ["MB"]


RECORDED = ["-s 3 -t 2 kernel.all.load kernel.all.cpu.user mem.util.free hinv.ncpu", "-r -s 3 mem.util.free,,,MB kernel.all.cpu",
            "-S +1 -s 1 -B GB -Q count -Y hour kernel.all.load mem.util.free kernel.all.cpu", "-s 2 mem.util.free,,,rubbish",
            "kernel.all.load", "-s 2 -i '1 minute' kernel.all.load", "-s 2 -J 1 kernel.all.load hinv.ncpu", "-x -C kernel.all.load",
            "-s 1 -x -T +2 kernel.all.load", "-T +2 -H hinv.ncpu", "-s 2 -e foo=kernel.all.cpu.user+kernel.all.cpu.sys foo",
            "-s 2 -e foo=rate(kernel.all.cpu.user) foo hinv.ncpu", "-s 2 -J 1 -2 kernel.all.load", "-N kernel.all.load -J 1 mem.util.free",
            "-s 1 -v hinv.ncpu kernel.all.load", "-z -s 1 kernel.all.load", "-Z UTC-4 -s 1 kernel.all.load", "-s 1 nosuch"]
# 6.0.3 gives names of instances to other numbers.
MOVED = ("multi", "pcp-pidstat")


def recorded(both, name):
    """The contents of an archive, in an order that does not depend on the program that wrote it."""
    described = both.theirs("pmdumplog", "-z", "-d", "-h", name).out
    values = both.theirs("pmdumplog", "-z", "-i", "-m", "-l", name)
    text = re.sub(r"(?m)^PID for pmlogger: .*\n", "", values.out + values.err)
    return "\n".join([text, *sorted(re.split(r"\n(?=PMID|InDom)", described))])


def record_with_both(both, line):
    """The outputs and archives of both programs."""
    results = []
    for run in (both.theirs, both.ours):
        for path in both.folder.glob("recorded.*"):
            path.unlink()
        answer = run("pmrep", "-o", "archive", "-F", "recorded", *line)
        results.append((answer, recorded(both, "recorded") if (both.folder / "recorded.index").exists() else None))
    return results


@pytest.mark.parametrize("line", RECORDED)
def test_record(both, line):
    theirs, ours = record_with_both(both, ["-a", "{archives}/pcp-vmstat", *shlex.split(line)])
    assert ours == theirs


@pytest.mark.parametrize("archive", [name for name in ARCHIVES if name not in (*OTHERS, *LARGE, *MOVED)])
def test_record_archive(both, archive):
    theirs, ours = record_with_both(both, ["-I", "-s", "5", "-a", "{archives}/" + archive, ""])
    assert ours == theirs


@pytest.mark.parametrize("line", ["{archives}/sample-labels -s 2 sample", "{archives}/mmv.help -I -s 2 mmv"])
def test_record_texts(both, line):
    theirs, ours = record_with_both(both, ["--include-texts", "-a", *line.split()])
    assert ours == theirs and "[" in ours[1]


@pytest.mark.parametrize("exists", ["e", "e.index"])
def test_record_over_a_file(both, exists):
    path = both.folder / exists
    path.touch()
    assert_same([both.differences("pmrep", "-a", "{archives}/pcp-vmstat", "-o", "archive", "-F", "e", "hinv.ncpu"),
                 both.differences("pmrep", "-a", "{archives}/pcp-vmstat", "-o", "archive", "-F", "none/e", "hinv.ncpu"),
                 both.differences("pmrep", "-a", "{archives}/pcp-vmstat", "-o", "archive", "hinv.ncpu")])
    path.unlink()


def test_record_is_completed_by_an_interrupt(prefix, shared_pmcd, tmp_path):
    """man/man1/pmrep.1: the recording of a collector ends with Ctrl-C."""
    env = prefix.env(PMCD_SOCKET=shared_pmcd.socket)
    with subprocess.Popen([prefix.bin("pmrep"), "-o", "archive", "-F", "load", "-t", "0.1", "kernel.all.load"], env=env, cwd=tmp_path,
                          stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "Recording 1 metrics to load... (Ctrl-C to stop)\n"
        deadline = time.monotonic() + 30
        while not (tmp_path / "load.index").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0
    done = subprocess.run([prefix.bin("pmdumplog"), "load"], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and 'inst [1 or "1 minute"] value' in done.stdout


@pytest.mark.parametrize("line", ["-s 3 kernel.all.load hinv.ncpu", "-s 2 -o stdout -p kernel.all.load", "-k -s 2 hinv.ncpu", "-s 1 nosuch",
                                  "-H -l ; -s 2 mem.util.free", "--bad", "-o archive -s 1 hinv.ncpu"])
def test_pcp2csv(both, line):
    assert_same([both.differences("pcp2csv", "-a", "{archives}/pcp-vmstat", *shlex.split(line))])


def test_names_of_a_folder_that_cannot_be_read(prefix, tmp_path):
    done = subprocess.run([prefix.bin("pmrep"), "-c", str(tmp_path / "none"), "x"], env=prefix.env(), capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 1
    assert done.stderr == f"Failed to read configuration from '{tmp_path}/none':\nNo such file or directory.\n"
