"""What a person keeps for themselves: saved reasons and saved lists."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import NotFound, UsageError
from surveyor.people import Scope, saved
from surveyor.people.saved import SavedKind
from surveyor.web import access, show
from surveyor.web.forms import local
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()


@routes.post("/saved", needs=Scope.READ)
async def save(request: Request) -> Response:
    form = access.form(request)
    kind = form.one("kind")
    if kind not in set(SavedKind):
        raise UsageError(f"{kind[:30]!r} cannot be kept; {', '.join(SavedKind)} can")
    name, value = form.one("name"), form.one("value") or form.one("name")
    if kind == SavedKind.VIEW:
        value = local(value, "")
    await saved.save(state_of(request).db, access.user(request), SavedKind(kind), name, value)
    return _back(request, f"kept: {name}")


@routes.post("/saved/{number}/remove", needs=Scope.READ)
async def remove(request: Request, number: str) -> Response:
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        raise NotFound("nothing of that number is kept")
    await saved.remove(state_of(request).db, access.user(request), int(number))
    return _back(request, "removed")


def _back(request: Request, message: str) -> Response:
    return show.done(request, local(access.form(request).one("back"), "/review"), message)
