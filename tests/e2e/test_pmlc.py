"""pmlc: Debian's and ours print the same about the same recorder, and each controls the other's.

Intended differences are in pmlc(1), "DIFFERENCES".
"""
import difflib
import os
import pty
import re
import select
import subprocess
import time

import pytest

import peer as debian
import recorders
from harness import DEADLINE_S, own_name_has_address, wait_until, wrong_each_time

CONFIG = """log mandatory on 1 sec { sample.long.one sample.bin }
log advisory on once sample.long.ten
"""

WITHOUT_CONNECTION = """query ]
frob
query {
 a
}
status
sync
mandatory on 3 sec foo
advisory maybe x
flush foo
new volume
new
show foo
sleep
sleep x
sleep 1
h
disconnect
connect
connect foo
connect port
connect 0
connect port 0
connect -3
connect /tmp/x
connect "/tmp/x"
connect local:/tmp/x
connect socket @ local:/tmp/nosuchsocket
connect socket @ unix:/tmp/nosuchsocket
connect 1 @no-such-host.invalid
show @no-such-host.invalid
timezone foo
QUIT
status x
quit
"""

QUERIES = """query ]
query sample.long.one ]
query
query {
 sample.long.one
 sample.long.ten
}
query { }
query {
 sample.long.one ]
 sample.long.ten
}
query no.such
query {sample.long.one, no.such2}
query sample.long.one[1]
query sample.long.one["x"]
query sample.bin[777]
query sample.bin["nope"]
query sample.bin[nope]
query sample.bin[100,200 300]
query sample.bin[100,100 "bin-100" "BIN-200"]
query sample.bin["bin"]
query sample.bin[]
query { sample.long.one sample.long.one sample.bin sample.bin[100] sample.bin }
query {sample.bin[100] sample.bin}
query{sample.bin[100] sample.bin[200] sample.bin[100]}
query sample.long
query {sample.bin sample.colour}
query {sample.bin[100] sample.colour[0]}
query{sample.bin[100]sample.long.one}
query sample.noinst
query sample.dynamic.counter
query mandatory
query {on}
advisory on 10 sec { sample.long.one
 sample.long.ten }
query { sample.long.one
 sample.long.ten }
quit
"""

CHANGES = """mandatory on sample.long.one
mandatory on 1 sample.long.one
mandatory on 0 sec sample.long.one
query sample.long.one
mandatory on every 500 msec sample.long.one
query sample.long.one
mandatory on once sample.long.one
log mandatory on default sample.long.one
mandatory on 75 hours sample.long.one
mandatory on 5400 seconds sample.long.one
query sample.long.one
mandatory on 23 hour sample.long.one
query sample.long.one
advisory on 1 sec sample.long.one
advisory off sample.long.one
mandatory off sample.long.one
query sample.long.one
mandatory maybe sample.long.one
query sample.long.one
advisory on 1500 millisecond sample.long.one
query sample.long.one
advisory on 2 min sample.bin[100]
mandatory maybe sample.bin
query sample.bin
log  mandatory on 1234567 msec { sample.long.hundred , sample.bin }
query {sample.long.hundred sample.bin}
log advisory off sample.bin
query sample.bin
mandatory on 400 msec sample.bin
mandatory on 200 msec sample.bin[100]
query sample.bin
mandatory off sample.bin
query sample.bin
mandatory on 3 sec { sample.colour, sample.long }
mandatory maybe { sample.colour, sample.long }
"""

# 6.0.3 takes one client at a time, and is busy for a moment after one has gone.
STATUS = """sync
flush
status
timezone "EST5"
status
timezone logger
status
timezone local
status
sleep 5
connect 77
status
disconnect
status
sleep 300
connect PID
status
disconnect
sleep 300
connect PID@localhost
status
quit
"""

INTERACTIVE = "query {\nsample.long.one\n}\nfoo\nstatus\n"

