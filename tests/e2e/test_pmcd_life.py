"""The collector's life: start, configuration, rights, signals, end (docs/spec/pmcd.md 2-7)."""
import hashlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys

import pytest

import harness
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
A, B = 240, 241
ONE = wire.pmid(A, 0, 0)
TIMEOUT = wire.pmid(2, 0, 4)
SIGHUPS = wire.pmid(2, 0, 22)
SEQNUM = wire.pmid(2, 0, 24)
LABELS = wire.pmid(2, 0, 25)


def command(domain, *ways):
    return f"{sys.executable} {AGENT} {domain} {' '.join(str(w) for w in ways)}"


def pipe(domain, *ways, label=None):
    return f"{label or f'dyn{domain}'} {domain} pipe binary {command(domain, *ways)}"


class Collector(harness.Pmcd):
    def __init__(self, prefix, directory, agents=None, **more):
        super().__init__(prefix, directory, agents or [pipe(A)], **more)

    def await_log(self, text, count=1):
        harness.wait_until(f"the log says {text}", lambda: self.log.read_text().count(text) >= count)

    def configure(self, *agents, access=""):
        """Another configuration, and the word that there is one; waits until it was looked at."""
        before = self.log.read_text().count("active agent dom")
        self.conf.write_text(f"pmcd 2 dso pmcd_init {self.prefix.dso('pmcd')}\n" + "\n".join(agents) + "\n" + access)
        self.hang_up(before)

    def hang_up(self, before=None):
        before = self.log.read_text().count("active agent dom") if before is None else before
        self.process.send_signal(signal.SIGHUP)
        self.await_log("active agent dom", before + 1)

    def client(self, **more):
        return wire.ready(self.socket, **more)


