"""Feeds: the pages that RSS, RDF, Atom and JSON feeds name, with their dates. Never raises."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import islice
from typing import Final, NamedTuple

import orjson

from surveyor.crawl.pages.links import listed_target, trimmed
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.sitemaps.sitemap import parse_time
from surveyor.crawl.sitemaps.xmlstream import Broken, Field, records
from surveyor.names import PageUrl

# Entries of one feed; those that hold more are whole archives, and name old pages last.
MAX_ENTRIES = 5_000
# Elements that hold a date, best first.
_DATES = ("updated", "modified", "published", "pubDate", "date", "issued")

_Entry = tuple[str | None, str | None]
"""Where an entry leads and when it changed, as written."""
_DAMAGED: Final = ""
_OF_LINKS: Final = frozenset({"href", "rel", "type", "hreflang", "title", "length"})


class Feed(NamedTuple):
    entries: list[tuple[str, datetime | None]]
    """Targets of pages in scope with the time of their last change, each once, in the feed's order."""
    cut: str | None
    """Why not all of it was read: broken; damaged where single entries were."""


def parse_feed(body: bytes, base: PageUrl, scope: Scope) -> Feed:
    """What a feed at `base` names; an empty one for a body that is none."""
    found: dict[str, datetime | None] = {}
    cut = None
    is_json = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    try:
        for href, changed in _json_entries(body) if is_json else _xml_entries(body):
            if href is _DAMAGED:
                cut = "damaged"
            target = listed_target(trimmed(href), base, scope) if href else None
            if target is not None:
                found.setdefault(target, _time(changed))
    except Broken:
        cut = "broken"
    return Feed(list(found.items()), cut)


def _json_entries(body: bytes) -> Iterator[_Entry]:
    try:
        feed = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Broken(str(error)) from None
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items[:MAX_ENTRIES] if isinstance(items, list) else ():
        if isinstance(item, dict):
            changed = item.get("date_modified") or item.get("date_published")
            href = item.get("url") or item.get("external_url")
            yield (href if isinstance(href, str) else None), (changed if isinstance(changed, str) else None)


def _xml_entries(body: bytes) -> Iterator[_Entry]:
    for record in islice(records(BytesIO(body.lstrip()), "item", "entry"), MAX_ENTRIES):
        yield (_DAMAGED if record.damaged else _href(record.fields)), _changed(record.fields)


def _href(fields: list[Field]) -> str | None:
    """The page of an entry: Atom's link that is no other relation, RSS's link, or an id that is a URL."""
    for field in fields:
        if field.name == "link":
            if not field.known:
                return _DAMAGED
            if _is_of_the_page(field) and field.attributes.get("href"):
                return field.attributes["href"]
            if field.text.strip():
                return field.text
    for field in fields:
        is_url = field.name == "id" or (
            field.name == "guid" and field.attributes.get("isPermaLink", "true").lower() == "true"
        )
        if is_url and field.text.strip().startswith(("http://", "https://")):
            return field.text
    return None


def _is_of_the_page(link: Field) -> bool:
    """Atom's link without a relation, or with this one. An attribute nobody knows might have been `rel`."""
    known = _OF_LINKS.issuperset(name for name in link.attributes if not name.startswith("xml"))
    return known and link.attributes.get("rel", "alternate") == "alternate"


def _changed(fields: list[Field]) -> str | None:
    dates = {field.name: field.text for field in fields if field.name in _DATES and field.text}
    return next((dates[name] for name in _DATES if name in dates), None)


def _time(text: str | None) -> datetime | None:
    """As feeds write it: of the W3C, or of mail."""
    found = parse_time(text)
    if found is not None or not text or len(text) > 80:
        return found
    try:
        found = parsedate_to_datetime(text.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