SCRIPTS = [
    ((), WITHOUT_CONNECTION),
    (("PID",), QUERIES),
    (("PID",), CHANGES),
    (("PID",), STATUS),
    (("-i", "PID"), INTERACTIVE),
    (("-i", "-e", "PID"), INTERACTIVE),
    (("-e", "PID"), INTERACTIVE),
    (("-h", "localhost", "PID"), "status\n"),
    (("-h", "localhost", "-p", "PORT"), "status\n"),
    (("-h", "unix:SOCKET"), "status\n"),
    (("-P",), "status\n"),
    (("-p", "1"), ""),
    (("-P", "-p", "3"), ""),
    (("-p", "0"), ""),
    (("-p", "x"), ""),
    (("x",), ""),
    (("0",), ""),
    (("-h", "localhost"), ""),
    (("-P", "3"), ""),
    (("-?",), ""),
    (("1", "2"), ""),
    (("-h", "unix:/x", "-P"), ""),
    (("-h", "unix:/x"), "status\n"),
    (("-Z", "EST5", "PID"), "status\n"),
    (("-h", "no-such-host.invalid", "PID"), ""),
    (("-n", "/no-such-file", "PID"), ""),
]

# Lines that one of the two says alone, and why.
DELIBERATE = [
    r"  -V, --version ",  # every program of ours prints its version
]
if not own_name_has_address():  # theirs asks the collector of a host that is not there
    DELIBERATE.append(r"Error (trying to connect to PMCD|finding pmloggers) on no-such-host\.invalid: ")


@pytest.fixture(scope="module")
def collector(peer_root):
    with debian.Peer(agents=("pmcd", "sample"), root=peer_root) as one:
        yield one


@pytest.fixture(scope="module")
def kits(collector, prefix):
    return {"theirs": recorders.theirs(collector), "ours": recorders.ours(prefix)}


def say(kit, recorder, args, script):
    def fill(text):
        return text.replace("PID", str(recorder.pid)).replace("PORT", str(recorder.port)).replace("SOCKET",
                                                                                                   str(recorder.socket))
    text = kit.talk(recorder.collector, fill(script), *map(fill, args))
    # Whether a value was there at the last fetch is a matter of the moment.
    text = re.sub(r"(?m)^(    (?:mand|adv ) (?:on |off)) na ", r"\1    ", text)
    return recorders.masked(text, recorder).replace(str(recorder.port), "PORT").splitlines()


def differences(a, b):
    diff = difflib.unified_diff(a, b, "theirs", "ours", n=0, lineterm="")
    return [line for line in diff if not line.startswith(("---", "+++", "@@")) and
            not any(re.match(p, line[1:]) for p in DELIBERATE)]


def wait_for_record(kit, recorder):
    """Waits until something has been recorded, so that all later answers show it."""
    end = time.monotonic() + DEADLINE_S
    while "sec" in (text := kit.talk(recorder.collector, "query { sample.long.one sample.bin[100] }", recorder.pid)) and \
            "nl" in text:
        assert time.monotonic() < end, text
        time.sleep(0.05)


@pytest.mark.parametrize("whose", ["theirs", "ours"])
def test_the_same_of_the_same(collector, kits, whose):
    """Two recorders of one make; Debian's pmlc talks to one, ours to the other."""
    kit = kits[whose]

    def compare(turn):
        wrong = {}
        with kit.recorder(collector, f"a-{whose}-{turn}", config=CONFIG) as one, \
                kit.recorder(collector, f"b-{whose}-{turn}", config=CONFIG) as other:
            wait_for_record(kits["theirs"], one)
            wait_for_record(kits["theirs"], other)
            for at, (args, script) in enumerate(SCRIPTS):
                a = say(kits["theirs"], one, args, script)
                b = say(kits["ours"], other, args, script)
                a = [line.replace(str(one.socket), "SOCKET") for line in a]
                b = [line.replace(str(other.socket), "SOCKET") for line in b if not line.startswith("  --strict ")]
                assert len(a) > 1
                if diff := differences(a, b):
                    wrong[at] = "\n".join([f"pmlc {' '.join(args)}", *diff])
        return wrong
    wrong = wrong_each_time(RECORDS, compare)
    assert not wrong, "\n".join(wrong.values())


RECORDS = "a record may be written between a request and the question for its state: Debian's recorder has its own time"

