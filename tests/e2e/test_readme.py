"""Every command of the README is run, and prints what the README shows (but for numbers)."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness import DEADLINE_S, free_port, run, wait_until
from test_up import NOBODY, Up, readable  # noqa: F401

# Every tracing agent of a user sees the programs of all others: these tests do not run side by side with their like.
pytestmark = pytest.mark.xdist_group(name="traced")

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
# Programs that change nothing.
LOOKS = ("pminfo ", "pmprobe ", "pmval ", "pmrep ", "pmevent ", "pitot status", "pitot trace status", "pitot trace dump")


def blocks(kind):
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```", README)


def shape(text):
    """Numbers, and words that are the machine's own, made equal; blanks of alignment too."""
    text = re.sub(r"(?m)^(host: +)\S+$", r"\1HOST", text)
    text = re.sub(r"(?m)^(Pitot \S+ on )\S+:", r"\1HOST:", text)
    text = re.sub(r"(?m)^(start|end): .*$", r"\1: THEN", text)
    text = re.sub(r"(?m)(?<= )(unix:)?/\S+$", "PATH", text)
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{9} \d+(/\d+)?", "TIME THREAD", text)
    text = re.sub(r"made .* by \S+", "made THEN by US", text)
    text = re.sub(r"0x[0-9A-Fa-f]+", "N", text)
    text = re.sub(r"-?\d+(\.\d*)?(E[-+]\d+)?", "N", text)
    return [" ".join(line.split()) for line in text.strip("\n").splitlines()]


def console():
    """The commands of the console blocks with what the README says they print."""
    for block in blocks("console"):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.fixture(scope="module")
def up(prefix, tmp_path_factory):
    home = tmp_path_factory.mktemp("readme")
    one = Up(prefix, home, "--port", str(free_port()))
    # Of programs with trace points, the reader's alone: others may run on this machine.
    shutil.copytree(prefix.path / "etc" / "pcp", home / "etc")
    (home / "etc" / "tracing" / "tracing.conf").write_text("ignore command=[!h]* ;\n")
    one.env["PCP_SYSCONF_DIR"] = str(home / "etc")
    one.start()
    wait_until("the first record", lambda: list((one.home / "archives").glob("*.index")))
    # A moment between the first two records of what is recorded every ten seconds.
    one.moment = time.strftime("@%H:%M:%S", time.localtime(time.time() + 4))
    yield one
    one.stop()


@pytest.mark.parametrize("command, output", list(console()), ids=lambda text: text.splitlines()[0] if text else "")
def test_five_minutes(prefix, up, command, output):
    if command.startswith("export PATH="):
        assert command == "export PATH=$PWD/build/stage/bin:$PATH"
        return
    env = {**up.env, "PATH": f"{prefix.path / 'bin'}:{os.environ['PATH']}", "PMCD_SOCKET": str(up.socket),
           "PMCD_PORT": up.options[1], "LC_ALL": "C"}
    command = command.replace("~/.local/state/pitot/archives", str(up.home / "archives"))
    command = command.replace("@03:12", up.moment)
    command = command.replace("$PWD/build/stage", str(prefix.path)).replace("build/stage", str(prefix.path))

    def tell(text):
        return subprocess.run(["/bin/sh", "-c", text], env=env, cwd=ROOT, capture_output=True, text=True, timeout=120)
    done = tell(command)
    look = command.rpartition("; ")[2]
    if look.startswith(LOOKS):  # on a slow machine what is looked at may not be there yet
        end = time.monotonic() + DEADLINE_S
        while shape(done.stdout) != shape(output) and time.monotonic() < end:
            done = tell(look)
    assert done.returncode == 0 and done.stderr == ""
    assert shape(done.stdout) == shape(output)


def test_every_sh_block_is_known():
    assert [b.strip() for b in blocks("sh")] == ["./run", "./check", "make install PREFIX=/opt/pitot"]


