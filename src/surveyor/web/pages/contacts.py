"""What extraction found beside records: the contacts of a domain, and pages that could not be read."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.extract import queries, service
from surveyor.people import Scope
from surveyor.web import access, show
from surveyor.web.forms import asked, long_number
from surveyor.web.pages.domain import find_domain
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_ROWS = 50


def _after(request: Request, label: str) -> int | None:
    text = asked(request, "after")
    return long_number(text, label) if text else None


@routes.get("/domains/{name}/contacts", needs=Scope.READ)
async def contacts(request: Request, name: str) -> Response:
    app, after = state_of(request), _after(request, "there is no such contact")
    found = await find_domain(app, name)
    gone = bool(asked(request, "gone"))
    rows = await queries.contacts_of(app.db, found.no, _ROWS + 1, after, gone=gone)
    shown, base = rows[:_ROWS], f"/domains/{found.domain}/contacts"
    return show.page(
        request,
        "contacts.html",
        domain=found,
        contacts=shown,
        gone=gone,
        following=show.address(base, gone=gone and 1, after=shown[-1].id) if len(rows) > _ROWS else None,
        is_first=after is None,
    )


@routes.get("/quarantine", needs=Scope.READ)
async def quarantined(request: Request) -> Response:
    """Pages that stopped three readers, of all domains."""
    app, after = state_of(request), _after(request, "there is no such snapshot")
    rows = await queries.quarantined(app.db, _ROWS + 1, after)
    shown = rows[:_ROWS]
    return show.page(
        request,
        "quarantine.html",
        pages=shown,
        count=await queries.count_quarantined(app.db),
        following=show.address("/quarantine", after=shown[-1].id) if len(rows) > _ROWS else None,
        is_first=after is None,
    )


@routes.post("/quarantine", needs=Scope.REVIEW)
async def read_again(request: Request) -> Response:
    """Have all of them read once more."""
    count = await service.read_again(state_of(request).db, access.who(request).actor)
    return show.done(request, "/quarantine", f"to be read again: {count:,}")
