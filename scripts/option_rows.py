"""option_rows - the options of the tools, from their rows (tools/common/cmdline.h), read from the source.

A row may be a macro, of the tool or of the library (PMOPT_HOST), so the rows are read after the C preprocessor.
"""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "src" / "tools"
TABLE = re.compile(r"\bstruct cmdline_row (\w+)\[\] = \{(.*?)\};", re.S)
TEXT = r'"((?:[^"\\]|\\.)*)"'
NULL = r"(?:0|NULL|\(\(void ?\*\)0\))"
# The first braces in a row: name, has_arg, letter, argument, text (also in parentheses).
ROW = re.compile(r"\{\s*\{\s*" + TEXT + r"\s*,\s*(\d)\s*,\s*('\\?.'|\w+)\s*,\s*(?:" + TEXT + "|" + NULL + r")\s*,\s*(?:\(?(?:"
                 + TEXT + r"\s*)+\)?|" + NULL + r")\s*,?\s*\}", re.S)


class Option:
    def __init__(self, row, rest):
        long, has_arg, letter, argname = row[:4]
        self.long = long if "CMDLINE_LETTER_ONLY" not in rest else ""
        self.letter = letter[-2] if letter.startswith("'") and "CMDLINE_LONG_ONLY" not in rest else ""
        self.arg = (argname or "argument") if has_arg != "0" else ""
        self.refused = "CMDLINE_REFUSED" in rest
        self.heading = letter in ("'-'", "'|'")

    def __str__(self):
        return ", ".join([f"-{self.letter}"] * bool(self.letter) + [f"--{self.long}"] * bool(self.long))


def options_of(rows):
    """The options of a table's text, or None if a row is not understood."""
    found = list(ROW.finditer(rows))
    if len(found) + 1 != len(re.findall(r"\{\s*\{", rows)):  # the last row has no name
        return None
    ends = [match.start() for match in found[1:]] + [len(rows)]
    every = [Option(match.groups(), rows[match.end():end]) for match, end in zip(found, ends)]
    return [option for option in every if not option.heading]


def tables(path):
    """The tables of a source file: name and options."""
    command = [*os.environ.get("CC", "cc").split(), "-E", "-P", "-std=gnu11", "-D_GNU_SOURCE", f"-I{ROOT}/include", f"-I{ROOT}/src"]
    done = subprocess.run([*command, path], capture_output=True, text=True, check=True)
    for name, rows in TABLE.findall(done.stdout):
        yield name, options_of(rows)


def all_tables():
    """Every table of options of the tools: path, name, options."""
    for path in sorted(TOOLS.rglob("*.c")):
        if path.parent.name != "common" and re.search(r"\bstruct cmdline_row \w+\[\] =", path.read_text()):
            for name, options in tables(path):
                yield path, name, options
