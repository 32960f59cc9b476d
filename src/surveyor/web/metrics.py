"""Metrics for Prometheus: what this process counted, and gauges read from the database.

The gauges are at most a quarter of a minute old, domains by stage as old as the pages say, however often
anybody asks: watching a register must not load it. Numbers and the names of listeners only.
"""

from __future__ import annotations

import time
from collections import Counter as Tally

from fastapi import Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, generate_latest
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Asked

from surveyor.crawl import stats
from surveyor.listeners.standing import behind
from surveyor.metrics import REGISTRY
from surveyor.people import Scope
from surveyor.registry import workers
from surveyor.registry.domain import Stage
from surveyor.review import queue
from surveyor.web.access import Who, admit_program
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

# Counting stops here: more than this is a lot, however much more it is.
COUNTED = 10_000
_MAX_AGE_SECONDS = 15.0
# Long enough that a slow crawl shows, short enough that a stopped one does.
_RECENT_SECONDS = 300.0
# Workers looked at, those at work first.
_MOST_WORKERS = 1_000

REQUESTS = Counter(
    "surveyor_http_requests",
    "Requests answered by this process, by kind (`api`, `page`) and class of status",
    ["kind", "status"],
    registry=REGISTRY,
)
# Of the database, so of all processes together; kept apart from what this process counts.
SHARED = CollectorRegistry()
DOMAINS = Gauge("surveyor_domains", "Domains by stage, counted in the background", ["stage"], registry=SHARED)
LEASES = Gauge(
    "surveyor_leases",
    "Domains under a lease; `expired` ones were not taken back yet",
    ["state"],
    registry=SHARED,
)
DUE = Gauge(
    "surveyor_domains_due", "Domains that a worker would take now, counted up to 10,000", registry=SHARED
)
WAITING = Gauge(
    "surveyor_review_waiting", "Domains that wait for a reviewer, counted up to 10,000", registry=SHARED
)
RECENT = Gauge(
    "surveyor_fetches_recent",
    "Fetches of the last five minutes by all workers, by result (`ok`, `error`)",
    ["result"],
    registry=SHARED,
)
WORKERS = Gauge(
    "surveyor_workers",
    "Workers by state: `working`, `silent` (no report for a minute), or `stalled` (holds leases and has"
    " committed nothing for five minutes)",
    ["state"],
    registry=SHARED,
)
IDLE = Gauge(
    "surveyor_worker_idle_seconds",
    "Longest time that a worker has held leases without committing anything",
    registry=SHARED,
)
BEHIND = Gauge(
    "surveyor_events_behind", "Events that a listener has not received yet", ["listener"], registry=SHARED
)


async def admit_scraper(request: Request, needs: Scope | None) -> None:
    """Everybody where the settings say so, else by token."""
    if state_of(request).workspace.settings.web.open_metrics:
        request.state.who = Who()
    else:
        await admit_program(request, needs)


routes = Routes(admit=admit_scraper)


@routes.get("/metrics", needs=Scope.READ)
async def metrics(request: Request) -> Response:
    app, state = state_of(request), request.app.state
    # Set before the reading, so that scrapers who come at once do not read at once.
    if time.monotonic() - getattr(state, "gauges_read_at", -_MAX_AGE_SECONDS) >= _MAX_AGE_SECONDS:
        state.gauges_read_at = time.monotonic()
        try:
            await _read(app)
        except BaseException:  # nobody may take the old numbers for new ones
            del state.gauges_read_at
            raise
    await _read_stages(app)
    text = generate_latest(REGISTRY) + generate_latest(SHARED)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def _read(app: AppState) -> None:
    leases, due = await stats.waiting(app.db, COUNTED)
    LEASES.labels("live").set(leases.live)
    LEASES.labels("expired").set(leases.expired)
    DUE.set(due)
    WAITING.set(await queue.count(app.db))
    well, wrong = await stats.recent(app.db, _RECENT_SECONDS)
    RECENT.labels("ok").set(well)
    RECENT.labels("error").set(wrong)
    found = await workers.listing(app.db, _MOST_WORKERS)
    states = Tally(worker.state for worker in found)
    at_work = [worker.idle_for.total_seconds() for worker in found if worker.stopped_at is None]
    IDLE.set(max(at_work, default=0.0))
    for state in ("working", "silent", "stalled"):
        WORKERS.labels(state).set(states[state])
    BEHIND.clear()
    for listener, count in (await behind(app.db)).items():
        BEHIND.labels(listener).set(count)


async def _read_stages(app: AppState) -> None:
    counted = await app.figures.get()
    if counted is None:  # a large register is being counted for the first time
        return
    for stage in Stage:
        DOMAINS.labels(stage.value).set(counted.stages.get(stage.value, 0))


class Counted:
    """Wraps the application and counts what it answers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Asked, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        kind = "api" if scope["path"].startswith("/api/") else "page"

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                REQUESTS.labels(kind, f"{message['status'] // 100}xx").inc()
            await send(message)

        await self.app(scope, receive, counted)
