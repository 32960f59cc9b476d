"""The first page: what needs a person, what runs now, and how it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl.figures import Fetched
from surveyor.people import Scope
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.domain import Stage
from surveyor.review import look, queue
from surveyor.web import show
from surveyor.web.desk import Desk
from surveyor.web.figures import Counted
from surveyor.web.pages.runs import now_of
from surveyor.web.site import site_of

desk = Desk()


@desk.get("/", needs=Scope.READ)
async def overview(request: Request) -> Response:
    site = site_of(request)
    waiting, candidates, counted, now = await asyncio.gather(
        queue.count(site.db),
        look.count_candidates(site.db, CandidateStatus.PENDING_REVIEW, show.COUNTED),
        site.figures.get(),
        now_of(request),
    )
    return show.page(
        request,
        "overview.html",
        waiting=waiting,
        candidates=candidates,
        stages=_stages(counted),
        stage_total=sum(counted.stages.values()) if counted else None,
        lately=counted.lately if counted else None,
        charts=_charts(counted),
        yields=site.workspace.profile.yields,
        **now,
    )


def _stages(counted: Counted | None) -> list[tuple[Stage, int]]:
    """Every stage that some domain is at, in the order of the stages."""
    if counted is None:
        return []
    return [(stage, counted.stages[stage]) for stage in Stage if counted.stages.get(stage)]


def _charts(counted: Counted | None) -> dict[str, Any]:
    if counted is None:
        return {}
    minutes, days = counted.lately.minutes, counted.lately.days
    return {
        "minutes": _chart(minutes, pages=[m.pages for m in minutes], errors=[m.errors for m in minutes]),
        "days": _chart(days, pages=[d.pages for d in days], images=[d.images for d in days]),
    }


def _chart(points: Sequence[Fetched], **series: list[int]) -> dict[str, Any]:
    """What the script draws: times, and a list of numbers under each name."""
    return {"times": [point.when for point in points], "series": series}
