"""With the base dependencies alone rankforest fits, scores and saves; all else names the extra that brings it."""

import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

# A fresh interpreter without the packages of the extras.
BASE = """
import json, pathlib, sys, tempfile

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NotInstalled())
import numpy as np
import rankforest
from rankforest import export, metrics, plots, report

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
y = X[:, 0] + rng.normal(size=120) > 0
tree = rankforest.TreeRank().fit(X, y)
card = rankforest.RankScore(random_state=0).fit(X, y)
folder = pathlib.Path(tempfile.mkdtemp())
rankforest.save_model(tree, folder / "tree.rankforest")
same = bool((rankforest.load_model(folder / "tree.rankforest").score_samples(X) == tree.score_samples(X)).all())
text = len(export.to_sql(tree)) > 0 and len(export.to_python(tree)) > 0 and len(tree._repr_html_()) > 0
(folder / "rows.csv").write_text("a,y\\n" + "1,0\\n2,1\\n" * 20)

def message(work):
    try:
        work()
    except Exception as error:
        return str(error)
    return "no error"

def import_dask():
    import rankforest.dask

def import_database():
    import rankforest.data.database

print(json.dumps({{
    "works": same and text,
    "plot": message(lambda: plots.RocDisplay.from_predictions(y, X[:, 0]).plot()),
    "report": message(lambda: report.write_report(tree, X, y, folder / "report.html")),
    "export": message(lambda: export.to_onnx(tree)),
    "excel": message(lambda: export.to_excel(card)),
    "dask": message(import_dask),
    "database": message(import_database),
    "cli": message(lambda: rankforest.TreeRank().fit(str(folder / "rows.csv"), "y")),
    "pandas": message(lambda: metrics.gains_table(y, X[:, 0]).to_frame()),
    "shap": message(lambda: card.explain(X[:2]).to_shap()),
}}))
"""

ABSENT = [
    "adbc_driver_manager",
    "adbc_driver_postgresql",
    "click",
    "dask",
    "distributed",
    "duckdb",
    "jinja2",
    "matplotlib",
    "onnx",
    "onnxruntime",
    "openpyxl",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "safetensors",
    "shap",
    "typer",
]


@cache
def said() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", BASE.format(absent=ABSENT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_models_are_fitted_stored_and_exported() -> None:
    assert said()["works"] is True


@pytest.mark.parametrize("extra", ["plot", "report", "export", "excel", "dask", "database", "cli"])
def test_missing_packages_are_named_with_their_extra(extra: str) -> None:
    sentence = said()[extra]
    assert isinstance(sentence, str)
    assert re.fullmatch(
        rf'[^\n]+ needs \w+, which is not installed; run pip install "rankforest\[{extra}\]"\.', sentence
    )


def test_pandas_is_in_no_extra_of_its_own() -> None:
    assert said()["pandas"] == (
        "GainsTable.to_frame needs pandas, which is not installed; run pip install pandas, or use to_dict()."
    )


def test_shap_is_in_no_extra() -> None:
    assert said()["shap"] == "Explanation.to_shap needs shap, which is not installed; run pip install shap."


def test_no_extra_is_forgotten() -> None:
    """The packages of the extras that users install are those that the interpreter above lacks."""
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    ours = ("all", "test", "lint", "dev", "bench", "docs")
    users = [one for name in extras if name not in ours for one in extras[name]]
    named = {re.match(r"[\w-]+", one)[0].replace("-", "_") for one in users}
    assert named <= {*ABSENT, "rankforest"}
