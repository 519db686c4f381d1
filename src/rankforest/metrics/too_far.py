"""Rows that are too far from those that a model was trained on: it has no cuts where they are."""

from __future__ import annotations

from collections.abc import Collection

from rankforest.data.schema import Schema
from rankforest.data.summary import FeatureSummary, TrainingSummary
from rankforest.data.table import Table
from rankforest.words import number, percent

__all__ = ["TooMuchDrift", "refuse_much_drift"]

# An outer group of a feature, or its missing values, may have this share of the new rows, or this many times its share
# of the training rows.
_MOST, _TIMES = 0.5, 3.0


class TooMuchDrift(ValueError):
    """New rows that a refresh cannot learn from; the message names the feature and the remedy."""


def refuse_much_drift(summary: TrainingSummary, schema: Schema, table: Table, used: Collection[int]) -> None:
    """Raise TooMuchDrift if most of the new rows are where a model has no cuts.

    Parameters
    ----------
    summary : TrainingSummary
        Of the training rows; its outer groups have about a tenth of them each.
    schema : Schema
    table : Table
        The new rows.
    used : collection of int
        The features that the model uses.
    """
    worst, said = 0.0, ""
    for j in used:
        feature, name = summary.features[j], schema.names[j]
        counts = feature.counts(table.column(j))
        shares = counts / max(counts.sum(), 1)
        for group, where in _outer_groups(feature):
            before = feature.missing if group == -1 else feature.shares[group]
            share = float(shares[group])
            if share > max(_MOST, _TIMES * before, worst):
                worst = share
                said = (
                    f"{percent(share, 0)} of the new rows have {where.format(repr(name))} (training: {percent(before)})"
                )
    if said:
        raise TooMuchDrift(
            f"{said}. A refresh keeps the cuts of the model, which hardly tell such rows apart: fit it again."
        )


def _outer_groups(feature: FeatureSummary) -> list[tuple[int, str]]:
    """Positions in the counts, with words."""
    missing = (-1, "no known value of {}")
    if feature.edges is None or len(feature.edges) == 0:
        return [missing]
    low, high = number(feature.edges[0], 4), number(feature.edges[-1], 4)
    return [(0, "values of {} up to " + low), (len(feature.shares) - 1, "values of {} above " + high), missing]
