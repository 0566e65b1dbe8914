#!/usr/bin/env python3
"""An agent whose labels change: `labelled_agent.py DOMAIN FILE`. The file has a JSON object: for each of the words domain,
cluster, item, indom, instances the value of the label of that name; insts: how many instances there are (2). When it has changed the next answer to a FETCH says
that labels have. DOMAIN.0.0 is singular, DOMAIN.0.1 has an instance domain.
"""
import json
import pathlib
import struct
import sys

from pipe_agent import Agent
import wire

NAMES = "root {\n\tlabelled\n}\nlabelled {\n\tone\t77:0:0\n\tmany\t77:0:1\n}\n"
LABEL_CHANGE = 8
KINDS = {2: "domain", 4: "indom", 8: "cluster", 16: "item", 32: "instances"}


class LabelledAgent(Agent):
    def __init__(self, domain, path):
        super().__init__(domain, [])
        self.path = pathlib.Path(path)
        self.told = self.path.read_text()

    def insts(self):
        return range(1, json.loads(self.path.read_text()).get("insts", 2) + 1)

    def fetch(self, got):
        now = self.path.read_text()
        self.ways["change"] = LABEL_CHANGE if now != self.told else 0
        self.told = now
        return super().fetch(got)

    def label(self, got):
        ident, kind = got.words(2)
        values = json.loads(self.path.read_text())
        sets, texts = b"", b""
        word = KINDS.get(kind)
        owners = list(self.insts()) if word == "instances" else [-1] if word in values else []
        begin = 28 + len(owners) * 24
        for inst in owners:
            text = json.dumps({word: f"{values[word]}{inst if inst >= 0 else ''}"}, separators=(",", ":")).encode()
            at_value = len(word) + 4
            sets += struct.pack(">iiii", inst, 1, begin + len(texts), len(text))
            sets += struct.pack(">HBBHH", 2, len(word), kind, at_value, len(text) - at_value - 1)
            texts += text
        return wire.pdu(wire.LABEL, struct.pack(">iiii", ident, kind, 0, len(owners)) + sets + texts)

    ANSWERS = {**Agent.ANSWERS, wire.FETCH: fetch, wire.LABEL_REQ: label}


if __name__ == "__main__":
    LabelledAgent(int(sys.argv[1]), sys.argv[2]).serve()
