"""The artificial sets: the truth they carry is the truth of the law they are drawn from."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score, roc_curve

from rankforest.data import simulate
from rankforest.data.laws import ScaledGaussians, ShiftedGaussians
from rankforest.data.simulate import Simulated

BIPARTITE = ["rf10", "rf20", "rf10_sparse", "uniform_mixture", "conditional_gaussians"]
ALL = [*BIPARTITE, "ordinal_square"]
N = 60_000

SPARSE_SHIFT = np.sqrt(2) * stats.norm.ppf(0.89)
# 3u^2 - 2u^3 is the distribution function of F(4, 4) at s, with u = s / (1 + s).
SPARSE_RATIO = float(np.sort(np.roots([-2, 3, 0, -0.89]).real)[1])
SPARSE_SCALE = np.diag([SPARSE_RATIO / (1 - SPARSE_RATIO)] * 4 + [1.0] * 6)
NEGATIVE_GAUSSIAN = stats.multivariate_normal([2, 0.5], [[1, 0.25], [0.25, 1.15]])
POSITIVE_GAUSSIAN = stats.multivariate_normal([-1, 0.5], [[1, 0.15], [0.15, 1.25]])


def drawn(name: str, n: int, **options: Any) -> Simulated:
    """A sample by the name of its function; "rf10_sparse_scale" is the second law of `rf10_sparse`."""
    if name == "rf10_sparse_scale":
        return simulate.rf10_sparse(n, law="scale", **options)
    return getattr(simulate, name)(n, **options)


@pytest.fixture(scope="module", params=[*BIPARTITE, "rf10_sparse_scale"])
def sample(request: pytest.FixtureRequest) -> Simulated:
    return drawn(request.param, N, random_state=7)


@pytest.fixture(scope="module")
def ordinal() -> simulate.SimulatedOrdinal:
    return simulate.ordinal_square(N, random_state=7)


def square_mass(law: Any) -> float:
    return float(law.cdf([1, 1], lower_limit=[0, 0]))


def uniform_density(weights: tuple[float, ...]) -> Callable[[np.ndarray], np.ndarray]:
    corners = np.array([[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5]])

    def density(X: np.ndarray) -> np.ndarray:
        inside = [np.prod(stats.uniform(corner, 0.5).pdf(X), axis=1) for corner in corners]
        return np.dot(weights, inside)

    return density


def class_densities(name: str) -> tuple[Callable, Callable]:
    """Densities of the negatives and of the positives, written down again from the papers with scipy.stats."""
    match name:
        case "rf10":
            return (
                stats.multivariate_normal(np.zeros(10), 1.5707 * np.eye(10)).pdf,
                stats.multivariate_normal(np.zeros(10), np.eye(10)).pdf,
            )
        case "rf20":
            return (
                stats.multivariate_normal(np.zeros(20), 1.23 * np.eye(20)).pdf,
                stats.multivariate_normal(np.full(20, 0.9 / np.sqrt(20)), np.eye(20)).pdf,
            )
        case "rf10_sparse":
            mean = np.array([SPARSE_SHIFT / 2] * 4 + [0.0] * 6)
            return stats.multivariate_normal(np.zeros(10), np.eye(10)).pdf, stats.multivariate_normal(mean).pdf
        case "rf10_sparse_scale":
            return stats.multivariate_normal(np.zeros(10), SPARSE_SCALE).pdf, stats.multivariate_normal(
                np.zeros(10)
            ).pdf
        case "uniform_mixture":
            return uniform_density((0.2, 0.1, 0.3, 0.4)), uniform_density((0.4, 0.3, 0.2, 0.1))
        case "conditional_gaussians":
            return (
                lambda X: NEGATIVE_GAUSSIAN.pdf(X) / square_mass(NEGATIVE_GAUSSIAN),
                lambda X: POSITIVE_GAUSSIAN.pdf(X) / square_mass(POSITIVE_GAUSSIAN),
            )
    raise AssertionError(name)


def auc_standard_error(y: np.ndarray, score: np.ndarray) -> float:
    """DeLong's standard error: the variance of the mean placement of each class in the other."""
    positives, negatives = np.sort(score[y == 1]), np.sort(score[y == -1])

    def placements(scores: np.ndarray, among: np.ndarray) -> np.ndarray:
        return (np.searchsorted(among, scores, "left") + np.searchsorted(among, scores, "right")) / (2 * len(among))

    of_positives, of_negatives = placements(positives, negatives), placements(negatives, positives)
    return float(np.sqrt(of_positives.var() / len(positives) + of_negatives.var() / len(negatives)))


