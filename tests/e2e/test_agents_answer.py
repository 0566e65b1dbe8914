"""Every agent of ours answers every request about everything, known or not, within a deadline.

An agent that takes a lock in its methods and holds it while the library asks its methods again stops for ever,
and with it, as a DSO, the collector. Whoever adds an agent adds a line to AGENTS.
"""
import pathlib

import pytest

import harness
import wire

AGENTS = {"linux": 60, "sample": 29, "simple": 253, "trivial": 250, "tracing": 487, "pmcd": 2}
NOT_AGENTS = {"common"}  # folders of src/agents without an agent
# A deadline for one answer, also of a busy machine; pmcd gives an agent as long.
PATIENCE_S = 30
LATE = (wire.PM_ERR_TIMEOUT, wire.PM_ERR_AGAIN, wire.PM_ERR_NOAGENT)
CLUSTERS, ITEMS = (0, 1, 2, 3, 7, 4000, 4095), (0, 1, 3, 500, 1023)
SERIALS, INSTANCES = (0, 1, 2, 3, 5, 4000, (1 << 22) - 1), (0, 1, 77777, 0x7fffffff, -1)
TEXTS = (1 | 4, 2 | 4, 1 | 8, 2 | 8)  # one line or the whole, of a metric or of an instance domain
LABEL_DOMAIN, LABEL_INDOM, LABEL_CLUSTER, LABEL_ITEM, LABEL_INSTANCES = (1 << n for n in range(1, 6))


def test_no_agent_is_forgotten():
    folder = pathlib.Path(__file__).parents[2] / "src/agents"
    names = {path.name for path in folder.iterdir() if path.is_dir()} - NOT_AGENTS
    assert names <= AGENTS.keys()


@pytest.fixture(scope="module", params=[(name, kind) for name in AGENTS for kind in ("dso", "pipe")
                                        if (name, kind) != ("pmcd", "pipe")], ids="-".join)
def asked(request, prefix, tmp_path_factory):
    """A collector with one agent, and a client of it."""
    name, kind = request.param
    lines = {"dso": f"{name} {AGENTS[name]} dso {name}_init {prefix.dso(name)}",
             "pipe": f"{name} {AGENTS[name]} pipe binary {prefix.bin('pmda' + name)} -d {AGENTS[name]}"}
    agents = [] if name == "pmcd" else [lines[kind]]
    directory = tmp_path_factory.mktemp(f"{name}-{kind}")
    with harness.Pmcd(prefix, directory, agents, options=["-t", str(PATIENCE_S)]) as pmcd:
        with wire.ready(pmcd.socket, timeout_s=2 * PATIENCE_S) as client:
            client.domain = AGENTS[name]
            client.root = name if name not in ("linux",) else "kernel"
            yield client


def answered(client, data):
    """The answer to a request, past notices of changes; one of those that say that the agent is late is a failure."""
    got = client.ask(data)
    while got.kind == wire.ERROR and got.code > 0:
        got = client.receive()
    assert got.kind != wire.ERROR or got.code not in LATE, got
    return got


def all_ids(client):
    return [wire.pmid(client.domain, cluster, item) for cluster in CLUSTERS for item in ITEMS]


def known_names(client):
    return [name for name, _ in answered(client, wire.traverse_req(client.root)).names]


def test_fetch_one_by_one(asked):
    for ident in all_ids(asked):
        for kind in (wire.FETCH, wire.HIGHRES_FETCH):
            answer = answered(asked, wire.fetch([ident], kind=kind)).values
            assert [pmid for pmid, _ in answer] == [ident]
            assert answer[0][1] not in LATE


def test_an_unknown_metric_is_reported_as_unknown(asked):
    """PM_ERR_PMID, though the library has asked the agent for the metric's description and names meanwhile."""
    for cluster, item in ((4000, 1), (4095, 1023), (1, 1023)):
        ident = wire.pmid(asked.domain, cluster, item)
        assert answered(asked, wire.fetch([ident])).values == [(ident, wire.PM_ERR_PMID)]
        assert answered(asked, wire.desc_req(ident)).code == wire.PM_ERR_PMID


def test_fetch_all_at_once(asked):
    """Known between unknown ones, twice each."""
    idents = 2 * all_ids(asked)
    answer = answered(asked, wire.fetch(idents)).values
    assert [pmid for pmid, _ in answer] == idents
    assert not [values for _, values in answer if values in LATE]


def test_fetch_with_profiles(asked):
    indoms = [asked.domain << 22 | serial for serial in SERIALS]
    for state in (0, 1):
        asked.send(wire.profile(0, state, [(indom, 1 - state, [0, 1, 77777]) for indom in indoms]))
        answered(asked, wire.fetch(all_ids(asked)))
    asked.send(wire.profile())


def test_descriptions(asked):
    for ident in all_ids(asked):
        answered(asked, wire.desc_req(ident))
        answered(asked, wire.ids_req(ident))
    answered(asked, wire.desc_ids(all_ids(asked)))


def test_instances(asked):
    for serial in SERIALS:
        indom = asked.domain << 22 | serial
        answered(asked, wire.instance_req(indom))
        for inst in INSTANCES:
            answered(asked, wire.instance_req(indom, inst))
        for name in ("nobody", "0", "x" * 500):
            answered(asked, wire.instance_req(indom, -1, name))


def test_texts_and_labels(asked):
    indoms = [asked.domain << 22 | serial for serial in SERIALS]
    for ident in all_ids(asked) + indoms:
        for kind in TEXTS:
            answered(asked, wire.text_req(ident, kind))
    for idents, kinds in ((all_ids(asked), (LABEL_CLUSTER, LABEL_ITEM)), (indoms, (LABEL_INDOM, LABEL_INSTANCES)),
                          ([asked.domain], (LABEL_DOMAIN,))):
        for ident in idents:
            for kind in kinds:
                answered(asked, wire.label_req(ident, kind))


def test_names(asked):
    names = known_names(asked)
    assert names
    for name in (asked.root, f"{asked.root}.nothing", names[0], f"{names[0]}.below", "."):
        answered(asked, wire.names_req([name]))
        answered(asked, wire.child_req(name))
        answered(asked, wire.child_req(name, 1))
        answered(asked, wire.traverse_req(name))
    answered(asked, wire.names_req(names + ["nothing"]))


def test_stores(asked):
    """Into unknown metrics, and texts into whatever there is: refused, at once. Not numbers into known ones, which
    an agent may take as commands."""
    for ident in all_ids(asked):
        answered(asked, wire.store([(ident, [(-1, "not a number")])]))
        answered(asked, wire.store([(ident, [])]))
    answered(asked, wire.store([(wire.pmid(asked.domain, 4000, 1), [(0, 1), (1, 2)])]))


def test_it_lives(asked):
    """After all of that it answers what it knows."""
    names = known_names(asked)
    answer = answered(asked, wire.names_req(names[:1]))
    ident, = answer.words(1, 20)
    assert answered(asked, wire.fetch([ident & 0xffffffff])).values[0][1] not in LATE
