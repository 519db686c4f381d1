"""One `TreeEnsemble` operator: a stage of many decision graphs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..program.program import Graph
from .chunks import Chunks
from .onnx_nodes import Nodes

__all__ = ["Ensemble"]

_LEQ, _MEMBER = 0, 6  # modes of a node: value <= split; value among the members
_SUM = 1
_ARRIVED = -1


class Ensemble:
    """Trees with several targets; the last target sums the values, the others are the next chunks.

    Parameters
    ----------
    n_targets : int
    missing_code : mapping from int to float
        What stands for a missing value of a categorical feature.
    """

    def __init__(self, n_targets: int, missing_code: Mapping[int, float]) -> None:
        self.n_targets, self.missing_code = n_targets, missing_code
        self.roots: list[int] = []
        self.mode: list[int] = []
        self.feature: list[int] = []
        self.split: list[float] = []
        self.missing: list[int] = []
        self.members: list[float] = []
        self.child: tuple[list[int], list[int]] = ([], [])  # true, false
        self.is_leaf: tuple[list[int], list[int]] = ([], [])
        self.target: list[int] = []
        self.weight: list[float] = []

    def add(
        self,
        graph: Graph,
        values: np.ndarray,
        chunks: Chunks,
        stage: int,
        states: dict[int, float],
        after: dict[int, float],
        state_feature: int | None,
        target: int | None,
    ) -> None:
        """One stage of a graph as a tree.

        Parameters
        ----------
        graph, values, chunks, stage
            What is walked, and the values of the leaves.
        states, after : dict from node to float
            Numbers of the chunks before and after the stage.
        state_feature : int or None
            Column that holds the number before; None in the first stage.
        target : int or None
            Target for the number after; None where no chunk comes after.
        """
        self.roots.append(len(self.mode))
        starts = set(chunks.starting(stage))
        # what is still to be written: the node and the side that lead there, and what is there, which is one of
        # several chunks (a list) or a child in the graph
        first: list[int] | int = 0 if state_feature is None else [_ARRIVED, *states]
        open_parts: list[tuple[int, int, list[int] | int]] = [(-1, 0, first)]

        def next_chunk(parent: int, side: int, node: int) -> None:
            assert target is not None
            self._leaf(parent, side, target, after[node])

        while open_parts:
            parent, side, what = open_parts.pop()
            if isinstance(what, list) and len(what) > 1:
                assert state_feature is not None
                middle = 1 if what[0] == _ARRIVED else len(what) // 2
                here = self._node(_LEQ, state_feature, states[what[middle]] - 0.5, False)
                open_parts += [(here, 1, what[middle:]), (here, 0, what[:middle])]
            elif isinstance(what, list) and what[0] == _ARRIVED:
                self._leaf(parent, side, self.n_targets - 1, 0.0)
                continue
            elif isinstance(what, list) and what[0] not in starts:  # it waits
                next_chunk(parent, side, what[0])
                continue
            elif isinstance(what, int) and what < 0:
                self._leaf(parent, side, self.n_targets - 1, float(values[~what]))
                continue
            elif isinstance(what, int) and parent >= 0 and what in chunks.stage:
                next_chunk(parent, side, what)
                continue
            else:
                node = what[0] if isinstance(what, list) else what
                here = self._decision(graph, node)
                open_parts += [(here, 1, graph.right[node]), (here, 0, graph.left[node])]
            if parent >= 0:
                self.child[side][parent] = here

    def _decision(self, graph: Graph, node: int) -> int:
        codes = graph.codes[node]
        if codes is None:
            return self._node(_LEQ, graph.feature[node], graph.threshold[node], graph.missing_left[node])
        # onnxruntime joins neighbouring nodes that ask for members without a look at where they send missing values, so
        # "missing" is a code of its own
        missing = [self.missing_code[graph.feature[node]]] if graph.missing_left[node] else []
        self.members += [*map(float, codes), *missing, float("nan")]
        return self._node(_MEMBER, graph.feature[node], 0.0, False)

    def _node(self, mode: int, feature: int, split: float, missing_left: bool) -> int:
        self.mode.append(mode)
        self.feature.append(feature)
        self.split.append(split)
        self.missing.append(int(missing_left))
        for side in (0, 1):
            self.child[side].append(0)
            self.is_leaf[side].append(0)
        return len(self.mode) - 1

    def _leaf(self, parent: int, side: int, target: int, weight: float) -> None:
        self.child[side][parent], self.is_leaf[side][parent] = len(self.target), 1
        self.target.append(target)
        self.weight.append(weight)

    def write(self, nodes: Nodes, source: str) -> str:
        """The operator, added to others; its output has a column per target."""
        tensors = {
            "nodes_splits": nodes.tensor(self.split, "double"),
            "leaf_weights": nodes.tensor(self.weight, "double"),
        }
        tensors["nodes_modes"] = nodes.tensor(self.mode, "uint8")
        if self.members:
            tensors["membership_values"] = nodes.tensor(self.members, "double")
        return nodes.add(
            "TreeEnsemble", [source],
            domain="ai.onnx.ml", n_targets=self.n_targets, aggregate_function=_SUM, post_transform=0,
            tree_roots=self.roots, nodes_featureids=self.feature, nodes_missing_value_tracks_true=self.missing,
            nodes_truenodeids=self.child[0], nodes_trueleafs=self.is_leaf[0],
            nodes_falsenodeids=self.child[1], nodes_falseleafs=self.is_leaf[1],
            leaf_targetids=self.target, **tensors,
        )  # fmt: skip
