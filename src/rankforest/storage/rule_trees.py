"""Ranking trees whose cells are cut by dyadic cubes, or by a mixture of cubes and small trees, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.parts import check_bounds, check_finite
from ..data.schema import Schema
from ..splitting.axis_parallel import AxisParallel
from ..splitting.dyadic import Cubes
from ..splitting.grid import Grid
from ..tree.rule_tree import RuleTree
from .errors import refuse_classifiers, require
from .ranking_trees import put_cells, put_ranking_trees, take_cells, take_ranking_trees
from .shelf import Shelf

__all__ = ["put_rule_trees", "take_rule_trees"]

_NONE, _CUBES, _AXIS_PARALLEL = 0, 1, 2


def put_rule_trees(shelf: Shelf, trees: Sequence[RuleTree], schema: Schema) -> None:
    """Trees of rules; those of scikit-learn classifiers are refused."""
    divisions = [division for tree in trees for division in tree.divisions]
    for division in divisions:
        if not (division is None or isinstance(division, Cubes | AxisParallel)):
            refuse_classifiers()
    kinds = [_NONE if d is None else _CUBES if isinstance(d, Cubes) else _AXIS_PARALLEL for d in divisions]
    put_cells(shelf, trees, schema)
    shelf.put("division", np.array(kinds, dtype=np.uint8))
    _put_cubes(shelf.below("cubes"), [d for d in divisions if isinstance(d, Cubes)])
    inner = [d.tree for d in divisions if isinstance(d, AxisParallel)]
    put_ranking_trees(shelf.below("inner"), inner, schema)


def take_rule_trees(shelf: Shelf, n_trees: int, schema: Schema) -> list[RuleTree]:
    """The same trees, checked."""
    cells = take_cells(shelf, n_trees, schema)
    n_cells = sum(len(fields["cell_left"]) for fields in cells)
    kinds = shelf.take("division", np.uint8, n_cells)
    require((kinds <= _AXIS_PARALLEL).all(), "a cell of a tree is cut by an unknown rule")
    split = np.concatenate([fields["cell_left"] >= 0 for fields in cells] or [np.zeros(0, dtype=bool)])
    require(((kinds != _NONE) == split).all(), "a cell of a tree has a rule but no children, or children but no rule")
    cubes = iter(_take_cubes(shelf.below("cubes"), int((kinds == _CUBES).sum()), schema))
    trees = take_ranking_trees(shelf.below("inner"), int((kinds == _AXIS_PARALLEL).sum()), schema)
    require(all(tree.n_leaves == 2 for tree in trees), "an inner tree does not have exactly one split")
    inner = iter(trees)
    made = [
        None if kind == _NONE else next(cubes) if kind == _CUBES else AxisParallel(next(inner))
        for kind in kinds.tolist()
    ]
    found, begin = [], 0
    for fields in cells:
        end = begin + len(fields["cell_left"])
        found.append(RuleTree(divisions=tuple(made[begin:end]), **fields))
        begin = end
    return found


def _put_cubes(shelf: Shelf, cubes: Sequence[Cubes]) -> None:
    none_f, none_i = np.zeros(0), np.zeros(0, dtype=np.int64)
    for name in ("low", "spread"):
        shelf.put(name, np.concatenate([none_f, *(getattr(c.grid, name) for c in cubes)]))
    shelf.put("n_intervals", np.concatenate([none_i, *(c.grid.n_intervals.astype(np.int64) for c in cubes)]))
    shelf.put("features", np.concatenate([none_i, *(c.features.astype(np.int64) for c in cubes)]))
    shelf.put("resolution", np.array([c.grid.resolution for c in cubes], dtype=np.uint8))
    shelf.put("bounds", np.cumsum([0, *(len(c.features) for c in cubes)], dtype=np.int64))
    shelf.put("fills_in", np.array([c.grid.means is not None for c in cubes], dtype=np.uint8))
    shelf.put("means", np.concatenate([none_f, *(c.grid.means for c in cubes if c.grid.means is not None)]))
    # a cube is the row of its interval numbers, big-endian
    places = [np.frombuffer(c.left.tobytes(), dtype=">u4").astype(np.uint32) for c in cubes]
    shelf.put("left", np.concatenate([np.zeros(0, dtype=np.uint32), *places]))
    shelf.put("n_left", np.array([len(c.left) for c in cubes], dtype=np.int64))
    shelf.put("n_occupied", np.array([c.n_occupied for c in cubes], dtype=np.int64))


def _take_cubes(shelf: Shelf, n: int, schema: Schema) -> list[Cubes]:
    features = shelf.take("features", np.int64, None)
    total = len(features)
    low, spread = (shelf.take(name, np.float64, total) for name in ("low", "spread"))
    n_intervals = shelf.take("n_intervals", np.int64, total)
    bounds = shelf.take("bounds", np.int64, n + 1)
    check_bounds(bounds, total, "bounds of the cubes", least=1)
    require(((features >= 0) & (features < schema.n_features)).all(), "a cube has a feature that does not exist")
    check_finite(low, "low ends of the cubes")
    check_finite(spread, "spreads of the cubes")
    require((spread > 0).all(), "a cube has no width")
    require(np.isfinite(low + spread).all(), "a cube is too wide")
    require(((n_intervals >= 1) & (n_intervals <= 1 << 30)).all(), "a cube has a wrong number of intervals")
    resolution = shelf.take("resolution", np.uint8, n)
    require(((resolution >= 1) & (resolution <= 30)).all(), "a grid has an unknown resolution")
    fills_in = shelf.take("fills_in", np.uint8, n)
    require((fills_in <= 1).all(), "its fills_in contains values other than 0 and 1")
    widths = np.diff(bounds)
    means = shelf.take("means", np.float64, int(widths[fills_in == 1].sum()))
    require(not np.isinf(means).any(), "a mean of a cube is infinite")
    n_left, n_occupied = (shelf.take(name, np.int64, n) for name in ("n_left", "n_occupied"))
    places = shelf.take("left", np.uint32, None)
    fits = ((n_left >= 1) & (n_left <= n_occupied) & (n_left <= len(places))).all()
    require(
        fits and int((n_left * widths).sum()) == len(places), "the number of cubes of a cell does not match its arrays"
    )
    ends, mean_ends = np.cumsum(n_left * widths), np.cumsum(np.where(fills_in == 1, widths, 0))
    found = []
    for i in range(n):
        part = slice(bounds[i], bounds[i + 1])
        width = int(widths[i])
        rows = np.ascontiguousarray(places[ends[i] - n_left[i] * width : ends[i]].astype(">u4").reshape(-1, width))
        left = rows.view(np.dtype((np.void, 4 * width))).ravel()
        ordered = np.lexsort(rows.T[::-1])
        require((ordered == np.arange(len(rows))).all(), "the cubes of a cell are not sorted")
        filled = means[mean_ends[i] - width : mean_ends[i]] if fills_in[i] else None
        grid = Grid(int(resolution[i]), low[part], spread[part], n_intervals[part], filled)
        found.append(Cubes(features[part], grid, left, int(n_occupied[i])))
    return found
