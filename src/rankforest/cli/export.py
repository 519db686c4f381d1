"""``rankforest export``: a model in another language."""

from __future__ import annotations

from typing import Annotated

import typer

from ._options import Model

__all__ = ["export"]

FORMATS = ("sql", "onnx", "json", "text", "python")


def export(
    model: Model,
    to: Annotated[str, typer.Option("--to", metavar="sql|onnx|json|text|python", help="What the model becomes.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where it goes; standard output by default.")
    ] = "-",
) -> None:
    """Write a model as a SQL expression, an ONNX graph, JSON, text to read, or Python without any import of rankforest.

    Example: rankforest export loans.rankforest --to sql -o loans.sql
    """
    from ..storage.atomic import check_target

    if to not in FORMATS:
        raise ValueError(f"--to is {to!r}; choose one of {', '.join(FORMATS)}.")
    if output != "-":
        check_target(output)
    elif to == "onnx":
        raise ValueError("An ONNX graph is not text; give the file to write with -o.")
    from .. import export as exports
    from ._model import load
    from ._say import say

    loaded = load(model)
    if output == "-":
        say(getattr(exports, f"to_{to}")(loaded.model).rstrip("\n"))
    else:
        exports.export_model(loaded.model, output, to=to)
        say(f"Written: {output}")
