"""Domains that our pages link to and the register does not know, most linked first.

All links are read as a stream; what is kept meanwhile is two numbers and a name per foreign
domain. A domain that many domains link to comes before one that a single site links to often.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from surveyor.db import Database
from surveyor.discover.store import links as store
from surveyor.discover.store.links import LinksOfPage
from surveyor.errors import NotADomain
from surveyor.frontier.changes import unpack_links
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.actors import SYSTEM, Actor
from surveyor.registry.domain import SubmitterType
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, register
from surveyor.registry.store.register import NewDomain, Origin

PAGE_ROWS = 500  # pages read at once: some megabytes of links
BATCH = 500  # domains per transaction


@dataclass
class LinksReport:
    """What was read and what came of it; `known` were found in the register."""

    pages: int = 0
    linked: int = 0
    known: int = 0
    new: int = 0


class _Tally:
    """How much a domain is linked to."""

    __slots__ = ("domains", "pages", "source")

    def __init__(self, source: str) -> None:
        self.domains, self.pages, self.source = 0, 0, source


@dataclass(eq=False)
class Counting:
    """Counts linking domains and pages; rows come in the order of their domains."""

    _rules: NameRules
    tallies: dict[str, _Tally] = field(default_factory=dict)
    _domain_no: int | None = None
    _seen: set[str] = field(default_factory=set)

    def add(self, rows: Sequence[LinksOfPage]) -> None:
        for row in rows:
            if row.domain_no != self._domain_no:
                self._domain_no, self._seen = row.domain_no, set()
            for name in self._targets(row) - {row.domain}:
                tally = self.tallies.get(name)
                if tally is None:
                    tally = self.tallies[name] = _Tally(row.domain)
                tally.pages += 1
                if name not in self._seen:
                    self._seen.add(name)
                    tally.domains += 1

    def _targets(self, row: LinksOfPage) -> set[str]:
        _, foreign = unpack_links(row.links)
        hosts = {link.split("/", 3)[2] for link in foreign if link.startswith(("http://", "https://"))}
        return set(self._domains(hosts))

    def _domains(self, hosts: set[str]) -> Iterator[str]:
        for host in hosts:
            try:
                yield canonical_domain(host, self._rules)
            except NotADomain:
                continue

    def best_first(self, least_domains: int) -> Iterator[list[NewDomain]]:
        """Batches of equally much linked domains, so that the order of registration is that of links."""
        counted = [
            (-t.domains, -t.pages, name) for name, t in self.tallies.items() if t.domains >= least_domains
        ]
        for _, group in groupby(sorted(counted), key=lambda row: row[:2]):
            while batch := [self._new(name) for *_, name in islice(group, BATCH)]:
                yield batch

    def _new(self, name: str) -> NewDomain:
        tally = self.tallies[name]
        by = f"{tally.domains} domain{'s' if tally.domains > 1 else ''}"
        on = f"{tally.pages} page{'s' if tally.pages > 1 else ''}"
        return NewDomain(
            name, source=f"link:{tally.source}", context=f"linked to by {by} on {on}, such as {tally.source}"
        )


async def discover_links(
    db: Database,
    by: Actor,
    rules: NameRules,
    *,
    limit: int,
    least_domains: int = 1,
    progress: Callable[[LinksReport], None] = lambda _: None,
) -> LinksReport:
    """Register at most `limit` unknown domains that pages link to; they wait for a person."""
    report, counting = LinksReport(), Counting(rules)
    after = store.START
    while True:
        async with db.read() as tx:
            rows = await store.page(tx, after, PAGE_ROWS)
        if not rows:
            break
        await asyncio.to_thread(counting.add, rows)
        after = (rows[-1].domain_no, rows[-1].key)
        report.pages += len(rows)
        progress(report)
    report.linked = len(counting.tallies)
    for batch in counting.best_first(least_domains):
        await _register(db, batch, by, limit, report)
        progress(report)
        if report.new >= limit:
            break
    return report


async def _register(db: Database, batch: list[NewDomain], by: Actor, limit: int, report: LinksReport) -> None:
    origin = Origin("link", SubmitterType.SYSTEM, SYSTEM.name)
    async with db.write() as tx:
        unknown = await store.unknown(tx, [new.domain for new in batch])
        wanted = [new for new in batch if new.domain in unknown][: limit - report.new]
        added = await register.add_batch(tx, wanted, origin)
        if added:
            data = {"named": len(wanted), "new": added}
            await events.append(tx, [NewEvent(EventKind.LINKS_DISCOVERED, by.name, data=data)])
    report.new += added
    report.known += len(batch) - len(unknown)
