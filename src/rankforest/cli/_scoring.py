"""Scoring of a file, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..data.data_file import DataFile, DataFileError
from ..data.errors import listed
from ..data.labelled_rows import LabelledRows
from ..data.match import check_columns, features_of, file_rows, read_labels, reading_of
from ..data.read_hold_out import group_codes
from ..metrics._held_out_list import HeldOutList, one_row_each
from ._errors import WrongUsage, note
from ._model import Loaded
from ._options import names_in
from ._training import labels_of, weights_of

__all__ = [
    "Scored",
    "Unseen",
    "check_file",
    "group_column",
    "labelled_rows",
    "read_column",
    "read_groups",
    "read_held_out",
    "read_labelled",
    "read_scored",
    "score_batches",
    "target_in",
]


_FEW_VALUES = 2  # a single row may have a new category


@dataclass(frozen=True)
class Scored:
    """The scores, labels and weights of a whole file, for the metrics."""

    scores: np.ndarray
    cells: np.ndarray | None  # strata of a single tree, from 0
    probabilities: np.ndarray | None  # of the positive label
    predicted: np.ndarray | None  # labels that an ordinal model predicts
    labels: np.ndarray | None
    weights: np.ndarray | None
    groups: np.ndarray | None = None  # values of the column of --by
    together: Any = None  # groups of --group, whose rows are drawn together, as a series with a name

    @property
    def n_rows(self) -> int:
        return len(self.scores)


class Unseen:
    """Counts the categories that did not occur in training, for a note at the end.

    Parameters
    ----------
    schema : Schema
    allowed : bool
        Whether a column may have no known category at all.
    """

    def __init__(self, schema: Any, *, allowed: bool = False) -> None:
        self._allowed = allowed
        self._known = {
            feature.name: pa.array(feature.categories)
            for feature in schema.features
            if feature.categories is not None and isinstance(feature.categories[0], str)
        }
        self._found: dict[str, tuple[int, str]] = {}
        self._values: dict[str, int] = dict.fromkeys(self._known, 0)

    def see(self, features: pa.Table) -> None:
        """Count a batch."""
        for name, known in self._known.items():
            column = features[name]
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                continue
            strange = column.filter(pc.and_(pc.invert(pc.is_in(column, known.cast(column.type))), pc.is_valid(column)))
            self._values[name] += len(column) - column.null_count
            if len(strange):
                before, example = self._found.get(name, (0, strange[0].as_py()))
                self._found[name] = (before + len(strange), example)

    def tell(self, path: str) -> None:
        """One note for all columns; a column without any known category is an error, because it is another column."""
        lost = {
            name: example
            for name, (count, example) in self._found.items()
            if count == self._values[name] and count >= _FEW_VALUES
        }
        if lost and not self._allowed:
            several = len(lost) > 1
            some = ", ".join(f"{name!r} (such as {example!r})" for name, example in list(lost.items())[:5])
            raise DataFileError(
                f"{path}: no value of the column{'s' * several} {some} occurred in training; give the values that the "
                "model was fitted on, or score with --new-categories if they are really new."
            )
        for name, (count, example) in list(self._found.items())[:5]:
            rows = "1 row has" if count == 1 else f"{count} rows have"
            note(
                f"{rows} a category in column {name!r} that did not occur in training, such as {example!r}; it "
                "counts as missing."
            )


def check_file(loaded: Loaded, data: DataFile, *, strict: bool = False) -> None:
    """Raise an error for missing columns; extra columns give a note, or an error with `--strict`."""
    extra = check_columns(data, loaded.schema, known=loaded.known_columns())
    if extra:
        several = "columns" if len(extra) > 1 else "column"
        said = f"{data.path} has the {several} {listed(extra)}, which {loaded.path} was not fitted on"
        if strict:
            raise DataFileError(f"{said}; drop it, or leave out --strict.")
        note(f"{said}; not used.")


def score_batches(loaded: Loaded, data: DataFile, columns: Sequence[str] = ()) -> Iterator[tuple[Any, pa.Table, int]]:
    """Batches of a file with the features in the model's order, and the rows before each.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    columns : sequence of str
        Additional columns to read, as they are in the file.
    """
    reading = reading_of(loaded.schema, data)
    before = 0
    for batch in data.batches(list(dict.fromkeys([*reading.sources, *columns]))):
        if batch.num_rows:
            with file_rows(data, before):
                features = features_of(batch, loaded.schema, reading)
            yield batch, features, before
            before += batch.num_rows


def read_scored(
    loaded: Loaded,
    data: DataFile,
    *,
    target: str | None,
    weight: str | None = None,
    group: str | None = None,
    by: str | None = None,
    tell: Any = None,
    watch: Any = None,
    new_categories: bool = False,
) -> Scored:
    """Score a whole file, keeping only scores, labels, weights and groups.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    target, weight, group, by : str or None
        Columns of labels, weights and groups.
    tell : callable, optional
        Called with the finished share of the file.
    watch : callable, optional
        Called with the features of every batch.
    new_categories : bool
        Whether a column may have no known category.
    """
    model = loaded.model
    columns = list(dict.fromkeys(name for name in (target, weight, group, by) if name is not None))
    unseen = Unseen(loaded.schema, allowed=new_categories)
    found: dict[str, list[Any]] = {"scores": [], "cells": [], "probabilities": [], "predicted": []}
    kept: dict[str, list[Any]] = {name: [] for name in columns}
    for batch, features, before in score_batches(loaded, data, columns):
        with file_rows(data, before):
            scores, cells = model.place(features)
            found["scores"].append(scores)
            if cells is not None:
                found["cells"].append(cells)
            if target is not None and loaded.model.ordered:
                found["predicted"].append(model.predict(features))
            elif target is not None and (probability := model.probability_of(scores)) is not None:
                found["probabilities"].append(probability)
        unseen.see(features)
        if watch is not None:
            watch(features)
        for name in columns:
            kept[name].append(batch.column(name))
        if tell is not None:
            tell(data.share_read)
    if not found["scores"]:
        raise DataFileError(f"{data.path} has a header but no rows; give rows to score.")
    unseen.tell(data.path)
    scores = np.concatenate(found.pop("scores"))
    whole = {name: np.concatenate(parts) if parts else None for name, parts in found.items()}
    labels = None if target is None else _labels(pa.chunked_array(kept[target]), target, data, loaded)
    weights = None if weight is None else weights_of(pa.chunked_array(kept[weight]), weight, data)
    together = None
    if group is not None:
        together = nw.from_native(pa.chunked_array(kept[group]), series_only=True).alias(group)
    groups = None if by is None else _groups(pa.chunked_array(kept[by]))
    return Scored(scores=scores, labels=labels, weights=weights, groups=groups, together=together, **whole)


def read_held_out(loaded: Loaded, data: DataFile, target: str | None, group: str | None = None) -> HeldOutList:
    """The scores of labelled rows, by class; of each group of a column one row, drawn at random."""
    if loaded.model.ordered:
        raise DataFileError(f"{loaded.path} is for ordered labels, and flags are for two; give a model of two labels.")
    check_file(loaded, data)
    if group is not None:
        names_in([group], data.names, "--group", data.path)
    scored = read_scored(loaded, data, target=target_in(loaded, data, target), group=group)
    is_positive, scores = np.asarray(scored.labels == loaded.model.pos_label_), scored.scores
    if group is not None:
        rows = one_row_each(group_codes(scored.together, len(scores))[0], 0)
        is_positive, scores = is_positive[rows], scores[rows]
    return HeldOutList.of(is_positive, scores)


def read_groups(data: DataFile, group: str | None) -> np.ndarray | None:
    """The group of each row of a batch, from 0 on; None if the file has no such column: then each row has its own."""
    if group is None or group not in data.names:
        return None
    values = read_column(data, group)
    assert values is not None
    return group_codes(values, len(values))[0]


def labelled_rows(loaded: Loaded, data: DataFile, target: str | None, *, drop: bool) -> DataFile:
    """The file; if asked for, only its rows with a label."""
    if not drop:
        return data
    reading = loaded.schema.reading
    label = None if reading is None else reading.label
    return LabelledRows(data, target_in(loaded, data, target), () if label is None else label.missing)


def target_in(loaded: Loaded, data: DataFile, given: str | None) -> str:
    """The label column: the given one, or that of the training file."""
    name = loaded.notes.get("target") if given is None else given
    if name is None:
        raise WrongUsage(f"{loaded.path} does not store the name of the label column; give it with --target.")
    if given is not None:
        return names_in([given], data.names, "--target", data.path)[0]
    if name not in data.names:
        raise DataFileError(
            f"{data.path} has no label column {name!r}; give another column with --target (it has "
            f"{listed(data.names)})."
        )
    return name


def read_labelled(
    loaded: Loaded, data: DataFile, *, target: str | None, weight: str | None, new_categories: bool = False
) -> tuple[pa.Table, np.ndarray, np.ndarray | None]:
    """All rows of a file: features in the model's order, labels, and weights if a column is given."""
    column = target_in(loaded, data, target)
    others = [column, *([] if weight is None else [weight])]
    unseen = Unseen(loaded.schema, allowed=new_categories)
    parts, kept = [], []
    for batch, features, _ in score_batches(loaded, data, others):
        unseen.see(features)
        parts.append(features)
        kept.append(batch.select(others))
    if not parts:
        raise DataFileError(f"{data.path} has a header but no rows; give rows with labels.")
    unseen.tell(data.path)
    beside = pa.Table.from_batches(kept)
    labels = _labels(beside[column], column, data, loaded)
    weights = None if weight is None else weights_of(beside[weight], weight, data)
    return pa.concat_tables(parts).combine_chunks(), labels, weights


