"""recording - a recorder under test, and the content of its archives according to an independent reader.

Reading is done by Debian's pmdumplog and pmlogcheck (peer.bare_env): our own programs do not check our archives.
"""
import collections
import datetime
import os
import pathlib
import re
import signal
import subprocess

from harness import end, wait_until
from peer import bare_env

END_S = 180
DAY_NS = 86400 * 10**9

Record = collections.namedtuple("Record", "stamp metrics text")  # stamp in ns since the midnight before the first; names; whole text


class Recorder:
    """Our pmlogger in its own directory, recording from a collector."""

    def __init__(self, prefix, directory, host, config, *options, base="archive", env=None):
        self.dir = pathlib.Path(directory)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.log = self.dir / "pmlogger.log"
        (self.dir / "config").write_text(config)
        self.env = prefix.env(**{"PCP_RUN_DIR": self.dir, "PCP_TMP_DIR": self.dir, **(env or {})})
        self.argv = [prefix.bin("pmlogger"), "-c", "config", "-l", self.log.name,
                     *(["-h", host] if host else []), *options, *([base] if base else [])]
        self.process = None
        self.base = base

    def start(self):
        self.process = subprocess.Popen([str(a) for a in self.argv], cwd=self.dir, env=self.env,
                                        stdin=subprocess.DEVNULL)
        wait_until("pmlogger records", lambda: "Archive basename" in self.text(), alive=self.process)
        return self

    @property
    def socket(self):
        """Of its control port."""
        return self.dir / f"pmlogger.{self.process.pid}.socket"

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def size(self, name=None):
        path = self.dir / (name or f"{self.base}.0")
        return path.stat().st_size if path.exists() else 0

    def grows(self, name=None, deadline_s=END_S):
        """Waits until a file has become larger than it is now."""
        before = self.size(name)
        wait_until("the archive grows", lambda: self.size(name) > before, deadline_s, alive=self.process)

    def run(self):
        """To its end, which it finds by itself; the exit status."""
        self.process = subprocess.Popen([str(a) for a in self.argv], cwd=self.dir, env=self.env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.out, self.err = self.process.communicate(timeout=END_S)
        return self.process.returncode

    def kill_between_calls(self):
        """Stopped first, which no write is: all that it wrote is whole."""
        self.process.send_signal(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        wait_until("it stands still", lambda: all((task / "stat").read_text().rpartition(") ")[2][0] == "T"
                                                  for task in tasks.iterdir()))
        self.process.kill()
        self.process.wait()

    def stop(self, sig=signal.SIGTERM):
        if self.process is None:
            return None
        return end(self.process, sig, END_S)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Reader:
    """Debian's archive tools on the archives of a directory."""

    def __init__(self, root, directory):
        self.root = pathlib.Path(root)
        self.dir = pathlib.Path(directory)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.env = bare_env(self.root, self.dir)

    def run(self, tool, *args, status=0):
        done = subprocess.run([str(self.root / "usr/bin" / tool), *map(str, args)], cwd=self.dir, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=180)
        assert status is None or done.returncode == status, f"{tool} {args}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done

    def check(self, base):
        """The messages of pmlogcheck, without those about the sample agent's counters, which wrap on purpose."""
        done = self.run("pmlogcheck", "-w", base)
        assert done.stdout + done.stderr == "", (done.stdout, done.stderr)

    def records(self, base):
        """All records, prologue and epilogue too; marks have no metrics."""
        text = self.run("pmdumplog", "-m", base).stdout
        found = []
        for part in re.split(r"\n\n(?=\d\d:\d\d:\d\d\.)", "\n" + text):
            head = re.match(r"\s*(\d\d):(\d\d):(\d\d)\.(\d+)\s+(\d+ metrics?|<mark>)", part)
            if head:
                h, m, s, frac = head.groups()[:4]
                stamp = (int(h) * 3600 + int(m) * 60 + int(s)) * 10**9 + int(frac.ljust(9, "0"))
                if found and stamp < found[-1].stamp - DAY_NS // 2:
                    stamp += DAY_NS  # midnight is between the two
                found.append(Record(stamp, re.findall(r"(?m)^    [\d.]+ \((.*?)\):", part), part))
        return found

    def count(self, base, metric):
        """How many records have a metric, of those that can be read while an archive grows."""
        text = self.run("pmdumplog", "-m", base, status=None).stdout
        return sum(re.search(rf"[( ]{re.escape(metric)}\)", part) is not None for part in text.split("\n\n"))

    def marks(self, base):
        return [r for r in self.records(base) if not r.metrics]

    def ended(self, base):
        """True if the last record is the epilogue."""
        return "pmcd.pmlogger.host" in self.records(base)[-1].metrics[0]


def now():
    return datetime.datetime.now(datetime.timezone.utc)
