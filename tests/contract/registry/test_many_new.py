"""Many new domains in one batch: each is there once, also beside somebody who adds the same ones."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import delete, func, select

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import RefusedByDatabase
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain
from tests.support.registry_help import origin


def _named(first: int, last: int) -> list[NewDomain]:
    return [NewDomain(f"site{number}.example", number + 1) for number in range(first, last)]


async def _counts(db: Database) -> list[int]:
    async with db.read() as tx:
        return [
            (await tx.execute(select(func.count()).select_from(table))).scalar_one()
            for table in (domains, domain_crawl)
        ]


async def test_two_batches_that_overlap_at_the_same_time_add_each_domain_once(db: Database) -> None:
    async def second() -> dict[str, int]:
        async with db.write() as tx:
            return await register.add_new(tx, _named(50, 150), origin())

    async with db.write() as tx:
        ours = await register.add_new(tx, _named(0, 100), origin())
        other = asyncio.create_task(second())
        await asyncio.sleep(0.2)  # it has looked what is known, and waits for us
    theirs = await other
    assert set(ours) == {f"site{number}.example" for number in range(100)}
    assert set(theirs) == {f"site{number}.example" for number in range(100, 150)}
    assert len({*ours.values(), *theirs.values()}) == 150
    assert await _counts(db) == [150, 150]


async def test_a_batch_with_a_name_that_the_database_refuses_leaves_nothing(db: Database) -> None:
    with pytest.raises(RefusedByDatabase):
        async with db.write() as tx:
            await register.add_new(tx, [*_named(0, 80), NewDomain("Not.Canonical")], origin())
    assert await _counts(db) == [0, 0]


async def test_numbers_of_domains_that_are_gone_are_not_given_again(db: Database) -> None:
    async with db.write() as tx:
        before = await register.add_new(tx, _named(0, 60), origin())
        await tx.execute(delete(domains).where(domains.c.no > 30))
    async with db.write() as tx:
        after = await register.add_new(tx, _named(100, 160), origin())
    assert min(after.values()) > max(before.values())
