"""Local contexts: our tools with our agent loaded into them, and Debian's agents under either library."""
import re
import shutil
import subprocess

import pytest

import harness
from harness import run


def local(prefix, tmp_path, *args, tool="pminfo", conf=None):
    path = tmp_path / "pmcd.conf"
    path.write_text(conf if conf is not None else f"linux 60 dso linux_init {prefix.dso('linux')}\n")
    return run([prefix.bin(tool), "-L", *args], env=prefix.env(PCP_PMCDCONF_PATH=path))


def test_linux_without_a_collector(prefix, tmp_path):
    done = local(prefix, tmp_path, "-f", "-l", "hinv.ncpu", "kernel.all.load")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert re.search(r"hinv.ncpu\n(.*\n)?\s+value \d+", done.stdout)
    assert '"15 minute"] value' in done.stdout and '"agent":"linux"' in done.stdout


def test_same_names_as_the_collector(prefix, tmp_path, shared_pmcd):
    ours = set(local(prefix, tmp_path).stdout.split())
    theirs = set(run([prefix.bin("pminfo"), "-h", shared_pmcd.host], env=prefix.env()).stdout.split())
    assert {n for n in theirs if not n.startswith(("pmcd.", "pitot."))} == ours


def test_linux_even_where_it_is_a_process(prefix, tmp_path):
    done = local(prefix, tmp_path, "-f", "hinv.ncpu", conf="linux 60 pipe binary pmdalinux\n")
    assert "value" in done.stdout, done.stderr


def test_other_tools(prefix, tmp_path):
    assert local(prefix, tmp_path, "-v", "hinv.ncpu", tool="pmprobe").stdout.startswith("hinv.ncpu 1 ")
    assert local(prefix, tmp_path, "-s", "1", "hinv.ncpu", tool="pmval").returncode == 0


def test_what_is_missing_is_said(prefix, tmp_path):
    done = local(prefix, tmp_path, "-K", "add,33,nosuch,x_init", "-f", "hinv.ncpu")
    assert 'Warning: cannot find DSO at "nosuch.so" or "nosuch"' in done.stderr and "value" in done.stdout
    done = run([prefix.bin("pminfo"), "-L", "hinv"], env=prefix.env(PCP_PMCDCONF_PATH="/no/such"))
    assert done.returncode == 1 and "No such file" in done.stderr


SIMPLE = "simple 253 dso simple_init simple/pmda_simple.so\n"
SAMPLE = "sampledso 30 dso sample_init sample/pmda_sample\nlinux 60 pipe binary pmdalinux\n"
COMMANDS = [
    (SAMPLE, ["pminfo", "-L", "-d", "-t", "-T", "-M", "-I", "hinv", "mem"]),
    (SAMPLE, ["pminfo", "-L", "-f", "-l", "-m", "sampledso.bin", "sampledso.string", "sampledso.long", "sampledso.double",
              "sampledso.aggregate", "sampledso.dynamic", "sampledso.bad", "sampledso.many", "sampledso.ghosts", "hinv.ncpu"]),
    (SAMPLE, ["pmprobe", "-L", "-v", "sampledso.long", "sampledso.colour", "kernel.uname"]),
    (SAMPLE, ["pmstore", "-L", "sampledso.write_me", "7"]),
    (SIMPLE, ["pminfo", "-L", "-f", "-d", "-t", "-T", "-M", "-I", "simple.color", "simple.numfetch", "simple.now"]),
    (SIMPLE, ["pminfo", "-L", "-l", "-f", "simple.color"]),
    (SIMPLE, ["pminfo", "-L", "-m", "simple", "event", "pmcd.pid", "simple.none"]),
    (SIMPLE, ["pmprobe", "-L", "-I", "simple"]),
    (SIMPLE, ["pmval", "-L", "-s", "2", "-t", "0.01", "simple.numfetch"]),
    (SIMPLE, ["pmstore", "-L", "simple.numfetch", "7"]),
    (SIMPLE, ["pmstore", "-L", "simple.color", "7"]),
    ("simple 253 dso simple_init pmda_simple.so\n", ["pminfo", "-L", "-f", "simple.color"]),
    ("simple 253 dso no_init simple/pmda_simple\n", ["pminfo", "-L", "-f", "simple.color"]),
    ("foo 253 dso simple_init /etc/passwd\n", ["pminfo", "-L", "-f", "simple.color"]),
] + [(SIMPLE, ["pminfo", "-L", "-K", spec, "simple.color"]) for spec in (
    "", "x", "clear", "clear,x", "add", "add,", "add,1", "add,1,", "add,1,x", "add,1,x,", "add,,x,y", "add,x,y,z",
    "add,511,y,z", "add,510,y,z", "add,-1,y,z", "del", "del,", "del,5", "del,253", "del,253,x", "del,x",
    "del,,simple/pmda_simple.so", "del,,nope", "add,1x,y,z", "CLEAR")]


# simple.now
TIME_OF_DAY = re.compile(rb'(inst \[\d+ or "(?:sec|min|hour)"\] value )\d+')


@pytest.fixture(scope="module")
def peer(peer_root):
    """Debian's installation with its example agent as an object to be loaded."""
    import peer as debian

    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    with debian.Peer(agents=("pmcd", "simple")) as one:
        subprocess.run([compiler, "-w", "-fPIC", "-shared", f"-I{one.root}/usr/include", "-o", "pmda_simple.so",
                        "simple.c", f"-L{one.lib}", "-lpcp_pmda", "-lpcp"], cwd=one.pmdas / "simple", check=True)
        yield one


def test_debian_tools_and_agent_on_our_libraries(prefix, peer):
    """The same output from Debian's tools and agent, with its libraries and with ours."""
    conf = peer.home / "etc/pcp/pmcd/pmcd.conf"

    differ = []
    for text, command in COMMANDS:
        conf.write_text(text)
        outputs = []
        for lib in (peer.lib, f"{prefix.path}/lib:{peer.lib}"):
            done = peer.run(command[0], *command[1:], lib=lib)
            outputs.append((done.returncode, TIME_OF_DAY.sub(rb"\1#", done.stdout), done.stderr))
        if outputs[0] != outputs[1]:
            differ.append((command, *outputs))
    assert not differ, differ[:2]


def test_every_kind_of_metric(prefix, tmp_path):
    """Our sample agent in the tool's own process: names that it makes, instances, a store, events."""
    conf = f"sample 29 dso sample_init {prefix.dso('sample')}\n"
    done = local(prefix, tmp_path, "-f", "-l", "sample.bin", "sample.aggregate.hullo", "sample.event.highres_records",
                 "sample.secret.foo", "sample.bad.nosupport", conf=conf)
    assert done.stderr == "" and done.returncode == 0, done.stderr
    for text in ('inst [900 or "bin-900"] value 900', '"bin":900', "[68756c6c6f20776f726c6421]", "[2 event records",
                 "snort.huff.puff.seven\n", "Error: Metric not supported"):
        assert text in done.stdout, (text, done.stdout)
    done = local(prefix, tmp_path, "sample.write_me", "7", tool="pmstore", conf=conf)
    assert "old value=2 new value=7" in done.stdout, done.stderr
