"""`pitot up`: one command, without root and without configuration, which leaves no files."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

from harness import answers, free_port, gone, install_copy, run, wait_until


class Up:
    """A `pitot up` in directories of its own."""

    def __init__(self, prefix, home, *options):
        self.prefix = prefix
        self.home = pathlib.Path(home)
        self.run_dir = self.home / "run"
        self.socket = self.run_dir / "pmcd.socket"
        self.options = list(options)
        self.env = prefix.env(HOME=self.home, PCP_RUN_DIR=self.run_dir, PCP_VAR_DIR=self.home / "var",
                              PCP_LOG_DIR=self.home / "log", PCP_ARCHIVE_DIR=self.home / "archives",
                              PCP_USER="nobody-of-this-name")

    def command(self):
        return [self.prefix.bin("pitot"), "up", *self.options]

    def start(self):
        self.process = subprocess.Popen(self.command(), env=self.env, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.banner = []
        for line in self.process.stdout:
            self.banner.append(line.rstrip("\n"))
            if "Ctrl-C stops" in line:
                return self
        raise AssertionError("no banner: " + self.process.stderr.read())

    def stop(self, sig=signal.SIGINT):
        self.process.send_signal(sig)
        status = self.process.wait(120)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@pytest.fixture
def up(prefix, tmp_path):
    runs = []

    def start(*options):
        runs.append(Up(prefix, tmp_path, "--port", str(free_port()), *options).start())
        return runs[-1]

    yield start
    for one in runs:
        if one.process.poll() is None:
            one.stop()


def children(pid, program="pmcd"):
    """The processes of a program that it started."""
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(p) for p in found if comm(p) == program]


def comm(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return None


def commands(banner):
    start = next(i for i, line in enumerate(banner) if line.startswith("  try in another shell"))
    return [line.strip() for line in banner[start + 1:] if line.startswith("    ")]


def test_prints_commands_that_work_as_printed(up):
    one = up()
    tries = commands(one.banner)
    assert len(tries) == 3
    for line in tries:
        line = line.replace("-s 5", "-s 2")
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=120,
                              env={"PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, line + done.stderr
        assert done.stderr == "" and done.stdout.strip()
        assert "Error" not in done.stdout and "-12" not in done.stdout.split("host:")[0]


def test_counts_its_metrics_and_says_where_it_listens(up):
    one = up()
    text = "\n".join(one.banner)
    count = int(re.search(r"collects (\d+) metrics", text).group(1))
    status = run([one.prefix.bin("pitot"), "status", "-t", "0"], env=one.env).stdout
    assert count >= 250 and count == int(re.search(r"(?m)^  metrics    (\d+)$", status).group(1))
    port = one.options[1]
    assert str(one.socket) in text and f"port {port}" in text
    with socket.create_connection(("127.0.0.1", int(port)), 60) as s:
        assert len(s.recv(20)) == 20


def test_the_environment_of_tools_opens_no_ports(prefix, tmp_path):
    port, other = free_port(), free_port()
    one = Up(prefix, tmp_path, "--port", str(port))
    one.env.update(PMCD_PORT=str(other), PMCD_LOCAL="0")
    one.start()
    tables = [pathlib.Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
    addresses = {local for local, state in re.findall(r"^ *\d+: (\w+:\w+) \w+:\w+ (\w\w)", "\n".join(tables), re.M)
                 if state == "0A" and int(local.split(":")[1], 16) in (port, other)}
    assert one.stop() == 0
    assert {a for a in addresses if a.endswith(f":{other:04X}") or set(a.split(":")[0]) == {"0"}} == set()
    assert addresses


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_stops_cleanly(up, sig):
    one = up()
    (pmcd,) = children(one.process.pid)
    assert one.stop(sig) == 0
    assert not one.socket.exists() and not one.run_dir.exists()
    assert gone(pmcd)


def test_seconds(prefix, tmp_path):
    done = run(Up(prefix, tmp_path, "--port", "0", "--seconds", "1").command(),
               env=Up(prefix, tmp_path).env)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "run").exists()


def test_collector_is_started_again(up):
    one = up()
    (first,) = children(one.process.pid)
    os.kill(first, signal.SIGKILL)
    wait_until("a new collector", lambda: children(one.process.pid) not in ([], [first]) and answers(one.socket))


def test_collector_dies_with_it(up):
    one = up()
    (pmcd,) = children(one.process.pid)
    one.process.kill()
    one.process.wait()
    wait_until("the collector ends", lambda: gone(pmcd))


def test_second_one_says_who_runs(up, prefix, tmp_path):
    one = up()
    done = run(Up(prefix, tmp_path, "--port", "0").command(), env=one.env)
    assert done.returncode == 1
    assert f"already running as process {one.process.pid}, at unix:{one.socket}; see pitot status, or stop it first\n" in done.stderr
    assert "PCP_RUN_DIR" not in done.stderr  # with it alone, two recorders would write into one folder


def test_port_taken(prefix, tmp_path):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        one = Up(prefix, tmp_path, "--port", str(port))
        done = run(one.command(), env=one.env)
    assert done.returncode == 1
    assert re.fullmatch(rf"pitot: port {port} of 127\.0\.0\.1 is taken by process {os.getpid()} \(\S+\) of (user )?\S+; "
                        r"choose another with --port N\n", done.stderr)
    assert not (tmp_path / "run").exists()


def test_directory_that_cannot_be_written(prefix, tmp_path):
    (tmp_path / "file").write_text("")
    one = Up(prefix, tmp_path, "--port", "0")
    done = run(one.command(), env={**one.env, "PCP_RUN_DIR": str(tmp_path / "file" / "run")})
    assert done.returncode == 1
    assert f"cannot make the directory {tmp_path}/file/run: Not a directory" in done.stderr


@pytest.mark.parametrize("options, status, message", [
    (["--seconds", "x"], 2, "--seconds: 'x' is no number from 0 to 2147483647"),
    (["--port", "65536"], 2, "--port: '65536' is no number from 0 to 65535"),
    (["--port"], 2, "an argument is missing after '--port'"),
    (["--bogus"], 2, "unknown option '--bogus'"),
    (["extra"], 2, "unexpected argument 'extra'"),
    (["--listen", "nowhere"], 1, "--listen: 'nowhere' is no IPv4 or IPv6 address"),
    (["--listen", "192.0.2.1", "--port", "0"], 1, "of 192.0.2.1: Cannot assign requested address"),
    (["--config", "/no/such/file"], 1, "cannot read the configuration /no/such/file: No such file or directory"),
])
def test_bad_options(prefix, tmp_path, options, status, message):
    one = Up(prefix, tmp_path, *options)
    done = run(one.command(), env=one.env)
    assert done.returncode == status and message in done.stderr


def test_help_and_version(prefix):
    for argv, text in ((["--help"], "Usage: pitot COMMAND"), (["up", "--help"], "Usage: pitot up"),
                       (["--version"], "compatible with PCP 6.0.3")):
        done = run([prefix.bin("pitot"), *argv])
        assert done.returncode == 0 and text in done.stdout and done.stderr == ""
    assert run([prefix.bin("pitot")]).returncode == 2
    assert run([prefix.bin("pitot"), "nonsense"]).returncode == 2


def test_stores_over_the_unix_socket_alone(up, peer_root):
    """Debian's access section: what may be stored at all may be stored locally only."""
    one = up()
    env = {**os.environ, "PCP_DIR": str(peer_root), "LD_LIBRARY_PATH": str(peer_root / "usr/lib"),
           "PCP_CONF": str(peer_root / "etc/pcp.conf")}
    pmstore = str(peer_root / "usr/bin/pmstore")
    local = run([pmstore, "-h", f"unix:{one.socket}", "-i", "3", "pmcd.control.register", "7"], env=env)
    assert local.returncode == 0, local.stderr
    remote = run([pmstore, "-h", f"127.0.0.1:{one.options[1]}", "-i", "3", "pmcd.control.register", "8"], env=env)
    assert remote.returncode == 1 and "No permission" in remote.stdout + remote.stderr