def read_column(data: DataFile, name: str | None) -> np.ndarray | None:
    """The values of one column of a file; None without a name."""
    if name is None:
        return None
    return _groups(
        pa.chunked_array([batch.column(name) for batch in data.batches([name], verbatim=True) if batch.num_rows])
    )


def group_column(data: DataFile, name: str, features: pa.Table) -> np.ndarray:
    """A column of groups: a feature as the model reads it, so that codes stay codes; any other as in `_groups`."""
    if name not in features.column_names:
        return _groups(pa.chunked_array([batch.column(name) for batch in data.batches([name]) if batch.num_rows]))
    column = features[name]
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(column.to_pylist(), dtype=object)


def _groups(column: Any) -> np.ndarray:
    """Values of a column: numbers where all of them are, else text."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        try:
            column = column.cast(pa.float64())
        except pa.ArrowInvalid:
            return np.asarray(column.to_pylist(), dtype=object)
    return np.asarray(column.to_numpy())


def _labels(column: Any, target: str, data: DataFile, loaded: Loaded) -> np.ndarray:
    """The labels of a file, in the type of the training labels."""
    with file_rows(data):
        column = read_labels(column, target, loaded.model.classes_, loaded.schema)
    labels = labels_of(column, target, data)
    known = np.asarray(loaded.model.classes_)
    if (labels.dtype.kind in "US") != (known.dtype.kind in "USO"):
        raise DataFileError(
            f"{data.path}: the target {target!r} has {column.type} values, and the labels of the model are "
            f"{listed(known.tolist())}; convert it."
        )
    strange = ~np.isin(labels, known.astype(labels.dtype) if known.dtype.kind == "O" else known)
    if strange.any():
        row = int(strange.argmax())
        raise DataFileError(
            f"{data.path}: the target {target!r} is {labels[row].item()!r} in row {row + 1}, and the labels of the "
            f"model are {listed(known.tolist())}; give the column of labels with --target."
        )
    return labels if known.dtype.kind not in "iu" else labels.astype(known.dtype)
