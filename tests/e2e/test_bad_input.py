"""Common mistakes: each case has a clear message and the right exit status."""
import socket
import subprocess
import threading

import pytest

import harness
from harness import run


@pytest.fixture
def silent():
    """A port that accepts and never says a word."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    kept = []

    def serve():
        while True:
            try:
                kept.append(server.accept())
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server.getsockname()[1]
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


@pytest.fixture
def garbage():
    """A port on which no collector listens."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()

    def serve():
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"x" * 64)
            client.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield server.getsockname()[1]
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


def client(prefix, *argv, **env):
    tool, *rest = argv
    return run([prefix.bin(tool), *rest], env=prefix.env(PMCD_CONNECT_TIMEOUT="1", PMCD_REQUEST_TIMEOUT="1", **env))


@pytest.mark.parametrize("tool", ["pminfo", "pmprobe", "pmval"])
def test_nobody_listens(prefix, tool):
    port = harness.free_port()
    done = client(prefix, tool, "-h", f"127.0.0.1:{port}", "a.b")
    assert done.returncode == 1
    assert done.stderr == f'{tool}: Cannot connect to PMCD on host "127.0.0.1:{port}": Connection refused\n'


@pytest.mark.parametrize("tool", ["pminfo", "pmprobe", "pmval"])
def test_host_does_not_answer(prefix, tool, silent):
    done = client(prefix, tool, "-h", f"127.0.0.1:{silent}", "a.b")
    assert done.returncode == 1
    assert "Timeout waiting for a response from PMCD" in done.stderr


@pytest.mark.parametrize("tool", ["pminfo", "pmprobe", "pmval"])
def test_no_collector_behind_the_port(prefix, tool, garbage):
    done = client(prefix, tool, "-h", f"127.0.0.1:{garbage}", "a.b")
    assert done.returncode == 1
    assert "IPC protocol failure" in done.stderr or "Connection reset" in done.stderr


def test_unknown_host(prefix):
    done = client(prefix, "pminfo", "-h", "no-such-host.invalid")
    assert done.returncode == 1 and "Cannot connect to PMCD" in done.stderr and "No route to host" in done.stderr


def test_bad_host_specification(prefix):
    done = client(prefix, "pminfo", "-h", "a:b")
    assert done.returncode == 1
    assert "pmNewContext: bad host specification\na:b\n  ^ -- non-numeric port\n" in done.stderr


def test_unknown_metric(prefix, shared_pmcd):
    done = client(prefix, "pminfo", "-h", shared_pmcd.host, "no.such")
    assert (done.returncode, done.stderr) == (1, "Error: no.such: Unknown metric name\n")
    done = client(prefix, "pmprobe", "-h", shared_pmcd.host, "no.such")
    assert (done.returncode, done.stdout) == (0, "no.such -12357 Unknown metric name\n")
    done = client(prefix, "pmval", "-h", shared_pmcd.host, "no.such")
    assert (done.returncode, done.stderr) == (1, "pmval: pmLookupName(no.such): Unknown metric name\n")


def pmcd(prefix, tmp_path, conf, *options, pmns=None, env=None):
    """Runs pmcd to its end; returns status and everything that it said."""
    (tmp_path / "pmcd.conf").write_text(conf)
    argv = [prefix.bin("pmcd"), "-f", "-A", "-c", str(tmp_path / "pmcd.conf"), "-p", "0", "-s", str(tmp_path / "s"),
            "-l", str(tmp_path / "log"), "-x", str(tmp_path / "fatal"), *options]
    if pmns is not None:
        (tmp_path / "names").write_text(pmns)
        argv += ["-n", str(tmp_path / "names")]
    done = run(argv, env=prefix.env(PCP_RUN_DIR=tmp_path, PCP_LOG_DIR=tmp_path, **(env or {})), timeout=120)
    said = done.stdout + done.stderr
    for name in ("log", "fatal"):
        if (tmp_path / name).exists():
            said += (tmp_path / name).read_text(errors="replace")
    return done.returncode, said


@pytest.mark.parametrize("line, message", [
    ("foo", 'expected domain number for "foo" agent'),
    ("foo x dso a_init /b", 'expected domain number for "foo" agent'),
    ("foo 511 dso a_init /b", 'Illegal domain number (511) for "foo" agent'),
    ("foo 7", "expected `dso', `socket' or `pipe'"),
    ("foo 7 dso a_init b.so", 'path "b.so" to PMDA is not absolute'),
    ("foo 7 pipe text /bin/true", "pipe PDU type expected (`binary')"),
    ("foo 7 socket moon 1", "expected socket address domain (`inet', `ipv6', or `unix')"),
    ("pmcd 2 dso pmcd_init /x.so\nbar 2 pipe binary /bin/true", 'domain number for "bar" agent clashes with "pmcd" agent'),
])
def test_malformed_configuration(prefix, tmp_path, line, message):
    status, said = pmcd(prefix, tmp_path, line + "\n", "-v")
    assert message in said
    assert f"pmcd config[line {line.count(chr(10)) + 1}]: Error: " in said
    assert status == 1


