"""Compressed archives that unpack to far more than they are: every archive command ends soon, writes little, and says why.

The files hold a whole archive and then zeros, as an attacker makes them: hundreds of KB that unpack to gigabytes.
"""
import bz2
import gzip
import lzma
import resource
import shutil
import subprocess
import time

import pytest

import archive_bytes
import harness

MB = 1 << 20
ZEROS = 2048 * MB
STRETCH = 64 * MB  # more than a block of an .xz that is kept in memory
LIMIT = 16 * MB    # of the runs in which many commands meet many forms
DEFAULT = 256 * MB  # docs/spec/archive.md 2.2
LABEL = 1 * MB      # a look at a label writes no more than that
SECONDS = 30        # limit; before the fix, these archives took longer

METRIC = 0x1dc00001


def xz_blocks(data, block):
    return lzma.compress(data, preset=0) + lzma.compress(bytes(block), preset=0) * (ZEROS // block)


def zst(data):
    pack = ["zstd", "-q", "-1", "-c"]
    head, tail = (subprocess.run(pack, input=part, capture_output=True, check=True).stdout for part in (data, bytes(STRETCH)))
    return head + tail * (ZEROS // STRETCH)


def alone(data):
    """One stream: nothing can be repeated, so there are fewer zeros."""
    return lzma.compress(data + bytes(8 * STRETCH), format=lzma.FORMAT_ALONE, preset=0)


# The content of a file of each form: the first bytes of the member, followed by zeros.
FORMS = {
    "xz": lambda data: xz_blocks(data, STRETCH),
    "xz-small-blocks": lambda data: xz_blocks(data, 16 * MB),
    "lzma": alone,
    "zst": zst,
    "gz": lambda data: gzip.compress(data, 9) + gzip.compress(bytes(STRETCH), 9) * (ZEROS // STRETCH),
    "bz2": lambda data: bz2.compress(data) + bz2.compress(bytes(STRETCH)) * (ZEROS // STRETCH),
}

# Each command of an archive, and how often it may be refused: its words, with {} for the archive and OUT for a new one.
COMMANDS = {
    "pminfo": "-f -a {} a.one",
    "pmprobe": "-v -a {} a.one",
    "pmval": "-a {} -s 2 a.one",
    "pmevent": "-a {} -s 2 a.one",
    "pmdumplog": "-a {}",
    "pmlogcheck": "{}",
    "pmloglabel": "{}",
    "pmlogsummary": "{}",
    "pmlogextract": "{} OUT",
    "pmlogreduce": "{} OUT",
    "pmlogrewrite": "-c RULES {} OUT",
}
MEMBERS = ["0", "meta", "index"]


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    """A folder for each form and member: (form, member) -> base of the archive."""
    folder = tmp_path_factory.mktemp("bombs")
    whole = archive_bytes.Handmade([(METRIC, archive_bytes.U32, archive_bytes.NO_INDOM, archive_bytes.INSTANT, "a.one")])
    for second in range(20):
        whole.record(second, {METRIC: second})
    whole.write(folder / "whole")
    made = {}

    def bomb(form, member):
        if (form, member) not in made:
            place = folder / f"{form}-{member}"
            place.mkdir()
            for name in MEMBERS:
                shutil.copy(folder / f"whole.{name}", place / f"a.{name}")
            plain = place / f"a.{member}"
            packed = place / f"a.{member}.{form.split('-')[0]}"
            packed.write_bytes(FORMS[form](plain.read_bytes()))
            plain.unlink()
            made[form, member] = place / "a"
        return made[form, member]
    return bomb


def bounded(prefix, words, tmp_path, file_bytes, **env):
    """Runs a command that may make no file larger than that; how long it took is looked at."""
    temporary = tmp_path / "temporary"
    temporary.mkdir(exist_ok=True)

    def limits():
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    start = time.monotonic()
    done = subprocess.run([prefix.bin(words[0]), *words[1:]], env=prefix.env(PCP_TMPFILE_DIR=temporary, **env),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * harness.DEADLINE_S, preexec_fn=limits)
    took = time.monotonic() - start
    assert done.returncode >= 0, f"{words[0]} wrote too much, or crashed: signal {-done.returncode}"
    assert took < SECONDS, f"{words[0]} took {took:.1f} s"
    done.text = done.stderr.decode(errors="replace")
    return done


def command(name, base, tmp_path):
    (tmp_path / "rules").write_text("")
    words = COMMANDS[name].replace("{}", str(base)).replace("OUT", str(tmp_path / "out"))
    return [name, *words.replace("RULES", str(tmp_path / "rules")).split()]


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_soon(prefix, bombs, tmp_path, name, form, member):
    base = bombs(form, member)
    done = bounded(prefix, command(name, base, tmp_path), tmp_path, LIMIT + MB, PITOT_UNPACK_MAX=str(LIMIT))
    refused = f"{base}.{member}.{form.split('-')[0]} unpacks to more than"
    if refused in done.text:
        assert "PITOT_UNPACK_MAX" in done.text
        assert done.text.count(refused) <= (2 if name == "pmlogreduce" else 1)  # it opens the archive in two ways
    else:
        # Only what reads no further than it needs goes without: it has found the values that are there.
        assert member != "meta" or name == "pmloglabel", done.text


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_label_unpacks_the_beginning_alone(prefix, bombs, tmp_path, form, member):
    done = bounded(prefix, ["pmloglabel", str(bombs(form, member))], tmp_path, LABEL)
    assert (done.stdout, done.text, done.returncode) == (b"", "", 0)


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_label_is_shown(prefix, bombs, tmp_path, form, member):
    """The last time is that of the last record. An .xz states its size, so nothing is unpacked unnecessarily."""
    base = bombs(form, member)
    done = bounded(prefix, ["pmloglabel", "-l", str(base)], tmp_path, LABEL if form.startswith("xz") else LIMIT + MB,
                   PITOT_UNPACK_MAX=str(LIMIT))
    assert b"Performance metrics from host h" in done.stdout
    assert done.returncode == 0
    assert (b"UNKNOWN" in done.stdout) == (member != "index")
    assert ("unpacks to more than 16 MB" in done.text) == (member != "index")


def test_an_index_with_holes(prefix, bombs, tmp_path):
    """8 GB of zeros in a file without blocks: the index is a hint, and no reason for memory."""
    base = bombs("xz", "0").parent.parent / "whole"
    for member in MEMBERS:
        shutil.copy(f"{base}.{member}", tmp_path / f"a.{member}")
    with open(tmp_path / "a.index", "r+b") as index:
        index.truncate(8 << 30)

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    done = subprocess.run([prefix.bin("pmval"), "-a", tmp_path / "a", "-S", "+5", "-s", "1", "a.one"], env=prefix.env(),
                          capture_output=True, timeout=harness.DEADLINE_S, preexec_fn=limits)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == b"5"


@pytest.mark.parametrize("form", ["xz", "zst"])
@pytest.mark.parametrize("name", ["pmval", "pmdumplog", "pmlogcheck"])
def test_the_usual_limit(prefix, bombs, tmp_path, name, form):
    base = bombs(form, "0")
    done = bounded(prefix, command(name, base, tmp_path), tmp_path, DEFAULT + MB)
    assert f"{base}.0.{form} unpacks to more than 256 MB" in done.text
    assert "PITOT_UNPACK_MAX" in done.text


@pytest.mark.parametrize("form", ["zst", "lzma", "gz"])
def test_half_of_the_free_space(prefix, bombs, tmp_path, form):
    """Without another limit a file takes half of what was free where it is unpacked, and the message names that place."""
    disk = tmp_path / "temporary"
    disk.mkdir()
    if harness.run(["mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", disk]).returncode != 0:
        pytest.skip("no right to mount a small file system")
    try:
        base = bombs(form, "0")
        done = bounded(prefix, command("pmdumplog", base, tmp_path), tmp_path, 64 * MB + 16 * MB, PITOT_UNPACK_MAX="none")
        assert f"{base}.0.{form} takes more than half of the free space when it is unpacked" in done.text
        assert "PCP_TMPFILE_DIR=" in done.text
    finally:
        harness.run(["umount", "-l", disk])
