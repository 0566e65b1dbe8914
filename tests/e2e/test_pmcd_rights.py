"""Access rights: a table of access sections and clients, ours compared with Debian's (docs/spec/pmcd.md 6).

A client is an address of the collector and, on the Unix socket, a user and a group. Its result is a word:

    fs  f-  -s      fetch, store allowed
    P   L           refused when it comes: no permission, too many connections
    p   l           refused when it has said who it is
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

import harness
import peer
import wire
from recorders import insist

PERMISSION, CONNLIMIT = -12387, -12388
REFUSED = {-1042: "P", -1043: "L", PERMISSION: "P", CONNLIMIT: "L"}
WHOAMI, NUMCLIENTS = wire.pmid(2, 6, 0), wire.pmid(2, 0, 3)
STRANGER = 0x700a  # a PDU that no collector serves: it always gives the same ERROR, so it marks the end

ROOT, DAEMON, NOBODY = (0, 0), (1, 1), (65534, 65534)
MIXED = (65534, 1)  # the user "nobody", in the group of daemon


def other_address(family, reserved):
    """An address of this host that is not the loopback's, or None."""
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        try:
            s.connect((reserved, 9))
            found = s.getsockname()[0]
            with socket.socket(family) as try_it:
                try_it.bind((found, 0))
            return found
        except OSError:
            return None


# Documentation addresses: nothing is sent, but the kernel says where it would be sent from.
OTHER = other_address(socket.AF_INET, "198.51.100.1")
OTHER6 = other_address(socket.AF_INET6, "2001:db8::1")

def named_loopback():
    """True where this host's name is one of the loopback: what 6.0.3 takes a client from there for depends on it."""
    try:
        return "127.0.0.1" in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        return False


NAMED_LOOPBACK = named_loopback()

CLIENTS = {
    "root": ("unix", ROOT), "daemon": ("unix", DAEMON), "nobody": ("unix", NOBODY), "mixed": ("unix", MIXED),
    "inet": ("127.0.0.1", None), "ipv6": ("::1", None), "other": (OTHER, None), "other6": (OTHER6, None),
}

# The access section, and what the clients get, in the order of the columns; "." is not said here,
# but has to be what Debian's gives: a client from the loopback comes from all addresses that this
# host's name has, too.
STAR_LAST = 'disallow "unix:" : store; disallow user nobody : fetch; allow user "*" : all;'
COLUMNS = "root daemon nobody mixed inet ipv6 other other6".split()
TABLE = [
    # hosts
    ("", "fs fs fs fs fs fs fs fs"),
    ('allow "*" : all;', "fs fs fs fs fs fs fs fs"),
    ('disallow "*" : store;', "f- f- f- f- f- f- f- f-"),
    ('disallow "*" : fetch;', "-s -s -s -s -s -s -s -s"),
    ('disallow "*" : all;', "P P P P P P P P"),
    ('disallow "*" : fetch, store;', "P P P P P P P P"),
    ('allow "*" : all except store;', "f- f- f- f- f- f- f- f-"),
    ('disallow "*" : all except store;', "-s -s -s -s -s -s -s -s"),
    ('allow "*" : all except fetch;', "-s -s -s -s -s -s -s -s"),
    ('disallow "*" : all except fetch;', "f- f- f- f- f- f- f- f-"),
    ('disallow ".*" : all;', "fs fs fs fs P . P fs"),
    ('disallow ":*" : all;', "fs fs fs fs . P fs P"),
    ('disallow "unix:" : store;', "f- f- f- f- fs fs fs fs"),
    ('disallow "unix:" : all;', "P P P P fs fs fs fs"),
    ('disallow "local:*" : store;', "f- f- f- f- . . . ."),
    ('disallow ".*" : store; disallow ":*" : store; allow "local:*" : all;', "fs fs fs fs . . . ."),
    ('disallow ".*" : all; allow "127.*" : fetch;', "fs fs fs fs . . P fs"),
    ('disallow ".*" : all; allow "127.0.0.*" : all; disallow 127.0.0.1 : store;', "fs fs fs fs . . P fs"),
    ('disallow ":*" : all; allow "::1" : fetch;', "fs fs fs fs . . fs P"),
    ('allow ".*" : fetch; disallow ".*" : store;', "fs fs fs fs f- . f- fs"),
    ("disallow OTHER : store;", "fs fs fs fs . . f- fs"),
    ('disallow "OTHER6" : all;', "fs fs fs fs . . fs P"),
    # users: a client without one is refused, and a list denies users that it does not name
    ("allow user root : all;", "fs p p p p p p p"),
    ("allow user daemon : fetch;", "p fs p fs p p p p"),
    ("disallow user daemon : store;", "p f- p f- p p p p"),
    ('allow user "*" : all;', "fs fs fs fs p p p p"),
    ('disallow user "*" : store;', "f- f- f- f- p p p p"),
    ('disallow user "*" : all; allow user nobody : all;', "p p fs fs p p p p"),
    ('allow user "*" : all; disallow user nobody : store;', "fs fs f- f- p p p p"),
    ("allow users root, nobody : all;", "fs p fs fs p p p p"),
    ("disallow user root : all; allow user daemon : all;", "p fs p fs p p p p"),
    # groups
    ("allow group daemon : all;", "p fs p fs p p p p"),
    ("disallow group daemon : fetch;", "p -s p -s p p p p"),
    ('allow group "*" : all; disallow group root : store;', "f- fs fs fs p p p p"),
    ("allow groups nogroup, root : all;", "fs p fs fs p p p p"),
    # all three
    ('disallow "unix:" : store; allow user "*" : all;', "f- f- f- f- p p p p"),
    (STAR_LAST, "f- f- p p p p p p"),
    ('allow user "*" : all; allow group daemon : all;', "p fs p fs p p p p"),
    ('disallow user daemon : store; disallow group daemon : fetch;', "p p p p p p p p"),
    ('disallow ".*" : all; disallow ":*" : all; allow user root : all;', "fs p p p P P P P"),
]

