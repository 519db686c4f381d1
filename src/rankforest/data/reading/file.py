"""The columns of files, looked at and read: what `fit` and `check` do before anything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ..data_file import DataFile
from .apply import read_column, without
from .attached import attach_reading
from .evidence import Evidence
from .findings import Finding
from .recipe import ColumnReading, Reading
from .recognise import Hints, recognise

__all__ = ["Look", "look_at", "made_table", "whole_numbers"]


@dataclass(frozen=True)
class Look:
    """What was found in the columns of files.

    Attributes
    ----------
    reading : Reading
        Of all columns, in the order of the file.
    findings : list of Finding
    seen : dict of str to Evidence
        By column.
    """

    reading: Reading
    findings: list[Finding]
    seen: dict[str, Evidence]

    def only(self, names: Sequence[str], label: ColumnReading | None = None) -> Reading:
        """The reading of some columns, which become features."""
        return replace(self.reading, columns=tuple(self.reading.of(name) for name in names), label=label)


def look_at(files: Sequence[DataFile], names: Sequence[str], hints: Hints, table: Any = None) -> Look:
    """Look at all values of some columns.

    Parameters
    ----------
    files : sequence of DataFile
        With the same columns.
    names : sequence of str
    hints : Hints
    table : pyarrow Table, optional
        The rows of the only file, if they are in memory.
    """
    seen = {name: Evidence(name) for name in names}
    for batch in [table] if table is not None else (one for file in files for one in file.batches(names)):
        for name, evidence in seen.items():
            evidence.see(without(batch.column(name), hints.missing.get(name, ())))
    typed = frozenset(name for file in files if file.types is not None for name in names)
    readings, findings = recognise(list(seen.values()), hints, files[0].path, typed)
    return Look(Reading(tuple(readings[name] for name in names)), findings, seen)


def made_table(rows: Any, reading: Reading, columns: Sequence[str] | None = None) -> pa.Table:
    """The columns that a reading makes of rows of a file, with the reading attached.

    Parameters
    ----------
    rows : pyarrow Table or RecordBatch
    reading : Reading
    columns : sequence of str, optional
        Some of what it makes; all by default.
    """
    wanted = reading.features if columns is None else columns
    made: dict[str, Any] = {}
    for how in reading.columns:
        if any(name in wanted for name in how.features):
            made |= dict(zip(how.features, read_column(rows.column(how.name), how)))
    table = pa.table([made[name] for name in wanted], names=list(wanted))
    of_table = replace(reading, columns=tuple(how for how in reading.columns if set(how.features) <= set(wanted)))
    return attach_reading(table, of_table) if of_table.features == tuple(wanted) else table


def whole_numbers(column: Any) -> Any:
    """A column of floats as int64 if all of its numbers are whole, as labels are; any other column as it is.

    Examples
    --------
    >>> whole_numbers(pa.array([1.0, None])).type, whole_numbers(pa.array([0.5])).type
    (DataType(int64), DataType(double))
    """
    if not pa.types.is_floating(column.type):
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
