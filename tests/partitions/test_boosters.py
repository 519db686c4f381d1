"""Boosters on partitions, below the estimators: what travels, what is kept, what an error leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankforest import _core
from rankforest.boosting.rounds import Boosting, held_out_folds
from rankforest.data.binning import BinnedTable, Bins
from rankforest.data.table import read_table
from rankforest.partitions import InProcess, PartRows
from rankforest.partitions import boosters_by_job as module
from rankforest.partitions.boosters import SpreadBoosters
from rankforest.partitions.boosters_by_histogram import BoostersByHistogram
from rankforest.partitions.boosters_by_job import BoostersByJob
from rankforest.partitions.rows import assemble
from rankforest.partitions.spread import Spread
from spread_fits import parts_of

KINDS: list[type[SpreadBoosters]] = [BoostersByJob, BoostersByHistogram]
BINS = Bins((np.arange(19) + 0.5,) * 4, (np.arange(20.0),) * 4, np.zeros(4, dtype=bool))


class Broken(InProcess):
    """An engine that fails once."""

    fails_at = -1
    n_calls = 0

    def _check(self) -> None:
        self.n_calls += 1
        if self.n_calls == self.fails_at:
            raise KeyboardInterrupt

    def each(self, *arguments: Any, **own: Any) -> list[Any]:
        self._check()
        return super().each(*arguments, **own)

    def jobs(self, *arguments: Any, **near: Any) -> Any:
        self._check()
        return super().jobs(*arguments, **near)


def spread_of(n: int, n_parts: int, engine: InProcess | None = None) -> Spread:
    """Four features of 20 bins, with missing values, in partitions."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 21, (n, 4)).astype(np.uint8)
    labels = (codes[:, 0] + rng.integers(0, 20, n) > 20).astype(np.uint8)
    schema = read_table(np.zeros((2, 4))).schema
    parts = parts_of(PartRows(codes, labels, None, 0), n_parts)
    return Spread.of_any_order(engine or InProcess(), parts, schema, BINS, labels, None)


def params_of(spread: Spread, n_boosters: int, **given: Any) -> list[_core.BoostParams]:
    kind = Boosting(**({"loss": "log_loss", "max_features": None, "max_leaf_nodes": 8} | given))
    return [kind.to_core(spread.bins.n_features, 5 + b) for b in range(n_boosters)]


def local(spread: Spread, held_out: np.ndarray, params: list[_core.BoostParams]) -> _core.Boosters:
    """The same boosters on all rows."""
    rows = assemble([part.rows for part in spread.parts])
    return _core.Boosters(BinnedTable(rows.codes, spread.bins).core, rows.labels, rows.weights, held_out, params)


def assert_same(ours: Any, theirs: Any) -> None:
    assert ours.n_rounds == theirs.n_rounds
    assert ours.best_round == theirs.best_round
    assert ours.starts() == theirs.starts()
    for name, array in theirs.trees(theirs.n_rounds).items():
        np.testing.assert_array_equal(ours.trees(ours.n_rounds)[name], array, err_msg=name)
    best = theirs.best_round
    for one, other in zip(ours.held_out_scores(best), theirs.held_out_scores(best)):
        np.testing.assert_array_equal(one, other)
    for name in ("curves", "fitted"):
        for one, other in zip(getattr(ours, name)(), getattr(theirs, name)()):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_the_rounds_of_one_call(kind: type[SpreadBoosters], symmetric: bool) -> None:
    """Symmetric trees of many leaves have nodes of one row and of none."""
    spread = spread_of(200, 4)
    held_out = held_out_folds(spread.labels, 3, 1, 0)
    params = params_of(spread, 3, symmetric=symmetric, max_leaf_nodes=64)
    ours, theirs = kind(spread, held_out, params), local(spread, held_out, params)
    for n_rounds in (1, 3, 2):
        ours.advance(n_rounds, 1)
    theirs.advance(6, 1)
    assert_same(ours, theirs)


