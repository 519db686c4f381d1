"""Base of all estimators that are fitted on a table: reading the training rows, tags, names, notebooks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy.stats import rankdata
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._notebook import view_of
from ..data.binning import USUAL_BINS, BinnedTable, bin_table, find_bins
from ..data.coded_table import TableOutline, coded_table
from ..data.hold_out import HoldOut
from ..data.read_hold_out import read_hold_out
from ..data.read_weights import read_weights
from ..data.stream import as_stream
from ..data.stream_reading import StreamReading
from ..data.stream_table import StreamTable
from ..data.summary import ScoreSummary, TrainingSummary
from ..data.table import Table, read_table
from .fitted_model import FittedModel

__all__ = ["TableModel", "Training", "check_fitted"]


def check_fitted(model: Any, attribute: str) -> None:
    """Raise NotFittedError if the model does not have the attribute; scikit-learn's check alone takes longer."""
    if not hasattr(model, attribute):
        check_is_fitted(model, attribute)


@dataclass(frozen=True, kw_only=True)
class Training:
    """A training sample, checked and binned, with the settings that come from the parameters."""

    sample: Any  # Sample or OrderedSample
    summary: TrainingSummary  # without the scores
    classes: np.ndarray  # the negative label, then the positive one; ordered labels from the lowest to the highest
    seed: int
    n_threads: int
    growth: Any = None  # growth of the trees, for estimators with trees
    kept: np.ndarray | None = None  # mask of the rows with a weight above 0; None means all rows


class TableModel(ClassifierMixin, FittedModel):
    """Base of the estimators that are fitted on a table; it has no parameters."""

    summary_: TrainingSummary

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    # ---- scores

    def score_samples(self, X: Any) -> np.ndarray:
        """Score of each row; a higher score is a better position in the list."""
        return np.concatenate([self.score_coded(block) for block in self._read(X).blocks()])

    def rank(self, X: Any) -> np.ndarray:
        """Ranks of the rows among themselves by `score_samples`: 1 is the best, ties share their mean rank."""
        return rankdata(-self.score_samples(X))

    # ---- notebooks: a fitted model shows its report, any other what scikit-learn shows

    def _repr_html_inner(self) -> str:
        return view_of(self) or super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = view_of(self) or bundle["text/html"]
        return bundle

    # ---- fitting: what `fit` is given is read, and the model learns from the rows that were read

    def _learn(self, training: Training) -> Self:
        """Fit on rows that are read and binned; the attributes are set at the end."""
        raise NotImplementedError

    def _checked(self, table: Any) -> Any:
        """Raise an error if a parameter is invalid for this table, before any work; returns the growth of trees.

        `table` has a schema, `n_rows` and `n_features`: a Table, or the outline of one.
        """
        return None

    def _check_bins_suffice(self) -> None:
        """Raise TypeError if the model needs the values of the features, not only their bins."""

    @property
    def _most_bins(self) -> int:
        """Most bins of a numeric feature."""
        return USUAL_BINS

    def _check_hold_out(self, hold_out: HoldOut, codes: np.ndarray) -> None:
        """Raise ValueError if rows with these labels cannot be held out in this way, before any work."""

    def _reading(self, X: Any, y: Any, sample_weight: Any, groups: Any = None, time: Any = None) -> Training:
        """Read what `fit` is given, check it and the parameters, then bin it."""
        stream = as_stream(X)
        if stream is not None:
            self._check_bins_suffice()
            return self._reading_stream(StreamReading(stream, y, sample_weight, groups, time))
        table = read_table(X, categorical=self.categorical_features, estimator_name=type(self).__name__)
        growth = self._checked(table)  # a wrong parameter is said before any work
        labels = self._read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        self._check_classes(labels, weights)
        hold_out = read_hold_out(groups, time, n_rows=table.n_rows, labels=labels.codes)
        codes, kept = labels.codes, None
        if weights is not None and not weights.all():
            kept = weights > 0
            table, codes, weights, hold_out = table.take(kept), codes[kept], weights[kept], hold_out.take(kept)
        self._check_hold_out(hold_out, codes)
        n_threads = effective_n_jobs(self.n_jobs)
        bins = find_bins(table, max_bins=self._most_bins, n_threads=n_threads)
        binned = bin_table(table, bins, n_threads=n_threads)
        sample = replace(self._sample(table, binned, codes, weights, labels), hold_out=hold_out)
        return self._training_on(sample, labels, growth, kept)

    def _reading_stream(self, reading: StreamReading) -> Training:
        """Read a table in batches, of which the codes are kept."""
        n_threads = effective_n_jobs(self.n_jobs)
        labels = reading.labels(self._read_labels)
        self._check_classes(labels, reading.weights)
        kept, codes, weights, hold_out = reading.kept, labels.codes, reading.weights, reading.hold_out
        if kept is not None and weights is not None:
            codes, weights, hold_out = codes[kept], weights[kept], hold_out.take(kept)
        self._check_hold_out(hold_out, codes)
        schema, bins = reading.survey(self.categorical_features, max_bins=self._most_bins, n_threads=n_threads)
        growth = self._checked(TableOutline(schema, reading.n_rows))
        binned = reading.codes(schema, bins, n_threads)
        sample = self._sample(coded_table(binned, schema), binned, codes, weights, labels)
        sample = replace(sample, hold_out=hold_out)
        return self._training_on(sample, labels, growth, kept)

    def _training_on(self, sample: Any, labels: Any, growth: Any, kept: np.ndarray | None) -> Training:
        """A sample with its summary and with the settings that come from the parameters."""
        summary, classes = self._summary(sample, labels)
        summary = replace(summary, held_out=sample.hold_out.words)
        return Training(
            sample=sample, summary=summary, classes=classes, seed=self._seed(),
            n_threads=effective_n_jobs(self.n_jobs), growth=growth, kept=kept,
        )  # fmt: skip

    def _read_labels(self, y: Any, n_rows: int, own_order: Any = None) -> Any:
        """The labels, with `codes`; `own_order` is the order of their type, if it is known already."""
        raise NotImplementedError

    def _check_classes(self, labels: Any, weights: np.ndarray | None) -> None:
        """Raise ValueError if all rows with a weight above 0 have the same class."""
        raise NotImplementedError

    def _sample(
        self, table: Table, binned: BinnedTable, codes: np.ndarray, weights: np.ndarray | None, labels: Any
    ) -> Any:
        """The sample of rows with a weight above 0."""
        raise NotImplementedError

    def _summary(self, sample: Any, labels: Any) -> tuple[TrainingSummary, np.ndarray]:
        """Summary of a sample without scores, and the labels in the order of `Training.classes`."""
        raise NotImplementedError

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _keep_features(self, table: Table) -> None:
        self.schema_, self.n_features_in_ = table.schema, table.n_features
        if table.schema.named:
            self.feature_names_in_ = np.asarray(table.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _keep_summary(self, summary: TrainingSummary) -> None:
        """Keep a summary of the training rows and of their scores by the current model."""
        self.summary_ = summary.with_scores(self._score_summary())

    def _score_summary(self) -> ScoreSummary | None:
        """Summary of held-out scores."""
        for source, name in (("out-of-bag", "oob_scores_"), ("held-out", "held_out_scores_")):
            if hasattr(self, name):
                return ScoreSummary.of(source, getattr(self, name))
        return None

    def _read(self, X: Any) -> Table:
        """Rows to score, coded as in the schema."""
        check_fitted(self, "schema_")
        stream = as_stream(X)
        if stream is not None:
            return StreamTable(stream, self.schema_, type(self).__name__)
        return read_table(X, schema=self.schema_, estimator_name=type(self).__name__)
