"""Sampling parameters of a forest: number of rows per tree and class, with or without replacement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankforest.data.hold_out import Groups
from rankforest.data.parts import InvalidParts
from rankforest.forest.sampling import Draw, GroupDraw, Sampling

LABELS = np.repeat([0, 1], [14, 6]).astype(np.uint8)


def draw_of(size: Any = None, **parameters: Any) -> Draw:
    return Sampling(size, **parameters).draw(LABELS, seed=3)


@pytest.mark.parametrize(
    ("given", "size"),
    [(None, 20), (20, 20), (1, 1), (np.int64(7), 7), (1.0, 20), (0.5, 10), (0.26, 5), (1e-9, 1), (np.float32(0.5), 10)],
)
def test_sizes(given: Any, size: int) -> None:
    with_replacement = draw_of(given)
    assert with_replacement == Draw(size, True, None, 3)
    assert with_replacement.times(LABELS, 4).sum() == size
    without = draw_of(given, replace=False)
    assert without == Draw(0 if size == 20 else size, False, None, 3)
    assert without.leaves_rows_out == (size < 20)
    assert without.times(LABELS, 4).sum() == size
    assert without.times(LABELS, 4).max() == 1


@pytest.mark.parametrize("given", [0, 21, -1, 0.0, 1.5, np.nan, np.inf, True, False, "all", [3]])
def test_other_sizes_are_refused(given: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"^size of sampling is .*; give 'auto', None, a share in \(0, 1\] or .* to 20, the number of rows\.$",
    ):
        draw_of(given)


@pytest.mark.parametrize(
    ("classes", "replace", "size", "sizes"),
    [
        ("stratified", True, None, (14, 6)),
        ("stratified", True, 10, (7, 3)),
        ("stratified", True, 1, (1, 1)),
        ("stratified", False, 0.5, (7, 3)),
        ("stratified", False, 18, (13, 5)),
        ("balanced", True, None, (6, 6)),
        ("balanced", True, 5, (3, 2)),
        ("balanced", False, None, (6, 6)),
        ("balanced", False, 8, (4, 4)),
        ("balanced", True, 1, (1, 1)),
    ],
)
def test_sizes_by_class(classes: str, replace: bool, size: Any, sizes: tuple[int, int]) -> None:
    draw = draw_of(size, classes=classes, replace=replace)
    assert draw.class_sizes == sizes
    assert draw.leaves_rows_out
    for tree in range(5):
        times = draw.times(LABELS, tree)
        assert (times[:14].sum(), times[14:].sum()) == sizes
        assert replace or times.max() == 1


def test_all_rows_without_replacement_leave_nothing_out() -> None:
    """For random, stratified and balanced draws."""
    for classes in (None, "stratified"):
        draw = draw_of(replace=False, classes=classes)
        assert not draw.leaves_rows_out
        assert draw.times(LABELS, 0).tolist() == [1] * 20
    even = np.repeat([0, 1], 10).astype(np.uint8)
    draw = Sampling(None, replace=False, classes="balanced").draw(even, seed=0)
    assert not draw.leaves_rows_out


@pytest.mark.parametrize("classes", ["even", True, 0.5])
def test_other_ways_to_sample_classes_are_refused(classes: Any) -> None:
    with pytest.raises(ValueError, match=r"^classes of sampling is .*; choose None, 'stratified' or 'balanced'\.$"):
        draw_of(classes=classes)
    with pytest.raises(
        ValueError, match=r"^classes of sampling is .*, and rows of ordered labels are not drawn class by"
    ):
        Sampling(classes=classes).check(20, ordered=True)


@pytest.mark.parametrize("name", ["replace", "oob"])
def test_yes_and_no_are_true_and_false(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} of sampling is 'no'; give True or False\.$"):
        draw_of(**{name: "no"})


def test_the_bits_are_the_rows_that_are_not_drawn() -> None:
    for draw in (draw_of(), draw_of(classes="balanced"), draw_of(5, replace=False)):
        bits = draw.out_of_bag(LABELS, 3, 4, 1)
        for b in range(4):
            flags = np.unpackbits(bits[b], bitorder="little")[:20]
            assert flags.tolist() == (draw.times(LABELS, 3 + b) == 0).astype(int).tolist()


@pytest.mark.parametrize(("n", "size"), [(9_999, 9_999), (10**6, 10**6), (10**6 + 4, 10**6 + 1)])
def test_by_itself_a_tree_sees_all_rows_of_a_small_sample_and_a_part_of_a_large_one(n: int, size: int) -> None:
    labels = (np.arange(n) % 2).astype(np.uint8)
    draw = Sampling().draw(labels, seed=0)
    assert draw.size == size
    assert draw.times(labels, 0).sum() == size


@pytest.mark.parametrize(
    ("draw", "codes"),
    [
        (Draw(0, True, (1, 1), 0), [0, 1]),
        (Draw(2, True, None, 0), []),
        (Draw(2, True, None, 0), [0, -1]),
        (Draw(3, True, None, 0), [0, 1, 1]),
        (Draw(1, True, None, 0), [0, 5]),
    ],
)
def test_invalid_groups_of_a_file_are_refused(draw: Draw, codes: list[int]) -> None:
    with pytest.raises(InvalidParts):
        GroupDraw.of(draw, np.array(codes, dtype=np.int32))


def test_groups_are_kept_beside_the_draw() -> None:
    groups = Groups(np.array([4, 2, 4, 9, 2], dtype=np.int32))
    drawn = Sampling(0.6).draw(np.array([0, 1, 0, 1, 1], dtype=np.uint8), 7, groups)
    assert drawn.groups is not None
    assert drawn.groups.tolist() == [1, 0, 1, 2, 0]
    assert drawn.without_groups == Draw(2, True, None, 7)
    assert GroupDraw.of(drawn.without_groups, drawn.groups).times(LABELS[:5], 3).tolist() == (
        drawn.times(LABELS[:5], 3).tolist()
    )
