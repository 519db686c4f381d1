"""BestInstances: the flagged share of fresh rows is the share that was asked for."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.stats import kstest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import BestInstances, LeafRank, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.estimators._fresh_scores import FoldScores, _by_rank, _Levels
from rankforest.estimators._lots import draw_lots
from rankforest.estimators._share_line import TIES, ShareLine
from rankforest.metrics import recall_at

FRESH = simulate.rf20(4000, random_state=999)
FOREST = RankingForest(25, splitter=LeafRank(max_depth=4, max_features="sqrt"), max_depth=4, random_state=0)


class Points(ClassifierMixin, BaseEstimator):
    """A score card: few points, and nothing to learn."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Points:
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return np.round(X[:, :4].sum(axis=1) / 2)


def shares_of_fresh_rows(estimator: object, top: float, n_fits: int, n: int = 400, **options: object) -> np.ndarray:
    """Share of fresh rows that is flagged, for models of independent samples."""
    shares = []
    for seed in range(n_fits):
        sample, fresh = simulate.rf20(n, random_state=seed), simulate.rf20(1000, random_state=1000 + seed)
        model = BestInstances(estimator, top=top, random_state=seed, **options).fit(sample.X, sample.y)
        assert model.share_ == pytest.approx(top, abs=0.01)
        shares.append(model.flag(fresh.X).mean())
    return np.array(shares)


@pytest.mark.parametrize(
    ("estimator", "top", "n_fits", "within"),
    [
        (FOREST, 0.1, 150, 0.01),
        (LogisticRegression(solver="liblinear"), 0.05, 60, 0.01),
        (TreeRank(LeafRank(max_depth=3), max_depth=4), 0.2, 25, 0.01),
        (TreeRank(LeafRank()), 0.1, 25, 0.01),
        (TreeRank(max_depth=1), 0.1, 25, 0.01),
        (DecisionTreeClassifier(max_depth=5), 0.1, 25, 0.01),
        (DecisionTreeClassifier(), 0.1, 25, 0.01),
        (KNeighborsClassifier(7), 0.1, 8, 0.02),
        (RandomForestClassifier(15), 0.2, 6, 0.03),
        (Points(), 0.2, 100, 0.01),
    ],
    ids=lambda value: str(value) if isinstance(value, BaseEstimator) else "",
)
def test_the_share_of_fresh_rows_is_the_wanted_one(estimator: object, top: float, n_fits: int, within: float) -> None:
    """In the mean over samples, and in every single one some rows are flagged."""
    shares = shares_of_fresh_rows(estimator, top, n_fits)
    assert shares.mean() == pytest.approx(top, abs=within)
    assert np.std(shares) > 0
    assert shares.min() > 0.4 * top


def test_the_strata_of_a_tree_are_those_of_the_tree_that_is_returned() -> None:
    """The fold models' trees have other strata: their scores as thresholds flagged no row in 7 of these 12 fits."""
    shares = shares_of_fresh_rows(TreeRank(LeafRank()), 0.1, 12, n=1000)
    assert shares.min() > 0.06
    assert shares.max() < 0.14


@pytest.mark.parametrize("top", [0.1, 0.2])
@pytest.mark.parametrize(
    "estimator", [TreeRank(LeafRank()), GradientBoostingClassifier(n_estimators=10, random_state=0)], ids=str
)
def test_breast_cancer(estimator: object, top: float) -> None:
    """Half of the rows are fresh. With the fold models' own scores, no row was flagged and recall_ was .339."""
    X, y = load_breast_cancer(return_X_y=True)
    shares, gaps = [], []
    for seed in range(3):
        train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        model = BestInstances(estimator, top=top, cv=5, random_state=0).fit(train, y_train)
        flagged = model.flag(test)
        shares.append(flagged.mean())
        gaps.append(model.recall_ - flagged[y_test == 1].mean())
    assert np.min(shares) > 0.5 * top
    assert np.mean(shares) == pytest.approx(top, abs=0.2 * top)
    assert np.mean(gaps) == pytest.approx(0.0, abs=0.4 * top)


