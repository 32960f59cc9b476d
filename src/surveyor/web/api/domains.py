"""Domains: the list, one of them, why one is or is not crawled, and how many there are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response

from surveyor.crawl import why as answers
from surveyor.names import parse_url
from surveyor.net.robots import product_token
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store.listing import DomainFilter
from surveyor.web.api import shapes
from surveyor.web.api.common import NO_ZERO, Limit, Name, answer, api_routes, domain_json, paged
from surveyor.web.problems import problem
from surveyor.web.state import state_of
from surveyor.web.table import part_of_a_name

routes = api_routes("domains")
After = Annotated[
    str | None, Query(max_length=260, description="Go on after this domain: `next` of the page before.")
]
Text = Annotated[str | None, Query(max_length=300, pattern=NO_ZERO)]
# Of names, as they are stored.
_BEGINNING = r"^[a-z0-9._-]*$"
# Looks at figures that are being made, of a twentieth of a second each.
_LOOKS = 40


@routes.get("/domains", needs=Scope.READ, response_model=shapes.DOMAINS)
async def list_domains(
    request: Request,
    crawl_status: CrawlStatus | None = None,
    review_status: ReviewStatus | None = None,
    stage: Stage | None = None,
    quality_status: QualityStatus | None = None,
    contains: Annotated[
        str | None, Query(max_length=300, pattern=NO_ZERO, description="Anywhere in the name.")
    ] = None,
    suffix: Annotated[
        str | None, Query(max_length=300, pattern=NO_ZERO, description="How the name ends: `gov.uk`.")
    ] = None,
    source: Text = None,
    language: Text = None,
    block_reason_code: Text = None,
    reviewed_by: Text = None,
    limit: Limit = 50,
    after: After = None,
) -> Response:
    """Domains in the order they were registered."""
    workspace = state_of(request).workspace
    start = workspace.domain_name(after) if after is not None else None
    wanted = DomainFilter(
        crawl_status,
        review_status,
        stage,
        quality_status=quality_status,
        contains=part_of_a_name(contains or "", workspace.name_rules) or None,
        suffix=suffix,
        source=source,
        language=language,
        block_reason_code=block_reason_code,
        reviewed_by=reviewed_by,
    )
    found = await service.list_domains(workspace.db, wanted, limit + 1, start)
    return paged(request, found, limit, lambda d: domain_json(request, d), lambda d: d.domain)


@routes.get("/domains-named", needs=Scope.READ, response_model=shapes.DOMAINS)
async def list_domains_by_name(
    request: Request,
    beginning: Annotated[str, Query(max_length=253, pattern=_BEGINNING, description="How names begin.")],
    limit: Limit = 50,
    after: Annotated[str, Query(max_length=260, pattern=_BEGINNING)] = "",
) -> Response:
    """Domains whose name begins so, in the order of names."""
    found = await service.find_named(state_of(request).db, beginning, limit + 1, after)
    return paged(request, found, limit, lambda d: domain_json(request, d), lambda d: d.domain)


@routes.get("/top-domains", needs=Scope.READ, response_model=shapes.DOMAINS)
async def top_domains(request: Request, limit: Limit = 20) -> Response:
    """Crawled domains by what a page of theirs yields; the best only, there is no next page."""
    workspace = state_of(request).workspace
    found = await service.top_domains(workspace.db, workspace.profile.yields, limit)
    return paged(request, found, limit, lambda d: domain_json(request, d), lambda d: d.domain)


@routes.get("/domains/{domain}", needs=Scope.READ, response_model=shapes.DOMAIN_WITH_EVENTS)
async def get_domain(
    request: Request,
    domain: Name,
    events: Annotated[int, Query(ge=0, le=500, description="Latest events to include.")] = 20,
) -> Response:
    """Everything about one domain."""
    workspace = state_of(request).workspace
    info = await service.domain_info(workspace.db, workspace.domain_name(domain), events)
    recent = [event.to_json() for event in info.events]
    return answer(domain_json(request, info.domain) | {"events": recent})


@routes.get("/why", needs=Scope.READ, response_model=shapes.WHY)
async def why(
    request: Request,
    subject: Annotated[str, Query(max_length=2_048, description="A domain, or a URL with its scheme.")],
) -> Response:
    """Why a URL was fetched, skipped or waits, or why a domain is crawled or not."""
    workspace = state_of(request).workspace
    if "://" not in subject:
        return answer(asdict(await answers.why_domain(workspace.db, workspace.domain_name(subject))))
    url = parse_url(subject, rules=workspace.name_rules)
    agent = product_token(workspace.settings.net.user_agent)
    return answer(asdict(await answers.why_url(workspace.db, url, agent)))


@routes.get("/totals", needs=Scope.READ, response_model=shapes.TOTALS)
async def totals(request: Request) -> Response:
    """How many domains are at each stage and of each quality, counted in the background."""
    for _ in range(_LOOKS):
        if (counted := await state_of(request).figures.get()) is not None:
            return answer({"stages": counted.stages, "quality": counted.kinds})
    response = problem(503, "domains are being counted for the first time; ask again in a few seconds")
    response.headers["retry-after"] = "5"
    return response
