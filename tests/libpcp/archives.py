#!/usr/bin/env python3
"""archives - compares the content of archives through our libpcp.so.3 and through the reference's.

    archives.py PROGRAM LIBDIR [NAME...]

PROGRAM is archive_walk, which runs with one library or the other by LD_LIBRARY_PATH; NAMEs are archives of PCP's test
suite (by default some of them, and SETS). Intended differences are in DELIBERATE. If the reference does not end (some
of its searches never do) its lines up to there are compared. Skipped without PITOT_PEER. PITOT_ARCHIVE_SEEDS,
PITOT_ARCHIVE_STEPS and PITOT_ARCHIVE_STEP (every which archive) make it longer.
"""

import concurrent.futures
import difflib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 4  # of the reference, which does not always end
OURS_CPU_S = 120  # of ours, of processor time: others may want it too, and sanitizers are slow
SHOWN = 12

# Lists of archives, and other names, besides the single ones; and one with labels of its context in its middle.
SETS = ['omnibus_v2', 'gap2,gap', 'gap,,gap2', ',gap', 'nosuch', 'gap,multi-vm00', 'gap.index']

# Archives with differences: the reference contradicts itself there (docs/spec/archive.md 10.6), except for those called
# unexplained.
NOT = {
    '19970807.09.54': 'going back, they have discrete values from before a mark; forward, at the same time, none',
    '19970807.09.59': 'the same',
    'babylon.pmview_v2': 'numbers of 64 bits in blocks without a type are in the wrong order of bytes there',
    'bozo.client_v2': 'the same',
    'chartqa1': 'signed counters that fall overflow there',
    'kenj-pc-2': 'as chartqa1',
    'reduce-1': 'as chartqa1',
    'reduce-2': 'as chartqa1',
    'wrap': 'as chartqa1',
}

# Archives whose index hides their end from the reference: it gets them without.
OLD_INDEX = ('binning', 'pcp-mpstat3', 'xbug1')

# (pattern of lines that may differ, reason)
DELIBERATE = [
    (r'inst \w+ \d+ <[^>]* [^>]*> ', 'a name is found by its first word, and not by the beginning of that: 15 is not 1'),
    (r'labels cluster ', 'labels of a cluster are found by any of its metrics'),
]


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (OURS_CPU_S, OURS_CPU_S))


def walk(program, libdir, peer, name, seed, steps, limit_s=None, before=limit_cpu):
    """Lines, and whether that is all of them."""
    folder = pathlib.Path(peer) / 'var/lib/pcp/testsuite/archives'
    names = ','.join(str(folder / n) if n else '' for n in name.split(','))
    env = {'LD_LIBRARY_PATH': libdir, 'PCP_DIR': peer, 'TZ': 'UTC', 'LC_ALL': 'C', 'PATH': os.environ['PATH'],
           'ASAN_OPTIONS': 'detect_leaks=%d' % (peer not in libdir)}
    try:
        done = subprocess.run([program, names, str(seed), str(steps)], env=env, capture_output=True, timeout=limit_s,
                              check=False, preexec_fn=before)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b'').decode('utf-8', 'replace').splitlines()[:-1], False
    text = done.stdout.decode('utf-8', 'replace') + done.stderr.decode('utf-8', 'replace')
    return text.splitlines() + ['exit %d' % done.returncode], done.returncode >= 0


def without_index(folder, name):
    copy = tempfile.TemporaryDirectory()
    for path in folder.glob(name + '.*'):
        if path.suffix != '.index':
            shutil.copy(path, copy.name)
    return copy


def compare(program, libdir, peer, name, seed, steps):
    folder = pathlib.Path(peer) / 'var/lib/pcp/testsuite/archives'
    lib = str(pathlib.Path(peer) / 'usr/lib')
    if name in OLD_INDEX:
        with without_index(folder, name) as copy:
            theirs, whole = walk(program, lib, peer, os.path.join(copy, name), seed, steps, LIMIT_S, None)
    else:
        theirs, whole = walk(program, lib, peer, name, seed, steps, LIMIT_S, None)
    ours, ended = walk(program, libdir, peer, name, seed, steps)
    if not whole:
        ours = ours[:len(theirs)]
    if not ended:
        ours.append('ours did not end')
    diff = [line for line in difflib.unified_diff(theirs, ours, 'reference', 'ours', n=0, lineterm='')
            if not line.startswith(('@@', '---', '+++'))]
    diff = [line for line in diff if not any(re.match(p, line[1:]) for p, _ in DELIBERATE)]
    return name, len(theirs), whole, diff


def main(program, libdir, *names):
    peer = os.environ.get('PITOT_PEER')
    if not peer:
        return 77
    folder = pathlib.Path(peer) / 'var/lib/pcp/testsuite/archives'
    step = int(os.environ.get('PITOT_ARCHIVE_STEP', '4'))
    every = sorted({p.name.split('.meta')[0] for p in folder.glob('*.meta*')} - set(NOT))
    names = names or every[1::step] + SETS
    seeds = int(os.environ.get('PITOT_ARCHIVE_SEEDS', '1'))
    steps = int(os.environ.get('PITOT_ARCHIVE_STEPS', '8'))
    lines = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(compare, program, libdir, peer, name, seed, steps)
                for name in names for seed in range(1, seeds + 1)]
        for job in jobs:
            name, n, whole, diff = job.result()
            lines += n
            if not whole:
                print('%s: the reference stopped after %d lines' % (name, n))
            if diff:
                failed += 1
                print('%s: %d lines differ\n%s' % (name, len(diff), '\n'.join(line[:300] for line in diff[:SHOWN])))
    print('%d archives, %d lines compared, %d archives differ' % (len(names), lines, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
