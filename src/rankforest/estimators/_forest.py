"""What forests share whichever trees they grow: the groves, the training rows, what is forgotten by a new fit."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from ..data.table import Table
from ..data.training_rows import TrainingRows
from ..forest.sampling import Draw
from ._ranker import TableModel

__all__ = ["Forest"]


class Forest(TableModel):
    """Base of estimators whose trees stand in groves.

    A fit sets `_groves`, `_draw`, `_rows` and `_kept`. The training rows are not stored with the model.
    """

    _groves: list[Any]
    _draw: Draw
    _rows: TrainingRows
    _not_stored: ClassVar[tuple[str, ...]] = ("_rows", "_kept")
    _of_these_trees: ClassVar[tuple[str, ...]] = ()  # attributes that hold for the present trees alone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._not_stored}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_groves")

    @property
    def trees_(self) -> list[Any]:
        """The trees, those of the best kind of splitting first."""
        check_is_fitted(self, "_groves")
        return [tree for grove in self._groves for tree in grove.trees]

    def _check_only_grows(self, n_trees: int, groves: list[Any]) -> int:
        """Trees that there are before the fit; with `warm_start` they stay."""
        grown = sum(len(grove.trees) for grove in groves)
        if grown > n_trees:
            raise ValueError(
                f"n_estimators is {n_trees}, and the forest has {grown} trees already; with warm_start it can only "
                "grow."
            )
        return grown

    def _rows_kept(self) -> TrainingRows:
        check_is_fitted(self, "_groves")
        if not hasattr(self, "_rows"):
            raise AttributeError(
                "This needs the training rows, which a stored forest does not carry along; ask before it is stored, or "
                "fit again."
            )
        return self._rows

    def _drawing(self) -> Draw:
        check_is_fitted(self, "_groves")
        if not self._draw.leaves_rows_out:
            raise ValueError("Every tree has seen every row, so nothing is out of bag; set bootstrap to True.")
        return self._draw

    def _keep(self, measured: dict[str, Any]) -> None:
        for name, value in measured.items():
            setattr(self, name, value)

    def _forget(self) -> None:
        """Drop what was computed from other trees."""
        for name in self._of_these_trees:
            self.__dict__.pop(name, None)

    def _read(self, X: Any) -> Table:
        return self._read_with(X, self.trees_[0])
