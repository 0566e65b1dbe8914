"""The sample agent: what Debian's answers, ours answers too, under our collector and under Debian's; then what
ours alone has. Our tools ask all of them."""
import re
import time

import harness
import peer
import pytest

# Metrics that depend on time, chance or the process: names and descriptors are compared, values are not.
VOLATILE = re.compile(r"sample\.(dupnames\.\w+\.(lights|colour)|dupnames\.(pid_daemon|daemon_pid|two\.seconds)|daemon_pid|seconds|"
                      r"milliseconds|drift|lights|magnitude|sysinfo|k?byte_.*|datasize|percontext\..*|(recv_|xmit_)?pdu|"
                      r"dodgey\.value|mirage.*|proc\.time|ulonglong\.bin.*|secret\.foo\.bar\.max\.redirect|"
                      r"event\.\w*records)$")

# Each line on each side, in this order; what is said must be the same, but for lines that begin with a minus.
SAME = """
pmstore -i bin-300 sample.bin 7
pminfo -f sample.bin sample.bucket sample.part_bin sample.bogus_bin sample.long.bin sample.float.bin_ctr sample.string.bin
pmstore -i bin-100 sample.bin 55555
pminfo -f sample.string.bin sample.double.bin
pminfo -f sample.scramble.version
pmstore sample.scramble.version 5
pminfo -f sample.scramble.version sample.scramble.bin
pmstore sample.scramble.bin 1
-pmstore sample.colour 98
pminfo -f sample.colour
pmstore sample.colour 1000
pminfo -f sample.colour
pmstore sample.colour -3
pminfo -f sample.colour
pmstore sample.load 9
pmstore sample.needprofile 9
pmstore -i colleen sample.needprofile 9
pmval -r -s 1 -i colleen sample.needprofile
pmval -r -s 1 -i terry sample.needprofile
pmval -r -s 1 -i emma sample.needprofile
pmval -r -s 1 -i cathy sample.needprofile
pmstore sample.darkness 9
pmstore sample.noinst 9
pmstore sample.string.null 9
pmstore sample.string.write_me hello
pminfo -f sample.string.write_me sample.aggregate.write_me
pmstore sample.write_me 99
pminfo -fl sample.write_me sample.long.write_me
pmstore sample.write_me 2
pminfo -fl sample.write_me
pmstore sample.float.write_me 1.5
pmstore sample.double.write_me -1e300
pmstore sample.longlong.write_me -9223372036854775807
pmstore sample.ulonglong.write_me 18446744073709551615
pmstore sample.ulong.write_me 4294967295
pmstore sample.long.write_me abc
pminfo -f sample.float.write_me sample.double.write_me sample.longlong.write_me sample.ulonglong.write_me
pminfo -l sample.ulong.write_me
pmstore sample.many.count 3
pminfo -f sample.many.int
pmstore sample.many.count -1
pminfo -f sample.many.int sample.many.count
pmstore sample.many.count 1000000
pminfo -f sample.many.count
pmstore sample.many.count 2
pminfo -f sample.many.int
pmstore sample.dodgey.control 0
pminfo -f sample.dodgey.value sample.dodgey.control
pmstore sample.dodgey.control -12345
pminfo -f sample.dodgey.value sample.dodgey.control
pmstore sample.dodgey.control 5
pmstore sample.const_rate.value 100
pminfo -f sample.const_rate.value sample.const_rate.gradient
pmstore sample.magnitude 3
pmstore sample.percontext.control.start 3
pmstore sample.step 40
pminfo -f sample.step sample.step_counter
pmstore sample.step_counter 9
pmval -r -s 9 -t 5msec sample.updown.obs
pmstore sample.updown.control.min -20
pmstore sample.updown.control.max 20
pmstore sample.updown.control.repeat 2
pmstore sample.updown.control.step 15
pmval -r -s 30 -t 2msec sample.updown.obs
pmstore sample.updown.control.repeat 0
pmval -r -s 9 -t 2msec sample.updown.obs
pmstore sample.updown.control.min 500
pmval -r -s 3 -t 2msec sample.updown.obs
pmstore sample.updown.control.max -500
pmval -r -s 3 -t 2msec sample.updown.obs
pmstore sample.updown.obs 1
pmval -r -w 24 -s 16 -t 2msec sample.wrap.long
pmval -r -w 24 -s 9 -t 2msec sample.wrap.ulong
pmval -r -w 24 -s 9 -t 2msec sample.wrap.longlong
pmval -r -w 24 -s 9 -t 2msec sample.wrap.ulonglong
pmval -r -w 24 -s 16 -t 2msec sample.slow_wrap.long
pmval -r -w 24 -s 16 -t 2msec sample.slow_wrap.ulong
pmval -r -w 24 -s 16 -t 2msec sample.slow_wrap.longlong
pmval -r -w 24 -s 16 -t 2msec sample.slow_wrap.ulonglong
pmval -r -s 9 -t 2msec sample.rapid
pmval -r -w 24 -f 0 -s 220 -t 1msec sample.scale_step.bytes_up
pmval -r -w 24 -f 0 -s 220 -t 1msec sample.scale_step.bytes_down
pmval -r -w 24 -f 0 -s 80 -t 1msec sample.scale_step.count_up
pmval -r -w 24 -f 0 -s 80 -t 1msec sample.scale_step.count_down
pmval -r -w 24 -f 0 -s 80 -t 1msec sample.scale_step.time_up_secs
pmval -r -w 24 -f 0 -s 90 -t 1msec sample.scale_step.time_up_nanosecs
pmval -r -w 24 -f 0 -s 80 -t 1msec sample.scale_step.none_up
pmstore sample.negative.ctr.m_32 7
pminfo -f sample.negative.ctr.m_32 sample.negative.instant.m_32 sample.negative.discrete.m_32
pminfo -f sample.negative.ctr.m_64 sample.negative.instant.m_float sample.negative.discrete.m_double
pmstore sample.error_code 5
pminfo -f sample.error_check
pmstore sample.error_code -12350
pminfo -d sample.error_check
pminfo -f sample.error_code
pminfo -f sample.error_check sample.load
pmstore sample.error_code -2
pminfo -f sample.error_check
pmstore sample.error_code 0
pminfo -df sample.error_check
pminfo -df sample.bad.unknown sample.bad.nosupport sample.bad.novalues sample.bad.fetch.again sample.darkness
pmstore sample.dynamic.meta.pmdesc.type 5
pminfo -df sample.dynamic.meta.metric
pmstore sample.dynamic.meta.pmdesc.type 6
pminfo -df sample.dynamic.meta.metric
pmstore sample.dynamic.meta.pmdesc.type 0
pmstore sample.dynamic.meta.pmdesc.indom 121634818
pmstore sample.dynamic.meta.pmdesc.sem 1
pmstore sample.dynamic.meta.pmdesc.units 1048576
pminfo -df sample.dynamic.meta
pmstore sample.dynamic.meta.metric 1
pmstore sample.event.reset 0
pmval -r -s 6 -t 2msec sample.event.records
pmval -r -s 6 -t 2msec sample.event.no_indom_records
pminfo -f sample.event.reset sample.event.type
pmstore sample.event.reset 9
pminfo -f sample.event.reset
pmstore sample.event.reset_highres 0
pmval -r -s 6 -t 2msec -i fungus sample.event.highres_records
pmstore sample.proc.reset 1
pminfo -f sample.proc.ordinal
pmstore sample.proc.ordinal 3
pmstore sample.mirage 3
pmstore sample.controller.mirage 4000
pminfo -f sample.controller.mirage
pmstore sample.not_ready -1
pminfo -f sample.not_ready
""".strip().splitlines()

