"""Promise P1 among heavy clients: however many there are, a light one is served soon (docs/pmcd-internals.md)."""
import os
import pathlib
import shlex
import struct
import subprocess
import sys

import pytest

import harness
import wire

HERE = pathlib.Path(__file__).resolve().parent
P99_MS = 20
SECONDS = 2
# The order of turns is counted in tests/daemons/pmcd/test_fair.c. CPU time was tried: its 99th percentile depends on when
# the kernel runs the light client, too.
CROWDED = "the promise is the 99th percentile of real time, among more busy processes than processors"
LINUX = 60
# Two metrics of the linux agent, each one file of /proc: the load, and the number of processes.
LIGHT = [wire.pmid(LINUX, 2, 0), wire.pmid(LINUX, 2, 3)]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    program = tmp_path_factory.mktemp("crowd") / "crowd"
    done = harness.run([*shlex.split(os.environ.get("PITOT_CC", "cc")), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
                        "-o", program, HERE / "crowd.c"])
    assert done.returncode == 0, done.stderr
    return program


def agent_line(prefix, kind):
    return {"dso": f"linux {LINUX} dso linux_init {prefix.dso('linux')}",
            "pipe": f"linux {LINUX} pipe binary {prefix.bin('pmdalinux')} -d {LINUX}"}[kind]


def all_metrics(client):
    """Of the linux agent."""
    names = [name for name, _ in client.ask(wire.traverse_req("")).names]
    answer = client.ask(wire.names_req(names))
    idents = [ident & 0xffffffff for ident in struct.unpack_from(f">{len(names)}i", answer.raw, 20)]
    found = [ident for ident in idents if ident >> 22 == LINUX and ident not in LIGHT]
    assert len(found) > 1000
    return found


def disturb(daemon, crowd, clients, mode):
    """The light client's times: median, 99th percentile and maximum in ms, its number of fetches, and the crowd's
    answers."""
    with wire.ready(daemon.socket) as client:
        idents = LIGHT + all_metrics(client)
    done = subprocess.run([crowd, daemon.socket, str(clients), mode, str(SECONDS)], input="\n".join(map(str, idents)),
                          capture_output=True, text=True, timeout=2 * harness.DEADLINE_S)
    assert done.returncode == 0, done.stderr
    p50, p99, most, fetches, answers = map(int, done.stdout.split())
    print(f"{clients} {mode}: p50 {p50} us, p99 {p99} us, max {most} us, {fetches} fetches; crowd {answers} answers")
    return p99 / 1000, fetches, answers


def assert_served(daemon, crowd, clients, mode):
    p99_ms, fetches, answers = disturb(daemon, crowd, clients, mode)
    if p99_ms > P99_MS or fetches < 100:
        raise harness.TooSlow(f"p99 {p99_ms} ms of {fetches} fetches beside {clients} clients that {mode}")
    return answers


@pytest.mark.parametrize("mode", ["read", "mute"])
@pytest.mark.parametrize("clients", [10, 50, 200])
@pytest.mark.parametrize("kind", ["dso", "pipe"])
@harness.patient(CROWDED)
def test_a_light_client_beside_heavy_ones(prefix, tmp_path, crowd, kind, clients, mode):
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(prefix, kind)]) as daemon:
        answers = assert_served(daemon, crowd, clients, mode)
        # The heavy ones are served too.
        assert mode == "mute" or answers > 20


@pytest.mark.parametrize("mode", ["walk", "small"])
@harness.patient(CROWDED)
def test_a_light_client_beside_other_work(prefix, tmp_path, crowd, mode):
    """Walks through the whole name space; bursts of small fetches."""
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(prefix, "dso")]) as daemon:
        assert assert_served(daemon, crowd, 50, mode) > 20


