"""The contributions of pairs of features, in words and as lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ._say import print_table, say

__all__ = ["LINES", "lines_of_pairs", "pairs_of", "print_pairs"]

LINES = (("feature", pa.string()), ("with", pa.string()), ("contribution", pa.float64()))
_LISTED = 10


def pairs_of(names: Sequence[str], matrix: np.ndarray) -> list[dict[str, Any]]:
    """What each pair of features contributes together, the largest first; pairs that contribute nothing are left out.

    Examples
    --------
    >>> pairs_of(["a", "b"], np.array([[1.0, 0.25], [0.25, 2.0]]))
    [{'features': ['a', 'b'], 'contribution': 0.5}]
    """
    one, other = np.triu_indices(len(names), 1)
    both = matrix[one, other] + matrix[other, one]
    order = [k for k in np.argsort(-np.abs(both), kind="stable") if both[k] != 0.0]
    return [{"features": [names[one[k]], names[other[k]]], "contribution": float(both[k])} for k in order]


def print_pairs(pairs: Sequence[dict[str, Any]], scale: str, added: Any) -> None:
    """The strongest pairs, as a table."""
    if not pairs:
        say("No two features interact.")
        return
    lines = [[*pair["features"], added(pair["contribution"], scale)] for pair in pairs[:_LISTED]]
    print_table(["feature", "with", f"{scale}, together"], lines)
    rest = pairs[_LISTED:]
    if rest:
        say(f"{len(rest)} other pairs: {added(sum(pair['contribution'] for pair in rest), scale)}.")


def lines_of_pairs(names: Sequence[str], matrices: np.ndarray) -> tuple[np.ndarray, list[pa.Array]]:
    """Position of the row of each line, and the columns `LINES`: each feature alone (with: null), then each pair.

    The lines of a row add up to its score minus the base.
    """
    n, q = len(matrices), len(names)
    one, other = (places.tolist() for places in np.triu_indices(q, 1))
    alone = np.diagonal(matrices, axis1=1, axis2=2)
    values = np.concatenate([alone, matrices[:, one, other] + matrices[:, other, one]], axis=1)
    first = [*names, *(names[i] for i in one)]
    second: list[str | None] = [*[None] * q, *(names[j] for j in other)]
    columns = [pa.array(first * n, pa.string()), pa.array(second * n, pa.string()), pa.array(values.ravel())]
    return np.repeat(np.arange(n), values.shape[1]), columns
