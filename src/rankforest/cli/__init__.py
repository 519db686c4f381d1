"""The command ``rankforest``: one file per command; files with a leading underscore have their common code.

Heavy imports are made inside the commands, so that ``rankforest --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; it ends the process with an exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    try:
        from ._app import app
    except ImportError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        print('The command line needs typer and rich; run pip install "rankforest[cli]".', file=sys.stderr)
        sys.exit(1)
    _fill_closed_streams()
    given = sys.argv[1:] if arguments is None else list(arguments)
    app(args=given, prog_name="rankforest", obj=tuple(given))  # so that a command can print how it was called


def _fill_closed_streams() -> None:
    """Put something in the place of standard streams that were closed, which a file would take otherwise.

    What is written to a closed standard output is an error, as with a pipe that nobody reads.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        reader, writer = os.pipe()
        os.close(reader)
        if writer != 1:
            os.dup2(writer, 1)
            os.close(writer)
        sys.stdout = open(1, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
