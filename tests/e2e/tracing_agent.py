"""The tracing agent under test: a collector with it, a client that reads its events, a program to trace."""
import contextlib
import os
import pathlib
import shlex
import shutil
import struct
import subprocess
import tempfile

import harness
import wire
from harness import run, wait_until

HERE = pathlib.Path(__file__).resolve().parent
DOMAIN = 487
LONG_S = 60  # for everything that may take long on a slow machine
MISSED = 1 << 31
FORMATS = {0: ">i", 1: ">I", 2: ">q", 3: ">Q", 4: ">f", 5: ">d"}


def metric(cluster, item):
    return wire.pmid(DOMAIN, cluster, item)


EVENTS = metric(0, 0)
COUNTERS = {name: metric(0, item) for name, item in {
    "recorded": 1, "reported": 2, "full": 3, "overwritten": 4, "attach": 5, "discarded": 6, "queue": 7, "emitted": 8,
    "bytes": 9, "status": 10, "queued": 14, "clients": 15, "pid": 16}.items()}


class Collector(harness.Pmcd):
    """Our collector with the agent, in a directory of its own that others may enter."""

    def __init__(self, prefix, kind="pipe", config="", env=None):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tracing-", dir="/tmp"))
        self.home.chmod(0o755)
        (self.home / "var" / "config").mkdir(parents=True)
        self.config = self.home / "tracing.conf"
        # Programs of others that ask to be traced, on a machine where several suites run, are not ours.
        self.config.write_text(config or 'ignore command=[!w]* ;\nignore command=worker ;\n')
        line = {"pipe": f"pipe binary {prefix.bin('pmdatracing')} -c {self.config} -l {self.home}/tracing.log",
                "socket": f"socket unix {self.home}/tracing.socket",
                "dso": f"dso tracing_init {prefix.dso('tracing')}"}[kind]
        super().__init__(prefix, self.home / "pmcd", agents=[f"tracing {DOMAIN} {line}"],
                         env={"PCP_VAR_DIR": self.home / "var", "PITOT_TRACING_CONFIG": self.config, **(env or {})})
        self.dir.chmod(0o755)

    def agent(self):
        """The process of the agent."""
        out = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.process.pid)], capture_output=True,
                             text=True).stdout
        return next(int(line.split()[0]) for line in out.splitlines() if line.split()[1] == "pmdatracing")

    def start(self, **popen):
        super().start(**popen)
        self.socket.chmod(0o777)
        return self

    def __exit__(self, *args):
        super().__exit__(*args)
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def user(uid):
    """Runs the body as another user; only root can do this."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


class Client(wire.Client):
    """A client that knows names, and the parameters of records."""

    def __init__(self, collector):
        super().__init__(collector.socket, timeout_s=LONG_S)
        self.send(wire.profile())
        self.known = {}

    def _name(self, ident):
        if ident not in self.known:
            self.known[ident] = self.ask(wire.ids_req(ident)).names[0][0]
        return self.known[ident]

    def number(self, ident, inst=None):
        """The value of one instance; None without one."""
        return self.numbers([ident])[0].get(-1 if inst is None else inst)

    def numbers(self, idents):
        """For each metric: values by instance."""
        out = []
        for _, values in self.fetch(idents).values:
            found = {}
            for inst, word in values if isinstance(values, list) else []:
                found[inst] = word if isinstance(word, int) else int.from_bytes(word, "big") if len(word) == 8 else word
            out.append(found)
        return out

    def counters(self, inst):
        """All counters of a stream, of one fetch."""
        return dict(zip(COUNTERS, (found.get(inst) for found in self.numbers(list(COUNTERS.values())))))

    def stream(self, pid):
        """The instance of the stream of a process; None: it is not attached."""
        return next((inst for inst, value in self.numbers([COUNTERS["pid"]])[0].items() if value == pid), None)

    def attached(self, pid):
        wait_until(f"process {pid} is attached", lambda: self.stream(pid) is not None, LONG_S)
        return self.stream(pid)

    def events(self, inst=None):
        """The events of all streams, or of one, since the last call: records and, for missed ones, numbers."""
        _, values = self.fetch([EVENTS]).values[0]
        found = {i: self._records(array) for i, array in values} if isinstance(values, list) else {}
        return found if inst is None else found.get(inst, [])

    def arrays(self):
        """The events of all streams since the last call, not taken apart: how many, and bytes."""
        _, values = self.fetch([EVENTS]).values[0]
        return {i: (struct.unpack_from(">I", a)[0], len(a)) for i, a in values} if isinstance(values, list) else {}

    def _records(self, array):
        count, at, out = struct.unpack_from(">I", array)[0], 4, []
        for _ in range(count):
            s, ns, flags, nparams = struct.unpack_from(">qqII", array, at)
            at += 24
            if flags & MISSED:
                out.append(nparams)
                continue
            record = {"time": s + ns / 1e9}
            for _ in range(nparams):
                ident, typed = struct.unpack_from(">II", array, at)
                raw = array[at + 8:at + 4 + (typed & 0xffffff)]
                kind = typed >> 24
                value = raw.split(b"\0")[0] if kind == 6 else bytes(raw) if kind not in FORMATS else struct.unpack(FORMATS[kind], raw)[0]
                record[self._name(ident).removeprefix("tracing.")] = value
                at += 4 + ((typed & 0xffffff) + 3) // 4 * 4
            out.append(record)
        assert at == len(array)
        return out

    def store(self, ident, value, inst=-1):
        """Stores a text or a number: the collector's answer, 0 or an error. On a slow machine it may say that it is still
        at it; asked again, it says that it is done."""
        late = False
        while True:
            reply = self.ask(wire.store([(ident, [(inst, value)])]))
            assert reply.kind == wire.ERROR
            if reply.code not in (wire.PM_ERR_TIMEOUT, wire.PM_ERR_AGAIN):
                return 0 if late and reply.code in (-17, -3) else reply.code
            late = True


class Worker:
    """A program that obeys commands."""

    def __init__(self, program, env=None, **popen):
        self.process = subprocess.Popen([str(program)], env={**os.environ, "PITOT_TRACE": "1", **(env or {})}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def __call__(self, line):
        self.tell(line)
        assert self.process.stdout.readline() == "done\n"

    def end(self, sig=None):
        if sig is not None:
            self.process.send_signal(sig)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(LONG_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def processes(client, program):
    """Numbers of the processes of a program that can be traced."""
    names = client.ask(wire.instance_req(wire.pmid(DOMAIN, 0, 2))).instances
    return {int(word.partition(".")[0]) for word, _, command in (name.partition(" ") for _, name in names)
            if command == pathlib.Path(program).name}


def compile_worker(prefix, directory):
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libtrace"], env=env).stdout.split()
    program = pathlib.Path(directory) / f"work{os.getpid()}"  # no other process's name
    done = run([*shlex.split(os.environ.get("PITOT_CC", "cc")), "-std=gnu11", "-O2", "-Wall", "-Wextra",
                "-Wno-unused-parameter", "-Werror", "-o", program, HERE / "tracing_worker.c", *flags,
                f"-Wl,-rpath,{prefix.path}/lib"])
    assert done.returncode == 0, done.stderr
    return program


def adds_up(c):
    """Checks the guarantees of every fetch."""
    assert c["emitted"] == c["recorded"] + c["full"] + c["attach"]
    assert c["recorded"] >= c["reported"] + c["overwritten"] + c["discarded"]
