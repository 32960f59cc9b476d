"""Finding anything by its name, and why a page or a domain was fetched or not, with the act that helps."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl import why as answers
from surveyor.errors import BadInput, NotADomain, NotFound
from surveyor.extract import queries as extract_look
from surveyor.names import PageUrl, parse_url
from surveyor.net.robots import product_token
from surveyor.people import Scope
from surveyor.registry import service, table
from surveyor.registry.domain import Domain
from surveyor.registry.table import DomainFilter
from surveyor.review import queries as review_queries
from surveyor.web import access, show
from surveyor.web.forms import asked
from surveyor.web.menu import menu_of
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import AppState, state_of
from surveyor.web.table import part_of_a_name

routes = Routes()
_FOUND = 20
_LONGEST = 2_048
_DEEPER = 2  # links further than now


@routes.get("/find", needs=Scope.READ)
async def find(request: Request) -> Response:
    """A domain, an address, a record or candidate by its number, a page of the admin."""
    app, words = state_of(request), asked(request, "q", _LONGEST)
    if "://" in words:
        return redirect(show.address("/why", url=words))
    if (number := _number(words)) and (path := await _by_number(app, number)):
        return redirect(path)
    known = await _domain(app, words) if words else None
    if known is not None:
        return redirect(f"/domains/{known.domain}")
    wanted = DomainFilter(contains=part_of_a_name(words, app.workspace.name_rules))
    found = await table.page(app.db, wanted, _FOUND, "") if words else None
    menu = menu_of(access.who(request), request.url.path)
    return show.page(
        request,
        "find.html",
        words=words,
        found=found,
        pages=[item for item in menu if words and words.lower() in item.name.lower()],
    )


def _number(words: str) -> UUID | None:
    try:
        return UUID(words)
    except ValueError:
        return None


async def _by_number(app: AppState, number: UUID) -> str | None:
    try:
        return f"/records/{(await extract_look.record_story(app.db, number)).record.id}"
    except NotFound:
        pass
    try:
        return f"/candidates/{(await review_queries.get_candidate(app.db, number)).id}"
    except NotFound:
        return None


async def _domain(app: AppState, name: str) -> Domain | None:
    try:
        return (await service.domain_info(app.db, app.workspace.domain_name(name), 0)).domain
    except (NotADomain, NotFound):
        return None


@routes.get("/why", needs=Scope.READ)
async def why(request: Request) -> Response:
    """Why this address was fetched, skipped or waits; the acts that would change it stand beside."""
    app, text = state_of(request), asked(request, "url", _LONGEST)
    url = _url(app, text)
    answer = domain = None
    if url is not None:
        agent = product_token(app.workspace.settings.net.user_agent)
        answer = await answers.why_url(app.db, url, agent)
        domain = await _domain(app, url.domain)
    return show.page(
        request,
        "why.html",
        text=text,
        answer=answer,
        domain=domain,
        deeper=_deeper(domain, answer.details if answer else {}),
        is_wrong=bool(text) and url is None,
    )


def _url(app: AppState, text: str) -> PageUrl | None:
    try:
        return parse_url(text, rules=app.workspace.name_rules) if text else None
    except (NotADomain, BadInput):
        return None


def _deeper(domain: Domain | None, details: dict[str, str]) -> int | None:
    """The depth that would let it in, where depth is what keeps it out."""
    if domain is None or details.get("reason") != "depth":
        return None
    return int(details.get("depth", "0")) or (domain.max_crawl_depth or 0) + _DEEPER
