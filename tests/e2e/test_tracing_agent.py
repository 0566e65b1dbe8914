"""The tracing agent end to end: real programs are traced through our collector, in its process and beside it, and read by
our clients and Debian's."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

import wire
from harness import gone, run, wait_until
from tracing_agent import COUNTERS, EVENTS, LONG_S, Client, Collector, Worker, adds_up, compile_worker, metric, processes, user

# Every tracing agent of a user sees the programs of all others: these tests do not run in parallel with each other.
pytestmark = pytest.mark.xdist_group(name="traced")

NOBODY = 65534
ATTACH, DETACH, RUNNING, FILTER, ONLY, CLEAR = (metric(6, i) for i in range(6))
ATTACHED, LAST_ERROR, ATTACH_ERRORS, MEMORY = metric(4, 4), metric(5, 5), metric(5, 4), metric(5, 2)


@pytest.fixture(scope="module")
def program(prefix, tmp_path_factory):
    """The program to trace, where everybody can run it."""
    return compile_worker(prefix, tmp_path_factory.mktemp("worker"))


@pytest.fixture(params=["pipe", "dso"])
def collector(request, prefix):
    with Collector(prefix, request.param) as daemon:
        yield daemon


@pytest.fixture
def beside(prefix):
    """A collector with the agent as a process."""
    with Collector(prefix) as daemon:
        yield daemon


def ticks(records):
    return [r["field.tick.number"] for r in records if not isinstance(r, int) and r["param.event"] == b"tick"]


def gather(client, inst, enough):
    """Fetches until enough(records) is true. Returns all records that it received."""
    got = []

    def more():
        got.extend(client.events(inst))
        return enough(got)

    wait_until("the events come", more, LONG_S)
    return got


def test_events_of_a_process_that_asks_for_it(collector, program):
    with Client(collector) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        assert client.events(inst) == []
        worker("emit 3")
        got = client.events(inst)  # what was recorded before the fetch was asked for
        assert ticks(got) == [0, 1, 2]
        assert {(r["param.pid"], r["param.tid"], r["param.type"]) for r in got} == {(worker.pid, worker.pid, 0)}
        assert all(abs(r["time"] - time.time()) < 60 and r["param.address"] > 0 for r in got)
        assert client.events(inst) == []
        with Worker(program, env={"PITOT_TRACE": "0"}) as unwilling:
            worker("emit 1")
            wait_until("it is known", lambda: unwilling.pid in processes(client, program), LONG_S)
            assert client.stream(unwilling.pid) is None
        counters = client.counters(inst)
        adds_up(counters)
        assert counters["emitted"] == 4 and counters["status"] == 1 and counters["bytes"] <= 32


def test_fields_have_types(collector, program):
    with Client(collector) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        client.events()
        worker("text hello world")
        whole, short = client.events(inst)
        want = {"i1": -5, "x2": 0xbeef, "i4": -70000, "f4": 0.5, "i8": -2**63, "u8": 2**64 - 1, "f8": -2.25,
                "bytes": b"\0\1\376\377", "text": b"hello world"}
        assert {k.removeprefix("field.said."): v for k, v in whole.items() if k.startswith("field.")} == want
        assert {k for k in short if k.startswith("field.")} == {"field.said.i1", "field.said.x2"}
        assert "param.data" not in whole


def test_names_that_are_no_names(beside, program):
    with Client(beside) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        client.events()
        worker("odd")
        got = client.events(inst)
        assert [r["param.event"] for r in got] == [b"", b"a b", b"a.b", b"9", b'quo"te \\ \1\xc3\xa4\xff', b"\xc3\xa4"]
        assert [r.get("param.data", b"") for r in got] == [r["param.event"] for r in got]
        names = client.ask(wire.instance_req(wire.pmid(487, 0, 1))).instances
        assert {name.split()[0].partition(":")[2] for _, name in names} == {
            "", "a_b", "a.b", "9", "quo_te_______", "__"}
        done = run([beside.prefix.bin("pminfo"), "-h", beside.host, "-l", "tracing.event.count"], env=beside.env)
        assert done.returncode == 0 and '"event":"quo\\"te \\\\ \\u0001\\u00c3\\u00a4\\u00ff"' in done.stdout


def test_two_clients_get_each_event_once(collector, program):
    with Client(collector) as one, Client(collector) as two, Worker(program) as worker:
        inst = one.attached(worker.pid)
        assert one.events(inst) == two.events(inst) == []
        worker("emit 10")
        assert ticks(one.events(inst)) == list(range(10))
        worker("emit 10")
        assert ticks(two.events(inst)) == list(range(20))
        assert ticks(one.events(inst)) == list(range(10, 20))
        assert one.events(inst) == two.events(inst) == []
        assert one.counters(inst)["clients"] == 2


def test_a_slow_client_is_told_what_it_missed(prefix, program):
    with Collector(prefix, config="queue 64k ; ignore command=[!w]* ; ignore command=worker ;") as daemon:
        with Client(daemon) as fast, Client(daemon) as slow, Worker(program) as worker:
            inst = fast.attached(worker.pid)
            fast.events(), slow.events()
            seen = []
            for _ in range(20):
                worker("emit 100")
                seen += fast.events(inst)
            assert ticks(seen) == list(range(2000))
            late = slow.events(inst)
            assert isinstance(late[0], int) and late[0] > 0
            assert ticks(late) == list(range(late[0], 2000))
            counters = fast.counters(inst)
            adds_up(counters)
            assert counters["queue"] == late[0] and counters["emitted"] == 2000
            assert slow.events(inst) == [] and fast.counters(inst)["queued"] == 0


def test_an_answer_is_bounded(prefix, program):
    """More events than the collector takes in one answer come in several; none is lost, and no stream is left out."""
    config = "queue 32m ; memory 1g ; ignore command=[!w]* ; ignore command=worker ; attach size=16m ;"
    with Collector(prefix, config=config) as daemon, Client(daemon) as client:
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(Worker(program)) for _ in range(8)]
            insts = [client.attached(worker.pid) for worker in workers]
            agent = daemon.agent()
            client.arrays()
            for worker in workers:
                worker("emit 100000")  # some 10 MB each
            came = {inst: 0 for inst in insts}

            def all_came():
                for inst, (count, size) in client.arrays().items():
                    assert size < 1 << 24
                    came[inst] = came.get(inst, 0) + count
                return all(came[inst] >= 100000 for inst in insts)

            wait_until("all come", all_came, LONG_S)
            assert {came[inst] for inst in insts} == {100000} and daemon.agent() == agent


def anonymous_mib(pid):
    """The private memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("RssAnon:")) / 1024


