"""Messy files: each kind of dirt alone, and many of them together. Run this file with a folder to look at them."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

N = 80


@dataclass(frozen=True)
class Messy:
    """A file and what becomes of it.

    Attributes
    ----------
    columns : callable
        Gives further columns, by name, as text; `y` replaces the labels.
    says : str
        Part of the note, or of the sentence that refuses the file.
    refused : bool
    options : list of str
        For `fit`.
    """

    columns: Callable[[np.random.Generator], dict[str, list[str]]]
    says: str = ""
    refused: bool = False
    options: list[str] = field(default_factory=list)
    delimiter: str = ","
    encoding: str = "utf-8"
    above: str = ""  # the header


def column(make: Callable[[int, np.random.Generator], str], name: str = "c") -> Callable:
    return lambda rng: {name: [make(k, rng) for k in range(N)]}


def day(k: int) -> datetime.date:
    return datetime.date(2023, 1, 1) + datetime.timedelta(days=7 * k)


FILES: dict[str, Messy] = {
    "clean": Messy(lambda rng: {}),
    "leading zeros": Messy(column(lambda k, rng: f"0{rng.integers(2110, 2115)}"), "holds codes such as"),
    "leading zeros as numbers": Messy(column(lambda k, rng: f"0{rng.integers(9)}"), options=["--numeric", "c"]),
    "currency": Messy(column(lambda k, rng: f"${rng.integers(10_000, 99_999):,}"), "holds amounts such as '$"),
    "euro behind": Messy(column(lambda k, rng: f"{rng.integers(10, 99)} €"), "holds amounts such as"),
    "two currencies": Messy(column(lambda k, rng: f"{'$€'[k % 2]}{k}"), "mixes units"),
    "per cent": Messy(column(lambda k, rng: f"{rng.random() * 9:.1f}%"), "holds amounts such as"),
    "some per cent": Messy(column(lambda k, rng: f"{k}{'%' * (k % 2)}"), "mixes units"),
    "thousands": Messy(column(lambda k, rng: f"{rng.integers(10**3, 10**7):,}"), "holds amounts such as"),
    "lakhs": Messy(column(lambda k, rng: f"{rng.integers(1, 99)},{rng.integers(10, 99)},450"), "such as '"),
    "minus behind": Messy(column(lambda k, rng: f"{k + 0.5:.2f}{'-' * (k % 3 == 1)}"), "amounts such as '0.50'"),
    "typographic minus": Messy(column(lambda k, rng: f"{chr(0x2212) * (k % 3 == 1)}{k}"), "amounts such as '0'"),
    "thousands or decimals": Messy(column(lambda k, rng: f"{k % 9 + 1},{100 + k}"), "if it is a decimal comma"),
    "decimal comma": Messy(column(lambda k, rng: f"{k},{rng.integers(10, 99)}"), "amounts", delimiter=";"),
    "negative in parentheses": Messy(column(lambda k, rng: f"({k}.50)" if k % 3 else f"{k}.50"), "amounts"),
    "iso dates": Messy(column(lambda k, rng: str(day(k))), "days since 1970-01-01"),
    "day first": Messy(column(lambda k, rng: day(k).strftime("%d/%m/%Y")), "days since 1970-01-01"),
    "month first": Messy(column(lambda k, rng: day(k).strftime("%m/%d/%Y")), "days since 1970-01-01"),
    "short years": Messy(column(lambda k, rng: day(k).strftime("%m/%d/%y")), "years of two digits, read as 1969"),
    "morning and evening": Messy(column(lambda k, rng: day(k).strftime("%m/%d/%Y 08:30 PM")), "(the month first)"),
    "long dates": Messy(column(lambda k, rng: day(k).strftime("%B %d, %Y")), "days since 1970-01-01"),
    "month and year": Messy(column(lambda k, rng: day(k).strftime("%b-%y")), "holds months such as 'Jan-23'"),
    "year and month": Messy(column(lambda k, rng: day(k).strftime("%Y-%m")), "holds months such as '2023-01'"),
    "dates without marks": Messy(column(lambda k, rng: day(k).strftime("%Y%m%d")), "add --numeric c"),
    "mixed dates": Messy(
        column(lambda k, rng: day(k).strftime("%Y-%m-%d" if k % 2 else "%d.%m.%Y")), "mixes ways to write dates"
    ),
    "a day that is none": Messy(
        column(lambda k, rng: "2021-02-30" if k == 7 else str(day(k))), "'2021-02-30' in row 8 is no date", True
    ),
    "a word among dates": Messy(column(lambda k, rng: "soon" if k == 7 else str(day(k))), "--missing c=soon", True),
    "the last day of all": Messy(
        column(lambda k, rng: str(day(k)) if k % 9 else "9999-12-31"), "--missing c=9999-12-31"
    ),
    "day or month first": Messy(column(lambda k, rng: f"0{k % 9 + 1}/0{k % 7 + 1}/2024"), "add --dates dmy or", True),
    "day first, said": Messy(
        column(lambda k, rng: f"0{k % 9 + 1}/0{k % 7 + 1}/2024"), "days since", options=["--dates", "dmy"]
    ),
    "day first and month first": Messy(
        column(lambda k, rng: day(k).strftime("%d/%m/%Y" if k % 2 else "%m/%d/%Y")),
        "'01/15/2023' in row 3), so that one such as 1/2/2024 may be either",
        refused=True,
    ),
    "durations": Messy(column(lambda k, rng: f"{k}:{k % 60:02d}:00"), "read as hours"),
    "times": Messy(column(lambda k, rng: f"{k % 24}:{k % 60:02d}"), "read as hours"),
    "date and time": Messy(column(lambda k, rng: f"{day(k)} {k % 24:02d}:00:00"), "days since 1970-01-01"),
    "spellings": Messy(column(lambda k, rng: ["Paris", "paris", "PARIS ", "Oslo"][k % 4]), "spells the same word"),
    "labels spelled": Messy(
        lambda rng: {"y": [["Yes", "yes ", "no", "NO", "Y", "n"][k % 6] for k in range(N)]}, "the labels are spelled"
    ),
    "yes and no": Messy(lambda rng: {"y": ["YN"[k % 2] for k in range(N)]}),
    "no label": Messy(lambda rng: {"y": ["", *["01"[k % 2] for k in range(N - 1)]]}, "--drop-unlabelled", True),
    "no label, dropped": Messy(
        lambda rng: {"y": ["", *["01"[k % 2] for k in range(N - 1)]]}, "1 row without", options=["--drop-unlabelled"]
    ),
    "empty column": Messy(column(lambda k, rng: ""), "has no values, and is left out"),
    "constant column": Messy(column(lambda k, rng: "same"), "has the same value in all rows"),
    "minus 999": Messy(column(lambda k, rng: "-999" if k % 9 == 0 else f"{rng.random():.2f}"), "--missing c=-999"),
    "nines": Messy(column(lambda k, rng: f"{rng.integers(1000)}" if k % 9 else "9999999"), "--missing c=9999999"),
    "infinite": Messy(column(lambda k, rng: "inf" if k == 5 else f"{k / 7:.2f}"), "contains inf in row 6", True),
    "unknown labels": Messy(
        lambda rng: {"y": [["0", "1", "unknown"][k % 3] for k in range(N)]}, "add --missing y=unknown", True
    ),
    "a minus for no label": Messy(
        lambda rng: {"y": [["yes", "no", "no", "-"][k % 4] for k in range(N)]},
        "add --missing y=- --drop-unlabelled",
        refused=True,
    ),
    "the header again": Messy(
        lambda rng: {
            name: [name if k == 40 else str(k % n) for k in range(N)] for name, n in (("x", 7), ("y", 2))
        },
        "a header stands among the rows",
        refused=True,
    ),
    "strange value": Messy(
        column(lambda k, rng: "unknown" if k == 5 else f"{k / 7:.2f}"),
        "column 'c' holds numbers besides 'unknown' in row 6; if that means missing, add --missing c=unknown",
        refused=True,
    ),
    "strange values": Messy(
        column(lambda k, rng: {5: "k.A.", 9: "tbd"}.get(k, f"${k},000")),
        "besides 'k.A.' in row 6 and 'tbd'; if that means missing, add --missing 'c=k.A.' --missing c=tbd",
        refused=True,
    ),
    "strange values as missing": Messy(
        column(lambda k, rng: {5: "k.A.", 9: "tbd"}.get(k, f"{k / 7:.2f}")),
        options=["--missing", "c=k.A.", "--missing", "c=tbd"],
    ),
    "strange value as a category": Messy(
        column(lambda k, rng: "other" if k == 5 else f"{k % 7}"), options=["--categorical", "c"]
    ),
    "some strange values": Messy(
        column(lambda k, rng: "unknown" if k % 10 == 5 else f"{k / 7:.2f}"), "besides 'unknown' in row 6", True
    ),
    "many words for missing": Messy(
        column(lambda k, rng: {0: "-", 3: "none", 6: "."}.get(k % 11, f"{rng.random():.3f}")),
        "besides '-' in row 1, 'none' and '.'; if that means missing, add --missing c=- --missing c=none --missing 'c",
        refused=True,
    ),
    "a few numbers and words": Messy(
        column(lambda k, rng: ["TRUE", "1", "0", "1"][k % 4]), "is read as categories because of 'TRUE' in row 1"
    ),
    "row number": Messy(column(lambda k, rng: str(k + 1)), "counts the rows; add --ignore c"),
    "identifier": Messy(column(lambda k, rng: f"K{k * 17}"), "has a different value in every row"),
    "long numbers": Messy(column(lambda k, rng: str(10**19 + k % 9)), "holds codes such as"),
    "long numbers, all different": Messy(column(lambda k, rng: str(10**19 + 7 * k)), "add --ignore c"),
    "codes, all different": Messy(column(lambda k, rng: f"{100000 + 7 * k:08d}"), "add --ignore c"),
    "customers": Messy(column(lambda k, rng: str(40 + 13 * (k * 37 % N)), "kunde"), "add --ignore kunde"),
    "numbers of equal length": Messy(column(lambda k, rng: str(70_000_000 + 123_457 * (k * 37 % N))), "--ignore c"),
    "row number with gaps": Messy(column(lambda k, rng: str(k + k // 7)), "counts the rows; add --ignore c"),
    "article numbers with an E": Messy(column(lambda k, rng: f"{k % 9 + 1}E{k % 7}"), "holds codes such as '1E0'"),
    "powers of ten": Messy(column(lambda k, rng: "1E5" if k == 3 else f"{k}.5")),
    "hexadecimal": Messy(column(lambda k, rng: f"0x{k % 5}F")),
    "label in disguise": Messy(
        lambda rng: {"y": ["01"[k % 2] for k in range(N)], "c": [f"{k % 2}.{k}" for k in range(N)]},
        "give the label away",
    ),
    "utf-16": Messy(column(lambda k, rng: ["Köln", "Lyon"][k % 2]), encoding="utf-16", delimiter="\t"),
    "utf-16 without a mark": Messy(
        column(lambda k, rng: ["Köln", "Lyon"][k % 2]), "is read as UTF-16-LE", encoding="utf-16-le"
    ),
    "a line for the delimiter": Messy(lambda rng: {}, "names the delimiter", delimiter=";", above="sep=;\n"),
    "a title": Messy(lambda rng: {}, "add --skip 2 to leave them out", True, above="Loans of 2024\n\n"),
    "a title, skipped": Messy(lambda rng: {}, options=["--skip", "2"], above="Loans of 2024\n\n"),
    "utf-32": Messy(column(lambda k, rng: ["Köln", "Lyon"][k % 2]), encoding="utf-32"),
    "byte order mark": Messy(column(lambda k, rng: ["Köln", "Lyon"][k % 2]), encoding="utf-8-sig", delimiter=";"),
    "open quotation mark": Messy(column(lambda k, rng: '"open' if k == 9 else "x"), "in line 11 is not closed", True),
    "everything": Messy(
        lambda rng: {
            "zip": [f"0{rng.integers(2110, 2115)}" for _ in range(N)],
            "pay": [f"€{rng.integers(1000, 9999)},{rng.integers(10, 99)}" for _ in range(N)],
            "opened": [day(k).strftime("%d.%m.%Y") for k in range(N)],
            "city": [["Paris", "paris ", "Oslo"][k % 3] for k in range(N)],
            "nothing": [""] * N,
            "nr": [str(k + 1) for k in range(N)],
            "y": [["ja", "Ja", "nein"][k % 3] for k in range(N)],
        },
        "days since 1970-01-01",
        delimiter=";",
    ),
}  # fmt: skip


def write(folder: Path, name: str) -> Path:
    """Write one of the files."""
    messy = FILES[name]
    rng = np.random.default_rng(0)
    columns = {"x": [f"{value:.3f}" for value in rng.normal(size=N)]}
    columns["y"] = [str(int(float(value) + rng.normal() > 0)) for value in columns["x"]]
    columns |= messy.columns(rng)
    quoted = {name: [_quoted(one, messy.delimiter) for one in values] for name, values in columns.items()}
    lines = [messy.delimiter.join(quoted), *(messy.delimiter.join(row) for row in zip(*quoted.values()))]
    path = folder / f"{name.replace(' ', '_')}.csv"
    path.write_text(messy.above + "\n".join(lines) + "\n", encoding=messy.encoding)
    return path


def _quoted(value: str, delimiter: str) -> str:
    return f'"{value}"' if delimiter in value else value


if __name__ == "__main__":
    for each in FILES:
        print(write(Path(sys.argv[1]), each))