@pytest.mark.parametrize("ties", ["random", "nearest"])
@pytest.mark.parametrize("estimator", [TreeRank(LeafRank()), TreeRank(LeafRank(max_depth=2), max_depth=2)], ids=str)
def test_figures_are_those_of_the_model_that_is_returned(estimator: object, ties: str) -> None:
    """Over 30 samples share_, recall_ and precision_ agree in the mean with what the model does to fresh rows."""
    gaps = []
    for seed in range(30):
        sample = simulate.rf20(300, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = BestInstances(estimator, top=0.15, ties=ties, random_state=seed).fit(sample.X, sample.y)
        flagged, positive = model.flag(FRESH.X), FRESH.y > 0
        true = flagged.mean(), flagged[positive].mean(), positive[flagged].mean()
        gaps.append(np.subtract((model.share_, model.recall_, model.precision_), true))
    np.testing.assert_allclose(np.mean(gaps, axis=0), 0.0, atol=0.03)


def test_quantiles_of_training_scores_and_of_raw_out_of_bag_scores_would_flag_too_few() -> None:
    """Training scores are too extreme; raw out-of-bag scores are means over a third of the trees."""
    sample = simulate.rf20(300, random_state=0)
    model = BestInstances(FOREST, top=0.1).fit(sample.X, sample.y)
    forest = model.estimator_
    fresh = forest.score_samples(FRESH.X)
    for scores in (forest.score_samples(sample.X), forest.oob_scores_):
        assert (fresh > np.nanquantile(scores, 0.9)).mean() < 0.075 < model.flag(FRESH.X).mean()


@pytest.mark.parametrize("ties", TIES)
def test_ties_at_the_threshold(ties: str) -> None:
    """Five rows score 3, ten score 2, twenty score 1: the quantile of 20% is among those that score 2."""
    scores, mass = np.repeat([3.0, 2.0, 1.0], [5, 10, 20]), np.ones(35)
    line = ShareLine.under(scores, mass, 0.2, ties)
    assert (scores > line.threshold).sum() == {"nearest": 5, "exclude": 5, "include": 15, "random": 5}[ties]
    assert line.possible == (5 / 35, 15 / 35)
    assert line.chance(scores).sum() == pytest.approx({"random": 7.0, "include": 15.0}.get(ties, 5.0))
    # nearer to the larger group; and less than half of the best group
    assert (scores > ShareLine.under(scores, mass, 0.4, "nearest").threshold).sum() == 15
    few = ShareLine.under(scores, mass, 0.05, ties)
    assert (scores > few.threshold).sum() == {"nearest": 5, "include": 5}.get(ties, 0)


def test_the_line_against_the_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 12))
        scores = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else rng.normal(size=n)
        if rng.random() < 0.1:
            scores[:] = np.nextafter(scores[0], np.inf) if n > 1 else scores[0]  # neighbours, with nothing between
            scores[0] = np.nextafter(scores[0], -np.inf)
        mass, top = rng.integers(0, 4, n).astype(float), float(rng.uniform(0.01, 0.99))
        mass[0] += 1.0
        shares = {float(t): float(mass[scores > t].sum() / mass.sum()) for t in [-np.inf, *scores, np.inf]}
        possible = sorted(set(shares.values()))
        below, above = max(s for s in possible if s < top), min(s for s in possible if s >= top)
        nearest = min((s for s in (above, below) if s > 0.0), key=lambda s: abs(s - top))
        for ties, wanted in (("include", above), ("exclude", above if above == top else below), ("nearest", nearest)):
            line = ShareLine.under(scores, mass, top, ties)
            assert mass[scores > line.threshold].sum() / mass.sum() == pytest.approx(wanted)
            assert line.tie_chance == 0.0
            assert line.possible == pytest.approx((below, above))
        line = ShareLine.under(scores, mass, top, "random")
        found = mass @ line.chance(scores) / mass.sum()
        exact = abs(nearest - top) > 0.05 * top
        assert (line.tie_chance > 0.0) == exact
        assert found == pytest.approx(top if exact else nearest)


def test_lots_depend_on_the_row_alone() -> None:
    """The same rows are flagged in another order, one by one, as a frame, and after pickling."""
    sample = simulate.rf20(300, random_state=0)
    model = BestInstances(TreeRank(max_depth=2), top=0.2, random_state=0).fit(sample.X, sample.y)
    assert 0 < model.tie_chance_ < 1
    flagged = model.flag(FRESH.X)
    tied = model.score_samples(FRESH.X) == model.threshold_
    assert flagged[tied].mean() == pytest.approx(model.tie_chance_, abs=0.05)
    np.testing.assert_array_equal(model.flag(FRESH.X[::-1]), flagged[::-1])
    np.testing.assert_array_equal([model.flag(FRESH.X[i : i + 1])[0] for i in range(50)], flagged[:50])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).flag(FRESH.X), flagged)
    other = BestInstances(TreeRank(max_depth=2), top=0.2, random_state=1).fit(sample.X, sample.y)
    assert (other.flag(FRESH.X) != flagged).any()


