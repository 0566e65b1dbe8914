#!/usr/bin/env python3
"""An agent whose metadata changes: `moving_agent.py DOMAIN FILE`. The number in the file is the type of its metric
DOMAIN.0.0 from its next request on (0: 32 bits, 1: unsigned).
"""
import pathlib
import struct
import sys

from pipe_agent import Agent
import wire

NAMES = "root {\n\tmoving\n}\nmoving {\n\tvalue\t77:0:0\n}\n"


class MovingAgent(Agent):
    def __init__(self, domain, path):
        super().__init__(domain, [])
        self.path = pathlib.Path(path)

    def desc(self, got):
        ident = got.words(1)[0] & 0xffffffff
        return wire.pdu(wire.DESC, struct.pack(">IiIiI", ident, int(self.path.read_text()), wire.NULL_ID, 3, 0))

    ANSWERS = {**Agent.ANSWERS, wire.DESC_REQ: desc}


if __name__ == "__main__":
    MovingAgent(int(sys.argv[1]), sys.argv[2]).serve()
