"""Parameters made of parameters: cloned, compared, shown, and set from outside as scikit-learn does."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from rankforest import (
    EarlyStopping,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    Pruning,
    RankBoost,
    RankingForest,
    Sampling,
    ThresholdRankBoost,
    TreeRank,
)
from rankforest.data import simulate
from rankforest.estimators.registry import model_classes


def test_they_are_equal_where_their_parameters_are() -> None:
    assert Pruning("cv") == Pruning("cv", n_folds="auto")
    assert Pruning("cv") != Pruning("cv", n_folds=5)
    assert Sampling(0.5) == Sampling(0.5, replace=True)
    assert Sampling(oob=False) != Sampling()
    assert Pruning("cv") != "cv"
    assert Sampling(None) != Pruning(None)
    with pytest.raises(TypeError, match="unhashable"):
        {Sampling()}  # it can be changed


def test_repr_says_what_differs_from_the_defaults() -> None:
    assert repr(Pruning("cv-1se", penalty=0.1)) == "Pruning(method='cv-1se', penalty=0.1)"
    assert repr(Sampling()) == "Sampling()"
    assert repr(TreeRank(pruning=Pruning("cv", n_folds=3))) == "TreeRank(pruning=Pruning(method='cv', n_folds=3))"


@pytest.mark.parametrize("made", [Pruning("structural", penalty=0.3), Sampling(12, replace=False, classes="balanced")])
def test_clones_and_pickles_are_equal_and_others(made: Any) -> None:
    for other in (clone(made), pickle.loads(pickle.dumps(made))):
        assert other == made
        assert other is not made
    model = RankingForest(pruning=Pruning("cv"), sampling=Sampling(0.5))
    twin = clone(model)
    twin.set_params(pruning__n_folds=3, sampling__size=0.1)
    assert (model.pruning, model.sampling) == (Pruning("cv"), Sampling(0.5))
    assert (twin.pruning, twin.sampling) == (Pruning("cv", n_folds=3), Sampling(0.1))


@pytest.mark.parametrize(
    ("model", "given", "name", "made"),
    [
        (TreeRank(), {"pruning__method": "cv"}, "pruning", Pruning("cv")),
        (TreeRank(pruning="cv"), {"pruning__n_folds": 4}, "pruning", Pruning("cv", n_folds=4)),
        (TreeRank(), {"pruning": "cv-1se", "pruning__n_folds": 4}, "pruning", Pruning("cv-1se", n_folds=4)),
        (OrdinalRankingTree(), {"pruning__n_folds": 4}, "pruning", Pruning("cv", n_folds=4)),
        (RankingForest(), {"sampling__replace": False}, "sampling", Sampling("auto", replace=False)),
        (RankingForest(sampling=0.3), {"sampling__oob": False}, "sampling", Sampling(0.3, oob=False)),
        (OrdinalRankingForest(sampling=None), {"sampling__oob": False}, "sampling", Sampling(None, oob=False)),
        (LeafRank(pruning="cv"), {"pruning__n_folds": 7}, "pruning", Pruning("cv", n_folds=7)),
        (RankBoost(n_folds=4), {"n_folds__n_iter_no_change": 7}, "n_folds", EarlyStopping(4, n_iter_no_change=7)),
        (ThresholdRankBoost(), {"n_folds__n_iter_no_change": 7}, "n_folds", EarlyStopping(None, n_iter_no_change=7)),
    ],
)
def test_parts_of_a_short_form_can_be_set(model: Any, given: dict[str, Any], name: str, made: Any) -> None:
    assert getattr(clone(model).set_params(**given), name) == made


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid parameter 'folds' for estimator Pruning"):
        TreeRank(pruning="cv").set_params(pruning__folds=3)


def test_grid_search_over_the_parts_of_a_short_form() -> None:
    sample = simulate.rf20(150, random_state=0)
    search = GridSearchCV(
        TreeRank(LeafRank(max_depth=2), max_depth=3, random_state=0),
        {"pruning__method": [None, "cv"], "pruning__n_folds": [2]}, scoring="roc_auc", cv=2,
    ).fit(sample.X, sample.y)  # fmt: skip
    assert search.best_estimator_.pruning == Pruning(search.best_params_["pruning__method"], n_folds=2)


def test_former_parameters_of_older_files_are_moved() -> None:
    assert RankBoost.of_former({"n_estimators": 7, "n_folds": 4, "n_iter_no_change": 30}).n_folds == 4
    moved = RankBoost.of_former({"n_folds": 4, "n_iter_no_change": 9})
    assert moved.n_folds == EarlyStopping(4, n_iter_no_change=9)
    assert OrdinalRankingForest.of_former({"max_bins": 17}).get_params() == OrdinalRankingForest().get_params()


def test_a_short_form_and_its_object_are_the_same_model() -> None:
    sample = simulate.rf20(200, random_state=0)
    pairs = [
        (
            TreeRank(LeafRank(max_depth=2), pruning="cv"),
            TreeRank(LeafRank(max_depth=2), pruning=Pruning("cv", n_folds=10)),
        ),
        (RankingForest(4, sampling=0.5), RankingForest(4, sampling=Sampling(0.5))),
        (RankingForest(4), RankingForest(4, sampling=Sampling(), pruning=Pruning(None))),
        (RankBoost(20, n_folds=(3, 1)), RankBoost(20, n_folds=EarlyStopping((3, 1), n_iter_no_change=30))),
        (RankBoost(20), RankBoost(20, n_folds=EarlyStopping())),
    ]
    for short, long in pairs:
        scores = [
            clone(model).set_params(random_state=0).fit(sample.X, sample.y).score_samples(sample.X)
            for model in (short, long)
        ]
        assert scores[0].tobytes() == scores[1].tobytes()


@pytest.mark.parametrize("cls", [*model_classes().values(), LeafRank], ids=lambda cls: cls.__name__)
def test_no_constructor_has_more_than_fifteen_parameters(cls: Any) -> None:
    assert len(cls._get_param_names()) <= 15
