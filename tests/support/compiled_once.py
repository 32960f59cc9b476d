"""Statements are compiled once for all databases of a test process.

SQLAlchemy keeps what it compiled with each engine. Here every test has an engine of its own, and a quarter of
the time of the contract suite went into compiling the same statements again. So engines are made with one
`compiled_cache`, an option that SQLAlchemy documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.ext.asyncio import AsyncEngine

from surveyor.db import engine

_KINDS = (SQLiteDialect_aiosqlite, PGDialect_asyncpg)
_compiled: dict[Any, Any] = {}  # some hundreds of statements for each kind of database


def begin() -> None:
    """From now on in this process."""
    for kind in _KINDS:  # the key of what was compiled names the dialect, which each engine has its own of
        kind.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
        kind.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]
    engine.create_async_engine = _sharing(engine.create_async_engine)  # type: ignore[attr-defined]


def _sharing(create: Callable[..., AsyncEngine]) -> Callable[..., AsyncEngine]:
    def made(*arguments: Any, **options: Any) -> AsyncEngine:
        mine = options.pop("execution_options", {}) | {"compiled_cache": _compiled}
        return create(*arguments, execution_options=mine, **options)

    return made
