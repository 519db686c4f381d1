"""Exact metrics of scores in partitions: the functions of `rankforest.metrics` for Dask arrays and series.

Partitions send counts per distinct score, which are added up a tree. The results are those of `rankforest.metrics` on
the concatenated rows, bit for bit without weights; if a list has millions of distinct scores, up to the last digits.
Several metrics of the same list are cheaper from one `ranked_list`, which also says how many bytes were sent.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..metrics.gains import GainsTable
from ..metrics.roc import RocCurve
from .ranked_list import RankedList, concordance_index, ranked_list

__all__ = ["RankedList", "concordance_index", "gains_table", "local_auc", "ranked_list", "roc_auc", "roc_curve"]


def roc_auc(y_true: Any, y_score: Any, **options: Any) -> float:
    """Area under the ROC curve, ties counting one half; `options` as in :func:`ranked_list`.

    Examples
    --------
    >>> import dask.array as da
    >>> roc_auc(da.from_array([0, 1, 0, 1], chunks=2), da.from_array([1.0, 2.0, 2.0, 4.0], chunks=2))
    0.875
    """
    return ranked_list(y_true, y_score, **options).roc_auc()


def roc_curve(y_true: Any, y_score: Any, **options: Any) -> RocCurve:
    """ROC curve with one knot per distinct score; `options` as in :func:`ranked_list`.

    Examples
    --------
    >>> import dask.array as da
    >>> roc_curve(da.from_array([0, 1, 0, 1], chunks=2), da.from_array([1.0, 2.0, 2.0, 4.0], chunks=2)).thresholds
    array([inf,  4.,  2.,  1.])
    """
    return ranked_list(y_true, y_score, **options).roc_curve()


def local_auc(y_true: Any, y_score: Any, u: ArrayLike, **options: Any) -> Any:
    """AUC of the best share ``u`` of the list; `options` as in :func:`ranked_list`.

    Examples
    --------
    >>> import dask.array as da
    >>> local_auc(da.from_array([0, 1, 0, 1], chunks=2), da.from_array([1.0, 2.0, 3.0, 4.0], chunks=2), 0.25)
    0.5
    """
    return ranked_list(y_true, y_score, **options).local_auc(u)


def gains_table(y_true: Any, y_score: Any, *, n_groups: int = 10, **options: Any) -> GainsTable:
    """Positives, lift and capture of groups of equal mass; `options` as in :func:`ranked_list`.

    Examples
    --------
    >>> import dask.array as da
    >>> y, score = da.from_array([0, 1, 0, 1], chunks=2), da.from_array([1.0, 2.0, 3.0, 4.0], chunks=2)
    >>> gains_table(y, score, n_groups=2).positives
    array([1., 1.])
    """
    return ranked_list(y_true, y_score, **options).gains_table(n_groups)