# Requests of other kinds than FETCH, as bytes and the number of their answers.
INDOM = LINUX << 22 | 3
TEXT = wire.pmid(LINUX, 60, 0)
REQUESTS = {
    "instances": lambda idents, names: (wire.instance_req(INDOM) * 100, 100),
    "labels": lambda idents, names: (wire.label_req(INDOM, 32) * 100, 100),
    "texts": lambda idents, names: (wire.text_req(TEXT, 1) * 100, 100),
    "descriptors": lambda idents, names: (wire.desc_ids(idents), 1),
    "names": lambda idents, names: (wire.names_req(names), 1),
    "identifiers": lambda idents, names: (wire.ids_req(TEXT) * 100, 100),
    "children": lambda idents, names: (wire.child_req("kernel", 1) * 100, 100),
    "stores": lambda idents, names: (wire.store([(ident, [(-1, 1)]) for ident in idents]) * 5, 5),
    "all kinds": lambda idents, names: (wire.fetch(idents) + wire.traverse_req("") + wire.names_req(names)
                                        + wire.instance_req(INDOM) * 10, 13),
}


def write_request(daemon, path, request_kind):
    """The number of answers to the request."""
    with wire.ready(daemon.socket) as client:
        names = [name for name, _ in client.ask(wire.traverse_req("")).names]
        data, answers = REQUESTS[request_kind](all_metrics(client), names)
    path.write_bytes(data)
    return answers


@pytest.mark.parametrize("kind", ["dso", "pipe"])
@pytest.mark.parametrize("request_kind", REQUESTS)
@harness.patient(CROWDED)
def test_a_light_client_beside_other_requests(prefix, tmp_path, crowd, request_kind, kind):
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(prefix, kind)]) as daemon:
        answers = write_request(daemon, tmp_path / "request", request_kind)
        assert assert_served(daemon, crowd, 200, f"{answers}:{tmp_path}/request") > 20


@pytest.mark.parametrize("kind", ["dso", "pipe"])
@pytest.mark.parametrize("request_kind", ["instances", "all kinds"])
@harness.patient(CROWDED)
def test_a_light_client_beside_other_answers_that_nobody_reads(prefix, tmp_path, crowd, request_kind, kind):
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(prefix, kind)]) as daemon:
        write_request(daemon, tmp_path / "request", request_kind)
        assert_served(daemon, crowd, 200, f"0:{tmp_path}/request")


@harness.patient(CROWDED)
def test_a_light_client_beside_requests_that_take_an_agent_long(prefix, tmp_path, crowd):
    """200 connections ask for all names of 3,000 instances, which take an agent milliseconds each."""
    domain = 250
    agent = f"big {domain} pipe binary {sys.executable} {HERE}/pipe_agent.py {domain} big=3000"
    with harness.Pmcd(prefix, tmp_path / "p", [agent]) as daemon:
        (tmp_path / "request").write_bytes(wire.instance_req(domain << 22 | 1))
        idents = [wire.pmid(domain, 0, 0)] * 2
        done = subprocess.run([crowd, daemon.socket, "200", f"1:{tmp_path}/request", str(SECONDS)], capture_output=True,
                              input="\n".join(map(str, idents)), text=True, timeout=2 * harness.DEADLINE_S)
        assert done.returncode == 0, done.stderr
        print(done.stdout)
        p50, p99, most, fetches, answers = map(int, done.stdout.split())
        if p99 > 1000 * P99_MS or fetches < 50:
            raise harness.TooSlow(done.stdout)
        assert answers > 20


@pytest.mark.alone
def test_a_client_that_never_reads_keeps_its_budget(prefix, tmp_path, crowd):
    """The data that 200 of them send ahead and do not read is bounded, even if other clients wait for a turn."""
    with harness.Pmcd(prefix, tmp_path / "p", [agent_line(prefix, "dso")]) as daemon:
        disturb(daemon, crowd, 200, "mute")
        resident_kib = int(next(line.split()[1] for line in pathlib.Path(f"/proc/{daemon.process.pid}/status").open()
                                if line.startswith("VmHWM")))
        # 200 x (a reply, 64 KiB of replies, 64 KiB sent ahead), and the collector itself.
        assert resident_kib < 200 * 256 + 32 * 1024
