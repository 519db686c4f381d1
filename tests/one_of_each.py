"""One tree of each kind: the settings on which every change of the grower is tried.

Tables are whole numbers made by a hash, so they are the same on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rankforest import _core

Arrays = dict[str, np.ndarray]
Shards = Sequence[np.ndarray] | None

LEVELS = [0.0, 1.0, 2.5, 4.0]
_CRITERIA = {"gini": 0, "auc": 1, "ranking": 2, "ordinal_gini": 3, "weighted_information_gain": 4, "nominal_gini": 5}
_LOSSES = {"logistic": 0, "exponential": 1, "log_loss": 2}
_MISSING = {"learned": 0, "cell_mean": 1}
# What passes through exp or log may differ in its last bits between machines.
_ROUNDED = ("value", "gain", "node_gain", "start", "curve", "held_out")


def words(n: int, key: int) -> np.ndarray:
    """n well-mixed 64-bit words."""
    x = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64((key + 1) * 0x2545F4914F6CDD1D % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def below(n: int, bound: int, key: int) -> np.ndarray:
    """n whole numbers from 0 to bound - 1."""
    return (words(n, key) >> np.uint64(33)).astype(np.int64) % bound


@dataclass(frozen=True)
class InShards:
    """Rows of trees in several shards, which answer the questions of the trees."""

    case: Case
    shards: Sequence[np.ndarray]
    near: float = 0.0

    def grow(
        self,
        trees: _core.FarTrees,
        *,
        n_classes: int,
        packed: bool,
        units: Sequence[float] | None,
        size: int,
        replace: bool,
        class_sizes: Sequence[int] | None,
        seed: int,
        first_tree: int,
        progress: Any,
    ) -> None:
        case = self.case
        assert (units is None) == (case.masses is None)
        for tree in range(trees.n_trees):
            times = _core.sample_of_tree(case.labels, size, replace, class_sizes, seed, first_tree + tree)
            parts = [
                _core.TreePart(
                    case.table(rows), case.labels[rows], None if case.masses is None else case.masses[rows],
                    times[rows] if size or class_sizes else None, n_classes, packed,
                )
                for rows in self.shards
            ]  # fmt: skip
            trees.begin(tree)
            while (message := trees.next(tree)) is not None:
                moves, n_nodes, questions, n_words, n_rows = message
                total = np.zeros(n_words, dtype=np.uint64)
                rows = [np.empty(0, dtype=np.uint64)] * n_rows
                for part in parts:
                    part.follow(moves)
                    words_of_part, rows_of_part = part.answer(n_nodes, questions)
                    total += words_of_part
                    rows = [np.concatenate(pair) for pair in zip(rows, rows_of_part)]
                assert self.near > 0 or not n_rows
                trees.give(tree, total, rows)


@dataclass(frozen=True)
class Case:
    """A table with labels, and how to grow on it.

    `kind` is "leafrank", "ordinal" or "boosted"; `inner`, `master` and `boosting` are parameters of the core's records.
    """

    kind: str
    n_rows: int = 3000
    n_features: int = 7
    n_bins: int = 60
    two_bytes: bool = False
    n_categorical: int = 0  # the last features
    missing_share: float = 0.0
    weighted: bool = False
    inner: dict[str, Any] = field(default_factory=dict)
    master: dict[str, Any] = field(default_factory=dict)
    boosting: dict[str, Any] = field(default_factory=dict)
    sample_size: int = 0
    replace: bool = True
    class_sizes: list[int] | None = None
    n_trees: int = 1

    @cached_property
    def bins(self) -> np.ndarray:
        categories = [4 + 23 * j for j in range(self.n_categorical)]
        return np.array([self.n_bins] * (self.n_features - self.n_categorical) + categories, dtype=np.int32)

    @cached_property
    def categorical(self) -> np.ndarray:
        return (np.arange(self.n_features) >= self.n_features - self.n_categorical).astype(np.uint8)

    @cached_property
    def codes(self) -> np.ndarray:
        columns = [1 + below(self.n_rows, int(b), j) for j, b in enumerate(self.bins)]
        codes = np.stack(columns, axis=1)
        gone = below(codes.size, 1000, 99).reshape(codes.shape) < 1000 * self.missing_share
        return np.where(gone, 0, codes).astype(np.uint16 if self.two_bytes else np.uint8)

    @cached_property
    def signal(self) -> np.ndarray:
        """What the labels depend on: the first columns, the last one, noise."""
        c = self.codes.astype(np.int64)
        return 4 * c[:, 0] + 3 * ((c[:, 1] * 7) % 40) + 5 * (c[:, -1] % 3) * 10 + below(self.n_rows, 200, 101)

    @cached_property
    def labels(self) -> np.ndarray:
        cuts = np.quantile(self.signal, [0.4, 0.7, 0.9] if self.kind == "ordinal" else [0.7], method="lower")
        return np.searchsorted(cuts, self.signal, side="left").astype(np.uint8)

    @cached_property
    def masses(self) -> np.ndarray | None:
        return 1 + below(self.n_rows, 10**6, 102) if self.weighted else None

    def table(self, rows: slice | np.ndarray = slice(None), far: Any = None) -> _core.TableArrays:
        """The binned table, or some of its rows; `far` grows trees on rows that are elsewhere."""
        numeric = np.where(self.categorical, 0, self.bins)
        cuts = np.concatenate([np.arange(1, b) + 0.5 for b in numeric])
        means = np.concatenate([np.arange(1, b + 1) * 1.0 for b in self.bins])
        cut_offsets = np.concatenate([[0], np.cumsum(np.maximum(numeric - 1, 0))]).astype(np.int64)
        mean_offsets = np.concatenate([[0], np.cumsum(self.bins)]).astype(np.int64)
        return _core.TableArrays(
            self.codes[rows], self.bins, self.categorical, cuts, cut_offsets, means, mean_offsets, far
        )

    def _table_of(self, shards: Shards, near: float) -> _core.TableArrays:
        return self.table() if shards is None else self.table(slice(0), InShards(self, shards, near))

    def inner_params(self) -> _core.InnerParams:
        """The record that LeafRank and ordinal trees take."""
        params = _core.InnerParams()
        given = {"criterion": "ranking", "levels": LEVELS} if self.kind == "ordinal" else {}
        for name, value in (given | self.inner).items():
            codes = {"criterion": _CRITERIA, "missing": _MISSING}.get(name)
            setattr(params, name, codes[value] if codes else _constraints(value) if name == "constraints" else value)
        return params

    def grow(self, n_threads: int = 1, **how: Any) -> list[Arrays]:
        """The trees, as arrays."""
        return getattr(self, f"_{self.kind}")(n_threads, **how)

    def _leafrank(self, n_threads: int, shards: Shards = None, near: float = 0.0) -> list[Arrays]:
        params = _core.MasterParams()
        params.inner, params.seed = self.inner_params(), 5
        for name, value in self.master.items():
            setattr(params, name, value)
        return _core.grow(
            self._table_of(shards, near), self.labels, self.masses, 0.25, params, self.sample_size, self.replace,
            self.n_trees, 3, n_threads, class_sizes=self.class_sizes,
        )  # fmt: skip

    def _ordinal(self, n_threads: int, shards: Shards = None, near: float = 0.0) -> list[Arrays]:
        return _core.grow_ordinal(
            self._table_of(shards, near), self.labels, self.masses, 0.25, self.inner_params(), 5, self.sample_size,
            self.replace, self.n_trees, 3, n_threads,
        )  # fmt: skip

    def _boosted(self, n_threads: int, shards: Shards = None) -> list[Arrays]:
        params = _core.BoostParams()
        tree = _core.GradientTreeParams()
        for name, value in self.inner.items():
            setattr(tree, name, _constraints(value) if name == "constraints" else value)
        params.tree, params.seed = tree, 5
        for name, value in self.boosting.items():
            setattr(params, name, _LOSSES[value] if name == "loss" else value)
        weights = None if self.masses is None else self.masses / 1024.0
        held_out = (below(self.n_rows, 5, 103) == 0).astype(np.uint8)
        if shards is not None:
            return self._boosted_on_shards(shards, weights, held_out, params)
        boosters = _core.Boosters(self.table(), self.labels, weights, held_out[None, :], [params])
        boosters.advance(self.n_trees, n_threads)
        measured = {
            "start": np.array(boosters.starts()),
            "curve": boosters.curves()[0],
            "held_out": boosters.held_out_scores(self.n_trees)[0],
        }
        return [boosters.trees(self.n_trees), measured]

    def _boosted_on_shards(
        self, shards: Sequence[np.ndarray], weights: np.ndarray | None, held_out: np.ndarray, params: _core.BoostParams
    ) -> list[Arrays]:
        """The same by questions to the shards, which are runs of rows."""
        boosters = _core.FarBoosters(self.table(slice(0)), self.labels, weights, held_out[None, :], [params])
        (start,) = boosters.starts()
        parts = [
            _core.BoosterPart(
                self.table(rows), self.labels[rows], None if weights is None else weights[rows], held_out[rows],
                int(rows[0]) if len(rows) else 0, start,
            )
            for rows in shards
        ]  # fmt: skip
        boosters.begin(self.n_trees)
        while asked := boosters.questions():
            ((_, ends, question),) = asked
            if ends:
                boosters.answer_parts(0, [part.leaves(question) for part in parts])
            else:
                boosters.answer_words(0, np.sum([part.words(question) for part in parts], axis=0, dtype=np.uint64))
        trees = boosters.grown(0, 0)
        margins = _core.boosted_margins(self.table(), trees, start, held_out)
        measured = {"start": np.array([start]), "curve": boosters.curves()[0], "held_out": margins}
        return [_core.flat_trees(self.table(slice(0)), trees), measured]


def _constraints(given: dict[str, Any]) -> _core.Constraints:
    found = _core.Constraints()
    for name, value in given.items():
        setattr(found, name, value)
    return found


def digest(trees: Sequence[Arrays], rounded: Sequence[str] = _ROUNDED) -> str:
    """A fingerprint of arrays; those named in `rounded` count to six digits of their largest value."""
    found = hashlib.sha256()
    for arrays in trees:
        for name in sorted(arrays):
            values = np.asarray(arrays[name])
            if name in rounded:
                values = np.round(values / 10.0 ** np.floor(np.log10(np.abs(values).max() + 1e-300)), 6) + 0.0
            found.update(name.encode() + str(values.shape).encode() + np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]


def _leafrank(**given: Any) -> Case:
    return Case("leafrank", **({"inner": {"max_depth": 3}, "master": {"max_depth": 4}} | given))


_SHALLOW = {"max_depth": 4}
_MIXED = {"n_categorical": 3, "missing_share": 0.1}
# Of the features of _MIXED: four numbers, and categories with 4, 27 and 50 values.
_IN_ORDER = {"monotonic": [1, 0, -1, 0, 1, 1, 0], "order": [[], [], [], [], [2, 1, 4, 3], [*range(27, 0, -1)], []]}
_IN_GROUPS = {"groups": [[0, 1, 4], [1, 2, 5], [3, 6]]}

CASES: dict[str, Case] = {
    "leafrank": _leafrank(),
    "leafrank two bytes": _leafrank(two_bytes=True, n_bins=700, n_categorical=1),
    "leafrank weights": _leafrank(weighted=True, **_MIXED),
    "leafrank categories and missing": _leafrank(**_MIXED),
    "leafrank auc": _leafrank(inner={"max_depth": 3, "criterion": "auc"}, **_MIXED),
    "leafrank cell mean": _leafrank(inner={"max_depth": 3, "missing": "cell_mean"}, **_MIXED),
    "leafrank cell mean, random cuts": _leafrank(
        inner={"max_depth": 3, "missing": "cell_mean", "random_cuts": True}, **_MIXED
    ),
    "leafrank random cuts": _leafrank(inner={"max_depth": 5, "random_cuts": True}),
    "leafrank random cuts, many features": _leafrank(
        inner={"max_depth": 4, "random_cuts": True, "max_features": 6}, n_features=40, **_MIXED
    ),
    "leafrank random cuts, weights": _leafrank(inner={"max_depth": 4, "random_cuts": True}, weighted=True, **_MIXED),
    "leafrank drawn features": _leafrank(
        inner={"max_depth": 4, "max_features": 3}, master={"max_depth": 4, "max_features": 5}, **_MIXED
    ),
    "leafrank best first": _leafrank(
        inner={"max_leaf_nodes": 6}, master={"max_leaf_nodes": 9, "min_samples_leaf": 30}, **_MIXED
    ),
    "leafrank small leaves": _leafrank(inner={"max_depth": 8}, master={"max_depth": 12}, n_rows=1200, **_MIXED),
    "leafrank floors": _leafrank(
        inner={"max_depth": 6, "min_samples_leaf": 7, "min_mass_leaf": 0.02}, master={"max_depth": 5, "top": 0.4}
    ),
    "leafrank constraints": _leafrank(inner={"max_depth": 4, "constraints": {"monotonic": [1, -1, 0, 0, 0, 0, 0]}}),
    "leafrank order of categories": _leafrank(inner={"max_depth": 4, "constraints": _IN_ORDER}, **_MIXED),
    "leafrank order of categories, random cuts": _leafrank(
        inner={"max_depth": 4, "constraints": _IN_ORDER, "random_cuts": True}, weighted=True, **_MIXED
    ),
    "leafrank interactions": _leafrank(
        inner={"max_depth": 3, "max_features": 4, "constraints": _IN_GROUPS}, master={"max_depth": 4}, **_MIXED
    ),
    "leafrank pairs of features": _leafrank(inner={"max_depth": 3, "constraints": {"most_together": 2}}, **_MIXED),
    "leafrank bootstrap": _leafrank(sample_size=3000, n_trees=3, **_MIXED),
    "leafrank draws without replacement": _leafrank(sample_size=1000, replace=False, n_trees=2),
    "leafrank balanced classes": _leafrank(class_sizes=[300, 300], n_trees=2, **_MIXED),
    "leafrank many rows": _leafrank(n_rows=150_000, **_MIXED),
    "leafrank many rows, bootstrap": _leafrank(n_rows=150_000, sample_size=150_000, n_features=12),
    "leafrank many rows, weights": _leafrank(n_rows=80_000, weighted=True, **_MIXED),
    "leafrank many rows, random cuts": _leafrank(n_rows=80_000, inner={"max_depth": 3, "random_cuts": True}),
    "ordinal": Case("ordinal", inner=_SHALLOW),
    "ordinal deep": Case("ordinal", inner={"max_depth": 30}, **_MIXED),
    "ordinal gini": Case("ordinal", inner=_SHALLOW | {"criterion": "ordinal_gini"}, **_MIXED),
    "ordinal information": Case("ordinal", inner={"max_depth": 9, "criterion": "weighted_information_gain"}, **_MIXED),
    "ordinal nominal gini": Case("ordinal", inner={"max_depth": 9, "criterion": "nominal_gini"}, **_MIXED),
    "ordinal weights": Case("ordinal", inner={"max_depth": 7}, weighted=True, **_MIXED),
    "ordinal two bytes": Case("ordinal", inner={"max_depth": 7}, two_bytes=True, n_bins=700),
    "ordinal random cuts": Case("ordinal", inner={"max_depth": 8, "random_cuts": True}, **_MIXED),
    "ordinal best first": Case("ordinal", inner={"max_leaf_nodes": 12, "max_features": 4}, **_MIXED),
    "ordinal bootstrap": Case("ordinal", inner={"max_depth": 8}, sample_size=3000, n_trees=3, **_MIXED),
    "ordinal constraints": Case("ordinal", inner={"max_depth": 7, "constraints": _IN_ORDER | _IN_GROUPS}, **_MIXED),
    "ordinal constraints, random cuts": Case(
        "ordinal", inner={"max_depth": 7, "constraints": _IN_ORDER, "random_cuts": True}, weighted=True, **_MIXED
    ),
    "ordinal many rows": Case("ordinal", inner={"max_depth": 6}, n_rows=80_000, **_MIXED),
    "boosted": Case("boosted", boosting={"loss": "log_loss"}, n_trees=8),
    "boosted mixed": Case("boosted", boosting={"loss": "logistic"}, n_trees=8, **_MIXED),
    "boosted weights": Case("boosted", boosting={"loss": "log_loss"}, n_trees=6, weighted=True, **_MIXED),
    "boosted drawn": Case(
        "boosted", boosting={"loss": "exponential", "subsample": 0.6}, inner={"max_features": 3}, n_trees=8, **_MIXED
    ),
    "boosted random cuts": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"random_cuts": True, "max_leaf_nodes": 40}, n_trees=6, **_MIXED
    ),
    "boosted deep": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"max_depth": 6, "max_leaf_nodes": 2**30}, n_trees=4, **_MIXED
    ),
    "boosted floors": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"min_samples_leaf": 40, "l2": 3.0}, n_trees=5, n_features=18
    ),
    "boosted two bytes": Case("boosted", boosting={"loss": "log_loss"}, two_bytes=True, n_bins=700, n_trees=4),
    "boosted thresholds": Case(
        "boosted", boosting={"loss": "exponential", "threshold": True, "learning_rate": 1.0}, n_trees=8, **_MIXED
    ),
    "boosted many rows": Case("boosted", boosting={"loss": "log_loss"}, n_rows=80_000, n_trees=3, **_MIXED),
    "boosted many rows, two bytes": Case(
        "boosted", boosting={"loss": "log_loss"}, two_bytes=True, n_rows=40_000, n_bins=700, n_trees=2
    ),
    "boosted few bins": Case(  # columns are joined, but not in shards
        "boosted", boosting={"loss": "log_loss"}, n_features=13, n_bins=2, n_categorical=1, missing_share=0.1, n_trees=5
    ),
    "boosted constraints": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"constraints": _IN_ORDER}, n_trees=6, weighted=True, **_MIXED
    ),
    "boosted constraints, random cuts": Case(
        "boosted",
        boosting={"loss": "exponential", "subsample": 0.6},
        inner={"constraints": _IN_ORDER | _IN_GROUPS, "random_cuts": True, "max_leaf_nodes": 30},
        n_trees=6,
        **_MIXED,
    ),
    "boosted interactions": Case(
        "boosted",
        boosting={"loss": "log_loss"},
        inner={"constraints": _IN_GROUPS, "max_features": 3, "max_leaf_nodes": 30},
        n_trees=6,
        **_MIXED,
    ),
    "boosted pairs of features": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"constraints": {"most_together": 2}}, n_trees=6, **_MIXED
    ),
    "boosted thresholds, constraints": Case(
        "boosted",
        boosting={"loss": "exponential", "threshold": True, "learning_rate": 1.0},
        inner={"constraints": _IN_ORDER},
        n_trees=8,
        **_MIXED,
    ),
    "boosted symmetric": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"symmetric": True, "max_leaf_nodes": 64}, n_trees=5, **_MIXED
    ),
    "boosted symmetric, drawn": Case(
        "boosted",
        boosting={"loss": "exponential", "subsample": 0.6},
        inner={"symmetric": True, "max_leaf_nodes": 16, "max_features": 4, "random_cuts": True},
        n_trees=5,
        weighted=True,
        **_MIXED,
    ),
    "boosted symmetric, two bytes": Case(
        "boosted",
        boosting={"loss": "log_loss"},
        inner={"symmetric": True, "max_leaf_nodes": 32, "l2": 0.0},
        two_bytes=True,
        n_bins=700,
        n_trees=3,
    ),
    "boosted symmetric, few bins": Case(
        "boosted",
        boosting={"loss": "log_loss"},
        inner={"symmetric": True},
        n_features=20,
        n_bins=3,
        n_categorical=1,
        n_trees=4,
    ),
    "boosted symmetric, many rows": Case(
        "boosted", boosting={"loss": "log_loss"}, inner={"symmetric": True}, n_rows=80_000, n_trees=3, **_MIXED
    ),
}
