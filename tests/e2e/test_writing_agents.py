"""docs/writing-agents.md as its reader follows it, and the two agents it explains beside Debian's."""
import os
import pathlib
import re
import shutil
import time

import pytest

from harness import Pmcd, run, wait_until
from peer import Peer

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/writing-agents.md").read_text()


def test_the_code_of_the_page_is_that_of_its_files():
    blocks = re.findall(r"<!-- (\S+) -->\n```\w+\n(.*?)```", PAGE, re.S)
    assert len(blocks) > 8
    assert [path for path, code in blocks if code not in (ROOT / path).read_text()] == []


def test_the_lines_of_the_table():
    rows = re.findall(r"\| \[[^]]+\]\(\.\./([^)]+)\) \|.*\| (\d+) \|", PAGE)
    assert len(rows) == 5
    for path, lines in rows:
        file = ROOT / path
        file = file / f"{file.name}.c" if file.is_dir() else file
        assert len(file.read_text().splitlines()) == int(lines), path


@pytest.mark.parametrize("name", ["linux", "sample", "simple", "trivial"])
@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(prefix, name, option):
    done = run([prefix.bin(f"pmda{name}"), option], env=prefix.env())
    assert re.fullmatch(rf"pmda{name} version 6\.0\.3 \(Pitot \d+\.\d+\.\d+\)\n", done.stdout), done
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The reader's folder: the two files of the first chapter."""
    folder = tmp_path_factory.mktemp("uptime")
    for name in ("uptime.c", "meson.build"):
        shutil.copy(ROOT / "examples/uptime" / name, folder)
    (folder / "root/proc").mkdir(parents=True)
    (folder / "root/proc/uptime").write_text("74251.50 100.00\n")
    return folder


def commands(prefix):
    """The shell commands of the page, for the prefix under test."""
    text = re.search(r"```sh\n(.*?)```", PAGE, re.S)[1]
    return text.replace("/opt/pitot", str(prefix.path))


