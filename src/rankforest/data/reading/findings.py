"""Findings about the columns of a file, and the sentences that say them: one per kind, with all its columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Finding", "options_of", "sentences"]


@dataclass(frozen=True)
class Finding:
    """Something worth saying about a column, or about the rows.

    Attributes
    ----------
    kind : str
        A key of the sentences below.
    column : str
        "" if it is about the rows.
    value : str
        An example, or a figure.
    option : tuple of str
        What to add to the command; empty if nothing needs to be done, or if it was done.
    """

    kind: str
    column: str = ""
    value: str = ""
    option: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        found = {"kind": self.kind, "column": self.column, "value": self.value, "option": list(self.option)}
        return {name: value for name, value in found.items() if value}


# Singular and plural; the braces are the columns, the example of the first one, and the options of all.
# kinds that say the value of every column
_EACH = ("sentinel", "strange", "almost numbers", "many", "no date", "two orders", "infinite")
_SAID = {
    "amount": (
        "{columns} holds amounts such as {value}, read as numbers",
        "{columns} hold amounts such as {value}, read as numbers",
    ),
    "thousands": (
        "{columns} holds values such as {value}, read as thousands; if it is a decimal comma, add --decimal ,",
        "{columns} hold values such as {value}, read as thousands; if these are decimal commas, add --decimal ,",
    ),
    "date": (
        "{columns} holds dates such as {value}, read as days since 1970-01-01",
        "{columns} hold dates such as {value}, read as days since 1970-01-01",
    ),
    "mixed dates": (
        "{columns} mixes ways to write dates, such as {value}, all read as days since 1970-01-01",
        "{columns} mix ways to write dates, such as {value}, all read as days since 1970-01-01",
    ),
    "months": (
        "{columns} holds months such as {value}, read as the first day of each, in days since 1970-01-01",
        "{columns} hold months such as {value}, read as the first day of each, in days since 1970-01-01",
    ),
    "compact": (
        "{columns} holds dates such as {value}, read as days since 1970-01-01; if it is a number, add {option}",
        "{columns} hold dates such as {value}, read as days since 1970-01-01; if these are numbers, add {option}",
    ),
    "short years": (
        "{columns} has years of two digits, read as 1969 to 2068",
        "{columns} have years of two digits, read as 1969 to 2068",
    ),
    "no date": (
        "{columns} holds dates, but {value} is no date; correct it, or, if it is a missing value, add {option}, and if "
        "the column holds categories, --categorical with its name",
        "{columns} hold dates, but {value} are no dates; correct them, or, if they are missing values, add {option}, "
        "and if the columns hold categories, --categorical with their names",
    ),
    "two orders": (
        "{columns} has dates with the day first and dates with the month first ({value}), so that one such as 1/2/2024 "
        "may be either; write all of them in one way, or add {option}",
        "{columns} have dates with the day first and dates with the month first ({value}), so that one such as "
        "1/2/2024 may be either; write all of them in one way, or add {option}",
    ),
    "infinite": (
        "{columns} contains {value}, which fit refuses; replace it by a finite number, or, if it is a missing value, "
        "add {option}",
        "{columns} contain {value}, which fit refuses; replace them by finite numbers, or, if they are missing values, "
        "add {option}",
    ),
    "time": (
        "{columns} holds times such as {value}, read as hours",
        "{columns} hold times such as {value}, read as hours",
    ),
    "code": (
        "{columns} holds codes such as {value}, read as text; if it is a number, add {option}",
        "{columns} hold codes such as {value}, read as text; if these are numbers, add {option}",
    ),
    "spelling": (
        "{columns} spells the same word differently, such as {value}; read as one",
        "{columns} spell the same words differently, such as {value}; read as one",
    ),
    "strange": (
        "{columns} is read as categories because of {value}; if that means missing, say so with --missing",
        "{columns} are read as categories because of {value}; if these mean missing, say so with --missing",
    ),
    "long": (
        "{columns} holds whole numbers such as {value}, which are too long for a model to tell apart; if it is an "
        "identifier, add {option}",
        "{columns} hold whole numbers such as {value}, which are too long for a model to tell apart; if these are "
        "identifiers, add {option}",
    ),
    "almost numbers": (
        "{columns} holds numbers besides {value}; if that means missing, add {option}, and if the column holds "
        "categories, --categorical with its name",
        "{columns} hold numbers besides {value}; if these mean missing, add {option}, and if the columns hold "
        "categories, --categorical with their names",
    ),
    "units": (
        "{columns} mixes units, {value}, and is read as categories; write all rows in one",
        "{columns} mix units, {value}, and are read as categories; write all rows in one",
    ),
    "empty": ("{columns} has no values, and is left out", "{columns} have no values, and are left out"),
    "constant": (
        "{columns} has the same value in all rows, and is left out",
        "{columns} have the same value in all rows, and are left out",
    ),
    "sentinel": (
        "{columns} holds {value}, far from all other values; if that means missing, add {option}",
        "{columns} hold values far from all others, {value}; if these mean missing, add {option}",
    ),
    "identifier": (
        "{columns} has a different value in every row; if it is an identifier, add {option}",
        "{columns} have a different value in every row; if these are identifiers, add {option}",
    ),
    "row number": (
        "{columns} counts the rows; add {option}",
        "{columns} count the rows; add {option}",
    ),
    "many": (
        "{columns} has {value} categories in so few rows that it can hardly be learned; group them, or add {option}",
        "{columns} have so many categories ({value}) that they can hardly be learned; group them, or add {option}",
    ),
    "leak": (
        "{columns} alone has an AUC of {value}: does it give the label away? If so, add {option}",
        "{columns} each have an AUC of {value} or so alone: do they give the label away? If so, add {option}",
    ),
    "labels": ("the labels are spelled differently, {value}; read as two", ""),
    "positive": ("it is not clear which of the labels belongs at the top; add {value}", ""),
    "unlabelled": ("{value} without a label; add {option} to leave them out", ""),
    "left out": ("{value} without a label left out", ""),
    "looked": ("identifiers, codes for missing values, disguised labels and copies were looked for in {value}", ""),
    "duplicates": ("{value}; remove what was entered twice", ""),
}


def sentences(findings: Iterable[Finding]) -> list[str]:
    """One sentence for all findings of a kind.

    Examples
    --------
    >>> for said in sentences([Finding("empty", "a"), Finding("constant", "b"), Finding("empty", "c")]):
    ...     print(said)
    columns 'a', 'c' have no values, and are left out.
    column 'b' has the same value in all rows, and is left out.
    """
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        groups.setdefault(one.kind, []).append(one)
    return [_sentence(kind, group) for kind, group in groups.items()]


def options_of(findings: Iterable[Finding]) -> list[str]:
    """The options that the findings suggest: columns of one option together.

    Examples
    --------
    >>> options_of([Finding("identifier", name, option=("--ignore", name)) for name in ("id", "x")])
    ['--ignore', 'id,x']
    """
    found: dict[str, list[str]] = {}
    for one in findings:
        if one.option:
            found.setdefault(one.option[0], []).extend(part for part in one.option[1:] if part != one.option[0])
    together: list[str] = []
    for name, values in found.items():
        values = list(dict.fromkeys(values))
        if name == "--missing" or any("," in value for value in values):
            together += [part for value in values for part in (name, value)]
        else:
            together += [name, *([",".join(values)] if values else [])]
    return together


def _sentence(kind: str, group: Sequence[Finding]) -> str:
    names = [repr(one.column) if one.column else "without a name" for one in group]
    columns = f"column{'s' if len(names) > 1 else ''} {', '.join(names)}"
    several = len(group) > 1
    value = group[0].value if kind not in _EACH else ", ".join(one.value for one in group)
    said = _SAID[kind][several and bool(_SAID[kind][1])]
    options = [f"'{one}'" if one[-1:] in ".,;" else shlex.quote(one) for one in options_of(group)]
    return said.format(columns=columns, value=value, option=" ".join(options)) + "."