# The optimal curve


@pytest.mark.parametrize(
    ("name", "published", "tolerance"),
    [
        ("rf10", 0.756, 5e-4),
        ("rf20", 0.774, 1e-3),
        ("rf10_sparse", 0.89, 1e-12),
        ("rf10_sparse_scale", 0.89, 1e-9),
        ("uniform_mixture", 0.735, 1e-12),
        ("conditional_gaussians", 0.74, 2e-3),
    ],
)
def test_auc_star_is_the_published_one(name: str, published: float, tolerance: float) -> None:
    assert drawn(name, 1).auc_star == pytest.approx(published, abs=tolerance)


def test_auc_star_of_rf10_is_the_closed_form() -> None:
    assert simulate.rf10(1).auc_star == pytest.approx(stats.f(10, 10).sf(1 / 1.5707), abs=1e-10)


def test_auc_star_of_rf20_by_another_route() -> None:
    """By simulation in two numbers: the log-ratio depends on x along m and on the squared length across m only."""
    rng = np.random.default_rng(0)
    m, size = 0.9, 400_000
    log_ratio = [
        0.5 * ((along**2 + across) / 1.23 - (along - m) ** 2 - across)
        for along, across in (
            (m + rng.standard_normal(size), rng.chisquare(19, size)),
            (np.sqrt(1.23) * rng.standard_normal(size), 1.23 * rng.chisquare(19, size)),
        )
    ]
    won = np.mean(log_ratio[0] > log_ratio[1])
    assert simulate.rf20(1).auc_star == pytest.approx(won, abs=4 * 0.5 / np.sqrt(size))


def test_auc_star_is_the_area_under_roc_star(sample: Simulated) -> None:
    # The corners of the polygon are named for the quadrature; the other curves have none inside (0, 1).
    area, _ = integrate.quad(lambda a: float(sample.roc_star(a)), 0, 1, points=[0.1, 0.3, 0.6], limit=500, epsabs=1e-8)
    assert sample.auc_star == pytest.approx(area, abs=1e-6)


def test_roc_star_is_concave_and_climbs_from_0_to_1(sample: Simulated) -> None:
    alpha = np.linspace(0, 1, 2001)
    beta = sample.roc_star(alpha)
    assert beta[0] == pytest.approx(0, abs=1e-12)
    assert beta[-1] == pytest.approx(1, abs=1e-12)
    assert np.all(np.diff(beta) >= 0)
    assert np.all(np.diff(beta, n=2) <= 1e-9)


def test_roc_star_keeps_the_shape_of_alpha(sample: Simulated) -> None:
    assert sample.roc_star(0.3).shape == ()
    assert sample.roc_star(np.full((2, 3), 0.3)) == pytest.approx(np.full((2, 3), float(sample.roc_star(0.3))))


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, [0.5, 2.0]])
def test_roc_star_rejects_what_is_not_a_rate(sample: Simulated, alpha: object) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        sample.roc_star(alpha)


def test_roc_star_of_conditional_gaussians_by_exact_slices() -> None:
    """eta falls with x1, so a level set is {x1 < c(x2)} and the slices at given x2 are normal probabilities."""
    law = simulate.conditional_gaussians(1).law
    nodes, weights = np.polynomial.legendre.leggauss(500)
    x2 = (nodes + 1) / 2

    def mass(gaussian: Any, c: np.ndarray) -> float:
        (m1, m2), ((v1, k), (_, v2)) = gaussian.mean, gaussian.cov
        given_x2 = stats.norm(m1 + k / v2 * (x2 - m2), np.sqrt(v1 - k**2 / v2))
        return weights / 2 @ (stats.norm(m2, np.sqrt(v2)).pdf(x2) * (given_x2.cdf(c) - given_x2.cdf(0)))

    for threshold in np.linspace(-1.8, 1.8, 13):
        low, high = np.zeros_like(x2), np.ones_like(x2)
        for _ in range(40):
            middle = (low + high) / 2
            above = law.log_ratio(np.column_stack([middle, x2])) > threshold
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        alpha = mass(NEGATIVE_GAUSSIAN, low) / square_mass(NEGATIVE_GAUSSIAN)
        beta = mass(POSITIVE_GAUSSIAN, low) / square_mass(POSITIVE_GAUSSIAN)
        assert law.roc_star(alpha) == pytest.approx(beta, abs=5e-5)


