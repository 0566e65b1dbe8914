"""scale - the collector's speed with more values, with idle clients, with many clients at once, and with a slow client
or agent (docs/performance.md part B)."""
import contextlib
import pathlib
import struct
import subprocess
import tempfile
import threading

from collectors import DAEMON_DOMAIN, DSO_DOMAIN, instances, median_of, metrics, one_load, slow
from setting import BUILD, harness, quick, ratio, wire

IDLE_MAX = quick({"Pitot": 10000, "PCP": 850}, {"Pitot": 20, "PCP": 10})  # Debian's aborts at its 1013th connection
DISTURB_MS = quick(1500, 50)
CROWD_S = quick(5, 1)


def wanted(args, title):
    return not args.only or args.only in title


def measure(sides, args, pmids, clients=1, idle=None, rounds=None):
    """The medians of rounds, by side; idle: the number of idle clients, by side."""
    rows = {side.name: [] for side in sides}
    for _ in range(rounds or args.rounds):
        for side in sides:
            rows[side.name].append(one_load(side, side.socket, clients, pmids, args.ms, (idle or {}).get(side.name, 0)))
    return {name: median_of(r) for name, r in rows.items()}


def growth(sides, args):
    """CPU of a fetch by its size: ours should grow linearly with the values."""
    figures = {}
    for unit, kind_of, counts in (("metrics", metrics, quick((10, 100, 1000, 5000), (10,))),
                                  ("instances", instances, quick((100, 1000, 10000, 100000), (100,)))):
        for count in counts:
            title = f"CPU us a fetch: {count:,} {unit}"
            if not wanted(args, title):
                continue
            m = measure(sides, args, kind_of(DSO_DOMAIN, count))
            a, b = (m[name]["cpu_us"] or float("nan") for name in ("Pitot", "PCP"))  # 0 if the clock has not ticked
            figures[title] = {"Pitot": a, "PCP": b, "ratio": ratio(b, a)}
            print(f"{title:44}{a:10.1f}{b:10.1f}{ratio(b, a):6.1f}x   ns a value: "
                  f"{a * 1e3 / count:.1f}, {b * 1e3 / count:.1f}", flush=True)
    return figures


class Echo:
    """A collector that does nothing: the cost of a reply of this size without computing values."""

    def __init__(self, reply_bytes):
        self.dir = tempfile.TemporaryDirectory(prefix="bench-")
        self.socket = pathlib.Path(self.dir.name, "socket")
        self.process = subprocess.Popen([str(BUILD / "bench-echo"), str(self.socket), str(reply_bytes)])
        self.pid = self.process.pid
        harness.wait_until("the echo listens", self.socket.exists, 5)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.dir.cleanup()


def floors(args):
    """CPU of only the three system calls, with the bytes that the collector sends."""
    figures = {}
    for label, pmids, reply_bytes in (("1,000 metrics", metrics(DSO_DOMAIN, 1000), 32024),
                                      ("10,000 instances", instances(DSO_DOMAIN, 10000), 200036)):
        title = f"CPU us of the kernel alone: {label}"
        if not wanted(args, title):
            continue
        echo = Echo(reply_bytes)
        try:
            row = median_of([one_load(echo, echo.socket, 1, pmids, args.ms) for _ in range(args.rounds)])
        finally:
            echo.stop()
        figures[title] = row
        print(f"{title:44}{row['cpu_us']:10.1f}   fetches a second {row['rate']:.0f}", flush=True)
    return figures


def idle_clients(sides, args):
    """The same fetch with idle clients: neither time nor CPU should change."""
    figures = {}
    for idle in (0, IDLE_MAX["PCP"], IDLE_MAX["Pitot"]):
        title = f"10 metrics, 1 client, {idle:,} idle: CPU us"
        if not wanted(args, title):
            continue
        able = [side for side in sides if idle <= IDLE_MAX[side.name]]
        m = measure(able, args, metrics(DSO_DOMAIN, 10), idle={side.name: idle for side in able})
        a, b = m["Pitot"], m.get("PCP")
        figures[title] = m
        print(f"{title:44}{a['cpu_us']:10.1f}" +
              (f"{b['cpu_us']:10.1f}{ratio(b['cpu_us'], a['cpu_us']):6.1f}x" if b else f"{'ends':>10}{'':7}") +
              f"   p50/p99 us {a['p50_us']:.0f}/{a['p99_us']:.0f}" +
              (f", {b['p50_us']:.0f}/{b['p99_us']:.0f}" if b else ""), flush=True)
    return figures


