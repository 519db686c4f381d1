"""The pieces of a fit on partitions, each beside its plain counterpart."""

import logging

import numpy as np
import pytest

from rankforest import LeafRank, OrdinalRankingTree, RankingForest, TreeRank, _core
from rankforest.forest.sampling import Draw
from rankforest.partitions import InProcess, PartRows, Traffic
from rankforest.partitions.draws import DrawnRows
from rankforest.partitions.rows import assemble
from rankforest.partitions.selection import Selection
from rankforest.partitions.spread import Spread
from rankforest.partitions.traffic import n_bytes
from rankforest.partitions.ways import choose_way
from rankforest.splitting.dyadic import Dyadic
from spread_fits import fit_spread, parts_of, table


def some_rows(n: int, seed: int = 0) -> PartRows:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 9, (n, 3)).astype(np.uint8)
    return PartRows(codes, (rng.random(n) < 0.3).astype(np.uint8), rng.random(n), 0)


# ---- rows


def test_partitions_are_put_together_in_the_order_of_the_table() -> None:
    rows = some_rows(50)
    whole = assemble([part.rows for part in parts_of(rows, 7)])
    for ours, theirs in ((whole.codes, rows.codes), (whole.labels, rows.labels), (whole.weights, rows.weights)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("repeats", [False, True])
def test_a_selection_names_the_rows_it_was_made_of(repeats: bool) -> None:
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(40, 25, replace=repeats))
    found = Selection.of(rows, 40)
    np.testing.assert_array_equal(found.positions(), rows)
    of_part = found.part(10, 20).positions() + 10
    np.testing.assert_array_equal(of_part, rows[(rows >= 10) & (rows < 30)])
    assert found.is_mask != repeats


def test_a_selection_is_in_the_order_of_the_rows() -> None:
    with pytest.raises(ValueError, match="must not decrease"):
        Selection.of(np.array([3, 1]), 5)


@pytest.mark.parametrize(
    ("firsts", "message"),
    [([0, 3], "begins with row 3, and the ones before it end at row 2"), ([0, 2], "hold 4 rows, and there are labels")],
)
def test_partitions_without_some_rows_are_refused(firsts: list[int], message: str) -> None:
    parts = InProcess.parts_of([PartRows(np.zeros((2, 1), np.uint8), np.zeros(2, np.uint8), None, f) for f in firsts])
    with pytest.raises(ValueError, match=message):
        Spread.of_any_order(InProcess(), parts, None, None, np.zeros(5, np.uint8), None)  # type: ignore[arg-type]


# ---- draws


@pytest.mark.parametrize("replace", [False, True])
def test_a_range_of_a_draw_is_the_draw_of_a_range(replace: bool) -> None:
    for key, (begin, end) in enumerate([(0, 100), (0, 1), (99, 100), (30, 30), (17, 64)]):
        whole = _core.draw_rows(100, 60, replace, key)
        np.testing.assert_array_equal(_core.draw_rows_of_range(100, 60, replace, key, begin, end), whole[begin:end])
    with pytest.raises(ValueError, match="not within the rows"):
        _core.draw_rows_of_range(100, 60, replace, 0, 50, 101)


@pytest.mark.parametrize(
    "draw",
    [
        Draw(80, True, None, 4),
        Draw(40, False, None, 4),
        Draw(0, True, (30, 11), 4),
        Draw(0, False, (20, 9), 4),
    ],
)
def test_partitions_find_out_which_rows_are_drawn(draw: Draw) -> None:
    rows = some_rows(80)
    parts = parts_of(rows, 6)
    drawn = DrawnRows.of(draw, rows.labels, parts)
    for tree in (0, 3):
        found = np.zeros(80, dtype=np.uint32)
        for part in parts:
            times = DrawnRows(drawn.draw, drawn.n_rows, tree, drawn.places).times(part.rows)
            assert times is not None
            found[part.first : part.first + part.n_rows] = times
        np.testing.assert_array_equal(found, draw.times(rows.labels, tree))


# ---- ways


