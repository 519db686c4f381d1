"""The positive label: given by the user, known from the labels, or requested in an error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

import numpy as np
import typer

from ..data.yes_no import yes_of
from ._errors import WRONG_USAGE
from ._printable import printable

__all__ = ["check_positive_is_known", "unclear_labels"]


def check_positive_is_known(labels: np.ndarray, target: str, arguments: Sequence[str]) -> None:
    """Require ``--positive`` if only the alphabet would decide between two texts.

    Parameters
    ----------
    labels : ndarray
        The labels of all rows, two distinct ones.
    target : str
        Their column.
    arguments : sequence of str
        The command as it was typed, without the name of the program.
    """
    found = unclear_labels(labels)
    if found:
        _ask(*found, target, arguments)


def unclear_labels(labels: np.ndarray) -> tuple[str, str] | None:
    """The two labels, if only the alphabet would decide which of them belongs at the top.

    Examples
    --------
    >>> unclear_labels(np.array(["good", "bad"])), unclear_labels(np.array(["no", "yes"]))
    (('bad', 'good'), None)
    """
    one, other = np.unique(labels).tolist()
    if isinstance(one, str) and isinstance(other, str) and yes_of(one, other) is None:
        return one, other
    return None


def _ask(one: str, other: str, target: str, arguments: Sequence[str]) -> NoReturn:
    print(
        f"rankforest: The labels of {target!r} are {one!r} and {other!r}, and it is not clear which one belongs at "
        "the top. Choose one of",
        *(printable(f"  {_with_positive(arguments, label)}") for label in (one, other)),
        sep="\n",
        file=sys.stderr,
    )
    raise typer.Exit(WRONG_USAGE)


def _with_positive(arguments: Sequence[str], label: str) -> str:
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    choice = [f"--positive={label}"] if label.startswith("-") else ["--positive", label]
    return shlex.join(["rankforest", *arguments[:end], *choice, *arguments[end:]])
