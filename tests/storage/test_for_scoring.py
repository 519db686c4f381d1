"""A file for scoring only: the same scores, fewer bytes, and one sentence for what it can no longer do."""

import json
import pickle
import warnings

import numpy as np
import pytest

from mutants import file_of, fitted, fresh_rows, models
from rankforest import RankingForest, load_model, save_model
from rankforest.data import simulate
from rankforest.data.left_out import LeftOut, NotInFile
from rankforest.storage import ModelFileError
from rankforest.storage.container import read_container, write_container

METHODS = ("score_samples", "predict_proba", "predict", "apply", "rank", "flag", "margin")


@pytest.mark.parametrize("name", models())
def test_scores_are_the_same_bit_for_bit(name, tmp_path):
    model, X, path = fitted(models()[name]), fresh_rows(), tmp_path / "small.rankforest"
    save_model(model, path, for_scoring=True)
    loaded = load_model(path)
    again = pickle.loads(pickle.dumps(loaded))
    assert path.stat().st_size <= len(file_of(model, tmp_path)) + 600  # a small model may only gain the list
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in [method for method in METHODS if hasattr(model, method)]:
            expected = getattr(model, method)(X)
            for found in (loaded, again):
                np.testing.assert_array_equal(getattr(found, method)(X), expected)
    repr(loaded)
    # stored again it stays as it is
    save_model(loaded, tmp_path / "again.rankforest")
    assert (tmp_path / "again.rankforest").read_bytes() == path.read_bytes()


def test_what_it_can_no_longer_do(tmp_path):
    sample = simulate.rf20(800, random_state=0)
    model = RankingForest(60, random_state=0).fit(sample.X, sample.y)
    path = tmp_path / "small.rankforest"
    save_model(model, path, for_scoring=True)
    assert path.stat().st_size < 0.95 * len(file_of(model, tmp_path))
    loaded = load_model(path)
    assert loaded.oob_auc_ == model.oob_auc_
    for ask in (
        lambda: loaded.feature_importances_,
        lambda: loaded.trees_[0].node_mass.sum(),
        lambda: np.mean(loaded.oob_scores_),
        lambda: loaded.trees_[0].cell_gain[0],
    ):
        with pytest.raises(
            NotInFile, match=r"saved for scoring only, without \w+, which rules, importances or reports need"
        ):
            ask()


def test_only_what_no_score_needs_may_be_left_out(tmp_path):
    text, arrays = read_container(file_of(fitted(models()["tree"]), tmp_path))
    header = json.loads(text) | {"left_out": ["tree.threshold"]}
    (tmp_path / "a").write_bytes(write_container(json.dumps(header), arrays))
    with pytest.raises(ModelFileError, match="leaves out what it needs"):
        load_model(tmp_path / "a")


def test_a_placeholder_is_refused_in_arithmetic():
    gone = LeftOut("node_mass")
    for ask in (lambda: gone / 2.0, lambda: np.ones(2) * gone, lambda: gone.sum(), lambda: len(gone), lambda: gone[0]):
        with pytest.raises((NotInFile, TypeError)):
            ask()
