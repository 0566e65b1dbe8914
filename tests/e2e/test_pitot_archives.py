"""`pitot archives`: lists, checks, compresses and removes the archives of a folder, and leaves the one alone that is being written."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import harness
from recording import Reader, Recorder

CONFIG = "log mandatory on 20 msec { sample.bin sample.seconds }\n"
DAY_S = 86400
SOME = ("bozo.client_v2", "bug_v2", "rattle", "mirage")


def archives(prefix, *args, status=0, **env):
    done = harness.run([prefix.bin("pitot"), "archives", *args], env=prefix.env(TZ="UTC", **env), timeout=180)
    assert done.returncode == status, (args, done.stdout, done.stderr)
    return done.stdout


def listed(prefix, *folders):
    found = json.loads(archives(prefix, "list", "--json", *folders))
    return {one["name"]: one for one in found["archives"]}


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def set_age(folder, base, days):
    when = time.time() - days * DAY_S
    for path in folder.glob(f"{base}.*"):
        os.utime(path, (when, when))


LABEL = 132  # bytes, in version 2


def damage(path):
    """After the label of metadata and index, in the middle of a volume."""
    data = bytearray(path.read_bytes())
    at = len(data) // 2 if path.suffix == ".0" else LABEL
    data[at:at + 64] = b"\xa5" * 64
    path.write_bytes(data)


@pytest.fixture
def stock(peer_root):
    return pathlib.Path(peer_root) / "var/lib/pcp/testsuite/archives"


@pytest.fixture
def folder(tmp_path, stock):
    """Some archives that no process writes."""
    where = tmp_path / "archives"
    where.mkdir()
    for days, base in enumerate(SOME):
        for path in stock.glob(f"{base}.*"):
            shutil.copy(path, where)
        set_age(where, base, 40 - 10 * days)
    assert len(files(where)) == 3 * len(SOME)
    return where


@pytest.fixture
def host(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path / "pmcd", [f"sample 29 dso sample_init {prefix.dso('sample')}"]) as pmcd:
        yield pmcd.host


def test_list(prefix, peer_root, folder):
    found = listed(prefix, folder)
    assert sorted(found) == sorted(SOME)
    for name, one in found.items():
        head = Reader(peer_root, folder).run("pmdumplog", "-L", name).stdout
        assert f"from host {one['host']}\n" in head
        for word, key in (("commencing", "start"), ("ending", "end")):
            text = time.strftime("%a %b %e %H:%M:%S", time.gmtime(one[key])).replace("  ", " ")
            assert f"{word} {text}." in " ".join(head.replace("\n", " ").split()), (head, text)
        assert (one["volumes"], one["packed"], one["state"], one["reason"]) == (1, 0, "complete", None)
        assert one["bytes"] == sum(path.stat().st_size for path in folder.glob(f"{name}.*"))
    text = archives(prefix, "list", folder)
    assert text.startswith("ARCHIVE ") and text.count(" complete\n") == len(SOME)
    assert text.endswith(f"\n{folder}: 4 archives, {sum(one['bytes'] for one in found.values()) / 1024:.1f}K\n")


def test_every_archive_of_the_suite(prefix, peer_root, stock, tmp_path):
    """Those are damaged in whose files Debian's pmlogcheck finds a fault; both faults are in indexes."""
    lines = archives(prefix, "check", stock, status=1).splitlines()
    bases = {path.name.partition(".meta")[0] for path in stock.glob("*.meta*")}
    reader = Reader(peer_root, tmp_path)
    theirs = [base for base in bases if ".index[" in reader.run("pmlogcheck", "-w", stock / base, status=None).stderr]
    assert sorted(line.partition(": damaged: ")[0] for line in lines[:-1]) == sorted(f"{stock}/{base}" for base in theirs)
    assert all(".index: entry" in line for line in lines[:-1])
    assert lines[-1] == f"{stock}: {len(bases)} archives checked, {len(theirs)} damaged"


def test_the_default_folder(prefix, folder):
    """It is that of `pitot up`."""
    assert archives(prefix, "list", PCP_ARCHIVE_DIR=folder) == archives(prefix, "list", folder)


