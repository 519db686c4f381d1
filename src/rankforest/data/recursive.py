"""What TreeRank approximates: ROC* by a polygon whose knots are added recursively (2011, section 2.3).

The first polygon is the diagonal. Between two neighbouring knots a new one is put where ROC* is parallel to the line
that joins them: no other knot there raises the area under the polygon more. Between the knots lie the bilevel sets
C*_{d,k} of eta: a cell C is cut where the likelihood ratio dG/dH is beta(C) / alpha(C), whatever the share of the
classes is.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from .laws import Floats, Law, TabulatedCurve, as_points

__all__ = ["RecursiveApproximation", "recursive_approximation"]

_LEAST_GAIN = 1e-12  # a cell with less to gain is one of constant eta


@dataclass(frozen=True, eq=False)
class RecursiveApproximation:
    """The cells C*_{d,k} of a law at depth d, best first, and the ROC curve of their ranking.

    Attributes
    ----------
    law : Law
    depth : int
    alpha, beta : arrays
        Knots of the curve, from (0, 0) to (1, 1); they lie on ROC*. Cells of constant eta are not cut, so that there
        can be fewer than 2^depth pieces.
    ratios : array
        Likelihood ratios dG/dH between the cells, falling.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> found = recursive_approximation(simulate.uniform_mixture(1).law, 1)
    >>> found.alpha.round(3).tolist(), found.beta.round(3).tolist(), found.ratios.tolist()
    ([0.0, 0.3, 1.0], [0.0, 0.7, 1.0], [1.0])
    """

    law: Law
    depth: int
    alpha: Floats
    beta: Floats
    ratios: Floats

    def __len__(self) -> int:
        return len(self.alpha) - 1

    @property
    def auc(self) -> float:
        """Area under the curve."""
        return float(0.5 * np.sum(np.diff(self.alpha) * (self.beta[1:] + self.beta[:-1])))

    def score_of(self, X: npt.ArrayLike) -> Floats:
        """The ranking of the cells, s*_d of the paper: the number of cells from the worst to that of each row.

        NaN where neither class has mass.

        Examples
        --------
        >>> from rankforest.data import simulate
        >>> found = recursive_approximation(simulate.uniform_mixture(1).law, 2)
        >>> found.score_of([[0.9, 0.1], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [2.0, 2.0]])
        array([ 4.,  3.,  2.,  1., nan])
        """
        ratio = self.law.log_ratio(as_points(X, self.law.n_features))
        above = np.searchsorted(np.log(self.ratios[::-1]), ratio, side="left")
        return np.where(np.isnan(ratio), np.nan, 1.0 + above)


def recursive_approximation(law: Law, depth: int) -> RecursiveApproximation:
    """The best recursive approximation of a law's optimal curve at a depth.

    Parameters
    ----------
    law : Law
    depth : int
        0 is the diagonal.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> law = simulate.rf20(1).law
    >>> [round(recursive_approximation(law, depth).auc, 4) for depth in (0, 1, 2, 3)], round(law.auc_star, 4)
    ([0.5, 0.7038, 0.7564, 0.7699], 0.7746)
    """
    if isinstance(depth, bool) or not isinstance(depth, Integral) or depth < 0:
        raise ValueError(f"depth is {depth!r}; give a whole number of at least 0.")
    alpha: list[float] = [0.0, 1.0]
    ratios: list[float] = []
    for _ in range(int(depth)):
        beta = law.roc_star(alpha)
        finer: list[float] = [0.0]
        between: list[float] = []
        for piece in range(len(alpha) - 1):
            slope = float((beta[piece + 1] - beta[piece]) / (alpha[piece + 1] - alpha[piece]))
            knot = _tangent(law, alpha[piece], alpha[piece + 1], slope)
            between += ([] if knot is None else [slope]) + ratios[piece : piece + 1]
            finer += [alpha[piece + 1]] if knot is None else [knot, alpha[piece + 1]]
        alpha, ratios = finer, between
    return RecursiveApproximation(law, int(depth), np.array(alpha), law.roc_star(alpha), np.array(ratios))


def _tangent(law: Law, low: float, high: float, slope: float) -> float | None:
    """Where ROC* lies farthest above the line of a slope that joins two of its points; None: it is that line."""

    def above(alpha: npt.ArrayLike) -> Floats:
        return law.roc_star(alpha) - slope * np.asarray(alpha)

    if isinstance(law, TabulatedCurve):  # the farthest point of a polygon is one of its knots
        knots = law.knots[0]
        inside = knots[(knots > low) & (knots < high)]
        if len(inside) == 0:
            return None
        best = float(inside[np.argmax(above(inside))])
    else:
        options = {"xatol": 1e-10 * (high - low)}
        found = minimize_scalar(lambda a: -float(above(a)), bounds=(low, high), method="bounded", options=options)
        best = float(found.x)
    return best if float(above(best) - above(low)) > _LEAST_GAIN else None
