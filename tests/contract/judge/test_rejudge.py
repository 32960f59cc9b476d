"""Judging again: what would change, nothing written unless told to, and the same again afterwards."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import candidates, domains, events, search_results
from surveyor.judge import rejudge, service
from surveyor.judge.candidates import judge_stored
from surveyor.judge.rejudge import judge_again
from surveyor.registry.actors import SYSTEM
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes
from surveyor.review import queries
from tests.support.judge_help import Told, add_results, add_session, found_domain
from tests.support.registry_help import ADMIN, get


async def _everything(db: Database) -> list[object]:
    async with db.read() as tx:
        return [
            (await tx.execute(select(table))).all() for table in (domains, search_results, candidates, events)
        ]


@pytest.fixture
async def register(db: Database) -> Database:
    """Three judged domains: high, just below, low."""
    session = await add_session(db)
    for index, titles in enumerate((["0.80", "0.50"], ["0.55"], ["0.10"])):
        await add_results(db, await found_domain(db, f"d{index}.example"), session, titles)
    await judge_stored(db, Told(), SYSTEM)
    return db


async def test_nothing_is_written_unless_told_to(register: Database) -> None:
    before = await _everything(register)
    report = await judge_again(register, Told(shift="0.10"), SYSTEM)
    assert (report.read, report.changed, report.now_high, report.now_low) == (4, 4, 2, 0)
    assert [(each.before, each.after) for each in report.changes] == [
        (Decimal("0.50"), Decimal("0.60")),
        (Decimal("0.55"), Decimal("0.65")),
    ]
    assert await _everything(register) == before


async def test_what_is_applied_is_what_was_told(register: Database) -> None:
    heard: list[int] = []
    report = await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True, progress=heard.append)
    assert (report.written, heard[-1]) == (4, 4)
    rows = {name: await _named(register, name) for name in ("d0.example", "d1.example", "d2.example")}
    assert rows["d0.example"].high_quality_count == 2
    assert rows["d1.example"].quality_status is QualityStatus.PROCESSED_HIGH_QUALITY
    assert rows["d2.example"].best_confidence == Decimal("0.20")
    opened = await queries.list_candidates(register, None, 9)
    assert {(each.domain, each.status.value) for each in opened if each.confidence >= Decimal("0.60")} == {
        ("d0.example", "pending_crawl"),
        ("d1.example", "pending_crawl"),
    }


async def _named(db: Database, name: str) -> Domain:
    async with db.read() as tx:
        no = (await tx.execute(select(domains.c.no).where(domains.c.domain == name))).scalar_one()
    return await get(db, no)


async def test_a_second_time_there_is_nothing_left_to_write(register: Database) -> None:
    await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True)
    before = await _everything(register)
    report = await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True)
    assert (report.read, report.changed, report.written) == (4, 0, 0)
    assert await _everything(register) == before


async def test_stopped_in_the_middle_it_goes_on_where_it_was(register: Database) -> None:
    def stop(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True, progress=stop)
    report = await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True)
    assert (report.read, report.written) == (4, 1)


async def test_pages_are_read_to_the_last_and_each_domain_once(
    register: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejudge, "_PAGE", 2)
    await add_results(
        register, await found_domain(register, "d3.example"), await add_session(register), ["0.90"]
    )
    await judge_stored(register, Told(), SYSTEM)
    heard: list[int] = []
    report = await judge_again(register, Told(shift="0.05"), SYSTEM, apply=True, progress=heard.append)
    assert (report.read, report.changed, report.written) == (5, 5, 5)
    assert heard == [2, 3, 4, 5]


async def test_a_domain_that_was_blacklisted_meanwhile_is_left_alone(register: Database) -> None:
    first = await _named(register, "d0.example")
    before = rejudge.results.of_domains  # type: ignore[attr-defined]

    async def then_blacklisted(*given: Any) -> Any:
        page = await before(*given)
        async with register.write() as tx:
            await changes.advance_quality(tx, first.no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
        return page

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rejudge.results, "of_domains", then_blacklisted)  # type: ignore[attr-defined]
        report = await judge_again(register, Told(shift="0.10"), SYSTEM, apply=True)
    assert (report.read, report.written) == (4, 2)
    assert (await _named(register, "d0.example")).quality_status is QualityStatus.BLACKLISTED


async def test_a_new_version_is_kept_even_where_the_confidence_stays(register: Database) -> None:
    before = await _named(register, "d0.example")
    report = await judge_again(register, Told(version="next"), SYSTEM, apply=True)
    assert (await _named(register, "d0.example")).version == before.version, "the domain stays as it is"
    assert (report.changed, report.written) == (0, 4)
    async with register.read() as tx:
        assert set((await tx.execute(select(search_results.c.judge_version))).scalars()) == {"next"}


async def test_calibration_asks_what_people_decided(register: Database) -> None:
    for name, target in (("d0.example", ReviewStatus.APPROVED), ("d2.example", ReviewStatus.REJECTED)):
        async with register.write() as tx:
            no = (await tx.execute(select(domains.c.no).where(domains.c.domain == name))).scalar_one()
            await changes.advance_review(tx, no, target, ADMIN, reason="so")
    found = await service.calibration(register)
    assert (found.decisions, found.implied_threshold) == (2, Decimal("0.11"))
