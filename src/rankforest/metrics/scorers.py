"""Metrics of the top as scikit-learn scorers, for ``GridSearchCV(scoring=...)`` and ``cross_validate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from numpy.typing import ArrayLike

from rankforest.metrics import linear_rank, local, roc, separation
from rankforest.metrics._inputs import check_share
from rankforest.metrics._responses import score_rows

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRequest

__all__ = ["RankingScorer", "get_scorer", "get_scorers", "local_auc_scorer"]


class _Known(NamedTuple):
    metric: Callable[..., Any]
    by_share: bool
    sign: int = 1
    weighted: bool = True


_KNOWN = {
    "local_auc": _Known(local.local_auc, by_share=True),
    "relative_local_auc": _Known(local.relative_local_auc, by_share=True),
    "recall": _Known(local.recall_at, by_share=True),
    "hit_ratio": _Known(local.hit_ratio, by_share=True),
    "partial_auc": _Known(local.partial_auc, by_share=True),
    "w_ranking": _Known(linear_rank.w_ranking, by_share=True),
    "neg_local_risk": _Known(local.local_risk, by_share=True, sign=-1),
    "neg_local_ranking_error": _Known(local.local_ranking_error, by_share=True, sign=-1),
    "neg_mass_constrained_error": _Known(local.mass_constrained_error, by_share=True, sign=-1),
    "roc_auc": _Known(roc.roc_auc, by_share=False),
    "gini": _Known(separation.gini, by_share=False),
    "average_precision": _Known(roc.average_precision, by_share=False),
    "ndcg": _Known(linear_rank.ndcg, by_share=False, weighted=False),
    "tail_strength": _Known(linear_rank.tail_strength, by_share=False),
}


class RankingScorer:
    """A metric as a scorer: called with a fitted estimator, rows and labels, it gives a number, higher is better.

    Make it with :func:`get_scorer` or :func:`local_auc_scorer`. It takes any binary estimator that has
    ``score_samples`` (ranking trees and forests), ``decision_function`` or ``predict_proba``. It can be pickled, and
    prints as the call that makes it.

    Parameters
    ----------
    name : str
        Name of the metric, with its share where it has one.
    pos_label : label, optional
        The label to put at the top; without it, the one that the estimator puts there.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> RankingScorer("local_auc@0.25")(LogisticRegression().fit(X, y), X, y)
    0.5
    """

    def __init__(self, name: str, *, pos_label: object = None) -> None:
        self._known, self._share = _read(name)
        self.name = name
        self.pos_label = pos_label
        self._weight_request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score the rows with the estimator and compute the metric.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
        >>> get_scorer("roc_auc")(LogisticRegression().fit(X, y), X, y, sample_weight=[1, 1, 0, 1])
        1.0
        """
        known = self._known
        options: dict[str, Any] = {}
        if self._share is not None:
            options["u"] = self._share
        if sample_weight is not None:
            if not known.weighted:
                raise ValueError(f"{self.name} counts positions and takes no sample_weight; leave it out.")
            options["sample_weight"] = sample_weight
        score, pos_label = score_rows(estimator, X, self.pos_label)
        return known.sign * float(known.metric(y_true, score, pos_label=pos_label, **options))

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Request sample weights from scikit-learn's metadata routing.

        Parameters
        ----------
        sample_weight : bool, str or None
            True to be given them, a name to be given what was passed under it, as in
            ``cross_validate(..., params={"sample_weight": w})`` with ``enable_metadata_routing=True``.

        Examples
        --------
        >>> local_auc_scorer(0.1).set_score_request(sample_weight=True)
        get_scorer('local_auc@0.1')
        """
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """The request made with :meth:`set_score_request`, in the form of scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest  # keeps the import of the metrics fast

        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def __repr__(self) -> str:
        label = "" if self.pos_label is None else f", pos_label={self.pos_label!r}"
        return f"get_scorer({self.name!r}{label})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankingScorer) and (self.name, self.pos_label) == (other.name, other.pos_label)

    def __hash__(self) -> int:
        return hash((self.name, self.pos_label))


def get_scorer(name: str, *, pos_label: object = None) -> RankingScorer:
    """The scorer of that name, such as ``"local_auc@0.1"``: the metric, an @, and the share of the list.

    Parameters
    ----------
    name : str
        ``"local_auc@u"``, ``"relative_local_auc@u"``, ``"recall@u"``, ``"hit_ratio@u"``, ``"partial_auc@u"``,
        ``"w_ranking@u"``, ``"neg_local_risk@u"``, ``"neg_local_ranking_error@u"``, ``"neg_mass_constrained_error@u"``
        with u a number in (0, 1], or ``"roc_auc"``, ``"gini"``, ``"average_precision"``, ``"ndcg"``,
        ``"tail_strength"``. Errors come with a minus sign, as in scikit-learn: higher is better.
    pos_label : label, optional
        The label to put at the top; without it, the one that the estimator puts there.

    Returns
    -------
    RankingScorer

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=get_scorer("local_auc@0.1"))
    >>> search.fit(sample.X, sample.y).best_params_
    {'C': 0.01}
    """
    return RankingScorer(name, pos_label=pos_label)


def get_scorers(*names: str, pos_label: object = None) -> dict[str, RankingScorer]:
    """Several scorers by name, for ``GridSearchCV(scoring=...)`` and ``cross_validate``.

    Parameters
    ----------
    *names : str
        As in :func:`get_scorer`.
    pos_label : label, optional
        The label to put at the top; without it, the one that the estimator puts there.

    Returns
    -------
    dict of RankingScorer

    Examples
    --------
    >>> list(get_scorers("roc_auc", "local_auc@0.1"))
    ['roc_auc', 'local_auc@0.1']
    """
    return {name: get_scorer(name, pos_label=pos_label) for name in names}


def local_auc_scorer(u: float, *, pos_label: object = None) -> RankingScorer:
    """The scorer of :func:`local_auc` at the share ``u`` of the list.

    Parameters
    ----------
    u : float
        Share of the list, in (0, 1].
    pos_label : label, optional
        The label to put at the top; without it, the one that the estimator puts there.

    Returns
    -------
    RankingScorer

    Examples
    --------
    >>> local_auc_scorer(0.1)
    get_scorer('local_auc@0.1')
    """
    return get_scorer(f"local_auc@{float(u)!r}", pos_label=pos_label)


def _read(name: str) -> tuple[_Known, float | None]:
    metric, at, text = str(name).partition("@")
    known = _KNOWN.get(metric)
    if known is None or known.by_share != bool(at):
        choice = ", ".join(repr(f"{key}@0.1" if entry.by_share else key) for key, entry in _KNOWN.items())
        raise ValueError(f"There is no scorer {name!r}; pass one of {choice}.")
    if not at:
        return known, None
    try:
        share = float(text)
    except ValueError:
        raise ValueError(
            f"{name!r} has no number after the @; pass a share of the list, such as '{metric}@0.1'."
        ) from None
    return known, float(check_share(share))
