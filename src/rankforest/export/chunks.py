"""A decision graph cut into small trees (chunks) that are walked in stages.

A target with nested decisions only would have to copy every node that several paths lead to, and a ranking tree's graph
would unfold to thousands of times its size. So every node with several parents starts its own tree, a chunk. A row
passes at most one chunk per stage, and carries the number of its next chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..program.program import Graph

__all__ = ["Chunks", "cut"]


@dataclass(frozen=True)
class Chunks:
    """The first nodes of the chunks, and the stages in which they are walked.

    Attributes
    ----------
    stage : dict from node to int
        Stage, from 0, of the chunk that begins at a node; later than that of every chunk that leads to it.
    entered : dict from node to int
        The first stage after which a row can have it as its next chunk.
    n_stages : int
    """

    stage: dict[int, int]
    entered: dict[int, int]
    n_stages: int

    def starting(self, stage: int) -> list[int]:
        """Nodes whose chunks are walked in a stage."""
        return [node for node, when in self.stage.items() if when == stage]

    def waiting(self, stage: int) -> list[int]:
        """Nodes of later chunks that a row can have arrived at before this stage."""
        return [node for node, when in self.stage.items() if when > stage > self.entered[node]]


def cut(graph: Graph, max_depth: int | None = None) -> Chunks:
    """Cut a graph into chunks.

    Parameters
    ----------
    graph : Graph
    max_depth : int or None
        Most decisions in a row inside a chunk.

    Examples
    --------
    >>> graph = Graph((0, 0, 1), (1.0, 2.0, 3.0), (None,) * 3, (False,) * 3, (2, 2, ~0), (1, ~1, ~2), 3)
    >>> cut(graph).stage
    {0: 0, 2: 1}
    """
    if graph.n_nodes == 0:
        return Chunks({}, {}, 0)
    n_parents = [0] * graph.n_nodes
    for child in (*graph.left, *graph.right):
        if child >= 0:
            n_parents[child] += 1
    stage, entered = {0: 0}, {0: -1}
    stage_of, depth = [0] * graph.n_nodes, [0] * graph.n_nodes
    for node in range(graph.n_nodes):  # parents come before children
        if node in stage:
            stage_of[node] = stage[node]
        for child in (graph.left[node], graph.right[node]):
            if child < 0:
                continue
            if n_parents[child] > 1 or depth[node] + 1 == max_depth:
                stage[child] = max(stage.get(child, 0), stage_of[node] + 1)
                entered[child] = min(entered.get(child, stage_of[node]), stage_of[node])
            else:
                stage_of[child], depth[child] = stage_of[node], depth[node] + 1
    return Chunks(stage, entered, 1 + max(stage.values()))
