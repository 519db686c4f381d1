"""When boosting ends: the folds that judge it, and its patience."""

from __future__ import annotations

from typing import Any

from ..data.options import Options
from ..data.parameters import at_least
from ..data.storable import storable
from .kinds import AUTO

__all__ = ["EarlyStopping"]


@storable
class EarlyStopping(Options):
    """Folds and patience of a booster, for its parameter `n_folds`. The short form is the folds alone.

    Parameters
    ----------
    n_folds : "auto", int, pair of ints or None, default="auto"
        Folds, or folds and number of splits into folds. None trains one booster on all rows, without early stopping.
    n_iter_no_change : "auto" or int, default="auto"
        Boosting ends after this many rounds, plus a quarter of the best number of rounds, without a better AUC. "auto"
        is 30 for `RankBoost` and 100 for `ThresholdRankBoost`.

    Examples
    --------
    >>> from rankforest import EarlyStopping, RankBoost
    >>> RankBoost(n_folds=EarlyStopping(5, n_iter_no_change=10))
    RankBoost(n_folds=EarlyStopping(n_folds=5, n_iter_no_change=10))
    >>> RankBoost(n_folds=5).set_params(n_folds__n_iter_no_change=10).n_folds.n_folds
    5
    """

    def __init__(self, n_folds: Any = AUTO, *, n_iter_no_change: Any = AUTO) -> None:
        self.n_folds = n_folds
        self.n_iter_no_change = n_iter_no_change

    @property
    def is_auto(self) -> bool:
        """Whether the number of rows decides on the folds."""
        return isinstance(self.n_folds, str) and self.n_folds == AUTO

    def patience(self, usual: int) -> int:
        """Rounds without a better AUC; `usual` is what "auto" means."""
        auto = isinstance(self.n_iter_no_change, str) and self.n_iter_no_change == AUTO
        return usual if auto else at_least("n_iter_no_change", self.n_iter_no_change, 1)

    def check(self) -> None:
        """Raise ValueError if a parameter is invalid."""
        self.patience(1)
        folds, repeats = self.n_folds, 1
        pair = isinstance(folds, (tuple, list))
        if (pair and len(folds) != 2) or (isinstance(folds, str) and not self.is_auto):
            raise ValueError(f"n_folds is {folds!r}; give 'auto', None, a number of folds, or a pair (folds, repeats).")
        if pair:
            folds, repeats = folds
            at_least("The first number of n_folds", folds, 2)
        elif folds is not None and not self.is_auto:
            at_least("n_folds", folds, 2)
        at_least("The second number of n_folds", repeats, 1)
