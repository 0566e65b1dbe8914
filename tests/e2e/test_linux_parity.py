"""Our linux agent compared with Debian's, on this machine and on recorded ones.

Both run below Debian's pmcd. Descriptors, instance names and values must be the same; what differs on purpose is in the
tables below, with the reason. On a recorded machine (tests/fixtures/linux) nothing changes, so values are exactly
equal. On this machine the other agent is read before and after ours: our counters are between the two values, and other
values are near them.
"""
import os
import pathlib
import re

import pytest

import harness
from peer import Peer

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures/linux"

# Names that only we have: the agent's own.
OURS_ALONE = re.compile(r"linux\.refresh\.")

# name: why the values differ. Descriptors don't.
DIFFERS = {
    r"mem\.zoneinfo\.nr_kernel_stack": "told in Kbytes by the kernel; the other takes them for pages",
    r"mem\.vmstat\.pgsteal_total": "the other adds pages told by list to the same pages told by reason",
    r"mem\.zoneinfo\.nr_free_pages": "the other never has a value",
    r"mem\.numa\.util\.(mapped|pageTables)": "the other looks for words that the file does not have",
    r"network\.interface\.(speed|baudrate)": "a speed of -1 is no speed; the other takes it for 4294967295",
    r"network\.interface\.(type|virtual)": "the other says 0 if it is asked for much else too",
    r"hinv\.cpu\.thermal_throttle\..*": "no folder, no value; the other says 0",
    r"network\.tcp\.maxconn": "-1 is no limit, so no value; the other takes it for 2^64 - 1",
    r"rpc\.server\.ra_.*": "no file, no value; the other says 0",
    r"rpc\.server\.fh_(cached|valid|fixup|concurrent)": "told by no kernel since 2.6; the other says 0",
    r"rpc\.server\.nettcpconn": "the other repeats nettcpcnt",
    r"nfs\.server\.threads\.total": "the other counts the threads of the first pool alone",
    r"fchost\.(in\.bytes|out\.frames)": "the other has the one's value for the other's",
    r"fchost\..*": "all ones is \"not counted\", so no value; the other says 0",
    r"disk\.md\.status": "from /sys/block; the other runs mdadm, and says -1 where there is none",
    r"disk\.wwid\.capacity": "the other never has a value",
    r"disk\.wwid\.discard_bytes": "the other tells it of the last path alone",
    r"hinv\.cpu\.(vendor|model|model_name|stepping|flags|clock|cache|bogomips|cache_alignment)":
        "the other gives block n of /proc/cpuinfo to instance n, whatever number the block tells",
}
# Of recorded machines alone.
DIFFERS_RECORDED = {
    r"mem\.vmstat\.(thp_split|pgscan_direct_total)":
        "the other adds absent parts as -1, and pgscan_direct_throttle, which counts no pages",
    r"(kernel|pmda)\.uname.*|hinv\.machine": "the other asks uname(2) of this machine",
    r"(disk\..*|zram)\.((discard|flush).*|blkdiscard)": "a column that a kernel lacks is 0 for the other",
    r"hinv\.map\.scsi": "the other reads this machine's /sys/class/scsi_device",
    r"ipc\.(shm|msg|sem)\.(max|tot|rss|swp|used).*": "the other asks the kernel of this machine",
    r"ipc\.(shm|msg|sem)\.owner": "the other asks for the users of this machine",
    r"(filesys|tmpfs)\..*|hinv\.nfilesys": "the other asks for the folders of this machine",
    r"network\.(interface|all)\..*|hinv\.ninterface": "the other wants to enter a network name space",
    r"kernel\.all\.(nusers|nroots|nsessions)": "the other reads this machine's utmp",
}
# Of one recorded machine.
if os.geteuid() != 0:
    DIFFERS_RECORDED[r"mem\.slabinfo\..*|tty\.serial\..*"] = "the other asks whether its user is root, not the file"
DIFFERS_AT = {"4.19": {
    r"hinv\.(cpu\.online|map\.cpu_.*)": "an offline processor is an instance with the value 0",
    r"kernel\.all\.(interrupts|softirqs)\..*|kernel\.percpu\.(interrupts|intr|softirqs|sirq)":
        "a column is missing where a processor is offline: the other takes the next one for it",
}}
# Of this machine alone: they move without order between two readings.
MOVES = re.compile(
    r"kernel\.all\.(load|running|runnable|blocked|nprocs|lastpid|entropy\.avail|pressure\..*avg|nptys)|"
    r"network\.(tcp\.currestab|sockstat|tcpconn|udpconn|rawconn|unix).*|vfs\..*|"
    r"mem\.(freemem|util|numa\.util|vmstat|zoneinfo|buddyinfo|slabinfo).*|"
    r"kernel\..*cpu\.(wait\.total|idle)|disk\..*inflight|filesys\..*|hinv\.cpu\.clock|swap.*")
# The tolerance outside the two readings: a fraction of the larger value, plus a number of units.
NEAR = 0.25
NEAR_UNITS = 200000
# Times are in ticks, which ours splits and adds in a different order.
SLACK = {"millisec": 20, "sec": 1, "microsec": 200000}


class Ours(Peer):
    """Debian's pmcd with our agent in place of its own."""

    def __init__(self, prefix):
        super().__init__(agents=("pmcd", "linux"))
        self.prefix = prefix

    def write_conf(self, path, agents=None, extra=""):
        super().write_conf(path, agents, extra)
        line = f"linux\t60\tpipe binary /usr/bin/env LD_LIBRARY_PATH={self.prefix.path}/lib " \
               f"{self.prefix.bin('pmdalinux')} -d 60 -l {self.log}/linux.log\n"
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(re.sub(r"(?m)^linux\t.*\n", lambda m: line, text))


