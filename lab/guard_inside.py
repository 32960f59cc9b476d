"""The inside of `lab guard`: proves that there is no way out, listens everywhere, and tries every way.

Nothing of the product is changed or told about this; it finds names through `net.hosts`, as in any
intranet, and gets no exception from its guard.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from lab.guard import CONTROLS, Plan, Report, network
from lab.guard_web import CODES, HOPS, PAGES, PORTS, Web, chain
from surveyor.errors import NetError
from surveyor.net.fetcher import Fetcher
from surveyor.net.robots import RobotsState, fetch_robots
from surveyor.settings import NetSettings
from tests.support.addresses import FORBIDDEN, PUBLIC, in_url, spellings

_HOME = "93.184.216.34"  # where the domains of the lab live
_REFUSALS = ("forbidden_address", "forbidden_port", "forbidden_scheme", "bad_url")
_CRAWL_SECONDS = 300.0


class Form(NamedTuple):
    """A forbidden place as the beginning of a URL."""

    origin: str
    maps: tuple[str, str] | None = None
    """A name and the address it leads to."""


def forms() -> list[Form]:
    found: list[Form] = []
    for number, address in enumerate(FORBIDDEN):
        if "%" in address:
            continue  # no URL has a zone
        name = f"inside-{number}.example"
        found += [Form(f"http://{in_url(address)}"), Form(f"http://{name}", (name, in_url(address)))]
        found += [Form(f"http://{host}") for host in spellings(address)]
    # A public address is no excuse for the port of another service, or for another scheme.
    found += [Form(f"http://{_HOME}:{port}") for port in (22, 25, 6379)]
    return [*found, *(Form(f"{scheme}://{_HOME}") for scheme in ("ftp", "gopher", "file"))]


def inside() -> None:
    orders = json.loads(sys.argv[1])
    require_no_way_out(orders["outside"])
    lead_everything_here()
    report = asyncio.run(_Lab(Plan(**orders["plan"]), Path(orders["folder"])).run())
    print(json.dumps(asdict(report)))


def require_no_way_out(outside: str) -> None:
    if network() == outside:
        raise SystemExit("this is the machine's own network")
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        raise SystemExit("there is more than a loopback here")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as idle:  # sends nothing by connecting
        found = idle.connect_ex((_HOME, 53))
    if found != errno.ENETUNREACH:
        raise SystemExit(f"there is a way out ({errno.errorcode.get(found, found)})")


def lead_everything_here() -> None:
    for words in (
        "link set lo up",
        "-4 route add local 0.0.0.0/0 dev lo",
        "-6 route add local ::/0 dev lo",
    ):
        subprocess.run(["ip", *words.split()], check=True, capture_output=True)


class _Lab:
    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.forms = forms()
        self.web = Web()
        self.tried: Counter[str] = Counter()
        self.not_refused: list[str] = []
        count = plan.domains or len(self.forms)
        self.names = [f"d{number}.example" for number in range(count)]
        spread = self.forms[:: max(1, len(self.forms) // count)]
        self.web.leads = {name: form.origin for name, form in zip(self.names, spread, strict=False)}
        hosts = dict(form.maps for form in self.forms if form.maps)
        self.hosts = (
            hosts | dict.fromkeys(self.names, _HOME) | {"robots.example": _HOME, "www.example": _HOME}
        )

    async def run(self) -> Report:
        async with self.web.serve():
            armed = await self._armed()
            self.web.accepted.clear()
            async with Fetcher(NetSettings(hosts=self.hosts, total_seconds=5, connect_seconds=2)) as fetcher:
                controls = await self._controls(fetcher)
                for number, form in enumerate(self.forms):
                    await self._try(fetcher, form, number)
            crawl_code = await asyncio.to_thread(self._crawl)
        public = {*PUBLIC[:CONTROLS], _HOME}
        wrong = [f"{address} port {port}" for address, port in self.web.accepted if address not in public]
        wrong += [f"{address} port {port}" for address, port in self.web.accepted if port not in (80, 443)]
        crawled = sum(self.web.asked[name, page] > 0 for name in self.names for page in PAGES)
        expected = len(self.names) * len(PAGES)
        return Report(
            armed, dict(self.tried), self.not_refused, wrong, controls, crawled, expected, crawl_code
        )

    async def _armed(self) -> int:
        """How many forbidden addresses would answer if nobody held the fetcher back."""
        armed = sum([await asyncio.to_thread(_answers, address) for address in FORBIDDEN])
        while len(self.web.accepted) < armed:  # the listener hears of the last ones a moment later
            await asyncio.sleep(0.01)
        return armed

    async def _controls(self, fetcher: Fetcher) -> int:
        """Asked for directly, by redirects, and as robots.txt: all three ways must lead there."""
        reached = 0
        for number, address in enumerate(PUBLIC[:CONTROLS]):
            there = f"http://{in_url(address)}/control"
            code, hop = CODES[number % len(CODES)], HOPS[number % len(HOPS)]
            ways = (there, f"http://www.example{chain(code, hop, there)}")
            bodies = [await _followed(fetcher, url) for url in ways]
            self.web.robots = chain(code, hop, f"http://{in_url(address)}/allow-all.txt")
            found = await fetch_robots(fetcher, "http://robots.example", "Surveyor", datetime.now(UTC))
            reached += bodies == [b"control"] * 2 and found.state is RobotsState.OBEYED
        return reached

    async def _try(self, fetcher: Fetcher, form: Form, number: int) -> None:
        await self._refused(fetcher, "page", f"{form.origin}/page")
        ways = list(itertools.product(CODES, HOPS))
        if not self.plan.every_way:
            ways = [ways[number % len(ways)]] if number % 3 == 0 else []
        for code, hop in ways:
            there = f"{form.origin}/hop"
            await self._refused(fetcher, "redirect", f"http://www.example{chain(code, hop, there)}")
            self.web.robots = chain(code, hop, f"{form.origin}/allow-all.txt")
            found = await fetch_robots(fetcher, "http://robots.example", "Surveyor", datetime.now(UTC))
            self.tried["robots"] += 1
            if found.state is not RobotsState.UNAVAILABLE:
                self.not_refused.append(f"robots by {code} at hop {hop} to {form.origin}: {found.state}")

    async def _refused(self, fetcher: Fetcher, entry: str, url: str) -> None:
        self.tried[entry] += 1
        try:
            await _followed(fetcher, url)
        except NetError as error:
            if error.code in _REFUSALS:
                return
            self.not_refused.append(f"{entry} {url}: {error.code}")
        else:
            self.not_refused.append(f"{entry} {url}: answered")

    # -- a whole crawl

    def _crawl(self) -> int:
        workspace = str(self.folder / "ws")
        self.tried["crawled domains"] = len(self.names)
        seeds = "\n".join(self.names)
        for words, stdin in (
            (["init", workspace], ""),
            (["--workspace", workspace, "ingest-seeds", "-"], seeds),
            (["--workspace", workspace, "crawl"], ""),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "surveyor", *words],
                input=stdin,
                env=self._environment(),
                stdout=subprocess.DEVNULL,
                stderr=sys.stderr,
                text=True,
                timeout=_CRAWL_SECONDS,
                check=False,
            )
            if done.returncode:
                return done.returncode
        return 0

    def _environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")}
        return clean | {
            "SURVEYOR_NET__HOSTS": json.dumps(self.hosts, separators=(",", ":")),
            "SURVEYOR_NET__PER_ADDRESS": "100",
            "SURVEYOR_CRAWL__DELAY_SECONDS": "0.01",
            "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.1",
            "SURVEYOR_CRAWL__ARCHIVE": "off",
            "SURVEYOR_EXTRACT__ENABLED": "false",
        }


async def _followed(fetcher: Fetcher, url: str) -> bytes:
    """What is at the end of the redirects, each hop asked for as the crawl does."""
    for _ in range(len(HOPS) + 1):
        answer = await fetcher.get(url)
        if answer.location is None:
            return answer.body
        url = answer.location
    return b""


def _answers(address: str) -> bool:
    plain = address.partition("%")[0]
    family = socket.AF_INET6 if ":" in plain else socket.AF_INET
    with socket.socket(family) as client:
        client.settimeout(0.5)
        return client.connect_ex((plain, PORTS[0])) == 0


if __name__ == "__main__":
    inside()