@pytest.mark.xdist_group(name="places_below_tmp")
@pytest.mark.usefixtures("places_below_tmp")
@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user; without root the other tests run as one")
@pytest.mark.parametrize("variables", [("HOME", "XDG_RUNTIME_DIR"), ("HOME",), ()], ids=["login", "home", "none"])
def test_tour_as_an_ordinary_user(readable, variables):  # noqa: F811
    """The README's commands find everything, with no variable but PATH to help them."""
    runtime = readable / "runtime"
    runtime.mkdir(0o700)
    os.chown(runtime, NOBODY, NOBODY)
    values = {"HOME": str(readable / "home"), "XDG_RUNTIME_DIR": str(runtime)}
    env = {"PATH": f"{readable}/prefix/bin:/usr/bin:/bin", **{name: values[name] for name in variables}}
    who = {"env": env, "user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/", "text": True}
    archives = f"{readable}/home/.local/state/pitot/archives" if "HOME" in variables else f"/tmp/pitot-{NOBODY}/state/archives"
    with subprocess.Popen(["pitot", "up", "--port", "0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **who) as process:
        try:
            assert any("Ctrl-C stops" in line for line in process.stdout), process.stderr.read()

            def tell(command, text=None):
                return subprocess.run(["/bin/sh", "-c", command], input=text, capture_output=True, timeout=120, **who)

            def works(command, text, said):
                done = tell(command, text)
                return (done.returncode, done.stderr) == (0, "") and said in done.stdout
            for command, text, said in [
                    ("pminfo -f kernel.all.load", None, '"1 minute"] value'),
                    ("pmval -s 2 -t 0.1 hinv.ncpu", None, "samples:   2"),
                    ("pitot status -t 0", None, f" into {archives}"),
                    ("pitot doctor -t 0", None, "nothing is wrong"),
                    ("pmlc -P", "query kernel.all.load\n", "kernel.all.load"),
                    (f"pminfo -f -a {archives} hinv.ncpu", None, "value ")]:
                wait_until(command, lambda: works(command, text, said))
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
    shutil.rmtree(f"/tmp/pitot-{NOBODY}", ignore_errors=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of what is in the project, so that a build of its own disturbs no other."""
    files = run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    if files.returncode != 0:
        pytest.skip("not a git checkout")
    target = tmp_path_factory.mktemp("copy")
    for name in filter(None, files.stdout.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    return target


def test_run(copy, prefix, tmp_path):
    env = Up(prefix, tmp_path).env
    for options in ([], ["--seconds", "1", "--port", "0"]):
        argv = [copy / "run", *(options or ["--port", "0"])]
        process = subprocess.Popen([str(a) for a in argv], env=env, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stdout:
            assert not re.match(r" *\d+/\d+ ", line)
            if "Ctrl-C stops" in line:
                break
        if not options:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, process.stderr.read()
        process.stdout.close()
        process.stderr.close()


def test_run_says_what_it_does(copy, prefix, tmp_path):
    process = subprocess.Popen([str(copy / "run"), "--port", "0", "--seconds", "1"], env=Up(prefix, tmp_path).env,
                               stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert f"The log: {copy}/build-run.log\n" in process.stdout.readline()
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        process.stdout.close()


@pytest.mark.usefixtures("terminals")
def test_run_shows_progress_on_a_terminal_alone(copy, prefix, tmp_path):
    """The count of the build comes again and again on one line; elsewhere there are only whole lines."""
    shutil.rmtree(copy / "build" / "stage-build", ignore_errors=True)  # so that there is something to build
    master, slave = os.openpty()
    process = subprocess.Popen([str(copy / "run"), "--port", "0", "--seconds", "1"], env=Up(prefix, tmp_path).env,
                               stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    text = b""
    try:
        while not re.search(rb"\r  \d+/\d+ ", text):
            more = os.read(master, 4096)
            assert more, text
            text += more
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        os.close(master)
    assert text.startswith(b"Building Pitot; ")


def test_make_install(copy, tmp_path):
    target = tmp_path / "opt"
    done = run(["make", "-C", copy, "install", f"PREFIX={target}"], timeout=3600)
    assert done.returncode == 0, done.stderr
    for name in ("bin/pitot", "bin/pmcd", "bin/pmdalinux", "bin/pminfo", "bin/pmval", "bin/pmprobe", "lib/libpcp.so.3",
                 "lib/libpcp_pmda.so.3", "lib/libtrace.so.1", "lib/libtrace.a", "include/trace.h", "include/trace_np.h", "lib/pkgconfig/libtrace.pc",
                 "lib/pcp/pmda_linux.so", "lib/pkgconfig/libpcp.pc",
                 "lib/pkgconfig/libpcp_pmda.pc", "include/pcp/pmapi.h", "include/pcp/pmda.h", "include/pcp/impl.h",
                 "include/pitot/agent.h", "etc/pcp.conf", "etc/pcp/pmcd/pmcd.conf", "share/man/man1/pminfo.1"):
        assert (target / name).exists(), name
    version = run([target / "bin/pminfo", "--version"])
    assert "6.0.3" in version.stdout + version.stderr
    done = run(["make", "-C", copy, "uninstall"], timeout=120)
    assert done.returncode == 0, done.stderr
    assert not [p for p in target.rglob("*") if p.is_file()]
