"""The commands under one name."""

from __future__ import annotations

from typing import Annotated

import typer

from ._errors import one_sentence, show_tracebacks
from .check import check
from .compare import compare
from .demo import demo
from .evaluate import evaluate
from .explain import explain
from .export import export
from .fit import fit
from .info import info
from .refresh import refresh
from .report import report
from .reproduce import reproduce
from .score import score

__all__ = ["app"]

app = typer.Typer(
    name="rankforest",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_STEPS = "Fit, score, evaluate"
_READ = "Look inside"
_MORE = "More"

for command, panel in (
    (check, _STEPS),
    (fit, _STEPS),
    (score, _STEPS),
    (evaluate, _STEPS),
    (compare, _STEPS),
    (refresh, _STEPS),
    (explain, _READ),
    (report, _READ),
    (info, _READ),
    (export, _READ),
    (demo, _MORE),
):
    app.command(rich_help_panel=panel)(one_sentence(command))

app.command(
    rich_help_panel=_MORE,
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(one_sentence(reproduce))


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"rankforest {__version__}")
        raise typer.Exit


@app.callback()
def rankforest(
    debug: Annotated[bool, typer.Option("--debug", help="Print the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Ranking trees and forests: put the positives at the top of the list, and show why.

    Files are CSV (also .csv.gz), Excel, Parquet or Arrow; - is standard input or output. Rows are numbered from 1, the
    first one below the header. Exit codes: 0 success, 1 a problem with data or model, 2 wrong usage, 130 stopped with
    Ctrl-C.
    """
    show_tracebacks(debug)
