"""Closed volumes of our recorder are compressed (--compress), and at each moment each of them can be read."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import harness
from recording import Reader, Recorder

CONFIG = "log mandatory on 20 msec { sample.bin sample.hordes sample.seconds }\n"
VOLUMES = ("-v", "20kb")
# Compression has the lowest priority: beside other work it gets little of a processor.
PACKED_S = 300
LEFT = "Compression is left to the next recorder: "


@pytest.fixture
def host(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "pmcd", [f"sample 29 dso sample_init {prefix.dso('sample')}"]) as pmcd:
        yield pmcd.host


def build_shim(tmp_path_factory, source, *more):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    done = harness.run([compiler, "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).parent / source, *more])
    assert done.returncode == 0, done.stderr
    return library


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """A library that holds up the compression of a volume before its last steps, until a file is there."""
    return build_shim(tmp_path_factory, "fsync_shim.c")


@pytest.fixture(scope="module")
def kill_shim(tmp_path_factory):
    return build_shim(tmp_path_factory, "kill_shim.c", "-ldl")


def plain(directory):
    """The newest last: as numbers, for there may be many on a slow machine."""
    names = [path.name for path in directory.iterdir() if re.fullmatch(r"archive.*\.\d+", path.name)]
    return sorted(names, key=lambda name: (name.rpartition(".")[0], int(name.rpartition(".")[2])))


def packed(directory, form="xz"):
    """The complete compressed files; a file that is being written has a name with ".new."."""
    return sorted(path.name for path in directory.glob(f"archive*.{form}") if ".new." not in path.name)


def children(pid):
    """Processes that a process has started."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == pid:
            found.append(int(text.split()[0]))
    return found


def read_by_both(prefix, reader, directory, base="archive"):
    """The content of an archive, equal for Debian's reader and ours."""
    theirs = reader.run("pmdumplog", "-m", base).stdout
    ours = subprocess.run([prefix.bin("pmdumplog"), "-m", base], cwd=directory, env=prefix.env(TZ="UTC"), capture_output=True,
                          text=True, timeout=180)
    assert ours.returncode == 0 and ours.stdout == theirs, ours.stderr
    return theirs


def held(directory):
    return directory / "archive.0.new.xz"


