"""The collector's answers, request by request, in raw bytes (docs/spec/pmcd.md 9, pdu.md 8)."""
import os
import pathlib
import struct
import sys

import pytest

import harness
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
GOOD, OTHER, UNREADY = 240, 241, 242


def agent_line(domain, *ways, notready=False):
    return f"dyn{domain} {domain} pipe binary {'notready ' if notready else ''}{sys.executable} {AGENT} {domain} {' '.join(ways)}"


@pytest.fixture(scope="module")
def daemon(prefix, tmp_path_factory):
    agents = [agent_line(GOOD), agent_line(OTHER), agent_line(UNREADY, notready=True),
              "broken 243 pipe binary /no/such/program"]
    with harness.Pmcd(prefix, tmp_path_factory.mktemp("pmcd"), agents) as started:
        yield started


@pytest.fixture
def client(daemon):
    with wire.ready(daemon.socket) as connected:
        yield connected


ONE, MANY = wire.pmid(GOOD, 0, 0), wire.pmid(GOOD, 0, 1)
NUMCLIENTS = wire.pmid(2, 0, 3)


def test_challenge(daemon):
    with wire.Client(daemon.socket, handshake=False) as client:
        hello = client.receive()
    assert hello.raw == bytes.fromhex("00000014 00007000 00000000 00000000 02010e40")


@pytest.mark.parametrize("request_bytes", [wire.fetch([1]), wire.desc_req(1), wire.error(0)],
                         ids=["fetch", "desc", "error"])
def test_nothing_before_credentials(daemon, request_bytes):
    with wire.Client(daemon.socket, handshake=False) as client:
        client.receive()
        client.send(request_bytes)
        assert client.is_closed()


@pytest.mark.parametrize("flags,code", [
    (0x001, -12391), (0x002, -95), (0x004, -95), (0x020, wire.PM_ERR_IPC), (0x200, wire.PM_ERR_IPC),
])
def test_refused_credentials_close(daemon, flags, code):
    with wire.Client(daemon.socket, handshake=False) as client:
        client.receive()
        client.send(wire.creds(flags=flags))
        assert client.receive().code == code
        assert client.is_closed()


def test_version_zero_is_no_version(daemon):
    with wire.Client(daemon.socket, handshake=False) as client:
        client.receive()
        client.send(wire.creds(version=0) + wire.creds(version=9) + wire.profile())
        assert client.value(ONE) == 42


def test_fetch_needs_a_profile(daemon):
    with wire.Client(daemon.socket) as client:
        assert client.ask(wire.fetch([ONE])).code == wire.PM_ERR_NOPROFILE
        assert client.ask(wire.fetch([ONE], slot=-1)).code == wire.PM_ERR_NOPROFILE
        assert client.ask(wire.profile(slot=-1)).code == wire.PM_ERR_IPC


@pytest.mark.parametrize("kind", [wire.FETCH, wire.HIGHRES_FETCH])
def test_fetch_keeps_the_order(client, kind):
    pmids = [MANY, NUMCLIENTS, ONE, wire.pmid(300, 0, 0), wire.pmid(OTHER, 0, 0), ONE, wire.pmid(GOOD, 7, 7),
             wire.pmid(UNREADY, 0, 0), wire.pmid(243, 0, 0), wire.pmid(511, 0, 1)]
    got = client.fetch(pmids, kind=kind).values
    assert [ident for ident, _ in got] == pmids
    assert [v for _, v in got] == [
        [(1, 10), (2, 20)], [(-1, got[1][1][0][1])], [(-1, 42)], wire.PM_ERR_NOAGENT, [(-1, 42)], [(-1, 42)],
        wire.PM_ERR_PMID, wire.PM_ERR_AGAIN, wire.PM_ERR_NOAGENT, wire.PM_ERR_NOAGENT]


