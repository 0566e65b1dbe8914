"""headers - takes apart C headers: macros, structures, enumerators, functions, variables.

Knows the C of declarations, as much of it as headers like <pcp/pmapi.h> use.
"""

import re
import subprocess

TOKEN = re.compile(r'[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+|"(?:\\.|[^"])*"|\.\.\.|\S')


def preprocess(cc, include, header, defines):
    """Text of the header itself (not of those it includes), with only its declarations."""
    command = cc + ['-E', '-D_GNU_SOURCE', '-I', include, '-I', include + '/pcp']
    command += ['-D' + d for d in defines] + ['-x', 'c', '-']
    source = '#include <pcp/pmapi.h>\n#include <pcp/pmda.h>\n#include <pcp/%s>\n' % header
    text = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    keep, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            keep = marker.group(1).endswith('/pcp/' + header)
        elif keep and not line.startswith('#'):
            lines.append(line)
    return '\n'.join(lines)


def macros(path):
    """Names defined in a header file: {name: None, or the parameter list}."""
    text = open(path).read().replace('\\\n', ' ')
    found = {}
    for name, params in re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?', text, re.M):
        found[name] = params or None
    return found


def strip_attributes(tokens):
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] == '__attribute__':
            depth, i = 0, i + 1
            while True:
                depth += {'(': 1, ')': -1}.get(tokens[i], 0)
                i += 1
                if depth == 0:
                    break
        elif tokens[i] in ('__extension__', '__restrict', 'PCP_CALL', 'PCP_DATA'):
            i += 1
        else:
            out.append(tokens[i])
            i += 1
    return out


def statements(text):
    """Top-level declarations as token lists; extern "C" blocks are opened."""
    text = re.sub(r'extern\s+"C"\s*\{', '', text)
    tokens = strip_attributes(TOKEN.findall(text))
    out, current, depth = [], [], 0
    for token in tokens:
        depth += {'{': 1, '}': -1}.get(token, 0)
        if token == ';' and depth == 0:
            if current:
                out.append(current)
            current = []
        else:
            current.append(token)
    return out


def close(tokens, start):
    """Index of the brace or parenthesis that closes the one at start."""
    pairs = {'{': '}', '(': ')'}
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i] == tokens[start]:
            depth += 1
        elif tokens[i] == pairs[tokens[start]]:
            depth -= 1
            if depth == 0:
                return i
    raise ValueError('unbalanced: ' + ' '.join(tokens))


def members(tokens):
    """Members of a structure's body: list of (path, is_bit_field)."""
    out, i = [], 0
    while i < len(tokens):
        inner, start = None, i
        if tokens[i] in ('struct', 'union'):
            brace = i + 1 if tokens[i + 1] == '{' else i + 2
            if tokens[brace] == '{':
                end = close(tokens, brace)
                inner = members(tokens[brace + 1:end])
                i = start = end + 1
        end = i
        while tokens[end] != ';':
            end += 1
        for declarator in split(tokens[start:end]):
            bits = ':' in declarator
            if bits:
                declarator = declarator[:declarator.index(':')]
            names = [t for t in declarator if re.match(r'[A-Za-z_]\w*$', t)]
            if '(' in declarator:
                name = declarator[declarator.index('*') + 1]
            elif '[' in declarator:
                name = declarator[declarator.index('[') - 1]
            else:
                name = names[-1]
            out.append((name, bits))
            out += [(name + '.' + path, b) for path, b in inner or []]
        i = end + 1
    return out


def split(tokens):
    out, depth = [[]], 0
    for token in tokens:
        depth += {'(': 1, '[': 1, ')': -1, ']': -1}.get(token, 0)
        if token == ',' and depth == 0:
            out.append([])
        else:
            out[-1].append(token)
    return out


class Header:
    """The declarations of one header."""

    def __init__(self, text):
        self.structs = {}      # type name -> [(member path, is bit field)]
        self.enumerators = []
        self.functions = {}    # name -> type of a pointer to it
        self.variables = []
        for tokens in statements(text):
            self.take(tokens)

    def take(self, tokens):
        if tokens[0] == 'typedef':
            self.take_typedef(tokens)
        elif '(' in tokens:
            self.take_function(tokens)
        elif tokens[0] == 'extern':
            self.variables.append(tokens[-1])

    def take_typedef(self, tokens):
        if '{' not in tokens:
            return
        start = tokens.index('{')
        end = close(tokens, start)
        body = tokens[start + 1:end]
        if 'enum' in tokens[:start]:
            self.enumerators += [d[0] for d in split(body) if d]
        else:
            self.structs[tokens[-1]] = members(body)

    def take_function(self, tokens):
        if tokens[0] == 'extern':
            tokens = tokens[1:]
        start = tokens.index('(')
        name = tokens[start - 1]
        self.functions[name] = ' '.join(tokens[:start - 1] + ['(*)'] + tokens[start:])
