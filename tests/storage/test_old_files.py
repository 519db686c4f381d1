"""Files of older versions of the format load, and the models score as they did.

The files in `old/` were written by the library as it was then, each with the scores of `fresh_rows()`.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from mutants import fresh_rows
from rankforest import load_model, read_header, save_model

OLD = Path(__file__).parent / "old"
FILES = sorted(OLD.glob("version_*/*.rankforest"))


def test_every_model_has_an_old_file():
    assert len(FILES) == 17


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_old_file_scores_as_it_did(path, tmp_path):
    assert read_header(path)["version"] == int(path.parent.name.removeprefix("version_"))
    model = load_model(path)
    expected = np.load(path.parent / "scores.npz")[path.stem]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.score_samples(fresh_rows())
        np.testing.assert_allclose(found, expected, rtol=1e-12)  # exp and log differ between machines
        save_model(model, tmp_path / "new.rankforest")
        np.testing.assert_array_equal(load_model(tmp_path / "new.rankforest").score_samples(fresh_rows()), found)
