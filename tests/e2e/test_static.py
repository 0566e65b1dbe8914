"""Programs that are linked with libtrace.a: all of it, or all but the C library."""
import pathlib
import re
import shlex
import shutil
import signal

import pytest

from harness import run, wait_until
from tracers import Tracer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# A program may use the names of the library's internal functions.
CONTROLLER = """
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <trace.h>

int drain(void);
int drain(void) { return 42; }
int record_slow, proc_alive, crc32c;

int main(int argc, char **argv)
{
	trace_attr_t attr;
	trace_event_id_t id;
	trace_id_t trid;
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);

	if (argc != 2 || drain() != 42 || record_slow + proc_alive + crc32c != 0)
		return 1;
	posix_trace_attr_init(&attr);
	posix_trace_eventid_open("tick", &id);
	if (posix_trace_create_withlog(0, &attr, fd, &trid) != 0 || posix_trace_start(trid) != 0)
		return 2;
	for (int i = 0; i < 1000; i++)
		posix_trace_event(id, &i, sizeof(i));
	raise(SIGKILL);
	return 3;
}
"""


@pytest.fixture(scope="module")
def tracer(prefix, tmp_path_factory):
    return Tracer(prefix, tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="module", params=["static", "beside-libc"])
def link(request, prefix, tmp_path_factory):
    """Compiles and links as the manual says: a function of a source and a name."""
    directory = tmp_path_factory.mktemp(request.param)

    def build(source, name):
        env = prefix.env(PKG_CONFIG_PATH=prefix.path / "lib" / "pkgconfig")
        flags = run(["pkg-config", "--static", "--cflags", "--libs", "libtrace"], env=env)
        assert flags.returncode == 0, flags.stderr
        words = shlex.split(flags.stdout)
        if request.param != "static":  # the library alone
            words = ["-l:libtrace.a" if w == "-ltrace" else w for w in words]
        more = ["-static"] if request.param == "static" else []
        done = run(["cc", "-std=gnu11", "-O2", *more, "-o", directory / name, source, *words])
        assert done.returncode == 0, done.stderr
        needed = run(["readelf", "-d", directory / name]).stdout
        assert "libtrace" not in needed and ("libc.so" in needed) == (request.param != "static")
        return directory / name
    return build


def test_nothing_but_the_interface_is_visible(prefix):
    """The same names as in the shared library."""
    names = run(["nm", "-g", "--defined-only", "--format=posix", prefix.path / "lib" / "libtrace.a"]).stdout
    seen = set(re.findall(r"(?m)^(\w+) [A-Z] ", names))
    text = (ROOT / "src/libtrace/libtrace.map").read_text(encoding="utf-8")
    assert seen == set(re.findall(r"(?m)^\s+(\w+);", text))


def test_an_example(tracer, link, tmp_path):
    traced = link(ROOT / "examples" / "traced.c", "traced")
    tracer.record(tmp_path / "a.log", traced, "3")
    assert [e["fields"]["number"] for e in tracer.events(tmp_path / "a.log") if e["name"] == "step"] == [1, 2, 3]
    done = run([link(ROOT / "examples" / "trace_self.c", "trace_self")])
    assert done.returncode == 0 and done.stdout.endswith("read 3, lost 0\n")


@pytest.mark.parametrize("arguments, options, count", [
    (["burst", "1000"], [], 1000), (["threads", "4", "1000"], [], 4000), (["family"], ["--children"], 5)])
def test_it_is_traced_as_others_are(tracer, link, tmp_path, arguments, options, count):
    worker = link(HERE / "trace_worker.c", "worker")
    tracer.record(tmp_path / "a.log", worker, *arguments, options=options)
    assert len(tracer.numbers(tmp_path / "a.log")) == count


def test_a_killed_controller_leaves_a_whole_log(tracer, link, tmp_path):
    (tmp_path / "controller.c").write_text(CONTROLLER)
    log = tmp_path / "a.log"
    done = run([link(tmp_path / "controller.c", "controller"), log])
    assert done.returncode == -signal.SIGKILL
    wait_until("the log is complete", lambda: tracer("dump", log).returncode == 0)
    assert len([e for e in tracer.events(log) if e["name"] == "tick"]) == 1000


def test_a_moved_installation(prefix, link, tmp_path):
    """The program needs nothing of where it was built."""
    program = shutil.copy(link(ROOT / "examples" / "trace_self.c", "trace_self"), tmp_path)
    assert run([program], env={"PATH": "/usr/bin:/bin"}).stdout.endswith("read 3, lost 0\n")
