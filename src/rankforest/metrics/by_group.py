"""Figures by subgroup: is the list as good, and are the flags as fair, for every group of rows?

A model can rank well within each group and still rank one group too low as a whole. So there are three AUCs:

- *within*: positives of the group against negatives of the group;
- *BNSP* (background negative, subgroup positive): positives of the group against negatives of the others. It is low if
  the positives of the group rank too low;
- *BPSN* (background positive, subgroup negative): positives of the others against negatives of the group. It is low if
  the negatives of the group rank too high (Borkan et al., 2019).

BNSP and BPSN are the xAUC of Kallus and Zhou (2019), in both directions. They have no row in common, so their
difference is tested as that of two independent samples. With flags there are the flagged share of the group (equal
shares: demographic parity), its recall (equal opportunity), its share of false alarms (with recall: equalised odds),
and its precision (predictive parity). These cannot all be equal if the rates of positives differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import BoolArray, FloatArray
from rankforest.extras import needed
from rankforest.metrics._inputs import RankingInputs, check_ranking_inputs
from rankforest.metrics.comparison import holm
from rankforest.metrics.delong import auc_test_unpaired
from rankforest.metrics.group_names import group_names
from rankforest.metrics.interval import Interval, check_confidence
from rankforest.metrics.placements import placements
from rankforest.metrics.proportions import compare_proportions, proportion
from rankforest.metrics.score_interval import interval_of_auc
from rankforest.words import area, count, percent

__all__ = ["GroupFigure", "GroupTable", "by_group"]

_TITLES = {
    "rate": "positives",
    "auc": "AUC within",
    "bnsp_auc": "BNSP AUC",
    "bpsn_auc": "BPSN AUC",
    "flagged": "flagged",
    "precision": "precision",
    "recall": "recall",
    "false_alarms": "false alarms",
}
_AREAS = ("auc", "bnsp_auc", "bpsn_auc")


@dataclass(frozen=True)
class GroupFigure:
    """One figure of one group.

    Attributes
    ----------
    measure, group : str
    value : Interval
        NaN if the group has no rows for it, such as an AUC within a group of one class.
    difference : Interval
        Value of the group minus that of all other rows; for "bnsp_auc" minus the "bpsn_auc", and reversed.
    p_value : float
        Of the difference, corrected for the number of groups (Holm); NaN if it cannot be tested.
    """

    measure: str
    group: str
    value: Interval
    difference: Interval
    p_value: float


@dataclass(frozen=True)
class GroupTable:
    """Figures of all groups; print it, or use `to_frame()` or `to_dict()`.

    Attributes
    ----------
    groups : tuple of str
    n_rows, n_positives : ndarray of int
        Of each group.
    figures : tuple of GroupFigure
    cross_auc : ndarray of shape (n_groups, n_groups)
        Entry (a, b): the probability that a positive of group a ranks above a negative of group b; the diagonal has
        the AUCs within the groups.
    overall : dict of str -> Interval
        The figures of all rows together.
    confidence : float
    """

    groups: tuple[str, ...]
    n_rows: np.ndarray
    n_positives: np.ndarray
    figures: tuple[GroupFigure, ...]
    cross_auc: FloatArray
    overall: dict[str, Interval]
    confidence: float

    def __getitem__(self, key: tuple[str, str]) -> GroupFigure:
        """The figure of a measure and a group."""
        measure, group = key
        for figure in self.figures:
            if figure.measure == measure and figure.group == group:
                return figure
        raise KeyError(key)

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the figures, in the order of the table."""
        return tuple(dict.fromkeys(figure.measure for figure in self.figures))

    def to_dict(self) -> dict[str, list[Any]]:
        """One entry per figure, in plain lists: for JSON, tables and plots."""
        named: dict[str, Callable[[GroupFigure], Any]] = {
            "measure": lambda one: one.measure,
            "group": lambda one: one.group,
            "value": lambda one: one.value.estimate,
            "low": lambda one: one.value.low,
            "high": lambda one: one.value.high,
            "difference": lambda one: one.difference.estimate,
            "difference_low": lambda one: one.difference.low,
            "difference_high": lambda one: one.difference.high,
            "p_value": lambda one: one.p_value,
        }
        return {name: [of(figure) for figure in self.figures] for name, of in named.items()}

    def to_frame(self) -> Any:
        """A pandas frame with one line per figure, indexed by measure and group."""
        pd = needed("pandas", "GroupTable.to_frame needs", instead="use to_dict()")
        return pd.DataFrame(self.to_dict()).set_index(["measure", "group"])

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Head and lines of the printed table: one line per group, with a star where it differs from the others."""
        measures = self.measures
        head = ["group", "rows", *(_TITLES[measure] for measure in measures)]
        lines = [
            [name, count(int(rows)), *(self._cell(self[measure, name]) for measure in measures)]
            for name, rows in zip(self.groups, self.n_rows)
        ]
        overall = [_value(measure, self.overall[measure]) if measure in self.overall else "" for measure in measures]
        return head, [*lines, ["all", count(int(self.n_rows.sum())), *overall]]

    def _cell(self, figure: GroupFigure) -> str:
        if np.isnan(figure.value.estimate):
            return ""
        star = "*" if figure.p_value < 1.0 - self.confidence else ""
        low, high = (_value(figure.measure, end, plain=True) for end in (figure.value.low, figure.value.high))
        return f"{_value(figure.measure, figure.value)}{star} [{low}, {high}]"

    def __str__(self) -> str:
        head, lines = self.cells()
        widths = [max(len(line[j]) for line in [head, *lines]) for j in range(len(head))]
        printed = [
            "  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in enumerate(zip(line, widths))
            )
            for line in [head, *lines]
        ]
        return "\n".join([*(line.rstrip() for line in printed), self.note])

    @property
    def note(self) -> str:
        """What the stars mean."""
        return (
            f"* differs from the other rows (BNSP and BPSN: from each other) at {1.0 - self.confidence:.2g}, corrected "
            f"for {len(self.groups)} groups; intervals of {self.confidence * 100:g}%."
        )


def by_group(
    y_true: ArrayLike,
    y_score: ArrayLike,
    groups: Any,
    *,
    flagged: ArrayLike | None = None,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GroupTable:
    """AUC within and across groups, rates, and with flags their shares, precision and recall, each with an interval.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`; the model must not be trained on these rows.
    groups : array-like of shape (n,)
        A column of any kind; numbers with more than 12 values are cut into quarters, and missing values are a group.
    flagged : array-like of bool, optional
        Which rows are flagged, as by `BestInstances.flag`.
    confidence : float, default 0.95
        Of the intervals (AUC: score intervals; shares: Wilson), and 1 - the level of the tests.

    Returns
    -------
    GroupTable

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, group = rng.random(600) < 0.4, np.repeat(["a", "b", "c"], 200)
    >>> score = y + rng.normal(size=600) - (group == "c")  # rows of c score too low
    >>> table = by_group(y, score, group)
    >>> table["bnsp_auc", "c"].value.estimate < 0.6 < table["auc", "c"].value.estimate
    True
    >>> table["bnsp_auc", "c"].p_value < 0.001 < table["auc", "c"].p_value
    True
    """
    delta = check_confidence(confidence)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    codes, names = group_names(groups)
    if len(codes) != len(inputs.score):
        raise ValueError(f"groups has {len(codes)} rows and y_true has {len(inputs.score)}; pass one group per label.")
    if len(names) < 2:
        raise ValueError(f"groups holds one group only ({names[0]!r}); pass a column with at least two values.")
    flags = None if flagged is None else _flags(flagged, len(codes))
    figures: list[GroupFigure] = []
    member = [codes == k for k in range(len(names))]
    for measure, of in _measures(inputs, flags, delta).items():
        found = [of(rows) for rows in member]
        p_values = iter(holm([p for *_, p in found if not np.isnan(p)]))
        figures += [
            GroupFigure(measure, name, value, difference, p if np.isnan(p) else next(p_values))
            for name, (value, difference, p) in zip(names, found)
        ]
    everything = np.ones(len(codes), dtype=bool)
    overall = {"auc": _auc(inputs, everything, everything, delta)}
    overall |= {m: _share(inputs, *part, everything, 1.0 - delta).interval for m, part in _parts(inputs, flags).items()}
    cross = np.array([[_auc(inputs, a, b, delta).estimate for b in member] for a in member])
    return GroupTable(
        groups=tuple(names),
        n_rows=np.bincount(codes),
        n_positives=np.bincount(codes, weights=inputs.is_positive).astype(np.int64),
        figures=tuple(figures),
        cross_auc=cross,
        overall=overall,
        confidence=1.0 - delta,
    )


_Found = tuple[Interval, Interval, float]


def _measures(inputs: RankingInputs, flags: BoolArray | None, delta: float) -> dict[str, Callable[[BoolArray], _Found]]:
    """For each figure, a function of the rows of a group: value, difference and p-value."""
    found: dict[str, Callable[[BoolArray], _Found]] = {}
    parts = _parts(inputs, flags)
    for name in _TITLES:
        if name in parts:
            found[name] = lambda rows, part=parts[name]: _compared_shares(inputs, part, rows, 1.0 - delta)  # type: ignore[misc]
    # positives and negatives of the figure, and of what it is compared with
    ways: dict[str, Callable[[BoolArray], tuple[BoolArray, BoolArray, BoolArray, BoolArray]]] = {
        "auc": lambda rows: (rows, rows, ~rows, ~rows),
        "bnsp_auc": lambda rows: (rows, ~rows, ~rows, rows),
        "bpsn_auc": lambda rows: (~rows, rows, rows, ~rows),
    }
    for name, way in ways.items():
        found[name] = lambda rows, way=way: _compared_areas(inputs, way(rows), delta)  # type: ignore[misc]
    return {name: found[name] for name in _TITLES if name in found}


def _parts(inputs: RankingInputs, flags: BoolArray | None) -> dict[str, tuple[BoolArray, BoolArray]]:
    """Shares: what is counted, and among which rows."""
    positive = inputs.is_positive
    every = np.ones(len(positive), dtype=bool)
    parts = {"rate": (positive, every)}
    if flags is not None:
        parts |= {
            "flagged": (flags, every),
            "precision": (positive, flags),
            "recall": (flags, positive),
            "false_alarms": (flags, ~positive),
        }
    return parts


def _share(inputs: RankingInputs, counted: BoolArray, among: BoolArray, rows: BoolArray, confidence: float) -> Any:
    kept = among & rows
    return proportion(counted[kept], None if inputs.weight is None else inputs.weight[kept], confidence)


def _compared_shares(
    inputs: RankingInputs, part: tuple[BoolArray, BoolArray], rows: BoolArray, confidence: float
) -> _Found:
    own, rest = (_share(inputs, *part, some, confidence) for some in (rows, ~rows))
    return own.interval, *compare_proportions(own, rest)


def _compared_areas(
    inputs: RankingInputs, ways: tuple[BoolArray, BoolArray, BoolArray, BoolArray], delta: float
) -> _Found:
    nothing = Interval(np.nan, -1.0, 1.0, np.inf, 1.0 - delta, "none")
    own = _auc(inputs, *ways[:2], delta)
    some, other = (_rows_of(inputs, *pair) for pair in (ways[:2], ways[2:]))
    if some is None or other is None:
        return own, nothing, np.nan
    test = auc_test_unpaired(
        some.is_positive, some.score, other.is_positive, other.score, confidence=1.0 - delta,
        sample_weight=some.weight, other_weight=other.weight, pos_label=True,
    )  # fmt: skip
    return own, test.difference, test.p_value


def _auc(inputs: RankingInputs, positives: BoolArray, negatives: BoolArray, delta: float) -> Interval:
    rows = _rows_of(inputs, positives, negatives)
    if rows is None:
        return Interval(np.nan, 0.0, 1.0, np.inf, 1.0 - delta, "none")
    return interval_of_auc(placements(rows, rows.score[None, :]), delta)


def _rows_of(inputs: RankingInputs, positives: BoolArray, negatives: BoolArray) -> RankingInputs | None:
    """The positives of some rows and the negatives of others; None if there are none of a class."""
    kept = np.where(inputs.is_positive, positives, negatives)
    if inputs.weight is not None:
        kept &= inputs.weight > 0.0
    labels = inputs.is_positive[kept]
    if labels.all() or not labels.any():
        return None
    return RankingInputs(labels, inputs.score[kept], None if inputs.weight is None else inputs.weight[kept])


def _flags(flagged: ArrayLike, n_rows: int) -> BoolArray:
    flags = np.asarray(flagged)
    if flags.dtype.kind != "b" or flags.shape != (n_rows,):
        raise ValueError(
            f"flagged must hold True or False for each of the {n_rows} rows, got {flags.dtype} of shape {flags.shape}."
        )
    return flags


def _value(measure: str, value: Any, *, plain: bool = False) -> str:
    number = value if plain else value.estimate
    return area(number, 3) if measure in _AREAS else percent(number)
