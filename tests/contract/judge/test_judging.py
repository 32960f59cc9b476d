"""Judging stored results: quality, counts, candidates, failures and statistics, on both engines."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text, update

from surveyor.db import Database
from surveyor.db.tables import candidates, discovery_sessions, domains, search_results
from surveyor.errors import RefusedByDatabase
from surveyor.judge.candidates import judge_stored
from surveyor.judge.statistics import JudgingStatistics
from surveyor.judge.store import results
from surveyor.judge.values import JUDGE_VERSION
from surveyor.registry.actors import SYSTEM
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events
from tests.support.judge_help import Told, add_results, add_session, found_domain
from tests.support.registry_help import ADMIN, get

LOW, HIGH = "0.59 low", "0.60 high"


async def _candidates(db: Database, no: int) -> list[Any]:
    async with db.read() as tx:
        query = select(candidates).where(candidates.c.domain_no == no).order_by(candidates.c.id)
        return list((await tx.execute(query)).all())


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        ([HIGH], QualityStatus.PROCESSED_HIGH_QUALITY),
        ([LOW, LOW, LOW, HIGH], QualityStatus.PROCESSED_HIGH_QUALITY),
        ([LOW], QualityStatus.DISCOVERED),
        ([LOW, LOW], QualityStatus.DISCOVERED),
        ([LOW, LOW, LOW], QualityStatus.PROCESSED_LOW_QUALITY),
    ],
    ids=["one_high", "high_among_low", "one_low", "two_low", "three_low"],
)
async def test_results_decide_the_quality(db: Database, titles: list[str], expected: QualityStatus) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, titles)
    await judge_stored(db, Told(), SYSTEM)
    judged = await get(db, domain.no)
    assert judged.quality_status is expected
    assert (judged.high_quality_count, judged.low_quality_count) == (titles.count(HIGH), titles.count(LOW))
    assert judged.processing_count == 1 and judged.last_processed_at is not None
    assert judged.language == "en", "what its best result is written in"


async def test_low_ones_of_several_runs_add_up(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    for expected in (QualityStatus.DISCOVERED, QualityStatus.DISCOVERED, QualityStatus.PROCESSED_LOW_QUALITY):
        await add_results(db, domain, session, [LOW])
        await judge_stored(db, Told(), SYSTEM)
        assert (await get(db, domain.no)).quality_status is expected
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    assert (await get(db, domain.no)).quality_status is QualityStatus.PROCESSED_HIGH_QUALITY


async def test_results_with_one_url_count_once_by_the_best(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [LOW, LOW, "0.30", "0.80"], url="https://found.example/same")
    await add_results(db, domain, session, ["0.25"])
    await judge_stored(db, Told(), SYSTEM)
    judged = await get(db, domain.no)
    assert (judged.high_quality_count, judged.low_quality_count) == (1, 1)
    assert judged.best_confidence == Decimal("0.80")
    assert judged.average_confidence == Decimal("0.53")  # 0.525, half up


async def test_the_way_through_processing_is_told(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    async with db.read() as tx:
        told = [(event.kind, event.to_state) for event in await events.of_domain(tx, domain.no, 10)]
    assert [each for each in told if each[0] != "DomainRegistered"][:3] == [
        ("CandidateOpened", "pending_crawl"),
        ("QualityChanged", "processed_high_quality"),
        ("QualityChanged", "processing"),
    ]


async def _events_of(db: Database, no: int) -> list[str]:
    async with db.read() as tx:
        return [event.kind for event in await events.of_domain(tx, no, 50)]


@pytest.mark.parametrize("titles", [[HIGH], [LOW], [LOW, LOW, LOW], [HIGH, "0.75"]])
async def test_the_same_results_found_again_change_nothing_a_person_decides_on(
    db: Database, titles: list[str]
) -> None:
    domain, first, next_night = await found_domain(db), await add_session(db), await add_session(db)
    await add_results(db, domain, first, titles, url="https://found.example/{n}")
    await judge_stored(db, Told(), SYSTEM)
    before, known = await get(db, domain.no), await _events_of(db, domain.no)
    await add_results(db, domain, next_night, titles, url="https://found.example/{n}")
    assert (await judge_stored(db, Told(), SYSTEM)).processed == len(titles)
    after = await get(db, domain.no)
    assert (after.version, after.quality_status) == (before.version, before.quality_status)
    assert await _events_of(db, domain.no) == known
    assert after.processing_count == before.processing_count + 1, "that it was judged is still counted"


async def test_figures_that_move_within_a_status_raise_no_version(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    before, known = await get(db, domain.no), await _events_of(db, domain.no)
    await add_results(db, domain, session, ["0.90 another page"])
    await judge_stored(db, Told(), SYSTEM)
    after = await get(db, domain.no)
    assert (after.high_quality_count, after.best_confidence) == (2, Decimal("0.90"))
    assert after.version == before.version and await _events_of(db, domain.no) == known


async def test_the_same_results_do_not_overturn_what_a_crawl_has_shown(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH], url="https://found.example/same")
    await judge_stored(db, Told(), SYSTEM)
    async with db.write() as tx:
        crawled = QualityStatus.PROCESSED_LOW_QUALITY
        await changes.advance_quality(tx, domain.no, crawled, SYSTEM, reason="crawled to its end")
    await add_results(db, domain, session, [HIGH], url="https://found.example/same")
    await judge_stored(db, Told(), SYSTEM)
    assert (await get(db, domain.no)).quality_status is QualityStatus.PROCESSED_LOW_QUALITY
    await add_results(db, domain, session, ["0.80 something new"])
    await judge_stored(db, Told(), SYSTEM)
    assert (await get(db, domain.no)).quality_status is QualityStatus.PROCESSED_HIGH_QUALITY


async def test_the_best_result_opens_one_candidate(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH, "0.91 best", LOW])
    await judge_stored(db, Told(), SYSTEM)
    await add_results(db, domain, session, ["0.95 later"])
    statistics = await judge_stored(db, Told(), SYSTEM)
    (candidate,) = await _candidates(db, domain.no)
    assert (candidate.title, candidate.status) == ("0.91 best", "pending_crawl")
    assert (candidate.confidence, candidate.judge_version) == (Decimal("0.91"), JUDGE_VERSION)
    assert candidate.scores[0]["explanation"] == "so it was told" and "so it was told" in candidate.reasoning
    assert (statistics.created, statistics.known_domain) == (0, 1)
    assert (await get(db, domain.no)).best_confidence == Decimal("0.95")


async def test_a_skipped_one_does_not_keep_a_better_result_out(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    for titles in ([LOW], ["0.40"], ["0.70"]):
        await add_results(db, domain, session, titles)
        await judge_stored(db, Told(), SYSTEM)
    assert [each.status for each in await _candidates(db, domain.no)] == [
        "skipped_low_confidence",
        "pending_crawl",
    ]


async def test_a_domain_that_was_crawled_has_its_candidate_wait_for_a_person(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    async with db.write() as tx:
        await tx.execute(text("UPDATE domain_crawl SET pages_crawled = 3"))
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    assert [each.status for each in await _candidates(db, domain.no)] == ["pending_review"]


async def test_a_blacklisted_domain_is_never_judged(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    statistics = await judge_stored(db, Told(), SYSTEM)
    assert (statistics.processed, statistics.blacklisted) == (0, 1)
    assert (await get(db, domain.no)).quality_status is QualityStatus.BLACKLISTED
    assert await _candidates(db, domain.no) == []


@pytest.mark.parametrize("end", ["rejected", "blacklisted"])
async def test_a_candidate_ends_with_its_domain(db: Database, end: str) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    async with db.write() as tx:
        if end == "rejected":
            await changes.advance_review(tx, domain.no, ReviewStatus.REJECTED, ADMIN, reason="not ours")
        else:
            await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="not ours")
    (candidate,) = await _candidates(db, domain.no)
    assert (candidate.status, candidate.decided_by) == ("rejected", "ada")
    assert candidate.decision_reason == f"its domain was {end}: not ours"
    await add_results(db, domain, session, ["0.99"])
    await judge_stored(db, Told(), SYSTEM)
    assert len(await _candidates(db, domain.no)) == 1


async def test_a_failure_is_kept_with_its_reason_and_tried_again_later(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, ["broken", HIGH])
    rests = []
    for _ in range(5):
        statistics = await judge_stored(db, Told(), SYSTEM)
        assert (statistics.failures, statistics.domains_failed, statistics.processed) == (2, 1, 0)
        assert (await judge_stored(db, Told(), SYSTEM)).failures == 0, "not before its time"
        failed = await get(db, domain.no)
        assert failed.quality_status is QualityStatus.PROCESSING_FAILED
        assert failed.failure_reason == "ZeroDivisionError: a judge broke"
        assert failed.retry_after is not None
        rests.append(round((failed.retry_after - failed.updated_at) / timedelta(hours=1)))
        async with db.write() as tx:
            past = failed.read_at - timedelta(seconds=5)
            await tx.execute(update(domains).where(domains.c.no == domain.no).values(retry_after=past))
    assert rests == [1, 4, 24, 168, 168]
    async with db.write() as tx:
        await tx.execute(update(search_results).values(title=HIGH))
    assert (await judge_stored(db, Told(), SYSTEM)).processed == 2
    well = await get(db, domain.no)
    assert (well.quality_status, well.failure_count) == (QualityStatus.PROCESSED_HIGH_QUALITY, 0)


async def test_a_year_without_funds_is_waited_for(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
    assert (await judge_stored(db, Told(), SYSTEM)).processed == 0
    async with db.write() as tx:
        await tx.execute(update(domains).values(no_funds_year=2020))
    assert (await judge_stored(db, Told(), SYSTEM)).processed == 1
    assert (await get(db, domain.no)).quality_status is QualityStatus.PROCESSED_HIGH_QUALITY


async def test_statistics_are_returned_and_kept_with_the_session(db: Database) -> None:
    first, second = await add_session(db), await add_session(db)
    for index, (session, titles) in enumerate([(first, [HIGH, "0.20"]), (first, [LOW]), (second, ["1.00"])]):
        await add_results(db, await found_domain(db, f"d{index}.example"), session, titles)
    statistics = await judge_stored(db, Told(), SYSTEM)
    assert (statistics.processed, statistics.created, statistics.skipped_low_confidence) == (4, 2, 2)
    assert (statistics.average_confidence, statistics.lowest_confidence, statistics.highest_confidence) == (
        Decimal("0.80"),  # of 0.60 and 1.00, which opened candidates
        Decimal("0.20"),
        Decimal("1.00"),
    )
    await add_results(db, await found_domain(db, "later.example"), first, ["0.10"])
    await judge_stored(db, Told(), SYSTEM)
    async with db.read() as tx:
        query = select(discovery_sessions.c.judging).where(discovery_sessions.c.id == first)
        kept = (await tx.execute(query)).scalar_one()
    assert (kept["processed"], kept["created"], kept["lowest_confidence"]) == (4, 1, "0.10")


@given(
    st.lists(st.lists(st.sampled_from(["0.10", "0.59", "0.60", "0.85"]), min_size=1, max_size=4), max_size=5)
)
def test_every_result_judged_is_counted_as_one_of_three(domains_of_titles: list[list[str]]) -> None:
    statistics = JudgingStatistics()
    for titles in domains_of_titles:
        opened = False
        for title in sorted(titles, reverse=True):
            low = Decimal(title) < Decimal("0.60")
            created, opened = not low and not opened, opened or not low
            statistics.judged(Decimal(title), low=low, created=created)
    s = statistics
    assert (
        s.processed
        == s.created + s.skipped_low_confidence + s.known_domain
        == sum(map(len, domains_of_titles))
    )
    assert JudgingStatistics.from_json(json.loads(json.dumps(s.to_json()))) == s


async def test_the_statistics_add_up_with_results_and_domains_apart(db: Database) -> None:
    first, second = await add_session(db), await add_session(db)
    known = await found_domain(db, "known.example")
    await add_results(db, known, first, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    await add_results(db, known, second, ["0.90", LOW])
    await add_results(db, await found_domain(db, "new.example"), second, ["0.70", "0.80", "0.65", LOW])
    await add_results(db, await found_domain(db, "bad.example"), second, ["broken", HIGH])
    told = await judge_stored(db, Told(), SYSTEM)
    assert (told.processed, told.created, told.skipped_low_confidence, told.known_domain) == (6, 1, 2, 3)
    assert (told.domains, told.failures, told.domains_failed) == (2, 2, 1)
    assert told.average_confidence == Decimal("0.80"), "of the candidate created, not of all results"
    async with db.read() as tx:
        query = select(discovery_sessions.c.judging).where(discovery_sessions.c.id == second)
        kept = (await tx.execute(query)).scalar_one()
    assert kept | {"milliseconds": 0} == told.to_json() | {"milliseconds": 0}


async def test_statistics_that_do_not_add_up_are_refused_by_the_database(db: Database) -> None:
    session = await add_session(db)
    right = {"processed": 3, "created": 1, "skipped_low_confidence": 1, "known_domain": 1}
    async with db.write() as tx:
        await results.add_to_session(tx, session, JudgingStatistics(**right))
    for name in right:
        with pytest.raises(RefusedByDatabase):
            async with db.write() as tx:
                await results.add_to_session(tx, session, JudgingStatistics(**{name: 4}))


async def test_nothing_is_left_in_processing_when_a_process_dies(db: Database) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])

    class Dies(Told):
        def judge(self, hit: Any) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await judge_stored(db, Dies(), SYSTEM)
    left = await get(db, domain.no)
    assert (left.quality_status, left.version) == (QualityStatus.DISCOVERED, domain.version)
    assert (await judge_stored(db, Told(), SYSTEM)).created == 1


async def test_a_domain_that_somebody_else_has_judged_meanwhile_is_left_alone(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain, session = await found_domain(db), await add_session(db)
    await add_results(db, domain, session, [HIGH])
    await judge_stored(db, Told(), SYSTEM)
    before = await get(db, domain.no)

    async def as_it_was(*_: Any, **__: Any) -> list[int]:
        return [domain.no]

    monkeypatch.setattr(results, "domains_to_judge", as_it_was)
    assert (await judge_stored(db, Told(), SYSTEM)).processed == 0
    assert (await get(db, domain.no)).version == before.version


_JUDGE = """
import asyncio, json, pathlib, sys
from surveyor.db import Database
from surveyor.judge.candidates import judge_stored
from surveyor.registry.actors import SYSTEM
from surveyor.settings import DatabaseSettings
from tests.support.judge_help import Told

async def main():
    db = Database.open(DatabaseSettings(url=sys.argv[1]), pathlib.Path())
    sys.stdin.readline()
    statistics = await judge_stored(db, Told(), SYSTEM)
    await db.close()
    print(json.dumps([statistics.processed, statistics.created]))

asyncio.run(main())
"""


async def test_processes_that_judge_at_once_judge_everything_once(db: Database, db_url: str) -> None:
    session = await add_session(db)
    for index in range(12):
        domain = await found_domain(db, f"d{index}.example")
        await add_results(db, domain, session, [HIGH, LOW, "0.80"])
    command = [sys.executable, "-c", _JUDGE, db_url]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    told = [process.communicate("\n", 120)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert [sum(column) for column in zip(*map(json.loads, told), strict=True)] == [36, 12]
    async with db.read() as tx:
        rows = (await tx.execute(select(domains))).all()
        opened = (await tx.execute(select(candidates.c.domain_no))).scalars().all()
    assert {row.quality_status for row in rows} == {"processed_high_quality"}
    assert {row.processing_count for row in rows} == {1}
    assert len(opened) == len(set(opened)) == 12
