"""Holds a finished crawl against the truth: the site's graph, its request log, and the database.

What must be true is written in `_ABOUT_REQUESTS` and `_ABOUT_STORE`, one function per promise; each
yields a line for every time it was broken. The graph alone says what must be there, the log alone
says what was asked for; the database is the accused and never a witness.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import (
    crawl_log,
    domain_crawl,
    domains,
    image_urls,
    page_snapshots,
    pages,
    provenance,
)
from surveyor.names import parse_url
from tests.support.site import Entry, HostGraph, plain_host, read_log

_SHOWN = 10  # violations of one kind that are printed
_NS = 1_000_000_000

Place = tuple[str, str]
"""Host and canonical target."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What this crawl was told, and what excuses it has."""

    depth: int
    delay: float
    """Seconds from the end of an answer to the start of the next request on the same host."""
    approved: frozenset[str]
    tolerance: float = 0.010
    """Seconds; the crawler's clock and the kernel's stamps are two clocks."""
    repeats: Mapping[Place, int] = field(default_factory=dict)
    """How often each page may be asked for again: once for every kill that found it in flight."""
    refusing: frozenset[str] = frozenset()
    """Approved, and every page of them is refused: they end as blocked, and nothing of them is stored."""
    images: bool = False
    """Images were wanted."""
    finished: bool = True
    """The crawl came to its end: nothing waits, nobody holds a domain."""


class StoredPage(NamedTuple):
    host: str
    target: str
    state: str
    reason: str | None
    status: int | None
    content_hash: bytes | None


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database says."""

    pages: Sequence[StoredPage]
    commits: Mapping[Place, int]
    """Rows of crawl_log with a 200."""
    versions: Mapping[Place, int]
    """Rows of page_snapshots."""
    held: Mapping[str, str]
    """Host -> who holds it."""
    images: Mapping[Place, str] = field(default_factory=dict)
    """State of each URL of an image."""
    shown: frozenset[tuple[str, str, str]] = frozenset()
    """Host, target of a page, and of an image of the same host that was seen on it."""
    ends: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Host -> how its crawl ended, and how many pages were counted."""


class Violation(NamedTuple):
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class Report:
    violations: Sequence[Violation]
    figures: Mapping[str, int | float]

    @property
    def ok(self) -> bool:
        return not self.violations

    def kinds(self) -> Counter[str]:
        return Counter(violation.kind for violation in self.violations)

    def __str__(self) -> str:
        lines = [", ".join(f"{name} {value:,}" for name, value in self.figures.items())]
        for kind, count in self.kinds().most_common():
            lines.append(f"{kind}: {count}")
            told = [violation.what for violation in self.violations if violation.kind == kind]
            lines += [f"  {what}" for what in told[:_SHOWN]]
            lines += [f"  … and {count - _SHOWN} more"] if count > _SHOWN else []
        return "\n".join([*lines, "no violation" if self.ok else f"{len(self.violations)} violations"])


class _Case:
    """The evidence, sorted once for all who look at it."""

    def __init__(self, truth: Mapping[str, HostGraph], log: Sequence[Entry], rules: Rules) -> None:
        self.truth, self.rules = truth, rules
        self.by_host: dict[str, list[Entry]] = defaultdict(list)
        for entry in sorted(log):
            self.by_host[plain_host(entry.host)].append(entry)
        self.asked: Counter[Place] = Counter()
        self.answered: set[Place] = set()
        for host, entries in self.by_host.items():
            for entry in entries:
                if (place := self.place(host, entry.target)) is not None:
                    self.asked[place] += 1
                    if entry.status == 200:
                        self.answered.add(place)

    def place(self, host: str, target: str) -> Place | None:
        """Where a request went, if the graph knows it."""
        graph = self.truth.get(host)
        known = graph.known(target) if graph else None
        return None if known is None else (host, known)

    def must_have(self) -> Iterator[Place]:
        for host in sorted(self.rules.approved & self.truth.keys()):
            for target in sorted(self.truth[host].reachable(self.rules.depth)):
                yield host, target


