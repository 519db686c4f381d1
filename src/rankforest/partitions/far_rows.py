"""Histograms summed: a tree grows on the client, and the partitions answer its questions.

A partition keeps the rows of a growing tree, ordered by nodes, as a live state. The state is a function of its rows and
of the moves of rows so far. So a state that is lost, with its worker for instance, is made again from the log of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import numpy as np

from .. import _core
from ..data.sample import as_masses
from ..forest.sampling import Draw, GroupDraw
from .draws import DrawnRows
from .rows import PartRows
from .selection import Selection
from .spread import Spread

__all__ = ["FarRows", "OwnRows"]

_MOST_TREES = 8  # that grow at the same time
_SHARE = 0.25  # of the memory of a worker, for the rows of growing trees


@dataclass(frozen=True)
class OwnRows:
    """The rows of a partition that are in a sample.

    Attributes
    ----------
    selection : Selection or None
        None is all.
    labels, weights : arrays or None
        Those of the sample, if they are not those of the partition.
    """

    selection: Selection | None
    labels: np.ndarray | None
    weights: np.ndarray | None

    def of(self, rows: PartRows) -> PartRows:
        taken = rows if self.selection is None else rows.take(self.selection.positions())
        return taken if self.labels is None else replace(taken, labels=self.labels, weights=self.weights)


@dataclass(frozen=True)
class Setup:
    """How the state of a tree begins.

    Attributes
    ----------
    n_bins : array
        Bins of each feature.
    n_classes : int
    packed : bool
        Whether two classes are counted in one word.
    units : tuple of float, or None
        Weight of one unit of mass of each class, or of all; None if rows are counted.
    drawn : DrawnRows or None
        How the rows of a tree are drawn; None takes every row once.
    """

    n_bins: np.ndarray
    n_classes: int
    packed: bool
    units: tuple[float, ...] | None
    drawn: DrawnRows | None

    def begin(self, rows: PartRows, tree: int) -> _core.TreePart:
        """The state of a tree before its first move."""
        times = None if self.drawn is None else replace(self.drawn, tree=tree).times(rows)
        masses = None
        if self.units is not None and rows.weights is not None:
            one_unit = len(self.units) == 1
            unit_of = np.zeros_like(rows.labels) if one_unit else rows.labels
            masses = as_masses(rows.weights, unit_of, (self.units[0], self.units[-1]))
        n_features, none = len(self.n_bins), np.empty(0)
        offsets = np.zeros(n_features + 1, dtype=np.int64)  # a partition needs no cuts
        kinds = np.zeros(n_features, dtype=np.uint8)
        table = _core.TableArrays(np.ascontiguousarray(rows.codes), self.n_bins, kinds, none, offsets, none, offsets)
        return _core.TreePart(table, rows.labels, masses, times, self.n_classes, self.packed)


@dataclass(frozen=True)
class Asked:
    """What a tree asks.

    Attributes
    ----------
    tree : int
    n_before : int
        Number of messages before this one.
    moves : bytes
        Moves of rows, to be made first.
    n_nodes : int
        Number of nodes that they make.
    questions : bytes
    n_words, n_rows : int
        Length of the answer: words, and nodes whose rows are wanted.
    log : tuple of bytes, or None
        The moves before; only sent to partitions that have lost the state.
    """

    tree: int
    n_before: int
    moves: bytes
    n_nodes: int
    questions: bytes
    n_words: int
    n_rows: int
    log: tuple[bytes, ...] | None = None


@dataclass(frozen=True)
class Answer:
    """The answers to the questions of all trees.

    Attributes
    ----------
    words : array
        Sums over the partitions.
    rows : tuple of arrays
        Rows of each node whose rows are wanted, put together.
    lost : tuple of int
        Partitions that have lost a state, by their first rows; they have answered nothing.
    """

    words: np.ndarray
    rows: tuple[np.ndarray, ...]
    lost: tuple[int, ...] = ()

    @classmethod
    def none(cls, asked: Sequence[Asked], lost: tuple[int, ...] = ()) -> Answer:
        """The answer of no rows."""
        none = np.empty(0, dtype=np.uint64)
        words = np.zeros(sum(each.n_words for each in asked), dtype=np.uint64)
        return cls(words, (none,) * sum(each.n_rows for each in asked), lost)

    def __add__(self, other: Answer) -> Answer:
        rows = tuple(np.concatenate(pair) for pair in zip(self.rows, other.rows))
        return Answer(self.words + other.words, rows, self.lost + other.lost)


@dataclass
class State:
    """The state of a tree in a partition, after some messages."""

    part: _core.TreePart
    n_messages: int = 0

    def follow(self, moves: bytes) -> None:
        self.part.follow(moves)
        self.n_messages += 1


def answer(
    rows: PartRows,
    own: OwnRows | None,
    living: Sequence[str],
    session: str,
    setup: Setup | None,
    asked: Sequence[Asked],
    over: Sequence[int],
) -> Answer:
    """The answers of a partition to the questions of some trees.

    Parameters
    ----------
    own, setup
        How a state begins; None if it must have begun.
    living : sequence of str
        As in `Spread.names_of_living`.
    session : str
        Name of the trees that grow together.
    asked : sequence of Asked
    over : sequence of int
        Trees that are complete.
    """
    rows.live.keep_only(living)
    for tree in over:
        rows.live.take((session, tree))
    if rows.n_rows == 0:
        return Answer.none(asked)
    words: list[np.ndarray] = []
    nodes: list[np.ndarray] = []
    lost = False
    for each in asked:
        key = (session, each.tree)
        state = rows.live.take(key)
        if state is None or not 0 <= state.n_messages - each.n_before <= 1:
            state = None
            if setup is not None and own is not None and each.log is not None:
                state = State(setup.begin(own.of(rows), each.tree))
                for moves in each.log:
                    state.follow(moves)
        if state is None:
            lost = True
            continue
        if state.n_messages == each.n_before:
            state.follow(each.moves)
        of_tree, of_nodes = state.part.answer(each.n_nodes, each.questions)
        words.append(of_tree)
        nodes += of_nodes
        rows.live.put(key, state)
    return Answer.none(asked, (rows.first,)) if lost else Answer(np.concatenate(words), tuple(nodes))


class FarRows:
    """What the core calls to grow trees on rows in partitions.

    Parameters
    ----------
    spread : Spread
    own : list of OwnRows
        The rows of each partition that are in the sample.

    Attributes
    ----------
    near : float
        Rows of a node are brought to the client if they are at most so many times as large as its histogram: then they
        are smaller than the histograms of the nodes below it.
    """

    near = 8.0

    def __init__(self, spread: Spread, own: list[OwnRows]) -> None:
        self.spread = spread
        self.own = own

    def grow(
        self,
        trees: _core.FarTrees,
        *,
        n_classes: int,
        packed: bool,
        units: Sequence[float] | None,
        size: int,
        replace: bool,
        class_sizes: tuple[int, int] | None,
        seed: int,
        first_tree: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Answer the questions of some trees until all are complete; several of them grow at once."""
        spread = self.spread
        draw = Draw(size, replace, None if class_sizes is None else (class_sizes[0], class_sizes[1]), seed)
        if spread.groups is not None and size > 0:
            draw = GroupDraw(size, replace, None, seed, spread.groups)
        drawn = DrawnRows.of(draw, spread.labels, spread.parts) if draw.leaves_rows_out else None
        setup = Setup(spread.bins.n_bins, n_classes, packed, None if units is None else tuple(units), drawn)
        session, at_once = _Session(self, setup, first_tree), self._trees_at_once(size if spread.groups is None else 0)
        waiting = list(range(trees.n_trees))[::-1]
        growing: list[int] = []
        while waiting or growing:
            while waiting and len(growing) < at_once:
                growing.append(waiting.pop())
                trees.begin(growing[-1])
            messages: dict[int, tuple[bytes, int, bytes, int, int]] = {}
            for tree in list(growing):
                message = trees.next(tree)
                if message is not None:
                    messages[tree] = message
                    continue
                growing.remove(tree)
                session.end(tree)
                if progress is not None:
                    progress(tree)
            session.ask(messages, trees.give)

    def _trees_at_once(self, n_drawn: int) -> int:
        """Number of trees whose rows fit the workers at the same time."""
        spread, memory = self.spread, self.spread.engine.worker_memory
        if memory is None:
            return _MOST_TREES
        row = spread.bins.n_features * np.dtype(spread.bins.code_dtype).itemsize + 16  # with tag and padding
        of_tree = 2 * row * (n_drawn or spread.n_rows) / spread.engine.n_workers
        return max(1, min(_MOST_TREES, int(_SHARE * memory / of_tree)))


