"""Recording sessions (-x), the folio "Latest" and the zone of -T, as Debian's pmlogger has them."""
import re
import signal
import socket
import subprocess
import time

import pytest

import harness
import peer as debian
import recorders

USER = harness.own_name()  # for Debian's pmlogger, which becomes the user pcp else

CONFIG = "log mandatory on 200 msec { pmcd.pid }\n"
TOLD = b"V0\nFthe folio\nPprogram\n"
REPLAY = "  $ pmafm the folio replay\n"


@pytest.fixture(scope="module")
def collector(peer_root):
    with debian.Peer(agents=("pmcd",), root=peer_root) as one:
        (one.home / "var/lib/pcp/tmp/pmlogger").mkdir(exist_ok=True)
        yield one


@pytest.fixture(scope="module", params=["ours", "theirs"])
def kit(request, collector, prefix):
    return recorders.ours(prefix) if request.param == "ours" else recorders.theirs(collector)


class Session:
    """A recorder that a program started, which is this one."""

    def __init__(self, kit, collector, name, options=(), base="archive"):
        self.end, other = socket.socketpair()
        with other:
            self.note = f"-x {other.fileno()}"
            self.recorder = kit.recorder(collector, f"{kit.name}-{name}", config=CONFIG,
                                          options=(*options, "-x", str(other.fileno())))
            self.recorder.argv[-1] = base
            self.recorder.process = subprocess.Popen(self.recorder.argv, env=self.recorder.env, cwd=self.recorder.dir,
                                                     stdin=subprocess.DEVNULL, pass_fds=(other.fileno(),))
        harness.wait_until("the port map is there", lambda: self.recorder.map_file.exists()
                           and self.recorder.map_file.read_text().count("\n") == 4, alive=self.recorder.process)

    def ends(self):
        assert self.recorder.process.wait(harness.DEADLINE_S) == 0
        assert "Recording session terminated, exiting" in self.recorder.log()

    def says(self, text):
        harness.wait_until(text, lambda: text in self.recorder.log())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end.close()
        if self.recorder.process.poll() is None:
            self.recorder.process.kill()
        self.recorder.process.wait()


def test_it_is_told_to_end(kit, collector):
    with Session(kit, collector, "quit") as one:
        assert one.recorder.map_file.read_text().splitlines()[3] == one.note
        one.end.sendall(TOLD + b"?\n")
        one.says('PCP recording for the archive folio "the folio" and the host "')
        assert REPLAY not in one.recorder.log()
        one.end.sendall(b"R\nQ\n")
        one.ends()
        text = one.recorder.log()
        assert REPLAY in text and "The application that launched pmlogger has terminated this PCP recording session.\n" in text
        assert re.search(r"in progress for \d+ seconds and in that time the pmlogger process has created an archive of \d+ bytes\.\n",
                         text)


def test_it_goes_on_alone(kit, collector):
    with Session(kit, collector, "detach") as one:
        one.end.sendall(TOLD + b"D\n")
        assert one.end.recv(1) == b""  # it has closed its end
        one.end.close()
        one.says("has asked pmlogger to continue independently and the PCP archive will grow at the rate of ")
        volume = one.recorder.dir / "archive.0"
        size = volume.stat().st_size
        harness.wait_until("it records", lambda: volume.stat().st_size > size, alive=one.recorder.process)
        assert one.recorder.stop() == 0
        assert "Caught signal 15, exiting" in one.recorder.log()


def start_anew(one):
    """After SIGUSR2 the earlier process records into another archive."""
    count = one.recorder.log().count("Archive basename:")
    one.recorder.process.send_signal(signal.SIGUSR2)
    harness.wait_until("another archive", lambda: one.recorder.log().count("Archive basename:") > count
                       and one.recorder.map_file.exists() and "reexec" in one.recorder.map_file.read_text(),
                       alive=one.recorder.process)


@pytest.mark.parametrize("last", ["quit", "close"])
def test_it_goes_on_after_a_start_anew(kit, collector, last):
    """SIGUSR2: the new program reads the same descriptor, and does not have the settings of the old one."""
    with Session(kit, collector, f"anew-{last}", ("-U", USER), "archive-%H%M%S") as one:
        one.end.sendall(TOLD + b"?\n")
        one.says('PCP recording for the archive folio "the folio" and the host "')
        start_anew(one)
        one.end.sendall(b"?\n")
        one.says('PCP recording for the archive folio "<unknown>" and the host "')
        if last == "quit":
            one.end.sendall(b"Q\n")
        else:
            one.end.close()
        one.ends()
    assert "Caught signal 12, reexec\n" in one.recorder.log()


