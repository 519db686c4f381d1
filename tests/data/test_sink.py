"""Tables written to files: reading a file returns what was written."""

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest.data.data_file import DataFileError
from rankforest.data.load import open_data
from rankforest.data.sink import csv_lines, output_format, write_batches

BATCH = pa.record_batch(
    {
        "x": [1.5, None, 3e20],
        "text": ["a,b", 'say "c"', None],
        "category": pa.array(["u", "v", "u"]).dictionary_encode(),
        "flag": [True, False, None],
        "a, b": [1, 2, 10**17],
    }
)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv", "a.csv.gz"])
def test_round_trip(name, tmp_path):
    path = str(tmp_path / name)
    other = BATCH.set_column(2, "category", pa.array(["w", "u", "w"]).dictionary_encode())  # another dictionary
    write_batches(path, output_format(path), BATCH.schema, [BATCH, other])
    found = open_data(path).table()
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in BATCH.schema.types]
    found = pa.table([one.cast(kind) for one, kind in zip(found.columns, kinds)], names=found.column_names)
    assert found.to_pylist() == BATCH.to_pylist() + other.to_pylist()
    again = (tmp_path / name).read_bytes()
    write_batches(path, output_format(path), BATCH.schema, [BATCH, other])
    assert (tmp_path / name).read_bytes() == again


@given(st.lists(st.tuples(st.text(alphabet='ab,"\n\r é', max_size=5), st.text(alphabet='x"', max_size=3)), min_size=1))
def test_csv_as_python_reads_it(rows):
    batch = pa.record_batch({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    found = list(csv.reader(io.StringIO(csv_lines(batch).decode(), newline="")))
    assert found == [list(row) for row in rows]


def test_lone_missing_value_is_a_row(tmp_path):
    path = str(tmp_path / "a.csv")
    batch = pa.record_batch({"a": ["x", None, "y"]})
    write_batches(path, "csv", batch.schema, [batch])
    assert open_data(path).table()["a"].to_pylist() == ["x", None, "y"]


def test_row_groups_are_joined(tmp_path):
    """Many small batches do not make many small row groups."""
    import pyarrow.parquet as pq

    path = str(tmp_path / "a.parquet")
    write_batches(path, "parquet", BATCH.schema, [BATCH] * 100)
    assert pq.ParquetFile(path).metadata.num_row_groups == 1


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(
        DataFileError, match=r"The extension of 'a.xlsx' is not a known format; use .parquet, .pq, .arrow"
    ):
        output_format("a.xlsx")
    with pytest.raises(DataFileError, match=r"The output format is 'xlsx'; give one of parquet, arrow, csv, csv.gz."):
        output_format("a", "xlsx")
    with pytest.raises(ValueError, match=r"does not exist; make it, or give another path"):
        output_format(str(tmp_path / "nowhere" / "a.csv"))
    batch = pa.record_batch({"a": [[1, 2]]})
    with pytest.raises(DataFileError, match=r"Values of the type list<.*> cannot be written as CSV; write Parquet"):
        write_batches(str(tmp_path / "a.csv"), "csv", batch.schema, [batch])
    assert list(tmp_path.iterdir()) == []
