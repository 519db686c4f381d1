"""The files that a command reads, of which none may be replaced by what it writes."""

from __future__ import annotations

import typer

from ..data.atomic import check_output
from ..data.sources import data_paths
from ._errors import usage

__all__ = ["READ_FILES", "check_not_read", "read_files"]

# Arguments and options whose values are files to read, in all commands.
READ_FILES = (
    "data",
    "model",
    "files",
    "test_file",
    "held_out",
    "train",
    "background",
    "config",
    "database",
)


def read_files(context: typer.Context, *, but: str | None = None) -> list[str]:
    """The files that the command reads, with those of a folder or a pattern.

    Parameters
    ----------
    context : typer.Context
        Of the command.
    but : str, optional
        An input that the output may replace.
    """
    found: list[str] = []
    for parameter in context.command.params:
        name, value = parameter.name, context.params.get(parameter.name or "")
        if name not in READ_FILES or name == but or value is None:
            continue
        if name == "model" and parameter.param_type_name != "argument":  # the kind of model to fit
            continue
        if name == "database":
            found += _database_file(value)
        else:
            found += [path for one in (value if name == "files" else [value]) for path in data_paths(one)]
    return found


def check_not_read(context: typer.Context, output: str | None, *, but: str | None = None) -> None:
    """Refuse an output that is a file that the command reads, also by another name of it.

    Parameters
    ----------
    context : typer.Context
        Of the command.
    output : str or None
        ``"-"`` is standard output.
    but : str, optional
        An input that the output may replace.
    """
    if output is None or output == "-":
        return
    inputs = read_files(context, but=but)
    with usage():
        check_output(output, inputs)


def _database_file(url: str) -> list[str]:
    """The path of a DuckDB file; nothing for a server."""
    from ..data.database import duckdb_path

    path = duckdb_path(url)
    return [] if path is None else [path]