# The sample against its law


def test_eta_has_the_optimal_auc(sample: Simulated) -> None:
    error = auc_standard_error(sample.y, sample.eta)
    assert roc_auc_score(sample.y, sample.eta) == pytest.approx(sample.auc_star, abs=4 * error)


def test_eta_has_the_optimal_curve(sample: Simulated) -> None:
    alpha, beta, _ = roc_curve(sample.y, sample.eta)
    grid = np.linspace(0, 1, 101)
    # About 30 000 points per class: the two empirical rates are off by at most 0.003 (one standard error).
    assert np.abs(np.interp(grid, alpha, beta) - sample.roc_star(grid)).max() < 0.015


def test_eta_is_calibrated(sample: Simulated) -> None:
    # Values of eta that agree to rounding share a bin: uniform_mixture has four.
    edges = np.unique(np.quantile(sample.eta.round(9), np.linspace(0, 1, 11)))
    bins = np.searchsorted(edges, sample.eta.round(9))
    for b in np.unique(bins):
        rows = bins == b
        error = np.sqrt(np.mean(sample.eta[rows] * (1 - sample.eta[rows])) / rows.sum())
        assert np.mean(sample.y[rows] == 1) == pytest.approx(sample.eta[rows].mean(), abs=4 * error)


@pytest.mark.parametrize("name", [*BIPARTITE, "rf10_sparse_scale"])
def test_eta_is_bayes_formula(name: str) -> None:
    data = drawn(name, 500, random_state=3)
    negative, positive = (density(data.X) for density in class_densities(name))
    expected = positive / (positive + negative)
    np.testing.assert_allclose(data.eta, expected, atol=1e-6)
    np.testing.assert_array_equal(data.eta, data.eta_of(data.X))


def test_labels_are_balanced(sample: Simulated) -> None:
    assert set(np.unique(sample.y)) == {-1, 1}
    assert np.mean(sample.y == 1) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(N))


@pytest.mark.parametrize(
    ("name", "label", "mean", "variance"),
    [
        ("rf10", 1, np.zeros(10), 1.0),
        ("rf10", -1, np.zeros(10), 1.5707),
        ("rf20", 1, np.full(20, 0.9 / np.sqrt(20)), 1.0),
        ("rf20", -1, np.zeros(20), 1.23),
        ("rf10_sparse", 1, np.array([SPARSE_SHIFT / 2] * 4 + [0.0] * 6), 1.0),
        ("rf10_sparse", -1, np.zeros(10), 1.0),
        ("rf10_sparse_scale", 1, np.zeros(10), 1.0),
        ("rf10_sparse_scale", -1, np.zeros(10), np.diag(SPARSE_SCALE)),
    ],
)
def test_moments_of_the_normal_classes(name: str, label: int, mean: np.ndarray, variance: float | np.ndarray) -> None:
    data = drawn(name, N, random_state=11)
    X = data.X[data.y == label]
    variance = np.broadcast_to(variance, mean.shape)
    assert np.all(np.abs(X.mean(axis=0) - mean) < 4.5 * np.sqrt(variance / len(X)))
    # 4.5 standard errors of a variance; those of a covariance are smaller by sqrt(2).
    error = 4.5 * np.sqrt(2 * np.outer(variance, variance) / len(X))
    assert np.all(np.abs(np.cov(X.T) - np.diag(variance)) < error)


