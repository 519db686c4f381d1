"""RankScore: whole points, few steps, held-out AUC, directions, weights, missing values."""

import pickle

import numpy as np
import pandas as pd
import pytest

from rankforest import RankScore, load_model, save_model
from rankforest.data import simulate
from rankforest.metrics import auc_interval, roc_auc


def credit(n=600, seed=0):
    """Numbers, whole numbers, categories and missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(18, 80, n), "income": rng.lognormal(10, 1, n).round(2)})
    X["city"] = pd.Categorical(rng.choice(["Bonn", "Lyon", "Oslo", "Rome"], n))
    X["noise"] = rng.normal(size=n)
    margin = 0.05 * (X["age"] - 45) + np.log(X["income"]) - 10 + (X["city"] == "Oslo") + rng.logistic(size=n)
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    X["age"] = X["age"].astype(float)
    return X, np.where(margin > 0.5, "good", "bad")


@pytest.fixture(scope="module")
def model():
    return RankScore(pos_label="good", random_state=0).fit(*credit())


def test_points_are_whole_and_steps_are_few(model):
    X, y = credit()
    for steps in model.card_.steps:
        assert steps.n_steps <= 6
        assert (steps.table == np.rint(steps.table)).all()
        assert steps.table.min() == 0
        assert (np.diff(steps.points) != 0).all() or steps.groups is not None
        assert steps.mass.sum() == len(y)
    low, high = model.card_.range
    assert (low, 85 <= high <= 115) == (0.0, True)
    totals = model.score_samples(X)
    assert (totals == np.rint(totals)).all()
    assert roc_auc(y, totals, pos_label="good") > 0.75
    # ages are whole numbers, and so are their edges
    age = next(steps for steps in model.card_.steps if steps.feature == 0)
    assert (age.edges == np.rint(age.edges)).all()


def test_round_edges_keep_every_row_in_its_step(model):
    X, _ = credit()
    (block,) = model._read(X).blocks()
    np.testing.assert_array_equal(model.card_.total(block), model.kept_rows().rows.answers(model.card_.total))
    for steps in model.card_.steps:
        counted = np.bincount(steps.codes(block), minlength=steps.n_steps + 1)
        np.testing.assert_array_equal(counted, steps.mass.sum(axis=1))


def test_the_held_out_auc_is_honest():
    """On noise it is about 1/2, although the card of the fit orders its own rows."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 8)), rng.integers(0, 2, 300)
    model = RankScore(random_state=0).fit(X, y)
    assert abs(model.held_out_auc_ - 0.5) < 0.1
    sample, fresh = simulate.rf10(500, random_state=0), simulate.rf10(4000, random_state=1)
    model = RankScore(random_state=0).fit(sample.X, sample.y)
    assert model.held_out_auc_ == pytest.approx(model.score(fresh.X, fresh.y), abs=0.05)
    assert model.held_out_auc_ == pytest.approx(roc_auc(sample.y, model.held_out_scores_))
    assert model.held_out_auc_error_ == pytest.approx(auc_interval(sample.y, model.held_out_scores_).standard_error)


def test_the_tolerance_makes_cards_short():
    X, y = credit()
    sizes = []
    for tolerance in (0.0, 0.005, 0.3):
        model = RankScore(tolerance=tolerance, n_estimators=60, random_state=0).fit(X, y)
        assert all(trial.auc >= model.shape_auc_ - tolerance for trial in model.trials_[1:])
        sizes.append(sum(steps.n_steps for steps in model.card_.steps))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize(("tolerance", "most"), [(0.0, 10), (0.003, 8), (0.05, 6)])
def test_more_steps_where_held_out_rows_ask_for_them(tolerance, most):
    """Eight or ten if fewer lose clearly more than the tolerance."""
    X = np.random.default_rng(0).uniform(-3, 3, size=(1500, 2))
    y = np.random.default_rng(1).logistic(size=1500) < 4 * np.sin(X[:, 0]) + X[:, 1]
    options = {"tolerance": tolerance, "n_estimators": 80, "random_state": 0}
    auto = RankScore(**options).fit(X, y)
    fixed = {k: RankScore(max_steps=k, **options).fit(X, y) for k in (6, 8, 10)}
    assert auto.trials_ == fixed[most].trials_
    np.testing.assert_array_equal(auto.score_samples(X), fixed[most].score_samples(X))
    lost = {k: model.shape_auc_ - model.trials_[0].auc for k, model in fixed.items()}
    assert all(lost[k] > tolerance for k in fixed if k < most)