# Debian's results where ours differ on purpose. Debian's treats a client from ::1 as one of the addresses of the host's
# name, so statements for ::1 and :* do not apply to it; and with a list of users whose wildcard comes last it refuses
# users because of too many connections (None: not always).
DIFFERENCES = {
    ('disallow ":*" : all;', "ipv6"): "fs",
    ('disallow ":*" : all; allow "::1" : fetch;', "ipv6"): "fs",
    **{(STAR_LAST, name): None for name in ("root", "daemon", "nobody", "mixed")},
}

# The access section, the clients that stay connected, and the one that comes then; and whether
# Debian's is held against it. It counts a client of the loopback once for each line of /etc/hosts,
# does not count for "*", and keeps counts of users after they have left.
LIMITS = [
    ('allow "unix:" : maximum 2 connections;', ["root"], "root", "fs", True),
    ('allow "unix:" : maximum 2 connections;', ["root", "nobody"], "root", "L", True),
    ('allow "unix:" : maximum 2 connections;', ["root", "root"], "inet", "fs", True),
    ('allow ".*" : maximum 1 connections;', ["inet"], "inet", "L", False),
    ('allow ".*" : maximum 1 connections;', ["other"], "other6", "fs", True),
    ('allow ".*" : maximum 1 connections;', ["inet"], "root", "fs", False),
    # the most specific statement decides, and all are counted
    ('allow ".*" : maximum 1 connections; allow "127.*" : maximum 3 connections;', ["inet", "inet"], "inet", "fs", False),
    ('allow ".*" : maximum 3 connections; allow "127.*" : maximum 1 connections;', ["inet"], "inet", "L", False),
    ('allow user daemon : all, maximum 1 connections; allow user "*" : all;', ["daemon"], "daemon", "l", False),
    ('allow user daemon : all, maximum 1 connections; allow user "*" : all;', ["daemon"], "nobody", "fs", False),
    ('allow user "*" : all, maximum 2 connections;', ["root", "nobody"], "daemon", "l", False),
    ('allow group daemon : maximum 1 connections; allow group "*" : all;', ["daemon"], "mixed", "l", False),
    ('allow group nogroup : maximum 1 connections;', ["nobody"], "nobody", "l", True),
]


def connect(daemon, where):
    if where == "unix":
        return wire.Client(daemon.socket, handshake=False)
    family = socket.AF_INET6 if ":" in where else socket.AF_INET
    client = wire.Client.__new__(wire.Client)
    client.sock = socket.socket(family)
    client.sock.settimeout(15)
    client.sock.connect((where, daemon.port))
    return client


