"""Explanations of scores: what every fitted model offers, from the parts of its score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ..data.left_out import NotInFile
from ..data.schema import Schema
from ..data.stream import as_stream
from ..data.table import read_table
from ..shapley.comparison import Comparison
from ..shapley.explain import compare_rows, explain_rows
from ..shapley.explanation import Explanation
from ..shapley.score_parts import ScoreParts, TrainingAverage
from ..shapley.subsets import AnyScore
from ..tree.path import coded_row

__all__ = ["GivesReasons"]


class GivesReasons:
    """Explains scores and compares rows."""

    schema_: Schema

    @abstractmethod
    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """Score of each row of a float64 block, categories coded as in the schema."""

    def explain(self, X: Any, background: Any = None, *, interactions: bool = False) -> Explanation:
        """Contribution of each feature to the score of each row, compared with background rows; they add up exactly.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        background : table of shape (m, q), "oob" or None, default=None
            The rows to compare with; 100 are usual, and the time grows with their number. "oob": each tree of a forest
            compares with 100 of its out-of-bag rows; this needs the training rows, which a forest has in memory and not
            in its file. None: the rows of X, or 100 of them, evenly spaced in the order of their scores, because other
            models keep no training rows. A scorecard keeps the shares of its steps, so None is all its training rows.
        interactions : bool, default=False
            Whether to split the values further, into those of pairs of features.
        """
        check_is_fitted(self)
        parts = self.score_parts()
        if isinstance(background, str):
            if background != "oob":
                raise ValueError(
                    f"background is {background!r}; give a table of rows to compare with, such as 100 rows of the "
                    'training table, "oob" for the out-of-bag rows of a forest, or None for the rows of X.'
                )
            parts, background = replace(parts, own=self.out_of_bag_background()), None
        rows, compared = self._coded(X), None if background is None else self._coded(background)
        tells = type(self).words_of_row is not GivesReasons.words_of_row
        return explain_rows(
            parts, self.schema_, rows, compared, interactions=interactions, n_threads=self._n_threads(),
            tell=self.words_of_row if tells else None,
        )  # fmt: skip

    def why(self, x: Any, other: Any, *, interactions: bool = False) -> Comparison:
        """Why one row is above another: what each feature adds to the difference of their scores.

        Parameters
        ----------
        x, other : sequence, mapping by name, series, or table of one row
        interactions : bool, default=False
            As in `explain`.
        """
        check_is_fitted(self)
        parts = self.score_parts()
        one, two = (self._coded(row, single=True)[0] for row in (x, other))
        try:
            words = self.words_of_pair(one, two)
        except NotInFile:  # saved for scoring only: the values are known, the rules and rates are not
            words = None
        return compare_rows(parts, self.schema_, one, two, interactions=interactions, words=words)

    # ---- the protocol

    def score_parts(self) -> ScoreParts:
        """The score as a sum of parts whose Shapley values are known; by default the score of every mixture of rows."""
        used = np.ones(self.schema_.n_features, dtype=bool)
        what = f"a {type(self).__name__} has no faster way to them; compare rows that differ in few features."
        return ScoreParts("score", (AnyScore(self.score_coded, used, what),))

    def out_of_bag_background(self) -> TrainingAverage:
        """Comparisons with the training rows that trees have not seen; ValueError if there are none."""
        raise ValueError(
            f"background is 'oob', and {type(self).__name__} has no out-of-bag rows; give a table of rows to compare "
            "with, such as 100 rows of the training table."
        )

    def words_of_row(self, row: np.ndarray) -> Any:
        """What the model says of a coded row in its own words: rules or points; None if it has none."""
        return None

    def words_of_pair(self, row: np.ndarray, other: np.ndarray) -> Any:
        """What the model says of two coded rows in its own words; None if it has none."""
        return None

    # ----

    def _n_threads(self) -> int:
        return int(effective_n_jobs(getattr(self, "n_jobs", None)))

    def _coded(self, X: Any, *, single: bool = False) -> np.ndarray:
        """Rows as the model reads them."""
        if as_stream(X) is not None:
            raise TypeError("Explanations need rows in memory; give a frame of the rows to explain, not a stream.")
        if single or isinstance(X, Mapping) or getattr(X, "ndim", 2) == 1:
            return coded_row(X, self.schema_)[None, :]
        if isinstance(X, list) and X and all(isinstance(row, Mapping) for row in X):
            return np.vstack([coded_row(row, self.schema_)[None, :] for row in X])
        blocks = read_table(X, schema=self.schema_, estimator_name=type(self).__name__).blocks()
        return np.vstack(list(blocks))
