"""A fitted model in a few figures."""

from __future__ import annotations

from typing import Any

__all__ = ["figure_name", "fitted_figures"]

_WRITTEN = {"out of bag": "out-of-bag", "held out": "held-out", "c index": "C-index", " auc": " AUC"}
_FIGURES = {
    "oob_auc_": "out_of_bag_auc",
    "held_out_auc_": "held_out_auc",
    "oob_c_index_": "out_of_bag_c_index",
    "oob_error_": "out_of_bag_error",
    "calibration_error_": "calibration_error",
}


def figure_name(key: str) -> str:
    """The key of a figure as people write it.

    Examples
    --------
    >>> figure_name("held_out_routing_auc"), figure_name("out_of_bag_c_index")
    ('held-out AUC', 'out-of-bag C-index')
    """
    words = key.replace("_routing", "").replace("_", " ")
    for plain, written in _WRITTEN.items():
        words = words.replace(plain, written)
    return words


def fitted_figures(model: Any) -> dict[str, Any]:
    """Size of the model, and how it ranks its training rows or, where it knows that, rows it has not learned from."""
    found: dict[str, Any] = {}
    if hasattr(model, "pos_label_"):
        found["positive"] = model.pos_label_.item() if hasattr(model.pos_label_, "item") else model.pos_label_
    if hasattr(model, "tree_"):
        found["strata"] = int(model.tree_.n_leaves)
        if hasattr(model.tree_, "source"):
            name = "training_auc" if model.tree_.source == "training" else "held_out_routing_auc"
            found[name] = float(model.tree_.auc)
    elif hasattr(model, "forest_"):
        found |= {"trees": len(model.forest_.trees_), "rounds": int(model.booster_.n_iter_)}
    elif hasattr(model, "trees_"):
        found["trees"] = len(model.trees_)
    elif hasattr(model, "n_iter_"):
        found["rounds"] = int(model.n_iter_)
    if hasattr(model, "oob_aggregation_"):
        found["out_of_bag_aggregation"] = model.oob_aggregation_
    for attribute, name in _FIGURES.items():
        if hasattr(model, attribute):
            found[name] = float(getattr(model, attribute))
    return found
