"""Splitting rules: how one cell is cut in two."""

from .dyadic import Dyadic
from .leafrank import LeafRank
from .weighted_erm import WeightedERM

__all__ = ["Dyadic", "LeafRank", "WeightedERM"]
