"""A refresh of 1,000 pages that did not change: how many are answered without a body, and what it costs."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journey.crawl.conftest import QUICK, Crawl
from tests.journey.refresh.conftest import HOST, Refreshed
from tests.support import servers
from tests.support.site import SiteGraph, SiteProcess, SiteSpec

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
    """Where URLs wait."""
    if place == "sql":
        yield {}
        return
    valkey = servers.Valkey.create()
    yield {"SURVEYOR_FRONTIER__URL": valkey.url}
    valkey.remove()


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
        told = site.run("refresh", "--max-pages-per-domain", str(2 * pages))
        asked = [
            entry for entry in site.crawl.site.log()[before:] if not entry.target.endswith((".txt", ".xml"))
        ]
        statuses = Counter(entry.status for entry in asked)
        new = sum((site.versions() - versions).values())
        return Figures(len(asked), statuses[304], told["bytes"], first_bytes, new)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab refresh", description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    pages = parser.parse_args(argv).pages
    kept = True
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
