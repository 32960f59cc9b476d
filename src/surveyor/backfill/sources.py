"""Logs of every kind as requests: tables of another database, CSV, JSON Lines, Scrapy's log
and queue, WARC, CDX, CDXJ.

A table is counted by its own database, host by host; a file is read line by line. Either way memory
does not grow with the log.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import case, func, select

from surveyor.backfill import cells, jobdir, lines, warc
from surveyor.backfill.rows import LONGEST, Headings, open_rows, open_source, rows_of_lines, shown_columns
from surveyor.backfill.totals import Requests, Totals
from surveyor.db import foreign
from surveyor.discover.seeds.tables import decode
from surveyor.errors import BadInput

# What the columns are called where nobody says otherwise.
LOG_COLUMNS = {
    "domain": (),
    "url": ("page_url", "response_url"),
    "status": ("status_code", "http_status"),
    "images_found": (),
    "crawled_at": ("fetched_at", "timestamp"),
}
IMAGE_COLUMNS = {"domain": ("source_domain",), "image": ("image_id",)}
_PACKED = {"zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh", "xz": b"\xfd7zXZ", "zip": b"PK\x03\x04"}
LOG_TABLE, IMAGE_TABLE = "crawl_log", "provenance"


@dataclass(frozen=True, slots=True)
class Mapped:
    """How a source calls its table, and what the operator says of its columns (`theirs=ours`)."""

    table: str = LOG_TABLE
    said: tuple[str, ...] = ()


async def read_log(where: str, mapped: Mapped) -> AsyncIterator[Requests]:
    """The requests of a log, a row or a whole host at a time."""
    if foreign.is_database(where):
        async for seen in _of_table(where, mapped):
            yield seen
        return
    if jobdir.is_jobdir(where):
        for one in jobdir.read_queue(where):
            yield Requests(one.url, 0, {}, waiting=1)
        return
    async for values in _of_file(where, mapped):
        yield lines.request(values)


async def read_pages(where: str, mapped: Mapped) -> AsyncIterator[Mapping[str, Any]]:
    """url, status and crawled_at of every request that names one; from WARC with `http`, the bytes sent."""
    if not foreign.is_database(where):
        async for values in _of_file(where, mapped, contents=True):
            yield values
        return
    async with open_rows(where, mapped.table) as rows:
        async for row in rows.under(Headings.of(rows.columns, LOG_COLUMNS, mapped.said)):
            yield row


async def _of_file(where: str, mapped: Mapped, *, contents: bool = False) -> AsyncIterator[Mapping[str, Any]]:
    if warc.is_warc(Path(where)):
        for answer in warc.read_answers(Path(where), contents=contents):
            yield answer
        return
    _require_unpacked(Path(where))
    source = open_source(where)
    try:
        async for values in _of_lines(where, source.lines(LONGEST), mapped):
            yield values
    finally:
        source.close()


def _require_unpacked(path: Path) -> None:
    """Gzip is unpacked on the way; others would be taken for a table of one strange column."""
    try:
        with path.open("rb") as file:
            begins = file.read(6)
    except OSError:
        return  # said better where it is opened
    for name, magic in _PACKED.items():
        if begins.startswith(magic):
            raise BadInput(f"{path} is packed with {name}; unpack it first")


async def _of_table(where: str, mapped: Mapped) -> AsyncIterator[Requests]:
    async with foreign.connect(where) as database:
        there = await database.columns(mapped.table)
        if not there:
            raise BadInput(f"{foreign.shown(where)} has no table {mapped.table}; --table names another")
        columns = Headings.of(there, LOG_COLUMNS, mapped.said).ours
        if "status" not in columns or not columns.keys() & {"domain", "url"}:
            raise BadInput(_no_columns(mapped.table, there))
        table = await database.table(mapped.table)
        host = table.c[columns.get("domain") or columns["url"]]
        status = table.c[columns["status"]]
        images, when = (table.c.get(columns.get(one, "")) for one in ("images_found", "crawled_at"))
        failed = case((status >= 400, status), (status.is_(None), 0), else_=None)
        wanted: list[Any] = [host, failed, func.count()]
        wanted.append(func.coalesce(func.sum(images), 0) if images is not None else func.count() * 0)
        wanted += [func.min(when), func.max(when)] if when is not None else []
        async for name, error, rows, shown, *times in database.stream(select(*wanted).group_by(host, failed)):
            first, last = (cells.moment(one) for one in (times or (None, None)))
            errors = {} if error is None else {int(error): int(rows)}
            yield Requests("" if name is None else str(name), int(rows), errors, int(shown), first, last)


def _no_columns(where: str, there: list[str]) -> str:
    return (
        f"{where} has the columns {shown_columns(there)}; say which is the domain or URL, which the status,"
        f" such as --map {there[0]}=domain --map {there[-1]}=status"
    )


async def _of_lines(where: str, raw: Iterator[bytes], mapped: Mapped) -> AsyncIterator[Mapping[str, Any]]:
    head = next(raw, b"")
    kind = lines.kind_of(decode(head))
    if kind in (lines.LogKind.CSV, lines.LogKind.JSON_LINES):
        async for seen in _of_rows(where, chain([head], raw), mapped, is_feed=kind is not lines.LogKind.CSV):
            yield seen
        return
    found = False
    for line in chain([head], raw):
        if (one := kind.read(decode(line))) is not None:
            found = True
            yield one
    if not found:
        raise BadInput(f"{where} has no request in it; it was read as {kind.value}")


async def _of_rows(
    where: str, raw: Iterator[bytes], mapped: Mapped, *, is_feed: bool
) -> AsyncIterator[Mapping[str, Any]]:
    """Rows of a log; where a feed of items has no status, the pages they are of were had."""
    rows = rows_of_lines(where, raw)
    headings = Headings.of(rows.columns, LOG_COLUMNS, mapped.said)
    if not headings.ours.keys() & {"domain", "url"} or not ("status" in headings.ours or is_feed):
        raise BadInput(_no_columns(where, rows.columns))
    without = {"status": 200} if is_feed else {}
    async for row in rows.under(headings):
        yield {**without, **row}
    for _ in range(rows.bad):
        yield {}  # a row that names nothing, and is counted among those


async def read_provenance(where: str, mapped: Mapped, totals: Totals) -> dict[str, int]:
    """Stored images per canonical domain, each once, whatever its domain is spelled like."""
    if not foreign.is_database(where):
        return await _images_of_file(where, mapped, totals)
    counts: dict[str, int] = {}
    async with foreign.connect(where) as database:
        there = await database.columns(mapped.table)
        columns = _image_columns(mapped.table, there, mapped)
        table = await database.table(mapped.table)
        host, image = table.c[columns["domain"]], table.c[columns["image"]]
        # In the order of images, so that the domains of one are all that must be remembered.
        query = select(image, host).distinct().order_by(image)
        last, domains = None, set[str]()
        async for one, spelled in database.stream(query.where(host.is_not(None))):
            if one != last:
                last, domains = one, set()
            name = totals.name_of(str(spelled))
            if name is not None and name not in domains:
                domains.add(name)
                counts[name] = counts.get(name, 0) + 1
    return counts


def _image_columns(where: str, there: list[str], mapped: Mapped) -> dict[str, str]:
    columns = dict(Headings.of(there, IMAGE_COLUMNS, mapped.said).ours)
    if not there:
        raise BadInput(f"there is no table {where} of images; --provenance-table names another")
    if columns.keys() < IMAGE_COLUMNS.keys():
        raise BadInput(
            f"{where} has the columns {shown_columns(there)}; say which is which, such as"
            f" --provenance-map {there[0]}=domain --provenance-map {there[-1]}=image"
        )
    return columns


async def _images_of_file(where: str, mapped: Mapped, totals: Totals) -> dict[str, int]:
    """A file has no order to rely on: the images of each domain are remembered."""
    seen: dict[str, set[str]] = {}
    async with open_rows(where) as rows:
        _image_columns(where, rows.columns, mapped)
        async for row in rows.under(Headings.of(rows.columns, IMAGE_COLUMNS, mapped.said)):
            host, image = row.get("domain"), row.get("image")
            if host and image and (name := totals.name_of(str(host))):
                seen.setdefault(name, set()).add(str(image))
    return {name: len(images) for name, images in seen.items()}
