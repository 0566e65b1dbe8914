#!/usr/bin/env python3
"""meta_parity - the metadata of every archive of the peer's test suite says what its pmdumplog -d -i prints.

    meta_parity.py METAS

METAS prints the metadata of one archive (metas.c). Skipped without PITOT_PEER and its archives.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

PEER = os.environ.get("PITOT_PEER", "")
ARCHIVES = pathlib.Path(PEER) / "var/lib/pcp/testsuite/archives"
# All of them, or some and those that once differed.
SOAK = "PITOT_SOAK" in os.environ
ODD = ("540117-short", "bigace_v2", "pcp-pidstat", "vldb-disks", "omnibus_v3", "pyapi")
TYPES = {"-1": "Not Supported", "0": "32-bit int", "1": "32-bit unsigned int", "2": "64-bit int",
         "3": "64-bit unsigned int", "4": "float", "5": "double", "6": "string", "7": "aggregate",
         "8": "static aggregate", "9": "event record array", "10": "highres event record array"}
SEMANTICS = {"1": "counter", "3": "instant", "4": "discrete"}


def output(*argv):
    env = dict(os.environ, PCP_DIR=PEER, PCP_CONF=PEER + "/etc/pcp.conf", LD_LIBRARY_PATH=PEER + "/usr/lib", TZ="UTC")
    done = subprocess.run([str(word) for word in argv], capture_output=True, env=env, timeout=120)
    return done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def domains(text):
    """{"60.1": [observation, ...]} of what follows InDom lines; an observation's lines in order of text."""
    found = {}
    for block in re.split(r"^InDom: ", text, flags=re.M)[1:]:
        name, _, rest = block.partition("\n")
        parts = re.split(r"^(\d\d:\d\d:\d\d\.\d+ \d+ instances)\n", rest, flags=re.M)
        found[name] = [(head, sorted(body.strip("\n").split("\n"))) for head, body in zip(parts[1::2], parts[2::2])]
    return found


def ours_of(program, base):
    text = output(program, base)[0]
    metrics = {}
    for pmid, kind, sem, indom, names in re.findall(r"^metric (\S+) (\S+) (\S+) (\S+) ?(.*)$", text, re.M):
        if kind == "-1":
            continue  # pmdumplog does not print these
        metrics[pmid] = (TYPES.get(kind, kind), SEMANTICS.get(sem, "???"), indom, sorted(names.split()))
    return text, metrics, domains(text)


def peer_of(base):
    text, err = output(PEER + "/usr/bin/pmdumplog", "-d", "-i", base)
    metrics = {}
    for pmid, names, kind, indom, sem in re.findall(
            r"^PMID: (\S+) \((.*)\)\n +Data Type: (.*?)  InDom: \S+ (\S+)\n +Semantics: (\w+)", text, re.M):
        metrics[pmid] = (kind, sem, indom, sorted(names.split(" or ")))
    return err, metrics, domains(text)


def compare(what, ours, theirs):
    wrong = ["%s %s: %s, pmdumplog: %s" % (what, key, str(ours.get(key))[:300], str(theirs.get(key))[:300])
             for key in sorted(ours.keys() | theirs.keys()) if ours.get(key) != theirs.get(key)]
    return wrong[:3]


def differences(program, base):
    text, metrics, indoms = ours_of(program, base)
    err, their_metrics, their_indoms = peer_of(base)
    wrong = re.findall(r"^differ=.*|^error=.*|^archive .* error=.*", text, re.M)
    if err != "" and not their_metrics:
        return [base + ": pmdumplog: " + err] if not wrong else []
    wrong += compare("metric", metrics, their_metrics) + compare("indom", indoms, their_indoms)
    return ["%s: %s" % (base, one) for one in wrong]


def main():
    if not PEER or not ARCHIVES.is_dir() or not any(ARCHIVES.iterdir()):
        print("no archives of a peer")
        return 77
    bases = sorted({re.sub(r"\.meta(\.\w+)?$", "", str(path)) for path in ARCHIVES.rglob("*.meta*")})
    if not SOAK:
        bases = [base for i, base in enumerate(bases) if i % 4 == 0 or base.endswith(ODD)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = sum(pool.map(lambda base: differences(sys.argv[1], base), bases), [])
    print("\n".join(wrong))
    print("%d archives" % len(bases))
    return 1 if wrong or len(bases) < 40 else 0


sys.exit(main())
