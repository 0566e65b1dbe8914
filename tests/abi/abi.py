#!/usr/bin/env python3
"""abi - our installed headers say what PCP 6.0.3's say.

Writes a C program that prints each size, offset, enumerator, macro and whether each function has
its type, as our headers declare them; compiles it against a set of headers; compares.

    abi.py golden CC INCLUDE SPECDIR FILE    our headers print what FILE says; each function that
                                             the specs list is declared
    abi.py update CC INCLUDE SPECDIR FILE    writes FILE
    abi.py peer CC INCLUDE                   our headers and those in $PITOT_PEER/usr/include print
                                             the same, and the peer's have no name that ours lack
"""

import os
import platform
import re
import subprocess
import sys
import tempfile

from headers import Header, macros, preprocess

HEADERS = ['platform_defs.h', 'pmapi.h', 'pmapi_options.h', 'deprecated.h', 'pmda.h',
           'pmdaroot.h', 'import.h']
PEER_HEADERS = ['platform_defs.h', 'pmapi.h', 'deprecated.h', 'pmda.h', 'pmdaroot.h',
                'import.h']

# Macros whose value is not an expression: printed as text, or as an option's initialiser.
TEXT_MACROS = re.compile(r'__pm\w+|pmFreeHighResResult|RETSIGTYPE|PCP_CALL|PCP_DATA|PMDA_CALL|PMI_CALL|'
                         r'const_dirent|__PMDA_INIT_CALL|neterror|oserror')
OPTION_MACROS = re.compile(r'PM(DA)?OPT_?[A-Z_0-9]+|PM(API|DA)_OPTIONS_END|PMAPI_GENERAL_OPTIONS')
NOT_OPTIONS = {'PMOPT_', 'PMDA_OPTIONS'}

# Function-like macros, with arguments that show what they do.
CALLS = {
    'PM_VERSION': '(6, 0, 3)', 'IS_DYNAMIC_ROOT': '(0x7fc0f000u)', 'IS_DERIVED': '(0x7fc00001u)',
    'PM_XTB_SET': '(PM_TIME_SEC)', 'PM_XTB_GET': '(PM_XTB_SET(PM_TIME_SEC))',
    'PMDA_PMID': '(0x1fff, 0x7ff)',
}

# Ours alone, or spelled in our way, each with its reason.
OURS_ALONE = {
    'pmClearFetchGroup': 'exported by the peer, declared by none of its headers',
    'pmExtendFetchGroup_timespec': 'exported by the peer, declared by none of its headers',
    'pmExtendFetchGroup_timeval': 'exported by the peer, declared by none of its headers',
    '__pmFreeHighResResult': 'the peer maps a name to it without declaring it',
    '__PMDA_INIT_CALL': 'spelled with one blank less',
    'ULONGLONG_MAX': 'the compiler may have it already',
    'pmiWrite2': 'exported by the peer, declared by none of its headers',
    'pmiHighResWrite': 'exported by the peer, declared by none of its headers',
    'pmiPutHighResResult': 'exported by the peer, declared by none of its headers',
}

# The peer's alone, each with its reason.
PEER_ALONE = {
    name: why for why, names in {
        'replacements for what every system has': 'ptrdiff_t valloc dirname basename strndup '
        'strchrnul getdomainname scandir alphasort socklen_t',
        'other operating systems': 'DLOPEN_NO_WARN st_atim st_mtim st_ctim EPROTO EHOSTDOWN ENODATA '
        'HAVE_PIPE1 HAVE_MKDIR2 HAVE_RENAME2 HAVE_DLOPEN HAVE_FNDELAY SHUT_RDWR MAP_FAILED '
        'O_NDELAY SIGHUP SIGUSR1 SIGBUS S_IRGRP S_IWGRP S_IROTH S_IWOTH S_IRWXG S_IRWXO S_ISVTX '
        'fcntl realpath HAVE_TERMIO_SIGNALS PATH_MAX',
    }.items() for name in names.split()
}

