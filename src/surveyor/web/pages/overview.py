"""The first page: what needs a person, what runs now, and how it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl.stats import Fetched
from surveyor.extract.stats import FoundDay
from surveyor.people import Scope
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.domain import Stage
from surveyor.review import queries, queue
from surveyor.web import show
from surveyor.web.pages.runs import now_of
from surveyor.web.routing import Routes
from surveyor.web.state import state_of
from surveyor.web.stats import Counted

routes = Routes()


@routes.get("/", needs=Scope.READ)
async def overview(request: Request) -> Response:
    app = state_of(request)
    waiting, candidates, counted, now = await asyncio.gather(
        queue.count(app.db),
        queries.count_candidates(app.db, CandidateStatus.PENDING_REVIEW, show.COUNTED),
        app.figures.get(),
        now_of(request),
    )
    return show.page(
        request,
        "overview.html",
        waiting=waiting,
        candidates=candidates,
        stages=_stages(counted),
        stage_total=sum(counted.stages.values()) if counted else None,
        as_of=counted.as_of if counted else None,
        lately=counted.lately if counted else None,
        quarantined=counted.quarantined if counted else 0,
        days=_days(counted),
        charts=_charts(counted, app.workspace.profile.yields),
        yields=app.workspace.profile.yields,
        **now,
    )


def _stages(counted: Counted | None) -> list[tuple[Stage, int]]:
    """Every stage that some domain is at, in the order of the stages."""
    if counted is None:
        return []
    return [(stage, counted.stages[stage]) for stage in Stage if counted.stages.get(stage)]


class Day(NamedTuple):
    """What one day brought, over all that was fetched and read."""

    when: str
    pages: int
    errors: int
    images: int
    found: int
    changed: int


def _days(counted: Counted | None) -> list[Day]:
    """Every day from the first on which something was fetched or found to the last."""
    if counted is None:
        return []
    fetched = {day.when: day for day in counted.lately.days}
    found = {day.when: day for day in counted.found}
    nothing, none = Fetched("", 0, 0, 0), FoundDay("", 0, 0)
    return [
        Day(when, *fetched.get(when, nothing)[1:], *found.get(when, none)[1:])
        for when in _every_day(fetched.keys() | found.keys())
    ]


def _every_day(days: Iterable[str]) -> list[str]:
    """Also those between: a line over a day without anything would say that there was something."""
    known = sorted(map(date.fromisoformat, days))
    if not known:
        return []
    count = (known[-1] - known[0]).days + 1
    return [(known[0] + timedelta(days=number)).isoformat() for number in range(count)]


def _charts(counted: Counted | None, yields: str) -> dict[str, Any]:
    """A day's pages are many times its records, so the two share no chart."""
    if counted is None:
        return {}
    minutes, days = counted.lately.minutes, _days(counted)
    gained: dict[str, list[int]] = {"images": [day.images for day in days]}
    if yields == "records":
        gained = {"new records": [day.found for day in days], "changed": [day.changed for day in days]}
    fetched = {"requests": [m.pages for m in minutes], "errors": [m.errors for m in minutes]}
    return {"minutes": _chart(minutes, fetched), "days": _chart(days, gained)}


def _chart(points: Sequence[Fetched | Day], series: dict[str, list[int]]) -> dict[str, Any]:
    """What the script draws: times, and a list of numbers under each name."""
    return {"times": [point.when for point in points], "series": series}
