"""control - the cost of a request at the control port of a recorder for its client: enquiries and changes of many
metrics (docs/performance.md part F), ours and Debian's, both with Debian's collector."""
import pathlib
import socket
import statistics
import struct
import time

from collectors import DSO_DOMAIN
from setting import BUILD, STAGE, debian, harness, quick, ratio

import recorders  # of the end-to-end tests

SIZES = quick((1, 1000, 10000), (1, 10))
# The requests, in this order: control and state.
STEPS = (("enquire, new to it", 13, 0), ("advisory on", 12, 2), ("enquire", 13, 0), ("advisory off", 12, 0),
         ("mandatory on", 11, 2), ("mandatory off", 11, 0), ("mandatory maybe", 11, 1))
PATIENCE_S = 150  # for one request of Debian's


class Client:
    def __init__(self, recorder):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(recorder.socket))
        self.sock.settimeout(PATIENCE_S)
        self.receive()
        self.sock.sendall(struct.pack(">IIIIBBBB", 20, 0x700c, 1, 1, 1, 3, 0, 0))

    def receive(self):
        head = self.take(12)
        return struct.unpack(">II", head[:8])[1], self.take(struct.unpack(">I", head[:4])[0] - 12)

    def take(self, n):
        data = bytearray()
        while len(data) < n:
            part = self.sock.recv(n - len(data))
            if not part:
                raise ConnectionError("the recorder has hung up")
            data += part
        return bytes(data)

    def ask(self, pmids, control, state):
        """Seconds from the request to the end of its answer."""
        body = struct.pack(">iiiI", control, state, 60000 if state == 2 else 0, len(pmids))
        body += b"".join(struct.pack(">Iii i", pmid, 1, -1, 0) for pmid in pmids)
        begun = time.monotonic()
        self.sock.sendall(struct.pack(">III", 12 + len(body), 0x8000, 0) + body)
        kind, answer = self.receive()
        took = time.monotonic() - begun
        if kind != 0x7001 or struct.unpack(">I", answer[8:12])[0] != len(pmids):
            raise RuntimeError(f"no answer: {kind:x}")
        return took


def collector():
    """Debian's pmcd with the metrics and names for them: its pmlogger exits if a metric has no name."""
    debian.AGENTS["bench"] = (DSO_DOMAIN, f"dso bench_init {BUILD}/pmda_bench.so")
    one = debian.Peer(agents=("pmcd", "bench"))
    root = one.home / "var/lib/pcp/pmns/root"
    text = root.read_text().replace("root {", "root {\n    bench", 1)
    text += "bench {\n" + "".join(f"    m{i}\t{DSO_DOMAIN}:{i // 1000}:{i % 1000}\n" for i in range(max(SIZES))) + "}\n"
    root.write_text(text)
    return one.start()


def one_run(kit, collector, name, size):
    """Seconds of each step for this number of metrics with a new recorder; a step that did not end is None."""
    pmids = [DSO_DOMAIN << 22 | (i // 1000) << 10 | i % 1000 for i in range(size)]
    took = {}
    recorder = kit.recorder(collector, name).start()
    try:
        client = Client(recorder)
        for step, control, state in STEPS:
            took[step] = client.ask(pmids, control, state)
    except (TimeoutError, OSError):
        pass
    finally:
        recorder.process.kill()
        recorder.process.wait()
    return took


def requests(rounds):
    peer = collector()
    kits = {"Pitot": recorders.ours(harness.Prefix(pathlib.Path(STAGE))), "PCP": recorders.theirs(peer)}
    figures = {}
    try:
        for size in SIZES:
            rows = {name: [] for name in kits}
            for number in range(rounds if size < 10000 else 1):
                for name, kit in kits.items():
                    rows[name].append(one_run(kit, peer, f"{name}-{size}-{number}", size))
            for step, _, _ in STEPS:
                times = {name: [row[step] * 1e3 for row in rows[name] if step in row] for name in kits}
                a, b = (statistics.median(times[n]) if times[n] else float("nan") for n in ("Pitot", "PCP"))
                title = f"{size} metrics: {step}, ms"
                figures[title] = {"Pitot": a, "PCP": b, "ratio": ratio(b, a)}
                print(f"{title:44}{a:10.2f}{b:10.2f}{ratio(b, a):6.1f}x", flush=True)
    finally:
        peer.stop()
        peer.remove()
    return figures