@pytest.mark.parametrize("request_bytes,code", [
    (wire.desc_req(wire.pmid(300, 0, 0)), wire.PM_ERR_PMID),
    (wire.desc_req(wire.pmid(243, 0, 0)), wire.PM_ERR_NOAGENT),
    (wire.desc_req(wire.pmid(UNREADY, 0, 0)), wire.PM_ERR_AGAIN),
    (wire.desc_req(wire.pmid(GOOD, 9, 9)), wire.PM_ERR_PMID),
    (wire.desc_ids([wire.pmid(300, 0, 0)]), wire.PM_ERR_PMID),
    (wire.instance_req(300 << 22), wire.PM_ERR_INDOM),
    (wire.instance_req(243 << 22), wire.PM_ERR_NOAGENT),
    (wire.instance_req(2 << 22 | 3, inst=99), wire.PM_ERR_INST),
    (wire.instance_req(2 << 22 | 9), wire.PM_ERR_INDOM),
    (wire.text_req(wire.pmid(300, 0, 0), 5), wire.PM_ERR_PMID),
    (wire.text_req(300 << 22, 9), wire.PM_ERR_PMID),
    (wire.text_req(ONE, 1), wire.PM_ERR_PMID),
    (wire.label_req(300, 2), wire.PM_ERR_NOAGENT),
    (wire.label_req(300 << 22, 4), wire.PM_ERR_INDOM),
    (wire.label_req(300 << 22, 32), wire.PM_ERR_INDOM),
    (wire.label_req(300 << 22, 8), wire.PM_ERR_PMID),
    (wire.label_req(300 << 22, 16), wire.PM_ERR_PMID),
    (wire.label_req(0, 3), wire.PM_ERR_TYPE),
    (wire.ids_req(wire.pmid(300, 0, 0)), wire.PM_ERR_NOAGENT),
    (wire.names_req(["no.such.name"]), wire.PM_ERR_NAME),
    (wire.names_req(["pmcd.agent"]), wire.PM_ERR_NONLEAF),
    (wire.names_req(["broken.x"]), wire.PM_ERR_NOAGENT),
    (wire.names_req([f"dyn{UNREADY}.x"]), wire.PM_ERR_AGAIN),
    (wire.names_req([f"dyn{GOOD}.x"]), wire.PM_ERR_NAME),
    (wire.child_req("no.such"), wire.PM_ERR_NAME),
    (wire.traverse_req("no.such"), wire.PM_ERR_NAME),
    (wire.store([(wire.pmid(300, 0, 0), [(-1, 1)])]), wire.PM_ERR_NOAGENT),
    (wire.store([(wire.pmid(UNREADY, 0, 0), [(-1, 1)])]), wire.PM_ERR_AGAIN),
    (wire.store([(wire.pmid(2, 0, 7), [(-1, 1)])]), wire.PM_ERR_PMID),
    (wire.store([(wire.pmid(2, 0, 4), [(-1, -5)])]), -12364),
    (wire.store([(wire.pmid(2, 0, 9), [(-1, 7)])]), wire.PM_ERR_BADSTORE),
    (wire.pdu(wire.CONTROL_REQ), wire.PM_ERR_IPC),
    (wire.pdu(wire.DESC, bytes(20)), wire.PM_ERR_IPC),
    (wire.pdu(0x9999), wire.PM_ERR_IPC),
    (wire.pdu(wire.FETCH, bytes(16)), wire.PM_ERR_IPC),
], ids=lambda v: v.hex()[8:] if isinstance(v, bytes) else str(v))
def test_errors_keep_the_connection(client, request_bytes, code):
    assert client.ask(request_bytes).code == code
    assert client.value(ONE) == 42


def test_descriptors(client):
    assert client.ask(wire.desc_req(MANY)).raw[12:] == struct.pack(">IiIiI", MANY, 0, GOOD << 22 | 1, 3, 0)
    got = client.ask(wire.desc_ids([ONE, wire.pmid(300, 0, 0), NUMCLIENTS]))
    assert got.kind == wire.DESCS
    assert got.words(1)[0] == 3
    assert got.raw[16:36] == struct.pack(">IiIiI", ONE, 0, wire.NULL_ID, 3, 0)
    assert got.raw[36:56] == struct.pack(">IiIiI", wire.NULL_ID, 0, 0, 0, 0)
    assert got.raw[56:76] == struct.pack(">IiIiI", NUMCLIENTS, 1, wire.NULL_ID, 3, 0)


def test_instances_text_labels_are_passed_on(client):
    assert client.ask(wire.instance_req(GOOD << 22 | 1)).instances == [(1, "i1"), (2, "i2")]
    assert client.ask(wire.text_req(ONE, 5)).raw[16:] == struct.pack(">i", 4) + b"help"
    assert client.ask(wire.label_req(GOOD, 2)).raw[12:] == struct.pack(">iiii", GOOD, 2, 0, 0)


