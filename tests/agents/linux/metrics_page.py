#!/usr/bin/python3
"""metrics_page BUILT PAGE [--write] - the page in docs is the one that the build has made; or makes it so."""
import difflib
import pathlib
import shutil
import sys

built, page = sys.argv[1:3]
if sys.argv[3:] == ["--write"]:
    shutil.copyfile(built, page)
made, kept = pathlib.Path(built).read_text(), pathlib.Path(page).read_text()
if kept != made:
    sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), page, built, n=0))
    sys.exit("the page is not of the rows: run `meson compile -C BUILD metrics-linux`")
