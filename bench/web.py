"""The admin with a million domains: how long each page takes, at the median and the 95th percentile."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import insert, text

from bench import web_findings
from bench.cpu import cpu_seconds
from bench.servers import postgres
from surveyor import workspaces
from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.crawl import service as crawl
from surveyor.db.tables import crawl_log, crawl_runs, pages
from surveyor.ids import new_id
from surveyor.people import Hasher, service
from surveyor.process import resources
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Stage, SubmitterType
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain, Origin
from tests.web.serving import Visitor, serve

_SLICE = 250_000  # domains of one update: a second or two
_BATCH = 10_000
_PASSWORD = "a long password"


def _pages_for(count: int, found: web_findings.Findings, run: UUID) -> tuple[str, ...]:
    looked = f"site{_looked(count) - 1}.example"
    return (
        "/",
        "/live",
        "/review",
        "/review?order=confident",
        "/review?all=1",
        "/review?after=site9000.example",
        "/review?order=confident&after=site9000.example",
        "/domains",
        "/domains?q=site99",
        f"/domains?after=site{count // 2}.example",
        *(f"/domains?stage={stage}" for stage in Stage),
        f"/domains/{looked}",
        f"/domains/{looked}/pages",
        f"/domains/{looked}/pages/1",
        f"/domains/{looked}/contacts",
        "/records",
        "/records?view=all",
        "/records?view=gone",
        "/records?view=changed",
        "/records?kind=opportunity",
        "/records?view=gone&kind=opportunity",
        "/records?view=changed&kind=opportunity",
        f"/records?after={found.middle}",
        f"/records?view=all&domain={looked}",
        f"/records?view=changed&domain={looked}",
        f"/records/{found.footer}",
        f"/records/{found.middle}",
        f"/snapshots/{found.newer}",
        f"/snapshots/{found.older}/{found.newer}",
        "/quarantine",
        f"/candidates/{found.candidate}",
        "/candidates",
        "/blacklist",
        "/quality",
        "/sessions",
        "/runs",
        "/runs/live",
        f"/runs/{run}",
        f"/runs/{run}?reason=not_found&q=x.example",
        "/jobs",
        "/domains?review=approved&sort=-crawled",
        "/domains?suffix=example&q=site12345",
        "/domains?q=nobody-is-called-so",
        "/domains?source=tranco",
        "/domains?source=searxng&stage=blacklisted",
        "/domains?language=de&stage=active",
        "/domains?language=mk&sort=-crawled",
        "/domains?reason=dns",
        "/domains?decided_by=cli:ada&q=99",
        "/domains?stage=suspended&sort=name",
        f"/domains/{looked}/merge?with=site1.example",
        "/find?q=site99",
        "/profile?title=Grants+for+villages&text=Apply+by+May",
        "/settings",
        "/account",
        "/events",
        "/events?kind=DomainsMerged",
        f"/events?domain={looked}&by=cli:ada",
        "/candidates?status=all&q=nobody-is-called-so&sort=-confidence",
        "/records?q=nobody+is+called+so",
        "/records?view=all&q=Programme+19&sort=name",
        "/users",
        "/submissions",
    )


def _looked(count: int) -> int:
    """The number of the domain that is looked at: an approved one."""
    return int(count * 0.6) + 1


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench web", description=__doc__)
    parser.add_argument("--domains", type=int, default=1_000_000)
    parser.add_argument("--records", type=int, default=200_000, help="And as many contacts and versions.")
    parser.add_argument("--times", type=int, default=40, help="Requests per page.")
    parser.add_argument("--only", default="", help="Only pages whose address has this in it.")
    parser.add_argument("--keep", type=Path, help="Build the register here and use it again.")
    parser.add_argument("--postgres", action="store_true", help="On PostgreSQL instead of SQLite.")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as made, _database(given.postgres, given.keep):
        folder = given.keep or Path(made) / "register"
        if not (folder / "surveyor.toml").exists():
            begun = time.monotonic()
            asyncio.run(_build(folder, given.domains, given.records))
            print(f"built {given.domains:,} domains in {time.monotonic() - begun:.0f} s")
        with serve(folder) as place:
            visitor = place.visitor()
            assert visitor.log_in("ada", _PASSWORD).status == 303
            _wait_for_figures(visitor)
            resources.look_past_modules()  # as `web.server.run` does
            found = place.run(lambda workspace: web_findings.names(workspace, _looked(given.domains)))
            run = place.run(lambda workspace: _run_of(workspace))
            paths = [path for path in _pages_for(given.domains, found, run) if given.only in path]
            measured = [_measure(visitor, path, given.times) for path in paths]
    print(f"slowest page at the 95th percentile: {max(one.high for one in measured):.0f} ms")
    print(f"dearest page: {max(one.cpu for one in measured):.0f} ms of CPU")
    return 0


async def _run_of(workspace: Workspace) -> UUID:
    return (await crawl.list_runs(workspace.db, 1))[0].id


@contextmanager
def _database(on_postgres: bool, keep: Path | None) -> Iterator[None]:
    """PostgreSQL for as long as it lasts, named in the environment; nothing for SQLite.

    A kept one lies beside the workspace.
    """
    if not on_postgres:
        yield
        return
    with postgres(keep and keep.with_name(f"{keep.name}-postgresql")) as server:
        try:
            os.environ["SURVEYOR_DATABASE__URL"] = server.url()
            yield
        finally:
            os.environ.pop("SURVEYOR_DATABASE__URL", None)


def _wait_for_figures(visitor: Visitor) -> None:
    begun = time.monotonic()
    while "is being counted" in visitor.get("/").text and time.monotonic() - begun < 120:
        time.sleep(0.2)
    print(f"first figures after {time.monotonic() - begun:.1f} s")


class Measured(NamedTuple):
    """Milliseconds."""

    high: float  # at the 95th percentile
    cpu: float  # of one request, in the mean; visitor, server and database


def _measure(visitor: Visitor, path: str, times: int) -> Measured:
    taken = []
    spent = cpu_seconds()
    for _ in range(times):
        begun = time.perf_counter()
        reply = visitor.get(path)
        taken.append((time.perf_counter() - begun) * 1000)
        assert reply.status == 200, (path, reply.status, reply.text[-300:])
    middle, high = quantiles(taken, n=100)[49], quantiles(taken, n=100)[94]
    cpu = (cpu_seconds() - spent) / times * 1000
    print(
        f"{path[:60]:<60} {middle:6.1f} ms  p95 {high:6.1f} ms  CPU {cpu:5.1f} ms"
        f"  {len(reply.body) / 1000:6.1f} kB",
        flush=True,
    )
    return Measured(high, cpu)


async def _build(folder: Path, count: int, found: int) -> None:
    await workspaces.make(folder, "funding")
    async with open_workspace(folder) as workspace:
        hasher = Hasher()
        await service.add_user(workspace.db, hasher, "ada", Role.ADMIN, _PASSWORD, Actor.operator())
        hasher.close()
        await _domains(workspace, count)
        await _states(workspace, count)
        await _log(workspace, _looked(count))
        await _pages(workspace, _looked(count))
        await web_findings.build(workspace, _looked(count), found)


async def _domains(workspace: Workspace, count: int) -> None:
    """A tenth named by people, half found and undecided, the rest approved seeds."""
    for first in range(0, count, _BATCH):
        share = first / count
        if share < 0.1:
            origin = Origin("submission", SubmitterType.PUBLIC_USER, "public", context="They give grants.")
        elif share < 0.6:
            origin = Origin("searxng", SubmitterType.SYSTEM, "system")
        else:
            origin = Origin("tranco", SubmitterType.ADMIN, "cli:ada", ReviewStatus.APPROVED)
        batch = [NewDomain(f"site{no}.example", no + 1) for no in range(first, min(count, first + _BATCH))]
        async with workspace.db.write() as tx:
            await register.add_batch(tx, batch, origin)


async def _states(workspace: Workspace, count: int) -> None:
    judged = "quality_status = 'processing' WHERE no % 3 = 0 AND submitter_type = 'system'"
    best = "no % 100" if workspace.db.is_sqlite else "(no % 100) / 100.0"
    statements = (
        f"UPDATE domains SET processing_count = 1, best_confidence = {best}, {judged}",
        "UPDATE domains SET quality_status = 'discovered' WHERE quality_status = 'processing'",
        "UPDATE domains SET high_quality_count = 1 WHERE no % 30 = 0 AND processing_count > 0",
        "UPDATE domains SET quality_status = 'blacklisted', blacklisted_by = 'ada',"
        " blacklist_reason = 'spam', blacklisted_at = first_seen_at WHERE no % 200 = 7",
        "UPDATE domains SET review_status = 'rejected', rejection_reason = 'a shop' WHERE no % 50 = 3"
        " AND review_status = 'pending_review'",
        "UPDATE domains SET review_status = 'suspended' WHERE no % 5000 = 1 AND review_status = 'approved'",
        "UPDATE domain_crawl SET language = CASE WHEN no % 10 < 6 THEN 'en' WHEN no % 10 < 9 THEN 'de'"
        " WHEN no % 500 = 9 THEN 'mk' ELSE 'bg' END WHERE no % 7 > 0",
        f"UPDATE domain_crawl SET crawl_status = 'active', pages_crawled = 40 WHERE no > {count * 0.7}",
        f"UPDATE domain_crawl SET crawl_status = 'exhausted' WHERE no > {count * 0.75}",
        f"UPDATE domain_crawl SET crawl_status = 'active' WHERE no > {count * 0.98}",
        "UPDATE domain_crawl SET crawl_status = 'blocked', block_reason_code = 'http_403'"
        f" WHERE no > {count * 0.99}",
        f"UPDATE domain_crawl SET crawl_status = 'active' WHERE no > {count * 0.9999}",
        "UPDATE domain_crawl SET crawl_status = 'unreachable', block_reason_code = 'dns'"
        f" WHERE no > {count * 0.9999}",
    )
    for statement in statements:
        await _in_slices(workspace, statement, count)
    async with workspace.db.write() as tx:
        await tx.execute(text("ANALYZE"))


async def _in_slices(workspace: Workspace, update: str, count: int) -> None:
    """An update of many domains, so many numbers at a time: over ten million one would meet the limit that
    the product sets to a statement."""
    for first in range(0, count, _SLICE):
        async with workspace.db.write() as tx:
            await tx.execute(text(f"{update} AND no > {first} AND no <= {first + _SLICE}"))


async def _log(workspace: Workspace, looked: int) -> None:
    moment, run = datetime.now(UTC), new_id()
    began = moment - timedelta(seconds=500_000 / 20)
    async with workspace.db.write() as tx:
        await tx.execute(
            insert(crawl_runs).values(id=run, started_at=began, started_by="cli:ada", pages=500_000)
        )
        for first in range(0, 500_000, _BATCH):
            rows = [
                {
                    "run_id": run,
                    "domain_no": looked + no % 1000,
                    "url": "https://x.example/",
                    "status": 200,
                    "reason": "not_found" if no % 20 == 0 else None,
                    "bytes": 9000,
                    "ms": 90,
                    "images_found": 1,
                    "fetched_at": moment - timedelta(seconds=(500_000 - no) / 20),
                    "lease_epoch": 1,
                }
                for no in range(first, first + _BATCH)
            ]
            await tx.execute(insert(crawl_log), rows)


async def _pages(workspace: Workspace, looked: int) -> None:
    """The domain that is looked at has many pages, most of them done, in several states."""
    async with workspace.db.write() as tx:
        for first in range(0, 50_000, _BATCH):
            rows = [
                {
                    "domain_no": looked,
                    "key": no + 1,
                    "target": f"/page/{no}",
                    "state": ("done", "done", "waiting", "ended")[no % 4],
                    "reason": ("not_found", "robots", "depth")[no % 3] if no % 4 == 3 else None,
                    "depth": no % 4,
                    "rank": 1,
                    "seq": no,
                }
                for no in range(first, first + _BATCH)
            ]
            await tx.execute(insert(pages), rows)
