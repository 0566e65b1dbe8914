"""collectors - the two collectors that bench compares, each with the same agents, and a load for one of them."""
import os
import pathlib
import statistics
import subprocess

from setting import BUILD, STAGE, debian, harness

DSO_DOMAIN, DAEMON_DOMAIN = 250, 251


def metrics(domain, count):
    """The identifiers of this number of singular metrics."""
    return [f"{domain}.{i // 1000}.{i % 1000}" for i in range(count)]


def instances(domain, count):
    """The metric with 100, 1,000, 10,000 or 100,000 instances."""
    return [f"{domain}.10.{len(str(count)) - 3}"]


def slow(domain):
    """The metric of the daemon that takes 100 ms."""
    return [f"{domain}.11.0"]


class Ours:
    name = "Pitot"

    def __init__(self, directory):
        prefix = harness.Prefix(STAGE)
        agents = [f"bench {DSO_DOMAIN} dso bench_init {BUILD}/pmda_bench.so",
                  f"benchd {DAEMON_DOMAIN} pipe binary {BUILD}/bench-agent {DAEMON_DOMAIN}",
                  f"linux 60 dso linux_init {prefix.dso('linux')}"]
        self.daemon = harness.Pmcd(prefix, directory, agents,
                                   env={"LD_LIBRARY_PATH": str(STAGE / "lib")}).start()
        self.socket, self.port, self.pid = self.daemon.socket, self.daemon.port, self.daemon.process.pid

    def stop(self):
        self.daemon.stop()


class Theirs:
    name = "PCP"

    def __init__(self):
        debian.AGENTS["bench"] = (DSO_DOMAIN, f"dso bench_init {BUILD}/pmda_bench.so")
        debian.AGENTS["benchd"] = (DAEMON_DOMAIN, f"pipe binary {BUILD}/bench-agent {DAEMON_DOMAIN}")
        self.peer = debian.Peer(agents=("pmcd", "bench", "benchd", "linux")).start()
        self.socket, self.port, self.pid = self.peer.socket, self.peer.port, self.peer.pmcd.pid

    def stop(self):
        self.peer.stop()
        self.peer.remove()


def descendants(pid):
    """A process and its children."""
    out = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        out += [int(p) for p in task.read_text().split()]
    return out


def cpu_ns(pid):
    """Processor time of a process and its children so far."""
    total = 0
    for p in descendants(pid):
        for task in pathlib.Path(f"/proc/{p}/task").glob("*/schedstat"):
            total += int(task.read_text().split()[0])
    return total


def pin(pid, cpus):
    for p in descendants(pid):
        for task in os.listdir(f"/proc/{p}/task"):
            try:
                os.sched_setaffinity(int(task), cpus)
            except ProcessLookupError:
                pass


def place(side, clients, domain):
    """The processor of the load. With one client all processes share one; with many the load has another."""
    every = set(range(os.cpu_count()))
    pin(side.pid, {0} if clients == 1 or domain == DSO_DOMAIN else every)
    if clients == 1:
        return 0
    return os.cpu_count() - 1 if domain == DSO_DOMAIN else -1


def one_load(side, address, clients, pmids, ms, idle=0):
    """A round of clients that fetch, with idle ones: rates, times, CPU of collector and agents per fetch, and KiB per
    idle client."""
    cpu = place(side, clients, int(pmids[0].split(".")[0]))
    resident = memory_of(side.pid)["Rss"]
    load = subprocess.Popen([str(BUILD / "bench-load"), str(address), f"{clients}+{idle}", str(ms), str(cpu), *pmids],
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if idle:
            load.stdout.readline()
        grown = memory_of(side.pid)["Rss"] - resident
        before = cpu_ns(side.pid)
        out, _ = load.communicate("go\n" if idle else None, timeout=120)
        used_ns = cpu_ns(side.pid) - before
    finally:
        load.kill()
        load.wait()
    if load.returncode != 0:
        raise subprocess.CalledProcessError(load.returncode, "bench-load")
    done, elapsed_ns, p50, p99, _, warm, longest = map(int, out.split())
    return {"rate": done / (elapsed_ns / 1e9), "p50_us": p50 / 1e3, "p99_us": p99 / 1e3, "longest_ms": longest / 1e6,
            "cpu_us": used_ns / 1e3 / max(done + warm, 1), "kib_an_idle_client": grown / max(idle, 1)}


def memory_of(pid):
    total = {"Rss": 0, "Pss": 0, "Private_Dirty": 0}
    for p in descendants(pid):
        for line in pathlib.Path(f"/proc/{p}/smaps_rollup").read_text().splitlines():
            key = line.split(":")[0]
            if key in total:
                total[key] += int(line.split()[1])
    return total


def median_of(rows):
    return {key: statistics.median(r[key] for r in rows) for key in rows[0]}
