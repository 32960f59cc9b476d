"""Sessions that meet: the same thousand results twice at once, and providers that others suspended."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains, search_results
from surveyor.discover import sessions, usage
from surveyor.discover.errors import SUSPENSIONS, ProviderFailed, Trouble, rest
from surveyor.discover.session import SessionStatus
from surveyor.discover.store import providers as provider_store
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import changes
from surveyor.settings import DatabaseSettings
from tests.contract.discover.conftest import Search
from tests.support.registry_help import ADMIN, add_domain
from tests.support.searchweb import CANARY, NAMES, SearchWeb, key_of

QUERIES = tuple(str(number) for number in range(50))
PER_QUERY, STEP = 20, 10  # neighbouring queries share half of their results


def places(query: str) -> range:
    first = int(query) * STEP
    return range(first, first + PER_QUERY)


@pytest.fixture
async def another(db: Database, db_url: str, tmp_path: Path) -> AsyncIterator[Database]:
    """The same database through connections of its own, as another process has them."""
    found = Database.open(DatabaseSettings(url=db_url), tmp_path)
    yield found
    await found.close()


async def test_two_sessions_with_the_same_thousand_results_create_each_domain_once(
    db: Database, another: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.rows = lambda name, query: [(f"https://d{place}.example/", "T", "D") for place in places(query)]
    reports = await asyncio.gather(
        run_session(db, "brave", queries=QUERIES, accounts={"brave": {"concurrency": 4}}),
        run_session(another, "serper", queries=QUERIES[::-1], accounts={"serper": {"concurrency": 4}}),
    )
    occurrences = Counter(f"d{place}.example" for query in QUERIES for place in places(query))
    ended = [report.session for report in reports]
    assert [session.status for session in ended] == [SessionStatus.COMPLETED] * 2
    assert [session.results_found for session in ended] == [1_000, 1_000]
    assert sum(session.new_domains for session in ended) == len(occurrences)
    assert sum(session.duplicates_skipped for session in ended) == 2_000 - len(occurrences)
    async with db.read() as tx:
        counted = dict((await tx.execute(select(domains.c.domain, domains.c.total_occurrences))).all())
        firsts = select(search_results.c.domain_no).where(~search_results.c.is_duplicate)
        first_of = Counter((await tx.execute(firsts)).scalars())
        crawl_rows = (await tx.execute(select(func.count()).select_from(domain_crawl))).scalar_one()
    assert counted == {name: 2 * times for name, times in occurrences.items()}
    assert set(first_of.values()) == {1} and len(first_of) == len(occurrences) == crawl_rows


async def test_a_domain_that_is_blacklisted_while_results_come_in_takes_none(
    db: Database, another: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    domain = await add_domain(db, "bad.example")
    searchweb.rows = lambda name, query: [("https://bad.example/", "Bad", "")]
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="spam")
        searching = asyncio.create_task(run_session(another, "brave"))
        while not searchweb.requests and db.dialect_name == "postgresql":
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # its transaction waits for ours by now, or comes later: both are right
    session = (await searching).session
    assert (session.blacklisted_skipped, session.duplicates_skipped) == (1, 0)


async def test_a_provider_out_of_quota_is_left_alone_by_others_and_after_a_restart(
    db: Database, another: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.moods = {"tavily": "no_credit"}
    await run_session(db, "tavily", queries=("a", "b", "c"), accounts={"tavily": {"concurrency": 1}})
    assert searchweb.asked("tavily") == 1
    searchweb.moods = {}
    session = (await run_session(another, "tavily", "brave")).session
    assert searchweb.asked("tavily") == 1
    assert session.status is SessionStatus.PARTIAL_SUCCESS
    assert "out_of_quota" in session.provider_errors["tavily"]
    await _turn_back(db, days=2)
    assert (await run_session(another, "tavily")).session.status is SessionStatus.COMPLETED
    async with db.read() as tx:
        assert await provider_store.suspensions(tx) == {}


async def _turn_back(db: Database, days: int) -> None:
    """As if the suspensions had begun so many days earlier."""
    async with db.write() as tx:
        for row in (await provider_store.suspensions(tx)).values():
            await tx.execute(
                provider_store.provider_suspensions.update().values(  # type: ignore[attr-defined]
                    suspended_at=row.suspended_at - timedelta(days=days),
                    until=row.until - timedelta(days=days),
                )
            )


async def test_a_changed_key_is_tried_at_once(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.moods = {"brave": "bad_key"}
    await run_session(db, "brave")
    account = searchweb.account("brave")
    assert await usage.suspension(db, account) is not None
    changed = type(account)(account.adapter, account.settings, "another-key")
    assert await usage.suspension(db, changed) is None


async def test_failures_in_a_row_rest_longer_and_those_at_once_are_one(
    db: Database, searchweb: SearchWeb
) -> None:
    account = searchweb.account("brave")
    error = ProviderFailed("brave", Trouble.SERVER, "boom")
    lengths = []
    for _ in range(3):
        await asyncio.gather(
            *[usage.failed(db, account, "q", error, ADMIN, held_against=True) for _ in range(3)]
        )
        row = await usage.suspension(db, account)
        assert row is not None
        lengths.append(row.until - row.suspended_at)
        await _turn_back(db, days=1)
    first = timedelta(seconds=SUSPENSIONS[Trouble.SERVER].after(1))
    assert lengths == [first, 2 * first, 4 * first]


async def test_an_answer_that_was_under_way_does_not_end_a_suspension(
    db: Database, searchweb: SearchWeb
) -> None:
    account = searchweb.account("brave")
    error = ProviderFailed("brave", Trouble.OUT_OF_QUOTA, "empty")
    await usage.failed(db, account, "q", error, ADMIN, held_against=True)
    async with db.write() as tx:
        await usage.succeeded(tx, account, "q", 0, 0, None)
    assert await usage.suspension(db, account) is not None


async def test_a_suspension_is_ended_by_hand(db: Database, searchweb: SearchWeb, run_session: Search) -> None:
    searchweb.moods = {"brave": "bad_key"}
    await run_session(db, "brave")
    assert await usage.resume(db, "brave", ADMIN)
    assert not await usage.resume(db, "brave", ADMIN)
    assert await usage.suspension(db, searchweb.account("brave")) is None


async def test_no_key_is_anywhere_in_the_database(
    db: Database, searchweb: SearchWeb, run_session: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_RETRY_SECONDS", 0.0)
    moods = ("bad_key", "server_error", "no_frame", "captcha", "elsewhere", "not_json")
    searchweb.moods = dict(zip(NAMES, moods, strict=True))
    await run_session(db, *NAMES)
    searchweb.moods = {}
    async with db.write() as tx:
        await tx.execute(text("DELETE FROM provider_suspensions WHERE provider = 'tavily'"))
    # A provider that puts the key into its results gets it blotted out before anybody sees it.
    searchweb.rows = lambda name, query: [(f"https://x.example/?key={key_of(name)}", key_of(name), "")]
    await run_session(db, "tavily")
    dump = []
    async with db.read() as tx:
        for table in domains.metadata.sorted_tables:
            dump += [repr(row) for row in await tx.execute(select(table))]
    assert len(dump) > 10
    assert not [row for row in dump if CANARY in row]


@pytest.mark.parametrize("trouble", Trouble)
def test_no_suspension_is_endless_and_what_is_asked_for_is_kept(trouble: Trouble) -> None:
    assert (rest(trouble, 1, None) is None) == (trouble not in SUSPENSIONS)
    if trouble in SUSPENSIONS:
        assert rest(trouble, 1, 90.0) == timedelta(seconds=90)
        assert rest(trouble, 1, 10.0**12) == timedelta(days=31)
        assert rest(trouble, 1_000, None) == timedelta(seconds=SUSPENSIONS[trouble].steps[-1])
        assert rest(trouble, 1, 0.0) == timedelta(seconds=1)