def test_memory_is_bounded_in_all(prefix, program):
    """`memory` holds for all that is kept of streams, what is noted of events and made of them included."""
    config = "memory 8m ; ignore command=[!w]* ; ignore command=worker ; attach size=4m ;"
    memory = metric(5, 2)
    with Collector(prefix, config=config) as daemon, Client(daemon) as fast, Client(daemon) as slow:
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(Worker(program)) for _ in range(16)]
            insts = [fast.attached(worker.pid) for worker in workers]
            fast.events(), slow.events()
            before = anonymous_mib(daemon.agent())
            most = 0
            for worker in workers:
                worker("emit 20000")
                fast.arrays()
                most = max(most, fast.number(memory))
            for _ in range(3):
                fast.arrays()
                most = max(most, fast.number(memory))
            assert most > 1 << 20  # otherwise this test proves nothing
            assert most <= (8 << 20) + len(insts) * (64 << 10)
            if not os.environ.get("PITOT_CC"):  # sanitizers have memory of their own
                assert anonymous_mib(daemon.agent()) - before < 8 + 16
            for client in fast, slow:
                wait_until("all has come", lambda c=client: not c.arrays(), LONG_S)
            assert all(fast.counters(inst)["queued"] == 0 for inst in insts)
            assert fast.number(memory) <= len(insts) * (64 << 10)
            for inst in insts:
                adds_up(fast.counters(inst))


def test_what_is_new_is_kept_from_its_beginning(collector, program):
    with Client(collector) as client:
        client.events()
        with Worker(program) as worker:
            inst = client.attached(worker.pid)
            worker("emit 5")
            assert ticks(gather(client, inst, lambda got: len(got) == 5)) == list(range(5))


