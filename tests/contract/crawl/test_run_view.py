"""One run as people watch it: its own requests only, errors by reason, domains with progress, its log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import insert, update

from surveyor.crawl import run_view, service
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.store import run_log
from surveyor.db import Database
from surveyor.db.tables import crawl_log, crawl_runs
from surveyor.errors import NotFound
from surveyor.ids import new_id
from tests.support.registry_help import ADMIN, add_domain


async def _filled(db: Database) -> tuple[UUID, UUID]:
    """Two runs whose requests stand among each other."""
    ours = await service.start_run(db, ADMIN, RunOptions(), continuous=False, job="a job")
    theirs = await service.start_run(db, ADMIN, RunOptions(), continuous=False)
    numbers = [(await add_domain(db, name)).no for name in ("a.example", "b.example")]
    now = datetime.now(UTC)
    rows: list[dict[str, Any]] = [
        {
            "run_id": theirs if index % 5 == 4 else ours,
            "domain_no": numbers[index % 2],
            "url": f"https://{'ab'[index % 2]}.example/pages/{index}",
            "status": 404 if index % 10 == 0 else 200,
            "reason": "not_found" if index % 10 == 0 else "duplicate" if index % 10 == 1 else None,
            "bytes": 100,
            "ms": 5,
            "fetched_at": now - timedelta(seconds=50 - index),
            "lease_epoch": 1,
        }
        for index in range(50)
    ]
    async with db.write() as tx:
        began = {"started_at": now - timedelta(seconds=60), "pages": 40, "bytes": 4_000, "errors": 5}
        await tx.execute(update(crawl_runs).where(crawl_runs.c.id == ours).values(began))
        await tx.execute(insert(crawl_log), rows)
    return ours, theirs


async def test_a_run_shows_its_own_requests_by_minute_reason_and_domain(db: Database) -> None:
    ours, _ = await _filled(db)
    seen = await run_view.view(db, ours, 100)
    assert sum(minute.pages for minute in seen.minutes) == len(seen.lines) == 40
    # What was answered well and not wanted has a reason too, and is no error.
    assert seen.reasons == [("not_found", 5)]
    assert [(one.domain, one.requests, one.errors, one.bytes) for one in seen.domains] == [
        ("a.example", 20, 5, 2_000),
        ("b.example", 20, 0, 2_000),
    ]
    assert seen.whole and 0.5 < seen.rate < 0.9 and seen.run.options == {"job": "a job"}


async def test_the_log_of_a_run_is_filtered_and_goes_on_where_it_ended(db: Database) -> None:
    ours, _ = await _filled(db)
    wrong = await run_view.view(db, ours, 100, reason="not_found")
    assert [line.url.rpartition("/")[2] for line in wrong.lines] == ["40", "30", "20", "10", "0"]
    some = await run_view.view(db, ours, 100, words="B.EXAMPLE/pages/1")
    assert [line.url[-2:] for line in some.lines] == ["17", "15", "13", "11", "/1"]
    assert (await run_view.view(db, ours, 100, words="%")).lines == []
    first = await run_view.view(db, ours, 30)
    rest = await run_view.view(db, ours, 30, before=first.lines[-1].id)
    assert len({line.id for line in first.lines + rest.lines}) == 40


async def test_of_a_long_run_the_latest_requests_are_counted_and_it_says_so(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = await _filled(db)
    monkeypatch.setattr(run_log, "MOST_LINES", 10)
    seen = await run_view.view(db, ours, 100)
    assert (seen.whole, len(seen.lines)) == (False, 8)


async def test_a_run_that_fetched_nothing_or_is_not_known_is_said(db: Database) -> None:
    empty = await service.start_run(db, ADMIN, RunOptions(), continuous=False)
    await service.finish_run(db, empty, "nothing_due")
    seen = await run_view.view(db, empty, 10)
    assert (seen.minutes, seen.reasons, seen.domains, seen.lines) == ([], [], [], [])
    with pytest.raises(NotFound):
        await run_view.view(db, new_id(), 10)