# Of metrics that come and go with a name: only where the collector asks the agent for its names.
GHOSTS = """
pmstore sample.ghosts.visible 0
pminfo -dfm sample.ghosts
pmstore sample.ghosts.visible 3
pminfo -dfm sample.ghosts
-pminfo -f sample.ghosts.state
pmstore sample.ghosts.karma 17
pmstore sample.ghosts.visible 20
pminfo -f sample.ghosts.visible sample.ghosts.origin
pmstore sample.ghosts.visible -1
pminfo -f sample.ghosts
pminfo -d sample.ghosts.karma
""".strip().splitlines()


class Side:
    """A running collector with a sample agent, and our tools."""

    def __init__(self, prefix, host):
        self.prefix, self.host = prefix, host

    def __call__(self, line):
        tool, *args = line.split() if isinstance(line, str) else line
        done = harness.run([self.prefix.bin(tool), "-h", self.host, *args], env=self.prefix.env(TZ="UTC"))
        return done.stdout + done.stderr

    def names(self):
        return sorted(line for line in self("pminfo -m sample").splitlines() if " PMID: 29.1." not in line)

    def ask(self, option):
        """The output of pminfo for each metric that both have, by name."""
        names = [name.split()[0] for name in self.names()]
        text = self(["pminfo", option, *names])
        return {block.split("\n", 1)[0].split(":")[0]: block for block in text.strip().split("\n\n")}


