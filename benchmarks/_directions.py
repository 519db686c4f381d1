"""Sets where the direction of features is known, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _sets import SETS, read

from rankforest.data import simulate

__all__ = ["DIRECTED", "Directed", "artificial"]

_PRICES = ["vhigh", "high", "med", "low"]


@dataclass(frozen=True)
class Directed:
    """A set with directions: 1 or -1, or the categories of a column from the worst to the best."""

    directions: dict[str, Any]
    reason: str

    def table(self, folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
        """Features with the names of the file, and labels 0 / 1."""
        X, y = read(folder, SETS[name])
        orders = {column: entry for column, entry in self.directions.items() if isinstance(entry, list)}
        text = [*X.select_dtypes(exclude="number"), *SETS[name].categories]
        X = X.assign(**{column: X[column].astype(str) for column in orders})
        return X.astype(dict.fromkeys({*text, *orders}, "category")), y


DIRECTED = {
    "german_credit": Directed(
        {"duration": 1, "installment_rate": 1, "age": -1},
        "long loans and high rates of the income are risky, settled people are not",
    ),
    "taiwan_default": Directed(
        {"LIMIT_BAL": -1, **{f"PAY_{k}": 1 for k in (0, 2, 3, 4, 5, 6)}, **{f"PAY_AMT{k}": -1 for k in range(1, 7)}},
        "months of delay are bad, and money paid back and a high limit are good",
    ),
    "boston_housing": Directed(
        {"RM": 1, "LSTAT": -1, "CRIM": -1, "NOX": -1, "PTRATIO": -1},
        "rooms raise a price; crime, bad air, large classes and poverty lower it",
    ),
    "california": Directed({"medianIncome": 1}, "richer districts pay more"),
    "abalone": Directed(
        dict.fromkeys(("Length", "Diameter", "Height", "Shell weight"), 1), "shells grow with their age"
    ),
    "wine_red": Directed({"alcohol": 1, "volatile_acidity": -1}, "a taste of vinegar is a fault, body is none"),
    "lev": Directed(dict.fromkeys(("In1", "In2", "In3", "In4"), 1), "every question rates the lecturer upwards"),
    "era": Directed(dict.fromkeys(("in1", "in2", "in3", "in4"), 1), "every rating speaks for the applicant"),
    "car": Directed(
        {
            "buying": _PRICES,
            "maint": _PRICES,
            "doors": ["2", "3", "4", "5more"],
            "persons": ["2", "4", "more"],
            "lug_boot": ["small", "med", "big"],
            "safety": ["low", "med", "high"],
        },
        "the set was made from a model of preferences with these orders",
    ),
}


def artificial(seed: int, n: int) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """RF 10 sparse: the true score rises in the first four features and does not depend on the others."""
    sample = simulate.rf10_sparse(n, random_state=seed)
    X = pd.DataFrame(sample.X).add_prefix("x")
    return X, (np.asarray(sample.y) == 1).astype(int), {f"x{j}": 1 for j in range(4)}
