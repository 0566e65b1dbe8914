"""The metrics pitot.*: the collector's metrics of itself in addition to PCP's (docs/pmcd-metrics.md)."""
import os
import pathlib
import re
import sys
import time

import pytest

from harness import Pmcd, run, wait_until

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs/pmcd-metrics.md"
ACTORS = {"good": 250, "dier": 251, "sleeper": 252, "shy": 253, "absent": 254}


def actor(name, *ways, ready=""):
    return f"{name} {ACTORS[name]} pipe binary {ready} {sys.executable} {HERE}/pipe_agent.py {ACTORS[name]} {' '.join(ways)}"


@pytest.fixture(scope="module")
def daemon(prefix, tmp_path_factory):
    agents = [actor("good"), actor("dier", "die_at=1"), actor("sleeper", "stop_at=1"),
              actor("shy", ready="notready"), f"absent {ACTORS['absent']} pipe binary /no/such/agent"]
    with Pmcd(prefix, tmp_path_factory.mktemp("pmcd"), agents, options=["-t", "2"]) as one:
        wait_until("the agents", lambda: values(one, "pitot.agent.state")["good"] == "ready")
        for name in ("dier", "sleeper"):
            run([prefix.bin("pminfo"), "-h", one.host, "-f", name])
        yield one


def values(daemon, metric):
    """The values of a metric by instance name; None: of a singular one."""
    done = run([daemon.prefix.bin("pminfo"), "-h", daemon.host, "-f", metric])
    assert done.returncode == 0, done.stderr
    found = re.findall(r'(?m)^    (?:inst \[\d+ or "(.*)"\] )?value (.*)$', done.stdout)
    return {name or None: value.strip('"') for name, value in found}


def value(daemon, metric):
    return values(daemon, metric)[None]


def test_documented(daemon):
    there = run([daemon.prefix.bin("pminfo"), "-h", daemon.host, "-m", "pitot"]).stdout
    told = re.findall(r"(?m)^\| (pitot\.\S+) \| (\S+) \|", DOCS.read_text())
    assert sorted(re.findall(r"(\S+) PMID: (\S+)", there)) == sorted(told)


def test_where_it_listens(daemon):
    assert values(daemon, "pitot.listener.port") == {
        f"127.0.0.1:{daemon.port}": str(daemon.port), f"[::1]:{daemon.port}": str(daemon.port), daemon.host: "0"}
    assert values(daemon, "pitot.listener.address")[daemon.host] == str(daemon.socket)


def test_when_it_started(daemon):
    start, up = float(value(daemon, "pitot.pmcd.start_time")), int(value(daemon, "pitot.pmcd.uptime"))
    assert abs(start + up / 1000 - time.time()) < 60


def test_descriptors_and_files(daemon):
    open_now = len(os.listdir(f"/proc/{daemon.process.pid}/fd"))
    assert abs(int(value(daemon, "pitot.pmcd.fd.open")) - open_now) <= 2
    assert value(daemon, "pitot.pmcd.config") == str(daemon.conf.resolve())
    assert value(daemon, "pitot.pmcd.log") == str(daemon.log.resolve())


def test_requests_of_clients_alone_are_counted(daemon):
    before = int(value(daemon, "pitot.pmcd.requests"))
    run([daemon.prefix.bin("pminfo"), "-h", daemon.host, "-f", "good"])
    asked = int(value(daemon, "pitot.pmcd.requests")) - before
    assert 2 <= asked < 40


def test_agents(daemon):
    wait_until("the second death", lambda: values(daemon, "pitot.agent.starts")["dier"] == "2")
    assert values(daemon, "pitot.agent.state") == {
        "pmcd": "ready", "good": "ready", "dier": "ready", "sleeper": "ready", "shy": "notready", "absent": "down"}
    assert values(daemon, "pitot.agent.error") == {
        "pmcd": "", "good": "", "dier": "ended (exit status 3)", "sleeper": "did not answer in time", "shy": "",
        "absent": "could not be started (No such file or directory)"}
    assert values(daemon, "pitot.agent.ends")["dier"] == "1"
    assert values(daemon, "pitot.agent.timeouts")["sleeper"] == values(daemon, "pitot.agent.late")["sleeper"] == "1"
    pids = values(daemon, "pitot.agent.pid")
    assert sorted(pids) == ["dier", "good", "shy", "sleeper"]
    assert all(pathlib.Path(f"/proc/{pid}").exists() for pid in pids.values())
    assert "absent" not in values(daemon, "pitot.agent.uptime")
    assert set(values(daemon, "pitot.agent.error_age")) == {"dier", "sleeper", "absent"}
