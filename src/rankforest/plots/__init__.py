"""Displays: they compute the curves, keep the arrays, and draw when asked."""

from rankforest.plots.dependence_display import DependenceDisplay
from rankforest.plots.gains_display import GainsDisplay
from rankforest.plots.local_display import LocalAucDisplay, LocalRocDisplay
from rankforest.plots.pruning_display import PruningDisplay
from rankforest.plots.roc_bands_display import RocBandsDisplay
from rankforest.plots.roc_display import RocDisplay
from rankforest.plots.tree_display import TreeDisplay, plot_tree

__all__ = [
    "DependenceDisplay",
    "GainsDisplay",
    "LocalAucDisplay",
    "LocalRocDisplay",
    "PruningDisplay",
    "RocBandsDisplay",
    "RocDisplay",
    "TreeDisplay",
    "plot_tree",
]
