"""Rows of those who are late: agents that do not answer in time, clients that send half a PDU (pdu.md 14; pmcd.md 8.3, 9.1).

The agent answers when the row is over, long after the time-out.
"""
import wire
from rows import CLOSED, ONE, OTHER, PUPPET, STATUS, UNTIL_REVIVED, Row, differs, unique
from rows_agents import GOOD, READY, result, says, vset
from rows_session import word

KEPT = "design.md: an agent that misses the time-out is kept"
TIMEOUT, IPC, AGAIN, NOAGENT = -12353, -12366, -12389, -12386


def values(*sets):
    """The word of a RESULT of single values; a negative number is an error."""
    out = [f"RESULT 00000000 00000000 {len(sets):08x}"]
    for ident, value in sets:
        out.append(f"{ident:08x} " + (f"{value & 0xffffffff:08x}" if value < 0 else f"00000001 00000000 ffffffff {value:08x}"))
    return " ".join(out)


def status(state):
    return f"RESULT 00000000 00000000 00000001 {STATUS:08x} 00000003 00000000 " + " ".join(
        f"{domain:08x} {value:08x}" for domain, value in ((2, 0), (PUPPET, state), (OTHER, 0)))


def late(request, answer):
    """A request that is answered too late, then another one at once, and then the agent's status."""
    return READY + says(UNTIL_REVIVED, answer) + request + wire.fetch([ONE]) + wire.fetch([STATUS])


def single():
    """The outcome of a request other than FETCH: theirs has lost the agent, ours waits for it."""
    return differs(KEPT, [0, IPC, 4, values((ONE, NOAGENT)), status(8), "MARK"],
                   [0, TIMEOUT, values((ONE, AGAIN)), status(0), "MARK"])


OTHER_ONE = wire.pmid(OTHER, 0, 0)
rows = unique([
    Row("late.fetch", "pdu 14, pmcd 8.3, 9.1", late(wire.fetch([ONE]), GOOD), differs=differs(
        KEPT, [0, 4, values((ONE, TIMEOUT)), values((ONE, NOAGENT)), status(8), "MARK"],
        [0, values((ONE, TIMEOUT)), values((ONE, AGAIN)), status(0), "MARK"])),
    Row("late.fetch-split", "pdu 14, pmcd 9.1", late(wire.fetch([OTHER_ONE, ONE]), GOOD), differs=differs(
        KEPT, [0, 4, values((OTHER_ONE, 42), (ONE, TIMEOUT)), values((ONE, NOAGENT)), status(8), "MARK"],
        [0, values((OTHER_ONE, 42), (ONE, TIMEOUT)), values((ONE, AGAIN)), status(0), "MARK"])),
    Row("late.desc", "pdu 14, pmcd 9.3", late(wire.desc_req(ONE), wire.pdu(wire.DESC, bytes(20))), differs=single()),
    Row("late.store", "pdu 14, pmcd 9.2", late(wire.store([(ONE, [(-1, 1)])]), wire.error(0)), differs=single()),
    Row("late.half-pdu", "pdu 14, 2.1", wire.desc_req(ONE)[:14], CLOSED, wait=True),
    Row("late.half-header", "pdu 14, 2.1", wire.desc_req(ONE)[:3], CLOSED, wait=True),
    Row("late.half-after-good", "pdu 14", READY + says(result(vset(ONE, 3))) + wire.fetch([ONE]) + word(16), wait=True),
])