def check(
    truth: Mapping[str, HostGraph], log: Sequence[Entry], stored: Stored | None, rules: Rules
) -> Report:
    """All promises that can be checked; without `stored` those about requests only."""
    case = _Case(truth, log, rules)
    found = [Violation(kind, what) for kind, look in _ABOUT_REQUESTS.items() for what in look(case)]
    figures: dict[str, int | float] = {
        "requests": len(log),
        "aborted": sum(entry.aborted for entry in log),
        "pages": sum(1 for _ in case.must_have()),
        "repeats": sum(count - 1 for count in case.asked.values()),
        "repeats excused": sum(rules.repeats.values()),
    }
    if stored is not None:
        found += [Violation(kind, what) for kind, look in _ABOUT_STORE.items() for what in look(case, stored)]
        figures["stored"] = sum(page.state == "done" for page in stored.pages)
        if rules.images:
            figures["images"] = sum(state == "done" for state in stored.images.values())
        if rules.refusing:
            figures["refusing"] = len(rules.refusing)
    return Report(found, figures)


async def check_workspace(truth: Mapping[str, HostGraph], log: Path, db: Database, rules: Rules) -> Report:
    """`check`, with log and database read first."""
    return check(truth, read_log(log), await read_stored(db), rules)


# ------------------------------------------------------------------------------------- requests


def _known_end(entry: Entry) -> int:
    """The latest moment at which the request was open for sure.

    Of an answer that is before its last bytes left. Of a client that went away the site hears when it
    comes to it, which on a busy machine is any time later: there only the beginning is known.
    """
    return entry.start if entry.aborted else entry.end


def _concurrent(case: _Case) -> Iterator[str]:
    """One request at a time."""
    for host, entries in case.by_host.items():
        open_one: Entry | None = None
        for entry in entries:
            if open_one and entry.start < _known_end(open_one):
                over = (open_one.end - entry.start) / 1e6
                yield f"{host}{entry.target} began {over:.1f} ms before {open_one.target} was over"
            if open_one is None or _known_end(entry) > _known_end(open_one):
                open_one = entry


def _early(case: _Case) -> Iterator[str]:
    """Between two moments that no scheduler can bring nearer: our last bytes leave, its next ones arrive."""
    least = (case.rules.delay - case.rules.tolerance) * _NS
    for host, entries in case.by_host.items():
        for before, after in pairwise(entries):
            gap = after.start - _known_end(before)
            if 0 <= gap < least:  # less than nothing is another breach
                ways = f"connections {before.connection}, {after.connection}"
                yield f"{host}{after.target} came {gap / 1e6:.1f} ms after {before.target} ({ways})"


def _within_retry_after(case: _Case) -> Iterator[str]:
    for host, entries in case.by_host.items():
        shut, asked_by = 0, ""
        for entry in entries:
            if entry.start < shut:
                early = (shut - entry.start) / _NS
                yield f"{host}{entry.target} came {early:.2f} s too soon after {asked_by}"
            if entry.hold:
                shut = max(shut, entry.end + entry.hold * _NS)
                asked_by = f"Retry-After: {entry.hold} at {entry.target}"


def _unapproved(case: _Case) -> Iterator[str]:
    for host, entries in case.by_host.items():
        if host not in case.rules.approved:
            yield from (f"{host}{entry.target} was asked for" for entry in entries)


def _before_robots(case: _Case) -> Iterator[str]:
    for host, entries in case.by_host.items():
        if entries[0].target != "/robots.txt":
            yield f"{host}{entries[0].target} was asked for before robots.txt"


def _against_robots(case: _Case) -> Iterator[str]:
    for (host, target), count in case.asked.items():
        if target in case.truth[host].forbidden:
            yield f"{host}{target} was asked for {count} times; robots.txt forbids it"


def _too_deep(case: _Case) -> Iterator[str]:
    for host, target in case.asked:
        page = case.truth[host].pages.get(target)
        if page is not None and page.level > case.rules.depth:
            yield f"{host}{target} is {page.level} links deep, the limit is {case.rules.depth}"


