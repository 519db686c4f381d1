"""The laws behind the papers' artificial sets: how a point is drawn given its label, eta, AUC* and ROC*.

H is the law of the negatives, G the law of the positives, p the share of positives. The likelihood ratio dG/dH is an
optimal scoring rule, eta = p dG / (p dG + (1 - p) dH) another, and ROC* is the curve of either, whatever p is.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import integrate, stats
from scipy.special import expit, logit, ndtr, ndtri

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Law(ABC):
    """A pair of class-conditional laws (H, G) whose optimal curve is known."""

    n_features: int

    @abstractmethod
    def draw(self, y: Ints, rng: np.random.Generator) -> Floats:
        """Draw one point for each label of `y`, from G where it is +1 and from H where it is -1."""

    @abstractmethod
    def log_ratio(self, X: Floats) -> Floats:
        """Log of the likelihood ratio dG/dH at the rows of `X`; NaN where neither class has mass."""

    @property
    @abstractmethod
    def auc_star(self) -> float:
        """Area under the optimal curve."""

    @abstractmethod
    def _roc(self, alpha: Floats) -> Floats:
        """ROC* at rates that are known to lie in [0, 1]."""

    def eta_of(self, X: npt.ArrayLike, p: float = 0.5) -> Floats:
        """P(Y = +1 | X = x) at the rows of `X`, with a share p of positives; NaN where neither class has mass.

        Examples
        --------
        >>> UniformQuarters().eta_of([[0.75, 0.25], [0.25, 0.75]]).round(3).tolist()
        [0.75, 0.2]
        >>> UniformQuarters().eta_of([[0.75, 0.25], [0.25, 0.75]], p=0.1).round(3).tolist()
        [0.25, 0.027]
        """
        return expit(self.log_ratio(as_points(X, self.n_features)) + logit(p))

    def roc_star(self, alpha: npt.ArrayLike) -> Floats:
        """The largest true positive rate that a test of false positive rate `alpha` can have, elementwise.

        Examples
        --------
        >>> UniformQuarters().roc_star([0.0, 0.1, 0.2, 1.0]).round(3).tolist()
        [0.0, 0.3, 0.5, 1.0]
        """
        rates = np.asarray(alpha, dtype=np.float64)
        if not np.all((rates >= 0) & (rates <= 1)):
            outside = rates[~((rates >= 0) & (rates <= 1))].flat[0]
            raise ValueError(f"alpha must hold false positive rates between 0 and 1; got {outside}.")
        return self._roc(rates)


def as_points(X: npt.ArrayLike, n_features: int) -> Floats:
    """Rows of `X` as a float table, or one sentence that says why they are not points of the law's space.

    Examples
    --------
    >>> as_points([[0, 1]], 2)
    array([[0., 1.]])
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != n_features:
        raise ValueError(f"X must be a table with {n_features} columns, one point per row; got shape {points.shape}.")
    return points


def in_unit_square(X: Floats) -> npt.NDArray[np.bool_]:
    """Rows of `X` that lie in [0, 1]^2.

    Examples
    --------
    >>> in_unit_square(np.array([[0.5, 1.0], [1.5, 0.0]])).tolist()
    [True, False]
    """
    return np.all((X >= 0) & (X <= 1), axis=1)


@dataclass(frozen=True)
class IsotropicGaussians(Law):
    """Normal classes that differ in the first `n_informative` coordinates; the others are N(0, 1) in both.

    There H = N(0, spread * I) and G = N(m, I); m has norm `shift` and equal coordinates. The covariances are spherical,
    so that neither the direction of m nor its sign changes AUC* or ROC*.
    """

    n_features: int
    n_informative: int
    shift: float = 0.0
    spread: float = 1.0

    @cached_property
    def positive_mean(self) -> Floats:
        mean = np.zeros(self.n_features)
        mean[: self.n_informative] = self.shift / np.sqrt(self.n_informative)
        return mean

    def draw(self, y: Ints, rng: np.random.Generator) -> Floats:
        X = rng.standard_normal((len(y), self.n_features))
        X[:, : self.n_informative] *= np.where(y == 1, 1.0, np.sqrt(self.spread))[:, None]
        X += np.where(y == 1, 1.0, 0.0)[:, None] * self.positive_mean
        return X

    def log_ratio(self, X: Floats) -> Floats:
        told, mean = X[:, : self.n_informative], self.positive_mean[: self.n_informative]
        to_positive = np.square(told - mean).sum(axis=1)
        to_negative = np.square(told).sum(axis=1) / self.spread
        return 0.5 * (to_negative - to_positive + self.n_informative * np.log(self.spread))


