"""PRank and OAPBPM as estimators: labels, features, kernels, seeds, refusals, and scikit-learn's checks."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from rankforest import OAPBPM, PRank, _core
from rankforest.data import simulate
from rankforest.data.encoding import Standardization
from rankforest.data.table import read_table
from rankforest.metrics import concordance_index, concordance_scorer, mean_absolute_rank_error

WORDS = ["low", "mid", "high"]
MODELS = [PRank(random_state=0), PRank("poly", n_epochs=3, random_state=0), OAPBPM(10, random_state=0)]


@pytest.fixture(scope="module")
def line():
    """Four levels along one direction, separable with a gap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) * [1.0, 10.0, 0.1] + [5.0, 0.0, -1.0]
    score = X @ [1.0, 0.1, 10.0] + 5
    bounds = np.array([-1.5, 0.0, 1.5])
    kept = np.abs(score[:, None] - bounds).min(axis=1) > 0.15
    return X[kept], np.digitize(score[kept], bounds)


@pytest.mark.parametrize("model", [*MODELS, PRank("rbf", random_state=0)], ids=str)
def test_a_line_is_learned(model, line):
    X, y = line
    model = clone(model).set_params(n_epochs=30).fit(X[:250], y[:250])
    assert mean_absolute_rank_error(y[250:], model.predict(X[250:])) < (
        0.15 if model.get_params().get("kernel") else 0.1
    )
    assert concordance_index(y[250:], model.score_samples(X[250:])) > 0.97
    assert model.thresholds_.shape == (3,)
    assert (np.diff(model.thresholds_) >= 0).all()
    assert model.classes_.tolist() == [0, 1, 2, 3]
    # the label is read off the thresholds
    score = model.score_samples(X)
    assert_array_equal(model.predict(X), [sum(s >= b for b in model.thresholds_) for s in score])


def test_a_saddle_needs_a_kernel():
    sample = simulate.ordinal_square(3000, random_state=0)
    X, y, X_test, y_test = sample.X[:2000], sample.y[:2000], sample.X[2000:], sample.y[2000:]
    error = {
        kernel: mean_absolute_rank_error(y_test, PRank(kernel, n_epochs=3, random_state=0).fit(X, y).predict(X_test))
        for kernel in ("linear", "poly", "rbf")
    }
    assert error["linear"] > 0.8
    assert error["poly"] < 0.2
    assert error["rbf"] < 0.3


def test_a_function_is_a_kernel(line):
    X, y = line
    named = PRank("poly", gamma=0.5, degree=3, coef0=2.0, n_epochs=4, random_state=1).fit(X, y)
    given = PRank(cubic, n_epochs=4, random_state=1).fit(X, y)
    assert_array_equal(named.support_, given.support_)
    assert_allclose(named.dual_coef_, given.dual_coef_)
    assert_allclose(named.score_samples(X), given.score_samples(X))
    assert_allclose(pickle.loads(pickle.dumps(given)).score_samples(X), given.score_samples(X))
    assert len(named.support_) < len(X)
    assert not hasattr(named, "coef_")


