#!/usr/bin/env python3
"""archive_defects - where the reference's libpcp contradicts itself, and ours does not (docs/spec/archive.md 10.6).

    archive_defects.py WALK ASK LIBDIR

WALK and ASK are archive_walk and archive_ask, which LD_LIBRARY_PATH gives one library or the other. Each check
asks the reference otherwise, or of other data, and ours says what it says then. Skipped without PITOT_PEER.
"""

import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import archives

# The third of the archives in this folder ends in a partial record. For data that the reference cannot read because of
# it, ours prints the same as the reference without the partial record.
TORN_LIST, TORN = 'multi-corrupted', 'multi-corrupted/20150508.11.50'
TORN_ERROR = ' error -12373 '
SEEDS, STEPS = range(1, 4), 8

# In omnibus_v2 there are marks at 2.27 s and at 4.55 s.
MARK_METRIC, MARKS = 'sample.long.bin_ctr', (2.271792, 4.549987)


class Sides:
    def __init__(self, walk, ask, libdir):
        self.walk_program, self.ask_program = os.path.abspath(walk), os.path.abspath(ask)
        self.ours = libdir
        self.peer = os.environ['PITOT_PEER']
        self.theirs = str(pathlib.Path(self.peer) / 'usr/lib')
        self.folder = pathlib.Path(self.peer) / 'var/lib/pcp/testsuite/archives'

    def walk(self, lib, path, seed):
        return archives.walk(self.walk_program, lib, self.peer, str(path), seed, STEPS)[0]

    def ask(self, lib, *words):
        env = {'LD_LIBRARY_PATH': lib, 'PCP_DIR': self.peer, 'PATH': os.environ['PATH'],
               'ASAN_OPTIONS': 'detect_leaks=%d' % (lib == self.ours)}
        done = subprocess.run([self.ask_program, *words], env=env, cwd=self.folder, capture_output=True, check=True)
        return done.stdout.decode().splitlines()


def cut_torn(folder, copy):
    """A copy of the list whose volumes are what whole records they have."""
    shutil.copytree(folder / TORN_LIST, copy)
    packed = copy / (pathlib.Path(TORN).name + '.0.xz')
    data = lzma.decompress(packed.read_bytes())
    end = 0
    while end + 4 <= len(data) and end + struct.unpack_from('>I', data, end)[0] <= len(data):
        end += struct.unpack_from('>I', data, end)[0]
    assert 0 < end < len(data)
    packed.unlink()
    packed.with_suffix('').write_bytes(data[:end])


def walks(lines):
    """Splits lines into lists; each list begins with a line that has a position. Lines before the first position are
    dropped."""
    found = []
    for line in lines:
        if line.startswith('mode '):
            found.append([])
        if found and not line.startswith('inst ') and not any(re.match(p, line) for p, _ in archives.DELIBERATE):
            found[-1].append(line)
    return found


def torn_walk_differs(torn, cut, ours):
    """The lines of ours that neither of them has, and the number of lines of ours that the reference does not reach."""
    wrong, more = [], 0
    for i, line in enumerate(ours):
        if torn[i:i + 1] == [line]:
            continue
        more += 1
        if cut[i:i + 1] != [line] or not any(TORN_ERROR in before for before in torn[:i + 1]):
            wrong.append(line)
    return wrong + (['less is told'] if len(ours) < len(torn) else []), more


def check_torn(sides):
    """A torn record at the end keeps nothing from who goes back, or whose values are known before."""
    wrong, more = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / TORN_LIST
        cut_torn(sides.folder, copy)
        for name, seed in [(name, seed) for name in (TORN_LIST, TORN) for seed in SEEDS]:
            torn, cut, ours = (walks(sides.walk(lib, path, seed)) for lib, path in (
                (sides.theirs, sides.folder / name), (sides.theirs, copy.parent / name), (sides.ours, sides.folder / name)))
            for lines in zip(torn, cut, ours):
                # Interpolation in lists depends on what was asked before.
                if name == TORN_LIST and lines[2][0].startswith('mode 1 '):
                    continue
                found, n = torn_walk_differs(*lines)
                wrong += ['%s, %s: %s' % (name, lines[2][0], line) for line in found]
                more += n
    return wrong + (['nothing is told that they do not tell'] if more == 0 else [])


def check_marks(sides):
    """A counter has no value if a mark is between two times, but not if only the search for the second passed one."""
    wrong, defects = [], 0
    for first in (0.3, 0.9, 1.7):
        for then in (1.2, 1.76, 1.9, 2.0, 2.26, 3.1):
            words = ('omnibus_v2', 'seek', MARK_METRIC)
            told = {step: [sides.ask(lib, *words, step, str(first), str(then)) for lib in (sides.theirs, sides.ours)]
                    for step in ('-1', '0', '1')}
            forward, ours = told['1']
            if forward != ours:
                wrong.append('%s, %s: %s, not %s' % (first, then, ours, forward))
            for step in ('-1', '0'):
                defects += told[step][0] != forward
                if told[step][1] != forward:
                    wrong.append('%s, %s, step %s: %s' % (first, then, step, told[step][1]))
    # Without pmSetMode the mark counts, going either way.
    for step, start in (('1', 1.6), ('-1', 3.0)):
        theirs, ours = (sides.ask(lib, 'omnibus_v2', 'seek', MARK_METRIC, step, str(start), '+') for lib in
                        (sides.theirs, sides.ours))
        if theirs != ours or not ours[-1].endswith(' 0'):
            wrong.append('step %s: %s, not %s' % (step, ours, theirs))
    return wrong + (['the reference has no such defect'] if defects == 0 else [])


def check_clusters(sides):
    """Labels of a cluster are those of all its metrics, as pmLookupLabels says."""
    wrong = []
    for archive, pmid in (('omnibus_v2', '29.0.5'), ('omnibus_v3', '29.0.5'), ('mirage-3', '29.0.37')):
        by_zero = sides.ask(sides.theirs, archive, 'cluster', '29.0.0')
        theirs, ours = (sides.ask(lib, archive, 'cluster', pmid) for lib in (sides.theirs, sides.ours))
        both = [sides.ask(lib, archive, 'labels', pmid) for lib in (sides.theirs, sides.ours)]
        if by_zero == [] or ours != by_zero or theirs != [] or both[0] != both[1] or by_zero[0] not in both[1]:
            wrong.append('%s: %s, %s, %s, %s' % (archive, by_zero, theirs, ours, both))
    return wrong


def main(walk, ask, libdir):
    if not os.environ.get('PITOT_PEER'):
        return 77
    sides = Sides(walk, ask, libdir)
    failed = 0
    for check in (check_torn, check_marks, check_clusters):
        wrong = check(sides)
        failed += bool(wrong)
        print('%s: %s' % (check.__doc__.splitlines()[0], 'wrong' if wrong else 'so it is'))
        for line in wrong[:archives.SHOWN]:
            print('    ' + line[:300])
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
