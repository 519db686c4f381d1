"""``rankforest demo``: all commands on a data set that comes with scikit-learn."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where the files go.")] = "demo",
    trees: Annotated[int, typer.Option(help="Of the forest.")] = 200,
) -> None:
    """Run the main commands on the breast cancer data: fit, score, evaluate, compare, explain, export and report.

    Example: rankforest demo
    """
    import os
    import shlex

    from . import main
    from ._say import say

    os.makedirs(folder, exist_ok=True)
    _write_data(folder)

    def run(*arguments: str) -> None:
        say(f"\n$ rankforest {shlex.join(arguments)}")
        try:
            main(arguments)
        except SystemExit as ended:
            if ended.code:
                raise typer.Exit(int(ended.code)) from None

    def at(name: str) -> str:
        return os.path.join(folder, name)

    train, test = at("train.csv"), at("test.csv")
    tree, card, forest = (at(f"{name}.rankforest") for name in ("tree", "card", "forest"))
    labels = ("--target", "diagnosis", "--positive", "malignant")
    say(f"Which tumours to look at first: 569 patients, 30 measurements, in {train} and {test}.")
    run("fit", train, *labels, "--model", "tree", "-o", tree)
    run("fit", train, *labels, "--model", "scorecard", "-o", card)
    run("fit", train, *labels, "--model", "forest", "--set", f"n_estimators={trees}", "-o", forest)
    run("export", card, "--to", "text")
    run("evaluate", tree, test)
    run("compare", tree, card, forest, test)
    run("score", forest, test, "-o", at("scored.parquet"))
    run("explain", tree, test, "--row", "4", "--against", "3")
    run("explain", card, test, "--row", "4", "--against", "3")
    run("explain", forest, test, "--row", "4")
    run("export", tree, "--to", "sql", "-o", at("tree.sql"))
    for name, model in (("tree", tree), ("card", card), ("forest", forest)):
        rows = ("--rows", "1000") if name == "card" else ()  # with rows its points can be changed
        run("report", model, test, "--train", train, *rows, "-o", at(f"{name}.html"), "--title", "Breast cancer")
    say(f"\nThe reports are in {os.path.abspath(folder)}; open tree.html, card.html and forest.html in a browser.")
    say("In card.html points can be changed, and the figures and the ROC curve follow.")


def _write_data(folder: str) -> None:
    """Training and test rows, as CSV."""
    import os

    import numpy as np
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    from ..data.sink import write_batches

    data = load_breast_cancer()
    labels = data.target_names[data.target]
    table = pa.table({str(name): column for name, column in zip(data.feature_names, data.data.T)})
    table = table.append_column("diagnosis", pa.array(labels.tolist()))
    parts = train_test_split(np.arange(len(labels)), test_size=0.4, stratify=labels, random_state=0)
    for name, rows in zip(("train.csv", "test.csv"), parts):
        write_batches(os.path.join(folder, name), "csv", table.schema, table.take(rows).combine_chunks().to_batches())
