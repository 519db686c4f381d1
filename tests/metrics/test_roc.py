"""Curves, areas and gains against scikit-learn, against brute force, and against their own definitions."""

import itertools
import json
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peer

from rankforest.metrics import (
    RocCurve,
    average_precision,
    concave_hull,
    gains_table,
    hit_ratio,
    linear_rank_statistic,
    local_auc,
    partial_auc,
    precision_recall_curve,
    roc,
    roc_auc,
    roc_curve,
    tail_strength,
    w_ranking,
)
from rankforest.metrics._counted_pairs import auc_by_counting

quick = settings(max_examples=80, deadline=None)
whole_weights = st.integers(0, 3)
float_weights = st.one_of(st.just(0.0), st.floats(0.01, 10.0))


@st.composite
def lists(draw, max_rows=25, weight=whole_weights):
    """Labels of both classes, scores with many ties, weights (some 0) with mass in both classes."""
    n = draw(st.integers(2, max_rows))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[:2] = 0, 1
    tied = st.integers(-3, 3).map(float)
    score = draw(st.one_of(st.lists(tied, min_size=n, max_size=n), st.permutations(range(n))))
    w = np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    w[:2] = np.maximum(w[:2], 0.5 if w.dtype.kind == "f" else 1)
    order = draw(st.permutations(range(n)))
    return y[order], np.asarray(score, dtype=float)[order], w[order]


def pairs_auc(y, score, weight):
    pairs = [(i, j) for i in np.flatnonzero(y == 1) for j in np.flatnonzero(y == 0)]
    won = sum(weight[i] * weight[j] * ((score[i] > score[j]) + 0.5 * (score[i] == score[j])) for i, j in pairs)
    return won / sum(weight[i] * weight[j] for i, j in pairs)


# ---------------------------------------------------------------- against scikit-learn


