"""Whole acts of judging that a shell asks for: each opens its own transactions."""

from __future__ import annotations

from surveyor.db import Database
from surveyor.judge.calibration import Calibration, calibrate
from surveyor.judge.store import decisions, results


async def waiting(db: Database, *, again: bool = False) -> int:
    """How many stored results there are to judge; for a progress bar."""
    async with db.read() as tx:
        return await results.count_to_judge(tx, again=again)


async def calibration(db: Database) -> Calibration:
    async with db.read() as tx:
        return calibrate(await decisions.decided(tx))
