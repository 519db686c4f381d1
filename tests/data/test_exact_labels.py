"""Labels and categories that NumPy would treat as equal are distinguished, or raise an error."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankforest import TreeRank, load_model, metrics, save_model
from rankforest.data.labels import read_labels
from rankforest.data.match import label_type
from rankforest.data.ordered_labels import read_ordered_labels
from rankforest.data.table import read_table

LARGE = [2**53, 2**53 + 1] * 3

WIDE = {
    "list": lambda y: y,
    "objects": lambda y: np.array(y, dtype=object),
    "int64": np.array,
    "uint64": lambda y: np.array(y, dtype=np.uint64),
    "pandas": pd.Series,
    "pandas Int64": lambda y: pd.Series(y, dtype="Int64"),
    "pandas category": lambda y: pd.Series(y).astype("category"),
    "polars": pl.Series,
    "polars decimal": lambda y: pl.Series([str(v) for v in y]).cast(pl.Decimal(30, 0)),
    "polars Int128": lambda y: pl.Series(y).cast(pl.Int128),
    "arrow": lambda y: pa.chunked_array([y]),
    "arrow decimal": lambda y: pa.chunked_array([pa.array(y).cast(pa.decimal128(30, 0))]),
    "arrow dictionary": lambda y: pa.chunked_array([pa.array(y).dictionary_encode()]),
}


@pytest.mark.parametrize("kind", WIDE)
def test_large_labels_are_told_apart(kind: str, tmp_path) -> None:
    y = WIDE[kind](LARGE)
    labels = read_labels(y, n_rows=6)
    assert labels.classes[labels.codes].tolist() == LARGE
    with pytest.raises(ValueError, match="9007199254740992 and 9007199254740993 of y are equal as float64"):
        read_ordered_labels(y, n_rows=6)
    ordered = read_ordered_labels(y, n_rows=6, order=[2**53, 2**53 + 1])
    assert ordered.levels[ordered.codes].tolist() == LARGE
    X = np.arange(6.0)[:, None]
    save_model(TreeRank().fit(X, y), tmp_path / "a.rankforest")
    assert load_model(tmp_path / "a.rankforest").classes_.tolist() == LARGE[:2]


@pytest.mark.parametrize("y", [[-1, 2**63 + 1], [2**64, 2**64 + 1], [0.5, 2**53 + 1]])
def test_labels_that_no_type_of_numpy_holds(y: list) -> None:
    labels = read_labels(y, n_rows=2)
    assert labels.classes.tolist() == y
    assert [type(label) for label in labels.classes.tolist()] == [type(label) for label in y]


def test_decimals() -> None:
    y = pl.Series(["0.1", "2.5", "0.1"]).cast(pl.Decimal(10, 3))
    assert read_labels(y, n_rows=3).classes.tolist() == [0.1, 2.5]
    y = pl.Series(["0.10000000000000000001", "0.1"]).cast(pl.Decimal(30, 20))
    with pytest.raises(ValueError, match="some of them are equal as float64; rescale them"):
        read_labels(y, n_rows=2)


@pytest.mark.parametrize(
    "make", [list, lambda y: np.array(y, dtype=object), pd.Series, pl.Series, lambda y: pa.chunked_array([y])]
)
def test_text_that_ends_with_nul(make) -> None:
    y = make(["a", "a\0", "b"])
    said = r"The label 'a\\x00' in row 1 ends with the character NUL, which NumPy drops; remove it"
    with pytest.raises(ValueError, match=said):
        read_labels(y, n_rows=3)
    with pytest.raises(ValueError, match="ends with the character NUL"):
        read_ordered_labels(y, n_rows=3, order=["a", "a\0", "b"])
    if make is list:
        with pytest.raises(ValueError, match=r"y_true holds 'a\\x00' in row 1, which ends with the character NUL"):
            metrics.roc_auc(y, [1, 2, 3])


def test_views_of_text() -> None:
    y = pa.chunked_array([pa.array(["no", "yes", "no"], pa.string_view())])
    labels = read_labels(y, n_rows=3)
    assert labels.classes[labels.codes].tolist() == ["no", "yes", "no"]
    with pytest.raises(ValueError, match="the label of row 1 is missing"):
        read_labels(pa.chunked_array([pa.array(["no", None, "yes"], pa.string_view())]), n_rows=3)


def test_a_nul_inside_is_text_like_any_other() -> None:
    assert read_labels(["a\0b", "a"], n_rows=2).classes.tolist() == ["a", "a\0b"]


@pytest.mark.parametrize("value", [2**53, 2**53 + 1, -(2**53), 2**63])
def test_large_categories_are_refused(value: int) -> None:
    frame = pd.DataFrame({"code": pd.Series([1, value]).astype("category")})
    with pytest.raises(ValueError, match=f"Column 'code' is categorical and contains {round(float(value))} or so, but"):
        read_table(frame)
    with pytest.raises(ValueError, match=r"integers from 2\*\*53 on are not exact as floats; convert the column"):
        read_table(np.array([[1], [value]], dtype=object), categorical=[0])


def test_a_large_value_matches_no_category() -> None:
    table = read_table(np.array([[2**53 - 1], [5]]), categorical=[0])
    found = read_table(np.array([[2**53 - 1], [2**53], [2**53 + 1]]), schema=table.schema)
    np.testing.assert_array_equal(found.column(0), [1.0, np.nan, np.nan])


def test_categories_that_end_with_nul_survive_a_file(tmp_path) -> None:
    X, y = pd.DataFrame({"c": ["a", "a\0"] * 20}), [0, 1] * 20
    model = TreeRank().fit(X, y)
    assert model.score(X, y) == 1.0
    save_model(model, tmp_path / "a.rankforest")
    np.testing.assert_array_equal(load_model(tmp_path / "a.rankforest").score_samples(X), model.score_samples(X))


def test_how_large_labels_of_a_csv_file_are_read() -> None:
    assert label_type(np.array([0, 1])) == pa.float64()
    assert label_type(np.array(LARGE[:2])) == pa.uint64()
    assert label_type(np.array([-(2**60), 3])) == pa.int64()