def _repeated(case: _Case) -> Iterator[str]:
    for (host, target), count in case.asked.items():
        excused = case.rules.repeats.get((host, target), 0)
        if count - 1 > excused:
            yield f"{host}{target} was asked for {count} times; in flight at {excused} kills"


_ABOUT_REQUESTS: Mapping[str, Callable[[_Case], Iterator[str]]] = {
    "concurrent on one host": _concurrent,
    "too early": _early,
    "within Retry-After": _within_retry_after,
    "not approved": _unapproved,
    "before robots.txt": _before_robots,
    "against robots.txt": _against_robots,
    "too deep": _too_deep,
    "asked again": _repeated,
}

# ---------------------------------------------------------------------------------------- store


def _lost(case: _Case, stored: Stored) -> Iterator[str]:
    rows = {(page.host, page.target): page for page in stored.pages}
    for host, target in case.must_have():
        row = rows.get((host, target))
        if row is None:
            yield f"{host}{target} is not known"
        elif row.state != "done":
            kills = case.rules.repeats.get((host, target), 0)
            yield f"{host}{target} is {row.state} ({row.reason or 'no reason'}); in flight at {kills} kills"


def _quarantined(case: _Case, stored: Stored) -> Iterator[str]:
    """A page says so itself; a sitemap or a redirect would only take along what it leads to."""
    must_have = set(case.must_have())
    for page in stored.pages:
        place = (page.host, page.target)
        if page.reason in ("poison", "quarantined") and place not in must_have:
            kills = case.rules.repeats.get(place, 0)
            yield f"{page.host}{page.target} ended as {page.reason}; in flight at {kills} kills"


def _stored_twice(case: _Case, stored: Stored) -> Iterator[str]:
    rows = Counter((page.host, page.target) for page in stored.pages)
    for told, counts in (
        ("rows in pages", rows),
        ("commits", stored.commits),
        ("versions", stored.versions),
    ):
        yield from (
            f"{host}{target} has {count} {told}" for (host, target), count in counts.items() if count > 1
        )


def _made_up(case: _Case, stored: Stored) -> Iterator[str]:
    """Stored as a page, and the site never gave it, or gave it under another name."""
    for page in stored.pages:
        if page.state != "done" or page.host not in case.truth:
            continue
        if page.target not in case.truth[page.host].pages:
            yield f"{page.host}{page.target} is stored and not the address of a page"
        elif (page.host, page.target) not in case.answered:
            yield f"{page.host}{page.target} is stored and was never answered"


def _not_logged(case: _Case, stored: Stored) -> Iterator[str]:
    for page in stored.pages:
        if page.state == "done" and not stored.commits.get((page.host, page.target)):
            yield f"{page.host}{page.target} is done and not in crawl_log"


def _mixed_up(case: _Case, stored: Stored) -> Iterator[str]:
    """All pages differ; two with one content mean that one was stored in the other's place."""
    first: dict[bytes, str] = {}
    for page in stored.pages:
        if page.state == "done" and page.content_hash is not None and page.host in case.truth:
            place = f"{page.host}{page.target}"
            if page.content_hash in first:
                yield f"{place} has the content of {first[page.content_hash]}"
            first.setdefault(page.content_hash, place)


def _images_lost(case: _Case, stored: Stored) -> Iterator[str]:
    """Every image that a page of the truth shows is stored, and known to stand there."""
    for host, target in case.must_have() if case.rules.images else ():
        graph = case.truth[host]
        for image in graph.shown_on(graph.pages[target]):
            if (state := stored.images.get((host, image), "not known")) != "done":
                yield f"{host}{image} is {state}"
            elif (host, target, image) not in stored.shown:
                yield f"{host}{image} is not known to stand on {target}"


def _refused(case: _Case, stored: Stored) -> Iterator[str]:
    for host in sorted(case.rules.refusing):
        if (found := stored.ends.get(host)) != ("blocked", 0):
            yield f"{host} refuses everything and is {found}"
        yield from (
            f"{host}{p.target} is stored" for p in stored.pages if (p.host, p.state) == (host, "done")
        )


