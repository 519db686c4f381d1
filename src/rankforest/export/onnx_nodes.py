"""Operators of an ONNX graph, one added after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["Nodes"]


class Nodes:
    """The operators and constants of a graph that is being made; names that are `taken` are not given to others."""

    def __init__(self, taken: Iterable[str]) -> None:
        import onnx

        self._onnx = onnx
        self._taken = set(taken)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def _name(self) -> str:
        number = len(self._taken)
        while f"n{number}" in self._taken:
            number += 1
        self._taken.add(f"n{number}")
        return f"n{number}"

    def _type(self, name: str) -> int:
        return int(getattr(self._onnx.TensorProto, name.upper()))

    # ---- constants

    def tensor(self, values: Sequence[Any], kind: str) -> Any:
        """A one-dimensional tensor, for an attribute."""
        if kind == "string":
            return self._onnx.helper.make_tensor("", self._type(kind), [len(values)], [v.encode() for v in values])
        return self._onnx.numpy_helper.from_array(np.asarray(values, dtype=np.dtype(kind)), "")

    def doubles(self, values: Any) -> str:
        """The name of a constant in double precision, of the shape that is given."""
        return self._constant(np.asarray(values, dtype=np.float64))

    def integers(self, values: Any) -> str:
        """The name of a constant of integers."""
        return self._constant(np.asarray(values, dtype=np.int64))

    def _constant(self, values: np.ndarray) -> str:
        name = self._name()
        self._constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    # ---- operators

    def add(self, kind: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        """An operator with one output; the name of that."""
        return self._add(kind, inputs, [output or self._name()], attributes)[0]

    def add_many(self, kind: str, inputs: Sequence[str], n_outputs: int, **attributes: Any) -> list[str]:
        """An operator with several outputs."""
        return self._add(kind, inputs, [self._name() for _ in range(n_outputs)], attributes)

    def _add(self, kind: str, inputs: Sequence[str], outputs: list[str], attributes: dict[str, Any]) -> list[str]:
        if isinstance(attributes.get("to"), str):
            attributes["to"] = self._type(attributes["to"])
        self._nodes.append(self._onnx.helper.make_node(kind, list(inputs), outputs, **attributes))
        return outputs

    # ---- the whole

    def model(
        self,
        inputs: Sequence[tuple[str, str, int]],
        outputs: Sequence[str],
        opsets: dict[str, int],
        ir_version: int,
        description: str,
        about: dict[str, str],
    ) -> Any:
        """The model, checked; inputs are (name, type, columns), outputs are numbers, one per row; metadata `about`."""
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes,
            "rankforest",
            [helper.make_tensor_value_info(name, self._type(kind), ["N", width]) for name, kind, width in inputs],
            [helper.make_tensor_value_info(name, self._type("double"), ["N"]) for name in outputs],
            initializer=self._constants,
            doc_string=description,
        )
        made = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(domain, version) for domain, version in opsets.items()],
            ir_version=ir_version,
            producer_name="rankforest",
        )
        helper.set_model_props(made, about)
        self._onnx.checker.check_model(made)
        return made
