#!/usr/bin/python3
"""metrics_page PMDALINUX PAGE [--write] - the page is what the agent prints of its rows; or makes it so."""
import difflib
import pathlib
import subprocess
import sys

program, page = sys.argv[1], pathlib.Path(sys.argv[2])
printed = subprocess.run([program, "--print-metrics"], check=True, capture_output=True, text=True).stdout
if sys.argv[3:] == ["--write"]:
    page.write_text(printed)
kept = page.read_text() if page.exists() else ""
if kept != printed:
    sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), printed.splitlines(True),
                                               str(page), "the rows", n=0))
    sys.exit("the page is not of the rows: run `meson compile -C BUILD metrics-linux`")
