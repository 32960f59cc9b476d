"""Quality: of domains, and of the judges, measured by what people decided."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.review.quality import agreement
from surveyor.web import show
from surveyor.web.desk import Desk
from surveyor.web.site import site_of

desk = Desk()


@desk.get("/quality", needs=Scope.READ)
async def quality(request: Request) -> Response:
    site = site_of(request)
    found = await agreement(site.db)
    counted = await site.figures.get()
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
