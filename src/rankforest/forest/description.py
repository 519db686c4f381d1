"""A fitted forest in words and figures, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..metrics.local import hit_ratio, local_auc
from ..words import count, number

__all__ = ["ForestDescription", "describe"]

_MOST_FEATURES = 10
_TOPS = (0.05, 0.1)


@dataclass(frozen=True)
class ForestDescription:
    """Titled tables of (name, value).

    Attributes
    ----------
    sections : tuple of (title, rows)
    """

    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    def to_dict(self) -> dict[str, dict[str, str]]:
        """The same as nested dictionaries."""
        return {title: dict(rows) for title, rows in self.sections}

    def __str__(self) -> str:
        width = max((len(name) for _, rows in self.sections for name, _ in rows), default=0)
        lines: list[str] = []
        for title, rows in self.sections:
            lines += ["", title] if lines else [title]
            lines += [f"  {name:<{width}}  {value}" for name, value in rows]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = []
        for title, rows in self.sections:
            body = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in rows)
            parts.append(f"<table><caption>{escape(title)}</caption>{body}</table>")
        return "\n".join(parts)


def describe(forest: Any) -> ForestDescription:
    """Description of a fitted RankingForest."""
    sections = [("Forest", _forest(forest))]
    if forest.trials_:
        local = "" if forest.top in (None, 1) else f" and local AUC of the best {number(forest.top, 3)}"
        sections.append((f"Splitting, chosen by out-of-bag AUC{local}", _trials(forest.trials_)))
    if hasattr(forest, "oob_auc_"):
        sections.append(("Out of bag", _out_of_bag(forest)))
    with suppress(AttributeError):  # classifiers as splitting rules have no importance
        sections.append(("Importance", _importance(forest)))
    changed = {
        name: value for name, value in forest.get_params(deep=False).items() if repr(value) != _default(forest, name)
    }
    sections.append(
        ("Parameters other than the defaults", tuple((n, repr(v)) for n, v in changed.items()) or (("none", ""),))
    )
    return ForestDescription(tuple(sections))


def _default(forest: Any, name: str) -> str:
    return repr(type(forest)().get_params(deep=False)[name])


def _forest(forest: Any) -> tuple[tuple[str, str], ...]:
    trees = forest.trees_
    rows = [
        ("trees", f"{len(trees)}"),
        ("strata per tree", count(round(np.mean([tree.n_leaves for tree in trees])))),
        ("aggregation", str(forest.aggregation_)),
    ]
    if hasattr(forest, "_rows"):
        negatives, positives = np.bincount(forest._rows.labels, minlength=2)
        rows.insert(0, ("training rows", f"{count(negatives + positives)} ({count(positives)} positive)"))
        rows.append(("instability", f"{forest.instability_:.3f} (mean Kendall distance between two trees)"))
    return tuple(rows)


def _trials(trials: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    def name(rule: Any) -> str:
        features = "all" if rule.max_features is None else rule.max_features
        return f"{rule.cuts} cuts, depth {rule.max_depth}, features {features}, leaves of {rule.min_samples_leaf}"

    def figures(trial: Any) -> str:
        return f"{', '.join(f'{figure:.4f}' for figure in trial.figures.values())}{' kept' if trial.kept else ''}"

    return tuple((name(trial.growth.splitter), figures(trial)) for trial in trials)


def _out_of_bag(forest: Any) -> tuple[tuple[str, str], ...]:
    rows = [("aggregation", forest.oob_aggregation_), ("AUC", f"{forest.oob_auc_:.4f}")]
    if hasattr(forest, "_rows"):
        labels, scores, weights = forest._oob_known()
        for u in _TOPS:
            rows.append((f"local AUC, best {u:.0%}", f"{local_auc(labels, scores, u, sample_weight=weights):.4f}"))
            hits = float(hit_ratio(labels, scores, u, sample_weight=weights))
            rows.append((f"positives among the best {u:.0%}", f"{hits:.1%}"))
    rows.append(("calibration error", f"{forest.calibration_error_:.4f}"))
    return tuple(rows)


def _importance(forest: Any) -> tuple[tuple[str, str], ...]:
    values = forest.feature_importances_
    names = forest.trees_[0].schema.names
    order = np.argsort(-values, kind="stable")[:_MOST_FEATURES]
    return tuple((names[j], f"{values[j]:.3f}") for j in order)
