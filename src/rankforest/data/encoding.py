"""Encoding of features for linear models: missing values replaced, categories one-hot, optionally standardised."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .parts import Parts, check_bounds, need
from .schema import Schema

__all__ = ["Encoding", "Standardization"]


@dataclass(frozen=True)
class Encoding:
    """Numbers as they are, and a column of 0 and 1 for every category seen.

    A missing number is the mean of its feature, unless missing values are kept; a missing category, and one that was
    not seen, is 0 in all of its columns.

    Attributes
    ----------
    numeric : array of int
        Positions of the numeric features.
    means : array or None
        What their missing values become; None leaves them.
    categories : tuple of (position, array of codes)
    """

    numeric: np.ndarray
    means: np.ndarray | None
    categories: tuple[tuple[int, np.ndarray], ...]

    @classmethod
    def of(cls, X: np.ndarray, schema: Schema, *, features: np.ndarray, means: np.ndarray | None) -> Encoding:
        """The encoding of some features of a block that is coded as in the schema.

        Examples
        --------
        >>> from rankforest.data.schema import Feature
        >>> schema = Schema((Feature("age", "numeric"), Feature("city", "categorical", ("Lyon", "Paris"))), named=True)
        >>> X = np.array([[20.0, 0], [40.0, 1], [np.nan, 1]])
        >>> Encoding.of(X, schema, features=np.arange(2), means=np.nanmean(X, axis=0)).encode(X)
        array([[20.,  1.,  0.],
               [40.,  0.,  1.],
               [30.,  0.,  1.]])
        """
        kinds = schema.features
        numeric = np.array([j for j in features if kinds[j].categories is None], dtype=np.intp)
        # without observed values, any number will do
        filled = None if means is None else np.nan_to_num(means[numeric])
        found = []
        for j in features:
            if kinds[j].categories is not None:
                column = X[:, j]
                found.append((int(j), np.unique(column[~np.isnan(column)])))
        return cls(numeric, filled, tuple(found))

    @property
    def n_columns(self) -> int:
        return len(self.numeric) + sum(len(codes) for _, codes in self.categories)

    def encode(self, X: np.ndarray) -> np.ndarray:
        """Rows of the whole table in numbers."""
        numbers = X[:, self.numeric]
        if self.means is not None:
            numbers = np.where(np.isnan(numbers), self.means, numbers)
        columns = [(X[:, [j]] == codes).astype(np.float64) for j, codes in self.categories]
        return np.hstack([numbers, *columns])


@dataclass(frozen=True)
class Standardization:
    """An encoding with centred columns of equal standard deviation; a constant column becomes 0.

    The standard deviation is chosen so that the mean squared length of a training row is 1, whatever the number of
    columns. Otherwise a perceptron would learn its constant terms too slowly.
    """

    schema: Schema
    encoding: Encoding
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, schema: Schema) -> Standardization:
        """Of all features of a training table, coded as in the schema.

        Examples
        --------
        >>> from rankforest.data.schema import Feature
        >>> X = np.array([[1.0], [3.0], [np.nan]])
        >>> Standardization.of(X, Schema((Feature("age", "numeric"),), named=True)).encode(np.array([[3.0], [2.0]]))
        array([[1.22474487],
               [0.        ]])
        """
        observed = ~np.isnan(X)
        with np.errstate(over="ignore"):
            means = np.where(observed, X, 0.0).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
        encoding = Encoding.of(X, schema, features=np.arange(X.shape[1]), means=means)
        encoded = encoding.encode(X)
        with np.errstate(over="ignore", invalid="ignore"):
            mean, deviation = encoded.mean(axis=0), encoded.std(axis=0)
        if not np.isfinite(deviation).all():
            largest = np.nanmax(np.abs(X))
            raise ValueError(
                f"X contains numbers as large as {largest:g}, too large for a standard deviation; rescale the features."
            )
        # the deviation of a constant column is the rounding error of its mean
        constant = encoded.min(axis=0) == encoded.max(axis=0)
        scale = np.where(constant, 1.0, deviation) * math.sqrt(max(1, int(np.count_nonzero(~constant))))
        return cls(schema, encoding, np.where(constant, encoded[0], mean), scale)

    def encode(self, X: np.ndarray) -> np.ndarray:
        """Rows of the whole table in numbers of one scale."""
        return np.ascontiguousarray((self.encoding.encode(X) - self.mean) / self.scale)

    def to_parts(self) -> dict[str, np.ndarray]:
        """All but the schema, as plain data."""
        encoding = self.encoding
        assert encoding.means is not None, "missing numbers become the mean"
        codes = [codes for _, codes in encoding.categories]
        return {
            "numeric": encoding.numeric.astype(np.int64),
            "means": encoding.means,
            "categorical": np.array([j for j, _ in encoding.categories], dtype=np.int64),
            "codes": np.concatenate([np.zeros(0), *codes]),
            "code_bounds": np.cumsum([0, *map(len, codes)], dtype=np.int64),
            "mean": self.mean,
            "scale": self.scale,
        }

    @classmethod
    def from_parts(cls, parts: Parts, schema: Schema) -> Standardization:
        """The same again, checked."""
        numeric, categorical = (parts.array(name, np.int64, None) for name in ("numeric", "categorical"))
        is_category = schema.is_categorical
        match = np.array_equal(numeric, np.flatnonzero(~is_category))
        need(
            match and np.array_equal(categorical, np.flatnonzero(is_category)), "its columns do not match its features"
        )
        means, codes = parts.array("means", np.float64, len(numeric)), parts.array("codes", np.float64, None)
        bounds = parts.array("code_bounds", np.int64, len(categorical) + 1)
        check_bounds(bounds, len(codes), "code_bounds")
        mean, scale = (parts.array(name, np.float64, len(numeric) + len(codes)) for name in ("mean", "scale"))
        need(np.isfinite(means).all() and np.isfinite(mean).all(), "its means are not finite")
        # the variance of what is spread less than that is 0 in double precision, so that no fit gives a smaller scale
        need(np.isfinite(scale).all() and (scale > 1e-162).all(), "its scale is not positive")
        of_features = tuple((j, codes[bounds[i] : bounds[i + 1]]) for i, j in enumerate(categorical.tolist()))
        for j, some in of_features:
            _check_codes(some, len(schema.features[j].categories or ()))
        return cls(schema, Encoding(numeric.astype(np.intp), means, of_features), mean, scale)


def _check_codes(codes: np.ndarray, n_categories: int) -> None:
    """Codes of the categories that have a column: of this feature, each once, upwards."""
    # in this form the comparison also refuses NaN
    known = ((codes >= 0) & (codes < n_categories) & (codes == np.floor(codes))).all()
    need(known, "a column encodes a category that its feature does not have")
    need((np.diff(codes) > 0).all(), "its columns of categories are not sorted")
