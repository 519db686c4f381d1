"""PRank and its ensemble in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.encoding import Encoding, Standardization
from ..data.schema import Schema
from ..estimators.oapbpm import OAPBPM
from ..estimators.prank import PRank
from .checks import check_bounds, check_moderate
from .errors import ModelFileError, refuse, require
from .shelf import Shelf

__all__ = ["put_oapbpm", "put_prank", "take_oapbpm", "take_prank"]


def _put_standardization(shelf: Shelf, found: Standardization) -> None:
    encoding = found.encoding
    assert encoding.means is not None, "missing numbers become the mean"
    shelf.put("numeric", encoding.numeric.astype(np.int64))
    shelf.put("means", encoding.means)
    shelf.put("categorical", np.array([j for j, _ in encoding.categories], dtype=np.int64))
    codes = [codes for _, codes in encoding.categories]
    shelf.put("codes", np.concatenate([np.zeros(0), *codes]))
    shelf.put("code_bounds", np.cumsum([0, *map(len, codes)], dtype=np.int64))
    shelf.put("mean", found.mean)
    shelf.put("scale", found.scale)


def _take_standardization(shelf: Shelf, schema: Schema) -> Standardization:
    numeric = shelf.take("numeric", np.int64, None)
    categorical = shelf.take("categorical", np.int64, None)
    is_category = schema.is_categorical
    match = np.array_equal(numeric, np.flatnonzero(~is_category))
    require(match and np.array_equal(categorical, np.flatnonzero(is_category)), "its columns do not match its features")
    means, codes = shelf.take("means", np.float64, len(numeric)), shelf.take("codes", np.float64, None)
    bounds = shelf.take("code_bounds", np.int64, len(categorical) + 1)
    check_bounds(bounds, len(codes), "code_bounds")
    n_columns = len(numeric) + len(codes)
    mean, scale = (shelf.take(name, np.float64, n_columns) for name in ("mean", "scale"))
    require(np.isfinite(means).all() and np.isfinite(mean).all(), "its means are not finite")
    # the variance of what is spread less than that is 0 in double precision, so that no fit gives a smaller scale
    require(np.isfinite(scale).all() and (scale > 1e-162).all(), "its scale is not positive")
    parts = tuple((j, codes[bounds[i] : bounds[i + 1]]) for i, j in enumerate(categorical.tolist()))
    for j, some in parts:
        _check_codes(some, len(schema.features[j].categories or ()))
    return Standardization(schema, Encoding(numeric.astype(np.intp), means, parts), mean, scale)


def _check_codes(codes: np.ndarray, n_categories: int) -> None:
    """Codes of the categories that have a column: of this feature, each once, upwards."""
    # asked this way round, NaN is refused as well
    known = ((codes >= 0) & (codes < n_categories) & (codes == np.floor(codes))).all()
    require(known, "a column encodes a category that its feature does not have")
    require((np.diff(codes) > 0).all(), "its columns of categories are not sorted")


def _take_thresholds(model: Any, shelf: Shelf) -> None:
    model.thresholds_ = shelf.take("thresholds", np.float64, len(model.classes_) - 1)
    check_moderate(model.thresholds_, "thresholds")
    require((np.diff(model.thresholds_) >= 0).all(), "its thresholds fall")


def put_prank(model: PRank, shelf: Shelf) -> dict[str, Any]:
    """The direction, or the support vectors of a kernel, and the thresholds."""
    if callable(model.kernel):
        raise ModelFileError(
            "kernel is a function, which a model file cannot store; use one of the kernels that have a name, or "
            "pickle or joblib, whose files are only safe to load from a trusted source."
        )
    _put_standardization(shelf.below("standardization"), model.standardization_)
    shelf.put("thresholds", model.thresholds_)
    shelf.put("rank_loss", model.rank_loss_)
    if hasattr(model, "coef_"):
        shelf.put("coef", model.coef_)
    else:
        shelf.put("support", model.support_.astype(np.int64))
        shelf.put("support_vectors", model.support_vectors_)
        shelf.put("dual_coef", model.dual_coef_)
    return {}


def take_prank(model: PRank, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    require(not fitted and isinstance(model.kernel, str), "its kernel cannot be read")
    try:
        model._check_kernel()
    except (ValueError, TypeError):
        refuse("its kernel cannot be read")
    model.standardization_ = _take_standardization(shelf.below("standardization"), schema)
    _take_thresholds(model, shelf)
    model.rank_loss_ = shelf.take("rank_loss", np.float64, None)
    n_columns = len(model.standardization_.mean)
    if model.kernel == "linear":
        model.coef_ = shelf.take("coef", np.float64, n_columns)
        check_moderate(model.coef_, "coef")
        return
    model.support_ = shelf.take("support", np.int64, None)
    model.support_vectors_ = shelf.take("support_vectors", np.float64, len(model.support_), n_columns)
    model.dual_coef_ = shelf.take("dual_coef", np.float64, len(model.support_))
    require((model.support_ >= 0).all(), "a support vector has no row")
    check_moderate(model.support_vectors_, "support_vectors")
    check_moderate(model.dual_coef_, "dual_coef")


def put_oapbpm(model: OAPBPM, shelf: Shelf) -> dict[str, Any]:
    """The mean direction and thresholds, and those of every learner."""
    _put_standardization(shelf.below("standardization"), model.standardization_)
    shelf.put("thresholds", model.thresholds_)
    for name in ("coef", "estimator_coefs", "estimator_thresholds"):
        shelf.put(name, getattr(model, f"{name}_"))
    return {}


def take_oapbpm(model: OAPBPM, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    require(not fitted, "its header cannot be read")
    model.standardization_ = _take_standardization(shelf.below("standardization"), schema)
    _take_thresholds(model, shelf)
    coef = shelf.take("coef", np.float64, len(model.standardization_.mean))
    coefs = shelf.take("estimator_coefs", np.float64, None, len(coef))
    thresholds = shelf.take("estimator_thresholds", np.float64, len(coefs), len(model.thresholds_))
    for name, array in (("coef", coef), ("estimator_coefs", coefs), ("estimator_thresholds", thresholds)):
        check_moderate(array, name)
        setattr(model, f"{name}_", array)
