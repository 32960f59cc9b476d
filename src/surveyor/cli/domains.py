"""Commands that look at domains and set them right."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.registry import service
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain, Stage, to_json
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store.listing import DomainFilter

_BEGIN = (
    "the register is empty; `surveyor ingest-seeds FILE` fills it from a list, `surveyor search`"
    " by searching, `surveyor submit DOMAIN` names one"
)
_COLOURS = {"active": "green", "exhausted": "cyan", "blocked": "red", "unreachable": "yellow"}


def domain_status(
    *,
    status: Annotated[CrawlStatus | None, Parameter(help="Only this crawl status.")] = None,
    review: Annotated[ReviewStatus | None, Parameter(help="Only this review status.")] = None,
    stage: Annotated[Stage | None, Parameter(help="Only this stage.")] = None,
    limit: Limit = 50,
    after: Annotated[
        str | None, Parameter(help="Continue after this domain, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List domains in the order they were registered."""

    async def act(workspace: Any) -> tuple[list[Domain], dict[str, int], str]:
        start = workspace.domain_name(after) if after else None
        wanted = DomainFilter(status, review, stage)
        found = await service.list_domains(workspace.db, wanted, limit + 1, start)
        totals = {} if json else await service.totals(workspace.db)
        return found, totals, workspace.yields

    found, totals, yields = runtime.in_workspace(act)
    empty = "no such domains" if sum(totals.values()) else _BEGIN
    if listing(yields).print(found, limit, json=json, empty=empty):
        message = ", ".join(f"{show.count(of_stage)} {stage}" for stage, of_stage in sorted(totals.items()))
        runtime.say(f"in all: {message}")


def domain_reset(
    domain: Annotated[str, Parameter(help="A domain or any URL of it.")],
    *,
    reason: Annotated[str | None, Parameter(help="Why; kept with the event.")] = None,
    json: Json = False,
) -> None:
    """Force a new crawl: clear errors, blocks and cooldown; the start page and what failed wait again."""

    async def act(workspace: Any) -> tuple[Domain, str]:
        name = workspace.domain_name(domain)
        return await service.reset_domain(workspace.db, name, Actor.operator(), reason), workspace.yields

    found, yields = runtime.in_workspace(act)
    due = "due now" if found.due_at else f"not due: it is {found.review_status}"
    show.result(to_json(found, yields), f"{found.domain} is {found.crawl_status}, {due}", json=json)


def top_domains(*, limit: Limit = 20, json: Json = False) -> None:
    """List crawled domains by what a page of theirs yields."""

    async def act(workspace: Any) -> tuple[list[Domain], str]:
        yields = workspace.yields
        return await service.top_domains(workspace.db, yields, limit + 1), yields

    found, yields = runtime.in_workspace(act)
    top = replace(listing(yields), cursor=None)
    top.print(found, limit, json=json, empty="nothing was crawled yet; `surveyor crawl` begins")


def recalculate_priorities(*, json: Json = False) -> None:
    """Recalculate the priority of every domain."""

    async def act(workspace: Any) -> tuple[int, int]:
        with show.progress(None) as bar:
            task = bar.add_task("0 domains")
            return await service.recalculate_priorities(
                workspace.db,
                workspace.yields,
                Actor.operator(),
                lambda read: bar.update(task, description=f"{show.count(read)} domains"),
            )

    read, changed = runtime.in_workspace(act)
    text = f"{show.count(read)} domains, {show.count(changed)} priorities changed"
    show.result({"domains": read, "changed": changed}, text, json=json)


def listing(yields: str) -> Listing[Domain]:
    """Domains; what a page yields is counted as the profile says."""
    return Listing(
        (
            Column("DOMAIN", lambda domain: show.domain_name(domain.domain)),
            Column(
                "STATUS",
                lambda domain: Text(domain.crawl_status, style=_COLOURS.get(domain.crawl_status, "")),
            ),
            Column("PAGES", _pages, "right"),
            number("IMAGES", lambda domain: domain.images_stored),
            number("RECORDS", lambda domain: domain.records_stored),
            Column("YIELD", lambda domain: show.rate(domain.yield_rate(yields)), "right"),
            Column("LAST CRAWLED", lambda domain: show.when(domain.last_crawled_at)),
        ),
        cursor=lambda domain: domain.domain,
        to_json=lambda domain: to_json(domain, yields),
        notes=lambda domain: [note] if (note := _note(domain)) else [],
    )


def _pages(domain: Domain) -> str:
    return f"{show.count(domain.pages_crawled)}/{show.count(domain.pages_discovered)}"


def _note(domain: Domain) -> str | None:
    """What explains the status: the obstacle, or what is missing for a crawl."""
    if domain.stage is Stage.BLACKLISTED:
        return f"blacklisted: {show.safe(domain.blacklist_reason)}"
    if domain.stage is Stage.REJECTED:
        return f"rejected: {show.safe(domain.rejection_reason)}"
    if domain.review_status is not ReviewStatus.APPROVED:
        return domain.stage.replace("_", " ")
    if domain.block_reason_code:
        until = f"until {show.when(domain.due_at)}" if domain.due_at else "for good; domain-reset tries again"
        return f"reason: {domain.block_reason_code} ({until})"
    if domain.stopped_by == "nothing_kept":
        return f"nothing of it was kept: `surveyor why {domain.domain}` says why"
    if domain.stopped_by and not domain.pages_crawled and domain.due_at:
        return f"stopped by: {domain.stopped_by} (until {show.when(domain.due_at)})"
    return None
