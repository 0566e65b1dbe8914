"""The calls to the privileged helper, with Debian's pmdaroot as the helper: our library gets the answers
that Debian's gets."""
import os
import pathlib
import shlex
import subprocess
import tempfile

import pytest

import wire
from harness import run, wait_until
from recorders import insist

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def root_socket(peer_root):
    """The socket of a pmdaroot, which thinks that we are its pmcd."""
    with tempfile.TemporaryDirectory(prefix="helper-") as home:
        socket = pathlib.Path(home) / "helper.socket"
        program = peer_root / "usr/lib/pcp/pmdas" / "root" / "pmdaroot"
        daemon = subprocess.Popen([program, "-d", "1", "-l", home + "/helper.log", "-s", socket], cwd=home,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env={**os.environ, "LD_LIBRARY_PATH": str(peer_root / "usr/lib"),
                                       "PCP_DIR": str(peer_root)})
        try:
            assert len(daemon.stdout.read(20)) == 20  # its credentials
            daemon.stdin.write(wire.creds())
            daemon.stdin.flush()
            wait_until("pmdaroot listens", socket.is_socket, alive=daemon)
            yield socket
        finally:
            daemon.stdin.close()
            daemon.terminate()
            insist(daemon)


def by_name(text):
    return [line for line in text.splitlines() if not line.startswith(("host of mine", "host of none", "too long"))]


@pytest.mark.skipif(os.geteuid() != 0, reason="Debian's pmdaroot helps root alone")
def test_answers_of_the_helper(prefix, peer_root, root_socket, tmp_path):
    env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "libpcp_pmda", "libpcp"], env=env).stdout.split()
    client = tmp_path / "root_client"
    done = run([*shlex.split(os.environ.get("PITOT_CC", "cc")), "-std=gnu11", "-o", client, HERE / "root_client.c",
                *flags, f"-Wl,-rpath,{prefix.path}/lib"])
    assert done.returncode == 0, done.stderr
    ours = run([client, root_socket], env=env)
    assert ours.returncode == 0, ours.stdout + ours.stderr
    assert "it says hello\nterminate 0\nwait 1 0\n" in ours.stdout
    assert "pid of nosuch -12399\n" in ours.stdout
    if "sanitize" not in os.environ.get("PITOT_CC", ""):
        theirs = run([client, root_socket, "names"], env=prefix.env(LD_LIBRARY_PATH=peer_root / "usr/lib", PCP_DIR=peer_root))
        # Debian's library cannot ask by process: it takes the number for the length of a name.
        assert theirs.returncode == 0, theirs.stderr
        assert by_name(ours.stdout) == by_name(theirs.stdout)
    absent = run([client, tmp_path / "absent"], env=env)
    assert (absent.returncode, absent.stdout) == (1, "connect -1\n")
