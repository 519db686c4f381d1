"""What is wrong with a file that cannot be read, said at once: `check` goes on with the sound rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer

from ..data.data_file import DataFile, DataFileError, Layout
from ..data.load import open_data
from ..data.reading.faults import repaired
from ..data.reading.file import look_at
from ..data.reading.findings import Finding, sentences
from ..data.reading.suspects import suspicious_columns, without_identifiers
from ..data.sources import FileSource
from ._say import print_json, say
from ._training import Choice, read_training

__all__ = ["open_or_repair", "tell_faults"]


def open_or_repair(path: str, layout: Layout, faults: list[str]) -> DataFile:
    """The file; if it has faults, these are added to the list, and its sound rows are opened."""
    try:
        file = open_data(path, layout)
        if file.types is None:
            for _ in file.batches():
                pass
        return file
    except DataFileError as error:
        # what a mark that is not closed swallows is no fault of its own
        found = (
            None
            if path == "-" or type(error) is not DataFileError or "quotation mark" in str(error)
            else repaired(path, layout)
        )
        if found is None:
            raise
        faults += found.faults
        return found.file


def tell_faults(file: Any, choice: Choice, faults: Sequence[str], as_json: bool) -> None:
    """Print the faults of the text, those that the sound rows show, and what else was found in these; then exit.

    If there is only one thing to say, it returns: an error says that.
    """
    if isinstance(file, FileSource):
        return
    said, found = list(faults), list[Finding]()
    try:
        found = read_training(file, choice).all_findings()
    except DataFileError as error:
        said.append(str(error).removeprefix(f"{file.path}: "))
        names = [name for name in file.names if name not in (*choice.ignored, choice.target)]
        with suppress(DataFileError):
            look = look_at([file], names, choice.hints(file))
            spoiled = suspicious_columns(list(look.seen.values()))
            found = [*without_identifiers(look.findings, spoiled), *spoiled]
    said = [one if one.startswith(file.path) else f"{one[0].upper()}{one[1:]}" for one in said]
    if as_json:
        print_json({"data": file.path, "faults": said, "findings": [one.to_dict() for one in found]})
        raise typer.Exit(1)
    if len(said) + len(found) < 2:
        if faults:
            raise DataFileError(f"{file.path}: {faults[0][0].lower()}{faults[0][1:]}")
        return
    say(f"{file.path}: to correct before a model can be fitted:")
    for one in said:
        say(f"  {one}")
    if found:
        say("Of the rows that can be read:")
    for one in sentences(found):
        say(f"  {one[0].upper()}{one[1:]}")
    raise typer.Exit(1)
