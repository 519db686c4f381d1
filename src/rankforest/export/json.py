"""Export to JSON: everything that scores rows, for programs in any language."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ..program.program import Combination, Expression, Linear, Logit, Piecewise, Program, Squash, TreeMedian
from .model import program_of

__all__ = ["FORMAT", "VERSION", "to_json"]

FORMAT, VERSION = "rankforest-scores", 1


def to_json(model: Any, *, indent: int | None = None) -> str:
    """The model as JSON; docs/export.md describes its fields.

    Parameters
    ----------
    model : fitted estimator
    indent : int or None
        Spaces of indentation; None writes one line.

    Examples
    --------
    >>> import json
    >>> from rankforest import TreeRank
    >>> read = json.loads(to_json(TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])))
    >>> read["features"], sorted(read["outputs"])
    ([{'name': 'x0', 'categories': None}], ['probability', 'score', 'stratum'])
    """
    return json_text(program_of(model), indent=indent)


def json_text(program: Program, *, indent: int | None = None) -> str:
    """The same for a program."""
    graphs = [
        {
            "feature": graph.feature,
            "threshold": [
                None if math.isinf(cut) or codes is not None else cut
                for cut, codes in zip(graph.threshold, graph.codes)
            ],
            "codes": graph.codes,
            "missing_left": graph.missing_left,
            "left": graph.left,
            "right": graph.right,
        }
        for graph in program.graphs
    ]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "model": program.model,
        "labels": program.labels,
        "constraints": program.constraints,
        "features": [{"name": feature.name, "categories": feature.categories} for feature in program.features],
        "graphs": graphs,
        "outputs": {name: _expression(part) for name, part in program.outputs.items()},
    }
    if program.sums:
        document["sums"] = [
            [{"feature": feature, "weight": weight} for feature, weight in each.terms] for each in program.sums
        ]
    return json.dumps(document, allow_nan=False, indent=indent, default=_plain)


def _expression(part: Expression) -> dict[str, Any]:
    if isinstance(part, Linear):
        return {
            "kind": "linear",
            "numbers": [dict(zip(("feature", "centre", "weight", "missing"), number)) for number in part.numbers],
            "categories": [dict(zip(("feature", "values", "missing"), category)) for category in part.categories],
        }
    if isinstance(part, Squash):
        return {"kind": "squash", "of": _expression(part.of)}
    if isinstance(part, Logit):
        return {"kind": "logit", "of": _expression(part.of), "least": part.least}
    if isinstance(part, Piecewise):
        tables = {"start": part.start, "value": part.value, "slope": part.slope}
        return {"kind": "piecewise", "of": _expression(part.of), "below": part.below, **tables}
    if isinstance(part, Combination):
        return {
            "kind": "combination",
            "of": [_expression(each) for each in part.of],
            "weights": part.weights,
            "offset": part.offset,
        }
    trees = {"graphs": part.graphs, "values": part.values}
    if isinstance(part, TreeMedian):
        return {"kind": "tree_median", **trees}
    return {"kind": "tree_sum", **trees, "offset": part.offset, "divisor": part.divisor}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value.item()
