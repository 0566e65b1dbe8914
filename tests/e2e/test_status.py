"""`pitot status` and `pitot doctor`: what runs, and everything that can go wrong, really provoked."""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

import pytest

import wire
from harness import Pmcd, free_port, run, wait_until
from peer import Peer
from test_up import NOBODY, Up, children, readable  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
MAN = HERE.parents[1] / "man/man1"
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
# Checks that a test of this file has provoked; the last test holds them against the manual.
seen = set()


def agent(name, domain, *ways, ready=""):
    return f"{name} {domain} pipe binary {ready} {sys.executable} {HERE}/pipe_agent.py {domain} {' '.join(ways)}"


class Pitot:
    """Runs `pitot status` or `pitot doctor` in the environment of a home of its own."""

    def __init__(self, prefix, home):
        self.prefix = prefix
        self.one = Up(prefix, home)
        self.env = self.one.env

    def run(self, *argv, env=None):
        return run([self.prefix.bin("pitot"), *argv], env={**self.env, **(env or {})})

    def json(self, *argv, env=None, status=None):
        done = self.run("status", "--json", "-t", "0", *argv, env=env)
        assert done.stderr == "", done.stderr
        if status is not None:
            assert done.returncode == status, done.stdout
        got = json.loads(done.stdout)
        assert got["schema"] == 1
        return got

    def find(self, check, *argv, env=None):
        """The finding of this check, which has a reason and, in the text form, the same words."""
        got = self.json(*argv, env=env)
        found = [f for f in got["findings"] if f["check"] == check]
        assert found, got["findings"]
        assert found[0]["what"] and found[0]["why"]
        assert found[0]["mend"] is None or run(["/bin/sh", "-n", "-c", found[0]["mend"]]).returncode == 0
        seen.add(check)
        if found[0]["mend"] is not None and found[0]["mend"].split()[0] in ("tail", "ls", "du"):
            self.mend(found[0])
        return found[0]

    def mend(self, found, **env):
        """Does as the finding says."""
        done = run(["/bin/sh", "-c", found["mend"]], env={**self.env, "PATH": os.environ["PATH"], **env})
        assert done.returncode == 0 and done.stderr == "", (found, done.stderr)

    def has_not(self, check, *argv, env=None):
        assert check not in [f["check"] for f in self.json(*argv, env=env)["findings"]]


@pytest.fixture
def pitot(prefix, tmp_path):
    return Pitot(prefix, tmp_path)


@pytest.fixture(scope="module")
def up(prefix, tmp_path_factory):
    one = Up(prefix, tmp_path_factory.mktemp("up"), "--port", str(free_port()), "--no-record").start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def mine(prefix, up):
    """`pitot` of the user whose `pitot up` runs."""
    p = Pitot(prefix, up.home)
    p.env = {**up.env, "PMCD_PORT": up.options[1]}
    return p


@pytest.fixture(scope="module")
def sick(prefix, tmp_path_factory):
    """A collector all of whose agents have something."""
    agents = [agent("good", 250), agent("dier", 251, "die_at=1"), agent("sleeper", 252, "stop_at=1"),
              agent("shy", 253, ready="notready"), "absent 254 pipe binary /no/such/agent",
              agent("fenced", 255), agent("dyn256", 256, "slow=3000")]
    with Pmcd(prefix, tmp_path_factory.mktemp("sick"), agents, options=["-t", "2"]) as one:
        info = [prefix.bin("pminfo"), "-h", one.host, "-f"]
        wait_until("the agents", lambda: '"fenced"] value "ready"' in run([*info, "pitot.agent.state"]).stdout)
        run([*info, "dier"])
        wait_until("it is there again", lambda: '"dier"] value 2\n' in run([*info, "pitot.agent.starts"]).stdout)
        for name in ("dier", "sleeper"):
            run([*info, name])
        yield one


@pytest.fixture
def sick_pitot(prefix, sick, tmp_path):
    p = Pitot(prefix, tmp_path)
    p.json = lambda *argv, _json=p.json, **more: _json("-h", sick.host, *argv, **more)
    return p


