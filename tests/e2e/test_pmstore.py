"""pmstore to an agent whose values come and go: what Debian's does not get right, and what it does."""
import pathlib
import sys

import pytest

import harness
import store_agent
from peer import bare_env

DOMAIN = 250
AGENT = pathlib.Path(__file__).with_name("store_agent.py")


class Store:
    def __init__(self, prefix, pmcd, names):
        self.prefix = prefix
        self.options = ["-h", pmcd.host, "-n", str(names)]

    def fetch(self, metric):
        return harness.run([self.prefix.bin("pminfo"), *self.options, "-f", metric], env=self.prefix.env())

    def run(self, *args, program=None, env=None):
        argv = [program or self.prefix.bin("pmstore"), *self.options, *args]
        return harness.run(argv, env=env or self.prefix.env())

    def first(self):
        """The next fetch is the first of two: values of 1 and 2."""
        while "i1" not in self.fetch("odd.fewer").stdout:
            pass
        self.fetch("odd.fewer")


@pytest.fixture(scope="module")
def store(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    names = folder / "names"
    names.write_text(store_agent.names(DOMAIN))
    line = f"odd {DOMAIN} pipe binary {sys.executable} {AGENT} {DOMAIN}"
    with harness.Pmcd(prefix, folder / "pmcd", agents=[line]) as pmcd:
        yield Store(prefix, pmcd, names)


@pytest.fixture(scope="module")
def peer_env(peer_root, tmp_path_factory):
    return bare_env(peer_root, tmp_path_factory.mktemp("peer"))


# Arguments; output; exit status. The first fetch is the odd one.
CASES = [
    (["odd.string", "5"], "odd.string: No value(s) available!\n", 1),
    (["-f", "odd.string", "5"], 'odd.string old value="(none)" new value="5"\n', 0),
    (["-f", "odd.number", "5"], 'odd.number old value="(none)" new value=5\n', 0),
    (["-f", "odd.empty", "5"], 'odd.empty inst [0] old value="(none)" new value=5\n', 0),
    (["odd.nameless", "5"], "odd.nameless inst [7] old value=70 new value=5\n", 0),
    (["-F", "odd.nameless", "5"], "odd.nameless inst [7] old value=70 new value=70\n", 0),
    (["odd.fewer", "5"], 'odd.fewer inst [1 or "i1"] old value=10 new value=5\n'
                         'odd.fewer inst [2 or "i2"] old value=20 new value=5\n', 0),
    (["odd.gone", "5"], "odd.gone old value=-10 new value=5\n", 0),
    (["odd.failed", "5"], "odd.failed old value=-10 new value=5\n", 0),
]
# Here Debian's stores to instance 0, takes the value of one instance for that of another, or is silent.
OURS = [
    (["-f", "-i", "i2,i3", "odd.empty", "5"], 'odd.empty inst [2 or "i2"] old value="(none)" new value=5\n'
                                              'odd.empty inst [3 or "i3"] old value="(none)" new value=5\n', 0),
    (["-F", "odd.fewer", "5"], 'odd.fewer inst [2 or "i2"] old value=20 new value=20\n'
                               'odd.fewer inst [3 or "i3"] old value="(none)" new value=30\n', 0),
    (["-F", "odd.gone", "5"], "odd.gone: No value(s) available!\n", 1),
    (["-F", "odd.failed", "5"], "odd.failed: Error: Try again. Information not currently available\n", 1),
    (["-fF", "odd.number", "5"], "odd.number: No value(s) available!\n", 1),
    (["-f", "-i", '"i2" i3', "odd.empty", "5"], 'odd.empty inst [2 or "i2"] old value="(none)" new value=5\n'
                                                'odd.empty inst [3 or "i3"] old value="(none)" new value=5\n', 0),
]


@pytest.mark.parametrize("args, output, status", CASES + OURS, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_what_is_told(store, args, output, status):
    store.first()
    done = store.run(*args)
    assert (done.stdout, done.stderr, done.returncode) == (output, "", status)


@pytest.mark.parametrize("args, output, status", CASES, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_debian_tells_the_same(store, peer_root, peer_env, args, output, status):
    store.first()
    done = store.run(*args, program=str(peer_root / "usr/bin/pmstore"), env=peer_env)
    assert (done.stdout, done.stderr, done.returncode) == (output, "", status)
