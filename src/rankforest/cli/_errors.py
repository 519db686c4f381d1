"""Errors of the command line: one sentence on standard error, and an exit code."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from ._printable import printable

__all__ = ["note", "one_sentence", "show_tracebacks", "wrong_usage"]

_UsageError: Any = typer.BadParameter.__mro__[1]  # of click, or of the copy of click that typer has

_state = {"tracebacks": False}

STOPPED = 130
NOBODY_READS = 141


def show_tracebacks(wanted: bool) -> None:
    """Set whether errors print a traceback."""
    _state["tracebacks"] = wanted


def note(sentence: str) -> None:
    """Print a note on standard error."""
    print(printable(f"Note: {sentence}"), file=sys.stderr)


def wrong_usage(sentence: str, context: typer.Context) -> NoReturn:
    """End with the usage of the command, one sentence, and exit code 2."""
    raise _UsageError(sentence, ctx=context)


def one_sentence(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that prints its errors as sentences, and its warnings as notes."""

    @functools.wraps(command)
    def told(*args: Any, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings():
                # a model fitted on an array uses the columns x0, x1, ... of a file
                warnings.filterwarnings("ignore", "X has feature names, but", UserWarning)
                warnings.showwarning = lambda message, *rest, **others: note(str(message))
                command(*args, **kwargs)
                sys.stdout.flush()
        except KeyboardInterrupt:
            print("Stopped; nothing was written.", file=sys.stderr)
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            # the reader of the output has closed it; this also silences Python's error at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(NOBODY_READS) from None
        except Exception as error:
            if _state["tracebacks"] or isinstance(error, typer.Exit | typer.Abort | _UsageError):
                raise
            print(printable(f"rankforest: {_sentence(error)}"), file=sys.stderr)
            raise typer.Exit(1) from None

    return told


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "There is not enough memory; give fewer rows or columns."
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror}{where}; nothing was written."
    said = " ".join(str(error).split())
    if isinstance(error, ValueError | TypeError | ImportError) and said:
        return said
    return f"{type(error).__name__}: {said or 'no details'}; run rankforest --debug for the traceback."
