"""Kills random workers of a crawl, again and again, and proves that nothing was lost, doubled or rude.

A kill falls due when the site has seen so many requests, by a seeded schedule, so a slow machine sees
the same number of them. What the victim had asked for and the database does not have when it is dead
was in flight; only that may be asked for again, once for each kill that found it so.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import psutil  # type: ignore[import-untyped]
from sqlalchemy import update

from lab.nodes import dying_nodes, without_deaths
from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl
from surveyor.settings import DatabaseSettings
from tests.support import servers
from tests.support.crawl_check import (
    Place,
    Report,
    Rules,
    Stored,
    Violation,
    check,
    read_committed,
    read_stored,
)
from tests.support.site import (
    Entry,
    Manner,
    OpenConnection,
    SiteGraph,
    SiteProcess,
    SiteSpec,
    plain_host,
    read_log,
)

DELAY = 0.05  # seconds between requests to one host
# Seconds: a machine's busy moment is no worker's death. On SQLite a lock file tells at once who is dead; on
# PostgreSQL the lab lets the leases of those it killed run out, as they would if it waited so long.
LEASE = 60.0
# Seconds. Every other host takes so long for an answer, so that kills find a request open; the rest answer
# at once, or the crawler would keep longer distances than the delay and the check of it be a weak one.
SLOW = 0.1
DEPTH = 4
_HUNT_SECONDS = 3.0  # to wait for a moment in which the victim has a request open
_KILLS_END = 0.85  # of the requests expected: by then the last kill is due
_STALL_SECONDS = 60.0  # without a single request: the crawl hangs
_GOODBYE_SECONDS = 40.0  # for workers to find out that nothing is left
_REST_SECONDS = 1.0  # after a worker ended by itself; starting one costs as much
_LOOK_SECONDS = 0.02
_HUNT_STEP_SECONDS = 0.002
_YOUNG_SECONDS = SLOW / 3
_MOST_CAUGHT = 3  # once among others, which makes a page suspect, and two of the three times alone
_DEATH_SECONDS = 10.0
_ROOT = Path(__file__).parent.parent
# Hosts beside the others that refuse every page, by status.
REFUSING = {"forbids.site.example": 403, "limits.site.example": 429, "breaks.site.example": 503}
_REFUSE = f"{len(REFUSING)} that refuse"
_IMAGES = 1  # per page, where there are any


@dataclass(frozen=True, slots=True)
class Options:
    kills: int = 200
    pages: int = 10_000
    hosts: int = 20
    workers: int = 3
    engine: Literal["sqlite", "postgresql"] = "sqlite"
    frontier: Literal["sql", "valkey", "cluster"] = "sql"
    seed: int = 1
    lists: bool = False
    """Hosts have indexes of sitemaps, feeds and images; others refuse everything."""
    children: bool = False
    """One `crawl --workers N` instead of N commands."""


class Kill(NamedTuple):
    open: int
    """Requests of the victim that the site had not answered."""
    in_flight: frozenset[Place]
    """Asked for by the victim and not committed."""


class _Worker(NamedTuple):
    process: subprocess.Popen[bytes]
    output: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    options: Options
    kills: Sequence[Kill]
    report: Report
    seconds: float
    starts: int

    @property
    def ok(self) -> bool:
        return self.report.ok

    @property
    def in_flight(self) -> int:
        """Kills that found pages asked for and not committed."""
        return sum(bool(kill.in_flight) for kill in self.kills)

    @property
    def mid_request(self) -> int:
        """Kills that cut off a request."""
        return sum(bool(kill.open) for kill in self.kills)

    def __str__(self) -> str:
        options = self.options
        most = max((len(kill.in_flight) for kill in self.kills), default=0)
        return "\n".join(
            (
                f"kills: seed {options.seed}, commit {_commit()}, {options.engine} + {options.frontier},"
                f" {options.workers} workers, {options.hosts} hosts"
                f"{' with sitemap indexes, feeds and images, and ' + _REFUSE if options.lists else ''}",
                f"{len(self.kills)} kills: {self.in_flight} with pages in flight (at most {most}),"
                f" {self.mid_request} with a request open; {self.starts} starts; {self.seconds:.0f} s",
                str(self.report),
            )
        )


def run_kills(options: Options, folder: Path) -> Outcome:
    """The whole of it in an empty folder; servers that it needs are started and ended."""
    per_host = options.pages // options.hosts
    images = _IMAGES if options.lists else 0
    graph = SiteGraph(options.seed, options.hosts, per_host, depth=DEPTH, images=images, lists=options.lists)
    refusing = REFUSING if options.lists else {}
    manners = {name: Manner(wait=SLOW) for name in graph.names[::2]}
    manners |= {name: Manner(status=status) for name, status in refusing.items()}
    spec = SiteSpec(graph, special={name: {"kind": "plain"} for name in refusing}, manners=manners)
    began = time.monotonic()
    with (
        SiteProcess(spec, folder / "requests.log") as site,
        _backends(options) as backends,
    ):
        lab = _Lab(options, site, folder / "workspace", backends)
        try:
            lab.prepare()
            lab.run()
        finally:
            lab.end()
        report = asyncio.run(lab.judge())
    return Outcome(options, lab.kills, report, time.monotonic() - began, lab.starts)


@contextlib.contextmanager
def _backends(options: Options) -> Iterator[dict[str, str]]:
    """Where the crawl keeps things, as environment."""
    with contextlib.ExitStack() as stack:
        environment: dict[str, str] = {}
        if options.engine == "postgresql":
            postgres = servers.Postgres.create()
            stack.callback(postgres.remove)
            environment["SURVEYOR_DATABASE__URL"] = postgres.url()
        if options.frontier == "valkey":
            valkey = servers.Valkey.create()
            stack.callback(valkey.remove)
            environment["SURVEYOR_FRONTIER__URL"] = valkey.url
        elif options.frontier == "cluster":
            environment["SURVEYOR_FRONTIER__URL"] = stack.enter_context(dying_nodes()).url
        yield environment


@dataclass
class _Lab:
    options: Options
    site: SiteProcess
    workspace: Path
    backends: dict[str, str]
    kills: list[Kill] = field(default_factory=list)
    starts: int = 0
    complaints: list[str] = field(default_factory=list)
    """Of workers that ended badly without being killed."""

    def __post_init__(self) -> None:
        self._random = Random(f"kills {self.options.seed}")
        self._graph = self.site.spec.graph
        self._refusing = frozenset(self.site.spec.special)
        self._running: dict[int, _Worker] = {}
        self._rest_until = 0.0
        self._killed: set[int] = set()
        self._buried: set[int] = set()  # connections of the dead
        self._caught: Counter[Place] = Counter()  # kills that found a page in flight
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")},
            **self.site.environment,
            **self.backends,
            "SURVEYOR_CRAWL__DELAY_SECONDS": str(DELAY),
            "SURVEYOR_CRAWL__LEASE_SECONDS": str(LEASE),
            "SURVEYOR_CRAWL__RENEW_SECONDS": str(LEASE / 4),
            "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.2",
            "SURVEYOR_CRAWL__DEPTH": str(DEPTH),
            # A fair share each, or the first to come holds them all.
            "SURVEYOR_CRAWL__DOMAINS_PER_WORKER": str(-(-self.options.hosts // self.options.workers)),
            "SURVEYOR_EXTRACT__ENABLED": "false",
            "SURVEYOR_CRAWL__IMAGES": "true" if self.options.lists else "false",
        }

    # ---------------------------------------------------------------------------------- before

    def prepare(self) -> None:
        seeds = self.workspace.parent / "seeds.txt"
        seeds.write_text("\n".join((*self._graph.names, *self._refusing)) + "\n")
        self._command("init", "--profile", "community")
        self._command("ingest-seeds", str(seeds))

    def _command(self, *arguments: str) -> None:
        done = subprocess.run(self._line(*arguments), env=self._environment, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")

    def _line(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "surveyor", "--workspace", str(self.workspace), *arguments]

    # ---------------------------------------------------------------------------------- during

    def run(self) -> None:
        """Kill on schedule, start again what ended, until all is stored and the schedule is done."""
        total = self._graph.total(DEPTH) + self._images()
        due = self._schedule(total)
        seen, moved = -1, time.monotonic()
        while True:
            self._keep_running(self.options.workers if due else 1)
            requests = self.site.now().requests
            if requests != seen:
                seen, moved = requests, time.monotonic()
            elif time.monotonic() - moved > _STALL_SECONDS:
                self.complaints.append(f"no request for {_STALL_SECONDS:.0f} s")
                break
            if due and requests >= due[0] and self._kill():
                due.pop(0)
            elif requests >= total and asyncio.run(self._committed_pages()) == total and self._are_blocked():
                break
            time.sleep(_LOOK_SECONDS)
        if due:
            self.complaints.append(f"the crawl was over before the last {len(due)} kills")
        self._farewell()

    def _images(self) -> int:
        return sum(len(host.image_targets) for host in self._graph.by_name.values())

    def _are_blocked(self) -> bool:
        """Whether all that refuse were found out; until then a worker is needed."""
        if not self._refusing:
            return True
        ends = asyncio.run(self._stored()).ends
        return all(ends[name][0] == "blocked" for name in self._refusing)

    def _schedule(self, total: int) -> list[int]:
        """The numbers of requests at which kills fall due."""
        last = round(total * _KILLS_END)
        return sorted(self._random.randrange(self.options.hosts, last) for _ in range(self.options.kills))

    def _keep_running(self, wanted: int) -> None:
        """A killed worker comes back at once; one that found nothing due, since others hold it, later."""
        self._look_for_ended()
        missing = (min(1, wanted) if self.options.children else wanted) - len(self._running)
        if missing > 0 and time.monotonic() >= self._rest_until:
            for _ in range(missing):
                self._start()

    def _start(self) -> None:
        more = ("--workers", str(self.options.workers)) if self.options.children else ()
        self.starts += 1
        output = self.workspace.parent / f"worker-{self.starts}.out"
        with output.open("wb") as out:
            process = subprocess.Popen(
                self._line("crawl", "--once", "--json", *more), env=self._environment, stdout=out, stderr=out
            )
        self._running[process.pid] = _Worker(process, output)

    def _look_for_ended(self) -> None:
        for pid, worker in list(self._running.items()):
            code = worker.process.poll()
            if code is None:
                continue
            del self._running[pid]
            if pid in self._killed:
                continue
            self._rest_until = time.monotonic() + _REST_SECONDS
            if code:
                said = worker.output.read_text(errors="replace").strip().splitlines()[-1:]
                self.complaints.append(f"a worker ended with {code}: {' '.join(said)}")

    def _kill(self) -> bool:
        """Kill one worker, best in the middle of a request; False if there is none to kill, or none yet."""
        if self._would_be_poison():
            return False
        owners: dict[int, int] = {}
        deadline = time.monotonic() + _HUNT_SECONDS
        while time.monotonic() < deadline:
            self._keep_running(self.options.workers)
            ports = self._just_asking()
            if not ports <= owners.keys():
                owners = self._owners()
            elif ports:
                return self._kill_now(self._random.choice(sorted({owners[port] for port in ports})))
            time.sleep(_HUNT_STEP_SECONDS)
        others = sorted({*self._owners().values()})
        return bool(others) and self._kill_now(self._random.choice(others))

    def _would_be_poison(self) -> bool:
        """Whether a page that was caught often is still not committed: once more, and it ends as `poison`."""
        often = {
            place
            for place, caught in self._caught.items()
            if caught >= _MOST_CAUGHT - 1 and self._is_stored(place)
        }
        return bool(often) and not often <= asyncio.run(self._committed())

    def _is_stored(self, place: Place) -> bool:
        """Whether what became of it is stored: what a frontier holds, pages, sitemaps, redirects."""
        host = self._graph.by_name.get(place[0])
        kept = (host.pages, host.lists, host.redirects, host.missing) if host else ()
        return any(place[1] in each for each in kept)

    def _just_asking(self) -> set[int]:
        """Ports of clients whose request came so lately that it is still open when the kill comes.

        A page that was caught too often is spared: one more, and the crawler would rightly set it aside.
        """
        oldest = time.monotonic_ns() - round(_YOUNG_SECONDS * 1e9)
        young = [each for each in self.site.now().connections if each.target and each.start > oldest]
        return {each.port for each in young if self._caught[self._place(each)] < _MOST_CAUGHT}

    def _owners(self) -> dict[int, int]:
        """Port -> pid of the worker, for all connections to the site; one that still starts has none."""
        found: dict[int, int] = {}
        for pid in sorted(self._running):
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                family = [process, *process.children()] if self.options.children else [process]
                found |= {port: each.pid for each in family for port in self._ports(each)}
        return found

    def _ports(self, process: psutil.Process) -> set[int]:
        with contextlib.suppress(psutil.Error):
            return {
                connection.laddr.port
                for connection in process.net_connections("tcp4")
                if connection.raddr and connection.raddr.port == self.site.port
            }
        return set()

    def _kill_now(self, pid: int) -> bool:
        try:
            victim = psutil.Process(pid)
            ports = self._ports(victim)
            self._killed.add(pid)
            victim.kill()
        except psutil.NoSuchProcess:
            return False
        victim.wait(_DEATH_SECONDS)
        self._until_heard(ports)
        self.kills.append(self._bury())
        asyncio.run(self._let_leases_run_out(pid))
        return True

    def _until_heard(self, ports: set[int]) -> None:
        """Until the site has heard of the death: on a busy machine that takes a while."""
        deadline = time.monotonic() + _DEATH_SECONDS
        while time.monotonic() < deadline:
            if not ports & {connection.port for connection in self.site.now().connections}:
                return
            time.sleep(_LOOK_SECONDS)

    def _bury(self) -> Kill:
        """What the dead left behind: all that was asked over connections that are gone, and not committed."""
        alive = {connection.connection for connection in self.site.now().connections}
        log = read_log(self.site.log_file)
        gone = {entry.connection for entry in log} - alive - self._buried
        self._buried |= gone
        asked = [entry for entry in log if entry.connection in gone]
        committed = asyncio.run(self._committed())
        # Two that died before the site heard of the first may both have asked for it.
        each = {(entry.connection, self._place(entry)) for entry in asked}
        lost = [place for _, place in each if place not in committed]
        self._caught.update(lost)
        return Kill(sum(entry.aborted for entry in asked), frozenset(lost))

    def _place(self, asked: Entry | OpenConnection) -> Place:
        host = plain_host(asked.host)
        graph = self._graph.by_name.get(host)
        return host, (graph.known(asked.target) if graph else None) or asked.target

    def _farewell(self) -> None:
        """With nothing left to do, workers end by themselves."""
        deadline = time.monotonic() + _GOODBYE_SECONDS
        while self._running and time.monotonic() < deadline:
            self._look_for_ended()
            time.sleep(_LOOK_SECONDS)
        if self._running:
            self.complaints.append(f"{len(self._running)} workers went on with nothing left to do")

    # ----------------------------------------------------------------------------------- after

    def end(self) -> None:
        for worker in self._running.values():
            worker.process.kill()
            worker.process.wait()

    async def judge(self) -> Report:
        stored = await self._stored()
        approved = frozenset(self._graph.names) | self._refusing
        rules = Rules(
            DEPTH,
            DELAY,
            approved,
            repeats=self._caught,
            refusing=self._refusing,
            images=self.options.lists,
        )
        report = check(self._graph.by_name, self.site.log(), stored, rules)
        broken = [Violation("the crawl itself", complaint) for complaint in self.complaints]
        report = Report([*broken, *report.violations], report.figures)
        return without_deaths(report) if self.options.frontier == "cluster" else report

    async def _stored(self) -> Stored:
        db = self._database()
        try:
            return await read_stored(db)
        finally:
            await db.close()

    def _database(self) -> Database:
        url = self.backends.get("SURVEYOR_DATABASE__URL", "")
        return Database.open(DatabaseSettings(url=url), self.workspace)

    async def _let_leases_run_out(self, pid: int) -> None:
        c = domain_crawl.c
        its = c.claimed_by.startswith(f"{socket.gethostname()}-{pid}-", autoescape=True)
        db = self._database()
        try:
            async with db.write() as tx:
                await tx.execute(update(domain_crawl).where(its).values(claim_expires_at=now(), due_at=now()))
        finally:
            await db.close()

    async def _committed(self) -> set[Place]:
        db = self._database()
        try:
            return await read_committed(db)
        finally:
            await db.close()

    async def _committed_pages(self) -> int:
        known = {
            (host, target)
            for host, graph in self._graph.by_name.items()
            for target in (*graph.reachable(DEPTH), *graph.image_targets)
        }
        return len(known & await self._committed())


def _commit() -> str:
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=_ROOT, capture_output=True, text=True
    )
    return asked.stdout.strip() or "unknown"


def _options(argv: list[str]) -> Options:
    parser = argparse.ArgumentParser(prog="./dev lab kills", description=__doc__.split("\n", 1)[0])
    default = Options()
    for name in ("kills", "pages", "hosts", "workers", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name))
    parser.add_argument("--engine", choices=["sqlite", "postgresql"], default=default.engine)
    parser.add_argument("--frontier", choices=["sql", "valkey", "cluster"], default=default.frontier)
    parser.add_argument(
        "--lists",
        action="store_true",
        help="hosts have sitemap indexes, feeds and images, and some refuse everything",
    )
    parser.add_argument("--children", action="store_true", help="one crawl --workers N instead of N commands")
    return Options(**vars(parser.parse_args(argv)))


def main(argv: list[str]) -> int:
    options = _options(argv)
    with tempfile.TemporaryDirectory(prefix="surveyor-kills-", ignore_cleanup_errors=True) as folder:
        outcome = run_kills(options, Path(folder))
    print(outcome)
    return 0 if outcome.ok else 1
