"""Rows from a file or from a database, as the options of a command say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from ._errors import wrong_usage

__all__ = ["data_of"]


def data_of(
    context: typer.Context,
    data: str | None,
    database: str | None,
    sql: str | None,
    table: str | None,
    open_file: Callable[[str], Any],
    *,
    writes: bool = False,
) -> Any:
    """The opened file, or the rows of the database.

    Parameters
    ----------
    context : typer.Context
        Of the command, for its usage.
    data : str or None
        The file.
    database, sql, table : str or None
        The options.
    open_file : callable
        Opens the file.
    writes : bool
        Whether the database is also where the result goes, so that the rows may come from a file.
    """
    asked = sql is not None or table is not None
    if database is None:
        if asked:
            named = "--table" if sql is None else "--sql"
            wrong_usage(f"{named} is for a database; give its address with --database.", context)
        if data is None:
            wrong_usage("There is no DATA; give a file, or --database with --sql or --table.", context)
        return open_file(data)
    if data is not None and (asked or not writes):
        wrong_usage(f"Both DATA, {data!r}, and --database are given; give one of them.", context)
    if data is not None:
        return open_file(data)
    if (sql is None) == (table is None):
        wrong_usage("--database needs one of --sql and --table: the rows.", context)
    from ..data.database import open_query

    return open_query(database, sql=sql, table=table)
