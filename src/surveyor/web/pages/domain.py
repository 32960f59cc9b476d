"""One domain: its whole life on one page, its pages with reasons, versions of them, its limits."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import Response

from surveyor import bootstrap
from surveyor.crawl import look as crawl_look
from surveyor.crawl import service as crawl_service
from surveyor.crawl.why import told_reason
from surveyor.errors import NotADomain, NotFound, UsageError
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.domain import Domain
from surveyor.review import decisions, forgetting, look
from surveyor.review.decisions import Wish
from surveyor.web import access, show
from surveyor.web.desk import Desk, redirect
from surveyor.web.forms import Form, asked
from surveyor.web.pages.decisions import state_verbs
from surveyor.web.site import Site, site_of

desk = Desk()
_EVENTS, _PAGES = 40, 50
_STATES = ("waiting", "taken", "done", "ended")
LIMITS = {
    "max_crawl_depth": "Depth",
    "crawl_delay_seconds": "Delay, seconds",
    "max_pages_per_run": "Pages per run",
    "scrape_frequency_hours": "Hours between visits",
}
_LONGEST_NOTES = 5_000  # characters


@desk.get("/domains/{name}", needs=Scope.READ)
async def domain(request: Request, name: str) -> Response:
    site, visitor = site_of(request), access.who(request)
    info = await service.domain_info(site.db, _known(site, name), _EVENTS)
    found = info.domain
    dossier, life = await asyncio.gather(
        look.dossier(site.db, found.no), crawl_look.life_of(site.db, found.no, show.COUNTED)
    )
    return show.page(
        request,
        "domain.html",
        domain=found,
        events=info.events,
        dossier=dossier,
        life=life,
        limits=LIMITS,
        defaults=site.workspace.profile.limits,
        why_not=crawl_service.why_not_now(found),
        told_reason=told_reason,
        verbs=state_verbs(found, visitor.may(Scope.ADMIN)) if visitor.may(Scope.REVIEW) else [],
        yields=site.workspace.profile.yields,
    )


def _known(site: Site, name: str) -> str:
    try:
        return site.workspace.domain_name(name)
    except NotADomain:
        raise NotFound(f"{name[:80]!r} is not in the register") from None


async def _find(site: Site, name: str) -> Domain:
    return (await service.domain_info(site.db, _known(site, name), 0)).domain


@desk.post("/domains/{name}/limits", needs=Scope.REVIEW)
async def limits(request: Request, name: str) -> Response:
    """Limits and notes. A version that is no longer the present one is refused with what changed."""
    site, form = site_of(request), access.form(request)
    version = form.number("version", "a version")
    if version is None:
        raise UsageError("the form does not say which version it saw; load the page again")
    domain = await decisions.edit_one(
        site.db, access.who(request).actor, _edited(form), Wish(_known(site, name), version)
    )
    return _back(request, domain, "limits and notes are kept")


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
    return values | {"crawl_delay_seconds": delay, "notes": notes}


@desk.post("/domains/{name}/recrawl", needs=Scope.REVIEW)
async def recrawl(request: Request, name: str) -> Response:
    site = site_of(request)
    found, count = await crawl_service.recrawl(site.db, _known(site, name), access.who(request).actor)
    due = "due now" if found.due_at else "not due: it is not approved"
    return _back(request, found, f"{count:,} pages to fetch again, {due}")


@desk.post("/domains/{name}/reset", needs=Scope.REVIEW)
async def reset(request: Request, name: str) -> Response:
    site, reason = site_of(request), access.form(request).some("reason")
    found = await service.reset_domain(site.db, _known(site, name), access.who(request).actor, reason)
    return _back(request, found, "errors and cooldown are cleared")


@desk.post("/domains/{name}/forget", needs=Scope.ADMIN)
async def forget(request: Request, name: str) -> Response:
    """Erase it; the name typed again stands for "I am sure"."""
    site, form = site_of(request), access.form(request)
    known = _known(site, name)
    if form.one("sure") != known:
        raise UsageError(f"to erase {known} for good, type its name into the form")
    workspace = site.workspace
    async with bootstrap.frontier_of(workspace) as frontier:
        done = await forgetting.forget_domain(
            site.db,
            frontier,
            workspace.archive_folder,
            workspace.name_rules,
            known,
            access.who(request).actor,
        )
    rows = sum(done.rows.values())
    answer = redirect(f"/domains/{known}")
    show.leave_notice(request, answer, f"{known}: {rows:,} rows and {done.archive_records:,} records erased")
    return answer


def _back(request: Request, domain: Domain, told: str) -> Response:
    answer = redirect(f"/domains/{domain.domain}")
    show.leave_notice(request, answer, f"{domain.domain}: {told}")
    return answer


# --- pages of the domain


@desk.get("/domains/{name}/pages", needs=Scope.READ)
async def pages(request: Request, name: str) -> Response:
    site = site_of(request)
    found = await _find(site, name)
    state = asked(request, "state")
    state = state if state in _STATES else ""
    after = _key(asked(request, "after")) if asked(request, "after") else None
    lines = await crawl_look.pages_of(site.db, found.no, _PAGES + 1, after, state or None)
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
        told_reason=told_reason,
        following=following,
        is_first=after is None,
    )


@desk.get("/domains/{name}/pages/{key}", needs=Scope.READ)
async def page(request: Request, name: str, key: str) -> Response:
    site = site_of(request)
    found = await _find(site, name)
    story = await crawl_look.page_story(site.db, found.no, _key(key))
    return show.page(
        request,
        "page.html",
        domain=found,
        story=story,
        told_reason=told_reason,
        address=_address(found, story.page.target),
    )


def _key(text: str) -> int:
    if not text.lstrip("-").isascii() or not text.lstrip("-").isdigit() or len(text) > 20:
        raise NotFound("no such page is known of this domain")
    return int(text)


def _address(domain: Domain, target: str) -> str:
    return (domain.start_url or f"https://{domain.domain}/").rstrip("/") + target


@desk.get("/snapshots/{number}", needs=Scope.READ)
async def snapshot(request: Request, number: str) -> Response:
    """A version as it was fetched, as text to be saved: a browser must never run it."""
    site = site_of(request)
    _, body = await crawl_look.raw(site.db, site.workspace.archive_folder, _key(number))
    headers = {
        "content-security-policy": "sandbox; default-src 'none'",
        "content-disposition": f'attachment; filename="snapshot-{_key(number)}.txt"',
    }
    return Response(body, media_type="text/plain; charset=utf-8", headers=headers)


@desk.get("/snapshots/{older}/{newer}", needs=Scope.READ)
async def differences(request: Request, older: str, newer: str) -> Response:
    site = site_of(request)
    lines = await crawl_look.differences(site.db, site.workspace.archive_folder, _key(older), _key(newer))
    return show.page(request, "differences.html", lines=lines, older=_key(older), newer=_key(newer))