class _Session:
    """The logs of trees that grow together."""

    def __init__(self, rows: FarRows, setup: Setup, first_tree: int) -> None:
        self._rows = rows
        self._setup = setup
        self._first_tree = first_tree
        self.name = uuid4().hex
        self._logs: dict[int, list[bytes]] = {}
        self._over: list[int] = []  # trees that are complete, and of which the partitions do not know yet
        rows.spread.living.add(self)

    def end(self, tree: int) -> None:
        """Forget a tree."""
        del self._logs[tree]
        self._over.append(self._first_tree + tree)

    def ask(
        self,
        messages: dict[int, tuple[bytes, int, bytes, int, int]],
        give: Callable[[int, np.ndarray, Sequence[np.ndarray]], None],
    ) -> None:
        """Ask all partitions, and give each tree its answer."""
        if not messages:
            return
        spread, own = self._rows.spread, self._rows.own
        asked = tuple(
            Asked(self._first_tree + tree, len(self._logs.setdefault(tree, [])), *message)
            for tree, message in messages.items()
        )
        begins = any(each.n_before == 0 for each in asked)
        if begins:  # the partitions are told how
            asked = tuple(replace(each, log=()) if each.n_before == 0 else each for each in asked)
        found = spread.total(
            answer, spread.names_of_living(), self.name, self._setup if begins else None, asked, tuple(self._over),
            own=own if begins else [None] * len(own),
        )  # fmt: skip
        self._over.clear()
        if found.lost:
            found = replace(found, lost=()) + self._again(asked, set(found.lost))
        words = rows = 0
        for (tree, message), each in zip(messages.items(), asked):
            self._logs[tree].append(message[0])
            give(tree, found.words[words : words + each.n_words], found.rows[rows : rows + each.n_rows])
            words, rows = words + each.n_words, rows + each.n_rows

    def _again(self, asked: Sequence[Asked], lost: set[int]) -> Answer:
        """The answers of partitions that have lost a state: they make it again from the log."""
        spread = self._rows.spread
        which = [i for i, part in enumerate(spread.parts) if part.first in lost and part.n_rows > 0]
        whole = tuple(replace(each, log=tuple(self._logs[each.tree - self._first_tree])) for each in asked)
        found: Answer = spread.total(
            answer, spread.names_of_living(), self.name, self._setup, whole, (),
            own=[self._rows.own[i] for i in which], parts=[spread.parts[i] for i in which],
        )  # fmt: skip
        if found.lost:
            raise RuntimeError("A partition has lost the state of a tree while it was told how to make it again.")
        return found
