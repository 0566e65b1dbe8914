"""Debian's agents in shared objects: loaded into our pmcd, with our libraries, they return the same as in Debian's."""
import difflib
import re
import subprocess

import pytest

import harness
import peer as debian

# Those that start under Debian's own pmcd wherever these tests run: name, domain.
# Not here: kvm and sendmail (their objects end Debian's pmcd as it starts), pmcd (it needs the program's insides), and
# bpf, docker, podman (they need libpcp_web).
AGENTS = {"sample": 29, "linux": 60, "proc": 3, "xfs": 11, "jbd2": 122, "dm": 129, "cifs": 121, "mmv": 70,
          "nvidia": 120, "denki": 156, "hacluster": 155, "smart": 150, "sockets": 154, "zfs": 153}
# Names whose instances do not come and go while both are asked.
VALUES = ["xfs", "jbd2", "dmcache", "dmthin", "cifs", "mmv", "nvidia", "ha_cluster", "smart", "network.persocket.filter", "zfs",
          "sample.long", "sample.bin", "sample.colour", "sample.aggregate", "sample.many", "sample.dodgey", "sample.string",
          "sample.ghosts", "sample.dynamic", "sample.bad", "network.all", "kernel.all.load", "proc.runq", "proc.control",
          "disk.all"]
MOVES = "sockets and interfaces of the running machine come and go, and sample.dodgey fails at random"


def merge_names(peer, target):
    """The names of all agents in one file."""
    fragments = []
    for name in AGENTS:
        places = [peer.home / "var/lib/pcp/pmns" / f"root_{name}", peer.pmdas / name / f"root_{name}", peer.pmdas / name / "root"]
        if name != "sample":
            places.append(peer.pmdas / name / "pmns")
        found = [p for p in places if p.exists()]
        assert found, name
        fragments.append(str(found[-1] if name == "sample" else found[0]))
    pmns = peer.home / "var/lib/pcp/pmns"
    done = subprocess.run([peer.program("pmnsmerge"), "-f", "-d", "root_pmcd", *fragments, str(target)], cwd=pmns, env=peer.env(),
                          capture_output=True, text=True, check=False)
    assert target.exists(), done.stderr + done.stdout


@pytest.fixture(scope="module")
def hosts(prefix, peer_root, tmp_path_factory):
    """A running pmcd of either side with all those agents in its process: the two hosts."""
    rows = {f"{name}_so": (domain, f"dso {name}_init {{pmdas}}/{name}/pmda_{name}.so") for name, domain in AGENTS.items()}
    debian.AGENTS.update(rows)
    one = debian.Peer(agents=("pmcd", *rows))
    folder = tmp_path_factory.mktemp("agents")
    names = folder / "names"
    merge_names(one, names)
    lines = [f"{name} {domain} " + rest.format(pmdas=one.pmdas) for name, (domain, rest) in rows.items()]
    env = one.env(lib=f"{prefix.path}/lib:{one.lib}")
    try:
        one.start("-n", str(names))
        with harness.Pmcd(prefix, folder / "ours", agents=lines, env=env, options=["-n", str(names)]) as ours:
            yield one, one.host, ours
    finally:
        one.stop()
        one.remove()
        for row in rows:
            del debian.AGENTS[row]


def tell(peer, host, *args):
    done = peer.run("pminfo", "-h", host, *args, timeout=180)
    return done.stdout.decode(errors="replace")


def shape(text):
    """Values without what moves: numbers are numbers, in their order."""
    text = re.sub(r"(value )-?[\d.]+(e[+-]?\d+)?$", r"\1N", text, flags=re.M)
    return re.sub(r"timestamp .*|\[\d+ event record.*", "TIME", text)


def test_started(hosts):
    """As many agents as under Debian's pmcd."""
    peer, theirs, ours = hosts
    states = {}
    for host in (theirs, ours.host):
        text = tell(peer, host, "-f", "pmcd.agent.status")
        states[host] = dict(re.findall(r'or "(\w+)_so"\] value (-?\d+)', text))
    assert len(states[theirs]) == len(AGENTS), states
    wrong = {name: (state, states[ours.host].get(name)) for name, state in states[theirs].items()
             if states[ours.host].get(name) != state}
    assert not wrong, (wrong, ours.log.read_text()[-3000:])


def test_descriptions(hosts):
    peer, theirs, ours = hosts
    expected, said = (tell(peer, host, "-d", "-m") for host in (theirs, ours.host))
    expected, said = (re.sub(r"(?ms)^(pmcd|pitot|event)\..*?(?=^\w)", "", text).split("\n\n") for text in (expected, said))
    assert len(expected) > 1000
    assert not set(expected) ^ set(said), sorted(set(expected) ^ set(said))[:6]


@pytest.mark.parametrize("name", VALUES)
def test_values(hosts, name):
    peer, theirs, ours = hosts

    def look(_):
        expected, said = (shape(tell(peer, host, "-f", name)) for host in (theirs, ours.host))
        diff = difflib.unified_diff(expected.splitlines(), said.splitlines(), lineterm="", n=1)
        return {} if expected and said == expected else {name: "\n".join(list(diff)[:40]) or "nothing is told"}
    wrong = harness.wrong_each_time(MOVES, look)
    assert not wrong, wrong[name]


def test_loaded_without_a_collector(prefix, peer_root):
    """pminfo -L and dbpmda load an object that has no path to our libraries: no LD_LIBRARY_PATH is needed."""
    linux = peer_root / "usr/lib/pcp/pmdas/linux/pmda_linux.so"
    local = harness.run([prefix.bin("pminfo"), "-L", "-K", "clear", "-K", f"add,60,{linux},linux_init", "-f", "kernel.all.load"],
                        env={"PATH": "/usr/bin:/bin"})
    assert local.returncode == 0 and local.stdout.count(" value ") == 3, local.stderr
    debugger = harness.run([prefix.bin("dbpmda")], input=f"open dso {linux} linux_init 60\ngetdesc on\nfetch 60.2.0\nquit\n", stdin=None,
                           env={"PATH": "/usr/bin:/bin"})
    assert "cannot open shared object" not in debugger.stdout and debugger.stdout.count("value") >= 3, debugger.stdout
