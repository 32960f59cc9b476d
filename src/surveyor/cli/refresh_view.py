"""When a page or a domain is visited next, and why, in words: for `why` and `domain-info`."""

from __future__ import annotations

from surveyor.cli import show
from surveyor.db import Database
from surveyor.names import PageUrl, url_key
from surveyor.refresh import due
from surveyor.registry.store import rows


async def of_url(db: Database, url: PageUrl) -> dict[str, str]:
    async with db.read() as tx:
        domain = await rows.find(tx, url.domain)
    found = await due.page_outlook(db, domain.no, url_key(url.target)) if domain else None
    if found is None:
        return {}
    when = {"next_visit_at": show.when(found.next_visit_at)} if found.next_visit_at else {}
    return when | {"visited": found.why()}


async def of_domain(db: Database, name: str) -> dict[str, str]:
    async with db.read() as tx:
        domain = await rows.find(tx, name)
    return {} if domain is None else lines_of(await due.outlook(db, domain.no))


def lines_of(outlook: due.Outlook) -> dict[str, str]:
    """Nothing for a domain without dates."""
    first = outlook.first
    if first is None:
        return {}
    found = {
        "pages with a date": f"{show.count(outlook.scheduled)}, {show.count(outlook.due)} due",
        "next page": f"{show.safe(first.target)} at {show.when(first.next_visit_at)}",
        "visited": first.why(),
    }
    if outlook.believes_lastmod:
        found["sitemap dates"] = "believed: they proved right"
    return found
