"""Tables and queries of a database: a DuckDB file, or a PostgreSQL server through ADBC.

A query is run once, in a transaction that only reads, and its rows come in Arrow batches. A table is written in one
transaction: there it is whole, or not at all. Passwords are in no message.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from ..extras import needed

needed("pyarrow", "Reading a database needs", "database")

import pyarrow as pa  # noqa: E402

from .data_file import DataFile, DataFileError, NoSuchFile  # noqa: E402
from .spool import relation_reader, spooled  # noqa: E402

__all__ = ["Database", "duckdb_path", "open_database", "open_query", "query_of", "without_password"]

_POSTGRES = ("postgresql", "postgres")
_DUCKDB_ENDINGS = (".duckdb", ".ddb", ".db")


class Database(Protocol):
    """A database that can be read and written.

    Attributes
    ----------
    name : str
        Its address without the password.
    """

    name: str

    def read(self, sql: str) -> DataFile:
        """The rows of a query."""
        ...

    def check_new(self, table: str) -> None:
        """Raise DataFileError if there is such a table."""
        ...

    def write(self, table: str, schema: pa.Schema, batches: Iterable[Any]) -> None:
        """Write a new table, in one transaction."""
        ...


def open_query(url: str, *, sql: str | None = None, table: str | None = None) -> DataFile:
    """The rows of a query or a table, as a file of data.

    Parameters
    ----------
    url : str
        The path of a DuckDB file, or ``postgresql://user:password@host/database``.
    sql, table : str
        One of them: a query, or the name of a table, with its schema before a dot.

    Examples
    --------
    >>> import duckdb, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with duckdb.connect(f"{folder}/bank.duckdb") as bank:
    ...         _ = bank.execute("CREATE TABLE loans AS SELECT 30 AS age, 'Lyon' AS city")
    ...     open_query(f"{folder}/bank.duckdb", table="loans").table().to_pylist()
    [{'age': 30, 'city': 'Lyon'}]
    """
    return open_database(url).read(query_of(sql, table))


def query_of(sql: str | None, table: str | None) -> str:
    """The query of a table, or the query itself.

    Examples
    --------
    >>> query_of(None, "bank.loans")
    'SELECT * FROM "bank"."loans"'
    """
    if (sql is None) == (table is None):
        raise DataFileError("Give the rows of the database by a query or by the name of a table: sql or table.")
    return str(sql) if table is None else f"SELECT * FROM {quoted(table)}"


def quoted(table: str) -> str:
    """The name of a table, and of its schema before a dot, in quotation marks."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def open_database(url: str) -> Database:
    """The database at an address; nothing is opened yet."""
    scheme, _, rest = url.partition(":")
    if scheme in _POSTGRES and rest.startswith("//"):
        return _Postgres(url)
    path = duckdb_path(url)
    if path is not None:
        return _DuckDB(path)
    raise DataFileError(
        f"--database is {without_password(url)!r}; give the path of a DuckDB file (.duckdb), or an address such as "
        "postgresql://user@host/database."
    )


def duckdb_path(url: str) -> str | None:
    """The path of a DuckDB file; None if the address is not one.

    Examples
    --------
    >>> duckdb_path("duckdb:bank.db"), duckdb_path("bank.duckdb"), duckdb_path("postgresql://ann@host/bank")
    ('bank.db', 'bank.duckdb', None)
    """
    scheme, _, rest = url.partition(":")
    if scheme == "duckdb":
        return re.sub("^//(?=/|[^/])", "", rest)
    return url if url.lower().endswith(_DUCKDB_ENDINGS) or os.path.isfile(url) else None


def without_password(url: str) -> str:
    """The address with *** for its password.

    Examples
    --------
    >>> without_password("postgresql://ann:secret@host/bank?sslmode=require&password=x")
    'postgresql://ann:***@host/bank?sslmode=require&password=***'
    """
    hidden = re.sub(r"(?<=://)([^:/@?]*):.*@(?=[^@]*$)", r"\1:***@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1***", hidden, flags=re.IGNORECASE)


