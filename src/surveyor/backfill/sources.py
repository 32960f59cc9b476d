"""Logs of every kind as requests: tables of another database, CSV, JSON Lines, Scrapy's log, WARC, CDX, CDXJ.

A table is counted by its own database, host by host; a file is read line by line. Either way memory
does not grow with the log.
"""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import case, func, select

from surveyor.backfill import lines, warc
from surveyor.backfill.totals import Requests, Totals
from surveyor.db import foreign
from surveyor.errors import BadInput

# What the columns are called where nobody says otherwise.
LOG_COLUMNS = {
    "domain": "domain",
    "url": "page_url",
    "status": "status",
    "images_found": "images_found",
    "crawled_at": "crawled_at",
}
IMAGE_COLUMNS = {"domain": "source_domain", "image": "image_id"}
LOG_TABLE, IMAGE_TABLE = "crawl_log", "provenance"


@dataclass(frozen=True, slots=True)
class Mapped:
    """How a source calls its table and its columns."""

    table: str = LOG_TABLE
    columns: Mapping[str, str] = field(default_factory=lambda: LOG_COLUMNS)

    @classmethod
    def of(cls, table: str, known: Mapping[str, str], said: tuple[str, ...]) -> Mapped:
        """`said` are pairs such as `domain=host`."""
        columns = dict(known)
        for pair in said:
            ours, sign, theirs = pair.partition("=")
            if not sign or ours.strip() not in columns:
                raise BadInput(
                    f"“{pair}” maps no column; write one of {', '.join(columns)}, then = and its name"
                )
            columns[ours.strip()] = theirs.strip()
        return cls(table, columns)


async def read_log(where: str, mapped: Mapped) -> AsyncIterator[Requests]:
    """The requests of a log, a row or a whole host at a time."""
    if foreign.is_database(where):
        async for seen in _of_table(where, mapped):
            yield seen
        return
    for seen in _of_file(where, mapped):
        yield seen


async def _of_table(where: str, mapped: Mapped) -> AsyncIterator[Requests]:
    async with foreign.connect(where) as database:
        there = await database.columns(mapped.table)
        name = next((mapped.columns[one] for one in ("domain", "url") if mapped.columns[one] in there), None)
        status = mapped.columns["status"]
        if name is None or status not in there:
            raise BadInput(_no_columns(where, mapped, there))
        table = await database.table(mapped.table)
        images, when = (table.c.get(mapped.columns[one]) for one in ("images_found", "crawled_at"))
        failed = case((table.c[status] >= 400, table.c[status]), (table.c[status].is_(None), 0), else_=None)
        wanted: list[Any] = [table.c[name], failed, func.count()]
        wanted.append(func.coalesce(func.sum(images), 0) if images is not None else func.count() * 0)
        wanted += [func.min(when), func.max(when)] if when is not None else []
        query = select(*wanted).group_by(table.c[name], failed)
        async for host, error, rows, shown, *times in database.stream(query):
            first, last = (lines.moment(one) for one in (times or (None, None)))
            errors = {} if error is None else {int(error): int(rows)}
            yield Requests("" if host is None else str(host), int(rows), errors, int(shown), first, last)


def _no_columns(where: str, mapped: Mapped, there: list[str]) -> str:
    if not there:
        return f"{where} has no table {mapped.table}; --table names another"
    return (
        f"{mapped.table} has the columns {', '.join(there)}; say which is which, such as"
        f" --columns domain={there[0]} --columns status={there[-1]}"
    )


def _of_file(where: str, mapped: Mapped) -> Iterator[Requests]:
    path = Path(where)
    if warc.is_warc(path):
        yield from warc.read_warc(path)
        return
    try:
        file = path.open(encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise BadInput(f"{where} cannot be read: {error.strerror}") from None
    with file:
        first = file.readline(lines.LONGEST)
        rest = chain([first], iter(lambda: file.readline(lines.LONGEST), ""))
        kind = lines.kind_of(first)
        if kind is lines.LogKind.CSV:
            yield from _of_csv(where, rest, mapped)
            return
        found = False
        for line in rest:
            seen = kind.read(line, mapped.columns)
            if seen is not None:
                found = True
                yield seen
        if not found:
            raise BadInput(f"{where} has no request in it; it was read as {kind.value}")


def _of_csv(where: str, text: Iterator[str], mapped: Mapped) -> Iterator[Requests]:
    head = next(text, "")
    sign = max(",;\t", key=head.count)
    names = [name.strip().strip('"') for name in next(csv.reader([head], delimiter=sign), [])]
    places = {ours: names.index(theirs) for ours, theirs in mapped.columns.items() if theirs in names}
    if "status" not in places or not places.keys() & {"domain", "url"}:
        raise BadInput(_no_columns(where, Mapped("it", mapped.columns), names))
    for row in csv.reader(text, delimiter=sign):
        values = {ours: row[place] for ours, place in places.items() if place < len(row)}
        if values:
            yield lines.request(values)


async def read_provenance(where: str, mapped: Mapped, totals: Totals) -> dict[str, int]:
    """Stored images per canonical domain, each once, whatever its domain is spelled like."""
    if not foreign.is_database(where):
        return _images_of_file(where, mapped, totals)
    counts: dict[str, int] = {}
    async with foreign.connect(where) as database:
        there = await database.columns(mapped.table)
        host, image = mapped.columns["domain"], mapped.columns["image"]
        if not {host, image} <= set(there):
            raise BadInput(_no_columns(where, mapped, there))
        table = await database.table(mapped.table)
        # In the order of images, so that the domains of one are all that must be remembered.
        query = select(table.c[image], table.c[host]).distinct().order_by(table.c[image])
        last, domains = None, set[str]()
        async for one, spelled in database.stream(query.where(table.c[host].is_not(None))):
            if one != last:
                last, domains = one, set()
            name = totals.name_of(str(spelled))
            if name is not None and name not in domains:
                domains.add(name)
                counts[name] = counts.get(name, 0) + 1
    return counts


def _images_of_file(where: str, mapped: Mapped, totals: Totals) -> dict[str, int]:
    """A file has no order to rely on: the images of each domain are remembered."""
    seen: dict[str, set[str]] = {}
    try:
        with Path(where).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for row in csv.DictReader(file):
                host, image = row.get(mapped.columns["domain"]), row.get(mapped.columns["image"])
                if host and image and (name := totals.name_of(host)):
                    seen.setdefault(name, set()).add(image)
    except OSError as error:
        raise BadInput(f"{where} cannot be read: {error.strerror}") from None
    return {name: len(images) for name, images in seen.items()}
