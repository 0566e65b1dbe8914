"""Each message that pmda.md 18 and 19 quote for newhelp, chkhelp and dbpmda is provoked, and read.

The texts are the specification's: a row is one of them, and what gives rise to it. test_help_tools.py and test_dbpmda.py
compare whole sessions with Debian's; here nothing of the specification can be forgotten.
"""
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess

import pytest

from harness import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = "root {\n\ttst\n}\ntst {\n\ta\t250:0:0\n\tb\t250:0:1\n\tdyn\t251:*:*\n}\n"
HELP = "@ tst.a one\nHelp\n@ 250.3 indom one\nIndom text\n@ tst.b\nfull alone\n@ 7.7.7 single\n"

NEWHELP = {
    "%s: unrecognized debug options specification (%s)": ["-D", "nosuch", "in"],
    "%s: -v requires numeric argument": ["-v", "x", "in"],
    "%s: deprecated option - only version 2 is supported": ["-v", "1", "in"],
    "newhelp: pmLoadASCIINameSpace(NAME, 1): <err>": ["-n", "/nosuch", "in"],
    "NAME: No such file or directory": ["-n", "names", "absent"],
    "newhelp: need either a -o option or a filename argument to name the output file": ["-n", "names"],
    'newhelp: fopen("%s", ...) failed: %s': ["-n", "names", "-o", "/nosuch/x", "in"],
    "newhelp: cannot write the texts: %s": ["-n", "names", "-o", "full", "in"],
    "KEY: <err>, entry abandoned": "@ tst.nosuch x\ny\n",
    "tst.nosuch: Unknown metric name, entry abandoned": "@ tst.nosuch x\ny\n",
    "duplicate key (<pmid or indom>) entry abandoned": "@ tst.a a\n@ tst.a b\n@ tst.a c\n",
    "long line split after ...": "@ tst.a x\n" + "0123456789" * 20 + "\n",
    "entry truncated after ...": "@ tst.a x\n" + "0123456789\n" * 120,
    "null entry?": "@\n@ tst.a x\n",
    "KEY ONELINE: warning, null help": "@ tst.a one line\n",
    "KEY: warning, null oneline": "@ tst.a\ntext\n",
}

CHKHELP = {
    "chkhelp: missing helpfile argument": "",
    "chkhelp: metricname arguments cannot be used with -i or -p": "-p help tst.a",
    "chkhelp: -O or -H require metricname arguments or -i or -p": "-O help",
    "chkhelp: -e cannot be used with -i or -p": "-e -p help",
    'pmdaOpenHelp: failed to open "%s":': "-n names nosuch",
    "Bad format, not version 2 PCP help text": "-n names broken",
    "pmLoadASCIINameSpace(%s, 1): <err>": "-n /nosuch help tst.a",
    "PMID <pmid> name[ or name…]:": "-n names -p help",
    "InDom <indom>:": "-n names -i help",
    "PMID <pmid> NAME:": "-n names help tst.a",
    "NAME: <err>": "-n names help no.such",
    "InDom 250.3:Indom text": "-n names -i -H help",
    "<no one line available>": "-n names -O help tst.b",
    "<no full text available>": "-n names -H -p help",
    "<empty one line string>": "-n names -O help event.flags",
    "<empty full text string>": "-n names -H help event.flags",
}

