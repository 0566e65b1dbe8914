"""TCP sockets in states of our making: what the kernel says over netlink is what its files say."""
import re
import socket

import pytest

import harness


@pytest.fixture
def sockets():
    """Open, half closed and closed connections, and listeners, of both versions of IP."""
    kept = []
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        listener = socket.socket(family)
        try:
            listener.bind((address, 0))
        except OSError:
            continue  # a host without IPv6
        listener.listen(8)
        kept.append(listener)
        for i in range(4):
            near = socket.create_connection(listener.getsockname()[:2])
            far, _ = listener.accept()
            kept += [near, far]
            if i >= 2:
                near.close()  # FIN_WAIT2 here, CLOSE_WAIT there
            if i == 3:
                far.close()  # TIME_WAIT
    yield kept
    for one in kept:
        one.close()


STATES = ["established", "syn_sent", "syn_recv", "fin_wait1", "fin_wait2", "time_wait", "close",
          "close_wait", "last_ack", "listen", "closing"]


def of_the_file(name):
    """Sockets in each state by /proc/net."""
    counts = dict.fromkeys(STATES, 0)
    with open(f"/proc/net/{name}") as file:
        for line in file.readlines()[1:]:
            state = int(line.split()[3], 16)
            if 1 <= state <= len(STATES):
                counts[STATES[state - 1]] += 1
    return counts


def of_the_agent(prefix, host, name):
    done = harness.run([prefix.bin("pminfo"), "-h", host, "-f", name], env=prefix.env())
    assert done.returncode == 0, done.stderr
    return {state: int(value) for state, value in re.findall(r"\.(\w+)\s+value (\d+)", done.stdout)}


@pytest.mark.parametrize("file,name", [("tcp", "network.tcpconn"), ("tcp6", "network.tcpconn6")])
def test_tcp_states(sockets, shared_pmcd, prefix, file, name):
    def same():
        before = of_the_file(file)
        found = of_the_agent(prefix, shared_pmcd.host, name)
        return before == found and before == of_the_file(file) and (file == "tcp6" or found["established"] > 0)

    # Other programs open and close connections too, so this repeats until nothing changed between the readings.
    harness.wait_until("the agent and the file say the same", same)
