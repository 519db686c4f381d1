"""What trees, forests and boosting share as scikit-learn estimators: reading the training table, labels, tags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.stats import rankdata
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..data.binning import MAX_BINS, BinnedTable, bin_table, find_bins
from ..data.labels import check_two_classes, read_labels, read_weights
from ..data.parameters import at_least, top_share
from ..data.sample import Sample
from ..data.schema import resolve_monotonic
from ..data.summary import ScoreSummary, TrainingSummary
from ..data.table import Table, read_table
from ..fitting.calibration import Calibration
from ..growing.treerank import Growth
from ..metrics.roc import roc_auc
from ..splitting.cell import SplittingRule
from ._names_positive import NamesPositive
from .fitted_model import FittedModel

__all__ = ["Ranker", "Reading", "TableModel", "Training"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A training sample, checked and binned."""

    sample: Sample
    summary: TrainingSummary  # without the scores
    classes: np.ndarray  # the other label, then the one at the top
    seed: int
    n_threads: int
    kept: np.ndarray | None = None  # mask of the rows whose weight is not 0; None: all


@dataclass(frozen=True, kw_only=True)
class Training(Reading):
    """The same, with how a ranking tree grows on it."""

    growth: Growth


class TableModel(ClassifierMixin, FittedModel):
    """Base of the estimators that learn from any table; it has no parameters of its own."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    # ---- scores

    def score_samples(self, X: Any) -> np.ndarray:
        """Score of each row; a higher score is a better place in the list."""
        return np.concatenate([self.score_coded(block) for block in self._read(X).blocks()])

    def rank(self, X: Any) -> np.ndarray:
        """Ranks of the rows among themselves by `score_samples`: 1 is the best, ties share their mean rank."""
        return rankdata(-self.score_samples(X))

    # ---- notebooks: a fitted model shows its report, any other what scikit-learn shows

    def _repr_html_inner(self) -> str:
        return _report_view(self) or super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = _report_view(self) or bundle["text/html"]
        return bundle

    def _read_training(self, X: Any) -> Table:
        max_bins = at_least("max_bins", self.max_bins, 2)
        if max_bins > MAX_BINS:
            raise ValueError(f"max_bins is {self.max_bins!r}; the most is {MAX_BINS}.")
        return read_table(X, categorical=self.categorical_features, estimator_name=type(self).__name__)

    def _bin(self, table: Table, n_threads: int) -> BinnedTable:
        return bin_table(table, find_bins(table, max_bins=self.max_bins, n_threads=n_threads), n_threads=n_threads)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _keep_features(self, table: Table) -> None:
        self.schema_, self.n_features_in_ = table.schema, table.n_features
        if table.schema.named:
            self.feature_names_in_ = np.asarray(table.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _keep_summary(self, summary: TrainingSummary) -> None:
        """Remember the training rows in a few numbers, and how they score by the model as it is now."""
        self.summary_ = summary.with_scores(self._score_summary())

    def _score_summary(self) -> ScoreSummary | None:
        """How rows score that were not learned from."""
        for source, name in (("out-of-bag", "oob_scores_"), ("held-out", "held_out_scores_")):
            if hasattr(self, name):
                return ScoreSummary.of(source, getattr(self, name))
        return None

    def _read(self, X: Any) -> Table:
        """Rows to score, coded as in the schema."""
        check_is_fitted(self)
        return read_table(X, schema=self.schema_, estimator_name=type(self).__name__)


def _report_view(model: Any) -> str | None:
    from ..report.notebook import notebook_view  # the report knows the estimators, not the other way round

    return notebook_view(model)


class Ranker(NamesPositive, TableModel):
    """Base of the estimators that rank two classes by trees; it has no parameters of its own."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _growth(self, splitter: SplittingRule) -> Growth:
        """How a tree grows, by the parameters whose names all rankers share."""
        return Growth(
            splitter=splitter,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            missing=self.missing,
        )

    def _training(self, X: Any, y: Any, sample_weight: Any, splitter: SplittingRule) -> Training:
        """Read and check everything that `fit` is given, then bin it."""
        growth = self._growth(splitter)

        def check(table: Table) -> None:
            nonlocal growth
            growth = self._checked_growth(splitter, table)

        reading = self._reading(X, y, sample_weight, check)
        return Training(growth=growth, **vars(reading))

    def _checked_growth(self, splitter: SplittingRule, table: Table) -> Growth:
        """How a tree grows on this table, once all parameters are in order."""
        growth = replace(self._growth(splitter), monotonic_cst=resolve_monotonic(self.monotonic_cst, table.schema))
        growth.check(table.schema)
        self._check_parameters(growth, table.n_rows)
        return growth

    def _reading(self, X: Any, y: Any, sample_weight: Any, check: Callable[[Table], None]) -> Reading:
        """Read what `fit` is given, check it and the parameters, then bin it."""
        table = self._read_training(X)
        check(table)  # a wrong parameter is said before any work
        labels = read_labels(y, n_rows=table.n_rows, pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        check_two_classes(labels.codes, weights)
        codes, kept = labels.codes, None
        if weights is not None and not weights.all():
            kept = weights > 0
            table, codes, weights = table.take(kept), codes[kept], weights[kept]
        n_threads = effective_n_jobs(self.n_jobs)
        sample = Sample(table, self._bin(table, n_threads), codes, weights)
        counts = np.bincount(codes, minlength=2)
        summary = TrainingSummary.of(sample.binned, counts[np.argsort(labels.classes)])
        summary = summary.with_positives(labels.classes[1], int(counts[1]))
        return Reading(
            sample=sample, summary=summary, classes=labels.classes, seed=self._seed(), n_threads=n_threads, kept=kept
        )

    def _check_parameters(self, growth: Growth, n_rows: int) -> None:
        """Say what is wrong with the other parameters, before any work starts."""

    def _keep_names(self, training: Reading) -> None:
        """Set what scikit-learn expects of a fitted classifier."""
        self.classes_ = np.sort(training.classes)
        self.pos_label_ = training.classes[1]
        self._keep_features(training.sample.table)
        self._keep_summary(training.summary)

    # ---- the protocol

    @property
    def best_share(self) -> float:
        return top_share(self.get_params(deep=False).get("top"))

    def positive_probability(self, X: Any) -> np.ndarray | None:
        return self.predict_proba(X)[:, self.classes_.tolist().index(self.pos_label_)]

    def _pair(self, positive: np.ndarray) -> np.ndarray:
        """Probabilities of the two labels in the order of `classes_`."""
        pair = np.column_stack([1.0 - positive, positive])
        return pair if self.classes_[1] == self.pos_label_ else pair[:, ::-1]

    # ---- scikit-learn's contract: score, probability and label agree

    def _probabilities(self) -> Calibration:
        """The monotone map from `score_samples` to the probability of the positive label."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score as scikit-learn defines it: above 0 where `predict` is ``classes_[1]``.

        The distance of `score_samples` to the score at which the probability passes 1/2, with the sign turned where
        ``pos_label_`` is ``classes_[0]``.
        """
        scores = self.score_samples(X)
        return self._probabilities().signed(scores, rising=bool(self.classes_[1] == self.pos_label_))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`. They never fall when the score rises."""
        scores = self.score_samples(X)
        return self._pair(self._probabilities()(scores))

    def predict(self, X: Any) -> np.ndarray:
        """The more probable label; ``classes_[0]`` where both are equally probable."""
        upper = self.decision_function(X) > 0.0
        return self.classes_[upper.astype(np.intp)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """AUC of `score_samples` on the given rows."""
        scores = self.score_samples(X)
        return roc_auc(y, scores, pos_label=self.pos_label_, sample_weight=sample_weight)
