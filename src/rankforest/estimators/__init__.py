"""The scikit-learn estimators: thin classes without algorithms."""

from .tree_rank import TreeRank

__all__ = ["TreeRank"]
