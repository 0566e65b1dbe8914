#!/usr/bin/env python3
"""parity - a program prints the same with our libpcp.so.3 as with the reference's.

    parity.py PROGRAM LIBDIR [GOLDEN]

PROGRAM is linked against our library; the sonames are the same, so LD_LIBRARY_PATH chooses.
Lines that differ on purpose are listed here with their reasons. Without PITOT_PEER it is skipped,
or, with the reference's answers in a file GOLDEN, "PROGRAM short" is held against that.
With PITOT_GOLDEN=write the reference's answers are written to GOLDEN.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile

# (pattern of lines that may differ, reason)
DELIBERATE = [
    (r'text <> type (-1|7|8|9|10|255|12|77): ', 'no text is no value of a type that has no text form'),
    (r'interval <.*(1\.9999999|999999999 *n|0\.9999999*5)', 'a fraction that rounds up to a second is carried'),
    (r'date .*<-(1 week|2 months)> 1: ', 'it is before the end, not after the start'),
    (r'window .* A <[^-].*> O <.*> 0: ', 'where the end is not known the offset is rounded up, as elsewhere'),
    (r'Error: .PCP_DEBUG=nonsense', 'said when the library is loaded, not again'),
    (r'prog version 6.0.3', 'says that it is Pitot'),
    (r'merge .*"c":false', 'a name is not replaced by one that it begins'),
    (r'debug set2? <(all|-1|libpmda|268435456|536870912)>: 0 bits ', 'bits that name no flag are not kept'),
    (r'debug (set|clear) <,>: ', 'empty words name nothing, alone or not'),
    (r'print event: ', 'the last record is counted too when it tells of missed events'),
    (r'Event Records Dump|PMID: 0.0.0 numval|Error: bad (valfmt|vtype|numval)', 'nothing is printed: the result code says it'),
    (r'status </no/such/program>', 'told when it is run, not when it is waited for'),
    (r'.*(not closed in command|unterminated quote)', 'words of a warning'),
    (r'-1\d{4}  PM_ERR_', 'the table is printed in numerical order'),
    (r'.*unable allocate a new id for instance "beta" based on a key of', 'the key is the name, which has bytes'),
    (r'.*Error parsing labels at offset', 'the result code says it'),
    (r'  inst -1 n 4 [c8]1 .*"zero.x"', 'compound is the one label that is'),
    (r'insert <u\.v>: ', 'a name below a leaf could never be found'),
    (r'.*ACK failed: ?Bad', 'a blank behind the colon, as everywhere'),
    (r'.*RESULT failed: Bad', 'told like the others'),
    (r'answer: 0000001c 00007009 ', "the identifier goes out in the network's order"),
    (r'IPC protocol botch: |__pmDecodeError: got error PDU', 'descriptors need no table'),
    (r'.*:__pmInitSocket', 'options that a local connection needs not'),
    (r'.* event queue "\w+": client context \d+ gets no events: ', 'ours says why a client sees nothing'),
    (r'.*: asked for a metric of domain \d+, but this agent has domain ', 'ours says why there is no such metric'),
    (r'.* Warning: pmdaInit: PMDA \w+: (metrics|indoms)\[\d+\] |.* Warning: pmdaInit: PMDA \w+: (domain|instance domain) ',
     'ours says what is wrong in the tables'),
    (r'.*__pmGetPDU: fd=', 'said by who reads: the agent says what went wrong'),
]

SHOWN = 60


def run(command, libdir, peer):
    with tempfile.TemporaryDirectory() as home:
        return run_in(home, command, libdir, peer)


def run_in(home, command, libdir, peer):
    env = dict(os.environ, LD_LIBRARY_PATH=libdir, PCP_DIR=peer, TZ='UTC', LC_ALL='C', HOME=home,
               PITOT_SCRATCH=home)
    for name in [n for n in env if n.startswith(('PCP_', 'PMCD_')) and n != 'PCP_DIR']:
        del env[name]
    if libdir.startswith(peer):
        # Leaks of the reference are ignored.
        env['ASAN_OPTIONS'] = env.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
    result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = result.stdout.decode('utf-8', 'replace').replace(home, 'HOME')
    # The parts of a log line that differ in each run.
    text = re.sub(r'(?m)^\[\w{3} \w{3} [ \d]\d [\d:]{8}\] (\w+)\(\d+\)', r'[DATE] \1(PID)', text)
    text = re.sub(r'(illegal record: \d+) \d{10}', r'\1 STAMP', text)
    return text.splitlines() + ['exit %d' % result.returncode]


NOW = re.compile(r'now([+-]\d+)')
APART_S = 20


def same_but_for_now(a, b):
    """Lines with times relative to now, of two runs some seconds apart."""
    return NOW.sub('now', a) == NOW.sub('now', b) and all(
        abs(int(x) - int(y)) <= APART_S for x, y in zip(NOW.findall(a), NOW.findall(b)))


def compare(theirs, ours):
    if len(theirs) == len(ours):
        ours = [a if same_but_for_now(a, b) else b for a, b in zip(theirs, ours)]
    diff = [line for line in difflib.unified_diff(theirs, ours, 'reference', 'ours', n=0, lineterm='')
            if not line.startswith(('@@', '---', '+++'))]
    diff = [line for line in diff if not any(re.match(p, line[1:]) for p, _ in DELIBERATE)]
    print('\n'.join(diff[:SHOWN]))
    print('%d lines compared, %d differ' % (len(theirs), len(diff)))
    return 1 if diff else 0


def main(program, libdir, golden=None):
    peer = os.environ.get('PITOT_PEER')
    peer_libs = os.path.join(peer or '', 'usr/lib')
    if peer and golden and os.environ.get('PITOT_GOLDEN') == 'write':
        with open(golden, 'w') as f:
            f.write('\n'.join(run([program, 'short'], peer_libs, peer)) + '\n')
    if peer:
        return compare(run([program], peer_libs, peer), run([program], libdir, peer))
    if golden:
        with open(golden) as f:
            return compare(f.read().splitlines(), run([program, 'short'], libdir, '/proc/nonexistent'))
    return 77


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
