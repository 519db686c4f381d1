"""The README's code prints the text below it, and its commands exist."""

import contextlib
import io
import re
from pathlib import Path

from rankforest.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found.group(1)


def test_printed_text_comes_out_of_the_code() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block("python"), {})
    assert printed.getvalue() == block("text")


def test_code_is_about_ten_lines() -> None:
    assert len(block("python").splitlines()) <= 10


def test_commands_exist() -> None:
    commands = re.findall(r"^\$ rankforest (\w+)", README, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
            main([command, "--help"])
        assert "Usage" in printed.getvalue()
