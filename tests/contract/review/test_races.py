"""Reviewers against each other and against workers: no decision lost, the loser is told what changed."""

from __future__ import annotations

from lab.races import Plan, race
from surveyor.db import Database
from tests.support.lease_help import second_door


async def test_sixty_races_lose_no_decision(db: Database, db_url: str) -> None:
    async with second_door(db_url) as other:
        report = await race(db, other, Plan(races=60, seed=5))
    assert report.violations == []
    assert report.races == 60
    assert min(report.lost_by.values()) > 0, "each kind of race was lost by somebody"