@pytest.mark.parametrize("model", [PRank(), PRank("rbf"), PRank("poly", degree=3), OAPBPM(5)])
def test_the_score_of_a_row_does_not_depend_on_the_batch(model):
    """To the last bit, for rows one at a time, in two parts, and all at once."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 40))
    model.set_params(random_state=0).fit(X, np.digitize(X[:, 0] - X[:, 1], [-1, 0, 1]))
    scores = model.decision_function(X)
    for size in (1, 7, 151):
        parts = [model.decision_function(X[start : start + size]) for start in range(0, 300, size)]
        assert_array_equal(np.concatenate(parts), scores)


def cubic(a, b):
    return (0.5 * a @ b.T + 2.0) ** 3


def test_the_score_is_a_product_with_the_standardised_features(line):
    X, y = line
    for model in (PRank(random_state=3).fit(X, y), OAPBPM(5, random_state=3).fit(X, y)):
        scaled = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(3)
        assert_allclose(model.score_samples(X), scaled @ model.coef_, atol=1e-9)


def test_refitting_with_another_kernel_leaves_nothing_behind(line):
    X, y = line
    model = PRank("rbf", random_state=0).fit(X, y)
    model.set_params(kernel="linear").fit(X, y)
    assert not hasattr(model, "support_")
    assert_array_equal(model.predict(X), PRank(random_state=0).fit(X, y).predict(X))


def test_the_ensemble_is_the_mean_of_its_learners(line):
    X, y = line
    model = OAPBPM(7, tau=0.5, n_epochs=2, random_state=5).fit(X, y)
    assert_allclose(model.coef_, model.estimator_coefs_.mean(axis=0))
    assert_allclose(model.thresholds_, model.estimator_thresholds_.mean(axis=0))
    assert model.estimator_coefs_.shape == (7, 3)
    assert len({row.tobytes() for row in model.estimator_coefs_}) == 7  # each saw other rows
    # with everything seen, every learner is the same PRank
    alone = PRank(n_epochs=2, average=False, random_state=5).fit(X, y)
    together = OAPBPM(3, tau=1.0, n_epochs=2, random_state=5).fit(X, y)
    for coef in together.estimator_coefs_:
        assert_array_equal(coef, alone.coef_)
    assert_array_equal(together.estimator_thresholds_[2], alone.thresholds_)


def test_the_ensemble_beats_one_learner_on_noisy_labels():
    rng = np.random.default_rng(0)
    errors = {"one": [], "mean": []}
    for seed in range(5):
        X = rng.normal(size=(600, 8))
        y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=600), [-1, 0, 1])
        models = {
            "one": PRank(average=False, n_epochs=1, random_state=seed),
            "mean": OAPBPM(100, n_epochs=1, random_state=seed),
        }
        for name, model in models.items():
            errors[name].append(mean_absolute_rank_error(y[300:], model.fit(X[:300], y[:300]).predict(X[300:])))
    assert np.mean(errors["mean"]) < np.mean(errors["one"]) - 0.03


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_seeds_and_copies(model, line):
    X, y = line
    one, same = clone(model).fit(X, y), clone(model).fit(X, y)
    assert_array_equal(one.score_samples(X), same.score_samples(X))
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert not np.array_equal(one.score_samples(X), other.score_samples(X))
    assert_array_equal(pickle.loads(pickle.dumps(one)).predict(X), one.predict(X))
    assert repr(clone(model)) == repr(model)
    unshuffled = [clone(model).set_params(shuffle=False, random_state=seed).fit(X, y) for seed in (0, 1)]
    if not isinstance(model, OAPBPM):
        assert_array_equal(*(each.score_samples(X) for each in unshuffled))


def test_threads_make_no_difference(line):
    X, y = line
    one, two = (OAPBPM(9, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
    assert_array_equal(one.coef_, two.coef_)


def test_average_is_an_option(line):
    X, y = line
    mean, last = (PRank(average=average, random_state=0).fit(X, y) for average in (True, False))
    assert_array_equal(mean.rank_loss_, last.rank_loss_)
    assert (last.thresholds_ == np.round(last.thresholds_)).all()
    assert not np.array_equal(mean.thresholds_, last.thresholds_)
    assert last.rank_loss_.shape == (10,)


def test_missing_values_and_categories():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=300), "colour": rng.choice(["blue", "green", "red"], 300)})
    y = np.digitize(frame["size"] + 2.0 * (frame["colour"] == "red"), [0.0, 1.0, 2.0])
    frame.loc[::10, "size"] = np.nan
    frame.loc[5::20, "colour"] = None
    for model in (PRank(random_state=0), OAPBPM(20, random_state=0)):
        model.fit(frame, y)
        assert concordance_index(y, model.score_samples(frame)) > 0.85
        assert model.coef_.shape == (4,)
        assert model.feature_names_in_.tolist() == ["size", "colour"]
        # missing: the mean of the numbers, no category
        rows = pd.DataFrame({"size": [np.nan, frame["size"].mean()], "colour": ["red", "red"]})
        first, second = model.score_samples(rows)
        assert first == pytest.approx(second)
        unseen = pd.DataFrame({"size": [1.0, 1.0], "colour": ["violet", None]})
        first, second = model.score_samples(unseen)
        assert first == second


def test_standardisation():
    X = np.array([[1.0, 7.0, 0.0], [3.0, 7.0, 1.0], [np.nan, 7.0, 2.0], [5.0, 7.0, 1.0]])
    table = read_table(X, categorical=[2])
    coded = next(iter(table.blocks()))
    encoded = Standardization.of(coded, table.schema).encode(coded)
    assert_allclose(encoded.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(encoded.std(axis=0), [0.5, 0, 0.5, 0.5, 0.5])
    assert (encoded**2).sum(axis=1).mean() == pytest.approx(1.0)
    assert encoded[2, 0] == 0.0
    with pytest.raises(
        ValueError, match=r"X contains numbers as large as 1e\+308, too large for a standard deviation; rescale"
    ):
        PRank().fit([[1e308], [-1e308], [1e308]], [0, 1, 1])


def test_labels_of_all_kinds(line):
    X, y = line
    expected = PRank(random_state=0).fit(X, y).predict(X)
    letters = np.array(["d", "b", "c", "a"])  # not in alphabetical order
    named = PRank(random_state=0, order=letters.tolist()).fit(X, letters[y])
    assert_array_equal(named.predict(X), letters[expected])
    assert named.classes_.tolist() == ["d", "b", "c", "a"]
    ordered = pd.Series(pd.Categorical(letters[y], letters, ordered=True))
    assert_array_equal(PRank(random_state=0).fit(X, ordered).predict(X), letters[expected])
    spaced = np.array([0.5, 1.0, 8.0, 100.0])
    assert_array_equal(PRank(random_state=0).fit(X, spaced[y]).predict(X), spaced[expected])
    two = PRank(random_state=0).fit(X, y > 1)
    assert two.predict(X).dtype == bool


def test_cross_validation(line):
    X, y = line
    assert cross_val_score(PRank(random_state=0), X, y, scoring=concordance_scorer, cv=3).min() > 0.97


def refused(match, model, X=((0.0,), (1.0,)), y=(0, 1)):
    with pytest.raises(ValueError, match=match) as caught:
        model.fit(np.asarray(X), np.asarray(y))
    assert not re.search(r"\w\. [A-Z]", str(caught.value))  # one sentence
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_refusals(monkeypatch):
    refused("kernel is 'cosine'; choose one of 'linear', 'rbf', 'poly', or give a function", PRank("cosine"))
    refused("n_epochs is 0; give a whole number of at least 1", PRank(n_epochs=0))
    refused("n_epochs is 0", OAPBPM(n_epochs=0))
    refused("degree is 1.5; give a whole number", PRank("poly", degree=1.5))
    refused("gamma is -1; give a number above 0", PRank("rbf", gamma=-1))
    refused("coef0 is nan; give a finite number", PRank("poly", coef0=np.nan))
    refused("tau is 0; give the probability that a learner sees a row", OAPBPM(tau=0))
    refused("tau is True", OAPBPM(tau=True))
    refused("n_estimators is 0", OAPBPM(0))
    refused("y holds text .*order=", PRank(), y=["a", "b"])
    refused("is not in order", PRank(order=["a", "c"]), y=["a", "b"])
    refused(r"kernel gave an array of shape \(2, 1\) for 2 and 2 rows", PRank(lambda a, b: a))
    monkeypatch.setattr("rankforest.estimators.prank.MAX_GRAM_ROWS", 1)
    refused("kernel is a function, which is evaluated on all pairs of rows, and X has 2 of them", PRank(cubic))


def test_weights_of_rows_are_no_argument(line):
    with pytest.raises(TypeError, match="sample_weight"):
        PRank().fit(*line, sample_weight=np.ones(len(line[1])))


def test_the_theorem_through_the_estimator(line):
    """The rank loss of all epochs together stays below (k - 1)(R^2 + 1) / gamma^2 of the standardised features."""
    X, y = line
    model = PRank(n_epochs=100, average=False, random_state=0).fit(X, y)
    scaled = np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(3))
    # a rule that is right everywhere, found by the core itself
    params = _core.PRankParams(4, 5000, True, False, 1.0, 3)
    weights, thresholds, loss = _core.prank(scaled, y.astype(np.uint8), params, 1, 1)
    assert loss[0, -1] == 0
    margins = np.abs(scaled @ weights[0][:, None] - thresholds[0])
    gamma = margins.min() / np.sqrt((weights**2).sum() + (thresholds**2).sum())
    radius = (scaled**2).sum(axis=1).max()
    assert gamma > 0
    assert model.rank_loss_.sum() <= 3 * (radius + 1) / gamma**2
