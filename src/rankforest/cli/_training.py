"""The training table of `fit`: features, labels and weights of a file, with notes about likely mistakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..data.data_file import DataFile, DataFileError
from ..data.errors import listed
from ..data.match import file_rows
from ._errors import note

__all__ = ["Choice", "TrainingFile", "check_labels", "labels_of", "read_training"]

_NUMBER = r"^\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*$"
_MOSTLY = 0.5  # a text column with a larger share of numbers is probably numeric, with a strange value
_FEW_ROWS = 20


@dataclass(frozen=True)
class Choice:
    """The roles of the columns."""

    target: str
    positive: str | None
    ordinal: bool
    categorical: list[str]
    ignored: list[str]
    weight: str | None
    group: str | None = None
    time: str | None = None

    @property
    def holds_out_by(self) -> str | None:
        """The column of groups or of times."""
        return self.group or self.time

    def special(self) -> list[str]:
        """The columns of labels, weights, groups and times, which are no features."""
        if self.group and self.time:
            raise DataFileError("--group and --time are both given; choose one of them.")
        found = [name for name in (self.target, self.weight, self.holds_out_by) if name]
        for name in found:
            if name in self.ignored or found.count(name) > 1:
                raise DataFileError(
                    f"The column {name!r} cannot be several of target, weight, group, time and ignored; name "
                    "another one."
                )
        return found


@dataclass(frozen=True)
class TrainingFile:
    """The training data of a model."""

    features: pa.Table
    labels: np.ndarray
    weights: np.ndarray | None
    pos_label: Any
    data: DataFile
    hold_out: dict[str, Any]  # groups or times, as `fit` takes them

    @property
    def n_rows(self) -> int:
        return self.features.num_rows

    @property
    def n_features(self) -> int:
        return self.features.num_columns

    @property
    def counts(self) -> dict[str, int]:
        """Rows of every label."""
        return {str(label): count for label, count in sorted(Counter(self.labels.tolist()).items())}

    def fit(self, estimator: Any) -> None:
        """Fit a model; errors have the row numbers of the file."""
        with file_rows(self.data):
            given = {} if self.weights is None else {"sample_weight": self.weights}
            estimator.fit(self.features, self.labels, **given, **self.hold_out)


def read_training(data: DataFile, choice: Choice) -> TrainingFile:
    """Read and check the training table."""
    special = choice.special()
    table = data.table({name: pa.string() for name in choice.categorical})
    if table.num_rows == 0:
        raise DataFileError(f"{data.path} has a header but no rows; give rows of both labels.")
    labels = labels_of(table[choice.target], choice.target, data)
    pos_label = check_labels(np.unique(labels).tolist(), len(labels), choice, data.path)
    weights = None if choice.weight is None else _weights(table[choice.weight], choice.weight, data)
    features = table.drop_columns([*special, *choice.ignored])
    if features.num_columns == 0:
        raise DataFileError(f"{data.path} has no column besides {listed(special + choice.ignored)}; add features.")
    columns = [_feature(name, features[name], choice, data) for name in features.column_names]
    hold_out = {
        role: nw.from_native(table[name], series_only=True).alias(name)
        for role, name in (("groups", choice.group), ("time", choice.time))
        if name is not None
    }
    return TrainingFile(pa.table(columns, names=features.column_names), labels, weights, pos_label, data, hold_out)


def labels_of(column: Any, name: str, data: DataFile) -> np.ndarray:
    """Labels as a NumPy array; raises an error for a missing label."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + 1
        raise DataFileError(
            f"{data.path}: the target {name!r} is missing in row {row}"
            f"{f' and {column.null_count - 1} more' if column.null_count > 1 else ''}; drop the rows without a label."
        )
    if pa.types.is_temporal(column.type):
        raise DataFileError(f"{data.path}: the target {name!r} has dates; give a column of labels.")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        at = pc.index(pc.ends_with(column, "\0"), True).as_py()
        if at >= 0:
            raise DataFileError(
                f"{data.path}: the target {name!r} is {column[at].as_py()!r} in row {at + 1}, which ends with the "
                "character NUL; remove it."
            )
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind == "O" and isinstance(values[0], str) else values


def check_labels(found: list[Any], n_rows: int, choice: Choice, path: str) -> Any:
    """Check the distinct labels, two or some ordered ones; returns the positive one in the type of the file."""
    where = f"{path}: the target {choice.target!r}"
    if choice.ordinal:
        if choice.positive is not None:
            raise DataFileError("--positive does not apply to ordered labels; leave it out, or choose another --model.")
        return None
    if len(found) == 1:
        raise DataFileError(f"{where} is {found[0]!r} in all {n_rows} rows; a ranking needs two labels.")
    if len(found) > 2:
        raise DataFileError(
            f"{where} has {len(found)} values ({listed(found)}); keep the rows of two of them, or use --model ordinal "
            "if they are ordered."
        )
    if choice.positive is None:
        return None
    for label in found:
        if _same(label, choice.positive):
            return label
    raise DataFileError(f"{where} is never {choice.positive!r}; --positive must be {found[0]} or {found[1]}.")


def _same(label: Any, text: str) -> bool:
    if isinstance(label, bool):
        return text.lower() == str(label).lower()
    if isinstance(label, str):
        return text == label
    for kind in (int, float):  # floats do not distinguish large integers
        try:
            return bool(kind(text) == label)
        except ValueError:
            continue
    return False


def _weights(column: Any, name: str, data: DataFile) -> np.ndarray:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise DataFileError(f"{data.path}: the weights {name!r} are not numbers ({column.type}); give another column.")
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + 1
        raise DataFileError(f"{data.path}: the weight {name!r} is missing in row {row}; give 0 to leave a row out.")
    return column.to_numpy().astype(np.float64)


def _feature(name: str, column: Any, choice: Choice, data: DataFile) -> Any:
    """A column for the library; raises an error for unsupported types, and prints a note about likely mistakes."""
    kind = column.type
    if pa.types.is_temporal(kind) or pa.types.is_nested(kind) or pa.types.is_binary(kind):
        what = "dates or times" if pa.types.is_temporal(kind) else f"values of the type {kind}"
        raise DataFileError(
            f"{data.path}: column {name!r} has {what}; convert it to numbers, such as days since a fixed date, or "
            f"leave it out with --ignore {name!r}."
        )
    if column.null_count == len(column):
        raise DataFileError(f"{data.path}: column {name!r} has no values; leave it out with --ignore {name!r}.")
    if name in choice.categorical:
        return column.cast(pa.string()) if pa.types.is_integer(kind) else column
    if pa.types.is_string(kind):
        _look_at_text(name, column, data)
    return column


def _look_at_text(name: str, column: Any, data: DataFile) -> None:
    present = column.drop_null()
    numbers = pc.match_substring_regex(present, _NUMBER)
    n_numbers = pc.sum(numbers).as_py() or 0
    if data.types is None and _MOSTLY * len(present) < n_numbers:
        other = pc.index(pc.fill_null(pc.invert(pc.match_substring_regex(column, _NUMBER)), False), True).as_py()
        if other < 0:
            note(f"column {name!r} is read as text; if its decimal point is a comma, add --decimal ,")
        else:
            note(
                f"column {name!r} is read as categories because of {column[other].as_py()!r} in row {other + 1}; if "
                f"that is a missing value, add --missing {column[other].as_py()!r}."
            )
    elif len(present) >= _FEW_ROWS and pc.count_distinct(present).as_py() == len(present):
        note(f"column {name!r} has a different value in every row; if it is an identifier, add --ignore {name!r}.")
