"""A table of results, printed as Markdown or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Sheet", "SheetColumn", "mean_and_sd"]


@dataclass(frozen=True)
class SheetColumn:
    """A column of a table and its number format in Markdown; CSV has all digits.

    Attributes
    ----------
    name : str
    style : str
        Format of a number, such as ".3f"; empty for text.
    """

    name: str
    style: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table of published values and ours side by side.

    Attributes
    ----------
    title : str
    columns : list of SheetColumn
    rows : list of lists
        Text or numbers; None is an empty cell.
    notes : list of str
        Assumptions and remarks, printed below the table.

    Examples
    --------
    >>> columns = [SheetColumn("method"), SheetColumn("AUC", ".2f")]
    >>> sheet = Sheet("A table", columns, [["tree", 0.123], ["forest", None]])
    >>> print(sheet.markdown())
    # A table
    <BLANKLINE>
    | method | AUC |
    |---|---:|
    | tree | 0.12 |
    | forest | |
    >>> sheet.csv()
    'method,AUC\\ntree,0.123\\nforest,\\n'
    """

    title: str
    columns: Sequence[SheetColumn]
    rows: Sequence[Sequence[object]]
    notes: Sequence[str] = field(default=())

    def markdown(self) -> str:
        lines = [f"# {self.title}", ""]
        lines.append("| " + " | ".join(column.name for column in self.columns) + " |")
        lines.append("|" + "|".join("---:" if column.style else "---" for column in self.columns) + "|")
        for row in self.rows:
            lines.append("|" + "|".join(_cell(value, column) for value, column in zip(row, self.columns)) + "|")
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines)

    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([["" if value is None else value for value in row] for row in self.rows])
        return text.getvalue()


def _cell(value: object, column: SheetColumn) -> str:
    if value is None or value == "":
        return " "
    return f" {value:{column.style}} " if column.style and not isinstance(value, str) else f" {value} "


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard deviation; a single value has no deviation.

    Examples
    --------
    >>> mean_and_sd([1.0, 3.0])
    (2.0, 1.4142135623730951)
    >>> mean_and_sd([1.0])
    (1.0, None)
    """
    n = len(values)
    mean = float(sum(values)) / n
    return mean, None if n < 2 else float((sum((v - mean) ** 2 for v in values) / (n - 1)) ** 0.5)
