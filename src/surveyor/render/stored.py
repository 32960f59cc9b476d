"""A screenshot of a page that is stored: drawn from its bytes alone, with no request and no script."""

from __future__ import annotations

from surveyor.net.fetcher import Response, user_agent
from surveyor.net.response_parser import Headers
from surveyor.render.browser import Renderer
from surveyor.render.values import Browsed, RenderFailed
from surveyor.settings import Settings


async def draw(settings: Settings, url: str, body: bytes, content_type: str) -> bytes:
    """A PNG. Raises `RenderFailed`, and `NoBrowser` where none can be started."""
    raw = (
        (b"Content-Type", content_type.encode("ascii", "replace")),
        (b"Content-Security-Policy", b"script-src 'none'"),
    )
    response = Response(url, 200, Headers(raw), body, None, False, 0, 0.0, 0.0, "", "1.1", "OK", raw)
    renderer = Renderer(settings.render, user_agent(settings.net))
    try:
        shown = await renderer.render(url, response, _nothing, screenshot=True)
    finally:
        await renderer.close()
    if shown.screenshot is None:
        raise RenderFailed("no screenshot could be taken")
    return shown.screenshot


async def _nothing(_request: Browsed) -> None:
    return None
