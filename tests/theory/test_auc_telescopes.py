"""AUC = 1/2 + 1/2 sum of Lambda over all internal nodes, on the training sample (2011, 2.3)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, TreeRank
from rankforest.metrics import roc_auc


@st.composite
def fits(draw: st.DrawFn) -> tuple[naive.Sample, np.ndarray | None, TreeRank]:
    """Numbers, categories and missing values; no weights, whole weights, or weights of all sizes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([5, 20, 60, 120]))
    sample = naive.random_sample(rng, n, 4, missing=draw(st.sampled_from([0.0, 0.2])), categorical=draw(st.booleans()))
    assume(not np.isnan(sample.X).all(axis=0).any())  # a column without a value is refused
    weights = {
        "none": None,
        "whole": rng.integers(1, 6, n).astype(float),
        "any": rng.exponential(size=n) + 1e-3,
        "far apart": 10.0 ** rng.uniform(-6, 6, n),
    }[draw(st.sampled_from(["none", "whole", "any", "far apart"]))]
    model = TreeRank(
        LeafRank(
            max_depth=draw(st.sampled_from([1, 2, 4])),
            criterion=draw(st.sampled_from(["gini", "auc"])),
            min_mass_leaf=draw(st.sampled_from([0.0, 0.05])),
            missing=draw(st.sampled_from(["learned", "cell_mean"])),
            max_bins=draw(st.sampled_from([3, 255, 65535])),
        ),
        max_depth=draw(st.sampled_from([1, 3, None])),
        categorical_features=naive.categorical_features(sample),
    )
    return sample, weights, model.fit(sample.X, sample.y, weights)


@settings(max_examples=80, deadline=None)
@given(fits())
def test_auc_is_one_half_plus_half_the_sum_of_lambda(fit: tuple) -> None:
    sample, weights, model = fit
    tree, scores = model.tree_, model.score_samples(sample.X)
    assert tree.auc == pytest.approx(roc_auc(sample.y, scores, sample_weight=weights), abs=1e-12)
    assert tree.auc == pytest.approx(naive.auc_by_pairs(scores, sample.y, weights), abs=1e-12)
    total = tree.cell_mass[0]
    lambdas = [
        (tree.cell_mass[c] / total)[0] * (tree.cell_mass[left] / total)[1]
        - (tree.cell_mass[c] / total)[1] * (tree.cell_mass[left] / total)[0]
        for c, left in enumerate(tree.cell_left)
        if left >= 0
    ]
    assert tree.auc == pytest.approx(0.5 + 0.5 * sum(lambdas), abs=1e-12)
    assert len(lambdas) == tree.n_leaves - 1


def test_auc_of_a_worked_tree() -> None:
    """x = 1 2 3 4, y = 1 0 1 0, unlimited single cuts.

    Root: the best cuts put {1} left of the rest (beta = 1/2, alpha = 0) or {1, 2, 3} left of {4} (beta = 1,
    alpha = 1/2): Lambda = 1/2 for both, Gini (1/2)^2 / (1/2 * 3/2) = 1/3 for both; the lower cut is taken.
    The rest, alpha = 1, beta = 1/2: the cut between 3 and 4 gives nothing but {2, 3} with beta = 1/2, alpha = 1/2,
    Lambda = 1 * 1/2 - 1/2 * 1/2 = 1/4; the cut between 2 and 3 puts {3, 4} left with the same Lambda, and is lower.
    {3, 4}: {3} left, Lambda = 1/2 * 1/2 = 1/4. The order 1, 3, 4, 2 has an AUC of 1/2 + (1/2 + 1/4 + 1/4) / 2 = 1.
    """
    model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=None)
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [1, 0, 1, 0]
    tree = model.fit(X, y).tree_
    assert sorted(tree.cell_gain[tree.cell_gain > 0].tolist()) == [0.25, 0.25, 0.5]
    assert model.apply(X).tolist() == [0, 3, 1, 2]
    assert tree.auc == 1.0
