"""SQLite in a thread, with one trip there and back for each statement.

aiosqlite sends every call to the connection's thread: to make a cursor, to execute, to fetch, to
close. Each trip costs two switches of threads and a round of the event loop, which on a busy worker
is far more than the statement itself. Here a statement takes its first rows along, a cursor is made
where it is used and dropped where it was read to its end, and nothing is rolled back that never began.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from surveyor.db import sqlite  # puts the sound SQLite in place, and so must come first

import sqlite3  # isort: skip
import aiosqlite  # isort: skip

assert sqlite  # imported for what it does

# Rows that come with the statement; most results are shorter.
_FIRST_ROWS = 512
_CHUNK_ROWS = 64  # aiosqlite's own, for those who iterate


class BatchCursor:
    """What SQLAlchemy asks of an asynchronous cursor."""

    def __init__(self, connection: BatchConnection) -> None:
        self._connection = connection
        self._cursor: Any = None  # made by the first statement, in the connection's thread
        self._rows: list[Any] = []
        self._is_open = False  # there may be more rows than were fetched
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    @property
    def description(self) -> Any:
        return None if self._cursor is None else self._cursor.description

    @property
    def rowcount(self) -> int:
        return -1 if self._cursor is None else int(self._cursor.rowcount)

    @property
    def lastrowid(self) -> int | None:
        return None if self._cursor is None else self._cursor.lastrowid

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        self._rows = await self._connection.call(self._run, sqlite3.Cursor.execute, sql, parameters)
        self._is_open = len(self._rows) == _FIRST_ROWS
        return self

    async def executemany(self, sql: str, parameters: Any) -> Self:
        await self._connection.call(self._run, sqlite3.Cursor.executemany, sql, parameters)
        return self

    def _run(self, execute: Callable[..., Any], sql: str, parameters: Any) -> list[Any]:
        self._cursor = cursor = self._connection._conn.cursor()
        try:
            execute(cursor, sql, parameters)
        except (UnicodeEncodeError, OverflowError) as error:
            # Text with lone surrogates and numbers over 64 bits leave the driver as errors of Python, not of
            # the database: nobody above would know them for what they are.
            raise sqlite3.DataError(str(error)) from error
        return cursor.fetchmany(_FIRST_ROWS) if cursor.description else []

    async def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        if self._is_open:
            rows += await self._connection.call(self._cursor.fetchall)
            self._is_open = False
        return rows

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        wanted = self.arraysize if size is None else size
        rows, self._rows = self._rows[:wanted], self._rows[wanted:]
        if len(rows) < wanted and self._is_open:
            more = await self._connection.call(self._cursor.fetchmany, wanted - len(rows))
            self._is_open = len(more) == wanted - len(rows)
            rows += more
        return rows

    async def fetchone(self) -> Any:
        rows = await self.fetchmany(1)
        return rows[0] if rows else None

    async def close(self) -> None:
        if self._is_open:  # a statement that was not read to its end would keep its lock
            self._is_open = False
            await self._connection.call(self._cursor.close)


class BatchConnection(aiosqlite.Connection):
    _is_settled = True  # every call came back: nothing runs in the thread that nobody waits for

    def cursor(self) -> BatchCursor:  # type: ignore[override]
        return BatchCursor(self)

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a function in the connection's thread."""
        self._is_settled = False
        try:
            result = await self._execute(function, *arguments)  # type: ignore[no-untyped-call]
        except Exception:  # the database's; a cancelled call goes on in the thread
            self._is_settled = True
            raise
        self._is_settled = True
        return result

    async def rollback(self) -> None:
        """The pool asks for it whenever a connection comes back; most have committed by then."""
        if not self._is_settled or self._conn.in_transaction:
            await super().rollback()
            self._is_settled = True


def connect(file: str, **options: Any) -> BatchConnection:
    """For SQLAlchemy, which waits for the connection to be there."""
    connection = BatchConnection(lambda: sqlite3.connect(file, **options), _CHUNK_ROWS)
    connection._thread.daemon = True  # as SQLAlchemy does with those it makes itself
    return connection
