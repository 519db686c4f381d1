"""Displays: they compute, keep the arrays, and draw on demand."""

from rankforest.plots.pruning import PruningDisplay
from rankforest.plots.roc import RocDisplay

__all__ = ["PruningDisplay", "RocDisplay"]
