"""Rows of others, whatever they come in: CSV, JSON Lines, a workbook, a table of PostgreSQL or SQLite.

Cells may be parted by commas, semicolons or tabs; texts may be UTF-8, UTF-16 or what Windows writes.
A row at a time is held. Which column is which is said by `Headings`: the names we know first, then what
the operator maps.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sqlalchemy import select

from surveyor.db import foreign
from surveyor.discover.seeds import source as seed_source
from surveyor.discover.seeds.source import SeedSource
from surveyor.discover.seeds.tables import decode
from surveyor.errors import BadInput, UsageError

# Bytes of a line: a whole page may stand in one. A longer one is cut, and its row cannot be read.
LONGEST = 16_000_000
_SAMPLE = 100  # objects whose names are the columns of JSON Lines
_SIGNS = ",;\t"
_SHOWN = 12  # columns that are named in a message
_SAYS_ITS_SIGN = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # what Excel writes above a table
_BEYOND = re.compile(r"[^0-9a-z]+")

Row = Mapping[str, Any]  # our names -> values


@dataclass(frozen=True, slots=True)
class Headings:
    """Which of their columns is which of ours, and those that are none."""

    ours: Mapping[str, str]  # ours -> theirs
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, theirs: Sequence[str], known: Mapping[str, Sequence[str]], said: Sequence[str]) -> Headings:
        """`known` has for each of our names what others call it; `said` are pairs `theirs=ours`.

        Names are compared without case, blanks and signs: `domainName` is `Domain name`.
        """
        plain = {squashed(name): name for name in reversed(theirs)}
        ours = dict(_mapped(pair, plain, known, theirs) for pair in said)
        taken = {squashed(name) for name in ours.values()}
        for name, aliases in known.items():
            found = next(
                (one for one in map(squashed, (name, *aliases)) if one in plain and one not in taken), None
            )
            if name not in ours and found is not None:
                ours[name] = plain[found]
                taken.add(found)
        return cls(ours, tuple(name for name in theirs if name and squashed(name) not in taken))


def squashed(name: str) -> str:
    return _BEYOND.sub("", name.lower())


def shown_columns(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"“{name[:40]}”" for name in names[:_SHOWN]) + more


def _mapped(
    pair: str, plain: Mapping[str, str], known: Mapping[str, Sequence[str]], theirs: Sequence[str]
) -> tuple[str, str]:
    """Either way round, as long as one side is a column of theirs and the other one of ours."""
    left, sign, right = (part.strip() for part in pair.partition("="))
    for there, ours in ((left, right), (right, left)):
        if sign and squashed(there) in plain and ours.lower() in known:
            return ours.lower(), plain[squashed(there)]
    raise UsageError(
        f"“{pair}” maps no column; write THEIRS=OURS, with one of theirs ({shown_columns(theirs)})"
        f" and one of ours ({', '.join(known)})"
    )


@dataclass
class Rows:
    """An open table: the names of its columns, and its rows once, as mappings of those names."""

    where: str
    columns: list[str]
    each: AsyncIterator[dict[str, Any]]
    bad: int = 0  # rows that could not be read at all

    async def under(self, headings: Headings) -> AsyncIterator[Row]:
        """The rows by our names; what is empty is left away."""
        wanted = list(headings.ours.items())
        async for row in self.each:
            yield {
                ours: value
                for ours, theirs in wanted
                if (value := row.get(theirs)) is not None and value != ""
            }


@asynccontextmanager
async def open_rows(where: str, table: str | None = None) -> AsyncIterator[Rows]:
    """A file, or a table of a database; a file's kind is known by what is in it."""
    if foreign.is_database(where):
        async with foreign.connect(where) as database:
            yield await _of_table(where, database, table or "")
        return
    source = open_source(where)
    try:
        yield rows_of_lines(where, source.lines(LONGEST))
    finally:
        source.close()


def open_source(where: str) -> SeedSource:
    if not Path(where).exists():
        raise BadInput(f"{where} does not exist; name a file, or a database such as postgresql://me@host/db")
    return seed_source.open_source(where)


async def _of_table(where: str, database: foreign.Foreign, name: str) -> Rows:
    columns = await database.columns(name)
    if not columns:
        raise BadInput(f"{foreign.shown(where)} has no table {name}; --table names another")
    table = await database.table(name)

    async def each() -> AsyncIterator[dict[str, Any]]:
        async for row in database.stream(select(*table.c)):
            yield dict(zip(columns, row, strict=True))

    return Rows(where, columns, each())


def rows_of_lines(where: str, lines: Iterator[bytes]) -> Rows:
    texts = map(decode, lines)
    first = next((text for text in texts if text.strip()), None)
    if first is None:
        raise BadInput(f"{where} is empty")
    if first.lstrip().startswith(("{", "[")):
        return _of_json(where, chain([first], texts))
    return _of_csv(where, chain([first], texts))


def _of_csv(where: str, texts: Iterator[str]) -> Rows:
    head = next(texts)
    said = _SAYS_ITS_SIGN.fullmatch(head)
    if said is not None:
        head = next(texts, "")
    sign = said[1] if said is not None else max(_SIGNS, key=head.count)
    reader = csv.reader(chain([head], texts), delimiter=sign)
    try:
        columns = [name.strip() for name in next(reader, [])]
    except csv.Error as error:
        raise BadInput(f"{where}: the quotes of its first line do not match ({error})") from None
    rows = Rows(where, columns, _nothing())

    async def each() -> AsyncIterator[dict[str, Any]]:
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                rows.bad += 1
                continue
            if cells:
                yield {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}

    rows.each = each()
    return rows


def _of_json(where: str, texts: Iterator[str]) -> Rows:
    """An object per line; brackets and commas of a list around them do no harm."""
    found = _objects(texts)
    sample = list(islice(found, _SAMPLE))
    columns = list(dict.fromkeys(name for row in sample if row for name in row))
    if not columns:
        raise BadInput(f"{where} has no JSON object on a line of its own; `jq -c '.[]'` writes a list so")
    rows = Rows(where, columns, _nothing())

    async def each() -> AsyncIterator[dict[str, Any]]:
        for row in chain(sample, found):
            if row is None:
                rows.bad += 1
            else:
                yield row

    rows.each = each()
    return rows


def _objects(texts: Iterable[str]) -> Iterator[dict[str, Any] | None]:
    """Objects line by line; None for a line that is none."""
    for text in texts:
        line = text.strip().rstrip(",")
        if line.startswith("[") and not line.endswith("]"):
            line = line[1:]
        if line.endswith("]") and not line.startswith("["):
            line = line[:-1]
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        for one in value if isinstance(value, list) else [value]:
            yield one if isinstance(one, dict) else None


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    return
    yield {}
