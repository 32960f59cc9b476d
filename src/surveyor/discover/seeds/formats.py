"""One line of a seed list to a name and a rank, in each format; pure."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from surveyor.errors import BadInput


class SeedFormat(StrEnum):
    """How the lines are written."""

    AUTO = "auto"  # known by the first line
    PLAIN = "plain"  # one domain or URL per line, # begins a comment
    TRANCO = "tranco"  # rank,domain
    MAJESTIC = "majestic"  # a CSV with the columns GlobalRank and Domain
    TABLE = "table"  # a CSV or a workbook with a column of addresses somewhere
    LINKS = "links"  # any text or markup: every address in it, queued for review
    DECISIONS = "decisions"  # a CSV with the columns domain, decision, reason, notes: what people decided


@dataclass(frozen=True, slots=True)
class SeedLine:
    number: int
    text: str
    rank: int | None
    context: str | None = None  # what else the list says about it


@dataclass(frozen=True, slots=True)
class BadLine:
    number: int
    text: str
    reason: str


# The largest rank the register holds.
_MAX_RANK = 2**31 - 1


def read_lines(lines: Iterable[bytes], wanted: SeedFormat) -> Iterator[SeedLine | BadLine]:
    """Every line that says something, as a seed or as a bad line with its number and reason."""
    reader: _Reader | None = None
    for number, raw in enumerate(lines, 1):
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError:
            shown = raw[:80].decode("utf-8", "replace").strip()
            yield BadLine(number, shown, "it is not UTF-8")
            continue
        if not text or text.startswith("#"):
            continue
        if reader is None:
            reader = _reader_for(text, wanted)
            if reader.is_header(text):
                continue
        yield reader.read(number, text)


def _reader_for(first: str, wanted: SeedFormat) -> _Reader:
    if wanted is SeedFormat.AUTO:
        wanted = detect(first)
    if wanted is SeedFormat.DECISIONS:
        raise BadInput("decisions are no seeds; they are read from a file or from standard input")
    if wanted is SeedFormat.MAJESTIC:
        return _Majestic(first)
    return _Tranco() if wanted is SeedFormat.TRANCO else _Plain()


def detect(first: str) -> SeedFormat:
    cells = first.split(",")
    if len(cells) > 2 and {"globalrank", "domain"} <= {cell.strip().lower() for cell in cells}:
        return SeedFormat.MAJESTIC
    if len(cells) == 2 and (cells[0].strip().isdecimal() or _is_tranco_header(first)):
        return SeedFormat.TRANCO
    return SeedFormat.PLAIN


class _Reader(Protocol):
    def is_header(self, text: str) -> bool: ...

    def read(self, number: int, text: str) -> SeedLine | BadLine: ...


class _Plain:
    def is_header(self, text: str) -> bool:
        return False

    def read(self, number: int, text: str) -> SeedLine | BadLine:
        name = text.split(" #", 1)[0].rstrip()
        return SeedLine(number, name, None)


class _Tranco:
    def is_header(self, text: str) -> bool:
        return _is_tranco_header(text)

    def read(self, number: int, text: str) -> SeedLine | BadLine:
        rank, comma, name = text.partition(",")
        if not comma:
            return BadLine(number, text[:80], "it is not rank,domain")
        return _ranked(number, text, rank, name)


def _is_tranco_header(text: str) -> bool:
    return text.lower().replace('"', "").replace(" ", "") == "rank,domain"


class _Majestic:
    def __init__(self, header: str) -> None:
        names = [cell.strip().lower() for cell in _cells(header)]
        if "globalrank" not in names or "domain" not in names:
            raise BadInput("a majestic list begins with a header that names GlobalRank and Domain")
        self._rank, self._domain = names.index("globalrank"), names.index("domain")

    def is_header(self, text: str) -> bool:
        return True

    def read(self, number: int, text: str) -> SeedLine | BadLine:
        # Only a quoted cell needs the reader; the lists have none, and splitting is ten times quicker.
        cells = _cells(text) if '"' in text else text.split(",")
        if len(cells) <= max(self._rank, self._domain):
            return BadLine(number, text[:80], "it has too few columns")
        return _ranked(number, text, cells[self._rank], cells[self._domain])


def _cells(text: str) -> list[str]:
    """The cells of one line; none if its quotes or lengths are beyond reading."""
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []


def _ranked(number: int, text: str, rank: str, name: str) -> SeedLine | BadLine:
    rank = rank.strip().strip('"')
    if not (rank.isdecimal() and rank.isascii() and 0 < int(rank[:12]) <= _MAX_RANK):
        return BadLine(number, text[:80], f"{rank[:20] or 'nothing'} is not a rank")
    return SeedLine(number, name.strip().strip('"'), int(rank))


def read_scored(members: Iterable[tuple[bytes, float]]) -> Iterator[SeedLine | BadLine]:
    """Members of a sorted set; the score is the rank, where it is one."""
    for number, (member, score) in enumerate(members, 1):
        text = member.decode("utf-8", "replace").strip()
        whole = score == int(score) if abs(score) < _MAX_RANK else False
        yield SeedLine(number, text, int(score) if whole and score > 0 else None)
