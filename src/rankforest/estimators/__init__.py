"""Thin scikit-learn classes; no algorithm lives here. ``fitted_model.py`` is the protocol of them all."""

from .tree_rank import TreeRank

__all__ = ["TreeRank"]
