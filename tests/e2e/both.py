"""A command line run with Debian's program and with ours, on its archives or on one collector: the answers of both."""
import collections
import re
import subprocess

from peer import bare_env

Answer = collections.namedtuple("Answer", "status out err")

VERSION = re.compile(r" \(Pitot [\d.]+\)")
# The end of the usage text of our tools that have an option which 6.0.3 does not have.
OUR_USAGE = re.compile(r"\nOutput for programs:\n  --json .*\n")

# Archives of the peer's test suite: hosts of several systems and years, with marks, gaps, changed instances and a torn end.
ARCHIVES = ("20041125", "20071023-08-06-36", "20130706", "20150105.17.57", "20180102", "20180127.08.40", "20180606",
            "20190628.04.03", "20201109", "all-irix-6", "all-sles9-sp1", "cputime", "daily_report", "kenj-pc-1", "mirage",
            "multi", "nfsclient_64", "numa", "oview-short", "pcp-atop", "pcp-dstat", "pcp-mpstat", "pcp-pidstat", "pcp-vmstat",
            "pcp-zeroconf", "rep", "uwrap", "viewqa1", "interpmark", "gap", "sample_expr", "rattle")


class Both:
    """Debian's programs and ours with the same configuration, in one folder."""

    def __init__(self, prefix, peer_root, folder, env=None):
        self.prefix = prefix
        self.root = peer_root
        self.folder = folder
        self.archives = peer_root / "var/lib/pcp/testsuite/archives"
        self.env = {**bare_env(peer_root, folder), "LC_ALL": "C.UTF-8",
                    "PMCD_SOCKET": str(folder / "nothing"), "PMCD_PORT": "1", **(env or {})}  # no collector of this host
        conf = folder / "pcp.conf"
        conf.write_text(re.sub(r"(?m)^(PCP_\w+=\"?)/etc\b", r"\1%s/etc" % peer_root, conf.read_text()))

    def words(self, args):
        return [str(arg).replace("{archives}", str(self.archives)) for arg in args]

    def execute(self, argv, env):
        done = subprocess.run(argv, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)
        return Answer(done.returncode, *(OUR_USAGE.sub("", VERSION.sub("", text.decode(errors="replace")))
                                         for text in (done.stdout, done.stderr)))

    def theirs(self, tool, *args):
        path = self.root / "usr/bin" / tool
        argv, env = [str(path)], dict(self.env)
        if path.read_bytes().startswith(b"#!") and b"python" in path.read_bytes()[:80].splitlines()[0]:
            argv = ["/usr/bin/python3", str(path)]
            env["PYTHONPATH"] = str(self.root / "usr/lib/python3/dist-packages")
            env["PYTHONDONTWRITEBYTECODE"] = "1"
            # ctypes does not search LD_LIBRARY_PATH for it.
            env["LD_PRELOAD"] = " ".join(str(self.root / "usr/lib" / lib) for lib in ("libpcp_import.so.1", "libpcp.so.3"))
        return self.execute(argv + self.words(args), env)

    def ours(self, tool, *args):
        env = {name: value for name, value in self.env.items() if name != "LD_LIBRARY_PATH"}
        return self.execute([self.prefix.bin(tool), *self.words(args)], env)

    def differences(self, tool, *args, blank=lambda text: text):
        """A text that shows how the answers differ; empty if they do not."""
        theirs, ours = self.theirs(tool, *args), self.ours(tool, *args)
        wrong = []
        if theirs.status != ours.status:
            wrong.append(f"status {theirs.status}, ours {ours.status}")
        for name in ("out", "err"):
            a, b = blank(getattr(theirs, name)).splitlines(), blank(getattr(ours, name)).splitlines()
            for number, (one, other) in enumerate(zip(a + [None] * (len(b) - len(a)), b + [None] * (len(a) - len(b)))):
                if one != other:
                    wrong.append(f"{name}, line {number + 1}: {one!r}, ours {other!r}")
        return "\n".join([" ".join([tool, *map(str, args)]), *wrong[:20]]) if wrong else ""


def assert_same(answers):
    wrong = [text for text in answers if text]
    assert not wrong, "\n".join(wrong)
