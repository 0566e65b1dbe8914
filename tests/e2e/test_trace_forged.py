"""Forged trace logs: every number of a log is changed to what an attacker would claim, with right check sums
(docs/spec/trace-log.md). Every command ends soon, allocates little, and prints nothing that a terminal would obey."""
import json
import re
import resource
import struct
import subprocess

import pytest

from tracers import Tracer

HEAD, BLOCK, EVENT, TAIL = 512, 32, 40, 16
MEMORY = 1 << 29
SECONDS = 30
LARGE = {8: (1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1), 4: (0x7fffffff, 0x80000000, 0xffffffff), 2: (0x7fff, 0xffff)}
FORMAT = {8: "<Q", 4: "<I", 2: "<H"}
COMMANDS = [["status"], ["status", "--json"], ["dump"], ["dump", "--json"], ["export", "--ctf", "OUT.ctf"],
            ["export", "--perfetto", "OUT.perfetto"], ["recover", "-o", "OUT.log"]]
# Offsets and widths of the numbers of each part.
NUMBERS = {
    "head": [(12, 4), (16, 8), (24, 4), (28, 4), (32, 4), (36, 4), *((at, 4) for at in range(40, 60, 4)),
             *((at, 8) for at in (60, 68, 76, 84, 96)), (92, 4), (104, 4)],
    "block": [(8, 8), (16, 4), (20, 4), (24, 4)],
    "event": [(0, 4), (4, 2), (6, 2), *((at, 8) for at in (8, 16, 24)), (32, 4), (36, 4)],
    "trailer": [(4, 4), (12, 4), (16, 8), (24, 8), (32, 8), *((at, 4) for at in range(40, 72, 4)),
                *((at, 8) for at in range(72, 128, 8)), (128, 4), (132, 4)],
}


def crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        yield byte


TABLE = list(crc_table())


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 255]
    return value ^ 0xffffffff


class Log:
    """A log of one block, whose numbers can be changed."""

    def __init__(self, data):
        self.data = data
        self.used, = struct.unpack_from("<I", data, HEAD + 16)
        self.trailer = len(data) - struct.unpack_from("<I", data, len(data) - 12)[0]
        self.at = {"head": 0, "block": HEAD, "event": HEAD + BLOCK, "trailer": self.trailer}

    def forged(self, *changes):
        """With these (offset, bytes), and right check sums."""
        data = bytearray(self.data)
        for at, new in changes:
            data[at:at + len(new)] = new
        struct.pack_into("<I", data, 508, crc32c(data[:508]))
        payload = data[HEAD + BLOCK:HEAD + BLOCK + self.used]
        struct.pack_into("<I", data, HEAD + 28, crc32c(payload + data[HEAD:HEAD + 28]))
        struct.pack_into("<I", data, len(data) - TAIL, crc32c(data[self.trailer:-TAIL]))
        return bytes(data)


@pytest.fixture(scope="module")
def tracer(prefix, tmp_path_factory):
    return Tracer(prefix, tmp_path_factory.mktemp("forged"))


@pytest.fixture(scope="module")
def log(tracer):
    path = tracer.dir / "whole.log"
    tracer.record(path, tracer.example, "2")
    found = Log(path.read_bytes())
    assert found.forged() == found.data
    return found


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24))


def shown(tracer, path, command):
    """The output of a command for a log."""
    words = [str(path.with_suffix(word[3:])) if word.startswith("OUT") else word for word in command]
    done = subprocess.run([tracer.pitot, "trace", *words, path], env=tracer.env, capture_output=True, timeout=SECONDS,
                          preexec_fn=limits)
    assert done.returncode in (0, 1), (command, done)
    for text in (done.stdout.decode(), done.stderr.decode()):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x80-\x9f]", text), (command, text)
    return done


@pytest.mark.parametrize("part", NUMBERS)
def test_claims(tracer, log, tmp_path, part):
    for number, (at, width) in enumerate(NUMBERS[part]):
        for value in LARGE[width]:
            path = tmp_path / f"{number}-{value:x}"
            path.mkdir()
            (path / "a").write_bytes(log.forged((log.at[part] + at, struct.pack(FORMAT[width], value))))
            # Each pair of commands meets each number; all of them are too many for the time of a test.
            for command in COMMANDS[number % 2::2]:
                shown(tracer, path / "a", command)


@pytest.mark.parametrize("ns, shown_s", [(-(1 << 63), 0), (-1, 0), ((1 << 63) - 1, 9 * 10**9), (9 * 10**18 + 1, 9 * 10**9)])
def test_a_time_that_no_clock_shows(tracer, log, tmp_path, ns, shown_s):
    """It becomes the nearest that one can show, for sums and differences of times are computed with it."""
    path = tmp_path / "a"
    path.write_bytes(log.forged((log.at["event"] + 8, struct.pack("<q", ns))))
    events = [json.loads(line) for line in shown(tracer, path, ["dump", "--json"]).stdout.splitlines()]
    assert events[0]["ns"] == shown_s * 10**9
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000000\+0000", events[0]["time"])
    status = json.loads(shown(tracer, path, ["status", "--json"]).stdout)
    assert status["first_ns"] == shown_s * 10**9


@pytest.mark.parametrize("text", [b"a\x9b31m\xff\0", "\xe9\x9b31m\x1b[2J\x7f\r\"\\".encode() + b"\0"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_text_that_a_terminal_would_obey(tracer, log, tmp_path, text, command):
    """As the stream's name, the version, an event's name and its data."""
    name = log.data.index(b"begin", log.trailer)
    changes = [(108, text), (172, text), (name, text[:5]), (log.data.index(b"hello"), text[:5])]
    (tmp_path / "a").write_bytes(log.forged(*changes))
    assert shown(tracer, tmp_path / "a", command).returncode == 0
