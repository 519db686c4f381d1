"""Thin scikit-learn classes; no algorithm lives here."""

from .tree_rank import TreeRank

__all__ = ["TreeRank"]
