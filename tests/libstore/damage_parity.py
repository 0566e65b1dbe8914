#!/usr/bin/env python3
"""damage_parity - archives that are damaged in one way each: what ours says is what the peer's pmdumplog says.

    damage_parity.py METAS

Where ours is meant to differ (docs/design.md, docs/disk.md) the row says what is expected of it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PEER = os.environ.get("PITOT_PEER", "")
ARCHIVES = pathlib.Path(PEER) / "var/lib/pcp/testsuite/archives"
TEXTS = {"-12354": "Empty archive log file", "-12372": "Illegal label record at start of a PCP archive log file",
         "-12373": "Corrupted record in a PCP archive log", "-12375": "Missing PCP archive log file",
         "-12412": "Incorrect record type in an archive", "-12413": "Archive feature not supported",
         "-2": "No such file or directory"}
LABEL = {"2": 132, "3": 808}


def cut(name, size):
    return lambda base, version: os.truncate(f"{base}.{name}", size if size >= 0 else
                                             os.path.getsize(f"{base}.{name}") + size)


def label_only(name):
    return lambda base, version: os.truncate(f"{base}.{name}", LABEL[version])


def poke(name, at, data):
    """Bytes at an offset, which counts from the end of the label if it is "label+N"."""
    def change(base, version):
        offset = LABEL[version] + int(at[6:]) if isinstance(at, str) else at
        with open(f"{base}.{name}", "r+b") as out:
            out.seek(offset)
            out.write(data)
    return change


def remove(*names):
    return lambda base, version: [os.unlink(f"{base}.{name}") for name in names]


# The change; None: the result is that of pmdumplog, else our message if it differs ("": it opens).
CASES = [
    ("nothing", lambda base, version: None, None),
    ("no index", remove("index"), None),
    ("no meta", remove("meta"), None),
    ("no volume", remove("0"), None),
    ("nothing at all", remove("0", "meta", "index"), None),
    ("empty volume", cut("0", 0), None),
    ("empty meta", cut("meta", 0), None),
    ("empty index", cut("index", 0), ""),
    ("label in the volume", label_only("0"), None),
    ("label in meta", label_only("meta"), None),
    ("label in the index", label_only("index"), ""),
    ("half a label in the volume", cut("0", 60), None),
    ("half a label in meta", cut("meta", 60), None),
    ("half a label in the index", cut("index", 60), None),
    ("version 1", poke("0", 7, b"\1"), None),
    ("magic", poke("0", 5, b"\7"), None),
    ("length of a label", poke("meta", 3, b"\0"), None),
    ("pid of meta", poke("meta", 8, b"\x7f"), None),
    ("volume of meta", poke("meta", 20, b"\0\0\0\7\0\0\0\7"), None),
    ("record of no type", poke("meta", "label+7", b"\x63"), None),
    ("record of no length", poke("meta", "label+0", b"\0\0\0\3"), None),
    ("torn end of meta", cut("meta", -5), ""),
]


def ours_of(programs, base):
    """The message of opening and loading; "" for none."""
    for program in programs:
        done = subprocess.run([program, base], capture_output=True, timeout=60)
        found = re.search(rb"error=(-\d+)", done.stdout)
        if found:
            code = found[1].decode()
            return TEXTS.get(code, code)
    return ""


def peer_of(base):
    env = dict(os.environ, PCP_DIR=PEER, PCP_CONF=PEER + "/etc/pcp.conf", LD_LIBRARY_PATH=PEER + "/usr/lib", TZ="UTC")
    done = subprocess.run([PEER + "/usr/bin/pmdumplog", "-L", base], capture_output=True, text=True, env=env,
                          timeout=60, errors="replace")
    found = re.search(r"Cannot open archive \"[^\"]*\": (.*)", done.stderr)
    return found[1] if found else done.stderr.strip()


def main():
    if not PEER or not ARCHIVES.is_dir() or not any(ARCHIVES.iterdir()):
        print("no archives of a peer")
        return 77
    wrong = []
    for version, source in (("2", "multi/20150508.11.44"), ("3", "omnibus_v3")):
        for what, change, expected in CASES:
            with tempfile.TemporaryDirectory(prefix="damage-") as directory:
                base = directory + "/a"
                for member in ("0", "meta", "index"):
                    shutil.copyfile(f"{ARCHIVES}/{source}.{member}", f"{base}.{member}")
                change(base, version)
                ours, theirs = ours_of(sys.argv[1:], base), peer_of(base)
                if ours != (theirs if expected is None else expected):
                    wrong.append(f"version {version}, {what}: {ours!r}, pmdumplog: {theirs!r}")
                if expected is not None and theirs == expected:
                    wrong.append(f"version {version}, {what}: pmdumplog says the same: {theirs!r}")
    print("\n".join(wrong))
    print(f"{len(CASES)} kinds of damage")
    return 1 if wrong else 0


sys.exit(main())