def test_the_first_way_that_fits_is_chosen() -> None:
    gigabyte = 1 << 30
    assert choose_way(1_000_000, 20, 1, gigabyte) == "trees"
    assert choose_way(10_000_000, 20, 1, gigabyte) == "histograms"
    assert choose_way(10_000_000, 20, 1, gigabyte, tree_rows=1_000_000) == "trees"
    assert choose_way(40_000_000, 20, 1, gigabyte, tree_rows=1_000_000) == "bags"
    assert choose_way(10_000_000, 20, 2, 64 * gigabyte) == "trees"
    assert choose_way(1_000_000, 20, 1, None) == "trees"
    assert choose_way(4_000_000, 20, 1, gigabyte) == "trees"
    assert choose_way(4_000_000, 20, 1, gigabyte, state_bytes=180) == "histograms"


@pytest.mark.parametrize(("memory", "way"), [(None, "trees"), (12_000, "bags"), (5_000, "histograms")])
def test_the_log_says_the_way(memory: int | None, way: str, caplog: pytest.LogCaptureFixture) -> None:
    frame, y, _ = table(300)
    model = RankingForest(2, splitter=LeafRank(max_depth=2), sampling=100, random_state=0)
    engine = InProcess(worker_memory=memory)
    with caplog.at_level(logging.INFO, logger="rankforest.partitions"):
        fit_spread(model, frame, y, n_parts=2, way=None, engine=engine)
    assert f"way {way!r}, chosen by size" in caplog.text


def test_a_way_that_is_unknown_is_refused() -> None:
    frame, y, _ = table(60)
    with pytest.raises(ValueError, match="way"):
        fit_spread(TreeRank(), frame, y, n_parts=2, way="by_hand")


def test_rules_that_need_values_are_refused() -> None:
    frame, y, _ = table(60)
    with pytest.raises(TypeError, match="Dyadic needs the values of the features"):
        fit_spread(TreeRank(Dyadic(1)), frame, y, n_parts=2, way=None)


def test_an_error_in_a_partition_is_raised() -> None:
    class Broken(InProcess):
        def total(self, function, parts, *arguments, own=None):  # type: ignore[no-untyped-def]
            if function.__name__ == "answer":
                raise OSError("the disk is gone")
            return super().total(function, parts, *arguments, own=own)

    frame, y, _ = table(200)
    with pytest.raises(OSError, match="the disk is gone"):
        fit_spread(OrdinalRankingTree(), frame, y, n_parts=2, way="histograms", engine=Broken())


def test_what_travels_is_counted() -> None:
    frame, y, _ = table(200)
    counted = {}
    for way in ("trees", "histograms"):
        counted[way] = Traffic()
        fit_spread(TreeRank(size=None, random_state=0), frame, y, n_parts=2, way=way, traffic=counted[way])
    assert all(traffic.sent > 0 and traffic.received > 0 for traffic in counted.values())
    assert counted["trees"].calls < counted["histograms"].calls


def test_answers_are_measured_without_being_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.partitions.traffic.pickle", None)
    answer = [np.zeros((3, 256)), None, 7, (np.ones(5, np.uint8), "name")]
    assert 0 <= n_bytes(answer) - (3 * 256 * 8 + 5 + 4) < 500
    with pytest.raises(AttributeError):
        n_bytes({"something": "else"})


def test_a_forest_keeps_its_rows_where_they_are() -> None:
    """Figures that are computed after the fit ask the partitions."""
    frame, y, _ = table(200)
    model = RankingForest(6, random_state=0)
    here, there = RankingForest(6, random_state=0).fit(frame, y), fit_spread(model, frame, y, n_parts=3, way="bags")
    assert there.instability_ == here.instability_
    assert there.oob_pair_auc() == here.oob_pair_auc()
    drops = there.oob_permutation_importance(n_repeats=1), here.oob_permutation_importance(n_repeats=1)
    np.testing.assert_array_equal(drops[0].drops, drops[1].drops)
    np.testing.assert_array_equal(there.oob_scores_as_of_fresh_rows(), here.oob_scores_as_of_fresh_rows())
