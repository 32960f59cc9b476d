"""SQLite in a thread, with one trip there and back for each statement.

aiosqlite sends every call to the connection's thread: to make a cursor, to execute, to fetch, to
close. Each trip costs two switches of threads and a round of the event loop, which on a busy worker
is far more than the statement itself. Here a statement brings its rows with it, a transaction begins
with its first statement, nobody waits for the end of one that only read, and nothing is rolled back
that never began. Streamed results, which nothing but an import of others has, are aiosqlite's own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_connection, AsyncAdapt_aiosqlite_cursor
from sqlalchemy.util import EMPTY_DICT, await_

from surveyor.db import sqlite  # puts the sound SQLite in place, and so must come first

import sqlite3  # isort: skip
import aiosqlite  # isort: skip

assert sqlite  # imported for what it does

_CHUNK_ROWS = 64  # aiosqlite's own, for those who iterate


class BatchCursor(AsyncAdapt_aiosqlite_cursor):
    """A statement and all its rows in one trip; SQLAlchemy takes them from `_rows`."""

    __slots__ = ()
    _awaitable_cursor_close = False  # SQLite's own is at its end by then, and holds nothing

    def __init__(self, adapt_connection: Any) -> None:
        self._adapt_connection, self._connection = adapt_connection, adapt_connection._connection
        self._cursor: Any = adapt_connection._connection._conn.cursor()  # opens nothing yet
        self._rows = deque()
        self._soft_closed_memoized = EMPTY_DICT

    def execute(self, operation: Any, parameters: Any = ()) -> None:
        self._rows = self._run(sqlite3.Cursor.execute, operation, parameters or ())

    def executemany(self, operation: Any, seq_of_parameters: Any) -> None:
        self._run(sqlite3.Cursor.executemany, operation, seq_of_parameters)

    def _run(self, *statement: Any) -> deque[Any]:
        connection: Any = self._connection
        try:
            return await_(connection.send(connection.run, self._cursor, *statement))
        except Exception as error:
            self._adapt_connection._handle_exception(error)


class BatchConnection(aiosqlite.Connection):
    _begin: str | None = None  # how to begin, until the first statement did
    _is_write = False
    _is_left = False  # its end was sent, and nobody waits for it
    _last: asyncio.Future[Any] | None = None  # the answer to what was sent last

    def begin(self, *, write: bool) -> None:
        self._begin, self._is_write, self._is_left = "BEGIN IMMEDIATE" if write else "BEGIN", write, False

    def send(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Run a function in the connection's thread; whoever stops waiting does not stop it."""
        if self._connection is None:
            raise ValueError("Connection closed")
        self._last = answer = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((answer, partial(function, *arguments)))
        return answer

    def run(self, cursor: Any, execute: Callable[..., Any], sql: str, parameters: Any) -> deque[Any]:
        """In the thread: a statement, and whatever rows it has."""
        if self._begin is not None:
            begin, self._begin = self._begin, None
            self._conn.execute(begin)
        try:
            execute(cursor, sql, parameters)
        except (UnicodeEncodeError, OverflowError) as error:
            # Text with lone surrogates and numbers over 64 bits leave the driver as errors of Python, not of
            # the database: nobody above would know them for what they are.
            raise sqlite3.DataError(str(error)) from error
        return deque(cursor.fetchall() if cursor.description else ())

    async def commit(self) -> None:
        if self._begin is not None:
            self._begin = None  # nothing was asked
        elif self._is_write:
            await self.send(self._conn.commit)
        else:
            self._is_left = True
            self._tx.put_nowait((None, self._conn.commit))

    async def rollback(self) -> None:
        """The pool asks for it whenever a connection comes back; most have committed by then."""
        was_given_up = self._last is not None and self._last.cancelled()  # and may run in the thread still
        if was_given_up or (self._begin is None and not self._is_left and self._conn.in_transaction):
            await self.send(self._conn.rollback)
        self._begin = None


class _Adapted(AsyncAdapt_aiosqlite_connection):
    """As SQLAlchemy knows a connection."""

    __slots__ = ()
    _cursor_cls = BatchCursor


def connect(dbapi: Any, file: str, **options: Any) -> AsyncAdapt_aiosqlite_connection:
    """For SQLAlchemy, once the connection is there."""
    connection: Any = BatchConnection(lambda: sqlite3.connect(file, **options), _CHUNK_ROWS)
    connection._thread.daemon = True  # as SQLAlchemy does with those it makes itself
    return _Adapted(dbapi, await_(connection))
