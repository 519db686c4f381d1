"""``rankforest reproduce``: the papers' experiments, run again."""

from __future__ import annotations

import typer

__all__ = ["reproduce"]


def reproduce(context: typer.Context) -> None:
    """Run an experiment of the papers again: rankforest reproduce list shows all of them."""
    from ..reproduce.__main__ import main

    raise typer.Exit(main(context.args, prog="rankforest reproduce"))