def test_lots_of_tables_of_all_kinds() -> None:
    """Tie-breaking lots depend on the values, not on the container; also for missing values and text."""
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, np.nan, -0.0, 2.0], "c": ["x", None, "y", "ß"]})
    lots = draw_lots(frame, 7)
    assert len(set(lots)) == 4
    assert ((lots >= 0) & (lots < 1)).all()
    np.testing.assert_array_equal(draw_lots(pa.Table.from_pandas(frame), 7), lots)
    np.testing.assert_array_equal(draw_lots(frame.iloc[[2, 0]], 7), lots[[2, 0]])
    np.testing.assert_array_equal(draw_lots(frame.astype({"a": "Int64", "b": "Float64"}), 7), lots)
    numbers = frame[["a", "b"]]
    expected = draw_lots(numbers, 7)
    np.testing.assert_array_equal(draw_lots(numbers.to_numpy(), 7), expected)
    np.testing.assert_array_equal(draw_lots(numbers.to_numpy().tolist(), 7), expected)
    np.testing.assert_array_equal(draw_lots(sparse.csr_matrix(numbers.to_numpy()), 7), expected)
    assert len(set(draw_lots(["some text", "some more"], 7))) == 2


def test_equal_rows_share_their_lots() -> None:
    """On data with many equal rows, all or none of them would miss the share by far."""
    X = np.repeat([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [500, 1, 300], axis=0)
    lots = draw_lots(X, 3)
    for chance in (0.05, 0.3, 0.77):
        assert (lots[:500] < chance).mean() == pytest.approx(chance, abs=0.01)
        assert (lots[501:] < chance).mean() == pytest.approx(chance, abs=0.01)
    np.testing.assert_array_equal(lots[[0, 500, 501]], draw_lots(X[[500, 501, 0]], 3)[[2, 0, 1]])
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (800, 1)).astype(float)
    y = rng.random(800) < 0.2 + 0.2 * X[:, 0]
    shares = [
        BestInstances(TreeRank(max_depth=2), top=top, cv=3, random_state=0).fit(X[:400], y[:400]).flag(X[400:]).mean()
        for top in (0.1, 0.2, 0.5)
    ]
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.5], atol=0.05)


def test_lots_are_uniform() -> None:
    """Also of columns with few values, or that differ in one bit."""
    rng = np.random.default_rng(0)
    for X in (FRESH.X, np.arange(20_000.0)[:, None], rng.integers(0, 2, (20_000, 16)).astype(float)):
        X = np.unique(X, axis=0)
        lots = draw_lots(X, 0)
        assert kstest(lots, "uniform").pvalue > 1e-3
        assert abs(np.corrcoef(lots[1:], lots[:-1])[0, 1]) < 0.03


