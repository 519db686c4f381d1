"""The frozen tree and how it reads: pruning, rules, strata, importance, why a row is where it is."""

from .ranking_tree import RankingTree
from .text import export_text

__all__ = ["RankingTree", "export_text"]
