"""peer - a private installation of Debian's PCP 6.0.3 with a running pmcd.

PITOT_PEER names the root R below which the packages are unpacked (docs/design.md, "The peer in tests"); it is only
read. Files that PCP writes, or finds by name, are in a separate directory: a pcp.conf whose paths lead there, copies of
/etc and /var/lib/pcp, a merged name space, compiled help texts, run, log and temporary directories. So any number of
peers can run at the same time, as any user.

    with Peer() as peer:                        # pmcd runs: Unix socket and a loopback port
        done = peer.run("pminfo", "-f", "sample.bin")
        done = peer.run(["/path/of/ours"], "-f", "sample.bin", lib="/path/of/our/lib")

`peer.host` is the host specification of the Unix socket, `peer.port` the TCP port, `peer.env()` the
environment in which a program finds this peer as its default host.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from harness import folders, free_port, own_name

READY_S = 90
STOP_S = 30

# Agents by name: domain, and the rest of their line in pmcd.conf.
AGENTS = {
    "pmcd": (2, "dso pmcd_init {pmdas}/pmcd/pmda_pmcd.so"),
    "proc": (3, "pipe binary {pmdas}/proc/pmdaproc -d 3"),
    "sample": (29, "pipe binary {pmdas}/sample/pmdasample -d 29 -U {user} -l {log}/sample.log"),
    "sampledso": (30, "dso sample_init {pmdas}/sample/pmda_sample.so"),
    "linux": (60, "pipe binary {pmdas}/linux/pmdalinux"),
    "simple": (253, "pipe binary {pmdas}/simple/pmdasimple -d 253 -U {user} -l {log}/simple.log"),
}
if os.geteuid() != 0:
    # As processes these insist on becoming root: they get root in a user name space of their own, if that is possible.
    if subprocess.run(["unshare", "-r", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        AGENTS["proc"] = (3, "pipe binary /usr/bin/unshare -r {pmdas}/proc/pmdaproc -d 3")
        AGENTS["linux"] = (60, "pipe binary /usr/bin/unshare -r {pmdas}/linux/pmdalinux")
    else:
        AGENTS["proc"] = (3, "dso proc_init {pmdas}/proc/pmda_proc.so")
        AGENTS["linux"] = (60, "dso linux_init {pmdas}/linux/pmda_linux.so")
DEFAULT_AGENTS = ("pmcd", "sample", "sampledso", "linux", "simple")

ACCESS = '\n[access]\ndisallow ".*" : store;\ndisallow ":*" : store;\nallow "local:*" : all;\n'


def peer_root():
    """The root of the unpacked packages, or None where there is none."""
    root = os.environ.get("PITOT_PEER")
    return pathlib.Path(root) if root and os.path.isdir(root) else None


def bare_env(root, folder):
    """The environment of a program of the peer that needs no pmcd of it: `folder` gets a pcp.conf that leads to
    its other programs, and to the awk of this system."""
    text = (root / "etc/pcp.conf").read_text()
    text = re.sub(r"(?m)^(PCP_\w+_DIR=)(/usr\b)", r"\g<1>%s\2" % root, text)
    text = re.sub(r"(?m)^PCP_AWK_PROG=.*", "PCP_AWK_PROG=%s" % (awk() or "awk"), text)
    text = re.sub(r"(?m)^PCP_TMPFILE_DIR=.*", "PCP_TMPFILE_DIR=%s" % folder, text)
    (folder / "pcp.conf").write_text(text)
    shutil.copy(root / "etc/pcp.env", folder)
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C", "TZ": "UTC",
            "PCP_DIR": str(root), "PCP_CONF": str(folder / "pcp.conf"), "LD_LIBRARY_PATH": str(root / "usr/lib")}


def awk():
    """The programs that scripts of the peer need; None: this system has none."""
    return shutil.which("gawk") or shutil.which("awk")


class Peer:
    """Debian's PCP in a directory of its own; a context manager that starts and stops its pmcd."""

    def __init__(self, agents=DEFAULT_AGENTS, root=None):
        self.root = pathlib.Path(root) if root else peer_root()
        self.agents = agents
        self.user = own_name()
        # A Unix socket's path has 107 bytes at most: the caller's directories may be too deep.
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="peer-", dir="/tmp"))
        folders.append(self.home)
        self.pmcd = None
        self.port = None
        try:
            self._lay_out()
            self._merge_names()
            self._build_agents()
        except BaseException:
            self.remove()
            raise

    # -- where things are

    @property
    def lib(self):
        return self.root / "usr/lib"

    @property
    def pmdas(self):
        return self.home / "var/lib/pcp/pmdas"

    @property
    def conf(self):
        return self.home / "etc/pcp.conf"

    @property
    def log(self):
        return self.home / "var/log/pcp/pmcd"

    @property
    def socket(self):
        return self.home / "run/pcp/pmcd.socket"

    @property
    def host(self):
        return "unix:%s" % self.socket

    def program(self, name):
        """The path of a program of the peer."""
        for folder in ("usr/bin", "usr/lib/pcp/bin"):
            if (self.root / folder / name).exists():
                return str(self.root / folder / name)
        raise FileNotFoundError(name)

    def env(self, lib=None, **extra):
        """The environment of a program that uses this peer; `lib`: LD_LIBRARY_PATH, "" for none."""
        env = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "LC_ALL": "C",
            "TZ": "UTC",
            "PCP_DIR": str(self.home),
            "PCP_CONF": str(self.conf),
            "PMCD_SOCKET": str(self.socket),
            "LD_LIBRARY_PATH": str(self.lib) if lib is None else str(lib),
        }
        for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
            env[name] = os.environ.get(name, "")
        if self.port:
            env["PMCD_PORT"] = str(self.port)
        for name, value in extra.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = str(value)
        return {name: value for name, value in env.items() if value != ""}

    def run(self, program, *args, lib=None, env=None, timeout=120, **kw):
        """Runs a program (a name of the peer's, or a list beginning with a path) to its end."""
        argv = list(program) if isinstance(program, (list, tuple)) else [self.program(program)]
        return subprocess.run(argv + [str(a) for a in args], env=self.env(lib, **(env or {})),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, cwd=self.home, **kw)

    # -- the private copy

    def _copy(self, name):
        """Copies a folder of the root; its absolute links then lead to the copy, or to the root."""
        target = self.home / name
        shutil.copytree(self.root / name, target, symlinks=True)
        for folder, dirs, files in os.walk(target):
            for entry in dirs + files:
                path = os.path.join(folder, entry)
                if not os.path.islink(path) or not os.readlink(path).startswith("/"):
                    continue
                leads_to = os.readlink(path)
                base = self.home if leads_to.startswith(("/etc/", "/var/")) else self.root
                os.unlink(path)
                os.symlink("%s%s" % (base, leads_to), path)

    def _lay_out(self):
        os.symlink(self.root / "usr", self.home / "usr")
        for name in ("etc", "var/lib/pcp/pmns", "var/lib/pcp/pmdas"):
            self._copy(name)
        for name in ("run/pcp", "var/log/pcp/pmcd", "var/lib/pcp/tmp", "var/tmp"):
            (self.home / name).mkdir(parents=True)
        text = self.conf.read_text()
        text = re.sub(r'(?m)^(PCP_\w+="?)(/(?:etc|var|run)\b)', r"\g<1>%s\2" % self.home, text)
        text = re.sub(r'(?m)^(PCP_\w+_DIR=)(/usr\b)', r"\g<1>%s\2" % self.root, text)
        self.conf.write_text(text)

    def _merge_names(self):
        """The name space: the fragments of all agents, merged as their installation would."""
        pmns = self.home / "var/lib/pcp/pmns"
        defines = []
        for line in (pmns / "stdpmid.pcp").read_text().splitlines():
            match = re.match(r"([A-Z]\w*)\s+(\d+)\s*$", line)
            if match:
                defines.append("#define %s %s\n" % match.groups())
        (pmns / "stdpmid").write_text("".join(defines))
        fragments = ["root_linux", "root_pmcd", "root_proc", "../pmdas/sample/root",
                     "../pmdas/simple/root"]
        self._check(["pmnsmerge", "-f"] + fragments + ["root"], cwd=pmns)

    def _build_agents(self):
        """Help texts of the examples, and the simple agent, which comes as source alone."""
        self._build_help("sample", "sample", "help")
        self._build_help("sample", "sampledso", "dsohelp")
        self._build_help("simple", "simple", "help")
        if "simple" not in self.agents:
            return
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.agents = tuple(a for a in self.agents if a != "simple")
            return
        self._check([compiler, "-w", "-I%s/usr/include" % self.root, "-o", "pmdasimple",
                     "simple.c", "-L%s" % self.lib, "-lpcp_pmda", "-lpcp"],
                    cwd=self.pmdas / "simple")

    def _build_help(self, source, name, target):
        """Compiles an agent's help text; entries of unknown names are omitted."""
        folder = self.pmdas / source
        text = (folder / "help").read_text()
        text = re.sub(r"(?m)^(@ +)%s\." % source.upper(), r"\g<1>%d." % AGENTS[name][0], text)
        text = re.sub(r"(?m)^(@ +)%s\." % source, r"\g<1>%s." % name, text)
        (folder / "text").write_text(text)
        self._check(["newhelp", "-n", str(self.home / "var/lib/pcp/pmns/root"), "-v", "2",
                     "-o", target, "text"], cwd=folder, allow_failure=True)

    def _check(self, argv, cwd, allow_failure=False):
        if not os.path.isabs(argv[0]):
            argv = [self.program(argv[0])] + argv[1:]
        done = subprocess.run(argv, cwd=cwd, env=self.env(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0 and not allow_failure:
            raise RuntimeError("%s: %s" % (argv, done.stdout.decode(errors="replace")))

    # -- its pmcd

    def write_conf(self, path, agents=None, extra=""):
        """A pmcd.conf with these agents at `path`; `extra` is a text put before the access part."""
        lines = []
        for name in agents or self.agents:
            domain, rest = AGENTS[name]
            words = rest.format(pmdas=self.pmdas, log=self.log, user=self.user)
            lines.append("%s\t%d\t%s\n" % (name, domain, words))
        pathlib.Path(path).write_text("".join(lines) + extra + ACCESS)

    def start(self, *options, **environment):
        """Starts pmcd and waits until it answers; `options` are added to its command line."""
        conf = self.home / "pmcd.conf"
        self.write_conf(conf)
        self.port = free_port()
        argv = [self.program("pmcd"), "-f", "-A", "-U", self.user,
                "-p", str(self.port), "-i", "127.0.0.1", "-s", str(self.socket),
                "-l", str(self.log / "pmcd.log"), "-x", str(self.log / "fatal.log"),
                "-c", str(conf), *options]
        env = self.env(PMCD_SOCKET=None, PMCD_PORT=None, PMCD_ROOT_AGENT="0", **environment)
        self.pmcd = subprocess.Popen(argv, env=env, cwd=self.log, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._await_ready()
        return self

    def _await_ready(self):
        """Its sockets open first, but the first request is answered when all agents have come."""
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and self.pmcd.poll() is None:
            if self.socket.exists():
                done = self.run("pmprobe", "-v", "-h", self.host, "pmcd.version")
                if b"6.0.3" in done.stdout:
                    return
            time.sleep(0.02)
        log = self.read_log()
        self.stop()
        raise RuntimeError("the peer's pmcd does not answer; its log:\n" + log)

    def read_log(self, name="pmcd.log"):
        path = self.log / name
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self):
        """Ends pmcd, and with it its agents."""
        if self.pmcd is None:
            return
        self.pmcd.terminate()
        try:
            self.pmcd.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.pmcd.kill()
            self.pmcd.wait()
        self.pmcd = None
        self.port = None

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()
        self.remove()
