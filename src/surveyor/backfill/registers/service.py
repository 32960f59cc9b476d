"""Brings registers of others in: tables in the order in which they name each other, row by row.

A batch of rows is a transaction. Nothing is written without `apply`, and what is in the register already
stays as it is, so a second run changes nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill.cells import Cells, Dates
from surveyor.backfill.destination import Destination
from surveyor.backfill.pages import bring_pages
from surveyor.backfill.registers import candidates, domains, extractions, results, sessions
from surveyor.backfill.registers.columns import Kind, columns_of, kind_by_columns, kind_by_name, missing
from surveyor.backfill.registers.run import LeftOut, Run, TableReport
from surveyor.backfill.registers.store import candidates as candidate_store
from surveyor.backfill.registers.store import domains as domain_store
from surveyor.backfill.registers.store import extractions as extraction_store
from surveyor.backfill.registers.store import results as result_store
from surveyor.backfill.registers.store import sessions as session_store
from surveyor.backfill.rows import Headings, Rows, open_rows, shown_columns, squashed
from surveyor.db import foreign
from surveyor.discover.seeds.addresses import addresses_in
from surveyor.errors import BadInput, UsageError
from surveyor.names import DEFAULT_RULES

_BATCH = 200  # rows per transaction: short enough for workers to get their turn


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What the operator asks for."""

    sources: tuple[str, ...]
    source: str | None = None
    kind: Kind | None = None
    table: str | None = None
    mapped: tuple[str, ...] = ()
    dates: Dates = Dates.UNCLEAR
    for_review: bool = False
    apply: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    kind: Kind
    where: str
    name: str | None  # of a database


async def import_registers(
    into: Destination, request: ImportRequest, progress: Callable[[TableReport], None] = lambda _: None
) -> Run:
    tables = [table for where in request.sources for table in await _tables(where, request)]
    source = request.source or f"import_{PurePath(request.sources[0].rpartition('@')[2]).stem}"
    run = Run(source, request.apply, into, request.dates, request.for_review)
    if any(table.kind is Kind.EXTRACTIONS for table in tables):
        run.pages = {}
    for table in sorted(tables, key=lambda one: list(Kind).index(one.kind)):
        run.tables.append(TableReport(table.kind, foreign.shown(table.where)))
        async with open_rows(table.where, table.name) as rows:
            await _read(rows, table, request, run, progress)
    return run


async def _tables(where: str, request: ImportRequest) -> list[_Table]:
    """What is to be read of a source: a file is one table, a database has those we know by name."""
    if foreign.is_database(where):
        async with foreign.connect(where) as database:
            there = await database.tables()
        if request.table is not None:
            kind = request.kind or kind_by_name(request.table)
            if kind is None:
                raise BadInput(f"what is in {request.table}? say --as {_kinds()}")
            return [_Table(kind, where, request.table)]
        known = [_Table(kind, where, name) for name in there if (kind := kind_by_name(name, exactly=True))]
        if not known:
            raise BadInput(
                f"{foreign.shown(where)} has the tables {shown_columns(there)};"
                " name one with --table and what it keeps with --as"
            )
        return known
    async with open_rows(where) as rows:
        return [_Table(_kind_of(rows, request), where, None)]


def _kind_of(rows: Rows, request: ImportRequest) -> Kind:
    """By what the operator says, by the name of the file, by its columns."""
    if request.kind is not None:
        return request.kind
    by_name = kind_by_name(PurePath(rows.where).stem)
    if by_name is not None and _fits(rows, by_name, request):
        return by_name
    if (kind := kind_by_columns(rows.columns, request.mapped) or by_name) is not None:
        return kind
    if request.mapped:
        Headings.of(rows.columns, columns_of(Kind.DOMAINS), request.mapped)  # says which of them maps nothing
    if any(addresses_in(name, DEFAULT_RULES) for name in rows.columns):
        raise BadInput(
            f"the first line of {rows.where} names no columns, but “{rows.columns[0][:60]}”;"
            " write a line above it, such as domain,status,notes;"
            " a mere list goes in with `surveyor ingest-seeds`"
        )
    raise BadInput(
        f"{rows.where} has the columns {shown_columns(rows.columns)}; they are not known. Say what it keeps"
        f" (--as {_kinds()}) and which is which (--map {shlex.quote(rows.columns[0][:60])}=domain)"
    )


def _fits(rows: Rows, kind: Kind, request: ImportRequest) -> bool:
    try:
        return not missing(kind, _headings(rows, kind, request))
    except UsageError:
        return False


