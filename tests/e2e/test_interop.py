"""Both directions with Debian's PCP: its clients and agents with our collector, our agent under its."""
import os
import pathlib
import re
import shutil

import pytest

import harness
from harness import run


@pytest.fixture(scope="module")
def peer(peer_root):
    """Debian's pmcd with its sample, simple, linux and proc agents."""
    import peer as debian

    with debian.Peer(agents=("pmcd", "sample", "simple", "linux", "proc")) as one:
        yield one


@pytest.fixture(scope="module")
def mixed(prefix, peer, tmp_path_factory):
    """Our pmcd with the configuration and the name space of Debian's: its agents as daemons."""
    directory = tmp_path_factory.mktemp("mixed")
    # As on a machine where pcp.conf is Debian's: its paths are what the agents inherit.
    paths = dict(line.split("=", 1) for line in peer.conf.read_text().splitlines()
                 if line.startswith("PCP_") and "=" in line)
    daemon = harness.Pmcd(prefix, directory, env={k: v.strip('"') for k, v in paths.items()})
    peer.write_conf(daemon.conf)
    # Its agents run with its libraries, our collector with ours.
    with_libraries = f"pipe binary {shutil.which('env')} LD_LIBRARY_PATH={peer.lib} PCP_CONF={peer.conf} "
    daemon.conf.write_text(daemon.conf.read_text().replace("pipe binary ", with_libraries))
    with daemon:
        harness.wait_until("all agents", lambda: "sample" in text(peer.run(
            "pminfo", "-h", daemon.host, "-f", "pmcd.agent.name")))
        harness.wait_until("simple", lambda: "value" in text(peer.run(
            "pminfo", "-h", daemon.host, "-f", "simple.numfetch", "proc.nprocs", "sample.long.one")))
        yield daemon


def text(done):
    return done.stdout.decode(errors="replace")


def test_debian_clients_with_our_collector(peer, shared_pmcd):
    host = shared_pmcd.host
    names = text(peer.run("pminfo", "-h", host)).split()
    assert len(names) >= 250 + 50 and len(names) == len(set(names))
    described = text(peer.run("pminfo", "-h", host, "-dmtT"))
    assert described.count("Data Type:") == len(names)
    assert "Error:" not in described
    probe = text(peer.run("pmprobe", "-h", host, "-v", "kernel.all.load", "hinv.ncpu", "pmcd.version"))
    assert 'pmcd.version 1 "6.0.3"' in probe and re.search(r"kernel.all.load 3 [\d.e-]+ [\d.e-]+ [\d.e-]+", probe)
    value = text(peer.run("pmval", "-h", host, "-s", "2", "-t", "0.1", "kernel.all.cpu.user"))
    assert "semantics: cumulative counter (converting to rate)" in value and len(value.splitlines()) >= 8


def test_debian_clients_by_tcp(peer, shared_pmcd):
    done = peer.run("pminfo", "-h", f"127.0.0.1:{shared_pmcd.port}", "-f", "pmcd.version", "hinv.ncpu")
    assert done.returncode == 0 and b'value "6.0.3"' in done.stdout, done.stderr
    done = peer.run("pminfo", "-h", f"[::1]:{shared_pmcd.port}", "-f", "pmcd.version")
    if pathlib.Path("/proc/net/if_inet6").exists() and "00000000000000000000000000000001" in pathlib.Path(
            "/proc/net/if_inet6").read_text():
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def pmrep(peer, peer_root, tmp_path_factory):
    """Runs Debian's pmrep. Its Python looks libraries up by their development names."""
    links = tmp_path_factory.mktemp("links")
    for library in (peer_root / "usr/lib").glob("libpcp*.so.*"):
        link = links / (library.name.split(".so.")[0] + ".so")
        if not link.exists():
            link.symlink_to(library)

    def run_pmrep(*argv):
        return peer.run(["/usr/bin/python3", str(peer_root / "usr/bin/pmrep")], *argv,
                        lib=f"{peer.lib}:{links}", env={"PYTHONPATH": peer_root / "usr/lib/python3/dist-packages"})

    return run_pmrep


def test_pmrep(pmrep, shared_pmcd):
    done = pmrep("-h", shared_pmcd.host, "-s", "3", "-t", "0.2", "-p", "kernel.all.load", "mem.util.free",
                 "kernel.all.cpu.idle")
    assert done.returncode == 0, done.stderr
    lines = text(done).splitlines()
    assert "k.a.load" in lines[0] and len(lines) >= 5


def test_pmrep_csv(pmrep, shared_pmcd):
    done = pmrep("-h", shared_pmcd.host, "-s", "1", "-o", "csv", "disk.all.read", "network.interface.in.bytes")
    assert done.returncode == 0 and text(done).startswith("Time,"), done.stderr


def normal(output):
    """Numbers that differ from one reading to the next, made equal."""
    return re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "N", output)


def still(output):
    """Without what the sample agent changes by itself: sample.colour counts its fetches, instances of mirage come and go."""
    blocks = [(block.strip().split("\n")[0], block) for block in output.split("\n\n")]
    blocks = [normal(block) if ".colour" in head else block for head, block in blocks
              if ".mirage" not in head] + [re.sub(r"\n +inst .*", "", block) for head, block in blocks if ".mirage" in head]
    return "\n\n".join(blocks)


