"""Brute-force twins of boosting: losses over all pairs, and trees of gradients by exact fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from naive import below, child_key, draw_features, mix, tree_key, words
from rankforest import _core
from rankforest.data.sample import Sample


def pair_derivatives(loss: str, f: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and diagonal hessian of m/2 mean_j(mean_i(loss(f_i - f_j))) over all pairs.

    Of "exponential" the classes are rescaled, so that the gradients of each sum up to m/2.
    """
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    d = f[positive][:, None] - f[negative][None, :]
    if loss == "logistic":
        first, second = -1 / (1 + np.exp(d)), np.exp(d) / (1 + np.exp(d)) ** 2
    else:
        first, second = -np.exp(-d), np.exp(-d)
    wp, wn = w[positive] / w[positive].sum(), w[negative] / w[negative].sum()
    g, h = np.zeros(len(f)), np.zeros(len(f))
    weight = wp[:, None] * wn[None, :] * len(f) / 2
    g[positive], g[negative] = (weight * first).sum(axis=1), -(weight * first).sum(axis=0)
    h[positive], h[negative] = (weight * second).sum(axis=1), (weight * second).sum(axis=0)
    if loss == "exponential":
        for rows in (positive, negative):
            scale = len(f) / 2 / np.abs(g[rows]).sum()
            g[rows] *= scale
            h[rows] *= scale
    return g, h


def in_units(g: np.ndarray, h: np.ndarray) -> tuple[list[int], list[int], float, float]:
    """Gradients and hessians of the learning rows as the core rounds them, with the units of both."""
    n = len(g)

    def unit(most: float, bits: int) -> float:
        return math.ldexp(1.0, bits - 1 - math.frexp(most * n)[1]) if most > 0 else 1.0

    gu, hu = unit(float(np.abs(g).max()), 52), unit(float(h.max()), min(52, 62 - n.bit_length()))
    return [round(x * gu) for x in g.tolist()], [round(x * hu) for x in h.tolist()], gu, hu


@dataclass
class Node:
    rows: list[int]
    depth: int
    key: int
    feature: int = -1
    left_codes: frozenset[int] = frozenset()  # codes that go left, 0 = missing
    gain: float = 0.0
    left: Node | None = None
    right: Node | None = None
    value: float = 0.0
    low: float = -math.inf  # bounds of the values below it
    high: float = math.inf
    path: frozenset[int] = frozenset()  # features that were cut above it


def may_cut(rules: _core.Constraints, path: frozenset[int], j: int) -> bool:
    """Whether a feature may be cut below a path."""
    together = path | {j}
    if rules.groups and not any(together <= set(group) for group in rules.groups):
        return False
    return rules.most_together == 0 or len(together) <= rules.most_together


def kept_of_gain(
    column: np.ndarray, rows: list[int], g: list[int], h: list[int], units: tuple[float, float], params: Any
) -> Fraction:
    """What counts of the gain of a cut of categories: chi-square beyond that of noise, over chi-square."""
    groups = [[i for i in rows if column[i] == code] for code in {int(column[i]) for i in rows}]
    by_chance = len(groups) - 10
    if not params.category_discount or by_chance <= 0:
        return Fraction(1)

    def square(part: list[int]) -> Fraction:
        return Fraction(sum(g[i] for i in part) ** 2, sum(h[i] for i in part) + 1)

    chi_square = (sum(map(square, groups)) - square(rows)) * Fraction(units[1]) / Fraction(units[0]) ** 2
    return 1 - by_chance / chi_square if chi_square > by_chance else Fraction(0)