def test_instances_of_the_collector(client):
    assert (GOOD, f"dyn{GOOD}") in client.ask(wire.instance_req(2 << 22 | 3)).instances
    assert client.ask(wire.instance_req(2 << 22 | 3, inst=GOOD)).instances == [(-1, f"dyn{GOOD}")]
    assert client.ask(wire.instance_req(2 << 22 | 3, name=f"dyn{GOOD}")).instances == [(GOOD, "")]


def test_names_static_and_dynamic(client):
    got = client.ask(wire.names_req(["pmcd.numclients", f"dyn{GOOD}.one", "no.such", f"dyn{OTHER}.one", "pmcd"]))
    assert got.kind == wire.PMNS_IDS
    assert got.raw[12:] == struct.pack(">iiIIIII", 3, 5, NUMCLIENTS, ONE, wire.NULL_ID, wire.pmid(OTHER, 0, 0), wire.NULL_ID)
    assert client.ask(wire.ids_req(NUMCLIENTS)).names == [("pmcd.numclients", None)]
    assert client.ask(wire.ids_req(ONE)).names == [(f"dyn{GOOD}.one", None)]


def test_children(client):
    assert (f"dyn{GOOD}", 1) in client.ask(wire.child_req("", 1)).names
    assert client.ask(wire.child_req("pmcd.client", 1)).names == [("whoami", 0), ("start_date", 0), ("container", 0)]
    assert client.ask(wire.child_req("pmcd.version", 1)).names == []
    assert client.ask(wire.child_req(f"dyn{GOOD}", 1)).names == [("one", 0)]
    assert client.ask(wire.child_req(f"dyn{GOOD}", 0)).names == [("one", None)]


def test_traverse(client):
    names = [n for n, _ in client.ask(wire.traverse_req("")).names]
    assert f"dyn{GOOD}.one" in names and f"dyn{OTHER}.one" in names
    assert f"dyn{UNREADY}" in names, "an agent that can't be asked keeps its root's name"
    assert client.ask(wire.traverse_req("pmcd.version")).names == [("pmcd.version", None)]
    assert client.ask(wire.traverse_req(f"dyn{GOOD}")).names == [(f"dyn{GOOD}.one", None)]


def test_context_labels(client):
    got = client.ask(wire.label_req(wire.NULL_ID, 1))
    assert got.kind == wire.LABEL and got.words(4) == (-1, 1, 0, 1)
    inst, count, at, length = got.words(4, 28)
    text = got.raw[at:at + length].decode()
    assert inst == -1
    assert text.startswith('{"domainname":') and f'"userid":{os.getuid()}' in text
    for i in range(count):
        name, name_len, flags, value, value_len = struct.unpack_from(">HBBHH", got.raw, 44 + 8 * i)
        assert text[name - 1] == '"' and text[name + name_len:value] == '":'
        optional = text[name:name + name_len] in ("userid", "groupid")
        assert flags == (0x81 if optional else 1)


def test_store_of_parts(client):
    assert client.ask(wire.store([(ONE, [(-1, 1)]), (wire.pmid(OTHER, 0, 0), [(-1, 1)])])).code == 0
    mixed = wire.store([(wire.pmid(2, 0, 9), [(-1, 7)]), (wire.pmid(300, 0, 0), [(-1, 1)]), (ONE, [(-1, 1)])])
    assert client.ask(mixed).code == wire.PM_ERR_NOAGENT


def test_whoami_and_container_are_ones_own(client):
    assert client.ask(wire.store([(wire.pmid(2, 6, 0), [(0, "me")])])).code == 0
    values = dict(client.fetch([wire.pmid(2, 6, 0)]).values)[wire.pmid(2, 6, 0)]
    assert b"me\0" in [v for _, v in values]
    two = wire.store([(wire.pmid(2, 6, 0), [(0, "me"), (1, "you")])])
    assert client.ask(two).code == wire.PM_ERR_INST


