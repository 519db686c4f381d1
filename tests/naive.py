"""Brute-force twins of the core: every kernel once more, from its definition, with plain loops over raw values.

Labels are 0 or 1, weights whole numbers, and quotients are fractions, so that nothing here is rounded. Missing values
are NaN, categories are 0, 1, ...; a pair of masses is (negatives, positives).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from rankforest import RankingTree, _core
from rankforest.data.binning import BinnedTable, Bins

Mass = tuple[Any, Any]
MISSING = -1  # the missing as one more category, sorted before the others

# ---- bins


def between(a: float, b: float) -> float:
    """A cut that leaves a below and b above: their middle, or a where no number lies strictly between."""
    middle = a / 2 + b / 2
    return middle if a < middle < b else a


def cut_points(values: Iterable[float]) -> list[float]:
    """One cut between each two neighbours among the distinct values."""
    distinct = sorted({float(x) for x in values if not math.isnan(x)})
    return [between(a, b) for a, b in itertools.pairwise(distinct)]


def digits_between(low: float, cut: float, high: float) -> int:
    """The least number of decimal digits from which on a cut lies between its neighbours; 17 are the cut itself."""
    fails = [d for d in range(1, 17) if not low < float(f"{cut:.{d - 1}e}") < high]
    return max(fails, default=0) + 1


def code(x: float, cuts: Sequence[float]) -> int:
    """1 + the number of cuts below x; 0 for a missing value."""
    return 0 if math.isnan(x) else 1 + sum(cut < x for cut in cuts)


# ---- histograms


def histogram(codes: np.ndarray, labels: np.ndarray, weights: np.ndarray, n_classes: int, n_codes: int) -> np.ndarray:
    """[feature][code][mass of each class..., rows]."""
    out = np.zeros((codes.shape[1], n_codes, n_classes + 1))
    for j in range(codes.shape[1]):
        np.add.at(out[j], (codes[:, j], labels), weights)
        np.add.at(out[j], (codes[:, j], n_classes), 1)
    return out


# ---- criteria: masses of the left side, of the node, and of the cell around it


def gini_impurity(shares: Mass) -> Any:
    """4 p (1 - p) of a pair of shares: 1 where both are equal, 0 where one class is alone."""
    p = shares[1] / (shares[0] + shares[1])
    return 4 * p * (1 - p)


def gini_gain(left: Mass, node: Mass) -> Fraction:
    """Impurity of the node, each class weighted to one half, minus what the two sides keep of it."""
    a, b = Fraction(left[0], node[0]), Fraction(left[1], node[1])
    sides = [((a + b) / 2, (a, b)), (1 - (a + b) / 2, (1 - a, 1 - b))]
    return 1 - sum(mass * gini_impurity(shares) for mass, shares in sides if mass > 0)


def auc_gain(left: Mass, node: Mass, cell: Mass) -> Fraction:
    """|alpha(N) beta(N') - beta(N) alpha(N')| in shares of the cell."""
    (alpha_left, beta_left), (alpha, beta) = ([Fraction(m[k], cell[k]) for k in (0, 1)] for m in (left, node))
    return abs(alpha * beta_left - beta * alpha_left)


def gain(criterion: str, left: Mass, node: Mass, cell: Mass) -> Fraction:
    return gini_gain(left, node) if criterion == "gini" else auc_gain(left, node, cell)


def balanced_share(mass: Mass, cell: Mass) -> Fraction:
    """Share of the cell's mass when each class weighs one half."""
    return (Fraction(mass[0], cell[0]) + Fraction(mass[1], cell[1])) / 2


# ---- samples and cuts


@dataclass(frozen=True)
class Sample:
    """Raw values, labels and weights; categories: the number of categories of each feature, 0 for a numeric one."""

    X: np.ndarray
    y: np.ndarray
    w: Sequence[int]
    categories: tuple[int, ...]

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, w: Any = None, categories: Sequence[int] | None = None) -> Sample:
        weights = [1] * len(y) if w is None else [int(v) for v in w]
        return cls(X, y, weights, tuple(categories or [0] * X.shape[1]))

    @property
    def n_codes(self) -> list[int]:
        return [k + 1 if k else 0 for k in self.categories]

    def mass(self, rows: Iterable[int]) -> tuple[int, int]:
        total = [0, 0]
        for i in rows:
            total[self.y[i]] += self.w[i]
        return total[0], total[1]


