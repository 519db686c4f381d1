"""Displays: they compute, keep the arrays, and draw on demand."""

from rankforest.plots.bands import RocBandsDisplay
from rankforest.plots.dependence import DependenceDisplay
from rankforest.plots.gains import GainsDisplay
from rankforest.plots.local import LocalAucDisplay, LocalRocDisplay
from rankforest.plots.pruning import PruningDisplay
from rankforest.plots.roc import RocDisplay
from rankforest.plots.tree import TreeDisplay, plot_tree

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
