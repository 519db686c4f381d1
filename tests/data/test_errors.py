"""Error messages state facts, number rows as the reader does, and quote the user's names unchanged."""

import pickle

import numpy as np
import pandas as pd
import pytest

from rankforest.data.data_file import DataFileError
from rankforest.data.errors import InputError, Row
from rankforest.data.labels import read_labels
from rankforest.data.load import open_data
from rankforest.data.match import file_rows
from rankforest.data.ordered_labels import read_ordered_labels
from rankforest.data.read_weights import read_weights
from rankforest.data.table import read_table


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("a\n1\n")
    return open_data(str(path))


def refusal(read, *args, **kwargs) -> InputError:
    with pytest.raises(InputError) as caught:
        read(*args, **kwargs)
    return caught.value


NAMED = read_table(pd.DataFrame({"row 7": ["a", "b"]})).schema
REFUSED = [
    (read_table, pd.DataFrame({"row 7": [1.0, np.inf]}), {}, "column 'row 7' contains inf in row 12;"),
    (read_table, pd.DataFrame({"a": ["row 7", 1]}), {}, "mixes types: 'row 7' in row 11 is a str and 1 in row 12 is"),
    (read_table, pd.DataFrame({"row 7": [None, None]}), {}, "column 'row 7' has no values, all 2 rows"),
    (read_table, pd.DataFrame({"a": [None, ["row 7"]]}), {}, "holds a list in row 12 (['row 7']), which is neither"),
    (read_table, pd.DataFrame({"row 7": [2, 5]}), {"schema": NAMED}, "column 'row 7' held text when"),
    (read_weights, ["row 7", "1"], {"n_rows": 2}, "sample_weight holds text ('row 7' in row 11);"),
    (read_weights, [1, -1], {"n_rows": 2}, "sample_weight is negative in row 12 (-1.0);"),
    (
        read_labels,
        np.array(["row 7", 1], dtype=object),
        {"n_rows": 2},
        "y mixes 'row 7' (str) in row 11 and 1 ",
    ),
    (read_labels, [1.0, np.nan], {"n_rows": 2}, "the label of row 12 is missing;"),
    (
        read_ordered_labels,
        ["low", "row 7"],
        {"n_rows": 2, "order": ["low", "row 9"]},
        "label 'row 7' in row 12, which is not in order ('low', 'row 9');",
    ),
]


@pytest.mark.parametrize(("read", "value", "options", "said"), REFUSED)
def test_rows_of_a_file(read, value, options, said, data) -> None:
    with pytest.raises(DataFileError) as caught, file_rows(data, before=10):
        read(value, **options)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{data.path}: ")


@pytest.mark.parametrize(("read", "value", "options", "said"), REFUSED)
def test_errors_travel_between_processes(read, value, options, said) -> None:
    error = refusal(read, value, **options)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InputError
    assert str(again) == str(error)
    assert said.lower() in again.sentence(first_row=11).lower()


def test_braces_are_text() -> None:
    error = refusal(read_table, pd.DataFrame({"{row}": [1.0, np.inf]}))
    assert str(error).startswith("Column '{row}' contains inf in row 1;")
    assert error.facts["row"] == Row(1)
    assert error.facts["value"] == np.inf


def test_a_parameter_is_no_fault_of_the_file(data) -> None:
    with pytest.raises(ValueError, match=r"^row 7 is wrong$") as caught, file_rows(data, before=10):
        raise ValueError("row 7 is wrong")
    assert not isinstance(caught.value, DataFileError)
