"""A threshold on the scores of any model: rows above it are flagged, rows on it are flagged by lot."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.labels import check_two_classes, read_labels
from ..data.parts import NotStorable, Parts, need
from ..data.read_hold_out import read_hold_out
from ..data.read_weights import read_weights
from ..data.rows import take_rows
from ..data.stream import refuse_stream
from ..metrics._responses import score_rows
from ..metrics.roc import roc_auc
from ..program import ExportError, Program
from ..program.program import Combination
from ..shapley.score_parts import ScoreParts, TrainingAverage
from ..words import number
from ._lots import draw_lots
from ._names_positive import NamesPositive
from .fitted_model import FittedModel

__all__ = ["Flagger", "FlaggerInput", "checked_share", "fit_rows"]


@dataclass(frozen=True)
class FlaggerInput:
    """What `fit` is given, checked."""

    X: Any
    y: np.ndarray
    codes: np.ndarray  # 1 for the positives
    classes: np.ndarray  # the negative label, then the positive one
    weights: np.ndarray | None
    hold_out: HoldOut = ANY_ROWS


class Flagger(NamesPositive, MetaEstimatorMixin, ClassifierMixin, FittedModel):
    """Base of the classifiers that flag the top of a model's list.

    A fit sets `estimator_`, `pos_label_` and `classes_` (by `_keep_model`), `threshold_`, `tie_chance_` and
    `lot_seed_`: rows that score above the threshold are flagged, and rows on it with probability `tie_chance_`.
    """

    has_report = False

    threshold_: float
    tie_chance_: float
    lot_seed_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    # ---- fitting

    def _read(self, X: Any, y: Any, sample_weight: Any, groups: Any = None, time: Any = None) -> FlaggerInput:
        refuse_stream(X, type(self).__name__)
        (X,) = indexable(X)
        labels = read_labels(y, n_rows=_num_samples(X), pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=len(labels.codes))
        check_two_classes(labels.codes, weights)
        hold_out = read_hold_out(groups, time, n_rows=len(labels.codes), labels=labels.codes)
        hold_out.check(labels.codes)
        return FlaggerInput(X, labels.classes[labels.codes], labels.codes, labels.classes, weights, hold_out)

    def _model(self, default: Any) -> Any:
        """The model to fit, with the same positive label if it has the parameter."""
        model = default if self.estimator is None else self.estimator
        if self.pos_label is not None and "pos_label" in model.get_params():
            model = clone(model).set_params(pos_label=self.pos_label)
        return model

    def _keep_model(self, fitted: Any, pos_label: Any, classes: np.ndarray) -> None:
        self.estimator_, self.pos_label_, self.classes_ = fitted, pos_label, np.sort(classes)
        for name in ("n_features_in_", "feature_names_in_", "schema_", "summary_"):
            if (known := getattr(fitted, name, None)) is not None:
                setattr(self, name, known)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # ---- scoring

    def score_samples(self, X: Any) -> np.ndarray:
        """The model's score of each row; the higher, the more likely the row is `pos_label_`."""
        check_is_fitted(self, "estimator_")
        return score_rows(self.estimator_, X, self.pos_label_)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the threshold: positive where `predict` is ``classes_[1]``, negative elsewhere.

        So flagged rows are above 0 if `pos_label_` is ``classes_[1]``, and below 0 otherwise. Rows that `predict`
        decides by lot have exactly 0.
        """
        scores = self.score_samples(X)
        distance = scores - self.threshold_
        if self.tie_chance_ == 0.0:
            distance[scores == self.threshold_] = -np.finfo(np.float64).tiny  # on the threshold, so not flagged
        return distance if self.pos_label_ == self.classes_[1] else -distance

    def flag(self, X: Any) -> np.ndarray:
        """Whether each row is flagged."""
        scores = self.score_samples(X)
        flagged = scores > self.threshold_
        tied = np.flatnonzero(scores == self.threshold_)
        if self.tie_chance_ > 0.0 and len(tied):
            flagged[tied] = draw_lots(take_rows(indexable(X)[0], tied), self.lot_seed_) < self.tie_chance_
        return flagged

    def predict(self, X: Any) -> np.ndarray:
        """The positive label for the rows that are flagged, the other one for the rest."""
        check_is_fitted(self, "estimator_")
        other = self.classes_[self.classes_ != self.pos_label_][0]
        return np.where(self.flag(X), self.pos_label_, other)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The AUC of `score_samples`."""
        return roc_auc(y, self.score_samples(X), sample_weight=sample_weight, pos_label=self.pos_label_)

    # ---- the protocol, as far as the inner model supports it

    held_out_: str
    _held_out_words: ClassVar[tuple[str, ...]]  # possible values of `held_out_`
    _measures: ClassVar[tuple[str, ...]]  # numbers set by a fit
    _without_lots: ClassVar[str]  # parameters that avoid lots

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema of the inner model."""
        return self._inside().score_coded(block)

    def _inside(self) -> FittedModel:
        check_is_fitted(self, "estimator_")
        if not isinstance(self.estimator_, FittedModel):
            name = type(self.estimator_).__name__
            raise TypeError(f"estimator is a {name}, which is no model of rankforest; use one as estimator.")
        return self.estimator_

    def constraints(self) -> list[str]:
        check_is_fitted(self, "estimator_")
        return self.estimator_.constraints() if isinstance(self.estimator_, FittedModel) else []

    def score_parts(self) -> ScoreParts:
        inside = self._inside()
        if not inside.ordered and inside.pos_label_ != self.pos_label_:
            raise ValueError(f"The model inside ranks the other label; fit it with pos_label={self.pos_label_!r}.")
        return inside.score_parts()

    def out_of_bag_background(self) -> TrainingAverage:
        return self._inside().out_of_bag_background()

    def words_of_row(self, row: np.ndarray) -> Any:
        return self._inside().words_of_row(row)

    def words_of_pair(self, row: np.ndarray, other: np.ndarray) -> Any:
        return self._inside().words_of_pair(row, other)

    def text(self) -> str:
        program = self.program()
        size = f"{program.model}: {len(program.graphs)} trees, {program.n_nodes} nodes"
        flagged = f"Rows with a score above {number(self.threshold_, 6)} are flagged."
        return "\n".join([size, flagged, self._inside().text()])

    def program(self) -> Program:
        name = type(self).__name__
        if not isinstance(self.estimator_, FittedModel):
            raise ExportError(f"estimator is a {type(self.estimator_).__name__}, and exports know rankforest's own.")
        inside = self.estimator_.program()
        if self.estimator_.ordered or self.estimator_.pos_label_ != self.pos_label_:
            raise ExportError(f"The model inside ranks the other label; fit it with the pos_label of {name}.")
        if self.tie_chance_ > 0.0:
            raise ExportError(
                f"{name} flags rows with the score {self.threshold_:.6g} by lot, and lots cannot be exported; fit it "
                f"with {self._without_lots}."
            )
        score = Combination((inside.outputs["score"],), (1.0,), -self.threshold_)
        return Program(name, inside.features, inside.graphs, {"score": score}, (self.pos_label_,), sums=inside.sums)

    def to_parts(self) -> dict[str, Any]:
        name = type(self.estimator_).__name__
        if isinstance(self.estimator_, Flagger):
            raise NotStorable(
                f"estimator is itself a {name}, and a model file cannot store one inside another; save the inner one."
            )
        if not isinstance(self.estimator_, FittedModel):
            raise NotStorable(f"estimator is a {name}, which a model file cannot store; use a model of rankforest.")
        numbers = ("threshold_", "tie_chance_", *self._measures)
        return {
            "estimator": self.estimator_,
            "held_out": self.held_out_,
            "lot_seed": self.lot_seed_,
            "numbers": {name: float(getattr(self, name)) for name in numbers},
        }

    def from_parts(self, parts: Parts) -> None:
        inside = parts["estimator"]
        need(isinstance(inside, FittedModel) and not isinstance(inside, Flagger), "the model inside it cannot be read")
        agrees = inside.schema_ == self.schema_ and set(inside.classes_.tolist()) == set(self.classes_.tolist())
        need(agrees, "the model inside it has other features or labels")
        self.estimator_, self.held_out_ = inside, parts.choice("held_out", self._held_out_words)
        self.lot_seed_ = parts.whole("lot_seed", 0, 2**31 - 1)
        names = ("threshold_", "tie_chance_", *self._measures)
        numbers = parts.numbers("numbers", names)
        need(numbers.keys() == set(names), "its threshold cannot be read")
        for name, value in numbers.items():
            setattr(self, name, value)


def checked_share(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} is {value!r}; give {meaning}, in (0, 1).")
    return float(value)


def fit_rows(model: Any, given: FlaggerInput, rows: np.ndarray | None = None) -> Any:
    """A copy of the model, fitted on some of the rows; None means all rows. Our own models know the groups too."""
    X, y, weights, hold_out = given.X, given.y, given.weights, given.hold_out
    if rows is not None:
        X, y, weights = take_rows(X, rows), y[rows], None if weights is None else weights[rows]
        hold_out = hold_out.take(rows)
    named: dict[str, Any] = {} if weights is None else {"sample_weight": weights}
    if hold_out.groups is not None and isinstance(model, FittedModel):
        named["time" if hold_out.forward else "groups"] = hold_out.groups
    return clone(model).fit(X, y, **named)
