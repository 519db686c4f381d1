"""The papers' artificial sets, drawn afresh, with the truth that an experiment compares itself to.

Two classes: the label is drawn first, +1 with probability p (1/2, as in the papers, unless said) and -1 otherwise, then
the point given the label. AUC* and ROC* do not depend on p; eta does.

=======================  ========  =====================================================  ======
function                 features  classes                                                AUC*
=======================  ========  =====================================================  ======
`rf10`                   10        normal, equal means, different variances               0.7560
`rf20`                   20        normal, different means and variances                  0.7746
`rf10_sparse`            10        normal, means or variances differ in 4 coordinates     0.8900
`uniform_mixture`        2         uniform by quarters of the unit square                 0.7350
`conditional_gaussians`  2         normal, conditioned on the unit square                 0.7391
=======================  ========  =====================================================  ======

Five ordered classes: `ordinal_square`.

Every function takes `random_state`: an int (same int, same arrays), a `numpy.random.Generator` or `RandomState` (which
advances: two calls give two samples), or None for a fresh draw. All draws are made by a `numpy.random.Generator`.
"""

from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import integrate
from scipy.special import fdtri, ndtr, ndtri

from rankforest.data.laws import (
    ConditionalGaussians,
    Floats,
    Ints,
    Law,
    ScaledGaussians,
    ShiftedGaussians,
    UniformQuarters,
    as_points,
)
from rankforest.data.recursive import RecursiveApproximation, recursive_approximation

__all__ = [
    "Simulated",
    "SimulatedOrdinal",
    "conditional_gaussians",
    "ordinal_square",
    "rf10",
    "rf10_sparse",
    "rf20",
    "uniform_mixture",
]

RandomState = int | np.random.Generator | np.random.RandomState | None
SparseLaw = Literal["shift", "scale"]

# The printed spread 1.023 of RF 10 cannot give the printed AUC* = 0.756 (2013, section 6); this one does.
_RF10 = ScaledGaussians(n_features=10, n_informative=10, spread=1.5707)
_RF20 = ScaledGaussians(n_features=20, n_informative=20, shift=0.9, spread=1.23)
# The paper gives only AUC* and the four informative coordinates. A binormal curve has AUC* = Phi(shift / sqrt(2)); with
# equal means and variances that differ by the factor s, AUC* = P(F(4, 4) < s).
_RF10_SPARSE: dict[SparseLaw, Law] = {
    "shift": ShiftedGaussians(n_features=10, n_informative=4, shift=float(np.sqrt(2) * ndtri(0.89))),
    "scale": ScaledGaussians(n_features=10, n_informative=4, spread=float(fdtri(4, 4, 0.89))),
}
_UNIFORM_MIXTURE = UniformQuarters()
_CONDITIONAL_GAUSSIANS = ConditionalGaussians()


@dataclass(frozen=True, eq=False)
class Simulated:
    """A sample of two classes together with its law.

    Attributes
    ----------
    X : ndarray of shape (n, q)
        The points.
    y : ndarray of shape (n,)
        The labels, -1 or +1.
    eta : ndarray of shape (n,)
        P(Y = +1 | X = x) at the rows of `X`: an optimal scoring rule.
    law : Law
        The class-conditional laws that the sample was drawn from.
    p : float
        Share of positives in the population.

    Examples
    --------
    >>> sample = uniform_mixture(5, random_state=0)
    >>> sample.X.shape, sample.y.tolist()
    ((5, 2), [1, 1, 1, -1, -1])
    """

    X: Floats
    y: Ints
    eta: Floats
    law: Law
    p: float = 0.5

    @property
    def auc_star(self) -> float:
        """Area under the optimal ROC curve."""
        return self.law.auc_star

    def roc_star(self, alpha: npt.ArrayLike) -> Floats:
        """Optimal ROC curve at the false positive rates `alpha`, elementwise.

        Examples
        --------
        >>> rf10_sparse(1).roc_star([0, 0.1, 1]).round(3).tolist()
        [0.0, 0.675, 1.0]
        """
        return self.law.roc_star(alpha)

    def recursive_approximation(self, depth: int) -> RecursiveApproximation:
        """What TreeRank of this depth approximates: the cells C*_{d,k}, level sets of eta, and their ROC curve.

        Examples
        --------
        >>> found = conditional_gaussians(1).recursive_approximation(2)
        >>> len(found), round(found.auc, 3)
        (4, 0.725)
        """
        return recursive_approximation(self.law, depth)

    def eta_of(self, X: npt.ArrayLike) -> Floats:
        """P(Y = +1 | X = x) at the rows of any table; NaN where neither class has mass (outside the unit square).

        Examples
        --------
        >>> uniform_mixture(1).eta_of([[0.2, 0.2], [2.0, 2.0]]).round(3).tolist()
        [0.667, nan]
        """
        return self.law.eta_of(X, self.p)


