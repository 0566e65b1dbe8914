"""Event metrics end to end: the agent of examples/events.c under our collector, as an object and as a
process, and under Debian's; read by both pminfo and, byte by byte, here."""
import os
import re
import shlex
import shutil
import struct

import pytest

import harness
import wire
from harness import run, wait_until
from test_examples import EXAMPLES

DOMAIN = 402
RING, RINGS, RINGS_NS, RINGS_NOW, TEXT, NUMBER, CLIENTS, HELD = (wire.pmid(DOMAIN, 0, i) for i in range(8))
MISSED = 1 << 31
QUEUE_BYTES, PLACES = 4096, 2


@pytest.fixture(scope="module")
def bell(prefix, tmp_path_factory):
    """A directory with the agent, as pmda_bell.so and as pmdabell."""
    directory = tmp_path_factory.mktemp("bell")
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libpcp_pmda", "libpcp"], env=env).stdout.split()
    for output, more in (("pmda_bell.so", ["-shared", "-fPIC"]), ("pmdabell", [])):
        done = run([*shlex.split(os.environ.get("PITOT_CC", "cc")), "-std=gnu11", *more, "-o",
                    directory / output, EXAMPLES / "events.c", *flags, f"-Wl,-rpath,{prefix.path}/lib"])
        assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module", params=["dso", "pipe", "debian"])
def collector(request, prefix, bell, tmp_path_factory):
    """A collector with the agent, whose kept places are taken."""
    if request.param != "debian":
        line = {"dso": f"dso bell_init {bell}/pmda_bell.so", "pipe": f"pipe binary {bell}/pmdabell"}[request.param]
        with harness.Pmcd(prefix, tmp_path_factory.mktemp("pmcd"), agents=[f"bell {DOMAIN} {line}"]) as daemon:
            take_places(daemon)
            yield daemon
        return
    request.getfixturevalue("peer_root")
    import peer as debian

    debian.AGENTS["bell"] = (DOMAIN, f"pipe binary {shutil.which('env')} LD_LIBRARY_PATH={prefix.path}/lib "
                             f"{bell}/pmdabell")
    with debian.Peer(agents=("pmcd", "bell")) as daemon:
        take_places(daemon)
        yield daemon


class Client(wire.Client):
    def __init__(self, collector):
        super().__init__(collector.socket)
        self.send(wire.profile())


def take_places(daemon):
    with Client(daemon) as one, Client(daemon) as two:
        wait_until("the agent serves", lambda: isinstance(one.fetch([HELD]).values[0][1], list))
        assert number(one, CLIENTS) == PLACES
        assert records(one) == [] and records(two) == []
        assert number(one, CLIENTS) == PLACES


def ring(client, text):
    reply = client.ask(wire.store([(RING, [(-1, text)])]))
    assert (reply.kind, reply.code) == (wire.ERROR, 0)


def number(client, metric):
    values = client.fetch([metric]).values[0][1]
    assert isinstance(values, list)
    word = values[0][1]
    return word if isinstance(word, int) else int.from_bytes(word, "big")


def records(client, metric=RINGS):
    """The records that a client gets: texts, and numbers for events missed."""
    values = client.fetch([metric]).values[0][1]
    if values == 0:
        return []
    array, out = values[0][1], []
    count, at = struct.unpack_from(">I", array)[0], 4
    head = 24 if metric == RINGS_NS else 16
    for _ in range(count):
        flags, nparams = struct.unpack_from(">II", array, at + head - 8)
        at += head
        if flags & MISSED:
            out.append(nparams)
            continue
        for _ in range(nparams):
            ident, typed = struct.unpack_from(">II", array, at)
            length = (typed & 0xffffff) - 4
            assert ident != TEXT or typed >> 24 == 6
            if ident == TEXT:
                out.append(array[at + 8:at + 8 + length].decode().rstrip("\0"))
            at += 8 + (length + 3) // 4 * 4
    assert at == len(array)
    return out


def test_each_client_gets_each_event_once(collector):
    with Client(collector) as one, Client(collector) as two:
        ring(one, "nobody")
        assert records(one) == [] and records(two) == [] and records(two, RINGS_NS) == []
        assert records(one, RINGS_NOW)[-1] == "nobody"
        ring(two, "ding")
        ring(one, "dong")
        assert records(one) == ["ding", "dong"]
        assert records(one) == []
        assert number(one, HELD) == 10
        ring(one, "dang")
        assert records(two) == ["ding", "dong", "dang"]
        assert number(one, HELD) == 5
        assert records(two, RINGS_NS) == ["ding", "dong", "dang"]
        assert records(one) == ["dang"]
        assert records(one, RINGS_NOW) == ["ding", "dong", "dang"]
        assert number(one, HELD) == 0


def test_missed_events_are_counted_for_each_client(collector):
    texts = [f"{i:03} " + "x" * 59 for i in range(200)]
    with Client(collector) as fast, Client(collector) as slow:
        assert records(fast) == [] and records(slow) == []
        for i, text in enumerate(texts):
            ring(fast, text)
            if i % 20 == 0:
                assert records(fast)[-1] == text
            assert number(fast, HELD) <= QUEUE_BYTES
        survivors = QUEUE_BYTES // 64
        assert records(slow) == [200 - survivors, *texts[-survivors:]]
        assert records(fast) == texts[181:]
        ring(fast, "y" * QUEUE_BYTES)  # larger than the queue, with its end
        assert records(slow) == [1] and records(fast) == [1]


def test_a_client_that_goes_lets_go_of_its_events(collector):
    with Client(collector) as stays:
        assert records(stays) == []
        with Client(collector) as goes:
            assert records(goes) == []
            wait_until("there are two clients", lambda: number(stays, CLIENTS) == 2)
            ring(stays, "ding")
            assert records(stays) == ["ding"]
            assert number(stays, HELD) == 5
        wait_until("one is left", lambda: number(stays, CLIENTS) == 1)
        assert number(stays, HELD) == 0


def test_both_pminfo_show_the_same_events(prefix, peer_root, bell, tmp_path):
    with harness.Pmcd(prefix, tmp_path, agents=[f"bell {DOMAIN} dso bell_init {bell}/pmda_bell.so"]) as daemon:
        with Client(daemon) as client:  # no reader of events: the places are kept for the two programs
            for text in ("ding", "a text with blanks", ""):
                ring(client, text)
        argv = ["-h", daemon.host, "-x", "bell.rings"]
        ours = run([prefix.bin("pminfo"), *argv], env=prefix.env(TZ="UTC")).stdout
        theirs = run([peer_root / "usr/bin/pminfo", *argv], env=prefix.env(
            LD_LIBRARY_PATH=peer_root / "usr/lib", PCP_DIR=peer_root, TZ="UTC")).stdout
    assert theirs == ours
    assert re.findall(r'value "(.*)"', ours) == ["ding", "a text with blanks", ""]
