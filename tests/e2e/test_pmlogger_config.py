"""What our recorder says about its configuration, beside what Debian's says of the same file."""
import re
import subprocess

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
    """What was said, without what tells of time, process and preprocessor."""
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
                          timeout=60)
    assert done.returncode == 1
    assert "(<stdin>)\n[line 2] syntax error" in done.stderr


@pytest.mark.parametrize("first, then", TAKEN_OUT)
def test_one_of_all(prefix, both, first, then):
    """The states that pmlc is told of."""
    said = {}
    for kit in recorders.theirs(both), recorders.ours(prefix):
        config = f'log {first} {{ sample.colour }}\nlog {then} {{ sample.colour["red"] }}\n'
        with kit.recorder(both, f"{kit.name} {first} {then}".replace(" ", "-"), config=config) as one:
            text = kit.talk(both, "query sample.colour\n", one.pid).partition("sample.colour\n")[2]
            said[kit.name] = re.sub(r"(on |off) (nl|na|  ) ", r"\1    ", text)
    assert said["ours"] == said["theirs"] and said["ours"].count("\n") > 3
