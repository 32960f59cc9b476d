"""The schema's version: bring it up, take it down, and prove that it is what the code expects.

Every command asks for the proof, so it does without Alembic, which takes longer to load than many a
command to run: a revision is called as its file, and the database has one row with its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, column, inspect, select, table, text, update
from sqlalchemy.schema import DropIndex

from surveyor.db.dialect import turn
from surveyor.db.engine import Database
from surveyor.errors import BadSettings, SchemaOutdated, UsageError
from surveyor.settings import DatabaseSettings

if TYPE_CHECKING:
    from alembic.config import Config


# What this program's schema is, in a few digits: a revision says which migrations ran, not what was in them.
# Before the first release `0001_initial` is still written anew. A database keeps the digits it was made with,
# so that one of another build is refused in one line instead of failing somewhere later. A test holds the two
# values to the schema and prints what they should be.
#
# Tables with their columns, checks, unique indexes and triggers: another value cannot be brought up.
TABLES = "9d4d68534836"
# Indexes that only make things faster: another value is brought up by making them anew.
INDEXES = "816688d1980a"
_FINGERPRINT = f"{TABLES}-{INDEXES}"
_UNIQUE = "CREATE UNIQUE"


def measured(connection: Connection) -> tuple[str, str]:
    """The two values of a SQLite database as it is."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'"
    found = [(kind, name, " ".join(sql.split())) for kind, name, sql in connection.execute(text(query))]
    quick = [each for each in found if each[0] == "index" and not each[2].startswith(_UNIQUE)]
    return _digits([each for each in found if each not in quick]), _digits(quick)


def _digits(rows: list[tuple[str, str, str]]) -> str:
    return hashlib.sha256(repr(sorted(rows)).encode()).hexdigest()[:12]


def make_indexes(connection: Connection) -> None:
    """Every index of ours as this program wants it; those of others are left alone."""
    from surveyor.db.tables import metadata
    from surveyor.db.tables.base import complete

    complete(None, connection)
    for each_table in metadata.sorted_tables:
        for index in sorted(each_table.indexes, key=lambda each: str(each.name)):
            if not index.unique:
                connection.execute(DropIndex(index, if_exists=True))
                index.create(connection)


_FOLDER = Path(__file__).parent / "migrations"
_REVISION_FILES = "[0-9][0-9][0-9][0-9]_*.py"
_KEPT = table("alembic_version", column("version_num"), column("fingerprint"))
# As Alembic would make it, and a column beside: what the schema was when it was made.
_MAKE_KEPT = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY, fingerprint TEXT)"
_READ_KEPT = "SELECT * FROM alembic_version"
_AS_LONG_AS_IT_TAKES = 7 * 24 * 3600.0


def head() -> str:
    return revisions()[-1]


def revisions() -> list[str]:
    """Every revision that this program knows, the oldest first."""
    return sorted(file.stem for file in (_FOLDER / "versions").glob(_REVISION_FILES))


class Kept(NamedTuple):
    """What a database says of its schema."""

    revision: str | None = None
    fingerprint: str | None = None


async def current(db: Database) -> str | None:
    """The revision the database is at; None for an empty one."""
    async with db.read() as connection:
        return (await connection.run_sync(_kept)).revision


def _kept(connection: Connection) -> Kept:
    if not inspect(connection).has_table(_KEPT.name):
        return Kept()
    # A database from before the fingerprints has no such column.
    row = connection.exec_driver_sql(_READ_KEPT).mappings().one_or_none()
    return Kept(row["version_num"], row.get("fingerprint")) if row else Kept()


async def upgrade(db: Database, revision: str = "head") -> None:
    from alembic import command

    def up(connection: Connection, config: Config) -> None:
        before = _kept(connection)
        if before.revision == head():
            _require_upgradable(before)
        if not inspect(connection).has_table(_KEPT.name):
            if not db.is_sqlite:
                _require_unicode(connection.execute(text("SHOW server_encoding")).scalar_one())
            connection.execute(text(_MAKE_KEPT))
        command.upgrade(config, revision)
        if _kept(connection).revision == head() and before.fingerprint != _FINGERPRINT:
            if before.revision == head():
                make_indexes(connection)
            connection.execute(update(_KEPT).values(fingerprint=_FINGERPRINT))

    await _run(db, up)


async def upgrade_register(settings: DatabaseSettings, workspace: Path) -> bool:
    """Everything that the settings want of the database; True if URLs were moved into other tables.

    A new index or a move may take hours on a large register: no statement of it is given up.
    """
    from surveyor.db import partitions

    db = Database.open(settings.model_copy(update={"statement_seconds": _AS_LONG_AS_IT_TAKES}), workspace)
    try:
        await upgrade(db)
        return await partitions.arrange(db, settings.partitions)
    finally:
        await db.close()


async def downgrade(db: Database, revision: str) -> None:
    from alembic import command

    await _run(db, lambda _, config: command.downgrade(config, revision))


async def require_current(db: Database) -> None:
    """Refuse to work on a schema that is not ours, before anything is written to it."""
    async with db.read() as connection:
        kept = await connection.run_sync(_kept)
    found = kept.revision
    if found == head() and kept.fingerprint == _FINGERPRINT:
        return
    if found == head():
        _require_upgradable(kept)
        raise SchemaOutdated("the database lacks indexes of this program; run `surveyor db upgrade`")
    require_known(found)
    if found is None:
        raise SchemaOutdated("the database is empty; run `surveyor db upgrade`")
    raise SchemaOutdated(
        f"the database schema is at {found}, this program needs {head()}; run `surveyor db upgrade`"
    )


def _require_unicode(encoding: str) -> None:
    """Names and texts are of every script; what is made in another encoding meets one sooner or later."""
    if encoding != "UTF8":
        raise BadSettings(
            f"the database has the encoding {encoding}, which cannot hold every text; make one with"
            " `createdb --encoding=UTF8 --template=template0 NAME`"
        )


def require_known(revision: str | None) -> None:
    """Of a database or a backup: what it says it is, this program can do something with."""
    if revision is not None and revision not in revisions():
        raise SchemaOutdated(
            f"the schema {revision} is none of this program's: it is newer (update Surveyor), or of before"
            " the first release (make a new workspace with `surveyor init`, or name an empty database)"
        )


def _require_upgradable(kept: Kept) -> None:
    if (kept.fingerprint or "").partition("-")[0] != TABLES:
        raise SchemaOutdated(
            f"the schema {kept.revision} of this database is that of another build before the first release,"
            " which cannot be upgraded; make a new workspace with `surveyor init`, or name an empty database"
        )


async def _run(db: Database, act: Callable[[Connection, Config], None]) -> None:
    from alembic.util import CommandError

    def with_connection(sync: Connection) -> None:
        config = _config()
        config.attributes["connection"] = sync
        act(sync, config)

    async with db.write() as connection:
        await connection.execute(select(turn("schema")))
        require_known((await connection.run_sync(_kept)).revision)
        try:
            await connection.run_sync(with_connection)
        except CommandError as error:
            raise UsageError(f"{error}; the revisions are: base, {', '.join(revisions())}") from None


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.set_main_option("path_separator", "os")
    return config
