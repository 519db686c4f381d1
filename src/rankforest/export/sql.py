"""Export to SQL: one SELECT that scores the rows of a table, in ANSI SQL that SQLite and DuckDB run.

A graph is walked in stages (`chunks.py`), one common table expression each, so that nothing is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..data.sums import LARGEST_PART, WeightedSum
from ..program.errors import ExportError
from ..program.program import (
    Combination,
    Expression,
    Graph,
    Linear,
    Logit,
    Piecewise,
    Program,
    Squash,
    TreeSum,
    used_features,
)
from .chunks import Chunks, cut
from .model import program_of
from .sql_columns import coded, given, is_refused, raw
from .sql_words import identifier, literal, table_name

__all__ = ["DIALECTS", "MOST_NODES", "to_sql"]

DIALECTS = ("ansi", "sqlite", "duckdb", "postgresql")
MOST_NODES = 50_000  # of all trees; with more nodes the database needs longer to parse the query than to run it
_DEEPEST = 8  # depth of nested decisions: SQLite's parser has a stack of 100 entries
_REFUSED = "refused"  # the column that counts the values of a row that the model refuses
# Limits of one table expression: DuckDB's planning time grows faster than its size.
_TREES_AT_ONCE, _NODES_AT_ONCE = 25, 6000


def to_sql(
    model: Any,
    *,
    table: str | Sequence[str] = "data",
    keep: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    dialect: str = "ansi",
) -> str:
    """A SELECT statement that scores every row of a table.

    NULL, and NaN where the database knows it, are missing values; so is a category that was not there in fit. Columns
    are read as those of a file are: in a column of text, a text that is a number counts as that number. A row with a
    value that the model refuses, text for a number or an infinite number, has the score NULL.

    Parameters
    ----------
    model : fitted estimator
    table : str or sequence of str
        Name of the table; with its schema as ("schema", "table").
    keep : sequence of str
        Columns of the table to put before the scores, for instance a key. Without a key the scores cannot be assigned
        to rows.
    outputs : sequence of str or None
        Some of "score", "stratum", "probability", "level"; None is all that the model has.
    dialect : {"ansi", "sqlite", "duckdb", "postgresql"}
        "ansi" runs in all databases; the others materialise intermediate results, which is faster.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> model = TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> print(to_sql(model, keep=["id"], outputs=["stratum"]).splitlines()[-1])
    SELECT k0 AS "id", CASE WHEN refused = 0 THEN v0_2 END AS "stratum" FROM c2
    """
    return sql_text(program_of(model), table=table, keep=keep, outputs=outputs, dialect=dialect)


def sql_text(
    program: Program,
    *,
    table: str | Sequence[str] = "data",
    keep: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    dialect: str = "ansi",
) -> str:
    """The same for a program."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect is {dialect!r}; choose one of {', '.join(map(repr, DIALECTS))}.")
    wanted = list(program.outputs) if outputs is None else list(outputs)
    unknown = [name for name in wanted if name not in program.outputs]
    if unknown or not wanted:
        raise ValueError(f"outputs is {wanted}; this model has {', '.join(map(repr, program.outputs))}.")
    columns = [identifier(name) for name in keep]
    _check_names([*keep, *wanted], "keep and outputs")
    if program.n_nodes > MOST_NODES:
        raise ExportError(
            f"The trees have {program.n_nodes} nodes, and the limit for SQL is {MOST_NODES}; use a smaller "
            "n_estimators or max_depth, or export to ONNX."
        )
    writer = _Writer(program, dialect)
    writer.read(table_name(table), columns)
    found = {name: writer.column_of(program.outputs[name]) for name in wanted}
    shown = [f"k{k} AS {column}" for k, column in enumerate(columns)]
    shown += [f'CASE WHEN {_REFUSED} = 0 THEN {column} END AS "{name}"' for name, column in found.items()]
    comment = "".join(f"-- {said}\n" for said in program.constraints)
    return f"{comment}{writer.text()}\nSELECT {', '.join(shown)} FROM {writer.last}\n"