@quick
@given(lists(weight=float_weights), st.booleans())
def test_curves_equal_those_of_scikit_learn(data, weighted):
    y, score, w = data
    w = w if weighted else None
    expected = peer.roc_curve(y, score, sample_weight=w, drop_intermediate=False)
    for ours, theirs in zip(roc_curve(y, score, sample_weight=w), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    expected = peer.precision_recall_curve(y, score, sample_weight=w)
    for ours, theirs in zip(precision_recall_curve(y, score, sample_weight=w), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@quick
@given(lists(weight=float_weights), st.booleans())
def test_areas_equal_those_of_scikit_learn(data, weighted):
    y, score, w = data
    w = w if weighted else None
    auc = peer.roc_auc_score(y, score, sample_weight=w)
    assert roc_auc(y, score, sample_weight=w) == pytest.approx(auc, abs=1e-12)
    assert roc_curve(y, score, sample_weight=w).auc == pytest.approx(auc, abs=1e-12)
    ap = peer.average_precision_score(y, score, sample_weight=w)
    assert average_precision(y, score, sample_weight=w) == pytest.approx(ap, abs=1e-12)
    assert precision_recall_curve(y, score, sample_weight=w).average_precision == pytest.approx(ap, abs=1e-12)


def test_a_long_list_equals_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.1
    score = np.round(rng.normal(size=20_000) + y, 2)
    w = rng.exponential(size=20_000)
    np.testing.assert_allclose(
        roc_curve(y, score, sample_weight=w).beta,
        peer.roc_curve(y, score, sample_weight=w, drop_intermediate=False)[1],
        atol=1e-12,
    )
    assert roc_auc(y, score, sample_weight=w) == pytest.approx(peer.roc_auc_score(y, score, sample_weight=w), abs=1e-12)


# ---------------------------------------------------------------- against the definitions


@quick
@given(lists(max_rows=12, weight=float_weights))
def test_auc_counts_pairs(data):
    y, score, w = data
    assert roc_auc(y, score) == pytest.approx(pairs_auc(y, score, np.ones(len(y))), abs=1e-12)
    assert roc_auc(y, score, sample_weight=w) == pytest.approx(pairs_auc(y, score, w), abs=1e-12)


@quick
@given(lists(max_rows=12))
def test_a_knot_is_the_share_of_each_class_at_or_above_the_threshold(data):
    y, score, _ = data
    alpha, beta, thresholds = roc_curve(y, score)
    assert thresholds.tolist() == [np.inf, *sorted(set(score), reverse=True)]
    for a, b, threshold in zip(alpha, beta, thresholds):
        assert a == np.mean(score[y == 0] >= threshold)
        assert b == np.mean(score[y == 1] >= threshold)


def test_known_areas_are_exact():
    y = [0] * 7 + [1] * 3
    assert roc_auc(y, range(10)) == 1.0
    assert roc_auc(y, range(10, 0, -1)) == 0.0
    assert roc_auc(y, np.zeros(10)) == 0.5
    assert average_precision(y, np.zeros(10)) == pytest.approx(0.3)


def test_rounding_never_lifts_the_area_above_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    areas = [roc_auc(y, np.arange(40), sample_weight=rng.random(40)) for _ in range(200)]
    assert max(areas) == 1.0
    assert min(areas) > 1 - 1e-12


@quick
@given(lists())
def test_scores_matter_by_their_order_only(data):
    y, score, w = data
    assert roc_auc(y, np.exp(score / 5), sample_weight=w) == roc_auc(y, score, sample_weight=w)
    assert roc_auc(y, -score, sample_weight=w) == pytest.approx(1 - roc_auc(y, score, sample_weight=w), abs=1e-12)


def test_equal_numbers_of_different_form_are_ties():
    assert roc_auc([0, 1], [-0.0, 0.0]) == 0.5
    assert roc_auc([0, 1], [5e-324, 1e-323]) == 1.0
    assert roc_auc([0, 1], [-1.7e308, 1.7e308]) == 1.0


def test_huge_and_tiny_weights_do_not_overflow():
    assert roc_auc([0, 1, 1], [1, 1, 0], sample_weight=[1e200, 1e200, 1e200]) == pytest.approx(0.25)
    assert roc_auc([0, 1, 1], [1, 1, 0], sample_weight=[1e-200, 1e-200, 1e-200]) == pytest.approx(0.25)


@quick
@given(lists())
def test_weights_are_duplicated_rows(data):
    y, score, w = data
    many_y, many_score = np.repeat(y, w), np.repeat(score, w)
    for ours, theirs in zip(roc_curve(y, score, sample_weight=w), roc_curve(many_y, many_score), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(
        precision_recall_curve(y, score, sample_weight=w), precision_recall_curve(many_y, many_score), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert roc_auc(y, score, sample_weight=w) == roc_auc(many_y, many_score)
    u = [0.1, 0.37, 1.0]
    np.testing.assert_array_equal(hit_ratio(y, score, u, sample_weight=w), hit_ratio(many_y, many_score, u))
    assert (
        gains_table(y, score, n_groups=3, sample_weight=w).to_dict()
        == gains_table(many_y, many_score, n_groups=3).to_dict()
    )


# ---------------------------------------------------------------- interpolation and hull


def test_interpolation_takes_the_upper_end_of_a_vertical_and_the_straight_line_between():
    curve = RocCurve(np.array([0, 0, 0.5, 0.5, 1]), np.array([0, 0.4, 0.5, 0.9, 1]), np.array([np.inf, 4, 3, 2, 1]))
    np.testing.assert_allclose(
        curve.interpolate([0, 0.25, 0.5 - 1e-15, 0.5, 0.75, 1]), [0.4, 0.45, 0.5, 0.9, 0.95, 1], atol=1e-14
    )
    assert isinstance(curve.interpolate(0.25), float)
    assert curve.interpolate(np.full((2, 3), 0.25)).shape == (2, 3)
    lines_to_the_right_edge = RocCurve(np.array([0, 1, 1]), np.array([0, 0.5, 1]), np.array([np.inf, 2, 1]))
    assert lines_to_the_right_edge.interpolate(1.0) == 1.0
    assert lines_to_the_right_edge.interpolate(0.5) == 0.25


@quick
@given(lists(weight=float_weights))
def test_interpolation_integrates_to_the_auc(data):
    y, score, w = data
    curve = roc_curve(y, score, sample_weight=w)
    middles = (curve.alpha[1:] + curve.alpha[:-1]) / 2
    # On straight segments the mid-point rule is exact; vertical segments weigh nothing.
    assert np.dot(np.diff(curve.alpha), curve.interpolate(middles)) == pytest.approx(curve.auc, abs=1e-12)


@quick
@given(lists(weight=float_weights))
def test_the_hull_is_concave_dominates_and_touches(data):
    y, score, w = data
    curve = roc_curve(y, score, sample_weight=w)
    hull = curve.hull()
    assert (hull.alpha[0], hull.beta[0], hull.thresholds[0]) == (0, 0, np.inf)
    assert (hull.alpha[-1], hull.beta[-1]) == (1, 1)
    run, rise = np.diff(hull.alpha), np.diff(hull.beta)
    assert (run[:-1] * rise[1:] < rise[:-1] * run[1:]).all(), "slopes fall strictly"
    assert (hull.interpolate(curve.alpha) >= curve.interpolate(curve.alpha) - 1e-12).all()
    knots = set(zip(*curve))
    assert set(zip(*hull)) <= knots, "each vertex is a knot, at its own threshold"
    assert hull.auc >= curve.auc - 1e-12
    np.testing.assert_array_equal(np.array(hull.hull()), np.array(hull))


@quick
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=10))
def test_the_hull_of_points_is_the_best_of_all_chords(points):
    alpha, beta = (np.array(values, dtype=float) / 8 for values in (zip(*points) if points else ([], [])))
    hull_alpha, hull_beta = concave_hull(alpha, beta)
    corners = [(0.0, 0.0), *zip(alpha, beta), (1.0, 1.0)]
    for x in np.linspace(0, 1, 17):
        chords = [b for a, b in corners if a == x]
        for (a, b), (c, d) in itertools.combinations(sorted(corners), 2):
            if a < x < c:
                chords.append(b + (d - b) * (x - a) / (c - a))
        hull = RocCurve(hull_alpha, hull_beta, np.zeros(len(hull_alpha)))
        assert hull.interpolate(x) == pytest.approx(max(chords), abs=1e-12)


def test_the_hull_leaves_out_collinear_points_for_all_lengths():
    for n in range(1, 300):
        line = np.arange(n + 1) / n
        assert len(concave_hull(line, line)[0]) == 2
        assert len(concave_hull(line / 2, line / 3 + 0.5)[0]) == 4
    # A true corner of the smallest scale stays.
    assert concave_hull([0.0, 1e-7], [1e-7, 2e-7 - 1e-10])[0].tolist() == [0.0, 0.0, 1.0]
    assert concave_hull([0.0], [1e-10])[1].tolist() == [0.0, 1e-10, 1.0]
    assert concave_hull([0.5 + 1e-7], [0.5 + 1.1e-7])[0].tolist() == [0.0, 0.5 + 1e-7, 1.0]


# ---------------------------------------------------------------- top of the list


def expected_hits(y, score, u):
    """Mean over all orders that respect the scores of the share of positives in the top u * n rows."""
    top = u * len(y)
    inside = np.clip(top - np.arange(len(y)), 0, 1)
    orders = [p for p in itertools.permutations(range(len(y))) if (np.diff(score[list(p)]) <= 0).all()]
    return np.mean([y[list(p)] @ inside / top for p in orders])


@settings(max_examples=25, deadline=None)
@given(lists(max_rows=5), st.sampled_from([0.05, 0.2, 0.4, 0.5, 0.7, 1.0]))
def test_hit_ratio_is_the_mean_over_random_tie_breaks(data, u):
    y, score, _ = data
    assert hit_ratio(y, score, u) == pytest.approx(expected_hits(y, score, u), abs=1e-12)


def test_hit_ratio_by_hand():
    y, score = [1, 0, 1, 0, 0], [5, 4, 3, 3, 1]
    np.testing.assert_allclose(hit_ratio(y, score, [0.2, 0.4, 0.6, 0.8, 1.0]), [1, 1 / 2, 1.5 / 3, 2 / 4, 2 / 5])
    assert isinstance(hit_ratio(y, score, 0.2), float)
    # The second row holds 6 of the mass of 10: the top half is the first row and 4/6 of the second.
    assert hit_ratio([1, 0, 1], [3, 2, 1], 0.5, sample_weight=[1, 6, 3]) == pytest.approx(1 / 5)


@quick
@given(lists(), st.floats(0.01, 1.0))
def test_hit_ratio_lies_on_the_control_line(data, u):
    # docs/methods/top.md: u = p beta + (1 - p) alpha, and HR@u = p beta / u at the same point of the curve.
    y, score, w = data
    p = w[y == 1].sum() / w.sum()
    curve = roc_curve(y, score, sample_weight=w)
    line = p * curve.beta + (1 - p) * curve.alpha
    assert hit_ratio(y, score, u, sample_weight=w) == pytest.approx(
        p * np.interp(u, line, curve.beta) / u, rel=1e-9, abs=1e-12
    )


@quick
@given(lists(weight=float_weights), st.integers(1, 12))
def test_gains_add_up(data, n_groups):
    y, score, w = data
    table = gains_table(y, score, n_groups=n_groups, sample_weight=w)
    total, positives = w.sum(), w[y == 1].sum()
    np.testing.assert_allclose(table.mass, total / n_groups)
    assert table.group.tolist() == list(range(1, n_groups + 1))
    assert table.positives.sum() == pytest.approx(positives)
    assert ((table.rate >= 0) & (table.rate <= 1)).all()
    np.testing.assert_allclose(table.rate, table.positives / table.mass)
    np.testing.assert_allclose(table.lift, table.rate / (positives / total))
    np.testing.assert_allclose(table.cumulative_share, np.arange(1, n_groups + 1) / n_groups)
    np.testing.assert_allclose(table.cumulative_capture, np.cumsum(table.positives) / positives, atol=1e-12)
    np.testing.assert_allclose(table.cumulative_lift, table.cumulative_capture / table.cumulative_share)
    np.testing.assert_allclose(
        table.cumulative_capture * positives / (table.cumulative_share * total),
        hit_ratio(y, score, np.arange(1, n_groups + 1) / n_groups, sample_weight=w),
        atol=1e-12,
    )


def test_gains_by_hand_share_ties_across_groups():
    table = gains_table([1, 1, 0, 0, 1, 0], [3, 2, 2, 2, 2, 1], n_groups=3)
    # Four rows tied at 2, half of them positive: one of them in the first group, two in the second, one in the last.
    np.testing.assert_allclose(table.positives, [1.5, 1.0, 0.5])
    np.testing.assert_allclose(table.lift, [1.5, 1.0, 0.5])
    np.testing.assert_allclose(table.cumulative_capture, [0.5, 2.5 / 3, 1.0])


def test_gains_table_prints_and_exports():
    table = gains_table([0, 1, 0, 1, 1, 0], [1, 2, 3, 4, 5, 6], n_groups=3, sample_weight=[1, 2, 1, 1, 1, 0.5])
    lines = str(table).splitlines()
    assert lines[0] == "3 groups, mass 6.5, positives 4, rate 0.6154"
    assert " ".join(lines[1].split()) == "group mass positives rate lift cum. share cum. capture cum. lift"
    assert lines[2].split() == ["1", "2.17", "1.67", "0.7692", "1.25", "33.3%", "41.7%", "1.25"]
    assert len(lines) == 5
    assert len({len(line) for line in lines[1:]}) == 1, "columns are aligned"
    columns = json.loads(json.dumps(table.to_dict()))
    assert columns["group"] == [1, 2, 3]
    np.testing.assert_array_equal(columns["cumulative_lift"], table.cumulative_lift)
    frame = table.to_frame()
    assert frame.index.tolist() == [1, 2, 3]
    assert frame.columns.tolist() == [name for name in columns if name != "group"]
    np.testing.assert_array_equal(frame["positives"], table.positives)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1, 1e7])
