"""The control port of pmlogger: the table of states (docs/spec/logger.md A3) on Debian's pmlogger and ours, driven by
Debian's pmlc and ours; large requests; access rights and the number of clients.
"""
import re
import signal
import struct
import subprocess
import time

import pytest

import peer as debian
import recorders
from control_wire import ERROR, LOG_CONTROL, RESULT, Wire, pmid
from harness import DEADLINE_S, own_name_has_address

ON, OFF, MAYBE = "on", "off", "maybe"
# State: the request that leads to it from "advisory off", and its form in the output of query.
STATES = {
    "advisory off": ("advisory off", "adv off"),
    "advisory on": ("advisory on 20 sec", "adv on 20 sec"),
    "mandatory on": ("mandatory on 20 sec", "mand on 20 sec"),
    "mandatory off": ("mandatory off", "mand off"),
}
REQUESTS = ["mandatory on 30 sec", "mandatory off", "mandatory maybe", "advisory on 30 sec", "advisory off"]
# A3: what becomes of a state by each of the requests.
BECOMES = {
    "advisory off": ["mand on 30 sec", "mand off", "adv off", "adv on 30 sec", "adv off"],
    "advisory on": ["mand on 30 sec", "mand off", "adv on 20 sec", "adv on 30 sec", "adv off"],
    "mandatory on": ["mand on 30 sec", "mand off", "adv off", "mand on 20 sec", "mand on 20 sec"],
    "mandatory off": ["mand on 30 sec", "mand off", "adv off", "mand off", "mand off"],
}
# 6.0.3 turns an advisory "on" off by "maybe" where it is singular or of one instance (A3, Note).
THEIRS_ALONE = {("one", "advisory on", "mandatory maybe"): "adv off",
                ("instance", "advisory on", "mandatory maybe"): "adv off"}
# One metric for each pair of a state and a request: what was left of one does not touch another.
SINGULAR = [f"sample.{kind}.{item}" for kind in ("long", "ulong", "longlong", "ulonglong", "float", "double")
            for item in ("one", "ten", "hundred", "million")]
DOMAIN = ["sample.long.bin", "sample.ulong.bin", "sample.longlong.bin", "sample.ulonglong.bin", "sample.float.bin",
          "sample.double.bin", "sample.long.bin_ctr", "sample.ulong.bin_ctr", "sample.longlong.bin_ctr",
          "sample.ulonglong.bin_ctr", "sample.float.bin_ctr", "sample.double.bin_ctr", "sample.bin", "sample.colour",
          "sample.bucket", "sample.drift", "sample.step_counter"]


@pytest.fixture(scope="module")
def collector(peer_root):
    with debian.Peer(agents=("pmcd", "sample", "linux"), root=peer_root) as one:
        yield one


@pytest.fixture(scope="module")
def kits(collector, prefix):
    return {"theirs": recorders.theirs(collector), "ours": recorders.ours(prefix)}


def states_in(text):
    """The states in the output of query, in order, without the flags "recorded" and "available"."""
    found = []
    for line in text.splitlines():
        match = re.match(r"    (mand|adv ) (on |off) (?:nl |na |   ) *(.*?) *(\[.*\])?$", line)
        if match:
            found.append(" ".join(f"{match[1]} {match[2]} {match[3]}".split()))
    return found


def table(kit, other, collector, recorder, targets, kind):
    """The table on these targets, one for each pair, by one script: {(kind, state, request): new state}."""
    pairs = [(state, request) for state in STATES for request in REQUESTS]
    assert len(targets) >= len(pairs)
    script = []
    for (state, request), target in zip(pairs, targets):
        script += [f"{STATES[state][0]} {target}", f"query {target}", f"{request} {target}", f"query {target}"]
    text = other.talk(collector, "\n".join(script) + "\n", recorder.pid)
    parts = re.findall(r"(?m)^sample\.\S+\n(?:    (?:mand|adv ) .*\n)+", text)
    assert len(parts) == 2 * len(pairs), text
    result = {}
    for at, (state, request) in enumerate(pairs):
        before, after = (set(states_in(part)) for part in parts[2 * at:2 * at + 2])
        assert before == {STATES[state][1]}, text
        assert len(after) == 1
        result[kind, state, request] = after.pop()
    return result


