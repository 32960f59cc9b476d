"""Commands of the refresh stage."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from surveyor.cli import running
from surveyor.cli.running import CrawlRequest
from surveyor.crawl.plan import RunOptions
from surveyor.registry.store.leases import Work


def refresh(
    *domain: Annotated[str, Parameter(help="Only these domains; each must be approved and due.")],
    workers: Annotated[int, Parameter(help="Worker processes.")] = 1,
    max_pages: Annotated[int | None, Parameter(help="Pages for the whole run.")] = None,
    max_pages_per_domain: Annotated[int | None, Parameter(help="Pages per domain in this run.")] = None,
    once: Annotated[bool, Parameter(negative="", help="End when nothing is due (the default).")] = False,
    continuous: Annotated[
        bool, Parameter(negative="", help="Keep running and wait for pages to become due.")
    ] = False,
    extract: Annotated[
        bool, Parameter(help="Extract records meanwhile, or leave that to `surveyor extract`.")
    ] = True,
    run: Annotated[str | None, Parameter(show=False)] = None,
    job: Annotated[str | None, Parameter(show=False)] = None,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON summary.")] = False,
) -> int:
    """Visit pages that are due, of domains that were crawled to their end."""
    options = RunOptions(max_pages, max_pages_per_domain)
    asked = CrawlRequest(Work.REFRESH, domain, workers, options, continuous, run, extract, job)
    return running.run(asked, once=once, json=json)
