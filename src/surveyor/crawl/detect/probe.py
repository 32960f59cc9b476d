"""Asks a site for two pages that nobody can have made, and knows then how it says "not found".

Small sites are spared the question: it is asked when a visit has stored enough pages for an endless
supply of nothing to matter.
"""

from __future__ import annotations

from surveyor.crawl.detect.soft404 import NEVER, probe_targets, soft_404
from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.response import Reader
from surveyor.crawl.session import SiteSession
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import url_key

# Pages stored in a visit before it asks.
_ENOUGH = 20


class Probe:
    def __init__(self, session: SiteSession, reader: Reader) -> None:
        self._session, self._reader = session, reader
        self._waiting = list(probe_targets(session.site.domain))
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
        session = self._session
        if session.site.robots is None or not session.site.robots.allows(target):
            return None
        taken = Taken(url_key(target), target, 0, RANK_NORMAL, 0, 0, None, None)
        await session.turn()
        try:
            response = await session.fetch(taken)
        except NetError:
            return None
        session.outbox.extra_bytes += response.wire_bytes
        if response.status != 200:
            return None
        url = session.site.page(target, session.context.rules)
        now = session.context.clock.now()
        return (await self._reader.read(url, taken, response, now, want_text=True)).facts

    def is_nothing(self, target: str, page: PageFacts) -> bool:
        """Whether a page says "not found" in the site's way; counts those that do not."""
        if target == "/":
            self._home = page
        elif self._verdict.matches(page):
            return True
        self._stored += 1
        return False
