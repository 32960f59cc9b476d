"""What people decide on domains, through their programs: one domain with its version, or many at once.

One domain: done, or refused with the reason; a version that has passed is 409 with the present one and
what changed. Many: each by itself, and the answer names those that were refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Request
from fastapi.responses import Response
from pydantic import Field

from surveyor.crawl import service as crawl
from surveyor.errors import NotADomain, UsageError
from surveyor.people import Scope
from surveyor.registry import service, workers
from surveyor.registry.domain import Domain
from surveyor.review import decisions
from surveyor.review.decisions import Decision, Refusal, Report, Target, Verb
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import NO_ZERO, Body, LongText, Name, Version, answer, api_routes, domain_json
from surveyor.web.state import state_of

routes = api_routes("decisions")
# Domains of one request: a second or two of work.
MOST = 1_000
# What a column of the database holds.
_MOST_NUMBER = 2**31 - 1

Reason = Annotated[LongText | None, Field(description="Why; reject and blacklist need one.")]
Year = Annotated[int | None, Field(ge=2020, le=2100, description="Of no-funds; else the present one.")]
Written = Annotated[str, Field(max_length=2_048)]
Word = Annotated[Verb, Field(strict=False)]  # JSON has texts only


class OneDecision(Body):
    decision: Word
    version: Version | None = None
    reason: Reason = None
    year: Year = None


class Wished(Body):
    domain: Written
    version: Version | None = None


class Named(Body):
    domains: Annotated[list[Wished | Written], Field(min_length=1, max_length=MOST)]


class ManyDecisions(Named):
    decision: Word
    reason: Reason = None
    year: Year = None


class Edits(Body):
    """Limits and notes; what is left out stays, null gives the profile's limit back."""

    max_crawl_depth: Annotated[int | None, Field(ge=0, le=1_000)] = None
    crawl_delay_seconds: Annotated[float | None, Field(ge=0, le=3_600)] = None
    max_pages_per_run: Annotated[int | None, Field(ge=1, le=_MOST_NUMBER)] = None
    scrape_frequency_hours: Annotated[int | None, Field(ge=1, le=87_600)] = None
    render: Literal["auto", "always", "never"] | None = None
    notes: Annotated[str | None, Field(max_length=10_000, pattern=NO_ZERO)] = None

    def values(self) -> dict[str, Any]:
        given = self.model_dump(include=self.model_fields_set & set(Edits.model_fields))
        if not given:
            raise UsageError(f"say what to change: {', '.join(Edits.model_fields)}")
        return given


class OneEdit(Edits):
    version: Version | None = None


class ManyEdits(Edits, Named):
    pass


class Reset(Body):
    reason: LongText | None = None


@routes.post("/domains/{domain}/decisions", needs=Scope.REVIEW, response_model=shapes.DECIDED)
async def decide(request: Request, domain: Name, given: OneDecision) -> Response:
    """Decide on one domain; the answer is the domain as it is now."""
    app = state_of(request)
    decision = _decision(request, given)
    target = Target(app.workspace.domain_name(domain), given.version)
    decided = await decisions.decide_one(app.db, decision, target)
    return answer(domain_json(request, decided) | {"crawl": await _crawl(request, given.decision, [decided])})


@routes.post("/decisions", needs=Scope.REVIEW, response_model=shapes.REPORT)
async def decide_many(request: Request, given: ManyDecisions) -> Response:
    """Decide on many domains; those in another state are named with the reason."""
    decision = _decision(request, given)
    db = state_of(request).db
    report = await _each(request, given, lambda targets: decisions.decide(db, decision, targets))
    return await _answer(request, report, given.decision)


@routes.patch("/domains/{domain}", needs=Scope.REVIEW, response_model=shapes.DOMAIN)
async def edit(request: Request, domain: Name, given: OneEdit) -> Response:
    """Change the limits or the notes of one domain."""
    app = state_of(request)
    target = Target(app.workspace.domain_name(domain), given.version)
    edited = await decisions.edit_one(app.db, access.who(request).actor, given.values(), target)
    return answer(domain_json(request, edited))


@routes.patch("/domains", needs=Scope.REVIEW, response_model=shapes.REPORT)
async def edit_many(request: Request, given: ManyEdits) -> Response:
    """Change the limits or the notes of many domains."""
    db, by, values = state_of(request).db, access.who(request).actor, given.values()
    report = await _each(request, given, lambda targets: decisions.edit(db, by, values, targets))
    return await _answer(request, report)


@routes.post("/domains/{domain}/recrawl", needs=Scope.REVIEW, response_model=shapes.AGAIN)
async def recrawl(request: Request, domain: Name) -> Response:
    """Make all pages of a domain due now."""
    app = state_of(request)
    name = app.workspace.domain_name(domain)
    found, pages = await crawl.recrawl(app.db, name, access.who(request).actor)
    return answer(domain_json(request, found) | {"pages": pages})


@routes.post("/recrawl", needs=Scope.REVIEW, response_model=shapes.REPORT)
async def recrawl_many(request: Request, given: Named) -> Response:
    """Make all pages of many domains due now."""
    db, by = state_of(request).db, access.who(request).actor

    async def one(target: Target) -> Domain:
        return (await crawl.recrawl(db, target.domain, by))[0]

    report = await _each(request, given, lambda targets: decisions.in_bulk(targets, one))
    return await _answer(request, report)


@routes.post("/domains/{domain}/reset", needs=Scope.REVIEW, response_model=shapes.DOMAIN)
async def reset(request: Request, domain: Name, given: Reset) -> Response:
    """Force a new crawl: clear errors, blocks and cooldown; the start page and what failed wait again."""
    app, by = state_of(request), access.who(request).actor
    name = app.workspace.domain_name(domain)
    return answer(domain_json(request, await service.reset_domain(app.db, name, by, given.reason)))


def _decision(request: Request, given: OneDecision | ManyDecisions) -> Decision:
    assets = state_of(request).workspace.profile.policies.approve_assets
    return Decision(given.decision, access.who(request).actor, given.reason, given.year, assets)


async def _each(request: Request, given: Named, act: Callable[[list[Target]], Awaitable[Report]]) -> Report:
    """Do it for each that is a domain; the others are refused before."""
    targets: list[Target] = []
    bad: list[Refusal] = []
    for wished in given.domains:
        text, version = (wished, None) if isinstance(wished, str) else (wished.domain, wished.version)
        try:
            targets.append(Target(state_of(request).workspace.domain_name(text), version))
        except NotADomain as error:
            bad.append(Refusal(text[:260], str(error)))
    report = await act(targets)
    return Report(report.done, [*bad, *report.refused])


async def _answer(request: Request, report: Report, verb: Verb | None = None) -> Response:
    return answer(
        {
            "done": [domain_json(request, domain) for domain in report.done],
            "refused": [asdict(refusal) for refusal in report.refused],
            "crawl": await _crawl(request, verb, report.done),
        }
    )


async def _crawl(request: Request, verb: Verb | None, done: Sequence[Domain]) -> str | None:
    """What follows an approval; None where nothing became due."""
    if verb not in (Verb.APPROVE, Verb.RESUME) or not any(domain.due_at for domain in done):
        return None
    at_work = await workers.any_at_work(state_of(request).db)
    return "crawling has started" if at_work else "queued: start `surveyor crawl`"