@dataclass(frozen=True)
class ShiftedGaussians(IsotropicGaussians):
    """Equal covariances: the log-ratio is linear in x and normal in both classes, the binormal ROC curve.

    Examples
    --------
    >>> round(ShiftedGaussians(n_features=3, n_informative=2, shift=1.0).auc_star, 4)
    0.7602
    """

    def __post_init__(self) -> None:
        if self.spread != 1:
            raise ValueError(f"ShiftedGaussians has equal covariances: spread must be 1; got {self.spread}.")

    @property
    def auc_star(self) -> float:
        return float(ndtr(self.shift / np.sqrt(2)))

    def _roc(self, alpha: Floats) -> Floats:
        return ndtr(self.shift + ndtri(alpha))


@dataclass(frozen=True)
class ScaledGaussians(IsotropicGaussians):
    """Negatives more spread than positives (`spread` > 1): the log-ratio falls with the distance to one centre.

    Completing the square, log(dG/dH)(x) = const - (1 - 1/s) |x - c|^2 / 2 with s the spread and c = m s / (s - 1).
    On the informative coordinates |X - c|^2 is a noncentral chi-square under G, and s times one under H; with equal
    means both are central.

    Examples
    --------
    >>> law = ScaledGaussians(n_features=10, n_informative=10, spread=1.5707)
    >>> bool(np.isclose(law.auc_star, stats.f(10, 10).sf(1 / 1.5707)))
    True
    """

    def __post_init__(self) -> None:
        if not self.spread > 1:
            raise ValueError(f"ScaledGaussians needs negatives of the larger variance, spread > 1; got {self.spread}.")

    @cached_property
    def _distances(self) -> tuple[stats.distributions.rv_frozen, stats.distributions.rv_frozen]:
        """Laws of |X - c|^2 / s under H and of |X - c|^2 under G, on the informative coordinates."""
        centre = self.shift * self.spread / (self.spread - 1)
        negative = stats.ncx2(self.n_informative, centre**2 / self.spread)
        positive = stats.ncx2(self.n_informative, (centre - self.shift) ** 2)
        return negative, positive

    @cached_property
    def auc_star(self) -> float:
        negative, positive = self._distances
        area, _ = integrate.quad(
            lambda t: negative.pdf(t) * positive.cdf(self.spread * t),
            negative.ppf(1e-14),
            negative.isf(1e-14),
            epsabs=1e-11,
            limit=200,
        )
        return float(area)

    def _roc(self, alpha: Floats) -> Floats:
        negative, positive = self._distances
        return positive.cdf(self.spread * negative.ppf(alpha))


class TabulatedCurve(Law):
    """A law whose optimal curve is a polygon, given by its knots."""

    @property
    @abstractmethod
    def knots(self) -> tuple[Floats, Floats]:
        """False and true positive rates of the knots, from (0, 0) to (1, 1)."""

    @cached_property
    def auc_star(self) -> float:
        alpha, beta = self.knots
        return float(0.5 * np.sum(np.diff(alpha) * (beta[1:] + beta[:-1])))

    def _roc(self, alpha: Floats) -> Floats:
        return np.asarray(np.interp(alpha, *self.knots))


def concave_curve(negative_mass: Floats, positive_mass: Floats) -> tuple[Floats, Floats]:
    """Knots of the best curve over cells of given class masses: cells in falling order of their ratio beta / alpha.

    Examples
    --------
    >>> concave_curve(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    (array([0. , 0.5, 1. ]), array([0.  , 0.75, 1.  ]))
    """
    best_first = np.argsort(-positive_mass / negative_mass, kind="stable")
    alpha = np.concatenate([[0.0], np.cumsum(negative_mass[best_first])])
    beta = np.concatenate([[0.0], np.cumsum(positive_mass[best_first])])
    # Rounding in the sums must not move the last knot off (1, 1).
    return alpha / alpha[-1], beta / beta[-1]


@dataclass(frozen=True)
class UniformQuarters(TabulatedCurve):
    """Mixtures of the uniform laws on the quarters of the unit square (2011, section 6.1): eta and ROC* by pieces.

    Weights are listed as the paper numbers the quarters: counter-clockwise from the origin.

    Examples
    --------
    >>> round(UniformQuarters().auc_star, 6)
    0.735
    """

    n_features: int = 2
    negative_weights: tuple[float, ...] = (0.2, 0.1, 0.3, 0.4)
    positive_weights: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)

    def draw(self, y: Ints, rng: np.random.Generator) -> Floats:
        corners = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])
        ends = np.where((y == 1)[:, None], np.cumsum(self.positive_weights), np.cumsum(self.negative_weights))
        # The last end is 1 up to rounding and closes nothing: the fourth quarter takes all that is left.
        quarter = np.sum(rng.random((len(y), 1)) >= ends[:, :3], axis=1)
        return corners[quarter] + 0.5 * rng.random((len(y), 2))

    def log_ratio(self, X: Floats) -> Floats:
        right, top = X[:, 0] >= 0.5, X[:, 1] >= 0.5
        quarter = np.where(top, np.where(right, 2, 3), np.where(right, 1, 0))
        ratios = np.log(np.divide(self.positive_weights, self.negative_weights))
        return np.where(in_unit_square(X), ratios[quarter], np.nan)

    @cached_property
    def knots(self) -> tuple[Floats, Floats]:
        return concave_curve(np.array(self.negative_weights), np.array(self.positive_weights))


