"""One domain: its whole life on one page, and what a person can do to it."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import Response

from surveyor import entry_points
from surveyor.bootstrap import workers
from surveyor.crawl import queries as crawl_queries
from surveyor.crawl import service as crawl_service
from surveyor.crawl.why import reason_text
from surveyor.entry_points import Group
from surveyor.errors import NotADomain, NotFound, UsageError
from surveyor.extract import queries as extract_look
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.domain import Domain
from surveyor.review import decisions, forgetting
from surveyor.review import queries as review_queries
from surveyor.review.decisions import Target
from surveyor.web import access, show
from surveyor.web.forms import Form
from surveyor.web.pages.decisions import state_verbs
from surveyor.web.record_view import in_line
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import AppState, state_of

routes = Routes()
# Events, and rows of each kind of thing that was found; a page of its own has the rest.
_EVENTS, _FOUND = 40, 20
_PANEL_EVENTS = 8
LIMITS = {
    "max_crawl_depth": "Depth",
    "crawl_delay_seconds": "Delay, seconds",
    "max_pages_per_run": "Pages per run",
    "scrape_frequency_hours": "Hours between visits",
}
_LONGEST_NOTES = 5_000  # characters


@routes.get("/domains/{name}", needs=Scope.READ)
async def domain(request: Request, name: str) -> Response:
    app, visitor = state_of(request), access.who(request)
    info = await service.domain_info(app.db, known_name(app, name), _EVENTS)
    found = info.domain
    if found.domain != known_name(app, name):
        return redirect(f"/domains/{found.domain}")  # its name was merged into this one
    dossier, life, extracted = await asyncio.gather(
        review_queries.dossier(app.db, found.no),
        crawl_queries.life_of(app.db, found.no, show.COUNTED),
        extract_look.found_on(app.db, found.no, _FOUND),
    )
    return show.page(
        request,
        "domain.html",
        domain=found,
        events=info.events,
        names=info.names,
        dossier=dossier,
        life=life,
        extracted=extracted,
        in_line=in_line,
        limits=LIMITS,
        defaults=app.workspace.profile.limits,
        why_not=crawl_service.why_not_now(found),
        reason_text=reason_text,
        verbs=state_verbs(found, visitor.may(Scope.ADMIN)) if visitor.may(Scope.REVIEW) else [],
        yields=app.workspace.profile.yields,
        kinds=entry_points.names(Group.RECORDS),
    )


@routes.get("/domains/{name}/panel", needs=Scope.READ)
async def panel(request: Request, name: str) -> Response:
    """The evidence for and against a domain, beside the queue; without a script a page of its own."""
    app = state_of(request)
    info = await service.domain_info(app.db, known_name(app, name), _PANEL_EVENTS)
    return show.page(
        request,
        "parts/panel.html" if show.is_part(request) else "panel.html",
        domain=info.domain,
        events=info.events,
        dossier=await review_queries.dossier(app.db, info.domain.no),
        why_not=crawl_service.why_not_now(info.domain),
    )


def known_name(app: AppState, name: str) -> str:
    try:
        return app.workspace.domain_name(name)
    except NotADomain:
        raise NotFound(f"{name[:80]!r} is not in the register") from None


async def find_domain(app: AppState, name: str) -> Domain:
    return (await service.domain_info(app.db, known_name(app, name), 0)).domain


@routes.post("/domains/{name}/limits", needs=Scope.REVIEW)
async def limits(request: Request, name: str) -> Response:
    """Limits and notes. A version that is no longer the present one is refused with what changed."""
    app, form = state_of(request), access.form(request)
    version = form.number("version", "a version")
    if version is None:
        raise UsageError("the form does not say which version it saw; load the page again")
    domain = await decisions.edit_one(
        app.db, access.who(request).actor, _edited(form), Target(known_name(app, name), version)
    )
    return _back(request, domain, "limits and notes are saved")


def _edited(form: Form) -> dict[str, object]:
    notes = form.some("notes")
    if notes and len(notes) > _LONGEST_NOTES:
        raise UsageError(f"notes have at most {_LONGEST_NOTES:,} characters")
    whole = ("max_crawl_depth", "max_pages_per_run", "scrape_frequency_hours")
    values: dict[str, object] = {name: form.number(name, LIMITS[name].lower()) for name in whole}
    for name in ("max_pages_per_run", "scrape_frequency_hours"):
        if values[name] == 0:
            raise UsageError(f"{LIMITS[name].lower()}: at least 1, or empty for the profile's")
    delay = form.decimal("crawl_delay_seconds", "a delay")
    return values | {"crawl_delay_seconds": delay, "render": form.some("render"), "notes": notes}


@routes.post("/domains/{name}/recrawl", needs=Scope.REVIEW)
async def recrawl(request: Request, name: str) -> Response:
    app = state_of(request)
    found, count = await crawl_service.recrawl(app.db, known_name(app, name), access.who(request).actor)
    due = "due now" if found.due_at else "not due: it is not approved"
    return _back(request, found, f"{count:,} pages to fetch again, {due}")


@routes.post("/domains/{name}/reset", needs=Scope.REVIEW)
async def reset(request: Request, name: str) -> Response:
    app, reason = state_of(request), access.form(request).some("reason")
    found = await service.reset_domain(app.db, known_name(app, name), access.who(request).actor, reason)
    return _back(request, found, "errors and cooldown are cleared; its start page is fetched again")


@routes.post("/domains/{name}/forget", needs=Scope.ADMIN)
async def forget(request: Request, name: str) -> Response:
    """Erase it; the name typed again stands for "I am sure"."""
    app, form = state_of(request), access.form(request)
    known = known_name(app, name)
    if form.one("sure") != known:
        raise UsageError(f"to erase {known} for good, type its name into the form")
    workspace = app.workspace
    async with workers.frontier_of(workspace) as frontier:
        done = await forgetting.forget_domain(
            app.db,
            frontier,
            workspace.archive_folder,
            workspace.name_rules,
            known,
            access.who(request).actor,
        )
    rows = sum(done.rows.values())
    return show.done(
        request, f"/domains/{known}", f"{known}: {rows:,} rows and {done.archive_records:,} records erased"
    )


def _back(request: Request, domain: Domain, message: str) -> Response:
    return show.done(request, f"/domains/{domain.domain}", f"{domain.domain}: {message}")
