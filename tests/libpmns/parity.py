#!/usr/bin/env python3
"""parity - we read a name space as the reference does: names, PMIDs, order, and messages.

    parity.py PRINT

PRINT shows the leaves of a file in their order, as the reference's `pminfo -m -n FILE` does.
Skipped without PITOT_PEER.
"""

import glob
import os
import subprocess
import sys
import tempfile

# Texts with the same outcome in both, the messages too.
TEXTS = [
    'root {\n z 1:1:1\n a 1:1:2\n m\n}\nm {\n y 1:1:3\n b 1:1:4\n}\n',
    'a.b.c {\n x 1:1:1\n}\nroot {\n a\n}\na {\n b\n}\na.b {\n c\n d 2:*:*\n}\n',
    '/* c\n * d */ root {\n b 1:2:3 /* x */\n c 1:1:1 /* y\n*/\n#define FOO 7\n f FOO:1:1\n}\n',
    'root {\n b 2 : * : *\n c 1 : 2 : 3\n d 1:1 :1\n}\n',
    'root { x 1:1:1 y z 1:1:1 } y { b 1:1:1 c 1:1:2 }\n',
    'root {\n b 1:2:3\n',
    'roo {\n b 1:2:3\n}\n',
    'root {\n b 1:2:3\n}\nroot {\n c 1:2:4\n}\n',
    'root {\n b 1:2:3\n a\n q\n}\n',
    'root {\n b 1:2:3\n}\nz {\n x 1:2:4\n}\n',
    'root {\n b 1:2:3\n}\nb {\n x 1:2:4\n}\n',
    'root 1:2:3\n',
    'root x {\n b 1:2:3\n}\n',
    '{\n b 1:2:3\n}\n',
    'root {\n {\n b 1:2:3\n}\n',
    'root {\n\n b.c 1:2:3\n}\n',
    'root {\n b {\n 1:2:3\n}\n',
    'root {\n b 1:2:3 4:5:6\n}\n',
    'root {\n b 1:2:3}\n',
    'root {\n\tb 2:*:*}\n',
    'root {\n 9x 1:2:4\n}\n',
    'root {\n x -1:2:3\n}\n',
    '',
]


def lines_of(command, env):
    result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            encoding='utf-8', errors='replace')
    # The built-in metrics, and the tool's own last word on a failure.
    return [line for line in result.stdout.splitlines()
            if not line.startswith(('event.', 'pminfo: '))]


def compare(path, program, peer, env):
    ours = lines_of([program, path], dict(os.environ))
    theirs = lines_of([os.path.join(peer, 'usr/bin/pminfo'), '-m', '-n', path], env)
    if ours == theirs:
        return len(ours), True
    print('%s differs:' % path)
    for name, lines in (('theirs', theirs), ('ours', ours)):
        print('\n'.join(['%s: %s' % (name, line) for line in lines][:10]))
    return len(ours), False


def main(program):
    peer = os.environ.get('PITOT_PEER')
    if not peer:
        return 77
    with tempfile.TemporaryDirectory() as home:
        env = {'PATH': os.environ['PATH'], 'HOME': home, 'PCP_DIR': peer,
               'LD_LIBRARY_PATH': os.path.join(peer, 'usr/lib'), 'PCP_TMPFILE_DIR': home,
               'PCP_BINADM_DIR': os.path.join(peer, 'usr/lib/pcp/bin')}
        paths = sorted(glob.glob(os.path.join(peer, 'usr/lib/pcp/pmns/root_*')))
        for i, text in enumerate(TEXTS):
            paths.append(os.path.join(home, 'text%d' % i))
            with open(paths[-1], 'w') as f:
                f.write(text)
        results = [compare(path, program, peer, env) for path in paths]
    print('%d files, %d lines' % (len(results), sum(n for n, _ in results)))
    return 0 if all(ok for _, ok in results) else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