def test_gains_table_stays_readable_at_every_scale(scale):
    rows = str(gains_table([0, 1, 0, 1, 1], [1, 2, 3, 4, 4], n_groups=3, sample_weight=np.full(5, scale))).splitlines()
    first = re.sub(r"(?<=\d) (?=\d{3}\b)", "", rows[2])  # 16 666 667
    assert float(first.split()[1]) == pytest.approx(5 / 3 * scale, rel=3e-2)
    assert len(rows[2]) < 90


def test_gains_of_rows_are_printed_as_whole_rows():
    """Deciles of 3138 rows with ties hold 313.8 rows and fractions of positives; people are told whole ones."""
    rng = np.random.default_rng(0)
    y = (rng.random(3138) < 0.3).astype(int)
    table = gains_table(y, np.round(rng.normal(size=3138) + y, 1))
    assert table.mass[0] == pytest.approx(313.8)
    assert (table.positives != np.round(table.positives)).any()
    lines = str(table).splitlines()
    assert lines[0].startswith("10 groups, mass 3138, positives ")
    for line, positives in zip(lines[2:], table.positives, strict=True):
        assert line.split()[1:3] == ["314", f"{positives:.0f}"]
    few = str(gains_table([0, 1] * 7 + [1], np.arange(15), n_groups=10)).splitlines()
    assert few[2].split()[1] == "1.5"


