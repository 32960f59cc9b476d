"""A process that is interrupted in the middle of a statement leaves no traceback of the pool behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
from pathlib import Path

import pytest
from sqlalchemy import text

from surveyor import logs
from surveyor.db import Database
from surveyor.settings import DatabaseSettings


async def _work(db: Database) -> None:
    async with db.write() as tx:
        for _ in range(20):
            await tx.execute(text("SELECT 1"))


async def test_cancelled_anywhere_it_prints_nothing(
    empty_db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [logs.library_handler()])
    chance = random.Random(7)
    for _ in range(25):
        db = Database.open(DatabaseSettings(url=empty_db_url), tmp_path)
        tasks = [asyncio.create_task(_work(db)) for _ in range(3)]
        await asyncio.sleep(chance.random() * 0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await db.close()
    gc.collect()  # what was given up speaks when it goes
    assert capfd.readouterr().err == ""
