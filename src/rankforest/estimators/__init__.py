"""The scikit-learn estimators, thin classes without algorithms. ``fitted_model.py`` is their common protocol."""

from .tree_rank import TreeRank

__all__ = ["TreeRank"]
