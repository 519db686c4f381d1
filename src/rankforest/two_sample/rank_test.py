"""Two-sample test by a scoring rule that is trained to separate the samples and tested on held-out rows.

Multivariate rank test of Clemencon, Depecker and Vayatis: a scoring rule is trained on one half of both samples to rank
the rows of the second above those of the first, and its scores on the other half go through a Mann-Whitney test. The
two halves are independent, so the level holds for any rule; a better rule gives more power. The Mann-Whitney test uses
the linear rank statistic with phi(v) = v; any other phi can be used.

Copies of rows would make the halves dependent: the rule would be tested on rows that it was trained on. So a row that
occurs several times in a sample counts once, and a row that occurs in both samples is in the same half of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..metrics._responses import score_rows
from ..metrics.generators import Generator, check_generator
from ..metrics.linear_rank_test import linear_rank_test
from .copies import copied_groups, row_groups

# scikit-learn, SciPy, narwhals and the tree are imported inside functions to keep the import fast.

__all__ = ["TwoSampleTest", "two_sample_test"]

_FEWEST = 4  # rows of a sample: two to learn from, two to test on


@dataclass(frozen=True)
class TwoSampleTest:
    """Result of `two_sample_test`.

    Attributes
    ----------
    p_value : float
        Probability of an AUC at least as large if both samples have the same distribution.
    auc : float
        AUC of the scoring rule on the held-out halves; 1/2 if the samples cannot be distinguished.
    statistic : float
        Mann-Whitney's U of the second sample: the held-out pairs in order, ties counting one half. With another ``phi``
        than ``"wilcoxon"``, the linear rank statistic.
    model : estimator
        The fitted scoring rule: label 0 is the first sample, 1 the second. It shows where the samples differ.
    n_train, n_test : pair of int
        Rows of the first and of the second sample that the rule was trained and tested on.
    phi : str or callable
        The score-generating function of the test.
    n_copies : int
        Rows that were left out because they repeat another row of their sample.
    n_shared : int
        Rows of the first sample that are in the second as well, and were kept in the same half.
    """

    p_value: float
    auc: float
    statistic: float
    model: Any
    n_train: tuple[int, int]
    n_test: tuple[int, int]
    phi: str | Generator = "wilcoxon"
    n_copies: int = 0
    n_shared: int = 0

    def __str__(self) -> str:
        name = self.phi if isinstance(self.phi, str) else getattr(self.phi, "__name__", "a function")
        ranks = "" if name == "wilcoxon" else f" in ranks weighed by {name}"
        copies = f"; {self.n_copies} copies of rows left out" if self.n_copies else ""
        shared = f"; {self.n_shared} rows of both samples kept in the same half" if self.n_shared else ""
        return (
            f"Two-sample test{ranks}: p = {self.p_value:.4g}, AUC = {self.auc:.3f} on {self.n_test[0]} + "
            f"{self.n_test[1]} held-out rows ({type(self.model).__name__} trained on {self.n_train[0]} + "
            f"{self.n_train[1]} rows){copies}{shared}"
        )

    __repr__ = __str__


def two_sample_test(
    X: Any,
    Y: Any,
    *,
    model: Any = None,
    phi: str | Generator = "wilcoxon",
    test_size: float = 0.5,
    duplicates: str = "auto",
    random_state: Any = None,
) -> TwoSampleTest:
    """Test whether two samples have the same distribution.

    Parameters
    ----------
    X, Y : arrays, data frames or sparse matrices with the same columns
        The two samples, at least four rows each. One-dimensional arrays are samples of one feature.
    model : estimator or None, default=None
        A classifier with `decision_function` or `predict_proba`; it is cloned. None is a small `TreeRank`, which takes
        categories and missing values as they are.
    phi : callable or str, default="wilcoxon"
        Score-generating function, as in :func:`rankforest.metrics.linear_rank_statistic`. ``"push@4"`` or
        ``"local@0.1"`` emphasise the rows that are most typical of the second sample; they have more power if only a
        part of the rows differs.
    test_size : float, default=0.5
        Share of both samples that is held out for the test.
    duplicates : {"auto", "copies", "chance"}, default="auto"
        What identical rows are. Copies count once in their sample, and those of both samples are kept in the same half.
        Rows that agree by chance, in tables of few possible rows, are observations of their own. ``"auto"`` takes them
        for copies if they agree in a continuous column, or if hardly any two rows agree in all columns but one.
    random_state : int, Generator, RandomState or None, default=None
        Which rows are held out, and the seed of the default model.

    Returns
    -------
    TwoSampleTest

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    >>> two_sample_test(X, Y, random_state=0).p_value > 0.05
    True
    >>> print(two_sample_test(X, Y + [1.0, 0.0, 0.0], random_state=0))
    Two-sample test: p = 9.511e-06, AUC = 0.674 on 100 + 100 held-out rows (TreeRank trained on 100 + 100 rows)
    >>> two_sample_test(np.repeat(X, 3, axis=0), Y, random_state=0).n_copies
    400
    """
    from sklearn.base import clone

    check_generator(phi)
    if duplicates not in ("auto", "copies", "chance"):
        raise ValueError(f"duplicates is {duplicates!r}; choose 'auto', 'copies' or 'chance'.")

    if not isinstance(test_size, Real) or not 0.0 < float(test_size) < 1.0:
        raise ValueError(f"test_size is {test_size!r}; give a share of the rows between 0 and 1.")
    rng = _generator(random_state)
    rule = _default_model(int(rng.integers(2**31 - 1))) if model is None else clone(model)
    if not (hasattr(rule, "decision_function") or hasattr(rule, "predict_proba")):
        raise TypeError(
            f"model is {rule!r}, which gives no scores; give a classifier with decision_function or predict_proba."
        )
    rows, sizes = _stack(X, Y)
    label = np.repeat([0, 1], sizes)
    kept, shared = _without_copies(rows.frame if isinstance(rows, _Frame) else rows, label, duplicates)
    n_x = int(np.sum(label[kept] == 0))
    _check_sizes(n_x, len(kept) - n_x, "distinct rows")
    held_out = _held_out(label[kept], shared, float(test_size), rng)
    train, test = kept[~held_out], kept[held_out]
    rule.fit(rows[train], label[train])
    score, second = _scores(rule, rows[test]), label[test] == 1

    auc, statistic, p_value = _rank_test(score, second, phi, rng)
    n_test = (int(np.sum(~second)), int(np.sum(second)))
    return TwoSampleTest(
        p_value=p_value,
        auc=auc,
        statistic=statistic,
        model=rule,
        n_train=(n_x - n_test[0], len(kept) - n_x - n_test[1]),
        n_test=n_test,
        phi=phi,
        n_copies=len(label) - len(kept),
        n_shared=int(np.sum(shared >= 0)) // 2,
    )


def _without_copies(rows: Any, label: np.ndarray, duplicates: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows that count, and for each the number of the row that both samples hold, or -1."""
    groups = row_groups(rows)
    copied = np.zeros(groups.max() + 1, dtype=bool)
    if duplicates == "auto":
        copied = copied_groups(rows, groups)
    elif duplicates == "copies":
        copied = np.bincount(groups) > 1
    # One row of every sample for a group of copies; rows that are no copies are groups of their own.
    own = np.where(copied[groups], 2 * groups + label, 2 * len(copied) + np.arange(len(groups)))
    kept = np.sort(np.unique(own, return_index=True)[1])
    of_kept = np.where(copied[groups[kept]], groups[kept], -1)
    in_both = np.intersect1d(of_kept[label[kept] == 0], of_kept[label[kept] == 1])
    return kept, np.where(np.isin(of_kept, in_both), of_kept, -1)