def test_what_the_steps_cost_is_said(model):
    X, y = credit()
    assert model.auc_lost_to_steps_ == model.shape_auc_ - model.trials_[-1].auc <= model.tolerance
    assert "auc_lost_to_steps" not in model.figures()
    assert "below that of the shapes" not in model.text()
    two = RankScore(max_steps=2, random_state=0).fit(X, y)
    assert two.figures()["auc_lost_to_steps"] == two.auc_lost_to_steps_ > two.tolerance
    assert f"is {two.auc_lost_to_steps_:.4f} below that of the shapes; the tolerance is 0.001" in two.text()
    alone = RankScore(random_state=0).fit(X[:30], np.arange(30) == 3)
    assert np.isnan(alone.auc_lost_to_steps_)
    assert "auc_lost_to_steps" not in alone.figures()


def test_unrounded_totals_are_log_odds():
    X, y = credit(n=1500)
    model = RankScore(max_steps=None, points=None, random_state=0).fit(X, y)
    assert max(steps.n_steps for steps in model.card_.steps) > 6
    p = 1 / (1 + np.exp(-model.score_samples(X)))
    assert p.mean() == pytest.approx((y == model.pos_label_).mean(), abs=0.03)
    few = RankScore(max_steps=6, points=None, random_state=0).fit(X, y)
    assert max(steps.n_steps for steps in few.card_.steps) <= 6
    assert np.corrcoef(few.score_samples(X), model.score_samples(X))[0, 1] > 0.97


@pytest.mark.parametrize("direction", [1, -1])
def test_directions_hold(direction):
    X, y = credit()
    model = RankScore(monotonic_cst={"age": direction, "noise": direction}, random_state=0).fit(X, y)
    ages = pd.concat([X.iloc[:1]] * 80, ignore_index=True)
    ages["age"] = np.arange(80.0)
    assert (direction * np.diff(model.score_samples(ages)) >= 0).all()
    with pytest.raises(ValueError, match="'city' has 1 in monotonic_cst, but it is categorical"):
        RankScore(monotonic_cst={"city": 1}).fit(X, y)


def test_threads_and_files_change_nothing(model, tmp_path):
    X, y = credit()
    again = RankScore(pos_label="good", n_jobs=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    save_model(model, tmp_path / "card")
    for other in (load_model(tmp_path / "card"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        for name in ("trials_", "shape_auc_", "held_out_auc_", "held_out_auc_error_"):
            assert getattr(other, name) == getattr(model, name)


def test_a_single_row_of_a_class_holds_out_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.arange(40) == np.argmax(X[:, 0])
    model = RankScore(random_state=0).fit(X, y)
    assert not hasattr(model, "held_out_auc_")
    assert model.score(X, y) > 0.5


def test_weights_count():
    X, y = credit()
    city = X["city"] == "Oslo"
    plain = RankScore(random_state=0).fit(X, y).score_samples(X)
    heavy = RankScore(random_state=0).fit(X, y, sample_weight=np.where(city & (y == "bad"), 20.0, 1.0)).score_samples(X)
    assert (plain[city].mean() > plain[~city].mean(), heavy[city].mean() < heavy[~city].mean()) == (True, True)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"max_steps": 1}, "max_steps is 1; give a whole number of at least 2"),
        ({"max_steps": "few"}, "max_steps is 'few'; choose 'auto', None or a whole number"),
        ({"points": 0}, "points is 0; give a whole number of at least 1"),
        ({"tolerance": -0.1}, "tolerance is -0.1; give a number from 0"),
        ({"n_folds": 1}, "n_folds is 1; give a whole number of at least 2"),
        ({"n_estimators": 0}, "n_estimators is 0; give a whole number of at least 1"),
    ],
)
def test_wrong_parameters(wrong, match):
    with pytest.raises(ValueError, match=match):
        RankScore(**wrong).fit(*credit(60))
