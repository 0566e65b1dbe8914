#!/usr/bin/env python3
"""parity - walks every archive of the peer's test suite, and compares its begin and end with the peer's pmdumplog.

    parity.py ARCHIVES

ARCHIVES prints one line per archive (archives.c): it reads forward, backward, by heads and after seeks, and prints
differences. Skipped without PITOT_PEER and its archives.
"""

import calendar
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

PEER = os.environ.get("PITOT_PEER", "")
ARCHIVES = pathlib.Path(PEER) / "var/lib/pcp/testsuite/archives"
SOAK = "PITOT_SOAK" in os.environ  # pmdumplog is asked about all of them, else about a third and what is in folders
# The peer's archives that are damaged on purpose: base, and how far they can be read.
DAMAGED = {"multi-corrupted/20150508.11.50": "-12373"}


def walked(program, folder):
    """{base: {key: value}} of a folder."""
    out = subprocess.run([program, str(folder)], capture_output=True, text=True, check=True, timeout=250).stdout
    lines = (line.split(" ") for line in out.splitlines())
    return {base: dict(field.split("=") for field in fields) for base, *fields in lines}


def pmdumplog(base):
    env = dict(os.environ, PCP_DIR=PEER, PCP_CONF=PEER + "/etc/pcp.conf", LD_LIBRARY_PATH=PEER + "/usr/lib", TZ="UTC")
    return subprocess.run([PEER + "/usr/bin/pmdumplog", "-L", base], capture_output=True, text=True, env=env,
                          timeout=60, errors="replace")


def nanoseconds(text):
    """Parses "Mon Jan 1 13:10:11.563796 2018", or returns the word instead of it."""
    found = re.fullmatch(r"\w+ (\w+ +\d+ \d+:\d+:\d+)\.(\d+) (\d+)", text)
    if found is None:
        return text
    whole = calendar.timegm(time.strptime("%s %s" % (found[1], found[3]), "%b %d %H:%M:%S %Y"))
    return whole * 10**9 + int(found[2].ljust(9, "0"))


def of_stamp(stamp):
    sec, nsec = stamp.split(".")
    return int(sec) * 10**9 + int(nsec)


def differences(base, ours):
    done = pmdumplog(base)
    said = dict(re.findall(r"^ +(commencing|ending) +(.*)$", done.stdout, re.M))
    version = re.search(r"Log Format Version (\d)", done.stdout)
    if done.returncode != 0 or version is None:
        return [] if "error" in ours else ["%s: pmdumplog: %s" % (base, done.stderr)]
    if "error" in ours:
        return ["%s: error %s, and pmdumplog reads it" % (base, ours["error"])]
    wrong = []
    stopped = DAMAGED.get(str(pathlib.Path(base).relative_to(ARCHIVES)))
    if ours.get("stopped") != stopped:
        wrong.append("%s: reading ends in %s" % (base, ours.get("stopped")))
    for key, word in (("start", "commencing"), ("end", "ending")):
        if of_stamp(ours[key]) != nanoseconds(said[word]):
            wrong.append("%s: %s %s, pmdumplog: %s" % (base, key, ours[key], said[word]))
    if ours["version"] != version[1]:
        wrong.append("%s: version %s" % (base, ours["version"]))
    return wrong


def main():
    if not PEER or not ARCHIVES.is_dir() or not any(ARCHIVES.iterdir()):
        print("no archives of a peer")
        return 77
    folders = [ARCHIVES] + sorted(path for path in ARCHIVES.iterdir() if path.is_dir())
    ours = {}
    for folder in folders:
        ours.update(walked(sys.argv[1], folder))
    asked = [item for i, item in enumerate(ours.items()) if SOAK or i % 3 == 0 or "multi" in item[0]]
    wrong = ["%s: %s" % (base, one["differ"]) for base, one in ours.items() if "differ" in one]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong += sum(pool.map(lambda item: differences(*item), asked), [])
    print("\n".join(wrong))
    print("%d archives, %s records" % (len(ours), sum(int(one.get("records", 0)) for one in ours.values())))
    return 1 if wrong or len(ours) < 150 else 0


sys.exit(main())
