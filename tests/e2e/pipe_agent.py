#!/usr/bin/env python3
"""A small agent that can misbehave on request; the tests of the collector configure it as

    NAME DOMAIN pipe binary python3 pipe_agent.py DOMAIN [WAY]...

It has DOMAIN.0.0 (value 42), DOMAIN.0.1 over DOMAIN.1 (instances 1, 2), help "help", and the name dyn.N = DOMAIN.0.0
below its dynamic root. A WAY is a word, or word=argument:

    silent          never introduces itself
    notready        answers the first request with NOTREADY, and says READY a second later
    slow=MS         each FETCH takes so long
    gate=PATH       each FETCH waits until PATH is there
    moody           answers every request with NOTREADY, and says READY at once; moody=N: the Nth alone,
                    and READY after SIGUSR1
    orphan_at=N     exits with status 3 at the Nth request, but a child of it holds the pipes open
    stop_at=N       stops itself (SIGSTOP) at the Nth request
    die_at=N        exits with status 3 at the Nth request
    garbage_at=N    answers the Nth request with bytes that do not form a PDU
    wrong_count     answers FETCH with one value set too many
    wrong_kind      answers FETCH with a DESC
    half_at=N       answers the Nth request with half a PDU, and nothing more
    unasked         sends a RESULT without a request, after its credentials
    flags=N         flags of its credentials (4: attributes)
    change=N        state change flags in each RESULT
    big=N           DOMAIN.0.1 has N instances
    status=PATH     writes what the kernel says about it (/proc/self/status)
    trace=PATH      writes a line for each PDU it gets
    puppet          a string stored into DOMAIN.9.0 is what the next request gets, whatever it is: words, each the
                    bytes to be sent in hex, sleep=MS, until=PATH (that is there), or exit=STATUS
    unix=PATH       is reached through this socket instead of pipes
    inet=PORT       the same on the loopback
    late=MS         opens its socket only then
"""
import os
import select
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire  # noqa: E402


