"""Displays: they compute, keep the arrays, and draw on demand."""

from rankforest.plots.bands import RocBandsDisplay
from rankforest.plots.dependence import DependenceDisplay
from rankforest.plots.pruning import PruningDisplay
from rankforest.plots.roc import RocDisplay
from rankforest.plots.tree import TreeDisplay, plot_tree

__all__ = ["DependenceDisplay", "PruningDisplay", "RocBandsDisplay", "RocDisplay", "TreeDisplay", "plot_tree"]
