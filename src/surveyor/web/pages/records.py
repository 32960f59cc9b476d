"""Records: what extraction found. It does not exist yet, and the page says so."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.web import show
from surveyor.web.desk import Desk
from surveyor.web.site import site_of

desk = Desk()


@desk.get("/records", needs=Scope.READ)
async def records(request: Request) -> Response:
    return show.page(request, "records.html", yields=site_of(request).workspace.profile.yields)
