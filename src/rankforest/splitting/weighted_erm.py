"""Any scikit-learn classifier as a splitting rule: weighted risk minimisation with a local cost (2011 paper, Fig. 6).

The classifier is fitted with weights that give both classes the same total in the cell: with omega the cell's share of
positives, positives have the weight 1 - omega and negatives omega. The rows predicted to be positive are the left
child.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from .. import _core
from ..data.encoding import Encoding
from ..data.parameters import ROUTING, chosen
from ..data.schema import Schema
from .cell import Cell, RuleFailed, SplittingRule

__all__ = ["WeightedERM"]

_ROWS_AT_ONCE = 65536


@dataclass(frozen=True)
class Classified:
    """The division of a cell by a fitted classifier."""

    classifier: Any
    encoding: Encoding

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        left = np.empty(len(X), dtype=bool)
        for start in range(0, len(X), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            left[rows] = self.classifier.predict(self.encoding.encode(X[rows])) == 1
        return left

    def words(self, better: bool) -> str:
        return f"{_name(self.classifier)} says {'positive' if better else 'negative'}"


class WeightedERM(SplittingRule, BaseEstimator):
    """Splitting rule: a scikit-learn classifier that minimises the weighted risk in the cell (2011 paper, Fig. 6).

    Both classes have the same total weight in the cell, and the rows predicted to be positive are the left child. A
    classifier given as `splitter` means ``WeightedERM(classifier)``.

    Parameters
    ----------
    classifier : scikit-learn classifier
        Its `fit` takes `sample_weight`. It is cloned and fitted in every cell.
    routing : {"held-out", "in-sample"}, default="held-out"
        How the training rows of a cell are routed: "held-out" by classifiers that were not fitted on them (5 folds), or
        "in-sample" by the classifier itself, as in the paper. A classifier that separates its own training rows
        perfectly leaves nothing to rank below it; held-out routing then ranks fresh rows better (user guide).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rankforest import TreeRank, WeightedERM
    >>> from rankforest.data import simulate
    >>> sample = simulate.conditional_gaussians(500, random_state=0)
    >>> printed = WeightedERM(LogisticRegression(), routing="in-sample")
    >>> TreeRank(printed, max_depth=2).fit(sample.X, sample.y).tree_
    RuleTree(4 strata, depth 2, 3 splits, training AUC 0.751)
    >>> TreeRank(LogisticRegression(), max_depth=2, random_state=0).fit(sample.X, sample.y).tree_
    RuleTree(4 strata, depth 2, 3 splits, held-out AUC 0.745)
    """

    def __init__(self, classifier: Any, *, routing: str = "held-out") -> None:
        self.classifier = classifier
        self.routing = routing

    @property
    def routes_held_out(self) -> bool:
        return self.routing == "held-out"

    def check(self, schema: Schema) -> None:
        chosen("WeightedERM's routing", self.routing, ROUTING)
        name = _name(self.classifier)
        if not is_classifier(self.classifier):
            raise TypeError(
                f"splitter is {self.classifier!r}, which is not a classifier; give a scikit-learn classifier."
            )
        if not _takes_weights(self.classifier):
            raise TypeError(
                f"splitter is {name}, whose fit takes no sample_weight, but both classes must have the same weight "
                "in every cell; give a classifier that takes sample_weight."
            )

    def learn(self, cell: Cell) -> Classified | None:
        classifier = clone(self.classifier)
        _seed(classifier, _core.child_key(cell.key, 5))
        means = None if get_tags(classifier).input_tags.allow_nan else cell.means
        encoding = Encoding.of(cell.X, cell.sample.table.schema, features=cell.features, means=means)
        if encoding.n_columns == 0:
            return None  # only categories, all of them missing in the cell
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ConvergenceWarning)
                _fit(classifier, encoding.encode(cell.X), cell.labels.astype(np.int64), local_cost(cell))
        except ConvergenceWarning as warning:
            raise RuleFailed(f"{_name(classifier)} did not converge ({_first_line(warning)})") from warning
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            raise RuleFailed(f"{_name(classifier)} could not be fitted ({_first_line(error)})") from error
        return Classified(classifier, encoding)


def local_cost(cell: Cell) -> np.ndarray:
    """Weights with equal totals of both classes in the cell and the mean 1: (1 - omega) and omega, rescaled."""
    total = np.bincount(cell.labels, weights=cell.weights, minlength=2)
    return cell.weights * (len(cell.labels) / (2.0 * total))[cell.labels]


def _takes_weights(classifier: Any) -> bool:
    return has_fit_parameter(
        classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier, "sample_weight"
    )


def _fit(classifier: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
    name = f"{classifier.steps[-1][0]}__sample_weight" if isinstance(classifier, Pipeline) else "sample_weight"
    classifier.fit(X, y, **{name: weights})


def _seed(classifier: Any, key: int) -> None:
    """Set the seed of every random component without a seed, from the key of the cell."""
    unseeded = [
        name for name, value in sorted(classifier.get_params().items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]  # fmt: skip
    seeds = {name: _core.child_key(key, i) % 2**31 for i, name in enumerate(unseeded)}
    if seeds:
        classifier.set_params(**seeds)


def _name(classifier: Any) -> str:
    return type(classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier).__name__


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")