@pytest.fixture(scope="module")
def built(folder, prefix):
    done = run(["sh", "-e", "-c", commands(prefix)], env=prefix.env(), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_debugger(built, prefix):
    lines = re.search(r"```\n\$ dbpmda\n(.*?)```", PAGE, re.S)[1].splitlines()
    script = "".join(line.removeprefix("dbpmda> ") + "\n" for line in lines if line.startswith("dbpmda> "))
    (built / "script").write_text(script)
    done = run(["sh", "-c", f"{prefix.bin('dbpmda')} -f <script"], env=prefix.env(PITOT_UPTIME_ROOT=built / "root"), cwd=built)
    assert done.stdout.splitlines() == [line for line in lines if not line.startswith("dbpmda> ")], done.stderr


@pytest.mark.parametrize("opening", ["pipe ./pmdauptime", "dso pmda_uptime.so uptime_init 402"])
def test_the_debugger_knows_the_names_of_the_agent(built, prefix, opening):
    """Those that no file has: in every command that takes a metric, and for numbers, of which it does not warn."""
    commands = ["desc uptime.seconds", "fetch uptime.seconds", "fetch 402.0.0", "text uptime.seconds", "label item uptime.seconds",
                'store uptime.seconds "1"', "desc 402.0.0", "desc uptime.nosuch", "desc 402.0.77"]
    (built / "names").write_text("\n".join([f"open {opening}", *commands, "quit", ""]))
    with open(built / "names") as script:
        done = run([prefix.bin("dbpmda"), "-f"], env=prefix.env(PITOT_UPTIME_ROOT=built / "root"), cwd=built, stdin=script)
    assert done.stdout.count("402.0.0 (uptime.seconds): numval: 1") == 2, done
    assert done.stdout.count("Data Type: double") == 2
    assert "[Time since the host started]" in done.stdout and "<noname>" not in done.stdout
    assert re.findall("(?:Warning|Error): .*", done.stderr) == [
        "Error: Unknown metric name", "Warning: PMID (402.0.77) is not defined in the PMNS"], done.stderr


def test_the_row_with_call_backs(built, prefix):
    shutil.copy(ROOT / "examples/level.c", built)
    flags = re.search(r"```sh\n(export.*?\nflags=.*?)\n", PAGE, re.S)[1].replace("/opt/pitot", str(prefix.path))
    done = run(["sh", "-e", "-c", f"{flags}\ncc -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror "
                                  "-o pmdalevel level.c $flags"], env=prefix.env(), cwd=built)
    assert (done.returncode, done.stderr) == (0, "")
    lines = ["open pipe ./pmdalevel", "fetch level.percent", 'store level.percent "70"', "fetch level.percent",
             'store level.percent "101"', "fetch level.percent", "quit", ""]
    (built / "levels").write_text("\n".join(lines))
    with open(built / "levels") as script:
        done = run([prefix.bin("dbpmda"), "-f"], env=prefix.env(), cwd=built, stdin=script)
    assert re.findall(r"value (\d+)", done.stdout) == ["50", "70", "70"], done
    assert done.stdout.count("Error PDU: Bad input to pmstore") == 1, done


@pytest.mark.parametrize("kind", ["pipe", "dso"])
def test_uptime(built, prefix, tmp_path, kind):
    line = re.search(rf"^(uptime 402 {kind} .*)$", PAGE, re.M)[1].replace("/opt/uptime", str(built))
    with Pmcd(prefix, tmp_path, agents=[line], env={"PITOT_UPTIME_ROOT": built / "root"}) as pmcd:
        ask = [prefix.bin("pminfo"), "-h", pmcd.host, "-dfT", "uptime.seconds"]
        wait_until("the agent serves", lambda: "value" in run(ask, env=prefix.env()).stdout)
        shown = re.search(r"```\n\$ pminfo -dfT uptime.seconds\n(.*?)```", PAGE, re.S)[1]
        assert run(ask, env=prefix.env()).stdout.strip() == shown.strip()


def chapter(number):
    """The text of a chapter of the page."""
    return re.search(rf"^## {number}\. .*?(?=^## )", PAGE, re.S | re.M)[0]


def transcripts(number):
    """The commands at the prompt in a chapter, and the output of each."""
    for block in re.findall(r"```\n(\$ .*?)```", chapter(number), re.S):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = step.partition("\n")
            yield command, shown


# Labels of the host and of the user differ from one to the other; the page shows the first of them alone.
OURS = ("hostname", "role", "kind")


def same_for_all(text):
    """Without what differs from run to run: the time of an event, and labels of the host."""
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "TIME", text)
    return re.sub(r'"(\w+)":("[^"]*"|\d+),?', lambda m: f'"{m[1]}":{m[2]},' if m[1] in OURS else "", text) \
        .replace(",}", "}").replace(f'"hostname":"{os.uname().nodename}"', '"hostname":"vm"')


@pytest.fixture(scope="module")
def chapters(prefix, tmp_path_factory):
    """The agents of the chapters on events, instances and labels, built and configured as the page says."""
    folder = tmp_path_factory.mktemp("chapters")
    lines = []
    for number, name in ((4, "events"), (5, "jobs")):
        shutil.copy(ROOT / "examples" / f"{name}.c", folder)
        flags = re.search(r"```sh\n(export.*?\nflags=.*?)\n", PAGE, re.S)[1].replace("/opt/pitot", str(prefix.path))
        build = re.search(r"```sh\n(cc .*?)```", chapter(number), re.S)[1]
        done = run(["sh", "-e", "-c", f"{flags}\n{build}"], env=prefix.env(), cwd=folder)
        assert done.returncode == 0, done.stderr
        lines.append(re.sub(r"/opt/\w+", str(folder), re.search(r"```\n(\w+ \d+ pipe .*?)\n```", chapter(number))[1]))
    jobs = folder / "spool"
    jobs.mkdir()
    (folder / "var").mkdir()
    with Pmcd(prefix, folder, agents=lines, env={"JOBS_DIR": jobs, "PCP_VAR_DIR": folder / "var"}) as pmcd:
        for metric in ("bell.ring", "jobs.size"):
            wait_until(metric, lambda metric=metric: "No value" in (done := run(
                [prefix.bin("pminfo"), "-h", pmcd.host, "-f", metric], env=prefix.env())).stdout or "value" in done.stdout)
        yield pmcd, prefix.env(JOBS_DIR=jobs, PMCD_SOCKET=pmcd.socket, PATH=f"{prefix.path}/bin:{os.environ['PATH']}")