def test_gains_table_without_pandas_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = gains_table([0, 1], [1, 2], n_groups=1)
    with pytest.raises(ImportError, match=r"needs pandas.*run pip install pandas, or use to_dict\(\)\.$"):
        table.to_frame()


# ---------------------------------------------------------------- labels and errors


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([0, 1], 1),
        ([-1, 1], 1),
        ([False, True], True),
        (["no", "yes"], "yes"),
        ([2.0, 10.0], 10.0),
        (np.array(["b", "a"], dtype=object), "b"),
    ],
)
def test_the_greater_label_is_positive_unless_told(labels, positive):
    y = np.array([labels[0], labels[1], labels[0], labels[1]])
    score = np.where(y == positive, 1.0, 0.0)
    assert roc_auc(y, score) == 1.0
    (other,) = set(y.tolist()) - {positive}
    for metric in (roc_auc, average_precision):
        assert metric(y, score, pos_label=positive) == 1.0
        assert metric(y, score, pos_label=other) < 1.0
        assert metric(y, -score, pos_label=other) == 1.0
    assert hit_ratio(y, score, 0.5, pos_label=other) == 0.0
    assert gains_table(y, score, n_groups=2, pos_label=other).positives.tolist() == [0, 2]


def test_frames_and_lists_are_welcome():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": ["good", "bad", "good"], "s": [3, 1, 2]}, index=[7, 5, 9])
    assert roc_auc(frame["y"], frame["s"]) == 1.0
    assert roc_auc(frame["y"].astype("category"), frame["s"].astype("Float64"), sample_weight=frame["s"]) == 1.0


