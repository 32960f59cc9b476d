"""One import as it goes on: what was asked for, what earlier tables named, what became of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from surveyor.backfill.cells import Cells, Dates, Unread
from surveyor.backfill.destination import Destination
from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.actors import Actor

# Examples that are named of each kind; the rest is counted.
NAMED = 10
# Ids of others that are no UUIDs become one, the same each time.
_IDS = UUID("5b1c9a34-6f0e-4d6b-9c57-2f2a8f0c7e11")


class LeftOut(Exception):
    """A row that cannot be kept; `reason` is the same for all of its kind, `sample` names this one."""

    def __init__(self, reason: str, sample: str = "") -> None:
        super().__init__(reason)
        self.reason, self.sample = reason, sample[:80]


@dataclass
class TableReport:
    """What became of the rows of one table."""

    kind: str
    where: str
    rows: int = 0
    new: int = 0
    filled: int = 0  # known before, and nobody had decided or crawled anything
    kept: int = 0  # known before: left as they are
    left_out: dict[str, int] = field(default_factory=dict)  # reason -> rows
    samples: dict[str, str] = field(default_factory=dict)  # reason -> the first of them
    unread: Unread = field(default_factory=Unread)
    unknown_columns: tuple[str, ...] = ()
    decided_otherwise: list[str] = field(default_factory=list)  # here, and so they stay
    without_person: int = 0  # decisions that name nobody: they stand as the operator's

    def leave_out(self, left: LeftOut) -> None:
        self.left_out[left.reason] = self.left_out.get(left.reason, 0) + 1
        self.samples.setdefault(left.reason, left.sample)


@dataclass
class Run:
    """The whole import."""

    source: str
    apply: bool
    into: Destination
    dates: Dates = Dates.UNCLEAR
    for_review: bool = False
    people: dict[str, str] = field(default_factory=dict)  # their id -> name
    domains: dict[str, str] = field(default_factory=dict)  # their id -> canonical name
    sessions: set[UUID] = field(default_factory=set)  # in the register, or would be
    opened: set[str] = field(default_factory=set)  # domains that got an open candidate
    approved: set[str] = field(default_factory=set)  # domains, by this import
    rejected: set[str] = field(default_factory=set)
    blacklisted: set[str] = field(default_factory=set)
    pages: dict[str, tuple[str, datetime | None]] | None = None  # their id -> URL, date; if anything asks
    made: set[tuple[str, bytes]] = field(default_factory=set)  # records of domains that a dry run would make
    named: dict[str, int] = field(default_factory=dict)  # domain -> how much its row decided
    tables: list[TableReport] = field(default_factory=list)

    @property
    def by(self) -> Actor:
        return self.into.by

    @property
    def rules(self) -> NameRules:
        return self.into.rules

    @property
    def now(self) -> TableReport:
        """Of the table that is read."""
        return self.tables[-1]

    def cells(self, row: Mapping[str, Any]) -> Cells:
        return Cells(row, self.now.unread, self.dates)

    def person(self, cells: Cells, name: str) -> str | None:
        """By the name the table of people gives; without one, as it is written."""
        said = cells.text(name, 200)
        return None if said is None else self.people.get(said, said)

    def domain(self, cells: Cells) -> str:
        """The canonical name of the row's domain: by its name, by its id, or by an address."""
        said = cells.text("domain") or self.domains.get(cells.text("domain_id") or "") or cells.text("url")
        if said is None:
            if cells.text("domain_id") is not None:
                raise LeftOut("only an id says which domain is meant; give the table of domains along")
            raise LeftOut("no domain is named")
        try:
            return canonical_domain(said, self.rules)
        except NotADomain as error:
            raise LeftOut(error.reason, said) from None

    def id(self, kind: str, said: str | None, *otherwise: str | None) -> UUID:
        """Their id, if it is a UUID; else one made of it, or of what tells the row from others."""
        try:
            return UUID(said or "")
        except ValueError:
            parts = (said,) if said else otherwise
            return uuid5(_IDS, "\x1f".join((kind, self.source, *(part or "" for part in parts))))
