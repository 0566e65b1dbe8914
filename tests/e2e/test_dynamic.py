"""Metrics that an agent makes while it runs (pmdaDynamicPMNS), under our collector and under Debian's."""
import os
import pathlib
import shlex
import shutil

import pytest

import harness
import wire
from harness import run, wait_until

HERE = pathlib.Path(__file__).resolve().parent
DOMAIN = 251
LINES = wire.pmid(DOMAIN, 0, 0)


@pytest.fixture(scope="module")
def agent(prefix, tmp_path_factory):
    program = tmp_path_factory.mktemp("dynamic") / "dynamic_agent"
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libpcp_pmda", "libpcp"], env=env).stdout.split()
    done = run([*shlex.split(os.environ.get("PITOT_CC", "cc")), "-std=gnu11", "-o", program, HERE / "dynamic_agent.c",
                *flags, f"-Wl,-rpath,{prefix.path}/lib"])
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module", params=["pitot", "debian"])
def client(request, prefix, agent, tmp_path_factory):
    if request.param == "pitot":
        daemon = harness.Pmcd(prefix, tmp_path_factory.mktemp("pmcd"),
                              agents=[f"dynamic {DOMAIN} pipe binary {agent} {DOMAIN}"])
    else:
        request.getfixturevalue("peer_root")
        import peer as debian

        debian.AGENTS["dynamic"] = (DOMAIN, f"pipe binary {shutil.which('env')} LD_LIBRARY_PATH={prefix.path}/lib "
                                    f"{agent} {DOMAIN}")
        daemon = debian.Peer(agents=("pmcd", "dynamic"))
    with daemon, wire.Client(daemon.socket) as one:
        one.send(wire.profile())
        one.serves_names = request.param == "pitot"  # Debian's wants the subtree in its files
        wait_until("the agent serves", lambda: isinstance(one.fetch([LINES]).values[0][1], list))
        yield one


def make_lines(client, count):
    reply = client.ask(wire.store([(LINES, [(-1, count)])]))
    assert (reply.kind, reply.code) == (wire.ERROR, 0)


@pytest.mark.parametrize("count", [3, 0, 1, 500])
def test_metrics_come_and_go(client, count):
    make_lines(client, count)
    assert client.value(LINES) == count
    for line in (1, 2, count, count + 1, 999):
        expected = line if 1 <= line <= count else -12358
        if line > 0:
            assert [client.value(wire.pmid(DOMAIN, line, item)) for item in (1, 2)] == [expected] * 2
    reply = client.ask(wire.desc_req(wire.pmid(DOMAIN, 1, 2)))
    assert (reply.kind == wire.DESC) == (count >= 1)


def test_names_come_and_go(client):
    if not client.serves_names:
        assert client.ask(wire.traverse_req("dynamic")).kind == wire.ERROR
        return
    for count in (2, 0, 4):
        make_lines(client, count)
        names = [name for name, _ in client.ask(wire.traverse_req("dynamic")).names]
        assert sorted(names) == sorted(f"dynamic.{line}.{item}" for item in ("one", "two")
                                       for line in ["template", *(f"line{i}" for i in range(1, count + 1))])


def test_texts_are_of_the_metric(client):
    make_lines(client, 7)
    reply = client.ask(wire.text_req(wire.pmid(DOMAIN, 7, 1), 5))
    assert b"Line 7" in reply.raw
    assert client.ask(wire.text_req(wire.pmid(DOMAIN, 8, 1), 5)).kind == wire.ERROR