@dataclass
class Cut:
    """A cut of one node: numeric by threshold, categorical by the sets of categories seen and sent left."""

    feature: int
    left: tuple[int, ...]  # rows
    missing_left: bool
    threshold: float = math.nan
    chosen: frozenset[int] | None = None
    seen: frozenset[int] = frozenset()
    gain: Fraction = Fraction(0)
    priority: Fraction = Fraction(0)

    def goes_left(self, row: np.ndarray) -> bool:
        x = row[self.feature]
        if self.chosen is None:
            return self.missing_left if math.isnan(x) else bool(x <= self.threshold)
        return self.missing_left if math.isnan(x) or int(x) not in self.seen else int(x) in self.chosen


def is_majority(sample: Sample, left: Iterable[int], rows: Iterable[int]) -> bool:
    """Whether a side has at least half of the mass of the node: there go missing values that the node has not seen."""
    return 2 * sum(sample.mass(left)) >= sum(sample.mass(rows))


def numeric_cuts(sample: Sample, rows: Sequence[int], j: int, missing: str) -> Iterator[Cut]:
    """All cuts on a numeric feature. Thresholds that give the same split are one cut, at the middle one of them."""
    x = {i: sample.X[i, j] for i in rows}
    observed = [i for i in rows if not math.isnan(x[i])]
    absent = [i for i in rows if math.isnan(x[i])]
    if not observed:
        return
    mean = sum(Fraction(x[i]) * sample.w[i] for i in observed) / sum(sample.w[i] for i in observed)
    for side in (False, True) if missing == "learned" and absent else (None,):
        alike: dict[tuple[tuple[int, ...], bool], list[float]] = {}
        for t in [*cut_points(sample.X[:, j]), math.inf]:  # at infinity: the missing against all others
            left = [i for i in observed if x[i] <= t]
            if missing == "cell_mean":
                missing_left = mean <= t
            else:
                missing_left = side if absent else is_majority(sample, left, rows)
            alike.setdefault((tuple(left + absent * missing_left), missing_left), []).append(t)
        for (left_rows, missing_left), thresholds in alike.items():
            middle = math.inf if thresholds[-1] == math.inf else thresholds[(len(thresholds) - 1) // 2]
            yield Cut(j, left_rows, missing_left, threshold=middle)


def by_category(sample: Sample, rows: Iterable[int], j: int) -> dict[int, list[int]]:
    """Rows of each category that occurs, the missing among them."""
    groups: dict[int, list[int]] = {}
    for i in rows:
        x = sample.X[i, j]
        groups.setdefault(MISSING if math.isnan(x) else int(x), []).append(i)
    return groups


def categorical_cut(sample: Sample, rows: Sequence[int], j: int, chosen: Iterable[int]) -> Cut:
    """The cut that sends some of the categories left."""
    groups, kept = by_category(sample, rows, j), frozenset(chosen)
    left = tuple(i for c in kept for i in groups[c])
    missing_left = MISSING in kept if MISSING in groups else is_majority(sample, left, rows)
    return Cut(j, left, missing_left, chosen=kept, seen=frozenset(groups))


def prefix_cuts(sample: Sample, rows: Sequence[int], j: int) -> Iterator[Cut]:
    """The first 1, 2, ... categories by falling beta/alpha."""
    groups = by_category(sample, rows, j)
    order = sorted(groups, key=lambda c: (-odds(sample.mass(groups[c])), c))
    for k in range(1, len(order)):
        yield categorical_cut(sample, rows, j, order[:k])


def category_discount(
    sample: Sample, rows: Sequence[int], j: int, levels: Sequence[int] = (0, 1), *, squared: bool = True
) -> Fraction:
    """Factor of the gains of more than ten sorted categories: what is more than chance in the differences between them.

    The variance between the categories over the variance of the labels, times the number of rows, is compared with a
    chi-square law of as many degrees of freedom as there are categories after the tenth: two standard deviations above
    its mean are chance.
    """
    groups = by_category(sample, rows, j)
    n_surplus = len(groups) - 10
    if n_surplus <= 0:
        return Fraction(1)

    def total(part: Sequence[int]) -> int:
        return sum(sample.w[i] for i in part)

    def mean(part: Sequence[int]) -> Fraction:
        return Fraction(sum(sample.w[i] * levels[sample.y[i]] for i in part), total(part))

    between = sum(total(part) * (mean(part) - mean(rows)) ** 2 for part in groups.values())
    within_all = sum(sample.w[i] * (levels[sample.y[i]] - mean(rows)) ** 2 for i in rows)
    by_chance = n_surplus + 2 * Fraction(math.sqrt(2 * n_surplus))
    kept = 1 - by_chance * within_all / (len(rows) * between) if between else Fraction(0)
    return Fraction(0) if kept <= 0 else kept if squared else Fraction(math.sqrt(kept))


def subset_cuts(sample: Sample, rows: Sequence[int], j: int) -> Iterator[Cut]:
    """Every non-trivial set of categories."""
    for chosen in subsets(sorted(by_category(sample, rows, j))):
        yield categorical_cut(sample, rows, j, chosen)


def odds(mass: Mass) -> Any:
    """beta/alpha up to a constant; infinite where alpha = 0."""
    return Fraction(mass[1]) / Fraction(mass[0]) if mass[0] else math.inf


def subsets(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All subsets but the empty one and the whole."""
    for size in range(1, len(items)):
        yield from itertools.combinations(items, size)


# ---- monotone constraints


def direction(cut: Cut, inner: Inner) -> int:
    """Constraint on the order of the two sides; none if the cut only splits off the missing values."""
    return 0 if not inner.monotonic or cut.threshold == math.inf else inner.monotonic[cut.feature]


def closed_side(cut: Cut, left: Mass, right: Mass, cell: Mass, inner: Inner) -> int | None:
    """0 or 1: the side of a cut on a constrained feature that stays a leaf.

    The low side if it goes right with the cell cut at its own odds, the high side if it goes left, and the lighter one
    if both is so.
    """
    if not direction(cut, inner):
        return None
    low, high = (left, right) if direction(cut, inner) > 0 else (right, left)
    lighter = balanced_share(low, cell) <= balanced_share(high, cell)
    close_low = odds(high) <= odds(cell) or (odds(low) <= odds(cell) and lighter)
    return 0 if close_low == (low is left) else 1


# ---- random draws


_WORD = 2**64 - 1


def mix(x: int) -> int:
    """One step of splitmix64."""
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def child_key(key: int, child: int) -> int:
    return mix(key ^ mix(child + 1))


def tree_key(seed: int, tree: int) -> int:
    return child_key(mix(seed), tree)


def words(key: int) -> Iterator[int]:
    for counter in itertools.count():
        yield mix((key + 0x9E3779B97F4A7C15 * counter) & _WORD)


def below(stream: Iterator[int], bound: int) -> int:
    """Uniform on 0 .. bound-1: the words that would favour some numbers are left out."""
    while True:
        product = (next(stream) >> 32) * bound
        if product % 2**32 >= 2**32 % bound:
            return product >> 32


def draw_some(items: Sequence[int], count: int, key: int) -> list[int]:
    """`count` of the items without replacement: the start of a shuffle."""
    shuffled, stream = list(items), words(key)
    for i in range(count):
        other = i + below(stream, len(shuffled) - i)
        shuffled[i], shuffled[other] = shuffled[other], shuffled[i]
    return shuffled[:count]


def draw_features(pool: Sequence[int], count: int, key: int) -> list[int]:
    """Some of the features, ascending; all of them for count 0."""
    return list(pool) if not 0 < count < len(pool) else sorted(draw_some(pool, count, key))


def draw_rows(n: int, size: int, replace: bool, key: int) -> list[int]:
    """How often each row is drawn."""
    stream = words(key)
    drawn = [below(stream, n) for _ in range(size)] if replace else draw_some(range(n), size, key)
    return [drawn.count(i) for i in range(n)]


def draw_by_class(labels: Sequence[int], sizes: Sequence[int], replace: bool, key: int) -> list[int]:
    """How often each row is drawn, each class on its own."""
    times = [0] * len(labels)
    for k in (0, 1):
        members = [i for i, label in enumerate(labels) if label == k]
        for i, count in zip(members, draw_rows(len(members), sizes[k], replace, child_key(key, k))):
            times[i] = count
    return times


# ---- random cuts


def group_folds(labels: Sequence[int], groups: Sequence[int], n_folds: int, seed: int) -> list[int]:
    """Folds of whole groups: shuffled, the largest share of a class first, each to the fold with the least overlap.

    Overlaps are rounded as in the core, so that ties are the same.
    """
    n_of = [list(labels).count(k) for k in (0, 1)]

    def shares(rows: Sequence[int]) -> list[float]:
        return [sum(labels[i] == k for i in rows) / n_of[k] for k in (0, 1)]

    members = {g: [i for i, group in enumerate(groups) if group == g] for g in sorted(set(groups))}
    order = [sorted(members)[place] for place in np.random.default_rng(seed).permutation(len(members))]
    folds: list[list[int]] = [[] for _ in range(n_folds)]
    for g in sorted(order, key=lambda g: -max(shares(members[g]))):

        def rise(fold: list[int], g: int = g) -> float:
            return sum(a * b for a, b in zip(shares(members[g]), shares(fold)))

        min(folds, key=lambda fold: (rise(fold), len(fold))).extend(members[g])
    return [next(f for f, fold in enumerate(folds) if i in fold) for i in range(len(labels))]


def feature_key(key: int, j: int) -> int:
    """Key of the draws for one feature in the node with this key."""
    return child_key(key, 16 + j)


def random_numeric_cut(
    sample: Sample, rows: Sequence[int], j: int, missing: str, stream: Iterator[int]
) -> Iterator[Cut]:
    """One place, uniform between the least and the largest value in the node; the missing on either side."""
    column = [float(sample.X[i, j]) for i in rows]
    observed = [x for x in column if not math.isnan(x)]
    absent = [i for i, x in zip(rows, column) if math.isnan(x)]
    if not observed:
        return
    if min(observed) < max(observed):
        at = min(observed) + (max(observed) - min(observed)) * ((next(stream) >> 11) / 2**53)
        # the first cut at or above the drawn place that leaves values on both sides, or the last one that does
        parting = [t for t in cut_points(sample.X[:, j]) if min(observed) <= t < max(observed)]
        threshold = next((t for t in parting if t >= at), parting[-1])
    elif absent:
        threshold = math.inf
    else:
        return
    weights = {i: sample.w[i] for i in rows}
    mean = sum(Fraction(x) * weights[i] for i, x in zip(rows, column) if not math.isnan(x))
    mean /= sum(weights[i] for i, x in zip(rows, column) if not math.isnan(x))
    below_it = tuple(i for i, x in zip(rows, column) if x <= threshold)
    sides = [mean <= threshold] if missing == "cell_mean" else [False, True] if absent else [None]
    for side in sides:
        missing_left = is_majority(sample, below_it, rows) if side is None else side
        yield Cut(j, below_it + tuple(absent) * missing_left, missing_left, threshold=threshold)


def random_subset_cut(sample: Sample, rows: Sequence[int], j: int, stream: Iterator[int]) -> Iterator[Cut]:
    """Some of the categories, shuffled; how many of them is drawn as well."""
    order = sorted(by_category(sample, rows, j))
    for size in range(len(order), 1, -1):
        other = below(stream, size)
        order[size - 1], order[other] = order[other], order[size - 1]
    if len(order) > 1:
        yield categorical_cut(sample, rows, j, order[: 1 + below(stream, len(order) - 1)])


# ---- growth


@dataclass(frozen=True)
class Inner:
    """Parameters of the inner tree, named as in the core."""

    criterion: str = "gini"
    missing: str = "learned"
    max_depth: float = math.inf
    max_leaf_nodes: float = math.inf
    max_features: int = 0
    min_samples_leaf: int = 1
    min_mass_leaf: Fraction = Fraction(0)
    monotonic: tuple[int, ...] = ()
    random_cuts: bool = False


@dataclass(frozen=True)
class Master:
    """Parameters of the master tree, named as in the core."""

    inner: Inner = Inner()
    max_depth: float = math.inf
    max_leaf_nodes: float = math.inf
    max_features: int = 0
    min_samples_leaf: int = 1
    top: float = 1.0
    seed: int = 0


@dataclass(eq=False)
class Node:
    """A node of an inner tree; of its leaves, `better` tells those that make the left child of the cell."""

    rows: Sequence[int]
    depth: int
    key: int
    closed: bool = False
    cut: Cut | None = None
    left: Node | None = None
    right: Node | None = None
    better: bool = False

    def leaves(self) -> list[Node]:
        return [self] if self.left is None or self.right is None else self.left.leaves() + self.right.leaves()


@dataclass(eq=False)
class Cell:
    """A node of the master tree; gain is the Lambda of its split."""

    rows: Sequence[int]
    depth: int
    key: int
    gain: Fraction = Fraction(0)
    inner: Node | None = None
    left: Cell | None = None
    right: Cell | None = None
    number: int = -1  # of a leaf: its stratum
    before: Sequence[int] = ()  # rows of the cells to its left

    def leaves(self) -> list[Cell]:
        """Best first."""
        return [cell for cell in self.preorder() if cell.left is None]

    def preorder(self) -> list[Cell]:
        below = [cell for child in (self.left, self.right) if child for cell in child.preorder()]
        return [self, *below]


def best_cut(
    sample: Sample,
    rows: Sequence[int],
    cell: Sequence[int],
    features: Sequence[int],
    inner: Inner,
    *,
    all_subsets: bool = False,
    key: int = 0,
) -> Cut | None:
    """The cut with the largest gain; of equals the first, numeric features before categorical ones.

    With random cuts, the best of those that the key of the node draws.
    """
    node_mass, cell_mass = sample.mass(rows), sample.mass(cell)
    if 0 in node_mass:
        return None
    numeric: Callable[[int], Iterator[Cut]] = lambda j: numeric_cuts(sample, rows, j, inner.missing)  # noqa: E731
    categorical: Callable[[int], Iterator[Cut]] = lambda j: (subset_cuts if all_subsets else prefix_cuts)(  # noqa: E731
        sample, rows, j
    )
    if inner.random_cuts:
        numeric = lambda j: random_numeric_cut(sample, rows, j, inner.missing, words(feature_key(key, j)))  # noqa: E731
        categorical = lambda j: random_subset_cut(sample, rows, j, words(feature_key(key, j)))  # noqa: E731
    cuts = itertools.chain(
        *(numeric(j) for j in features if not sample.categories[j]),
        *(categorical(j) for j in features if sample.categories[j]),
    )
    discounts = {
        j: category_discount(sample, rows, j, squared=inner.criterion == "gini")
        for j in ([] if inner.random_cuts else features)
        if sample.categories[j]
    }
    best = None
    for cut in cuts:
        n_left, left = len(cut.left), sample.mass(cut.left)
        right = node_mass[0] - left[0], node_mass[1] - left[1]
        if min(n_left, len(rows) - n_left) < inner.min_samples_leaf:
            continue
        if min(balanced_share(left, cell_mass), balanced_share(right, cell_mass)) < inner.min_mass_leaf:
            continue
        first, second = (left, right) if direction(cut, inner) > 0 else (right, left)
        if direction(cut, inner) and odds(first) > odds(second):
            continue
        cut.gain = gain(inner.criterion, left, node_mass, cell_mass) * discounts.get(cut.feature, 1)
        share = balanced_share(node_mass, cell_mass) if inner.criterion == "gini" else 1
        cut.priority = cut.gain * share
        if cut.gain > (best.gain if best else 0):
            best = cut
    return best


def grow_inner(sample: Sample, rows: Sequence[int], features: Sequence[int], inner: Inner, key: int = 0) -> Node:
    """LeafRank's tree inside a cell. The best node is opened first: without a bound the order does not matter."""

    def candidate(node: Node) -> Cut | None:
        if node.closed or node.depth >= inner.max_depth:
            return None
        drawn = draw_features(features, inner.max_features, node.key)
        return best_cut(sample, node.rows, rows, drawn, inner, key=node.key)

    root = Node(rows, 0, key)
    frontier = [(root, candidate(root))]
    n_leaves = 1
    while n_leaves < inner.max_leaf_nodes:
        frontier = [(node, cut) for node, cut in frontier if cut]
        if not frontier:
            break
        node, cut = best = max(frontier, key=lambda item: item[1].priority)
        frontier.remove(best)
        node.cut, chosen = cut, set(cut.left)
        sides = [[i for i in node.rows if (i in chosen) == left] for left in (True, False)]
        closed = closed_side(cut, *(sample.mass(part) for part in (*sides, rows)), inner)
        node.left, node.right = (Node(sides[k], node.depth + 1, child_key(node.key, k), k == closed) for k in (0, 1))
        frontier += [(node.left, candidate(node.left)), (node.right, candidate(node.right))]
        n_leaves += 1
    return root


def merge(masses: Sequence[Mass], counts: Sequence[int], min_count: int, at_cell_odds: bool = False) -> tuple[int, ...]:
    """Leaves of the left child: of the first 1, 2, ... by falling beta/alpha, the best that leaves enough rows.

    With `at_cell_odds` only those with greater odds than all leaves together.
    """
    total = [sum(m[k] for m in masses) for k in (0, 1)]
    order = sorted(range(len(masses)), key=lambda i: (-odds(masses[i]), i))
    best, best_gain = (), Fraction(0)
    for k in range(1, len(order)):
        left = tuple(order[:k])
        n_left = sum(counts[i] for i in left)
        enough = min(n_left, sum(counts) - n_left) >= min_count
        if at_cell_odds and left != tuple(i for i in order if odds(masses[i]) > odds(total)):
            continue
        if enough and union_gain(masses, left, total) > best_gain:
            best, best_gain = left, union_gain(masses, left, total)
    return best


def union_gain(masses: Sequence[Mass], union: Iterable[int], total: Sequence[Any]) -> Fraction:
    """beta - alpha of a union of leaves."""
    left = [sum(masses[i][k] for i in union) for k in (0, 1)]
    return Fraction(left[1]) / Fraction(total[1]) - Fraction(left[0]) / Fraction(total[0])


def split_cell(sample: Sample, cell: Cell, master: Master) -> bool:
    """Cuts a cell in two with LeafRank; False where nothing is gained."""
    if cell.depth >= master.max_depth or 0 in sample.mass(cell.rows):
        return False
    if sum(sample.mass(cell.before)) >= Fraction(master.top) * sum(sample.mass(range(len(sample.y)))):
        return False
    features = draw_features(range(sample.X.shape[1]), master.max_features, child_key(cell.key, 2))
    inner = grow_inner(sample, cell.rows, features, master.inner, child_key(cell.key, 3))
    leaves = inner.leaves()
    masses = [sample.mass(leaf.rows) for leaf in leaves]
    counts = [len(leaf.rows) for leaf in leaves]
    for i in merge(masses, counts, master.min_samples_leaf, at_cell_odds=bool(master.inner.monotonic)):
        leaves[i].better = True
    if not any(leaf.better for leaf in leaves):
        return False
    parts = [[i for leaf in leaves if leaf.better == better for i in leaf.rows] for better in (True, False)]
    cell.inner = inner
    cell.left, cell.right = (Cell(sorted(p), cell.depth + 1, child_key(cell.key, k)) for k, p in enumerate(parts))
    cell.left.before, cell.right.before = cell.before, [*cell.before, *cell.left.rows]
    cell.gain = lambda_of(sample, cell.left.rows, cell.rows)
    return True


def lambda_of(sample: Sample, left: Iterable[int], cell: Iterable[int]) -> Fraction:
    """Lambda(C') = alpha(C) beta(C') - beta(C) alpha(C') in shares of the whole sample."""
    total = sample.mass(range(len(sample.y)))
    (alpha_left, beta_left), (alpha, beta) = (
        [Fraction(sample.mass(rows)[k], total[k]) for k in (0, 1)] for rows in (left, cell)
    )
    return alpha * beta_left - beta * alpha_left


def grow_master(sample: Sample, master: Master, tree: int = 0) -> Cell:
    """TreeRank. The split with the largest Lambda is always made first: without a bound the order does not matter."""
    root = Cell(range(len(sample.y)), 0, child_key(tree_key(master.seed, tree), 1))
    frontier = [root] if split_cell(sample, root, master) else []
    n_leaves = 1
    while frontier and n_leaves < master.max_leaf_nodes:
        cell = max(frontier, key=lambda c: c.gain)
        frontier.remove(cell)
        frontier += [child for child in (cell.left, cell.right) if child and split_cell(sample, child, master)]
        n_leaves += 1
    for cell in frontier:
        cell.inner = cell.left = cell.right = None
        cell.gain = Fraction(0)
    for number, leaf in enumerate(root.leaves()):
        leaf.number = number
    return root


def stratum(root: Cell, row: np.ndarray) -> int:
    """Stratum (0 = best) of one row of raw values."""
    cell = root
    while cell.inner is not None:
        node = cell.inner
        while node.cut is not None:
            node = node.left if node.cut.goes_left(row) else node.right
        cell = cell.left if node.better else cell.right
    return cell.number


# ---- the frozen model, walked a row and a node at a time


def walk(arrays: Mapping[str, Any], row: np.ndarray, n_codes: Sequence[int]) -> tuple[list[int], int]:
    """Nodes that a row passes, and the terminal where it ends."""
    at, path = (0 if len(arrays["feature"]) else ~0), []
    while at >= 0:
        path.append(at)
        j = int(arrays["feature"][at])
        x, first = row[j], int(arrays["set_offset"][at])
        if math.isnan(x) or (first >= 0 and not 0 <= x < n_codes[j] - 1):
            left = bool(arrays["missing_left"][at])
        elif first >= 0:
            word, bit = divmod(int(x) + 1, 64)
            left = bool(int(arrays["sets"][first + word]) >> bit & 1)
        else:
            left = bool(x <= arrays["threshold"][at])
        at = int(arrays["left" if left else "right"][at])
    return path, ~at


def arrays_of(tree: RankingTree) -> dict[str, np.ndarray]:
    """The arrays of a fitted tree by name."""
    return {f.name: getattr(tree, f.name) for f in fields(tree) if isinstance(getattr(tree, f.name), np.ndarray)}


def strata_numbers(arrays: Mapping[str, Any]) -> dict[int, int]:
    """Stratum (0 = best) of every master leaf: the master tree read from left to right."""
    found: list[int] = []

    def visit(cell: int) -> None:
        if arrays["cell_left"][cell] < 0:
            found.append(cell)
        else:
            visit(int(arrays["cell_left"][cell]))
            visit(int(arrays["cell_right"][cell]))

    visit(0)
    return {cell: number for number, cell in enumerate(found)}


def shape_of(arrays: Mapping[str, Any]) -> list[Any]:
    """The model without the numbering of its inner nodes: the split of every cell as nested tuples."""

    def cut(node: int) -> Any:
        first = int(arrays["set_offset"][node])
        if first < 0:
            return float(arrays["threshold"][node])
        last = min((o for o in arrays["set_offset"] if o > first), default=len(arrays["sets"]))
        return tuple(arrays["sets"][first:last])

    def inside(child: int, cell: int) -> Any:
        if child < 0:
            return "terminal", int(arrays["terminal_cell"][~child]), tuple(arrays["terminal_mass"][~child])
        if arrays["owner"][child] != cell:
            return "cell", int(arrays["owner"][child])
        said = int(arrays["feature"][child]), cut(child), bool(arrays["missing_left"][child])
        sides = (inside(int(arrays[side][child]), cell) for side in ("left", "right"))
        return *said, tuple(arrays["left_mass"][child]), *sides

    entries = arrays["cell_entry"]
    return [inside(int(entries[cell]), cell) if entries[cell] >= 0 else None for cell in range(len(entries))]


def node_rows(
    arrays: Mapping[str, Any], X: np.ndarray, n_codes: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """Rows that pass each inner node, and rows that end in each terminal."""
    passing: list[list[int]] = [[] for _ in arrays["feature"]]
    ending: list[list[int]] = [[] for _ in arrays["terminal_cell"]]
    for i, row in enumerate(X):
        path, terminal = walk(arrays, row, n_codes)
        ending[terminal].append(i)
        for node in path:
            passing[node].append(i)
    return passing, ending


def rows_left(arrays: Mapping[str, Any], node: int, rows: Sequence[int], sample: Sample) -> list[int]:
    """Of the rows that pass a node, those that it sends left."""
    alone = {name: arrays[name][node : node + 1] for name in ("feature", "threshold", "missing_left", "set_offset")}
    alone |= {"sets": arrays["sets"], "left": [-1], "right": [-2]}
    return [i for i in rows if walk(alone, sample.X[i], sample.n_codes)[1] == 0]


def squared_gains(arrays: Mapping[str, Any], sample: Sample) -> list[Fraction]:
    """I_j: over all inner nodes that cut on j, the squared gain of AUC, Lambda / 2, from the rows themselves."""
    total = [Fraction(0)] * sample.X.shape[1]
    passing, _ = node_rows(arrays, sample.X, sample.n_codes)
    for node, rows in enumerate(passing):
        left = rows_left(arrays, node, rows, sample)
        total[int(arrays["feature"][node])] += (lambda_of(sample, left, rows) / 2) ** 2
    return total


# ---- rankings


def auc_by_pairs(scores: Sequence[Any], y: Sequence[int], w: Sequence[Any] | None = None) -> float:
    """Share of the (weighted) pairs of a positive and a negative that the scores put in order; ties count one half."""
    weights = [1] * len(y) if w is None else w
    won = pairs = 0.0
    for i, j in itertools.product(range(len(y)), repeat=2):
        if y[i] == 1 and y[j] == 0:
            pair = weights[i] * weights[j]
            pairs += pair
            won += pair * (0.5 if scores[i] == scores[j] else float(scores[i] > scores[j]))
    return won / pairs


def knots(masses: Sequence[Mass]) -> list[Mass]:
    """ROC knots of cells in the given order, (0, 0) first."""
    total = [sum(m[k] for m in masses) for k in (0, 1)]
    found: list[Mass] = [(Fraction(0), Fraction(0))]
    for m in masses:
        found.append(
            (found[-1][0] + Fraction(m[0]) / Fraction(total[0]), found[-1][1] + Fraction(m[1]) / Fraction(total[1]))
        )
    return found


def auc_of_cells(masses: Sequence[Mass]) -> Fraction:
    """Area under the straight lines that join the knots."""
    return sum(((a1 - a0) * (b1 + b0) / 2 for (a0, b0), (a1, b1) in itertools.pairwise(knots(masses))), Fraction(0))


# ---- random samples


def random_sample(
    rng: np.random.Generator,
    n: int,
    q: int,
    *,
    missing: float = 0.0,
    categorical: bool = False,
    most: int | None = None,
) -> Sample:
    """Both classes, some signal, weights up to `most`. Values are multiples of 1/64, so that their means are exact.

    Every other feature is categorical, if asked for, and each of its categories occurs.
    """
    y = rng.integers(0, 2, n).astype(np.uint8)
    y[rng.permutation(n)[:2]] = 0, 1
    X = np.round((rng.normal(size=(n, q)) + 0.5 * y[:, None]) * 64) / 64
    X[rng.random((n, q)) < missing] = np.nan
    categories = [0] * q
    for j in range(1, q, 2) if categorical else []:
        observed = ~np.isnan(X[:, j])
        distinct, X[observed, j] = np.unique(np.round(1.5 * X[observed, j]), return_inverse=True)
        categories[j] = len(distinct)
    return Sample.of(X, y, rng.integers(1, most + 1, n) if most else None, categories)


def categorical_features(sample: Sample) -> list[int]:
    return [j for j, k in enumerate(sample.categories) if k]


# ---- what the core takes


def exact_table(sample: Sample, dtype: type[np.unsignedinteger] = np.uint8) -> BinnedTable:
    """The sample with one bin per distinct value or category, binned one value at a time."""
    cuts, means = [], []
    for j, k in enumerate(sample.categories):
        column = sample.X[:, j]
        cuts.append(np.arange(k - 1.0) if k else np.array(cut_points(column)))
        means.append(np.arange(float(k)) if k else np.unique(column[~np.isnan(column)]))
    codes = [[code(x, cuts[j]) for j, x in enumerate(row)] for row in sample.X]
    bins = Bins(tuple(cuts), tuple(means), np.array([k > 0 for k in sample.categories]))
    return BinnedTable(np.array(codes, dtype=dtype).reshape(sample.X.shape), bins)


def core_params(master: Master) -> _core.MasterParams:
    """The same parameters as the core's record."""

    def bound(value: float) -> int:
        return _core.UNLIMITED if value == math.inf else int(value)

    inner, out = _core.InnerParams(), _core.MasterParams()
    inner.criterion = ("gini", "auc").index(master.inner.criterion)
    inner.missing = ("learned", "cell_mean").index(master.inner.missing)
    inner.min_mass_leaf = float(master.inner.min_mass_leaf)
    constraints = _core.Constraints()
    constraints.monotonic = master.inner.monotonic
    inner.constraints, inner.random_cuts = constraints, master.inner.random_cuts
    for record, ours in ((inner, master.inner), (out, master)):
        record.max_depth, record.max_leaf_nodes = bound(ours.max_depth), bound(ours.max_leaf_nodes)
        record.max_features, record.min_samples_leaf = ours.max_features, ours.min_samples_leaf
    out.inner, out.top, out.seed = inner, master.top, master.seed
    return out