def test_the_chapters_at_the_prompt(chapters):
    """In the order of the page: each shows what the one before has left."""
    pmcd, env = chapters
    steps = [step for number in (4, 5, 6) for step in transcripts(number)]
    assert len(steps) == 10
    for command, shown in steps:
        command = re.sub(r"\b(pminfo|pmstore)\b", rf"\1 -h {pmcd.host}", command)
        done = run(["sh", "-c", command], env=env)
        assert (same_for_all(done.stdout).strip(), done.stderr) == (same_for_all(shown).strip(), ""), command


def test_the_numbers_of_instances_stay(chapters, prefix):
    """The cache is on disk: a second agent gives the same numbers, in folders that were not there before."""
    pmcd, env = chapters
    saved = (pmcd.dir / "var/config/pmda/403.0").read_text()
    assert re.findall(r"^(\d+) \d+ (.*)$", saved, re.M)[-2:] == [("0", "report.txt"), ("1", "picture.png")]


@pytest.mark.skipif(shutil.which("meson") is None, reason="meson is not installed")
def test_the_meson_project(folder, prefix):
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib/pkgconfig")
    for argv in (["meson", "setup", "out"], ["meson", "compile", "-C", "out"]):
        done = run(argv, env=env, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "out/pmda_uptime.so").exists() and (folder / "out/pmdauptime").exists()


class Debians(Peer):
    """Debian's simple and trivial agents below Debian's pmcd."""

    def __init__(self):
        super().__init__(agents=("pmcd", "simple"))

    def _build_agents(self):
        super()._build_agents()
        self._check([shutil.which("cc"), "-w", f"-I{self.root}/usr/include", "-o", "pmdatrivial", "trivial.c",
                     f"-L{self.lib}", "-lpcp_pmda", "-lpcp"], cwd=self.pmdas / "trivial")
        names = self.home / "var/lib/pcp/pmns/root"
        names.write_text(names.read_text().replace("root {", "root {\n\ttrivial", 1) +
                         "\ntrivial {\n\ttime 250:0:0\n}\n")

    def programs(self):
        return [self.pmdas / "simple/pmdasimple", self.pmdas / "trivial/pmdatrivial"]

    def write_conf(self, path, agents=None, extra=""):
        simple, trivial = self.programs()
        options = f"-U {self.user} -l {self.log}"
        super().write_conf(path, ("pmcd",), extra +
                           f"simple 253 pipe binary {simple} -d 253 {options}/simple.log\n"
                           f"trivial 250 pipe binary {trivial} -d 250 {options}/trivial.log\n")


class Ours(Debians):
    """Our agents below the same pmcd."""

    def __init__(self, prefix):
        self.prefix = prefix
        super().__init__()

    def programs(self):
        env = f"/usr/bin/env LD_LIBRARY_PATH={self.prefix.path}/lib"
        return [f"{env} {self.prefix.bin('pmda' + name)}" for name in ("simple", "trivial")]


