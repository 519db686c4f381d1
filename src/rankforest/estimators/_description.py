"""A fitted forest in words and figures, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..metrics.local import hit_ratio, local_auc
from ..words import count, number
from .fitted_model import HeldOut

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
        local = "" if forest.best_share == 1.0 else f" and local AUC of the first {number(forest.best_share, 3)}"
        sections.append((f"Splitting, chosen by out-of-bag AUC{local}", _trials(forest.trials_)))
    held_out, importance = forest.held_out_scores(), forest.importance()
    if held_out is not None:
        sections.append(("Out of bag", _out_of_bag(forest, held_out)))
    if importance is not None:
        sections.append(("Importance", _importance(forest.schema_.names, importance)))
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
    training = forest.kept_rows()
    if training is not None:
        negatives, positives = np.bincount(training.rows.labels, minlength=2)
        rows.insert(
            0, ("training rows", f"{count(negatives + positives)} ({count(positives)} {forest.positive_words.of_rows})")
        )
        rows.append(("instability", f"{forest.instability_:.3f} (mean Kendall distance between two trees)"))
    return tuple(rows)


def _trials(trials: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    def name(rule: Any) -> str:
        features = "all" if rule.max_features is None else rule.max_features
        return f"{rule.cuts} cuts, depth {rule.max_depth}, features {features}, leaves of {rule.min_samples_leaf}"

    def figures(trial: Any) -> str:
        return f"{', '.join(f'{figure:.4f}' for figure in trial.figures.values())}{' kept' if trial.kept else ''}"

    return tuple((name(trial.growth.splitter), figures(trial)) for trial in trials)


def _out_of_bag(forest: Any, held_out: HeldOut) -> tuple[tuple[str, str], ...]:
    rows = [("aggregation", forest.oob_aggregation_), ("AUC", f"{held_out.auc:.4f}")]
    if forest.holding_out is not None:
        rows.append(("holding out", forest.holding_out))
    training = forest.kept_rows()
    if training is not None:
        scores = held_out.scores if training.kept is None else held_out.scores[training.kept]
        known = ~np.isnan(scores)
        labels, scores = training.rows.labels[known], scores[known]
        weights = None if training.rows.weights is None else training.rows.weights[known]
        for u in _TOPS:
            local = float(local_auc(labels, scores, u, sample_weight=weights))
            best = min(1.0, u / float(np.average(labels, weights=weights)))  # of a perfect list
            rows.append((f"local AUC, top {u:.0%}", f"{local:.4f} ({local / best:.0%} of the best possible)"))
            hits = float(hit_ratio(labels, scores, u, sample_weight=weights))
            rows.append((f"{forest.positive_words.name} in the top {u:.0%}", f"{hits:.1%}"))
    rows.append(("calibration error", f"{forest.calibration_error_:.4f}"))
    return tuple(rows)


def _importance(names: Sequence[str], values: np.ndarray) -> tuple[tuple[str, str], ...]:
    order = np.argsort(-values, kind="stable")[:_MOST_FEATURES]
    return tuple((names[j], f"{values[j]:.3f}") for j in order)
