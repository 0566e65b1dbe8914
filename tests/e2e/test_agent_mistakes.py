"""Mistakes of an agent's author, and the line that reports each: examples/uptime with one change."""
import pathlib
import re
import shutil

import pytest

from harness import Pmcd, run, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = (ROOT / "examples/uptime/uptime.c").read_text()

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")


def build(prefix, folder, *changes):
    """The agent as a program and as an object, with texts of its source replaced."""
    source = SOURCE
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    (folder / "uptime.c").write_text(source)
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib/pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libpcp_pmda", "libpcp"], env=env).stdout.split()
    flags += [f"-Wl,-rpath,{prefix.path}/lib"]
    for form in (["-o", "pmdauptime"], ["-shared", "-fPIC", "-o", "pmda_uptime.so"]):
        done = run(["cc", "-Wall", "-Werror", "-Wno-unused-function", *form, "uptime.c", *flags], env=env, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


# (text of uptime.c, what the author wrote in its place, the line)
TABLES = {
    "type": ("PM_TYPE_DOUBLE", "PM_TYPE_U64", "metric uptime.seconds: its field is of 8 bytes, floating-point number: "
             "type U64 expects an integer of 8 bytes"),
    "domain": ("402", "902", "domain 902: expected 1 to 510"),
    "refresh": ("    .refresh = uptime_refresh,\n", "", "cluster uptime has no refresh function"),
    "item": ("0, 0, PM_TYPE", "0, 1024, PM_TYPE", "metric uptime.seconds: item 1024: expected 0 to 1023"),
    "help": ('"Time since the host started", NULL', "NULL, NULL", "metric uptime.seconds has no help text (oneline)"),
}
# A collector gives an object its domain; the object's own is not used.
OBJECTS = [name for name in TABLES if name != "domain"]


def faults(text):
    return [line for line in text.splitlines() if " Critical: agent uptime: " in line]


@pytest.mark.parametrize("name", TABLES)
def test_a_program_with_a_wrong_table_says_so_at_the_terminal(prefix, tmp_path, name):
    old, new, line = TABLES[name]
    done = run([build(prefix, tmp_path, (old, new)) / "pmdauptime"], env=prefix.env(), cwd=tmp_path)
    assert done.returncode == 1
    assert len(faults(done.stderr)) == 1 and faults(done.stderr)[0].endswith(f"agent uptime: {line}"), done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_a_program_with_a_wrong_table_says_so_in_the_collectors_log(prefix, tmp_path, name):
    old, new, line = TABLES[name]
    build(prefix, tmp_path, (old, new))
    # The domain is the author's: pmcd.conf has no option -d, and names a domain that it can name.
    with Pmcd(prefix, tmp_path, agents=[f"uptime 402 pipe binary {tmp_path}/pmdauptime"]) as pmcd:
        wait_until("the line", lambda: line in pmcd.log.read_text())


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_with_a_wrong_table_says_so_where_it_is_loaded(prefix, tmp_path, name):
    old, new, line = TABLES[name]
    build(prefix, tmp_path, (old, new))
    with Pmcd(prefix, tmp_path, agents=[f"uptime 402 dso uptime_init {tmp_path}/pmda_uptime.so"]) as pmcd:
        log = pmcd.log.read_text()  # on a slow machine pmcd may have tried again already
        assert 1 <= len(faults(log)) == log.count("entry point failed") and line in log, log
        assert run([prefix.bin("pminfo"), "-h", pmcd.host, "-f", "pmcd.version"], env=prefix.env()).returncode == 0
    (tmp_path / "script").write_text(f"open dso {tmp_path}/pmda_uptime.so uptime_init 402\nquit\n")
    with open(tmp_path / "script") as script:
        done = run([prefix.bin("dbpmda"), "-f"], env=prefix.env(), stdin=script)
    assert len(faults(done.stderr)) == 1 and line in done.stderr


def fetch(prefix, pmcd, *options):
    return run([prefix.bin("pminfo"), "-h", pmcd.host, *options], env=prefix.env())


@pytest.mark.parametrize("kind", ["pipe", "dso"])
def test_a_source_that_is_missing_is_one_line(prefix, tmp_path, kind):
    build(prefix, tmp_path)
    line = {"pipe": f"uptime 402 pipe binary {tmp_path}/pmdauptime -d 402",
            "dso": f"uptime 402 dso uptime_init {tmp_path}/pmda_uptime.so"}[kind]
    root = tmp_path / "root"
    root.mkdir()
    with Pmcd(prefix, tmp_path, agents=[line], env={"PITOT_UPTIME_ROOT": root}) as pmcd:
        wait_until("the agent answers", lambda: "No value(s)" in fetch(prefix, pmcd, "-f", "uptime.seconds").stdout)
        for _ in range(5):
            fetch(prefix, pmcd, "-f", "uptime.seconds")
        (log,) = [path for path in (tmp_path / "uptime.log", pmcd.log) if path.exists()][:1]
        lines = [text for text in log.read_text().splitlines() if "Cannot read" in text]
        assert len(lines) == 1, lines
        assert lines[0].endswith(f'agent uptime: cluster uptime: Cannot read: path="{root}/proc/uptime", '
                                 "error=No such file or directory")


def test_another_domain_in_the_configuration_is_one_line(prefix, tmp_path):
    """The collector gets the names from the agent, but their identifiers have another domain."""
    build(prefix, tmp_path)
    with Pmcd(prefix, tmp_path, agents=[f"uptime 403 pipe binary {tmp_path}/pmdauptime"]) as pmcd:
        said = ('Agent "uptime" (dom 403) has metrics of domain 402: its line in the configuration and the agent '
                "(option -d) must have the same domain")

        def asked():
            fetch(prefix, pmcd, "-f", "uptime.seconds")
            return said in pmcd.log.read_text()
        wait_until("the line", asked)
        for _ in range(5):
            fetch(prefix, pmcd, "-f", "uptime")
        assert pmcd.log.read_text().count(said) == 1


def test_another_domain_in_the_name_space_is_one_line(prefix, tmp_path):
    """Names from a file lead the collector to the agent, which has other numbers."""
    build(prefix, tmp_path)
    names = tmp_path / "names"
    names.write_text("root {\n\tuptime\n}\nuptime {\n\tseconds\t403:0:0\n}\n")
    agent = f"uptime 403 pipe binary {tmp_path}/pmdauptime"
    with Pmcd(prefix, tmp_path, agents=[agent], options=["-n", str(names)]) as pmcd:
        log = tmp_path / "uptime.log"
        said = "asked for a metric of domain 403, but this agent has domain 402: "

        def asked():
            fetch(prefix, pmcd, "-f", "uptime.seconds")
            return log.exists() and said in log.read_text()
        wait_until("the line", asked)
        for _ in range(5):
            fetch(prefix, pmcd, "-df", "uptime.seconds")
        assert log.read_text().count(said) == 1
