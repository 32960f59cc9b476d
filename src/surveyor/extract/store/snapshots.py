"""What was read of a version of a page, and which versions of a page there are."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, case, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import page_snapshots
from surveyor.extract.states import ExtractState
from surveyor.extract.store import postponed
from surveyor.extract.values import Reading

_s = page_snapshots.c
PageKey = tuple[int, int]  # domain number, key of the page


class VersionRow(NamedTuple):
    """A version of a page, as much as is needed to tell its place among the others."""

    id: int
    domain_no: int
    key: int
    first_seen_at: datetime
    last_seen_at: datetime
    state: ExtractState
    text_hash: int | None
    unchanged_since: int | None
    was_relevant: bool
    was_read: bool

    @property
    def is_read(self) -> bool:
        return self.state in (ExtractState.DONE, ExtractState.UNCHANGED) and self.text_hash is not None


async def versions(tx: AsyncConnection, pages: Iterable[PageKey]) -> dict[PageKey, list[VersionRow]]:
    """All versions of these pages, the earliest first."""
    columns = (
        _s.id,
        _s.domain_no,
        _s.key,
        _s.first_seen_at,
        _s.last_seen_at,
        _s.extract_state,
        _s.text_hash,
        _s.unchanged_since,
        _s.is_relevant,
        _s.extractor_version,
    )
    wanted = sorted(set(pages))
    query = select(*columns).where(tuple_(_s.domain_no, _s.key).in_(wanted)).order_by(_s.first_seen_at, _s.id)
    found: dict[PageKey, list[VersionRow]] = {page: [] for page in wanted}
    for row in await tx.execute(query):
        version = VersionRow(*row[:5], ExtractState(row[5]), *row[6:8], bool(row[8]), row[9] is not None)
        found[version.domain_no, version.key].append(version)
    return found


def compressed(markdown: str) -> bytes:
    return zlib.compress(markdown.encode(), 6)


def readable(markdown: bytes | None) -> str | None:
    return None if markdown is None else zlib.decompress(markdown).decode()


class Read(NamedTuple):
    """A version with its reading; `markdown` is compressed already, for that takes a while."""

    id: int
    reading: Reading
    markdown: bytes
    unchanged_since: int | None = None


async def write(tx: AsyncConnection, read: Sequence[Read], version: str) -> None:
    """Keep what was read; the claims end, and bodies that were kept for this alone go, unless the page is to
    be read once more."""
    if read:
        marked = [postponed.read_with(version, one.reading.postponed) for one in read]
        rows = [_values(one) | marks for one, marks in zip(read, marked, strict=True)]
        await tx.execute(_written(version), rows)


def _written(version: str) -> Any:
    is_next = _s.extractor_version == bindparam("old_mark")
    read_with = case((is_next, bindparam("next_mark")), else_=bindparam("new_mark"))
    kept = {name: bindparam(f"new_{name}", type_=_s[name].type) for name in _KEPT}
    ended = {
        "extract_by": None,
        "extract_until": None,
        "extract_error": None,
        "extract_tries": 0,
        "body": case((read_with != version, _s.body), else_=None),
    }
    values = kept | ended | {"extractor_version": read_with, "extracted_at": now()}
    return update(page_snapshots).where(_s.id == bindparam("of_id")).values(values)


_KEPT = (
    "extract_state",
    "unchanged_since",
    "title",
    "description",
    "language",
    "markdown",
    "text_hash",
    "simhash",
    "links",
    "images",
    "relevance",
    "is_relevant",
    "reasons",
)


def _values(one: Read) -> dict[str, Any]:
    text, relevance = one.reading.text, one.reading.relevance
    state = ExtractState.DONE if one.unchanged_since is None else ExtractState.UNCHANGED
    values = {
        "extract_state": state,
        "unchanged_since": one.unchanged_since,
        "title": text.title or None,
        "description": text.description or None,
        "language": text.language,
        "markdown": one.markdown,
        "text_hash": text.text_hash,
        "simhash": text.simhash,
        "links": text.links,
        "images": text.images,
        "relevance": relevance.score,
        "is_relevant": relevance.is_relevant,
        "reasons": relevance.reasons,
    }
    return {"of_id": one.id} | {f"new_{name}": value for name, value in values.items()}


async def fold(tx: AsyncConnection, id_: int, into: int) -> None:
    """A later version was read before this one, and says the same."""
    values = {"extract_state": ExtractState.UNCHANGED, "unchanged_since": into}
    await tx.execute(update(page_snapshots).where(_s.id == id_).values(values))


async def not_read(tx: AsyncConnection, ids: Sequence[int], version: str, why: str) -> None:
    """Nothing can be read there, and that is no failure."""
    values = {
        "extract_state": ExtractState.DONE,
        "extract_by": None,
        "extract_until": None,
        "extract_error": why,
        "extractor_version": version,
        "extracted_at": now(),
        "body": None,
    }
    await tx.execute(update(page_snapshots).where(_s.id.in_(ids)).values(values))


async def quarantine(tx: AsyncConnection, id_: int, version: str, why: str) -> None:
    values = {
        "extract_state": ExtractState.QUARANTINED,
        "extract_by": None,
        "extract_until": None,
        "extract_error": why,
        "extractor_version": version,
        "extracted_at": now(),
    }
    await tx.execute(update(page_snapshots).where(_s.id == id_).values(values))


async def newest(tx: AsyncConnection, no: int, keys: Sequence[int]) -> dict[int, int]:
    """The latest version of each of these pages that is kept."""
    query = select(_s.key, func.max(_s.id)).where(_s.domain_no == no, _s.key.in_(keys)).group_by(_s.key)
    return {int(key): int(latest) for key, latest in await tx.execute(query)}


async def read_at(tx: AsyncConnection, places: Sequence[PageKey]) -> dict[PageKey, datetime]:
    """When the latest version of each of these pages was seen that extraction has read."""
    read = _s.extract_state.in_((ExtractState.DONE, ExtractState.UNCHANGED))
    query = select(_s.domain_no, _s.key, func.max(_s.last_seen_at)).where(read)
    mine = query.where(tuple_(_s.domain_no, _s.key).in_(places)).group_by(_s.domain_no, _s.key)
    return {(no, key): seen for no, key, seen in await tx.execute(mine)}
