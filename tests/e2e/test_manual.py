"""The manual pages of an installed Pitot, as man(1) and apropos(1) show them."""
import os
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def folder(prefix):
    return prefix.path / "share/man"


def searched(folder, word):
    """The lines of `man -k`, by the program whose index the installation has made."""
    if (folder / "index.db").exists():
        argv = ["man", "-M", str(folder), "-k", word]
    else:
        assert (folder / "mandoc.db").exists(), "no index, though bootstrap installs mandoc"
        argv = ["mapropos", "-M", str(folder), word]
    found = subprocess.run(argv, capture_output=True, text=True, timeout=180)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


@pytest.mark.parametrize("word,page", [("pminfo", "pminfo"), ("posix_trace_event", "posix_trace_event"),
                                       ("archives", "pmlogextract"), ("pcp.conf", "pcp.conf")])
def test_search(folder, word, page):
    assert any(line.startswith(page) for line in searched(folder, word))


@pytest.mark.parametrize("page", ["pminfo", "pmFetch", "pcp.conf"])
def test_header_names_pitot(folder, page):
    """groff calls every page of the mdoc macros BSD's, unless the page names its system."""
    if shutil.which("man") is None or shutil.which("groff") is None:
        argv = ["mandoc", str(next(folder.glob(f"man*/{page}.*")))]
    else:
        argv = ["man", "-M", str(folder), page]
    shown = subprocess.run(argv, capture_output=True, text=True, timeout=180, env={**os.environ, "MANWIDTH": "80"})
    assert shown.returncode == 0, shown.stderr
    assert "BSD" not in shown.stdout.splitlines()[0]


def test_index_of_a_folder_that_cannot_be_written_is_reported(tmp_path):
    """The installation goes on, and names what the user will miss."""
    script = shutil.which("index-man", path=str(os.path.join(os.path.dirname(__file__), "../../scripts")))
    missing = tmp_path / "nothing"
    done = subprocess.run([script, str(missing)], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0
    assert "man -k does not search" in done.stderr and str(missing) in done.stderr
