"""The page on the command line: every command prints what the page says."""

import re
import subprocess
from pathlib import Path

from rankforest.cli.demo import _write_data

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def sessions():
    """Commands and their output, in the order of the page."""
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def without_sizes(text):
    return re.sub(r'\d[\d ]* bytes|"bytes": \d+', "bytes", text)


def test_page(rf, tmp_path, monkeypatch):
    import shlex

    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    _write_data("demo")
    found = list(sessions())
    assert len(found) > 10
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