# Names of the agent in words_agent.c: o opens its object with an entry, p starts its program.
O, P = "open dso ./words.so {}_init 5\n", "open pipe ./words {}\n"
W = O.format("whole")
DBPMDA = {
    'Expected "': 'store num "5\n',
    "Expected '": "store num '5\n",
    "Illegal character": "status $\n",
    "Mapped %s to port number %d": 'open socket inet "http"\n',
    "Failed to map (%s) to a port number": 'open socket inet "nosuch"\n',
    "Warning: PMID (<pmid>) is not defined in the PMNS": W + "desc 5.0.99\n",
    "^ at or near here": "frobnicate\n",
    "Error: TEXT": "frobnicate\n",
    "Type 'help' for a list of commands.": "frobnicate\n",
    "Unrecognized command": "frobnicate\n",
    "syntax error": "desc desc\n",
    "Unknown metric name": W + "desc no.such\n",
    "Attribute (999) is not recognised": W + "attr 999\n",
    "Bad debug flag (nosuch)": "debug nosuch\n",
    "Warning: TEXT": "desc num\n",
    "Warning: No PMDA currently opened": "desc num\n",
    "openpmda: stat %s failed: %s": "open pipe ./absent\n",
    "Start BASENAME PMDA: FILE ARG…": P.format("whole"),
    "__pmGetPDU(%d): <err>": "open pipe ./silent\n",
    "pmdaversion: expecting PDU_CREDS, got EOF": "open pipe ./gone\n",
    "pmdaversion: expecting PDU_CREDS, got PDU type %s": "open pipe ./hasty\n",
    "Warning: no version exchange with PMDA %s after %d secs": "open pipe ./gone\n",
    "Connect to PMDA on socket FILE": "open socket unix ./absent.sock\nopen socket unix ./words.sock\n",
    "Connect to PMDA on inet port N": "open socket inet {port}\n",
    "… ipv6 port N": "open socket ipv6 {port}\n",
    "opensocket: %s: %s": "open socket unix ./absent.sock\n",
    "opensocket: connect: %s": "open socket inet {port}\n",
    "opendso: %s: %s": "open dso ./absent.so x_init\n",
    'Error attaching DSO "%s"': "open dso ./text.so x_init\n",
    'Error: couldn\'t find init function "%s" in DSO "%s"': "open dso ./words.so nosuch_init\n",
    'Error: initialization routine "%s" failed in DSO "%s": <err>': O.format("failing"),
    'Error: Unsupported PMDA interface version %d returned by DSO "%s"': O.format("newer"),
    'Error: Unsupported PMAPI version %d returned by DSO "%s"': O.format("strange"),
    'dbpmda: Reload namespace from "%s"': "namespace ./absent\n",
    "Error PDU: <err>": P.format("whole") + "desc 5.0.99\n",
    "Error: __pmGetPDU() failed: PDU empty, PMDA may have died": "open pipe ./dying\ndesc num\n",
    "Error: __pmSendX() failed: <err>": "open pipe ./gone\ndesc num\n",
    "PMID: <pmid>": W + "desc num\n",
    "Error: DSO desc() failed: <err>": W + "desc 5.0.99\n",
    "PMID(s): <pmid> <pmid>…": W + "fetch num word\n",
    "Error: DSO fetch() failed: <err>": O.format("refusing") + "fetch num\n",
    "pmInDom: <indom>": W + "instance 5.0\n",
    "Instance domain is empty": W + "instance 5.1\n",
    "Error: DSO instance() failed: <err>": W + "instance 5.7\n",
    "[<no one line help text specified>]": O.format("quiet") + "text num\n",
    "<no help text specified>": O.format("quiet") + "text num\n",
    "Error: DSO text() failed: <err>": W + "text num\n",
    "Cluster: D.C": W + "label cluster 5.0\n",
    "Instances of pmInDom: <indom>": W + "label instances 5.0\n",
    "Labels:": W + "label domain\n",
    "[%3d] Labels inst: %d": W + "label instances 5.0\n",
    "Info: DSO label() returns 0": O.format("quiet") + "label domain\n",
    "Info: __pmDecodeLabel() returns 0 label sets": P.format("old") + "label domain\n",
    "Error: DSO label() failed: <err>": O.format("refusing") + "label domain\n",
    "Warning: DSO name() returns 0": O.format("quiet") + "name 5.0.0\n",
    "Metric: NAME": W + "pmid no.such\n",
    "Warning: DSO children() returns 0": O.format("quiet") + "children words\n",
    "Getting description...": W + 'store num "5"\n',
    "Sending Profile...": P.format("whole") + 'profile 5.0 none\nstore num "5"\n',
    "Getting Result Structure...": W + 'store num "5"\n',
    "<pmid>: OLD -> NEW": W + 'store num "5"\n',
    "<pmid> [i]: OLD -> NEW": W + 'store colours "5"\n',
    "Sending Result...": P.format("whole") + 'store num "5"\n',
    "Error: DSO store() failed: <err>": O.format("storeless") + 'store num "5"\n',
    "Attribute: NAME=VALUE": W + 'attr 11 "7"\n',
    "Error: DSO attribute() failed: <err>": O.format("refusing") + 'attr 11 "7"\n',
    "Error: PMDA Interface %d does not support dynamic metric names": O.format("old") + "pmid no.such\n",
    "… does not support authentication": O.format("old") + 'attr 11 "7"\n',
    "Timer: %f seconds": W + "timer on\ndesc num\n",
    'Error: Value "%s" is incompatible with metric type (PM_TYPE_%s)': W + 'store num "x"\n',
    "Error: Decoding value: <err>": W + 'store num "99999999999999999999"\n',
    "Error: dbpmda does not support storing into %s metrics": W + 'store lump "x"\n',
    "Error: <pmid> not available!": W + 'store nil "1"\n',
    "Error: <pmid>: <err>": W + 'store late "1"\n',
    "pmResult dump from %p timestamp: %lld.%06d HH:MM:SS.mmm": W + "fetch num\n",
    "__pmResult dump from %p timestamp: %lld.%09d HH:MM:SS.nnnnnnnnn": P.format("whole") + "fetch num\n",
    "numpmid: %d": W + "fetch num\n",
    "<pmid> (NAMES or <noname>):": W + "fetch num\n",
    "No values returned!": W + "fetch nil\n",
    "numval: %d valfmt: %d vlist[]:": W + "fetch num\n",
    "inst [%d or ???] value V": W + "fetch colours\n",
    "[1 event record timestamp 00:00:01.000]": W + "getdesc on\nfetch lump\n",
    "PMDA: none": "status\n",
    "Connection: daemon (pid: N)": P.format("whole") + "status\n",
    "unknown!": "open pipe ./gone\nstatus\n",
}
# With something more than a script; and those that other tests read.
OTHERS = {"dbpmda: -q requires a positive numeric argument", 'dbpmda: Cannot load namespace from "%s": <err>',
          "dbpmda: Cannot load default namespace: <err>", "dbpmda: Reload default namespace", "opensocket: socket: %s",
          "Error [.dbpmdarc, line N]: TEXT", "Warning [.dbpmdarc, line N]"}