# -- what runs

def test_finds_the_users_own(mine, up):
    got = mine.json(status=0)
    (pmcd,) = children(up.process.pid)
    assert got["verdict"] == "well" and got["error"] is None
    assert got["target"] == {"kind": "up", "host": f"unix:{up.socket}", "local": True, "up_pid": up.process.pid}
    collector = got["collector"]
    assert collector["pid"] == pmcd and collector["clients"] == 0 and collector["uid"] == os.geteuid()
    assert collector["pcp_version"] == "6.0.3" and collector["metrics"] > 250
    assert collector["rss_kib"] > 1000 and 0 < collector["pss_kib"] <= collector["rss_kib"]
    assert 5 < collector["descriptors"] < collector["descriptors_limit"]
    assert abs(collector["start_time"] + collector["uptime_s"] - time.time()) < 60
    assert {l["host"] for l in got["listeners"]} == {f"127.0.0.1:{up.options[1]}", f"[::1]:{up.options[1]}",
                                                     f"unix:{up.socket}"}
    agents = {a["name"]: a for a in got["agents"]}
    assert agents["linux"]["state"] == "ready" and agents["linux"]["kind"] == "dso"
    assert sum(a["metrics"] for a in got["agents"]) == collector["metrics"]


def test_text(mine, up):
    done = mine.run("status", "-t", "0.2")
    assert done.returncode == 0 and done.stderr == ""
    assert re.match(r"Pitot \S+ on \S+: well\n", done.stdout)
    for line in (rf"  collector  process \d+, up 0:0\d:\d\d, since \d{{4}}-\d\d-\d\d ", r"  listening  127\.0\.0\.1:\d+$",
                 rf"             unix:{up.socket}$", r"  clients    0, 0\.0 requests/s, \d+\.\d/s since the start$",
                 r"  metrics    \d+$", r"  memory     \d+\.\d MiB resident, \d+\.\d MiB proportional$",
                 r"  open files \d+ of \d+$", rf"  log        {up.home}/log/pmcd.log$",
                 r"  linux +60 +dso +ready +\d+ +0\.0 +- +0 "):
        assert re.search(f"(?m)^{line}", done.stdout), line + done.stdout
    assert "\033" not in done.stdout


def test_rates_are_those_of_the_window(mine, up, prefix):
    with subprocess.Popen([prefix.bin("pmval"), "-h", f"unix:{up.socket}", "-t", "0.05", "hinv.ncpu"],
                          stdout=subprocess.DEVNULL) as client:
        def right():
            """A busy machine delays the client, and then lets it make up for that."""
            got = json.loads(mine.run("status", "-j", "-t", "0.5").stdout)
            collector, linux = got["collector"], [a for a in got["agents"] if a["name"] == "linux"][0]
            assert got["window_s"] >= 0.5 and collector["clients"] <= 1
            return (collector["clients"] == 1 and got["window_s"] < 2 and 10 < collector["fetches_per_s"] <= 25 and collector["requests_per_s"] <= 25
                    and linux["requests_per_s"] > 10)
        wait_until("twenty fetches a second", right, alive=client)
        client.terminate()


def test_without_a_window_nothing_is_measured(mine):
    got = mine.json()
    assert got["window_s"] is None and got["collector"]["requests_per_s"] is None
    assert got["agents"][0]["cpu_percent"] is None


def test_by_host(mine, up):
    for host, local in ((f"127.0.0.1:{up.options[1]}", True), (f"unix:{up.socket}", True)):
        got = mine.json("-h", host)
        assert got["target"]["kind"] == "host" and got["target"]["local"] is local
        assert got["collector"]["metrics"] > 250


def test_a_collector_that_was_started_otherwise(pitot, shared_pmcd):
    """Nothing of the user's own runs: the one that tools reach without -h."""
    got = pitot.json(env={"PMCD_SOCKET": str(shared_pmcd.socket), "PMCD_PORT": str(shared_pmcd.port)})
    assert got["target"]["kind"] == "default" and got["collector"]["pid"] == shared_pmcd.process.pid


