"""Quality: of domains, and of the judges, measured by what people decided."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.review.quality import agreement
from surveyor.web import show
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()


@routes.get("/quality", needs=Scope.READ)
async def quality(request: Request) -> Response:
    app = state_of(request)
    found = await agreement(app.db)
    counted = await app.figures.get()
    months = found.months
    chart = {
        "times": [f"{share.name}-01" for share in months],
        "series": {
            "decided": [share.decided for share in months],
            "approved": [share.approved for share in months],
        },
    }
    return show.page(
        request, "quality.html", agreement=found, chart=chart, kinds=counted.kinds if counted else {}
    )