def _check_names(names: Sequence[str], what: str) -> None:
    """Raise ExportError for names that differ in case only, which databases do not distinguish."""
    seen: dict[str, str] = {}
    for name in names:
        if seen.setdefault(name.casefold(), name) != name or names.count(name) > 1:
            other = seen[name.casefold()]
            raise ExportError(
                f"{what} contain {other!r} and {name!r}, which are the same name in a database; rename a column."
            )


class _Writer:
    """Adds one table expression after the other; each carries along the columns that are still needed."""

    def __init__(self, program: Program, dialect: str) -> None:
        self.program, self.dialect = program, dialect
        self.hint = "" if dialect == "ansi" else "MATERIALIZED "
        self.used = used_features(program)
        self.tables: list[str] = []
        self.carried: list[str] = []
        self.known: dict[int, str] = {}  # what has been computed, by identity
        self.leaves: dict[int, str] = {}  # columns that hold the leaf of a graph

    @property
    def last(self) -> str:
        return f"c{len(self.tables) - 1}"

    def text(self) -> str:
        return "WITH\n" + ",\n".join(self.tables)

    def add(self, columns: Iterable[tuple[str, str]], source: str | None = None) -> None:
        """A table expression of expressions and their names.

        Some databases inline the expressions of one table expression into the next, which makes them grow
        exponentially. A count over all rows prevents this.
        """
        listed = ",\n  ".join(text if text == name else f"{text} AS {name}" for text, name in columns)
        stop = "" if self.hint else ",\n  COUNT(*) OVER () AS n"
        self.tables.append(
            f"c{len(self.tables)} AS {self.hint}(SELECT\n  {listed}{stop}\n  FROM {source or self.last})"
        )

    def carry(self, *new: tuple[str, str], without: Iterable[str] = ()) -> None:
        """One more table expression: the columns that are still needed, and new ones, which may replace old ones."""
        replaced = {name for _, name in new}
        gone = set(without)
        kept = [name for name in self.carried if name not in gone]
        self.add([*((name, name) for name in kept if name not in replaced), *new])
        self.carried = list(dict.fromkeys([*kept, *(name for _, name in new)]))

    # ---- reading the table

    def read(self, table: str, keep: Sequence[str]) -> None:
        """Keys as they are, numbers as double precision, categories by code, and how many values are refused."""
        features = self.program.features
        _check_names([features[j].name for j in self.used], "The features")
        kept = [(f"d.{column}", f"k{k}") for k, column in enumerate(keep)]
        values = [(raw(features[j], self.dialect), f"x{j}") for j in self.used]
        flags = [(given(features[j], self.dialect), f"g{j}") for j in self.used]
        self.add([*kept, *values, *flags] or [("1", "one")], f"{table} AS d")
        self.carried = [name for _, name in (*kept, *values, *flags)]
        refused = _sum([is_refused(f"x{j}", f"g{j}", features[j]) for j in self.used], nothing="0")
        numbers = [(coded(f"x{j}", features[j]), f"x{j}") for j in self.used]
        self.carry(*numbers, (refused, _REFUSED), without=[name for _, name in flags])
        if self.program.sums:
            self.carry(*((_weighted(each), f"x{len(features) + k}") for k, each in enumerate(self.program.sums)))

    # ---- expressions

    def column_of(self, part: Expression) -> str:
        """The column of an expression; it is added if it does not exist."""
        if id(part) not in self.known:
            self.known[id(part)] = self._made(part)
        return self.known[id(part)]

    def _new(self, text: str, without: Iterable[str] = ()) -> str:
        name = f"v{len(self.known)}_{len(self.tables)}"
        self.carry((text, name), without=without)
        return name

    def _made(self, part: Expression) -> str:
        if isinstance(part, TreeSum):
            return self._tree_sum(part)
        if isinstance(part, Linear):
            return self._new(_sum(_terms(part)))
        if isinstance(part, Squash):
            inside = self.column_of(part.of)
            return self._new(f"0.5e0 + 0.5e0 * {inside} / (1e0 + ABS({inside}))")
        if isinstance(part, Logit):
            low, high, share = literal(part.least), literal(1.0 - part.least), self.column_of(part.of)
            inside = self._new(
                f"CASE WHEN {share} < {low} THEN {low} WHEN {share} > {high} THEN {high} ELSE {share} END"
            )
            return self._new(f"LN({inside} / (1e0 - {inside}))")
        if isinstance(part, Piecewise):
            return self._new(_pieces(self.column_of(part.of), part))
        if isinstance(part, Combination):
            inside_all = [self.column_of(each) for each in part.of]
            terms = [f"{literal(w)} * {column}" for w, column in zip(part.weights, inside_all)]
            return self._new(f"{literal(part.offset)} + {' + '.join(terms)}")
        raise ExportError(
            "The score is a median over the trees, which SQL cannot express; use set_aggregation('mean_rank'), or "
            "'mean' for ordered labels, or export to Python or JSON."
        )

    def _tree_sum(self, part: TreeSum) -> str:
        if len(part.graphs) == 1:
            graph, values = part.graphs[0], part.values[0]
            leaf = self._leaf(graph)
            if part.offset == 0.0 and part.divisor == 1.0 and (values == np.arange(len(values))).all():
                return leaf
            return self._new(_lookup(leaf, part.offset + values / part.divisor))
        total: str | None = None
        for group in self._groups(part.graphs):
            texts = self._walk([part.graphs[i] for i in group], [part.values[i] for i in group])
            columns = [text for text in texts if text in self.carried]
            total = self._new(_sum(texts if total is None else [total, *texts]), [*columns, *filter(None, [total])])
        assert total is not None
        return self._new(f"{literal(part.offset)} + {total} / {literal(part.divisor)}", [total])

    def _groups(self, graphs: Sequence[int]) -> Iterator[range]:
        """Positions of the graphs that are walked together."""
        first = n_nodes = 0
        for i, graph in enumerate(graphs):
            size = self.program.graphs[graph].n_nodes
            if i > first and (n_nodes + size > _NODES_AT_ONCE or i - first == _TREES_AT_ONCE):
                yield range(first, i)
                first, n_nodes = i, 0
            n_nodes += size
        yield range(first, len(graphs))

    def _leaf(self, graph: int) -> str:
        """The column with the number of the leaf of a graph."""
        if graph not in self.leaves:
            found = self._walk([graph], [np.arange(self.program.graphs[graph].n_leaves)], integer=True)[0]
            self.leaves[graph] = found if found in self.carried else self._new(found)
        return self.leaves[graph]

    def _walk(self, numbers: Sequence[int], values: Sequence[np.ndarray], integer: bool = False) -> list[str]:
        """Columns with the values of the graphs, or expressions where one stage is enough.

        Between the stages the column of a graph has the value of rows that have reached a leaf, and for other rows the
        number of their next chunk, which is larger than all values.
        """
        walks = []
        for number, value in zip(numbers, values):
            graph = self.program.graphs[number]
            beyond = 10.0 ** max(3, int(np.ceil(np.log10(np.abs(value).max(initial=0.0) + 1.0))) + 1)
            show: Callable[[float], str] = (lambda v: str(int(v))) if integer else literal
            walks.append(_Walk(graph, cut(graph, _DEEPEST), value, beyond, show, f"t{number}"))
        last = max((walk.chunks.n_stages for walk in walks), default=0)
        if last <= 1:
            return [walk.stage(0) for walk in walks]
        for stage in range(last):
            self.carry(*((walk.stage(stage), walk.name) for walk in walks if stage < max(1, walk.chunks.n_stages)))
        return [walk.name for walk in walks]