def test_nothing_to_do(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        daemon.hang_up()
        log = daemon.log.read_text()
        for line in ("pmcd RESTARTED at", f"Configuration file '{daemon.conf}' unchanged", "Restarting any deceased agents:",
                     "(no agents required restarting)", 'PMNS file "DEFAULT" is unchanged'):
            assert line in log
        assert client.value(SIGHUPS) == 1
        assert client.fetch([ONE]).mask == 0


def test_deceased_agents_are_restarted(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p", [pipe(A, "die_at=1")], env={"PMCD_RESTART_AGENTS": 0}) as daemon:
        with daemon.client() as client:
            assert client.value(ONE) == wire.PM_ERR_IPC
            seqnum = client.value(SEQNUM)
            daemon.hang_up()
            harness.wait_until("it is back", lambda: client.value(SEQNUM) == seqnum + 2)
            with daemon.client() as other:
                assert other.ask(wire.desc_req(wire.pmid(2, 0, 0))).kind == wire.DESC


def test_agents_come_go_and_stay(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p", [pipe(A, "slow=0"), pipe(B)]) as daemon, daemon.client() as client:
        def pids():
            return dict(line.split()[0:3:2] for line in daemon.log.read_text().rsplit("========\n", 1)[1].splitlines()
                        if line.startswith(("dyn", "new")))

        before = pids()
        daemon.configure(pipe(A, "slow=0", label="dynA"), pipe(242))
        harness.wait_until("the new one answers", lambda: client.value(wire.pmid(242, 0, 0)) == 42)
        assert client.value(ONE) == 42
        assert client.value(wire.pmid(B, 0, 0)) == wire.PM_ERR_NOAGENT
        assert client.ask(wire.names_req(["dyn242.one"])).kind == wire.PMNS_IDS
        daemon.await_log(f'Cleanup "dyn{B}" agent (dom {B}): unconfigured')
        assert pids()["dynA"] == before[f"dyn{A}"], "an equal agent is kept, whatever its label"


def test_a_bad_configuration_changes_nothing(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        daemon.configure("nonsense")
        assert "expected domain number" in daemon.log.read_text()
        assert client.value(ONE) == 42
        daemon.configure(pipe(A), access='[access]\nallow user "no-such-user-here" : all;\n')
        assert client.value(ONE) == 42


@pytest.mark.skipif(os.getuid() != 0, reason="the collector's user may store anyway")
def test_the_sighup_metric(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        assert client.ask(wire.store([(wire.pmid(2, 0, 15), [(-1, 1)])])).code == 0
        daemon.await_log("pmcd RESTARTED at")


def test_time_out_is_a_setting(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p", [pipe(A, "slow=2500")]) as daemon, daemon.client() as client:
        assert client.value(TIMEOUT) == 5
        assert client.ask(wire.store([(TIMEOUT, [(-1, 1)])])).code == 0
        assert client.value(ONE) == wire.PM_ERR_TIMEOUT


# -- rights

def test_store_is_disallowed(prefix, tmp_path):
    access = '[access]\ndisallow ".*" : store;\nallow "local:*" : all;\n'
    with Collector(prefix, tmp_path / "p", access=access) as daemon:
        with daemon.client() as local:
            assert local.ask(wire.store([(ONE, [(-1, 1)])])).code == 0
        daemon.configure(pipe(A), access='[access]\ndisallow "*" : store;\n')
        with daemon.client() as local:
            assert local.ask(wire.store([(ONE, [(-1, 1)])])).code == wire.PM_ERR_PERMISSION
            assert local.value(ONE) == 42


def test_refused_hosts(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p", access='[access]\ndisallow ".*" : all;\nallow "unix:" : all;\n') as daemon:
        for _ in range(2):
            with wire.Client(("127.0.0.1", daemon.port), handshake=False) as client:
                hello = client.receive()
                assert (hello.len, hello.code, hello.words(1, 16)) == (20, -1042, (0,))
                assert client.is_closed()
        assert daemon.log.read_text().count("access violation from host 127.0.0.1") == 1


def test_connection_limit(prefix, tmp_path):
    access = '[access]\nallow "unix:" : maximum 2 connections;\n'
    with Collector(prefix, tmp_path / "p", access=access) as daemon:
        with daemon.client() as one, daemon.client():
            with wire.Client(daemon.socket, handshake=False) as third:
                assert third.receive().code == -1043
                assert third.is_closed()
            assert one.value(ONE) == 42
        harness.wait_until("there is room again",
                           lambda: wire.Client(daemon.socket, handshake=False).receive().code == 0)


def test_who_may_no_more_is_closed(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon:
        with daemon.client() as client:
            assert client.value(ONE) == 42
            daemon.configure(pipe(A), access='[access]\ndisallow "unix:" : all;\n')
            assert client.receive().code == wire.PM_ERR_PERMISSION
            assert client.is_closed()


def test_users(prefix, tmp_path):
    access = '[access]\nallow user "root" : all;\n'
    with Collector(prefix, tmp_path / "p", access=access) as daemon:
        with wire.Client(("127.0.0.1", daemon.port), handshake=False) as client:
            hello = client.receive()
            assert hello.words(1, 16)[0] & 8, "credentials are required"
            client.send(wire.creds(flags=8))
            assert client.receive().code == wire.PM_ERR_PERMISSION
            assert client.is_closed()
        if os.getuid() == 0:
            with daemon.client() as client:
                assert client.value(ONE) == 42


def test_verify(prefix, tmp_path):
    daemon = Collector(prefix, tmp_path / "p")
    command_line = [prefix.bin("pmcd"), "-v", "-c", str(daemon.conf)]
    assert harness.run(command_line, env=daemon.env).returncode == 0
    daemon.conf.write_text("x y z\n")
    bad = harness.run(command_line, env=daemon.env)
    assert bad.returncode == 1
    assert 'pmcd config[line 1]: Error: expected domain number for "x" agent' in bad.stderr


# -- labels and names

def test_labels_of_files(prefix, tmp_path):
    etc = tmp_path / "etc"
    (etc / "labels/optional").mkdir(parents=True)
    (etc / "labels/site").write_text('{"site": "north", "rack": 7}')
    (etc / "labels/broken").write_text('{"site": ')
    (etc / "labels/optional/note").write_text('{"note": true}')
    with Collector(prefix, tmp_path / "p", env={"PCP_SYSCONF_DIR": etc}) as daemon, daemon.client() as client:
        def labels():
            got = client.ask(wire.label_req(wire.NULL_ID, 1))
            _, count, at, length = got.words(4, 28)
            text = got.raw[at:at + length]
            flags = {}
            for i in range(count):
                name, name_len, flag = struct.unpack_from(">HBB", got.raw, 44 + 8 * i)
                flags[text[name:name + name_len].decode()] = flag
            return json.loads(text), flags

        values, flags = labels()
        assert values["machineid"] and "machineid_sha256" not in values
        assert (values["site"], values["rack"], values["note"]) == ("north", 7, True)
        assert (flags["site"] & 0x81, flags["note"] & 0x81) == (1, 0x81)
        assert json.loads(client.value(LABELS).rstrip(b"\0")) == {"site": "north", "rack": 7, "note": True}
        (etc / "labels/site").write_text('{"site": "south"}')
        (etc / "labels.conf").write_text("# ours\n[global]\nmachineid_hash = sha256\n")
        daemon.hang_up()
        assert client.fetch([ONE]).mask == 8
        hashed = hashlib.sha256(values["machineid"].encode()).hexdigest()
        assert labels()[0]["site"] == "south" and labels()[0]["machineid_sha256"] == hashed


def test_fragments_of_names(prefix, tmp_path):
    var = tmp_path / "var"
    (var / "pmns").mkdir(parents=True)
    (var / "pmns/root_a").write_text("root {\n a\n}\na {\n one 240:0:0\n}\n")
    with Collector(prefix, tmp_path / "p", env={"PCP_VAR_DIR": var}) as daemon, daemon.client() as client:
        assert client.ask(wire.names_req(["a.one"])).raw[12:] == struct.pack(">iiI", 1, 1, ONE)
        assert client.ask(wire.names_req([f"dyn{A}.one"])).code == wire.PM_ERR_NAME, "it has names: no dynamic root"
        (var / "pmns/root_b").write_text("root {\n b\n}\nb {\n one 240:0:0\n}\n")
        daemon.hang_up()
        assert client.ask(wire.names_req(["b.one"])).raw[12:] == struct.pack(">iiI", 1, 1, ONE)
        assert 'Reloading PMNS "DEFAULT"' in daemon.log.read_text()


# -- agents on sockets

@pytest.mark.parametrize("late", [0, 700])
@pytest.mark.parametrize("family", ["unix", "inet"])
def test_socket_agents(prefix, tmp_path, family, late):
    where = str(tmp_path / "agent.sock") if family == "unix" else str(harness.free_port())
    line = f"dyn{A} {A} socket {family} {where} {command(A, f'{family}={where}', f'late={late}')}"
    with Collector(prefix, tmp_path / "p", [line]) as daemon, daemon.client() as client:
        assert client.value(ONE) == 42
        assert f"bin sock dom={family} port={where} cmd=" in daemon.log.read_text()


def test_socket_agent_that_is_there_already(prefix, tmp_path):
    where = tmp_path / "agent.sock"
    agent = subprocess.Popen(command(A, f"unix={where}").split())
    try:
        harness.wait_until("the agent listens", where.exists)
        with Collector(prefix, tmp_path / "p", [f"dyn{A} {A} socket unix {where}"]) as daemon:
            with daemon.client() as client:
                assert client.value(ONE) == 42
    finally:
        agent.wait(harness.DEADLINE_S)


# -- as a daemon

def test_background(prefix, tmp_path):
    daemon = Collector(prefix, tmp_path / "p")
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(str(tmp_path / "notify"))
    notify.settimeout(harness.DEADLINE_S)
    daemon.env["NOTIFY_SOCKET"] = str(tmp_path / "notify")
    argv = [a for a in daemon.command() if a != "-f"] + ["-U", "root"]
    assert subprocess.run(argv, env=daemon.env, cwd=daemon.dir, timeout=180).returncode == 0
    ready = notify.recv(200).decode()
    pid_file = daemon.dir / "pmcd.pid"
    harness.wait_until("it answers", lambda: harness.answers(daemon.socket))
    pid = int(pid_file.read_text())
    assert ready == f"READY=1\nMAINPID={pid}"
    assert pid_file.stat().st_mode & 0o777 == 0o444
    with daemon.client() as client:
        assert client.value(ONE) == 42
        assert client.value(wire.pmid(2, 0, 23)) == struct.pack(">Q", pid)
    os.kill(pid, signal.SIGTERM)
    assert notify.recv(200) == b"STOPPING=1"
    harness.wait_until("it has gone", lambda: not pid_file.exists())


@pytest.mark.skipif(os.geteuid() != 0, reason="a link of another user")
def test_a_log_that_leads_elsewhere(prefix, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    daemon = Collector(prefix, tmp_path / "p")
    daemon.log.symlink_to(victim)
    os.lchown(daemon.log, 65534, 65534)
    done = harness.run(daemon.command(), env=daemon.env, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f'pmcd: cannot open log "{daemon.log}": Too many levels of symbolic links\n'
    assert victim.read_text() == "untouched"
    os.lchown(daemon.log, 0, 0)  # the administrator's own link is good
    with daemon:
        assert "Log for pmcd" in victim.read_text()


def test_no_agents_is_fatal(prefix, tmp_path):
    daemon = Collector(prefix, tmp_path / "p")
    daemon.conf.write_text("# nothing\n")
    got = harness.run(daemon.command() + ["-x", str(tmp_path / "fatal")], env=daemon.env, cwd=daemon.dir)
    assert got.returncode == 1
    assert "No PMDAs found in the configuration file" in daemon.log.read_text()
    fatal = (tmp_path / "fatal").read_text()
    assert "pmcd not started due to errors!" in fatal
    assert "No PMDAs found in the configuration file" in fatal, "the log is copied to where somebody sits"


@pytest.mark.parametrize("options", [["-p", "x"], ["-t", "x"], ["-Z"], ["more"], ["-i", "nowhere"]])
def test_bad_options(prefix, tmp_path, options):
    daemon = Collector(prefix, tmp_path / "p")
    assert harness.run(daemon.command() + options, env=daemon.env, cwd=daemon.dir).returncode == 1


@pytest.mark.parametrize("options", [["-Q"], ["-A"], ["-S"]])
def test_options_that_are_missing_parts(prefix, tmp_path, options):
    with Collector(prefix, tmp_path / "p", options=options) as daemon, daemon.client() as client:
        assert client.value(ONE) == 42


def test_an_ephemeral_port(prefix, tmp_path):
    daemon = Collector(prefix, tmp_path / "p")
    daemon.port = 0
    with daemon:
        lines = [line.split() for line in daemon.log.read_text().splitlines()]
        port = next(int(words[2]) for words in lines if words[:1] == ["ok"] and words[-1] == "127.0.0.1")
        with wire.ready(("127.0.0.1", port)) as client:
            assert client.value(ONE) == 42


# -- the metrics of the collector about others

@pytest.mark.parametrize("length", [0, 500])
def test_loggers(prefix, tmp_path, length):
    """However long the path is that `primary` leads to."""
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        loggers = daemon.dir / "pmlogger"
        loggers.mkdir()
        (loggers / str(os.getpid())).write_text("4330\nhere\n/var/archive/today\n")
        (loggers / "999999999").write_text("4331\nthere\n/var/archive/dead\n")
        os.symlink(f"{loggers}/{'./' * (length // 2)}{os.getpid()}", loggers / "primary")
        both = [(os.getpid(), str(os.getpid())), (0, "primary")]
        assert client.ask(wire.instance_req(2 << 22 | 1)).instances == both
        got = dict(client.fetch([wire.pmid(2, 3, i) for i in range(3)]).values)
        for item, value in ((0, 4330), (1, b"here\0"), (2, b"/var/archive/today\0")):
            assert got[wire.pmid(2, 3, item)] == [(os.getpid(), value), (0, value)]


def test_counters(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        fetches, total = wire.pmid(2, 1, 3), wire.pmid(2, 1, 16)
        before = [client.value(i) for i in (fetches, total)]
        for _ in range(10):
            client.fetch([ONE])  # one from the client; the agent's RESULT counts too
        after = [client.value(i) for i in (fetches, total)]
        assert after[0] - before[0] == 12
        assert after[1] - before[1] == 22
        assert client.value(wire.pmid(2, 0, 2)) == 2, "agents that are connected"


def test_names_in_order(prefix, tmp_path):
    with Collector(prefix, tmp_path / "p") as daemon, daemon.client() as client:
        names = [n for n, _ in client.ask(wire.child_req("pmcd", 1)).names]
        assert names == ("datasize numagents numclients timezone zoneinfo simabi version services openfds build hostname "
                         "sighups pid seqnum labels control pdu_in pdu_out agent pmlogger pmie buf client cputime "
                         "feature").split()