def test_the_last_events_of_a_killed_process(collector, program):
    with Client(collector) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        client.events()
        worker("emit 100")
        worker.tell("kill")
        assert worker.end() == -signal.SIGKILL
        wait_until("its end is seen", lambda: client.counters(inst)["status"] == 3, LONG_S)
        got = client.events(inst)
        assert ticks(got) == list(range(100)) and got[-1]["param.event"] == b"last"
        counters = client.counters(inst)
        adds_up(counters)
        assert counters["emitted"] == counters["reported"] == 101
        assert worker.pid not in processes(client, program)


def test_the_configuration_attaches(prefix, program):
    config = 'ignore command=nothing ;\nattach command="work[0-9]*" events=tick,"more" size=64k ;\n'
    with Collector(prefix, config=config) as daemon, Client(daemon) as client:
        with Worker(program, env={"PITOT_TRACE": "0"}) as worker:
            inst = client.attached(worker.pid)
            client.events()
            worker("text no")
            worker("emit 2")
            assert [r["param.event"] for r in client.events(inst)] == [b"tick", b"tick"]
            done = run([prefix.bin("pminfo"), "-h", daemon.host, "-f", "tracing.stream.policy", "tracing.control.only"],
                       env=daemon.env)
            assert 'value "attach command="work[0-9]*" events=tick,"more" size=64k"' in done.stdout
            assert 'value "tick,more"' in done.stdout
            daemon.config.write_text("ignore ;\nattach command=x size=none ;")
            os.utime(daemon.config, (1, 1))
            wait_until("the mistake is told", lambda: text_of(client, LAST_ERROR).endswith("tracing.conf:2: not a number: none"),
                       LONG_S)
            daemon.config.write_text("ignore command=work* ;")
            os.utime(daemon.config, (1, 1))  # another size at the same time: half of it may have been read before
            # A known process was checked with the earlier configuration; later processes are checked with this one.
            with Worker(program, env={"PITOT_TRACE": "0"}) as clock:
                wait_until("a look is over", lambda: clock.pid in processes(client, program), LONG_S)
            with Worker(program) as other:
                wait_until("it is known", lambda: other.pid in processes(client, program), LONG_S)
                assert client.store(DETACH, str(worker.pid)) == 0
                assert client.stream(other.pid) is None


def text_of(client, ident):
    value = client.numbers([ident])[0].get(-1)
    return value.split(b"\0")[0].decode() if isinstance(value, bytes) else ""


def test_an_agent_with_a_bad_configuration_says_where(prefix, tmp_path):
    path = tmp_path / "tracing.conf"
    path.write_text("queue 1m ;\n\nattach commando=x ;\n")
    done = run([prefix.bin("pmdatracing"), "-c", path, "-l", tmp_path / "log"],
               env=prefix.env(PCP_VAR_DIR=tmp_path))
    assert done.returncode == 1
    assert f"{path}:3: unknown: commando=x" in (tmp_path / "log").read_text()


def test_control(collector, program):
    with Client(collector) as client, Worker(program, env={"PITOT_TRACE": ""}) as worker:
        assert client.store(ATTACH, "-5") == client.store(ATTACH, "x") == client.store(DETACH, "12 x") == wire.PM_ERR_BADSTORE
        assert client.store(DETACH, str(worker.pid)) == -3
        # In the collector's process it does not wait long for what it has asked for: then the answer is 0.
        wait_until("it is refused", lambda: client.store(ATTACH, "2147483646") == -3, LONG_S)
        assert client.store(metric(0, 1), 5) == wire.PM_ERR_PERMISSION
        assert client.store(ATTACH, f"{worker.pid} tick,said") == 0
        assert client.store(ATTACH, str(worker.pid)) == -17
        inst = client.stream(worker.pid)
        client.events()
        worker("odd")
        worker("emit 1")
        assert [r["param.event"] for r in client.events(inst)] == [b"tick"]
        assert client.store(FILTER, "tick", inst) == 0
        worker("emit 1")
        worker("text x")
        assert {r["param.event"] for r in client.events(inst)} == {b"said"}
        assert client.store(ONLY, "", inst) == client.store(FILTER, "", inst) == 0
        assert client.store(FILTER, "n" * 64, inst) == wire.PM_ERR_BADSTORE
        assert client.store(RUNNING, 0, inst) == 0 and client.number(RUNNING, inst) == 0
        worker("emit 1")
        assert client.store(RUNNING, 1, inst) == 0 and client.counters(inst)["status"] == 1
        worker("emit 1")
        assert ticks(client.events(inst)) == [3]
        assert client.store(RUNNING, 7, inst) == wire.PM_ERR_BADSTORE
        assert client.store(CLEAR, 1, inst) == 0
        adds_up(client.counters(inst))
        assert client.store(DETACH, str(worker.pid)) == 0
        wait_until("it is left alone", lambda: client.counters(inst)["status"] in (3, None), LONG_S)
        assert client.store(RUNNING, 1, inst) in (-3, wire.PM_ERR_INST)
        assert client.store(ATTACH, str(worker.pid)) == 0 and client.stream(worker.pid) == inst


