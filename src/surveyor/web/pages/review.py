"""The review queue: one domain after the other, decided from the keyboard or with plain forms."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.people.saved import Saved, SavedKind, saved_by
from surveyor.review import queries, queue
from surveyor.review.own_decisions import decided_by
from surveyor.review.queue import Order
from surveyor.web import access, show
from surveyor.web.forms import asked, chosen
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
# Rows of one page: what a reviewer decides in a few minutes, and small enough to arrive at once.
_ROWS = 25


@routes.get("/review", needs=Scope.READ)
async def review(request: Request) -> Response:
    db = state_of(request).db
    order = chosen(request, "order", Order) or Order.OLDEST
    everything = asked(request, "all") == "1"
    after = asked(request, "after") or None
    found = await queue.waiting(db, order, _ROWS + 1, after, everything=everything)
    domains, is_more = found[:_ROWS], len(found) > _ROWS
    here = {"order": order if order is not Order.OLDEST else None, "all": 1 if everything else None}
    following = show.address("/review", **here, after=domains[-1].domain) if is_more else None
    part, who = show.is_part(request), access.who(request)
    return show.page(
        request,
        "parts/review_rows.html" if part else "review.html",
        domains=domains,
        evidence=await queries.evidence(db, domains),
        following=following,
        order=order,
        everything=everything,
        count=None if part else await queue.count(db, everything=everything),
        back=show.address("/review", **here),
        is_first=after is None,
        problem="",
        reasons=await _reasons(request),
        mine=[] if part or not who.may(Scope.REVIEW) else await decided_by(db, who.actor.name),
    )


async def _reasons(request: Request) -> list[Saved]:
    user = access.who(request).user
    if user is None or show.is_part(request) or not access.who(request).may(Scope.REVIEW):
        return []
    return await saved_by(state_of(request).db, user, SavedKind.REASON)
