"""Discovery sessions and the usage of providers: what was asked, what it cost, what it brought."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import Response

from surveyor.discover import session_list as service
from surveyor.discover import usage
from surveyor.people import Scope
from surveyor.web import access, show
from surveyor.web.forms import asked, identifier
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import state_of

routes = Routes()
_ROWS, _QUERIES = 30, 30
_DAYS = 30


@routes.get("/sessions", needs=Scope.READ)
async def sessions(request: Request) -> Response:
    db = state_of(request).db
    after = asked(request, "after")
    found, providers_usage = await asyncio.gather(
        service.look_at_sessions(db, _ROWS + 1, identifier(after, "session") if after else None),
        usage.report(db, _DAYS, _QUERIES),
    )
    shown = found[:_ROWS]
    following = show.address("/sessions", after=shown[-1].id) if len(found) > _ROWS else None
    return show.page(
        request,
        "sessions.html",
        sessions=shown,
        providers_usage=providers_usage,
        days=_DAYS,
        following=following,
        is_first=not after,
    )


@routes.post("/providers/{name}/resume", needs=Scope.ADMIN)
async def resume(request: Request, name: str) -> Response:
    """Ask a suspended provider again."""
    ended = await usage.resume(state_of(request).db, name, access.who(request).actor)
    answer = redirect("/sessions")
    message = "is asked again" if ended else "was not suspended"
    show.leave_notice(request, answer, f"{name} {message}")
    return answer
