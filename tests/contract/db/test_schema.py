"""The schema: migrations and tables agree, there and back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from surveyor.db import Database, schema
from surveyor.db.tables import metadata
from surveyor.errors import SchemaOutdated
from surveyor.settings import DatabaseSettings
from tests.support.registry_help import add_domain


@pytest.fixture
def empty(empty_db_url: str, tmp_path: Path) -> Iterator[Database]:
    yield Database.open(DatabaseSettings(url=empty_db_url), tmp_path)


def shape(connection: Connection) -> dict[str, str]:
    """Everything the engine itself says about tables, constraints and indexes."""
    if connection.dialect.name == "sqlite":
        query = (
            "SELECT type || ' ' || name, sql FROM sqlite_master"
            " WHERE sql IS NOT NULL AND type <> 'trigger'"
            " AND name NOT LIKE 'sqlite_%' AND name <> 'alembic_version'"
        )
    else:
        query = (
            "SELECT 'column ' || table_name || '.' || column_name,"
            " concat_ws(' ', data_type, is_nullable, column_default, numeric_precision, numeric_scale,"
            " is_identity) FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
            " UNION ALL SELECT 'constraint ' || conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE connamespace = 'public'::regnamespace AND conname NOT LIKE 'alembic%'"
            " UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes"
            " WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
        )
    found = connection.execute(text(query)).all()
    return {name: _canonical(definition) for name, definition in found}


def _canonical(definition: str) -> str:
    """Constraints of a CREATE TABLE may stand in any order."""
    return "\n".join(sorted(line.strip().rstrip(",") for line in definition.splitlines()))


def test_files_are_named_after_the_revisions_that_follow_each_other() -> None:
    script = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    assert schema.revisions() == [each.revision for each in script.walk_revisions()][::-1]
    assert schema.head() == script.get_current_head()


def test_the_first_revision_is_frozen_before_a_second_one_follows() -> None:
    """docs/releasing.md says how: what it creates must no longer change with the tables of the program."""
    first = (Path(schema.__file__).parent / "migrations" / "versions" / "0001_initial.py").read_text()
    assert len(schema.revisions()) == 1 or "from surveyor.db.tables import" not in first


async def test_migrations_and_tables_describe_the_same_schema(empty: Database) -> None:
    await schema.upgrade(empty)
    async with empty.read() as tx:
        migrated = await tx.run_sync(shape)
    await schema.downgrade(empty, "base")
    async with empty.write() as tx:
        await tx.run_sync(metadata.create_all)
        created = await tx.run_sync(shape)
    await empty.close()
    assert migrated == created
    assert len(migrated) >= 10


async def test_down_leaves_nothing_behind_and_up_again_works(empty: Database) -> None:
    await schema.upgrade(empty)
    await add_domain(empty, "example.org")
    await schema.downgrade(empty, "base")
    async with empty.read() as tx:
        assert await tx.run_sync(shape) == {}
    await schema.upgrade(empty)
    await add_domain(empty, "example.org")
    await empty.close()


async def test_up_on_a_database_that_is_up_changes_nothing(db: Database) -> None:
    await add_domain(db, "example.org")
    await schema.upgrade(db)
    async with db.read() as tx:
        assert (await tx.execute(text("SELECT count(*) FROM domains"))).scalar_one() == 1


async def test_a_database_without_a_schema_is_refused_with_what_to_do(empty: Database) -> None:
    with pytest.raises(SchemaOutdated, match="surveyor db upgrade"):
        await schema.require_current(empty)
    await empty.close()


async def test_a_database_of_a_newer_program_is_refused_with_what_to_do(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(text("UPDATE alembic_version SET version_num = '9999_later'"))
    for act in (schema.require_current(db), schema.upgrade(db), schema.downgrade(db, "base")):
        with pytest.raises(SchemaOutdated, match="it is newer"):
            await act


async def test_the_fingerprint_is_that_of_the_schema(tmp_path: Path) -> None:
    db = Database.open(DatabaseSettings(), tmp_path)
    await schema.upgrade(db)
    async with db.read() as tx:
        measured = await tx.run_sync(schema.measured)
    await db.close()
    assert measured == (schema.TABLES, schema.INDEXES), "write these into db/schema.py"


async def test_an_index_of_another_build_is_asked_for_in_one_line_and_made_by_upgrade(db: Database) -> None:
    await add_domain(db, "example.org")
    other = f"{schema.TABLES}-000000000000"
    async with db.write() as tx:
        whole = await tx.run_sync(shape)
        await tx.execute(text("DROP INDEX ix_domains_names"))
        await tx.execute(text("CREATE INDEX of_somebody ON domains (domain)"))
        await tx.execute(text("UPDATE alembic_version SET fingerprint = :other"), {"other": other})
    with pytest.raises(SchemaOutdated, match="lacks indexes of this program; run `surveyor db upgrade`"):
        await schema.require_current(db)
    await schema.upgrade(db)
    await schema.require_current(db)
    async with db.read() as tx:
        after = await tx.run_sync(shape)
    assert after.pop("index of_somebody") and after == whole


@pytest.mark.parametrize("made_as", ["'123456789abc-123456789abc'", "NULL"])
async def test_tables_of_another_build_are_left_alone_and_refused_with_what_to_do(
    db: Database, made_as: str
) -> None:
    async with db.write() as tx:
        await tx.execute(text(f"UPDATE alembic_version SET fingerprint = {made_as}"))
        before = await tx.run_sync(shape)
    for act in (schema.require_current(db), schema.upgrade(db)):
        with pytest.raises(SchemaOutdated, match=r"another build .* make a new workspace .* `surveyor init`"):
            await act
    async with db.read() as tx:
        assert await tx.run_sync(shape) == before


async def test_a_database_from_before_the_fingerprints_is_refused_with_what_to_do(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(text("ALTER TABLE alembic_version DROP COLUMN fingerprint"))
    with pytest.raises(SchemaOutdated, match="make a new workspace"):
        await schema.require_current(db)


_UPGRADE = """
import asyncio, pathlib, sys
from surveyor.db import Database, schema
from surveyor.settings import DatabaseSettings

async def main():
    db = Database.open(DatabaseSettings(url=sys.argv[1]), pathlib.Path())
    await schema.upgrade(db)
    await db.close()

asyncio.run(main())
"""


async def test_processes_that_upgrade_at_once_do_not_hurt_each_other(
    empty: Database, empty_db_url: str
) -> None:
    starts = [subprocess.Popen([sys.executable, "-c", _UPGRADE, empty_db_url]) for _ in range(3)]
    assert [process.wait(60) for process in starts] == [0, 0, 0]
    await schema.require_current(empty)
    await empty.close()
