"""Errors of the command line: one sentence on standard error, and an exit code."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from ._printable import printable

__all__ = ["WrongUsage", "note", "one_sentence", "show_tracebacks", "usage", "wrong_usage"]

_UsageError: Any = typer.BadParameter.__mro__[1]  # of click, or of the copy of click that typer has

_ABOUT = r"\b{0} (of \w+ )?(is|are)\b|\bset {0} to\b"  # a sentence about a parameter

_state = {"tracebacks": False}

PROBLEM = 1  # with the data or the model
WRONG_USAGE = 2
STOPPED = 130
NOBODY_READS = 141


def show_tracebacks(wanted: bool) -> None:
    """Set whether errors print a traceback."""
    _state["tracebacks"] = wanted


def note(sentence: str) -> None:
    """Print a note on standard error."""
    print(printable(f"Note: {sentence}"), file=sys.stderr)


class WrongUsage(ValueError):
    """The options or arguments of a command are wrong: the remedy is another command, not other data."""


@contextmanager
def usage(names: Iterable[str] | None = None) -> Iterator[None]:
    """A ValueError in the block is about the options of the command, so that the exit code is 2.

    Parameters
    ----------
    names : iterable of str, optional
        Only errors about one of these parameters: "max_depth is -1", "set pruning to None".
    """
    try:
        yield
    except ValueError as error:
        said = str(error)
        if names is None or any(re.search(_ABOUT.format(re.escape(name)), said) for name in names):
            raise WrongUsage(said) from error
        raise


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
            raise typer.Exit(_code(error)) from None

    return told


def _code(error: BaseException) -> int:
    from ..data.data_file import NoSuchFile, NotData

    return WRONG_USAGE if isinstance(error, WrongUsage | NoSuchFile | NotData) else PROBLEM


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
