"""Exact ranks of all rows, which need the scores of all partitions."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from ._collections import is_array, rows_of
from ._graph import Graph
from ._steps import Sketch, Steps, merge_sketches, merge_steps, steps_of
from .scoring import blocks_of

__all__ = ["lazy_ranks"]

_PARTITIONS_PER_RANGE = 16
_MOST_RANGES = 16


def lazy_ranks(scores: Any, *, few: bool) -> Any:
    """Exact mid-ranks of all rows, 1 is the best: equal to `scipy.stats.rankdata` of the negative scores.

    Parameters
    ----------
    scores : Dask array or series
    few : bool
        Whether the scores have few distinct values. Then one table of them goes to every partition; otherwise the
        scores are sorted in ranges, and each range sends the ranks back.
    """
    parts = rows_of(scores, "scores")
    graph = Graph(parts)
    distinct = [graph.add(_distinct, part) for part in parts]
    n_ranges = 1 if few else min(-(-len(parts) // _PARTITIONS_PER_RANGE), _MOST_RANGES)
    if n_ranges == 1:
        table = graph.add_reduction(merge_steps, distinct)
        ranks = [graph.add(_ranks_in, part, table) for part in parts]
    else:
        ranks = _ranks_of_ranges(graph, parts, distinct, n_ranges)
    if is_array(scores):
        return blocks_of(graph.tasks(ranks), scores.chunks[0], np.empty(0))
    meta = pd.Series(np.empty(0), scores._meta.index[:0], name="rank")
    indexed = graph.tasks([graph.add(_with_index, key, part) for key, part in zip(ranks, parts)])
    return dd.from_delayed(indexed, meta=meta, divisions=scores.divisions, verify_meta=False)


def _ranks_of_ranges(graph: Graph, parts: list[Any], distinct: list[Any], n_ranges: int) -> list[Any]:
    """Ranks by a distributed sort: to each range go the distinct scores of all partitions, and back go their ranks."""
    borders = graph.add(_borders, [graph.add(Steps.sketch, steps) for steps in distinct], n_ranges)
    split = [graph.add_each(graph.add(_split, steps, borders, n_ranges), n_ranges) for steps in distinct]
    pieces = [list(piece) for piece in zip(*split)]  # by range, then by partition
    tables = [graph.add_reduction(merge_steps, piece) for piece in pieces]
    above = graph.add_each(graph.add(_above, [graph.add(_mass, table) for table in tables]), n_ranges)
    ranks = [
        graph.add_each(graph.add(_ranks_of_pieces, piece, table, start), len(parts))
        for piece, table, start in zip(pieces, tables, above)
    ]
    return [
        graph.add(_ranks_of_rows, part, steps, list(of_part)) for part, steps, *of_part in zip(parts, distinct, *ranks)
    ]


def _distinct(scores: Any) -> Steps:
    values = np.asarray(scores, dtype=np.float64)
    return steps_of(values, np.zeros(len(values), dtype=np.intp), 1)


def _midranks(table: Steps, above: float = 0.0) -> np.ndarray:
    """Rank of each distinct score of a range, given the number of rows above the range."""
    counts = table.mass[:, 0]
    return above + counts[::-1].cumsum()[::-1] - 0.5 * (counts - 1.0)


def _ranks_in(scores: Any, table: Steps) -> np.ndarray:
    return _midranks(table)[np.searchsorted(table.score, np.asarray(scores))]


def _borders(sketches: list[Sketch], n_ranges: int) -> np.ndarray:
    return merge_sketches(sketches).borders(n_ranges)


def _split(steps: Steps, borders: np.ndarray, n_ranges: int) -> list[Steps]:
    """Exactly as many ranges as tasks were planned for; the last ones are empty if there are fewer distinct scores."""
    ranges = steps.split(borders)
    return ranges + [Steps(steps.score[:0], steps.mass[:0])] * (n_ranges - len(ranges))


def _mass(table: Steps) -> float:
    return float(table.mass.sum())


def _above(masses: list[float]) -> list[float]:
    """Number of rows above each range."""
    return [sum(masses[r + 1 :]) for r in range(len(masses))]


def _ranks_of_pieces(pieces: list[Steps], table: Steps, above: float) -> list[np.ndarray]:
    ranks = _midranks(table, above)
    return [ranks[np.searchsorted(table.score, piece.score)] for piece in pieces]


def _ranks_of_rows(scores: Any, steps: Steps, ranks: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(ranks)[np.searchsorted(steps.score, np.asarray(scores))]


def _with_index(ranks: np.ndarray, scores: pd.Series) -> pd.Series:
    return pd.Series(ranks, scores.index, name="rank")
