"""What waits for people, in which order; and what a profile lets the program decide by itself."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import domains
from surveyor.profiles.model import AutoApprove
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes
from surveyor.review import policies, queue
from surveyor.review.queue import Order
from tests.support.registry_help import ADMIN, add_domain, add_domains
from tests.support.review_help import found, in_state, kinds_of, name_it

_STAGE = SubmitterType.SYSTEM


async def _judged(db: Database, name: str, confidence: str) -> None:
    await add_domain(db, name, approved=False, by=_STAGE)
    async with db.write() as tx:
        values = {"best_confidence": Decimal(confidence), "high_quality_count": 1}
        await tx.execute(update(domains).where(domains.c.domain == name).values(values))


async def test_people_see_what_was_submitted_or_is_promising_and_the_rest_on_request(db: Database) -> None:
    await add_domain(db, "found.example", approved=False, by=_STAGE)
    await _judged(db, "good.example", "0.70")
    await _judged(db, "better.example", "0.90")
    await name_it(db, "named.example")
    await in_state(db, "black.example", "blacklisted")
    await in_state(db, "approved.example", "approved")

    async def listed(order: Order, limit: int = 50, after: str | None = None, **more: bool) -> list[str]:
        return [domain.domain for domain in await queue.waiting(db, order, limit, after, **more)]

    oldest = ["good.example", "better.example", "named.example"]
    assert await listed(Order.OLDEST) == oldest
    assert await listed(Order.OLDEST, everything=True) == ["found.example", *oldest]
    best = ["better.example", "good.example", "named.example"]
    assert await listed(Order.CONFIDENT) == best
    unsure = ["good.example", "better.example", "named.example"]
    assert await listed(Order.UNCERTAIN) == unsure, "nearest to an even chance first, the unjudged last"
    orders = ((Order.OLDEST, oldest), (Order.CONFIDENT, best), (Order.UNCERTAIN, unsure))
    for order, whole in orders:
        paged: list[str] = []
        while page := await listed(order, 1, paged[-1] if paged else None):
            paged += page
        assert paged == whole
    assert (await queue.count(db), await queue.count(db, everything=True)) == (3, 4)


async def test_counting_stops_where_nobody_reads_on(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "COUNTED", 20)
    await add_domains(db, 25, approved=False)
    assert await queue.count(db) == 20


async def test_no_policy_approves_anything_unless_the_profile_says_so(db: Database) -> None:
    await _judged(db, "good.example", "1.00")
    assert await policies.auto_approve(db, AutoApprove()) == []


async def test_a_policy_approves_by_confidence_and_suffix_in_the_name_of_the_system(db: Database) -> None:
    await _judged(db, "good.example", "0.80")
    await _judged(db, "less.example", "0.79")
    for name in ("city.gov", "gov", "notgov", "x_gov.example"):
        await add_domain(db, name, approved=False, by=_STAGE)
    policy = AutoApprove(from_confidence=Decimal("0.80"), suffixes=(".gov",))
    approved = await policies.auto_approve(db, policy)
    assert [domain.domain for domain in approved] == ["good.example", "city.gov", "gov"]
    assert {domain.reviewed_by for domain in approved} == {"system"}
    assert all(domain.due_at for domain in approved)
    assert await kinds_of(db) == ["DomainApproved"] * 3
    assert await policies.auto_approve(db, policy) == []


async def test_a_policy_speaks_neither_over_a_person_nor_for_the_public(db: Database) -> None:
    policy = AutoApprove(suffixes=("gov",))
    await in_state(db, "rejected.gov", "rejected")
    await name_it(db, "rejected.gov", for_review=True)
    back = await in_state(db, "back.gov", "approved")
    async with db.write() as tx:
        await changes.advance_review(tx, back.no, ReviewStatus.PENDING_REVIEW, ADMIN)
    await in_state(db, "black.gov", "blacklisted")
    hidden = await add_domain(db, "hidden.gov", approved=False, by=_STAGE)
    async with db.write() as tx:
        await changes.advance_quality(tx, hidden.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
    await name_it(db, "public.gov")
    assert await policies.auto_approve(db, policy) == []
    assert (await found(db, "public.gov")).review_status is ReviewStatus.PENDING_REVIEW


async def test_who_stands_nearest_to_an_even_chance_is_asked_about_first(db: Database) -> None:
    for name, confidence in (("sure.example", "0.95"), ("no.example", "0.10"), ("even.example", "0.52")):
        await _judged(db, name, confidence)
    found = await queue.waiting(db, Order.UNCERTAIN, everything=True)
    assert [domain.domain for domain in found] == ["even.example", "no.example", "sure.example"]
