"""The Kemeny problem as an integer program: x[i, k] = 1 when i is ranked before k.

A relation is a ranking with ties exactly when ``x[i,k] + x[k,i] <= 1`` and ``x[i,k] <= x[i,j] + x[j,k]`` for all
i, j, k (if i is before k, then j is after i or before k); equality in the first makes it strict. There are n^3
constraints of the second kind, of which few matter. So they are added when a solution violates them, first to the
linear program and then, if its solution is not integral, to the integer program. Both are relaxations at every stage,
so their optimum is a bound even if time runs out.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack
from scipy.stats import rankdata

from rankforest.consensus._inputs import FloatArray, Levels
from rankforest.consensus.pair_gains import PairGains

__all__ = ["solve_exact"]

_VIOLATED = 1e-6
_STOPPED = 1  # status of SciPy's solvers when time runs out


def solve_exact(gains: PairGains, levels: Levels, strict: bool, deadline: float = np.inf) -> tuple[Levels, float]:
    """The best ranking and a bound on what any ranking gains.

    Parameters
    ----------
    gains : PairGains
        What to maximise.
    levels : ndarray of int32
        A good ranking to begin with.
    strict : bool
        Are ties excluded?
    deadline : float
        When to stop, as a value of ``time.monotonic()``.

    Returns
    -------
    levels : ndarray of int32
        The best ranking found, which gains no less than the given one.
    bound : float
        No ranking gains more. It equals the gain of ``levels`` when they are proved optimal.

    Examples
    --------
    >>> margin = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=np.int32)  # a cycle
    >>> gains = PairGains(margin, np.zeros_like(margin))
    >>> solve_exact(gains, np.array([0, 0, 0], dtype=np.int32), strict=True)[1]
    1.0
    """
    # Without ties in the profile some strict ranking is optimal: breaking a bucket in one of two orders costs no more.
    return _Program(gains, levels, strict or not gains.tied.any(), deadline).solve()


class _Program:
    """The program of one component, with the constraints found so far and the best ranking known."""

    def __init__(self, gains: PairGains, levels: Levels, strict: bool, deadline: float) -> None:
        n = gains.n_items
        self.gains, self.deadline, self.n = gains, deadline, n
        self.levels, self.gain = levels, gains.of(levels)
        self.bound = gains.best(strict)
        loss = (gains.tied - gains.margin).astype(np.float64)
        # The integer solver's absolute tolerance is fixed, so small weights are scaled up.
        self.scale = 1.0 if gains.whole else float(np.abs(loss).max() or 1.0) / 100
        self.cost = (loss / self.scale).ravel()
        self.all_tied = float(gains.tied.sum(dtype=np.float64)) / 2
        self.lower, self.upper = np.zeros(n * n), 1.0 - np.eye(n).ravel()
        i, k = np.triu_indices(n, 1)
        self.pairs = _rows(n, (i * n + k, 1.0), (k * n + i, 1.0))
        self.least = 1.0 if strict else 0.0
        self.triangles = csr_array((0, n * n))
        first = (gains.margin > (0 if strict else gains.tied)).astype(np.float64)
        if strict:
            first[i, k] = gains.margin[i, k] >= 0
            first[k, i] = 1 - first[i, k]
        self._separate(first, _VIOLATED)

    def solve(self) -> tuple[Levels, float]:
        if not self._proved():
            whole = self._linear()
            if not whole and not self._proved():
                self._integer()
        return self.levels, max(self.bound, self.gain)

    def _linear(self) -> bool:
        """Solve linear programs until no constraint is violated; returns whether the last solution is integral."""
        while True:
            rows = [(self.triangles, 0.0), (self.pairs, 1.0)]
            if self.least:
                rows.append((-self.pairs, -1.0))
            result = linprog(
                self.cost,
                A_ub=vstack([matrix for matrix, _ in rows]),
                b_ub=np.concatenate([np.full(matrix.shape[0], value) for matrix, value in rows]),
                bounds=np.column_stack([self.lower, self.upper]),
                method="highs",
                options={"time_limit": self._time_left()},
            )
            if result.status != 0:
                return False
            self._lower_bound(result.fun)
            if self._proved():
                return True
            self._fix(result)
            before = result.x.reshape(self.n, self.n)
            if not self._separate(before, _VIOLATED):
                whole = bool((np.abs(before - np.round(before)) < _VIOLATED).all())
                if whole:
                    self._found(before)
                    self.bound = min(self.bound, self.gain)
                return whole

    def _integer(self) -> None:
        """Solve integer programs until the solution is a ranking."""
        while self._time_left() > 0:
            constraints = [LinearConstraint(self.pairs, self.least, 1.0)]
            if self.triangles.shape[0]:
                constraints.append(LinearConstraint(self.triangles, -np.inf, 0.0))
            result = milp(
                self.cost,
                integrality=1,
                bounds=Bounds(self.lower, self.upper),
                constraints=constraints,
                options={"time_limit": self._time_left(), "mip_rel_gap": 0.0},
            )
            dual = result.get("mip_dual_bound")
            if dual is not None and np.isfinite(dual):
                self._lower_bound(dual)
            if result.status not in (0, _STOPPED) or result.x is None:
                return
            before = np.round(result.x).reshape(self.n, self.n)
            if not self._separate(before, 0.5):
                self._found(before)
                if result.status == 0:
                    self.bound = min(self.bound, self.gain)
                return
            if result.status == _STOPPED or self._proved():
                return

    def _lower_bound(self, cost: float) -> None:
        bound = self.all_tied - self.scale * cost
        if self.gains.whole:  # all gains are integers
            bound = float(np.floor(bound + 1e-5 + 1e-7 * abs(bound)))
        self.bound = min(self.bound, bound)

    def _fix(self, result: Any) -> None:
        """Fix variables whose change alone would cost more than the best known ranking."""
        gap = (self.all_tied - self.gain) / self.scale - result.fun
        slack = 1e-6 * (1 + abs(gap))
        free = self.lower < self.upper
        self.upper[free & (result.lower.marginals > gap + slack)] = 0.0
        self.lower[free & (-result.upper.marginals > gap + slack)] = 1.0

    def _separate(self, before: FloatArray, slack: float) -> int:
        """Add the most violated constraint of each pair (i, k); returns their number."""
        n = self.n
        least = np.full((n, n), np.inf)
        through = np.zeros((n, n), dtype=np.intp)
        for j in range(n):
            around = before[:, j, None] + before[None, j, :]
            around[j, :] = around[:, j] = np.inf
            better = around < least
            least[better] = around[better]
            through[better] = j
        np.fill_diagonal(least, np.inf)
        i, k = np.nonzero(before > least + slack)
        middle = through[i, k]
        rows = _rows(n, (i * n + k, 1.0), (i * n + middle, -1.0), (middle * n + k, -1.0))
        self.triangles = vstack([self.triangles, rows], format="csr")
        return len(i)

    def _found(self, before: FloatArray) -> None:
        levels = (rankdata(np.round(before).sum(axis=0), method="dense") - 1).astype(np.int32)
        gain = self.gains.of(levels)
        if gain > self.gain:
            self.levels, self.gain = levels, gain

    def _proved(self) -> bool:
        return self.bound <= self.gain + (0.0 if self.gains.whole else 1e-9 * abs(self.all_tied - self.gain))

    def _time_left(self) -> float:
        return max(self.deadline - time.monotonic(), 0.0) if np.isfinite(self.deadline) else np.inf


def _rows(n: int, *terms: tuple[NDArray[np.intp], float]) -> csr_array:
    """One constraint per entry of the index arrays, with the given coefficients."""
    count = len(terms[0][0])
    columns = np.stack([index for index, _ in terms], axis=1).ravel()
    values = np.tile([coefficient for _, coefficient in terms], count)
    return csr_array((values, columns, np.arange(count + 1) * len(terms)), shape=(count, n * n))