def _kinds() -> str:
    return "|".join(Kind)


def _headings(rows: Rows, kind: Kind, request: ImportRequest) -> Headings:
    """Of several tables each follows what names one of its columns."""
    said = request.mapped
    if len(request.sources) > 1 or (request.table is None and foreign.is_database(rows.where)):
        there = {squashed(name) for name in rows.columns}
        said = tuple(pair for pair in said if there & set(map(squashed, pair.split("="))))
    return Headings.of(rows.columns, columns_of(kind), said)


async def _read_pages(rows: Rows, headings: Headings, run: Run) -> None:
    """Contents go the way of an old crawl; extraction reads them like any other."""

    async def answers() -> AsyncIterator[Mapping[str, Any]]:
        async for row in rows.under(headings):
            run.now.rows += 1
            answer = _answer(cells := run.cells(row))
            if run.pages is not None and (said := cells.text("id", 200)) and answer["url"]:
                run.pages[said] = answer["url"], answer["crawled_at"]
            yield answer

    into = run.into
    done = await bring_pages(into.db, answers(), run.rules, into.keeper, into.revisit, apply=run.apply)
    run.now.new, run.now.filled = done.new, done.newer
    run.now.kept, run.now.left_out = done.kept, done.left_out


def _answer(cells: Cells) -> dict[str, Any]:
    """As if a site had answered with what was kept of the page."""
    said = "html" if "html" in cells.row else "markdown"
    usual = "text/html; charset=utf-8" if said == "html" else "text/plain; charset=utf-8"
    type_ = cells.text("content_type", 200) if said == "html" else None
    value = cells.row.get(said, "")
    body = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {type_ or usual}\r\n\r\n".encode("utf-8", "replace")
    row = {"url": cells.text("url", 2_000), "crawled_at": cells.moment("crawled_at"), "status": 200}
    return row | {"http": head + body if body else None}


async def _read(
    rows: Rows, table: _Table, request: ImportRequest, run: Run, progress: Callable[[TableReport], None]
) -> None:
    headings = _headings(rows, table.kind, request)
    if lacking := missing(table.kind, headings):
        raise BadInput(
            f"{table.name or rows.where}, read as {table.kind}, has no column for {', '.join(lacking)};"
            f" it has {shown_columns(rows.columns)}:"
            f" say --map THEIRS={lacking[0].split()[0]}, or --as what it keeps"
        )
    run.now.unknown_columns = headings.unknown
    if table.kind is Kind.PAGES:
        await _read_pages(rows, headings, run)
        return
    batch: list[Cells] = []
    async for row in rows.under(headings):
        if not row:
            continue
        run.now.rows += 1
        batch.append(run.cells(row))
        if len(batch) == _BATCH:
            await _take(table.kind, batch, run)
            progress(run.now)
            batch = []
    await _take(table.kind, batch, run)
    if rows.bad:
        run.now.left_out["it cannot be read (quotes, JSON or length)"] = rows.bad


def _person(cells: Cells, run: Run) -> None:
    said, name = cells.text("id", 200), cells.text("name", 200)
    if said is None or name is None:
        raise LeftOut("no id or no name")
    run.people[said] = name
    run.now.new += 1


def _domain(cells: Cells, run: Run) -> domains.TheirDomain:
    theirs = domains.read(cells, run)
    if (said := cells.text("id")) is not None:
        run.domains[said] = theirs.name
    return theirs


_Reader = Callable[[Cells, Run], Any]
_Writer = Callable[[AsyncConnection, Any, Run], Awaitable[None]]


async def _no_rows(tx: AsyncConnection, batch: Any, run: Run) -> None:
    """People are remembered for this run alone."""


_STEPS: Mapping[Kind, tuple[_Reader, _Writer]] = {
    Kind.PEOPLE: (_person, _no_rows),
    Kind.SESSIONS: (sessions.read, session_store.take),
    Kind.DOMAINS: (_domain, domain_store.take),
    Kind.CANDIDATES: (candidates.read, candidate_store.take),
    Kind.RESULTS: (results.read, result_store.take),
    Kind.EXTRACTIONS: (extractions.read, extraction_store.take),
}


async def _take(kind: Kind, batch: Sequence[Cells], run: Run) -> None:
    read, write = _STEPS[kind]
    values = []
    for cells in batch:
        try:
            values.append(read(cells, run))
        except LeftOut as left:
            run.now.leave_out(left)
    if values:
        db = run.into.db
        async with db.write() if run.apply else db.read() as tx:
            await write(tx, values, run)
