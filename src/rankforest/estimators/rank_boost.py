"""RankBoost as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, ClassVar

from ..boosting.kinds import AUTO, candidates
from ..boosting.rounds import Boosting
from ..data.options import Former
from ._booster import Booster
from .registry import register

__all__ = ["RankBoost"]


@register("boost")
class RankBoost(Booster):
    """Boosting for ranking: small trees, each of which corrects the order of the trees before it.

    Several boosters are trained in parallel, each on all rows except those of one fold. Early stopping chooses the
    round with the greatest mean AUC on the held-out rows. Up to 10 000 rows four kinds of trees are boosted in this
    way, from smooth to fine, and the kinds that together rank the held-out rows best are combined. Beyond that, kinds
    from coarse to fine, and symmetric trees, run a race of a few rounds; the winner and the runner-up share the folds.
    So there is nothing to tune. The AUC and the probabilities come from held-out scores. Labels are any two values.
    Features may be numbers or categories, with missing values.

    The three parameters that matter most are `n_folds` (fewer are faster), `learning_rate` and `n_estimators`.

    Parameters
    ----------
    n_estimators : int, default=400
        Most rounds.
    loss, max_leaf_nodes, max_features, cuts, min_samples_leaf, l2
        These parameters define a kind of trees. For those that are "auto", several values are tried; a given value
        holds for all kinds.
    loss : {"auto", "log_loss", "logistic", "exponential"}, default="auto"
        The loss. "logistic" and "exponential" are sums over all pairs of a positive and a negative, of log(1 + exp(-d))
        and exp(-d), with d the difference of their margins. A round costs no more than with the pointwise loss
        "log_loss". All three have the same optimal order.
    max_leaf_nodes : int, None or "auto", default="auto"
        Largest number of leaves of a tree; the cut with the largest gain is made first.
    max_features : None, "sqrt", "log2", int, float or "auto", default="auto"
        Features drawn at every node of a tree.
    cuts : {"auto", "best", "random"}, default="auto"
        The best cut of each of these features, or a random one.
    min_samples_leaf : int or "auto", default="auto"
        Smallest number of rows of a leaf.
    l2 : float or "auto", default="auto"
        L2 regularisation: added to the second derivative of every leaf, it shrinks small leaves towards 0.
    learning_rate : float or "auto", default="auto"
        Shrinkage: the share of the Newton step that a tree takes. "auto" is 0.1, and 0.2 for the finest kinds.
    subsample : float or "auto", default="auto"
        Share of the rows that each tree is trained on; "auto" is 0.7 up to 10 000 rows and 0.85 beyond.
    n_folds : "auto", int, pair of ints, None or EarlyStopping, default="auto"
        Number of folds, and of boosters; at most as many as the rarer class has rows. A pair is (folds, repeats): the
        rows are split into folds several times, with as many more boosters. With a single number there are 3 repeats (2
        beyond 2000 rows) if the rarer class has fewer than 200 rows, because the choice of rounds and kinds would be
        too noisy, and otherwise 1. None trains one booster on all rows, without early stopping. "auto" is 5 up to
        10 000 rows and for a rare class, then 10, or 5 again if the AUC is above .95. Beyond 50 000 rows (5000 of the
        rarer class) only 5 of the 10 boosters are trained, beyond 250 000 rows 3. If one kind is best by far, 2
        will do: beyond 250 000 rows, and beyond 50 000 if its trees have 255 leaves or more.
        Early stopping: boosting ends after 30 rounds, plus a quarter of the best number of rounds, without a better
        AUC, or if the last third of the rounds has raised the AUC by less than 0.0005 (0.001 for the several kinds of a
        small table). `EarlyStopping(n_iter_no_change=10)` sets the 30.
    categorical_features, pos_label
        As in `TreeRank`.
    monotonic_cst : array of -1, 0 and 1, dict of them by name, Constraints, or None, default=None
        As in `TreeRank`: directions of features, orders of categories and, with `Constraints`, which features may
        interact. Every tree, every booster and so the score keep them.
    n_jobs : int or None, default=None
        Threads, at most one per booster; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of folds, rows and features.

    Attributes
    ----------
    team_ : Team
        The trees.
    trials_ : tuple of BoostingTrial
        The kinds of trees that were tried: rounds, held-out AUC, and weight in the model; the greatest weight first.
    n_iter_ : int
        Largest number of rounds of a kind.
    validation_curve_ : array
        Mean AUC on the held-out rows after each round, of the first kind of `trials_`.
    held_out_scores_ : array of shape (n,)
        Score of each training row by the boosters that were not trained on it; NaN if all were, or if its weight is 0.
    held_out_auc_ : float
        AUC of these scores; slightly optimistic, because rounds and kinds were chosen by it.
    feature_importances_ : array
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import RankBoost
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = RankBoost(100, n_folds=4, random_state=0).fit(sample.X, sample.y)
    >>> round(model.held_out_auc_, 1)
    0.8
    >>> model.rank(sample.X[:3])
    array([2., 1., 3.])
    """

    former_parameters: ClassVar = {"n_iter_no_change": Former("n_folds__n_iter_no_change", 30)}
    _patience = 30

    def __init__(
        self,
        n_estimators: int = 400,
        *,
        loss: str = AUTO,
        max_leaf_nodes: Any = AUTO,
        max_features: Any = AUTO,
        cuts: str = AUTO,
        min_samples_leaf: Any = AUTO,
        l2: Any = AUTO,
        learning_rate: Any = AUTO,
        subsample: Any = AUTO,
        n_folds: Any = AUTO,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.loss = loss
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.cuts = cuts
        self.min_samples_leaf = min_samples_leaf
        self.l2 = l2
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.n_folds = n_folds
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> RankBoost:
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

    def _kinds(self, n_rows: int) -> list[Boosting]:
        names = (
            "loss",
            "max_leaf_nodes",
            "max_features",
            "cuts",
            "min_samples_leaf",
            "l2",
            "learning_rate",
            "subsample",
        )
        return candidates({name: getattr(self, name) for name in names}, n_rows)