CONSTANT = ["sample.bin", "sample.long.one", "sample.longlong.ten", "sample.ulonglong.million",
            "sample.float.hundred", "sample.double.bin", "sample.string.hullo", "sample.aggregate.hullo",
            "sample.colour", "sample.darkness", "sample.lights", "sample.scramble.bin", "sample.many.int",
            "sample.bad.nosupport", "sample.bad.unknown", "sample.noinst", "sample.dynamic.meta.metric"]


@pytest.mark.parametrize("option", ["-f", "-dmtT", "-l", "-fmd"])
def test_debian_agents_answer_the_same(peer, mixed, option):
    """Every sample and simple metric through our collector and through Debian's."""
    listed = text(peer.run("pminfo", "-h", peer.host, "-m", "sample", "simple"))
    assert listed == text(peer.run("pminfo", "-h", mixed.host, "-m", "sample", "simple"))
    # Some of their names are metrics of the collector itself, whose texts and agents differ.
    names = re.findall(r"(?m)^(\S+) PMID: (?:29|253)\.", listed)
    assert len(names) >= 150
    stable = [n for n in names if n.split(".")[0] == "sample" and any(
        n.startswith(c) for c in CONSTANT)] if option in ("-f", "-fmd") else names
    # One request at a time: an agent may refuse one, and in a batch its later answers would then be out of step.
    ours = peer.run("pminfo", "-b", "1", "-h", mixed.host, option, *stable)
    theirs = peer.run("pminfo", "-b", "1", "-h", peer.host, option, *stable)
    if option == "-l":
        assert normal(still(text(ours))) == normal(still(text(theirs)))
    else:
        assert still(text(ours)) == still(text(theirs))
    assert ours.returncode == theirs.returncode


@pytest.mark.skipif(os.geteuid() != 0, reason="Debian's linux and proc agents insist on becoming root")
def test_debian_linux_and_proc_daemons(peer, mixed):
    for root in ("kernel.all", "kernel.percpu", "mem.util", "disk.dev", "network.interface", "filesys", "hinv"):
        for _ in range(harness.ROUNDS):  # the machine may change between the two
            ours, theirs = (normal(text(peer.run("pminfo", "-h", host, "-f", root))) for host in (mixed.host, peer.host))
            if ours == theirs:
                break
        assert ours == theirs and "value" in ours, root
    for host in (mixed.host, peer.host):
        assert 'value "' in text(peer.run("pminfo", "-h", host, "-f", "proc.psinfo.cmd"))


def test_debian_events(peer, mixed):
    for option in ("-f", "-x"):
        out = text(peer.run("pminfo", "-h", mixed.host, option, "sample.event.records"))
        assert "event record" in out, out


def test_store_reaches_a_debian_agent(peer, mixed):
    for value in ("42", "0"):
        done = peer.run("pmstore", "-h", mixed.host, "sample.write_me", value)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"value {value}\n" in text(peer.run("pminfo", "-h", mixed.host, "-f", "sample.write_me"))
    refused = peer.run("pmstore", "-h", mixed.host, "sample.long.one", "1")
    assert refused.returncode == 1 and b"No permission" in refused.stdout + refused.stderr


def test_our_linux_under_debian_collector(peer_root, prefix):
    import peer as debian

    debian.AGENTS["pitot"] = (60, f"pipe binary {shutil.which('env')} -u LD_LIBRARY_PATH "
                                  f"PCP_CONF={prefix.path}/etc/pcp.conf {prefix.bin('pmdalinux')}")
    with debian.Peer(agents=("pmcd", "pitot")) as one:
        out = text(one.run("pminfo", "-h", one.host, "-f", "kernel.all.load", "hinv.ncpu", "mem.physmem",
                           "network.interface.in.bytes", "kernel.uname.release"))
        assert out.count("value") >= 7 and "Error" not in out, out
        help_text = text(one.run("pminfo", "-h", one.host, "-tT", "kernel.all.load", "mem.util.free"))
        assert "Error" not in help_text and "[" in help_text


def test_our_tools_agree_with_debian_tools_on_our_collector(peer, prefix, shared_pmcd):
    env = prefix.env(TZ="UTC", LC_ALL="C")
    roots = ("kernel", "mem", "swap", "disk", "filesys", "network", "hinv", "pmcd")
    for tool, *options in (("pminfo", "-dmtT", *roots), ("pminfo",), ("pminfo", "-M", "kernel", "hinv"), ("pminfo", "-I", "disk"),
                           ("pmprobe", "-I", "kernel", "mem"), ("pmprobe", "-iI", "disk", "network"),
                           ("pminfo", "-f", "hinv.ncpu", "kernel.uname", "pmcd.version"),
                           ("pmprobe", "-v", "hinv", "pmcd.control")):
        ours = run([prefix.bin(tool), "-h", shared_pmcd.host, *options], env=env)
        theirs = peer.run(tool, "-h", shared_pmcd.host, *options)
        assert ours.stdout == text(theirs), (tool, options)
        assert ours.returncode == theirs.returncode
