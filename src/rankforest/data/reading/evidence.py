"""What the values of a column can be, seen batch by batch."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .amounts import CONVENTIONS, CURRENCIES, fits, is_code, is_power, looks_like_number, plain_numbers
from .apply import as_text, is_text
from .dates import ORDERS, PURE, days_of, days_of_typed, fitting, hours_of, part_of

__all__ = ["MAX_WORDS", "Evidence"]

MAX_WORDS = 65_535  # more categories than that are not counted
_HEAD = 200  # values that are tried before all of them are
_MOSTLY_DATES = 0.8


_EXACT = 2.0**53  # whole numbers from here on are not told apart by a float64


class Evidence:
    """The kinds that all values of a column have so far, and what else is worth knowing.

    Parameters
    ----------
    name : str
        Of the column.

    Examples
    --------
    >>> seen = Evidence("price")
    >>> seen.see(pa.array(["1,5", None, "12"]))
    >>> sorted(seen.conventions), seen.n_missing
    ([(',', ''), (',', ' '), (',', "'"), (',', '.')], 1)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.n_rows = self.n_missing = 0
        self.typed: str | None = None  # the family of a column that is not text
        self.numbers = self.booleans = self.clock = True
        self.conventions, self.orders = set(CONVENTIONS), set(ORDERS)
        self.n_dates: Counter[str] = Counter()  # values that are dates, by order
        self.no_date: dict[str, tuple[int, str]] = {}  # the first value that is none, and its row, by order
        self.n_either = 0  # values that are dates with the day first, or with the month first
        self.compact = True  # all whole numbers are dates such as 20241231
        self._code: str | None = None  # a whole number that is a name
        self._power: str | None = None  # one such as 3E5, which may be a name or a power of ten
        self.points = False  # whether a number has a decimal point
        self.example: str | None = None
        self.units: Counter[str] = Counter()
        self.n_numbers = 0  # values that look like numbers
        self.strange: tuple[int, str] | None = None  # the first value that does not, and its row
        self.words: Counter[str] | None = Counter()  # None if there are too many
        self.low, self.high = np.inf, -np.inf
        self.long: set[Any] = set()  # least and greatest of whole numbers that are too long for a float64
        self.whole = True  # all numbers are
        self.rising = True  # each value is greater than the one before
        self.infinite: tuple[int, str] | None = None  # the first infinite number, and its row
        self.months: set[float] = set()
        self.weekdays: set[float] = set()
        self.has_time = False
        self._last: float | None = None

    @property
    def n_values(self) -> int:
        return self.n_rows - self.n_missing

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        if self.words is None or len(self.long) > 1:
            return False
        return len(self.words) <= 1 if self.words else bool(self.low >= self.high)

    @property
    def code(self) -> str | None:
        """A whole number that is a name; 3E5 is one in a column without decimal points."""
        return self._code or (None if self.points else self._power)

    @property
    def is_counting(self) -> bool:
        """Whether the values are whole numbers that rise as row numbers do, of which some may have been dropped."""
        return self.rising and self.whole and self.high - self.low < 2 * self.n_values

    @property
    def is_unique(self) -> bool:
        """Whether no word occurs twice, as far as is known."""
        return self.words is None or len(self.words) == self.n_values

    @property
    def almost_dates(self) -> tuple[int, str] | None:
        """Row and value of the first one that is no date, if most values are; else None."""
        if not self.n_dates or self.orders or self.numbers or self.typed is not None:
            return None
        order, n = max(self.n_dates.items(), key=lambda item: item[1])  # the first of equal ones is the simplest
        return self.no_date[order] if n > _MOSTLY_DATES * self.n_values and order in self.no_date else None

    @property
    def two_orders(self) -> tuple[tuple[int, str], tuple[int, str]] | None:
        """Rows and values of a date with the day first and of one with the month first, if all values are dates."""
        if self.typed is not None or not 0 < self.n_values == self.n_either or self.orders:
            return None
        return self.no_date["mdy"], self.no_date["dmy"]

    def see(self, column: Any) -> None:
        """Take in more values."""
        first_row = self.n_rows
        self.n_rows += len(column)
        self.n_missing += column.null_count
        present = column.drop_null()
        if isinstance(present, pa.ChunkedArray):
            present = present.combine_chunks()
        if not len(present):
            return
        if is_text(column.type):
            self._see_text(as_text(present), column, first_row)
        else:
            self._see_typed(present, column, first_row)

    # ---- text

    def _see_text(self, text: Any, column: Any, first_row: int) -> None:
        if self.example is None:
            self.example = text[0].as_py()
        numbers = plain_numbers(text) if self.numbers else None
        if numbers is None:
            self.numbers = False
            self._see_words(text, column, first_row)
            return
        self.n_numbers += len(text)
        self.booleans = self.clock = False
        self.orders.clear()
        self.compact = self.compact and bool(fitting(text.slice(0, _HEAD), ("compact",))["compact"].all())
        if self.compact:
            days = days_of(text, "compact")
            self.compact = not bool(np.isnan(days).any())
            if self.compact:
                self._see_days(days)
        if self.infinite is None and np.isinf(numbers.to_numpy(zero_copy_only=False)).any():
            at = int(np.isinf(numbers.to_numpy(zero_copy_only=False)).argmax())
            self.infinite = self._place(text[at].as_py(), column, first_row)
        self.points = self.points or _has(text, ".")
        self._code = self._code or _first(text, is_code(text))
        self._power = self._power or _first(text, is_power(text))
        if self.code is not None:  # it is text
            self._count(text)
        if any(decimal == "," for decimal, _ in self.conventions) and _has(text, "."):
            grouped = (",", ".")
            keep = grouped in self.conventions and _all(text, lambda some: fits(some, *grouped))
            self.conventions = {one for one in self.conventions if one[0] == "." or (one == grouped and keep)}
        self._see_numbers(numbers.to_numpy())

    def _see_words(self, text: Any, column: Any, first_row: int) -> None:
        self.conventions = {one for one in self.conventions if _all(text, lambda some, one=one: fits(some, *one))}
        if self.conventions:
            for sign in ("%", *CURRENCIES):
                self.units[sign] += int(pc.sum(pc.match_substring(text, sign)).as_py() or 0)
        self._see_dates(text, column, first_row)
        self.clock = self.clock and not np.isnan(hours_of(text)).any()
        if self.booleans:
            low = pc.utf8_lower(pc.utf8_trim_whitespace(text.unique()))
            self.booleans = bool(pc.all(pc.is_in(low, pa.array(["true", "false"]))).as_py())
        like = looks_like_number(text)
        self.n_numbers += int(pc.sum(like).as_py() or 0)
        if self.strange is None and not pc.all(like).as_py():
            value = text[pc.index(like, False).as_py()].as_py()
            self.strange = self._place(value, column, first_row)
        self._count(text)

    def _see_dates(self, text: Any, column: Any, first_row: int) -> None:
        head = fitting(text.slice(0, _HEAD), PURE) if self.orders or self.n_dates else {}
        alive = [order for order in PURE if order in head and head[order].any()]
        fits = fitting(text, alive) if alive else {}
        for order in ORDERS:
            found = fits.get(order)
            n = 0 if found is None else int(found.sum())
            self.n_dates[order] += n
            if n < len(text):
                self.orders.discard(order)
                if order not in self.no_date:
                    at = 0 if found is None else int((~found).argmax())
                    self.no_date[order] = self._place(text[at].as_py(), column, first_row)
        sides = [fits[order] for order in ("dmy", "mdy") if order in fits]
        self.n_either += int(np.logical_or.reduce(sides).sum()) if sides else 0
        self.n_dates += Counter()  # those without a date are forgotten
        for order in [order for order in ORDERS if order in self.orders][:1]:
            self._see_days(days_of(text, order))

    def _place(self, value: str, column: Any, first_row: int) -> tuple[int, str]:
        """The row of the first such value of a batch, and the value."""
        return first_row + int(pc.index(as_text(column), value).as_py()) + 1, value

    def _count(self, text: Any) -> None:
        if self.words is not None:
            for entry in text.value_counts().to_pylist():
                self.words[entry["values"]] += entry["counts"]
            if len(self.words) > MAX_WORDS:
                self.words = None

    # ---- other types

    def _see_typed(self, present: Any, column: Any, first_row: int) -> None:
        kind = present.type
        self.numbers = self.booleans = self.clock = False
        if pa.types.is_dictionary(kind):
            present, kind = present.cast(kind.value_type), kind.value_type
        if pa.types.is_temporal(kind):
            self.typed = "time" if pa.types.is_time(kind) or pa.types.is_duration(kind) else "date"
            self.example = self.example or str(present[0].as_py())
            days = days_of_typed(present)
            self.low, self.high = min(self.low, days.min()), max(self.high, days.max())
            if self.typed == "date":
                self._see_days(days)
        elif pa.types.is_boolean(kind) or pa.types.is_integer(kind) or _is_real(kind):
            self.typed = "boolean" if pa.types.is_boolean(kind) else "number"
            numbers = present.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            if self.infinite is None and np.isinf(numbers).any():
                value = present[int(np.isinf(numbers).argmax())]
                self.infinite = first_row + int(pc.index(column, value).as_py()) + 1, str(value.as_py())
            self._see_numbers(numbers)
            # a spreadsheet has rounded long numbers before they come here
            far = self.low if pa.types.is_floating(kind) else max(-self.low, self.high)
            if self.whole and far >= _EXACT and self.high < np.inf:
                ends = {*self.long, *pc.min_max(present).as_py().values()}
                self.long = {min(ends), max(ends)}
        else:
            self.typed, self.words = str(kind), None

    def _see_numbers(self, numbers: np.ndarray) -> None:
        self.low, self.high = min(self.low, float(numbers.min())), max(self.high, float(numbers.max()))
        self.whole = self.whole and bool((numbers == np.floor(numbers)).all())
        if self.rising:
            before = numbers[:-1] if self._last is None else np.concatenate([[self._last], numbers[:-1]])
            self.rising = bool((numbers[-len(before) :] > before).all()) if len(before) else True
            self._last = float(numbers[-1])

    def _see_days(self, days: np.ndarray) -> None:
        self.months |= set(np.unique(part_of(days, "month")).tolist())
        self.weekdays |= set(np.unique(part_of(days, "weekday")).tolist())
        self.has_time = self.has_time or bool((days != np.floor(days)).any())


def _is_real(kind: Any) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _has(text: Any, part: str) -> bool:
    return bool(pc.any(pc.match_substring(text, part)).as_py())


def _first(text: Any, wanted: Any) -> str | None:
    """The first value that is wanted."""
    at = pc.index(wanted, True).as_py()
    return None if at < 0 else str(text[at])


def _all(text: Any, test: Any) -> bool:
    """Whether all values pass; most that do not fail at the first ones."""
    return bool(pc.all(test(text.slice(0, _HEAD))).as_py() and pc.all(test(text)).as_py())
