"""rows - sends the same bytes to Debian's collector and to ours, and compares their answers.

A Row is one exchange: the bytes that a client sends on its own connection, and the place in the specification that
describes the result. Both collectors run the same configuration (Pair). A transcript has the received PDUs, until the
answer to a mark (a DESC_REQ that both collectors can answer) or the end of the connection. Data that cannot be equal is
replaced: times, and the values of metrics that change. If ours differs on purpose the row gives the reason, and the
answer of each.
"""
import contextlib
import dataclasses
import pathlib
import re
import shutil
import signal
import struct
import sys
import threading

import harness
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")

# Domains of the agents that both collectors run, besides pmcd (2).
SAMPLE, SIMPLE, PUPPET, OTHER, UNREADY, BROKEN, UNKNOWN = 29, 239, 240, 241, 242, 243, 300
ONE, MANY = wire.pmid(PUPPET, 0, 0), wire.pmid(PUPPET, 0, 1)
STRINGS = wire.pmid(PUPPET, 9, 0)
NUMAGENTS, NUMCLIENTS = wire.pmid(2, 0, 2), wire.pmid(2, 0, 3)
STATUS = wire.pmid(2, 4, 1)

# A word for the scripted agent: it goes on when a row is over (Pair.revive).
REVIVED = "revived"
UNTIL_REVIVED = f"until={REVIVED}"

MARK = wire.desc_req(NUMCLIENTS)
MARK_ANSWER = wire.pdu(wire.DESC, struct.pack(">IiIiI", NUMCLIENTS, 1, wire.NULL_ID, 3, 0))
CLOSED = "CLOSED"

# Metrics of the collector whose values are its own: the shape of their value sets is compared.
MOVING = {wire.pmid(2, *ci) for ci in (
    (0, 1), (0, 3), (0, 17), (0, 18), (0, 19), (0, 20), (0, 22), (0, 23), (0, 24), (6, 1), (7, 0), (7, 1))}
MOVING |= {wire.pmid(SIMPLE, 0, 0), wire.pmid(SIMPLE, 0, 1)}
MOVING |= {wire.pmid(2, cluster, item) for cluster in (1, 2) for item in range(25)}
CLIENTS = {wire.pmid(2, 6, item) for item in range(3)}  # the instances are numbers of connections

KINDS = {getattr(wire, name): name for name in (
    "ERROR RESULT PROFILE FETCH DESC_REQ DESC INSTANCE_REQ INSTANCE TEXT_REQ TEXT CONTROL_REQ CREDS PMNS_IDS "
    "PMNS_NAMES PMNS_CHILD PMNS_TRAVERSE ATTR LABEL_REQ LABEL HIGHRES_FETCH HIGHRES_RESULT DESC_IDS DESCS").split()}


@dataclasses.dataclass(frozen=True)
class Differs:
    """Where ours is another on purpose: the place that says so, and both answers, word by word. Bytes in the
    place of theirs: 6.0.3 answers as it answers these."""
    reason: str
    theirs: object
    ours: tuple


@dataclasses.dataclass(frozen=True)
class Retold:
    """A form of 6.0.3's answers that ours gives in a better one; put: its word -> ours."""
    reason: str
    put: object


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    spec: str                   # "pdu 5.6, pmcd 9"
    send: bytes
    gives: object = None        # the first answer: a code, a word; or all words; or None: whatever both say
    differs: Differs = None
    hello: bool = True          # after the handshake
    mark: bool = True           # send the mark after it; else only close our sending side
    wait: bool = False          # nothing more is sent, not even the end
    agent_dies: bool = False    # in 6.0.3 alone, or in both: it is started again after the row
    alone: str = None           # why 6.0.3 is not asked: ours alone, against `gives`
    retold: object = None       # Retold: 6.0.3 says the same in a form of its own
    loose: object = None        # text -> text, for what is left to each

    def __str__(self):
        return self.name


def differs(reason, theirs, ours):
    """Answers as words of a transcript; an integer is an ERROR, "MARK" ends a good connection."""
    def words(answers):
        return tuple(f"ERROR {a}" if isinstance(a, int) else a for a in answers)
    return Differs(reason, theirs if isinstance(theirs, bytes) else words(theirs), words(ours))