@pytest.fixture(scope="module")
def both(peer_root, prefix):
    if shutil.which("cc") is None:
        pytest.skip("no compiler for Debian's agents, which come as source")
    with Debians() as theirs, Ours(prefix) as ours:
        for host in (theirs, ours):
            wait_until("the agents serve", lambda host=host: b"value" in
                       host.run("pminfo", "-h", host.host, "-f", "trivial.time").stdout)
        yield theirs, ours


# In this order: each leaves the agents as the next one finds them.
SAME = [
    ["pminfo", "-f", "simple.numfetch", "simple.color"],
    ["pminfo", "-md", "simple", "trivial"],
    ["pminfo", "-l", "simple"],
    ["pminfo", "-I", "simple.color", "simple.now"],
    ["pmstore", "simple.numfetch", "42"],
    ["pminfo", "-f", "simple.numfetch", "simple.color"],
    ["pmstore", "simple.numfetch", "-1"],
    ["pmstore", "-i", "red", "simple.color", "5"],
    ["pmstore", "simple.color", "254"],
    ["pminfo", "-f", "simple.color"],
    ["pminfo", "-f", "simple.color"],
    ["pmstore", "simple.time.user", "1"],
    ["pmstore", "simple.now", "1"],
    ["pmstore", "trivial.time", "1"],
    ["pmprobe", "-v", "simple.numfetch"],
    ["pmprobe", "-I", "simple"],
    # Refused by both; Debian's agent then has the nearest legal value, ours what it had.
    ["pmstore", "simple.color", "256"],
    ["pmstore", "simple.color", "-1"],
]


@pytest.mark.parametrize("argv", SAME, ids=[" ".join(a) for a in SAME])
def test_answers_are_those_of_debians_agents(both, argv):
    said = []
    for host in both:
        done = host.run(argv[0], "-h", host.host, *argv[1:])
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0] == said[1]


@pytest.mark.parametrize("conf,parts", [
    ("sec,min\n", {"sec", "min"}), ("hour", {"hour"}), ("sec,bogus,min\n", {"sec", "min"}),
    ("min,sec,sec\n", {"min", "sec"}), ("", set()), ("sec min\n", set()), (None, set()),
    ("sec,min,hour\n", {"sec", "min", "hour"}),
])
def test_the_file_of_instances(both, conf, parts):
    for host in both:
        path = host.home / "etc/pcp/simple/simple.conf"
        if conf is None:
            path.unlink()
        else:
            path.write_text(conf)
            now = time.time_ns()
            os.utime(path, ns=(now, now))  # the kernel's stamps are of the tick, which two changes may share
    # Debian's agent sees a change by the second.
    def listed(host):
        text = host.run("pminfo", "-h", host.host, "-f", "simple.now").stdout.decode()
        return set(re.findall(r'inst \[\d or "(\w+)"\] value', text))
    for host in both:
        wait_until(f"{parts}", lambda host=host: listed(host) == parts)


def test_values_are_times(both):
    values = {}
    for host in both:
        text = host.run("pminfo", "-h", host.host, "-f", "trivial.time", "simple.now", "simple.time").stdout.decode()
        values[host] = [float(v) for v in re.findall(r"value ([\d.]+)", text)]
    theirs, ours = values.values()
    assert len(theirs) == len(ours) == 6
    assert abs(ours[0] - time.time()) < 60 and abs(ours[0] - theirs[0]) < 60
    assert 0 <= ours[4] < 5 and 0 <= ours[5] < 5


@pytest.mark.parametrize("name,domain", [("simple", 253), ("trivial", 250)])
def test_installed_objects_serve_their_names(prefix, tmp_path, name, domain):
    agent = f"{name} {domain} dso {name}_init {prefix.dso(name)}"
    metric = {"simple": "simple.color", "trivial": "trivial.time"}[name]
    with Pmcd(prefix, tmp_path, agents=[agent]) as pmcd:
        done = run([prefix.bin("pminfo"), "-h", pmcd.host, "-f", metric], env=prefix.env())
        assert (done.returncode, done.stderr) == (0, "")
        assert "value" in done.stdout