@pytest.mark.parametrize("suffix", ["0", "meta", "index"])
def test_damage(prefix, peer_root, folder, suffix):
    """Debian's pmlogcheck has an error too."""
    damage(folder / f"mirage.{suffix}")
    set_age(folder, "mirage", 1)
    assert Reader(peer_root, folder).run("pmlogcheck", "-w", "mirage", status=None).stderr != ""
    text = archives(prefix, "check", folder, status=1)
    first, last = text.splitlines()
    assert first.startswith(f"{folder}/mirage: damaged: "), text
    assert f"mirage.{suffix}" in first
    assert last == f"{folder}: 4 archives checked, 1 damaged"


def test_a_torn_end(prefix, peer_root, folder):
    path = folder / "mirage.0"
    os.truncate(path, path.stat().st_size - 10)
    set_age(folder, "mirage", 1)
    assert Reader(peer_root, folder).run("pmlogcheck", "-w", "mirage", status=None).stderr != ""
    assert listed(prefix, folder)["mirage"]["state"] == "damaged"
    assert "mirage.0" in archives(prefix, "check", folder, status=1)
    archives(prefix, "compress", folder)
    assert path.exists() and not (folder / "bug_v2.0").exists()


def test_missing_files(prefix, folder):
    (folder / "mirage.meta").unlink()
    (folder / "rattle.0").unlink()
    found = listed(prefix, folder)
    assert found["mirage"]["reason"] == "the metadata is missing"
    assert found["rattle"]["reason"] == "there is no volume"
    assert archives(prefix, "check", folder, status=1).count(": damaged: ") == 2


def test_compress(prefix, peer_root, folder):
    """Debian's reader finds in the compressed archives what was in the plain ones."""
    reader = Reader(peer_root, folder)
    before = {base: reader.run("pmdumplog", "-z", "-a", base).stdout for base in SOME}
    text = archives(prefix, "compress", folder)
    assert text.count(": compressed from ") == len(SOME)
    for base in SOME:
        assert (folder / f"{base}.0.xz").exists() and not (folder / f"{base}.0").exists()
        assert reader.run("pmdumplog", "-z", "-a", base).stdout == before[base]
        assert listed(prefix, folder)[base]["packed"] == 1
    assert archives(prefix, "compress", folder) == ""
    assert archives(prefix, "check", folder).endswith("4 archives checked, 0 damaged\n")


def test_a_running_recorder(prefix, peer_root, host, tmp_path):
    """Its archive is neither compressed nor removed; when the recorder has ended it is an archive like others."""
    where = tmp_path / "recorder"
    with Recorder(prefix, where, host, CONFIG, "-v", "20kb") as recorder:
        harness.wait_until("a third volume", (where / "archive.2").exists, 180, alive=recorder.process)
        assert listed(prefix, where)["archive"]["state"] == "written"
        assert archives(prefix, "check", where).endswith(": 1 archives checked, 0 damaged\n")
        assert archives(prefix, "compress", where) == ""
        assert archives(prefix, "cull", "--max-size", "1", where) == ""
        assert (where / "archive.0").exists() and not list(where.glob("*.xz"))
        assert recorder.stop() == 0
    assert listed(prefix, where)["archive"]["state"] == "complete"
    reader = Reader(peer_root, where)
    before = reader.run("pmdumplog", "-m", "archive").stdout
    archives(prefix, "compress", where)
    assert not (where / "archive.0").exists()
    assert reader.run("pmdumplog", "-m", "archive").stdout == before
    archives(prefix, "cull", "--max-size", "1", where)
    assert not list(where.glob("archive.*"))


def test_one_recorder_writes_one_archive(prefix, folder):
    """Of two archives with its process in the label the one is being written that changed last."""
    for number, base in enumerate(SOME[:2]):
        for path in folder.glob(f"{base}.*"):
            data = bytearray(path.read_bytes())
            data[8:12] = os.getpid().to_bytes(4, "big")
            data[24:88] = b"h".ljust(64, b"\0")
            path.write_bytes(data)
            os.utime(path, (time.time() + number, time.time() + number))
    found = listed(prefix, folder)
    assert [found[base]["state"] for base in SOME] == ["complete", "written", "complete", "complete"]


