"""Names that were probably meant, for errors about names that are not known."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from ..data.errors import listed

__all__ = ["did_you_mean", "near"]

_MOST = 3
_LIKENESS = 0.65  # from 0 to 1, as difflib measures it

# Parameters of other libraries, and our name for them.
OTHER_NAMES = {
    "n_estimators": "n_trees trees num_trees ntree ntrees iterations n_iter rounds n_rounds num_boost_round max_iter",
    "max_leaf_nodes": "max_leaves num_leaves n_leaves leaves strata n_strata max_strata",
    "max_depth": "depth levels",
    "learning_rate": "eta lr shrinkage",
    "min_samples_leaf": "min_child_samples min_data_in_leaf min_leaf leaf_size nodesize min_node_size",
    "max_features": "mtry colsample_bytree feature_fraction",
    "l2": "lambda reg_lambda l2_regularization lambda_l2",
    "subsample": "bagging_fraction sample_rate",
    "max_steps": "bins n_bins max_bins steps n_steps",
    "pairs": "interactions n_interactions",
    "monotonic_cst": "monotone_constraints monotonic_constraints constraints",
    "categorical_features": "cat_features categorical",
    "random_state": "seed random_seed",
    "n_jobs": "jobs threads n_threads nthread num_threads",
    "pos_label": "positive",
    "n_iter_no_change": "early_stopping_rounds early_stopping patience",
    "n_folds": "folds cv n_splits",
}


def near(name: str, known: Collection[str]) -> list[str]:
    """Known names that may be meant, the nearest one first; empty if there is none.

    Examples
    --------
    >>> near("Target", ["age", "target"]), near("n_trees", ["max_depth", "n_estimators"]), near("x", ["age"])
    (['target'], ['n_estimators'], [])
    """
    same = [one for one in known if _letters(one) == _letters(name)]
    same += [ours for ours, others in OTHER_NAMES.items() if ours in known and name.lower() in others.split()]
    by_letters = {one.casefold(): one for one in known}
    close = [by_letters[one] for one in get_close_matches(name.casefold(), list(by_letters), _MOST, _LIKENESS)]
    return same or close


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a sentence: names that may be meant, or else some that are known.

    Examples
    --------
    >>> did_you_mean("Target", ["age", "target"]), did_you_mean("x", ["age", "target"])
    ("did you mean 'target'?", "it has 'age', 'target'.")
    """
    found = near(name, known)
    return f"did you mean {' or '.join(map(repr, found))}?" if found else f"it has {listed(list(known))}."


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
