"""The findings of `pitot doctor` about a recorder: each is provoked, and each suggested command is run."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from harness import free_port, run, wait_until
from test_up import Up, children

MAN = pathlib.Path(__file__).resolve().parents[2] / "man/man1/pitot-doctor.1"
CONFIG = "log mandatory on every 100 msec { pmcd.pid pmcd.numagents }\n"
# The last test looks at what the others have seen.
pytestmark = pytest.mark.xdist_group(name="doctor_recorder")
# Checks that a test of this file has provoked; the last test holds them against the manual.
seen = set()


class Recorded:
    """A `pitot up` that records, and the doctor of its user."""

    def __init__(self, prefix, home):
        self.config = home / "record.conf"
        self.config.write_text(CONFIG)
        self.up = Up(prefix, home, "--port", str(free_port()), "--record", str(self.config)).start()
        self.archives = home / "archives"
        wait_until("a record", lambda: self.status()["recording"]["until"] is not None)

    def json(self, command):
        return json.loads(run([self.up.prefix.bin("pitot"), command, "-j", "-t", "0"], env=self.up.env).stdout)

    def status(self):
        return self.json("status")

    def findings(self):
        """Errors and warnings about the recorder, by their check."""
        return {f["check"]: f for f in self.json("doctor")["findings"]
                if f["severity"] != "note" and f["check"].startswith("recorder")}

    def find(self, check):
        wait_until(check, lambda: check in self.findings())
        seen.add(check)
        return self.findings()[check]

    def mend(self, found):
        """Does as the finding says; then nothing is wrong any more."""
        done = run(["/bin/sh", "-c", found["mend"]], env=self.up.env)
        assert done.returncode == 0, done.stderr
        wait_until("it is mended", lambda: not self.findings())

    def recorder(self):
        return children(self.up.process.pid, "pmlogger")[0]


@pytest.fixture
def recorded(prefix, tmp_path):
    one = Recorded(prefix, tmp_path)
    yield one
    if one.up.process.poll() is None:
        one.up.stop()


def test_well(recorded):
    assert recorded.findings() == {}


def test_stopped(recorded):
    os.kill(recorded.recorder(), signal.SIGSTOP)
    found = recorded.find("recorder-stalled")
    assert found["what"] == f"the recorder (process {recorded.recorder()}) is stopped"
    assert recorded.status()["verdict"] == "error"
    recorded.mend(found)


def test_nothing_new_is_recorded(recorded):
    """pmlc has switched off all: no record comes although the configuration wants one each 100 ms."""
    env = {**recorded.up.env, "PATH": f"{recorded.up.prefix.path}/bin:/usr/bin:/bin"}
    done = subprocess.run(["pmlc", "-P"], input="log mandatory off { pmcd.pid pmcd.numagents }\n", env=env,
                          capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    found = recorded.find("recorder-stalled")
    assert re.fullmatch(r"the last record is \d+ s old, and one is due every 0\.1 s", found["what"])
    recorded.mend(found)


@pytest.mark.parametrize("again", [False, True], ids=["missing", "made again, empty"])
def test_folder_is_deleted(recorded, again):
    shutil.rmtree(recorded.archives)
    if again:
        recorded.archives.mkdir(0o700)
    found = recorded.find("recorder-folder-gone")
    assert str(recorded.archives) in found["what"]
    assert set(recorded.findings()) == {"recorder-folder-gone"}
    recorded.mend(found)
    wait_until("it records", lambda: list(recorded.archives.glob("*.meta")))


def test_configuration_is_spoilt_later(recorded):
    recorded.config.write_text("log nonsense\n")
    found = recorded.find("recorder-configuration")
    assert f"({recorded.config}) [line 1] syntax error" in found["what"]
    assert found["mend"] == f"${{EDITOR:-vi}} {recorded.config}"
    os.kill(recorded.recorder(), signal.SIGKILL)
    found = recorded.find("recorder-restarting")
    assert re.search(r"the recorder ended \d+ times, .*: it exited with status 1", found["what"])
    assert found["mend"] == f"${{EDITOR:-vi}} {recorded.config}"


def test_it_does_not_run(prefix, recorded):
    """Its program was removed, in a copy of the state that a dead one leaves."""
    state = recorded.up.run_dir / "pitot.recorder"
    os.kill(recorded.recorder(), signal.SIGSTOP)
    text = re.sub(r"(?m)^pid \d+$", "pid 0", state.read_text()).replace("why \n", "why exited with status 1\n")
    state.write_text(text)
    found = recorded.find("recorder-down")
    assert found["what"] == "the recorder does not run: it exited with status 1"
    assert found["mend"] == f"tail -n 50 {recorded.up.home}/log/pmlogger.log"
    os.kill(recorded.recorder(), signal.SIGCONT)


def test_archives_overlap(recorded):
    (meta,) = recorded.archives.glob("*.meta")
    other = recorded.archives / "20200101.00.00"
    wait_until("a while is recorded",
               lambda: recorded.status()["recording"]["until"] - recorded.status()["recording"]["since"] > 2)
    for part in recorded.archives.glob(f"{meta.stem}.*"):
        shutil.copy(part, f"{other}{part.name[len(meta.stem):]}")
    found = recorded.find("recorder-overlapping")
    assert found["severity"] == "warning" and other.name in found["what"] and meta.stem in found["what"]
    recorded.mend(found)
    assert list((recorded.archives / "aside").glob(f"{other.name}.*"))
    assert meta.exists()


# -- what is refused before anything starts

def refused(prefix, home, *options, **env):
    one = Up(prefix, home, "--port", "0", *options)
    return run(one.command(), env={**one.env, **env})


def test_configuration_is_checked_before_anything_starts(prefix, tmp_path):
    bad = tmp_path / "bad.conf"
    bad.write_text("log mandatory on every 1 sec {\n  pmcd.pid\n")
    done = refused(prefix, tmp_path, "--record", str(bad))
    assert done.returncode == 1 and "listening" not in done.stdout
    assert f"the configuration of the recorder, {bad}, has a mistake:\nSpecification error in configuration file" in done.stderr
    assert not (tmp_path / "log/pmcd.log").exists() and not (tmp_path / "log/pmlogger.log").exists()


@pytest.mark.parametrize("text, status, said", [
    (CONFIG, 0, "Config parsed, shortest interval 100 msec\n"),
    ("log mandatory on default { pmcd.pid }\nlog advisory on 3 hours { pmcd.pid }\n", 0,
     "Config parsed, shortest interval 60000 msec\n"),
    ("log mandatory on once { no.such.name }\n", 0, "Config parsed, shortest interval 0 msec\n"),
    ("", 0, "Config parsed, shortest interval 0 msec\n"),
    ("log sometimes { pmcd.pid }\n", 1, "[line 1] syntax error\n"),
])
def test_check_syntax_needs_no_collector(prefix, tmp_path, text, status, said):
    config = tmp_path / "config"
    config.write_text(text)
    done = run([prefix.bin("pmlogger"), "--check-syntax", "-c", config],
               env=prefix.env(PMCD_SOCKET=tmp_path / "none", PMCD_PORT="1"))
    assert (done.returncode, done.stdout) == (status, "") and done.stderr.endswith(said)


def test_a_second_one_does_not_record_into_the_same_folder(prefix, recorded, tmp_path):
    second = {"PCP_RUN_DIR": str(tmp_path / "run2")}
    done = refused(prefix, tmp_path, **second)
    assert done.returncode == 1
    assert (f"another pitot up, process {recorded.up.process.pid} records into {recorded.archives}; "
            "set PCP_ARCHIVE_DIR to another folder, or give --no-record") in done.stderr
    assert recorded.findings() == {}
    for more in ({"PCP_ARCHIVE_DIR": str(tmp_path / "archives2")}, {}):
        done = refused(prefix, tmp_path, "--seconds", "1", *([] if more else ["--no-record"]), **second, **more)
        assert done.returncode == 0, done.stderr
    assert recorded.findings() == {}


def test_the_lock_of_a_killed_one_is_no_hindrance(prefix, recorded, tmp_path):
    recorder = recorded.recorder()
    recorded.up.process.kill()
    recorded.up.process.wait(60)
    wait_until("the recorder has ended", lambda: not pathlib.Path(f"/proc/{recorder}").exists())
    done = refused(prefix, tmp_path, "--seconds", "1")
    assert done.returncode == 0, done.stderr


def test_every_check_is_in_the_manual_and_was_provoked():
    told = set(re.findall(r"(?m)^\.It Cm (recorder-\S+)$", MAN.read_text()))
    if len(seen) < 4:
        pytest.skip("only part of this file was run")
    assert seen == told
