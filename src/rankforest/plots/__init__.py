"""Displays: they compute the curves, keep the arrays, and draw when asked."""

from rankforest.plots.beeswarm_display import BeeswarmDisplay
from rankforest.plots.dependence_display import DependenceDisplay
from rankforest.plots.gains_display import GainsDisplay
from rankforest.plots.local_display import LocalAucDisplay, LocalRocDisplay
from rankforest.plots.points_display import PointsDisplay
from rankforest.plots.pruning_display import PruningDisplay
from rankforest.plots.roc_bands_display import RocBandsDisplay
from rankforest.plots.roc_display import RocDisplay
from rankforest.plots.shapes_display import ShapesDisplay
from rankforest.plots.total_display import TotalDisplay
from rankforest.plots.tree_display import TreeDisplay, plot_tree
from rankforest.plots.waterfall_display import WaterfallDisplay

__all__ = [
    "BeeswarmDisplay",
    "DependenceDisplay",
    "GainsDisplay",
    "LocalAucDisplay",
    "LocalRocDisplay",
    "PointsDisplay",
    "PruningDisplay",
    "RocBandsDisplay",
    "RocDisplay",
    "ShapesDisplay",
    "TotalDisplay",
    "TreeDisplay",
    "WaterfallDisplay",
    "plot_tree",
]
