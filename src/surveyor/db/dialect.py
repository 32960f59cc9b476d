"""All differences between SQLite and PostgreSQL, by name.

Everything else in the project writes one statement for both engines. What is
here: the database's clock, insert with a conflict clause, and the driver names.
`FOR UPDATE SKIP LOCKED` needs no entry: SQLAlchemy leaves it out for SQLite,
where a writing transaction already holds the only write lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    Dialect,
    Select,
    Table,
    Text,
    TypeDecorator,
    bindparam,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import FunctionElement
from sqlalchemy.types import TypeEngine

from surveyor.db.types import UtcTime

# The text format of UtcTime in SQLite.
SQLITE_TIME = "%Y-%m-%d %H:%M:%f"
# Events are numbered in the order of commits there: one writer, no row ever removed.
_NEXT_EVENT = "(SELECT coalesce(max(id), 0) + 1 FROM events)"


class _PerEngine(FunctionElement[Any]):
    """A text for each engine; `{0}` and `{1}` in it stand for the arguments."""

    type: TypeEngine[Any] = BigInteger()
    inherit_cache = True  # said by each class, or SQLAlchemy compiles its statements anew
    on_sqlite: str
    on_postgresql: str


@compiles(_PerEngine, "sqlite")
def _sqlite(element: _PerEngine, compiler: Any, **kw: Any) -> str:
    return element.on_sqlite.format(*(compiler.process(clause, **kw) for clause in element.clauses))


@compiles(_PerEngine, "postgresql")
def _postgresql(element: _PerEngine, compiler: Any, **kw: Any) -> str:
    return element.on_postgresql.format(*(compiler.process(clause, **kw) for clause in element.clauses))


class now(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """The database's time, fixed for the length of one statement, so that an index can use it."""

    type = UtcTime()
    inherit_cache = True
    name = "now"
    on_sqlite, on_postgresql = f"strftime('{SQLITE_TIME}', 'now')", "statement_timestamp()"


async def current_time(tx: AsyncConnection) -> datetime:
    """The database's time, as a value."""
    found: datetime = (await tx.execute(select(now()))).scalar_one()
    return found


class _Later(_PerEngine):
    type = UtcTime()
    inherit_cache = True
    name = "later"
    on_sqlite = f"strftime('{SQLITE_TIME}', 'now', ({{0}}) || ' seconds')"
    on_postgresql = "(statement_timestamp() + make_interval(secs => ({0})::double precision))"


def later(seconds: float | ColumnElement[Any]) -> ColumnElement[Any]:
    """The database's time plus so many seconds."""
    return _Later(bindparam(None, float(seconds)) if isinstance(seconds, int | float) else seconds)


class _Earlier(_PerEngine):
    type = UtcTime()
    inherit_cache = True
    name = "earlier"
    on_sqlite, on_postgresql = "min(coalesce({0}, {1}), coalesce({1}, {0}))", "least({0}, {1})"


def earlier(first: ColumnElement[Any], second: ColumnElement[Any]) -> ColumnElement[Any]:
    """The earlier of two times; an empty one does not count."""
    return _Earlier(first, second)


