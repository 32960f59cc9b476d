"""What is at work: runs, workers and their claims, what waits, sessions of searches, providers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import Field

from surveyor.crawl import service as crawl
from surveyor.discover import session_list, usage
from surveyor.errors import UsageError
from surveyor.people import Scope
from surveyor.registry import service, workers
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import NO_ZERO, Body, Limit, answer, api_routes, paged
from surveyor.web.state import state_of

routes = api_routes("operating")
After = Annotated[UUID | None, Query(description="`next` of the page before.")]


class Release(Body):
    """Whose claims, or which; one of both at least."""

    worker: Annotated[str | None, Field(max_length=300, pattern=NO_ZERO)] = None
    expired: bool = False


@routes.get("/runs", needs=Scope.READ, response_model=shapes.RUNS)
async def list_runs(request: Request, limit: Limit = 20, after: After = None) -> Response:
    """Runs with their figures, newest first."""
    found = await crawl.list_runs(state_of(request).db, limit + 1, after)
    return paged(request, found, limit, asdict, lambda run: run.id)


@routes.get("/workers", needs=Scope.READ, response_model=shapes.WORKERS)
async def list_workers(request: Request, limit: Limit = 50) -> Response:
    """Workers, those at work first, with how many domains each holds."""
    found = await workers.listing(state_of(request).db, limit)
    return answer({"items": [asdict(worker) | {"state": worker.state} for worker in found]})


@routes.post("/claims/release", needs=Scope.ADMIN, response_model=shapes.RELEASED)
async def release_claims(request: Request, given: Release) -> Response:
    """End claims by hand: the domains are due at once, and what their holders still write is refused."""
    if given.worker is None and not given.expired:
        raise UsageError("say which claims: `worker`, `expired`, or both; /api/v1/workers lists them")
    db, by = state_of(request).db, access.who(request).actor
    return answer({"released": await service.release_claims(db, by, given.worker, given.expired)})


@routes.get("/queue", needs=Scope.READ, response_model=shapes.QUEUE_LINES)
async def queue_status(request: Request, limit: Limit = 50) -> Response:
    """Domains with URLs waiting, the longest queues first."""
    found = await crawl.queue_status(state_of(request).db, limit)
    return answer({"items": [asdict(line) for line in found]})


@routes.get("/sessions", needs=Scope.READ, response_model=shapes.SESSIONS)
async def list_sessions(request: Request, limit: Limit = 20, after: After = None) -> Response:
    """Sessions of searches with their figures, newest first."""
    found = await session_list.look_at_sessions(state_of(request).db, limit + 1, after)
    return paged(request, found, limit, asdict, lambda session: session.id)


@routes.get("/providers", needs=Scope.READ, response_model=shapes.PROVIDERS)
async def list_providers(
    request: Request,
    days: Annotated[int, Query(ge=1, le=36_500, description="Days that the figures cover.")] = 30,
) -> Response:
    """Search providers: whether they are set up or suspended, and what they cost and brought."""
    workspace = state_of(request).workspace
    states = await usage.states(workspace.db, workspace.provider_accounts(), days)
    return answer({"items": [usage.state_json(state) for state in states]})