def expected(whose, kind):
    rows = {(kind, state, request): new for state, news in BECOMES.items() for request, new in zip(REQUESTS, news)}
    if whose == "theirs":
        rows.update({key: new for key, new in THEIRS_ALONE.items() if key[0] == kind})
    return rows


@pytest.mark.parametrize("driver", ["theirs", "ours"])
@pytest.mark.parametrize("whose", ["theirs", "ours"])
def test_table(collector, kits, whose, driver):
    """Every pair of a state and a request, for a metric without instances, for one instance, and for all."""
    instances = [f"{name}[{inst}00]" for name in DOMAIN[:6] for inst in (1, 3, 5, 9)]
    with kits[whose].recorder(collector, f"table-{whose}-{driver}") as one:
        for kind, targets in (("one", SINGULAR), ("instance", instances)):
            got = table(kits[whose], kits[driver], collector, one, targets, kind)
            assert got == expected(whose, kind)
    # All instances: metrics that are not asked for instance by instance.
    names = [f"sample.{kind}.{item}" for kind in ("long", "ulong", "longlong", "ulonglong", "float", "double")
             for item in ("bin", "bin_ctr")]
    with kits[whose].recorder(collector, f"all-{whose}-{driver}") as one, \
            kits[whose].recorder(collector, f"more-{whose}-{driver}") as two:
        got = table_of_all(kits[driver], collector, (one, two), names)
        assert got == expected(whose, "all")


def table_of_all(driver, collector, some, names):
    result = {}
    pairs = [(state, request) for state in STATES for request in REQUESTS]
    for number, recorder in enumerate(some):
        part = pairs[number * 10:number * 10 + 10]
        script = []
        for (state, request), target in zip(part, names):
            script += [f"{STATES[state][0]} {target}", f"query {target}", f"{request} {target}", f"query {target}"]
        text = driver.talk(collector, "\n".join(script) + "\n", recorder.pid)
        parts = re.findall(r"(?m)^sample\.\S+\n(?:    (?:mand|adv ) .*\n)+", text)
        assert len(parts) == 20, text
        for at, (state, request) in enumerate(part):
            assert set(states_in(parts[2 * at])) == {STATES[state][1]}, text
            after = set(states_in(parts[2 * at + 1]))
            assert len(after) == 1
            result["all", state, request] = after.pop()
    return result


MIXED = """mandatory on 20 sec sample.bin
advisory on 10 sec sample.bin[100]
mandatory off sample.bin[200]
query sample.bin
mandatory maybe sample.bin
mandatory on 20 sec sample.long.bin[100]
advisory on 10 sec sample.long.bin[200]
advisory on 30 sec sample.long.bin
query sample.long.bin
mandatory on 40 sec sample.long.bin
query sample.long.bin
advisory on 20 sec sample.float.bin[100]
advisory on 30 sec sample.float.bin
query sample.float.bin
advisory on 20 sec sample.double.bin[100]
mandatory off sample.double.bin
query sample.double.bin
advisory on 20 sec sample.ulong.bin[300]
mandatory maybe sample.ulong.bin
query sample.ulong.bin
mandatory on 20 sec sample.ulong.bin[400]
mandatory maybe sample.ulong.bin
query sample.ulong.bin[500]
"""


def test_instances_and_all(collector, kits):
    """Requests for all instances where single ones are recorded, and the other way: equal states and refusals."""
    said = {}
    for whose in kits:
        with kits[whose].recorder(collector, f"mixed-{whose}") as one:
            text = kits["ours"].talk(collector, MIXED, one.pid)
            said[whose] = re.sub(r"(on |off) (nl|na|  ) ", r"\1    ", text).replace(str(one.pid), "PID")
    assert said["ours"] == said["theirs"]


BIN = pmid(29, 0, 6)  # sample.bin


