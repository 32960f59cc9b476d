"""What the crawl keeps: pages with their newest version, images with the pages that show them, links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.paging import paged
from surveyor.db.tables import domains, images, page_links, page_snapshots, pages, provenance
from surveyor.errors import NotADomain
from surveyor.export.columns import COLUMNS
from surveyor.export.values import Row, Wanted, What
from surveyor.extract.store.queries import address
from surveyor.frontier.changes import unpack_links
from surveyor.names import NameRules, canonical_domain

_d, _p, _s, _i, _v, _l = domains.c, pages.c, page_snapshots.c, images.c, provenance.c, page_links.c
_parent = pages.alias("parent")
_STEP = 1_000
# Pages whose links are read at once: some have ten thousand links.
_PAGES_OF_LINKS = 100
# Foreign hosts remembered: most pages of a site link to the same few.
_HOSTS = 4_096

_OF_PAGE = ("state", "reason", "depth", "rank", "seq", "attempts", "status", "etag", "last_modified")
_OF_VISIT = ("content_hash", "fetched_at", "next_visit_at")
_OF_VERSION = ("title", "language", "content_type", "bytes", "relevance", "is_relevant", "archive")
_OF_SIGHTING = ("image_id", "url", "alt", "discovery_type", "seen_at")
_OF_IMAGE = ("sha256", "width", "height", "format", "bytes", "file", "copyright", "creator", "licence")
_MORE_OF_IMAGE = ("data_mining", "signals", "first_seen_at", "last_seen_at")


async def page_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    """Every known address, with what the version fetched last is called and how relevant it is."""
    columns = [_p[name] for name in (*_OF_PAGE, *_OF_VISIT)] + [_s[name] for name in _OF_VERSION]
    same = and_(_s.domain_no == _p.domain_no, _s.key == _p.key, _s.content_hash == _p.content_hash)
    above = and_(_parent.c.domain_no == _p.domain_no, _parent.c.key == _p.found_on)
    query = (
        select(*columns, *_place(), _p.domain_no, _p.key, _parent.c.target.label("found_on"))
        .join_from(pages, domains, _d.no == _p.domain_no)
        .outerjoin(page_snapshots, same)
        .outerjoin(_parent, above)
    )
    if wanted.domain_no is not None:
        query = query.where(_p.domain_no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(_p.fetched_at >= wanted.since)
    async for some in paged(tx, query, [_p.domain_no, _p.key], _STEP):
        yield [_page(dict(row._mapping)) for row in some]


def _place() -> tuple[Any, ...]:
    """What the address of a page is made of."""
    return _d.domain, _d.start_url, _p.target


def _page(row: Row) -> Row:
    start_url, found_on = row["start_url"], row["found_on"]
    row["url"] = address(row["domain"], start_url, row["target"])
    row["found_on"] = address(row["domain"], start_url, found_on) if found_on else None
    row["content_hash"] = row["content_hash"] and row["content_hash"].hex()
    return _in_order(What.PAGES, row)


async def image_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    """An image and a page that shows it; `domain` is that page's."""
    columns = [_v[name] for name in _OF_SIGHTING] + [_i[name] for name in (*_OF_IMAGE, *_MORE_OF_IMAGE)]
    query = (
        select(*columns, *_place(), _v.domain_no, _v.page_key)
        .join_from(provenance, images, _i.id == _v.image_id)
        .join(domains, _d.no == _v.domain_no)
        .outerjoin(pages, and_(_p.domain_no == _v.domain_no, _p.key == _v.page_key))
    )
    if wanted.domain_no is not None:
        query = query.where(_v.domain_no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(_v.seen_at >= wanted.since)
    async for some in paged(tx, query, [_v.domain_no, _v.page_key, _v.image_id, _v.discovery_type], _STEP):
        yield [_image(dict(row._mapping)) for row in some]


def _image(row: Row) -> Row:
    target = row["target"]
    row["page_url"] = address(row["domain"], row["start_url"], target) if target else None
    row["sha256"] = row["sha256"].hex()
    return _in_order(What.IMAGES, row)


def _in_order(what: What, row: Row) -> Row:
    return {column.name: row[column.name] for column in COLUMNS[what]}


async def link_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    """The links of every fetched page: those of its own domain, then foreign ones, in the page's order."""
    query = (
        select(_l.domain_no, _l.key, _l.links, *_place())
        .join_from(page_links, domains, _d.no == _l.domain_no)
        .join(pages, and_(_p.domain_no == _l.domain_no, _p.key == _l.key))
    )
    if wanted.domain_no is not None:
        query = query.where(_l.domain_no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(_p.fetched_at >= wanted.since)
    domain_of = _namer(wanted.rules)
    async for some in paged(tx, query, [_l.domain_no, _l.key], _PAGES_OF_LINKS):
        ready: list[Row] = []
        for row in some:
            ready += _links(row, domain_of)
            if len(ready) >= _STEP:
                yield ready
                ready = []
        if ready:
            yield ready


def _links(row: Any, domain_of: Any) -> Iterator[Row]:
    page_url = address(row.domain, row.start_url, row.target)
    own, foreign = unpack_links(row.links)
    shared = {"domain": row.domain, "page_url": page_url}
    for target in own:
        url = address(row.domain, row.start_url, target)
        yield {**shared, "url": url, "to_domain": row.domain, "is_foreign": False}
    for url in foreign:
        yield {**shared, "url": url, "to_domain": domain_of(_host(url)), "is_foreign": True}


def _host(url: str) -> str:
    parts = url.split("/", 3)
    return parts[2] if len(parts) > 2 else ""


def _namer(rules: NameRules) -> Any:
    @lru_cache(maxsize=_HOSTS)
    def domain_of(host: str) -> str | None:
        """The canonical domain; None for what the register could not hold."""
        try:
            return canonical_domain(host, rules)
        except NotADomain:
            return None

    return domain_of
