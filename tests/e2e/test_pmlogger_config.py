"""The messages of our recorder about its configuration, compared with Debian's for the same file."""
import collections
import re
import subprocess
import time

import pytest

import harness
import peer
import recorders

# A statement for all instances, and a later one for one of them.
TAKEN_OUT = [("advisory on 10 sec", "mandatory on 5 sec"), ("advisory on 10 sec", "advisory on 5 sec"),
             ("mandatory on 10 sec", "mandatory on 5 sec"), ("mandatory on 10 sec", "advisory on 5 sec"),
             ("mandatory on 10 sec", "mandatory off"), ("mandatory on 10 sec", "mandatory maybe"),
             ("advisory on 10 sec", "advisory off"), ("mandatory off", "mandatory on 5 sec"), ("mandatory off", "advisory on 5 sec"),
             ("mandatory on 10 sec", "mandatory on 10 sec"), ("advisory on 10 sec", "mandatory on 10 sec")]
FILES = {
    **{f"one of all: {first}, {then}": f'log {first} {{ sample.colour }}\nlog {then} {{ sample.colour["red"] }}\n'
       for first, then in TAKEN_OUT},
    "lookup": "log mandatory on 1 sec {\n no.such.metric\n sample.seconds\n sample.nosuch\n}\n",
    "instances": 'log mandatory on 1 sec { sample.colour [ "red" "7 minute" 5 77 ] }\n'
                 "log advisory on 2 sec sample.colour\n\nlog advisory on 1 sec { sample.bin [ \"bin-100\" ] }\n",
    "singular with an instance": "log on 1 sec { sample.long.one [ 3 ] }\nlog on 1 sec { sample.bin [ nosuch ] \n}\n\n",
    "syntax": "log on 1 sec {\n sample.seconds\n}\nlog bad\n",
    "empty list": "log on once { }\n",
    "advisory maybe": "log advisory maybe { sample.seconds }\n",
    "character": "log on 1 sec sample.seconds\n\nlog ? foo\n",
    "delta": "log on 300 hours sample.seconds\n",
    "delta at its limit": "log on 268435455 msec sample.seconds\nlog on 268435456 msec sample.long.one\n",
    "widened": 'log mandatory on 1 sec { sample.bin["bin-100"] } log mandatory off { sample.bin }\n'
               'log advisory on 5 sec { sample.bin }\n',
    "narrowed": 'log mandatory on 1 sec { sample.bin } log advisory on 5 sec { sample.bin["bin-100", "bin-200"] }\n',
    "later wins": "log advisory on 3 sec { sample.long.one } log advisory on 4 sec {sample.long.one}\n"
                  "log mandatory on 2 sec {sample.long.one}\nlog mandatory maybe {sample.long.one}\n"
                  "log mandatory off {sample.long.one}\n",
    "mandatory stays": "log mandatory on 3 sec { sample.long.one }\nlog advisory off { sample.long.one }\n"
                       "log advisory on 3 sec { sample.long.one }\n",
    "same twice": "log mandatory on 3 sec { sample.long.one sample.long.one sample.long }\n",
    "empty": "",
    "comment": "# nothing\n\n",
    "access": "log on once { sample.seconds }\n[access]\nallow localhost : all;\n disallow .* : all except enquire;\n",
    "access without list": "log on once sample.seconds\n[access]\nallow a : all;\n",
    "access unfinished": "[access]\nallow localhost : all\ndisallow localhost : all;\n",
    "include": '%include "nosuchfile"\nlog on once { sample.seconds }\n',
    "define": "%define X foo bar\nlog on once { sample.seconds }\n",
    "macro": "%define WHAT sample.nosuch\n%define D '2 sec'\n%ifdef WHAT\nlog on %D { %WHAT %{WHAT}.x }\n%endif\n",
    "names as keywords": "log mandatory on default { log.on access }\n",
}


@pytest.fixture(scope="module")
def both(peer_root):
    with peer.Peer(agents=("pmcd", "sample"), root=peer_root) as debian:
        yield debian


def diagnostics(text):
    """The messages, without time, process and preprocessor."""
    lines = text.splitlines()
    return [line for line in lines if line != "" and not re.match(
        r"Log (for|finished)|preprocessor cmd|\[.*\] pmlogger\(\d+\) Info: Start", line)]


@pytest.mark.parametrize("name", FILES)
def test_as_debian_says_it(prefix, both, tmp_path, name):
    told, status = {}, {}
    for who, program, env in (("ours", prefix.bin("pmlogger"), prefix.env()),
                              ("debian", both.program("pmlogger"), both.env())):
        folder = tmp_path / who
        folder.mkdir()
        (folder / "cfg").write_text(FILES[name])
        done = harness.run([program, "-C", "-c", "cfg", "-h", both.host], cwd=folder, env=env)
        status[who] = done.returncode
        told[who] = diagnostics(done.stdout + done.stderr)
    if name == "access" and not harness.own_name_has_address():
        assert [line for line in told["debian"] if "__pmGetAddrInfo" in line], told["debian"]
        assert (told["ours"], status["ours"]) == (["Config parsed"], 0)
        return
    assert told["ours"] == told["debian"]
    assert status["ours"] == status["debian"]


def test_shell_is_refused(prefix, both, tmp_path):
    (tmp_path / "cfg").write_text('%shell "touch proof"\nlog on once { sample.seconds }\n')
    done = harness.run([prefix.bin("pmlogger"), "-C", "-c", "cfg", "-h", both.host], cwd=tmp_path, env=prefix.env())
    assert not (tmp_path / "proof").exists()
    assert "no command is run for a file" in done.stderr


