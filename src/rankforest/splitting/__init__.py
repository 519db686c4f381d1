"""How one cell is cut in two."""

from .leafrank import LeafRank

__all__ = ["LeafRank"]
