"""The pages on the command line: every command prints what the page says; those of other pages run."""

import re
import shlex
import shutil
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


def files_of_pages(rf, labels):
    """The files that pages name without making them."""
    _write_data(".")
    for name in ("train", "test"):
        head, *rows = Path(f"{name}.csv").read_text().splitlines()
        lines = [f"{head},region", *(f"{row},{('north', 'south')[k % 2]}" for k, row in enumerate(rows))]
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n")
    for copy in ("new", "march", "april", "labelled"):
        shutil.copy("test.csv", f"{copy}.csv")
    for model in ("loans", "model"):
        assert rf("fit", "train.csv", *labels, "--model", "forest", "-o", f"{model}.rankforest").code == 0


@pytest.mark.parametrize(
    ("page", "least"),
    [("decisions.md", 2), ("get-started.md", 3), ("refresh.md", 1), ("report.md", 1), ("tutorials/monitoring.md", 3)],
)
def test_commands_run(page, least, rf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files_of_pages(rf, ["--target", "diagnosis", "--positive", "malignant"])
    blocks = re.findall(r"```console\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    commands = re.findall(r"^(?:\$ )?rankforest (.*)$", "".join(blocks), re.MULTILINE)
    assert len(commands) >= least
    for command in commands:
        done = rf(*shlex.split(command, comments=True))
        assert done.code == 0, done.err