def unique(rows):
    names = [row.name for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"rows of the same name: {sorted(twice)}"
    return rows


# -- transcripts

def still_values(raw, at, count):
    """The result with the words of moving metrics zeroed, and their blocks."""
    out = bytearray(raw)
    for ident, numval in walk(raw, at, count):
        at += 8
        if numval <= 0:
            continue
        valfmt, = struct.unpack_from(">i", raw, at)
        for value in range(at + 4, at + 4 + 8 * numval, 8):
            if ident in CLIENTS:
                out[value:value + 4] = bytes(4)
            if ident not in MOVING:
                continue
            where = value + 4
            if valfmt != 0:
                block = struct.unpack_from(">I", raw, where)[0] * 4
                length = struct.unpack_from(">I", raw, block)[0] & 0xffffff
                out[block + 4:block + length] = bytes(length - 4)
            else:
                out[where:where + 4] = bytes(4)
        at += 4 + 8 * numval
    return bytes(out)


def walk(raw, at, count):
    for _ in range(count):
        ident, numval = struct.unpack_from(">Ii", raw, at)
        yield ident, numval
        at += 8 + (4 + 8 * numval if numval > 0 else 0)


def without_ours(pdu):
    """A list of names less those that only our collector has: pitot.* (pmcd.md 11)."""
    kept = [(name, status) for name, status in pdu.names if name.split(".")[0] != "pitot"]
    body = struct.pack(">iii", sum(len(n) + 1 for n, _ in kept), len(kept) if pdu.words(2)[1] else 0, len(kept))
    return body + b"".join((b"" if status is None else struct.pack(">i", status)) + wire.counted(name) for name, status in kept)


def word_of(pdu):
    """One PDU as text, without what can't be equal."""
    raw = pdu.raw
    if pdu.kind == wire.ERROR and pdu.len == 16 and pdu.sender == 0:
        return f"ERROR {pdu.code}"
    if pdu.kind == wire.RESULT:
        raw = still_values(raw[:12] + bytes(8) + raw[20:], 24, pdu.words(1, 20)[0])
    elif pdu.kind == wire.HIGHRES_RESULT:
        raw = still_values(raw[:16] + bytes(16) + raw[32:], 32, pdu.words(1, 12)[0])
    elif pdu.kind in (wire.INSTANCE, wire.TEXT):
        raw = raw[:12] + bytes(4) + raw[16:]  # 6.0.3 leaves it unset or unswapped (pdu.md 5.8, 5.9)
    elif pdu.kind == wire.PMNS_NAMES and b"pitot" in raw:
        raw = raw[:12] + without_ours(pdu)
    sender = "" if pdu.sender == 0 else f" from {pdu.sender}"
    return f"{KINDS.get(pdu.kind, hex(pdu.kind))}{sender} {raw[12:].hex(' ', 4)}".rstrip()


def play(address, row, timeout_s=harness.DEADLINE_S):
    """The answer of a collector to a row."""
    words = []
    with wire.Client(address, handshake=row.hello, timeout_s=timeout_s) as client:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.send(row.send + (MARK if row.mark and not row.wait else b""))
            if not row.mark:
                client.sock.shutdown(1)
        try:
            while True:
                got = client.receive()
                if row.mark and got.raw == MARK_ANSWER:
                    return words + ["MARK"]
                words.append(word_of(got))
        except wire.Closed:
            return words + [CLOSED]
        except TimeoutError:
            return words + ["SILENCE"]


def both(pair, row):
    """The transcripts of the two, made at the same time: what waits waits once."""
    got = {}
    def one(name, address):
        got[name] = play(address, row)
    threads = [threading.Thread(target=one, args=side) for side in pair.sides()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got["theirs"], got["ours"]


def other_words(theirs, ours):
    """Where two transcripts differ: (place, 6.0.3's word, ours), the first ten."""
    pairs = enumerate(zip(" ".join(theirs).split(), " ".join(ours).split()))
    return [(i, a, b) for i, (a, b) in pairs if a != b][:10]


def check(pair, row):
    """Runs a row and holds the two against each other."""
    if row.alone:
        ours = play(pair.ours.socket, row)
        theirs = ours
    else:
        theirs, ours = both(pair, row)
    if row.retold is not None:
        theirs = [row.retold.put(word) for word in theirs]
    if row.loose is not None:
        theirs, ours = ([row.loose(word) for word in words] for words in (theirs, ours))
    if row.differs is not None:
        expected = row.differs.theirs
        if isinstance(expected, bytes):
            expected = tuple(play(pair.peer.socket, dataclasses.replace(row, send=expected)))
        assert tuple(theirs) == expected, f"{row.name}: 6.0.3 says {theirs}"
        assert tuple(ours) == row.differs.ours, f"{row.name} ({row.differs.reason}): ours says {ours}"
    else:
        assert ours == theirs, f"{row.name} ({row.spec}): {other_words(theirs, ours)}"
    if row.gives is not None:
        if isinstance(row.gives, tuple):
            assert tuple(ours) == row.gives, row.spec
            return
        first = ours[0] if row.hello else ours[1]
        assert first == (f"ERROR {row.gives}" if isinstance(row.gives, int) else row.gives), row.spec


# -- the two collectors

def pipe_line(domain, *ways, notready=False):
    return (f"dyn{domain} {domain} pipe binary {'notready ' if notready else ''}{sys.executable} -S {AGENT} {domain} "
            f"{' '.join(ways)}")


def paths_of(peer):
    """Where Debian's collector, and the agents that it starts, look for their files."""
    lines = [line.split("=", 1) for line in peer.conf.read_text().splitlines() if re.match(r"PCP_\w+=", line)]
    return {name: value.strip('"') for name, value in lines}


class Pair:
    """Debian's collector and ours, with the same configuration, name space and environment."""

    def __init__(self, prefix, peer, directory, agents=(), options=(), access=""):
        self.peer = peer
        self.dir = pathlib.Path(directory)
        self.names = self.dir / "names"
        self.names.write_text(self.name_space(agents))
        self.ours = harness.Pmcd(prefix, self.dir / "ours", env={
            **paths_of(peer), "TZ": "UTC", "LC_ALL": "C", "PMCD_RESTART_AGENTS": 0,
            "LD_LIBRARY_PATH": prefix.path / "lib"})
        # The agents of Debian's packages run with Debian's libraries under both collectors.
        peer_program = f"pipe binary {shutil.which('env')} LD_LIBRARY_PATH={peer.lib} PCP_CONF={peer.conf}"
        lines = [f"pmcd 2 dso pmcd_init {peer.pmdas}/pmcd/pmda_pmcd.so"]
        lines += [line.replace("PEER", peer_program).replace("PMDAS", str(peer.pmdas)) for line in agents]
        self.ours.conf.write_text("\n".join(lines) + "\n" + access)
        self.options = ["-n", str(self.names), *options]
        self.ours.options = self.options

    def name_space(self, agents):
        """Debian's merged name space, and a dynamic root for each scripted agent."""
        text = (self.peer.home / "var/lib/pcp/pmns/root").read_text()
        roots = "".join(f"\tdyn{d}\t{d}:*:*\n" for d in re.findall(r"(?m)^dyn(\d+) ", "\n".join(agents)))
        return re.sub(r"(?m)^root \{\n", lambda found: found.group() + roots, text, count=1)

    def sides(self):
        return ("theirs", self.peer.socket), ("ours", self.ours.socket)

    def start(self):
        self.peer.start(*self.options, "-c", str(self.ours.conf), PMCD_RESTART_AGENTS="0")
        self.ours.start()
        return self

    def stop(self):
        self.peer.stop()
        self.ours.stop()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    def heard(self, data, before, kinds=None):
        """The PDUs that the scripted agent receives while a client sends this, without the client's number and the
        times of stores. Without `kinds`, only requests: 6.0.3 repeats profiles and reports every end of a client
        (pmcd-internals.md)."""
        quiet = (wire.PROFILE, wire.ERROR, wire.ATTR)
        out = {}
        for (name, address), path in zip(self.sides(), self.traces()):
            start = len(path.read_text().splitlines())
            play(address, Row("heard", "", before + data))
            lines = [line.split(" ", 2) for line in path.read_text().splitlines()[start:]]
            out[name] = [(kind, body[16:] if int(kind, 16) == wire.RESULT else body) for kind, _, body in lines
                         if (int(kind, 16) in kinds if kinds else int(kind, 16) not in quiet)]
            if kinds:
                out[name].sort()  # attributes have no order
        return out

    def heard_first(self):
        """Of each, what its scripted agent was sent from the start."""
        return [[" ".join(line.split(" ")[::2]) for line in path.read_text().splitlines()] for path in self.traces()]

    def traces(self):
        """The trace file of the agent (its option trace=), in the directory of its collector."""
        return self.peer.log / "heard", self.ours.dir / "heard"

    def deny(self, operation):
        """Another access section for both, which denies this to whom comes by the Unix socket."""
        text = self.ours.conf.read_text().split("[access]")[0]
        self.ours.conf.write_text(f'{text}[access]\nallow ".*" : all;\ndisallow "unix:" : {operation};\n')
        for process, (_, address) in zip((self.peer.pmcd, self.ours.process), self.sides()):
            process.send_signal(signal.SIGHUP)
            harness.wait_until(f"{operation} is denied", lambda: is_denied(address, operation))

    def revive(self):
        """Makes the scripted agent continue, waits until it is ready, and makes a collector that has lost it restart
        it. Later clients are not affected."""
        told = [path.with_name(REVIVED) for path in self.traces()]
        for path in told:
            path.touch()
        for process, (_, address) in zip((self.peer.pmcd, self.ours.process), self.sides()):
            harness.wait_until("the agent is ready", lambda: agent_state(address) != wire.PM_ERR_AGAIN)
            if agent_state(address) == wire.PM_ERR_NOAGENT:
                process.send_signal(signal.SIGHUP)
                harness.wait_until("the agent is back", lambda: agent_state(address) >= 0)
        for path in told:
            path.unlink()


def is_denied(address, operation):
    """True when a client that comes now may not do this."""
    try:
        with wire.ready(address) as client:
            if client.hello.code < 0:
                return True
            if operation == "store":
                return client.ask(wire.store([(wire.pmid(2, 0, 9), [(-1, 0)])])).code == wire.PM_ERR_PERMISSION
            got = client.ask(wire.desc_req(NUMCLIENTS))
            return got.kind == wire.ERROR and got.code == wire.PM_ERR_PERMISSION
    except (wire.Closed, OSError):
        return operation == "all"


def agent_state(address):
    """The value of the scripted agent, or why there is none."""
    with wire.ready(address) as client:
        return client.value(ONE)