def test_a_collector_of_pcp(pitot, peer_root):
    with Peer(("pmcd", "sampledso", "simple")) as peer:
        got = pitot.json("-h", peer.host)
        text = pitot.run("status", "-h", peer.host, "-t", "0.2").stdout
    collector = got["collector"]
    assert collector["version"] is None and collector["pcp_version"] == "6.0.3" and got["listeners"] == []
    assert {a["name"]: a["state"] for a in got["agents"]} == {"pmcd": "ready", "sampledso": "ready", "simple": "ready"}
    assert all(a["metrics"] > 0 for a in got["agents"])
    assert text.startswith("PCP 6.0.3 on ") and f"  reached at {peer.host}\n" in text
    assert re.search(r"  clients    0, 0\.0 fetches/s\n", text)


@ROOT
def test_what_another_user_may_see(prefix, readable, shared_pmcd):
    """Memory is shown, descriptors of another user's process are not readable; the collector reports them itself."""
    done = run([readable / "prefix/bin/pitot", "status", "-j", "-t", "0", "-h", f"127.0.0.1:{shared_pmcd.port}"],
               env={"PATH": "/usr/bin:/bin"}, user=NOBODY, group=NOBODY, extra_groups=[])
    got = json.loads(done.stdout)["collector"]
    assert got["uid"] == 0 and got["rss_kib"] > 1000 and got["pss_kib"] is None and got["descriptors"] > 5


def test_narrow_terminals_lose_columns_and_no_agent(mine):
    wide = mine.run("status", "-t", "0", env={"COLUMNS": "200"}).stdout
    narrow = mine.run("status", "-t", "0", env={"COLUMNS": "40"}).stdout
    table = [line for line in narrow.split("\n\n")[1].splitlines()]
    assert "requests/s" in wide and "requests/s" not in narrow
    assert all(len(line) <= 40 for line in table) and {"agent", "pmcd", "linux", "tracing"} == {line.split()[0] for line in table}