def test_cull_by_age(prefix, folder):
    left = files(folder)
    text = archives(prefix, "cull", "--dry-run", "--max-age", "25d", folder)
    assert [line.partition(": ")[0] for line in text.splitlines()] == [f"{folder}/{base}" for base in SOME[:2]]
    assert files(folder) == left
    assert archives(prefix, "cull", "-a", "600h", folder) == text.replace("would be removed", "removed")
    assert sorted(listed(prefix, folder)) == sorted(SOME[2:])
    assert len(files(folder)) == 3 * 2


def test_cull_by_size(prefix, folder):
    sizes = {name: one["bytes"] for name, one in listed(prefix, folder).items()}
    archives(prefix, "cull", "--max-size", str(sum(sizes.values())), folder)
    assert len(listed(prefix, folder)) == 4
    archives(prefix, "cull", "--max-size", str(sum(sizes.values()) - 1), folder)
    assert sorted(listed(prefix, folder)) == sorted(SOME[1:])


def test_cull_goes_on_and_takes_nothing_else(prefix, folder):
    """The rest of an archive whose removal was interrupted goes; a file that only looks like a volume stays."""
    (folder / "mirage.meta").unlink()
    (folder / "notes.1").write_text("not a volume\n")
    (folder / "other.meta").write_text("not metadata\n")
    archives(prefix, "cull", "--max-size", "1", folder)
    assert files(folder) == ["notes.1", "other.meta"]


def test_daily(prefix, folder):
    """The limits are those of the environment; damage does not keep it from the rest of the work."""
    damage(folder / "mirage.0")
    set_age(folder, "mirage", 1)
    text = archives(prefix, "daily", folder, status=1, PITOT_ARCHIVES_MAX_AGE="35d")
    assert f"{folder}/mirage: damaged: " in text and f"{folder}/bozo.client_v2: removed, " in text
    assert sorted(listed(prefix, folder)) == sorted(SOME[1:])
    assert (folder / "rattle.0.xz").exists()
    assert "removed" not in archives(prefix, "daily", "--max-size", "1g", folder, status=1, PITOT_ARCHIVES_MAX_AGE="1d")