class Agent:
    def __init__(self, domain, ways):
        self.domain = domain
        self.ways = dict(w.partition("=")[::2] for w in ways)
        self.count = 0
        self.was_notready = False
        self.strings = None
        self.trace = open(self.ways["trace"], "a", buffering=1) if "trace" in self.ways else None

    def has(self, way):
        return way in self.ways

    def number(self, way, default=0):
        return int(self.ways.get(way, default))

    def at(self, way):
        return self.has(way) and self.count == self.number(way)

    def send(self, data):
        os.write(1, data) if len(data) < 65536 else self.send_all(data)

    def send_all(self, data):
        while data:
            data = data[os.write(1, data):]

    def receive(self):
        head = self.exactly(12)
        return wire.Pdu(head + self.exactly(struct.unpack_from(">i", head)[0] - 12))

    def exactly(self, count):
        out = b""
        while len(out) < count:
            more = os.read(0, count - len(out))
            if not more:
                sys.exit(0)
            out += more
        return out

    def indom(self):
        return self.domain << 22 | 1

    def insts(self):
        return range(1, self.number("big", 2) + 1)

    # -- answers

    def vset(self, ident):
        if ident == wire.pmid(self.domain, 0, 0):
            return struct.pack(">Iiiii", ident, 1, 0, -1, 42)
        if ident == wire.pmid(self.domain, 0, 1):
            insts = list(self.insts())
            return struct.pack(">Iii", ident, len(insts), 0) + b"".join(struct.pack(">ii", i, i * 10) for i in insts)
        return struct.pack(">Ii", ident, wire.PM_ERR_PMID)

    def fetch(self, got):
        pmids = [w & 0xffffffff for w in got.words(got.words(1, 24)[0], 28)]
        if self.has("slow"):
            time.sleep(self.number("slow") / 1000)
        if self.has("gate"):
            self.wait_for(self.ways["gate"])
        if self.has("wrong_kind"):
            return wire.pdu(wire.DESC, struct.pack(">IiIiI", pmids[0], 0, wire.NULL_ID, 3, 0))
        if self.has("wrong_count"):
            pmids.append(pmids[0])
        body = struct.pack(">iii", self.number("change"), 0, len(pmids))
        return wire.pdu(wire.RESULT, body + b"".join(self.vset(p) for p in pmids))

    def desc(self, got):
        ident = got.words(1)[0] & 0xffffffff
        if ident not in (wire.pmid(self.domain, 0, 0), wire.pmid(self.domain, 0, 1)):
            return wire.error(wire.PM_ERR_PMID)
        indom = wire.NULL_ID if ident & 0x3ff == 0 else self.indom()
        return wire.pdu(wire.DESC, struct.pack(">IiIiI", ident, 0, indom, 3, 0))

    def instance(self, got):
        body = struct.pack(">Ii", self.indom(), len(self.insts()))
        return wire.pdu(wire.INSTANCE, body + b"".join(struct.pack(">i", i) + wire.counted(f"i{i}") for i in self.insts()))

    def text(self, got):
        return wire.pdu(wire.TEXT, struct.pack(">I", got.words(1)[0] & 0xffffffff) + wire.counted("help"))

    def label(self, got):
        ident, kind = got.words(2)
        return wire.pdu(wire.LABEL, struct.pack(">iiii", ident, kind, 0, 0))

    def root(self):
        return f"dyn{self.domain}"

    def names(self, got):
        name = got.raw[28:28 + got.words(1, 24)[0]].decode()
        if name != f"{self.root()}.one":
            return wire.error(wire.PM_ERR_NAME)
        return wire.pdu(wire.PMNS_IDS, struct.pack(">iiI", 0, 1, wire.pmid(self.domain, 0, 0)))

    def list_names(self, names, status=None):
        body = struct.pack(">iii", sum(len(n) + 1 for n in names), len(names) if status else 0, len(names))
        for i, name in enumerate(names):
            body += (struct.pack(">i", status[i]) if status else b"") + wire.counted(name)
        return wire.pdu(wire.PMNS_NAMES, body)

    def ids(self, got):
        if got.words(1, 20)[0] & 0xffffffff != wire.pmid(self.domain, 0, 0):
            return wire.error(wire.PM_ERR_PMID)
        return self.list_names([f"{self.root()}.one"])

    def child(self, got):
        return self.list_names(["one"], [0] if got.words(1)[0] else None)

    def traverse(self, got):
        return self.list_names([f"{self.root()}.one"])

    def store(self, got):
        if self.has("puppet"):
            for ident, values in wire.vsets(got.raw, 24, got.words(1, 20)[0]):
                if ident == wire.pmid(self.domain, 9, 0):
                    self.strings = values[0][1].rstrip(b"\0").decode()
        return wire.error(0)

    def wait_for(self, path):
        """Ends, too, where the collector has given it up."""
        hung_up = select.poll()
        hung_up.register(0, 0)
        while not os.path.exists(path):
            if hung_up.poll(10):
                os._exit(0)

    def pull_strings(self):
        words, self.strings = self.strings.split(), None
        for word in words:
            verb, _, value = word.partition("=")
            if verb == "sleep":
                time.sleep(int(value) / 1000)
            elif verb == "until":
                self.wait_for(value)
            elif verb == "exit":
                os._exit(int(value))
            else:
                self.send(bytes.fromhex(word))

    ANSWERS = {wire.FETCH: fetch, wire.DESC_REQ: desc, wire.INSTANCE_REQ: instance, wire.TEXT_REQ: text,
               wire.LABEL_REQ: label, wire.PMNS_NAMES: names, wire.PMNS_IDS: ids, wire.PMNS_CHILD: child,
               wire.PMNS_TRAVERSE: traverse, wire.RESULT: store}

    def misbehave(self, answer):
        """The answer to this request, as the ways have it; None: no answer."""
        if self.at("orphan_at"):
            if os.fork() == 0:
                time.sleep(3)
            os._exit(3)
        if self.at("die_at"):
            os._exit(3)
        if self.at("stop_at"):
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.at("garbage_at"):
            return b"\xff" * 64
        if self.at("half_at"):
            self.send(answer[:len(answer) // 2])
            time.sleep(3600)
        return answer

    def listen(self):
        """Waits for the collector on a socket, which then replaces both pipes."""
        time.sleep(self.number("late") / 1000)
        with socket.socket(socket.AF_UNIX if self.has("unix") else socket.AF_INET) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(self.ways["unix"] if self.has("unix") else ("127.0.0.1", self.number("inet")))
            server.listen()
            connection, _ = server.accept()
        os.dup2(connection.fileno(), 0)
        os.dup2(connection.fileno(), 1)

    def tell_status(self):
        with open("/proc/self/status") as status, open(self.ways["status"], "w") as copy:
            copy.write(status.read())

    def serve(self):
        if self.has("status"):
            self.tell_status()
        if self.has("unix") or self.has("inet"):
            self.listen()
        if self.has("moody"):
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        if self.has("silent"):
            time.sleep(3600)
        self.send(wire.creds(flags=self.number("flags"), sender=os.getpid()))
        if self.has("unasked"):
            self.send(wire.pdu(wire.RESULT, struct.pack(">iii", 0, 0, 0)))
        while True:
            got = self.receive()
            if self.trace:
                print(f"{got.kind:#x}", got.sender, got.raw[12:].hex(), file=self.trace)
            if got.kind not in self.ANSWERS:
                continue
            self.count += 1
            if self.has("notready") and not self.was_notready:
                self.was_notready = True
                self.send(wire.error(wire.PM_ERR_PMDANOTREADY))
                time.sleep(1)
                self.send(wire.error(wire.PM_ERR_PMDAREADY))
                continue
            if self.has("moody") and self.ways["moody"] in ("", str(self.count)):
                self.send(wire.error(wire.PM_ERR_PMDANOTREADY))
                if self.ways["moody"]:
                    signal.sigwait([signal.SIGUSR1])
                self.send(wire.error(wire.PM_ERR_PMDAREADY))
                continue
            if self.strings is not None:
                self.pull_strings()
                continue
            self.send(self.misbehave(self.ANSWERS[got.kind](self, got)))


if __name__ == "__main__":
    Agent(int(sys.argv[1]), sys.argv[2:]).serve()
