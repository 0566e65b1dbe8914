"""examples/ as a user meets them: compiled against the installed headers and libraries, then run; and
the files that the manual shows."""
import os
import pathlib
import re
import shlex

import pytest

from harness import Pmcd, run, wait_until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Built:
    """The programs and agents of examples/ in one directory."""

    def __init__(self, prefix, directory):
        self.prefix = prefix
        self.dir = directory

    def compile(self, name, output, packages, *more):
        env = self.prefix.env(PKG_CONFIG_PATH=self.prefix.path / "lib" / "pkgconfig")
        flags = run(["pkg-config", "--cflags", "--libs", *packages.split()], env=env)
        assert flags.returncode == 0, flags.stderr
        cc = shlex.split(os.environ.get("PITOT_CC", "cc"))
        done = run([*cc, "-std=gnu11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror",
                    "-o", self.dir / output, EXAMPLES / f"{name}.c", *more, *shlex.split(flags.stdout),
                    f"-Wl,-rpath,{self.prefix.path}/lib"])
        assert done.returncode == 0, done.stderr

    def run(self, name, *args, timeout=120):
        return run([self.dir / name, *args], env=self.prefix.env(PCP_CONF=self.prefix.path / "etc" / "pcp.conf"),
                   timeout=timeout)


@pytest.fixture(scope="module")
def built(prefix, tmp_path_factory):
    out = Built(prefix, tmp_path_factory.mktemp("examples"))
    for name in ("client", "describe", "group", "snippets", "watch"):
        out.compile(name, name, "libpcp")
    out.compile("import", "import", "libpcp_import libpcp")
    for source, name in (("agent", "files"), ("pmda", "paint")):
        out.compile(source, f"pmda{name}", "libpcp_pmda libpcp")
        out.compile(source, f"pmda_{name}.so", "libpcp_pmda libpcp", "-shared", "-fPIC")
    return out


@pytest.fixture(scope="module", params=["dso", "pipe"])
def pmcd(request, prefix, built, tmp_path_factory):
    """A collector with the linux agent and both example agents, as objects and as processes."""
    directory = tmp_path_factory.mktemp("pmcd")
    root = directory / "root"
    (root / "proc/sys/fs").mkdir(parents=True)
    (root / "proc/sys/fs/file-nr").write_text("1216\t0\t97816\n")
    agents = [f"linux 60 dso linux_init {prefix.dso('linux')}"]
    for name, domain in (("files", 400), ("paint", 401)):
        agents.append({"dso": f"{name} {domain} dso {name}_init {built.dir}/pmda_{name}.so",
                       "pipe": f"{name} {domain} pipe binary {built.dir}/pmda{name}"}[request.param])
    with Pmcd(prefix, directory / "pmcd", agents=agents, env={"PITOT_FILES_ROOT": root}) as daemon:
        wait_until("both agents serve",
                   lambda: built.run("client", daemon.host, "files.open", "paint.fetches").returncode == 0)
        yield daemon


def test_client_prints_values_of_the_table_agent(built, pmcd):
    done = built.run("client", pmcd.host, "files.open", "files.max")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "files.open[] 1216 count\nfiles.max[] 97816 count\n"


def test_client_prints_instances_of_the_classic_agent(built, pmcd):
    done = built.run("client", pmcd.host, "paint.litres")
    assert done.stdout.split("\n")[:3] == [f"paint.litres[{name}] {litres} "
                                           for name, litres in (("red", 10), ("green", 20), ("blue", 30))]


def test_group_has_rates_from_the_second_fetch_on(built, shared_pmcd):
    done = built.run("group", shared_pmcd.host)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(lines)) == (0, "", 3)
    assert " user " not in lines[0] and re.search(r" user [\d.]+ 1 minute [\d.]+ 5 minute ", lines[1])


def test_snippets_run(built):
    done = built.run("snippets")
    assert done.returncode == 0 and "disk.dev.read of myhost" in done.stdout


def test_client_counts_fetches(built, pmcd):
    values = [int(re.search(r"paint.fetches\[\] (\d+) count", built.run("client", pmcd.host, "paint.fetches").stdout)[1])
              for _ in range(2)]
    assert values[1] == values[0] + 1


def test_client_tells_what_is_unknown(built, pmcd):
    done = built.run("client", pmcd.host, "no.such.metric")
    assert done.returncode == 1
    assert "Unknown metric name" in done.stderr


