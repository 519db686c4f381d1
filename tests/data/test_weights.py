"""Only ratios of weights matter: extreme weights are scaled by a power of two, others are left as they are."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankforest.data.errors import InputError
from rankforest.data.weights import MOST_RATIO, moderate_weights


@given(st.lists(st.floats(0, 1.7e308), min_size=1, max_size=5))
def test_ratios_are_kept_exactly(values: list[float]) -> None:
    weights = np.array(values)
    assume(weights.any())
    least, greatest = min(w for w in values if w > 0), max(values)
    if greatest / MOST_RATIO > least:
        with pytest.raises(InputError, match="too far apart"):
            moderate_weights(weights)
        return
    found = moderate_weights(weights)
    assert np.isfinite(found.sum())
    assert np.isfinite(np.dot(found, found) / found.sum() ** 2)
    (fraction,) = {np.frexp(a)[0] / np.frexp(b)[0] for a, b in zip(found, weights) if b} or {1.0}
    assert fraction == 1.0
    (shift,) = {int(np.frexp(a)[1]) - int(np.frexp(b)[1]) for a, b in zip(found, weights) if b}
    if 2.0**-64 <= greatest < 2.0**64:
        assert shift == 0
    assert ((found == 0) == (weights == 0)).all()


def test_ordinary_weights_are_not_copied() -> None:
    weights = np.array([1e-9, 0.0, 3.0])
    assert moderate_weights(weights) is weights


@pytest.mark.parametrize("least", [1e-300, 1.0, 1e280])
def test_the_greatest_ratio(least: float) -> None:
    assert moderate_weights(np.array([least, least * MOST_RATIO])).tolist()[0] > 0
    said = re.escape(f"{least:g} in row 1 and ") + ".* in row 2, too far apart to be summed exactly; set tiny weights"
    with pytest.raises(InputError, match=said):
        moderate_weights(np.array([0.0, least, least * MOST_RATIO * 1.001]))