def test_the_two_laws_of_rf10_sparse() -> None:
    """Same AUC*, another curve: under the scale law the first in the list are less often positive."""
    shift, scale = simulate.rf10_sparse(1), simulate.rf10_sparse(1, law="scale")
    assert SPARSE_SCALE[0, 0] == pytest.approx(3.85, abs=5e-3)
    assert scale.auc_star == pytest.approx(shift.auc_star, abs=1e-9)
    assert scale.roc_star(0.02) < 0.6 * shift.roc_star(0.02)
    with pytest.raises(ValueError, match=r"law is 'mean'; choose one of 'shift', 'scale'\."):
        simulate.rf10_sparse(1, law="mean")


@pytest.mark.parametrize("name", ["uniform_mixture", "conditional_gaussians"])
@pytest.mark.parametrize("label", [-1, 1])
def test_planar_classes_fill_the_square_as_their_density_says(name: str, label: int) -> None:
    data = getattr(simulate, name)(N, random_state=13)
    X = data.X[data.y == label]
    assert X.min() >= 0
    assert X.max() <= 1
    counts, _, _ = np.histogram2d(X[:, 0], X[:, 1], bins=8, range=[[0, 1], [0, 1]])
    # Density averaged over a cell by the midpoints of an 8 x 8 grid inside it.
    middles = (np.arange(64) + 0.5) / 64
    points = np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1).reshape(-1, 2)
    density = class_densities(name)[(label + 1) // 2](points)
    expected = density.reshape(8, 8, 8, 8).mean(axis=(1, 3))
    expected *= len(X) / expected.sum()
    assert stats.chisquare(counts.ravel(), expected.ravel()).pvalue > 1e-4


def test_eta_of_the_four_quarters() -> None:
    data = simulate.uniform_mixture(2000, random_state=0)
    middles = [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]]
    np.testing.assert_allclose(data.eta_of(middles), [2 / 3, 3 / 4, 2 / 5, 1 / 5])
    np.testing.assert_allclose(np.unique(data.eta.round(12)), [1 / 5, 2 / 5, 2 / 3, 3 / 4])


def test_roc_star_of_the_uniform_mixture_has_the_four_quarters_as_pieces() -> None:
    data = simulate.uniform_mixture(1)
    np.testing.assert_allclose(data.roc_star([0, 0.1, 0.3, 0.6, 1]), [0, 0.3, 0.7, 0.9, 1])
    np.testing.assert_allclose(data.roc_star([0.05, 0.2, 0.45, 0.8]), [0.15, 0.5, 0.8, 0.95])


def test_eta_of_the_conditional_gaussians_has_the_printed_quadratic() -> None:
    """2011, section 6.2 prints the coefficients to two digits; its constant factor lacks the determinants."""
    data = simulate.conditional_gaussians(200, random_state=0)
    x1, x2 = data.X.T
    printed = 0.02 * x1**2 + 0.05 * x2**2 - 3.08 * x1 + 0.53 * x2 - 0.11 * x1 * x2 + 1.32
    constant = np.log(data.eta / (1 - data.eta)) - printed
    assert np.ptp(constant) < 0.02
    assert np.exp(constant).mean() == pytest.approx(1.02 * np.sqrt(1.0875 / 1.2275), abs=0.02)


@pytest.mark.parametrize("name", ["uniform_mixture", "conditional_gaussians"])
def test_eta_is_undefined_outside_the_square(name: str) -> None:
    eta = getattr(simulate, name)(1).eta_of([[0.0, 1.0], [1.0, 0.0], [-0.1, 0.5], [0.5, 1.1]])
    assert np.isnan(eta).tolist() == [False, False, True, True]


# Ordered classes


def ordinal_formula(signal: float) -> int:
    return max(r for r, bound in enumerate((-np.inf, -1, -0.1, 0.25, 1), start=1) if signal > bound)


def test_ordinal_labels_are_the_formula_without_noise(
    ordinal: simulate.SimulatedOrdinal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate, "_ORDINAL_NOISE", 1e-300)
    data = simulate.ordinal_square(2000, random_state=5)
    expected = [ordinal_formula(10 * (x1 - 0.5) * (x2 - 0.5)) for x1, x2 in data.X]
    assert data.y.tolist() == expected
    assert set(expected) == {1, 2, 3, 4, 5}
    # With the noise the same formula is the median class.
    rows = ordinal.X[:2000]
    assert ordinal.median_class_of(rows).tolist() == [ordinal_formula(10 * (a - 0.5) * (b - 0.5)) for a, b in rows]