def crowd(sides, args):
    """100 clients that fetch as fast as they can, with as many idle ones as each collector supports."""
    title = "100 clients of 10 metrics, others idle: 1/s"
    if not wanted(args, title):
        return {}
    m = measure(sides, args, metrics(DSO_DOMAIN, 10), clients=100, idle=IDLE_MAX)
    a, b = m["Pitot"], m["PCP"]
    print(f"{title:44}{a['rate']:10.0f}{b['rate']:10.0f}{ratio(a['rate'], b['rate']):6.1f}x   "
          f"idle {IDLE_MAX['Pitot']:,}, {IDLE_MAX['PCP']:,}; p50/p99 us {a['p50_us']:.0f}/{a['p99_us']:.0f}, "
          f"{b['p50_us']:.0f}/{b['p99_us']:.0f}", flush=True)
    return {title: m}


@contextlib.contextmanager
def nobody(_side):
    yield


@contextlib.contextmanager
def slow_agent(side):
    """Another client repeatedly fetches a metric that takes its agent 100 ms."""
    other = subprocess.Popen([str(BUILD / "bench-load"), str(side.socket), "1", str(DISTURB_MS), "-1",
                              *slow(DAEMON_DOMAIN)], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        other.wait()


@contextlib.contextmanager
def half_a_pdu(side):
    """Another client sends half a PDU during the load, and stays connected."""
    other = wire.ready(side.socket)
    timer = threading.Timer(0.2, lambda: other.sock.sendall(wire.fetch([1, 2, 3])[:20]))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        other.close()


def disturbed(sides, args):
    """A client of 10 metrics while another client or an agent is slow: the longest wait, and the usual figures."""
    figures = {}
    for label, somebody in (("nobody is slow", nobody), ("an agent takes 100 ms", slow_agent),
                            ("a client sends half a PDU", half_a_pdu)):
        title = f"{label}: p50 us"
        if not wanted(args, title):
            continue
        rows = {side.name: [] for side in sides}
        for _ in range(min(args.rounds, 3)):
            for side in sides:
                with somebody(side):
                    rows[side.name].append(one_load(side, side.socket, 1, metrics(DSO_DOMAIN, 10), DISTURB_MS))
        m = {name: median_of(r) for name, r in rows.items()}
        a, b = m["Pitot"], m["PCP"]
        figures[title] = m
        print(f"{title:44}{a['p50_us']:10.1f}{b['p50_us']:10.1f}{ratio(b['p50_us'], a['p50_us']):6.1f}x   "
              f"p99 us {a['p99_us']:.0f}, {b['p99_us']:.0f}; longest ms {a['longest_ms']:.1f}, "
              f"{b['longest_ms']:.1f}", flush=True)
    return figures


def linux_metrics(side):
    """The identifier of every metric of the linux agent; first two that are each read from one small file."""
    with wire.ready(side.socket) as client:
        names = [name for name, _ in client.ask(wire.traverse_req("")).names]
        answer = client.ask(wire.names_req(names))
    idents = [ident & 0xffffffff for ident in struct.unpack_from(f">{len(names)}i", answer.raw, 20)]
    light = [wire.pmid(60, 2, 0), wire.pmid(60, 2, 3)]
    return light + [ident for ident in idents if ident >> 22 == 60 and ident not in light]


def heavy_crowd(sides, args):
    """The times of a client of two metrics while other clients fetch all metrics of the linux agent."""
    figures = {}
    for mode in ("read", "mute"):
        for clients in quick((10, 50, 200), (5,)):
            title = f"beside {clients} that fetch all, {mode}: p99 us"
            if not wanted(args, title):
                continue
            m = {}
            for side in sides:
                out = subprocess.run([BUILD / "bench-crowd", side.socket, str(clients), mode, str(CROWD_S)], check=True,
                                     input="\n".join(map(str, linux_metrics(side))), capture_output=True, text=True).stdout
                m[side.name] = dict(zip(("p50_us", "p99_us", "max_us", "fetches", "answers"), map(int, out.split())))
            a, b = m["Pitot"], m["PCP"]
            figures[title] = m
            print(f"{title:44}{a['p99_us']:10d}{b['p99_us']:10d}{ratio(b['p99_us'], a['p99_us']):6.1f}x   "
                  f"p50 us {a['p50_us']}, {b['p50_us']}; longest ms {a['max_us'] / 1e3:.0f}, {b['max_us'] / 1e3:.0f}; "
                  f"answers to the crowd {a['answers']}, {b['answers']}", flush=True)
    return figures


def all_rows(sides, args):
    return {**growth(sides, args), **floors(args), **idle_clients(sides, args), **crowd(sides, args), **disturbed(sides, args),
            **heavy_crowd(sides, args)}
