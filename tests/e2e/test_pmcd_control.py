"""Actions of an administrator on a running collector: event trace, rights, names, dead name servers (docs/spec/pmcd.md
2, 6, 7, 11)."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import pytest

import harness
import peer
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
A, B = 240, 241
ONE = wire.pmid(A, 0, 0)
NUMAGENTS, NUMCLIENTS = wire.pmid(2, 0, 2), wire.pmid(2, 0, 3)
TRACECONN, TRACEPDU, TRACEBUFS, DUMPTRACE, NOBUF = (wire.pmid(2, 0, i) for i in (9, 10, 11, 12, 14))
DEBUG, TIMEOUT = wire.pmid(2, 0, 0), wire.pmid(2, 0, 4)
LONG_S = 10 * harness.DEADLINE_S  # what waits for so long waits for ever


def pipe(domain, *ways, label=None, agent=AGENT):
    words = " ".join(str(w) for w in ways)
    return f"{label or f'dyn{domain}'} {domain} pipe binary {sys.executable} {agent} {domain} {words}"


def set_one(client, ident, value):
    return client.ask(wire.store([(ident, [(-1, value)])])).code


# -- the event trace

def traces(daemon):
    """The dumps of the ring in the log, each a list of its events without times."""
    out = []
    for dump in re.split(r"->PMCD event trace: ", daemon.log.read_text())[1:]:
        lines = dump.splitlines()
        events = [re.sub(r"^->[0-9:]* +", "", line) for line in lines[1:] if line.startswith("->")]
        out.append(events if lines[0].startswith("starting at ") else [])
    return out


@pytest.mark.skipif(os.getuid() != 0, reason="the collector's user may store anyway")
def test_the_event_trace(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A)]) as daemon, wire.ready(daemon.socket) as client:
        assert [client.value(m) for m in (TRACECONN, TRACEPDU, TRACEBUFS, DUMPTRACE, NOBUF)] == [0, 0, 20, 0, 0]
        assert set_one(client, DUMPTRACE, 1) == 0
        assert traces(daemon)[-1] == []
        alone = lambda: client.value(NUMCLIENTS) == 1  # noqa: E731
        harness.wait_until("the probe of the harness has left", alone)
        assert set_one(client, TRACECONN, 1) == 0
        with wire.ready(daemon.socket) as other:
            other.value(NUMAGENTS)
        harness.wait_until("it has left", alone)
        assert set_one(client, DUMPTRACE, 1) == 0
        came, left = traces(daemon)[-1]
        assert re.fullmatch(r"New client: \[\d\] fd=(\d+)", came)
        assert left == came.replace("New", "End")

        assert set_one(client, TRACEBUFS, 4) == 0
        assert set_one(client, TRACEPDU, 1) == 0
        assert client.value(ONE) == 42
        client.ask(wire.desc_req(wire.pmid(A, 0, 9)))
        assert set_one(client, DUMPTRACE, 1) == 0
        last = traces(daemon)[-1]
        assert [re.sub(r"fd=\d+", "fd", e) for e in last] == [
            "Xmit: DESC_REQ PDU, fd", "Recv: ERROR PDU, fd, err=-12358: Unknown or illegal metric identifier",
            "Xmit: ERROR PDU, fd, err=-12358: Unknown or illegal metric identifier", "Recv: RESULT PDU, fd"]
        for bad in (0, -1, 1 << 30):
            assert set_one(client, TRACEBUFS, bad) == wire.PM_ERR_BADSTORE
        assert client.value(TRACEBUFS) == 4
        for ident in (TRACECONN, TRACEPDU, NOBUF):
            assert set_one(client, ident, 2) == wire.PM_ERR_BADSTORE

        assert set_one(client, NOBUF, 1) == 0
        before = len(traces(daemon))
        client.value(NUMAGENTS)
        assert re.search(r"(?m)^->\d\d:\d\d:\d\d Recv: FETCH PDU, fd=\d+$", daemon.log.read_text())
        assert len(traces(daemon)) == before


def test_the_trace_is_dumped_when_an_agent_ends(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A, "die_at=1")], options=["-T", "3"]) as daemon:
        with wire.ready(daemon.socket) as client:
            client.value(ONE)
            harness.wait_until("there is a dump", lambda: traces(daemon))
            assert f"Drop PMDA: domain={A}" in traces(daemon)[0]
            assert any(e.startswith("Xmit: FETCH PDU") for e in traces(daemon)[0])


@pytest.mark.skipif(os.getuid() != 0, reason="the collector's user may store anyway")
def test_debug_bits(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "p", []) as daemon, wire.ready(daemon.socket) as client:
        assert set_one(client, DEBUG, 1) == 0
        assert client.value(DEBUG) == 1
        assert set_one(client, DEBUG, 0) == 0


# -- agents that are late, and clients that make much of it

def test_attributes_that_change_while_an_agent_does_not_read(prefix, tmp_path):
    trace = tmp_path / "trace"
    container = wire.pmid(2, 6, 2)
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A, "flags=4", "stop_at=1", f"trace={trace}")],
                      options=["-t", "60"]) as daemon:
        pid = int(re.search(rf"dyn{A} +{A} +(\d+)", daemon.log.read_text())[1])
        with wire.ready(daemon.socket) as asks, wire.ready(daemon.socket) as changes:
            asks.send(wire.fetch([ONE]))
            harness.wait_until("the agent has stopped", lambda: "T (stopped)" in pathlib.Path(f"/proc/{pid}/status").read_text())
            for lot in range(40):
                changes.send(b"".join(wire.store([(container, [(-1, f"{lot * 100 + i:04}" * 1000)])]) for i in range(100)))
                assert all(changes.receive().code == 0 for _ in range(100))
            for _ in range(2000):
                wire.ready(daemon.socket).close()
            os.kill(pid, signal.SIGCONT)
            assert asks.receive().values == [(ONE, [(-1, 42)])]
            assert changes.value(ONE) == 42
            assert "protocol failure" not in daemon.log.read_text()
            heard = [line.split()[2] for line in trace.read_text().splitlines() if line.startswith(hex(wire.ATTR))]
            last = [h for h in heard if h.startswith("0000000f")][-1]
            assert bytes.fromhex(last[8:])[4:4008] .strip(b"\0").startswith(b"3999" * 100)
            assert len(heard) < 1000


def test_late_answers_are_told_once_a_minute(prefix, tmp_path):
    gate = tmp_path / "gate"
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A, f"gate={gate}")], options=["-t", str(LONG_S)]) as daemon:
        with wire.ready(daemon.socket) as client, wire.ready(daemon.socket) as waiting:
            for _ in range(3):
                harness.wait_until("it owes nothing", lambda: client.ask(wire.desc_req(ONE)).kind == wire.DESC)
                waiting.send(wire.fetch([ONE]))
                assert set_one(client, TIMEOUT, 1) == 0
                assert waiting.receive().values == [(ONE, wire.PM_ERR_TIMEOUT)]
                assert set_one(client, TIMEOUT, LONG_S) == 0
                gate.touch()
                harness.wait_until("it has answered", lambda: client.value(ONE) == 42)
                gate.unlink()
            assert daemon.log.read_text().count("has not answered within 1 s") == 1


# -- names

def names_file(path, count, extra=""):
    groups = count // 1000
    with open(path, "w") as out:
        out.write("root {\n" + "".join(f" g{g}\n" for g in range(groups)) + f" pmcd\n{extra}}}\npmcd {{\n numagents 2:0:2\n}}\n")
        for g in range(groups):
            out.write(f"g{g} {{\n" + "".join(f" name{i} {A}:{g}:{i}\n" for i in range(1000)) + "}\n")


def loop_cpu_s(daemon):
    """The CPU time of the collector's loop, in seconds; other threads have theirs."""
    pid = daemon.process.pid
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def test_a_large_name_space_is_reloaded_beside_the_traffic(prefix, tmp_path):
    root = tmp_path / "root"
    names_file(root, 100000)
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A)], env={"PMNS_DEFAULT": root}) as daemon:
        with wire.ready(daemon.socket) as client, wire.ready(daemon.socket) as asks:
            def reload(n):
                os.rename(tmp_path / "new", root)
                before = daemon.log.read_text().count("active agent dom")
                daemon.process.send_signal(signal.SIGHUP)
                harness.wait_until("it is reloaded", lambda: daemon.log.read_text().count("active agent dom") > before)
                assert client.ask(wire.names_req([f"fresh{n}"])).raw[12:] == struct.pack(">iiI", 1, 1, ONE)

            def work(use):
                """CPU seconds of the loop for 999 in 1000 values, while names are written and used."""
                took, stop = [], threading.Event()

                def ask():
                    while not stop.is_set():
                        start = loop_cpu_s(daemon)
                        asks.value(NUMAGENTS)
                        took.append(loop_cpu_s(daemon) - start)

                thread = threading.Thread(target=ask)
                thread.start()
                try:
                    for n in range(3):
                        names_file(tmp_path / "new", 100000, extra=f" fresh{n} {A}:0:0\n")
                        use(n)
                finally:
                    stop.set()
                    thread.join()
                return sorted(took)[int(len(took) * 0.999)]

            idle, loading = work(lambda n: None), work(reload)
            assert loading < idle + 0.05, f"a value takes {loading:.3f} s, {idle:.3f} s where nothing is loaded"
            root.write_text("root {\n broken\n}\n")
            daemon.process.send_signal(signal.SIGHUP)
            harness.wait_until("it was looked at", lambda: "The name space stays as it was" in daemon.log.read_text())
            assert client.ask(wire.names_req(["fresh2"])).kind == wire.PMNS_IDS


