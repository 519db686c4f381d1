"""The recursive approximation C*_{d,k} by its definition, by closed forms, and as the limit of TreeRank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ncx2, norm

from rankforest import LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.data.laws import Law, ScaledGaussians, ShiftedGaussians
from rankforest.data.recursive import recursive_approximation
from rankforest.metrics import roc_auc

DRAWS: dict[str, Any] = {
    name: getattr(simulate, name)
    for name in ("rf10", "rf20", "rf10_sparse", "uniform_mixture", "conditional_gaussians")
}


@pytest.fixture(params=DRAWS)
def law(request: pytest.FixtureRequest) -> Law:
    return DRAWS[request.param](1).law


@pytest.mark.parametrize("depth", [0, 1, 2, 4])
def test_knots_lie_on_the_optimal_curve_and_cells_are_cut_at_its_tangents(law: Law, depth: int) -> None:
    found = recursive_approximation(law, depth)
    assert (found.alpha[0], found.beta[0], found.alpha[-1], found.beta[-1]) == (0, 0, 1, 1)
    assert (np.diff(found.alpha) > 0).all()
    np.testing.assert_allclose(found.beta, law.roc_star(found.alpha), atol=1e-12)
    assert (np.diff(found.ratios) < 0).all()
    assert len(found) == len(found.ratios) + 1 <= 2**depth
    # the ratio between two cells is the slope of ROC* there: no point of the curve is above the line through the knot
    grid = np.linspace(0, 1, 4001)
    curve = law.roc_star(grid)
    for alpha, beta, ratio in zip(found.alpha[1:], found.beta[1:], found.ratios):
        assert (curve - beta - ratio * (grid - alpha)).max() < 1e-6


def test_a_cell_is_cut_at_its_own_ratio(law: Law) -> None:
    """A new knot is where dG/dH = beta(C) / alpha(C), the level p beta(C) / mu(C) of eta."""
    for depth in (0, 1, 2):
        coarse, fine = recursive_approximation(law, depth), recursive_approximation(law, depth + 1)
        own = np.diff(coarse.beta) / np.diff(coarse.alpha)
        known = {*np.round(coarse.ratios, 12)}
        new = [ratio for ratio in fine.ratios if round(ratio, 12) not in known]
        assert len(new) == len(fine) - len(coarse)
        assert all(np.isclose(own, ratio, rtol=1e-12).any() for ratio in new)


def test_no_other_knot_raises_the_area_more(law: Law) -> None:
    coarse, fine = recursive_approximation(law, 1), recursive_approximation(law, 2)

    def area(knots: np.ndarray) -> float:
        return float(np.trapezoid(law.roc_star(knots), knots))

    assert coarse.auc == pytest.approx(area(coarse.alpha), abs=1e-12)
    best = [area(np.sort(np.append(coarse.alpha, alpha))) for alpha in np.linspace(0.001, 0.999, 999)]
    added = np.setdiff1d(fine.alpha, coarse.alpha)
    assert max(area(np.sort(np.append(coarse.alpha, alpha))) for alpha in added) >= max(best) - 1e-7


def test_the_area_rises_to_the_optimal_one(law: Law) -> None:
    """A step leaves about a quarter of the gap, as with any interpolation by straight lines; polygons need few."""
    gaps = np.array([law.auc_star - recursive_approximation(law, depth).auc for depth in range(9)])
    assert gaps[0] == pytest.approx(law.auc_star - 0.5)
    assert (gaps > -1e-9).all()
    assert (np.diff(gaps) <= 1e-12).all()
    assert (gaps <= 1.1 * gaps[0] * 0.34 ** np.arange(9)).all()
    assert gaps[8] < 1e-4


def test_four_quarters_are_the_four_cells() -> None:
    law = simulate.uniform_mixture(1).law
    first, second, fifth = (recursive_approximation(law, depth) for depth in (1, 2, 5))
    np.testing.assert_allclose([first.alpha, first.beta], [[0, 0.3, 1], [0, 0.7, 1]], atol=1e-12)
    np.testing.assert_allclose(second.alpha, [0, 0.1, 0.3, 0.6, 1], atol=1e-12)
    np.testing.assert_allclose(second.beta, [0, 0.3, 0.7, 0.9, 1], atol=1e-12)
    assert second.auc == pytest.approx(law.auc_star, abs=1e-12)
    np.testing.assert_array_equal(fifth.alpha, second.alpha)  # cells of constant eta are not cut
    # between 2/3 and 3/4 of eta, then at 1/2, then between 1/5 and 2/5
    np.testing.assert_allclose(second.ratios, [0.7 / 0.3, 1.0, 0.3 / 0.7], rtol=1e-12)


def test_knots_of_gaussians_in_closed_form() -> None:
    """The log-ratio is normal, or falls with a distance whose square is a noncentral chi-square."""
    shifted = simulate.rf10_sparse(1).law
    assert isinstance(shifted, ShiftedGaussians)
    found = recursive_approximation(shifted, 3)
    levels, s = np.log(found.ratios), shifted.shift
    np.testing.assert_allclose(found.alpha[1:-1], norm.sf(levels, -(s**2) / 2, s), atol=1e-7)
    np.testing.assert_allclose(found.beta[1:-1], norm.sf(levels, s**2 / 2, s), atol=1e-7)
    scaled = simulate.rf10(1).law
    assert isinstance(scaled, ScaledGaussians)
    found = recursive_approximation(scaled, 3)
    square = (5 * np.log(scaled.spread) - np.log(found.ratios)) * 2 / (1 - 1 / scaled.spread)
    np.testing.assert_allclose(found.alpha[1:-1], ncx2(10, 0).cdf(square / scaled.spread), atol=1e-7)
    np.testing.assert_allclose(found.beta[1:-1], ncx2(10, 0).cdf(square), atol=1e-7)


@pytest.mark.parametrize("name", DRAWS)
def test_a_sample_falls_into_the_cells_as_the_knots_say(name: str) -> None:
    sample = DRAWS[name](40_000, random_state=0)
    found = sample.recursive_approximation(3)
    scores = found.score_of(sample.X)
    assert set(scores) == set(range(1, len(found) + 1))
    for label, knots in ((-1, found.alpha), (1, found.beta)):
        share = [np.mean(scores[sample.y == label] > len(found) - k) for k in range(len(found) + 1)]
        np.testing.assert_allclose(share, knots, atol=0.012)
    assert roc_auc(sample.y, scores) == pytest.approx(found.auc, abs=0.01)


def test_treerank_comes_near_when_its_candidates_are_level_sets() -> None:
    """With eta as the only feature every cut is a level set. A knot, the place of a flat maximum, is found slowly."""
    sample = simulate.conditional_gaussians(40_000, random_state=0)
    rule = LeafRank(max_depth=1, criterion="auc", min_mass_leaf=0.0, max_bins=2000)
    tree = TreeRank(rule, max_depth=2).fit(sample.eta[:, None], sample.y).tree_
    found = sample.recursive_approximation(2)
    assert tree.n_leaves == len(found) == 4
    np.testing.assert_allclose(tree.roc_knots(), [found.alpha, found.beta], atol=0.06)
    assert tree.auc == pytest.approx(found.auc, abs=0.01)


@pytest.mark.parametrize("depth", [-1, 1.5, True])
def test_a_wrong_depth_gets_a_sentence(depth: Any) -> None:
    with pytest.raises(ValueError, match=r"^depth is .*; give a whole number of at least 0\.$"):
        recursive_approximation(simulate.rf10(1).law, depth)