class _Walk:
    """The text of the stages of one graph."""

    def __init__(
        self, graph: Graph, chunks: Chunks, values: np.ndarray, beyond: float, show: Callable[[float], str], name: str
    ) -> None:
        self.graph, self.chunks, self.name = graph, chunks, name
        self.values = [show(value) for value in values]
        self.states = {node: show(beyond + k) for k, node in enumerate(chunks.stage)}

    def stage(self, stage: int) -> str:
        if self.graph.n_nodes == 0:
            return self.values[0]
        if stage == 0:
            return self._chunk(0)
        cases = [f"WHEN {self.states[node]} THEN {self._chunk(node)}" for node in self.chunks.starting(stage)]
        return f"CASE {self.name} {' '.join(cases)} ELSE {self.name} END"

    def _chunk(self, node: int) -> str:
        graph = self.graph
        left, right = self._exit(graph.left[node]), self._exit(graph.right[node])
        column, codes = f"x{graph.feature[node]}", graph.codes[node]
        # a condition on a missing value is NULL, which takes the ELSE branch
        if codes is None and graph.threshold[node] == float("inf"):
            return f"CASE WHEN {column} IS NOT NULL THEN {left} ELSE {right} END"
        if codes is None:
            bound = literal(graph.threshold[node])
            if graph.missing_left[node]:
                return f"CASE WHEN {column} > {bound} THEN {right} ELSE {left} END"
            return f"CASE WHEN {column} <= {bound} THEN {left} ELSE {right} END"
        listed = ", ".join(map(str, codes))
        if graph.missing_left[node]:
            return f"CASE WHEN {column} NOT IN ({listed}) THEN {right} ELSE {left} END"
        return f"CASE WHEN {column} IN ({listed}) THEN {left} ELSE {right} END"

    def _exit(self, child: int) -> str:
        if child < 0:
            return self.values[~child]
        return self.states[child] if child in self.chunks.stage else self._chunk(child)


