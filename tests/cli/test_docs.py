"""The pages on the command line: every command prints what the page says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankforest.cli.demo import _write_data

DOCS = Path(__file__).parents[2] / "docs"


def sessions(page):
    """Commands and their output, in the order of the page."""
    for block in re.findall(r"```console\n(.*?)```", (DOCS / page).read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def without_sizes(text):
    return re.sub(r'\d[\d ]* bytes|"bytes": \d+', "bytes", text)


@pytest.mark.parametrize(("page", "least"), [("cli.md", 10), ("databases.md", 3), ("first-hour.md", 9)])
def test_page(page, least, rf, tmp_path, monkeypatch):
    import shlex

    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    _write_data("demo")
    if page == "databases.md":
        exec(re.search(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)[1])
    if page == "first-hour.md":
        subprocess.run([sys.executable, DOCS.parent / "scripts" / "messy_loans.py"], check=True)
    found = list(sessions(page))
    assert len(found) >= least
    for command, output in found:
        command, _, lines = command.partition(" | head -")
        if command.startswith("rankforest "):
            said = rf(*shlex.split(command)[1:])
            printed = said.out + said.err
        else:
            printed = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
        if lines:
            printed = "".join(printed.splitlines(keepends=True)[: int(lines)])
        assert without_sizes(printed) == without_sizes(output), command
