"""The parameters of an estimator as JSON, and the estimator that they make."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ModelFileError, require
from .values import decode, encode, parts_of

__all__ = ["make", "params_to"]

MOST_JOBS = 1024  # more threads than that come from nobody's machine


def params_to(model: Any) -> dict[str, Any]:
    """Parameters by name."""
    return {name: encode(value, name) for name, value in parts_of(model).items()}


def make(cls: Any, params: Any, **instead: Any) -> Any:
    """An estimator that is not fitted yet. What a file does not say, since it is older, is the default."""
    require(isinstance(params, dict), "its parameters cannot be read")
    names = set(cls._get_param_names())
    unknown = sorted(params.keys() - names)
    if unknown:
        raise ModelFileError(
            f"The model has the parameter {unknown[0]!r}, which {cls.__name__} of this version does not have; "
            "install the version of rankforest that wrote the file."
        )
    decoded = {name: decode(value) for name, value in params.items()} | instead
    n_jobs, seed = decoded.get("n_jobs"), decoded.get("random_state")
    few = n_jobs is None or (type(n_jobs) is int and n_jobs != 0 and abs(n_jobs) <= MOST_JOBS)
    require(few, "its n_jobs is not a valid number of threads")
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 1 << 32
    require(seed is None or whole, "its random_state is not a seed")
    return cls(**decoded)
