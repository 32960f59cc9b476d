"""The blacklist: who put what on it and why; a pasted list goes on it at once."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.domain import Stage
from surveyor.registry.store.listing import DomainFilter
from surveyor.web import show
from surveyor.web.forms import asked
from surveyor.web.pages.decisions import MOST
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_ROWS = 50


@routes.get("/blacklist", needs=Scope.READ)
async def blacklist(request: Request) -> Response:
    after = asked(request, "after") or None
    wanted = DomainFilter(stage=Stage.BLACKLISTED)
    found = await service.list_domains(state_of(request).db, wanted, _ROWS + 1, after)
    shown = found[:_ROWS]
    following = show.address("/blacklist", after=shown[-1].domain) if len(found) > _ROWS else None
    return show.page(
        request, "blacklist.html", domains=shown, following=following, is_first=after is None, most=MOST
    )