# -- name servers that do not answer

GATE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <grp.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_gate(void)
{
	while (access(getenv("TEST_GATE"), F_OK) != 0)
		usleep(10000);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

	real = (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
	if (node == NULL || strncmp(node, "dead.", 5) != 0)
		return real(node, service, hints, list);
	wait_for_gate();
	return real("192.0.2.77", service, hints, list);
}

struct group *getgrgid(gid_t gid)
{
	static struct group one = {.gr_name = "late"};

	wait_for_gate();
	return &one;
}

int getgrgid_r(gid_t gid, struct group *group, char *buf, size_t size, struct group **found)
{
	*group = *getgrgid(gid);
	*found = group;
	return 0;
}
"""


@pytest.fixture
def dead_names(tmp_path):
    """The environment of a host whose name servers, that of groups too, answer when the file TEST_GATE is there."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler")
    (tmp_path / "gate.c").write_text(GATE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "gate.so", tmp_path / "gate.c", "-ldl"], check=True)
    return {"LD_PRELOAD": tmp_path / "gate.so", "TEST_GATE": tmp_path / "gate"}


ACCESS = '[access]\ndisallow dead.example.org : all;\ndisallow "*" : store;\n'


def assert_served(client):
    """The tests' name servers answer nothing until they let them, and a client that waits for one waits for ever."""
    for _ in range(20):
        assert client.value(ONE) == 42


