"""What pages read, on both engines: the queue in both orders, own submissions, agreement with judges."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sqlalchemy import insert, update

from surveyor.crawl import stats
from surveyor.crawl.store import stats as stats_store
from surveyor.db import Database
from surveyor.db.tables import crawl_log, domains
from surveyor.ids import new_id
from surveyor.registry import service
from surveyor.registry.actors import SYSTEM
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.domain import Stage, SubmitterType
from surveyor.registry.store import candidates
from surveyor.registry.store.listing import DomainFilter
from surveyor.review import queries, queue
from surveyor.review.quality import agreement
from surveyor.review.queue import Order
from surveyor.review.submissions import Submitter
from tests.support.registry_help import REVIEWER, add_domain
from tests.support.review_help import in_state, name_it


async def test_the_confident_order_goes_on_where_it_ended_also_among_equals(db: Database) -> None:
    for index in range(7):
        await name_it(db, f"d{index}.example")
    async with db.write() as tx:
        for index, confidence in enumerate(["0.80", "0.90", "0.80", "0.80", None, "0.90", None]):
            known = Decimal(confidence) if confidence else None
            mine = update(domains).where(domains.c.domain == f"d{index}.example")
            await tx.execute(mine.values(best_confidence=known))
    seen: list[str] = []
    while found := await queue.waiting(db, Order.CONFIDENT, 2, seen[-1] if seen else None):
        seen += [domain.domain for domain in found]
    assert seen == [f"d{index}.example" for index in (1, 5, 0, 2, 3, 4, 6)]


async def test_a_page_of_each_stage_has_the_domains_of_that_stage(db: Database) -> None:
    for state in ("approved", "rejected", "suspended", "blacklisted"):
        await in_state(db, f"{state}.example", state)
    await name_it(db, "named.example")
    await add_domain(db, "found.example", approved=False, by=SubmitterType.SYSTEM)
    seen = {}
    for stage in Stage:
        page = await service.list_domains(db, DomainFilter(stage=stage), 10)
        assert all(domain.stage is stage for domain in page)
        seen |= {domain.domain: stage for domain in page}
    assert len(seen) == 6 and seen["named.example"] is Stage.AWAITING_REVIEW
    assert sum((await service.totals(db)).values()) == 6


async def test_names_are_found_by_their_beginning(db: Database) -> None:
    for name in ("fund.example", "funds.example", "fun.example", "other.example"):
        await add_domain(db, name)
    assert [d.domain for d in await service.find_named(db, "fund", 10)] == ["fund.example", "funds.example"]
    assert [d.domain for d in await service.find_named(db, "f", 10, "fun.example")] == [
        "fund.example",
        "funds.example",
    ]


async def test_somebody_sees_what_they_named_the_latest_first(db: Database) -> None:
    for index in range(3):
        await name_it(db, f"mine{index}.example", Submitter("sam", False))
    await name_it(db, "theirs.example", Submitter("tom", False))
    found = await queue.submitted_by(db, "sam", 2)
    assert [d.domain for d in found] == ["mine2.example", "mine1.example"]
    assert [d.domain for d in await queue.submitted_by(db, "sam", 2, found[-1].no)] == ["mine0.example"]


async def _decided(db: Database, name: str, confidence: str, target: CandidateStatus) -> None:
    domain = await add_domain(db, name)
    new = NewCandidate(
        session_id=None,
        url=f"https://{name}/",
        title="t",
        organisation_name=None,
        program_name=None,
        confidence=Decimal(confidence),
        threshold=Decimal("0.60"),
        scores=[{"judge": "words", "score": confidence, "weight": "1", "explanation": ""}],
        reasoning="",
        judge_version="1",
    )
    async with db.write() as tx:
        made = await candidates.add(tx, domain.no, new, SYSTEM)
        await candidates.advance_candidate(tx, made, CandidateStatus.PENDING_REVIEW, SYSTEM)
        await candidates.advance_candidate(tx, made, CandidateStatus.IN_REVIEW, REVIEWER)
        await candidates.advance_candidate(tx, made, target, REVIEWER, reason="r")


async def test_agreement_counts_decisions_by_confidence_and_judge(db: Database) -> None:
    await _decided(db, "a.example", "0.95", CandidateStatus.APPROVED)
    await _decided(db, "b.example", "1.00", CandidateStatus.APPROVED)
    await _decided(db, "c.example", "0.65", CandidateStatus.REJECTED)
    found = await agreement(db)
    assert [(band.name, band.decided, band.approved) for band in found.bands] == [
        ("0.6 to 0.7", 1, 0),
        ("0.9 to 1.0", 2, 2),
    ]
    (judge,) = found.judges
    assert judge.apart is not None and round(judge.apart, 3) == 0.325
    assert await queries.count_candidates(db, CandidateStatus.APPROVED, 1) == 1
    assert len(await queries.list_candidates(db, None, 10)) == 3


async def test_figures_read_only_the_stretch_that_was_asked_for(db: Database) -> None:
    moment = datetime.now(UTC).replace(second=30)
    ages = [90_000] * 5 + [7_200] * 4 + [120] * 3 + [0] * 2
    values = [
        {
            "run_id": new_id(),
            "domain_no": 1,
            "url": "https://a.example/",
            "reason": "not_found" if age == 120 else None,
            "bytes": 1,
            "ms": 1,
            "images_found": 2,
            "fetched_at": moment - timedelta(seconds=age),
            "lease_epoch": 1,
        }
        for age in ages
    ]
    async with db.write() as tx:
        await tx.execute(insert(crawl_log), values)
    found = await stats.lately(db)
    assert [(line.pages, line.errors) for line in found.minutes] == [(3, 3), (2, 0)]
    assert sum(line.images for line in found.days) == 28
    assert [(line.reason, line.times) for line in found.reasons] == [("not_found", 3)]
    assert await stats.recent(db, 300) == (2, 3)
    assert await stats.recent(db, 8_000) == (6, 3)
    async with db.read() as tx:
        assert sum(line.pages for line in await stats_store.per_day(tx, 100_000)) == 14