def introduce(daemon, name):
    """A client that has said who it is, or None and the word for its refusal."""
    try:
        client = connect(daemon, CLIENTS[name][0])
        hello = client.receive()
    except (wire.Closed, ConnectionResetError):
        return None, "closed"
    if hello.code < 0:
        assert client.is_closed()
        return None, REFUSED[hello.code]
    client.send(wire.creds(flags=hello.words(1, 16)[0] & 8))
    return client, None


def greeting(client):
    """The first word after the credentials: the code of an ERROR, or IPC for a client that is admitted."""
    try:
        client.send(wire.pdu(STRANGER))
    except BrokenPipeError:
        pass  # why it was closed can still be read
    got = client.receive()
    # Debian's asks clients of the network for a password (docs/design.md: not ours).
    return PERMISSION if got.kind == wire.ATTR else got.code


def replies(client):
    """The codes of all replies to a PROFILE, a FETCH, a store into its own metric; 0 is a RESULT."""
    out = []
    client.send(wire.profile() + wire.fetch([NUMCLIENTS]) + wire.store([(WHOAMI, [(-1, "me")])]) + wire.pdu(STRANGER))
    while True:
        got = client.receive()
        if got.kind == wire.ERROR and got.code == wire.PM_ERR_IPC:
            return out
        out.append(("store", got.code) if got.kind == wire.ERROR else ("fetch", 0))


def verdict(daemon, name):
    """The result of this client, as a word."""
    client, refused = introduce(daemon, name)
    if refused:
        return refused
    first = greeting(client)
    if first != wire.PM_ERR_IPC:
        client.close()
        return REFUSED[first].lower()
    got = replies(client)
    client.close()
    # Without the right to fetch PROFILE and FETCH are refused.
    return ("f" if ("fetch", 0) in got else "-") + ("s" if got[-1] == ("store", 0) else "-")


def theirs_as(ours, word):
    """Debian's word, in ours: its close may overtake the ERROR on TCP."""
    return ours if word == "closed" and ours in ("P", "L") else word


def in_child(identity, act):
    """The result, a text, of act in a process with this user and group."""
    if identity is None or identity == (os.getuid(), os.getgid()):
        return act()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(identity[1])
            os.setuid(identity[0])
            os.write(writing, act().encode())
        except BaseException as error:  # the parent compares the reported result
            os.write(writing, repr(error).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as out:
        word = out.read().decode()
    os.waitpid(pid, 0)
    return word


class Ours(harness.Pmcd):
    def __init__(self, prefix, directory):
        super().__init__(prefix, directory, [], options=["-q", "1"], env={"PMCD_LOCAL": 0})
        self.head = self.conf.read_text()

    def use(self, access):
        self.stop()
        self.conf.write_text(self.head + access)
        self.start()


class Theirs:
    """Debian's, with the same words."""

    def __init__(self, directory):
        self.peer = peer.Peer(agents=("pmcd",))
        self.dir = directory
        self.socket, self.conf = directory / "theirs.socket", directory / "theirs.conf"
        self.port, self.process = harness.free_port(), None

    def use(self, access):
        self.stop()
        self.conf.write_text(f"pmcd 2 dso pmcd_init {self.peer.pmdas}/pmcd/pmda_pmcd.so\n" + access)
        self.process = subprocess.Popen(
            [self.peer.program("pmcd"), "-f", "-A", "-U", self.peer.user, "-p", str(self.port), "-s", str(self.socket),
             "-l", str(self.dir / "theirs.log"), "-c", str(self.conf)], env=self.peer.env(), cwd=self.dir)
        harness.wait_until("Debian's answers", lambda: harness.answers(self.socket), alive=self.process)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            insist(self.process)

    def remove(self):
        self.stop()
        self.peer.remove()


@pytest.fixture(scope="module")
def daemons(prefix):
    """[ours, Debian's if there is one], in a directory that every user may enter."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="rights-", dir="/tmp"))
    directory.chmod(0o755)
    both = [Ours(prefix, directory / "ours")] + ([Theirs(directory)] if peer.peer_root() else [])
    yield both
    for daemon in both:
        daemon.stop()
        if isinstance(daemon, Theirs):
            daemon.remove()
    shutil.rmtree(directory)


def section(text):
    text = text.replace("OTHER6", OTHER6 or "2001:db8::9").replace("OTHER", OTHER or "192.0.2.99")
    return f"\n[access]\n{text.replace('; ', ';' + chr(10))}\n" if text else ""


def possible(name):
    """False for clients that can't be: addresses that this host has not, users that we can't be, and those of the
    loopback where this host's name leads elsewhere."""
    where, identity = CLIENTS[name]
    if name in ("inet", "ipv6") and not NAMED_LOOPBACK:
        return False
    if where is None or (":" in where and not socket.has_dualstack_ipv6()):
        return False
    return identity is None or os.getuid() == 0


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="clients of other users need root")