@pytest.mark.parametrize("env, colours", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_on_a_terminal_alone(mine, env, colours, terminals):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    process = subprocess.Popen([mine.prefix.bin("pitot"), "status", "-t", "0"], stdout=slave,
                               env={**mine.env, "TERM": "xterm", **env})
    os.close(slave)
    text = b""
    try:
        while more := os.read(master, 4096):
            text += more
    except OSError:
        pass  # the other end is closed
    os.close(master)
    assert process.wait(60) == 0 and (b"\033[32mwell\033[0m" in text) is colours


def test_watch(mine):
    with subprocess.Popen([mine.prefix.bin("pitot"), "status", "-j", "-w", "-t", "0.1"], env=mine.env,
                          stdout=subprocess.PIPE, text=True) as process:
        looks = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.terminate()
    assert looks[0]["collector"]["uptime_s"] < looks[1]["collector"]["uptime_s"] < looks[2]["collector"]["uptime_s"]


def test_names_of_agents_do_not_reach_the_terminal_as_they_are(prefix, pitot, tmp_path):
    with Pmcd(prefix, tmp_path / "pmcd", ['"\033[31mred" 250 pipe binary /no/such/agent']) as one:
        done = pitot.run("status", "-h", one.host, "-t", "0")
    assert "?[31mred" in done.stdout and "\033" not in done.stdout


@pytest.mark.parametrize("argv, status, message", [
    (["status", "--bogus"], 2, "unknown option '--bogus': see pitot status --help"),
    (["doctor", "-w"], 2, "doctor: unknown option '-w'"),
    (["status", "-t", "x"], 2, "--interval: 'x' is no number from 0 to 3600"),
    (["status", "-h"], 2, "an argument is missing after '-h'"),
    (["status", "more"], 2, "unexpected argument 'more'"),
    (["statsu"], 2, "unknown command 'statsu': did you mean 'pitot status'?"),
    (["doc"], 2, "did you mean 'pitot doctor'?"),
    (["trumpet"], 2, "unknown command 'trumpet': see pitot --help"),
])
def test_bad_options(pitot, argv, status, message):
    done = pitot.run(*argv)
    assert done.returncode == status and message in done.stderr and done.stdout == ""


def test_help(pitot):
    for argv, text in ((["status", "--help"], "Usage: pitot status"), (["help", "doctor"], "Usage: pitot doctor"),
                       (["doctor", "-?"], "Usage: pitot doctor")):
        done = pitot.run(*argv)
        assert done.returncode == 0 and text in done.stdout and done.stderr == ""


# -- the doctor: the collector

def test_well(mine):
    done = mine.run("doctor", "-t", "0")
    assert done.returncode == 0 and done.stdout.endswith("nothing is wrong\n")
    assert "error:" not in done.stdout and "warning:" not in done.stdout


def test_nothing_runs(pitot):
    port = str(free_port())
    env = {"PMCD_PORT": port}
    got = pitot.json(env=env, status=3)
    assert got["verdict"] == "nothing" and got["collector"] is None and got["error"]
    found = pitot.find("not-running", env=env)
    assert found["mend"] == "pitot up" and port in found["what"]
    text = pitot.run("doctor", "-t", "0", env=env)
    assert text.returncode == 3 and f"error: {found['what']}\n  why   {found['why']}\n  mend  pitot up\n" in text.stdout


def test_unreachable(pitot):
    port = free_port()
    pitot.json("-h", f"127.0.0.1:{port}", status=3)
    assert "Connection refused" in pitot.find("unreachable", "-h", f"127.0.0.1:{port}")["what"]


def test_port_taken(pitot):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        found = pitot.find("port-taken", env={"PMCD_PORT": str(port), "PMCD_REQUEST_TIMEOUT": "1"})
    assert found["what"].startswith(f"port {port} is taken by process {os.getpid()} (")
    assert found["mend"] == "pitot up --port 0"  # what else listens there is not ours to end


def test_other_collector(mine, shared_pmcd):
    env = {"PMCD_PORT": str(shared_pmcd.port)}
    found = mine.find("other-collector", env=env)
    assert f"port {shared_pmcd.port} belongs to process {shared_pmcd.process.pid} (pmcd)" in found["what"]
    assert found["severity"] == "note"


def test_hung(prefix, pitot, tmp_path):
    with Pmcd(prefix, tmp_path / "pmcd") as one:
        one.process.send_signal(signal.SIGSTOP)
        env = {"PMCD_REQUEST_TIMEOUT": "1"}
        try:
            found = pitot.find("collector-hung", "-h", one.host, env=env)
            assert pitot.run("status", "-t", "0", "-h", one.host, env=env).returncode == 1
            pitot.mend(found)
            pitot.has_not("collector-hung", "-h", one.host)
        finally:
            one.process.send_signal(signal.SIGCONT)
    assert found["what"] == f"the collector (process {one.process.pid}) is stopped"
    assert found["mend"] == f"kill -CONT {one.process.pid}"


def test_restarting(prefix, tmp_path):
    one = Up(prefix, tmp_path, "--port", str(free_port()), "--no-record").start()
    p = Pitot(prefix, tmp_path)
    env = {"PMCD_PORT": str(free_port())}

    seen_there = []

    def seen_between():
        """It is a second until it is started again, and longer each time."""
        wait_until("there is one", lambda: children(one.process.pid) != [])
        killed = children(one.process.pid)
        os.kill(killed[0], signal.SIGKILL)
        wait_until("it is noticed", lambda: children(one.process.pid) != killed)
        got = p.json(env=env)
        seen_there[:] = [f for f in got["findings"] if f["check"] == "collector-restarting"]
        return seen_there

    try:
        wait_until("it is seen", seen_between)
        found = seen_there[0]
        seen.add(found["check"])
        assert found["why"] and run(["/bin/sh", "-n", "-c", found["mend"]]).returncode == 0
        assert f"process {one.process.pid}" in found["what"] and found["mend"].startswith("tail -n 50 ")
    finally:
        one.stop()


def test_left_overs(pitot):
    env = {"PMCD_PORT": str(free_port())}
    pitot.one.run_dir.mkdir()
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(pitot.one.socket))
    (pitot.one.run_dir / "pitot.lock").write_text("4194303\n")
    (pitot.one.run_dir / "pmcd.pid").write_text("4194303")
    for check, path in (("stale-socket", "pmcd.socket"), ("stale-lock", "pitot.lock"), ("stale-pidfile", "pmcd.pid")):
        found = pitot.find(check, env=env)
        assert found["subject"] == str(pitot.one.run_dir / path)
        assert run(["/bin/sh", "-c", found["mend"]]).returncode == 0
        pitot.has_not(check, env=env)


