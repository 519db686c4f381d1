"""The kinds of trees to boost: a pool for small tables, a ladder from coarse to fine for large ones."""

from __future__ import annotations

from typing import Any

from .rounds import Boosting

__all__ = [
    "AUTO",
    "FINE_LEAVES",
    "FINE_LEAVES_OF_FEW",
    "LADDER",
    "MANY_ROWS",
    "POOL",
    "SYMMETRIC",
    "VERY_MANY_ROWS",
    "candidates",
]

AUTO = "auto"

# Small tables reward the mean of many different kinds, large ones a single kind that is fine enough.
MANY_ROWS = 10_000
# Beyond, a booster more is hardly worth its price.
VERY_MANY_ROWS = 250_000

_NAMES = ("loss", "max_leaf_nodes", "max_features", "cuts", "min_samples_leaf", "l2", "tree_features")
# From smooth to fine, with both losses, with best and with random cuts.
POOL: tuple[dict[str, Any], ...] = tuple(
    dict(zip(_NAMES, kind))
    for kind in (
        ("log_loss", 16, None, "best", 5, 1.0, None),
        ("log_loss", 4, "sqrt", "best", 5, 1.0, None),
        ("exponential", 8, 0.5, "random", 2, 1.0, None),
        ("log_loss", 64, 0.5, "random", 1, 0.1, None),
    )
)
# From coarse to fine. Every node looks at all features of its tree, so that the larger child of a split needs no
# histogram of its own; fine trees get half of the features.
LADDER: tuple[dict[str, Any], ...] = tuple(
    dict(zip(_NAMES, kind))
    for kind in (
        ("log_loss", 6, None, "best", 20, 3.0, None),
        ("log_loss", 16, None, "best", 20, 3.0, None),
        ("log_loss", 64, None, "best", 10, 3.0, 0.5),
        ("log_loss", 255, None, "best", 5, 1.0, 0.5),
        ("log_loss", 1023, None, "best", 5, 1.0, 0.5),
    )
)
# All nodes of a level share their cut: smoother than coarse trees of the ladder, for large tables of noisy labels.
SYMMETRIC: dict[str, Any] = {
    "symmetric": True,
    "loss": "log_loss",
    "max_leaf_nodes": 64,
    "max_features": None,
    "l2": 3.0,
}
# Who sets one of these asks for trees whose nodes are cut one by one.
_OF_NODES = {"max_leaf_nodes", "max_features", "cuts", "min_samples_leaf"}
# A kind of the ladder needs this many rows per leaf.
_ROWS_OF_A_LEAF = 40
# The finest kinds of the ladder win where there is little noise, and then larger steps do no harm.
FINE_LEAVES = 255
# The leaves of the finest kind of the pool.
FINE_LEAVES_OF_FEW = 64
_RATE, _RATE_OF_FINE = 0.1, 0.2
# Symmetric trees learn slowly; on tables of so many rows larger steps cost no AUC.
_ROWS_OF_LARGE_STEPS = 50_000
# Share of the rows of a tree.
_SUBSAMPLE, _SUBSAMPLE_OF_MANY = 0.7, 0.85


def candidates(given: dict[str, Any], n_rows: int) -> list[Boosting]:
    """The kinds to try; a parameter that is not "auto" has the given value in all of them.

    For a large table they are a ladder from coarse to fine and, last, symmetric trees.
    """
    known = {name: value for name, value in given.items() if not _is_auto(value)}
    many = n_rows > MANY_ROWS
    kinds: list[Boosting] = []
    for candidate in LADDER if many else POOL:
        too_fine = many and candidate["max_leaf_nodes"] * _ROWS_OF_A_LEAF > n_rows
        if too_fine and "max_leaf_nodes" not in known:
            continue
        kind: dict[str, Any] = {"subsample": _SUBSAMPLE_OF_MANY if many else _SUBSAMPLE} | candidate
        if "max_features" in known:
            kind["tree_features"] = None
        kind |= known
        leaves = kind["max_leaf_nodes"]
        fine = many and isinstance(leaves, int) and leaves >= FINE_LEAVES
        kind.setdefault("learning_rate", _RATE_OF_FINE if fine else _RATE)
        boosting = Boosting(**kind)
        if boosting not in kinds:
            kinds.append(boosting)
    if many and not _OF_NODES & known.keys():
        rate = _RATE_OF_FINE if n_rows > _ROWS_OF_LARGE_STEPS else _RATE
        kinds.append(Boosting(**{"learning_rate": rate, "subsample": _SUBSAMPLE_OF_MANY} | SYMMETRIC | known))
    return kinds


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO
