"""A Scrapy crawl that is killed again and again ends complete; plain Scrapy with JOBDIR beside it."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import domains, pages
from surveyor.settings import DatabaseSettings
from tests.support import servers
from tests.support.cli_help import environment
from tests.support.site import SiteGraph, SiteProcess, SiteSpec, plain_host

PROJECT = Path(__file__).parents[1] / "examples" / "scrapy-project"
_PATIENCE = 1800.0  # seconds for one whole crawl on a busy machine
Place = tuple[str, str]  # a host and a path


def main(argv: list[str]) -> int:
    given = argparse.ArgumentParser(prog="lab scrapy", description=__doc__)
    given.add_argument("--hosts", type=int, default=20)
    given.add_argument("--pages", type=int, default=100, help="of each host")
    given.add_argument("--kills", type=int, default=10)
    given.add_argument(
        "--servers",
        action="store_true",
        help="PostgreSQL and Valkey, not SQLite; no plain Scrapy",
    )
    plan = given.parse_args(argv)
    graph = SiteGraph(seed=11, hosts=plan.hosts, pages_per_host=plan.pages, depth=4, strangers=0)
    faults: list[str] = []
    for name, is_plain in (("the register's queue", False), ("JOBDIR", True)):
        if is_plain and plan.servers:
            continue
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lab-scrapy-")))
            settings = {"ENABLE_DOMAIN_TRACKING": "false"} if is_plain else {}
            settings |= _servers(stack) if plan.servers else {}
            found = Killed(folder, graph, settings).run(plan.kills)
        print(f"{name:<22} {found}")
        faults += [] if is_plain else found.faults()
    for fault in faults:
        print(f"VIOLATION: {fault}")
    return 1 if faults else 0


def _servers(stack: ExitStack) -> dict[str, str]:
    postgres, valkey = servers.Postgres.create(), servers.Valkey.create()
    stack.callback(postgres.remove)
    stack.callback(valkey.remove)
    return {"SURVEYOR_DATABASE__URL": postgres.url(), "SURVEYOR_FRONTIER__URL": valkey.url}


class Found:
    """What the site's log says of a crawl, beside what there is."""

    def __init__(
        self, wanted: set[Place], asked: Counter[Place], kills: list[set[Place]], seconds: float
    ) -> None:
        in_flight = set[Place]().union(*kills)
        self.most = max(map(len, kills), default=0)
        self.caught = sum(map(len, kills))  # in flight at two kills: asked for twice more
        self.lost = sorted(wanted - asked.keys())
        self.repeated = {place: count - 1 for place, count in asked.items() if count > 1}
        self.pages, self.in_flight, self.seconds = len(wanted & asked.keys()), in_flight, seconds

    def faults(self) -> list[str]:
        strange = sorted(self.repeated.keys() - self.in_flight)
        lost = [f"{len(self.lost)} pages were never fetched, such as {self.lost[0]}"] if self.lost else []
        again = sum(self.repeated.values())
        many = [f"{again} requests made again, {self.caught} in flight"] if again > self.caught else []
        return lost + many + [f"{place} was fetched again and was not in flight" for place in strange[:5]]

    def __str__(self) -> str:
        return (
            f"{self.pages:,} pages fetched, {len(self.lost):,} lost, {sum(self.repeated.values()):,} requests"
            f" made again ({self.caught:,} were in flight at kills, at most"
            f" {self.most} at one), {self.seconds:.0f} s"
        )


class Killed:
    def __init__(self, folder: Path, graph: SiteGraph, flags: dict[str, str]) -> None:
        self._folder, self._graph, self._flags = folder, graph, flags
        self._seeds = folder / "seeds.txt"
        self._seeds.write_text("\n".join(f"http://{name}/" for name in graph.names))

    def run(self, kills: int) -> Found:
        began = time.monotonic()
        in_flight: list[set[Place]] = []
        with SiteProcess(SiteSpec(self._graph, latency=0.02), self._folder / "requests.log") as site:
            self._settings = site.environment | {"SURVEYOR_EXTRACT__ENABLED": "false"}
            self._settings |= {"SURVEYOR_WORKSPACE": str(self._folder / "ws"), **self._flags}
            self._settings |= {"http_proxy": f"http://127.0.0.1:{site.port}", "no_proxy": ""}
            subprocess.run(
                [sys.executable, "-m", "surveyor", "init", self._folder / "ws"],
                env=environment(**self._settings),
                check=True,
                capture_output=True,
            )
            total = self._graph.total(4)
            for number in range(1, kills + 1):
                self._crawl(site, kill_at=total * number // (kills + 1))
                in_flight.append(self._asked(site).keys() - self._committed())
            self._crawl(site, kill_at=None)
            asked = self._asked(site)
        wanted = {(host, one) for host in self._graph.names for one in self._graph.reachable(host, 4)}
        return Found(wanted, asked, in_flight, time.monotonic() - began)

    def _crawl(self, site: SiteProcess, kill_at: int | None) -> None:
        end = time.monotonic() + _PATIENCE
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "scrapy", "crawl", "discovery_http", "-a", f"seeds={self._seeds}"),
                *(
                    "-s",
                    "DOWNLOAD_DELAY=0",
                    "-s",
                    "LOG_LEVEL=CRITICAL",
                    "-s",
                    f"JOBDIR={self._folder / 'job'}",
                ),
                *("-s", "SPIDER_MODULES=lab.scrapy_http"),
            ],
            cwd=PROJECT,
            env=environment(**self._settings) | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        while process.poll() is None and time.monotonic() < end:
            if kill_at is not None and sum(self._asked(site).values()) >= kill_at:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.05)
        process.kill()
        process.wait()

    def _asked(self, site: SiteProcess) -> Counter[Place]:
        answered = [one for one in site.log() if one.status not in range(300, 400)]
        return Counter((plain_host(one.host), one.target) for one in answered if one.target != "/robots.txt")

    def _committed(self) -> set[Place]:
        """Pages that are over by the register."""
        return asyncio.run(self._over())

    async def _over(self) -> set[Place]:
        url = self._settings.get("SURVEYOR_DATABASE__URL", "")
        db = Database.open(DatabaseSettings(url=url), self._folder / "ws")
        query = select(domains.c.domain, pages.c.target).join_from(
            pages, domains, domains.c.no == pages.c.domain_no
        )
        try:
            async with db.read() as tx:
                found = await tx.execute(query.where(pages.c.state.in_(("done", "ended"))))
                return {(row.domain, row.target) for row in found}
        finally:
            await db.close()
