"""Inputs of the bipartite metrics: checked arrays, then cumulative masses down the list."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.data.numbers import BoolArray, FloatArray, as_numbers, one_dimensional
from rankforest.data.weights import moderate_weights
from rankforest.data.yes_no import default_positive

_MOST_RATIO = 2.0**900  # a sum may lose small weights, but scaling must not underflow them to 0


class RankingInputs(NamedTuple):
    """Checked arguments of a bipartite metric, row by row."""

    is_positive: BoolArray
    score: FloatArray
    weight: FloatArray | None


class CumulativeMass(NamedTuple):
    """Mass of each class scored at or above each threshold, from the top of the list down.

    Attributes
    ----------
    positive, negative : ndarray
        Mass of the class scored at or above the threshold; both start at 0 and end at the mass of the class.
    threshold : ndarray
        ``inf``, then the distinct scores in descending order.
    """

    positive: FloatArray
    negative: FloatArray
    threshold: FloatArray

    @property
    def total(self) -> FloatArray:
        """Mass of both classes scored at or above each threshold."""
        return self.positive + self.negative


def check_ranking_inputs(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> RankingInputs:
    """Check the arguments of a bipartite metric and put them in one form.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of exactly two classes.
    y_score : array-like of shape (n,)
        Finite scores, higher is better.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights, with a positive sum in each class.
    pos_label : label, optional
        The positive class; by default the word for yes ("ja" of "ja" and "nein"), else the greater label.

    Returns
    -------
    RankingInputs
        The tuple ``(is_positive, score, weight)``; the weight stays ``None`` when none was given.

    Raises
    ------
    ValueError
        With the argument, the value and the remedy.

    Examples
    --------
    >>> is_positive, score, weight = check_ranking_inputs(["no", "yes"], [1, 2])
    >>> is_positive, score, weight
    (array([False,  True]), array([1., 2.]), None)
    """
    labels = one_dimensional(y_true, "y_true", "pass one label per row")
    if len(labels) == 0:
        raise ValueError("y_true is empty; pass at least one row of each class.")
    score = check_scores(y_score, len(labels))
    is_positive = _positive_rows(labels, pos_label)
    weight = _read_weights(sample_weight, len(labels))
    if weight is None:
        return RankingInputs(is_positive, score, None)
    for name, rows in (("positive", is_positive), ("negative", ~is_positive)):
        if not weight[rows].any():
            raise ValueError(
                f"sample_weight sums to 0 over the {name} class; give at least one {name} row a weight above 0."
            )
    return RankingInputs(is_positive, score, weight)


def check_scores(y_score: ArrayLike, n_rows: int) -> FloatArray:
    """Finite scores, one per label.

    Examples
    --------
    >>> check_scores([1, 2], 2)
    array([1., 2.])
    """
    score = as_numbers(y_score, "y_score", "pass one score per row, such as decision_function(X)")
    if len(score) != n_rows:
        raise ValueError(f"y_score has {len(score)} rows and y_true has {n_rows}; pass one score per label.")
    _refuse_rows(~np.isfinite(score), score, "y_score", "finite", "replace or drop the rows without a usable score")
    return score


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Finite, non-negative weights with a positive sum, one per label; None if no weights are given.

    Examples
    --------
    >>> check_weights([1, 0], 2)
    array([1., 0.])
    """
    weight = _read_weights(sample_weight, n_rows)
    if weight is not None and not weight.any():
        raise ValueError("sample_weight is 0 in every row; give at least one row a weight above 0.")
    return weight


def _read_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    if sample_weight is None:
        return None
    return moderate_weights(weights_as_given(sample_weight, n_rows), most_ratio=_MOST_RATIO)


