"""The pictures of docs/scorecard.md, and its card: `python docs/figures/scorecard.py DATA docs/images`.

DATA is a folder with german_credit.csv.gz, whose codes are put into words. The first 600 rows of a permutation with
seed 0 are fitted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pandas as pd

from rankforest import RankScore
from rankforest.plots import ShapesDisplay, TotalDisplay

WORDS = {
    "checking_status": "A11 below 0, A12 0 to 200, A13 200 and more, A14 no account",
    "credit_history": "A30 no credits, A31 all paid here, A32 paid so far, A33 delays, A34 critical",
    "purpose": "A40 new car, A41 used car, A42 furniture, A43 television, A44 appliances, A45 repairs, A46 education, "
    "A48 retraining, A49 business, A410 others",
    "savings": "A61 below 100, A62 100 to 500, A63 500 to 1000, A64 1000 and more, A65 unknown",
    "employment": "A71 none, A72 below 1 year, A73 1 to 4 years, A74 4 to 7 years, A75 7 years and more",
    "other_debtors": "A101 none, A102 co-applicant, A103 guarantor",
    "housing": "A151 rent, A152 own, A153 free",
}


def main() -> None:
    data, images = Path(sys.argv[1]), Path(sys.argv[2])
    table = pd.read_csv(data / "german_credit.csv.gz")
    table = table.iloc[np.random.default_rng(0).permutation(len(table))[:600]]
    X = table.drop(columns=["target", "personal_status_sex", "foreign_worker"])
    for name, words in WORDS.items():
        X[name] = X[name].map(dict(each.split(" ", 1) for each in words.split(", ")))
    status = table["target"].map({1: "paid", 2: "bad"})
    model = RankScore(max_steps=4, tolerance=0.01, pos_label="paid", random_state=0).fit(X, status)
    print(model.export_text())
    pictures = {
        "shapes": ShapesDisplay.from_estimator(model).plot(max_features=9),
        "total": TotalDisplay.from_estimator(model).plot(),
    }
    for name, display in pictures.items():
        display.figure_.savefig(images / f"scorecard-{name}.png", dpi=90)
        print(images / f"scorecard-{name}.png")


if __name__ == "__main__":
    main()