@needs_root
@pytest.mark.parametrize("access,wanted", TABLE, ids=[row[0] or "no section" for row in TABLE])
def test_who_may_do_what(daemons, access, wanted):
    names = [n for n in COLUMNS if possible(n)]
    words = dict(zip(COLUMNS, wanted.split()))
    got = []
    for daemon in daemons:
        daemon.use(section(access))
        got.append({n: in_child(CLIENTS[n][1], lambda n=n: verdict(daemon, n)) for n in names})
    assert {n: w for n, w in got[0].items() if words[n] != "."} == {n: words[n] for n in names if words[n] != "."}
    assert all(word in ("fs", "f-", "-s", "P", "p") for word in got[0].values())
    if len(got) > 1:
        assert {n: (w, theirs_as(w, got[1][n])) for n, w in got[0].items() if (access, n) not in DIFFERENCES} == \
            {n: (w, w) for n, w in got[0].items() if (access, n) not in DIFFERENCES}, "Debian's"
        told = {n: DIFFERENCES[access, n] for n in names if DIFFERENCES.get((access, n))}
        assert {n: got[1][n] for n in told} == told


@needs_root
@pytest.mark.parametrize("access,stay,comes,wanted,same", LIMITS, ids=[f"{r[0]} {r[2]} after {len(r[1])}" for r in LIMITS])
def test_how_many_may_come(daemons, access, stay, comes, wanted, same):
    if not all(possible(n) for n in stay + [comes]):
        pytest.skip("this host has not all the addresses")
    for daemon in daemons if same else daemons[:1]:
        daemon.use(section(access))
        # The harness's own probe counts until it has left.
        harness.wait_until("a first client is let in", lambda: theirs_as(wanted, counted(daemon, stay, comes)) == wanted)


def counted(daemon, stay, comes):
    """The last one's word while the others are there. Those of other users are processes that wait."""
    held = []
    try:
        for name in stay:
            held.append(Held(daemon, name))
            if held[-1].word != "in":
                return f"{name} was refused: {held[-1].word}"
        return in_child(CLIENTS[comes][1], lambda: verdict(daemon, comes))
    finally:
        for one in held:
            one.leave()


class Held:
    """A client of some user that stays connected."""

    def __init__(self, daemon, name):
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.stay(daemon, name, writing)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            self.word = told.read().decode()

    def stay(self, daemon, name, writing):
        identity = CLIENTS[name][1]
        if identity is not None:
            os.setgroups([])
            os.setgid(identity[1])
            os.setuid(identity[0])
        client, refused = introduce(daemon, name)
        if client is not None:
            code = greeting(client)
            refused = None if code == wire.PM_ERR_IPC else REFUSED[code].lower()
        os.write(writing, (refused or "in").encode())
        os.close(writing)
        signal.pause()

    def leave(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@needs_root
def test_rights_of_who_is_there_already(prefix, daemons):
    """A reconfiguration changes what connected clients may do, and closes those who may not stay."""
    for daemon in daemons:
        daemon.use("")
        held = {name: introduce(daemon, name)[0] for name in ("root", "inet")}
        assert all(client.ask(wire.pdu(STRANGER)).code == wire.PM_ERR_IPC for client in held.values())
        daemon.conf.write_text(daemon.conf.read_text() + section('disallow "unix:" : store; disallow ".*" : all;'))
        daemon.process.send_signal(signal.SIGHUP)
        assert held["inet"].receive().code == PERMISSION
        assert held["inet"].is_closed()
        harness.wait_until("the list is there", lambda: replies(held["root"])[-1] == ("store", PERMISSION))
        for client in held.values():
            client.close()