PROLOGUE = r'''
#include <math.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>
#include <pcp/deprecated.h>
#include <pcp/import.h>

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)

static void bytes(const char *what, const void *p, size_t n, int negative)
{
	printf("%s %s", what, negative ? "signed" : "unsigned");
	for (size_t i = 0; i < n; i++)
		printf(" %02x", ((const unsigned char *)p)[i]);
	printf("\n");
}

static void options(const char *what, const pmLongOptions *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s %s %d %d %s %s\n", what, o[i].long_opt ? o[i].long_opt : "-", o[i].has_arg,
		       o[i].short_opt, o[i].argname ? o[i].argname : "-",
		       o[i].message ? o[i].message : "-");
}

static void integer(const char *what, long long v)
{
	printf("macro %s %lld\n", what, v);
}

static void string(const char *what, const char *v)
{
	printf("macro %s %s\n", what, v);
}

#define VALUE(what, v) _Generic((v), char *: string, const char *: string, void *: string, \
	default: integer)(what, (v))

/* For the macros that call them: nothing is linked in. */
unsigned int pmID_domain(pmID p) { return p >> 22 & 0x1ff; }
unsigned int pmID_cluster(pmID p) { return p >> 10 & 0xfff; }
unsigned int pmID_item(pmID p) { return p & 0x3ff; }

int main(void)
{
'''


def print_macro(name, params):
    if params:
        return '' if name not in CALLS else \
            'VALUE("%s%s", %s%s);' % (name, CALLS[name], name, CALLS[name])
    if OPTION_MACROS.fullmatch(name) and name not in NOT_OPTIONS:
        return '{ pmLongOptions o[] = { %s }; options("option %s", o, sizeof(o) / sizeof(o[0])); }' \
            % (name, name)
    if TEXT_MACROS.fullmatch(name):
        return 'printf("macro %s %%s\\n", TEXT(%s));' % (name, name)
    return 'VALUE("%s", %s);' % (name, name)


def print_struct(name, members):
    lines = ['printf("sizeof %s %%zu\\n", sizeof(%s));' % (name, name)]
    for path, is_bits in members:
        what = name + '.' + path
        if is_bits:
            lines.append('{ %s x; memset(&x, 0, sizeof(x)); x.%s = -1; '
                         'bytes("bits %s", &x, sizeof(x), (int)x.%s < 0); }' % (name, path, what, path))
        else:
            lines.append('printf("offset %s %%zu size %%zu\\n", offsetof(%s, %s), '
                         'sizeof(((%s *)0)->%s));' % (what, name, path, name, path))
    return '\n'.join(lines)


def print_function(name, ctype):
    return 'printf("function %s %%d\\n", __builtin_types_compatible_p(__typeof__(&%s), %s));' \
        % (name, name, ctype)


def wanted(name):
    return not re.fullmatch(r'PCP_\w+_H|_\w*_H|PMAPI_VERSION|HAVE_\w+', name) and \
        name not in OURS_ALONE


class Headers:
    """All declarations of one set of headers."""

    def __init__(self, cc, include, names, defines=()):
        self.macros, self.structs, self.functions = {}, {}, {}
        self.enumerators, self.variables = [], []
        for name in names:
            header = Header(preprocess(cc, include, name, defines))
            self.macros.update(macros('%s/pcp/%s' % (include, name)))
            self.structs.update(header.structs)
            self.functions.update(header.functions)
            self.enumerators += header.enumerators
            self.variables += header.variables

    def names(self):
        return set(self.macros) | set(self.structs) | set(self.functions) | \
            set(self.enumerators) | set(self.variables)