def test_everything_that_can_be_stored_can_be_by_pmstore(beside, program):
    """Which shows the value from before, and so needs one."""
    with Client(beside) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        for name, value, before in (("filter", "tick", '""'), ("only", "", '""'), ("clear", "1", "0"), ("running", "0", "1")):
            done = run([beside.prefix.bin("pmstore"), "-h", beside.host, "-i", str(worker.pid),
                        f"tracing.control.{name}", value], env=beside.env)
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"inst [{inst} or \"{worker.pid} {program.name}\"] old value={before} new value=" in done.stdout


def test_a_store_to_all_passes_over_those_that_have_ended(collector, program):
    with Client(collector) as client, Worker(program) as gone, Worker(program) as here:
        insts = [client.attached(worker.pid) for worker in (gone, here)]
        gone.end()
        wait_until("it has ended", lambda: client.counters(insts[0])["status"] == 3, LONG_S)
        for order in insts, insts[::-1]:
            for value in 0, 1:
                assert client.ask(wire.store([(RUNNING, [(inst, value) for inst in order])])).code == 0
                assert client.number(RUNNING, insts[1]) == value
        assert client.store(RUNNING, 1, insts[0]) == -3


def test_events_are_shown_in_the_order_of_time(beside, program):
    """Of whatever process."""
    with Client(beside) as client, Worker(program) as first, Worker(program) as second:
        client.attached(first.pid), client.attached(second.pid)
        for _ in range(5):
            first("emit 1")
            second("emit 1")
        for form in "-l", "-j":
            done = run([beside.prefix.bin("pmevent"), "-h", beside.host, "-s", "1", form, "-P", f"{first.pid},{second.pid}"],
                       env=beside.env)
            lines = [line for line in done.stdout.splitlines() if "tick" in line]
            assert len(lines) == 10, done.stdout + done.stderr
            pids = [str(pid) for line in lines for pid in (first.pid, second.pid) if f"{pid} " in line.split("tick")[0]]
            assert pids == [str(first.pid), str(second.pid)] * 5, done.stdout
            assert all("number" in line for line in lines)


def instances(client, program):
    """Numbers and names of all that is of a program: stream, event type, process."""
    lists = [client.ask(wire.instance_req(wire.pmid(487, 0, i))).instances for i in range(3)]
    return [found for one in lists for found in one if found[1].endswith(" " + program.name)]


def test_the_same_numbers_after_a_restart(beside, program):
    with Client(beside) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        client.events()
        worker("text x")
        client.events()
        names = instances(client, program)
        assert len(names) == 3
        field = client.ask(wire.names_req(["tracing.field.said.text"])).raw
        agent = beside.agent()
        os.kill(agent, signal.SIGKILL)
        wait_until("it is dead", lambda: gone(agent), LONG_S)
        wait_until("the agent is started again", lambda: client.stream(worker.pid) is not None, LONG_S)
        assert client.attached(worker.pid) == inst
        client.events()
        worker("text y")
        client.events()
        assert instances(client, program) == names
        assert client.ask(wire.names_req(["tracing.field.said.text"])).raw == field


# Rights


