"""How one cell is cut in two."""

from .dyadic import Dyadic
from .leafrank import LeafRank

__all__ = ["Dyadic", "LeafRank"]