SUBSETS = """query sample.bin
advisory on 2 sec sample.bin[100, 200]
query sample.bin
mandatory off sample.bin[300]
mandatory on 1 sec sample.scramble.bin["bin-100"]
sleep 2
query { sample.bin sample.scramble.bin }
mandatory on 1 sec sample.colour
sleep 2
mandatory off sample.colour["red"]
sleep 2
query sample.colour
mandatory on 1 sec sample.colour["red"]
sleep 2
query sample.colour
quit
"""


@pytest.mark.parametrize("whose", ["theirs", "ours"])
def test_a_change_of_some_instances_leaves_the_state_of_the_others(collector, kits, whose):
    """Also whether each was there at the last fetch ("na" if not), which other comparisons leave out."""
    def compare(turn):
        texts = []
        for talker in kits.values():
            with kits[whose].recorder(collector, f"subsets-{whose}-{talker.name}-{turn}", config=CONFIG) as one:
                wait_for_record(kits["theirs"], one)
                texts.append(recorders.masked(talker.talk(collector, SUBSETS, one.pid), one).splitlines())
        assert len(texts[0]) > 40
        diff = differences(*texts)
        return {whose: "\n".join(diff)} if diff else {}
    wrong = wrong_each_time(RECORDS, compare)
    assert not wrong, wrong[whose]


@pytest.mark.parametrize("whose", ["theirs", "ours"])
def test_units_of_intervals(collector, kits, whose):
    """As they were given, with either recorder. Of a day and more 6.0.3 divides by 24, and says "hour" all the same."""
    given = ["2 hour", "23 hour", "90 min", "48 hour"]
    script = "".join(f"mandatory on {text} sample.long.one\nquery sample.long.one\n" for text in given)
    with kits[whose].recorder(collector, f"units-{whose}", config=CONFIG) as one:
        shown = [re.findall(r"mand on (?: nl)? +(\S+ \S+)", kit.talk(collector, script, one.pid)) for kit in kits.values()]
    assert shown == [["2 hour", "23 hour", "1.5 hour", "2 hour"], ["2 hour", "23 hour", "1.5 hour", "48 hour"]]


def test_strict(collector, kits):
    """A refused command is status 0 by default, and 1 with --strict; the output is the same."""
    with kits["ours"].recorder(collector, "strict", config=CONFIG) as one:
        wait_for_record(kits["theirs"], one)
        for script, refused in (("status\n", 0), ("query sample.bin\n", 0), ("no such command\n", 1), ("query no.such.metric\n", 1),
                                ("log mandatory on 1 sec sample.bin [ nosuch ]\n", 1), ("disconnect\nstatus\n", 1)):
            done = [subprocess.run([kits["ours"].pmlc, *options, "-h", f"unix:{one.socket}"], input=script, text=True,
                                   capture_output=True, timeout=180, env=collector.env(lib=kits["ours"].lib), check=False)
                    for options in ([], ["--strict"])]
            assert [d.returncode for d in done] == [0, refused], (script, done[1].stderr)
            assert done[0].stderr == done[1].stderr


