"""Refresh of forests and scorecards: drifted rows, rows without drift, rows that are too far, files, and twins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from rankforest import LeafRank, RankingForest, RankScore, Sampling, TreeRank, load_model, save_model
from rankforest.data import simulate
from rankforest.data.parts import InvalidParts
from rankforest.fitting.refresh import Refresh
from rankforest.forest.groves import Grove
from rankforest.forest.out_of_bag import out_of_bag_scores
from rankforest.metrics import roc_auc
from rankforest.metrics.too_far import TooMuchDrift
from rankforest.scorecard.reestimate import _Work
from rankforest.scorecard.scaling import odds_line

FOREST = RankingForest(30, splitter=LeafRank(max_depth=5, max_features="sqrt"), max_depth=4, random_state=0)
CARD = RankScore(n_estimators=150, n_folds=3, random_state=0)


def rows(n: int, seed: int, *, drift: bool) -> tuple[np.ndarray, np.ndarray]:
    """RF10 sparse; after the drift one of four features speaks for the other label."""
    drawn = simulate.rf10_sparse(n, random_state=seed)
    X = drawn.X.copy()
    X[:, 0] *= -1.0 if drift else 1.0
    return X, drawn.y


OLD = rows(800, 0, drift=False)
MODELS: dict[str, Any] = {"forest": FOREST.fit(*OLD), "card": CARD.fit(*OLD)}
kinds = pytest.mark.parametrize("kind", list(MODELS))


@kinds
def test_after_a_drift_the_refreshed_model_is_better_on_fresh_rows(kind: str) -> None:
    model = MODELS[kind]
    before = model.score_samples(OLD[0])
    X, y = rows(400, 1, drift=True)
    later = model.refresh(X, y)
    report = later.refreshes_[-1]
    assert report.accepted
    assert report.n_rows == 400
    assert report.auc_before == pytest.approx(roc_auc(y, model.score_samples(X)))
    fresh, truth = rows(3000, 2, drift=True)
    old_auc, new_auc = (roc_auc(truth, each.score_samples(fresh)) for each in (model, later))
    assert new_auc > old_auc + 0.05
    assert report.auc_after == pytest.approx(new_auc, abs=0.04)  # held out, so as on fresh rows
    assert later.predict_proba(fresh)[:, 1].mean() == pytest.approx(np.mean(truth == 1), abs=0.05)
    assert later.summary_.n_rows == 400
    np.testing.assert_array_equal(model.score_samples(OLD[0]), before)  # the old model stays as it is
    assert model.refreshes_ == ()


@kinds
def test_without_a_drift_the_old_model_is_kept(kind: str) -> None:
    model = MODELS[kind]
    later = model.refresh(*rows(150, 3, drift=False))
    report = later.refreshes_[-1]
    assert not report.accepted
    assert str(report).startswith("the old model is kept: on 150 rows the gain may be due to chance; held-out")
    fresh = rows(500, 4, drift=False)[0]
    np.testing.assert_array_equal(later.score_samples(fresh), model.score_samples(fresh))
    np.testing.assert_array_equal(later.predict_proba(fresh), model.predict_proba(fresh))
    assert later.summary_.n_rows == 800
    assert later.kept_rows().rows.n_rows == 800


@kinds
def test_the_same_rows_give_the_same_model_and_the_file_has_all_of_it(kind: str, tmp_path: Path) -> None:
    given = rows(300, 5, drift=True)
    one, two = (MODELS[kind].refresh(*given) for _ in range(2))
    paths = [tmp_path / f"{k}.rankforest" for k in (1, 2)]
    for model, path in zip((one, two), paths):
        save_model(model, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    again = load_model(paths[0])
    fresh = rows(300, 6, drift=True)[0]
    np.testing.assert_array_equal(again.score_samples(fresh), one.score_samples(fresh))
    assert again.refreshes_ == one.refreshes_
    # a stored model has no rows, and can be refreshed as well
    twice = again.refresh(*rows(300, 7, drift=False))
    assert [report.accepted for report in twice.refreshes_] == [True, True]
    refit = twice.fit(*OLD)
    assert refit.refreshes_ == ()


@kinds
def test_weights_and_groups(kind: str) -> None:
    """Rows of weight 0 are no rows; whole groups are held out."""
    X, y = rows(400, 8, drift=True)
    weight = np.where(np.arange(400) % 4 == 0, 0.0, 1.0)
    some = weight > 0
    weighted, plain = MODELS[kind].refresh(X, y, weight), MODELS[kind].refresh(X[some], y[some])
    assert weighted.refreshes_ == plain.refreshes_
    fresh = rows(200, 9, drift=True)[0]
    np.testing.assert_array_equal(weighted.score_samples(fresh), plain.score_samples(fresh))
    grouped = MODELS[kind].refresh(
        np.repeat(X[:100], 4, axis=0), np.repeat(y[:100], 4), groups=np.repeat(range(100), 4)
    )
    leaky = MODELS[kind].refresh(np.repeat(X[:100], 4, axis=0), np.repeat(y[:100], 4))
    assert grouped.refreshes_[-1].auc_after < leaky.refreshes_[-1].auc_after - 0.01


@kinds
def test_rows_that_are_too_far_are_refused(kind: str) -> None:
    X, y = rows(300, 10, drift=False)
    model = MODELS[kind]
    X[:200, 1] += 6.0
    with pytest.raises(
        TooMuchDrift, match=r"^\d\d% of the new rows have values of 'x1' above \d\.\d+ \(training: 9\.6%\)"
    ):
        model.refresh(X, y)
    X[:200, 1] = np.nan
    with pytest.raises(TooMuchDrift, match=r"^67% of the new rows have no known value of 'x1' \(training: 0\.0%\)"):
        model.refresh(X, y)


def test_a_card_that_says_nothing_about_the_new_rows_is_refused() -> None:
    X, y = rows(300, 11, drift=False)
    with pytest.raises(TooMuchDrift, match=r"^The card ranks the 300 new rows no better than chance \(AUC 0\.1"):
        MODELS["card"].refresh(-X, y)


@kinds
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.arange(30) % 3}, "y"),
        ({"y": np.where(np.arange(30) % 2, "a", "b")}, r"y has the labels \['a', 'b'\], and the model was fitted on"),
        ({"X": np.zeros((30, 4))}, "10"),
        ({"groups": np.zeros(30), "time": np.zeros(30)}, "groups and time are both given"),
    ],
)
def test_wrong_rows(kind: str, change: dict[str, Any], message: str) -> None:
    X, y = rows(30, 12, drift=False)
    with pytest.raises(ValueError, match=message):
        MODELS[kind].refresh(**{"X": X, "y": y, **change})


def test_forests_that_cannot_be_refreshed() -> None:
    all_rows = RankingForest(3, splitter=LeafRank(), sampling=Sampling(replace=False), max_features=3, random_state=0)
    with pytest.raises(ValueError, match="A refresh is judged by out-of-bag rows, and every tree sees all rows"):
        all_rows.fit(*OLD).refresh(*OLD)
    with pytest.raises(TypeError, match="needs the new rows in memory"):
        MODELS["forest"].refresh("rows.parquet", "y")
    refreshed = MODELS["forest"].refresh(*rows(300, 5, drift=True)).set_params(warm_start=True, n_estimators=60)
    if any(grove.earlier for grove in refreshed._groves):
        with pytest.raises(ValueError, match="warm_start cannot add trees to a refreshed forest"):
            refreshed.fit(*OLD)
    assert not TreeRank.can_refresh


def test_new_trees_have_the_old_cuts_and_old_trees_are_out_of_bag_for_all_new_rows() -> None:
    """By hand: the out-of-bag score of a new row is the mean over old trees and over new trees that did not see it."""
    model = RankingForest(12, splitter=LeafRank(max_depth=3), aggregation="proba", max_depth=3, random_state=0).fit(
        *OLD
    )
    X, y = rows(120, 13, drift=True)
    later = model.refresh(X, y)
    assert later.refreshes_[-1].accepted
    cuts = {(int(j), t) for tree in model.trees_ for j, t in zip(tree.feature, tree.threshold)}
    new = [grove for grove in later._groves if not grove.earlier]
    for tree in (tree for grove in new for tree in grove.trees):
        used = set(np.unique(tree.feature).tolist()) & {j for j, _ in cuts}
        assert {(int(j), t) for j, t in zip(tree.feature, tree.threshold) if int(j) in used} <= cuts
    mixed = [Grove(model._groves[0].growth, 0, model._groves[0].trees[:5], True), new[0]]
    found, counts = out_of_bag_scores(mixed, later._draw, later._rows, "proba", 1)
    values = later._rows.values(slice(None))
    expected = np.zeros(120)
    drawn = [later._draw.times(later._rows.labels, new[0].first_tree + k) for k in range(len(new[0].trees))]
    for row in range(120):
        unseen = [tree for tree, times in zip(new[0].trees, drawn) if not times[row]]
        trees = [*model._groves[0].trees[:5], *unseen]
        assert counts[row] == len(trees)
        expected[row] = np.mean([single_score(tree, values[row]) for tree in trees])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def single_score(tree: Any, row: np.ndarray) -> float:
    from rankforest.forest.aggregation import tree_score_block

    return float(tree_score_block([tree], row[None, :], "proba", 1)[0, 0])


def test_points_minimise_the_penalised_log_loss() -> None:
    """Beside SciPy's minimiser, with weights; the mean points of each feature stay."""
    card = MODELS["card"].card_
    X, y = rows(200, 14, drift=True)
    labels, weights = (y > 0).astype(np.uint8), np.random.default_rng(0).uniform(0.5, 2.0, 200)
    codes = card.codes_of(X)
    work = _Work.of(card, codes, labels, weights, None)
    points, line = work.points(np.arange(200), 0.4)
    w = weights * 200 / weights.sum()
    D = work.design.toarray()
    of_old = odds_line(card.total(X), labels.astype(float), w)
    margin = of_old.start + of_old.slope * card.total(X)

    def loss(beta: np.ndarray) -> float:
        eta = margin + D @ beta[:-1] + beta[-1]
        return float(w @ np.logaddexp(0.0, np.where(labels == 1, -eta, eta)) + beta[:-1] @ beta[:-1] / (2 * 0.4**2))

    best = minimize(loss, np.zeros(D.shape[1] + 1), method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9}).x
    moved = (points - work.old) * line[1]
    for first, last in zip(work.starts, work.starts[1:]):
        mass = D[:, first:last].T @ w
        assert mass @ (points - work.old)[first:last] == pytest.approx(0.0, abs=1e-9)
        gap = moved[first:last] - best[first:last]
        np.testing.assert_allclose(gap, gap[0], atol=2e-4)


