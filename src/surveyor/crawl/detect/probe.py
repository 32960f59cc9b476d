"""Asks a site for two pages that nobody can have made, and knows then how it says "not found".

Small sites are spared the question: it is asked when a visit has stored enough pages for an endless
supply of nothing to matter.
"""

from __future__ import annotations

from typing import Protocol

from surveyor.crawl.context import WorkerContext
from surveyor.crawl.detect.soft404 import NEVER, probe_targets, soft_404
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.response import Reader
from surveyor.crawl.site import Site
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import url_key
from surveyor.net.fetcher import Response

# Pages stored in a visit before it asks.
_ENOUGH = 20


class Visiting(Protocol):
    """What is known here of the visit."""

    tools: WorkerContext
    site: Site
    outbox: Outbox
    reader: Reader

    async def turn(self) -> None: ...
    async def fetch(self, taken: Taken) -> Response: ...


class Probe:
    def __init__(self, visit: Visiting) -> None:
        self._visit = visit
        self._waiting = list(probe_targets(visit.site.domain))
        self._answers: list[PageFacts] = []
        self._home: PageFacts | None = None
        self._stored = 0
        self._verdict = NEVER

    def wants_text(self, target: str) -> bool:
        """Whether the page at this target must be read with its text."""
        return target == "/" or self._verdict.is_active

    async def ask(self) -> None:
        """Ask, if it is time to; one error is an honest answer, and ends it."""
        while self._waiting and self._stored >= _ENOUGH:
            answer = await self._answer(self._waiting.pop(0))
            if answer is None:
                self._waiting.clear()
                return
            self._answers.append(answer)
            if not self._waiting:
                self._verdict = soft_404(self._answers, self._home)

    async def _answer(self, target: str) -> PageFacts | None:
        visit = self._visit
        if visit.site.robots is None or not visit.site.robots.allows(target):
            return None
        taken = Taken(url_key(target), target, 0, RANK_NORMAL, 0, 0, None, None)
        await visit.turn()
        try:
            response = await visit.fetch(taken)
        except NetError:
            return None
        visit.outbox.extra_bytes += response.wire_bytes
        if response.status != 200:
            return None
        url = visit.site.page(target, visit.tools.rules)
        return (await visit.reader.read(url, taken, response, visit.tools.clock.now(), want_text=True)).facts

    def is_nothing(self, target: str, page: PageFacts) -> bool:
        """Whether a page says "not found" in the site's way; counts those that do not."""
        if target == "/":
            self._home = page
        elif self._verdict.matches(page):
            return True
        self._stored += 1
        return False