def rf10(n: int, random_state: RandomState = None, p: float = 0.5) -> Simulated:
    """RF 10 (Ranking Forests, section 6): negatives N(0, 1.5707 I), positives N(0, I), dimension 10.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.
    p : float, default 0.5
        Share of positives in the population, in (0, 1).

    Returns
    -------
    Simulated

    Examples
    --------
    >>> round(rf10(100, random_state=0).auc_star, 3)
    0.756
    """
    return _simulate(_RF10, n, random_state, p)


def rf20(n: int, random_state: RandomState = None, p: float = 0.5) -> Simulated:
    """RF 20 (Ranking Forests, section 6): negatives N(0, 1.23 I), positives N(m, I), dimension 20, `|m|` = 0.9.

    All coordinates of m are equal and positive; AUC* depends on its norm only.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.
    p : float, default 0.5
        Share of positives in the population, in (0, 1).

    Returns
    -------
    Simulated

    Examples
    --------
    >>> round(rf20(100, random_state=0).auc_star, 4)
    0.7746
    """
    return _simulate(_RF20, n, random_state, p)


def rf10_sparse(n: int, random_state: RandomState = None, p: float = 0.5, law: SparseLaw = "shift") -> Simulated:
    """RF 10 sparse (Ranking Forests, section 6): dimension 10, eta depends on the first four coordinates, AUC* = 0.89.

    The paper says no more than that; the six other coordinates are N(0, 1) in both classes. Two laws fit.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.
    p : float, default 0.5
        Share of positives in the population, in (0, 1).
    law : {"shift", "scale"}, default="shift"
        How the classes differ in the four coordinates. "shift": negatives N(0, I), positives N(m, I), where m has equal
        coordinates and the norm sqrt(2) Phi^-1(0.89). "scale": negatives N(0, 3.85 I), positives N(0, I), as in `rf10`;
        the top of the list then holds more negatives, as many as in the paper's tables.

    Returns
    -------
    Simulated

    Examples
    --------
    >>> round(rf10_sparse(100, random_state=0).auc_star, 3)
    0.89
    >>> scaled = rf10_sparse(100, random_state=0, law="scale")
    >>> round(scaled.auc_star, 3), scaled.roc_star([0.1]).round(2).tolist()
    (0.89, [0.61])
    """
    if law not in _RF10_SPARSE:
        raise ValueError(f"law is {law!r}; choose one of {', '.join(map(repr, _RF10_SPARSE))}.")
    return _simulate(_RF10_SPARSE[law], n, random_state, p)


def uniform_mixture(n: int, random_state: RandomState = None, p: float = 0.5) -> Simulated:
    """Mixtures of uniform laws on the quarters of the unit square (Adaptive partitioning, section 6.1).

    eta is 2/3, 3/4, 2/5, 1/5 on the quarters, counter-clockwise from the origin (the paper rounds 2/3 to 0.7), so that
    ROC* is a polygon of four pieces, the form that TreeRank itself produces.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.
    p : float, default 0.5
        Share of positives in the population, in (0, 1).

    Returns
    -------
    Simulated

    Examples
    --------
    >>> round(uniform_mixture(100, random_state=0).auc_star, 3)
    0.735
    """
    return _simulate(_UNIFORM_MIXTURE, n, random_state, p)


def conditional_gaussians(n: int, random_state: RandomState = None, p: float = 0.5) -> Simulated:
    """Two normal laws conditioned on the unit square (Adaptive partitioning, section 6.2).

    The factor 1.02 of the paper's eta is the ratio of the two masses of the square alone; with the ratio of the
    determinants it is 0.96, which is used here. The order of the points, and so ROC*, is the same.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.
    p : float, default 0.5
        Share of positives in the population, in (0, 1).

    Returns
    -------
    Simulated

    Examples
    --------
    >>> round(conditional_gaussians(100, random_state=0).auc_star, 3)
    0.739
    """
    return _simulate(_CONDITIONAL_GAUSSIANS, n, random_state, p)


