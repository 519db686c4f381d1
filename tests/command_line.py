"""A command line that runs inside the test, and a table for it."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from rankforest.cli import main


class Said(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        assert self.code == 0, self.err
        return json.loads(self.out)


def run(capsys, arguments):
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return Said(0 if ended.value.code is None else ended.value.code, captured.out, captured.err)


def clients(n, seed):
    """A table with numbers, categories that look like numbers, text, missing values and a label."""
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 90, n), rng.lognormal(3.0, 0.5, n).round(2)
    zone = rng.choice(["01", "02", "75"], n)
    city = rng.choice(["Lyon", "Paris", "Nice"], n)
    eta = age / 40 + (zone == "75") - income / 30 + (city == "Nice") * 0.5
    label = np.where(eta + rng.normal(0, 0.7, n) > 1.2, "yes", "no")
    return pa.table(
        {
            "id": np.arange(1, n + 1),
            "age": pa.array(age, mask=rng.random(n) < 0.1),
            "income": income,
            "zone": zone,
            "city": pa.array(city, mask=rng.random(n) < 0.1),
            "label": label,
        }
    )