METRICS = {
    "roc_curve": roc_curve,
    "roc_auc": roc_auc,
    "precision_recall_curve": precision_recall_curve,
    "average_precision": average_precision,
    "hit_ratio": lambda y, s, **options: hit_ratio(y, s, 0.5, **options),
    "local_auc": lambda y, s, **options: local_auc(y, s, [0.5, 1.0], **options),
    "partial_auc": lambda y, s, **options: partial_auc(y, s, max_fpr=0.5, **options),
    "w_ranking": lambda y, s, **options: w_ranking(y, s, 0.5, ranks="n+1", **options),
    "linear_rank_statistic": linear_rank_statistic,
    "tail_strength": tail_strength,
    "gains_table": gains_table,
}

BAD_INPUTS = {
    "lengths": ([0, 1], [1, 2, 3], {}, "y_score has 3 rows and y_true has 2; pass one score per label."),
    "empty": ([], [], {}, "y_true is empty; pass at least one row of each class."),
    "label shape": (
        [[0], [1]],
        [1, 2],
        {},
        "y_true must have one dimension, got shape (2, 1); pass one label per row.",
    ),
    "score shape": (
        [0, 1],
        [[0.1, 0.9], [0.2, 0.8]],
        {},
        "y_score must have one dimension, got shape (2, 2); pass one score per row, such as decision_function(X).",
    ),
    "nan score": (
        [0, 1],
        [1, np.nan],
        {},
        "y_score must be finite, got nan in row 1; replace or drop the rows without a usable score.",
    ),
    "infinite score": (
        [0, 1],
        [-np.inf, 1],
        {},
        "y_score must be finite, got -inf in row 0; replace or drop the rows without a usable score.",
    ),
    "text score": (
        [0, 1],
        ["0.1", "0.2"],
        {},
        "y_score must hold real numbers, got <U3 values such as ['0.1']; "
        "pass one score per row, such as decision_function(X).",
    ),
    "object score": (
        [0, 1],
        np.array([1.0, "x"], dtype=object),
        {},
        "y_score must hold real numbers (could not convert string to float: 'x'); "
        "pass one score per row, such as decision_function(X).",
    ),
    "one class": ([1, 1], [1, 2], {}, "y_true holds one class only (1); pass rows of two classes."),
    "three classes": (
        ["a", "b", "c"],
        [1, 2, 3],
        {},
        "y_true holds 3 classes ('a', 'b', 'c'); pass labels of two classes, such as y == 'a'.",
    ),
    "many classes": (
        [1, 2, 3, 4, 5, 6],
        range(6),
        {},
        "y_true holds 6 classes (1, 2, 3, 4, 5, ...); pass labels of two classes, such as y == 1.",
    ),
    "nan label": (
        [0.0, 1.0, np.nan],
        [1, 2, 3],
        {},
        "y_true holds a missing label (nan) in row 2; drop the rows without a label.",
    ),
    "none label": (
        ["a", None, "b"],
        [1, 2, 3],
        {},
        "y_true holds a missing label (None) in row 1; drop the rows without a label.",
    ),
    "mixed labels": (
        np.array(["a", 1], dtype=object),
        [1, 2],
        {},
        "y_true mixes labels of type int and str; use labels of one type.",
    ),
    "pos_label": (
        [0, 1],
        [1, 2],
        {"pos_label": "1"},
        "pos_label='1' is not a label of y_true; pass 0 or 1, or leave it out.",
    ),
    "weight length": (
        [0, 1],
        [1, 2],
        {"sample_weight": [1]},
        "sample_weight has 1 rows and y_true has 2; pass one weight per label.",
    ),
    "weight shape": (
        [0, 1],
        [1, 2],
        {"sample_weight": 1.0},
        "sample_weight must have one dimension, got shape (); pass one weight per row.",
    ),
    "negative weight": (
        [0, 1],
        [1, 2],
        {"sample_weight": [1, -2]},
        "sample_weight must be non-negative, got -2.0 in row 1; use 0 for rows that should not count.",
    ),
    "infinite weight": (
        [0, 1],
        [1, 2],
        {"sample_weight": [np.inf, 1]},
        "sample_weight must be finite, got inf in row 0; use 0 for rows that should not count.",
    ),
    "no positive mass": (
        [0, 1],
        [1, 2],
        {"sample_weight": [1, 0]},
        "sample_weight sums to 0 over the positive class; give at least one positive row a weight above 0.",
    ),
    "no negative mass": (
        [0, 1],
        [1, 2],
        {"sample_weight": [0, 1]},
        "sample_weight sums to 0 over the negative class; give at least one negative row a weight above 0.",
    ),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@pytest.mark.parametrize(("y", "score", "options", "sentence"), BAD_INPUTS.values(), ids=BAD_INPUTS)
def test_bad_input_gets_one_sentence(metric, y, score, options, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        metric(y, score, **options)


def test_ragged_input_gets_a_sentence():
    with pytest.raises(ValueError, match=r"^y_score is not an array of one dimension .*; pass one score per row"):
        roc_auc([0, 1], [[1], [2, 3]])


def test_a_missing_label_of_pandas_gets_a_sentence():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"^y_true holds a missing label \(<NA>\) in row 1;"):
        roc_auc(pd.Series([0, None, 1], dtype="Int64").astype(object), [1, 2, 3])


@pytest.mark.parametrize("u", [0, -0.1, 1.5, np.nan, [0.5, 2.0]])
def test_a_share_outside_its_range_gets_a_sentence(u):
    value = np.ravel(u)[-1]
    with pytest.raises(ValueError, match=rf"^u must lie in \(0, 1\], got {float(value)}; it is the best share of"):
        hit_ratio([0, 1], [1, 2], u)


@pytest.mark.parametrize("n_groups", [0, -1, 2.5, "10", True, None])
def test_a_wrong_number_of_groups_gets_a_sentence(n_groups):
    with pytest.raises(ValueError, match=rf"^n_groups must be an integer of at least 1, got {n_groups!r}; use 10"):
        gains_table([0, 1], [1, 2], n_groups=n_groups)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan, [0.2, 7.0]])
