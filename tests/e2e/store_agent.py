#!/usr/bin/env python3
"""An agent that takes every store and whose values come and go: `store_agent.py DOMAIN`. Its names are
in the name space that `names(DOMAIN)` gives.

    .string, .number   singular, without a value (a string, a 32-bit number)
    .empty             the number over an instance domain, without values
    .fewer             values of instances 1 and 2 (in this order), at every second fetch of 2 and 3
    .gone              no values at every second fetch
    .failed            an error at every second fetch
    .nameless          values of an instance 7 that its domain does not know
"""
import struct
import sys

from pipe_agent import Agent
import wire

ITEMS = ("string", "number", "empty", "fewer", "gone", "failed", "nameless")
PM_TYPE_32, PM_TYPE_STRING = 0, 6


def names(domain):
    leaves = "".join(f"\t{name}\t{domain}:0:{item}\n" for item, name in enumerate(ITEMS))
    return f"root {{\n\todd\n}}\nodd {{\n{leaves}}}\n"


class StoreAgent(Agent):
    fetches = 0

    def insts(self):
        return range(1, 4)

    def vset(self, ident):
        name = ITEMS[ident & 0x3ff]
        first = self.fetches % 2 == 1
        if name == "failed" and not first:
            return struct.pack(">Ii", ident, wire.PM_ERR_AGAIN)
        insts = {"fewer": [1, 2] if first else [2, 3], "gone": [-1] if first else [], "failed": [-1],
                 "nameless": [7]}.get(name, [])
        head = struct.pack(">Iii", ident, len(insts), 0) if insts else struct.pack(">Ii", ident, 0)
        return head + b"".join(struct.pack(">ii", i, i * 10) for i in insts)

    def fetch(self, got):
        self.fetches += 1
        return super().fetch(got)

    def desc(self, got):
        ident = got.words(1)[0] & 0xffffffff
        name = ITEMS[ident & 0x3ff]
        indom = self.indom() if name in ("empty", "fewer", "nameless") else wire.NULL_ID
        kind = PM_TYPE_STRING if name == "string" else PM_TYPE_32
        return wire.pdu(wire.DESC, struct.pack(">IiIiI", ident, kind, indom, 3, 0))

    def instance(self, got):
        inst, length = got.words(2, 24)
        name = got.raw[32:32 + length].decode()
        known = [i for i in self.insts() if (inst < 0 or i == inst) and name in ("", f"i{i}")]
        if not known:
            return wire.error(wire.PM_ERR_INST)
        entries = b"".join(struct.pack(">i", -1 if inst >= 0 else i) + wire.counted("" if name else f"i{i}") for i in known)
        return wire.pdu(wire.INSTANCE, struct.pack(">Ii", self.indom(), len(known)) + entries)

    ANSWERS = {**Agent.ANSWERS, wire.FETCH: fetch, wire.DESC_REQ: desc, wire.INSTANCE_REQ: instance}


if __name__ == "__main__":
    StoreAgent(int(sys.argv[1]), []).serve()
