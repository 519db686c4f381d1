"""The fitted tree: pruning, rules, strata, importance, explanations of a row."""

from .ranking_tree import RankingTree
from .text import export_text

__all__ = ["RankingTree", "export_text"]
