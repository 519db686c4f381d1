"""Brute-force twins of rank aggregation: every quantity from its definition, with loops over pairs and in fractions.

Rankings are sequences in which smaller is better; weights are whole numbers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Ranking = Sequence[Any]
HALF = Fraction(1, 2)


def sign(x: Any) -> int:
    return int(x > 0) - int(x < 0)


def pair_cost(a: int, b: int, penalty: Fraction = HALF) -> Fraction:
    """Cost of a pair from its order (-1, 0 or 1) in two rankings."""
    if a == b:
        return Fraction(0)
    return Fraction(1) if a and b else penalty


def kendall(a: Ranking, b: Ranking, weights: Sequence[int] | None = None, penalty: Fraction = HALF) -> Fraction:
    total = Fraction(0)
    for k, j in itertools.combinations(range(len(a)), 2):
        mass = 1 if weights is None else weights[k] * weights[j]
        total += mass * pair_cost(sign(a[k] - a[j]), sign(b[k] - b[j]), penalty)
    return total


def pair_mass(n: int, weights: Sequence[int] | None = None) -> int:
    return sum(1 if weights is None else weights[k] * weights[j] for k, j in itertools.combinations(range(n), 2))


def mass_ranks(a: Ranking, weights: Sequence[int] | None = None) -> list[Fraction]:
    """Mass strictly better, plus half of the mass that is tied (the item included)."""
    w = weights or [1] * len(a)
    return [
        sum(Fraction(m) for x, m in zip(a, w) if x < own) + sum(Fraction(m) for x, m in zip(a, w) if x == own) / 2
        for own in a
    ]


def footrule(a: Ranking, b: Ranking, weights: Sequence[int] | None = None) -> Fraction:
    w = weights or [1] * len(a)
    return sum((m * abs(x - y) for m, x, y in zip(w, mass_ranks(a, w), mass_ranks(b, w))), Fraction(0))


def spearman(a: Ranking, b: Ranking, weights: Sequence[int] | None = None) -> Fraction:
    w = weights or [1] * len(a)
    return sum((m * (x - y) ** 2 for m, x, y in zip(w, mass_ranks(a, w), mass_ranks(b, w))), Fraction(0))


def repeated(a: Ranking, weights: Sequence[int]) -> list[Any]:
    """Each item as often as it weighs."""
    return [x for x, m in zip(a, weights) for _ in range(m)]


# ---- top-k lists of distinct items, best first (Fagin, Kumar and Sivakumar 2003, section 3)


def top_k_kendall(first: Sequence[int], second: Sequence[int], p: Fraction) -> Fraction:
    total = Fraction(0)
    for i, j in itertools.combinations(sorted({*first, *second}), 2):
        in_first, in_second = [x in first for x in (i, j)], [x in second for x in (i, j)]
        if all(in_first) and all(in_second):
            same = (first.index(i) < first.index(j)) == (second.index(i) < second.index(j))
            total += 0 if same else 1
        elif all(in_first) and any(in_second):
            listed, other = (i, j) if in_second[0] else (j, i)
            total += 0 if first.index(listed) < first.index(other) else 1
        elif all(in_second) and any(in_first):
            listed, other = (i, j) if in_first[0] else (j, i)
            total += 0 if second.index(listed) < second.index(other) else 1
        elif all(in_first) or all(in_second):
            total += p
        else:
            total += 1
    return total


def top_k_footrule(first: Sequence[int], second: Sequence[int], location: Fraction) -> Fraction:
    def place(items: Sequence[int], i: int) -> Fraction:
        return Fraction(items.index(i) + 1) if i in items else location

    return sum((abs(place(first, i) - place(second, i)) for i in {*first, *second}), Fraction(0))


# ---- all rankings


@functools.cache
def bucket_orders(n: int) -> list[tuple[int, ...]]:
    """All rankings of n items with ties, as levels 0, 1, ... without holes."""
    return [levels for levels in itertools.product(range(n), repeat=n) if len(set(levels)) == max(levels) + 1]


def all_rankings(n: int, strict: bool) -> Iterable[Ranking]:
    return itertools.permutations(range(n)) if strict else bucket_orders(n)


@functools.cache
def _all_orders(n: int, strict: bool) -> list[list[int]]:
    """Of all rankings: the order (-1, 0 or 1) of each pair."""
    pairs = list(itertools.combinations(range(n), 2))
    return [[sign(ranking[k] - ranking[j]) for k, j in pairs] for ranking in all_rankings(n, strict)]


def cost(
    profile: Sequence[Ranking],
    ranking: Ranking,
    weights: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
) -> Fraction:
    v = votes or [1] * len(profile)
    return sum((m * kendall(row, ranking, weights) for m, row in zip(v, profile)), Fraction(0))


def least_cost(
    profile: Sequence[Ranking],
    strict: bool,
    weights: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
) -> Fraction:
    """The cost of a median ranking, by trying all."""
    return Fraction(min(_twice_all_costs(profile, strict, weights, votes)), 2)


def medians(
    profile: Sequence[Ranking],
    strict: bool,
    weights: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
) -> list[Ranking]:
    """All rankings of least cost."""
    costs = _twice_all_costs(profile, strict, weights, votes)
    least = min(costs)
    return [ranking for ranking, value in zip(all_rankings(len(profile[0]), strict), costs) if value == least]


def _twice_all_costs(
    profile: Sequence[Ranking], strict: bool, weights: Sequence[int] | None, votes: Sequence[int] | None
) -> list[int]:
    """Twice the costs of all rankings: whole numbers, which are quick to add."""
    tables = [
        {order: int(2 * value) for order, value in table.items()}
        for table in _pair_costs(profile, weights, votes).values()
    ]
    return [
        sum(table[order] for table, order in zip(tables, orders)) for orders in _all_orders(len(profile[0]), strict)
    ]


def _pair_costs(
    profile: Sequence[Ranking], weights: Sequence[int] | None, votes: Sequence[int] | None
) -> dict[tuple[int, int], dict[int, Fraction]]:
    """Of each pair: the cost of each order."""
    v = votes or [1] * len(profile)
    return {
        (k, j): {
            order: (1 if weights is None else weights[k] * weights[j])
            * sum((m * pair_cost(sign(row[k] - row[j]), order) for m, row in zip(v, profile)), Fraction(0))
            for order in (-1, 0, 1)
        }
        for k, j in itertools.combinations(range(len(profile[0])), 2)
    }


def pairwise_bound(
    profile: Sequence[Ranking],
    strict: bool,
    weights: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
) -> Fraction:
    """Sum over pairs of the least cost."""
    orders = (-1, 1) if strict else (-1, 0, 1)
    tables = _pair_costs(profile, weights, votes)
    return sum((min(table[order] for order in orders) for table in tables.values()), Fraction(0))


def insertions(levels: Sequence[int]) -> Iterator[tuple[Fraction, ...]]:
    """All rankings that differ by the place of one item: in another bucket, or alone in a gap."""
    places = sorted({Fraction(level) for level in levels})
    gaps = [places[0] - 1, *(place + HALF for place in places)]
    for item in range(len(levels)):
        for place in (*places, *gaps):
            yield tuple(place if k == item else Fraction(level) for k, level in enumerate(levels))


def before(profile: Sequence[Ranking], votes: Sequence[int] | None = None) -> list[list[int]]:
    v = votes or [1] * len(profile)
    n = len(profile[0])
    return [[sum(m for m, row in zip(v, profile) if row[k] < row[j]) for j in range(n)] for k in range(n)]
