"""Scheduled searches: spread over days within a bound, each query in its turn, the cost said first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from surveyor.db import Database
from surveyor.discover import scheduled
from surveyor.discover.adapters import SearchQuery
from surveyor.discover.provider import accounts
from surveyor.discover.store import providers as store
from surveyor.discover.store import sessions
from surveyor.discover.store.providers import Usage
from surveyor.ids import new_id
from surveyor.operations.up import parts_of, search_shares
from surveyor.profiles.loader import load
from surveyor.settings import ProvidersSettings, ScheduleSettings, Settings

NIGHTLY, WEEKLY = scheduled.KINDS


def _settings(per_day: int) -> Settings:
    return Settings(schedule=ScheduleSettings(queries_per_day=per_day))


async def _ask(db: Database, share: scheduled.Share, plan: list[SearchQuery]) -> list[str]:
    """One scheduled session, as far as the register hears of it."""
    chosen = await scheduled.todays(db, share, plan)
    async with db.write() as tx:
        await sessions.start(tx, new_id(), share.kind, "ada", "w", len(chosen), ["brave"])
        for query in chosen:
            await store.record(tx, Usage("brave", query.text, 1, 0, 5, 0, 1000))
    return [query.text for query in chosen]


async def _a_day_passes(db: Database) -> None:
    day = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%d %H:%M:%S.000")
    async with db.write() as tx:
        await tx.execute(
            text("UPDATE provider_usage SET day = date(day, '-1 day')") if _is_sqlite(db) else _OLDER
        )
        await tx.execute(text(f"UPDATE discovery_sessions SET started_at = '{day}'"))


_OLDER = text("UPDATE provider_usage SET day = to_char(day::date - 1, 'YYYY-MM-DD')")


def _is_sqlite(db: Database) -> bool:
    return db.dialect_name == "sqlite"


async def test_a_plan_of_hundreds_is_spread_over_days_and_each_query_is_asked_in_its_turn(
    db: Database,
) -> None:
    plan = [SearchQuery(f"query {number}") for number in range(25)]
    share = scheduled.Share(WEEKLY, len(plan), 10)
    asked = []
    for _ in range(3):
        asked.append(await _ask(db, share, plan))
        assert await _ask(db, share, plan) == [], "the day's share is asked, a restart asks no more"
        await _a_day_passes(db)
    assert [len(each) for each in asked] == [10, 10, 10]
    assert len({*asked[0], *asked[1], *asked[2]}) == 25, "what was never asked goes first"
    assert asked[2][5:] == asked[0][:5], "then what was asked longest ago"


async def test_a_round_is_finished_when_every_query_was_asked_since_it_began(db: Database) -> None:
    plan = [SearchQuery("one"), SearchQuery("two")]
    share = scheduled.Share(WEEKLY, 2, 1)
    today = datetime.now(UTC)
    assert await scheduled.is_unfinished(db, plan, today)
    await _ask(db, share, plan)
    assert await scheduled.is_unfinished(db, plan, today)
    await _a_day_passes(db)
    await _ask(db, share, plan)
    assert not await scheduled.is_unfinished(db, plan, today - timedelta(days=1))


async def test_the_first_start_asks_no_more_than_the_bound_of_a_day(db: Database) -> None:
    profile, settings = load("community"), _settings(60)
    shares = search_shares(settings, profile)
    assert (shares[NIGHTLY].planned, shares[NIGHTLY].per_day) == (12, 12)
    assert (shares[WEEKLY].planned, shares[WEEKLY].per_day) == (249, 48)
    parts = {part.name: part for part in parts_of(db, settings, profile, searches=True)}
    for name in ("nightly", "weekly"):
        assert parts[name].arguments[-1] == "--scheduled"
        seconds = await parts[name].due()
        assert seconds is not None and seconds <= 0
    for kind in scheduled.KINDS:
        await _ask(db, shares[kind], [SearchQuery(f"{kind} {number}") for number in range(300)])
    for name in ("nightly", "weekly"):
        seconds = await parts[name].due()
        assert seconds is not None and 0 < seconds <= 86_400, "the rest goes on within a day, not at once"


async def test_without_a_provider_nothing_is_scheduled(db: Database) -> None:
    parts = {part.name: part for part in parts_of(db, _settings(60), load("funding"), searches=False)}
    assert await parts["nightly"].due() is None and await parts["weekly"].due() is None


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 500))
def test_the_shares_of_a_day_never_exceed_its_bound(nightly: int, weekly: int, per_day: int) -> None:
    found = scheduled.shares({NIGHTLY: nightly, WEEKLY: weekly}, per_day)
    assert sum(share.per_day for share in found.values()) == min(nightly + weekly, per_day)


def test_what_a_day_costs_is_told_with_the_setting_that_changes_it() -> None:
    settings = ProvidersSettings.model_validate(
        {"brave": {"key": "k", "per_call_credits": Decimal("0.5")}, "serper": {"key": "s"}}
    )
    ready = [one for one in accounts(settings, Path(), {}).values() if one.missing is None]
    told = scheduled.announcement(scheduled.shares({NIGHTLY: 18, WEEKLY: 240}, 60).values(), ready)
    assert told == (
        "searches by itself: 60 queries a day at most (18 of 18 of nightly_discovery,"
        " 42 of 240 of weekly_deep_crawl), about 30 at brave, 60 at serper credits a day;"
        " `schedule.queries_per_day` sets the bound"
    )
