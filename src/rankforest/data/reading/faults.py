"""All faults of a CSV file at once, and its sound rows: what `check` says of a file that cannot be read as it is."""

from __future__ import annotations

import csv
import io
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..csv_file import CsvFile, western
from ..data_file import Bytes, Layout, guess_delimiter

__all__ = ["Repaired", "repaired"]

_NOT_TEXT = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff", b"PK", b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_MOST_BYTES = 200 * 2**20  # of a file that is looked at this way
_NAMED = 3  # rows that are named


@dataclass(frozen=True)
class Repaired:
    """A file without its faults.

    Attributes
    ----------
    faults : list of str
        One sentence each.
    file : CsvFile
        The sound rows; columns of one name are numbered.
    """

    faults: list[str]
    file: CsvFile


def repaired(path: str, layout: Layout) -> Repaired | None:
    """The faults of a CSV file and its sound rows; None if no fault of its text is found, or it is too large.

    Columns of one name, rows with other numbers of values, and letters that are not in the encoding are looked for.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     at = pathlib.Path(folder, "a.csv")
    ...     _ = at.write_text("x,x,y\\n1,2,0\\n3,1\\n4,5,1\\n")
    ...     found = repaired(str(at), Layout())
    >>> for fault in found.faults:
    ...     print(fault)
    2 columns are named 'x'; rename all but one.
    Row 2 has 2 values, and the header has 3 columns; correct the row, or give another --delimiter.
    >>> found.file.names
    ('x', 'x (2)', 'y')
    """
    content = Bytes(path)
    if content.size > _MOST_BYTES or content.head.startswith(_NOT_TEXT):
        return None
    with content.open() as stream:
        raw = bytes(stream.read())
    faults: list[str] = []
    text = _decoded(raw, layout.encoding, faults)
    lines = text.splitlines(keepends=True)[layout.skip :]
    if not lines:
        return None
    delimiter = layout.delimiter or guess_delimiter(lines[0])
    try:
        rows = list(csv.reader(io.StringIO("".join(lines), newline=""), delimiter=delimiter))
    except csv.Error:
        return None
    header, width = rows[0], len(rows[0])
    faults += [f"{n} columns are named {name!r}; rename all but one." for name, n in Counter(header).items() if n > 1]
    body = [row for row in rows[1:] if row]
    ragged = [(k, len(row)) for k, row in enumerate(body, 1) if len(row) != width]
    if ragged and width > 1:
        faults.append(_ragged(ragged, width))
    if not faults:
        return None
    sound = [_numbered(header), *(row for row in body if len(row) == width)]
    if len(sound) == 1:
        return None
    return Repaired(faults, _written(sound, path, replace(layout, delimiter=delimiter, encoding="utf-8", skip=0)))


def _decoded(raw: bytes, encoding: str, faults: list[str]) -> str:
    try:
        return raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeError as error:
        line = raw[: error.start].count(b"\n") + 1 if isinstance(error, UnicodeDecodeError) else 1
        faults.append(
            f"Line {line} is not {encoding.upper()} text; give the encoding of the file, for instance with --encoding "
            f"{western(raw)}."
        )
        return raw.decode("latin-1")


def _ragged(ragged: Sequence[tuple[int, int]], width: int) -> str:
    k, n = ragged[0]
    values = "1 value" if n == 1 else f"{n} values"
    if len(ragged) == 1:
        return (
            f"Row {k} has {values}, and the header has {width} columns; correct the row, or give another --delimiter."
        )
    named = ", ".join(str(row) for row, _ in ragged[:_NAMED]) + (", ..." if len(ragged) > _NAMED else "")
    return (
        f"{len(ragged)} rows ({named}) have more or fewer values than the header has columns, row {k} for instance "
        f"{values}, not {width}; correct them, or give another --delimiter."
    )


def _numbered(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _written(rows: Sequence[Sequence[str]], path: str, layout: Layout) -> CsvFile:
    spool: Any = tempfile.TemporaryFile()  # noqa: SIM115
    text = io.TextIOWrapper(spool, encoding="utf-8", newline="", write_through=True)
    csv.writer(text, delimiter=layout.delimiter or ",", lineterminator="\n").writerows(rows)
    text.detach()
    return CsvFile(Bytes(path, spool), layout)
