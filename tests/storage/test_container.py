"""The file is in the safetensors format, as the safetensors library reads and writes it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy

from mutants import file_of, fitted, models
from rankforest import read_header
from rankforest.storage import ModelFileError, container
from rankforest.storage.container import read_container, write_container


def test_the_library_reads_what_we_write(tmp_path):
    data = file_of(fitted(models()["forest"]), tmp_path)
    _, arrays = read_container(data)
    theirs = safetensors.numpy.load(data)
    assert theirs.keys() == arrays.keys()
    for name, array in arrays.items():
        assert theirs[name].dtype == array.dtype
        np.testing.assert_array_equal(theirs[name], array)
    with safetensors.safe_open(tmp_path / "model.rankforest", "np") as file:
        assert json.loads(file.metadata()["rankforest"]) == read_header(tmp_path / "model.rankforest")


def test_we_read_what_the_library_writes():
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.arange(3, dtype=np.uint8), "empty": np.zeros((0, 2))}
    text, found = read_container(safetensors.numpy.save(arrays, {"rankforest": "{}"}))
    assert text == "{}"
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)
    with pytest.raises(ModelFileError, match="no model of rankforest"):
        read_container(safetensors.numpy.save(arrays))


def _with_header(header, body=b"\0" * 16):
    text = json.dumps({"__metadata__": {"rankforest": "{}"}} | header).encode()
    return len(text).to_bytes(8, "little") + text + body


def _entry(dtype="F64", shape=(2,), place=(0, 16)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(place)}


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "shorter than 8 bytes"),
        (b"\xff" * 8, "longer than"),
        ((200).to_bytes(8, "little") + b"{}", "ends before its header"),
        ((4).to_bytes(8, "little") + b"\xff\xfe\xfd\xfc", "not text"),
        (_with_header({"a": _entry()}, b"\0" * 15), "does not match its data_offsets"),
        (_with_header({"a": _entry()}, b"\0" * 17), "do not fill"),
        (_with_header({"a": _entry(shape=(1 << 40, 1 << 40))}), "does not match its data_offsets"),
        (_with_header({"a": _entry(shape=(1 << 60,))}), "invalid shape"),
        (_with_header({"a": _entry(shape=(-1,))}), "invalid shape"),
        (_with_header({"a": _entry(shape=(1, 2, 1))}), "invalid shape"),
        (_with_header({"a": _entry(shape=(True, 2))}), "invalid shape"),
        (_with_header({"a": _entry(place=(8, 0))}), "does not match its data_offsets"),
        (_with_header({"a": _entry(place=(0, 1 << 47))}), "does not match its data_offsets"),
        (_with_header({"a": _entry(), "b": _entry()}), "overlap"),
        (_with_header({"a": _entry(dtype="BF16")}), "unknown dtype"),
        (_with_header({"a": 3}), "not described"),
        (_with_header({f"a{i}": _entry(shape=(0,), place=(0, 0)) for i in range(2000)}), "more than 1000 arrays"),
    ],
)
def test_sizes_are_checked_before_anything_is_made(data, match):
    with pytest.raises(ModelFileError, match=match):
        read_container(data)


# What takes most memory for its length: far too long, and just as long as is read.
HOSTILE = {
    "long": lambda: "[" + "[]," * 30_000_000 + "[]]",
    "lists": lambda: "[" + "[]," * 740_000 + "[]]",
    "objects": lambda: "[" + '{"a":0},' * 740_000 + "{}]",
    "numbers": lambda: "[" + "1e300," * 1_490_000 + "0]",
    "names": lambda: "{" + ",".join(f'"{i}":0' for i in range(1_490_000)) + "}",
    "text": lambda: '["' + "a" * 31_000_000 + "\N{GRINNING FACE}" + '"]',
}

COST = """
import sys
import rankforest
from rankforest.storage import ModelFileError, model
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
before = peak()
for read in (rankforest.read_header, rankforest.load_model):
    try:
        read(sys.argv[1])
    except ModelFileError:
        pass
print((peak() - before) // 1024)
"""


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps memory of its own")
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_header_costs_little(kind, inner, tmp_path):
    """Both as the text of the model and as the header around it: refused within half a gigabyte."""
    text = HOSTILE[kind]()
    header = json.dumps({"__metadata__": {"rankforest": text}}, ensure_ascii=False) if inner else text
    data = header.encode()
    (tmp_path / "a").write_bytes(len(data).to_bytes(8, "little") + data)
    done = subprocess.run([sys.executable, "-c", COST, tmp_path / "a"], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 500


def test_a_header_that_could_not_be_read_is_not_written(monkeypatch):
    monkeypatch.setattr(container, "MAX_ENTRIES", 100)
    write_container(json.dumps(["a"] * 90), {})
    with pytest.raises(ModelFileError, match=r"would have \d+ entries, and the limit is 100; group rare"):
        write_container(json.dumps(["a"] * 120), {})
    with pytest.raises(ModelFileError, match="its JSON has more than 100 entries"):
        container.parse_json(json.dumps(["a"] * 120))
    monkeypatch.setattr(container, "MAX_HEADER", 1000)
    with pytest.raises(ModelFileError, match="bytes, and the limit is 1000; group rare categories"):
        write_container(json.dumps("a" * 1000), {})


def test_the_same_arrays_give_the_same_bytes_in_any_order():
    one = {"b": np.arange(3, dtype=np.int32), "a": np.arange(2.0)}
    assert write_container("{}", one) == write_container("{}", dict(reversed(one.items())))