@pytest.fixture
def copied(prefix, tmp_path):
    """Another installation: its collector is a copy, everything else is the same."""
    (tmp_path / "copy/bin").mkdir(parents=True)
    for name in os.listdir(prefix.path):
        if name != "bin":
            (tmp_path / "copy" / name).symlink_to(prefix.path / name)
    program = tmp_path / "copy/bin/pmcd"
    shutil.copy2(prefix.bin("pmcd"), program)
    one = Pmcd(prefix, tmp_path / "pmcd")
    one.command = lambda _command=one.command: [str(program), *_command()[1:]]
    return one, program


def test_another_version(pitot, copied):
    one, program = copied
    version = run([pitot.prefix.bin("pitot"), "--version"]).stdout.split()[1]
    older = re.sub(r"\d", "9", version)
    program.write_bytes(program.read_bytes().replace(version.encode() + b"\0", older.encode() + b"\0"))
    with one:
        found = pitot.find("version", "-h", one.host)
    assert found["what"] == f"the collector is Pitot {older}, this is {version}"
    assert found["mend"] == f"kill {one.process.pid}; sleep 1; pitot up"


def test_program_replaced(pitot, copied):
    one, program = copied
    with one:
        program.unlink()
        found = pitot.find("program-replaced", "-h", one.host)
    assert str(one.process.pid) in found["what"]


def test_configuration(prefix, pitot, tmp_path):
    with Pmcd(prefix, tmp_path / "pmcd") as one:
        pitot.has_not("configuration", "-h", one.host)
        lines = len(one.conf.read_text().splitlines())
        one.conf.write_text(one.conf.read_text().rstrip("\n") + "\nbad x pipe binary true\n")
        found = pitot.find("configuration", "-h", one.host)
        assert found["what"] == f'pmcd config[line {lines + 1}]: Error: expected domain number for "bad" agent'
        assert found["subject"] == str(one.conf) and str(one.conf) in found["mend"]
        pitot.mend(found, EDITOR="sed -i /bad/d")
        pitot.has_not("configuration", "-h", one.host)
        one.conf.unlink()
        assert "can't be read: No such file" in pitot.find("configuration", "-h", one.host)["what"]


def test_name_space(prefix, pitot, tmp_path):
    names = tmp_path / "var/pmns"
    names.mkdir(parents=True)
    shutil.copy(prefix.path / "var/lib/pcp/pmns/root_linux", names)
    with Pmcd(prefix, tmp_path / "pmcd", env={"PCP_VAR_DIR": tmp_path / "var"}) as one:
        pitot.has_not("name-space", "-h", one.host)
        (names / "root_bad").write_text("root {\n    a 1:1:1\n    b {\n}\n")
        found = pitot.find("name-space", "-h", one.host)
        pitot.mend(found, EDITOR="sed -i s/^.*b.{//")
        pitot.has_not("name-space", "-h", one.host)
    assert f"{names}/root_bad" in found["what"] and found["subject"] == str(names / "root_bad")


# -- agents

