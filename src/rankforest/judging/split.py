"""Which rows are held out to judge a model: a share of them, or all of them in folds."""

from __future__ import annotations

import numpy as np

from ..data.folds import Folds
from ..data.hold_out import HoldOut

__all__ = ["hold_out_share", "k_folds"]

_PARTS = 20  # groups are divided into so many at most, of which some are held out


def hold_out_share(labels: np.ndarray, share: float, hold_out: HoldOut, seed: int, *, ordered: bool = False) -> Folds:
    """One fold with about this share of the rows: an equal share of every label, whole groups, or the latest rows.

    Parameters
    ----------
    labels : array of int
        0 and 1, or the levels of ordered labels.
    share : float
        Above 0 and below 1.
    hold_out : HoldOut
        How rows are held out.
    seed : int
    ordered : bool
        Whether the labels are ordered levels.

    Examples
    --------
    >>> from rankforest.data.hold_out import ANY_ROWS
    >>> folds = hold_out_share(np.array([0, 0, 0, 0, 1, 1]), 0.5, ANY_ROWS, seed=0)
    >>> len(folds.seen(0)), len(folds.held_out(0))
    (3, 3)
    """
    labels = np.asarray(labels, dtype=np.uint8)
    if not 0.0 < share < 1.0:
        raise ValueError(f"The share of the rows to hold out is {share:g}; give a number above 0 and below 1.")
    if hold_out.groups is None:
        out = _stratified(labels, share, seed)
    elif hold_out.forward:
        out = _latest(hold_out.groups, share)
    else:
        out = _whole_groups(labels, hold_out, share, seed, ordered)
    of = np.full(len(labels), -1)
    of[out] = 0
    folds = Folds(of, 1)
    _check(labels, folds, share, ordered)
    return folds


def k_folds(labels: np.ndarray, n_folds: int, hold_out: HoldOut, seed: int, *, ordered: bool = False) -> Folds:
    """So many folds, with the same arguments as `hold_out_share`; forward in time there are rows that none judges.

    Examples
    --------
    >>> from rankforest.data.hold_out import ANY_ROWS
    >>> k_folds(np.array([0, 0, 0, 0, 1, 1]), 2, ANY_ROWS, seed=0).n_folds
    2
    """
    if n_folds < 2:
        raise ValueError(f"The number of folds is {n_folds}; give 2 or more.")
    if ordered:
        return hold_out.ordered_folds(labels, n_folds, seed)
    most = hold_out.most_folds(labels)
    if most < n_folds:
        units = "groups with rows" if hold_out.groups is not None else "rows"
        raise ValueError(
            f"{n_folds} folds need {n_folds} {units} of each label, and one label has {most}; give fewer folds."
        )
    return hold_out.folds(labels, n_folds, seed)


def _stratified(labels: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Positions of the same share of every label; a label of one row is not held out."""
    rng = np.random.default_rng(seed)
    out = []
    for level in np.unique(labels):
        rows = np.flatnonzero(labels == level)
        n_out = min(max(1, round(share * len(rows))), len(rows) - 1)
        out.append(rng.permutation(rows)[:n_out])
    return np.sort(np.concatenate(out))


def _latest(times: np.ndarray, share: float) -> np.ndarray:
    """Positions of the latest rows; rows of the same time stay together, so that the share is as near as they allow."""
    from_here = np.cumsum(np.bincount(times)[::-1])[::-1] / len(times)
    first = 1 + int(np.argmin(np.abs(from_here[1:] - share)))
    return np.flatnonzero(times >= first)


def _whole_groups(labels: np.ndarray, hold_out: HoldOut, share: float, seed: int, ordered: bool) -> np.ndarray:
    """Positions of whole groups with about this share of the rows, and of every label."""
    assert hold_out.groups is not None
    n_parts = min(_PARTS, len(np.unique(hold_out.groups)))
    parts = hold_out.ordered_folds(labels, n_parts, seed) if ordered else hold_out.parts(labels, n_parts, seed)
    if parts is None:
        raise ValueError("All rows of one label are in a single group, so that they cannot be held out.")
    sizes = np.bincount(parts.of, minlength=parts.n_folds) / len(labels)
    rng = np.random.default_rng(seed)
    best: tuple[float, list[int]] = (np.inf, [])
    for _ in range(_PARTS):  # parts may differ in size: take the choice that comes nearest
        chosen: list[int] = []
        total = 0.0
        for part in rng.permutation(parts.n_folds).tolist():
            if len(chosen) < parts.n_folds - 1 and abs(total + sizes[part] - share) < abs(total - share):
                chosen.append(part)
                total += sizes[part]
        best = min(best, (abs(total - share), chosen))
    return np.flatnonzero(np.isin(parts.of, best[1]))


def _check(labels: np.ndarray, folds: Folds, share: float, ordered: bool) -> None:
    for name, rows in (("held out", folds.held_out(0)), ("left to learn from", folds.seen(0))):
        n_labels = len(np.unique(labels[rows]))
        if n_labels < 2:
            raise ValueError(
                f"With a share of {share:g} the rows {name} have {'one label' if n_labels else 'no label'} only; give "
                "another share, or folds."
            )
