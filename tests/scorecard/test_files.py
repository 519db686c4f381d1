"""A scorecard in a model file: the card, its history and its probabilities are the same again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from export_rows import training
from rankforest import RankScore, load_model, save_model


@pytest.fixture(scope="module")
def model() -> RankScore:
    X, y, _ = training(300)
    return RankScore(n_folds=3, n_estimators=60, categorical_features=["grade"], random_state=0).fit(X, y)


def test_a_changed_card_is_the_same_again(model: RankScore, tmp_path: Path) -> None:
    X, y, _ = training(300)
    name = model.schema_.names[model.card_.steps[0].feature]
    changed = model.set_points(name, 0, 77).scaled(pdo=40)
    save_model(changed, tmp_path / "card.rankforest")
    again = load_model(tmp_path / "card.rankforest")
    assert again.card_.edits == changed.card_.edits
    assert len(again.card_.edits) == 2
    assert again.text() == changed.text()
    assert str(again.curve_) == str(changed.curve_)
    np.testing.assert_array_equal(again.score_samples(X), changed.score_samples(X))
    np.testing.assert_array_equal(again.predict_proba(X), changed.predict_proba(X))
    assert again.held_out_scores() is None
    save_model(again, tmp_path / "again.rankforest")
    assert (tmp_path / "again.rankforest").read_bytes() == (tmp_path / "card.rankforest").read_bytes()
    more = again.forbid(name, X=X, y=y)
    assert len(more.card_.edits) == 3


def test_no_rows_are_in_the_file(model: RankScore, tmp_path: Path) -> None:
    save_model(model, tmp_path / "card.rankforest")
    again = load_model(tmp_path / "card.rankforest")
    assert again.kept_rows() is None
    assert again.held_out_auc_ == model.held_out_auc_
    with pytest.raises(ValueError, match="give X and y to measure the change on"):
        again.forbid(again.card_.steps[0].feature)