# ---- pieces of text


def _weighted(total: WeightedSum) -> str:
    """A sum of columns, from the first on; NULL where one of them is, or is too large to be added."""
    parts = [(literal(float(weight)), f"x{feature}") for feature, weight in total.terms]
    limit = literal(LARGEST_PART)
    return " + ".join(f"CASE WHEN ABS({column}) <= {limit} THEN {weight} * {column} END" for weight, column in parts)


def _terms(part: Linear) -> Iterator[str]:
    for j, centre, weight, missing in part.numbers:
        yield f"COALESCE({literal(weight)} * (x{j} - {literal(centre)}), {literal(missing)})"
    for j, of_code, missing in part.categories:
        yield f"COALESCE({_lookup(f'x{j}', np.array(of_code))}, {literal(missing)})"


def _sum(terms: Iterable[str], nothing: str = "0e0") -> str:
    """A sum with balanced brackets, because databases limit the depth of an expression."""
    listed = list(terms)
    while len(listed) > 1:
        listed = [f"({' + '.join(listed[i : i + 8])})" for i in range(0, len(listed), 8)]
    return listed[0] if listed else nothing


def _lookup(column: str, values: np.ndarray) -> str:
    """The value by a number from 0 on, NULL for NULL."""

    def among(low: int, high: int) -> str:
        if high - low == 1:
            return literal(values[low])
        middle = (low + high) // 2
        return f"CASE WHEN {column} < {middle} THEN {among(low, middle)} ELSE {among(middle, high)} END"

    return f"CASE WHEN {column} IS NOT NULL THEN {among(0, len(values))} END"


def _pieces(column: str, part: Piecewise) -> str:
    def piece(j: int) -> str:
        if part.slope[j] == 0.0:
            return literal(part.value[j])
        return f"{literal(part.value[j])} + {literal(part.slope[j])} * ({column} - {literal(part.start[j])})"

    def among(low: int, high: int) -> str:
        if high - low == 1:
            return piece(low)
        middle = (low + high) // 2
        return up_to(middle, among(low, middle), among(middle, high))

    def up_to(j: int, before: str, after: str) -> str:
        return f"CASE WHEN {column} < {literal(part.start[j])} THEN {before} ELSE {after} END"

    return up_to(0, literal(part.below), among(0, len(part.start)))