def test_one_at_a_time(prefix, folder):
    fd = os.open(folder, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    for command in (["compress"], ["cull", "-s", "1"]):
        archives(prefix, *command, folder, status=1)
    assert len(files(folder)) == 3 * len(SOME)
    os.close(fd)


@pytest.fixture
def disk(tmp_path):
    """A small file system."""
    where = tmp_path / "disk"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", where], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield where
    subprocess.run(["umount", "-l", where], check=True)


@pytest.mark.parametrize("command", ["compress", "merge"])
def test_a_full_disk(prefix, folder, disk, command):
    """The archives stay as they are; the next call succeeds when there is space."""
    names = parts(prefix, folder)
    for name in names:
        for path in folder.glob(f"{name}.*"):
            shutil.copy2(path, disk)
    before = {path.name: path.read_bytes() for path in disk.iterdir()}
    rest = disk / "rest"
    with rest.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    archives(prefix, command, disk, status=1)
    assert files(disk) == sorted([*before, "rest"])
    assert all((disk / name).read_bytes() == data for name, data in before.items())
    rest.unlink()
    archives(prefix, command, disk)
    assert (disk / "part0.0.xz").exists() if command == "compress" else (disk / "19970224.0").exists()


def test_mistakes(prefix, tmp_path):
    archives(prefix, status=2)
    archives(prefix, "lsit", status=2)
    archives(prefix, "cull", tmp_path, status=2)
    for option in ("--max-size=x", "--max-size=0", "--max-size=9999999t", "--max-age=-1", "--max-age=3y", "--max-age=1dd"):
        archives(prefix, "cull", option, tmp_path, status=2)
    archives(prefix, "daily", tmp_path, status=2, PITOT_ARCHIVES_MAX_SIZE="much")
    for command in ("list", "check", "compress"):
        archives(prefix, command, tmp_path / "missing", status=1)
    assert archives(prefix, "list", tmp_path) == f"{tmp_path}: 0 archives, 0\n"


def parts(prefix, folder, count=3):
    """The archive mirage, of 20 minutes of a past day, in some parts. Returns their names."""
    names = []
    for number in range(count):
        first = ["-S", f"+{number * 1200 // count}sec"] if number else []
        last = ["-T", f"+{1200 // count - 10}sec"] if number < count - 1 else []  # after the start
        names.append(f"part{number}")
        done = harness.run([prefix.bin("pmlogextract"), "-z", *first, *last, folder / "mirage", folder / names[-1]],
                           env=prefix.env(TZ="UTC"), timeout=180)
        assert done.returncode == 0, done.stderr
        set_age(folder, names[-1], 20)
    for path in folder.glob("mirage.*"):
        path.unlink()
    return names


def content(reader, *names):
    """The output of Debian's pmdumplog for the archive that Debian's pmlogextract makes of several."""
    target = names[0]
    if len(names) > 1:
        target = reader.dir / "expected" / "archive"
        shutil.rmtree(target.parent, ignore_errors=True)
        target.parent.mkdir()
        reader.run("pmlogextract", *names, target)
    text = reader.run("pmdumplog", "-z", "-dim", target).stdout
    if len(names) > 1:
        shutil.rmtree(target.parent)
    return text


def test_merge(prefix, peer_root, folder, tmp_path):
    """Equal to the archive of Debian's pmlogextract; the ages of the archives stay, other archives too."""
    names = [folder / name for name in parts(prefix, folder)]
    reader = Reader(peer_root, tmp_path / "reader")
    expected = content(reader, *names)
    assert expected.count("<mark>") == 2
    others = {path.name: path.read_bytes() for base in SOME[:3] for path in folder.glob(f"{base}.*")}
    text = archives(prefix, "merge", folder)
    assert text == f"{folder}/19970224: merged from 3 archives\n"
    assert files(folder) == sorted([*others, "19970224.0", "19970224.index", "19970224.meta"])
    assert all((folder / name).read_bytes() == data for name, data in others.items())
    assert content(reader, folder / "19970224") == expected
    assert abs((folder / "19970224.0").stat().st_mtime - (time.time() - 20 * DAY_S)) < 3600
    assert archives(prefix, "merge", folder) == ""


def test_what_is_not_merged(prefix, folder):
    """Nothing of a day with a damaged archive; nothing of today; the name of another archive is not taken."""
    names = parts(prefix, folder)
    meta = folder / "part1.meta"
    held = meta.rename(folder / "held")
    before = files(folder)
    assert archives(prefix, "merge", folder) == ""
    assert files(folder) == before
    held.rename(meta)
    for suffix in ("0", "meta", "index"):
        shutil.copy2(folder / f"rattle.{suffix}", folder / f"19970224.{suffix}")
    assert archives(prefix, "merge", folder).startswith(f"{folder}/19970224-1: merged from 3 ")
    assert not [name for name in files(folder) if name.startswith("part")], names


@pytest.mark.parametrize("source", ["kill_shim.c", "move_shim.c"])
def test_merge_killed(prefix, peer_root, folder, tmp_path, source):
    """Killed before each call that writes the new archive, and before each that moves or removes a file. At each moment the originals are there, or the new archive, or both; the next call finishes."""
    names = parts(prefix, folder)
    reader = Reader(peer_root, tmp_path / "reader")
    expected = content(reader, *[folder / name for name in names])
    gone = kept = 0
    shim = tmp_path / "shim.so"
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", shim, pathlib.Path(__file__).parent / source, "-ldl"], check=True)
    for number in range(1, 1000):
        work = tmp_path / f"work{number}"
        shutil.copytree(folder, work)
        done = harness.run([prefix.bin("pitot"), "archives", "merge", work],
                           env=prefix.env(TZ="UTC", LD_PRELOAD=shim, KILL_AT=number))
        if done.returncode == 0:
            break
        gone += (work / "19970224.meta").exists()
        kept += (work / "part0.meta").exists()
        if (work / "19970224.meta").exists():
            assert content(reader, work / "19970224") == expected
        else:
            for path in folder.glob("part*"):
                assert (work / path.name).read_bytes() == path.read_bytes()
        archives(prefix, "merge", work)
        assert not [name for name in files(work) if name.startswith(("part", "."))]
        assert content(reader, work / "19970224") == expected
        shutil.rmtree(work)
    assert kept > 10 and (gone > 10 or source == "kill_shim.c"), (gone, kept)
