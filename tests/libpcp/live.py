#!/usr/bin/env python3
"""live - the whole of a collector, seen through our library and through the reference's.

    live.py PROGRAM LIBDIR [AT_LEAST]

Starts Debian's pmcd in private directories, runs PROGRAM with the reference's library,
with ours, and with the reference's again. Facts that differ between the two runs of the reference
change by themselves and are left out; all others, and at least AT_LEAST of them, must be the same.
A machine may change and change back while we are asked, so what differs is asked again: a fact
that our library gets wrong, it gets wrong in each round.
Skipped without PITOT_PEER.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import peer  # noqa: E402

# (pattern of keys that may differ, reason)
DELIBERATE = [
    (r"value .*sample(dso)?\..*(lights|colou?r|magnitude)", "changes with every fetch"),
    (r"(inst|indom) 29\.9 ", "its instances come and go"),
]
SHOWN = 40
ROUNDS = 3


def facts(program, collector, lib):
    """The output as a dict; repeated keys get a number."""
    # Leaks of the reference are ignored.
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"} if lib == collector.lib else {}
    done = subprocess.run([program, collector.host], env=collector.env(lib=lib, **leaks), timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    result = {"exit": str(done.returncode)}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        key, _, fact = line.partition("\t")
        unique, n = key, 1
        while unique in result:
            n += 1
            unique = f"{key} #{n}"
        result[unique] = fact
    return result


def compare(program, collector, libdir):
    """One round: the earlier output of the reference, our output, the keys with steady values, the wrong keys."""
    before = facts(program, collector, collector.lib)
    ours = facts(program, collector, libdir)
    after = facts(program, collector, collector.lib)
    steady = {k for k in before if before[k] == after.get(k)}
    wrong = [k for k in sorted(steady) if ours.get(k) != before[k]]
    # Processes and clients come and go.
    wrong += [k for k in sorted(ours) if k not in before and k not in after and not k.startswith("inst ")]
    return before, ours, steady, [k for k in wrong if not any(re.match(p, k) for p, _ in DELIBERATE)]


def main(program, libdir, at_least=1000):
    if peer.peer_root() is None:
        return 77
    with peer.Peer(agents=("pmcd", "proc", "sample", "sampledso", "linux", "simple")) as collector:
        facts(program, collector, collector.lib)
        before, ours, steady, wrong = compare(program, collector, libdir)
        for _ in range(ROUNDS - 1):
            if not wrong:
                break
            before, ours, steady, again = compare(program, collector, libdir)
            wrong = [k for k in wrong if k in again]
    for key in wrong[:SHOWN]:
        print(f"{key}\n  reference {before.get(key)!r:.300}\n  ours      {ours.get(key)!r:.300}")
    print(f"{len(steady)} of {len(before)} facts compared, {len(wrong)} differ")
    return 1 if wrong or len(steady) < int(at_least) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
