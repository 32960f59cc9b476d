"""A domain as the crawl left it, for people: pages and why, requests, runs, versions and what differs."""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from surveyor.archive import Location, WarcReader
from surveyor.crawl.store import queries as store
from surveyor.crawl.store.queries import Fetch, PageLine, RunShare
from surveyor.crawl.store.why import ReasonCount, by_reason
from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.net.charset import decode_text

__all__ = [
    "Fetch",
    "Life",
    "PageLine",
    "RunShare",
    "differences",
    "life_of",
    "page_of",
    "pages_of",
    "raw",
]

_FETCHES, _AMONG = 15, 2_000
# Characters of a page that are compared, and lines of the answer: a person reads no more.
_COMPARED, _LINES = 200_000, 400


@dataclass(frozen=True, slots=True)
class Life:
    groups: list[ReasonCount]
    fetches: list[Fetch]
    runs: list[RunShare]


async def life_of(db: Database, no: int, counted: int) -> Life:
    """What the crawl knows of a domain; pages are counted up to `counted`."""
    async with db.read() as tx:
        return Life(
            await by_reason(tx, no, counted),
            await store.fetches(tx, no, _FETCHES),
            await store.runs(tx, no, _AMONG),
        )


async def pages_of(
    db: Database, no: int, limit: int, after: int | None = None, state: str | None = None
) -> list[PageLine]:
    async with db.read() as tx:
        return await store.page_lines(tx, no, limit, after, state)


async def page_of(db: Database, no: int, key: int) -> PageLine:
    async with db.read() as tx:
        return await store.page_line(tx, no, key)


async def raw(db: Database, archive: Path, snapshot_id: int) -> tuple[str, bytes]:
    """The domain and the body of a version, as it was fetched."""
    async with db.read() as tx:
        found, domain = await store.snapshot(tx, snapshot_id)
    if found.archive is None:
        raise NotFound(f"the content of snapshot {snapshot_id} was not kept; `crawl.archive` says whether")
    location = Location.parse(found.archive)
    capture = await asyncio.to_thread(WarcReader(archive).read, location)
    return domain, capture.body


async def screenshot(db: Database, archive: Path, snapshot_id: int) -> bytes | None:
    """A PNG of a version as a browser showed it; None where none was kept."""
    async with db.read() as tx:
        found, _ = await store.snapshot(tx, snapshot_id)
    if found.archive is None:
        return None
    return await asyncio.to_thread(WarcReader(archive).screenshot, Location.parse(found.archive))


async def differences(db: Database, archive: Path, older: int, newer: int) -> list[str]:
    """What the text of one version has that the other has not, as lines that begin with `+` or `-`."""
    (_, before), (_, after) = await raw(db, archive, older), await raw(db, archive, newer)
    return await asyncio.to_thread(_compare, before, after)


def _compare(before: bytes, after: bytes) -> list[str]:
    lines = difflib.unified_diff(_text(before), _text(after), lineterm="", n=1)
    return [
        line for _, line in zip(range(_LINES), lines, strict=False) if not line.startswith(("---", "+++"))
    ]


def _text(body: bytes) -> list[str]:
    """The lines a reader of the page sees."""
    tree = LexborHTMLParser(decode_text(body[:_COMPARED])[0])
    tree.strip_tags(["script", "style", "noscript", "template"])
    root = tree.body
    text = root.text(separator="\n") if root else ""
    return [line.strip() for line in text.splitlines() if line.strip()]