class behind_dot(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """What stands behind the first dot of a name; all of it where there is none."""

    type = Text()
    inherit_cache = True
    name = "behind_dot"
    on_sqlite, on_postgresql = "substr({0}, instr({0}, '.') + 1)", "substr({0}, strpos({0}, '.') + 1)"


class transaction_number(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """The number of the running transaction; SQLite has one writer, so an event's own number serves."""

    inherit_cache = True
    name = "transaction_number"
    on_sqlite, on_postgresql = _NEXT_EVENT, "(pg_current_xact_id()::text)::bigint"


class oldest_running(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """Every transaction with a smaller number has ended: what it wrote can be seen, or never was."""

    inherit_cache = True
    name = "oldest_running"
    on_sqlite, on_postgresql = _NEXT_EVENT, "(pg_snapshot_xmin(pg_current_snapshot())::text)::bigint"


class _Turn(_PerEngine):
    inherit_cache = True
    name = "turn"
    on_sqlite = "1"  # a writing transaction already is the only one
    on_postgresql = "pg_advisory_xact_lock(hashtextextended({0}, 0))"


def turn(what: str) -> ColumnElement[Any]:
    """Held to the end of the transaction: of those that select the same turn, one at a time goes on."""
    return _Turn(bindparam(None, f"surveyor {what}"))


class index_walks(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """For the rest of the transaction rows are looked up one by one: PostgreSQL's planner would rather read
    a whole table than twenty thousand rows of it, and reads from a disk that has long been in memory."""

    inherit_cache = True
    name = "index_walks"
    on_sqlite = "1"
    on_postgresql = (
        "length(concat(set_config('enable_seqscan', 'off', true),"
        " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)))"
    )


class one_process(_PerEngine):  # noqa: N801 - reads like a function in a statement
    """For the rest of the transaction PostgreSQL answers with one process: what is counted in the background
    leaves the other processors to those who wait for a page."""

    inherit_cache = True
    name = "one_process"
    on_sqlite = "1"
    on_postgresql = "length(set_config('max_parallel_workers_per_gather', '0', true))"


class _List(TypeDecorator[Sequence[Any]]):
    """Many texts or numbers as one value."""

    impl = Text
    cache_ok = True

    def __init__(self, of_numbers: bool) -> None:
        super().__init__()
        self.of_numbers = of_numbers

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        of = BigInteger() if self.of_numbers else Text()
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else ARRAY(of))

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> Any:
        return json.dumps(list(value or ())) if dialect.name == "sqlite" else list(value or ())


class _Among(_PerEngine):
    type = Boolean()
    inherit_cache = True
    name = "among"
    on_sqlite, on_postgresql = "{0} IN (SELECT value FROM json_each({1}))", "{0} = ANY ({1})"

    def self_group(self, against: Any = None) -> _Among:
        """As it stands: SQLAlchemy would write `... = 1` for SQLite, which then uses no index."""
        return self


def among(column: ColumnElement[Any], values: Iterable[str] | Iterable[int]) -> ColumnElement[bool]:
    """One of many texts or numbers, as one value: `in_` writes a statement anew for every length of its list,
    each connection prepares it, and PostgreSQL plans 512 values for 9 ms each time.

    What it costs: where PostgreSQL keeps one plan for all lists, it looks into every partition. A long list
    is in all of them anyway; a list of one takes 30 us more.
    """
    of_numbers = isinstance(column.type, BigInteger)
    return _Among(column, bindparam(None, list(values), type_=_List(of_numbers)))


class SqliteCompiler(sqlite.base.SQLiteCompiler):
    """Writes the hints of `by_index`, which SQLAlchemy leaves out for SQLite."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


def by_index(query: Select[Any], table: Table, index: str) -> Select[Any]:
    """Let the query walk that index. SQLite's planner takes the table's own order for a filter that fits
    nearly half of the rows, and then reads all of them to find the few that fit the rest."""
    return query.with_hint(table, f"INDEXED BY {index}", "sqlite")


def insert(table: Table, dialect_name: str) -> Any:
    """An INSERT that knows ON CONFLICT; both engines spell it alike."""
    if dialect_name == "postgresql":
        from sqlalchemy.dialects import postgresql  # a start on SQLite does without

        return postgresql.insert(table)
    return sqlite.insert(table)


def driver_url(url: str) -> str:
    """The URL an operator writes, with the asynchronous driver named."""
    for prefix, driver in (
        ("postgresql://", "postgresql+asyncpg://"),
        ("postgres://", "postgresql+asyncpg://"),
    ):
        if url.startswith(prefix):
            return driver + url[len(prefix) :]
    if url.startswith("sqlite://"):
        return "sqlite+aiosqlite://" + url[len("sqlite://") :]
    return url
