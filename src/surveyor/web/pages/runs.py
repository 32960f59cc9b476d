"""Runs and workers, live: what is fetched, by whom, what is stuck, what waits."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl import stats
from surveyor.operations import queries
from surveyor.people import Scope
from surveyor.registry import service, workers
from surveyor.web import access, show
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import state_of

routes = Routes()
_RUNS, _WORKERS, _CLAIMS = 15, 50, 50


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


@routes.post("/claims/release", needs=Scope.ADMIN)
async def release(request: Request) -> Response:
    """End claims whose time is over, or all of one worker."""
    worker = access.form(request).some("worker")
    freed = await service.release_claims(
        state_of(request).db, access.who(request).actor, worker, expired_only=worker is None
    )
    answer = redirect("/runs")
    show.leave_notice(request, answer, f"{len(freed):,} claims ended")
    return answer