def grow(
    codes: np.ndarray,
    n_bins: np.ndarray,
    categorical: np.ndarray,
    rows: list[int],
    g: list[int],
    h: list[int],
    units: tuple[float, float],
    params: _core.GradientTreeParams,
    key: int,
) -> Node:
    """Best-first, every cut of every feature tried, in exact fractions of the rounded gradients."""
    gu, hu = units
    l2, least_h = Fraction(params.l2 * hu), max(Fraction(params.min_hessian_leaf * hu), Fraction(1))
    rules = params.constraints
    directions = list(rules.monotonic) or [0] * codes.shape[1]
    orders = [list(order) for order in rules.order] or [[]] * codes.shape[1]

    def step_of(node: Node, part: list[int], more: Fraction = Fraction(0)) -> Fraction:
        """The Newton step in units, within the bounds of the node."""
        weight = sum(h[i] for i in part) + l2 + more
        step = -Fraction(sum(g[i] for i in part)) / weight if weight > 0 else Fraction(0)
        if node.low > -math.inf:
            step = max(step, Fraction(node.low * gu / hu))
        return min(step, Fraction(node.high * gu / hu)) if node.high < math.inf else step

    def worth(node: Node, part: list[int], more: Fraction = Fraction(0)) -> Fraction:
        step, weight = step_of(node, part, more), sum(h[i] for i in part) + l2 + more
        return -step * (2 * sum(g[i] for i in part) + weight * step)

    def value_of(node: Node, part: list[int]) -> float:
        weight = float(sum(h[i] for i in part)) / hu + params.l2
        value = -float(sum(g[i] for i in part)) / gu / weight if weight > 0 else 0.0
        return min(max(value, node.low), node.high)

    def in_order(node: Node, j: int, left: list[int], right: list[int], parts_values: bool) -> bool:
        if directions[j] == 0 or not parts_values:
            return True
        return (step_of(node, right) - step_of(node, left)) * directions[j] >= 0

    def allowed(part: list[int]) -> bool:
        return len(part) >= params.min_samples_leaf and len(part) >= 1 and sum(h[i] for i in part) >= least_h

    def draw(node: Node, j: int, bound: int) -> int:
        return below(words(child_key(node.key, 3 + j)), bound)

    def candidates(node: Node, j: int) -> list[frozenset[int]]:
        seen = {int(codes[i, j]) for i in node.rows}
        if orders[j]:
            ends = [place for place, code in enumerate(orders[j], start=1) if code in seen]
            if params.random_cuts and ends:
                ends = [ends[draw(node, j, len(ends) - 1)]] if len(ends) > 1 else ends
            cuts = [frozenset(orders[j][:end]) for end in ends]
            return cuts + ([cut | {0} for cut in cuts] if 0 in seen else [])
        if categorical[j]:
            smoothing = params.category_smoothing * hu + 1.0

            def step(c: int) -> float:
                part = [i for i in node.rows if codes[i, j] == c]
                return float(sum(g[i] for i in part)) / (float(sum(h[i] for i in part)) + smoothing)

            order = sorted(seen, key=lambda c: (step(c), c))
            prefixes = [frozenset(order[:k]) for k in range(1, len(order))]
            return [prefixes[draw(node, j, len(prefixes))]] if params.random_cuts and prefixes else prefixes
        cuts = [frozenset(range(1, c + 1)) for c in range(1, n_bins[j] + 1)]
        if params.random_cuts:
            values = sorted(seen - {0})
            spread = values[-1] - values[0] if values else 0
            cuts = [cuts[values[0] - 1 + draw(node, j, spread)]] if spread else cuts[-1:]
        return cuts + ([cut | {0} for cut in cuts] if 0 in seen else [])

    def find(node: Node) -> None:
        base = worth(node, node.rows)
        best = base * (1 + Fraction(1e-12)) + Fraction(1e-9 * gu * gu / hu)
        if node.depth >= params.max_depth or len(node.rows) < max(2, 2 * params.min_samples_leaf):
            return
        pool = [j for j in range(codes.shape[1]) if may_cut(rules, node.path, j)]
        for j in draw_features(pool, params.max_features, child_key(node.key, 2)):
            sorted_codes = categorical[j] and not orders[j]
            kept = kept_of_gain(codes[:, j], node.rows, g, h, units, params) if sorted_codes else Fraction(1)
            for left_codes in candidates(node, j):
                left = [i for i in node.rows if int(codes[i, j]) in left_codes]
                right = [i for i in node.rows if int(codes[i, j]) not in left_codes]
                if not allowed(left) or not allowed(right):
                    continue
                seen = {int(codes[i, j]) for i in node.rows}
                values_right = bool(seen - left_codes - {0})
                if not in_order(node, j, left, right, values_right):
                    continue
                more = Fraction(params.category_l2 * (len(seen) - 2) * hu) if sorted_codes else Fraction(0)
                gain = base + kept * (worth(node, left, more) + worth(node, right, more) - base)
                if gain > best:
                    best, node.feature, node.gain = gain, j, float(gain - base)
                    missing_left = 0 in left_codes if 0 in seen else 2 * len(left) >= len(node.rows)
                    unseen = set(range(1, n_bins[j] + 1)) - seen if sorted_codes and missing_left else set()
                    if directions[j] and not values_right:  # only the missing values are split off
                        unseen = set(range(1, n_bins[j] + 1))
                    node.left_codes = frozenset((left_codes - {0}) | unseen | ({0} if missing_left else set()))

    root = Node(rows, 0, key)
    find(root)
    leaves, frontier = 1, [root] if root.feature >= 0 else []
    while frontier and leaves < params.max_leaf_nodes:
        node = max(frontier, key=lambda node: node.gain)
        frontier.remove(node)
        leaves += 1
        parts = (
            [i for i in node.rows if int(codes[i, node.feature]) in node.left_codes],
            [i for i in node.rows if int(codes[i, node.feature]) not in node.left_codes],
        )
        path = node.path | {node.feature}
        node.left, node.right = (
            Node(part, node.depth + 1, child_key(node.key, k), low=node.low, high=node.high, path=path)
            for k, part in enumerate(parts)
        )
        values = set(range(1, int(n_bins[node.feature]) + 1))
        if directions[node.feature] and not values <= node.left_codes:
            lower, upper = (node.left, node.right)[:: directions[node.feature]]
            lower.high = upper.low = 0.5 * (value_of(node, parts[0]) + value_of(node, parts[1]))
        for child in (node.left, node.right):
            find(child)
            if child.feature >= 0:
                frontier.append(child)
    for node in every(root):
        node.value = value_of(node, node.rows)
    return root


