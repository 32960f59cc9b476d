"""Short ways to name domains and to look at what became of them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import pages
from surveyor.registry import feed
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, rows
from surveyor.review.submissions import Intake, Submission, SubmissionAnswer, Submitter, submit
from tests.support.registry_help import ADMIN, REVIEWER, add_domain

STAFF = Submitter.of(REVIEWER)
PUBLIC = Submitter.public("192.0.2.1")
INTAKE = Intake()


async def name_it(
    db: Database, text: str, by: Submitter = PUBLIC, intake: Intake = INTAKE, **more: Any
) -> SubmissionAnswer:
    return await submit(db, Submission(text, **more), by, intake)


async def find(db: Database, name: str) -> Domain | None:
    async with db.read() as tx:
        return await rows.find(tx, name)


async def found(db: Database, name: str) -> Domain:
    domain = await find(db, name)
    assert domain is not None
    return domain


async def in_state(db: Database, name: str, state: str) -> Domain:
    """A domain in one of the conditions that submissions tell apart."""
    domain = await add_domain(db, name, approved=state in ("approved", "trusted", "suspended"))
    async with db.write() as tx:
        if state == "trusted":
            await changes.edit(tx, domain.no, {"is_trusted": True}, ADMIN, seen_version=None)
        elif state == "rejected":
            await changes.advance_review(tx, domain.no, ReviewStatus.REJECTED, ADMIN, reason="a shop")
        elif state == "suspended":
            await changes.advance_review(tx, domain.no, ReviewStatus.SUSPENDED, ADMIN)
        elif state == "blacklisted":
            await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    return await found(db, name)


async def urls_of(db: Database, no: int) -> dict[str, tuple[str, int, int]]:
    """Target -> state, rank, depth."""
    query = select(pages.c.target, pages.c.state, pages.c.rank, pages.c.depth).where(pages.c.domain_no == no)
    async with db.read() as tx:
        return {target: (state, rank, depth) for target, state, rank, depth in await tx.execute(query)}


async def kinds_of(db: Database) -> list[str]:
    return [told.event.kind.value for told in await feed.read(db, 0, 10_000)]
