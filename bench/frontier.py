"""Bytes per waiting URL, a crawl's memory, and the time to its first fetch, few and many URLs waiting.

For each place a frontier can be kept in: SQLite, PostgreSQL, Valkey (with SQLite as its database). Two
hosts of one small site are given waiting URLs, 5,000 and as many as asked for; then `surveyor crawl` is
started on each, as after a restart. Its pages are real ones with links, which go before what waits.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text, update

from lab.claims import commit
from surveyor.db import Database, schema
from surveyor.db.tables import domain_crawl
from surveyor.frontier import reconcile
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, DomainChanges, NewUrl, Taken
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.reconcile import Checkpoint
from surveyor.frontier.redis.connect import new_client
from surveyor.frontier.redis.frontier import RedisFrontier
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.settings import DatabaseSettings
from tests.support.cli_help import environment
from tests.support.registry_help import add_domain
from tests.support.servers import Postgres, Valkey
from tests.support.site import SiteGraph, SiteProcess, SiteSpec, plain_host

PLACES = ("sqlite", "postgresql", "valkey")
URL_BYTES = 60
FEW, MANY = 5_000, 5_000_000
GROUP = 2_500  # links of fifty pages
ROUNDS = 3  # restarts, in turns; the quickest counts, since a busy machine only makes them slower
PAGES = 100  # fetched by each crawl
# The figures to reach.
MOST_BYTES = {"sqlite": 250, "postgresql": 250, "valkey": 160}
MOST_SECONDS, MOST_MEMORY = 3.0, 1.2
# No delay worth the name, as if the last worker had left in order; the figure is the frontier's.
QUICK = {"SURVEYOR_CRAWL__DELAY_SECONDS": "0.001", "SURVEYOR_NET__PER_ADDRESS": "100"}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench frontier", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--urls", type=int, default=MANY, help=f"URLs that wait; default: {MANY:,}")
    parser.add_argument("--place", choices=(*PLACES, "all"), default="all")
    parser.add_argument("--seed", type=int, default=1, help="of the site that is crawled")
    args = parser.parse_args(argv)
    print(f"frontier: {args.urls:,} URLs of {URL_BYTES} bytes waiting, seed {args.seed}, {commit()}")
    places = PLACES if args.place == "all" else (args.place,)
    return max([asyncio.run(_bench(place, args.urls, args.seed)) for place in places])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frontier is kept."""

    name: str
    folder: Path
    db_url: str
    redis_url: str | None

    def frontier(self) -> Frontier:
        return SqlFrontier() if self.redis_url is None else RedisFrontier(new_client(self.redis_url))

    @property
    def settings(self) -> dict[str, str]:
        found = {"SURVEYOR_DATABASE__URL": self.db_url}
        return found | ({"SURVEYOR_FRONTIER__URL": self.redis_url} if self.redis_url else {})


@dataclass(frozen=True, slots=True)
class Ran:
    """One crawl after a restart."""

    first: float  # seconds from the start of the process to the arrival of its first request for a page
    memory: int  # bytes, at most
    pages: int


async def _bench(name: str, many: int, seed: int) -> int:
    spec = SiteSpec(SiteGraph(seed=seed, hosts=2, pages_per_host=ROUNDS * PAGES + 50))
    async with _place(name) as place:
        with SiteProcess(spec, place.folder / "requests.log") as site:
            few_host, many_host = spec.graph.names
            db = Database.open(DatabaseSettings(url=place.db_url, statement_seconds=600), Path())
            try:
                await schema.upgrade(db)
                await _fill(db, place, few_host, FEW)
                before = await _size(place, db)
                await _fill(db, place, many_host, many)
                per_url = (await _size(place, db) - before) / many
            finally:
                await db.close()
            _init(place, site)
            ran = [_crawl(place, site, host) for _ in range(ROUNDS) for host in (few_host, many_host)]
    small, large = _best(ran[::2]), _best(ran[1::2])
    return _report(name, many, per_url, small, large)


def _best(ran: Sequence[Ran]) -> Ran:
    return Ran(min(one.first for one in ran), max(one.memory for one in ran), sum(one.pages for one in ran))


def _report(name: str, many: int, per_url: float, small: Ran, large: Ran) -> int:
    ratio = large.memory / small.memory
    lines = [
        (per_url <= MOST_BYTES[name], f"{per_url:.0f} bytes per waiting URL (at most {MOST_BYTES[name]})"),
        (
            large.first <= MOST_SECONDS,
            f"{large.first:.2f} s from the start of a process to its first fetch"
            f" (at most {MOST_SECONDS:.0f}), {small.first:.2f} s with {FEW:,}",
        ),
        (
            ratio <= MOST_MEMORY,
            f"{ratio:.2f} times the memory (at most {MOST_MEMORY}): {large.memory / 1e6:.0f} MB"
            f" after {large.pages} pages, {small.memory / 1e6:.0f} MB with {FEW:,}",
        ),
    ]
    for is_met, line in lines:
        print(f"{name:>10}  {'' if is_met else 'MISSED: '}{line}", flush=True)
    return int(not all(is_met for is_met, _ in lines))


