"""Every model and metric depends on the ratios of the weights alone, however large or small these are."""

import numpy as np
import pytest

import rankforest
from rankforest import LeafRank, load_model, metrics, save_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 0).astype(int)
GRADES = np.digitize(X[:, 0] + RNG.normal(size=200), [-0.5, 0.5])
WEIGHTS = RNG.uniform(0.5, 2, 200)
WEIGHTS[::10] = 0

MODELS = {
    "tree": rankforest.TreeRank(),
    "leafrank": rankforest.TreeRank(LeafRank(max_depth=2, pruning="cv"), random_state=0),
    "forest": rankforest.RankingForest(n_estimators=8, random_state=0),
    "boost": rankforest.RankBoost(n_estimators=8, random_state=0),
    "consensus": rankforest.RankConsensus(
        rankforest.RankingForest(n_estimators=8, random_state=0),
        rankforest.RankBoost(n_estimators=8, random_state=0),
        random_state=0,
    ),
    "best": rankforest.BestInstances(rankforest.TreeRank(), top=0.3, random_state=0),
    "ordinal tree": rankforest.OrdinalRankingTree(random_state=0),
    "ordinal forest": rankforest.OrdinalRankingForest(n_estimators=8, random_state=0),
}

SCALES = [2.0**-1000, 2.0**-332, 2.0**332, 2.0**1000]


def fitted(name: str, weights: np.ndarray):
    y = GRADES if name.startswith("ordinal") else Y
    return MODELS[name].fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str, tmp_path) -> None:
    expected = fitted(name, WEIGHTS).score_samples(X)
    for scale in SCALES:
        model = fitted(name, WEIGHTS * scale)
        np.testing.assert_array_equal(model.score_samples(X), expected)
        save_model(model, tmp_path / "a.rankforest")
        np.testing.assert_array_equal(load_model(tmp_path / "a.rankforest").score_samples(X), expected)


@pytest.mark.parametrize("name", MODELS)
def test_weights_that_are_too_far_apart(name: str) -> None:
    weights = WEIGHTS.copy()
    weights[1] = 1e-300
    with pytest.raises(
        ValueError, match=r"^sample_weight is 1e-300 in row 1 and .* too far apart to be summed exactly"
    ):
        fitted(name, weights)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "local_auc", "hit_ratio", "auc_interval"])
@pytest.mark.parametrize("scale", SCALES)
def test_metrics(name: str, scale: float) -> None:
    share = (0.3,) if name in ("local_auc", "hit_ratio") else ()
    metric, score = getattr(metrics, name), X[:, 0] + X[:, 1]
    expected, found = (metric(Y, score, *share, sample_weight=each) for each in (WEIGHTS, WEIGHTS * scale))
    assert str(found) == str(expected)


def test_a_sum_beyond_the_doubles() -> None:
    weights = np.full(200, 1.7e308)
    assert metrics.roc_auc(Y, X[:, 0], sample_weight=weights) == pytest.approx(metrics.roc_auc(Y, X[:, 0]))


@pytest.mark.parametrize("name", ["concordance_index", "ranking_error", "volume_under_surface"])
@pytest.mark.parametrize("scale", SCALES)
def test_ordinal_metrics(name: str, scale: float) -> None:
    metric, score = getattr(metrics, name), X[:, 0] + X[:, 1]
    assert metric(GRADES, score, sample_weight=WEIGHTS * scale) == metric(GRADES, score, sample_weight=WEIGHTS)
