"""Options of the pruning of a grown tree."""

from __future__ import annotations

from ..data.options import Options
from ..data.parameters import at_least
from ..data.storable import storable

__all__ = ["Pruning"]


@storable
class Pruning(Options):
    """Pruning of a grown tree. The short form ``pruning="cv"`` means ``Pruning("cv")``.

    Parameters
    ----------
    method : {"cv", "cv-1se", "structural", "depth"} or None
        "cv" keeps the subtree that is best in cross-validation, "cv-1se" the smallest one within a standard error of
        it. "structural", for `TreeRank` and `RankingForest`, keeps the subtree that maximises AUC minus a penalty on
        the number of strata. "depth", for `OrdinalRankingTree`, keeps the depth that is best in cross-validation. None
        does not prune.
    n_folds : int or "auto", default="auto"
        Folds of the cross-validation. "auto" is 10 for `TreeRank` and `RankingForest`, and 5 for the inner trees of
        `LeafRank` and for `OrdinalRankingTree`.
    penalty : float or "auto", default="auto"
        Constant of the structural penalty; "auto" is the least one that prunes trees grown on shuffled labels to their
        root.

    Examples
    --------
    >>> from rankforest import Pruning, TreeRank
    >>> model = TreeRank(pruning=Pruning("cv", n_folds=5))
    >>> model
    TreeRank(pruning=Pruning(method='cv', n_folds=5))
    >>> model.set_params(pruning="cv-1se", pruning__n_folds=3).pruning
    Pruning(method='cv-1se', n_folds=3)
    """

    def __init__(self, method: str | None, *, n_folds: int | str = "auto", penalty: float | str = "auto") -> None:
        self.method = method
        self.n_folds = n_folds
        self.penalty = penalty

    def check(self, methods: tuple[str, ...], whose: str = "pruning") -> None:
        """Raise ValueError if a parameter is invalid for a model with these methods."""
        if self.method is not None and self.method not in methods:
            *first, last = ("None", *map(repr, methods))
            raise ValueError(f"{whose} is {self.method!r}; choose {', '.join(first)} or {last}, or give a Pruning.")
        if self.n_folds != "auto":
            at_least(f"n_folds of {whose}", self.n_folds, 2)
        given = self.penalty != "auto"
        if given and not (isinstance(self.penalty, (int, float)) and self.penalty >= 0):
            raise ValueError(f"penalty of {whose} is {self.penalty!r}; give 'auto' or a number of at least 0.")
        if given and "structural" not in methods:
            raise ValueError(f"penalty of {whose} is {self.penalty!r}, and there is none here; leave it 'auto'.")

    def folds(self, usual: int) -> int:
        """Number of folds; `usual` is the value of "auto"."""
        return usual if self.n_folds == "auto" else int(self.n_folds)