def test_agents_that_are_sick(sick, sick_pitot):
    p = sick_pitot
    run([p.prefix.bin("pminfo"), "-h", sick.host, "-f", "dyn256.one"])
    down = p.find("agent-down")
    assert down["subject"] == "absent" and "could not be started (No such file or directory)" in down["what"]
    assert str(sick.conf) in down["mend"] and f"kill -HUP {sick.process.pid}" in down["mend"]
    dies = p.find("agent-restarting")
    assert dies["subject"] == "dier" and "ended (exit status 3)" in dies["what"] and str(sick.log) in dies["mend"]
    late = p.find("agent-late")
    assert late["subject"] == "sleeper" and "its process is stopped" in late["what"]
    assert p.find("agent-notready")["subject"] == "shy"
    agents = {a["name"]: a for a in p.json(status=1)["agents"]}
    assert {n: a["state"] for n, a in agents.items()} == {
        "pmcd": "ready", "good": "ready", "dier": "down", "sleeper": "late", "shy": "notready", "absent": "down",
        "fenced": "ready", "dyn256": agents["dyn256"]["state"]}
    assert late["mend"] == f"kill -CONT {agents['sleeper']['pid']}"
    assert agents["good"]["rss_kib"] > 1000 and agents["dier"]["ends"] >= 2
    assert agents["dier"]["error"] == "ended (exit status 3)"
    p.mend(late)
    wait_until("it answers", lambda: "sleeper" not in [f["subject"] for f in p.json()["findings"] if f["check"] == "agent-late"])
    p.mend(down, EDITOR="true")


def test_each_agent_has_one_finding(sick_pitot):
    subjects = [f["subject"] for f in sick_pitot.json()["findings"] if f["check"].startswith("agent-")]
    assert len(subjects) == len(set(subjects))


def test_agent_that_was_late(sick, sick_pitot):
    run([sick_pitot.prefix.bin("pminfo"), "-h", sick.host, "-f", "dyn256.one"])
    wait_until("it has answered", lambda: [a["late"] for a in sick_pitot.json()["agents"] if a["name"] == "dyn256"] == [0])
    sick_pitot.find("agent-timeouts")
    found = {f["subject"]: f["what"] for f in sick_pitot.json()["findings"] if f["check"] == "agent-timeouts"}
    assert "did not answer in time" in found["dyn256"]


@ROOT
def test_agent_fenced(sick, sick_pitot, prefix):
    env = {**sick_pitot.env, "PATH": f"{prefix.path / 'bin'}:{os.environ['PATH']}"}
    done = run(["pmstore", "-h", sick.host, "-i", "fenced", "pmcd.agent.fenced", "1"], env=env)
    assert done.returncode == 0, done.stderr
    found = sick_pitot.find("agent-fenced")
    assert found["subject"] == "fenced" and found["mend"] == f"pmstore -h {sick.host} -i fenced pmcd.agent.fenced 0"
    assert run(["/bin/sh", "-c", found["mend"]], env=env).returncode == 0
    sick_pitot.has_not("agent-fenced")


# -- the host

def test_directory_gone(prefix, pitot, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    with Pmcd(prefix, tmp_path / "pmcd") as one:
        one.stop()
        one.env["PCP_TMP_DIR"] = str(gone)
        one.start()
        pitot.has_not("directory", "-h", one.host)
        gone.rmdir()
        found = pitot.find("directory", "-h", one.host)
        assert found["what"] == f"the tmp directory {gone}: No such file or directory"
        assert run(["/bin/sh", "-c", found["mend"]]).returncode == 0
        pitot.has_not("directory", "-h", one.host)


@ROOT
def test_directory_of_another(prefix, pitot, tmp_path):
    with Pmcd(prefix, tmp_path / "pmcd") as one:
        os.chown(one.dir, NOBODY, -1)
        found = pitot.find("directory-owner", "-h", one.host)
        assert found["subject"] == str(one.dir)
        assert run(["/bin/sh", "-c", found["mend"]]).returncode == 0
        pitot.has_not("directory-owner", "-h", one.host)


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]).returncode != 0:
        pytest.skip("can't mount a small disk here")
    yield disk
    run(["umount", "-l", disk])


@ROOT
def test_disk_full(prefix, pitot, tmp_path, small_disk):
    with Pmcd(prefix, tmp_path / "pmcd") as one:
        one.stop()
        one.env["PCP_TMP_DIR"] = str(small_disk)
        one.start()
        pitot.has_not("disk-nearly-full", "-h", one.host)
        for megabytes, check in ((62, "disk-nearly-full"), (64, "disk-full")):
            with open(small_disk / "file", "ab") as f:
                try:
                    f.write(bytes((megabytes << 20) - f.tell()))
                except OSError:
                    pass
            found = pitot.find(check, "-h", one.host)
            assert found["subject"] == str(small_disk)
        shell = run(["/bin/sh", "-c", found["mend"]])
        assert str(small_disk / "file") in shell.stdout, shell.stderr