def grow_symmetric(
    codes: np.ndarray,
    n_bins: np.ndarray,
    categorical: np.ndarray,
    rows: list[int],
    g: list[int],
    h: list[int],
    units: tuple[float, float],
    params: _core.GradientTreeParams,
    key: int,
) -> Node:
    """Level by level, every cut of every feature tried in all nodes, in exact fractions of the rounded gradients."""
    gu, hu = units
    l2 = max(params.l2, params.min_hessian_leaf)
    features = draw_features(range(codes.shape[1]), params.max_features, child_key(key, 2))

    def worth(part: list[int], more: Fraction = Fraction(0)) -> Fraction:
        return Fraction(sum(g[i] for i in part)) ** 2 / (sum(h[i] for i in part) + Fraction(l2 * hu) + more)

    def candidates(level: list[list[int]], j: int, level_key: int) -> list[frozenset[int]]:
        rows = [i for part in level for i in part]
        seen = {int(codes[i, j]) for i in rows}

        def draw(bound: int) -> int:
            return below(words(child_key(level_key, 3 + j)), bound)

        if categorical[j]:

            def step(c: int) -> float:
                part = [i for i in rows if codes[i, j] == c]
                weight = float(sum(h[i] for i in part)) + (params.category_smoothing * hu) + 1.0
                return float(sum(g[i] for i in part)) / weight

            order = sorted(seen, key=lambda c: (step(c), c))
            prefixes = [frozenset(order[:k]) for k in range(1, len(order))]
            return [prefixes[draw(len(prefixes))]] if params.random_cuts and prefixes else prefixes
        cuts = [frozenset(range(1, c + 1)) for c in range(1, n_bins[j] + 1)]
        if params.random_cuts:
            values = sorted(seen - {0})
            spread = values[-1] - values[0] if values else 0
            cuts = [cuts[values[0] - 1 + draw(spread)]] if spread else cuts[-1:]
        return cuts + ([cut | {0} for cut in cuts] if 0 in seen else [])

    def best_of(level: list[list[int]], level_key: int) -> tuple[int, frozenset[int]] | None:
        base = sum((worth(part) for part in level), Fraction(0))
        best, found = base * (1 + Fraction(1e-12)) + Fraction(1e-9 * gu * gu / hu), None
        for j in features:
            seen = {int(codes[i, j]) for part in level for i in part}
            n_more = len(seen) - 2 if categorical[j] else 0
            all_rows = [i for part in level for i in part]
            kept = kept_of_gain(codes[:, j], all_rows, g, h, units, params) if categorical[j] else Fraction(1)
            for left_codes in candidates(level, j, level_key):
                more = Fraction(params.category_l2 * n_more * hu / len(level)) if n_more else Fraction(0)
                sides = [
                    [i for i in part if (int(codes[i, j]) in left_codes) == left]
                    for part in level
                    for left in (True, False)
                ]
                gain = base + kept * (sum((worth(side, more) for side in sides), Fraction(0)) - base)
                if gain > best:
                    n_left, n_all = sum(map(len, sides[::2])), sum(map(len, level))
                    missing_left = 0 in left_codes if 0 in seen else 2 * n_left >= n_all
                    unseen = set(range(1, n_bins[j] + 1)) - seen if categorical[j] and missing_left else set()
                    best = gain
                    found = j, frozenset((left_codes - {0}) | unseen | ({0} if missing_left else set()))
        return found

    root = Node(rows, 0, key)
    level = [root]
    for depth in range(min(params.max_depth, params.max_leaf_nodes.bit_length() - 1)):
        voters = [node.rows for node in level if len(node.rows) >= 2]
        found = best_of(voters, child_key(key, 3 + depth))
        if found is None:
            break
        for node in level:
            node.feature, node.left_codes = found
            left = [i for i in node.rows if int(codes[i, node.feature]) in node.left_codes]
            right = [i for i in node.rows if int(codes[i, node.feature]) not in node.left_codes]
            node.left, node.right = Node(left, depth + 1, key), Node(right, depth + 1, key)
        level = [child for node in level for child in (node.left, node.right) if child is not None]
    for node in every(root):
        node.value = -float(sum(g[i] for i in node.rows)) / gu / (float(sum(h[i] for i in node.rows)) / hu + l2)
    return root


