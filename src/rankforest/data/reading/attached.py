"""A recipe that travels with the table that was made by it, in the metadata of an Arrow table."""

from __future__ import annotations

import json
import sys
from typing import Any

from .recipe import Reading

__all__ = ["attach_reading", "attached_reading"]

_KEY = b"rankforest.reading"


def attach_reading(table: Any, reading: Reading) -> Any:
    """The Arrow table with its recipe; a model that is fitted on it keeps the recipe in its schema.

    Columns that are taken as they are need none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from .recipe import ColumnReading
    >>> reading = Reading((ColumnReading("opened", "date"),))
    >>> attached_reading(attach_reading(pa.table({"opened": [1.0]}), reading)) == reading
    True
    """
    if reading.is_plain and (reading.label is None or not reading.label.spellings):
        return table
    metadata = table.schema.metadata or {}
    return table.replace_schema_metadata({**metadata, _KEY: json.dumps(reading.to_dict())})


def attached_reading(X: Any) -> Reading | None:
    """The recipe of a table; None if it has none, or is not an Arrow table."""
    arrow = sys.modules.get("pyarrow")
    if arrow is None or not isinstance(X, arrow.Table):
        return None
    found = (X.schema.metadata or {}).get(_KEY)
    return None if found is None else Reading.from_dict(json.loads(found), X.column_names)