@pytest.fixture
def theirs(program):
    """The program, as another user may run it."""
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    home = pathlib.Path(tempfile.mkdtemp(prefix="tracing-", dir="/tmp"))
    home.chmod(0o755)
    copy = shutil.copy(program, home / program.name)
    subprocess.run([copy, "once"], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", check=True)
    yield home
    shutil.rmtree(home)


def as_nobody(program, **more):
    return Worker(program, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", **more)


def test_who_may_what(collector, program, theirs):
    with Client(collector) as root, Worker(program) as ours, as_nobody(theirs / program.name) as worker:
        with user(NOBODY):
            nobody = Client(collector)
        with user(12345):
            third = Client(collector)
        mine = root.attached(ours.pid)
        wait_until("it is known", lambda: worker.pid in processes(root, program), LONG_S)
        assert root.stream(worker.pid) is None  # a process of another user's is not attached because it asks for it
        assert third.store(ATTACH, str(worker.pid)) == nobody.store(ATTACH, str(ours.pid)) == wire.PM_ERR_PERMISSION
        assert nobody.store(ATTACH, str(worker.pid)) == 0  # by root's agent, because the owner asks
        inst = root.stream(worker.pid)
        for who in (root, nobody, third):
            who.events()
        ours("emit 1")
        worker("emit 1")
        assert [ticks(who.events().get(inst, [])) for who in (root, nobody, third)] == [[0], [0], []]
        assert third.counters(inst)["emitted"] == 1
        for value, ident in ((0, RUNNING), ("tick", FILTER), ("tick", ONLY), (1, CLEAR)):
            assert third.store(ident, value, inst) == nobody.store(ident, value, mine) == wire.PM_ERR_PERMISSION
            assert nobody.store(ident, value, inst) == root.store(ident, value, mine) == 0
        assert third.store(DETACH, str(worker.pid)) == nobody.store(DETACH, str(ours.pid)) == wire.PM_ERR_PERMISSION
        assert nobody.store(DETACH, str(worker.pid)) == root.store(DETACH, str(ours.pid)) == 0
        nobody.close(), third.close()


def test_a_client_of_whom_nothing_is_known_may_store_nothing(collector, program):
    with Client(collector) as client, Worker(program, env={"PITOT_TRACE": ""}) as worker:
        with wire.Client(("127.0.0.1", collector.port)) as stranger:
            reply = stranger.ask(wire.store([(ATTACH, [(-1, str(worker.pid))])]))
            assert (reply.kind, reply.code) == (wire.ERROR, wire.PM_ERR_PERMISSION)
        assert client.stream(worker.pid) is None


def test_a_set_user_id_program(beside, program, theirs):
    program = theirs / program.name
    os.chmod(program, 0o4755)
    with Client(beside) as root, as_nobody(program) as worker:
        wait_until("it is known", lambda: worker.pid in processes(root, program), LONG_S)
        with user(NOBODY), Client(beside) as nobody:
            assert nobody.store(ATTACH, str(worker.pid)) == wire.PM_ERR_PERMISSION
        assert root.stream(worker.pid) is None  # its environment is not root's, although it runs as root
        assert root.store(ATTACH, str(worker.pid)) == 0
        root.events()
        worker("emit 1")
        assert ticks(root.events(root.stream(worker.pid))) == [0]


def test_an_agent_without_privileges(prefix, program, theirs):
    """Its own processes, and no others."""
    daemon = Collector(prefix)
    for path in [daemon.home, *daemon.home.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    daemon.start(user=NOBODY, group=NOBODY, extra_groups=[])
    try:
        with Worker(program) as ours, as_nobody(theirs / program.name) as worker, Client(daemon) as root:
            inst = root.attached(worker.pid)
            assert root.store(ATTACH, str(ours.pid)) == wire.PM_ERR_PERMISSION
            root.events()
            worker("emit 1")
            assert ticks(root.events(inst)) == [0]
            assert root.store(RUNNING, 0, inst) == 0 and ours.pid not in processes(root, program)
    finally:
        daemon.__exit__()


def test_root_s_agent_of_a_collector_that_is_not(prefix, program, theirs):
    """Tracing all users' processes if the collector does not run as root: capabilities do not help, but an agent that
    root starts does. Only its group may use its socket, because the agent believes the connecting process about the
    users of its clients."""
    daemon = Collector(prefix, kind="socket")
    sock = daemon.home / "tracing.socket"
    for path in [daemon.home, *daemon.home.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    agent = subprocess.Popen([prefix.bin("pmdatracing"), "-u", sock, "-c", daemon.config, "-l", daemon.home / "agent.log"],
                             env=daemon.env, group=NOBODY, extra_groups=[])
    try:
        wait_until("it listens", lambda: sock.exists() and sock.stat().st_mode & 0o777 == 0o660, alive=agent)
        assert (sock.stat().st_uid, sock.stat().st_gid) == (0, NOBODY)
        daemon.start(user=NOBODY, group=NOBODY, extra_groups=[])
        with Worker(program) as ours, as_nobody(theirs / program.name) as worker, Client(daemon) as root:
            inst = root.attached(ours.pid)
            assert root.store(ATTACH, str(worker.pid)) == 0
            with user(NOBODY):
                nobody = Client(daemon)
            assert nobody.store(DETACH, str(ours.pid)) == wire.PM_ERR_PERMISSION
            root.events()
            ours("emit 1")
            worker("emit 2")
            found = root.events()
            assert ticks(found[inst]) == [0] and ticks(found[root.stream(worker.pid)]) == [0, 1]
            nobody.close()
    finally:
        daemon.stop()
        agent.kill()
        agent.wait()
        daemon.__exit__()


# Hostile and many


def test_a_hostile_process(collector, program):
    with Client(collector) as client, Worker(program) as good, Worker(program) as bad:
        inst = client.attached(good.pid)
        other = client.attached(bad.pid)
        client.events()
        bad("types 4000")
        for _ in range(3):
            good("emit 100")
            client.events(other)
        seen = []
        bad.tell("scribble 1500")
        for _ in range(30):
            good("emit 100")
            seen += client.events().get(inst, [])
            client.counters(other)
        bad.process.kill()
        good("emit 100")
        seen += client.events().get(inst, [])
        assert len([r for r in seen if isinstance(r, int)]) == 0
        assert ticks(seen)[-1] == 3399 and ticks(seen) == list(range(ticks(seen)[0], 3400))
        counters = client.counters(inst)
        adds_up(counters)
        assert counters["emitted"] == counters["reported"] == 3400
        assert client.number(MEMORY) < 64 << 20


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_many_short_lived_processes(beside, program):
    """10,000 of them, whose parent asks for tracing; another process at the same time is reported exactly."""
    with Client(beside) as client, Worker(program) as good, Worker(program) as mother:
        inst = client.attached(good.pid)
        client.attached(mother.pid)
        client.events()
        agent, seen = beside.agent(), []
        before = descriptors(agent)
        for _ in range(20):
            mother("brood 500")
            good("emit 10")
            seen += client.events().get(inst, [])
        seen += gather(client, inst, lambda more: len(seen) + len(more) >= 200)
        assert ticks(seen) == list(range(200))
        assert beside.agent() == agent
        wait_until("they are gone", lambda: processes(client, program) == {good.pid, mother.pid}, LONG_S)
        streams = client.numbers([COUNTERS["pid"]])[0]
        assert len(streams) <= 1024
        wait_until("what was theirs is closed", lambda: descriptors(agent) <= before + 64, LONG_S)  # others trace here too
        adds_up(client.counters(inst))


def test_the_first_look_shows_the_latest(collector, peer_root, program):
    theirs = collector.prefix.env(LD_LIBRARY_PATH=peer_root / "usr/lib", PCP_DIR=peer_root, TZ="UTC")
    with Client(collector) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        worker("emit 100")
        wait_until("they are taken out", lambda: client.counters(inst)["reported"] == 100, LONG_S)
        assert ticks(client.events(inst)) == list(range(84, 100))
        worker("emit 2")
        assert ticks(client.events(inst)) == [100, 101] and client.events(inst) == []
        for program_env in (["pminfo", theirs], [collector.prefix.bin("pminfo"), collector.prefix.env(TZ="UTC")]):
            name = peer_root / "usr/bin/pminfo" if program_env[0] == "pminfo" else program_env[0]
            done = run([name, "-h", collector.host, "-x", "tracing.stream.events"], env=program_env[1])
            assert done.returncode == 0
            assert [int(n) for n in re.findall(r"tracing\.field\.tick\.number.*\n\s+value (\d+)", done.stdout)] == list(range(86, 102))
        assert client.events(inst) == []


def test_into_the_archive(beside, program, tmp_path):
    """From the process to the archive each event is there, or counted where it was lost."""
    config = tmp_path / "config"
    config.write_text("log mandatory on every 100 msec { tracing.stream.events tracing.stream.emitted "
                      "tracing.stream.reported tracing.stream.lost tracing.stream.status }\n")
    archive = tmp_path / "archive"
    with Client(beside) as client, Worker(program) as worker:
        inst = client.attached(worker.pid)
        env = {**beside.env, "PCP_ARCHIVE_DIR": str(tmp_path)}
        logger = subprocess.Popen([beside.prefix.bin("pmlogger"), "-c", config, "-h", beside.host, "-l", tmp_path / "log", archive],
                                  env=env, stdin=subprocess.DEVNULL)
        try:
            wait_until("it records", lambda: client.counters(inst)["clients"] == 1, LONG_S, alive=logger)
            for _ in range(20):
                worker("emit 500")
            assert worker.end() == 0
            wait_until("the end is seen", lambda: client.counters(inst)["status"] == 3, LONG_S)
            wait_until("it has had them", lambda: client.counters(inst)["queued"] == 0, LONG_S, alive=logger)
        finally:
            logger.send_signal(signal.SIGINT)
            assert logger.wait(LONG_S) == 0
        counters = client.counters(inst)
        adds_up(counters)
        assert counters["emitted"] == 10000 == counters["reported"] + counters["overwritten"]
    done = run([beside.prefix.bin("pmdumplog"), archive, "tracing.stream.events"], env=beside.env)
    assert done.returncode == 0, done.stderr
    there = [int(n) for n in re.findall(r"field\.tick\.number\S*\s+(?:value\s+)?(\d+)", done.stdout)]
    missed = sum(int(n) for n in re.findall(r"(\d+) missed", done.stdout))
    assert there == sorted(set(there)) and len(there) + missed == counters["reported"]
    assert missed == counters["queue"]


# Clients that people use


def test_debian_clients(beside, peer_root, program, tmp_path):
    env = beside.prefix.env(LD_LIBRARY_PATH=peer_root / "usr/lib", PCP_DIR=peer_root, TZ="UTC")

    def theirs(name, *args, stdout=subprocess.PIPE):
        return subprocess.Popen([peer_root / "usr/bin" / name, "-h", beside.host, *args], env=env, text=True,
                                stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    seen = tmp_path / "seen"
    with Client(beside) as client, Worker(program) as worker, open(seen, "w") as printed:
        inst = client.attached(worker.pid)
        worker("text before")
        client.events()
        watch = theirs("pmevent", "-t", "0.2", "-s", "1000", "tracing.stream.events", stdout=printed)
        wait_until("pmevent watches", lambda: client.counters(inst)["clients"] == 2, LONG_S, alive=watch)
        worker("text hello")
        wait_until("it has them", lambda: client.events(inst) is not None and client.counters(inst)["queued"] == 0, LONG_S)
        for text in ('tracing.field.said.text "hello"', "tracing.field.said.i4 -70000"):
            wait_until(f"it prints {text}", lambda t=text: t in seen.read_text(errors="replace"), LONG_S, alive=watch)
        watch.terminate()
        watch.communicate(timeout=LONG_S)
        out, errors = theirs("pmval", "-s", "2", "-t", "0.1", "tracing.event.count").communicate(timeout=LONG_S)
        assert f"{worker.pid}:said" in out and errors == ""
        out, errors = theirs("pminfo", "-x", "-d", "-t", "tracing").communicate(timeout=LONG_S)
        assert "tracing.stream.events" in out and errors == ""
        ours = run([beside.prefix.bin("pminfo"), "-h", beside.host, "-d", "-t", "tracing.field", "tracing.param"],
                   env=beside.prefix.env(TZ="UTC"))
        out, _ = theirs("pminfo", "-d", "-t", "tracing.field", "tracing.param").communicate(timeout=LONG_S)
        assert ours.stdout == out


def test_every_metric_tells_what_it_is(beside):
    done = run([beside.prefix.bin("pminfo"), "-h", beside.host, "-t", "tracing"], env=beside.env)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) >= 40
    assert all(re.fullmatch(r"tracing\.\S+ \[.{10,}\]", line) for line in lines), lines
