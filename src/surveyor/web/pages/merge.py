"""Merging two domains that a person chose: both side by side first, then one of them."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.bootstrap import workers
from surveyor.errors import UsageError
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.web import access, show
from surveyor.web.forms import asked
from surveyor.web.pages.domain import find_domain, known_name
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
# What both are compared by: what is joined, and what is lost.
FACTS = {
    "review_status": "May we crawl it?",
    "quality_status": "Is it worth it?",
    "crawl_status": "How far are we?",
    "first_seen_at": "Known since",
    "source": "Origin",
    "pages_crawled": "Pages crawled",
    "records_stored": "Records",
    "last_crawled_at": "Last crawled",
}


@routes.get("/domains/{name}/merge", needs=Scope.REVIEW)
async def ask(request: Request, name: str) -> Response:
    """Both side by side; without a second one, a form that asks for it."""
    app = state_of(request)
    first, text = await find_domain(app, name), asked(request, "with")
    second = await find_domain(app, text) if text else None
    if second is not None and second.no == first.no:
        raise UsageError(f"{text} leads to {first.domain} already; name another domain")
    return show.page(request, "merge.html", first=first, second=second, facts=FACTS, text=text)


@routes.post("/domains/{name}/merge", needs=Scope.REVIEW)
async def merge(request: Request, name: str) -> Response:
    """`name` is merged into the one that is kept; versions that are not the present ones are refused."""
    app, form = state_of(request), access.form(request)
    kept = known_name(app, form.one("kept"))
    old = known_name(app, name)
    seen = [form.number(field, "a version") for field in ("kept_version", "version")]
    if None in seen:
        raise UsageError("the form does not say which versions it saw; load the page again")
    async with workers.frontier_of(app.workspace) as frontier:
        domain = await service.merge_chosen(
            app.db, (kept, seen[0] or 0), (old, seen[1] or 0), access.who(request).actor, frontier.drop
        )
    return show.done(
        request,
        f"/domains/{domain.domain}",
        f"{old} was merged into {domain.domain}, and leads here from now on",
    )
