"""What a sitemap or feed names. Pure, and not for an event loop: the largest take seconds."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason
from surveyor.crawl.sitemaps.feed import parse_feed
from surveyor.crawl.sitemaps.sitemap import parse_sitemap
from surveyor.names import PageUrl
from surveyor.net.sniff import Kind, kind


class Listed(NamedTuple):
    """What a list names."""

    pages: list[str]
    """Targets in scope."""
    lists: list[str]
    """Targets of further lists."""
    reason: PageReason
    lastmods: dict[str, datetime]
    """Of the pages of a sitemap that have one: when it says that they changed last."""
    cut: str | None = None
    """Why it was not read whole; what it names is certain all the same."""


def read_list(body: bytes, content_type: str | None, base: PageUrl, scope: Scope) -> Listed:
    """What the list at `base` names."""
    found = kind(body, content_type)
    if found is Kind.FEED or (found is Kind.TEXT and body.lstrip().startswith(b"{")):
        feed = parse_feed(body, base, scope)
        return Listed([target for target, _ in feed.entries], [], PageReason.FEED, {}, feed.cut)
    if found in (Kind.SITEMAP, Kind.GZIP, Kind.TEXT, Kind.XML):
        sitemap = parse_sitemap(body, base, scope)
        dates = {target: when for target, when in sitemap.urls if when is not None}
        pages = [target for target, _ in sitemap.urls]
        return Listed(pages, sitemap.children, PageReason.SITEMAP, dates, sitemap.cut)
    return Listed([], [], PageReason.NOT_A_PAGE, {})
