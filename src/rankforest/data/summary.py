"""Summary of the training rows: their number, the distribution of each feature, the distribution of the scores.

It has a few shares per feature and no rows: enough to detect drift in the rows that are scored later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .binning import BinnedTable, Bins
from .equal_values import sums_of_equal
from .rows import spaced_rows

__all__ = ["FeatureSummary", "ScoreSummary", "TrainingSummary"]

GROUPS = 10  # of a numeric feature, and of scores


@dataclass(frozen=True)
class FeatureSummary:
    """Distribution of a feature in training.

    Attributes
    ----------
    edges : tuple of float or None
        Of a numeric feature, the upper ends of its groups: a value x is in group ``(edges < x).sum()``. There are
        at most ten groups, of about equally many rows. None for a categorical feature.
    shares : tuple of float
        Share of all rows in each group, or of each category in the order of the schema.
    missing : float
        Share of all rows without a value.
    """

    edges: tuple[float, ...] | None
    shares: tuple[float, ...]
    missing: float

    def counts(self, values: np.ndarray) -> np.ndarray:
        """Number of other values in each group, and last of missing values.

        Parameters
        ----------
        values : array
            Numbers, or the codes of categories; NaN is no value.

        Examples
        --------
        >>> FeatureSummary((1.5,), (0.5, 0.4), 0.1).counts(np.array([1.0, 2.0, 3.0, np.nan]))
        array([1, 2, 1])
        """
        known = values[~np.isnan(values)]
        if self.edges is None:
            group = known.astype(np.intp)
        else:
            group = np.searchsorted(np.asarray(self.edges), known, side="left")
        return np.append(np.bincount(group, minlength=len(self.shares)), len(values) - len(known))


@dataclass(frozen=True)
class ScoreSummary:
    """Distribution of the scores of the training rows.

    Attributes
    ----------
    source : {"training", "out-of-bag", "held-out"}
        Kind of the scores: in-sample scores of the training rows, or their out-of-bag or held-out scores.
    edges : tuple of float
        Upper ends of the groups of scores, as in `FeatureSummary`.
    shares : tuple of float
        Share of the rows in each group.
    """

    source: str
    edges: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, source: str, scores: np.ndarray, counts: np.ndarray | None = None) -> ScoreSummary | None:
        """Ten groups of about equally many rows; None if there are no scores.

        Of very many rows, two million evenly spaced ones are used.

        Parameters
        ----------
        source : str
        scores : array
            NaN is left out.
        counts : array or None
            Rows with each of the scores; None is one.

        Examples
        --------
        >>> ScoreSummary.of("training", np.array([0.9, 0.1]), np.array([30.0, 70.0]))
        ScoreSummary(source='training', edges=(0.5,), shares=(0.7, 0.3))
        """
        chosen = spaced_rows(len(scores))
        scores, counts = scores[chosen], None if counts is None else counts[chosen]
        known = ~np.isnan(scores)
        if not known.any():
            return None
        if not known.all():
            scores, counts = scores[known], None if counts is None else counts[known]
        values, [rows] = sums_of_equal(scores, counts)
        # halved first, because the sum of two large numbers could overflow
        middles = values[:-1] / 2 + values[1:] / 2
        ends = _ends(rows)
        return cls(source, tuple(middles[ends].tolist()), tuple(_shares(rows, ends, rows.sum())))

    def bands(self, scores: np.ndarray) -> np.ndarray:
        """The group of each score, counted from the best one, which is 0.

        Examples
        --------
        >>> ScoreSummary("training", (0.5,), (0.7, 0.3)).bands(np.array([0.9, 0.1, 0.5]))
        array([0, 1, 1], dtype=int32)
        """
        edges = np.asarray(self.edges, dtype=np.float64)
        return (len(edges) - np.searchsorted(edges, scores, side="left")).astype(np.int32)


@dataclass(frozen=True)
class TrainingSummary:
    """Summary of the training rows.

    Attributes
    ----------
    class_counts : tuple of int
        Rows of each label, in the order of the model's `classes_`; rows of weight 0 do not count.
    features : tuple of FeatureSummary
        One for each feature of the schema.
    scores : ScoreSummary or None
        None if there are no scores.
    pos_label : label or None
        The label at the top of the list; None for ordered labels.
    n_positives : int or None
        Rows of that label.
    held_out : str or None
        How rows were held out, in words; None: row by row.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(1000, random_state=0)
    >>> summary = TreeRank(max_depth=1).fit(sample.X, sample.y).summary_
    >>> summary.n_rows, len(summary.features), [round(share, 3) for share in summary.features[0].shares[:3]]
    (1000, 20, [0.1, 0.1, 0.1])
    >>> print(summary)
    1000 rows, 537 of them positive (1), 20 features
    """

    class_counts: tuple[int, ...]
    features: tuple[FeatureSummary, ...]
    scores: ScoreSummary | None = None
    pos_label: Any = None
    n_positives: int | None = None
    held_out: str | None = None

    @classmethod
    def of(cls, binned: BinnedTable, class_counts: np.ndarray) -> TrainingSummary:
        """From the bins, without the scores."""
        return cls(tuple(class_counts.tolist()), tuple(_features(binned)))

    def __str__(self) -> str:
        n_features = len(self.features)
        positives = "" if self.n_positives is None else f"{self.n_positives} of them positive ({self.pos_label!r}), "
        by = "" if self.held_out is None else f", {self.held_out}"
        return f"{self.n_rows} rows, {positives}{n_features} feature{'s' if n_features != 1 else ''}{by}"

    @property
    def n_rows(self) -> int:
        return sum(self.class_counts)

    def with_positives(self, pos_label: Any, n_positives: int) -> TrainingSummary:
        """The same, with the label at the top; a NumPy scalar becomes the plain value."""
        label = pos_label.item() if isinstance(pos_label, np.generic) else pos_label
        return replace(self, pos_label=label, n_positives=n_positives)

    def with_scores(self, scores: ScoreSummary | None) -> TrainingSummary:
        return replace(self, scores=scores)


def _features(binned: BinnedTable) -> Iterator[FeatureSummary]:
    for j, counts in enumerate(binned.counts):
        yield _feature(binned.bins, j, counts.astype(np.float64), int(counts.sum()))


def _feature(bins: Bins, j: int, counts: np.ndarray, n_rows: int) -> FeatureSummary:
    missing, rows = float(counts[0] / n_rows), counts[1:]
    if bins.categorical[j]:
        return FeatureSummary(None, tuple((rows / n_rows).tolist()), missing)
    ends = _ends(rows)
    ends = ends[np.isfinite(bins.cuts[j][ends])]
    return FeatureSummary(tuple(bins.cuts[j][ends].tolist()), tuple(_shares(rows, ends, n_rows)), missing)


def _ends(rows: np.ndarray) -> np.ndarray:
    """The last bin of each group but the last one: where the rows up to it come to a tenth, two tenths, ..."""
    below = np.cumsum(rows)
    wanted = below[-1] * np.arange(1, GROUPS) / GROUPS
    ends = np.unique(np.searchsorted(below, wanted, side="left")) if below[-1] > 0 else np.zeros(0, dtype=np.intp)
    return ends[ends < len(rows) - 1]


def _shares(rows: np.ndarray, ends: np.ndarray, total: float) -> list[float]:
    below = np.append(np.append(0.0, np.cumsum(rows)[ends]), rows.sum())
    return (np.diff(below) / total).tolist()
