"""Real daemons in private directories: what the end-to-end tests start, wait for and stop.

PITOT_PREFIX names an installed Pitot (scripts/check-suite sets it), PITOT_PEER an unpacked Debian
PCP. Nothing here sleeps for luck: a daemon is ready when it answers.
"""
import collections
import contextlib
import errno
import functools
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time

DEADLINE_S = 180
ROUNDS = 5
# Below the kernel's range for outgoing connections, so that no program gets the port by accident between the check and
# its use.
PORTS = range(20000, 32000)
# Names that keep other runners of tests from the ports that this one has found last; a daemon soon holds its port itself.
claims = collections.deque()
CLAIMS = 64


# Where programs under test have their logs, for the report of a test that fails.
folders = []


class TooSlow(AssertionError):
    """A time limit was exceeded, by the product or because the machine is busy."""


@contextlib.contextmanager
def within(limit_s, what):
    """The body may take at most this long; see patient."""
    start = time.monotonic()
    yield
    took = time.monotonic() - start
    if took >= limit_s:
        raise TooSlow(f"{what}: {took:.3f} s, not within {limit_s} s")


def patient(reason):
    """Repeats a test, each time in a new folder, while its only failure is TooSlow: a fault of the product occurs in
    each round, an effect of a busy machine does not. The last resort: the reason says why the test cannot count events
    or CPU time, or set a clock, instead. Such a test runs alone: see conftest.py."""
    import pytest  # not above: programs other than tests use this file too

    assert isinstance(reason, str) and reason, "patient(reason): why is real time measured?"

    def repeated(test):
        @functools.wraps(test)
        def rounds(*args, **fixtures):
            for turn in range(1, ROUNDS):
                try:
                    return test(*args, **fixtures)
                except TooSlow as slow:
                    print(f"round {turn}: {slow}")
                if "tmp_path" in fixtures:
                    fixtures["tmp_path"] = fixtures["tmp_path"] / str(turn + 1)
                    fixtures["tmp_path"].mkdir()
            return test(*args, **fixtures)
        return pytest.mark.alone(rounds)
    return repeated


def cpu_s(pid):
    """The CPU time that a process has taken, in seconds. The work between two events is the same on a busy machine."""
    return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as clock_getcpuclockid() makes its number


def wrong_each_time(reason, compare):
    """The differences that appear in each of several rounds of comparing live values: compare(round) -> {item:
    difference}. A change between two readings is random, so it does not affect the same item each time. The reason
    says what moves, and why it cannot be kept still."""
    assert isinstance(reason, str) and reason, "wrong_each_time(reason, compare): what moves?"
    wrong = compare(1)
    for turn in range(2, ROUNDS + 1):
        if not wrong:
            break
        again = compare(turn)
        wrong = {what: how for what, how in again.items() if what in wrong}
    return wrong


def claim(what):
    """A socket whose abstract name says that a runner of tests on this host has this; OSError if another has it."""
    one = socket.socket(socket.AF_UNIX)
    try:
        one.bind(f"\0pitot-test-{what}")
    except OSError:
        one.close()
        raise
    return one


def free_port():
    """A TCP port of this host that was free a moment ago, as is the one above it. Runners side by side get different ones."""
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        with contextlib.ExitStack() as taken:
            try:
                names = [taken.enter_context(claim(f"port-{one}")) for one in (port, port + 1)]
                for one in (port, port + 1):
                    with socket.socket() as s:
                        s.bind(("", one))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            taken.pop_all()
        claims.extend(names)
        while len(claims) > CLAIMS:
            claims.popleft().close()
        return port
    raise AssertionError("no port is free")


def wait_until(what, condition, deadline_s=DEADLINE_S, alive=None):
    """Polls condition until it is true; fails with what, or when the process alive has ended."""
    end = time.monotonic() + deadline_s
    while not condition():
        if alive is not None and alive.poll() is not None:
            raise AssertionError(f"{what}: the process ended with status {alive.returncode}")
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {deadline_s} s")
        time.sleep(0.01)


