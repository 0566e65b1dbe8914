"""docs/tracing.md as its reader follows it: every command is run, in the order of the page, and prints what the page
shows, but for numbers."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from harness import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tracing.md").read_text()


def shape(text):
    """Numbers made equal; blanks of alignment, too."""
    text = re.sub(r"0x[0-9a-fA-F]+", "N", text)
    text = re.sub(r"-?\d+(\.\d*)?", "N", text)
    return [" ".join(line.split()) for line in text.strip("\n").splitlines()]


def commands():
    for block in re.findall(r"(?ms)^```console\n(.*?)^```", PAGE):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def test_the_program_of_the_page_is_the_example():
    (code,) = re.findall(r"(?ms)^```c\n(.*?)^```", PAGE)
    assert code in (ROOT / "examples/traced.c").read_text()


def test_every_command_prints_what_the_page_shows(prefix, tmp_path):
    if shutil.which("babeltrace2") is None:
        pytest.skip("babeltrace2 is not installed")
    shutil.copy(ROOT / "examples/traced.c", tmp_path)
    lib = prefix.path / "lib"
    env = prefix.env(PATH=f"{prefix.path / 'bin'}:{os.environ['PATH']}", PKG_CONFIG_PATH=lib / "pkgconfig",
                     LD_LIBRARY_PATH=lib, LC_ALL="C", TZ="UTC")
    ran = 0
    for command, output in commands():
        done = subprocess.run(["/bin/sh", "-c", command], env=env, cwd=tmp_path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
        assert done.returncode == (1 if output.startswith("pitot: ") else 0), (command, done.stdout)
        assert shape(done.stdout) == shape(output), command
        ran += 1
    assert ran >= 15


@pytest.mark.parametrize("name, arguments, expected", [
    ("trace_self", [], "work: 4 bytes\nwork: 4 bytes\nwork: 4 bytes\n"),
    ("trace_log", ["a.log"], "events\n"),
    ("trace_control", [], ""),
])
def test_the_other_examples(prefix, tmp_path, name, arguments, expected):
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libtrace"], env=env).stdout.split()
    cc = os.environ.get("PITOT_CC", "cc").split()
    done = run([*cc, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", tmp_path / name, ROOT / "examples" / f"{name}.c",
                *flags, f"-Wl,-rpath,{prefix.path}/lib"])
    assert done.returncode == 0, done.stderr
    done = run([tmp_path / name, *arguments], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout
    if name == "trace_self":
        assert "noise" not in done.stdout and "read 3, lost 0\n" in done.stdout
    if name == "trace_log":
        assert re.search(r"is tick\n", done.stdout) and int(done.stdout.split()[-2]) >= 1001
