"""Writes three messy files of made-up loans: two with outcomes, and this week's applications.

    python scripts/messy_loans.py [FOLDER]

Everything is drawn at random; docs/first-hour.md walks through the files.
"""

import sys
from pathlib import Path

import numpy as np

CITIES = ["Lyon", "Nice", "Paris", "Lille", "Nantes"]
SPELLINGS = {"Lyon": ["Lyon", "lyon", "LYON "], "Paris": ["Paris", "paris"]}
HEAD = ["Client", "Opened", "Income", "Debt share", "City", "Years employed", "Branch", "Currency", "Dunning letters"]


def amount(euros: float) -> str:
    """1.234 €, as a spreadsheet of many countries writes it."""
    return f"{euros:,.0f}".replace(",", ".") + " €"


def write(path: Path, n: int, seed: int, *, first_day: str, outcomes: bool) -> None:
    """One file; without outcomes, the columns that are known only afterwards are not there."""
    rng = np.random.default_rng(seed)
    income = np.exp(rng.normal(7.8, 0.45, n))
    share = np.clip(rng.beta(2, 5, n), 0.01, 0.95)
    years = rng.poisson(6, n)
    unknown = rng.random(n) < 0.08  # years employed, -999 in the file
    city = rng.choice(CITIES, n, p=[0.3, 0.2, 0.3, 0.1, 0.1])
    branch = rng.integers(1, 24, n)
    day = np.datetime64(first_day) + rng.integers(0, 360, n)
    risk = 4.5 * share - 0.9 * (np.log(income) - 7.8) - 0.12 * np.where(unknown, 0, years) - 1.6
    risk += 0.5 * (city == "Lille") + 0.7 * (share > 0.4) * (years < 3)
    late = rng.random(n) < 1 / (1 + np.exp(-risk))
    lines = [";".join([*HEAD, "Late"] if outcomes else HEAD[:-1])]
    for i in range(n):
        opened = str(day[i]).split("-")[::-1]
        name = city[i] if i % 7 else rng.choice(SPELLINGS.get(city[i], [city[i]]))
        row = [
            f"{seed:02d}{i:05d}",
            ".".join(opened),
            amount(income[i]),
            f"{share[i]:.1%}".replace(".", ","),
            str(name),
        ]
        row += ["-999" if unknown[i] else str(years[i]), f"{branch[i]:03d}", "EUR"]
        if outcomes:
            row += [
                str(rng.integers(2, 5) if late[i] else 0),
                str(rng.choice(["Y", "yes", "Yes"] if late[i] else ["N", "no"])),
            ]
        lines.append(";".join(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-16" if outcomes and seed == 1 else "utf-8")


def main(folder: str = ".") -> None:
    """The three files."""
    write(Path(folder, "loans.csv"), 1500, 1, first_day="2024-01-01", outcomes=True)
    write(Path(folder, "later.csv"), 800, 2, first_day="2025-01-01", outcomes=True)
    write(Path(folder, "new.csv"), 200, 3, first_day="2026-01-01", outcomes=False)


if __name__ == "__main__":
    main(*sys.argv[1:2])