def test_descriptors(prefix, pitot, tmp_path):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with Pmcd(prefix, tmp_path / "pmcd") as one:
        one.stop()
        one.start(preexec_fn=few)
        found = pitot.find("descriptors-limit", "-h", one.host)
        assert found["what"] == "the collector may have 64 descriptors" and "65536" in found["mend"]
        if run(["prlimit", "--nofile=65536:65536", "true"]).returncode == 0:  # some containers let nobody do it
            with Pmcd(prefix, tmp_path / "mended") as other:
                other.stop()
                other.start(preexec_fn=few)
                pitot.mend(pitot.find("descriptors-limit", "-h", other.host))
                pitot.has_not("descriptors-limit", "-h", other.host)
        pitot.has_not("descriptors", "-h", one.host)
        clients = []

        def connect():
            """A client that has introduced itself; its refusal, if it is refused."""
            client = wire.Client(one.socket, handshake=False)
            clients.append(client)
            code = client.receive().code
            if code == 0:
                client.send(wire.creds() + wire.profile())
                client.value(wire.pmid(2, 0, 7))
            return code

        while max(int(n) for n in os.listdir(f"/proc/{one.process.pid}/fd")) < 52:
            assert connect() == 0
        assert "of 64 descriptors are in use" in pitot.find("descriptors", "-h", one.host)["what"]
        while connect() == 0:
            assert len(clients) < 64
        # Another process of the user gets in, in place of one of these.
        assert "no descriptors are left" in pitot.find("descriptors-gone", "-h", one.host)["what"]
        for client in clients:
            client.close()


def test_refused_for_its_connections(prefix, pitot, tmp_path):
    """The collector runs and refuses: that it is unreachable and must be started would be wrong."""
    with Pmcd(prefix, tmp_path / "pmcd", access='[access]\nallow "unix:" : maximum 1 connections;\n') as one:
        def the_only_one():
            """The connection that checked whether it serves may still be open."""
            client = wire.Client(one.socket, handshake=False)
            if client.receive().code == 0:
                client.send(wire.creds() + wire.profile())
                client.value(wire.pmid(2, 0, 7))
                served.append(client)
            else:
                client.close()
            return served

        served = []
        wait_until("it is served", the_only_one)
        with served[0]:
            assert "refuses this client" in pitot.find("descriptors-gone", "-h", one.host)["what"]
            pitot.has_not("unreachable", "-h", one.host)


def test_environment(mine, up, tmp_path):
    for name, value in (("PMCD_SOCKET", str(tmp_path / "nowhere")), ("PMCD_PORT", "1"), ("PCP_CONF", "/no/such/file"),
                        ("PCP_CONTAINER", "box")):
        found = mine.find("environment", env={name: value})
        assert found["subject"] == name and found["mend"] == f"unset {name}" and value in found["what"]
        done = run(["/bin/sh", "-c", f"{found['mend']}; {mine.prefix.bin('pitot')} doctor -t 0"], env={**mine.env, name: value})
        assert done.returncode == 0 and name not in done.stdout, done.stdout
    mine.has_not("environment", env={"PMCD_SOCKET": str(up.socket)})


# -- time

@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    cc = shutil.which("cc") or shutil.which("gcc")
    library = tmp_path_factory.mktemp("shim") / "clock_shim.so"
    done = run([cc, "-shared", "-fPIC", "-o", library, HERE / "clock_shim.c"])
    assert done.returncode == 0, done.stderr
    return {"LD_PRELOAD": str(library), "CLOCK_SYNC": "1"}


