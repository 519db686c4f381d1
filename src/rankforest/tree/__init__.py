"""The frozen model and how it reads."""

from .ranking_tree import RankingTree
from .text import export_text

__all__ = ["RankingTree", "export_text"]