def _unfinished(case: _Case, stored: Stored) -> Iterator[str]:
    if not case.rules.finished:
        return
    for page in stored.pages:
        if page.state in ("waiting", "taken") and page.host not in case.rules.refusing:
            yield f"{page.host}{page.target} is still {page.state}"
    yield from (f"{host} is still held by {holder}" for host, holder in stored.held.items())


_ABOUT_STORE: Mapping[str, Callable[[_Case, Stored], Iterator[str]]] = {
    "lost": _lost,
    "quarantined": _quarantined,
    "stored twice": _stored_twice,
    "made up": _made_up,
    "not logged": _not_logged,
    "mixed up": _mixed_up,
    "images lost": _images_lost,
    "refused and not blocked": _refused,
    "unfinished": _unfinished,
}

# ------------------------------------------------------------------------------------- database


async def read_stored(db: Database) -> Stored:
    async with db.read() as tx:
        names = {row.no: row.domain for row in await tx.execute(select(domains.c.no, domains.c.domain))}
        rows = await _pages(tx)
        targets = {(no, key): page.target for no, key, page in rows}
        return Stored(
            [page._replace(host=names[no]) for no, _, page in rows],
            await _commits(tx, names),
            await _versions(tx, names, targets),
            await _held(tx, names),
            await _images(tx, names),
            await _shown(tx, names, targets),
            await _ends(tx, names),
        )


async def read_committed(db: Database) -> set[Place]:
    """What is over for good: fetched and committed, whatever came of it."""
    query = (
        select(domains.c.domain, pages.c.target)
        .join_from(pages, domains, pages.c.domain_no == domains.c.no)
        .where(pages.c.state.in_(("done", "ended")))
    )
    images = (
        select(domains.c.domain, image_urls.c.target)
        .join_from(image_urls, domains, image_urls.c.domain_no == domains.c.no)
        .where(image_urls.c.state.in_(("done", "ended")))
    )
    async with db.read() as tx:
        return {(host, target) for each in (query, images) for host, target in await tx.execute(each)}


async def _pages(tx: AsyncConnection) -> list[tuple[int, int, StoredPage]]:
    p = pages.c
    found = await tx.execute(
        select(p.domain_no, p.key, p.target, p.state, p.reason, p.status, p.content_hash)
    )
    return [(no, key, StoredPage("", *rest)) for no, key, *rest in found]


async def _commits(tx: AsyncConnection, names: Mapping[int, str]) -> Counter[Place]:
    found = await tx.execute(select(crawl_log.c.domain_no, crawl_log.c.url).where(crawl_log.c.status == 200))
    return Counter((names[no], parse_url(url).target) for no, url in found)


async def _versions(
    tx: AsyncConnection, names: Mapping[int, str], targets: Mapping[tuple[int, int], str]
) -> Counter[Place]:
    found = await tx.execute(select(page_snapshots.c.domain_no, page_snapshots.c.key))
    return Counter((names[no], targets.get((no, key), f"key {key}")) for no, key in found)


async def _held(tx: AsyncConnection, names: Mapping[int, str]) -> dict[str, str]:
    c = domain_crawl.c
    found = await tx.execute(select(c.no, c.claimed_by).where(c.claimed_by.is_not(None)))
    return {names[no]: holder for no, holder in found}


async def _images(tx: AsyncConnection, names: Mapping[int, str]) -> dict[Place, str]:
    found = await tx.execute(select(image_urls.c.domain_no, image_urls.c.target, image_urls.c.state))
    return {(names[no], target): state for no, target, state in found}


async def _shown(
    tx: AsyncConnection, names: Mapping[int, str], targets: Mapping[tuple[int, int], str]
) -> frozenset[tuple[str, str, str]]:
    found = await tx.execute(select(provenance.c.domain_no, provenance.c.page_key, provenance.c.url))
    return frozenset(
        (names[no], targets.get((no, key), f"key {key}"), parse_url(url).target) for no, key, url in found
    )


async def _ends(tx: AsyncConnection, names: Mapping[int, str]) -> dict[str, tuple[str, int]]:
    c = domain_crawl.c
    found = await tx.execute(select(c.no, c.crawl_status, c.pages_crawled))
    return {names[no]: (status, pages) for no, status, pages in found}
