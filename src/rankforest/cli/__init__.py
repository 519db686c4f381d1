"""The command ``rankforest``: one file per command; files with a leading underscore have their common code.

Heavy imports are made inside the commands, so that ``rankforest --help`` answers at once.
"""

from __future__ import annotations

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
    given = sys.argv[1:] if arguments is None else list(arguments)
    app(args=given, prog_name="rankforest", obj=tuple(given))  # so that a command can print how it was called
