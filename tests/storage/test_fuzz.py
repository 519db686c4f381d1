"""Mutated files raise a one-sentence error, or load as a model that scores; `fuzz.py` runs many more of them."""

from collections import Counter

import numpy as np
import pytest

from mutants import file_of, fitted, fresh_rows, models, mutant, outcome
from rankforest import load_model


@pytest.mark.parametrize(
    ("name", "squeezed"),
    [
        ("tree", False),
        ("tree of rules", True),
        ("oblique tree", False),
        ("forest", True),
        ("boosting", True),
        ("ordinal forest", True),
        ("perceptron", False),
    ],
)
def test_a_mutated_file_is_refused_or_scores(name, squeezed, tmp_path):
    data = file_of(fitted(models()[name]), tmp_path, squeezed=squeezed)
    features, rows = load_model(tmp_path / "model.rankforest").schema_, fresh_rows()
    path = tmp_path / "mutant.rankforest"
    found = Counter(outcome(mutant(data, np.random.default_rng(seed)), path, rows, features) for seed in range(250))
    # neither is a matter of course: some mutants are harmless, most are not
    assert found["refused"] > 100
    assert found["scores"] > 5
