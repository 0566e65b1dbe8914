"""recorders - pmloggers with a control port, Debian's and ours, of one collector; and pmlcs that talk to them."""
import contextlib
import pathlib
import re
import signal
import subprocess

from harness import DEADLINE_S, end, free_port, wait_until


# Debian's pmlogger was seen, once in some thousand runs, to be there a minute after SIGTERM.
INSIST_S = 20


def insist(process):
    """Waits for a program that has got SIGTERM and may have lost it, says so, and ends it in the end: its exit status."""
    for sig in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        try:
            return process.wait(INSIST_S)
        except subprocess.TimeoutExpired:
            masks = [line for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
                     if line.startswith(("State", "Sig", "Shd"))]
            print(f"{process.args[0]} has not ended in {INSIST_S} s: {masks}; {sig.name}")
            process.send_signal(sig)
    return process.wait(DEADLINE_S)


class Recorder:
    """A pmlogger of `collector` (a peer.Peer that runs), in a folder of its own; a context manager."""

    def __init__(self, collector, program, lib, name, config="", options=(), environment=None, deaf=False):
        """`deaf`: a program whose end is not what is tested; it may need more than one signal."""
        self.collector = collector
        self.deaf = deaf
        self.dir = collector.home / name
        self.dir.mkdir()
        self.port_base = free_port()
        (self.dir / "config").write_text(config)
        # The primary recorder takes the collector of this host, and no other.
        host = [] if "-P" in options else ["-h", collector.host]
        self.argv = [str(program), *host, "-c", str(self.dir / "config"), "-l",
                     str(self.dir / "log"), "-L", *options, str(self.dir / "archive")]
        self.env = collector.env(lib=lib, PMLOGGER_PORT=self.port_base, PMLOGGER_LOCAL=1, **(environment or {}))
        self.process = self.last_port = None

    @property
    def pid(self):
        return self.process.pid

    @property
    def map_file(self):
        return self.collector.home / "var/lib/pcp/tmp/pmlogger" / str(self.pid)

    @property
    def port(self):
        """The last status that it reported: Debian's may end in the middle (docs/spec/logger.md B2), and its file is
        removed."""
        with contextlib.suppress(FileNotFoundError):
            self.last_port = int(self.map_file.read_text().split()[0])
        return self.last_port

    @property
    def socket(self):
        return self.collector.home / "run/pcp" / f"pmlogger.{self.pid}.socket"

    def log(self):
        return (self.dir / "log").read_text(errors="replace")

    def start(self):
        (self.collector.home / "var/lib/pcp/tmp/pmlogger").mkdir(exist_ok=True)
        self.process = subprocess.Popen(self.argv, env=self.env, cwd=self.dir, stdin=subprocess.DEVNULL)
        wait_until("the port map is there", lambda: self.map_file.exists() and "\n" in self.map_file.read_text(),
                   alive=self.process)
        self.last_port = self.port
        return self

    def stop(self):
        """Ends it; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
        if not self.deaf:
            return end(self.process)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return insist(self.process)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Kit:
    """Programs of one make: Debian's, or ours."""

    def __init__(self, name, pmlogger, pmlc, lib):
        self.name, self.pmlogger, self.pmlc, self.lib = name, pmlogger, pmlc, lib

    def recorder(self, collector, name, **more):
        return Recorder(collector, self.pmlogger, self.lib, name, deaf=self.name == "theirs", **more)

    def talk(self, collector, script, *args, timeout=180, **environment):
        """The output of pmlc on both streams, in order, and its exit status."""
        done = subprocess.run([str(self.pmlc), *map(str, args)], input=script.encode(),
                              env=collector.env(lib=self.lib, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout, cwd=collector.home)
        return done.stdout.decode(errors="replace") + f"exit {done.returncode}\n"


def theirs(collector):
    return Kit("theirs", collector.program("pmlogger"), collector.program("pmlc"), None)


def ours(prefix):
    return Kit("ours", pathlib.Path(prefix.bin("pmlogger")), pathlib.Path(prefix.bin("pmlc")), "")


def masked(text, *recorders):
    """Without what each run has of its own: process ids, ports, times, sizes."""
    for recorder in recorders:
        text = text.replace(str(recorder.pid), "PID").replace(f"port {recorder.port} ", "port N ")
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{9}", "TIME", text)
    text = re.sub(r"\w{3} \w{3} [ \d]\d TIME", "DATE", text)
    return re.sub(r"(?m)^(log size +)\d+", r"\1N", text)