@dataclass(frozen=True)
class TruncatedGaussian:
    """A normal law of the plane conditioned on the unit square, N_[0,1]^2(mean, covariance).

    Examples
    --------
    >>> law = TruncatedGaussian(mean=(0.0, 0.0), covariance=((1.0, 0.0), (0.0, 1.0)))
    >>> bool(np.isclose(np.exp(law.log_mass), (ndtr(1.0) - 0.5) ** 2))
    True
    """

    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]

    def log_weight(self, X: Floats) -> Floats:
        """Log density of the normal law before conditioning."""
        gap = X - np.array(self.mean)
        quadratic = np.sum(gap @ np.linalg.inv(self.covariance) * gap, axis=1)
        return -0.5 * (quadratic + np.linalg.slogdet(self.covariance)[1]) - np.log(2 * np.pi)

    @cached_property
    def log_mass(self) -> float:
        """Log of the mass that the normal law gives to the square; the product rule is exact to rounding here."""
        points, weights = square_rule(64)
        return float(np.log(weights @ np.exp(self.log_weight(points))))

    def log_density(self, X: Floats) -> Floats:
        """Log density on the square; NaN outside, where a ratio of two such laws has no meaning."""
        return np.where(in_unit_square(X), self.log_weight(X) - self.log_mass, np.nan)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw `n` points: x1 by inversion on [0, 1], x2 from its normal law given x1, kept when it falls in [0, 1].

        The kept pairs have the wanted density exactly. Rejecting on x2 alone keeps about one proposal in three, where
        rejecting on both coordinates keeps one in twenty: the means lie outside the square along x1.
        """
        (mean1, mean2), ((variance1, covariance), (_, variance2)) = self.mean, self.covariance
        sd1 = np.sqrt(variance1)
        slope = covariance / variance1
        sd2 = np.sqrt(variance2 - slope * covariance)
        low, high = ndtr((0 - mean1) / sd1), ndtr((1 - mean1) / sd1)
        kept_share = np.exp(self.log_mass) / (high - low)
        drawn = np.empty((n, 2))
        filled = 0
        while filled < n:
            m = int(1.05 * (n - filled) / kept_share) + 16
            x1 = mean1 + sd1 * ndtri(rng.uniform(low, high, size=m))
            x2 = mean2 + slope * (x1 - mean1) + sd2 * rng.standard_normal(m)
            proposed = np.column_stack([x1, x2])
            kept = proposed[in_unit_square(proposed)][: n - filled]
            drawn[filled : filled + len(kept)] = kept
            filled += len(kept)
        return drawn


def square_rule(n_nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre product rule on the unit square: points and weights.

    Examples
    --------
    >>> points, weights = square_rule(3)
    >>> round(float(weights @ (points[:, 0] * points[:, 1])), 12)
    0.25
    """
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    first, second = np.meshgrid((nodes + 1) / 2, (nodes + 1) / 2, indexing="ij")
    return np.column_stack([first.ravel(), second.ravel()]), np.outer(weights / 2, weights / 2).ravel()


@dataclass(frozen=True)
class ConditionalGaussians(TabulatedCurve):
    """Two normal laws conditioned on the unit square (2011, section 6.2): level sets with quadratic frontiers.

    Examples
    --------
    >>> law = ConditionalGaussians()
    >>> law.eta_of([[0.1, 0.5], [0.9, 0.5]]).round(2).tolist()
    [0.78, 0.22]
    """

    n_features: int = 2
    negative: TruncatedGaussian = TruncatedGaussian((2.0, 0.5), ((1.0, 0.25), (0.25, 1.15)))
    positive: TruncatedGaussian = TruncatedGaussian((-1.0, 0.5), ((1.0, 0.15), (0.15, 1.25)))

    def draw(self, y: Ints, rng: np.random.Generator) -> Floats:
        X = np.empty((len(y), 2))
        for label, law in ((-1, self.negative), (1, self.positive)):
            rows = y == label
            X[rows] = law.draw(int(rows.sum()), rng)
        return X

    def log_ratio(self, X: Floats) -> Floats:
        return self.positive.log_density(X) - self.negative.log_density(X)

    @cached_property
    def knots(self) -> tuple[Floats, Floats]:
        """The curve over the 400 x 400 cells of a product rule, thinned to 2000 pieces.

        A cell on the wrong side of a level set moves its knot along the curve, not off it: the error is second order.
        """
        points, weights = square_rule(400)
        negative = weights * np.exp(self.negative.log_density(points))
        positive = weights * np.exp(self.positive.log_density(points))
        alpha, beta = concave_curve(negative, positive)
        # Equal steps of alpha + beta, nearly the arc length: the pieces are short also where the curve is steep.
        thin = np.searchsorted(alpha + beta, np.linspace(0, 2, 2001))
        thin[-1] = len(alpha) - 1
        return alpha[thin], beta[thin]
