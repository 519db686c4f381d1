"""PDO and base odds: the scale is met but for the rounding, whose cost is told."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from cards import coded_rows, small_card
from hand_card import hand_model
from rankforest.scorecard.scaling import OddsLine, Scale, odds_line, scaled_card


def test_the_line_is_that_of_logistic_regression() -> None:
    rng = np.random.default_rng(0)
    total = rng.integers(0, 100, 400).astype(float)
    labels = (rng.random(400) < expit(total / 20 - 3)).astype(float)
    weights = rng.integers(1, 4, 400).astype(float)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(total[:, None], labels, weights)
    found = odds_line(total, labels, weights)
    assert found.slope == pytest.approx(peer.coef_[0, 0], rel=1e-4)
    assert found.start == pytest.approx(peer.intercept_[0], rel=1e-4)


@pytest.mark.parametrize("pairs", [False, True])
def test_points_double_the_odds(pairs: bool) -> None:
    card, rows = small_card(pairs=pairs), coded_rows(300)
    line, scale = OddsLine(-3.0, 0.06), Scale(pdo=40, base_points=500, base_odds=10)
    found, error = scaled_card(card, line, scale)
    total = found.total(rows)
    assert (total == np.round(total)).all()
    exact = 500 + 40 / math.log(2) * (-3.0 + 0.06 * card.total(rows) - math.log(10))
    assert np.abs(total - exact).max() <= error + 1e-9
    assert error <= 0.5 * (len(card.terms) + 1)
    assert scale.points(math.log(20)) - scale.points(math.log(10)) == pytest.approx(40)


def test_a_scaled_model_says_what_the_rounding_costs() -> None:
    model, X, _ = hand_model(400)
    scaled = model.scaled(pdo=20, base_points=600, base_odds=50)
    (edit,) = scaled.card_.edits
    assert edit.what.startswith("scaled: 600 points are odds of 50 to 1, and 20 points double the odds; rounding moves")
    assert edit.auc_after == pytest.approx(edit.auc_before, abs=0.02)
    total = scaled.score_samples(X)
    assert (total == np.round(total)).all()
    # log odds rise by log(2) every 20 points
    slope = odds_line(total, scaled.predict_proba(X)[:, 1]).slope
    assert slope == pytest.approx(math.log(2) / 20, rel=0.05)


def test_a_stored_model_is_scaled_by_its_curve() -> None:
    model, X, _ = hand_model(400)
    stored = pickle.loads(pickle.dumps(model))
    scaled = stored.scaled(pdo=200)
    assert scaled.card_.edits[0].auc_before is None
    before, after = (logit(np.clip(each.predict_proba(X)[:, 1], 0.01, 0.99)) for each in (model, scaled))
    np.testing.assert_allclose(after, before, atol=0.35)  # the rounding alone
    assert np.corrcoef(model.score_samples(X), scaled.score_samples(X))[0, 1] > 0.999


def test_no_scale() -> None:
    with pytest.raises(ValueError, match="same total"):
        odds_line(np.ones(4), np.array([0.0, 1.0, 0.0, 1.0]))
    with pytest.raises(ValueError, match="does not rise"):
        odds_line(np.arange(4.0), np.array([1.0, 1.0, 0.0, 0.0]))