@pytest.fixture(scope="module")
def agent_line(prefix, tmp_path_factory):
    return f"pipe binary {prefix.bin('pmdasample')} -d 29 -l {tmp_path_factory.mktemp('log')}/sample.log"


@pytest.fixture(scope="module")
def ours(prefix, tmp_path_factory, agent_line):
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("ours"), [f"sample 29 {agent_line}"]) as pmcd:
        yield Side(prefix, pmcd.host)


@pytest.fixture(scope="module")
def theirs(prefix, peer_root):
    with peer.Peer(agents=("pmcd", "sample"), root=peer_root) as debian:
        yield Side(prefix, debian.host)


@pytest.fixture(scope="module")
def guest(prefix, peer_root, agent_line):
    """Our agent under Debian's collector, and with Debian's libraries."""
    peer.AGENTS["guest"] = (29, agent_line)
    with peer.Peer(agents=("pmcd", "guest"), root=peer_root) as debian:
        yield Side(prefix, debian.host)
    del peer.AGENTS["guest"]


def settled(text):
    """Without what differs from run to run."""
    text = re.sub(r"(?m)^host:.*$", "", text)
    text = re.sub(r"\d\d:\d\d:\d\d\.\d+", "TIME", text)
    text = re.sub(r'"(machineid|hostname|domainname|userid|groupid)":("[^"]*"|\d+),?', "", text)
    # Instances of mirage come and go by themselves, all but the first.
    text = re.sub(r"(?m)^(\S*mirage\S* | +)inst \[[1-9]\d* or \"m-\d+\"\].*\n?", "", text)
    # Debian's record of missed events with nanoseconds has lost their number.
    return text.replace("==> 7 missed", "==> N missed").replace("==> 0 missed", "==> N missed")


def values_of(block):
    name = block.split("\n", 1)[0]
    if VOLATILE.match(name):
        block = "\n".join(line for line in block.splitlines() if "value" not in line and "nst" not in line)
    return re.sub(r"\[\d+ (highres )?event record.*\]", "[...]", settled(block))


def differences(side, other, lines):
    found = []
    for line in lines:
        mine, reference = settled(side(line.lstrip("-"))), settled(other(line.lstrip("-")))
        if mine != reference and not line.startswith("-"):
            found.append(f"{line}\n--- Debian's\n{reference}\n--- ours\n{mine}")
    return found


@pytest.mark.parametrize("who", ["ours", "guest"])
def test_same_as_debian(request, theirs, who):
    """Fresh agents: names, descriptors and first values, labels; then stores and what follows from them."""
    if who == "guest":
        theirs = Side(theirs.prefix, theirs.host)
        theirs("pmstore sample.control -1")
        harness.wait_until("the agent is back", lambda: "value 0" in theirs("pminfo -f sample.control"))
    side = request.getfixturevalue(who)
    assert side.names() == theirs.names()
    mine, reference = side.ask("-df"), theirs.ask("-df")
    assert mine.keys() == reference.keys()
    found = [f"--- Debian's\n{reference[name]}\n--- ours\n{mine[name]}" for name in reference
             if values_of(mine[name]) != values_of(reference[name])]
    assert not found, "\n\n".join(found)
    mine, reference = side.ask("-l"), theirs.ask("-l")
    found = [f"--- Debian's\n{reference[name]}\n--- ours\n{mine[name]}" for name in reference
             if not VOLATILE.match(name) and settled(mine[name]) != settled(reference[name])]
    assert not found, "\n\n".join(found)
    found = differences(side, theirs, SAME + GHOSTS)
    assert not found, "\n\n".join(found)


# -- ours alone

def test_help(ours):
    for name in ours("pminfo sample").split():
        if name != "sample.secret.foo.bar.max.redirect":
            assert re.match(re.escape(name) + r" \[.+\]", ours(["pminfo", "-t", name])), name


