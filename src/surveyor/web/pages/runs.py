"""Runs and workers, live: what is fetched, by whom, what is stuck, what waits."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl import run_view, stats
from surveyor.crawl.run_view import RunView
from surveyor.crawl.store.runs import Run
from surveyor.crawl.why import reason_text
from surveyor.errors import NotFound
from surveyor.operations import jobs, queries
from surveyor.operations.jobs import Job
from surveyor.people import Scope
from surveyor.registry import service, workers
from surveyor.web import access, show
from surveyor.web.forms import asked, identifier, long_number
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_RUNS, _WORKERS, _CLAIMS = 15, 50, 50
_LINES = 100


async def now_of(request: Request) -> dict[str, Any]:
    """What the live parts of pages show."""
    db = state_of(request).db
    now, people, parts = await asyncio.gather(
        stats.right_now(db, _RUNS, _CLAIMS, show.COUNTED), workers.listing(db, _WORKERS), queries.parts(db)
    )
    return {
        "parts": parts,
        "runs": now.runs,
        "claims": now.claims,
        "due": now.due,
        "stuck": sum(claim.is_stuck for claim in now.claims),
        "workers": people,
        "working": sum(worker.state == "working" for worker in people),
        "is_served": state_of(request).runs_jobs or jobs.serves(parts),
    }


@routes.get("/runs", needs=Scope.READ)
async def runs(request: Request) -> Response:
    return show.page(request, "runs.html", **await now_of(request))


@routes.get("/runs/live", needs=Scope.READ)
async def live(request: Request) -> Response:
    """The part of the page that is asked for again and again."""
    return show.page(request, "parts/runs.html", **await now_of(request))


@routes.get("/live", needs=Scope.READ)
async def live_summary(request: Request) -> Response:
    return show.page(request, "parts/now.html", **await now_of(request))


@routes.get("/runs/{number}", needs=Scope.READ)
async def run(request: Request, number: str) -> Response:
    """One run; the part of it is asked for again and again while it runs."""
    db, words, reason = state_of(request).db, asked(request, "q"), asked(request, "reason")
    before = asked(request, "before", 19)
    view = await run_view.view(
        db,
        identifier(number, "run"),
        _LINES + 1,
        words=words,
        reason=reason,
        before=long_number(before, "there is no such line") if before else None,
    )
    lines = view.lines[:_LINES]
    here, more = f"/runs/{view.run.id}", len(view.lines) > _LINES
    at_work = [one for one in await workers.listing(db, _WORKERS) if one.run_id == view.run.id]
    return show.page(
        request,
        "parts/run.html" if show.is_part(request) else "run.html",
        view=view,
        run=view.run,
        lines=lines,
        words=words,
        reason=reason,
        most=run_view.MOST_LINES,
        job=await _job_of(request, view.run),
        workers=at_work,
        chart=_chart(view),
        reason_text=reason_text,
        path=here,
        following=show.address(here, q=words, reason=reason, before=lines[-1].id) if more else None,
        is_first=not before,
    )


def _chart(view: RunView) -> dict[str, Any]:
    series = {"requests": [one.pages for one in view.minutes], "errors": [one.errors for one in view.minutes]}
    return {"times": [one.when for one in view.minutes], "series": series}


async def _job_of(request: Request, run: Run) -> Job | None:
    """The job that asked for a run, by which people stop it."""
    named = (run.options or {}).get("job")
    try:
        return await jobs.get(state_of(request).db, UUID(str(named))) if named else None
    except (NotFound, ValueError):
        return None


@routes.post("/claims/release", needs=Scope.ADMIN)
async def release(request: Request) -> Response:
    """End claims whose time is over, or all of one worker."""
    worker = access.form(request).some("worker")
    freed = await service.release_claims(
        state_of(request).db, access.who(request).actor, worker, expired_only=worker is None
    )
    return show.done(request, "/runs", f"{len(freed):,} claims ended")
