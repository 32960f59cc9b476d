"""Nobody needs to ask a database that nobody has written to."""

from __future__ import annotations

import pytest

from surveyor.db import Database
from surveyor.db.sqlite import FileWatch
from tests.support.registry_help import add_domains


async def test_a_look_after_a_write_is_never_spared(db: Database) -> None:
    watch = FileWatch(db.file, 1_000.0)
    assert not watch.is_unchanged()
    for count in (1, 2, 3):
        await add_domains(db, count)
        assert not watch.is_unchanged()


async def test_only_sqlite_is_left_alone_while_nothing_is_written(db: Database) -> None:
    watch = FileWatch(db.file, 1_000.0)
    await add_domains(db, 1)
    assert not watch.is_unchanged()
    async with db.read() as tx:
        await tx.exec_driver_sql("SELECT 1")
    assert watch.is_unchanged() == db.is_sqlite


@pytest.mark.parametrize("seconds", [0.0, -1.0])
async def test_what_is_due_by_the_clock_alone_is_asked_for_in_time(db: Database, seconds: float) -> None:
    watch = FileWatch(db.file, seconds)
    assert not watch.is_unchanged() and not watch.is_unchanged()
