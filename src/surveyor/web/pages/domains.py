"""The table of domains: filters and order in its address, what can be done to many, the rows as a file."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.export.columns import COLUMNS
from surveyor.export.values import What
from surveyor.people import Scope
from surveyor.registry import table
from surveyor.registry.domain import Stage, to_json
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.web import files, show
from surveyor.web.pages.bulk import ACTS
from surveyor.web.routing import Routes
from surveyor.web.state import state_of
from surveyor.web.table import View, domain_filter

routes = Routes()
_ROWS = 50


@routes.get("/domains", needs=Scope.READ)
async def domains(request: Request) -> Response:
    app = state_of(request)
    view = View.parse(request.url.query)
    wanted = domain_filter(view, app.workspace.name_rules)
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
        views=await files.kept(request, view),
        yields=app.workspace.profile.yields,
        back=view.address(),
    )


@routes.get("/domains.{kind}", needs=Scope.READ)
async def download(request: Request, kind: str) -> Response:
    """Exactly the rows that the list shows, all of them, as they are read."""
    app, view = state_of(request), View.parse(request.url.query)
    yields = app.workspace.profile.yields
    some = table.every(app.db, domain_filter(view, app.workspace.name_rules))
    rows = ([to_json(domain, yields) for domain in page] async for page in some)
    return files.download("domains", kind, COLUMNS[What.DOMAINS], rows)