def test_from_standard_input(prefix, both, tmp_path):
    done = subprocess.run([prefix.bin("pmlogger"), "-C", "-h", both.host], cwd=tmp_path, env=prefix.env(),
                          input="log on once { sample.seconds }\nlog what\n", text=True, capture_output=True,
                          timeout=180)
    assert done.returncode == 1
    assert "(<stdin>)\n[line 2] syntax error" in done.stderr


@pytest.mark.parametrize("first, then", TAKEN_OUT)
def test_one_of_all(prefix, both, first, then):
    """The states that pmlc receives."""
    said = {}
    for kit in recorders.theirs(both), recorders.ours(prefix):
        config = f'log {first} {{ sample.colour }}\nlog {then} {{ sample.colour["red"] }}\n'
        with kit.recorder(both, f"{kit.name} {first} {then}".replace(" ", "-"), config=config) as one:
            text = kit.talk(both, "query sample.colour\n", one.pid).partition("sample.colour\n")[2]
            said[kit.name] = re.sub(r"(on |off) (nl|na|  ) ", r"\1    ", text)
    if "off" in then or "maybe" in then and "on" in first:
        # It goes on being logged (test_each_statement_logs); the other says that it is off.
        assert re.match(r"    (mand|adv ) off", said["theirs"])
        said["theirs"] = re.sub(r"^.{28}", said["ours"][:28], said["theirs"])
    assert said["ours"] == said["theirs"] and said["ours"].count("\n") > 3


# Overlapping statements; the test counts the records of each metric or instance in 3.2 s.
MEETING = {
    "two intervals": "log mandatory on 500 msec { sample.long.one }\nlog mandatory on 1 sec { sample.long.one }\n",
    "the longer one first": "log mandatory on 1 sec { sample.long.one }\nlog advisory on 500 msec { sample.long.one }\n",
    "advisory": "log advisory on 500 msec { sample.long.one }\nlog mandatory on 1 sec { sample.long.one }\n",
    "three": "".join(f"log mandatory on {n} msec {{ sample.long.one }}\n" for n in (500, 1000, 700)),
    "once": "log mandatory on once { sample.long.one }\nlog mandatory on 1 sec { sample.long.one }\n",
    "off": "log mandatory on 500 msec { sample.long.one }\nlog mandatory off { sample.long.one }\n",
    "maybe": "log mandatory on 500 msec { sample.long.one }\nlog mandatory maybe { sample.long.one }\n",
    "off before": "log mandatory off { sample.long.one }\nlog mandatory on 500 msec { sample.long.one }\n",
    "all, then one": 'log mandatory on 500 msec { sample.colour }\nlog mandatory on 1 sec { sample.colour["red"] }\n',
    "one, then all": 'log mandatory on 500 msec { sample.colour["red"] }\nlog mandatory on 1 sec { sample.colour }\n',
    "all, then one off": 'log mandatory on 500 msec { sample.colour }\nlog mandatory off { sample.colour["red"] }\n',
    "one, twice": 'log mandatory on 500 msec { sample.colour["red"] }\nlog mandatory on 1 sec { sample.colour["red"] }\n',
    "one off": 'log advisory on 500 msec { sample.colour["red", "blue"] }\nlog mandatory off { sample.colour["red"] }\n',
}


def start_for_a_while(program, host, folder, config, env):
    """Returns when the recorder is connected: Debian's pmcd has a short queue for connections, and Debian's pmlogger ends
    when that is full."""
    folder.mkdir()
    (folder / "cfg").write_text(config)
    process = subprocess.Popen([program, "-h", host, "-c", "cfg", "-l", "log", "-T", "3.2sec", folder / "a"], cwd=folder, env=env)
    log = folder / "log"
    harness.wait_until("it is connected", lambda: process.poll() is not None or
                       log.exists() and "Archive basename" in log.read_text(errors="replace"))
    return process


def counted(prefix, archive):
    """How often each metric, or instance, has a value."""
    text = harness.run([prefix.bin("pmdumplog"), archive, "sample"], env=prefix.env()).stdout
    metrics = re.findall(r"\((sample\.long\.one)\)", text)
    return collections.Counter(metrics + re.findall(r'inst \[\d+ or "(\w+)', text))


@harness.patient("Debian's recorder has no clock that a test could set; ours alone: tests/daemons/pmlogger/test_turn.c")
def test_each_statement_logs(prefix, both, tmp_path):
    """A metric of several statements is logged by each of them: all cases at once, ours beside Debian's."""
    kits = {"ours": (prefix.bin("pmlogger"), prefix.env(PCP_RUN_DIR=tmp_path, PCP_TMP_DIR=tmp_path)),
            "debian": (both.program("pmlogger"), both.env())}
    folders = {(name, who): tmp_path / re.sub(r"\W+", "-", f"{name} {who}") for name in MEETING for who in kits}
    running = [start_for_a_while(kits[who][0], both.host, folders[name, who], MEETING[name], kits[who][1])
               for name, who in folders]
    assert [one.wait(60) for one in running] == [0] * len(running)
    told = {at: counted(prefix, folder / "a") for at, folder in folders.items()}
    wrong = [(name, told[name, "ours"], told[name, "debian"]) for name in MEETING
             if told[name, "ours"] != told[name, "debian"]]
    assert all(told.values())
    if wrong:
        raise harness.TooSlow(f"{wrong}")