def test_ordinal_probabilities_are_those_of_the_noise(ordinal: simulate.SimulatedOrdinal) -> None:
    probabilities = ordinal.class_probabilities
    assert probabilities.min() >= 0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities, ordinal.class_probabilities_of(ordinal.X))
    point = np.array([0.8, 0.6])
    noise = stats.norm(10 * 0.3 * 0.1, 0.125)
    np.testing.assert_allclose(
        ordinal.class_probabilities_of([point])[0],
        np.diff(noise.cdf([-np.inf, -1, -0.1, 0.25, 1, np.inf])),
        atol=1e-12,
    )


def test_ordinal_probabilities_are_calibrated(ordinal: simulate.SimulatedOrdinal) -> None:
    for column, label in enumerate(range(1, 6)):
        probability = ordinal.class_probabilities[:, column]
        bins = np.digitize(probability, [0.01, 0.25, 0.5, 0.75, 0.99])
        for b in np.unique(bins):
            rows = bins == b
            error = np.sqrt(np.mean(probability[rows] * (1 - probability[rows])) / rows.sum())
            assert np.mean(ordinal.y[rows] == label) == pytest.approx(probability[rows].mean(), abs=4 * error + 1e-3)


def test_ordinal_points_are_uniform(ordinal: simulate.SimulatedOrdinal) -> None:
    counts, _, _ = np.histogram2d(*ordinal.X.T, bins=8, range=[[0, 1], [0, 1]])
    assert stats.chisquare(counts.ravel()).pvalue > 1e-4


def test_ordinal_bayes_error_is_that_of_the_median_class(ordinal: simulate.SimulatedOrdinal) -> None:
    loss = np.abs(ordinal.y - ordinal.median_class_of(ordinal.X))
    assert loss.mean() == pytest.approx(ordinal.bayes_error, abs=4 * loss.std() / np.sqrt(N))
    # No other class does better at any point.
    labels = np.arange(1, 6)
    expected_loss = ordinal.class_probabilities @ np.abs(labels[:, None] - labels)
    of_median = np.take_along_axis(expected_loss, ordinal.median_class_of(ordinal.X)[:, None] - 1, axis=1)[:, 0]
    np.testing.assert_allclose(of_median, expected_loss.min(axis=1), atol=1e-12)
    assert of_median.mean() == pytest.approx(ordinal.bayes_error, abs=4 * of_median.std() / np.sqrt(N))


# Seeds, types and errors


@pytest.mark.parametrize("name", ALL)
def test_same_seed_same_arrays(name: str) -> None:
    draw = getattr(simulate, name)
    for make in (int, np.random.default_rng, np.random.RandomState):
        first, again, other = draw(50, make(4)), draw(50, make(4)), draw(50, make(5))
        np.testing.assert_array_equal(first.X, again.X)
        np.testing.assert_array_equal(first.y, again.y)
        assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("name", ALL)
def test_generators_advance(name: str, make: Callable) -> None:
    source, draw = make(0), getattr(simulate, name)
    assert not np.array_equal(draw(20, source).X, draw(20, source).X)


@pytest.mark.parametrize("name", ALL)
def test_no_seed_is_a_fresh_draw(name: str) -> None:
    draw = getattr(simulate, name)
    assert not np.array_equal(draw(20).X, draw(20).X)


@pytest.mark.parametrize("n", [1, 2, 37, np.int32(5)])
@pytest.mark.parametrize(("name", "q"), list(zip(ALL, [10, 20, 10, 2, 2, 2])))
def test_shapes_and_types(name: str, q: int, n: int) -> None:
    data = getattr(simulate, name)(n, random_state=0)
    assert data.X.shape == (n, q)
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.y.shape == (n,)
    assert data.y.dtype == np.int64


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError)])
def test_bad_sizes_are_named(name: str, n: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"number of points to draw; got {n}\."):
        getattr(simulate, name)(n)


