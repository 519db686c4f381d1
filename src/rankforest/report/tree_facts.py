"""A fitted ranking tree as plain values, with which the page prunes it, evaluates it and traces rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from ..estimators.fitted_model import FittedModel, OneTree
from ..tree.conditions import in_words
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import ObliqueTree
from ..tree.pruning import auc_along, cell_mass_on, lambdas_of, pruning_path
from ..tree.ranking_tree import RankingTree
from ..tree.rules import cell_rules, side_rule
from ..tree.subtree import collapse
from .features import importance_facts, of_model, top_share
from .plain import plain, rounded
from .quantile import auc_quantile
from .rows import Rows
from .trace import trace_facts

__all__ = ["tree_facts"]

_MOST_LEAVES = 256  # a larger grown tree is pruned along its path
_WORDS = 480  # letters of a rule


def tree_facts(
    model: FittedModel, one: OneTree, rows: Rows | None, *, shown: np.ndarray | None = None, fold_to: int | None = None
) -> dict[str, Any]:
    """Facts of a fitted model that is one ranking tree.

    Parameters
    ----------
    model : FittedModel
    one : OneTree
        Its tree.
    rows : Rows or None
        The rows of the evaluation; None means the training sample, whose counts are in the tree.
    shown : array of int or None
        Positions of the rows that can be traced, among those that count.
    fold_to : int or None
        Most strata to show, even of the fitted tree; None shows all of its strata.
    """
    fitted, grown = one.tree, one.grown
    if fold_to is not None and fitted.n_leaves > fold_to:
        grown = fitted = _folded(fitted, fold_to)
    tree = _shown(grown, fitted, _MOST_LEAVES if fold_to is None else fold_to)
    facts: dict[str, Any] = {
        "kind": "tree",
        **of_model(model, tree.schema),
        "z": float(norm.ppf(0.975)),
        "u": top_share(model),
        "nodes": _nodes(tree),
        "rules": _rules(tree, max_followed=4 if fold_to is not None else 32 if tree.n_leaves <= 64 else 12),
        "fitted": np.flatnonzero(_collapsed(tree, fitted)).tolist(),
        "importance": importance_facts(model),
        "n_strata": one.tree.n_leaves,
        "n_shown": fitted.n_leaves,
        "source": "training",
        "holding_out": model.holding_out,
        "held_out": tree.held_out,
        "n_rows": int(tree.cell_count[0]),
        "data": None,
        "evaluation": None,
        "trace": None,
    }
    mass = tree.cell_mass
    if rows is not None:
        counted = rows.counted
        strata = np.concatenate([tree.apply(block) for block in rows.table.blocks()])[counted]
        labels, weights = rows.labels[counted], None if rows.weights is None else rows.weights[counted]
        mass = cell_mass_on(tree, strata, labels, weights)
        facts |= {
            "source": "training" if np.array_equal(mass, tree.cell_mass) else "given",
            "n_rows": len(counted),
            "n_positives": int(labels.sum()),
            "weighted": weights is not None,
            "t": auc_quantile(labels, weights),
            "data": _masses(tree, mass, strata, labels, weights),
            "trace": None if shown is None else trace_facts(tree, rows, strata, shown),
        }
    return facts | {"path": _path(tree, mass)}


def _folded(tree: MasterTree, most: int) -> MasterTree:
    """The largest subtree of the pruning path that has no more leaves than asked for."""
    path = pruning_path(tree)
    return path.prune(path.lambdas[int(np.argmax(path.n_leaves <= most))])


def _shown(grown: MasterTree, fitted: MasterTree, most: int) -> MasterTree:
    """The grown tree, pruned to a readable size, but not below the fitted tree."""
    if grown.n_leaves <= max(most, fitted.n_leaves):
        return grown
    path = pruning_path(grown)
    enough = int(np.argmax(path.n_leaves <= most))
    in_fitted = (grown.cell_left >= 0) & _reached(grown, fitted) & ~_collapsed(grown, fitted)
    return collapse(grown, (path.collapse_at <= path.lambdas[enough]) & ~in_fitted)


def _pairs(tree: MasterTree, smaller: MasterTree) -> list[tuple[int, int]]:
    """Master nodes of a tree with those of one of its subtrees."""
    found, open_pairs = [], [(0, 0)]
    while open_pairs:
        node, same = open_pairs.pop()
        found.append((node, same))
        if smaller.cell_left[same] >= 0:
            open_pairs.append((int(tree.cell_left[node]), int(smaller.cell_left[same])))
            open_pairs.append((int(tree.cell_right[node]), int(smaller.cell_right[same])))
    return found


def _reached(tree: MasterTree, smaller: MasterTree) -> np.ndarray:
    reached = np.zeros(len(tree.cell_left), dtype=bool)
    reached[[node for node, _ in _pairs(tree, smaller)]] = True
    return reached


def _collapsed(tree: MasterTree, smaller: MasterTree) -> np.ndarray:
    """Splits of a tree that are leaves of its subtree."""
    collapsed = np.zeros(len(tree.cell_left), dtype=bool)
    for node, same in _pairs(tree, smaller):
        collapsed[node] = tree.cell_left[node] >= 0 and smaller.cell_left[same] < 0
    return collapsed


def _nodes(tree: MasterTree) -> dict[str, Any]:
    return {
        "left": tree.cell_left.tolist(),
        "right": tree.cell_right.tolist(),
        "negatives": plain(tree.cell_mass[:, 0]),
        "positives": plain(tree.cell_mass[:, 1]),
        "rows": plain(tree.cell_count),
    }


def _masses(
    tree: MasterTree, mass: np.ndarray, strata: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
) -> dict[str, Any]:
    """Masses of the rows in every node; with weights also how many rows, and the sum of squares, for the interval."""
    facts = {"negatives": plain(mass[:, 0]), "positives": plain(mass[:, 1])}
    if weights is None:
        return {**facts, "rows": plain(mass.sum(axis=1))}
    counts = cell_mass_on(tree, strata, labels, None)
    squares = cell_mass_on(tree, strata, labels, weights**2)
    return {
        **facts,
        "rows": plain(counts.sum(axis=1)),
        "counts": [plain(counts[0, 0:1])[0], plain(counts[0, 1:2])[0]],
        "negative_squares": plain(squares[:, 0]),
        "positive_squares": plain(squares[:, 1]),
    }


def _rules(tree: MasterTree, max_followed: int) -> dict[str, Any]:
    """Every node in words, both sides of its split, and the features of the split."""
    most = 3 if tree.n_leaves <= 64 else 2
    splits = np.flatnonzero(tree.cell_left >= 0).tolist()
    sides = {better: [""] * len(tree.cell_left) for better in (True, False)}
    for cell in splits:
        for better, words in sides.items():
            words[cell] = _short(in_words(side_rule(tree, cell, better=better), max_alternatives=most))
    return {
        "node": [_short(words) for words in cell_rules(tree, max_alternatives=most, max_followed=max_followed)],
        "better": sides[True],
        "worse": sides[False],
        "features": [_asked(tree, cell) for cell in range(len(tree.cell_left))],
    }


def _asked(tree: MasterTree, cell: int) -> list[int]:
    """Features of a split, that of its first cut first; empty if the rule has no single features."""
    if isinstance(tree, ObliqueTree):  # the features of a sum in its place
        return list(dict.fromkeys(j for found in _asked(tree.wide, cell) for j in tree.parts_of(found)))
    if not isinstance(tree, RankingTree):
        inside = getattr(tree.divisions[cell], "tree", None) if tree.cell_left[cell] >= 0 else None  # type: ignore[attr-defined]
        return [] if inside is None else list(dict.fromkeys(inside.feature.tolist()))
    return list(dict.fromkeys(tree.feature[tree.owner == cell].tolist()))


def _short(words: str) -> str:
    """A rule, shortened to a readable length."""
    return words if len(words) <= _WORDS else words[: _WORDS - 1].rstrip() + "…"


def _path(tree: MasterTree, mass: np.ndarray) -> dict[str, Any]:
    """The nested subtrees: which split goes when, and the AUC of each on the training rows and on these rows."""
    path = pruning_path(tree)
    return {
        "collapse_at": plain(path.collapse_at),
        "lambdas": plain(path.lambdas),
        "n_leaves": path.n_leaves.tolist(),
        "counted_auc": rounded(path.auc),
        "auc": rounded(auc_along(path, lambdas_of(tree, mass), path.lambdas)),
    }
