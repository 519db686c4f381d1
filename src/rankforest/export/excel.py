"""Export of a scorecard to Excel: type the values of a row, and formulas give its total and probability.

The sheet "Score" has the cells to type in, "Card" the points, which may be changed, "Lookup" the edges and categories,
and "Probability" the map from totals. All formulas are plain ones of every spreadsheet program.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..extras import needed
from ..program.errors import ExportError
from ..program.program import Linear, interpolation
from ..scorecard.card import Axis, Scorecard, Steps
from ..scorecard.table import card_table
from ..scorecard.words import term_name
from .model import exported

__all__ = ["to_excel"]

_FIRST = 7  # row of the first feature on the sheet "Score"
_HEADS = ("Feature", "Value", "Step", "Points", "Most", "Lost", "Line of the card")


def to_excel(model: Any) -> bytes:
    """A scorecard as the bytes of an Excel file.

    Parameters
    ----------
    model : fitted scorecard

    Raises
    ------
    ExportError
        If the model is not a scorecard.
    """
    fitted = exported(model)
    one = fitted.one_card()
    if one is None:
        raise ExportError(
            f"There is no Excel sheet of a {type(model).__name__}, only of a scorecard; export to SQL, Python or JSON."
        )
    book = _Book(_openpyxl(), one.card)
    book.write_card()
    book.write_constraints(fitted.constraints())
    book.write_probability(one.calibration.score, one.calibration.probability)
    book.write_score(type(model).__name__, str(fitted.pos_label_))
    return book.bytes()


def _openpyxl() -> Any:
    return needed("openpyxl", "An Excel file needs", "excel")


@dataclass(frozen=True)
class _Range:
    """Cells of one column."""

    sheet: str
    column: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.sheet}!${self.column}${self.first}:${self.column}${self.last}"


class _Book:
    """A workbook that is being written."""

    def __init__(self, openpyxl: Any, card: Scorecard) -> None:
        from openpyxl.styles import Alignment, Font, PatternFill

        self.card = card
        self.book = openpyxl.Workbook()
        self.score = self.book.active
        self.score.title = "Score"
        self.sheet = {name: self.book.create_sheet(name) for name in ("Card", "Lookup", "Probability")}
        self.bold, self.large = Font(bold=True), Font(bold=True, size=16)
        self.input = PatternFill("solid", fgColor="FFF3D6")
        self.wrap = Alignment(wrap_text=True, vertical="top")
        self.lookup_column = 1
        self.points: list[_Range] = []  # of each term, on the sheet "Card"
        self.pieces: tuple[_Range, _Range, _Range] | None = None
        self.below = 0.0

    def bytes(self) -> bytes:
        self.book.calculation.fullCalcOnLoad = True  # there are no values beside the formulas
        file = io.BytesIO()
        self.book.save(file)
        return file.getvalue()

    def _put(self, sheet: Any, row: int, column: int, value: Any, **style: Any) -> Any:
        """Write a value that is no formula, whatever its first letter is."""
        cell = sheet.cell(row, column)
        if isinstance(value, str):
            cell.value = "".join(letter for letter in value if letter >= " ")
            cell.data_type = "s"
        else:
            cell.value = value.item() if isinstance(value, np.generic) else value
        for name, each in style.items():
            setattr(cell, name, each)
        return cell

    # ---- the card: one line for every step of every term

    def write_card(self) -> None:
        sheet, table = self.sheet["Card"], card_table(self.card)
        heads = (
            "Feature",
            "Step",
            "Points",
            "Standard error",
            "Rows",
            "Rate",
            "Weight of evidence",
            "Information value",
        )
        for column, head in enumerate(heads, 1):
            self._put(sheet, 1, column, head, font=self.bold)
        self._put(sheet, 2, 1, "every row")
        self._put(sheet, 2, 3, float(self.card.offset), fill=self.input)
        columns = (
            table.feature, table.step, table.points, table.error, table.rows, table.rate, table.woe, table.iv,
        )  # fmt: skip
        for i in range(len(table)):
            for column, values in enumerate(columns, 1):
                value = values[i]
                if isinstance(value, float) and not np.isfinite(value):
                    continue
                self._put(sheet, 3 + i, column, value)
            sheet.cell(3 + i, 2).alignment = self.wrap
            sheet.cell(3 + i, 3).fill = self.input
            sheet.cell(3 + i, 6).number_format = "0.0%"
            for column in (4, 7, 8):
                sheet.cell(3 + i, column).number_format = "0.000"
        first = 3
        for term in self.card.terms:
            self.points.append(_Range("Card", "C", first, first + len(term.table) - 1))
            first += len(term.table)
        _widths(sheet, (22, 44, 10, 15, 10, 10, 19, 18))
        sheet.freeze_panes = "A2"

    # ---- from the total to the probability, piece by piece

    def write_probability(self, score: np.ndarray, probability: np.ndarray) -> None:
        sheet, found = self.sheet["Probability"], interpolation(Linear((), ()), score, probability)
        for column, head in enumerate(("From this total on", "Probability there", "Change per point"), 1):
            self._put(sheet, 1, column, head, font=self.bold)
        for i, piece in enumerate(zip(found.start, found.value, found.slope)):
            for column, value in enumerate(piece, 1):
                self._put(sheet, 2 + i, column, float(value))
        start, value, slope = (_Range("Probability", c, 2, 1 + len(found.start)) for c in "ABC")
        self.pieces, self.below = (start, value, slope), found.below
        _widths(sheet, (20, 20, 20))

    # ---- what is typed, and what follows from it

    def write_constraints(self, sentences: Sequence[str]) -> None:
        """What the points keep, below the card."""
        sheet = self.sheet["Card"]
        first = sheet.max_row + 2
        for row, said in enumerate(sentences, first):
            self._put(sheet, row, 1, said)

    def write_score(self, name: str, positive: str) -> None:
        sheet, card = self.score, self.card
        self._put(sheet, 1, 1, f"{name}: points for {positive}", font=self.large)
        self._put(sheet, 2, 1, "Type the values of a row into the coloured cells; an empty cell is a missing value.")
        asked = sorted({j for term in card.terms for j in term.features})
        value_cell = {j: f"Score!$B${_FIRST + i}" for i, j in enumerate(asked)}
        for column, head in enumerate(_HEADS, 1):
            self._put(sheet, _FIRST - 1, column, head, font=self.bold)
        for i, j in enumerate(asked):
            self._put(sheet, _FIRST + i, 1, card.schema.names[j])
            sheet.cell(_FIRST + i, 2).fill = self.input
        row = _FIRST + len(asked)
        for term, points in zip(card.terms, self.points):
            if isinstance(term, Steps):
                at = _FIRST + asked.index(term.feature)
                code = self._code(term, value_cell[term.feature], sheet.cell(at, 2))
            else:
                at, row = row, row + 1
                self._put(sheet, at, 1, term_name(card.schema, term))
                one, other = (self._code(axis, value_cell[axis.feature]) for axis in term.axes)
                width = term.axes[1].n_steps + 1
                code = f"({one}-1)*{width}+{other}"
            words = _Range("Card", "B", points.first, points.last)
            sheet.cell(at, 7).value = f"={code}"
            sheet.cell(at, 3).value = f"=INDEX({words},$G${at})"
            sheet.cell(at, 4).value = f"=INDEX({points},$G${at})"
            sheet.cell(at, 5).value = f"=MAX({points})"
            sheet.cell(at, 6).value = f"=$E${at}-$D${at}"
        last = max(row - 1, _FIRST)
        self._put(sheet, 3, 1, "Total", font=self.bold)
        sheet.cell(3, 2).value = f"=Card!$C$2+SUM(Score!$D${_FIRST}:$D${last})"
        self._put(sheet, 4, 1, "Probability", font=self.bold)
        sheet.cell(4, 2).value = self._probability("Score!$B$3")
        for r in (3, 4):
            sheet.cell(r, 2).font = self.large
        sheet.cell(4, 2).number_format = "0.0%"
        _widths(sheet, (28, 20, 44, 10, 10, 10, 16))
        sheet.freeze_panes = f"A{_FIRST}"

    def _probability(self, total: str) -> str:
        assert self.pieces is not None, "the map is written first"
        start, value, slope = self.pieces
        piece = f"MATCH({total},{start},1)"
        inside = f"INDEX({value},{piece})+INDEX({slope},{piece})*({total}-INDEX({start},{piece}))"
        return f"=IF({total}<Probability!$A${start.first},{self.below!r},{inside})"

    def _code(self, axis: Axis, value: str, cell: Any = None) -> str:
        """The formula of the step of a value, counted from 1; missing values have the last one."""
        missing = axis.n_steps + 1
        if axis.edges is not None:
            if not len(axis.edges):
                return f"IF(ISNUMBER({value}),1,{missing})"
            edges = self._lookup(f"{self.card.schema.names[axis.feature]}, upper ends", axis.edges)
            return f"IF(ISNUMBER({value}),1+SUMPRODUCT(1*({edges}<{value})),{missing})"
        assert axis.groups is not None, "a step needs edges or groups"
        categories = self.card.schema.features[axis.feature].categories or ()
        names = self._lookup(f"{self.card.schema.names[axis.feature]}, categories", categories)
        steps = self._lookup("their step", axis.groups + 1)
        same = f"EXACT({names},{value})" if isinstance(categories[0], str) else f"({names}={value})"
        if cell is not None:
            self._offer(cell, names)
        found = f"SUMPRODUCT(1*{same},{steps})"
        return f"IF(ISBLANK({value}),{missing},IF({found}=0,{missing},{found}))"

    def _lookup(self, head: str, values: Any) -> _Range:
        """A column of the sheet "Lookup"."""
        from openpyxl.utils import get_column_letter

        sheet, column = self.sheet["Lookup"], self.lookup_column
        self.lookup_column += 1
        self._put(sheet, 1, column, head, font=self.bold)
        for i, value in enumerate(values):
            self._put(sheet, 2 + i, column, value)
        return _Range("Lookup", get_column_letter(column), 2, 1 + len(values))

    def _offer(self, cell: Any, names: _Range) -> None:
        """The categories as a list to choose from; others may be typed."""
        from openpyxl.worksheet.datavalidation import DataValidation

        choice = DataValidation(type="list", formula1=str(names), allow_blank=True, showErrorMessage=False)
        self.score.add_data_validation(choice)
        choice.add(cell)


def _widths(sheet: Any, widths: tuple[int, ...]) -> None:
    for letter, width in zip("ABCDEFGH", widths):
        sheet.column_dimensions[letter].width = width
