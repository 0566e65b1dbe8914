"""pmstat(1) prints the same as Debian's, from archives and from a collector."""
import re
import subprocess
import time

import pytest

from both import ARCHIVES, Both, assert_same
from peer import Peer


@pytest.fixture(scope="module")
def both(prefix, peer_root, tmp_path_factory):
    return Both(prefix, peer_root, tmp_path_factory.mktemp("pmstat"))


@pytest.mark.parametrize("archive", ARCHIVES)
def test_archive(both, archive):
    name = "{archives}/" + archive
    assert_same(both.differences("pmstat", *options, "-a", name)
                for options in (["-s", "6"], ["-s", "6", "-x", "-t", "1.5", "-S", "3"]))


# Several sources, windows, zones, and errors of the command line.
LINES = [
    "-a {archives}/20201109 -T 10min",
    "-a {archives}/20201109 -T 10sec -s 9",
    "-a {archives}/20201109 -t 1min -z",
    "-a {archives}/20201109 -s 2 -Z UTC+3",
    "-a {archives}/20201109 -A 1min -O 3min -s 3",
    "-a {archives}/20201109 -S @2019 -t 1day -s 3",
    "-a {archives}/20201109 -t 1min -s 70",
    "-a {archives}/20180606 -a {archives}/20201109 -s 4",
    "-a {archives}/20180606 -a {archives}/20180102 -x -s 40 -t 20min",
    "-a {archives}/all-sles9-sp1 -a {archives}/20041125 -s 15 -l",
    "-a {archives}/20180606 -a nope -s 2",
    "-a {archives}/20201109,{archives}/rep -s 2",
    "-a nope", "-h localhost -h nowhere.invalid", "-P", "-P -s 1", "word", "-V", "-q", "-?", "--help",
    "-n nowhere -s 1", "-H nowhere", "-a {archives}/rep -h localhost", "-S 1", "-z", "-s x", "-s -1", "-t x",
    "-a {archives}/rep -s 1 -D nonsense",
]


@pytest.mark.parametrize("line", LINES)
def test_line(both, line):
    year = time.strftime("%Y", time.gmtime())  # a source without a sample shows the time of this moment
    assert_same([both.differences("pmstat", *line.split(),
                                  blank=lambda text: re.sub(rf"(?m)^@ .* {year}$", "@ now", text))])


def test_an_archive_ends(both):
    """Where PCP's repeats that there is no data, ours ends."""
    done = both.ours("pmstat", "-a", "{archives}/rep")
    assert done.status == 1
    assert done.out.count(" No data in the archive") == 1


def numbers_blanked(text):
    """Live values differ; their places do not."""
    text = re.sub(r"(?m)^@ .*", "@ #", text)
    return re.sub(r"(?m) +(?:[\d.]+[mgKM]?|\?)(?= |$)", " #", text)


def test_live(prefix, peer_root):
    with Peer(root=peer_root, agents=("pmcd", "linux")) as peer:
        for options in (["-s", "2", "-t", ".1"], ["-x", "-s", "1", "-t", ".1"],
                        ["-h", "localhost", "-h", "127.0.0.1", "-l", "-s", "2", "-t", ".1"]):
            theirs = peer.run("pmstat", *options)
            ours = peer.run([prefix.bin("pmstat")], *options, lib="")
            assert theirs.returncode == ours.returncode == 0
            assert numbers_blanked(ours.stdout.decode()) == numbers_blanked(theirs.stdout.decode())
            assert ours.stderr == theirs.stderr


def test_the_widths_are_those_of_the_titles(prefix, sample_pmcd, shared_pmcd):
    done = subprocess.run([prefix.bin("pmstat"), "-h", shared_pmcd.host, "-x", "-s", "2", "-t", "0.1"], env=prefix.env(),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and len({len(line) for line in lines[1:]}) == 1
    assert "?" not in lines[-1]


def test_the_example_of_the_page(prefix, shared_pmcd):
    """man/man1/pmstat.1: every two seconds, three times; here faster."""
    done = subprocess.run([prefix.bin("pmstat"), "-t", "0.2", "-s", "3"], env=prefix.env(PMCD_SOCKET=shared_pmcd.socket),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 6


def test_collector_that_goes_is_reported_and_awaited(prefix, tmp_path):
    from harness import Pmcd

    with Pmcd(prefix, tmp_path / "pmcd") as pmcd:
        argv = [prefix.bin("pmstat"), "-h", pmcd.host, "-t", "0.1", "-s", "100"]
        with subprocess.Popen(argv, env=prefix.env(), stdout=subprocess.PIPE, text=True) as child:
            for _ in range(4):
                child.stdout.readline()
            pmcd.stop()
            while "Reconnecting" not in (line := child.stdout.readline()):
                assert line != ""
            pmcd.start()
            while "loadavg" in (line := child.stdout.readline()) or "." not in line:
                assert line != ""
            child.terminate()