NOBODY = 65534


@pytest.fixture
def readable(prefix):
    """A copy of the installation and a home that any user can use."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pitot-test-", dir="/tmp"))
    folder.chmod(0o755)
    install_copy(prefix.path, folder / "prefix")
    (folder / "home").mkdir()
    if os.geteuid() == 0:  # the tests' programs run as another user then
        os.chown(folder / "home", NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="every other test runs without root then")
@pytest.mark.parametrize("home", [True, False])
def test_without_root_and_without_configuration(prefix, readable, home):
    env = {"PATH": "/usr/bin:/bin", **({"HOME": str(readable / "home")} if home else {})}
    below_tmp = pathlib.Path(f"/tmp/pitot-{NOBODY}")
    process = subprocess.Popen([readable / "prefix/bin/pitot", "up", "--port", "0"], env=env, user=NOBODY, group=NOBODY,
                               extra_groups=[], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for line in process.stdout:
        if "Ctrl-C stops" in line:
            break
    sock = below_tmp / "run/pmcd.socket"
    assert sock.exists() and below_tmp.stat().st_mode & 0o777 == 0o700, process.stderr.read()
    done = run([prefix.bin("pminfo"), "-h", f"unix:{sock}", "-f", "kernel.all.load"], env=prefix.env())
    assert done.returncode == 0 and "value" in done.stdout
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0
    assert below_tmp.exists() == (not home) and not sock.exists()
    shutil.rmtree(below_tmp, ignore_errors=True)
    process.stdout.close()
    process.stderr.close()


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.parametrize("session", [True, False], ids=["with XDG_RUNTIME_DIR", "without"])
def test_a_user_finds_the_own_collector_and_recorder(readable, session):
    """With no variable set that a user would not set, every tool finds what `pitot up` of this user runs."""
    root = os.geteuid() == 0
    uid = NOBODY if root else os.geteuid()
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
    env = {"PATH": f"{readable}/prefix/bin:/usr/bin:/bin", "HOME": str(readable / "home"), "LC_ALL": "C"}
    if session:
        folder = readable / "run"
        folder.mkdir(mode=0o700)
        os.chown(folder, uid, -1)
        env["XDG_RUNTIME_DIR"] = str(folder)
    process = subprocess.Popen(["pitot", "up", "--port", "0"], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **who)

    def tell(*argv, stdin=None):
        return subprocess.run(argv, env=env, text=True, input=stdin, capture_output=True, timeout=180, **who)

    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C stops" in line:
                break
        if not any("Ctrl-C stops" in line for line in said):
            pytest.fail("".join(said))
        assert tell("pminfo", "-f", "kernel.all.load").returncode == 0
        wait_until("the recorder answers", lambda: "primary pmlogger" in tell("pmlc", "-P", stdin="status\n").stdout)
        done = tell("pmlc", "-P", stdin="status\n")
        assert (done.returncode, done.stderr) == (0, "")
        listed = tell("pmlc", stdin="show loggers\n").stdout
        pid = re.search(r"primary \((\d+)\)", listed)[1]
        named = tell("pmlc", pid, stdin="status\n")
        assert named.returncode == 0 and f"pmlogger [{pid}]" in named.stdout
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        shutil.rmtree(f"/tmp/pitot-{uid}", ignore_errors=True)


def answer_and_stop(prefix, process, sock):
    """Waits for the banner, asks, interrupts; what it said."""
    said = []
    for line in process.stdout:
        said.append(line)
        if "Ctrl-C stops" in line:
            break
    assert sock.exists(), "".join(said) + process.stderr.read()
    done = run([prefix.bin("pminfo"), "-h", f"unix:{sock}", "-f", "kernel.all.load"], env=prefix.env())
    assert done.returncode == 0 and "value" in done.stdout
    process.send_signal(signal.SIGINT)
    said += process.stdout.readlines()
    assert process.wait(120) == 0 and said[-1] == "Stopped\n" and not sock.exists()
    process.stdout.close()
    process.stderr.close()
    return "".join(said)


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs a home that is not ours to write")
def test_a_read_only_home(prefix, readable):
    """And a run directory that is not there: everything is below /tmp, and `pitot status` finds it."""
    os.chown(readable / "home", 0, 0)
    env = {"HOME": str(readable / "home"), "XDG_RUNTIME_DIR": "/no/such/directory", "PATH": "/usr/bin:/bin"}
    nobody = {"env": env, "user": NOBODY, "group": NOBODY, "extra_groups": []}
    below_tmp = pathlib.Path(f"/tmp/pitot-{NOBODY}")
    prefix_bin = (readable / "prefix/bin").joinpath
    pitot = prefix_bin("pitot")
    process = subprocess.Popen([pitot, "up", "--port", "0"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               **nobody)
    wait_until("it answers", lambda: answers(below_tmp / "run/pmcd.socket"), alive=process)
    status = run([pitot, "status", "-j", "-t", "0"], **nobody)
    assert f'"up_pid":{process.pid}' in status.stdout, status.stdout + status.stderr
    # Tools find it without an option, by the socket: the collector knows who stores.
    done = run([prefix_bin("pmstore"), "tracing.control.attach", "2147483647"], **nobody)
    assert "No such process" in done.stdout + done.stderr
    done = run([prefix_bin("pmstore"), "tracing.control.attach", "2147483647"],
               **{**nobody, "env": {**env, "PMCD_SOCKET": "/no/such/socket"}})
    assert "No such process" not in done.stdout + done.stderr
    said = answer_and_stop(prefix, process, below_tmp / "run/pmcd.socket")
    assert f"log          {below_tmp}/state/log/pmcd.log" in said
    shutil.rmtree(below_tmp)


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs mounts of its own")
@pytest.mark.parametrize("setting", [
    "mount --bind /dev/null /etc/hosts",
    "mount -t tmpfs -o ro none /run && mount -t tmpfs -o ro none /var/lib",
])
def test_a_bare_container(prefix, tmp_path, setting):
    """As root, without a home, without names of hosts, or where only /tmp can be written."""
    if run(["unshare", "-m", "true"]).returncode != 0:
        pytest.skip("no mounts of its own here")
    run_dir = tmp_path / "run" if "hosts" in setting else pathlib.Path("/tmp/pitot-0/run")
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PCP_USER": "nobody-of-this-name"}
    if "hosts" in setting:
        env |= {"PCP_RUN_DIR": str(run_dir), "PCP_VAR_DIR": str(tmp_path / "var"), "PCP_LOG_DIR": str(tmp_path / "log")}
    process = subprocess.Popen(["unshare", "-m", "sh", "-c", f"{setting} && exec {prefix.bin('pitot')} up --port 0"],
                               env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answer_and_stop(prefix, process, run_dir / "pmcd.socket")
    if "hosts" not in setting:
        shutil.rmtree("/tmp/pitot-0")


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's directory")
def test_a_trap_for_root(prefix, readable):
    """Files below /tmp with root's name must belong to root."""
    if run(["unshare", "-m", "true"]).returncode != 0:
        pytest.skip("no mount name spaces here: as in a chroot")
    trap = pathlib.Path("/tmp/pitot-0")
    trap.mkdir()
    os.chown(trap, NOBODY, NOBODY)
    try:
        done = run(["unshare", "-m", "sh", "-c",
                    f"mount -t tmpfs -o ro none /run && exec {prefix.bin('pitot')} up --port 0"],
                   env={"PATH": "/usr/bin:/bin"})
        assert done.returncode == 1 and f"/tmp/pitot-0 belongs to another user (uid {NOBODY})" in done.stderr
    finally:
        trap.rmdir()


@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's directory")
def test_a_trap_below_tmp(readable):
    below_tmp = pathlib.Path(f"/tmp/pitot-{NOBODY}")
    below_tmp.mkdir()
    try:
        done = run([readable / "prefix/bin/pitot", "up", "--port", "0"], env={"HOME": str(readable / "home")},
                   user=NOBODY, group=NOBODY, extra_groups=[])
        assert done.returncode == 1 and (f"cannot write in the directory {below_tmp}" in done.stderr
                                         or f"{below_tmp} belongs to another user (uid 0)" in done.stderr)
    finally:
        below_tmp.rmdir()


def test_paths_with_blanks(prefix, tmp_path):
    home = tmp_path / "a b"
    home.mkdir()
    one = Up(prefix, home, "--port", "0").start()
    try:
        for line in commands(one.banner):
            assert shlex.split(line)[2] == f"unix:{one.socket}"
    finally:
        one.stop()