def hello(port):
    with wire.Client(("127.0.0.1", port), handshake=False) as client:
        return client.receive().code


def test_a_dead_name_server_at_the_start(prefix, tmp_path, dead_names):
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("the sanitizer wants to be loaded first")
    start = time.monotonic()
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A)], access=ACCESS, env=dead_names, options=["-q", "2"]) as daemon:
        with wire.ready(daemon.socket) as local:
            assert local.value(ONE) == 42
            assert local.ask(wire.store([(ONE, [(-1, 1)])])).code == wire.PM_ERR_PERMISSION
            assert hello(daemon.port) == -1042, "refused when the time for the start has passed"
            assert time.monotonic() - start > 1.5
            pathlib.Path(dead_names["TEST_GATE"]).touch()
            harness.wait_until("the network is served", lambda: hello(daemon.port) == 0)
            assert local.value(ONE) == 42
            assert "192.0.2.77" in daemon.log.read_text()


def test_a_dead_name_server_at_the_end_and_at_a_reconfiguration(prefix, tmp_path, dead_names):
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("the sanitizer wants to be loaded first")
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A)], env=dead_names) as daemon:
        with wire.ready(daemon.socket) as client:
            daemon.conf.write_text(daemon.conf.read_text() + pipe(B) + "\n" + ACCESS)
            daemon.process.send_signal(signal.SIGHUP)
            harness.wait_until("it is read", lambda: "RESTARTED" in daemon.log.read_text())
            assert_served(client)
        assert daemon.stop() == 0


