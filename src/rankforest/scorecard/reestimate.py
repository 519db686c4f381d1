"""New points for the old steps of a card: logistic regression on new rows that starts from the old points.

The log odds of a row are those of its old total plus a shift for each of its steps. The shifts have a ridge penalty, so
steps with few new rows keep their points; its strength is chosen by the log loss of held-out rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import isotonic_regression
from scipy.special import expit

from .card import PairSteps, Scorecard, Steps
from .scaling import OddsLine, odds_line

__all__ = ["Reestimated", "reestimate"]

# Standard deviations of the shifts, in log odds, from which one is chosen.
_SIZES = (0.1, 0.2, 0.4, 0.8)
_NEWTON_STEPS, _LONGEST, _CLOSE = 50, 2.0, 1e-9


@dataclass(frozen=True)
class Reestimated:
    """A card with new points, and the totals of the rows by the cards of the folds, which have not seen them."""

    card: Scorecard
    held_out: np.ndarray


def reestimate(
    card: Scorecard,
    codes: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    held_out: np.ndarray,
    directions: Sequence[int] | None = None,
) -> Reestimated:
    """Estimate the points of all steps on new rows.

    Parameters
    ----------
    card : Scorecard
    codes : array of int32 of shape (n, terms)
        The step of each row in each term, as `Scorecard.codes_of` says.
    labels : array of 0 and 1
    weights : array or None
    held_out : array of shape (n_bags, n)
        0 for the rows that each bag learns from, 1 for those that it is asked about.
    directions : sequence of -1, 0 and 1, or None
        Of each feature: points never fall or never rise with its value, or along the order of its categories.
    """
    work = _Work.of(card, codes, labels, weights, directions)
    bags = [np.flatnonzero(bag == 0) for bag in held_out]
    losses = np.zeros(len(_SIZES))
    found: list[list[np.ndarray]] = []
    for k, size in enumerate(_SIZES):
        found.append([])
        for bag, rows in zip(held_out, bags):
            points, line = work.points(rows, size)
            apart = np.flatnonzero(bag == 1)
            margin = np.clip(line[0] + line[1] * (work.base + points[work.cells[apart]].sum(axis=1)), -30.0, 30.0)
            losses[k] += float(np.sum(work.w[apart] * np.logaddexp(0.0, np.where(labels[apart] == 1, -margin, margin))))
            found[k].append(work.finished(points))
    best = int(np.argmin(losses))
    totals, times = np.zeros(len(labels)), np.zeros(len(labels))
    for bag, points in zip(held_out, found[best]):
        apart = np.flatnonzero(bag == 1)
        totals[apart] += card.offset + points[work.cells[apart]].sum(axis=1)
        times[apart] += 1.0
    final = work.finished(work.points(np.arange(len(labels)), _SIZES[best])[0])
    spread = np.sqrt((len(held_out) - 1) * np.var(np.array(found[best]), axis=0))
    with np.errstate(invalid="ignore"):
        return Reestimated(work.card_with(final, spread), np.where(times > 0.0, totals / times, np.nan))


@dataclass(frozen=True)
class _Work:
    """The steps of all terms in one array, and the rows in these terms."""

    card: Scorecard
    cells: np.ndarray  # position of each row and term in the array
    starts: np.ndarray  # where each term starts
    old: np.ndarray  # points
    base: float  # offset of the card
    labels: np.ndarray
    w: np.ndarray
    design: sparse.csr_matrix
    line: OddsLine  # log odds of the old totals
    whole: bool
    directions: Sequence[int] | None

    @staticmethod
    def of(
        card: Scorecard,
        codes: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None,
        directions: Sequence[int] | None,
    ) -> _Work:
        tables = [term.table for term in card.terms]
        starts = np.cumsum([0, *map(len, tables)])
        cells = codes + starts[:-1]
        n = len(labels)
        w = np.ones(n) if weights is None else weights * (n / weights.sum())
        ones = np.ones(cells.size)
        design = sparse.csr_matrix((ones, cells.ravel(), np.arange(0, cells.size + 1, cells.shape[1])), (n, starts[-1]))
        old = np.concatenate(tables)
        whole = bool((old == np.round(old)).all())
        base = float(card.offset)
        line = odds_line(base + design @ old, labels.astype(np.float64), w)
        return _Work(card, cells, starts, old, base, labels, w, design, line, whole, directions)

    def points(self, rows: np.ndarray, size: float) -> tuple[np.ndarray, tuple[float, float]]:
        """Points by the given rows, not rounded, and the line of log odds of the totals."""
        X, y, w = self.design[rows], self.labels[rows].astype(np.float64), self.w[rows]
        start, slope = self.line.start, self.line.slope
        margin = start + slope * (self.base + X @ self.old)
        X1 = sparse.hstack([X, np.ones((len(rows), 1))], format="csr")
        penalty = np.append(np.full(X.shape[1], size**-2), 1e-9)
        beta = np.zeros(X.shape[1] + 1)
        for _ in range(_NEWTON_STEPS):
            p = expit(margin + X1 @ beta)
            curvature = (X1.T @ X1.multiply((w * p * (1.0 - p))[:, None])).toarray() + np.diag(penalty)
            step = np.linalg.solve(curvature, X1.T @ (w * (y - p)) - penalty * beta)
            step *= min(1.0, _LONGEST / float(np.abs(step).max(initial=1e-300)))
            beta += step
            if float(np.abs(step).max()) < _CLOSE:
                break
        mass = X.T @ w
        shift = beta[:-1] / slope
        for first, last in zip(self.starts, self.starts[1:]):  # the mean points of a term stay, so that totals compare
            shift[first:last] -= np.average(shift[first:last], weights=np.maximum(mass[first:last], 1e-12))
        return self.old + shift, (start + float(beta[-1]), slope)

    def finished(self, points: np.ndarray) -> np.ndarray:
        """Points that keep the directions, whole if the old ones were; values of a table are sorted along them."""
        found = points.copy()
        mass = self.design.T @ self.w
        for t, term in enumerate(self.card.steps):
            wanted = 0 if self.directions is None else self.directions[term.feature]
            if wanted:
                first, last = self.starts[t], self.starts[t + 1] - 1  # without missing values
                # the old points keep the order of categories, so they tell it
                along = np.arange(last - first) if term.edges is not None else np.argsort(term.points, kind="stable")
                weights = np.maximum(mass[first:last], 1e-9)[along]
                inner = isotonic_regression(found[first:last][along], weights=weights, increasing=wanted == 1).x
                found[first + along] = inner
        for t, pair in enumerate(self.card.pairs, start=len(self.card.steps)):
            table = found[self.starts[t] : self.starts[t + 1]].reshape(pair.points.shape)
            for axis, feature in enumerate(pair.features):
                wanted = 0 if self.directions is None else self.directions[feature]
                inner = np.moveaxis(table, axis, -1)[..., :-1]  # a view, without missing values
                if wanted:
                    inner[...] = np.sort(inner)[..., ::wanted]
        return np.round(found) if self.whole else found

    def card_with(self, points: np.ndarray, spread: np.ndarray) -> Scorecard:
        """The card with these points; no feature has fewer than before, and the offset makes up for it."""
        parts: list[Steps | PairSteps] = []
        offset = self.card.offset
        for t, term in enumerate(self.card.terms):
            first, last = self.starts[t], self.starts[t + 1]
            table = points[first:last]
            up = float(term.table.min() - table.min())
            table, offset = table + up, offset - up
            mass = np.column_stack(
                [
                    np.bincount(self.cells[:, t] - first, weights=self.w * (self.labels == k), minlength=last - first)
                    for k in (0, 1)
                ]
            )
            errors, shape = spread[first:last], term.spread.shape
            if isinstance(term, Steps):
                parts.append(replace(term, points=table[:-1], missing=float(table[-1]), spread=errors, mass=mass))
            else:
                mass = mass.reshape(*shape, 2)
                parts.append(replace(term, points=table.reshape(shape), spread=errors.reshape(shape), mass=mass))
        n = len(self.card.steps)
        return replace(self.card, steps=tuple(parts[:n]), pairs=tuple(parts[n:]), offset=float(offset))  # type: ignore[arg-type]