def weights_as_given(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    """Finite, non-negative weights, one per label, in the user's units.

    Examples
    --------
    >>> weights_as_given([1, 0], 2)
    array([1., 0.])
    """
    weight = as_numbers(sample_weight, "sample_weight", "pass one weight per row")
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight has {len(weight)} rows and y_true has {n_rows}; pass one weight per label.")
    _refuse_rows(~np.isfinite(weight), weight, "sample_weight", "finite", "use 0 for rows that should not count")
    _refuse_rows(weight < 0, weight, "sample_weight", "non-negative", "use 0 for rows that should not count")
    return weight


def cumulative_mass(is_positive: BoolArray, score: FloatArray, weight: FloatArray | None = None) -> CumulativeMass:
    """Sort the list once and accumulate the mass of each class, one step per distinct score.

    Rows of weight 0 are ignored and make no step.

    Examples
    --------
    >>> mass = cumulative_mass(np.array([True, False, True]), np.array([2.0, 1.0, 1.0]))
    >>> mass.threshold
    array([inf,  2.,  1.])
    >>> mass.positive, mass.negative
    (array([0., 1., 2.]), array([0., 0., 1.]))
    """
    if weight is not None and not weight.all():
        present = weight > 0
        is_positive, score, weight = is_positive[present], score[present], weight[present]
    # Weighted sums need a stable sort to round in the same way on every machine. Counts do not round, so they can use
    # the faster sort.
    order = np.argsort(-score, kind="quicksort" if weight is None else "stable")
    descending = score[order]
    step_end = np.flatnonzero(np.append(descending[1:] != descending[:-1], True))
    positive_row = is_positive[order]
    if weight is None:
        positive = np.cumsum(positive_row)[step_end].astype(np.float64)
        negative = step_end + 1 - positive
    else:
        weight = weight[order]
        # One sum per class: the difference of two totals would lose digits of the small class.
        positive = np.cumsum(np.where(positive_row, weight, 0.0))[step_end]
        negative = np.cumsum(np.where(positive_row, 0.0, weight))[step_end]
    return CumulativeMass(
        positive=np.append(0.0, positive),
        negative=np.append(0.0, negative),
        threshold=np.append(np.inf, descending[step_end]),
    )


def checked_mass(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> CumulativeMass:
    """Check the arguments of a bipartite metric, then accumulate the masses.

    Examples
    --------
    >>> checked_mass(["no", "yes"], [1, 2], None, None).positive
    array([0., 1., 1.])
    """
    return cumulative_mass(*check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label))


def _refuse_rows(bad: BoolArray, values: FloatArray, name: str, wanted: str, remedy: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name} must be {wanted}, got {values[row]} in row {row}; {remedy}.")


def _positive_rows(labels: NDArray[Any], pos_label: object) -> BoolArray:
    classes = distinct_labels(labels)
    return np.asarray(labels == classes[positive_class(classes, pos_label)])


def distinct_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """The distinct labels in sorted order; a missing one, or labels of two types, are refused.

    Examples
    --------
    >>> distinct_labels(np.array([1, 0, 1]))
    array([0, 1])
    """
    missing = _missing_rows(labels)
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(f"y_true holds a missing label ({labels[row]}) in row {row}; drop the rows without a label.")
    try:
        return _classes(labels)
    except TypeError:
        kinds = " and ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(f"y_true mixes labels of type {kinds}; use labels of one type.") from None


def positive_class(classes: NDArray[Any], pos_label: object) -> int:
    """Which of the labels, given in sorted order, is the positive one; any number but two is refused.

    Examples
    --------
    >>> positive_class(np.array(["ja", "nein"]), None)
    0
    """
    names = classes[:5].tolist()
    if len(classes) == 1:
        raise ValueError(f"y_true holds one class only ({names[0]!r}); pass rows of two classes.")
    if len(classes) > 2:
        shown = ", ".join(map(repr, names)) + (", ..." if len(classes) > 5 else "")
        raise ValueError(
            f"y_true holds {len(classes)} classes ({shown}); pass labels of two classes, such as y == {names[0]!r}."
        )
    if pos_label is None:
        pos_label = default_positive(*names)
    matches = [bool(name == pos_label) for name in names]
    if not any(matches):
        raise ValueError(
            f"pos_label={pos_label!r} is not a label of y_true; pass {names[0]!r} or {names[1]!r}, or leave it out."
        )
    return matches.index(True)


def _classes(labels: NDArray[Any]) -> NDArray[Any]:
    """The distinct labels in sorted order; two numbers are found without a sort."""
    if labels.dtype.kind in "biuf":
        ends = np.array([labels.min(), labels.max()])
        if ends[0] != ends[1] and ((labels == ends[0]) | (labels == ends[1])).all():
            return ends
    return np.unique(labels)


def _missing_rows(labels: NDArray[Any]) -> BoolArray:
    if labels.dtype.kind == "O":
        return np.fromiter((_is_missing(label) for label in labels), dtype=bool, count=len(labels))
    # NaN and NaT are the values that differ from themselves.
    return np.asarray(labels != labels)


def _is_missing(label: object) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except TypeError:  # pandas.NA has no truth value
        return True


def check_share(
    u: ArrayLike, name: str = "u", meaning: str = "it is the best share of the list, such as 0.1"
) -> FloatArray:
    """Shares of the list (or of a class), each in (0, 1].

    Examples
    --------
    >>> check_share([0.5, 1])
    array([0.5, 1. ])
    """
    try:
        share = np.asarray(u, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or an array of numbers, got {u!r}; {meaning}.") from None
    outside = ~((share > 0) & (share <= 1))
    if outside.any():
        raise ValueError(f"{name} must lie in (0, 1], got {share[outside].flat[0]}; {meaning}.")
    return share
