"""What else is to be known of a model travels in the header of its file."""

import json

import pytest

from rankforest import TreeRank, load_model, read_header, save_model
from rankforest.data import simulate
from rankforest.storage import ModelFileError


@pytest.fixture(scope="module")
def model():
    sample = simulate.rf20(100, random_state=0)
    return TreeRank(max_depth=2).fit(sample.X, sample.y)


def test_there_and_back(model, tmp_path):
    notes = {"target": "grün", "missing": ["", "?"], "weight": None}
    save_model(model, tmp_path / "a.rankforest", notes=notes)
    save_model(model, tmp_path / "b.rankforest")
    assert read_header(tmp_path / "a.rankforest")["notes"] == notes
    assert "notes" not in read_header(tmp_path / "b.rankforest")
    sample = simulate.rf20(50, random_state=1)
    for name in ("a", "b"):
        found = load_model(tmp_path / f"{name}.rankforest")
        assert (found.decision_function(sample.X) == model.decision_function(sample.X)).all()


def test_what_is_no_note(model, tmp_path, monkeypatch):
    from rankforest.storage import model as module

    real = json.dumps
    monkeypatch.setattr(module.json, "dumps", lambda header, **more: real({**header, "notes": ["x"]}, **more))
    save_model(model, tmp_path / "a.rankforest", notes={})
    with pytest.raises(ModelFileError, match="its notes cannot be read"):
        load_model(tmp_path / "a.rankforest")
