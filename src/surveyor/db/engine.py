"""The way to the database: connections, transactions, and foreign errors translated.

`read` and `write` are the only ways in. A write on SQLite begins IMMEDIATE, so
that a transaction which read before it writes can never meet "busy" halfway.
What the driver raises comes out as one of our errors.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from surveyor import private
from surveyor.db import aiosqlite_batch, dialect, sqlite
from surveyor.db.pool_ping import ping_idle
from surveyor.errors import (
    BadSettings,
    DatabaseError,
    DatabaseUnreachable,
    Deadlocked,
    RefusedByDatabase,
    UnwritableValue,
)
from surveyor.settings import DatabaseSettings

DEFAULT_FILE = "surveyor.db"
# In a workspace whose register is in PostgreSQL. Its address may be in the environment alone; a shell
# without it must not begin a second register on SQLite.
MARK_FILE = "register-is-elsewhere.txt"


class Database:
    """One engine with its pool. Always `close()` it: a thread of the driver waits otherwise."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._writing = engine.execution_options(surveyor_write=True)  # the same connections
        self.dialect_name: str = engine.dialect.name
        self.is_sqlite = self.dialect_name == "sqlite"
        # SQLite lets one write at a time. Those of this process wait in line here, which is fair and
        # free: left to SQLite, each would hold a connection and poll for its turn.
        self._turn = asyncio.Lock() if self.is_sqlite else nullcontext()
        self._is_closed = False

    @classmethod
    def open(cls, settings: DatabaseSettings, workspace: Path) -> Database:
        if not settings.url and (workspace / MARK_FILE).exists():
            raise _elsewhere(workspace / MARK_FILE)
        url = dialect.driver_url(settings.url or f"sqlite:///{(workspace / DEFAULT_FILE).absolute()}")
        if url.startswith("postgresql+asyncpg://"):
            return cls(_postgresql(_parsed(url), settings))
        if url.startswith("sqlite+aiosqlite://"):
            return cls(_sqlite(url, settings))
        raise BadSettings("database.url must begin with sqlite:// or postgresql://")

    @property
    def file(self) -> Path | None:
        """The SQLite file, where there is one."""
        name = self.engine.url.database
        return Path(name) if self.is_sqlite and name and name != ":memory:" else None

    @property
    def shown_url(self) -> str:
        url = self.engine.url
        if url.database:  # a file may have a name that is no text
            url = url.set(database=url.database.encode("utf-8", "replace").decode())
        return url.render_as_string(hide_password=True)

    def read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that sees one moment and changes nothing."""
        return self._transaction(self.engine, nullcontext())

    def write(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that commits at the end, or leaves no trace."""
        return self._transaction(self._writing, self._turn)

    @asynccontextmanager
    async def _transaction(
        self, engine: AsyncEngine, turn: AbstractAsyncContextManager[None]
    ) -> AsyncIterator[AsyncConnection]:
        if self._is_closed:  # its pool would begin anew, and nobody would close that one
            raise DatabaseUnreachable("this register was closed; open it again")
        async with turn:
            try:
                connection = await engine.connect()
            except (exc.SQLAlchemyError, OSError) as error:  # asyncpg lets the socket's own errors through
                raise _translated(self.shown_url, error) from error
            try:
                try:
                    async with connection.begin():
                        yield connection
                finally:
                    if self._is_closed:  # its pool is gone, and would keep it for nobody
                        await connection.invalidate()
                    await connection.close()
            except (exc.SQLAlchemyError, TimeoutError) as error:
                raise _translated(self.shown_url, error) from error

    def mark(self, workspace: Path) -> None:
        """Leave word in the workspace that its register is in PostgreSQL; no password, no user."""
        url, file = self.engine.url, workspace / MARK_FILE
        address = f"{url.host or 'localhost'}{f':{url.port}' if url.port else ''}/{url.database}"
        with contextlib.suppress(OSError):  # a folder that cannot be written cannot hold a second register
            if not file.exists() or file.read_text(encoding="utf-8").strip() != address:
                file.write_text(f"{address}\n", encoding="utf-8")

    def insert(self, table: Any) -> Any:
        return dialect.insert(table, self.dialect_name)

    async def close(self) -> None:
        self._is_closed = True
        await self.engine.dispose()


def _elsewhere(file: Path) -> BadSettings:
    address = " ".join(file.read_text(encoding="utf-8", errors="replace").split())[:200]
    return BadSettings(
        f"the register of this workspace is in PostgreSQL ({address}), and its address is missing here: set"
        f" SURVEYOR_DATABASE__URL, or database.url in surveyor.toml; to begin anew on SQLite, remove {file}"
    )


def _parsed(url: str) -> URL:
    with contextlib.suppress(ValueError, exc.ArgumentError):  # what they say may show the password
        if url.partition("?")[0].count("@") < 2:  # else the end of a password passes for a host
            return make_url(url)
    raise BadSettings(
        "database.url is no address like postgresql://user:password@host:5432/name; in a user and a"
        " password write @ as %40, : as %3A, / as %2F, # as %23 and % as %25"
    )


def _for_libpq(url: URL) -> tuple[URL, str]:
    """The address, and apart from it what other programs understand behind the `?` too, such as sslmode
    and options, for asyncpg to read: as arguments it does not know them."""
    import asyncpg

    known = {*signature(asyncpg.connect).parameters, *_OF_SQLALCHEMY}
    others = {name: value for name, value in url.query.items() if name not in known}
    return url.difference_update_query(others), f"postgresql://?{urlencode(others, doseq=True)}"


_OF_SQLALCHEMY = ("prepared_statement_cache_size", "prepared_statement_name_func")


