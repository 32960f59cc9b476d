"""Search providers on loopback, and sessions that ask them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.discover.adapters import SearchQuery
from surveyor.discover.provider import Provider
from surveyor.discover.session import SessionType
from surveyor.discover.sessions import Plan, Policy, Report, SessionRun
from surveyor.names import DEFAULT_RULES
from surveyor.net.transport import verifying_tls
from surveyor.settings import NetSettings
from tests.support.registry_help import ADMIN
from tests.support.searchweb import SearchWeb

TLS = verifying_tls()  # one for all: reading the machine's certificates takes tens of milliseconds
Search = Callable[..., Awaitable[Report]]


@pytest.fixture
async def searchweb() -> AsyncIterator[SearchWeb]:
    async with SearchWeb.serve() as server:
        yield server


@pytest.fixture
async def run_session(searchweb: SearchWeb) -> Search:
    """Runs a session on providers by name; `accounts` gives settings of their own."""

    async def run(
        db: Database,
        *names: str,
        queries: tuple[str, ...] = ("a",),
        accounts: dict[str, dict[str, Any]] | None = None,
        policy: Policy | None = None,
    ) -> Report:
        given = accounts or {}
        providers = [
            Provider(searchweb.account(name, **given.get(name, {})), NetSettings(), TLS) for name in names
        ]
        plan = Plan(SessionType.MANUAL_SEARCH, tuple(SearchQuery(query, "en") for query in queries))
        try:
            return await SessionRun(db, plan, providers, ADMIN, policy or Policy(DEFAULT_RULES)).run()
        finally:
            for provider in providers:
                await provider.close()

    return run
