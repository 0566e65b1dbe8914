#!/usr/bin/env python3
"""programs - the reference's programs print the same on our libpcp.so.3 as on their own.

    programs.py LIBDIR

Against the reference's pmcd, with values that stay as they are. Skipped without PITOT_PEER.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'e2e'))
import peer  # noqa: E402

COMMANDS = [
    ['pminfo', '-h', 'HOST'],
    ['pminfo', '-d', '-t', '-m', '-T', '-h', 'HOST', 'sample', 'simple', 'pmcd'],
    ['pminfo', '-d', '-m', '-h', 'HOST', 'kernel', 'mem', 'network', 'disk'],
    ['pminfo', '-f', '-h', 'HOST', 'sample.long.one', 'sample.long.bin', 'sample.string.hullo',
     'sample.aggregate.hullo', 'sample.float.bin', 'sample.double.million', 'sample.ulonglong.bin',
     'sample.bad.nosupport', 'sample.bad.unknown', 'sample.novalues', 'sample.many.int',
     'hinv.ncpu', 'sample.noinst'],
    ['pminfo', '-l', '-h', 'HOST', 'sample.long.one', 'sample.bin'],
    ['pminfo', '-I', '-h', 'HOST', 'sample.bin'],
    ['pminfo', '-z', '-f', '-h', 'HOST', 'sample.bin'],
    ['pminfo', '-h', 'HOST', 'no.such.metric'],
    ['pminfo', '--nonsense'],
    ['pminfo', '-h', 'no-such-host.invalid', 'sample'],
    ['pmprobe', '-v', '-h', 'HOST', 'sample.long', 'sample.bin', 'sample.bad'],
    ['pmprobe', '-I', '-h', 'HOST', 'sample.bin', 'sample.colour'],
    ['pmprobe', '-f', '-h', 'HOST', 'sample.bin'],
    ['pmstore', '-h', 'HOST', 'sample.write_me', '7'],
    ['pmstore', '-h', 'HOST', 'sample.write_me', '7'],
    ['pmstore', '-h', 'HOST', 'sample.string.write_me', 'abc'],
    ['pmstore', '-h', 'HOST', 'sample.string.write_me', 'abc'],
    ['pmstore', '-h', 'HOST', 'sample.long.one', '3'],
    ['pmstore', '-h', 'HOST', 'sample.write_me', 'nonsense'],
]


def run(command, collector, lib):
    path = os.path.join(str(peer.peer_root()), 'usr/bin', command[0])
    words = [path] + [collector.host if w == 'HOST' else w for w in command[1:]]
    done = subprocess.run(words, env=collector.env(lib=lib), timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout.decode('utf-8', 'replace') + 'exit %d' % done.returncode


def main(libdir):
    if peer.peer_root() is None:
        return 77
    failed = 0
    with peer.Peer(agents=('pmcd', 'sample', 'simple', 'linux')) as collector:
        for command in COMMANDS:
            if command[0] == 'pmstore':
                run(command, collector, collector.lib)  # the old value is printed
            theirs = run(command, collector, collector.lib)
            ours = run(command, collector, libdir)
            if ours != theirs:
                failed += 1
                print('%s\n--- reference\n%.600s\n--- ours\n%.600s' %
                      (' '.join(command), theirs, ours))
    print('%d commands, %d differ' % (len(COMMANDS), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