@pytest.mark.parametrize(("seed", "error"), [("x", TypeError), (1.5, TypeError), (True, TypeError), (-1, ValueError)])
def test_bad_seeds_are_named(seed: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="random_state must be an integer"):
        simulate.rf10(5, random_state=seed)


@pytest.mark.parametrize("X", [[[0.0, 0.0, 0.0]], [0.5, 0.5]])
def test_points_of_another_space_are_rejected(X: list) -> None:
    with pytest.raises(ValueError, match="table with 2 columns"):
        simulate.uniform_mixture(1).eta_of(X)
    with pytest.raises(ValueError, match="table with 2 columns"):
        simulate.ordinal_square(1).class_probabilities_of(X)


def test_laws_reject_variances_their_curve_does_not_cover() -> None:
    with pytest.raises(ValueError, match="spread > 1"):
        ScaledGaussians(n_features=2, n_informative=2, spread=0.5)
    with pytest.raises(ValueError, match="spread must be 1"):
        ShiftedGaussians(n_features=2, n_informative=2, spread=2.0)


@pytest.mark.parametrize("name", ALL)
def test_samples_are_frozen_and_travel(name: str) -> None:
    data = getattr(simulate, name)(30, random_state=0)
    with pytest.raises(AttributeError):
        data.X = np.zeros((30, 2))
    copy = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(copy.X, data.X)
    if isinstance(data, Simulated):
        assert copy.auc_star == data.auc_star
        np.testing.assert_array_equal(copy.roc_star([0.2, 0.7]), data.roc_star([0.2, 0.7]))


# Other shares of positives


@pytest.mark.parametrize("name", BIPARTITE)
@pytest.mark.parametrize("p", [0.03, 0.2, 0.9])
def test_a_share_of_positives_changes_eta_and_nothing_else(name: str, p: float) -> None:
    data = getattr(simulate, name)(N, random_state=9, p=p)
    assert np.mean(data.y == 1) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / N))
    negative, positive = (density(data.X[:500]) for density in class_densities(name))
    np.testing.assert_allclose(data.eta[:500], p * positive / (p * positive + (1 - p) * negative), atol=1e-6)
    np.testing.assert_array_equal(data.eta, data.eta_of(data.X))
    # eta is calibrated: its mean is the share of positives, and its order has the optimal curve
    assert data.eta.mean() == pytest.approx(p, abs=4 * data.eta.std() / np.sqrt(N))
    assert roc_auc_score(data.y, data.eta) == pytest.approx(data.auc_star, abs=4 * auc_standard_error(data.y, data.eta))
    half = getattr(simulate, name)(1)
    assert data.auc_star == half.auc_star
    np.testing.assert_array_equal(data.roc_star([0.1, 0.6]), half.roc_star([0.1, 0.6]))


@pytest.mark.parametrize(
    ("name", "labels", "point", "eta"),
    [
        ("rf10", "+++++++----+", [-0.0325217049455206, 0.8843898673831739], 0.7318900074322732),
        ("rf20", "+++++++----+", [1.1000099900753888, 1.346468125429113], 0.6778005735670002),
        ("rf10_sparse", "+++++++----+", [0.8347646460483544, 1.7516762183770491], 0.837556516089344),
        ("uniform_mixture", "+++++++----+", [0.5178401393867981, 0.25744441013568514], 0.75),
        ("conditional_gaussians", "+++++++----+", [0.4957536834411984, 0.4962074874359279], 0.503842566969069),
    ],
)
def test_one_half_draws_what_it_always_has(name: str, labels: str, point: list[float], eta: float) -> None:
    for data in (getattr(simulate, name)(12, 7), getattr(simulate, name)(12, random_state=7, p=0.5)):
        assert "".join("-+"[int(label > 0)] for label in data.y) == labels
        np.testing.assert_allclose(data.X[3, :2], point, rtol=1e-12)
        assert data.eta[3] == pytest.approx(eta, rel=1e-12)
        assert data.p == 0.5


@pytest.mark.parametrize(("p", "error"), [(0.0, ValueError), (1, ValueError), (np.nan, ValueError), ("x", TypeError)])
def test_shares_that_are_none_are_named(p: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^p must .*the share of positives in the population; got "):
        simulate.rf10(5, random_state=0, p=p)
