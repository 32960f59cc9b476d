"""Candidates: every arrow and no other; what the databases themselves refuse."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import insert, select, update

from surveyor.db import Database, now
from surveyor.db.tables import candidates, contacts
from surveyor.errors import ForbiddenArrow, NotFound, RefusedByDatabase, UsageError
from surveyor.ids import new_id
from surveyor.registry.candidates import CANDIDATE, CandidateStatus, NewCandidate
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import candidates as store
from surveyor.registry.store import changes, merge
from surveyor.registry.store.release import Outcome, release
from surveyor.review import queries
from tests.support.judge_help import found_domain
from tests.support.registry_help import ADMIN, REVIEWER, add_domain, claim_one

_S = CandidateStatus


def new(confidence: str = "0.75", threshold: str = "0.60") -> NewCandidate:
    return NewCandidate(
        session_id=None,
        url="https://found.example/",
        title="A grant",
        organisation_name=None,
        program_name=None,
        confidence=Decimal(confidence),
        threshold=Decimal(threshold),
        scores=[],
        reasoning="because",
        judge_version="1",
    )


def _row(no: int, status: str, confidence: str, **more: Any) -> dict[str, Any]:
    row = {
        "id": new_id(),
        "domain_no": no,
        "url": "u",
        "title": "t",
        "confidence": Decimal(confidence),
        "scores": [],
        "reasoning": "r",
        "judge_version": "1",
        "status": status,
        "created_at": now(),
        "updated_at": now(),
    }
    return row | more


async def _insert(db: Database, row: dict[str, Any]) -> None:
    async with db.write() as tx:
        await tx.execute(insert(candidates).values(row))


@pytest.mark.parametrize(
    ("status", "confidence"),
    [("pending_crawl", "0.59"), ("skipped_low_confidence", "0.60"), ("pending_crawl", "0.00")],
)
async def test_a_status_that_contradicts_the_confidence_is_refused_by_the_database(
    db: Database, status: str, confidence: str
) -> None:
    domain = await found_domain(db)
    with pytest.raises(RefusedByDatabase):
        await _insert(db, _row(domain.no, status, confidence))


async def test_the_edge_of_the_threshold_is_where_it_is_written(db: Database) -> None:
    domain = await found_domain(db)
    await _insert(db, _row(domain.no, "skipped_low_confidence", "0.59"))
    await _insert(db, _row(domain.no, "pending_crawl", "0.60"))
    other = await found_domain(db, "other.example")
    await _insert(db, _row(other.no, "pending_crawl", "0.50", threshold=Decimal("0.50")))


async def test_a_confidence_cannot_be_changed_against_the_status(db: Database) -> None:
    domain = await found_domain(db)
    await _insert(db, _row(domain.no, "pending_crawl", "0.60"))
    with pytest.raises(RefusedByDatabase):
        async with db.write() as tx:
            await tx.execute(update(candidates).values(confidence=Decimal("0.10")))


async def test_a_second_open_candidate_of_a_domain_is_refused_by_the_database(db: Database) -> None:
    domain = await found_domain(db)
    await _insert(db, _row(domain.no, "pending_crawl", "0.60"))
    await _insert(db, _row(domain.no, "skipped_low_confidence", "0.10"))
    with pytest.raises(RefusedByDatabase):
        await _insert(db, _row(domain.no, "pending_crawl", "0.90"))


async def _at(db: Database, status: CandidateStatus, name: str) -> UUID:
    """A candidate led along allowed arrows."""
    domain = await found_domain(db, name)
    low = status is _S.SKIPPED_LOW_CONFIDENCE
    ways = {
        _S.PENDING_REVIEW: [_S.PENDING_REVIEW],
        _S.IN_REVIEW: [_S.PENDING_REVIEW, _S.IN_REVIEW],
        _S.APPROVED: [_S.PENDING_REVIEW, _S.IN_REVIEW, _S.APPROVED],
        _S.REJECTED: [_S.REJECTED],
    }
    async with db.write() as tx:
        made = await store.add(tx, domain.no, new("0.10" if low else "0.75"), ADMIN)
        for step in ways.get(status, []):
            await store.advance_candidate(tx, made, step, REVIEWER, reason="so")
    return made


async def test_the_store_takes_every_allowed_arrow_and_no_other(db: Database) -> None:
    for index, (source, target) in enumerate((s, t) for s in _S for t in _S):
        made = await _at(db, source, f"s{index}.example")
        if CANDIDATE.allows(source, target):
            async with db.write() as tx:
                moved = await store.advance_candidate(tx, made, target, REVIEWER, reason="so")
            assert moved.status is target
            assert (moved.decided_by is not None) == (target in (_S.APPROVED, _S.REJECTED))
        else:
            with pytest.raises(ForbiddenArrow):
                async with db.write() as tx:
                    await store.advance_candidate(tx, made, target, REVIEWER, reason="so")


async def test_hand_written_sql_is_held_to_the_same_arrows(db: Database) -> None:
    needed = {"assigned_to": "rita", "decision_reason": "so"}
    for index, (source, target) in enumerate((s, t) for s in _S for t in _S if s is not t):
        made = await _at(db, source, f"h{index}.example")
        decided = target in (_S.APPROVED, _S.REJECTED)
        values = {"decided_by": "rita" if decided else None, "decided_at": now() if decided else None}
        statement = update(candidates).where(candidates.c.id == made)
        change = statement.values(status=target, **needed, **values)
        if CANDIDATE.allows(source, target):
            async with db.write() as tx:
                await tx.execute(change)
        else:
            with pytest.raises(RefusedByDatabase):
                async with db.write() as tx:
                    await tx.execute(change)


async def test_a_rejection_needs_a_reason_and_taking_names_who(db: Database) -> None:
    made = await _at(db, _S.PENDING_REVIEW, "found.example")
    with pytest.raises(UsageError, match="needs a reason"):
        async with db.write() as tx:
            await store.advance_candidate(tx, made, _S.REJECTED, REVIEWER)
    async with db.write() as tx:
        taken = await store.advance_candidate(tx, made, _S.IN_REVIEW, REVIEWER)
        assert taken.assigned_to == "rita"
        back = await store.advance_candidate(tx, made, _S.PENDING_REVIEW, REVIEWER)
    assert back.assigned_to is None


async def test_a_crawl_makes_the_candidate_wait_for_a_person(db: Database) -> None:
    domain = await add_domain(db, "found.example")
    async with db.write() as tx:
        made = await store.add(tx, domain.no, new(), ADMIN)
    for pages, expected in ((0, _S.PENDING_CRAWL), (1, _S.PENDING_REVIEW)):
        lease = await claim_one(db)
        async with db.write() as tx:
            await release(tx, lease, Outcome(counts={"pages_crawled": pages}), "records")
        async with db.read() as tx:
            assert (await store.get(tx, made)).status is expected


async def test_candidates_are_listed_newest_first_in_pages(db: Database) -> None:
    made = [await _at(db, _S.PENDING_CRAWL, f"d{index}.example") for index in range(5)]
    skipped = await _at(db, _S.SKIPPED_LOW_CONFIDENCE, "low.example")
    first = await queries.list_candidates(db, None, 4)
    rest = await queries.list_candidates(db, None, 4, first[-1].id)
    assert {each.id for each in first} | {each.id for each in rest} == {*made, skipped}
    assert [each.id for each in (*first, *rest)] == sorted([*made, skipped], reverse=True)
    assert [each.id for each in await queries.list_candidates(db, _S.SKIPPED_LOW_CONFIDENCE, 9)] == [skipped]


async def test_a_year_without_funds_hides_the_candidates_until_it_ends(db: Database) -> None:
    domain = await found_domain(db)
    async with db.write() as tx:
        await store.add(tx, domain.no, new(), ADMIN)
        await changes.advance_quality(tx, domain.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
    assert await queries.list_candidates(db, None, 9) == []
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN, year=2020)
    assert len(await queries.list_candidates(db, None, 9)) == 1


async def test_a_candidate_that_is_not_there_is_named(db: Database) -> None:
    async with db.read() as tx:
        with pytest.raises(NotFound, match="surveyor candidates"):
            await store.get(tx, new_id())


async def _contact(db: Database, no: int, value: str) -> None:
    row = {"domain_no": no, "kind": "email", "value": value, "source_url": "u", "found_at": now()}
    async with db.write() as tx:
        await tx.execute(insert(contacts).values(row))


async def test_candidates_and_contacts_follow_a_merged_domain(db: Database) -> None:
    kept, merged = await found_domain(db, "a.example"), await found_domain(db, "b.example")
    async with db.write() as tx:
        first = await store.add(tx, kept.no, new(), ADMIN)
        second = await store.add(tx, merged.no, new(), ADMIN)
    for no, value in ((kept.no, "both@x"), (merged.no, "both@x"), (merged.no, "one@x")):
        await _contact(db, no, value)
    async with db.write() as tx:
        await merge.merge(tx, merge.Twins("a.example", (kept.no, merged.no)), ADMIN)
        assert (await store.get(tx, first)).status is _S.PENDING_CRAWL
        moved = await store.get(tx, second)
        found = (await tx.execute(select(contacts.c.domain_no, contacts.c.value))).all()
    assert (moved.domain_no, moved.status) == (kept.no, _S.REJECTED)
    assert sorted(map(tuple, found)) == [(kept.no, "both@x"), (kept.no, "one@x")]
