"""tracers - `pitot trace` under test, and programs for it to trace."""
import json
import os
import pathlib
import shlex
import struct
import subprocess

from harness import run, wait_until

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Tracer:
    """The program under test, and programs to trace."""

    def __init__(self, prefix, directory):
        self.prefix, self.dir = prefix, directory
        self.pitot = prefix.bin("pitot")
        self.env = prefix.env(TZ="UTC")
        self.worker = self.compile(HERE / "trace_worker.c", "worker", "-lpthread")
        self.example = self.compile(ROOT / "examples" / "traced.c", "traced")

    def compile(self, source, name, *more):
        env = self.prefix.env(PKG_CONFIG_PATH=self.prefix.path / "lib" / "pkgconfig")
        flags = run(["pkg-config", "--cflags", "--libs", "libtrace"], env=env)
        assert flags.returncode == 0, flags.stderr
        cc = shlex.split(os.environ.get("PITOT_CC", "cc"))
        done = run([*cc, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-o", self.dir / name,
                    source, *shlex.split(flags.stdout), f"-Wl,-rpath,{self.prefix.path}/lib", *more])
        assert done.returncode == 0, done.stderr
        return str(self.dir / name)

    def __call__(self, *args, **more):
        return run([self.pitot, "trace", *args], env=more.pop("env", self.env), **more)

    def start(self, *args, **more):
        return subprocess.Popen([self.pitot, "trace", *[str(a) for a in args]], env=self.env, text=True,
                                stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})

    def record(self, log, *command, options=()):
        done = self("record", "-o", log, *options, "--", *command)
        assert (done.returncode, done.stderr) == (0, "")
        return done

    def events(self, log, *options):
        done = self("dump", "--json", *options, log)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def numbers(self, log):
        return [e["fields"]["number"] for e in self.events(log) if e["name"] == "tick"]


def returned(path):
    """The number of calls of posix_trace_event() that a steady worker has made."""
    try:
        return struct.unpack("Q", path.read_bytes()[:8])[0]
    except (FileNotFoundError, struct.error):
        return 0


def steady(tracer, path):
    worker = subprocess.Popen([tracer.worker, "steady", str(path)], env=tracer.env)
    wait_until("the worker works", lambda: returned(path) > 0, alive=worker)
    return worker


def stop(process):
    process.kill()
    process.wait()
