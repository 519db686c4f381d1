"""Shapes are the boosted stumps, summed feature by feature."""

import numpy as np
import pandas as pd
import pytest

from rankforest.boosting.rounds import Boosting, boost, held_out_folds
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.table import read_table
from rankforest.scorecard.shapes import mean_shapes, shapes_of

STUMPS = Boosting(max_leaf_nodes=2, max_features=None, learning_rate=0.3)


def mixed_sample(n=240, seed=0, missing=0.15):
    """Numbers, whole numbers, many categories, missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, n).astype(float)})
    frame["c"] = pd.Categorical(rng.integers(0, 70, n).astype(str))  # more codes than a word has bits
    frame["d"] = pd.Categorical(rng.choice(["u", "v", "w"], n))
    frame = frame.mask(rng.random(frame.shape) < missing)
    margin = np.nan_to_num(frame["a"]) + (frame["b"] > 4) - (frame["d"] == "u") + rng.logistic(size=n)
    table = read_table(frame)
    return Sample(table, bin_table(table, find_bins(table)), (margin > 0.5).to_numpy().astype(np.uint8), None)


@pytest.mark.parametrize("cuts", ["best", "random"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_they_give_the_margins_of_the_boosters(cuts, missing):
    sample = mixed_sample(missing=missing)
    boosting = Boosting(**{**STUMPS.__dict__, "cuts": cuts})
    held_out = held_out_folds(sample.labels, 3, 1, 0)
    boosted = boost(sample, boosting, held_out, n_rounds=40, seed=0)
    shapes = shapes_of(boosted.trees, sample.binned.bins)
    assert shapes.n_bags == 3
    (block,) = sample.table.blocks()
    np.testing.assert_allclose(shapes.margin(sample.binned.codes), boosted.trees.margin(block), rtol=1e-12, atol=1e-12)
    # each bag is one booster, which scores the rows that it has not seen
    for b, out in enumerate(held_out == 1):
        margin = shapes.bag(b).margin(sample.binned.codes[out])
        away = margin - boosted.held_out[out]  # the boosters' own starts differ a little
        np.testing.assert_allclose(away, away[0], atol=1e-12)
    # a column of zeros leaves a feature out; the mean of one kind with itself is that kind
    np.testing.assert_allclose(
        mean_shapes([shapes, shapes]).margin(sample.binned.codes), shapes.margin(sample.binned.codes), rtol=1e-12
    )


def test_trees_with_more_than_one_split_have_none():
    sample = mixed_sample()
    boosted = boost(
        sample, Boosting(max_leaf_nodes=3), np.zeros((1, sample.n_rows), dtype=np.uint8), n_rounds=3, seed=0
    )
    with pytest.raises(ValueError, match="more than one split"):
        shapes_of(boosted.trees, sample.binned.bins)
