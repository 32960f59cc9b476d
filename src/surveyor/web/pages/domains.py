"""The table of domains: filters and order in its address, what can be done to many, the rows as a file."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from surveyor.errors import NotFound
from surveyor.export import writers
from surveyor.export.columns import COLUMNS
from surveyor.export.values import What
from surveyor.people import Scope
from surveyor.people.saved import SavedKind, saved_by
from surveyor.registry import table
from surveyor.registry.domain import Domain, Stage, to_json
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.web import access, show
from surveyor.web.pages.bulk import ACTS
from surveyor.web.routing import Routes
from surveyor.web.state import state_of
from surveyor.web.table import FORMATS, View

routes = Routes()
_ROWS = 50


@routes.get("/domains", needs=Scope.READ)
async def domains(request: Request) -> Response:
    app, user = state_of(request), access.who(request).user
    view = View.parse(request.url.query)
    wanted = view.filter(app.workspace.name_rules)
    found = await table.page(app.db, wanted, _ROWS, view.after, view.sort)
    counted = await app.figures.get()
    matching, is_all = await table.count(app.db, wanted, show.COUNTED, found) if view.values else (0, False)
    return show.page(
        request,
        "domains.html",
        view=view,
        found=found,
        domains=found.domains,
        stage=view.values.get("stage", ""),
        words=view.values.get("q", ""),
        following=view.address(after=found.after) if found.after is not None else None,
        is_first=not view.after,
        counts=counted.stages if counted else {},
        facets=counted.facets if counted else None,
        as_of=counted.as_of if counted else None,
        matching=matching,
        is_all=is_all,
        stages=list(Stage),
        reviews=list(ReviewStatus),
        qualities=list(QualityStatus),
        acts=ACTS,
        most_sorted=table.MOST_SORTED,
        views=await saved_by(app.db, user, SavedKind.VIEW) if user else [],
        yields=app.workspace.profile.yields,
        back=view.address(),
    )


@routes.get("/domains.{kind}", needs=Scope.READ)
async def download(request: Request, kind: str) -> Response:
    """Exactly the rows that the list shows, all of them, as they are read."""
    app, view = state_of(request), View.parse(request.url.query)
    media = FORMATS.get(kind)
    if media is None:
        raise NotFound(f"a list is {' or '.join(FORMATS)}, not {kind[:20]!r}")
    rows = table.every(app.db, view.filter(app.workspace.name_rules))
    headers = {"content-disposition": f'attachment; filename="domains.{kind}"', "cache-control": "no-store"}
    made = _written(rows, kind, app.workspace.profile.yields)
    return StreamingResponse(made, media_type=media, headers=headers)


async def _written(rows: AsyncIterator[list[Domain]], kind: str, yields: str) -> AsyncIterator[bytes]:
    page = io.BytesIO()
    writer = writers.made(kind, page, COLUMNS[What.DOMAINS])
    async for some in rows:
        writer.write([to_json(domain, yields) for domain in some])
        yield page.getvalue()
        page.seek(0)
        page.truncate()
    writer.close()
    yield page.getvalue()