def our_names(prefix):
    """Names in our part of the name space."""
    out = harness.run([prefix.bin("pmdalinux"), "--print-metrics"], env=prefix.env()).stdout
    names = re.findall(r"^\| `([^`]+)`", out, re.M)
    assert len(names) > 250
    return [n for n in names if not OURS_ALONE.match(n)]


def descriptors(host, names):
    """name: [pmid, type, indom, semantics, units] as pminfo -md prints them."""
    text = host.run("pminfo", "-h", host.host, "-md", *names).stdout.decode()
    found = {}
    for block in re.split(r"\n(?=\S)", text.strip()):
        head = re.match(r"(\S+) PMID: (\S+)", block)
        if not head:
            continue
        fields = re.search(r"Data Type: (.*?)  InDom: (\S+).*\n\s*Semantics: (\S+)  Units: (.*)", block)
        found[head.group(1)] = [head.group(2)] + [f.strip() for f in fields.groups()]
    return found


def values(host, names):
    """name: {instance name or None: value text}, or the error's text."""
    text = host.run("pminfo", "-h", host.host, "-f", *names).stdout.decode(errors="replace")
    found, name = {}, None
    for line in text.splitlines():
        inst = re.match(r'    inst \[(-?\d+) or "(.*?)"\] value (.*)', line)
        single = re.match(r"    value (.*)", line)
        # The other divides by the size of a file system that has no limit: such an instance has no value.
        if inst and inst.group(3) != "-nan":
            found[name][inst.group(2)] = inst.group(3)
        elif single:
            found[name][None] = single.group(1)
        elif line.startswith("No value(s)"):
            found[name] = {}
        elif line.startswith("Error:"):
            found[name] = line
        elif re.match(r"[a-z]\S*$", line):
            name = line
            found[name] = {}
    return found


def is_excused(name, *tables):
    return any(re.fullmatch(pattern, name) for table in tables for pattern in table)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def between(name, desc, before, ours, after):
    """Whether a value of ours fits between two of the other."""
    a, v, b = number(before), number(ours), number(after)
    if a is None or v is None or b is None:
        return ours in (before, after)
    low, high = min(a, b), max(a, b)
    slack = SLACK.get(desc[4], 0) if desc[3] == "counter" else 0
    if MOVES.fullmatch(name):
        slack = NEAR * abs(high) + NEAR_UNITS
    return low - slack <= v <= high + slack


def compare(names, descs, before, ours, after, excuses):
    """The differences, one line each."""
    wrong = []
    for name in names:
        if is_excused(name, *excuses):
            continue
        a, v, b = before[name], ours[name], after[name]
        if isinstance(v, str) or isinstance(a, str):
            if v != a:
                wrong.append(f"{name}: {v}, the other: {a}")
            continue
        if set(v) - set(a) - set(b) or set(a) & set(b) - set(v):
            wrong.append(f"{name}: instances {sorted(map(str, v))}, the other: {sorted(map(str, a))}")
            continue
        for inst, value in v.items():
            low, high = a.get(inst, b.get(inst)), b.get(inst, a.get(inst))
            if not between(name, descs[name], low, value, high):
                wrong.append(f"{name}[{inst}]: {value}, the other: {low} .. {high}")
    return wrong


@pytest.fixture(scope="module")
def needs_peer(peer_root):
    return peer_root


def test_descriptors(needs_peer, prefix):
    names = our_names(prefix)
    with Peer(agents=("pmcd", "linux")) as theirs, Ours(prefix) as ours:
        expected, found = descriptors(theirs, names), descriptors(ours, names)
    assert sorted(found) == sorted(names)
    assert {n: d for n, d in found.items() if d != expected.get(n)} == {}


def test_values_of_this_machine(needs_peer, prefix):
    names = our_names(prefix)
    with Peer(agents=("pmcd", "linux")) as theirs, Ours(prefix) as ours:
        descs = descriptors(theirs, names)
        values(theirs, names), values(ours, names)  # both have read everything once

        def look(_):
            before, found, after = values(theirs, names), values(ours, names), values(theirs, names)
            wrong = compare(names, descs, before, found, after, [DIFFERS])
            return {re.match(r"[\w.]+", line)[0]: line for line in wrong}
        wrong = harness.wrong_each_time("values of the running machine; those of recorded ones are compared once, below", look)
    assert not wrong, "\n".join(wrong.values())


@pytest.mark.parametrize("fixture,ncpu", [("4.19", 4), ("6.18", 2)])
def test_values_of_a_recorded_machine(needs_peer, prefix, fixture, ncpu):
    names = our_names(prefix)
    theirs, ours = Peer(agents=("pmcd", "linux")), Ours(prefix)
    env = dict(LINUX_STATSPATH=FIXTURES / fixture, LINUX_NCPUS=ncpu,
               PITOT_LINUX_ROOT=FIXTURES / fixture)
    for host in (theirs, ours):
        plain = host.env
        host.env = lambda lib=None, plain=plain, **extra: plain(lib, **{**env, **extra})
    with theirs, ours:
        descs = descriptors(theirs, names)
        expected, found = values(theirs, names), values(ours, names)
    excuses = [DIFFERS, DIFFERS_RECORDED, DIFFERS_AT.get(fixture, {})]
    wrong = [f"{n}: {found[n]}, the other: {expected[n]}" for n in names
             if found[n] != expected[n] and not is_excused(n, *excuses)]
    assert descs and not wrong, "\n".join(wrong)
