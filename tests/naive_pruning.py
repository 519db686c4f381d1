"""Brute-force twin of weakest-link pruning: lists, a heap, and the definition of the loss per leaf."""

from __future__ import annotations

import heapq

rounding = 1e-10  # relative tolerance: nodes with closer losses per leaf collapse at one lambda


def weakest_link(parent: list[int], left: list[int], right: list[int], own: list[float]) -> list[float]:
    """The lambda at which each node collapses; 0 for leaves."""
    n = len(parent)
    gain = own.copy()
    splits = [int(child >= 0) for child in left]
    for node in range(n - 1, 0, -1):  # children come after parents
        gain[parent[node]] += gain[node]
        splits[parent[node]] += splits[node]
    collapse_at = [0.0] * n
    gone = [child < 0 for child in left]
    heap = [(gain[node] / splits[node], node) for node in range(n) if not gone[node]]
    heapq.heapify(heap)
    complexity = 0.0
    while heap:
        ratio, node = heapq.heappop(heap)
        if gone[node] or ratio != gain[node] / splits[node]:
            continue  # an outdated entry
        if ratio > complexity * (1.0 + rounding):
            complexity = ratio
        below = [node]
        while below:
            at = below.pop()
            if gone[at]:
                continue
            gone[at] = True
            collapse_at[at] = complexity
            below += [left[at], right[at]]
        fewer = splits[node]
        gain[node] = 0.0
        ancestor = parent[node]
        while ancestor >= 0:
            # computed as a new sum: a subtraction would leave rounding errors as large as small gains
            gain[ancestor] = own[ancestor] + gain[left[ancestor]] + gain[right[ancestor]]
            splits[ancestor] -= fewer
            heapq.heappush(heap, (gain[ancestor] / splits[ancestor], ancestor))
            ancestor = parent[ancestor]
    return collapse_at