def test_whole_points_directions_and_pairs_stay() -> None:
    X, y = OLD
    directions = [0, 1] + [0] * 8
    model = RankScore(n_estimators=150, n_folds=3, pairs=1, monotonic_cst=directions, random_state=0).fit(X, y)
    later = model.refresh(*rows(300, 15, drift=True))
    assert later.refreshes_[-1].accepted
    for old, new in zip(model.card_.terms, later.card_.terms):
        assert (new.table == np.round(new.table)).all()
        assert old.features == new.features
        assert new.table.min() == old.table.min()
        assert new.mass.sum() == pytest.approx(300)
    for old, new in zip(model.card_.steps, later.card_.steps):
        np.testing.assert_array_equal(old.edges, new.edges)
        if new.feature == 1:
            assert (np.diff(new.points) >= 0).all()
    assert later.card_.offset == round(later.card_.offset)


@pytest.mark.parametrize(
    "change", [{"what": 3}, {"n_rows": 0}, {"auc_after": 1.5}, {"error": None}, {"accepted": 1}], ids=str
)
def test_reports_that_no_refresh_makes_are_refused(change: dict[str, Any]) -> None:
    good = Refresh("all trees are new", 10, 0.5, 0.6, 0.01, True)
    good.check()
    with pytest.raises(InvalidParts):
        replace(good, **change).check()
