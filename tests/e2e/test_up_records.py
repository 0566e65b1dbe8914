"""`pitot up` records: from the first minute, within its cap, and what is kept can be read while it grows."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from harness import DEADLINE_S, free_port, run, wait_until
from test_up import Up, children

CONFIG = """
log advisory on every 100 msec { pmcd.pid pmcd.numagents pmcd.timezone }
[access]
disallow .* : advisory, mandatory;
disallow :* : advisory, mandatory;
allow unix:* : all;
"""


@pytest.fixture
def up(prefix, tmp_path):
    """Records little, often."""
    config = tmp_path / "pmlogger.conf"
    config.write_text(CONFIG)
    runs = []

    def start(*options):
        runs.append(Up(prefix, tmp_path, "--port", str(free_port()), "--record", str(config), *options).start())
        return runs[-1]

    yield start
    for one in runs:
        if one.process.poll() is None:
            one.stop()


def archives(one):
    return sorted(p for p in (one.home / "archives").glob("*.meta"))


def records(one):
    """How many bytes of data there are."""
    return sum(p.stat().st_size for p in (one.home / "archives").glob("*.[0-9]*") if p.suffix[1:].isdigit())


def recorded(one, more_than=0):
    wait_until("records", lambda: records(one) > more_than)
    return records(one)


def status(one):
    done = run([one.prefix.bin("pitot"), "status", "--json", "-t", "0"], env=one.env)
    return json.loads(done.stdout)


def peer_run(peer_root, *argv):
    return run([peer_root / argv[0], *argv[1:]],
               env={"PCP_DIR": str(peer_root), "PCP_CONF": f"{peer_root}/etc/pcp.conf", "PATH": "/usr/bin:/bin",
                    "LD_LIBRARY_PATH": f"{peer_root}/usr/lib"})


def test_says_where_and_how_much(up):
    one = up("--keep", "500m")
    assert f"  records into {one.home}/archives (at most 500 MB, oldest go first)" in one.banner


def test_the_default_configuration_is_complete(prefix, tmp_path, peer_root):
    """Each of its metrics is one that the collector has, and what it makes is in order."""
    one = Up(prefix, tmp_path, "--port", str(free_port())).start()
    try:
        recorded(one, 20000)
        wait_until("a second record", lambda: records(one) > 30000)
    finally:
        assert one.stop() == 0
    log = (one.home / "log/pmlogger.log").read_text()
    assert "Warning [" not in log and "rror" not in log, log
    done = peer_run(peer_root, "usr/bin/pmlogcheck", archives(one)[0])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    dump = peer_run(peer_root, "usr/bin/pmdumplog", "-d", archives(one)[0]).stdout
    for name in ("hinv.ncpu", "kernel.all.cpu.user", "disk.dev.read", "filesys.free", "network.interface.in.bytes"):
        assert f"({name})" in dump


def test_status_tells_what_is_kept(up):
    one = up("--keep", "3m")
    recorded(one)
    wait_until("a start that can be read", lambda: status(one)["recording"]["since"] is not None)
    recording = status(one)["recording"]
    assert recording["archives"] == 1 and recording["bytes_limit"] == 3 << 20
    assert recording["directory"] == f"{one.home}/archives"
    assert recording["pid"] == children(one.process.pid, "pmlogger")[0]
    assert 0 < recording["bytes"] <= 3 << 20 and recording["since"] <= recording["until"]
    assert recording["oldest"] == archives(one)[0].stem
    text = run([one.prefix.bin("pitot"), "status", "-t", "0"], env=one.env).stdout
    assert f"recorder   process {recording['pid']} into {one.home}/archives" in text
    assert re.search(r"kept       1 archive, .* of at most 3.0 MiB, from \d{4}-", text)


def test_it_can_be_read_while_it_grows(up):
    one = up()
    recorded(one)

    def values():
        done = run([one.prefix.bin("pmval"), "-a", str(archives(one)[0]), "-t", "0.1", "pmcd.numagents"], env=one.env)
        return len(re.findall(r"^\d\d:\d\d:\d\d", done.stdout, re.M)) if done.returncode == 0 else 0
    wait_until("values", lambda: values() > 3)
    before = values()
    wait_until("more values", lambda: values() > before)


def test_killed_recorder_is_started_again(up, peer_root):
    one = up()
    recorded(one, 2000)
    (first,) = children(one.process.pid, "pmlogger")
    before = archives(one)
    os.kill(first, signal.SIGKILL)
    wait_until("a new recorder", lambda: children(one.process.pid, "pmlogger") not in ([], [first]))
    wait_until("a new archive", lambda: len(archives(one)) > len(before))
    assert one.stop() == 0
    for archive in archives(one):
        done = peer_run(peer_root, "usr/bin/pmlogcheck", archive)
        assert done.stderr == "", archive


LARGE = """
log advisory on every 50 msec { kernel.all mem.util mem.vmstat network.interface }
log advisory on once { hinv.ncpu }
"""


def packed(one):
    """Whole ones: what is being made is named .new.xz."""
    return sorted(p for p in (one.home / "archives").glob("*.xz") if not p.name.endswith(".new.xz"))


def compressing(one, count):
    """Waits for so many volumes that are there as .xz alone."""
    wait_until("volumes are compressed", lambda: len([p for p in packed(one) if not p.with_suffix("").exists()]) >= count)


def values_of(one, argv, env=None):
    done = run([*argv, "-t", "0.05", "kernel.all.pswitch"], env=env or one.env)
    return len(re.findall(r"^\d\d:\d\d:\d\d", done.stdout, re.M)) if done.returncode == 0 else 0


def test_closed_volumes_are_compressed(up, tmp_path, peer_root):
    """As .xz, by a process of low priority; status shows what is removed next; our readers and Debian's read both
    forms."""
    config = tmp_path / "large.conf"
    config.write_text(LARGE)
    one = up("--keep", "32m", "--record", str(config))  # a slow machine may still have many plain ones
    compressing(one, 2)
    (base,) = archives(one)
    base = base.with_suffix("")
    assert pathlib.Path(f"{base}.0.xz") in packed(one)
    told = status(one)["recording"]
    assert told["archives"] == 1 and told["oldest"] == base.name and told["since"] < told["until"]
    assert told["next"] == f"{base.name}.0.xz" and told["next_bytes"] == pathlib.Path(f"{base}.0.xz").stat().st_size
    assert 0 < told["bytes"] < 32 << 20
    text = run([one.prefix.bin("pitot"), "status", "-t", "0"], env=one.env).stdout
    assert f"next to go {base.name}.0.xz, " in text
    assert "archive" not in run([one.prefix.bin("pitot"), "doctor"], env=one.env).stdout
    ours = run([one.prefix.bin("pminfo"), "-f", "-a", str(one.home / "archives"), "hinv.ncpu"], env=one.env)
    assert re.search(r"value \d+", ours.stdout), ours
    wait_until("values", lambda: values_of(one, [one.prefix.bin("pmval"), "-a", str(base)]) > 10)
    before = values_of(one, [one.prefix.bin("pmval"), "-a", str(base)])
    theirs = {"PCP_DIR": str(peer_root), "PCP_CONF": f"{peer_root}/etc/pcp.conf", "PATH": "/usr/bin:/bin",
              "LD_LIBRARY_PATH": f"{peer_root}/usr/lib"}
    # Debian's looks for the volumes first and opens them then: one may have another form meanwhile.
    wait_until("theirs has values", lambda: values_of(one, [peer_root / "usr/bin/pmval", "-a", base], theirs) > 10)
    compressing(one, len(packed(one)) + 1)
    wait_until("more values", lambda: values_of(one, [one.prefix.bin("pmval"), "-a", str(base)]) > before)
    assert one.stop() == 0
    done = peer_run(peer_root, "usr/bin/pmlogcheck", "-w", base)  # counters of the kernel may fall
    assert (done.returncode, done.stderr) == (0, "")
    assert not list((one.home / "archives").glob("*.new.*"))


def test_killed_while_it_compresses(up, tmp_path, peer_root):
    """The recorder and its children are killed: the next recorder finishes the compression, and no temporary file
    remains."""
    config = tmp_path / "large.conf"
    config.write_text(LARGE)
    one = up("--keep", "32m", "--record", str(config))
    compressing(one, 1)
    (first,) = children(one.process.pid, "pmlogger")
    (before,) = archives(one)
    # The file of a child that was killed in the middle; the child for this volume has already finished.
    assert not pathlib.Path(f"{before.with_suffix('')}.0").exists()
    pathlib.Path(f"{before.with_suffix('')}.0.new.xz").write_bytes(b"half")
    for pid in [first, *children(first, "pmlogger")]:
        with contextlib.suppress(ProcessLookupError):  # a child may have finished
            os.kill(pid, signal.SIGKILL)
    wait_until("a new archive", lambda: len(archives(one)) > 1)
    old = before.with_suffix("").name
    wait_until("the rest is compressed", lambda: all(p.suffix == ".xz" for p in before.parent.glob(f"{old}.[0-9]*")))
    assert one.stop() == 0
    assert not list((one.home / "archives").glob("*.new.*"))
    for archive in archives(one):
        assert peer_run(peer_root, "usr/bin/pmlogcheck", "-w", archive).stderr == ""


def test_no_record(up, tmp_path):
    one = up("--no-record")
    assert "  records      nothing (--no-record)" in one.banner
    assert children(one.process.pid, "pmlogger") == []
    assert status(one)["recording"]["pid"] is None
    assert one.stop() == 0
    assert archives(one) == []


def test_leaves_no_files_of_a_run(up):
    one = up()
    recorded(one)
    assert one.stop() == 0
    assert not one.run_dir.exists()
    assert len(archives(one)) == 1


@pytest.mark.parametrize("size", ["", "0", "-1", "10q", "1k", "99999999999999t", "2g2"])
def test_bad_sizes(prefix, tmp_path, size):
    done = run([prefix.bin("pitot"), "up", "--keep", size], env=Up(prefix, tmp_path).env)
    assert done.returncode == 2
    assert f"--keep: expected a size of at least 1m, such as 500m or 2g, not '{size}'" in done.stderr


def test_missing_configuration(prefix, tmp_path):
    done = run([prefix.bin("pitot"), "up", "--port", "0", "--record", "/proc/nonexistent"], env=Up(prefix, tmp_path).env,
               timeout=DEADLINE_S)
    assert done.returncode == 1 and "cannot read the configuration /proc/nonexistent" in done.stderr
    assert not (tmp_path / "run").exists()


def test_over_the_network_one_may_only_look(up, peer_root):
    """The access section of the default configuration, with PCP's own pmlc."""
    one = up()
    recorded(one)
    (pid,) = children(one.process.pid, "pmlogger")
    port_map = one.run_dir / "pmlogger" / str(pid)
    wait_until("the recorder's port is told", port_map.exists)
    port = port_map.read_text().split()[0]

    def pmlc(host, commands):
        env = {**one.env, "PCP_DIR": str(peer_root), "PCP_CONF": f"{peer_root}/etc/pcp.conf",
               "LD_LIBRARY_PATH": f"{peer_root}/usr/lib", "PMCD_PORT": one.options[1]}
        return subprocess.run([peer_root / "usr/bin/pmlc", "-h", host, "-p", port], input=commands, text=True,
                              capture_output=True, timeout=180, env=env)
    looked = pmlc("127.0.0.1", "query pmcd.numagents\n")
    assert "adv  on" in looked.stdout, looked
    refused = pmlc("127.0.0.1", "log mandatory off pmcd.numagents\n")
    assert "No permission" in refused.stderr, refused
