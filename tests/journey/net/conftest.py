"""A hostile server and a fetcher that may reach it, both on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest
import uvloop

from surveyor.net.fetcher import Fetcher
from surveyor.net.transport import verifying_tls
from surveyor.settings import NetSettings
from tests.support.hostile import Hostile

SITE = "site.example"
OTHERS = ("other.example", "elsewhere.example")

ON_BOTH_LOOPS = {"test_fetcher_hostile", "test_fetcher_tls"}

TLS = verifying_tls()  # one for all: reading the machine's certificates takes tens of milliseconds

MakeFetcher = Callable[..., Fetcher]


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop of production; and both where connections are cut, which each reports in its own way."""
    loops = {"uvloop": uvloop.new_event_loop}
    return {**loops, "asyncio": asyncio.new_event_loop} if item.path.stem in ON_BOTH_LOOPS else loops


@pytest.fixture
async def hostile() -> AsyncIterator[Hostile]:
    async with Hostile.serve() as server:
        yield server


@pytest.fixture
async def make_fetcher(hostile: Hostile) -> AsyncIterator[Callable[..., Fetcher]]:
    """Makes fetchers that may reach the server; takes settings by name, `grace`, `tls`, `resolver` and how
    many hosts are asked `in_turns`."""
    async with AsyncExitStack() as stack:

        def make(
            *, grace: float = 5.0, tls: Any = TLS, resolver: Any = None, in_turns: int = 0, **changes: Any
        ) -> Fetcher:
            settings = settings_for(hostile, **changes)
            fetcher = Fetcher(settings, grace=grace, tls=tls, resolver=resolver, hosts=in_turns)
            stack.push_async_callback(fetcher.close)
            return fetcher

        yield make


@pytest.fixture
def fetcher(make_fetcher: MakeFetcher) -> Fetcher:
    return make_fetcher()


def settings_for(server: Hostile, **changes: Any) -> NetSettings:
    here = f"127.0.0.1:{server.port}"
    settings = {
        "allow": ["127.0.0.0/8"],
        "hosts": dict.fromkeys((SITE, *OTHERS), here),
        "total_seconds": 20.0,
        "max_bytes": 4_000_000,
    }
    return NetSettings(**{**settings, **changes})
