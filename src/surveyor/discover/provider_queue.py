"""One provider's part of a session: its queries in order, and what stopped it, if anything did."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from surveyor.discover.adapters import SearchQuery
from surveyor.discover.provider import Provider


@dataclass(slots=True)
class ProviderReport:
    """What became of one provider's part, or has become of it so far."""

    name: str
    planned: int
    answered: int = 0
    results: int = 0
    new_domains: int = 0
    error: str | None = None
    """The first one; the queries after it may have been answered."""


class ProviderQueue:
    def __init__(self, provider: Provider, queries: Sequence[SearchQuery]) -> None:
        self.provider, self.name = provider, provider.name
        self._waiting = deque(query for query in queries if provider.takes(query))
        self.report = ProviderReport(self.name, len(self._waiting))
        self._next_at = 0.0
        self._alone = asyncio.Lock()
        self.stopped = False
        if too_long := len(queries) - len(self._waiting):
            most = provider.account.adapter.longest_query
            self.note(f"{too_long} of the queries are longer than the {most} characters it takes")

    def next(self) -> SearchQuery | None:
        return self._waiting.popleft() if self._waiting and not self.stopped else None

    def took(self, results: int, new_domains: int) -> None:
        """A query was answered with so much."""
        self.report.answered += 1
        self.report.results += results
        self.report.new_domains += new_domains

    def note(self, error: str) -> None:
        """A query was not answered; the others go on."""
        self.report.error = self.report.error or error

    def stop(self, error: str) -> None:
        self.note(error)
        self.stopped = True

    @property
    def state(self) -> str:
        if self.report.error:
            return "stopped" if self.stopped else "errors"
        return "done" if self.report.answered == self.report.planned else "asking"

    async def pace(self) -> None:
        """Keep the least time between two queries, for all who ask this provider here."""
        loop = asyncio.get_running_loop()
        wait = self._next_at - loop.time()
        pause = max(self.provider.settings.pause_seconds, self.provider.pace_seconds or 0.0)
        self._next_at = max(loop.time(), self._next_at) + pause
        if wait > 0:
            await asyncio.sleep(wait)

    def hold(self, seconds: float) -> None:
        """Nobody asks this provider here for so long."""
        self._next_at = max(self._next_at, asyncio.get_running_loop().time() + seconds)

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One query: in its time, and one at a time until the provider has named its rate."""
        async with self._alone if self.provider.asks_alone else contextlib.nullcontext():
            await self.pace()
            begun = asyncio.get_running_loop().time()
            try:
                yield
            finally:  # the answer may have named a rate that was not known when the query was sent
                self._next_at = max(self._next_at, begun + (self.provider.pace_seconds or 0.0))