def every(root: Node) -> list[Node]:
    return [root] if root.left is None else [root, *every(root.left), *every(root.right)]


def leaf_of(root: Node, row: np.ndarray) -> Node:
    node = root
    while node.left is not None:
        node = node.left if int(row[node.feature]) in node.left_codes else node.right
    return node


def drawn(rows: np.ndarray, share: float, seed: int, tree: int) -> list[int]:
    """Rows that a tree sees."""
    key = child_key(tree_key(seed, tree), 0)
    below = int(math.ldexp(share, 53))
    word = 2**64 - 1
    return [int(i) for i in rows if share >= 1 or mix((key + 0x9E3779B97F4A7C15 * int(i)) & word) >> 11 < below]


def boost(
    sample: Sample, params: _core.BoostParams, n_rounds: int, held_out: np.ndarray
) -> tuple[list[Node], np.ndarray]:
    """Trees of one booster, and the scores of all rows after each round."""
    codes, bins = sample.binned.codes, sample.binned.bins
    learn = np.flatnonzero(held_out == 0)
    weights = None if sample.weights is None else sample.weights[learn]
    scores = np.zeros(sample.n_rows)
    stages, trees = [], []
    for r in range(n_rounds):
        g, h, start = _core.loss_gradients(
            params.loss, scores[learn] if r else np.zeros(len(learn)), sample.labels[learn], weights
        )
        if r == 0:
            scores[:] = start
            g, h, _ = _core.loss_gradients(params.loss, scores[learn], sample.labels[learn], weights)
        gi, hi, gu, hu = in_units(g, h)
        whole_g, whole_h = [0] * sample.n_rows, [0] * sample.n_rows
        for k, i in enumerate(learn):
            whole_g[i], whole_h[i] = gi[k], hi[k]
        rows = drawn(learn, params.subsample, params.seed, r)
        key = child_key(tree_key(params.seed, r), 1)
        twin = grow_symmetric if params.tree.symmetric else grow
        tree = twin(codes, bins.n_bins, bins.categorical, rows, whole_g, whole_h, (gu, hu), params.tree, key)
        for node in every(tree):
            node.value *= params.learning_rate
        scores = scores + np.array([leaf_of(tree, row).value for row in codes])
        stages.append(scores)
        trees.append(tree)
    return trees, np.array(stages)


@dataclass
class Threshold:
    feature: int
    above: frozenset[int]  # codes whose rows have h = 1, 0 = missing
    r: float
    alpha: float
    z: float  # what the weights of the pairs add up to after the round, before they are normalised


def rank_boost(sample: Sample, n_rounds: int) -> tuple[list[Threshold], np.ndarray]:
    """RankBoost of Freund et al. with thresholds, by a matrix of weights of all pairs; also the scores at the end."""
    codes, bins, y = sample.binned.codes, sample.binned.bins, sample.labels
    w = np.ones(sample.n_rows) if sample.weights is None else sample.weights
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    D = w[positive][:, None] * w[negative][None, :]
    D /= D.sum()
    smallest = D.min()
    scores, found = np.zeros(sample.n_rows), []
    for _ in range(n_rounds):
        best = Threshold(-1, frozenset(), 0.0, 0.0, 1.0)
        for j in range(codes.shape[1]):
            all_codes = range(1, int(bins.n_bins[j]) + 1)
            has_missing = bool((codes[:, j] == 0).any())
            if bins.categorical[j]:
                net = [D[codes[positive, j] == c].sum() - D[:, codes[negative, j] == c].sum() for c in (0, *all_codes)]
                tried = [frozenset(c for c in (0, *all_codes) if net[c] > 0)]
            else:
                tried = [frozenset(c for c in all_codes if c > cut) for cut in all_codes]
                tried = [above | {0} for above in tried] + tried if has_missing else tried
            for above in tried:
                h = np.isin(codes[:, j], list(above)).astype(float)
                r = float((D * (h[positive][:, None] - h[negative][None, :])).sum())
                if abs(r) > abs(best.r) + 1e-12:
                    best = Threshold(j, above, r, 0.5 * math.log((1 + r + smallest) / (1 - r + smallest)), 1.0)
        h = np.isin(codes[:, best.feature], list(best.above)).astype(float)
        scores += best.alpha * h
        D *= np.exp(-best.alpha * (h[positive][:, None] - h[negative][None, :]))
        best.z = float(D.sum())
        D /= best.z
        found.append(best)
    return found, scores