ELSEWHERE = {"Error: DSO has no %s() method", "Error: DSO fetch() gave no value set of <pmid>",  # test_dbpmda.py, BAD_DSO
             "Error: DSO fetch() gave no value of <pmid>", "Error: no text of label %d"}

# Texts in backticks that are not messages of a program; the last ones are only in 6.0.3, or are about a name without an
# identifier.
NOT_MESSAGES = re.compile(
    r"-D opts|chkhelp -p|newhelp: \[FILE|open |close|desc |fetch |store |text |instance |profile |add NUMBER|delete |children |"
    r"traverse |pmid |name N|name=|attr |label (?!\()|namespace |debug |timer |getd|geti|wait |watch |help|/usr|D\.|NAME$|_ \. |"
    r"Profile \[0\]|Instances: \[0\]|\"abc\"|\[0 event|value |inst \[…|inst: |name: |\[%3d\]$|<|\[TEXT|xterm|FILE:|-|dbpmda>|"
    r"KEY: write (oneline|help) failed, entry abandoned|(KEY|NAME): unknown metric")
KEEP = ("<no", "<empty", "<pmid>:", "<pmid> [i]", "<pmid> (", "-q")

CONVERSION = re.compile(r"%[-0-9l]*[a-z]|name\[ or name…\]|NAMES or <noname>|<(?:err|pmid|indom|pmid or indom)>|\[i\]|…|"
                        r"\b(?:NAME|KEY|ONELINE|TEXT|BASENAME|FILE|ARG|OLD|NEW|VALUE|N|V|D\.C|__pmSendX|HH:MM:SS\.[mn]+)\b")


def quoted(chapter):
    text = (ROOT / "docs/spec/pmda.md").read_text()
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    part = re.search(rf"(?ms)^## {chapter}\. .*?(?=^## )", text)[0]
    for found in re.findall(r"`([^`]+)`", part):
        found = re.sub(r"\s+", " ", found.replace("\\|", "|").replace("\\n", "")).strip()
        if found.startswith(KEEP[:-1]) or (" " in found and not NOT_MESSAGES.match(found)):
            yield found


def test_each_message_has_a_row():
    rows = {*NEWHELP, *CHKHELP, *DBPMDA, *OTHERS, *ELSEWHERE}
    spec = {*quoted(18), *quoted(19)}
    alone = {"Labels:", "unknown!"}  # of one word
    assert not spec - rows, spec - rows
    assert not rows - spec - alone, rows - spec


def pattern(text):
    """A pattern for the actual output of a text of the specification."""
    return re.compile(".*?".join(re.escape(word).replace(r"\ ", r"\s+") for word in CONVERSION.split(text)), re.M)


