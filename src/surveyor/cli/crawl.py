"""Commands of the crawl stage."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import running, runtime, show
from surveyor.cli.listing import Json
from surveyor.cli.running import CrawlRequest
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.errors import UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.store.leases import Work

# Domains that are due are counted so far, and no further.
_COUNTED = 10_000


def crawl(
    *domain: Annotated[str, Parameter(help="Only these domains; each must be approved and due.")],
    workers: Annotated[int, Parameter(help="Worker processes.")] = 1,
    max_pages: Annotated[int | None, Parameter(help="Pages for the whole run.")] = None,
    max_pages_per_domain: Annotated[int | None, Parameter(help="Pages per domain in this run.")] = None,
    depth: Annotated[
        int | None, Parameter(help="Links from the start page; 0 is the start page alone.")
    ] = None,
    once: Annotated[bool, Parameter(negative="", help="End when nothing is due (the default).")] = False,
    continuous: Annotated[
        bool, Parameter(negative="", help="Keep running and wait for domains to become due.")
    ] = False,
    extract: Annotated[
        bool, Parameter(help="Extract records meanwhile, or leave that to `surveyor extract`.")
    ] = True,
    run: Annotated[str | None, Parameter(show=False)] = None,
    job: Annotated[str | None, Parameter(show=False)] = None,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON summary.")] = False,
) -> int:
    """Crawl approved domains that are due."""
    options = RunOptions(max_pages, max_pages_per_domain, depth)
    asked = CrawlRequest(Work.CRAWL, domain, workers, options, continuous, run, extract, job)
    return running.run(asked, once=once, json=json)


def recrawl(
    *domain: Annotated[str, Parameter(help="Domains whose pages are to be fetched again.")],
    json: Json = False,
) -> None:
    """Make all pages of a domain due now."""
    if not domain:
        raise UsageError("DOMAIN is missing: `surveyor recrawl DOMAIN`")

    async def act(workspace: Any) -> list[dict[str, Any]]:
        queued = []
        for name in domain:
            found, count = await service.recrawl(workspace.db, workspace.domain_name(name), Actor.operator())
            queued.append({"domain": found.domain, "pages": count, "due_at": found.due_at})
        return queued

    queued = runtime.in_workspace(act)
    lines = []
    for line in queued:
        due = "due now" if line["due_at"] else "not due: it is not approved"
        lines.append(f"{line['domain']}: {show.count(line['pages'])} pages to fetch again, {due}")
    show.result(queued, *lines, json=json)