def test_clock_set_while_we_look(mine, shim):
    for window_s in (3, 12, 48):  # where a start takes long the clock is set before the first look
        done = mine.run("status", "-j", "-t", str(window_s), env={**shim, "CLOCK_SET": "3", "CLOCK_FROM_MS": str(window_s * 500)})
        found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
        if "clock-stepped" in found:
            break
    assert done.returncode == 1 and re.search(r"was set by \+(2\.99\d|3\.00\d) s", found["clock-stepped"]["what"])
    assert found["clock-stepped"]["mend"]
    seen.add("clock-stepped")


def test_clock_free_running(mine, shim):
    found = mine.find("clock-free-running", env={**shim, "CLOCK_SYNC": "0"})
    assert found["severity"] == "note"
    # A command that can work here: without systemd timedatectl cannot.
    assert shutil.which(found["mend"].split()[0], path="/usr/sbin:/usr/bin:/sbin:/bin")
    assert found["mend"].startswith("timedatectl") == os.path.isdir("/run/systemd/system")
    mine.has_not("clock-free-running", env=shim)


def test_clock_set_since_the_start(prefix, pitot, tmp_path, shim):
    with Pmcd(prefix, tmp_path / "pmcd", env={**shim, "CLOCK_SET": "-7", "CLOCK_UNTIL_MS": "2000"}) as one:
        time.sleep(2.1)  # until the shim's clock is set: it runs since before the collector answers
        found = pitot.find("clock-was-stepped", "-h", one.host)
    assert "was set by +7.0 s since the collector started" in found["what"]


def test_clock_of_the_collector(prefix, pitot, tmp_path, shim):
    with Pmcd(prefix, tmp_path / "pmcd", env={**shim, "CLOCK_SET": "-5"}) as one:
        start = time.monotonic()
        found = pitot.find("clock-differs", "-h", one.host)
        took = time.monotonic() - start
    # The collector looked at its clock at some time between question and answer.
    behind = float(re.search(r"is (\d+\.\d+) s behind ours", found["what"])[1])
    assert 5 - took < behind < 5.001, found["what"]


@pytest.mark.parametrize("program, what", [
    ("echo hello, this is an agent that prints", r"it broke the protocol.*; one that prints on its standard output does that"),
    ("kill -SEGV $$", r"it could not be started \(signal 11, Segmentation fault\)"),
])
def test_agent_whose_program_fails(prefix, pitot, tmp_path, program, what):
    """The configuration is right, so it is not the mend: the log says more."""
    script = tmp_path / "agent"
    script.write_text(f"#!/bin/sh\n{program}\nexec sleep 60\n")
    script.chmod(0o755)
    with Pmcd(prefix, tmp_path / "pmcd", [f"bad 250 pipe binary {script}"]) as one:
        found = []

        def there():
            found[:] = [f for f in pitot.json("-h", one.host)["findings"] if f["check"] == "agent-down"]
            return found
        wait_until("it is found", there)
        assert re.search(what, found[0]["what"]), found
        assert re.fullmatch(r"tail -n 50 \S+/pmcd\.log", found[0]["mend"]), found


# -- the manual

def test_every_check_is_in_the_manual_and_was_provoked(request):
    told = re.findall(r"(?m)^\.It Cm (\S+)$", (MAN / "pitot-doctor.1").read_text())
    told = [check for check in told if not check.startswith("recorder-")]  # those are test_doctor_recorder's
    if len(seen) < 20:
        pytest.skip("only part of this file was run")
    needs_root = set() if os.geteuid() == 0 else {"agent-fenced", "directory-owner", "disk-full", "disk-nearly-full"}
    assert seen | needs_root >= set(told) and seen <= set(told), (set(told) ^ seen)


def test_every_member_is_in_the_manual(mine):
    page = (MAN / "pitot-status.1").read_text()
    told = set(re.findall(r"(?m)^\.It Va (\S+)", page))

    def keys(value):
        if isinstance(value, dict):
            return set(value) | set().union(*(keys(v) for v in value.values()))
        return set().union(*(keys(v) for v in value)) if isinstance(value, list) else set()

    got = keys(mine.json(env={"PCP_CONTAINER": "box"}))
    assert got == told, got ^ told
