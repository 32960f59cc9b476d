"""Pages of a domain, versions of a page, one version as text, and what two of them differ in."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl import queries as crawl_queries
from surveyor.crawl.why import reason_text
from surveyor.errors import NotFound
from surveyor.extract import queries, service
from surveyor.people import Scope
from surveyor.registry.domain import Domain
from surveyor.web import show
from surveyor.web.forms import asked, long_number, one_of
from surveyor.web.pages.domain import find_domain
from surveyor.web.record_view import version_pieces
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_PAGES = 50
_STATES = ("waiting", "taken", "done", "ended")
_NO_PAGE, _NO_VERSION = "no such page is known of this domain", "there is no such snapshot"


@routes.get("/domains/{name}/pages", needs=Scope.READ)
async def pages(request: Request, name: str) -> Response:
    app = state_of(request)
    found = await find_domain(app, name)
    state = one_of(request, "state", _STATES) or ""
    after = long_number(asked(request, "after"), _NO_PAGE) if asked(request, "after") else None
    lines = await crawl_queries.pages_of(app.db, found.no, _PAGES + 1, after, state or None)
    shown = lines[:_PAGES]
    base = f"/domains/{found.domain}/pages"
    following = show.address(base, state=state, after=shown[-1].key) if len(lines) > _PAGES else None
    return show.page(
        request,
        "pages.html",
        domain=found,
        lines=shown,
        state=state,
        states=_STATES,
        reason_text=reason_text,
        following=following,
        is_first=after is None,
    )


@routes.get("/domains/{name}/pages/{key}", needs=Scope.READ)
async def page(request: Request, name: str, key: str) -> Response:
    app = state_of(request)
    found, number = await find_domain(app, name), long_number(key, _NO_PAGE)
    line = await crawl_queries.page_of(app.db, found.no, number)
    return show.page(
        request,
        "page.html",
        domain=found,
        page=line,
        versions=await queries.versions_of(app.db, found.no, number),
        reason_text=reason_text,
        address=_address(found, line.target),
    )


def _address(domain: Domain, target: str) -> str:
    return (domain.start_url or f"https://{domain.domain}/").rstrip("/") + target


@routes.get("/snapshots/{number}", needs=Scope.READ)
async def snapshot(request: Request, number: str) -> Response:
    """What was read of a version: its text, with the words that records were read from."""
    app = state_of(request)
    story = await queries.version_story(app.db, long_number(number, _NO_VERSION))
    picture = await crawl_queries.screenshot(app.db, app.workspace.archive_folder, story.version.id)
    return show.page(
        request,
        "version.html",
        story=story,
        pieces=version_pieces(story),
        has_screenshot=picture is not None,
    )


@routes.get("/snapshots/{number}/screenshot", needs=Scope.READ)
async def screenshot(request: Request, number: str) -> Response:
    """A version as a browser showed it."""
    app, wanted = state_of(request), long_number(number, _NO_VERSION)
    picture = await crawl_queries.screenshot(app.db, app.workspace.archive_folder, wanted)
    if picture is None:
        raise NotFound("no screenshot of this version was kept")
    headers = {"content-security-policy": "sandbox; default-src 'none'"}
    return Response(picture, media_type="image/png", headers=headers)


@routes.get("/snapshots/{number}/raw", needs=Scope.READ)
async def raw(request: Request, number: str) -> Response:
    """A version as it was fetched, as text to be saved: a browser must never run it."""
    app, wanted = state_of(request), long_number(number, _NO_VERSION)
    _, body = await crawl_queries.raw(app.db, app.workspace.archive_folder, wanted)
    headers = {
        "content-security-policy": "sandbox; default-src 'none'",
        "content-disposition": f'attachment; filename="snapshot-{wanted}.txt"',
    }
    return Response(body, media_type="text/plain; charset=utf-8", headers=headers)


@routes.get("/snapshots/{older}/{newer}", needs=Scope.READ)
async def differences(request: Request, older: str, newer: str) -> Response:
    """By the text that was read; of versions that nobody has read yet, by the pages as they were fetched."""
    app = state_of(request)
    first, second = long_number(older, _NO_VERSION), long_number(newer, _NO_VERSION)
    try:
        difference, lines = await service.differences(app.db, first, second), []
    except NotFound:
        difference = None
        lines = await crawl_queries.differences(app.db, app.workspace.archive_folder, first, second)
    return show.page(
        request, "differences.html", difference=difference, lines=lines, older=first, newer=second
    )
