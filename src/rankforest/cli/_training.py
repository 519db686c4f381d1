"""The training table of `fit`: features, labels and weights of a file, with notes about likely mistakes."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..data.data_file import DataFile, DataFileError
from ..data.errors import InputError, listed
from ..data.match import file_rows
from ..data.reading.apply import read_column, without
from ..data.reading.file import Look, look_at, made_table, whole_numbers
from ..data.reading.findings import Finding, sentences
from ..data.reading.labels import is_unknown, label_reading
from ..data.reading.recipe import ColumnReading
from ..data.reading.recognise import Hints
from ..data.reading.suspects import in_rows, suspicious_columns, without_identifiers
from ..data.row_prints import MOST_ROWS, PrintsOfRows, RowPrints
from ._errors import WrongUsage

__all__ = ["Choice", "TrainingFile", "check_labels", "labels_of", "read_training", "refuse_strange", "weights_of"]


@dataclass(frozen=True)
class Choice:
    """The roles of the columns."""

    target: str
    positive: str | None
    ordinal: bool
    categorical: list[str]
    ignored: list[str]
    weight: str | None
    numeric: list[str] = field(default_factory=list)
    dates: str | None = None
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    drop_unlabelled: bool = False

    def hints(self, data: DataFile) -> Hints:
        """What the options say about the columns."""
        return Hints(
            decimal=data.layout.decimal,
            dates=self.dates,
            text=frozenset(self.categorical),
            numbers=frozenset(self.numeric),
            missing=self.missing,
        )

    group: str | None = None
    time: str | None = None

    @property
    def holds_out_by(self) -> str | None:
        """The column of groups or of times."""
        return self.group or self.time

    def special(self) -> list[str]:
        """The columns of labels, weights, groups and times, which are no features."""
        if self.group and self.time:
            raise WrongUsage("--group and --time are both given; choose one of them.")
        found = [name for name in (self.target, self.weight, self.holds_out_by) if name]
        for name in found:
            if name in self.ignored or found.count(name) > 1:
                raise WrongUsage(
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
    findings: list[Finding]
    dropped: list[str]  # columns without information

    def all_findings(self) -> list[Finding]:
        """The findings, with those that need the labels."""
        return [*self.findings, *in_rows(self.features, self.labels, self.findings)]

    def categorical(self, choice: Choice) -> list[str] | None:
        """Features that the user calls categories."""
        return [name for name in choice.categorical if name not in self.dropped] or None

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

    def row_prints(self) -> dict[str, Any] | None:
        """The prints of the rows, as plain data; None for very many rows."""
        if self.n_rows > MOST_ROWS:
            return None
        prints = PrintsOfRows()
        prints.see(self.features)
        return RowPrints.of(prints.of(self.labels)).to_dict()

    def fit(self, learner: Any) -> Any:
        """The fitted model; errors have the row numbers of the file."""
        with file_rows(self.data):
            given = {} if self.weights is None else {"sample_weight": self.weights}
            return learner.fit(self.features, self.labels, **given, **self.hold_out)


def read_training(data: DataFile, choice: Choice) -> TrainingFile:
    """Read and check the training table."""
    special = choice.special()
    table = data.table()
    if table.num_rows == 0:
        raise DataFileError(f"{data.path} has a header but no rows; give rows of both labels.")
    rows = labelled_rows(table, choice, data)
    left_out = table.num_rows - rows.num_rows
    names = [name for name in table.column_names if name not in choice.ignored]
    look = look_at([data], names, choice.hints(data), rows)
    as_text = choice.target in choice.categorical
    label, of_labels = label_reading(
        look.seen[choice.target], look.reading.of(choice.target), ordered=choice.ordinal, as_text=as_text
    )
    with file_rows(data):
        column = whole_numbers(read_column(rows[choice.target], label)[0])
    labels = labels_of(column, choice.target, data)
    pos_label = check_labels(np.unique(labels).tolist(), len(labels), choice, data.path)
    weights = None if choice.weight is None else weights_of(rows[choice.weight], choice.weight, data)
    wanted = [name for name in names if name not in special]
    if not wanted:
        raise DataFileError(f"{data.path} has no column besides {listed(special + choice.ignored)}; add features.")
    refuse_types(look, wanted, data)
    spoiled = suspicious_columns([look.seen[name] for name in wanted])
    told = without_identifiers(look.findings, spoiled)
    dropped = [one.column for one in spoiled if one.kind in ("empty", "constant")]
    features = [name for name in wanted if name not in dropped]
    if not features:
        raise DataFileError(f"{data.path}: {sentences(spoiled)[0][:-1]}, so that no feature is left; add features.")
    made = made_table(rows, look.only(features, label))
    findings = [*of_labels, *(one for one in told if one.column in features), *spoiled]
    if left_out:
        findings.append(Finding("left out", value=f"{left_out} row{'s' * (left_out > 1)}"))
    hold_out = {
        role: nw.from_native(whole_numbers(_alone(rows[name], look.reading.of(name))), series_only=True).alias(name)
        for role, name in (("groups", choice.group), ("time", choice.time))
        if name is not None
    }
    return TrainingFile(made, labels, weights, pos_label, data, hold_out, findings, dropped)


def _alone(column: Any, how: ColumnReading) -> Any:
    """What a column of groups or times becomes: a date is days."""
    made = read_column(column, how)[0]
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])


def labelled_rows(table: Any, choice: Choice, data: DataFile) -> Any:
    """The rows with a label, if the others are to be left out."""
    if not choice.drop_unlabelled:
        return table
    rows = table.filter(pc.is_valid(without(table[choice.target], choice.hints(data).missing.get(choice.target, ()))))
    if rows.num_rows == 0:
        raise DataFileError(f"{data.path}: the target {choice.target!r} is missing in all rows; give another column.")
    return rows


def refuse_strange(findings: Sequence[Finding], path: str) -> None:
    """Refuse columns of numbers or dates with a few other values: as categories they would spoil a model."""
    found = [one for one in findings if one.kind in ("almost numbers", "no date", "two orders", "infinite")]
    if found:
        raise DataFileError(f"{path}: {' '.join(sentences(found))}")


def refuse_types(look: Look, names: Sequence[str], data: DataFile) -> None:
    """Refuse columns of lists, bytes and the like, all of them at once."""
    known = ("number", "boolean", "date", "time", None)
    odd = {name: look.seen[name].typed for name in names if look.seen[name].typed not in known}
    if odd:
        several = "columns" if len(odd) > 1 else "column"
        kinds = ", ".join(dict.fromkeys(map(str, odd.values())))
        raise DataFileError(
            f"{data.path}: {several} {listed(list(odd))} {'have' if len(odd) > 1 else 'has'} values of the type "
            f"{kinds}; convert them to numbers or text, or leave them out with --ignore {','.join(odd)!r}."
        )


def labels_of(column: Any, name: str, data: DataFile) -> np.ndarray:
    """Labels as a NumPy array; raises an error for a missing label."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + 1
        raise DataFileError(
            f"{data.path}: the target {name!r} is missing in row {row}"
            f"{f' and {column.null_count - 1} more' if column.null_count > 1 else ''}; correct it, or add "
            "--drop-unlabelled to leave such rows out."
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
            raise WrongUsage("--positive does not apply to ordered labels; leave it out, or choose another --model.")
        return None
    if len(found) == 1:
        raise DataFileError(
            f"{where} is {found[0]!r} in {'its only row' if n_rows == 1 else f'all {n_rows} rows'}; a ranking needs "
            "two labels."
        )
    if len(found) > 2:
        unknown = [label for label in found if isinstance(label, str) and is_unknown(label)]
        if len(found) - len(unknown) == 2:
            options = " ".join(f"--missing {shlex.quote(f'{choice.target}={label}')}" for label in unknown)
            raise DataFileError(
                f"{where} has {len(found)} values ({listed(found)}); if {listed(unknown)} means that the label is "
                f"missing, add {options} --drop-unlabelled."
            )
        if len(found) == 3 and choice.target in found:
            again = shlex.quote(f"{choice.target}={choice.target}")
            raise DataFileError(
                f"{where} has 3 values ({listed(found)}), of which {choice.target!r} is its name: a header stands "
                f"among the rows; remove it, or add --missing {again} --drop-unlabelled."
            )
        raise DataFileError(
            f"{where} has {len(found)} values ({listed(found)}); keep the rows of two of them, or use --model ordinal "
            "if they are ordered."
        )
    if choice.positive is None:
        return None
    for label in found:
        if _same(label, choice.positive):
            return label
    raise WrongUsage(f"{where} is never {choice.positive!r}; --positive must be {found[0]} or {found[1]}.")


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


def weights_of(column: Any, name: str, data: DataFile) -> np.ndarray:
    """Weights as a NumPy array; raises an error for text and missing ones."""
    try:
        column = read_column(column, ColumnReading(name, "number"))[0].cast(pa.float64())
    except (InputError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataFileError(
            f"{data.path}: the weights {name!r} are not numbers ({column.type}); give another column."
        ) from None
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + 1
        raise DataFileError(f"{data.path}: the weight {name!r} is missing in row {row}; give 0 to leave a row out.")
    return column.to_numpy().astype(np.float64)
