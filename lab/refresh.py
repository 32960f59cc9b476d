"""A refresh of 1,000 pages that did not change, and one of pages that all did, killed again and again.

The first says how many are answered without a body, and what it costs. Of the second the ground truth is
known: every page was asked for, and has one new version, however often its refresh was killed.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journey.crawl.conftest import QUICK, Crawl
from tests.journey.refresh.conftest import HOST, Refreshed
from tests.support import servers
from tests.support.site import SiteGraph, SiteProcess, SiteSpec

# Requests that a kill may find without a commit: those of a few commits of 0.2 s, 20 ms apart.
_IN_FLIGHT = 60
_LEASE_SECONDS = 2.0
_SHORT_LEASE = {"SURVEYOR_CRAWL__LEASE_SECONDS": "2", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.5"}
# The share of unchanged pages that must be answered with 304.
NEEDED = 0.95


class Figures(NamedTuple):
    requests: int
    unchanged: int  # answered with 304
    bytes: int  # of the refresh
    first_bytes: int  # of the crawl before it
    new_versions: int

    @property
    def kept(self) -> bool:
        return self.unchanged >= NEEDED * self.requests and not self.new_versions


@contextmanager
def _settings(place: str) -> Iterator[dict[str, str]]:
    """Where URLs wait, and the register is."""
    if place == "sql":
        yield {}
        return
    with ExitStack() as stack:
        valkey = servers.Valkey.create()
        stack.callback(valkey.remove)
        found = {"SURVEYOR_FRONTIER__URL": valkey.url}
        if place == "postgresql":
            postgres = servers.Postgres.create()
            stack.callback(postgres.remove)
            found["SURVEYOR_DATABASE__URL"] = postgres.url()
        yield found


@contextmanager
def _crawled(pages: int, validators: str, settings: dict[str, str]) -> Iterator[tuple[Refreshed, int]]:
    """A host that was crawled to its end, and the bytes that took."""
    graph = SiteGraph(seed=1, hosts=1, pages_per_host=2, depth=1, strangers=0)
    host = {"kind": "living", "pages": pages - 1, "validators": validators}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spec = SiteSpec(graph, special={HOST: host})
        site = stack.enter_context(SiteProcess(spec, folder / "requests.log"))
        quick = QUICK | {"SURVEYOR_CRAWL__DELAY_SECONDS": "0.001", **site.environment, **settings}
        found = Refreshed(Crawl(site, folder / "ws", quick))
        assert found.crawl.run("init", str(found.crawl.workspace)).code == 0
        found.crawl.seed(HOST)
        yield found, found.run("crawl", "--max-pages-per-domain", str(2 * pages))["bytes"]


def _refreshed(pages: int, validators: str, settings: dict[str, str]) -> Figures:
    with _crawled(pages, validators, settings) as (site, first_bytes):
        before, versions = len(site.crawl.site.log()), site.versions()
        site.pass_days()
        summary = site.run("refresh", "--max-pages-per-domain", str(2 * pages))
        asked = [
            entry for entry in site.crawl.site.log()[before:] if not entry.target.endswith((".txt", ".xml"))
        ]
        statuses = Counter(entry.status for entry in asked)
        new = sum((site.versions() - versions).values())
        return Figures(len(asked), statuses[304], summary["bytes"], first_bytes, new)


class Killed(NamedTuple):
    kills: int
    missing: int  # pages that nobody asked for again
    wrong: int  # pages without exactly one new version
    repeats: int  # requests beyond one for each page

    @property
    def kept(self) -> bool:
        return not self.missing and not self.wrong and self.repeats <= self.kills * _IN_FLIGHT


def _killed(pages: int, kills: int, settings: dict[str, str]) -> Killed:
    """All pages have changed; the refresh is killed when it has asked for another share of them."""
    slow = {"SURVEYOR_CRAWL__DELAY_SECONDS": "0.02", "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.2", **_SHORT_LEASE}
    with _crawled(pages, "none", settings) as (site, _):
        versions, first = site.versions(), site.requests
        targets = {target for target, row in site.pages().items() if row.key in versions}
        site.tell(changed=sorted(targets))
        site.pass_days()
        done = sum(_kill(site, first + pages * share // (kills + 1), slow) for share in range(1, kills + 1))
        while site.run("refresh", "--max-pages-per-domain", str(2 * pages), **_SHORT_LEASE)["pages"]:
            time.sleep(_LEASE_SECONDS)
        asked, new = site.asked_since(first), site.versions() - versions
        wrong = sum(new[key] != 1 for key in versions)
        return Killed(done, len(targets - asked.keys()), wrong, sum(asked.values()) - len(asked))


def _kill(site: Refreshed, requests: int, settings: dict[str, str]) -> bool:
    """Whether a refresh was still at work when the host had seen so many requests."""
    process = site.crawl.start("refresh", "--max-pages-per-domain", "10000", **settings)
    while site.requests < requests and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    time.sleep(_LEASE_SECONDS)
    return process.returncode == -signal.SIGKILL


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab refresh", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args(argv)
    pages, kept = options.pages, True
    for place in ("sql", "redis", "postgresql") if options.kills else ():
        with _settings(place) as settings:
            killed = _killed(pages, options.kills, settings)
        print(
            f"{place:<10} killed {killed.kills} times: {killed.missing} of {pages:,} pages not asked for,"
            f" {killed.wrong} without exactly one new version, {killed.repeats} repeats",
            flush=True,
        )
        kept &= killed.kept
    for place in ("sql", "redis"):
        for validators in ("etag", "date"):
            with _settings(place) as settings:
                found = _refreshed(pages, validators, settings)
            share = found.unchanged / max(1, found.requests)
            sizes = f"{found.bytes:,} of {found.first_bytes:,} bytes"
            print(f"{place:<6} {validators:<5} {found.requests:,} pages, {share:.1%} answered 304, {sizes}")
            kept &= found.kept
    print(f"at least {NEEDED:.0%}, and no version added: {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept else 1
