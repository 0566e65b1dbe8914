"""SIGHUP in the middle of traffic loses no request (docs/spec/pmcd.md 7.1): many clients ask without
pause, one by one and ahead, while agents come, go and change, names and rights change, hundreds of
times."""
import os
import pathlib
import random
import signal
import struct
import sys
import threading
import time

import harness
import wire

AGENT = pathlib.Path(__file__).with_name("pipe_agent.py")
STAYS, CHANGES, COMES = 240, 241, 242
LOOPS, AHEAD, DEPTH = 14, 6, 30
HANGUPS = int(os.environ.get("PITOT_SIGHUPS", 300))
ADD, RESTART, DROP = 1, 2, 4
SIGHUPS = wire.pmid(2, 0, 22)
WELL = wire.pmid(STAYS, 0, 0)


def pipe(domain, *ways):
    return f"dyn{domain} {domain} pipe binary {sys.executable} {AGENT} {domain} {' '.join(ways)}"


class Asker(threading.Thread):
    """Sends requests until it must stop, and checks each answer. depth: the number of requests that are sent ahead."""

    def __init__(self, daemon, depth, seed):
        super().__init__()
        self.client = wire.ready(daemon.socket, timeout_s=harness.DEADLINE_S)
        self.depth, self.random = depth, random.Random(seed)
        self.stop, self.count, self.mask, self.error, self.slowest = False, 0, 0, None, 0

    def question(self):
        """One request, and what its answer has to be."""
        domain = self.random.choice((CHANGES, COMES))
        return self.random.choice((
            (wire.fetch([WELL, wire.pmid(domain, 0, 0)]), self.fetched),
            (wire.fetch([WELL, wire.pmid(2, 0, 3)]), self.fetched),
            (wire.desc_req(WELL), lambda got: got.kind == wire.DESC),
            (wire.desc_req(wire.pmid(domain, 0, 0)), lambda got: got.kind in (wire.DESC, wire.ERROR)),
            (wire.instance_req(STAYS << 22 | 1), lambda got: got.kind == wire.INSTANCE),
            (wire.names_req([f"dyn{STAYS}.one"]), lambda got: got.raw[12:] == struct.pack(">iiI", 1, 1, WELL)),
            (wire.traverse_req(""), lambda got: got.kind == wire.PMNS_NAMES),
            (wire.store([(WELL, [(-1, 1)])]), lambda got: got.kind == wire.ERROR),
        ))

    @staticmethod
    def fetched(got):
        values = dict(got.values)
        other = [v for k, v in values.items() if k != WELL][0]
        gone = other in (wire.PM_ERR_NOAGENT, wire.PM_ERR_AGAIN, wire.PM_ERR_IPC)
        return values[WELL] == [(-1, 42)] and (isinstance(other, list) or gone)

    def answer(self, check):
        got = self.client.receive()
        while got.kind == wire.ERROR and got.code > 0:
            self.mask |= got.code
            got = self.client.receive()
        assert check(got), got
        self.count += 1

    def run(self):
        try:
            while not self.stop:
                lot = [self.question() for _ in range(self.depth)]
                start = time.monotonic()
                self.client.send(b"".join(request for request, _ in lot))
                for _, check in lot:
                    self.answer(check)
                self.slowest = max(self.slowest, (time.monotonic() - start) / self.depth)
        except Exception as error:  # reported by the test, with the others
            self.error = repr(error)
        self.client.close()


def configuration(turn, prefix):
    """The lines of this turn: one agent stays, one is started differently, one comes and goes."""
    lines = [f"pmcd 2 dso pmcd_init {prefix.dso('pmcd')}", pipe(STAYS)]
    if turn % 8 < 4:
        lines.append(pipe(CHANGES, f"big={2 + turn % 3 // 2}"))
    if turn % 16 > 11:
        lines.append(pipe(COMES))
    rights = ("", '[access]\nallow "unix:" : all;\n', '[access]\ndisallow "*" : store;\n')[turn // 8 % 3]
    return "\n".join(lines) + "\n" + rights


def test_no_request_is_lost(prefix, tmp_path):
    var = tmp_path / "var"
    (var / "pmns").mkdir(parents=True)
    with harness.Pmcd(prefix, tmp_path / "p", [pipe(STAYS)], env={"PCP_VAR_DIR": var}) as daemon:
        askers = [Asker(daemon, 1, n) for n in range(LOOPS)] + [Asker(daemon, DEPTH, n) for n in range(AHEAD)]
        for asker in askers:
            asker.start()
        with wire.ready(daemon.socket) as control:
            seen = control.value(SIGHUPS)
            for turn in range(HANGUPS):
                if turn % 4 == 0:
                    new = daemon.conf.with_suffix(".new")
                    new.write_text(configuration(turn, prefix))
                    os.rename(new, daemon.conf)
                if turn % 5 == 0:
                    (var / "pmns/root_site").write_text(f"root {{\n site\n}}\nsite {{\n name{turn} 9:0:{turn % 1000}\n}}\n")
                daemon.process.send_signal(signal.SIGHUP)
                if turn % 2:  # every other one may come together with the one before
                    harness.wait_until("it counts", lambda before=seen: control.value(SIGHUPS) > before)
                else:
                    time.sleep(0.02 if turn % 10 else 0.1)
                seen = control.value(SIGHUPS)
            pids = [line.split()[2] for line in daemon.log.read_text().splitlines() if line.startswith(f"dyn{STAYS}")]
        for asker in askers:
            asker.stop = True
        for asker in askers:
            asker.join(harness.DEADLINE_S)
        assert [a.error for a in askers if a.error] == []
        assert min(a.count for a in askers) > 20, "everybody was served"
        assert len(set(pids)) == 1, "the agent that stays was never started again"
        assert seen > HANGUPS / 3, "signals that come together count as one, but not so many"
        told = [a.mask for a in askers]
        assert all(mask & (ADD | DROP) == ADD | DROP for mask in told), told
        with wire.ready(daemon.socket) as client:
            assert client.value(WELL) == 42
            harness.wait_until("all have gone", lambda: client.value(wire.pmid(2, 0, 3)) == 1)
        assert daemon.process.poll() is None