def _held_out(label: np.ndarray, shared: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Which rows are held out; a row that both samples hold is held out of both or of none."""
    held_out = np.zeros(len(label), dtype=bool)
    in_both = np.unique(shared[shared >= 0])
    if len(in_both):
        drawn = rng.permutation(in_both)[: math.floor(share * len(in_both) + 0.5)]
        held_out[np.isin(shared, drawn)] = True
    for k in (0, 1):
        free = np.flatnonzero((label == k) & (shared < 0))
        n, forced = int(np.sum(label == k)), int(np.sum(held_out[label == k]))
        size = min(max(math.floor(share * n + 0.5), 2), n - 2) - forced  # both parts keep at least two
        held_out[free[rng.permutation(len(free))[: max(size, 0)]]] = True
    return held_out


def _rank_test(
    score: np.ndarray, second: np.ndarray, phi: str | Generator, rng: np.random.Generator
) -> tuple[float, float, float]:
    """AUC, statistic and p-value."""
    from scipy.stats import mannwhitneyu

    of_x, of_y = score[~second], score[second]
    found = mannwhitneyu(of_y, of_x, alternative="greater")  # its exact law for few rows is known
    auc = float(found.statistic) / (len(of_x) * len(of_y))
    if isinstance(phi, str) and phi == "wilcoxon":
        constant = bool(np.all(score == score[0]))  # then nothing speaks against equality, and U has no variance
        return auc, float(found.statistic), 1.0 if constant else float(found.pvalue)
    test = linear_rank_test(second, score, phi, pos_label=True, random_state=rng)
    return auc, test.statistic, test.p_value


def _default_model(seed: int) -> Any:
    """A coarse tree: half of a small sample cannot bear fine cells."""
    from ..estimators.tree_rank import TreeRank
    from ..splitting.leafrank import LeafRank

    return TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.1), max_depth=4, random_state=seed)


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    return np.random.default_rng(random_state)


def _scores(rule: Any, rows: Any) -> np.ndarray:
    """Scores that are high for label 1."""
    return score_rows(rule, rows, 1)[0].astype(float)


class _Frame:
    """Rows of a data frame by position, whatever library it is from."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, rows: np.ndarray) -> Any:
        return self.frame[rows.tolist()].to_native()


def _stack(X: Any, Y: Any) -> tuple[Any, list[int]]:
    """Both samples, one below the other, and their numbers of rows."""
    import narwhals as nw
    from scipy import sparse

    frames = [nw.dependencies.is_into_dataframe(nw.to_native(sample, pass_through=True)) for sample in (X, Y)]
    if frames[0] != frames[1]:
        raise TypeError(
            f"X is of type {type(X).__name__} and Y of type {type(Y).__name__}; give two arrays or two data frames."
        )
    if frames[0]:
        one, other = (nw.from_native(sample, eager_only=True) for sample in (X, Y))
        if one.implementation != other.implementation:
            raise TypeError(
                f"X is a {one.implementation} data frame and Y a {other.implementation} data frame; give two of one "
                "kind."
            )
        if set(one.columns) != set(other.columns):
            alone = sorted(map(repr, set(one.columns) ^ set(other.columns)))
            raise ValueError(f"X and Y must have the same columns; only one of them has {', '.join(alone)}.")
        sizes = _check_sizes(len(one), len(other))
        return _Frame(nw.concat([one, other.select(one.columns)], how="vertical")), sizes
    if sparse.issparse(X) or sparse.issparse(Y):
        _check_widths(X.shape, Y.shape)
        sizes = _check_sizes(X.shape[0], Y.shape[0])
        return sparse.vstack([sparse.csr_array(X), sparse.csr_array(Y)], format="csr"), sizes
    arrays = [_matrix(sample, name) for sample, name in ((X, "X"), (Y, "Y"))]
    _check_widths(arrays[0].shape, arrays[1].shape)
    sizes = _check_sizes(len(arrays[0]), len(arrays[1]))
    return np.concatenate(arrays), sizes


def _matrix(sample: Any, name: str) -> np.ndarray:
    array = np.asarray(sample)
    if array.dtype.kind == "U" and isinstance(sample, list | tuple):
        array = np.array(sample, dtype=object)  # of [1.5, "red"] NumPy makes two strings
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; give a table of rows and columns.")
    return array


def _check_widths(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    if one[1] != other[1]:
        raise ValueError(f"X has {one[1]} columns and Y has {other[1]}; give both samples the same columns.")


def _check_sizes(n_x: int, n_y: int, rows: str = "rows") -> list[int]:
    for name, size in (("X", n_x), ("Y", n_y)):
        if size < _FEWEST:
            raise ValueError(f"{name} has {size} {rows}; the test needs at least {_FEWEST} of each sample.")
    return [n_x, n_y]
