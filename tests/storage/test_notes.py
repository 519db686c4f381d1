"""Notes on a model are stored in the header of its file."""

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
        assert (found.score_samples(sample.X) == model.score_samples(sample.X)).all()


@pytest.mark.parametrize("notes", [["x"], {"a": {1, 2}}, {"a": float("nan")}, {1: "a"}])
def test_what_is_no_note(notes, model, tmp_path):
    with pytest.raises(ModelFileError, match="give a dict of plain JSON values"):
        save_model(model, tmp_path / "a.rankforest", notes=notes)
    assert list(tmp_path.iterdir()) == []


def test_notes_of_a_stranger(model, tmp_path, monkeypatch):
    from rankforest.storage import model as module

    pack = module.pack
    monkeypatch.setattr(module, "pack", lambda *arguments: {**pack(*arguments), "notes": ["x"]})
    save_model(model, tmp_path / "a.rankforest")
    with pytest.raises(ModelFileError, match="its notes cannot be read"):
        load_model(tmp_path / "a.rankforest")
