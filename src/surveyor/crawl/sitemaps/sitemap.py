"""Sitemaps: the URLs a site lists itself, and the further lists it names. Read as a stream, never raising.

XML, plain text line by line, and gzip unpacked as it is read. Everything has a limit, and what was
read before a limit or a mistake is kept.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Final, NamedTuple

from surveyor.crawl.pages.links import listed_target, trimmed
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.sitemaps.xmlstream import Broken, Field, records
from surveyor.names import PageUrl, resolve

# URLs of one file, and bytes of it unpacked: what the protocol allows.
MAX_URLS = 50_000
MAX_BYTES = 50 * 1024 * 1024
_GZIP: Final = b"\x1f\x8b"
_UNPACKED_AT_ONCE = 64 * 1024
_NONE: Final = Field("", "", {})
_BLANKS: Final = re.compile(rb"\A(?:[ \t\r\n]|\xef\xbb\xbf|\xc2\xa0)+")
_ROOT: Final = re.compile(rb"<(?:\w{1,20}:)?(?:urlset|sitemapindex)[\s>]", re.IGNORECASE)


class Sitemap(NamedTuple):
    urls: list[tuple[str, datetime | None]]
    """Targets in scope with the time of their last change, each once."""
    children: list[str]
    """Targets of further sitemaps, in scope."""
    dropped: int
    """URLs that are not of this site, or not of pages."""
    cut: str | None
    """Why not all of it was read: too_many_urls, too_long, broken; damaged where single records were."""


def parse_sitemap(body: bytes, base: PageUrl, scope: Scope, limit: int = MAX_URLS) -> Sitemap:
    """What a sitemap at `base` lists; an empty one for a body that is none."""
    source = _Unpacked(body)
    reader = _Reader(base, scope, limit)
    # XML also where a server's complaint stands before it.
    begin = source.begin
    is_xml = begin.startswith((b"<", b"\xff\xfe", b"\xfe\xff")) or _ROOT.search(begin) is not None
    cut = (_read_xml if is_xml else _read_lines)(source, reader)
    cut = cut or source.cut or ("damaged" if reader.damaged else None)
    return Sitemap(list(reader.urls.items()), list(reader.children), reader.dropped, cut)


def parse_time(text: str | None) -> datetime | None:
    """A W3C date or time, in UTC; None for what is none."""
    if not text or len(text) > 40:
        return None
    text = text.strip()
    if len(text) in (4, 7) and text[:4].isdigit():
        text += "-01-01"[: 10 - len(text)] if len(text) == 4 else "-01"
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


@dataclass(eq=False)
class _Reader:
    """Sorts what is found; full when there is as much as may be."""

    _base: PageUrl
    _scope: Scope
    _limit: int
    urls: dict[str, datetime | None] = field(default_factory=dict)
    children: dict[str, None] = field(default_factory=dict)
    dropped: int = 0
    damaged: int = 0  # records whose address is not certain

    @property
    def is_full(self) -> bool:
        return max(len(self.urls), len(self.children), self.dropped, self.damaged) >= self._limit

    def add(self, href: str, changed: str) -> None:
        target = listed_target(href, self._base, self._scope) if href else None
        if target is None:
            self.dropped += 1
        else:
            self.urls[target] = parse_time(changed)

    def add_child(self, href: str) -> None:
        url = resolve(self._base.text, href, self._scope.rules) if href else None
        if url is None or url.domain != self._scope.domain or url.target == self._base.target:
            self.dropped += 1
        else:
            self.children[url.target] = None


def _read_xml(source: _Unpacked, reader: _Reader) -> str | None:
    try:
        for record in records(source, "url", "sitemap"):
            if reader.is_full:
                return "too_many_urls"
            # A picture of a page has a `loc` too, of another prefix.
            fields = {field.name: field for field in record.fields if field.prefix == record.prefix}
            loc, lastmod = fields.get("loc", _NONE), fields.get("lastmod", _NONE)
            href = trimmed(loc.text)
            if record.damaged or not loc.known or (not href and loc.text.strip()):
                reader.damaged += 1
            elif record.name == "url":
                reader.add(href, lastmod.text)
            else:
                reader.add_child(href)
    except Broken:
        return "broken"
    return None


def _read_lines(source: _Unpacked, reader: _Reader) -> str | None:
    for line in source.lines():
        if reader.is_full:
            return "too_many_urls"
        text = trimmed(line.decode("utf-8", "replace"))
        if "\ufffd" in text:
            reader.damaged += 1
        elif text:
            reader.add(text if text.startswith(("http://", "https://")) else "", "")
    return None


class _Unpacked:
    """A body as a file to be read: unpacked if it is gzip, and never more than the limit."""

    def __init__(self, body: bytes) -> None:
        self._raw = BytesIO(body)
        self._gzip = zlib.decompressobj(wbits=31) if body.startswith(_GZIP) else None
        self._left = MAX_BYTES
        self._ahead = b""
        self.cut: str | None = None
        # To be read again; without blanks, which XML must not begin with and often does.
        self.begin = self._ahead = _BLANKS.sub(b"", self.read(_UNPACKED_AT_ONCE))

    def read(self, size: int = -1) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead, b""
            return data
        if size < 0 or size > _UNPACKED_AT_ONCE:
            size = _UNPACKED_AT_ONCE
        data = self._raw.read(size) if self._gzip is None else self._unpack(self._gzip, size)
        if len(data) > self._left:
            self.cut = "too_long"
            data = data[: self._left]
        self._left -= len(data)
        return data

    def _unpack(self, gzip: zlib._Decompress, size: int) -> bytes:
        try:
            while not gzip.eof:
                packed = gzip.unconsumed_tail or self._raw.read(size)
                data = gzip.decompress(packed, size)
                if data:
                    return data
                if not packed:
                    self.cut = "broken"  # it ends in the middle
                    break
        except zlib.error:
            self.cut = "broken"
        return b""

    def lines(self) -> Iterable[bytes]:
        rest = b""
        while data := self.read():
            *whole, rest = (rest + data).split(b"\n")
            yield from whole
            rest = rest[:_UNPACKED_AT_ONCE]
        if self.cut is None:  # else it is half a line
            yield rest