@dataclass(frozen=True, eq=False)
class SimulatedOrdinal:
    """A sample of five ordered classes (ordinal ranking tree, section 5.1) together with its law.

    Attributes
    ----------
    X : ndarray of shape (n, 2)
        The points, uniform on the unit square.
    y : ndarray of shape (n,)
        The ordered classes, 1 to 5.
    class_probabilities : ndarray of shape (n, 5)
        P(Y = r | X = x) at the rows of `X`, columns in the order of the classes.

    Examples
    --------
    >>> sample = ordinal_square(4, random_state=0)
    >>> sample.class_probabilities.shape
    (4, 5)
    """

    X: Floats
    y: Ints
    class_probabilities: Floats

    @property
    def bayes_error(self) -> float:
        """Least mean absolute rank error that any rule can have: that of `median_class_of`.

        Examples
        --------
        >>> round(ordinal_square(1).bayes_error, 4)
        0.1526
        """
        return _ordinal_bayes_error()

    def class_probabilities_of(self, X: npt.ArrayLike) -> Floats:
        """P(Y = r | X = x) at the rows of any table.

        Examples
        --------
        >>> ordinal_square(1).class_probabilities_of([[0.5, 0.5], [1.0, 1.0]]).round(3).tolist()
        [[0.0, 0.212, 0.765, 0.023, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]]
        """
        return _ordinal_probabilities(_ordinal_signal(as_points(X, 2)))

    def median_class_of(self, X: npt.ArrayLike) -> Ints:
        """The class of least expected absolute error: the median, which is the class without noise (even noise).

        Examples
        --------
        >>> ordinal_square(1).median_class_of([[0.0, 1.0], [0.5, 0.5], [1.0, 1.0]]).tolist()
        [1, 3, 5]
        """
        return _ordinal_class(_ordinal_signal(as_points(X, 2)))


def ordinal_square(n: int, random_state: RandomState = None) -> SimulatedOrdinal:
    """Five ordered classes on the unit square (ordinal ranking tree, section 5.1).

    x is uniform and y = max{r : 10 (x1 - 1/2)(x2 - 1/2) + noise > b_r}, with b = (-inf, -1, -0.1, 0.25, 1) and noise
    N(0, 0.125^2): a saddle, on which no single cut helps much.

    Parameters
    ----------
    n : int
        Number of points.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    SimulatedOrdinal

    Examples
    --------
    >>> ordinal_square(8, random_state=0).y.tolist()
    [2, 5, 5, 4, 3, 1, 1, 2]
    """
    n, rng = _check_size(n), _as_generator(random_state)
    X = rng.random((n, 2))
    signal = _ordinal_signal(X)
    y = _ordinal_class(signal + _ORDINAL_NOISE * rng.standard_normal(n))
    return SimulatedOrdinal(X, y, _ordinal_probabilities(signal))


# b_1 = -inf is left out: every point is above it.
_ORDINAL_BOUNDS = np.array([-1.0, -0.1, 0.25, 1.0])
_ORDINAL_NOISE = 0.125


def _ordinal_signal(X: Floats) -> Floats:
    return 10 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)


def _ordinal_class(signal: Floats) -> Ints:
    return 1 + np.searchsorted(_ORDINAL_BOUNDS, signal, side="left").astype(np.int64)


def _ordinal_probabilities(signal: Floats) -> Floats:
    above = ndtr((signal[:, None] - _ORDINAL_BOUNDS) / _ORDINAL_NOISE)
    at_least = np.pad(above, ((0, 0), (1, 0)), constant_values=1.0)
    return at_least - np.pad(above, ((0, 0), (0, 1)))


@cache
def _ordinal_bayes_error() -> float:
    # |y - median| counts the bounds on whose wrong side the noise puts the signal t; t has density -log(0.4 |t|) / 5 on
    # [-2.5, 2.5], the product of two uniform variables.
    def density_times_error(t: float) -> float:
        return float(-0.2 * np.log(0.4 * abs(t)) * ndtr(-np.abs(t - _ORDINAL_BOUNDS) / _ORDINAL_NOISE).sum())

    error, _ = integrate.quad(density_times_error, -2.5, 2.5, points=[*_ORDINAL_BOUNDS, 0.0], limit=500)
    return float(error)


def _simulate(law: Law, n: int, random_state: RandomState, p: float) -> Simulated:
    n, p, rng = _check_size(n), _check_share(p), _as_generator(random_state)
    # The papers' share has its own draw: the samples of a seed stay those of the published figures.
    positive = rng.integers(0, 2, size=n, dtype=np.int64) if p == 0.5 else (rng.random(n) < p).astype(np.int64)
    y = 2 * positive - 1
    X = law.draw(y, rng)
    return Simulated(X, y, law.eta_of(X, p), law, p)


def _check_share(p: float) -> float:
    if isinstance(p, bool) or not isinstance(p, Real):
        raise TypeError(f"p must be a number, the share of positives in the population; got {p!r}.")
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie between 0 and 1, the share of positives in the population; got {p}.")
    return float(p)


def _check_size(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral):
        raise TypeError(f"n must be an integer, the number of points to draw; got {n!r}.")
    if n < 1:
        raise ValueError(f"n must be at least 1, the number of points to draw; got {n}.")
    return int(n)


def _as_generator(random_state: RandomState) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        # Seeding from a draw advances the caller's state, as any other use of it would.
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint64))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise TypeError(
            f"random_state must be an integer, a numpy Generator or RandomState, or None; got {random_state!r}."
        )
    if random_state < 0:
        raise ValueError(f"random_state must be an integer of at least 0; got {random_state}.")
    return np.random.default_rng(int(random_state))
