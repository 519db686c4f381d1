"""Brute-force twins of trees of ordered labels: impurities from their definitions, every cut tried, plain growth.

Masses are tuples with one entry per level. Weights and levels are whole numbers here, and quotients are fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import naive
from naive import Cut
from rankforest import _core

CRITERIA = ("ranking", "ordinal_gini", "weighted_information_gain", "gini")
KIND = dict(zip(CRITERIA, (2, 3, 4, 5)))

Masses = tuple[Any, ...]

# ---- impurities


def ranking_impurity(mass: Sequence[Any], levels: Sequence[Any]) -> Any:
    """Every pair of different labels counts by their distance."""
    k = len(levels)
    return sum((levels[j] - levels[i]) * mass[i] * mass[j] for i in range(k) for j in range(i + 1, k))


def ordinal_gini(mass: Sequence[Any]) -> Fraction:
    """Gini of "at most the m-th label", summed over m."""
    n, shares = sum(mass), [sum(mass[: m + 1]) for m in range(len(mass) - 1)]
    return sum((Fraction(f, n) * (1 - Fraction(f, n)) for f in shares), Fraction(0))


def gini(mass: Sequence[Any]) -> Fraction:
    n = sum(mass)
    return sum((Fraction(m, n) * (1 - Fraction(m, n)) for m in mass), Fraction(0))


def weighted_entropy(mass: Sequence[Any], levels: Sequence[Any]) -> float:
    """Entropy whose terms are weighted by the distance to the mode, the weights of all labels summing to one."""
    n, mode = sum(mass), levels[max(range(len(mass)), key=lambda i: (mass[i], -i))]
    distance = [abs(level - mode) for level in levels]
    terms = (d / sum(distance) * (m / n) * math.log2(m / n) for d, m in zip(distance, mass) if m)
    return -sum(terms)


def gain(criterion: str, left: Masses, node: Masses, levels: Sequence[Any]) -> Any:
    """Impurity that a cut takes off the node, in units of the node."""
    right = tuple(n - m for n, m in zip(node, left))
    total = sum(node)
    if criterion == "ranking":
        lost = ranking_impurity(node, levels) - ranking_impurity(left, levels) - ranking_impurity(right, levels)
        return Fraction(lost) / (total * total * (levels[-1] - levels[0]))
    impurity: Any = {
        "ordinal_gini": ordinal_gini,
        "gini": gini,
        "weighted_information_gain": lambda mass: weighted_entropy(mass, levels),
    }[criterion]
    sides = [Fraction(sum(side), total) * impurity(side) for side in (left, right) if sum(side)]
    return impurity(node) - sum(sides)


def share(criterion: str, node: Masses, cell: Masses) -> Fraction:
    """What turns a gain in units of the node into one in units of the whole sample."""
    of_mass = Fraction(sum(node), sum(cell))
    return of_mass * of_mass if criterion == "ranking" else of_mass


# ---- cuts


@dataclass(frozen=True)
class Ordered(naive.Sample):
    """A sample whose labels are 0, 1, ... with a level for each."""

    levels: tuple[int, ...] = ()

    def mass(self, rows: Iterable[int]) -> Any:
        total = [0] * len(self.levels)
        for i in rows:
            total[self.y[i]] += self.w[i]
        return tuple(total)

    def weights(self) -> np.ndarray | None:
        """As the core takes them: None where all are one."""
        return None if set(self.w) == {1} else np.array(self.w, dtype=np.int64)


def random_ordered(
    rng: np.random.Generator,
    n: int,
    q: int,
    k: int,
    *,
    distinct: int | None = None,
    missing: float = 0.0,
    categorical: bool = False,
    most: int | None = None,
) -> Ordered:
    """Some signal; few distinct values if asked for, every other feature categorical if asked for."""
    y = rng.integers(0, k, n).astype(np.uint8)
    y[rng.permutation(n)[: min(n, k)]] = np.arange(min(n, k))
    X = rng.integers(0, distinct, (n, q)).astype(float) if distinct else rng.normal(size=(n, q)) + 0.4 * y[:, None]
    categories = [0] * q
    for j in range(1, q, 2) if categorical else []:
        categories[j] = int(rng.integers(2, 6))
        X[:, j] = (y + rng.integers(0, 3, n)) % categories[j]
    X[rng.random((n, q)) < missing] = np.nan
    w = [1] * n if most is None else [int(v) for v in rng.integers(1, most + 1, n)]
    levels = tuple(int(v) for v in np.cumsum(rng.integers(1, 4, k)))
    return Ordered(X, y, w, tuple(categories), levels)


def mean_label(sample: Ordered, rows: Iterable[int]) -> Fraction:
    mass = sample.mass(rows)
    return Fraction(sum(m * level for m, level in zip(mass, sample.levels)), sum(mass))


def prefix_cuts(sample: Ordered, rows: Sequence[int], j: int) -> Iterator[Cut]:
    """The first 1, 2, ... categories by rising mean label."""
    groups = naive.by_category(sample, rows, j)
    order = sorted(groups, key=lambda c: (mean_label(sample, groups[c]), c))
    for size in range(1, len(order)):
        yield naive.categorical_cut(sample, rows, j, order[:size])


@dataclass(frozen=True)
class Params:
    """Parameters of the tree, named as in the core."""

    criterion: str = "ranking"
    max_depth: float = math.inf
    max_leaf_nodes: float = math.inf
    max_features: int = 0
    min_samples_leaf: int = 1
    random_cuts: bool = False
    seed: int = 0


def best_cut(sample: Ordered, rows: Sequence[int], features: Sequence[int], params: Params, key: int = 0) -> Cut | None:
    """The cut with the largest gain; of equals the first, numeric features before categorical ones."""
    node = sample.mass(rows)
    best: Cut | None = None
    for categorical in (False, True):
        for j in features:
            if bool(sample.categories[j]) != categorical:
                continue
            cuts: Iterable[Cut] = (
                prefix_cuts(sample, rows, j) if categorical else naive.numeric_cuts(sample, rows, j, "learned")
            )
            discount = Fraction(1)
            if params.random_cuts:
                cuts = random_cuts(sample, rows, j, naive.words(naive.feature_key(key, j)))
            elif categorical:
                squared = params.criterion != "ranking"
                discount = naive.category_discount(sample, rows, j, sample.levels, squared=squared)
            for cut in cuts:
                sides = len(cut.left), len(rows) - len(cut.left)
                if min(sides) < max(1, params.min_samples_leaf):
                    continue
                cut.gain = discount * gain(params.criterion, sample.mass(cut.left), node, sample.levels)
                if cut.gain > max(1e-12, 0 if best is None else best.gain):
                    best = cut
    return best


def random_cuts(sample: Ordered, rows: Sequence[int], j: int, stream: Iterator[int]) -> Iterator[Cut]:
    """One cut of a feature, drawn at random."""
    if not sample.categories[j]:
        yield from naive.random_numeric_cut(sample, rows, j, "learned", stream)
        return
    yield from naive.random_subset_cut(sample, rows, j, stream)


# ---- growth


@dataclass(eq=False)
class Node:
    rows: Sequence[int]
    depth: int
    key: int
    cut: Cut | None = None
    children: list[Node] = field(default_factory=list)

    def leaves(self) -> list[Node]:
        """From left to right."""
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def inner(self) -> list[Node]:
        """Nodes with children, in preorder."""
        return [self, *(node for child in self.children for node in child.inner())] if self.children else []


def grow(sample: Ordered, params: Params, tree: int = 0) -> Node:
    """Cuts until nothing is gained; with a bound on the leaves, the cut with the largest gain first."""
    root = Node(range(len(sample.y)), 0, naive.child_key(naive.tree_key(params.seed, tree), 1))
    cell = sample.mass(root.rows)

    def find(node: Node) -> bool:
        few = len(node.rows) < 2 * params.min_samples_leaf
        if few or node.depth >= params.max_depth or sum(m > 0 for m in sample.mass(node.rows)) < 2:
            return False
        features = naive.draw_features(range(sample.X.shape[1]), params.max_features, node.key)
        node.cut = best_cut(sample, node.rows, features, params, node.key)
        if node.cut is not None:
            node.cut.priority = node.cut.gain * share(params.criterion, sample.mass(node.rows), cell)
        return node.cut is not None

    frontier = [root] if find(root) else []
    n_leaves = 1
    while frontier and n_leaves < params.max_leaf_nodes:
        node = max(frontier, key=lambda candidate: candidate.cut.priority if candidate.cut else Fraction(0))
        frontier.remove(node)
        assert node.cut is not None
        left = set(node.cut.left)
        sides = [i for i in node.rows if i in left], [i for i in node.rows if i not in left]
        node.children = [Node(s, node.depth + 1, naive.child_key(node.key, i)) for i, s in enumerate(sides)]
        n_leaves += 1
        frontier += [child for child in node.children if find(child)]
    return root


# ---- what the core takes


def core_params(params: Params, levels: Sequence[float]) -> _core.InnerParams:
    core = _core.InnerParams()
    core.criterion = KIND[params.criterion]
    core.levels = list(levels)
    for name in ("max_depth", "max_leaf_nodes"):
        value = getattr(params, name)
        setattr(core, name, _core.UNLIMITED if value == math.inf else int(value))
    for name in ("max_features", "min_samples_leaf", "random_cuts"):
        setattr(core, name, getattr(params, name))
    return core


def grow_core(sample: Ordered, params: Params, dtype: Any = np.uint8, tree: int = 0) -> dict[str, np.ndarray]:
    table = naive.exact_table(sample, dtype)
    core = core_params(params, sample.levels)
    return _core.grow_ordinal(table.core, sample.y, sample.weights(), 1.0, core, params.seed, 0, True, 1, tree, 1)[0]


# ---- what a leaf says


def median_label(mass: Sequence[Any], levels: Sequence[Any]) -> Any:
    """The label with the least expected distance; of equals the lowest."""
    return min(levels, key=lambda guess: sum(m * abs(level - guess) for m, level in zip(mass, levels)))


def absolute_loss(mass: Sequence[Any], levels: Sequence[Any], guess: Any) -> Any:
    return sum(m * abs(level - guess) for m, level in zip(mass, levels))
