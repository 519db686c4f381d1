"""Kernels are compiled for several instruction sets; all of them grow the same trees and give the same scores."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

GROW = """
import hashlib, sys
import numpy as np
from rankforest import LeafRank, RankBoost, RankingForest, Sampling, TreeRank, _core
from rankforest.boosting.rounds import Boosting, boost
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.table import read_table

rng = np.random.default_rng(0)
sums = hashlib.sha256()
for n, q in [(70_000, 3), (2500, 20), (300, 41)]:  # broad and narrow cells, small nodes, partly filled blocks
    X = rng.normal(size=(n, q)).round(2)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1
    X[rng.random((n, q)) < 0.05] = np.nan
    for criterion in ("gini", "auc"):
        for missing in ("learned", "cell_mean"):
            tree = TreeRank(LeafRank(max_depth=6, criterion=criterion, missing=missing), max_depth=3).fit(X, y).tree_
            for array in (tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left, tree.cell_gain):
                sums.update(array.tobytes())
    if n < 10_000:  # 20 and 41 features are two and three groups of columns of the walk
        sampling = Sampling(oob=False)
        forest = RankingForest(12, splitter=LeafRank(max_depth=5), max_depth=3, sampling=sampling, random_state=0)
        forest.fit(X, y)
        rows = np.resize(X, (5000, q))
        for rows in (rows, np.nan_to_num(rows)):
            sums.update(forest.score_samples(rows).tobytes())
    if n < 10_000:
        boosted = RankBoost(8, n_folds=2, random_state=0).fit(X, y)
        for member in boosted.team_.members:
            for array in (member.trees.feature, member.trees.threshold, member.trees.value, member.trees.gain):
                sums.update(array.tobytes())
        table = read_table(X)
        sample = Sample(table, bin_table(table, find_bins(table)), y.astype(np.uint8), None)
        none = np.zeros((1, n), dtype=np.uint8)
        trees = boost(sample, Boosting(symmetric=True, max_leaf_nodes=32), none, n_rounds=5, seed=0).trees
        for array in (trees.feature, trees.threshold, trees.value, trees.gain):
            sums.update(array.tobytes())
print(_core.instruction_set(), sums.hexdigest())
"""


def grown_with(instruction_set: str) -> list[str]:
    environment = {**os.environ, "RANKFOREST_ISA": instruction_set}
    done = subprocess.run([sys.executable, "-c", GROW], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


def test_all_instruction_sets_grow_the_same_trees_and_give_the_same_scores() -> None:
    name, reference = grown_with("baseline")
    assert name == "baseline"
    assert len(reference) == hashlib.sha256().digest_size * 2
    used = {name}
    for asked in ("v3", "v4"):
        name, trees = grown_with(asked)
        used.add(name)
        assert trees == reference
    if len(used) == 1:
        pytest.skip("this machine has the baseline instruction set only")
