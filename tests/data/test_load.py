"""Files of data: every format gives the same rows, and an invalid file raises a one-sentence error."""

import gzip
import io
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankforest.data.data_file import DataFileError, Layout
from rankforest.data.load import open_data
from rankforest.data.match import file_rows
from rankforest.data.reading.apply import read_column
from rankforest.data.reading.recipe import ColumnReading

TABLE = pa.table(
    {
        "age": pa.array([30.0, None, 41.5, -2.0]),
        "city": pa.array(["Lyon", "Paris", None, 'a "b", c\nd']),
        "n": pa.array([1, 2, 3, 4]),
    }
)
CSV = b'age,city,n\n30,Lyon,1\n,Paris,2\n41.5,NA,3\n-2.0,"a ""b"", c\nd",4\n'


def arrow_file(table, *, stream=False):
    sink = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return sink.getvalue()


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=3)
    return sink.getvalue()


CONTENTS = {
    "a.csv": CSV,
    "a.csv.gz": gzip.compress(CSV),
    "a.tsv": CSV.replace(b",", b"\t").replace(b'"\t c', b'", c'),
    "a.parquet": parquet(TABLE),
    "a.arrow": arrow_file(TABLE),
    "a.arrows": arrow_file(TABLE, stream=True),
    "anything": arrow_file(TABLE),
}


def typed(table):
    """The table with its numbers, which are text in CSV."""
    for name, kind in (("age", pa.float64()), ("n", pa.int64())):
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


@pytest.mark.parametrize("name", CONTENTS)
def test_formats(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    data = open_data(path)
    assert data.names == ("age", "city", "n")
    assert typed(data.table()).to_pylist() == TABLE.to_pylist()
    for _ in range(2):  # as often as asked
        batches = list(data.batches(["n", "age", "city"]))
        assert typed(pa.Table.from_batches(batches)).select(["age", "city", "n"]).to_pylist() == TABLE.to_pylist()
        assert data.share_read == 1.0


@pytest.mark.parametrize("name", ["a.csv.gz", "a.parquet", "a.arrow", "a.arrows"])
def test_standard_input(name, tmp_path):
    """Copied once, so that it can be read again; what comes out is the same."""
    code = (
        "from rankforest.data.load import open_data\n"
        "data = open_data('-')\n"
        "print(data.path, data.table().num_rows, sum(b.num_rows for b in data.batches()))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=CONTENTS[name], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "standard input 4 4"


def test_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"printf 'a\\n1\\n2\\n' > {pipe}"]):
        assert open_data(pipe).table()["a"].to_pylist() == ["1", "2"]