def test_interpolation_outside_the_square_gets_a_sentence(alpha):
    value = np.ravel(alpha)[-1]
    with pytest.raises(ValueError, match=rf"^alpha must lie in \[0, 1\], got {value}; it is a share of the negatives"):
        roc_curve([0, 1], [1, 2]).interpolate(alpha)


def test_bad_points_of_a_hull_get_a_sentence():
    with pytest.raises(ValueError, match=r"^beta must lie in \[0, 1\], got 1\.5; pass shares of the class\.$"):
        concave_hull([0.5], [1.5])
    with pytest.raises(ValueError, match=r"^alpha must lie in \[0, 1\], got nan; "):
        concave_hull([np.nan], [0.5])
    with pytest.raises(ValueError, match=r"^alpha has 1 values and beta has 2; pass one pair per point\.$"):
        concave_hull([0.5], [0.5, 0.6])


def test_arguments_are_left_as_they_were():
    y, score, w = np.array([0, 1, 1]), np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 2.0])
    kept = y.copy(), score.copy(), w.copy()
    for metric in METRICS.values():
        metric(y, score, sample_weight=w)
    for now, then in zip((y, score, w), kept):
        np.testing.assert_array_equal(now, then)


@quick
@given(lists())
def test_pairs_are_counted_in_any_blocks(data):
    y, score, _ = data
    for at_once in (1, 3, 1000):
        assert auc_by_counting(y == 1, score, at_once) == pytest.approx(peer.roc_auc_score(y, score), abs=1e-15)


def test_very_many_rows_are_counted(monkeypatch):
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 500), rng.integers(0, 50, 500) / 7.0
    sorted_once = roc_auc(y, score)
    monkeypatch.setattr(roc, "MANY_ROWS", 100)
    monkeypatch.setattr(roc, "cumulative_mass", None)  # so it cannot be the other way
    assert roc_auc(y, score) == pytest.approx(sorted_once, abs=1e-15)