def _postgresql(given: URL, settings: DatabaseSettings) -> AsyncEngine:
    url, also = _for_libpq(given)
    engine = create_async_engine(
        url,
        pool_size=settings.pool_size,
        pool_use_lifo=True,  # the one used last has its statements prepared and its pages cached
        max_overflow=0,
        connect_args={
            "dsn": also,
            "timeout": 10,
            "command_timeout": settings.statement_seconds,
            "server_settings": {
                "application_name": "surveyor",
                # The server gives up by itself too, where the client's word does not arrive.
                "statement_timeout": str(int(settings.statement_seconds * 1000)),
                "idle_in_transaction_session_timeout": "60000",
                "timezone": "UTC",
                "jit": "off",  # our statements are short; compiling them costs more than it saves
            },
        },
    )
    ping_idle(engine)
    return engine


def _sqlite(url: str, settings: DatabaseSettings) -> AsyncEngine:
    name = make_url(url).database
    if name and name != ":memory:":
        private.make_folder(Path(name).parent)
    engine = create_async_engine(
        url,
        pool_size=settings.pool_size,
        pool_use_lifo=True,  # the one used last has its statements prepared and its pages cached
        max_overflow=0,
    )
    engine.dialect.statement_compiler = dialect.SqliteCompiler

    @event.listens_for(engine.sync_engine, "do_connect")
    def _connect(own: Any, _record: object, arguments: Any, options: Any) -> Any:
        # SQLite gives the files beside it the rights of the first. Where it cannot be made, SQLite says why.
        if name and name != ":memory:":
            with contextlib.suppress(OSError):
                os.close(os.open(name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, private.FILE))
        connection = aiosqlite_batch.connect(own.dbapi, *arguments, **options)
        try:
            sqlite.prepare(connection, settings.synchronous)
        except BaseException:
            connection.close()  # or its thread would outlive the loop
            raise
        return connection

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        write = connection.get_execution_options().get("surveyor_write", False)
        connection.connection.driver_connection.begin(write=write)

    return engine


def _translated(url: str, error: Exception) -> Exception:
    """The driver's error as one of ours."""
    if isinstance(error, exc.IntegrityError):
        return RefusedByDatabase(_first_line(error))
    if damage := _of_the_file(url, error):
        return damage
    if _is_unreachable(error):
        return _unreachable(url, error)
    if isinstance(error, exc.DBAPIError) and _is_given_up(error):
        return DatabaseError(
            "a statement took longer than database.statement_seconds allows; what was not committed is undone"
        )
    if isinstance(error, exc.DBAPIError) and _state(error) in _DEADLOCKED:
        return Deadlocked(_first_line(error))
    return UnwritableValue(_first_line(error)) if _is_unwritable(error) else DatabaseError(_first_line(error))


def _of_the_file(url: str, error: BaseException) -> DatabaseError | None:
    """What is wrong with the SQLite file or the disk below it, and what to do about it."""
    if not isinstance(error, exc.DBAPIError):
        return None
    said = str(error.orig)
    for signs, kind, message in _FILE_TROUBLES:
        if any(sign in said for sign in signs):
            return kind(f"{url.split('///', 1)[-1]} {message} ({_first_line(error)})")
    return None


_FILE_TROUBLES: tuple[tuple[tuple[str, ...], type[DatabaseError], str], ...] = (
    (
        ("file is not a database", "malformed"),
        DatabaseError,
        "is damaged: stop what works on it, move it away and run `surveyor restore` with a backup,"
        " or rescue what is left with `sqlite3 FILE .recover`",
    ),
    (
        ("database or disk is full", "disk I/O error"),
        DatabaseUnreachable,
        "cannot be written: make room on its disk, then run it again; what was committed is kept",
    ),
    (
        ("attempt to write a readonly database", "unable to open database file"),
        DatabaseUnreachable,
        "cannot be opened for writing: make the file and its folder writable, or name another --workspace",
    ),
)


def _is_unreachable(error: BaseException) -> bool:
    if isinstance(error, exc.DBAPIError):
        if _state(error) in _FOR_NOW:
            return True
        return error.connection_invalidated or any(sign in str(error.orig) for sign in _UNREACHABLE)
    return isinstance(error, OSError | exc.TimeoutError) or getattr(error, "sqlstate", None) in _FOR_NOW


def _is_given_up(error: exc.DBAPIError) -> bool:
    """After the time that the settings give a statement: by the driver, or by the server."""
    return isinstance(error.orig, TimeoutError) or _state(error) == "57014"


def _is_unwritable(error: BaseException) -> bool:
    """A value is to blame, not the statement: SQLSTATE class 22, or what SQLite calls the same."""
    if not isinstance(error, exc.DBAPIError):
        return False
    return isinstance(error, exc.DataError) or _state(error).startswith("22")


def _state(error: exc.DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", None) or "")


# SQLSTATEs of a server that takes no more connections, or no writes: a standby, until it is the primary.
_FOR_NOW = ("53300", "25006")
# SQLSTATEs of a transaction that may be tried again as it was.
_DEADLOCKED = ("40P01", "40001")


def _unreachable(url: str, error: BaseException | None) -> DatabaseUnreachable:
    return DatabaseUnreachable(
        f"the database at {url} does not answer ({_first_line(error)}); start it, or check database.url"
    )


_UNREACHABLE = (
    "database is locked",
    "connection is closed",
    "connection was closed",
    "the database system is",
    "terminating connection",
    "Connect call failed",
)


def _first_line(error: BaseException | None) -> str:
    original = getattr(error, "orig", None) or error
    text = str(original).strip().splitlines()
    line = text[0] if text else type(original).__name__
    return line.split(">: ", 1)[-1]
