"""Export to ONNX: a graph that onnxruntime scores rows with.

Trees are `TreeEnsemble` operators of ai.onnx.ml 5, all in double precision, so that every row takes the same branches.
The operator supports trees only. So a forest is walked in stages (`chunks.py`): one operator walks one stage of all
trees, and passes the next chunk of each tree to the next operator, in one column per tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.sums import LARGEST_PART
from ..extras import needed
from ..program.errors import ExportError
from ..program.program import Combination, Expression, Graph, Linear, Logit, Piecewise, Program, Squash, TreeSum
from .chunks import Chunks, cut
from .model import program_of
from .onnx_nodes import Nodes
from .onnx_trees import Ensemble

__all__ = ["to_onnx"]

_OPSET, _ML_OPSET, _IR_VERSION = 18, 5, 10


def to_onnx(model: Any) -> Any:
    """The model as an `onnx.ModelProto`, with the outputs of the SQL export, each of shape [N].

    Where all features are numbers there is one input ``X`` of shape [N, q] in double precision, the columns in the
    order of the fit. Otherwise there is an input of shape [N, 1] for every column, called as the column is: text for
    categories that are texts, double precision for all others (booleans are 0 and 1). NaN is a missing number; a
    missing text is any text that is not a category, for instance the empty one. A row with an infinite number, which
    the model refuses, has the score NaN.

    Parameters
    ----------
    model : fitted estimator

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> graph = to_onnx(TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])).graph
    >>> [one.name for one in graph.input], [one.name for one in graph.output]
    (['X'], ['score', 'stratum', 'probability'])
    """
    return onnx_model(program_of(model))


def onnx_model(program: Program) -> Any:
    """The same for a program."""
    needed("onnx", "The ONNX export needs", "export")
    writer = _Writer(program)
    for name, part in program.outputs.items():
        writer.nodes.add("Reshape", [writer.unless_refused(part), writer.nodes.integers([-1])], name)
    return writer.nodes.model(
        inputs=writer.inputs,
        outputs=list(program.outputs),
        opsets={"": _OPSET, "ai.onnx.ml": _ML_OPSET},
        ir_version=_IR_VERSION,
        description=f"Scores of a {program.model}: higher is better.",
        about={"constraints": "\n".join(program.constraints)} if program.constraints else {},
    )


class _Writer:
    """Adds operators; every expression becomes the name of a [N, 1] tensor."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.inputs: list[tuple[str, str, int]] = []  # name, type, columns
        names = [feature.name for feature in program.features]
        self.nodes = Nodes(taken=[*names, "X"])
        for name in names:
            if name in program.outputs or not name or _has_surrogate(name):
                raise ExportError(f"A column is called {name!r}, which an ONNX input cannot be here; rename it.")
        self.missing_code = {
            j: float(len(feature.categories)) for j, feature in enumerate(program.features) if feature.categories
        }
        self.X = self._with_sums(self._read())
        self.refused = self._refused()
        self.known: dict[int, str] = {}
        self.leaves: dict[int, str] = {}

    # ---- inputs

    def _read(self) -> str:
        features = self.program.features
        if all(feature.categories is None for feature in features):
            self.inputs = [("X", "double", len(features))]
            return "X"
        columns = []
        for feature in features:
            is_text = feature.categories is not None and isinstance(feature.categories[0], str)
            self.inputs.append((feature.name, "string" if is_text else "double", 1))
            columns.append(
                feature.name if feature.categories is None else self._codes(feature.name, feature.categories)
            )
        return self.nodes.add("Concat", columns, axis=1)

    def _with_sums(self, X: str) -> str:
        """The features, and the sums after them."""
        nodes, columns = self.nodes, [X]
        for each in self.program.sums:
            total = ""
            for feature, weight in each.terms:
                part = nodes.add("Gather", [X, nodes.integers([feature])], axis=1)
                beyond = nodes.add("Greater", [nodes.add("Abs", [part]), nodes.doubles([[LARGEST_PART]])])
                part = nodes.add("Where", [beyond, nodes.doubles([[np.nan]]), part])
                part = nodes.add("Mul", [nodes.doubles([[float(weight)]]), part])
                total = nodes.add("Add", [total, part]) if total else part
            columns.append(total)
        return X if len(columns) == 1 else nodes.add("Concat", columns, axis=1)

    def _refused(self) -> str | None:
        """Whether a row has an infinite number, which the model refuses; None if there are no numeric features."""
        columns = [name for name, kind, _ in self.inputs if kind == "double"]
        if not columns:
            return None
        X = columns[0] if len(columns) == 1 else self.nodes.add("Concat", columns, axis=1)
        infinite = self.nodes.add("Cast", [self.nodes.add("IsInf", [X])], to="int64")
        return self.nodes.add("Cast", [self.nodes.add("ReduceMax", [infinite, self.nodes.integers([1])])], to="bool")

    def unless_refused(self, part: Expression) -> str:
        """An expression, NaN in the rows that the model refuses."""
        value = self.column_of(part)
        if self.refused is None:
            return value
        return self.nodes.add("Where", [self.refused, self.nodes.doubles([[np.nan]]), value])

    def _codes(self, name: str, categories: tuple[Any, ...]) -> str:
        if isinstance(categories[0], str):
            for category in categories:
                if _has_surrogate(category):
                    raise ExportError(f"{category!r} contains a character that ONNX text cannot have; replace it.")
            keys = self.nodes.tensor(list(categories), "string")
        else:
            keys = self.nodes.tensor([float(category) for category in categories], "double")
        codes = self.nodes.tensor([float(code) for code in range(len(categories))], "double")
        unseen = self.nodes.tensor([float(len(categories))], "double")
        found = {"keys_tensor": keys, "values_tensor": codes, "default_tensor": unseen}
        return self.nodes.add("LabelEncoder", [name], domain="ai.onnx.ml", **found)

    # ---- expressions

    def column_of(self, part: Expression) -> str:
        if id(part) not in self.known:
            self.known[id(part)] = self._made(part)
        return self.known[id(part)]

    def _made(self, part: Expression) -> str:
        nodes = self.nodes
        if isinstance(part, TreeSum):
            return self._tree_sum(part)
        if isinstance(part, Linear):
            return self._linear(part)
        if isinstance(part, Squash):
            margin = self.column_of(part.of)
            width = nodes.add("Add", [nodes.doubles([[1.0]]), nodes.add("Abs", [margin])])
            half = nodes.doubles([[0.5]])
            share = nodes.add("Div", [nodes.add("Mul", [half, margin]), width])
            return nodes.add("Add", [half, share])
        if isinstance(part, Logit):
            bounds = [nodes.doubles(bound) for bound in (part.least, 1.0 - part.least)]
            share = nodes.add("Clip", [self.column_of(part.of), *bounds])
            return nodes.add("Log", [nodes.add("Div", [share, nodes.add("Sub", [nodes.doubles([[1.0]]), share])])])
        if isinstance(part, Piecewise):
            return self._piecewise(self.column_of(part.of), part)
        if isinstance(part, Combination):
            total = nodes.doubles([[part.offset]])
            for each, weight in zip(part.of, part.weights):
                total = nodes.add("Add", [total, nodes.add("Mul", [nodes.doubles([[weight]]), self.column_of(each)])])
            return total
        raise ExportError(
            "The score is a median over the trees, which the ONNX export cannot express; use "
            "set_aggregation('mean_rank'), or 'mean' for ordered labels, or export to Python or JSON."
        )

    def _piecewise(self, x: str, part: Piecewise) -> str:
        nodes = self.nodes
        passed = nodes.add("GreaterOrEqual", [x, nodes.doubles(part.start[None, :])])
        place = nodes.add("ReduceSum", [nodes.add("Cast", [passed], to="int64"), nodes.integers([1])], keepdims=1)

        def read(first: float, table: np.ndarray) -> str:
            return nodes.add("Gather", [nodes.doubles(np.append(first, table)), place])

        along = nodes.add("Sub", [x, read(0.0, part.start)])
        return nodes.add("Add", [read(part.below, part.value), nodes.add("Mul", [read(0.0, part.slope), along])])

    def _linear(self, part: Linear) -> str:
        nodes = self.nodes
        total = nodes.add("Mul", [nodes.doubles([[0.0]]), self._zeros()])
        if part.numbers:
            features, centre, weight, missing = zip(*part.numbers)
            x = nodes.add("Gather", [self.X, nodes.integers(features)], axis=1)
            moved = nodes.add("Mul", [nodes.doubles([weight]), nodes.add("Sub", [x, nodes.doubles([centre])])])
            known = nodes.add("Where", [nodes.add("IsNaN", [x]), nodes.doubles([missing]), moved])
            total = nodes.add("ReduceSum", [known, nodes.integers([1])], keepdims=1)
        for j, of_code, missing_value in part.categories:
            code = nodes.add("Gather", [self.X, nodes.integers([j])], axis=1)
            table = nodes.doubles([*of_code, missing_value])
            value = nodes.add("Gather", [table, nodes.add("Cast", [code], to="int64")])
            total = nodes.add("Add", [total, value])
        return total

    def _zeros(self) -> str:
        """A column of zeros with as many rows as X."""
        first = self.nodes.add("Gather", [self.X, self.nodes.integers([0])], axis=1)
        return self.nodes.add("Where", [self.nodes.add("IsNaN", [first]), *[self.nodes.doubles([[0.0]])] * 2])

    # ---- trees

    def _tree_sum(self, part: TreeSum) -> str:
        nodes = self.nodes
        graphs = [self.program.graphs[g] for g in part.graphs]
        if len(graphs) == 1 and graphs[0].n_nodes > 0:
            table = nodes.doubles(part.offset + part.values[0] / part.divisor)
            return nodes.add("Gather", [table, self._leaf(part.graphs[0])])
        cut_ones = [(graph, values) for graph, values in zip(graphs, part.values) if graph.n_nodes > 0]
        constant = sum(float(values[0]) for graph, values in zip(graphs, part.values) if graph.n_nodes == 0)
        total = self._walk(*map(list, zip(*cut_ones))) if cut_ones else self._zeros()
        if constant:
            total = nodes.add("Add", [total, nodes.doubles([[constant]])])
        if part.divisor != 1.0:
            total = nodes.add("Div", [total, nodes.doubles([[part.divisor]])])
        return nodes.add("Add", [nodes.doubles([[part.offset]]), total]) if part.offset else total

    def _leaf(self, g: int) -> str:
        if g not in self.leaves:
            graph = self.program.graphs[g]
            number = self._walk([graph], [np.arange(graph.n_leaves, dtype=np.float64)])
            self.leaves[g] = self.nodes.add("Cast", [number], to="int64")
        return self.leaves[g]

    def _walk(self, graphs: list[Graph], values: list[np.ndarray]) -> str:
        """The sum of the values of the graphs, all of which have nodes."""
        nodes, n_features = self.nodes, len(self.program.features) + len(self.program.sums)
        chunks = [cut(graph) for graph in graphs]
        source, total = self.X, ""
        column: dict[int, int] = {}  # of the graphs that are still on their way, among the columns after the features
        for stage in range(max(each.n_stages for each in chunks)):
            going_on = [t for t, each in enumerate(chunks) if each.n_stages > stage + 1]
            after = {t: k for k, t in enumerate(going_on)}
            ensemble = Ensemble(len(going_on) + 1, self.missing_code)
            for t, each in enumerate(chunks):
                if each.n_stages > stage:
                    states = _states(each, stage)
                    at = n_features + column[t] if stage > 0 else None
                    ensemble.add(graphs[t], values[t], each, stage, states, _states(each, stage + 1), at, after.get(t))
            found = ensemble.write(nodes, source)
            if going_on:
                sizes = nodes.integers([len(going_on), 1])
                state, found = nodes.add_many("Split", [found, sizes], 2, axis=1)
                source = nodes.add("Concat", [self.X, state], axis=1)
            total = nodes.add("Add", [total, found]) if total else found
            column = after
        return total


def _states(chunks: Chunks, stage: int) -> dict[int, float]:
    """The possible next chunks of a row in a stage, and their numbers; 0 is a row that has reached a leaf."""
    return {node: float(k) for k, node in enumerate([*chunks.starting(stage), *chunks.waiting(stage)], start=1)}


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)