def test_small_batches(tmp_path, monkeypatch):
    """Batches of every size hold the rows in their order, in both readers."""
    from rankforest.data import csv_file, data_file

    monkeypatch.setattr(csv_file, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(data_file, "_BATCH_ROWS", 7)
    numbers = np.arange(100)
    (tmp_path / "a.csv").write_text("a,b\n" + "".join(f"{i},x{i}\n" for i in numbers))
    pq.write_table(pa.table({"a": numbers}), tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        batches = list(open_data(tmp_path / name).batches(["a"]))
        assert len(batches) > 10
        assert np.array_equal(np.concatenate([b.column(0).cast(pa.int64()) for b in batches]), numbers)


def test_text_as_it_is_written(tmp_path):
    """A CSV file is text: nothing is parsed as a number and, if asked for, nothing as missing."""
    (tmp_path / "a.csv").write_text("a,b\n007,NA\n1.50,\n")
    (batch,) = open_data(tmp_path / "a.csv").batches(verbatim=True)
    assert batch.to_pylist() == [{"a": "007", "b": "NA"}, {"a": "1.50", "b": ""}]


def test_layout(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("âge;ville\n1,5;Orléans\n-;Nîmes\n".encode("latin-1"))
    data = open_data(path, Layout(encoding="latin-1", decimal=",", missing=("-",)))
    assert data.table().to_pylist() == [{"âge": "1,5", "ville": "Orléans"}, {"âge": None, "ville": "Nîmes"}]
    path.write_bytes("a;b\n1;é\n".encode("utf-16"))
    assert open_data(path).table().to_pylist() == [{"a": "1", "b": "é"}]
    path.write_bytes("\ufeffa,b\n1,2\n".encode())  # the mark that some spreadsheets begin a file with
    assert open_data(path).names == ("a", "b")


ROWS = b"".join(b"%d,x\n" % i for i in range(100))


@pytest.mark.parametrize(
    ("content", "layout", "said"),
    [
        (b"", {}, "{path} is empty; give a file with a header and rows."),
        (b"a,b,a\n1,2,3\n", {}, "{path} has 2 columns named 'a'; rename all but one."),
        (
            b"a,b\n" + ROWS + b"1,x,4\n",
            {},
            "{path}: row 101 has 3 values, and the header has 2 columns; correct",
        ),
        (b"a,b\n" + ROWS + b"1\n", {}, "{path}: row 101 has 1 value, and the header has 2 columns; correct"),
        (
            b"a,b\n1,caf\xe9\n",
            {},
            "{path}: column 'b' in row 1 is not UTF-8 text; give the encoding of the file, for instance with",
        ),
        (b"a,b\n1,caf\xe9\n", {"encoding": "ascii"}, "{path}: it is not ASCII text; give the encoding"),
        (b"a,b\n1,2\n", {"encoding": "klingon"}, "The encoding 'klingon' is not known; give one such as utf-8"),
        (b"\x00\x01\x02", {}, "{path} is not a text file; give CSV, Excel, Parquet or Arrow."),
        (b"PAR1 and no more", {}, "{path} cannot be read as Parquet ("),
        (b"ARROW1 and no more", {}, "{path} cannot be read as Arrow ("),
        (gzip.compress(ROWS)[:-20], {}, "{path} cannot be read as CSV (Truncated compressed stream)."),
        (b"a\n1\n", {"format": "doc"}, "The format is 'doc'; give one of csv, parquet, arrow, xlsx."),
        (b"a\n1\n", {"format": "xlsx"}, "{path} cannot be read as Excel ("),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", {}, "{path} is an Excel file of the old kind (.xls); save it as"),
        (b'a,b\n1,"' + b"x" * 2**23, {}, "{path}: the quotation mark in line 2 is not closed, and everything to the"),
        (
            b'a,b\n1,"' + b"x" * 2**23 + b'"',
            {},
            "{path} has a row of more than 4 MB; is a quotation mark never closed?",
        ),
    ],
)
def test_one_sentence(content, layout, said, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(DataFileError) as raised:
        open_data(path, Layout(**layout)).table()
    assert str(raised.value).startswith(said.format(path=path))


def read_numbers(data):
    before = 0
    for batch in data.batches(["a"]):
        with file_rows(data, before):
            read_column(batch.column(0), ColumnReading("a", "number"))
        before += batch.num_rows


def test_wrong_value_in_a_later_batch(tmp_path, monkeypatch):
    from rankforest.data import csv_file

    monkeypatch.setattr(csv_file, "_BLOCK_BYTES", 64)
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + ROWS + b"oops,x\n")
    data = open_data(path)
    with pytest.raises(
        DataFileError, match=r"column 'a' in row 101 is 'oops', not a number as when the model was fitted"
    ):
        read_numbers(data)


def test_no_file(tmp_path):
    with pytest.raises(DataFileError, match=r"There is no file '.*nowhere.csv'."):
        open_data(tmp_path / "nowhere.csv")
    with pytest.raises(DataFileError, match=r"is a folder; give a file."):
        open_data(tmp_path)


def test_unreadable(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    path.chmod(0)
    monkeypatch.setattr(os, "access", lambda *args, **kwargs: False)  # root may read anything
    with pytest.raises(DataFileError, match=r"may not be read; change its permissions."):
        open_data(path)