@pytest.mark.parametrize("form", ["xz", "zst"])
def test_all_volumes(prefix, peer_root, host, tmp_path, form):
    """While it records, and when it ends, the last one too."""
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress", form) as recorder:
        harness.wait_until("two are compressed", lambda: len(packed(tmp_path, form)) > 2, PACKED_S, alive=recorder.process)
        # One is being written; a volume is empty until its first write.
        harness.wait_until("one is being written", lambda: any(map(recorder.size, plain(tmp_path))), PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    said = recorder.text()
    assert not plain(tmp_path) or LEFT in said  # on a slow machine
    with Recorder(prefix, tmp_path, host, CONFIG, "--compress", form, base="next") as recorder:
        harness.wait_until("all are compressed", lambda: not plain(tmp_path) and recorder.size() > 0, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    assert len(packed(tmp_path, form)) > 3
    assert not list(tmp_path.glob("*.new.*"))
    text = said + recorder.text()
    assert re.search(rf"Compressed: path=\"\S+archive\.0\.{form}\", bytes=\d+, was=\d+", text)
    ours = subprocess.run([prefix.bin("pmdumplog"), "-m", "archive"], cwd=tmp_path, env=prefix.env(), capture_output=True,
                          text=True, timeout=180)
    assert ours.returncode == 0 and ours.stdout.count("pmcd.pmlogger.host") == 2  # prologue, epilogue
    if form == "xz":
        reader = Reader(peer_root, tmp_path)
        reader.check("archive")
        assert reader.ended("archive")
        assert reader.run("pmdumplog", "-m", "archive").stdout == ours.stdout


def test_killed_in_the_middle(prefix, peer_root, host, tmp_path, shim):
    """Recorder and child at once: the plain file is whole; the recorder that comes next finishes what was left."""
    reader = Reader(peer_root, tmp_path)
    env = {"LD_PRELOAD": shim, "FSYNC_SUFFIX": ".new.xz", "FSYNC_GATE": tmp_path / "never"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", env=env) as recorder:
        harness.wait_until("a third volume", (tmp_path / "archive.2").exists, PACKED_S, alive=recorder.process)
        harness.wait_until("the child is in the middle", lambda: held(tmp_path).exists() and held(tmp_path).stat().st_size,
                           alive=recorder.process)
        child, = children(recorder.process.pid)
        assert os.getpriority(os.PRIO_PROCESS, child) == 19
        recorder.process.kill()
        os.kill(child, signal.SIGKILL)
        recorder.process.wait()
    assert plain(tmp_path)[:3] == ["archive.0", "archive.1", "archive.2"] and held(tmp_path).exists()
    before = reader.run("pmdumplog", "-m", "archive").stdout
    with Recorder(prefix, tmp_path, host, CONFIG, "--compress=xz", base="archive2") as recorder:
        harness.wait_until("the rest is done", lambda: not [name for name in plain(tmp_path) if name.startswith("archive.")],
                           PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    assert not held(tmp_path).exists() and len(packed(tmp_path)) > 2
    assert reader.run("pmdumplog", "-m", "archive").stdout.startswith(before.rstrip("\n"))
    for base in ("archive", "archive2"):
        reader.check(base)


def test_killed_children(prefix, peer_root, host, tmp_path, shim):
    """Each is given up for its volume, and nothing is lost."""
    reader = Reader(peer_root, tmp_path)
    env = {"LD_PRELOAD": shim, "FSYNC_SUFFIX": ".new.xz", "FSYNC_GATE": tmp_path / "gate"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", env=env) as recorder:
        for number in range(3):
            harness.wait_until("a child is in the middle", (tmp_path / f"archive.{number}.new.xz").exists, 60,
                               alive=recorder.process)
            os.kill(children(recorder.process.pid)[0], signal.SIGKILL)
        (tmp_path / "gate").touch()
        harness.wait_until("the next one is let go on", (tmp_path / "archive.3.xz").exists, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    assert plain(tmp_path)[:3] == ["archive.0", "archive.1", "archive.2"]
    assert recorder.text().count("Compression was killed: ") == 3
    reader.check("archive")
    assert reader.ended("archive")
    assert not list(tmp_path.glob("*.new.*"))


def test_killed_before_each_call(prefix, peer_root, host, tmp_path, kill_shim):
    """The child dies before each of its calls that change files: the volume is there in one form or the other, and the next
    one finishes it."""
    with Recorder(prefix, tmp_path / "made", host, CONFIG, *VOLUMES) as recorder:
        harness.wait_until("a third volume", (tmp_path / "made/archive.2").exists, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    whole, states = None, set()
    for at in range(1, 100):
        folder = tmp_path / str(at)
        shutil.copytree(tmp_path / "made", folder)
        reader = Reader(peer_root, folder)
        whole = whole or read_by_both(prefix, reader, folder)
        argv = [prefix.bin("pmlogger"), "--compress=xz", f"--compress-file={folder}/archive.0"]
        status = harness.run(argv, env=prefix.env(LD_PRELOAD=kill_shim, KILL_AT=at, ASAN_OPTIONS=
                                                  os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")).returncode
        assert status == (0 if status == 0 else -signal.SIGKILL)
        states.add(tuple(sorted(path.name for path in folder.glob("archive.0*"))))
        assert read_by_both(prefix, reader, folder) == whole
        done = harness.run(argv, env=prefix.env())
        assert done.returncode == 0 or status == 0, done.stderr
        assert [path.name for path in folder.glob("archive.0*")] == ["archive.0.xz"]
        assert read_by_both(prefix, reader, folder) == whole
        reader.check("archive")
        shutil.rmtree(folder)
        if status == 0:
            break
    assert states == {("archive.0",), ("archive.0", "archive.0.new.xz"), ("archive.0", "archive.0.xz"), ("archive.0.xz",)}


@pytest.mark.parametrize("options", [(), ("--keep-size", "1gb")], ids=["", "caps"])
def test_remains_go_at_the_start(prefix, peer_root, host, tmp_path, options):
    """The unfinished file of a killed child is removed in any case, even by a recorder that does not compress."""
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES) as recorder:
        harness.wait_until("a second volume", (tmp_path / "archive.1").exists, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    (tmp_path / "archive.0.new.xz").write_bytes(b"half")
    (tmp_path / "archive.77.new.zst").write_bytes(b"half")
    (tmp_path / "others.0.new.xz").write_bytes(b"of whom nobody knows")
    with Recorder(prefix, tmp_path, host, CONFIG, *options, base="archive2") as recorder:
        harness.wait_until("they go", lambda: len(list(tmp_path.glob("*.new.*"))) == 1, alive=recorder.process)
        assert recorder.stop() == 0
    assert [path.name for path in tmp_path.glob("*.new.*")] == ["others.0.new.xz"]
    Reader(peer_root, tmp_path).check("archive")


def test_a_child_of_before_is_left_alone(prefix, peer_root, host, tmp_path, shim):
    """A recorder that comes while the child of a killed one is still at work takes nothing away from it."""
    env = {"LD_PRELOAD": shim, "FSYNC_SUFFIX": ".new.xz", "FSYNC_GATE": tmp_path / "gate"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", env=env) as recorder:
        harness.wait_until("the child is in the middle", lambda: held(tmp_path).exists() and held(tmp_path).stat().st_size, 60,
                           alive=recorder.process)
        recorder.process.kill()
        recorder.process.wait()
    inode = held(tmp_path).stat().st_ino
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", "--keep-size=1gb", base="next") as recorder:
        harness.wait_until("its own are compressed", (tmp_path / "next.0.xz").exists, PACKED_S, alive=recorder.process)
        assert held(tmp_path).stat().st_ino == inode
        (tmp_path / "gate").touch()
        harness.wait_until("the child finishes", lambda: not (tmp_path / "archive.0").exists(), PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    assert (tmp_path / "archive.0.xz").stat().st_ino == inode
    Reader(peer_root, tmp_path).check("archive")


def test_repair_comes_first(prefix, peer_root, host, tmp_path, shim):
    """Damaged volumes of an earlier recorder are not compressed during their repair; the new recorder's own volumes
    are."""
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES) as recorder:
        harness.wait_until("a third volume", (tmp_path / "archive.2").exists, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    left = plain(tmp_path)
    with (tmp_path / left[-1]).open("ab") as last:
        last.write(b"\0\0\1\0torn")
    env = {"LD_PRELOAD": shim, "FSYNC_SUFFIX": left[-1], "FSYNC_GATE": tmp_path / "gate"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", base="next", env=env) as recorder:
        harness.wait_until("its own are compressed", (tmp_path / "next.2.xz").exists, PACKED_S, alive=recorder.process)
        assert "Archive repaired" not in recorder.text()
        assert plain(tmp_path) == left and packed(tmp_path) == []
        (tmp_path / "gate").touch()
        harness.wait_until("the others are", lambda: plain(tmp_path) == [], PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    assert re.search(r'Archive repaired: path="\S+/archive", [1-9]\d* bytes cut', recorder.text())
    assert "Cannot" not in recorder.text()
    for base in ("archive", "next"):
        Reader(peer_root, tmp_path).check(base)


def test_full_disk(prefix, peer_root, host, tmp_path):
    """A volume that cannot be compressed for lack of space is compressed when there is space again."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with Recorder(prefix, tmp_path, host, CONFIG, "-v", "100kb", base=str(disk / "archive")) as recorder:
            harness.wait_until("a third volume", (disk / "archive.2").exists, 120, alive=recorder.process)
            assert recorder.stop() == 0
        filler = disk / "filler"
        with filler.open("wb") as f:  # no page is left
            while True:
                try:
                    os.write(f.fileno(), b"x" * 4096)
                except OSError:
                    break
        # Beside it, so that it has room for itself.
        left = {p.name: p.stat().st_size for p in disk.glob("archive*")}
        done = harness.run([prefix.bin("pmlogger"), f"--compress-file={disk}/archive.0"], env=prefix.env())
        assert done.returncode == 2 and "No space left on device" in done.stderr
        assert {p.name: p.stat().st_size for p in disk.glob("archive*")} == left
        os.truncate(filler, 1 << 20)
        # Beside other work compression is slow: a recorder in a hurry would fill the disk before it.
        slow = CONFIG.replace("20 msec", "1 second")
        with Recorder(prefix, tmp_path, host, slow, "-v", "20kb", "--compress=xz", base=str(disk / "next")) as recorder:
            harness.wait_until("all are compressed", lambda: not list(disk.glob("archive.[0-9]")), PACKED_S, alive=recorder.process)
            assert recorder.stop() == 0
        reader = Reader(peer_root, tmp_path)
        for base in ("archive", "next"):
            reader.check(disk / base)
            assert reader.ended(disk / base)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_no_library(prefix, peer_root, host, tmp_path):
    """Without the library volumes stay plain, and the log says so once."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/liblzma.so.5").write_text("nothing of the kind")
    env = {"LD_LIBRARY_PATH": f"{tmp_path}/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", env=env) as recorder:
        harness.wait_until("it is said", lambda: "Volumes stay as they are" in recorder.text(), PACKED_S, alive=recorder.process)
        count = len(plain(tmp_path))
        harness.wait_until("two more volumes", lambda: len(plain(tmp_path)) > count + 1, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    text = recorder.text()
    assert text.count('there is no library that compresses: form="xz"') == 1 and text.count("Cannot compress: ") == 1
    assert packed(tmp_path) == [] and not list(tmp_path.glob("*.new.*"))
    Reader(peer_root, tmp_path).check("archive")


def test_the_end_waits_for_a_while(prefix, peer_root, host, tmp_path, shim):
    """A child that hangs is ended, and what it was at stays as it was."""
    reader = Reader(peer_root, tmp_path)
    env = {"LD_PRELOAD": shim, "FSYNC_SUFFIX": ".new.xz", "FSYNC_GATE": tmp_path / "never"}
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES, "--compress=xz", env=env) as recorder:
        harness.wait_until("the child hangs", lambda: held(tmp_path).exists() and held(tmp_path).stat().st_size, 60,
                           alive=recorder.process)
        child, = children(recorder.process.pid)
        assert recorder.stop() == 0
    assert harness.gone(child) and LEFT in recorder.text()
    assert "archive.0" in plain(tmp_path) and packed(tmp_path) == []
    reader.check("archive")
    assert reader.ended("archive")


def test_caps_count_what_is_compressed(prefix, peer_root, host, tmp_path):
    """Volumes that are there as .xz alone go as others do, the oldest first."""
    with Recorder(prefix, tmp_path, host, CONFIG, *VOLUMES) as recorder:
        harness.wait_until("a sixth volume", (tmp_path / "archive.5").exists, PACKED_S, alive=recorder.process)
        assert recorder.stop() == 0
    for name in plain(tmp_path):
        done = harness.run([prefix.bin("pmlogger"), "--compress=xz", f"--compress-file={tmp_path / name}"], env=prefix.env())
        assert done.returncode == 0, done.stderr
    size = sum((tmp_path / name).stat().st_size for name in (*packed(tmp_path), "archive.meta", "archive.index"))
    with Recorder(prefix, tmp_path, host, CONFIG, "--compress=xz", "--keep-size", f"{size}b", base="archive2") as recorder:
        harness.wait_until("the first one goes", lambda: not (tmp_path / "archive.0.xz").exists(), alive=recorder.process)
        assert recorder.stop() == 0
    reader = Reader(peer_root, tmp_path)
    assert reader.ended("archive2")
    # Until the recorder ends more may go; where the last volume went, the rest of that archive went with it.
    if list(tmp_path.glob("archive.[0-9]*")):
        assert reader.ended("archive")


def test_by_hand(prefix, host, tmp_path):
    """One file, and what can't be done."""
    def run(*argv):
        return subprocess.run([prefix.bin("pmlogger"), *argv], cwd=tmp_path, env=prefix.env(), capture_output=True, text=True,
                              timeout=180)

    with Recorder(prefix, tmp_path, host, CONFIG) as recorder:
        recorder.grows()
        assert recorder.stop() == 0
    assert run("--compress-file=archive.0").returncode == 0
    assert plain(tmp_path) == [] and packed(tmp_path) == ["archive.0.xz"]
    missing = run("--compress=zst", "--compress-file=archive.0")
    assert missing.returncode == 1 and "No such file or directory" in missing.stderr
    assert "expected xz or zst" in run("--compress=gz", "archive").stderr