# --- places


@asynccontextmanager
async def _place(name: str) -> AsyncIterator[Place]:
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as found:
        folder, sqlite = Path(found), f"sqlite:///{found}/bench.db"
        if name == "sqlite":
            yield Place(name, folder, sqlite, None)
            return
        server = Postgres.create() if name == "postgresql" else Valkey.create("--appendonly", "no")
        try:
            if isinstance(server, Postgres):
                yield Place(name, folder, server.url(), None)
            else:
                yield Place(name, folder, sqlite, server.url)
        finally:
            server.remove()


async def _size(place: Place, db: Database) -> int:
    """Bytes of what holds waiting URLs."""
    if place.redis_url is not None:
        client = new_client(place.redis_url)
        used: int = (await client.info("memory"))["used_memory"]
        await client.aclose()
        return used
    if db.is_sqlite:
        query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    else:
        query = "SELECT pg_total_relation_size('pages')"
    async with db.read() as tx:
        return int((await tx.execute(text(query))).scalar_one())


# --- what waits


async def _fill(db: Database, place: Place, host: str, count: int) -> None:
    """The start page, and behind all that links from it may bring, so many URLs."""
    started = time.perf_counter()
    no = (await add_domain(db, host)).no
    frontier = place.frontier()
    epoch = await open_domain(db, frontier, no)
    home = NewUrl(url_key("/"), "/", 0, RANK_FIRST, None)
    await commit_group(db, frontier, DomainChanges(no, epoch, [home]))
    for start in range(0, count, GROUP):
        urls = list(_urls(f"https://{host}", start, min(start + GROUP, count)))
        await commit_group(db, frontier, DomainChanges(no, epoch, urls))
    taken = time.perf_counter() - started
    print(f"{place.name:>10}: {count:,} URLs added in {taken:.1f} s", file=sys.stderr)


def _urls(origin: str, first: int, last: int) -> Iterator[NewUrl]:
    for number in range(first, last):
        target = f"/{number:x}/".ljust(URL_BYTES - len(origin), "a")
        yield NewUrl(url_key(target), target, 2, RANK_LATER, url_key("/"))


async def open_domain(db: Database, frontier: Frontier, no: int) -> int:
    """As a claim would do it."""
    epochs = domain_crawl.c.lease_epoch
    async with db.write() as tx:
        raised = update(domain_crawl).where(domain_crawl.c.no == no).values(lease_epoch=epochs + 1)
        epoch = int((await tx.execute(raised.returning(epochs))).scalar_one())
    await frontier.prepare(db, no, epoch)
    async with db.write() as tx:
        await frontier.open(tx, {no: epoch})
    return epoch


async def commit_group(db: Database, frontier: Frontier, change: DomainChanges) -> Sequence[Taken]:
    async with db.write() as tx:
        applied = await frontier.apply(tx, [change])
        await reconcile.set_checkpoint(tx, change.no, Checkpoint.read(applied[change.no].checkpoint))
    return (await frontier.settle(db, [change], applied))[change.no]


# --- a worker that starts again


def _init(place: Place, site: SiteProcess) -> None:
    made = _start(place, site, "init", str(place.folder / "ws"))
    if made.wait():
        raise SystemExit(f"no workspace could be made in {place.folder}")


def _crawl(place: Place, site: SiteProcess, host: str) -> Ran:
    """Crawl some pages of a host in a process of its own."""
    started = time.monotonic_ns()
    crawl = _start(
        place, site, "--workspace", str(place.folder / "ws"), "crawl", host, "--max-pages", str(PAGES)
    )
    _, status, used = os.wait4(crawl.pid, 0)
    crawl.returncode = os.waitstatus_to_exitcode(status)
    if crawl.returncode:
        raise SystemExit(f"the crawl of {host} ended with {crawl.returncode}; see above")
    asked = [entry for entry in site.log() if entry.start > started and plain_host(entry.host) == host]
    pages = [entry.start for entry in asked if entry.target != "/robots.txt"]
    return Ran((min(pages) - started) / 1e9, used.ru_maxrss * 1024, len(pages))


def _start(place: Place, site: SiteProcess, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "surveyor", *arguments],
        env=environment(**QUICK, **site.environment, **place.settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if arguments[0] == "init" else None,
    )
