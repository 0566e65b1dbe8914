#!/usr/bin/env python3
"""parity - reads every archive of the peer's test suite, writes it again, and compares the counts with the peer's
tools.

    parity.py RECORDS

RECORDS prints one line a member file with the number of its records of each kind. All of them must be written byte for
byte as they were read (or as a present writer writes them). For some archives the output of pmdumplog is compared.
Skipped without PITOT_PEER and its archives.
"""

import os
import pathlib
import re
import subprocess
import sys

PEER = os.environ.get("PITOT_PEER", "")
ARCHIVES = pathlib.Path(PEER) / "var/lib/pcp/testsuite/archives"
COMPARED = int(os.environ.get("PITOT_SOAK", "12"))  # how many archives pmdumplog is asked about


def members(program):
    """{archive: {kind of record: count}} and the member files that were read."""
    counts, files, wrong = {}, 0, []
    out = subprocess.run([program, str(ARCHIVES)], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        path, version, at, *fields = line.split(" ")
        values = {key: int(value) for key, value in (field.split("=") for field in fields)}
        begin, _, length = at[3:].partition("/")
        if values.pop("error") != 0 or values.pop("differ") != 0:
            wrong.append(line)
        elif int(length) - int(begin) >= 20:  # less may be a torn entry of an index
            wrong.append(line)
        base = re.sub(r"\.(meta|index|\d+)(\.(xz|lzma|bz2|bz|gz))?$", "", path)
        total = counts.setdefault(base, {"version": version})
        for key, value in values.items():
            total[key] = total.get(key, 0) + value
        files += 1
    return counts, files, wrong


def pmdumplog(base, *options):
    env = dict(os.environ, PCP_DIR=PEER, PCP_CONF=PEER + "/etc/pcp.conf", LD_LIBRARY_PATH=PEER + "/usr/lib",
               TZ="UTC")
    done = subprocess.run([PEER + "/usr/bin/pmdumplog", *options, base], capture_output=True, text=True, env=env,
                          timeout=60, errors="replace")
    return done.stdout if done.returncode == 0 else None


def differences(base, ours):
    """The different output of pmdumplog for one archive; None: it cannot read it."""
    seen = {}
    text = pmdumplog(base, "-d")
    if text is None:
        return None
    seen["DESC"] = len(re.findall(r"^PMID: ", text, re.M))
    text = pmdumplog(base, "-t")
    seen["entries"] = len(re.findall(r"^\d\d:\d\d:\d\d\.\d+\s+-?\d+\s+\d+\s+\d+$", text or "", re.M))
    text = pmdumplog(base, "-m") if ours["results"] < 5000 else None
    if text is not None:
        seen["marks"] = text.count("<mark>")
        seen["results"] = seen["marks"] + len(re.findall(r"^\d\d:\d\d:\d\d\.\d+ +\d+ metrics?", text, re.M))
    return ["%s: %s: %d, pmdumplog: %d" % (base, key, ours[key], seen[key]) for key in seen if ours[key] != seen[key]]


def main():
    if not PEER or not ARCHIVES.is_dir() or not any(ARCHIVES.iterdir()):
        print("no archives of a peer")
        return 77
    counts, files, wrong = members(sys.argv[1])
    compared = 0
    for base, ours in sorted(counts.items(), key=lambda item: (item[1]["values"], item[0])):
        if compared == COMPARED:
            break
        if ours["results"] < 4:
            continue
        found = differences(base, ours)
        if found is not None:
            wrong += found
            compared += 1
    print("\n".join(wrong))
    print("%d archives, %d files, %d compared with pmdumplog" % (len(counts), files, compared))
    return 1 if wrong or len(counts) < 60 or compared < min(COMPARED, 10) else 0


sys.exit(main())