def test_registers(client):
    assert client.ask(wire.store([(wire.pmid(2, 0, 8), [(3, 77)])])).code == 0
    assert (3, 77) in client.fetch([wire.pmid(2, 0, 8)]).values[0][1]
    assert client.ask(wire.store([(wire.pmid(2, 0, 8), [(16, 1)])])).code == wire.PM_ERR_INST


def test_profile_of_the_collectors_own_metrics(client):
    indom = 2 << 22 | 2
    client.send(wire.profile(slot=5, state=0, entries=[(indom, 1, [2, 9])]))
    got = client.fetch([wire.pmid(2, 0, 8)], slot=5).values[0][1]
    assert [inst for inst, _ in got] == [2, 9]
    client.send(wire.profile(slot=5, state=1))
    assert client.fetch([wire.pmid(2, 0, 8)], slot=5).values[0][1] == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root may fence")
def test_fence(client):
    fenced = wire.pmid(2, 4, 2)
    assert client.ask(wire.store([(fenced, [(GOOD, 1)])])).code == 0
    assert client.value(ONE) == wire.PM_ERR_PMDAFENCED
    assert client.ask(wire.desc_req(ONE)).code == wire.PM_ERR_PMDAFENCED
    assert client.ask(wire.store([(ONE, [(-1, 1)])])).code == 0
    assert client.ask(wire.store([(fenced, [(-1, 0)])])).code == 0
    assert client.value(ONE) == 42
    assert client.ask(wire.store([(fenced, [(300, 1)])])).code == wire.PM_ERR_INST
    assert client.ask(wire.store([(fenced, [(GOOD, 2)])])).code == wire.PM_ERR_BADSTORE


def test_requests_ahead_are_answered_in_order(daemon):
    with wire.ready(daemon.socket) as client:
        client.send(b"".join([wire.fetch([ONE]), wire.desc_req(ONE), wire.fetch([NUMCLIENTS]), wire.fetch([ONE])] * 50))
        for _ in range(50):
            assert client.receive().values == [(ONE, [(-1, 42)])]
            assert client.receive().kind == wire.DESC
            assert client.receive().values[0][0] == NUMCLIENTS
            assert client.receive().values == [(ONE, [(-1, 42)])]


def test_a_container_is_an_attribute(daemon):
    with wire.Client(daemon.socket, handshake=False) as client:
        client.receive()
        client.send(wire.creds(flags=0x40))
        client.send(wire.pdu(wire.ATTR, struct.pack(">i", 15) + b"box"))
        client.send(wire.profile())
        values = client.fetch([wire.pmid(2, 6, 2)]).values[0][1]
        assert b"box\0" in [v for _, v in values]


def test_ceiling(daemon):
    fits = wire.fetch([ONE] * ((65536 - 28) // 4))
    assert len(fits) == 65536
    with wire.ready(daemon.socket) as client:
        assert len(client.ask(fits).values) == (65536 - 28) // 4
        client.send(struct.pack(">iii", 65537, wire.FETCH, 0) + bytes(100))
        assert client.is_closed()


@pytest.mark.parametrize("length", [-1, 0, 11])
def test_impossible_lengths_close(daemon, length):
    with wire.ready(daemon.socket) as client:
        client.send(struct.pack(">iii", length, wire.FETCH, 0))
        assert client.is_closed()


def test_tcp_is_loopback_only(daemon):
    with wire.ready(("127.0.0.1", daemon.port)) as client:
        assert client.value(ONE) == 42
        assert client.ask(wire.store([(wire.pmid(2, 0, 4), [(-1, 5)])])).code == wire.PM_ERR_PERMISSION


@harness.patient("an agent that ends by itself has 150 ms of real time for it; then it is killed")
def test_children_exit_with_the_collector(prefix, tmp_path):
    daemon = harness.Pmcd(prefix, tmp_path / "pmcd", [agent_line(GOOD)])
    daemon.start()
    with wire.ready(daemon.socket) as client:
        assert client.value(ONE) == 42
    assert daemon.stop() == 0
    assert not daemon.socket.exists()
    log = daemon.log.read_text()
    assert "pmcd caught SIGTERM from pid=" in log and "pmcd Shutdown" in log
    if "terminated, signal(9)" in log:
        raise harness.TooSlow("an agent has 150 ms for its end")
    assert f'Cleanup "dyn{GOOD}" agent (dom {GOOD}): terminated, exit(0)' in log