def test_configuration_missing(prefix, tmp_path):
    done = run([prefix.bin("pmcd"), "-f", "-A", "-c", "/no/such/pmcd.conf", "-p", "0", "-s", str(tmp_path / "s"),
                "-l", str(tmp_path / "log"), "-x", str(tmp_path / "fatal")], env=prefix.env(PCP_RUN_DIR=tmp_path))
    said = done.stderr + (tmp_path / "log").read_text() if (tmp_path / "log").exists() else done.stderr
    assert done.returncode == 1 and "/no/such/pmcd.conf" in said and "No such file or directory" in said


def test_no_agents(prefix, tmp_path):
    status, said = pmcd(prefix, tmp_path, "# nobody\n")
    assert status == 1 and "No PMDAs found in the configuration file" in said


@pytest.mark.parametrize("names, line, message", [
    ("root {\n  a 1:2:3\n}\nb 1:2:3\n", 4, "{ expected"),
    ("root {\n  a 999:2:3\n}\n", 2, "Illegal domain field in PMID"),
    ("root {\n  a 1:2:3\n  a 1:2:4\n}\n", 3, 'Duplicate name "a" in subtree for "root"'),
    ("root {\n  b\n}\n", None, 'Cannot find definition for non-terminal node "b" in name space'),
])
def test_malformed_name_space(prefix, tmp_path, names, line, message):
    status, said = pmcd(prefix, tmp_path, "pmcd 2 dso pmcd_init /x.so\n", pmns=names)
    assert status == 1
    assert message in said and "names" in said and "Error Parsing ASCII PMNS" in said
    if line is not None:
        assert f"names:{line}]" in said


def test_agent_program_missing(prefix, tmp_path):
    """The collector goes on without it, and says so."""
    with harness.Pmcd(prefix, tmp_path, ["gone 7 pipe binary /no/such/agent -d 7",
                                         f"linux 60 dso linux_init {prefix.dso('linux')}"]) as daemon:
        harness.wait_until("the log names it", lambda: "/no/such/agent" in daemon.log.read_text())
        done = client(prefix, "pminfo", "-h", daemon.host, "-f", "hinv.ncpu", "pmcd.agent.status")
        assert done.returncode == 0 and 'or "gone"] value 4' in done.stdout, done.stdout
        assert "No such file or directory" in daemon.log.read_text()


def test_dso_missing(prefix, tmp_path):
    with harness.Pmcd(prefix, tmp_path, ["gone 7 dso gone_init /no/such/pmda_gone.so"]) as daemon:
        assert "/no/such/pmda_gone.so" in daemon.log.read_text()
        done = client(prefix, "pminfo", "-h", daemon.host, "-f", "pmcd.version")
        assert done.returncode == 0


def test_socket_directory_missing(prefix, tmp_path):
    """One kind of socket is enough, so the path must be wrong and the port taken."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        (tmp_path / "pmcd.conf").write_text("pmcd 2 dso pmcd_init /x.so\n")
        done = subprocess.run([prefix.bin("pmcd"), "-f", "-A", "-c", str(tmp_path / "pmcd.conf"), "-p", str(port),
                               "-i", "127.0.0.1", "-s", str(tmp_path / "no/s"), "-l", str(tmp_path / "log"),
                               "-x", str(tmp_path / "fatal")],
                              env=prefix.env(PCP_RUN_DIR=tmp_path), capture_output=True, text=True, timeout=120)
    said = done.stderr + (tmp_path / "log").read_text()
    assert done.returncode == 1
    assert "Address already in use" in said and str(tmp_path / "no/s") in said


@pytest.mark.parametrize("command", [
    "pminfo -h HOST", "pminfo -h HOST -f hinv.ncpu", "pmprobe -h HOST -v hinv.ncpu", "pmval -h HOST -s 1 hinv.ncpu",
    "pmerr 0", "pitot --version", "pitot --help",
])
def test_closed_output(prefix, shared_pmcd, command):
    """The connection would be descriptor 1, and the collector get what is meant for the user."""
    tool, *rest = command.replace("HOST", shared_pmcd.host).split()
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", prefix.bin(tool), *rest], env=prefix.env(), timeout=120,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, f"{tool}: cannot write to standard output: Bad file descriptor\n")