def test_groups_whose_names_take_long(prefix, tmp_path, dead_names):
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("the sanitizer wants to be loaded first")
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(A)], env=dead_names) as daemon:
        with wire.ready(daemon.socket) as client:
            daemon.conf.write_text(daemon.conf.read_text() + '[access]\nallow user "root" : all;\nallow user * : all;\n')
            daemon.process.send_signal(signal.SIGHUP)
            harness.wait_until("it is read", lambda: "RESTARTED" in daemon.log.read_text())
            assert_served(client)
            pathlib.Path(dead_names["TEST_GATE"]).touch()
            harness.wait_until("the lists are in the log", lambda: " 0(late)" in daemon.log.read_text())
            assert_served(client)


# -- rights

@pytest.fixture
def open_dir():
    """A directory that every user may use."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="pmcd-rights-", dir="/tmp"))
    path.chmod(0o777)
    for name in ("pipe_agent.py", "wire.py"):
        shutil.copy(AGENT.with_name(name), path / name)
    yield path
    shutil.rmtree(path)


def kernel_says(text):
    """Of /proc/PID/status: the user, and the sets of capabilities by name."""
    fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    return fields["Uid"].split()[0], fields["Groups"].split(), {n: int(fields[n], 16) for n in ("CapPrm", "CapEff", "CapAmb")}


DAC_READ_SEARCH, SETGID, SETUID, SYS_PTRACE = 1 << 2, 1 << 6, 1 << 7, 1 << 19


@pytest.mark.skipif(os.getuid() != 0, reason="needs root: nobody else has rights to give up")
def test_rights_of_agents_when_root_starts(prefix, open_dir):
    nobody = pwd.getpwnam("nobody")
    agent = open_dir / "pipe_agent.py"
    daemon = harness.Pmcd(prefix, open_dir / "p", [
        pipe(A, f"status={open_dir}/plain", label="plain", agent=agent),
        pipe(B, f"status={open_dir}/special", label="special", agent=agent)],
        env={"PMCD_AGENT_CAPS": "special=dac_read_search,CAP_SYS_PTRACE other=all"})
    daemon.dir.chmod(0o777)
    argv = [a for a in daemon.command() if a != "-f"] + ["-U", "nobody"]
    subprocess.run(argv, env=daemon.env, cwd=daemon.dir, timeout=180, check=True)
    harness.wait_until("it answers", lambda: harness.answers(daemon.socket))
    pid = int((daemon.dir / "pmcd.pid").read_text())
    try:
        with wire.ready(daemon.socket) as client:
            assert client.value(ONE) == 42 and client.value(wire.pmid(B, 0, 0)) == 42
            user, groups, caps = kernel_says(pathlib.Path(f"/proc/{pid}/status").read_text())
            assert (user, caps["CapEff"], caps["CapAmb"]) == (str(nobody.pw_uid), 0, 0)
            assert "0" not in groups
            user, groups, caps = kernel_says((open_dir / "plain").read_text())
            assert (user, caps) == (str(nobody.pw_uid), {"CapPrm": 0, "CapEff": 0, "CapAmb": 0})
            only = DAC_READ_SEARCH | SYS_PTRACE
            wanted = (str(nobody.pw_uid), {"CapPrm": only, "CapEff": only, "CapAmb": only})
            user, groups, caps = kernel_says((open_dir / "special").read_text())
            assert (user, caps) == wanted
            (open_dir / "special").unlink()
            os.kill(int(re.search(rf"special +{B} +(\d+)", daemon.log.read_text())[1]), signal.SIGKILL)
            harness.wait_until("it is there again", lambda: client.value(wire.pmid(B, 0, 0)) == 42)
            user, groups, caps = kernel_says((open_dir / "special").read_text())
            assert (user, caps) == wanted, "the next start gives what the first gave"
    finally:
        os.kill(pid, signal.SIGTERM)
        harness.wait_until("it has gone", lambda: harness.gone(pid))


@pytest.mark.skipif(os.getuid() != 0, reason="needs root: nobody else has rights to give up")
@pytest.mark.skipif(peer.peer_root() is None, reason="Debian's PCP could not be fetched")
def test_debians_agents_with_few_rights(prefix, open_dir):
    """They insist on being root by name, and read what is closed to others; but they can do no more."""
    theirs = peer.Peer(agents=("pmcd",))
    try:
        theirs.home.chmod(0o755)
        subprocess.run(["chmod", "-R", "a+rwX", theirs.home], check=True)
        setting = [f"{k}={v}" for k, v in theirs.env(PMCD_SOCKET=None).items() if k.startswith(("PCP_", "LD_"))]
        run = "pipe binary /usr/bin/env " + " ".join(setting)
        daemon = harness.Pmcd(prefix, open_dir / "p", [
            f"proc 3 {run} {theirs.pmdas}/proc/pmdaproc -d 3", f"linux 60 {run} {theirs.pmdas}/linux/pmdalinux"],
            env={"PMNS_DEFAULT": theirs.home / "var/lib/pcp/pmns/root", "PMCD_AGENT_CAPS":
                 "proc=setgid,setuid,dac_read_search,sys_ptrace linux=setgid,setuid,dac_read_search"})
        daemon.dir.chmod(0o777)
        subprocess.run([a for a in daemon.command() if a != "-f"] + ["-U", "nobody"], env=daemon.env, cwd=daemon.dir, check=True)
        harness.wait_until("it answers", lambda: harness.answers(daemon.socket))
        pid = int((daemon.dir / "pmcd.pid").read_text())
        try:
            def values(metric):
                return harness.run([prefix.bin("pminfo"), "-h", daemon.host, "-f", metric], env=daemon.env).stdout

            assert " value " in values("kernel.all.load")
            # Only root may look at the descriptors of init.
            assert re.search(r'inst \[1 or "0+1 .*\] value [1-9]', values("proc.fd.count"))
            agent = int(re.search(r"(?m)^proc +3 +(\d+)", daemon.log.read_text())[1])
            user, _, caps = kernel_says(pathlib.Path(f"/proc/{agent}/status").read_text())
            assert (user, caps["CapPrm"]) == ("0", DAC_READ_SEARCH | SYS_PTRACE | SETGID | SETUID)
        finally:
            os.kill(pid, signal.SIGTERM)
            harness.wait_until("it has gone", lambda: harness.gone(pid))
    finally:
        theirs.remove()


@pytest.mark.skipif(os.getuid() != 0, reason="needs root: nobody else has rights to give up")
def test_a_user_that_is_not_there(prefix, open_dir):
    daemon = harness.Pmcd(prefix, open_dir / "p", [pipe(A)])
    argv = [a for a in daemon.command() if a != "-f"] + ["-U", "no-such-user"]
    subprocess.run(argv, env=daemon.env, cwd=daemon.dir, timeout=180, check=True)
    harness.wait_until("it answers", lambda: harness.answers(daemon.socket))
    os.kill(int((daemon.dir / "pmcd.pid").read_text()), signal.SIGTERM)
    assert 'There is no user "no-such-user": pmcd and its agents stay root' in daemon.log.read_text()


@pytest.mark.parametrize("caps", ["linux", "linux=no_such", "=all", "linux=all x"])
def test_capabilities_that_are_none(prefix, tmp_path, caps):
    daemon = harness.Pmcd(prefix, tmp_path / "p", [pipe(A)], env={"PMCD_AGENT_CAPS": caps})
    argv = [a for a in daemon.command() if a != "-f"]
    subprocess.run(argv, env=daemon.env, cwd=daemon.dir, timeout=180, check=True)
    harness.wait_until("it has given up", lambda: daemon.log.exists() and "pmcd not started" in daemon.log.read_text())
    assert f'PMCD_AGENT_CAPS: expected "label=capability,...", not "{caps.split()[-1]}"' in daemon.log.read_text()
