"""From a version that waits to the page that is read: its bytes out of the archive, or out of the row."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from pathlib import Path

from surveyor.archive import ContentDamaged, Location, WarcReader
from surveyor.errors import BadInput
from surveyor.extract.store.queue import Waiting
from surveyor.extract.values import Page
from surveyor.net.sniff import Kind, kind

_READ = (Kind.HTML, Kind.TEXT, Kind.PDF)
# Bytes: no fetched body is longer, whatever a damaged row inflates to.
_MOST_BYTES = 100_000_000


class NoContent(Exception):
    """There is nothing to read; `is_damage` when there should be."""

    def __init__(self, why: str, *, is_damage: bool = False) -> None:
        self.is_damage = is_damage
        super().__init__(why)


class Contents:
    def __init__(self, archive: Path) -> None:
        self._reader = WarcReader(archive)

    async def page(self, waiting: Waiting) -> Page:
        """The page as it was fetched, or `NoContent`. Storage out of reach raises `ArchiveError`."""
        url, body = await asyncio.to_thread(self._load, waiting)
        if (found := kind(body, waiting.content_type)) not in _READ:
            raise NoContent(f"nothing is read from {found}")
        return Page(url, body, waiting.content_type, waiting.seen_at.date(), waiting.domain_no)

    def _load(self, waiting: Waiting) -> tuple[str, bytes]:
        if waiting.archive is not None:
            try:
                location = Location.parse(waiting.archive)
                capture = self._reader.read(location, waiting.content_hash)
            except (ContentDamaged, BadInput) as error:
                raise NoContent(str(error), is_damage=True) from None
            return capture.url, capture.body
        if waiting.body is not None:
            return waiting.url, _inflated(waiting)
        raise NoContent("its content was not kept")


def _inflated(waiting: Waiting) -> bytes:
    assert waiting.body is not None
    try:
        body = zlib.decompressobj().decompress(waiting.body, _MOST_BYTES)
    except zlib.error as error:
        raise NoContent(f"its content is damaged: {error}", is_damage=True) from None
    if hashlib.sha256(body).digest() != waiting.content_hash:
        raise NoContent("its content is damaged: another content is at that place", is_damage=True)
    return body