class _DuckDB:
    """A DuckDB file, in this process."""

    def __init__(self, path: str) -> None:
        self.name = path

    @contextmanager
    def _connection(self, *, read_only: bool) -> Iterator[Any]:
        duckdb = needed("duckdb", "Reading a DuckDB file needs", "database")
        if read_only and not os.path.isfile(self.name):
            raise NoSuchFile(f"There is no DuckDB file {self.name!r}.")
        try:
            with duckdb.connect(self.name, read_only=read_only) as connection:
                yield connection
        except duckdb.Error as error:
            raise _said(self.name, error) from None

    def read(self, sql: str) -> DataFile:
        with self._connection(read_only=True) as connection:
            found = connection.sql(sql)
            if found is None:
                raise DataFileError(f"{self.name}: the query gives no columns; give a SELECT.")
            return spooled(relation_reader(found), self.name)

    def check_new(self, table: str) -> None:
        if not os.path.exists(self.name):
            return
        with self._connection(read_only=True) as connection:
            import duckdb

            try:
                connection.execute(f"SELECT 1 FROM {quoted(table)} LIMIT 0")
            except duckdb.CatalogException:
                return
            raise _taken(self.name, table)

    def write(self, table: str, schema: pa.Schema, batches: Iterable[Any]) -> None:
        new = not os.path.exists(self.name)
        try:
            with self._connection(read_only=False) as connection:
                connection.execute("BEGIN")
                connection.register("rows_to_write", pa.RecordBatchReader.from_batches(schema, batches))
                connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM rows_to_write")
                connection.execute("COMMIT")
        except BaseException:
            if new and os.path.exists(self.name):  # a file that only this command has made
                os.unlink(self.name)
            raise


class _Postgres:
    """A PostgreSQL server."""

    def __init__(self, url: str) -> None:
        self.name = without_password(url)
        self._url = url
        try:
            parts = urlsplit(url)
            self._secrets = [unquote(parts.password)] if parts.password else []
            _ = parts.port
        except ValueError:
            raise DataFileError(f"--database is {self.name!r}, which has no valid host or port; correct it.") from None

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor of a transaction, which is rolled back at the end."""
        with self._connection() as connection, connection.cursor() as cursor:
            yield cursor

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """A connection whose transaction is rolled back unless it is committed."""
        adbc_driver_manager = needed("adbc_driver_manager", "Reading from PostgreSQL needs", "database")
        postgres = needed("adbc_driver_postgresql.dbapi", "Reading from PostgreSQL needs", "database")
        try:
            with postgres.connect(self._url) as connection:
                yield connection
        except adbc_driver_manager.Error as error:
            raise _said(self.name, error, self._secrets) from None

    def read(self, sql: str) -> DataFile:
        with self._cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(sql)
            reader = cursor.fetch_record_batch()
            if not reader.schema.names:
                raise DataFileError(f"{self.name}: the query gives no columns; give a SELECT.")
            return spooled(reader, self.name)

    def check_new(self, table: str) -> None:
        with self._cursor() as cursor:
            cursor.execute("SELECT to_regclass($1) IS NOT NULL", (quoted(table),))
            if cursor.fetchone()[0]:
                raise _taken(self.name, table)

    def write(self, table: str, schema: pa.Schema, batches: Iterable[Any]) -> None:
        *of_schema, name = table.split(".")
        with self._connection() as connection, connection.cursor() as cursor:
            reader = pa.RecordBatchReader.from_batches(schema, batches)
            cursor.adbc_ingest(name, reader, mode="create", db_schema_name=of_schema[0] if of_schema else None)
            connection.commit()


def _taken(name: str, table: str) -> DataFileError:
    return DataFileError(f"{name} already has a table {table!r}; give another name, or drop that table first.")


def _said(name: str, error: Exception, secrets: Iterable[str] = ()) -> DataFileError:
    """What the database says of an error, in one line, and without passwords."""
    said = " ".join(str(error).split())
    for word in secrets:
        said = said.replace(word, "***")
    return DataFileError(f"{name}: {without_password(said)}")