def test_tree_of_names(ours):
    assert "new value=12345" in ours("pmstore sample.tree.size 12345")
    leaves = ours("pminfo -m sample.tree.leaf").splitlines()
    assert len(leaves) == 12345
    assert leaves[0] == "sample.tree.leaf.00.00.00 PMID: 29.2.0"
    assert "value 12344" in ours("pminfo -f sample.tree.leaf.01.23.44")
    assert "Bad input" in ours("pmstore sample.tree.size 1000001")
    ours("pmstore sample.tree.size 0")
    assert "Unknown metric name" in ours("pminfo -f sample.tree.leaf.01.23.44")


def test_any_error_of_one_value(ours):
    ours("pmstore sample.returns.error -12350")
    text = ours("pminfo -f sample.returns.error sample.load")
    assert "not supported" in text and "value 42" in text
    ours("pmstore sample.returns.error 0")


def test_callback_answers(ours):
    text = ours("pminfo -f sample.returns.callback")
    assert re.findall(r"inst \[\d or \"(\w+)\"\] value", text) == ["static", "dynamic"]


def test_delay(ours):
    ours("pmstore sample.delay.msec 300")
    began = time.monotonic()
    assert "value 300" in ours("pminfo -f sample.delay.value")
    assert time.monotonic() - began >= 0.3
    ours("pmstore sample.delay.msec 0")


def test_not_ready(ours):
    """There are no values for this number of seconds; then the agent reports that it is ready."""
    for seconds in (1, 5, 20):  # where asking takes long the time may be over
        began = time.monotonic()
        ours(f"pmstore sample.not_ready {seconds}")
        text = ours("pminfo -f sample.load")
        if time.monotonic() - began < seconds:
            break
        harness.wait_until("ready", lambda: "value 42" in ours("pminfo -f sample.load"))
    assert "value 42" not in text and "Try again. Information not currently available" in text
    harness.wait_until("ready", lambda: "value 42" in ours("pminfo -f sample.load"))
    assert "value 0" in ours("pminfo -f sample.not_ready")


@pytest.mark.parametrize("metric, value", [("control", -1), ("end.exit", 3), ("end.signal", 9)])
def test_end(prefix, tmp_path, agent_line, metric, value):
    """The collector notices, and starts the agent again."""
    with harness.Pmcd(prefix, tmp_path, [f"sample 29 {agent_line}"]) as pmcd:
        side = Side(prefix, pmcd.host)
        pid = side("pminfo -f sample.daemon_pid")
        side(f"pmstore sample.{metric} {value}")
        harness.wait_until("another agent",
                           lambda: "value" in (text := side("pminfo -f sample.daemon_pid")) and text != pid)


def test_twice(prefix, tmp_path, agent_line):
    """In a process, and as sampledso in the collector's own: each has its names, those of the other but for the root."""
    second = f"sampledso 30 dso sample_init {prefix.dso('sample')}"
    with harness.Pmcd(prefix, tmp_path, [f"sample 29 {agent_line}", second]) as pmcd:
        side = Side(prefix, pmcd.host)
        first = side("pminfo -m sample")
        assert len(first.splitlines()) > 190
        assert side("pminfo -m sampledso") == re.sub(r"(?m)^sample", "sampledso", first.replace(" 29.", " 30."))
        side("pmstore sampledso.tree.size 5")
        assert "value 4" in side("pminfo -f sampledso.tree.leaf.00.00.04")
        side("pmstore sampledso.write_me 3")
        assert "value 3" in side("pminfo -f sampledso.write_me") and "value 2" in side("pminfo -f sample.write_me")


def test_as_object(prefix, tmp_path):
    """In the collector's process: the same values; what would end or delay a process does not."""
    with harness.Pmcd(prefix, tmp_path, [f"sample 29 dso sample_init {prefix.dso('sample')}"]) as pmcd:
        side = Side(prefix, pmcd.host)
        assert "No permission" in side("pmstore sample.end.signal 9")
        assert "No permission" in side("pmstore sample.end.exit 9")
        side("pmstore sample.control -1")
        side("pmstore sample.delay.msec 60000")
        assert "value 60000" in side("pminfo -f sample.delay.value")
        assert "value -1" in side("pminfo -f sample.control")
        assert "6 event records" not in side("pminfo -f sample.event.highres_records")
        assert len(side("pminfo -f sample").split("\n\n")) > 190
