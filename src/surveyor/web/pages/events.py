"""What happened, newest first."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.registry import service
from surveyor.web import show
from surveyor.web.forms import asked
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_ROWS = 60


@routes.get("/events", needs=Scope.READ)
async def events(request: Request) -> Response:
    before = asked(request, "before", 18)
    known = int(before) if before.isascii() and before.isdigit() else None
    found = await service.latest_events(state_of(request).db, _ROWS + 1, known)
    shown = found[:_ROWS]
    following = show.address("/events", before=shown[-1][0].id) if len(found) > _ROWS else None
    return show.page(request, "events.html", events=shown, following=following, is_first=known is None)
