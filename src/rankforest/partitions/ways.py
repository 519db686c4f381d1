"""The three ways to grow trees on partitions, and the choice between them by size."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from ..data.parameters import chosen
from .bags import Bags
from .histograms import Histograms
from .spread import Spread
from .spread_sample import Way
from .trees import Trees

__all__ = ["WAYS", "choose_way", "make_way"]

WAYS: dict[str, Callable[[Spread], Way]] = {"trees": Trees, "bags": Bags, "histograms": Histograms}

log = logging.getLogger("rankforest.partitions")

_SHARE = 0.5  # of the memory of a worker, for rows
_COPIES = 3  # of the rows of a tree while it grows: as they came, and the two planes of the grower
_USUAL_MEMORY = 2 << 30  # bytes of a worker whose memory is not known


def choose_way(
    n_rows: int, n_features: int, code_bytes: int, worker_memory: int | None, *, tree_rows: int | None = None
) -> str:
    """The way for a table of this size: the first of "trees", "bags" and "histograms" that fits a worker.

    Parameters
    ----------
    n_rows, n_features : int
        Of the whole table.
    code_bytes : int
        Bytes of a code, 1 or 2.
    worker_memory : int or None
        Bytes that a worker may use; None if unknown.
    tree_rows : int or None
        Rows that are drawn for one tree; None is all.

    Examples
    --------
    >>> [choose_way(n, 40, 1, 8 << 30, tree_rows=10_000_000) for n in (1_000_000, 100_000_000)]
    ['trees', 'bags']
    >>> choose_way(1_000_000_000, 40, 1, 8 << 30)
    'histograms'
    """
    row = n_features * code_bytes + 9  # with label and weight
    of_tree = _COPIES * row * min(n_rows, n_rows if tree_rows is None else tree_rows)
    room = _SHARE * (_USUAL_MEMORY if worker_memory is None else worker_memory)
    return "trees" if n_rows * row + of_tree <= room else "bags" if of_tree <= room else "histograms"


def make_way(spread: Spread, way: str | None, tree_rows: int | None = None) -> Way:
    """The way that is asked for, or the one that suits the size; the log says which."""
    n_rows, bins, memory = spread.n_rows, spread.bins, spread.engine.worker_memory
    code_bytes = np.dtype(bins.code_dtype).itemsize
    if way is None:
        name = choose_way(n_rows, bins.n_features, code_bytes, memory, tree_rows=tree_rows)
    else:
        name = list(WAYS)[chosen("way", way, tuple(WAYS))]
    log.info(
        "%s rows of %s features in %d partitions are %.1f MB of codes; way %r, %s.",
        n_rows, bins.n_features, len(spread.parts), n_rows * bins.n_features * code_bytes / 1e6, name,
        "chosen by size" if way is None else "as asked for",
    )  # fmt: skip
    return WAYS[name](spread)
