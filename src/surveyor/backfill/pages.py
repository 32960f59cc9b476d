"""Pages of an old crawl into the register, with their contents where the source has them.

A page that a crawl of this register may have had stays as it is. Of several captures by others the newest is
the page, whatever their order, so a second run changes nothing. Contents go to the archive, or
into the row, as those of a crawl do, and wait for extraction.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from surveyor.archive import Capture, WarcWriter
from surveyor.backfill import store_pages
from surveyor.backfill.cells import moment
from surveyor.crawl.pages.response import ended_by
from surveyor.crawl.results import PageReason
from surveyor.db import Database
from surveyor.errors import NetError, NotADomain, NotAUrl
from surveyor.names import NameRules, parse_url, url_key
from surveyor.net.body import read_body

_BATCH = 200  # pages per transaction
_MOST = 20_000_000  # bytes of a content, unpacked
_HEAD_END = b"\r\n\r\n"


@dataclass
class PagesReport:
    new: int = 0
    contents: int = 0  # of those that are new or newer
    newer: int = 0  # known by an older capture, or without content
    kept: int = 0  # known here: left as they are
    left_out: dict[str, int] = field(default_factory=dict)  # reason -> how many

    def leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


@dataclass(frozen=True, slots=True)
class OldPage:
    """One URL as another crawler had it last."""

    domain: str
    url: str
    target: str
    status: int
    fetched_at: datetime
    capture: Capture | None = None

    @property
    def key(self) -> int:
        return url_key(self.target)

    @property
    def is_page(self) -> bool:
        return 200 <= self.status < 300

    @property
    def reason(self) -> str | None:
        if self.is_page:
            return None
        return PageReason.REDIRECT if 300 <= self.status < 400 else ended_by(self.status)

    @property
    def content_hash(self) -> bytes | None:
        return hashlib.sha256(self.capture.body).digest() if self.capture else None

    @property
    def content_type(self) -> str | None:
        heads = self.capture.headers if self.capture else ()
        return next((value.strip() for name, value in heads if name.lower() == "content-type"), None)


@dataclass(frozen=True, slots=True)
class Keeper:
    """Where contents go: the archive, or the row itself."""

    archive: WarcWriter | None = None

    def keep(self, pages: list[OldPage]) -> dict[int, tuple[str | None, bytes | None]]:
        """Place in the archive and body of each page with content, by its place in the list."""
        had = {place: page.capture for place, page in enumerate(pages) if page.capture is not None}
        if self.archive is None:
            return {place: (None, zlib.compress(capture.body)) for place, capture in had.items()}
        locations = {place: self.archive.append(capture) for place, capture in had.items()}
        self.archive.sync(locations.values())
        return {place: (str(location), None) for place, location in locations.items()}


async def bring_pages(
    db: Database,
    answers: AsyncIterable[Mapping[str, Any]],
    rules: NameRules,
    keeper: Keeper,
    revisit: timedelta,
    *,
    apply: bool,
) -> PagesReport:
    report = PagesReport()
    batch: dict[tuple[str, int], OldPage] = {}
    async for values in answers:
        page = await _page(values, rules, report)
        if page is None:
            continue
        before = batch.get((page.domain, page.key))
        has_content = before is not None and (before.capture or page.capture)
        if has_content or len(batch) == _BATCH:
            await _write(db, list(batch.values()), keeper, revisit, report, apply=apply)
            batch, before = {}, None
        if before is None or page.fetched_at >= before.fetched_at:
            batch[page.domain, page.key] = page
    await _write(db, list(batch.values()), keeper, revisit, report, apply=apply)
    return report


async def _write(
    db: Database,
    pages: list[OldPage],
    keeper: Keeper,
    revisit: timedelta,
    report: PagesReport,
    *,
    apply: bool,
) -> None:
    if not pages:
        return
    async with db.write() if apply else db.read() as tx:
        numbers, held = await store_pages.find_domains(tx, {page.domain for page in pages})
        places = [(numbers[page.domain], page.key) for page in pages if page.domain in numbers]
        known = await store_pages.known(tx, places)
        new, newer = [], []
        for page in pages:
            if page.domain in held:
                report.leave_out("a worker holds its domain")
            elif apply and page.domain not in numbers:
                report.leave_out("its domain is not in the register")
            elif (before := known.get((numbers.get(page.domain, 0), page.key))) is None:
                new.append(page)
            elif before.is_less_than(page):
                newer.append(page)
            else:
                report.kept += 1
        report.new += len(new)
        report.newer += len(newer)
        report.contents += sum(page.capture is not None for page in (*new, *newer))
        if apply and (new or newer):
            kept = await asyncio.to_thread(keeper.keep, [*new, *newer])
            await store_pages.write(tx, new, newer, numbers, kept, revisit)


async def _page(values: Mapping[str, Any], rules: NameRules, report: PagesReport) -> OldPage | None:
    try:
        url = parse_url(str(values.get("url") or ""), rules=rules)
    except (NotAUrl, NotADomain):
        report.leave_out("no URL of a page is named")
        return None
    try:
        status = int(values.get("status") or 0)
    except (TypeError, ValueError):
        status = 0
    if not 100 <= status <= 599:
        report.leave_out("it was not answered")
        return None
    when = moment(values.get("crawled_at")) or datetime.now(UTC)
    capture = None
    if (http := values.get("http")) is not None and 200 <= status < 300:
        capture = await _capture(url.text, when, status, http, report)
    return OldPage(str(url.domain), url.text, url.target, status, when, capture)


class _Sent:
    """Bytes that are there already, as a body that comes in."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def readany(self) -> bytes:
        data, self._data = self._data, b""
        return data


async def _capture(url: str, when: datetime, status: int, http: bytes, report: PagesReport) -> Capture | None:
    head, _, body = http.partition(_HEAD_END)
    heads = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
    headers = tuple((_text(name), _text(value)) for name, sign, value in heads if sign)
    plain = {name.lower(): value for name, value in headers}
    try:
        if "chunked" in plain.get("transfer-encoding", "").lower():
            body = _joined(body)
        whole = (await read_body(_Sent(body), plain.get("content-encoding"), _MOST)).data
    except (NetError, ValueError):
        report.leave_out("its content cannot be unpacked; its URL is kept")
        return None
    return Capture(url, when, status, headers, whole) if whole else None


def _text(raw: bytes) -> str:
    return raw.strip().decode("utf-8", "surrogateescape")


def _joined(body: bytes) -> bytes:
    """A body in chunks as one; some tools write it joined already and leave the header."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        size_text = body[at:end].split(b";")[0].strip() if end != -1 else b""
        if not size_text or len(size_text) > 8:
            return body if not parts else _cut_off()
        try:
            size = int(size_text, 16)
        except ValueError:
            return body if not parts else _cut_off()
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


def _cut_off() -> bytes:
    raise ValueError("the chunks do not fit together")
