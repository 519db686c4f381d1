"""RankBoost with threshold rankers, as in the original paper, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, ClassVar

from ..boosting.rounds import Boosting
from ..data.binning import checked_bins
from ..data.constraints import CodedConstraints
from ..data.options import Former
from ..data.table import Table
from ._booster import Booster
from .registry import register

__all__ = ["ThresholdRankBoost"]


@register("threshold-boost")
class ThresholdRankBoost(Booster):
    """RankBoost of Freund, Iyer, Schapire and Singer: each round adds a threshold of one feature.

    A weak ranker is 1 above a threshold of one feature and 0 up to it. The loss is the exponential loss over all pairs
    of a positive and a negative, and the step is that of the paper. `RankBoost`, which boosts trees, ranks better; this
    is the model of the papers' tables, and it can be read. Labels are any two values. Features may be numbers or
    categories, with missing values.

    Parameters
    ----------
    n_estimators : int, default=30
        Number of rounds; the largest number if there are folds.
    n_folds : int, pair of ints, None or EarlyStopping, default=None
        None trains one booster on all rows, without early stopping. Otherwise the folds for early stopping, as in
        `RankBoost`; after 100 rounds without improvement boosting ends.
    max_bins : int, default=255
        Largest number of bins of a numeric feature, up to 65535. With as many bins as distinct values all thresholds
        are tried.
    categorical_features, monotonic_cst, pos_label
        As in `TreeRank`; no two features interact in any case.
    n_jobs : int or None, default=None
        Threads, at most one per booster; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    team_, trials_, n_iter_, feature_importances_
        As in `RankBoost`.
    validation_curve_, held_out_scores_, held_out_auc_
        As in `RankBoost`, if there are folds.
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import ThresholdRankBoost
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = ThresholdRankBoost().fit(sample.X, sample.y)
    >>> model.n_iter_, model.rank(sample.X[:3]).tolist()
    (30, [2.0, 1.0, 3.0])
    """

    former_parameters: ClassVar = {"n_iter_no_change": Former("n_folds__n_iter_no_change", 100)}
    _patience = 100

    def __init__(
        self,
        n_estimators: int = 30,
        *,
        n_folds: Any = None,
        max_bins: int = 255,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_folds = n_folds
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
    ) -> ThresholdRankBoost:
        """Boost.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are held out together or not at all.
        time : array of shape (n,) or None
            Numbers or dates: rows are judged by what was learned from earlier ones. Not together with `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    def _checked(self, table: Table) -> CodedConstraints | None:
        checked_bins("max_bins", self.max_bins)
        return super()._checked(table)

    @property
    def _most_bins(self) -> int:
        return int(self.max_bins)

    def _kinds(self, n_rows: int) -> list[Boosting]:
        return [Boosting(base="threshold", loss="exponential")]
