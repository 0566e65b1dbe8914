"""Pitot as a service: units that systemd accepts and rates, their installation, and notifications to the manager
(docs/service.md)."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import pytest

import harness
from recording import Recorder

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPOSURE_MAX = 40  # tenths of systemd's points from 0 (sees nothing) to 10


def units(prefix):
    found = sorted((prefix.path / "lib/systemd/system").glob("*.service"))
    assert found
    return found


@pytest.fixture(scope="module")
def analyze():
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd-analyze")
    return program


def verify(analyze, *paths):
    result = harness.run([analyze, "verify", "--man=no", *paths])
    # Units of the system that are not ours may have faults of their own.
    ours = [line for line in result.stderr.splitlines() if "pitot" in line]
    return result.returncode, ours


def test_units_are_valid(prefix, analyze):
    for unit in units(prefix):
        assert verify(analyze, unit)[1] == [], unit


def test_a_wrong_unit_is_found(prefix, analyze, tmp_path):
    """Checks an assumption of the test above."""
    bad = tmp_path / "pitot-bad.service"
    bad.write_text(units(prefix)[0].read_text().replace("[Service]\n", "[Service]\nNoSuchSetting=1\n"))
    assert any("NoSuchSetting" in line for line in verify(analyze, bad)[1])


def test_the_drop_in_of_the_page_is_valid(prefix, analyze, tmp_path):
    text = (ROOT / "docs/service.md").read_text()
    drop_in = re.search(r"```ini\n(.*?)```", text, re.S)[1].replace("/opt/pitot", str(prefix.path))
    unit = tmp_path / "pitot-pmcd.service"
    shutil.copy(prefix.path / "lib/systemd/system/pitot-pmcd.service", unit)
    folder = tmp_path / "pitot-pmcd.service.d"
    folder.mkdir()
    (folder / "override.conf").write_text(drop_in)
    assert verify(analyze, unit)[1] == []


def test_units_are_guarded(prefix, analyze):
    for unit in units(prefix):
        result = harness.run([analyze, "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", unit])
        assert result.returncode == 0, result.stdout[-400:]


def allowed_calls(analyze, unit):
    """The names of the system calls that a unit leaves to its service."""
    sets, name = {}, None
    for line in harness.run([analyze, "syscall-filter"]).stdout.splitlines():
        if line.startswith("@"):
            name = line.strip()
            sets[name] = []
        elif line.startswith("    ") and name is not None and not line.strip().startswith("#"):
            sets[name].append(line.strip())

    def expand(word):
        return {call for inner in sets[word] for call in expand(inner)} if word.startswith("@") else {word}
    calls = None
    for line in re.findall(r"^SystemCallFilter=(.*)$", unit.read_text(), re.M):
        named = {call for word in line.lstrip("~").split() for call in expand(word)}
        calls = expand("@default") | named if calls is None else calls - named if line.startswith("~") else calls | named
    return calls


def test_the_recorder_compresses_behind_its_guards(prefix, analyze, tmp_path):
    """Under the filter of its unit: what it starts to compress closed volumes does so, and gives way to everything else."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler")
    unit = prefix.path / "lib/systemd/system/pitot-pmlogger.service"
    argv = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.M)[1].split()
    assert "--compress=xz" in argv and "--keep-size=auto" in argv and argv[argv.index("-v") + 1] == "8mb"
    lines = [f"#ifdef __NR_{name}\n__NR_{name},\n#endif\n" for name in sorted(allowed_calls(analyze, unit))]
    (tmp_path / "allowed.h").write_text("".join(lines))
    here = pathlib.Path(__file__).parent
    subprocess.run([compiler, "-o", tmp_path / "filter", f'-DALLOWED_H="{tmp_path}/allowed.h"', here / "service_filter.c"], check=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "shim.so", here / "fsync_shim.c"], check=True)
    env = {"LD_PRELOAD": tmp_path / "shim.so", "FSYNC_SUFFIX": ".new.xz", "FSYNC_GATE": tmp_path / "gate"}
    agents = [f"sample 29 dso sample_init {prefix.dso('sample')}"]
    with harness.Pmcd(prefix, tmp_path / "pmcd", agents) as pmcd:
        recorder = Recorder(prefix, tmp_path, pmcd.host, "log mandatory on 20 msec { sample.bin }\n", "-v", "20kb",
                            "--compress=xz", "--keep-size=auto", env=env)
        recorder.argv = [tmp_path / "filter", *recorder.argv]
        with recorder:
            part = tmp_path / "archive.0.new.xz"
            harness.wait_until("the child is in the middle", lambda: part.exists() and part.stat().st_size, 60,
                               alive=recorder.process)
            status = pathlib.Path(f"/proc/{recorder.process.pid}/status").read_text()
            assert re.search(r"^Seccomp:\s+2$", status, re.M)
            children = pathlib.Path(f"/proc/{recorder.process.pid}/task/{recorder.process.pid}/children").read_text().split()
            assert [os.getpriority(os.PRIO_PROCESS, int(pid)) for pid in children] == [19]
            if shutil.which("ionice"):
                assert harness.run(["ionice", "-p", children[0]]).stdout.strip() == "idle"
            (tmp_path / "gate").touch()
            harness.wait_until("it is compressed", lambda: (tmp_path / "archive.0.xz").exists() and not
                               (tmp_path / "archive.0").exists(), 60, alive=recorder.process)
            assert recorder.stop() == 0


