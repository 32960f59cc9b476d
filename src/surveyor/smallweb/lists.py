"""What a site tells programs: robots.txt, sitemaps and a feed, made from its pages."""

from __future__ import annotations

import gzip
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from html import escape

from surveyor.smallweb.pages import inside, plain_text, title_of
from surveyor.smallweb.sites import Page, Robots, Site

_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_BOM = b"\xef\xbb\xbf"
_PAD = b"# nothing to see on this line, nor on the next one\n"
_SUMMARY = 200  # characters of a page that its feed shows


def robots_txt(robots: Robots) -> bytes:
    padding = _PAD * (robots.pad_bytes // len(_PAD))
    return (_BOM if robots.bom else b"") + robots.text.encode() + padding


def changed_at(page: Page, started: datetime) -> datetime:
    """When the page was last edited: in the morning of its day, or since the server was started."""
    if page.edited:
        return started + timedelta(seconds=page.edited)
    day = started.date() - timedelta(days=page.changed_days)
    return datetime.combine(day, time(6, 0), UTC)


def sitemap(site: Site, started: datetime, *, part: int = 0, parts: int = 1) -> str:
    """The pages that a site wants to be known, or every `parts`-th of them."""
    listed = [page for page in site.open_pages() if page.listed][part::parts]
    entries = "".join(
        f"<url><loc>{site.origin}{escape(page.path)}</loc>"
        f"<lastmod>{changed_at(page, started).date().isoformat()}</lastmod></url>\n"
        for page in listed
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SPACE}">\n{entries}</urlset>\n'


PARTS = 2  # of a sitemap that has an index


def sitemap_index(site: Site) -> str:
    entries = "".join(
        f"<sitemap><loc>{site.origin}/sitemap-{part + 1}.xml.gz</loc></sitemap>\n" for part in range(PARTS)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_SPACE}">\n{entries}</sitemapindex>\n'
    )


def packed_sitemap(site: Site, started: datetime, part: int) -> bytes:
    return gzip.compress(sitemap(site, started, part=part, parts=PARTS).encode(), mtime=0)


def feed(site: Site, started: datetime, today: date) -> str:
    """The pages, those that were edited last first."""
    pages = [page for page in site.open_pages() if page.listed and page.kind == "md"]
    pages.sort(key=lambda page: (page.changed_days, page.path))
    items = "".join(
        f"<item><title>{escape(title_of(site, page))}</title><link>{site.origin}{escape(page.path)}</link>"
        f"<pubDate>{format_datetime(changed_at(page, started))}</pubDate>"
        f"<description>{escape(plain_text(inside(site, page, today))[:_SUMMARY])}</description></item>\n"
        for page in pages
    )
    head = f"<title>{escape(site.title)}</title><link>{site.origin}/</link>"
    channel = f"{head}<description>{escape(site.about)}</description>\n{items}"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{channel}</channel></rss>\n'
