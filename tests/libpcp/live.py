#!/usr/bin/env python3
"""live - the whole of a collector, seen through our library and through the reference's.

    live.py PROGRAM LIBDIR [AT_LEAST]

Starts Debian's pmcd in private directories, runs PROGRAM with the reference's library,
with ours, and with the reference's again. Facts that differ between the two runs of the reference
change by themselves and are left out; all others, and at least AT_LEAST of them, must be the same.
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


def facts(program, collector, lib):
    """The output as a dict; keys that come twice are told apart by a number."""
    # What the reference leaks is not ours to find.
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


def main(program, libdir, at_least=1000):
    if peer.peer_root() is None:
        return 77
    with peer.Peer(agents=("pmcd", "proc", "sample", "sampledso", "linux", "simple")) as collector:
        facts(program, collector, collector.lib)
        before = facts(program, collector, collector.lib)
        ours = facts(program, collector, libdir)
        after = facts(program, collector, collector.lib)
        # A process may be missing from one listing of the agent: it must be in the next.
        gone = [k for k in before if k.startswith("inst 3.") and k in after and k not in ours]
        if gone:
            again = facts(program, collector, libdir)
            ours.update({k: again[k] for k in gone if k in again})
    steady = {k for k in before if before[k] == after.get(k)}
    wrong = [k for k in sorted(steady) if ours.get(k) != before[k]]
    new = [k for k in sorted(ours) if k not in before and k not in after]
    # Processes and clients come and go.
    wrong += [k for k in new if not k.startswith("inst ")]
    wrong = [k for k in wrong if not any(re.match(p, k) for p, _ in DELIBERATE)]
    for key in wrong[:SHOWN]:
        print(f"{key}\n  reference {before.get(key)!r:.300}\n  ours      {ours.get(key)!r:.300}")
    print(f"{len(steady)} of {len(before)} facts compared, {len(wrong)} differ")
    return 1 if wrong or len(steady) < int(at_least) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
