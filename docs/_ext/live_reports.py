"""Reports of three models, made while the site is built; the page live-reports.md shows them."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

REPORTS = Path(__file__).resolve().parent.parent / "_live" / "reports"


def write_reports(app: Sphinx) -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    from rankforest import RankingForest, RankScore, TreeRank
    from rankforest.report import write_report

    REPORTS.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer(as_frame=True)
    diagnosis = data.target.map({0: "malignant", 1: "benign"})
    X, X_test, y, y_test = train_test_split(data.data, diagnosis, test_size=0.4, stratify=diagnosis, random_state=0)
    models = {
        "tree": TreeRank(pos_label="malignant", random_state=0),
        "card": RankScore(pos_label="malignant", random_state=0),
        "forest": RankingForest(100, pos_label="malignant", random_state=0),
    }
    for name, model in models.items():
        path = REPORTS / f"{name}.html"
        if not path.exists():  # `make clean` removes them
            write_report(model.fit(X, y), X_test, y_test, path, title=f"{type(model).__name__}: malignant tumours")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
