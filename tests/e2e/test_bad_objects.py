"""Agents in another program's process: missing methods and incomplete answers do not crash the process.

bad_dso.c has an entry for each mistake. dbpmda names it (test_dbpmda.py); the collector, and a program with a local
context, answer with an error and continue.
"""
import pathlib
import shutil
import subprocess

import pytest

import harness

METHODS = ("profile", "fetch", "desc", "instance", "text", "store", "pmid", "name", "children", "attribute", "label")
HOLES = ("set", "block", "names", "children", "instance", "label")
ENTRIES = [f"without_{name}" for name in METHODS] + [f"hole_{name}" for name in HOLES]
REQUESTS = ["pminfo -d bad other", "pminfo -f bad other", "pminfo -tT bad", "pminfo -I bad", "pminfo -l bad other", "pminfo -m some",
            "pminfo -f some.name", "pmstore bad 3", "pmval -s 1 -i red bad", "pmprobe -i bad"]


@pytest.fixture(scope="module")
def folder(prefix, tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("objects")
    (folder / "names").write_text("root {\n\tbad 5:0:0\n\tother 5:0:1\n\tsome 5:*:*\n\talive 2:0:0\n}\n")
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{prefix.path}/include", "-o", folder / "bad.so",
                    pathlib.Path(__file__).parent / "bad_dso.c", f"-L{prefix.path}/lib", "-lpcp_pmda", "-lpcp",
                    f"-Wl,-rpath,{prefix.path}/lib"], check=True)
    return folder


def ask(prefix, line, *options, **env):
    tool, *args = line.split()
    return harness.run([prefix.bin(tool), *options, *args], env=prefix.env(**env))


@pytest.mark.parametrize("entry", ENTRIES)
def test_in_the_collector(prefix, folder, tmp_path, entry):
    with harness.Pmcd(prefix, tmp_path, [f"bad 5 dso {entry} {folder}/bad.so"],
                      options=("-n", str(folder / "names"))) as pmcd:
        for line in REQUESTS:
            done = ask(prefix, line, "-h", pmcd.host)
            assert done.returncode in (0, 1), (line, done)
        assert "value" in ask(prefix, "pminfo -f alive", "-h", pmcd.host).stdout


@pytest.mark.parametrize("entry", ENTRIES)
def test_in_a_program(prefix, folder, entry):
    for line in REQUESTS:
        if line.startswith("pmval"):
            continue
        done = ask(prefix, line, "-L", "-K", "clear", "-K", f"add,5,{folder}/bad.so,{entry}", "-n", f"{folder}/names",
                   LD_LIBRARY_PATH=prefix.path / "lib")
        assert done.returncode in (0, 1), (line, done)
