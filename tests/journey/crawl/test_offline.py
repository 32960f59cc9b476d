"""This machine loses its network: no site is blamed for it, and the crawl goes on where it was."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, pages
from surveyor.errors import NetError
from surveyor.net import resolver
from surveyor.net.fetcher import Fetcher, Response
from surveyor.net.reasons import Reason
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.site import SiteGraph, SiteSpec

SPEC = SiteSpec(SiteGraph(seed=1, hosts=1, pages_per_host=40))


def _nobody_to_ask(host: str) -> Sequence[str]:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def test_names_that_nobody_can_be_asked_about_are_not_held_against_their_domains(
    make_crawl: MakeCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = make_crawl(SPEC, "far.example", "away.example")
    monkeypatch.setattr(resolver, "system_lookup", _nobody_to_ask)
    crawl.work()
    for name in ("far.example", "away.example"):
        _is_due_soon_without_blame(crawl, name)


def test_a_network_that_goes_away_in_the_middle_costs_no_page(
    make_crawl: MakeCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = make_crawl(SPEC)
    (host,) = SPEC.graph.names
    whole, asked = Fetcher.get, Counter[str]()

    async def cut(self: Fetcher, url: str, **more: object) -> Response:
        asked[url] += 1
        if asked.total() > 12:
            raise NetError(Reason.NO_NETWORK, "no way out")
        return await whole(self, url, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Fetcher, "get", cut)
        crawl.work()
    assert asked.total() == 13, "it stops at the first sign"
    _is_due_soon_without_blame(crawl, host)
    assert crawl.with_database(_attempts) == {0}

    crawl.with_database(_make_due)
    crawl.work()
    assert set(SPEC.graph.reachable(host, 3)) <= set(crawl.requests(host))
    assert crawl.domain(host)["crawl_status"] == "exhausted"


def _is_due_soon_without_blame(crawl: Crawl, name: str) -> None:
    domain = crawl.domain(name)
    assert (domain["stopped_by"], domain["block_reason_code"]) == ("no_network", None)
    assert (domain["block_count"], domain["consecutive_error_count"]) == (0, 0)
    assert domain["crawl_status"] in ("pending", "active")
    wait = datetime.fromisoformat(domain["due_at"]) - datetime.now(UTC)
    assert timedelta(minutes=5) < wait <= timedelta(minutes=15)


async def _attempts(db: Database) -> set[int]:
    async with db.read() as tx:
        return set((await tx.execute(select(pages.c.attempts))).scalars())


async def _make_due(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).values(due_at=datetime.now(UTC)))
