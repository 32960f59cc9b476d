"""What happened, newest first: all of it, or of one kind, one domain, one person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import NotADomain, NotFound
from surveyor.export.columns import Column
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.events import EventKind
from surveyor.registry.store.events import EventFilter
from surveyor.web import files, show
from surveyor.web.pages.domain import find_domain
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of
from surveyor.web.table import Shape, View

routes = Routes()
_ROWS, _BATCH = 60, 500
_NOWHERE = -1  # the number of no domain
_SHAPE = Shape("/events", {"kind": EventKind}, ("domain", "by"))
_COLUMNS = tuple(
    map(Column, ("id", "at", "kind", "domain", "actor", "from", "to", "reason", "version", "data"))
)


@routes.get("/events", needs=Scope.READ)
async def events(request: Request) -> Response:
    app, view = state_of(request), View.parse(request.url.query, _SHAPE)
    shown, found = await service.look_for_events(app.db, await _filter(app, view), _ROWS, view.after)
    return show.page(
        request,
        "events.html",
        view=view,
        events=shown,
        found=found,
        kinds=sorted(EventKind),
        views=await files.kept(request, view),
    )


@routes.get("/events.{kind}", needs=Scope.READ)
async def download(request: Request, kind: str) -> Response:
    app, view = state_of(request), View.parse(request.url.query, _SHAPE)
    return files.download("events", kind, _COLUMNS, _every(app, await _filter(app, view)))


async def _every(app: AppState, wanted: EventFilter) -> AsyncIterator[list[dict[str, Any]]]:
    after: Any = ""
    while after is not None:
        some, found = await service.look_for_events(app.db, wanted, _BATCH, str(after))
        yield [event.to_json(domain=domain) for event, domain in some]
        after = found.after


async def _filter(app: AppState, view: View) -> EventFilter:
    kind = view.get("kind")
    number = None
    if name := view.get("domain"):
        try:
            number = (await find_domain(app, name)).no
        except (NotFound, NotADomain):
            number = _NOWHERE
    return EventFilter(EventKind(kind) if kind else None, number, view.get("by") or None)