def program(ours):
    lines = [PROLOGUE]
    lines += [print_macro(n, p) for n, p in ours.macros.items() if wanted(n)]
    lines += [print_struct(n, m) for n, m in ours.structs.items()]
    lines += ['printf("enumerator %s %%d\\n", (int)%s);' % (n, n) for n in ours.enumerators]
    lines += ['printf("variable %s %%zu\\n", sizeof(%s));' % (n, n) for n in ours.variables]
    lines.append('#undef pmFreeHighResResult')
    lines += [print_function(n, t) for n, t in ours.functions.items() if n not in OURS_ALONE]
    return '\n'.join(lines + ['return 0;', '}', ''])


def run(cc, include, source, defines, directory):
    """Output of the program compiled against these headers; nothing is linked in."""
    path = os.path.join(directory, 'abi.c')
    with open(path, 'w') as f:
        f.write(source)
    exe = os.path.join(directory, 'abi')
    subprocess.run(cc + ['-w', '-D_GNU_SOURCE', '-O0', '-I', include] + ['-D' + d for d in defines] +
                   ['-o', exe, path], check=True)
    return subprocess.run([exe], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout


def both_versions(cc, include, ours):
    """The whole output at PMAPI_VERSION 2, and what of pmOptions differs at 3."""
    source = program(ours)
    with tempfile.TemporaryDirectory() as directory:
        two = run(cc, include, source, [], directory)
        three = run(cc, include, source, ['PMAPI_VERSION=3'], directory)
    return two + ''.join('v3 ' + line + '\n' for line in three.splitlines() if ' pmOptions' in line)


def spec_symbols(spec_dir):
    """The public symbols that the specifications list."""
    text = open(spec_dir + '/pmapi.md').read()
    text = text[text.index('### 1.1'):text.index('### 1.2')]
    symbols = set(re.findall(r'^\| `(\w+)`', text, re.M))
    text = open(spec_dir + '/pmda.md').read()
    text = text[text.index('## 4. Prototypes'):text.index('## 5.')]
    symbols |= set(re.findall(r'^\w[\w ]*[ *](__pmda\w+|pmda\w+)\(', text, re.M))
    text = open(spec_dir + '/import.md').read()
    return symbols | set(re.findall(r'`(pmi\w+)`', text[text.index('## 1.'):text.index('## 2.')]))


def differences(a, b, name_a, name_b):
    a, b = a.splitlines(), b.splitlines()
    for line in [x for x in a if x not in set(b)]:
        print('%s only: %s' % (name_a, line))
    for line in [x for x in b if x not in set(a)]:
        print('%s only: %s' % (name_b, line))
    return a != b


def without_import():
    global PROLOGUE
    PROLOGUE = PROLOGUE.replace('#include <pcp/import.h>\n', '')
    HEADERS.remove('import.h')
    PEER_HEADERS.remove('import.h')


def main(mode, cc, include, *rest):
    cc = cc.split()
    if platform.machine() != 'x86_64':
        return 77
    peer = os.environ.get('PITOT_PEER')
    if mode == 'peer':
        if not peer:
            return 77
        peer = os.path.join(peer, 'usr/include')
        if not os.path.exists(peer + '/pcp/import.h'):
            print('without import.h: the peer was unpacked without libpcp-import1-dev')
            without_import()
    ours = Headers(cc, include, HEADERS)
    output = both_versions(cc, include, ours)
    if mode == 'peer':
        failed = differences(output, both_versions(cc, peer, ours), 'ours', 'peer')
        missing = Headers(cc, peer, PEER_HEADERS).names() - ours.names() - set(PEER_ALONE)
        for name in sorted(n for n in missing if wanted(n)):
            print('peer only: ' + name)
            failed = True
        return int(failed)
    spec_dir, golden = rest
    if mode == 'update':
        with open(golden, 'w') as f:
            f.write(output)
    missing = spec_symbols(spec_dir) - set(ours.functions) - set(ours.variables)
    for name in sorted(missing):
        print('not declared: ' + name)
    return int(differences(output, open(golden).read(), 'ours', 'golden') or bool(missing))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
