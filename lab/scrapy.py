"""A Scrapy crawl that is killed again and again ends complete; plain Scrapy with JOBDIR beside it."""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

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
    plan = given.parse_args(argv)
    graph = SiteGraph(seed=11, hosts=plan.hosts, pages_per_host=plan.pages, depth=4, strangers=0)
    faults: list[str] = []
    for name, flags in (("the register's queue", {}), ("JOBDIR", {"ENABLE_DOMAIN_TRACKING": "false"})):
        with tempfile.TemporaryDirectory(prefix="lab-scrapy-") as folder:
            crawl = Killed(Path(folder), graph, flags)
            found = crawl.run(plan.kills)
        print(f"{name:<22} {found}")
        if not flags:
            faults = found.faults()
    for fault in faults:
        print(f"VIOLATION: {fault}")
    return 1 if faults else 0


class Found:
    """What the site's log says of a crawl, beside what there is."""

    def __init__(
        self, wanted: set[Place], asked: Counter[Place], kills: list[set[Place]], seconds: float
    ) -> None:
        in_flight = set[Place]().union(*kills)
        self.most = max(map(len, kills), default=0)
        self.lost = sorted(wanted - asked.keys())
        self.repeated = {place: count - 1 for place, count in asked.items() if count > 1}
        self.pages, self.in_flight, self.seconds = len(wanted & asked.keys()), in_flight, seconds

    def faults(self) -> list[str]:
        strange = sorted(self.repeated.keys() - self.in_flight)
        lost = [f"{len(self.lost)} pages were never fetched, such as {self.lost[0]}"] if self.lost else []
        return lost + [f"{place} was fetched again and was not in flight" for place in strange[:5]]

    def __str__(self) -> str:
        return (
            f"{self.pages:,} pages fetched, {len(self.lost):,} lost, {sum(self.repeated.values()):,} requests"
            f" made again ({len(self.in_flight):,} pages were in flight at a kill, at most"
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
        query = (
            "SELECT d.domain, p.target FROM pages p JOIN domains d ON d.no = p.domain_no WHERE p.state IN "
        )
        with sqlite3.connect(self._folder / "ws" / "surveyor.db") as db:
            return {(host, target) for host, target in db.execute(query + "('done', 'ended')")}
