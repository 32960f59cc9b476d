"""What happened: events for programs that follow, and the position of each webhook."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Query, Request
from fastapi.responses import Response

from surveyor.listeners.standing import WebhookStatus, standing
from surveyor.people import Scope
from surveyor.registry import feed
from surveyor.web.api import shapes
from surveyor.web.api.common import MOST_ROWS, Limit, answer, api_routes, next_link
from surveyor.web.state import state_of

routes = api_routes("events")


@routes.get("/events", needs=Scope.READ, response_model=shapes.EVENTS)
async def events(
    request: Request,
    after: Annotated[
        int | None,
        Query(ge=0, le=2**63 - 1, description="The id of the last event you received; 0 is the beginning."),
    ] = None,
    limit: Limit = 100,
) -> Response:
    """Events in an order that never changes: each at least once, none skipped. Without `after`, the latest.

    `next` is what to ask after next time, also when nothing is new yet; `more` says whether to ask at once.
    """
    db = state_of(request).db
    found = await (feed.latest(db, limit) if after is None else feed.read(db, after, limit + 1))
    shown = found[:limit]
    last = shown[-1].event.id if shown else after or 0
    made = answer({"items": [feed.to_json(one) for one in shown], "next": last, "more": len(found) > limit})
    made.headers["link"] = next_link(request, str(last))
    return made


@routes.get("/webhooks", needs=Scope.ADMIN, response_model=shapes.WEBHOOKS)
async def webhooks(request: Request) -> Response:
    """The position of each webhook of the settings in the feed, and what went wrong last."""
    workspace = state_of(request).workspace
    found = await standing(workspace.db, workspace.settings.listeners.webhooks, MOST_ROWS)
    return answer({"items": [_shown(line) for line in found]})


def _shown(line: WebhookStatus) -> dict[str, Any]:
    """Some receivers have their key in the address: of that only the host is shown."""
    parts = urlsplit(line.url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    place = f"{host}:{parts.port}" if parts.port else host
    return asdict(replace(line, url=f"{parts.scheme}://{place}/"))
