"""Changes by hand give a new model, and say what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from cards import coded_rows, small_card
from hand_card import hand_model, labelled_rows
from rankforest.scorecard.edits import forbid, force_direction, set_points


def test_other_points() -> None:
    card, rows = small_card(pairs=True), coded_rows(200)
    changed, said = set_points(card, "debt", "above 1000 to 2500", 6)
    assert said == "debt, above 1000 to 2500: 6 points instead of 4"
    inside = (rows[:, 3] > 1000) & (rows[:, 3] <= 2500)
    np.testing.assert_array_equal(changed.total(rows), card.total(rows) + 2.0 * inside)
    assert inside.any()
    by_place, _ = set_points(card, 3, 2, 6)
    np.testing.assert_array_equal(by_place.total(rows), changed.total(rows))
    missing, said = set_points(card, "age", -1, 8)
    assert said == "age, missing: 8 points instead of 5"
    assert missing.steps[0].missing == 8.0
    assert card.steps[0].missing == 5.0


def test_other_points_of_a_pair() -> None:
    card, rows = small_card(pairs=True), coded_rows(200)
    changed, said = set_points(card, ("age", "job"), (1, 2), 50.0)
    inside = (rows[:, 0] > 30) & (rows[:, 1] == 3)
    np.testing.assert_array_equal(changed.total(rows) != card.total(rows), inside)
    assert said.startswith("age x job, above 30; other: 50 points instead of ")


def test_a_direction_changes_the_points_as_little_as_possible() -> None:
    card, _ = set_points(small_card(), "age", 1, 40)  # 0, 40, 31
    changed, said = force_direction(card, "age", 1)
    mass = card.steps[0].mass.sum(axis=1)
    pooled = round((40 * mass[1] + 31 * mass[2]) / (mass[1] + mass[2]))
    assert changed.steps[0].points.tolist() == [0.0, pooled, pooled]
    assert changed.steps[0].missing == card.steps[0].missing
    assert said == "age: points never fall with the value"
    falling, said = force_direction(card, "debt", -1)  # it falls already
    assert falling.steps[2].points.tolist() == card.steps[2].points.tolist()
    assert said == "debt: points never rise with the value"


def test_a_feature_without_points() -> None:
    card, rows = small_card(pairs=True), coded_rows(100)
    changed, said = forbid(card, "job")
    other = rows.copy()
    other[:, 1] = 2.0
    np.testing.assert_array_equal(changed.total(rows), changed.total(other))
    assert said == "job: no points"
    assert [steps.feature for steps in changed.steps] == [0, 3]
    assert changed.pairs == ()
    assert changed.offset == round(changed.offset)


def test_a_change_is_measured_and_kept() -> None:
    model, X, y = hand_model(300)
    test, labels = labelled_rows(200, seed=7)
    changed = model.forbid("debt", X=test, y=labels).set_points("age", 0, 3)
    first, second = changed.card_.edits
    assert first.auc_before == pytest.approx(roc_auc_score(labels, model.score_samples(test)))
    assert first.auc_after == pytest.approx(roc_auc_score(labels, model.forbid("debt").score_samples(test)))
    assert (first.n_rows, first.source) == (200, "given")
    assert second.auc_after == pytest.approx(roc_auc_score(y, changed.score_samples(X)))
    assert (second.n_rows, second.source) == (300, "training")
    assert len(model.card_.edits) == 0
    assert hasattr(model, "held_out_auc_")
    assert not hasattr(changed, "held_out_auc_")
    assert "Changed by hand:\n1. debt: no points; AUC 0." in changed.text()
    assert changed.figures()["changes_by_hand"] == 2


def test_probabilities_are_carried_over() -> None:
    model, X, _ = hand_model(400)
    changed = model.forbid("debt")
    old, new = (each.predict_proba(X)[:, 1] for each in (model, changed))
    order = np.argsort(changed.score_samples(X), kind="stable")
    assert (np.diff(new[order]) >= 0).all()
    assert new.mean() == pytest.approx(old.mean())
    assert new.std() < old.std()  # less is known of a row
    np.testing.assert_array_equal(changed.predict(X), (new > 0.5).astype(int))


def test_weights_of_zero_do_not_count() -> None:
    model, _, _ = hand_model(300)
    X, y = labelled_rows(100, seed=5)
    weights = np.arange(100) % 3 + 0.0
    one = model.forbid("age", X=X, y=y, sample_weight=weights)
    other = model.forbid("age", X=X[weights > 0], y=y[weights > 0], sample_weight=weights[weights > 0])
    assert one.card_.edits == other.card_.edits
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.set_points("depth", 0, 1), "no feature 'depth'; its features are 'age', 'job', 'unused', 'debt'"),
        (lambda m: m.set_points("unused", 0, 1), "'unused' has no points on this card"),
        (lambda m: m.set_points("age", "old", 1), "step is 'old'; give one of the steps 'up to 25'"),
        (lambda m: m.set_points("age", 4, 1), "step is 4"),
        (lambda m: m.set_points("age", True, 1), "step is True"),
        (lambda m: m.set_points("age", 0, float("nan")), "points is nan; give a number"),
        (lambda m: m.force_direction("age", 2), "direction is 2"),
        (lambda m: m.force_direction("job", 1), "'job' has no order of its steps; give a numeric feature"),
        (lambda m: m.forbid("unused"), "'unused' has no points on this card already"),
        (lambda m: m.forbid("age", X=[[1]]), "Give both X and y"),
        (lambda m: m.scaled(pdo=-20), "pdo is -20.0; give a number above 0; for points that fall with the risk"),
        (lambda m: m.scaled(base_odds=0), "base_odds is 0.0; give a number above 0."),
    ],
)
def test_refusals(change: object, said: str) -> None:
    model, _, _ = hand_model(60)
    with pytest.raises(ValueError, match=said):
        change(model)  # type: ignore[operator]


def test_a_stored_model_needs_rows(tmp_path: object) -> None:
    import pickle

    model, X, y = hand_model(100)
    stored = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="no training rows, as it was stored; give X and y"):
        stored.forbid("age")
    assert stored.forbid("age", X=X, y=y).card_.edits[0].auc_before == pytest.approx(model.score(X, y))