def check(text, done):
    assert pattern(text).search(done.stdout + done.stderr), (text, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def folder(prefix, tmp_path_factory):
    where = tmp_path_factory.mktemp("words")
    (where / "names").write_text(NAMES)
    (where / "broken.dir").write_text("no such thing")
    (where / "broken.pag").write_text("")
    (where / "help").write_text(HELP)
    os.symlink("/dev/full", where / "full.pag")
    subprocess.run([prefix.bin("newhelp"), "-n", "names", "help"], cwd=where, check=True, env=prefix.env())
    return where


def run(prefix, folder, tool, args, leaks=None, **more):
    return subprocess.run([prefix.bin(tool), *args], cwd=folder, env=prefix.env(**(leaks or {})), text=True, capture_output=True, timeout=180,
                          check=False, **more)


@pytest.mark.parametrize("text", NEWHELP)
def test_newhelp(prefix, folder, text):
    args = NEWHELP[text]
    source = "@ tst.a one\ntext\n" if isinstance(args, list) else args
    (folder / "in").write_text(source)
    done = run(prefix, folder, "newhelp", args if isinstance(args, list) else ["-V", "-n", "names", "-o", "out", "in"], input="")
    check(text, done)
    assert done.returncode in (1, 2)


@pytest.mark.parametrize("text", CHKHELP)
def test_chkhelp(prefix, folder, text):
    check(text, run(prefix, folder, "chkhelp", CHKHELP[text].split()))


AGENTS = {"silent": "while read word; do :; done", "gone": "exit 0",
          "hasty": r"printf '\0\0\0\040\0\0\160\005\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; exec cat >/dev/null",
          "dying": r"printf '\0\0\0\024\0\0\160\014\0\0\0\0\0\0\0\001\001\002\0\0'; exec dd bs=1 count=28 of=/dev/null 2>/dev/null"}


@pytest.fixture(scope="module")
def agents(prefix, tmp_path_factory):
    cc = shlex.split(os.environ.get("PITOT_CC", "cc"))
    if shutil.which(cc[0]) is None:
        pytest.skip("no C compiler")
    where = tmp_path_factory.mktemp("agents")
    (where / "names").write_text("root {\n\tnum 5:0:0\n\tword 5:0:1\n\tlump 5:0:2\n\tnil 5:0:3\n\tlate 5:0:4\n"
                                 "\tcolours 5:0:5\n}\n")
    (where / "text.so").write_text("no object\n")
    (where / "words.sock").write_text("")
    for name, line in AGENTS.items():
        (where / name).write_text(f"#!/bin/sh\n{line}\n")
        (where / name).chmod(0o755)
    for out, flags in (("words", []), ("words.so", ["-shared", "-fPIC"])):
        subprocess.run([*cc, *flags, f"-I{prefix.path}/include", "-o", where / out, pathlib.Path(__file__).parent / "words_agent.c",
                        f"-L{prefix.path}/lib", "-lpcp_pmda", "-lpcp", f"-Wl,-rpath,{prefix.path}/lib"], check=True)
    return where


def dbpmda(prefix, agents, script, *options):
    patience = "1" if "silent" in script else "30"
    # Memory that pmdaDSO allocates cannot be freed: an object is unloaded before the end of the program.
    leaks = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    return run(prefix, agents, "dbpmda", ["-f", "-q", patience, "-n", "names", *options], input=script, leaks=leaks)


@pytest.mark.parametrize("text", DBPMDA)
def test_dbpmda(prefix, agents, text):
    done = dbpmda(prefix, agents, DBPMDA[text].replace("{port}", str(free_port())))
    check(text, done)
    assert done.returncode == 0 or "namespace" in text


def test_command_line(prefix, agents):
    check("dbpmda: -q requires a positive numeric argument", dbpmda(prefix, agents, "", "-q", "0"))
    check('dbpmda: Cannot load namespace from "%s": <err>', dbpmda(prefix, agents, "", "-n", "/nosuch"))


def test_no_default_namespace(prefix, agents, tmp_path):
    """The default namespace breaks: before the start, and while it runs."""
    names = tmp_path / "root"

    def start(text):
        names.write_text(text)
        return subprocess.Popen([prefix.bin("dbpmda"), "-f"], cwd=agents, env=prefix.env(PMNS_DEFAULT=names), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with start("nonsense\n") as one:
        said = one.communicate("", timeout=180)[0]
        assert pattern("dbpmda: Cannot load default namespace: <err>").search(said) and one.returncode == 1, said
    with start("root {\n\tnum 5:0:0\n}\n") as one:
        said = one.communicate("namespace ./absent\nstatus\n", timeout=180)[0]
        assert "dbpmda: Reload default namespace" in said and "(default)" in said, said


def test_commands_of_the_folder(prefix, agents, tmp_path):
    (tmp_path / ".dbpmdarc").write_text("status\nfrobnicate\ndesc 5.0.0\n")
    done = subprocess.run([prefix.bin("dbpmda"), "-n", agents / "names"], cwd=tmp_path, env=prefix.env(), input="", text=True,
                          capture_output=True, timeout=180, check=False)
    assert "Error [.dbpmdarc, line 2]: Unrecognized command" in done.stderr, done
    assert "Warning [.dbpmdarc, line 3]\n" in done.stderr, done


def test_no_descriptor_for_a_socket(prefix, agents):
    """There are as many descriptors as it has."""
    with subprocess.Popen([prefix.bin("dbpmda"), "-f", "-n", "names"], cwd=agents, env=prefix.env(), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1) as one:
        one.stdin.write("status\n")
        while "Getiname" not in one.stdout.readline():
            pass
        used = max(int(fd) for fd in os.listdir(f"/proc/{one.pid}/fd")) + 1
        resource.prlimit(one.pid, resource.RLIMIT_NOFILE, (used, used))
        said = one.communicate("open socket inet 9\n", timeout=180)[1]
    assert "opensocket: socket: Too many open files" in said