def test_no_shell_in_a_start_path(prefix):
    for unit in units(prefix):
        for line in unit.read_text().splitlines():
            if line.startswith("Exec"):
                program = line.split("=", 1)[1].split()[0]
                assert program == "kill" or program.startswith(f"{prefix.path}/bin/"), line
                assert program == "kill" or pathlib.Path(program).read_bytes()[:4] == b"\x7fELF", line


def test_user_and_directories(prefix, tmp_path):
    """The real programs, in a root of their own."""
    if os.getuid() != 0 or shutil.which("systemd-sysusers") is None:
        pytest.skip("needs root and systemd-sysusers")
    (tmp_path / "etc").mkdir()
    (tmp_path / "var").mkdir()
    lib = prefix.path / "lib"
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", lib / "sysusers.d/pitot.conf"], check=True)
    assert re.search(r"^pcp:", (tmp_path / "etc/passwd").read_text(), re.M)
    subprocess.run(["systemd-tmpfiles", f"--root={tmp_path}", "--create", lib / "tmpfiles.d/pitot.conf"], check=True)
    for path in ("run/pitot", "var/log/pitot", "var/lib/pitot/tmp", "var/lib/pitot/archives"):
        assert (tmp_path / path).stat().st_uid == int(
            re.search(r"^pcp:[^:]*:(\d+)", (tmp_path / "etc/passwd").read_text(), re.M)[1])


def test_installing_and_removing(prefix, tmp_path):
    stage = tmp_path / "stage"
    shutil.copytree(prefix.path / "lib", f"{stage}{prefix.path}/lib", ignore=lambda d, names: [
        n for n in names if n.startswith("lib") or n in ("pcp", "pkgconfig")])
    script = ROOT / "scripts/install-service"
    subprocess.run([script, prefix.path, stage], check=True, stdout=subprocess.DEVNULL)
    local = stage / "usr/local/lib"
    names = sorted(str(p.relative_to(local)) for p in local.rglob("*") if p.is_file())
    assert names == sorted(["sysusers.d/pitot.conf", "tmpfiles.d/pitot.conf"] +
                           [f"systemd/system/{u.name}" for u in units(prefix)] +
                           ["systemd/system/pitot-archives.timer"])
    (local / "tmpfiles.d/pitot.conf").write_text("# somebody's own\n")
    subprocess.run([script, "--remove", prefix.path, stage], check=True)
    assert [str(p.relative_to(local)) for p in local.rglob("*") if p.is_file()] == ["tmpfiles.d/pitot.conf"]


@pytest.fixture
def manager(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(str(tmp_path / "notify"))
        s.settimeout(harness.DEADLINE_S)
        yield s


def test_pmcd_tells_the_manager(prefix, tmp_path, manager):
    env = {"NOTIFY_SOCKET": tmp_path / "notify", "WATCHDOG_USEC": "300000"}
    with harness.Pmcd(prefix, tmp_path / "pmcd", env=env) as pmcd:
        assert manager.recv(200).decode() == f"READY=1\nMAINPID={pmcd.process.pid}"
        for _ in range(3):
            assert manager.recv(200) == b"WATCHDOG=1"
        pmcd.process.send_signal(signal.SIGSTOP)
        manager.settimeout(1)
        with pytest.raises(TimeoutError):
            while True:  # what was on its way
                manager.recv(200)
        pmcd.process.send_signal(signal.SIGCONT)
        manager.settimeout(harness.DEADLINE_S)
        assert manager.recv(200) == b"WATCHDOG=1"
        pmcd.stop()
        last = b""
        while last != b"STOPPING=1":
            last = manager.recv(200)
