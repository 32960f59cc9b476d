"""Scripts and styles, for anybody."""

from __future__ import annotations

from fastapi.responses import Response

from surveyor.errors import NotFound
from surveyor.web import assets
from surveyor.web.routing import ANYBODY, Routes

routes = Routes()
_FOR_GOOD = "public, max-age=31536000, immutable"


@routes.get("/static/{mark}/{name}", needs=ANYBODY)
async def static(mark: str, name: str) -> Response:
    asset = assets.everything().get(name)
    if asset is None or asset.mark != mark:
        raise NotFound(f"there is no file {name[:40]!r} of that mark; load the page again")
    return Response(asset.content, media_type=asset.kind, headers={"cache-control": _FOR_GOOD})
