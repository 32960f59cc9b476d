"""The schema's version: bring it up, take it down, and prove that it is what the code expects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, select

from surveyor.db.dialect import turn
from surveyor.db.engine import Database
from surveyor.errors import SchemaOutdated, UsageError

_FOLDER = Path(__file__).parent / "migrations"


def head() -> str:
    found = ScriptDirectory.from_config(_config()).get_current_head()
    assert found is not None
    return found


async def current(db: Database) -> str | None:
    """The revision the database is at; None for an empty one."""
    async with db.read() as connection:
        return await connection.run_sync(lambda sync: MigrationContext.configure(sync).get_current_revision())


async def upgrade(db: Database, revision: str = "head") -> None:
    await _run(db, lambda config: command.upgrade(config, revision))


async def downgrade(db: Database, revision: str) -> None:
    await _run(db, lambda config: command.downgrade(config, revision))


async def require_current(db: Database) -> None:
    """Refuse to work on a schema that is not ours, before anything is written to it."""
    found = await current(db)
    if found == head():
        return
    if found is None:
        raise SchemaOutdated("the database is empty; run `surveyor db upgrade`")
    if found in _revisions():
        raise SchemaOutdated(
            f"the database schema is at {found}, this program needs {head()}; run `surveyor db upgrade`"
        )
    raise SchemaOutdated(f"the database schema ({found}) is newer than this program; update Surveyor")


async def _run(db: Database, act: Callable[[Config], None]) -> None:
    def with_connection(sync: Connection) -> None:
        config = _config()
        config.attributes["connection"] = sync
        act(config)

    async with db.write() as connection:
        await connection.execute(select(turn("schema")))
        try:
            await connection.run_sync(with_connection)
        except CommandError as error:
            raise UsageError(f"{error}; the revisions are: base, {', '.join(_revisions())}") from None


def _revisions() -> list[str]:
    return sorted(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.set_main_option("path_separator", "os")
    return config
