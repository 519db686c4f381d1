"""Score-generating functions: from a relative rank to its value in a rank statistic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import check_share

__all__ = ["Generator", "beyond", "check_generator", "generated"]

Generator = Callable[[FloatArray], ArrayLike]
_Named = Callable[[FloatArray, FloatArray], FloatArray]


def check_generator(phi: str | Generator) -> None:
    """Raise ValueError if phi is neither a function nor a known name, before any work starts.

    Examples
    --------
    >>> check_generator("push@4")
    """
    if isinstance(phi, str):
        _named(phi)
    elif not callable(phi):
        raise _unknown(phi)


def generated(phi: str | Generator, v: FloatArray, position: FloatArray) -> FloatArray:
    """Values of a score-generating function at relative ranks ``v``, of rows at these positions from the top.

    Examples
    --------
    >>> generated("push@2", np.array([0.25, 0.75]), np.array([3.0, 1.0]))
    array([0.0625, 0.5625])
    """
    if isinstance(phi, str):
        return _named(phi)(v, position)
    check_generator(phi)
    value = np.asarray(phi(v), dtype=np.float64)
    if value.shape != v.shape or not np.isfinite(value).all():
        raise ValueError(
            f"phi must map {len(v)} ranks in (0, 1) to as many finite numbers, got shape {value.shape}; pass a "
            "vectorised function such as numpy.square."
        )
    return value


def beyond(share: FloatArray) -> FloatArray:
    """The bound of v > 1 - u, robust to rounding errors on both sides: u = 0.9 excludes v = 1/10.

    Examples
    --------
    >>> bool(0.1 > beyond(np.array(0.9))), bool(0.1 > 1 - 0.9)
    (False, True)
    """
    return np.asarray(1.0 - share + 4.0 * np.finfo(np.float64).eps)


def _push(text: str) -> _Named:
    power = float(text)
    if not 0 < power < np.inf:
        raise ValueError
    return lambda v, x: v**power


def _local(text: str) -> _Named:
    share = check_share(float(text))
    return lambda v, x: np.where(v > beyond(share), v, 0.0)


_PLAIN: dict[str, _Named] = {
    "wilcoxon": lambda v, x: v,
    "dcg": lambda v, x: 1.0 / np.log1p(x),
    "reciprocal": lambda v, x: 1.0 / x,
}
_WITH_NUMBER: dict[str, Callable[[str], _Named]] = {"push": _push, "local": _local}


def _named(phi: str) -> _Named:
    name, _, number = phi.partition("@")
    try:
        return _WITH_NUMBER[name](number) if name in _WITH_NUMBER else _PLAIN[phi]
    except (KeyError, ValueError):
        raise _unknown(phi) from None


def _unknown(phi: object) -> ValueError:
    names = ", ".join([*(repr(name) for name in _PLAIN), "'push@4'", "'local@0.1'"])
    return ValueError(f"phi must be a function or one of {names}, got {phi!r}.")
