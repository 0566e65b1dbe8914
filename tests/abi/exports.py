#!/usr/bin/env python3
"""exports - what a shared library exports is what its map says, at the versions PCP has.

    exports.py LIBRARY MAP PREFIX COUNT [SPEC]

PREFIX0.N is the name of version node N; there are COUNT of them, each with the one before as its
parent, and one of our own after them. SPEC: docs/spec/pmapi.md or pmda.md, for the version of each symbol.
"""

import re
import subprocess
import sys


def read_map(path):
    """{node: (parent, symbols)}"""
    text = re.sub(r'#.*', '', open(path).read())
    nodes = {}
    for name, body, parent in re.findall(r'([\w.]+)\s*\{([^}]*)\}\s*([\w.]*)\s*;', text):
        exported = body.split('local:')[0].replace('global:', '')
        nodes[name] = (parent, re.findall(r'[\w*]+', exported))
    return nodes


def read_library(path):
    """{(symbol, node)} and {node} of the dynamic symbols that are defined here."""
    text = subprocess.run(['readelf', '--dyn-syms', '-W', path], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    symbols, nodes = set(), set()
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(':').isdigit() or fields[6] == 'UND':
            continue
        if fields[6] == 'ABS':
            nodes.add(fields[7].split('@')[0])
        else:
            name, _, node = fields[7].partition('@@')
            symbols.add((name, node))
    return symbols, nodes


def spec_nodes(path, prefix):
    """{symbol: node} of the table of nodes, or of the public table and the internal symbols."""
    text = open(path).read()
    rows = re.findall(r'^\| (%s\d+) \| (.*) \|$' % re.escape(prefix), text, re.M)
    if rows:
        return {name: node for node, names in rows for name in re.findall(r'`(\w+)`', names)}
    public = text[text.index('### 1.1'):text.index('### 1.2')]
    internal = text[text.index('## 24.'):]
    found = re.findall(r'^\| `(\w+)`(?: †)? \| 3\.(\d+) ', public + internal, re.M)
    found += re.findall(r'`(__pm\w+)` \(3\.(\d+)\)', internal)
    return {name: prefix + minor for name, minor in found}


def main(library, map_path, prefix, count, spec=None):
    nodes = read_map(map_path)
    listed = {(s, node) for node, (_, symbols) in nodes.items() for s in symbols}
    exported, library_nodes = read_library(library)
    problems = ['listed, not exported: %s@@%s' % x for x in sorted(listed - exported)]
    problems += ['exported, not listed: %s@@%s' % x for x in sorted(exported - listed)]
    if library_nodes != set(nodes):
        problems.append('nodes differ: %s' % sorted(library_nodes ^ set(nodes)))
    for i in range(int(count)):
        parent = nodes.get(prefix + str(i), (None,))[0]
        if parent != (prefix + str(i - 1) if i else ''):
            problems.append('node %s%d: parent %s' % (prefix, i, parent))
    wanted = spec_nodes(spec, prefix) if spec else {}
    for name, node in sorted(listed):
        if node.startswith(prefix) and wanted and wanted.get(name) != node:
            problems.append('%s is at %s, not %s' % (name, wanted.get(name), node))
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