def test_theirs_on_our_library(collector, kits, prefix):
    """Debian's pmlc runs with our libpcp: this tests the functions that it calls, and the structures that it reads."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("the sanitizer wants to be loaded first")
    mixed = recorders.Kit("mixed", kits["theirs"].pmlogger, kits["theirs"].pmlc, prefix.path / "lib")

    def compare(turn):
        wrong = {}
        with kits["theirs"].recorder(collector, f"own-library-{turn}", config=CONFIG) as one, \
                kits["theirs"].recorder(collector, f"our-library-{turn}", config=CONFIG) as other:
            wait_for_record(kits["theirs"], one)
            wait_for_record(kits["theirs"], other)
            for at, (args, script) in enumerate(SCRIPTS[:10]):
                a = [line.replace(str(one.socket), "SOCKET") for line in say(kits["theirs"], one, args, script)]
                b = [line.replace(str(other.socket), "SOCKET") for line in say(mixed, other, args, script)]
                diff = differences(a, b)
                if diff:
                    wrong[at] = "\n".join([f"pmlc {' '.join(args)}", *diff])
        return wrong
    wrong = wrong_each_time(RECORDS, compare)
    assert not wrong, "\n".join(wrong.values())


def test_recorders_are_shown(collector, kits):
    with kits["theirs"].recorder(collector, "shown-a") as a, kits["ours"].recorder(collector, "shown-b") as b:
        for kit in kits.values():
            text = kit.talk(collector, "show\nshow loggers @localhost\n")
            names = " ".join(sorted([str(a.pid), str(b.pid)]))
            for host in ("local:", "localhost"):
                assert f"The following pmloggers are running on {host}:\n     {names}\n" in text


def test_primary(collector, kits):
    """The primary one first, and by name."""
    with kits["ours"].recorder(collector, "primary", options=("-P", "-U", collector.user)) as one:
        for kit in kits.values():
            text = kit.talk(collector, "status\nshow\n", "-P")
            assert "Connected to primary pmlogger at local:\npmlogger [primary] on host local: " in text
            assert f"    primary ({one.pid})\n" in text


def test_volumes(collector, kits):
    """Each request begins one, if anything was recorded since the last."""
    for whose in ("theirs", "ours"):
        with kits[whose].recorder(collector, f"volume-{whose}", config=CONFIG) as one:
            for at, kit in enumerate(kits.values()):
                wait_until("something was recorded, and a volume begun", lambda: (
                    f"New log volume {at + 1}\nQA Test Case deactivated\nGoodbye\n" in
                    kit.talk(collector, "new volume\nsync\nqa 0\nquit\n", one.pid)))


def test_a_recorder_that_goes(collector, kits):
    """The connection ends under pmlc: it says so, and is not connected any more."""
    for whose in ("theirs", "ours"):
        one = kits[whose].recorder(collector, f"goes-{whose}", config=CONFIG).start()
        kit = kits["ours"]
        pmlc = subprocess.Popen([str(kit.pmlc), str(one.pid)], env=collector.env(lib=kit.lib), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        pmlc.stdin.write("status\n")
        pmlc.stdin.flush()
        while not pmlc.stdout.readline().startswith("log size"):
            assert pmlc.poll() is None
        one.stop()
        text, _ = pmlc.communicate("status\nsync\nstatus\n", timeout=DEADLINE_S)
        assert text.startswith("Error receiving response from pmlogger: Lost connection to the pmlogger instance\n")
        assert text.count("Not connected to any pmlogger instance") == 2


def test_a_recorder_that_hangs(collector, kits):
    with kits["ours"].recorder(collector, "hangs", config=CONFIG) as one:
        one.process.send_signal(19)
        text = kits["ours"].talk(collector, "status\n", one.pid, PMLOGGER_REQUEST_TIMEOUT=1)
        assert re.match(r"Unable to connect to pmlogger .* at local:: Timeout waiting for a response", text)
        one.process.send_signal(18)


def read_until(fd, text, what):
    end = time.monotonic() + DEADLINE_S
    while what not in text:
        assert time.monotonic() < end, text
        if select.select([fd], [], [], 0.2)[0]:
            text += os.read(fd, 4096)
    return text


def test_terminal(collector, kits, terminals):
    """Words and names of metrics are completed, and the line editor prompts."""
    with kits["ours"].recorder(collector, "terminal", config=CONFIG) as one:
        kit = kits["ours"]
        master, slave = pty.openpty()
        with subprocess.Popen([str(kit.pmlc), str(one.pid)], env=collector.env(lib=kit.lib, TERM="dumb"), stdin=slave,
                              stdout=slave, stderr=slave) as pmlc:
            os.close(slave)
            read_until(master, b"", b"pmlc> ")
            os.write(master, b"que\t sample.long.one\n")
            text = read_until(master, b"", b"1 sec")
            read_until(master, text, b"pmlc> ")
            os.write(master, b"query sample.long.hun\t\n")
            text = read_until(master, b"", b"adv  off nl")
            read_until(master, text, b"pmlc> ")
            os.write(master, b"quit\n")
            read_until(master, b"", b"Goodbye")
            assert pmlc.wait(120) == 0
        os.close(master)
