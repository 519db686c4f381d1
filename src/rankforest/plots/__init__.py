"""Displays: they compute, keep the arrays, and draw on demand."""

from rankforest.plots.roc import RocDisplay

__all__ = ["RocDisplay"]