def test_describe_shows_what_the_classic_agent_says(built, pmcd):
    done = built.run("describe", pmcd.host, "paint")
    assert done.returncode == 0, done.stderr
    assert "paint.litres 401.0.1 [Paint in stock]\n    FLOAT instant, units \"\", instances 401.0\n" \
           "    0 \"red\"\n    1 \"green\"\n    2 \"blue\"\n" in done.stdout
    assert "paint.fetches 401.0.0 [Requests for values]\n    U64 counter, units \"count\"," in done.stdout
    litres = done.stdout[done.stdout.index("paint.litres"):].split("paint.fetches")[0]
    assert '"shop":"corner"' in litres and '"agent":"paint"' in litres


def test_describe_shows_what_the_rows_say(built, pmcd):
    done = built.run("describe", pmcd.host, "files")
    assert "files.max 400.0.1 [How many files can be open]\n    U64 discrete, units \"count\"" in done.stdout


def test_store_reaches_the_classic_agent(built, pmcd, prefix):
    done = run([prefix.bin("pmval"), "-h", pmcd.host, "-x", "42", "-i", "green", "-s", "1", "paint.litres"],
               env=prefix.env())
    assert done.returncode == 0, done.stderr
    try:
        assert "paint.litres[green] 42" in built.run("client", pmcd.host, "paint.litres").stdout
    finally:
        run([prefix.bin("pmval"), "-h", pmcd.host, "-x", "20", "-i", "green", "-s", "1", "paint.litres"],
            env=prefix.env())


def test_watch_prints_rates(built, pmcd):
    done = built.run("watch", "-h", pmcd.host, "-t", "50msec", "-s", "3", "paint.fetches")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        stamp, rate = line.split()
        assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{9}", stamp)
        assert 1 < float(rate) <= 20.5  # one fetch each 50 ms or more


def test_watch_explains_itself(built):
    done = built.run("watch", "-?")
    assert done.returncode == 1
    assert "-t DELTA, --interval=DELTA" in done.stderr


def test_the_agent_lists_its_metrics(built):
    done = built.run("pmdafiles", "--print-pmns")
    assert done.returncode == 0
    assert "400:0:0" in done.stdout


def literal(page, heading):
    """The first literal block below a heading of a manual page, as a reader sees it."""
    text = (EXAMPLES.parent / "man" / page).read_text().partition(f"{heading}\n")[2]
    block = re.search(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S)[1]
    return re.sub(r"^\\&", "", block, flags=re.M).replace("\\e", "\\")


def test_the_configuration_in_the_manual_is_good(prefix, tmp_path):
    conf = tmp_path / "pmcd.conf"
    conf.write_text(literal("man5/pmcd.conf.5", ".Sh EXAMPLES"))
    done = run([prefix.bin("pmcd"), "-v", "-c", conf], env=prefix.env())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_mistakes_in_the_manual_are_told_so(prefix, tmp_path):
    conf = tmp_path / "pmcd.conf"
    conf.write_text("a 400 pipe binary /bin/true\n\nfiles x pipe binary /bin/true\nb 400 pipe binary /bin/true\n"
                    "c 401 tube /bin/true\nd 402 dso d_init pmda_x.so\ne 403 pipe binary /bin/true\n[access]\n"
                    "allow unix: : read;\n")
    done = run([prefix.bin("pmcd"), "-v", "-c", conf], env=prefix.env())
    assert done.returncode == 1
    for line in literal("man5/pmcd.conf.5", ".Sh DIAGNOSTICS").splitlines():
        assert line in done.stderr


@pytest.mark.parametrize("heading, names", [
    (".Ss Nodes", ["disk.all.read", "disk.count", "hinv.ncpu"]),
    (".Ss Fragments", ["files.max", "files.open"]),
])
def test_the_name_spaces_in_the_manual_load(prefix, shared_pmcd, tmp_path, heading, names):
    root = tmp_path / "root"
    root.write_text(literal("man5/pmns.5", heading))
    done = run([prefix.bin("pminfo"), "-h", shared_pmcd.host, "-n", root], env=prefix.env())
    assert done.returncode == 0, done.stderr
    assert [name for name in sorted(done.stdout.split()) if not name.startswith("event.")] == names


def test_import_writes_an_archive(built, prefix, tmp_path):
    done = run([built.dir / "import", tmp_path / "history"], env=prefix.env(PCP_CONF=prefix.path / "etc/pcp.conf", TZ="UTC"),
               input="1700000000 0.5\n1700000060 0.7\n", stdin=None)
    assert (done.returncode, done.stderr) == (0, "")
    shown = run([prefix.bin("pmval"), "-z", "-a", tmp_path / "history", "-t", "1min", "my.load"], env=prefix.env())
    assert [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("22:")] == ["0.5000", "0.7000"], shown
    again = run([built.dir / "import", tmp_path / "history"], env=prefix.env(), input="1700000000 0.5\n", stdin=None)
    assert again.returncode == 1 and "File exists" in again.stderr
