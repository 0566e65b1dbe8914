#!/usr/bin/python3
"""recorder - compares the CPU time of pmlogger with Debian's, both recording from one collector of Pitot.

docs/performance.md D has the workloads: a domain of 10,000 instances, every metric of the linux agent, and hundreds
of singular ones. Figures, never a verdict. PITOT_PREFIX is an installed Pitot, PITOT_PEER an unpacked Debian PCP.
"""
import os
import pathlib
import subprocess
import tempfile
import time

from setting import debian, harness

SECONDS = float(os.environ.get("BENCH_S", "4"))
LINUX = "kernel mem network disk swap nfs rpc swapdev filesys ipc hinv vfs quota tmpfs".split()
WORKLOADS = {
    "10,000 instances": (100, ["sample.many.int"]),
    "linux": (100, LINUX),
    "singular": (20, ["sample.long", "sample.float", "sample.double", "sample.longlong", "sample.ulong",
                      "sample.ulonglong", "sample.wrap", "sample.scale_step", "sample.aggregate", "sample.string"]),
}


def cpu_s(pid):
    """Processor time so far, of all threads."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def volume(folder):
    path = folder / "archive.0"
    return path.stat().st_size if path.exists() else 0


def measure(program, env, host, folder, interval_ms, names):
    """CPU microseconds per megabyte of records, and bytes per second, after the first records: a recorder that is too
    slow skips samples."""
    folder.mkdir()
    (folder / "config").write_text(f"log mandatory on {interval_ms} msec {{ {' '.join(names)} }}\n")
    process = subprocess.Popen([program, "-c", "config", "-l", "log", "-h", host, "-V", "3", "-r", "archive"], cwd=folder,
                               env=env, stdin=subprocess.DEVNULL)
    try:
        harness.wait_until("records", lambda: volume(folder) > 3000, alive=process)
        time.sleep(1)
        cpu, size, begin = cpu_s(process.pid), volume(folder), time.monotonic()
        time.sleep(SECONDS)
        cpu, size, took = cpu_s(process.pid) - cpu, volume(folder) - size, time.monotonic() - begin
    finally:
        process.terminate()
        process.wait(30)
    return cpu / max(size, 1) * 1e12, size / took


def main():
    prefix = harness.Prefix(os.environ["PITOT_PREFIX"])
    root = pathlib.Path(os.environ["PITOT_PEER"])
    with tempfile.TemporaryDirectory(prefix="bench-recorder-") as top:
        top = pathlib.Path(top)
        agents = [f"sample 29 dso sample_init {prefix.dso('sample')}", f"linux 60 dso linux_init {prefix.dso('linux')}"]
        with harness.Pmcd(prefix, top / "pmcd", agents) as pmcd, debian.Peer(agents=("pmcd",), root=root) as peer:
            harness.run([prefix.bin("pmstore"), "-h", pmcd.host, "sample.many.count", "10000"], env=pmcd.env)
            print(f"{'us CPU a MB of records':24} {'ours':>10} {'Debian':>10} {'ratio':>7}   kB recorded a second")
            for name, (interval_ms, names) in WORKLOADS.items():
                ours = measure(prefix.bin("pmlogger"), pmcd.env, pmcd.host, top / f"ours {name}", interval_ms, names)
                them = measure(str(root / "usr/bin/pmlogger"), peer.env(), pmcd.host, top / f"debian {name}", interval_ms, names)
                print(f"{name:24} {ours[0]:10.0f} {them[0]:10.0f} {them[0] / max(ours[0], 1):7.1f}   "
                      f"{ours[1] / 1e3:.0f} / {them[1] / 1e3:.0f}", flush=True)


if __name__ == "__main__":
    main()
