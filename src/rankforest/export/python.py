"""Export to a Python module without dependencies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..program.program import Combination, Expression, Linear, Logit, Piecewise, Program, Squash, TreeMedian, TreeSum
from .model import program_of

__all__ = ["to_python"]

_HEAD = '''"""Scores of a {model}: higher is better. Made by rankforest; needs Python 3.8 or later and no package.

`score(row)` takes a dict from column to value. None and NaN are missing values, and so is a category that was not there
when the model was fitted. What the model refuses raises ValueError: text for a number, a number for a text, infinite
numbers. `score_rows(rows)` takes many such dicts.{outputs}
"""

import math
from bisect import bisect_right
from decimal import Decimal
from numbers import Real
from statistics import median

MODEL = {model!r}

NAN = math.nan
INF = math.inf
'''

_BODY = '''

def _coded(row):
    """The values of a row as numbers: categories by code, NaN where they are missing or unknown."""
    values = []
    for name, was, codes in FEATURES:
        value = row[name]
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
            values.append(NAN)
            continue
        is_text = isinstance(value, str)
        if is_text != (was == "text"):
            _refuse(name, was, value)
        if not is_text:
            value = _number(name, value)
        values.append(value if codes is None else codes.get(value, NAN))
    return values


def _number(name, value):
    """A number or a boolean as a float."""
    if not isinstance(value, (Real, Decimal)) and type(value).__name__ not in ("bool_", "bool"):
        raise ValueError(
            f"Column {name!r} holds a {type(value).__name__} ({value!r}), which is neither a number, a string nor a "
            "boolean; convert it to one of these."
        )
    try:
        number = float(value)
    except OverflowError:
        number = INF
    if number in (INF, -INF):
        raise ValueError(
            f"Column {name!r} contains {number}; replace it by a finite number, or by NaN to mark it as missing."
        )
    return number


def _refuse(name, was, value):
    """A type that changed since the fit is a mistake, and no unseen category."""
    now = "text" if isinstance(value, str) else "booleans" if isinstance(value, bool) else "numbers"
    if was == "numeric":
        raise ValueError(
            f"Column {name!r} was numeric when {MODEL} was fitted but now holds text ({value!r}); convert it to "
            "numbers."
        )
    raise ValueError(
        f"Column {name!r} held {was} when {MODEL} was fitted but now holds {now} ({value!r}); convert it to the "
        "categories used in fit."
    )


def _leaf(graph, values):
    """The leaf of a row: node by node, up to the first negative number."""
    features, cuts, missing_left, left, right = graph
    at = 0 if features else -1
    while at >= 0:
        value, cut = values[features[at]], cuts[at]
        if value != value:
            goes_left = missing_left[at]
        elif type(cut) is float:
            goes_left = value <= cut
        else:
            goes_left = value in cut
        at = left[at] if goes_left else right[at]
    return ~at


def _linear(numbers, categories, values):
    total = 0.0
    for j, centre, weight, missing in numbers:
        total += missing if values[j] != values[j] else weight * (values[j] - centre)
    for j, of_code, missing in categories:
        total += missing if values[j] != values[j] else of_code[int(values[j])]
    return total


def _squash(margin):
    return 0.5 + 0.5 * margin / (1.0 + abs(margin))


def _logit(share, least):
    share = min(max(share, least), 1.0 - least)
    return math.log(share / (1.0 - share))


def _piecewise(x, below, start, value, slope):
    j = bisect_right(start, x) - 1
    return below if j < 0 else value[j] + slope[j] * (x - start[j])

'''

_SUMS = '''
def _with_sums(values):
    """The values of a row, and its sums after them; a sum is NaN where a part is missing, or too large."""
    sums = []
    for parts in SUMS:
        total = 0.0
        for feature, weight in parts:
            total += weight * values[feature] if abs(values[feature]) <= 1e100 else NAN
        sums.append(total)
    return values + sums

'''


def to_python(model: Any) -> str:
    """The text of a Python module with ``score(row)`` and ``score_rows(rows)``.

    Parameters
    ----------
    model : fitted estimator

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> model = TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> module = {}
    >>> exec(to_python(model), module)
    >>> bool(module["score"]({"x0": 3.0}) == model.score_samples([[3.0]])[0])
    True
    """
    return python_text(program_of(model))


def python_text(program: Program) -> str:
    """The same for a program."""
    printer = _Printer()
    outputs = {name: printer.expression(part) for name, part in program.outputs.items()}
    others = [name for name in outputs if name != "score"]
    said = f" Also: {', '.join(f'`{name}(row)`' for name in others)}." if others else ""
    lines = [_HEAD.format(model=program.model, outputs=said)]
    if program.constraints:
        lines.append(f"CONSTRAINTS = (\n{''.join(f'    {said!r},{chr(10)}' for said in program.constraints)})")
    if program.labels is not None:
        lines.append(f"LABELS = {_tuple(_plain(label) for label in program.labels)}")
    features = [
        f"    ({feature.name!r}, {_held(feature.categories)!r}, {_codes(feature.categories)}),\n"
        for feature in program.features
    ]
    lines.append("# name, what it held when the model was fitted, and the codes of its categories")
    lines.append(f"FEATURES = (\n{''.join(features)})")
    if program.sums:
        lines.append("# feature and weight of each part of the sums, which are further features")
        lines.append(f"SUMS = {_join(_tuple(each.terms) for each in program.sums)}")
    lines.append("# features, cuts (a number: values up to it go left; a set of codes: these go left), whether missing")
    lines.append("# values go left, left and right child (a negative one is the leaf ~child)")
    lines.append("GRAPHS = (")
    for graph in program.graphs:
        cuts = [_number(cut) if codes is None else _set(codes) for cut, codes in zip(graph.threshold, graph.codes)]
        missing = _tuple(int(side) for side in graph.missing_left)
        lines.append(
            f"    ({_tuple(graph.feature)}, {_join(cuts)}, {missing}, {_tuple(graph.left)}, {_tuple(graph.right)}),"
        )
    lines.append(")")
    lines += [f"{name} = {text}" for name, text in printer.tables.items()]
    text = "\n".join(lines) + _BODY + (_SUMS if program.sums else "")
    coded = "_with_sums(_coded(row))" if program.sums else "_coded(row)"
    for name, expression in outputs.items():
        text += f"\ndef {name}(row):\n    values = {coded}\n"
        if "leaves" in expression:
            text += "    leaves = [_leaf(graph, values) for graph in GRAPHS]\n"
        text += f"    return {expression}\n\n"
    return text + "\ndef score_rows(rows):\n    return [score(row) for row in rows]\n"


class _Printer:
    """Prints expressions; long tables are named, and printed before."""

    def __init__(self) -> None:
        self.tables: dict[str, str] = {}
        self._known: dict[int, str] = {}

    def _table(self, text: str, key: Any) -> str:
        name = self._known.setdefault(id(key), f"TABLE_{len(self._known)}")
        self.tables[name] = text
        return name

    def _numbers(self, values: Any) -> str:
        return self._table(_join(_number(v) for v in values), values)

    def expression(self, part: Expression) -> str:
        if isinstance(part, TreeSum | TreeMedian):
            text = "(\n" + "".join(
                f"    ({g}, {_join(_number(v) for v in values)}),\n" for g, values in zip(part.graphs, part.values)
            )
            each = f"(value[leaves[g]] for g, value in {self._table(text + ')', part)})"
            if isinstance(part, TreeMedian):
                return f"median{each}"
            total = f"sum{each}" + ("" if part.divisor == 1.0 else f" / {_number(part.divisor)}")
            return total if part.offset == 0.0 else f"({_number(part.offset)} + {total})"
        if isinstance(part, Linear):
            numbers = _join(_join([str(j), *map(_number, rest)]) for j, *rest in part.numbers)
            categories = _join(
                f"({j}, {_join(map(_number, of_code))}, {_number(missing)})" for j, of_code, missing in part.categories
            )
            return f"_linear({self._table(numbers, part.numbers)}, {self._table(categories, part.categories)}, values)"
        if isinstance(part, Squash):
            return f"_squash({self.expression(part.of)})"
        if isinstance(part, Logit):
            return f"_logit({self.expression(part.of)}, {_number(part.least)})"
        if isinstance(part, Piecewise):
            tables = ", ".join(self._numbers(table) for table in (part.start, part.value, part.slope))
            return f"_piecewise({self.expression(part.of)}, {_number(part.below)}, {tables})"
        assert isinstance(part, Combination)
        terms = [f"{_number(weight)} * {self.expression(of)}" for of, weight in zip(part.of, part.weights)]
        return f"({_number(part.offset)} + {' + '.join(terms)})"


def _number(value: float) -> str:
    value = float(value)
    if math.isfinite(value):
        return repr(value)
    return "NAN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _join(texts: Iterable[str]) -> str:
    listed = list(texts)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def _tuple(values: Iterable[Any]) -> str:
    return _join(repr(value) for value in values)


def _set(codes: tuple[int, ...]) -> str:
    return f"frozenset({_tuple(codes)})"


def _held(categories: tuple[Any, ...] | None) -> str:
    """The type of a column when the model was fitted."""
    if categories is None:
        return "numeric"
    return "text" if isinstance(categories[0], str) else "booleans" if isinstance(categories[0], bool) else "numbers"


def _codes(categories: tuple[Any, ...] | None) -> str:
    if categories is None:
        return "None"
    if not isinstance(categories[0], str):  # a value is looked up as a float
        categories = tuple(float(category) for category in categories)
    return "{" + ", ".join(f"{category!r}: {code}.0" for code, category in enumerate(categories)) + "}"


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
