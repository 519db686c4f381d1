"""A saved and loaded model is the same model: scores bit for bit, and all other results."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from mutants import file_of, fitted, fresh_rows, mixed_table, models
from rankforest import (
    Dyadic,
    LeafRank,
    Pruning,
    RankingForest,
    Sampling,
    ThresholdRankBoost,
    TreeRank,
    load_model,
    save_model,
)

METHODS = (
    "score_samples", "predict_proba", "predict", "apply", "rank", "flag", "margin", "predict_cumulative_proba",
)  # fmt: skip

MORE = {
    "tree of one stratum": TreeRank(min_samples_leaf=100),
    "tree of cubes, means for missing": TreeRank(Dyadic(2, missing="cell_mean"), max_features=2, random_state=0),
    "pruned oblique tree": TreeRank(oblique=True, pruning=Pruning("cv", n_folds=3), random_state=0),
    "constrained tree": TreeRank(monotonic_cst={"income": 1}, max_depth=3),
    "tree for the top": TreeRank(
        top=0.2, pruning=Pruning("cv-1se", n_folds=3), splitter=LeafRank(max_depth=2), random_state=0
    ),
    "forest by mean ranks": RankingForest(5, splitter=LeafRank(), aggregation="mean_rank", random_state=0),
    "forest by median ranks": RankingForest(5, splitter=LeafRank(), aggregation="median_rank", random_state=0),
    "plug-in forest": RankingForest(5, splitter=LeafRank(), aggregation="plugin", random_state=0),
    "forest of ranks among negatives": RankingForest(
        5, splitter=LeafRank(), aggregation="negative_rank", random_state=0
    ),
    "forest by consensus": RankingForest(5, splitter=LeafRank(max_depth=1), aggregation="kemeny_ties", random_state=0),
    "constrained forest by consensus": RankingForest(
        5, splitter=LeafRank(max_depth=1), aggregation="kemeny", monotonic_cst={"income": 1, "debt": -1}, random_state=0
    ),
    "constrained forest": RankingForest(
        5, splitter=LeafRank(), monotonic_cst={"debt": -1}, categorical_features=["code"], random_state=0
    ),
    "forest for the top": RankingForest(9, top=0.2, pos_label="no", random_state=0),
    "forest without bags": RankingForest(4, splitter=LeafRank(), sampling=Sampling(replace=False), random_state=0),
    "pruned forest": RankingForest(3, splitter=LeafRank(max_depth=1), pruning=Pruning("cv", n_folds=3), random_state=0),
    "forest of cubes": RankingForest(3, splitter=[Dyadic(1), LeafRank(max_depth=1)], max_features=2, random_state=0),
    "boosted thresholds": ThresholdRankBoost(5),
}


def _same(ours, theirs):
    if isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.view(np.uint64) if ours.dtype == np.float64 else ours,
                                      theirs.view(np.uint64) if theirs.dtype == np.float64 else theirs)  # fmt: skip
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


@pytest.mark.parametrize("name", [*models(), *MORE])
def test_a_loaded_model_is_the_same_model(name, tmp_path):
    model = fitted((models() | MORE)[name])
    data = file_of(model, tmp_path)
    loaded = load_model(tmp_path / "model.rankforest")
    X = fresh_rows()
    asked = [method for method in METHODS if hasattr(model, method)]
    assert len(asked) >= 2
    for method in asked:
        _same(getattr(model, method)(X), getattr(loaded, method)(X))
    # parameters and attributes
    assert str(loaded.get_params()) == str(model.get_params())
    stored = pickle.loads(pickle.dumps(model)).__dict__
    assert stored.keys() <= loaded.__dict__.keys()
    for key in ("classes_", "pos_label_", "feature_names_in_", "n_features_in_", "summary_", "oob_scores_",
                "held_out_auc_", "oob_auc_", "levels_", "thresholds_", "threshold_", "rank_loss_", "alpha_",
                "power_", "tie_chance_", "lot_seed_", "possible_shares_", "held_out_", "matched_by_"):  # fmt: skip
        if hasattr(model, key):
            _same(getattr(model, key), getattr(loaded, key))
    if hasattr(type(model), "feature_importances_") and "cubes" not in name and "rules" not in name:
        _same(model.feature_importances_, loaded.feature_importances_)
    # a second round, and a second fit, write the same bytes
    assert file_of(loaded, tmp_path) == data
    assert file_of(fitted(clone(model)), tmp_path) == data
    # it can be pickled further
    again = pickle.loads(pickle.dumps(loaded))
    for method in asked:
        _same(getattr(again, method)(X), getattr(model, method)(X))


def test_what_a_loaded_tree_says_is_the_same(tmp_path):
    model = fitted(models()["pruned tree"])
    file_of(model, tmp_path)
    loaded = load_model(tmp_path / "model.rankforest")
    X = fresh_rows()
    assert str(loaded.strata()) == str(model.strata())
    assert loaded.strata().rules() == model.strata().rules()
    assert str(loaded.path_of(X.iloc[[0]])) == str(model.path_of(X.iloc[[0]]))
    assert loaded.export_text() == model.export_text()
    assert loaded.pruning_.best == model.pruning_.best
    assert loaded.pruning_.prune().n_leaves == model.tree_.n_leaves
    _same(loaded.pruning_path().lambdas, model.pruning_path().lambdas)


def test_what_was_chosen_by_penalty_is_the_same(tmp_path):
    model = fitted(models()["structural tree"])
    file_of(model, tmp_path)
    loaded = load_model(tmp_path / "model.rankforest").pruning_
    assert model.grown_tree_.n_leaves > 2
    for leaves in range(1, model.grown_tree_.n_leaves + 1):
        _same(loaded.subtrees.prune(leaves).cell_left, model.pruning_.subtrees.prune(leaves).cell_left)
    assert loaded.n_leaves == model.pruning_.n_leaves


def test_a_loaded_forest_describes_itself_as_an_unpickled_one(tmp_path):
    model = fitted(models()["forest"])
    file_of(model, tmp_path)
    loaded, unpickled = load_model(tmp_path / "model.rankforest"), pickle.loads(pickle.dumps(model))
    assert str(loaded.describe()) == str(unpickled.describe())
    with pytest.raises(AttributeError, match="training rows"):
        loaded.oob_permutation_importance()


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1.5, 2.0], [True, False], ["no", "yes"], [np.int8(3), np.int8(7)], np.array(["a", "bb"], dtype=object)],
)
def test_labels_keep_their_type(labels, tmp_path):
    X, y, _, _ = mixed_table(60)
    classes = np.asarray(labels)
    model = TreeRank(max_depth=1, pos_label=classes[0]).fit(X, classes[(y == "yes").astype(int)])
    file_of(model, tmp_path)
    loaded = load_model(tmp_path / "model.rankforest")
    _same(loaded.classes_, model.classes_)
    _same(loaded.pos_label_, model.pos_label_)
    assert type(loaded.pos_label) is type(model.pos_label)
    _same(loaded.predict(X), model.predict(X))


def test_what_belongs_to_the_run_is_left_out(tmp_path):
    model = RankingForest(3, splitter=LeafRank(), random_state=np.random.RandomState(0))
    file_of(fitted(model), tmp_path)
    loaded = load_model(tmp_path / "model.rankforest")
    assert loaded.random_state is None


def test_a_loaded_model_can_be_cloned_and_fitted_again(tmp_path):
    model = fitted(models()["forest"])
    file_of(model, tmp_path)
    again = fitted(clone(load_model(tmp_path / "model.rankforest")))
    _same(again.score_samples(fresh_rows()), model.score_samples(fresh_rows()))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.rankforest"
    save_model(fitted(models()["tree"]), path)
    before = path.read_bytes()

    def full(number):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        save_model(fitted(models()["forest"]), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.rankforest"]
