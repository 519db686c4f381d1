"""Display of the AUC, or the local AUC, by the number of strata."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..growing.chosen_size import ChosenSize
from ..growing.right_size import CrossValidated
from ..tree.local_pruning import local_auc_along
from ..tree.pruning import pruning_path
from ..words import number
from ._estimator import model_name
from ._figure import pyplot

__all__ = ["PruningDisplay"]


class PruningDisplay:
    """AUC along the pruning path: on the training rows and, if available, cross-validated.

    Parameters
    ----------
    n_leaves : array
        Numbers of leaves: of each subtree of the path, or those that were compared.
    auc : array or None
        AUC of each of them on the training rows.
    source : {"training", "held-out"}
        How the training rows are counted; see `MasterTree.held_out`.
    validated_auc, standard_error : arrays or None
        Cross-validated mean and its standard error; without `auc`, that of its difference to the best.
    chosen : int or None
        Number of leaves of the model.
    top : float
        Share of the list that is optimised; if it is less than 1, the values are local AUCs.

    Examples
    --------
    >>> from rankforest import Pruning, TreeRank
    >>> from rankforest.data import simulate
    >>> from rankforest.plots import PruningDisplay
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = TreeRank(pruning=Pruning("cv", n_folds=3), random_state=0).fit(sample.X, sample.y)
    >>> display = PruningDisplay.from_estimator(model)
    >>> display.source, bool(display.auc[0] > display.validated_auc[0])
    ('held-out', True)
    """

    def __init__(
        self,
        n_leaves: np.ndarray,
        auc: np.ndarray | None,
        *,
        source: str = "training",
        validated_auc: np.ndarray | None = None,
        standard_error: np.ndarray | None = None,
        chosen: int | None = None,
        top: float = 1.0,
    ) -> None:
        self.n_leaves = n_leaves
        self.auc = auc
        self.source = source
        self.validated_auc = validated_auc
        self.standard_error = standard_error
        self.chosen = chosen
        self.top = top

    @classmethod
    def from_estimator(cls, model: Any) -> PruningDisplay:
        """Make the display of a fitted `TreeRank`."""
        one = model.one_tree() if isinstance(model, FittedModel) else None
        if one is None:
            raise TypeError(f"{model_name(model)} has no pruning path; give a fitted TreeRank.")
        path, top = pruning_path(one.grown), model.best_share
        if isinstance(one.pruning, ChosenSize):
            chosen = one.pruning
            return cls(
                chosen.n_strata,
                None,
                validated_auc=chosen.auc,
                standard_error=chosen.standard_error,
                chosen=int(chosen.n_strata[chosen.chosen]),
                top=top,
            )
        validated = one.pruning if isinstance(one.pruning, CrossValidated) else None
        mass = path.tree.leaf_mass
        return cls(
            path.n_leaves,
            path.auc if top == 1.0 else local_auc_along(path, mass, path.lambdas, top),
            source=path.tree.source,
            validated_auc=None if validated is None else validated.auc,
            standard_error=None if validated is None else validated.standard_error,
            chosen=one.tree.n_leaves,
            top=top,
        )

    def plot(self, ax: Any = None) -> PruningDisplay:
        """Draw the curves; `ax_` and `figure_` are the axes and the figure."""
        if ax is None:
            _, ax = pyplot().subplots(layout="constrained")
        label = "training rows" if self.source == "training" else "training rows, routed held-out"
        if self.auc is not None:
            ax.step(self.n_leaves, self.auc, where="mid", color="0.6", label=label)
        if self.validated_auc is not None and self.standard_error is not None:
            ax.plot(self.n_leaves, self.validated_auc, marker="o", markersize=3, color="C0", label="cross-validated")
            low, high = self.validated_auc - self.standard_error, self.validated_auc + self.standard_error
            error = "± one standard error" + ("" if self.auc is not None else " of the difference to the best")
            ax.fill_between(self.n_leaves, low, high, color="C0", alpha=0.2, linewidth=0, label=error)
        if self.chosen is not None:
            ax.axvline(self.chosen, color="C3", linestyle="--", linewidth=1, label=f"chosen: {self.chosen}")
        ax.set_xscale("log")
        ticks = [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= 1.5 * self.n_leaves.max()]
        ax.set_xticks(ticks, labels=[str(k) for k in ticks])
        ax.minorticks_off()
        ax.set(
            xlabel="number of strata",
            ylabel="AUC" if self.top == 1.0 else f"local AUC of the best {number(self.top, 3)}",
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