@pytest.mark.parametrize("loss", ["log_loss", "exponential", "logistic"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_of_the_boosters_may_have_no_held_out_rows(kind: type[SpreadBoosters], loss: str) -> None:
    spread = spread_of(150, 3)
    held_out = np.array([np.arange(150) % 5 == 0, np.zeros(150)], dtype=np.uint8)
    params = params_of(spread, 2, loss=loss)
    ours, theirs = kind(spread, held_out, params), local(spread, held_out, params)
    for boosters in (ours, theirs):
        boosters.advance(3, 1)
    assert_same(ours, theirs)


@pytest.mark.parametrize("fails_at", [2, 5, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_after_an_interrupt_the_rounds_go_on(kind: type[SpreadBoosters], fails_at: int) -> None:
    engine = Broken()
    spread = spread_of(150, 3, engine)
    held_out = held_out_folds(spread.labels, 2, 1, 0)
    ours = kind(spread, held_out, params_of(spread, 2))
    engine.fails_at = fails_at
    while ours.n_rounds < 10:
        try:
            ours.advance(1, 1)
        except KeyboardInterrupt:
            engine.fails_at = -1
    assert engine.fails_at == -1
    theirs = local(spread, held_out, params_of(spread, 2))
    theirs.advance(10, 1)
    assert_same(ours, theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_workers_forget_boosters_that_nobody_uses(kind: type[SpreadBoosters]) -> None:
    spread = spread_of(120, 1)
    held_out = held_out_folds(spread.labels, 2, 1, 0)
    (rows,) = (part.rows for part in spread.parts)
    first = kind(spread, held_out, params_of(spread, 2))
    first.advance(1, 1)
    second = kind(spread, held_out, params_of(spread, 2))
    second.advance(1, 1)
    assert rows.live.fits == {first.name, second.name}
    del first
    second.advance(1, 1)
    assert rows.live.fits == {second.name}


def test_no_round_is_computed_twice_where_the_worker_keeps_the_booster(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = []
    resumed = module.History.resumed
    monkeypatch.setattr(module.History, "resumed", lambda self, rows: whole.append(1) or resumed(self, rows))
    spread = spread_of(120, 3)
    boosters = BoostersByJob(spread, held_out_folds(spread.labels, 2, 1, 0), params_of(spread, 2))
    for _ in range(4):
        boosters.advance(2, 1)
    assert len(whole) == 2  # each booster was made once


def test_histograms_are_as_large_for_many_rows_as_for_few() -> None:
    """Only the leaves of held-out rows grow with the table: a byte per row and round."""
    received = []
    for n in (200, 800):
        spread = spread_of(n, 2)
        held_out = np.zeros((1, n), dtype=np.uint8)
        boosters = BoostersByHistogram(spread, held_out, params_of(spread, 1, min_samples_leaf=1, max_leaf_nodes=2))
        boosters.advance(1, 1)
        before = spread.traffic.received
        boosters.advance(5, 1)
        received.append(spread.traffic.received - before)
    assert received[0] == received[1]


def test_held_out_rows_send_a_byte_each_in_every_round() -> None:
    received = []
    for held_out in (np.zeros((1, 800), dtype=np.uint8), held_out_folds(spread_of(800, 2).labels, 2, 1, 0)[:1]):
        spread = spread_of(800, 2)
        boosters = BoostersByHistogram(spread, held_out, params_of(spread, 1, max_leaf_nodes=2))
        boosters.advance(1, 1)
        before = spread.traffic.received
        boosters.advance(5, 1)
        received.append(spread.traffic.received - before)
    assert 5 * 400 <= received[1] - received[0] <= 5 * 420  # and a few bytes of the message


def test_open_nodes_are_asked_for_together() -> None:
    """A tree of 32 leaves would take 33 calls: one for each split, and two for the round."""
    spread = spread_of(3000, 2)
    held_out = np.zeros((1, 3000), dtype=np.uint8)
    boosters = BoostersByHistogram(spread, held_out, params_of(spread, 1, max_leaf_nodes=32, min_samples_leaf=1))
    boosters.advance(1, 1)
    before = spread.traffic.calls
    boosters.advance(4, 1)
    assert spread.traffic.calls - before <= 4 * 17