def test_ten_thousand_metrics(collector, kits):
    """In one request: all are answered, in order, and the recorder goes on."""
    with kits["ours"].recorder(collector, "many") as one:
        wire = Wire(one)
        assert wire.greet() == 3
        pmids = [pmid(29, 1 + i // 1000, i % 1000) for i in range(10000)]
        for state in (0, 2):
            wire.control(pmids, 13 if state == 0 else 12, state, 60000)
            kind, _, body = wire.receive()
            assert kind == RESULT
            count, = struct.unpack(">I", body[8:12])
            assert count == 10000
            at = 12
            for expected_pmid in pmids:
                got, numval = struct.unpack(">Ii", body[at:at + 8])
                assert got == expected_pmid
                at += 8 if numval <= 0 else 12 + 8 * numval
            assert at == len(body)
        wire.close()
        assert "adv  off" in kits["ours"].talk(collector, "query sample.long.one\n", one.pid)


def test_a_stopped_client(collector, kits):
    """One that was stopped with requests under way costs the others nothing."""
    with kits["ours"].recorder(collector, "stopped", config="log advisory on 60 sec sample.bin\n") as one:
        deaf = Wire(one)
        deaf.greet()
        deaf.control([BIN] * 100000)  # megabytes that are not read
        half = Wire(one)
        half.greet()
        half.sock.sendall(struct.pack(">III", 100, LOG_CONTROL, 0) + b"x")
        for _ in range(5):
            assert "adv  off" in kits["theirs"].talk(collector, "query sample.long.one\n", one.pid)
        deaf.close()
        half.close()
    # A program that is stopped while it is connected.
    with kits["ours"].recorder(collector, "program") as one:
        pmlc = subprocess.Popen([str(kits["theirs"].pmlc), str(one.pid)], env=collector.env(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        assert b"Connected" in pmlc.stdout.readline()
        pmlc.send_signal(signal.SIGSTOP)
        assert "adv  off" in kits["theirs"].talk(collector, "query sample.long.one\n", one.pid)
        pmlc.send_signal(signal.SIGCONT)
        pmlc.communicate(b"quit\n", timeout=DEADLINE_S)


def test_seventeen_clients(collector, kits):
    with kits["ours"].recorder(collector, "crowd") as one:
        clients = [Wire(one) for _ in range(16)]
        assert [c.greet() for c in clients] == [3] * 16
        for kit in kits.values():
            text = kit.talk(collector, "status\n", one.pid)
            # 6.0.3's library checks the process id before it checks for a refusal.
            assert re.match("Unable to connect to pmlogger .*: (Address already in use|Connection refused)\n", text)
        for client in clients:
            client.control([BIN])
        assert [c.receive()[0] for c in clients] == [RESULT] * 16
        for client in clients:
            client.close()


ACCESS = [
    # rules, what is allowed of: query, advisory, mandatory, new volume
    ("", "yyyy"),
    ("disallow local:* : mandatory;", "yynn"),
    ("disallow .* : all; disallow :* : all; disallow unix: : advisory;", "ynyy"),
    ("disallow .* : all; disallow :* : all; disallow unix: : all except enquire;", "ynnn"),
]


@pytest.mark.parametrize("rules, may", ACCESS)
def test_access(collector, kits, rules, may):
    config = "log advisory on 60 sec { sample.long.million }\n" + (f"[access]\n{rules}\n" if rules else "")
    script = "query sample.long.one\nadvisory on 50 sec sample.long.one\nmandatory on 40 sec sample.long.ten\nnew volume\n"
    refused = "No permission to perform requested operation"
    for whose in kits:
        if whose == "theirs" and "local:*" in rules and not own_name_has_address():
            continue  # where its client comes from is then a matter of how it got there
        with kits[whose].recorder(collector, f"access-{whose}-{len(rules)}", config=config) as one:
            for number, kit in enumerate(kits.values()):
                text = kit.talk(collector, script, one.pid)
                end = time.monotonic() + DEADLINE_S
                # Theirs serves one client, and notices late that the one before has gone.
                while whose == "theirs" and "Unable to connect" in text and time.monotonic() < end:
                    text = kit.talk(collector, script, one.pid)
                assert ("adv  " in text) == (may[0] == "y"), text
                assert text.count(f"Error receiving response from pmlogger: {refused}") == may[1:3].count("n"), text
                assert (f"Error: {refused}" in text) == (may[3] == "n"), text
                assert ("New log volume" in text) == (may[3] == "y"), text


def test_nobody_may(collector, kits):
    """A client without any right may not even connect."""
    for whose in kits:
        with kits[whose].recorder(collector, f"nobody-{whose}",
                                  config="[access]\ndisallow .* : all; disallow :* : all; disallow unix: : all;\n") as one:
            for kit in kits.values():
                assert "Unable to connect to pmlogger" in kit.talk(collector, "status\n", one.pid)


def test_a_rule_that_makes_no_sense(collector, kits):
    """Ends both at their start, for the same reason."""
    for whose in kits:
        one = kits[whose].recorder(collector, f"clash-{whose}",
                                   config="[access]\nallow 10.1.2.* : all;\ndisallow 10.1.2.* : all;\n")
        with pytest.raises(AssertionError):
            one.start()
        assert one.process.wait(DEADLINE_S) == 1
        assert "Permission clash for 10.1.2.* with earlier statement for 10.1.2.*" in one.log()


def test_a_live_primary(collector, kits):
    """There is one primary recorder; the link of a dead one does not prevent it."""
    link = collector.home / "var/lib/pcp/tmp/pmlogger/primary"
    options = ("-P", "-U", collector.user)
    with kits["ours"].recorder(collector, "first", options=options) as one:
        assert link.resolve() == one.map_file
        other = kits["ours"].recorder(collector, "second", options=options)
        with pytest.raises(AssertionError):
            other.start()
        assert other.process.wait(DEADLINE_S) == 1
        assert f"ERROR: there is already a primary pmlogger running, pid {one.pid} linkfile={link}" in other.log()
        assert "[primary]" in kits["theirs"].talk(collector, "status\n", "-P")
        one.process.kill()
        one.process.wait(DEADLINE_S)
        assert link.is_symlink()
    with kits["ours"].recorder(collector, "third", options=options) as one:
        assert link.resolve() == one.map_file
        sockets = collector.home / "run/pcp"
        assert (sockets / "pmlogger.primary.socket").is_socket()
    assert not link.is_symlink()
    assert [path.name for path in sockets.iterdir() if "pmlogger" in path.name and "socket" in path.name] == []


# 6.0.3 knows the names of instances that the archive has, ours those of the collector too.
KNOWN_LATER = re.compile(r"(    instance: )\S+")


def test_what_is_said_of_requests(collector, kits):
    """status directly after a new volume, and the log: names of a metric that has several, of instances that the
    archive does not know yet, and all instances where a request means all."""
    said = {}
    for whose, kit in kits.items():
        with kit.recorder(collector, f"said-{whose}", config="log mandatory on 1 hour { sample.colour }\n") as one:
            text = kit.talk(collector, "new volume\nstatus\nlog mandatory on 1 hour sample.seconds\n"
                            'log advisory on 1 hour sample.long.bin["bin-100"]\n'
                            'log mandatory off sample.bin["bin-100", "bin-200"]\nnew volume\nstatus\n'
                            "log advisory on 1 hour sample.milliseconds\nlog mandatory on 2 hour { sample.colour sample.long.ten }\n"
                            "log advisory off sample.colour\nlog mandatory maybe sample.colour\n"
                            "log mandatory on once { sample.long.bin sample.ghosts sample.noinst }\n"
                            "log advisory off { sample.long.one sample.part_bin }\nlog mandatory maybe sample.scramble.bin\n"
                            'log advisory off sample.ulong.bin["bin-100"]\n', one.pid)
            log = one.log().partition("New log volume")[2]
            text = "\n".join(line for line in text.splitlines() if not re.match("log started|last log|current time", line))
            if whose == "ours":
                assert log.count("    instance: bin-100\n") > 2 and "#" not in log
            log = KNOWN_LATER.sub(r"\1NAME", log)
            said[whose] = re.sub(r"\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}", "DATE", recorders.masked(text + log, one))
    assert said["ours"] == said["theirs"]
    assert "log volume       2\n" in said["ours"] and "  metric: sample.dupnames.two.seconds or sample.seconds\n" in said["ours"]
    assert "    instance: NAME [request failed]\n" in said["ours"]