def test_matching_by_rank_in_fractions() -> None:
    """Twin: a row of a stratum may stand anywhere in it, and has the score of the stratum that is there."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(2, 9))
        mass = rng.integers(1, 4, n).astype(float)
        own, final = (rng.integers(0, 4, n).astype(float) for _ in range(2))
        rows = np.arange(n)
        fold = FoldScores(rows=rows, scores=own, own_rows=rows, own_scores=own)
        found = _by_rank(fold, _Levels.of(final, mass), mass)

        def interval(scores: np.ndarray, value: float, mass: np.ndarray = mass) -> tuple[Fraction, Fraction]:
            total = int(mass.sum())
            return (
                Fraction(int(mass[scores < value].sum()), total),
                Fraction(int(mass[scores <= value].sum()), total),
            )

        for row in rows:
            low, high = interval(own, own[row])
            for value in set(final):
                start, end = interval(final, value)
                expected = max(Fraction(0), min(high, end) - max(low, start)) / (high - low)
                here = (found.rows == row) & (found.scores == value)
                assert found.mass[here].sum() == pytest.approx(float(expected) * mass[row], abs=1e-8)


def test_scores_between_training_scores_keep_their_order() -> None:
    rng = np.random.default_rng(2)
    own, final, scores = rng.normal(size=40), np.exp(rng.normal(size=40)), rng.normal(size=200)
    fold = FoldScores(rows=np.arange(200), scores=scores, own_rows=np.arange(40), own_scores=own)
    found = _by_rank(fold, _Levels.of(final, np.ones(40)), np.ones(200))
    order = np.argsort(scores[found.rows], kind="stable")
    assert (np.diff(found.scores[order]) >= 0).all()
    # a model on another scale is put on ours: exp of a score is the same ranking
    same = _by_rank(fold, _Levels.of(np.exp(own), np.ones(40)), np.ones(200))
    share = [(same.scores > np.exp(v)).mean() - (scores > v).mean() for v in np.sort(own)[:-1]]
    np.testing.assert_allclose(share, 0.0, atol=1e-12)


def test_whole_strata_and_a_word_about_the_shares() -> None:
    sample = simulate.rf20(300, random_state=0)
    tree = TreeRank(max_depth=2)
    for ties in ("nearest", "include", "exclude"):
        with pytest.warns(UserWarning, match=r"^top is 0\.03 and about .* ties='random' gives the share itself\.$"):
            model = BestInstances(tree, top=0.03, ties=ties, random_state=0).fit(sample.X, sample.y)
        below, above = model.possible_shares_
        assert below == 0.0
        assert above > 0.06
        assert model.share_ == pytest.approx(0.0 if ties == "exclude" else above)
        assert model.flag(FRESH.X).mean() == pytest.approx(model.share_, abs=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BestInstances(tree, top=0.03, random_state=0).fit(sample.X, sample.y)
    assert model.possible_shares_ == (below, above)
    assert model.tie_chance_ == pytest.approx(0.03 / above)


@pytest.mark.parametrize("positive", ["bad", "good"])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("estimator", [FOREST, TreeRank(max_depth=2), LogisticRegression(), Points()], ids=str)
def test_scikit_learns_contract(estimator: object, ties: str, positive: str) -> None:
    """The sign of the decision function is the label; 0 is where a lot decides; score is the AUC."""
    negative = {"bad": "good", "good": "bad"}[positive]
    sample = simulate.rf20(200, random_state=6)
    y, fresh = (np.where(labels > 0, positive, negative) for labels in (sample.y, FRESH.y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = BestInstances(estimator, top=0.2, ties=ties, cv=3, pos_label=positive, random_state=0).fit(sample.X, y)
    signed, scores, predicted = (f(FRESH.X) for f in (model.decision_function, model.score_samples, model.predict))
    assert model.classes_.tolist() == ["bad", "good"]
    sure = signed != 0.0
    assert sure.all() == (model.tie_chance_ == 0.0)
    np.testing.assert_array_equal(predicted[sure], model.classes_[(signed[sure] > 0).astype(int)])
    np.testing.assert_array_equal(predicted == positive, model.flag(FRESH.X))
    upwards = signed if positive == "good" else -signed
    assert (np.diff(upwards[np.argsort(scores, kind="stable")]) >= 0).all()
    auc = roc_auc_score(FRESH.y > 0, scores)
    assert auc > 0.53 or isinstance(estimator, Points)  # points are for "good", whoever asks
    assert model.score(FRESH.X, fresh) == pytest.approx(auc)
    assert roc_auc_score(fresh, signed) == pytest.approx(auc if positive == "good" else roc_auc_score(fresh, -scores))


def test_what_is_known_of_the_flagged_rows() -> None:
    sample = simulate.rf20(500, random_state=1)
    model = BestInstances(FOREST, top=0.2).fit(sample.X, sample.y)
    scores = model.estimator_.oob_scores_as_of_fresh_rows()
    known = ~np.isnan(scores)
    assert model.held_out_ == "out-of-bag"
    assert model.share_ == pytest.approx(0.2, abs=0.01)
    assert model.recall_ == pytest.approx(recall_at(sample.y[known], scores[known], 0.2), abs=0.01)
    flagged = scores[known] > model.threshold_
    assert model.precision_ == pytest.approx((sample.y[known][flagged] > 0).mean())


def test_models_of_all_kinds() -> None:
    sample = simulate.rf20(600, random_state=2)
    y = np.where(sample.y > 0, "bad", "good")  # the label to look for is the smaller one
    frame = pd.DataFrame(sample.X).add_prefix("x")
    for estimator, held_out in (
        (FOREST, "out-of-bag"),
        (RandomForestClassifier(30, oob_score=True, random_state=0), "cross-validation"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "cross-validation"),
    ):
        model = BestInstances(estimator, top=0.2, cv=5, pos_label="bad", random_state=0).fit(frame, y)
        assert model.held_out_ == held_out
        fresh = pd.DataFrame(FRESH.X).add_prefix("x")
        predicted = model.predict(fresh)
        assert (predicted == "bad").mean() == pytest.approx(0.2, abs=0.06)
        assert (FRESH.y[predicted == "bad"] > 0).mean() > (FRESH.y > 0).mean() + 0.1
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.flag(fresh), model.flag(fresh))


def test_views_of_text_with_missing_values() -> None:
    """Arrow cannot pick rows of such a column by itself."""
    rng = np.random.default_rng(0)
    city = rng.choice(["Lyon", "Oslo", None], 120)
    table = pa.table({"city": pa.array(city.tolist(), pa.string_view()), "x": rng.normal(size=120)})
    y = (city == "Oslo") ^ (rng.random(120) < 0.2)
    model = BestInstances(TreeRank(max_depth=1), top=0.2, cv=3, random_state=0).fit(table, y)
    plain = table.set_column(0, "city", table["city"].cast(pa.string()))
    np.testing.assert_array_equal(model.flag(table), model.flag(plain))
    assert model.flag(table).mean() == pytest.approx(0.2, abs=0.1)


def test_weights_are_shares_of_weight() -> None:
    sample = simulate.rf20(400, random_state=3)
    weight = np.where(sample.X[:, 0] > 0, 5.0, 1.0)
    model = BestInstances(LogisticRegression(), top=0.1, random_state=0).fit(sample.X, sample.y, weight)
    flagged = model.flag(FRESH.X)
    of_fresh = np.where(FRESH.X[:, 0] > 0, 5.0, 1.0)
    assert of_fresh[flagged].sum() / of_fresh.sum() == pytest.approx(0.1, abs=0.04)


def test_folds_that_leave_rows_out_and_forests_that_leave_none() -> None:
    """Rows that were never held out do not affect the threshold; without any of one class, the fit raises an error."""
    sample = simulate.rf20(200, random_state=5)
    train, test = np.arange(100), np.arange(100, 200)
    model = BestInstances(LogisticRegression(), top=0.2, cv=[(train, test)]).fit(sample.X, sample.y)
    of_fold = LogisticRegression().fit(sample.X[train], sample.y[train])
    line = np.sort(of_fold.decision_function(sample.X[test]))[-20]
    share = (of_fold.decision_function(sample.X[train]) >= line).mean()
    assert (model.score_samples(sample.X) > model.threshold_).mean() == pytest.approx(share, abs=0.01)
    assert model.matched_by_ == "rank"  # one fold cannot tell whether scores mean the same in two models
    assert model.share_ == pytest.approx(0.2)
    with pytest.raises(ValueError, match="No row of one class was held out"):
        BestInstances(LogisticRegression(), cv=[(train, test[sample.y[test] > 0])]).fit(sample.X, sample.y)


def test_without_an_estimator_a_forest_for_the_top() -> None:
    sample = simulate.rf20(150, random_state=4)
    model = BestInstances(top=0.1, random_state=0).fit(sample.X, sample.y)
    assert model.estimator_.top == 0.1
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, r"^top is 0; give the share of the rows to flag, in \(0, 1\)\.$"),
        ({"top": "10%"}, "^top is '10%'; give the share"),
        ({"ties": "share"}, "^ties is 'share'; choose one of 'random', 'nearest', 'include', 'exclude'"),
        ({"cv": 1}, "^cv is 1; give a whole number of at least 2"),
        ({"pos_label": 7}, "7"),
    ],
)
def test_wrong_parameters(options: dict[str, object], message: str) -> None:
    sample = simulate.rf20(50, random_state=0)
    with pytest.raises(ValueError, match=message):
        BestInstances(FOREST, **options).fit(sample.X, sample.y)  # type: ignore[arg-type]


# The checks score rounded rows, some of them equal, one by one or in another order.
LOTS = "no function of the row alone can flag a part of equal rows: the lots of equal rows depend on their company"
EQUAL_ROWS = {"check_methods_subset_invariance": LOTS, "check_methods_sample_order_invariance": LOTS}


@parametrize_with_checks(
    [BestInstances(LogisticRegression(), top=0.5), BestInstances(TreeRank(max_depth=3), top=0.5)],
    expected_failed_checks=lambda model: EQUAL_ROWS if isinstance(model.estimator, TreeRank) else {},
)
def test_checks_of_scikit_learn(estimator: BestInstances, check: object) -> None:
    check(estimator)  # type: ignore[operator]
