"""A key of one query a second, and a provider that refuses whoever comes too early."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Mapping
from itertools import pairwise
from time import perf_counter
from typing import Any

from surveyor.discover.adapters import ADAPTERS, SearchQuery
from surveyor.discover.provider import Account, Provider
from surveyor.discover.provider_queue import ProviderQueue
from surveyor.settings import NetSettings, ProvidersSettings

_POLICY: Mapping[str, str] = {"X-RateLimit-Policy": "1;w=1, 0;w=2592000"}
_QUERIES, _AT_ONCE = 15, 4
_ANSWERED_IN = 0.3  # seconds


class _Hurried(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next thing to do instead of waiting for it."""

    def __init__(self) -> None:
        waiting = selectors.DefaultSelector()
        self._ahead, select = 0.0, waiting.select

        def jump(timeout: float | None = None) -> Any:
            self._ahead += timeout or 0.0
            return select(0)

        waiting.select = jump  # type: ignore[method-assign]
        super().__init__(waiting)

    def time(self) -> float:
        return super().time() + self._ahead


def _provider() -> Provider:
    settings = ProvidersSettings().brave.model_copy(update={"concurrency": _AT_ONCE})
    return Provider(Account(ADAPTERS["brave"], settings, "k"), NetSettings())


async def _ask_all(provider: Provider) -> list[float]:
    """When each query was sent, with as many hands as the settings allow."""
    queue = ProviderQueue(provider, [SearchQuery(f"q{number}", "en") for number in range(_QUERIES)])
    pace, sent = provider.account.adapter.pace, list[float]()
    assert pace is not None

    async def hand() -> None:
        while queue.next():
            async with queue.turn():
                sent.append(asyncio.get_running_loop().time())
                await asyncio.sleep(_ANSWERED_IN)
                provider.pace_seconds = pace(_POLICY)
            queue.took(1, 1)

    await asyncio.gather(*(hand() for _ in range(_AT_ONCE)))
    await provider.close()
    assert (queue.report.answered, queue.state) == (_QUERIES, "done")
    return sent


def test_fifteen_queries_on_a_key_of_one_a_second_are_fifteen_answers() -> None:
    begun = perf_counter()
    with asyncio.Runner(loop_factory=_Hurried) as runner:
        sent = runner.run(_ask_all(_provider()))
    pauses = [later - sooner for sooner, later in pairwise(sent)]
    assert len(sent) == _QUERIES
    assert min(pauses) >= 1.0, "the provider refuses whoever comes sooner, the second query included"
    assert sent[-1] - sent[0] < _QUERIES * 1.25, "and nobody waits longer than the rate asks for"
    assert perf_counter() - begun < 5.0, "on a clock that jumps"
