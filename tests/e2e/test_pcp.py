"""pcp(1): the summary is Debian's, and commands get their source from the environment."""
import os
import re
import subprocess

import pytest

from both import ARCHIVES
from peer import bare_env

ENVIRONMENT = "#!/bin/sh\nenv | grep ^PCP_ | grep -v 'PCP_CONF\\|PCP_DIR' | sort\necho \"$@\"\nexit 7\n"
# In the first two 6.0.3 does not show what there is; and it folds a list of agents so that its lines have similar lengths.
OTHERS = ("20190628.04.03", "multi")


@pytest.fixture(scope="module")
def sides(prefix, peer_root, tmp_path_factory):
    """Runs Debian's script and our program: status and all text."""
    folder = tmp_path_factory.mktemp("pcp")
    env = {**bare_env(peer_root, folder), "LC_ALL": "C.UTF-8"}
    env["PATH"] = f"{peer_root}/usr/bin:{env['PATH']}"
    (folder / "etc").mkdir()
    for name in ("pcp.conf", "pcp.env"):
        (folder / "etc" / name).write_text((folder / name).read_text())
    env.update(PCP_CONF=f"{folder}/etc/pcp.conf", PCP_DIR=str(folder))
    archives = peer_root / "var/lib/pcp/testsuite/archives"

    def run(*args):
        args = [arg.replace("{archives}", str(archives)) for arg in args]
        answers = []
        for program, own in ((f"{peer_root}/usr/bin/pcp", env),
                             (prefix.bin("pcp"), {n: v for n, v in env.items() if n != "LD_LIBRARY_PATH"})):
            done = subprocess.run([program, *args], env=own, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
            answers.append((done.returncode, re.sub(r" \(Pitot [\d.]+\)", "", done.stdout)))
        return answers
    return run


@pytest.mark.parametrize("archive", [name for name in (*ARCHIVES, "pcpcmd", "node_archive") if name not in OTHERS])
def test_summary_of_an_archive(sides, archive):
    theirs, ours = sides("-a", "{archives}/" + archive)
    assert ours == theirs


@pytest.mark.parametrize("line", ["-P -a {archives}/pcp-zeroconf", "-P -a {archives}/pcpcmd", "-a {archives}/pcpcmd -O 10", "-a nope",
                                  "-z -a {archives}/pcpcmd", "-h nowhere.invalid", "", "-g", "-V", "no-such-command"])
def test_line(sides, line):
    theirs, ours = sides(*line.split())
    assert ours == theirs


def test_command_gets_options_from_the_environment(prefix, tmp_path):
    folder = tmp_path / ".pcp/bin"
    folder.mkdir(parents=True)
    (folder / "pcp-show").write_text(ENVIRONMENT)
    (folder / "pcp-show").chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([prefix.bin("pcp"), "-h", "host1", "-t", "2 sec", "-s", "3", "-z", "show", "-a", "two words; $(false)"], env=env,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 7 and done.stderr == ""
    assert done.stdout.splitlines() == ["PCP_HOST=host1", "PCP_HOSTZONE=true", "PCP_INTERVAL=2 sec", "PCP_SAMPLES=3",
                                        "-a two words; $(false)"]
    shown = subprocess.run([prefix.bin("pcp"), "--help"], env=env, capture_output=True, text=True, timeout=60)
    assert " show" in shown.stderr.partition("Available Commands:")[2]


def test_examples_of_the_page(prefix, shared_pmcd):
    """man/man1/pcp.1."""
    env = prefix.env(PMCD_SOCKET=shared_pmcd.socket)
    done = subprocess.run([prefix.bin("pcp")], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Performance Co-Pilot configuration on ")
    assert [line.split(":")[0].strip() for line in lines[2:8]] == ["platform", "hardware", "timezone", "services", "pmcd", "pmda"]
    assert re.search(r"Version 6\.0\.3\S*, 2 agents", done.stdout) and "pmda: pmcd linux" in done.stdout
    done = subprocess.run([prefix.bin("pcp"), "-h", shared_pmcd.host, prefix.bin("pmstat"), "-s", "1", "-t", "0.1"], env=prefix.env(),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "loadavg" in done.stdout