def test_alone_it_stays_so_after_a_start_anew(collector, prefix):
    """6.0.3 takes the number that is still among its arguments for a descriptor, and ends."""
    with Session(recorders.ours(prefix), collector, "alone", ("-U", USER), "archive-%H%M%S") as one:
        one.end.sendall(TOLD + b"D\n")
        assert one.end.recv(1) == b""
        for _ in range(2):
            earlier = set(one.recorder.dir.glob("archive-*.0"))
            start_anew(one)
        (volume,) = set(one.recorder.dir.glob("archive-*.0")) - earlier
        size = volume.stat().st_size
        harness.wait_until("it records", lambda: volume.stat().st_size > size, alive=one.recorder.process)
        assert one.recorder.stop() == 0


@pytest.mark.parametrize("last", [b"", b"hello\n", b"V1\n"])
def test_the_program_is_gone(kit, collector, last):
    """Or is treated as closed. If there is no user to ask, recording ends."""
    with Session(kit, collector, f"gone{len(last)}") as one:
        one.end.sendall(TOLD + last)
        if not last:
            one.end.close()
        one.ends()


@pytest.mark.parametrize("argument", ["none", "-1", "1000000"])
def test_no_descriptor(prefix, tmp_path, collector, argument):
    one = recorders.ours(prefix).recorder(collector, f"bad{argument}", config=CONFIG, options=(f"-x{argument}",))
    done = subprocess.run(one.argv, env=one.env, cwd=one.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
    assert done.returncode == 1
    text = done.stderr + (one.log() if (one.dir / "log").exists() else "")
    assert f"illegal file descriptor '{argument}'" in text or "Cannot listen to the program that records: fd=1000000" in text


def test_folio(kit, collector):
    """A daemon writes the file "Latest" only in a folder below that of archives."""
    folder = collector.home / f"folios-{kit.name}"
    below = folder / "archives" / "host"
    below.mkdir(parents=True)
    for directory, expected in ((below, True), (folder, False)):
        one = kit.recorder(collector, f"{kit.name}-folio-{expected}", config=CONFIG,
                           options=("-U", USER, "-m", "pmlogger_check"),
                           environment={"PCP_ARCHIVE_DIR": str(folder / "archives"), "TZ": "UTC"})
        one.argv[-1] = "base"
        one.process = subprocess.Popen(one.argv, env=one.env, cwd=directory, stdin=subprocess.DEVNULL)
        try:
            harness.wait_until("it records", lambda: (directory / "base.0").exists() and one.map_file.exists()
                               and (directory / "Latest").exists() in (expected, True), alive=one.process)
        finally:
            assert one.stop() == 0
        assert (directory / "Latest").exists() == expected
    host = socket.gethostname()
    text = (below / "Latest").read_text()
    assert re.fullmatch(rf"PCPFolio\nVersion: 1\n# use pmafm\(1\) to process this PCP archive folio\n#\nCreated: on {host} at "
                        rf"\w{{3}} \w{{3}} [ \d]\d [\d:]{{8}} \d{{4}}\nCreator: pmlogger\n#               Host                    "
                        rf"Basename\nArchive:        {host:23} base\n", text), text
    assert sorted(path.name for path in below.iterdir()) == ["Latest", "base.0", "base.index", "base.meta"]


@pytest.mark.parametrize("options, zone, ends", [((), "UTC", True), ((), "Asia/Tokyo", False), (("-y",), "Asia/Tokyo", True)])
def test_zone_of_the_end(kit, collector, options, zone, ends):
    """An absolute -T is a time of the collector's zone, of ours with -y."""
    for lead_s in (6, 30) if ends else (6,):  # where starting takes long the first end is over before it begins
        end = time.time() + lead_s
        at = subprocess.run(["date", "-d", f"@{end:.0f}", "+@%Y-%m-%d %H:%M:%S"], env={"TZ": zone}, capture_output=True,
                            text=True).stdout.strip()
        one = kit.recorder(collector, f"{kit.name}-{zone[0]}{len(options)}-{lead_s}", config=CONFIG,
                           options=(*options, "-T", at), environment={"TZ": "Asia/Tokyo"})
        one.process = subprocess.Popen(one.argv, env=one.env, cwd=one.dir, stdin=subprocess.DEVNULL)
        try:
            if ends and one.process.wait(harness.DEADLINE_S) == 0 and "End of run time, exiting" in one.log():
                return
            if not ends:
                harness.wait_until("the time is over", lambda: time.time() > end + 1, alive=one.process)
                harness.wait_until("it records", lambda: (one.dir / "archive.0").exists(), alive=one.process)
                return
        finally:
            one.stop()
    pytest.fail(one.log())
