"""What the refresh of every model shares: new rows, read and checked as those of the fit."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, NamedTuple

from joblib import effective_n_jobs

from ..data.binning import Bins, bin_table
from ..data.labels import check_two_classes, read_known_labels
from ..data.read_hold_out import read_hold_out
from ..data.read_weights import read_weights
from ..data.sources import is_source
from ..data.stream import Stream
from ..data.table import Table, read_table
from ..fitting.refresh import Refresh
from ..metrics.too_far import refuse_much_drift
from ._table_model import TableModel, Training

__all__ = ["NewRows", "history_from", "new_rows"]


class NewRows(NamedTuple):
    """What `refresh` is given, as `fit` is; y has the labels of the fit."""

    X: Any
    y: Any
    sample_weight: Any
    groups: Any
    time: Any


def new_rows(model: TableModel, given: NewRows, used: Collection[int], find: Callable[[Table], Bins]) -> Training:
    """The new rows, coded as in the schema of the model and binned; refused if they are too far from the old ones.

    Parameters
    ----------
    model : TableModel
    given : NewRows
    used : collection of int
        Features that the model uses.
    find : callable
        The bins of a table.
    """
    name = type(model).__name__
    X, y, sample_weight, groups, time = given
    if isinstance(X, Stream) or is_source(X):
        raise TypeError(f"{name}.refresh needs the new rows in memory; load them as a frame, or fit the model again.")
    table = read_table(X, schema=model.schema_, estimator_name=name)
    labels = read_known_labels(
        y, n_rows=table.n_rows, classes=model.classes_, pos_label=model.pos_label_, purpose="refresh it"
    )
    weights = read_weights(sample_weight, n_rows=table.n_rows)
    check_two_classes(labels.codes, weights)
    hold_out = read_hold_out(groups, time, n_rows=table.n_rows, labels=labels.codes)
    codes, kept = labels.codes, None
    if weights is not None and not weights.all():
        kept = weights > 0
        table, codes, weights, hold_out = table.take(kept), codes[kept], weights[kept], hold_out.take(kept)
    model._check_hold_out(hold_out, codes)
    if model.summary_ is not None:
        refuse_much_drift(model.summary_, model.schema_, table, used)
    binned = bin_table(table, find(table), n_threads=effective_n_jobs(model.n_jobs))
    sample = replace(model._sample(table, binned, codes, weights, labels), hold_out=hold_out)
    return model._training_on(sample, labels, None, kept)


def history_from(reports: list[Refresh]) -> tuple[Refresh, ...]:
    """Reports out of a file, checked."""
    for report in reports:
        report.check()
    return tuple(reports)