@functools.cache
def own_name_has_address():
    """False where this machine's name does not resolve. PCP then passes by rules for local:*, refuses those for
    localhost, and takes each host but localhost for another one, even one that is not there."""
    try:
        return bool(socket.getaddrinfo(socket.gethostname(), None))
    except OSError:
        return False


def own_name():
    """The name of the user who runs the tests. Skips what needs it where there is none, as in a container that was
    started for a number: PCP's daemons and agents insist on a user with a name."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        import pytest  # as above

        pytest.skip("this user has no name", allow_module_level=True)


@contextlib.contextmanager
def only_one(what):
    """For a place of the host that has one name, such as /tmp/pitot-UID: waits until no other runner of tests uses it."""
    held = []

    def mine():
        try:
            held.append(claim(what))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        return held

    wait_until(f"no other test uses {what}", mine, 10 * DEADLINE_S)
    with held[0]:
        yield


def end(process, sig=signal.SIGTERM, deadline_s=DEADLINE_S):
    """Ends a process by a signal, if it has not ended; its exit status. One that stays is killed, which is an error."""
    if process.poll() is None:
        process.send_signal(sig)
    try:
        return process.wait(deadline_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def gone(pid):
    """True if no such process runs. An orphan stays a zombie if there is no init that reaps it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def answers(path):
    """True if a collector on this Unix socket sends its challenge."""
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(DEADLINE_S)
            s.connect(str(path))
            return len(s.recv(20)) == 20
    except OSError:
        return False


class Prefix:
    """An installed Pitot."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def bin(self, name):
        return str(self.path / "bin" / name)

    def dso(self, name):
        return str(self.path / "lib" / "pcp" / f"pmda_{name}.so")

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PCP_", "PMCD_", "PMNS_"))}
        env.pop("LD_LIBRARY_PATH", None)
        env.update({k: str(v) for k, v in more.items()})
        return env


def install_copy(source, target):
    """Copies an installed Pitot; its files of text that name where it was then name where it is."""
    shutil.copytree(source, target, symlinks=True)
    for path in target.rglob("*"):
        if path.suffix in (".conf", ".pc", ".service") and path.is_file() and not path.is_symlink():
            path.write_text(path.read_text().replace(str(source), str(target)))
    return target


class Pmcd:
    """Our collector on a private Unix socket and a free port, with its own state directories."""

    def __init__(self, prefix, directory, agents=None, access="", options=(), env=None):
        self.prefix = prefix
        self.dir = pathlib.Path(directory)
        self.dir.mkdir(parents=True, exist_ok=True)
        folders.append(self.dir)
        self.socket = self.dir / "pmcd.socket"
        self.port = free_port()
        self.log = self.dir / "pmcd.log"
        self.conf = self.dir / "pmcd.conf"
        if agents is None:
            agents = [f"linux 60 dso linux_init {prefix.dso('linux')}"]
        self.conf.write_text(f"pmcd 2 dso pmcd_init {prefix.dso('pmcd')}\n" + "\n".join(agents) + "\n" + access)
        self.options = list(options)
        self.env = prefix.env(**{**(env or {}), "PCP_RUN_DIR": self.dir, "PCP_LOG_DIR": self.dir,
                                 "PCP_TMP_DIR": self.dir})
        self.process = None

    @property
    def host(self):
        return f"unix:{self.socket}"

    def command(self):
        return [self.prefix.bin("pmcd"), "-f", "-A", "-c", str(self.conf), "-p", str(self.port),
                "-s", str(self.socket), "-l", str(self.log), *self.options]

    def start(self, **popen):
        self.process = subprocess.Popen(self.command(), env=self.env, cwd=self.dir, **popen)
        wait_until("pmcd answers", lambda: answers(self.socket), alive=self.process)
        return self

    def stop(self):
        """Ends the collector; returns its exit status."""
        if self.process is None:
            return None
        return end(self.process)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


def run(argv, env=None, timeout=2 * DEADLINE_S, **more):
    """Runs a command to its end; the result has returncode, stdout and stderr as text."""
    return subprocess.run([str(a) for a in argv], env=env, timeout=timeout, text=True, errors="replace",
                          capture_output=True, **{"stdin": subprocess.DEVNULL, **more})
