"""Asks a site for two pages that nobody can have made, and knows then how it says "not found".

Small sites are spared the question: it is asked when a visit has stored enough pages for an endless
supply of nothing to matter.
"""

from __future__ import annotations

from surveyor.crawl.page import PageFacts
from surveyor.crawl.soft404 import NEVER, Soft404, probe_targets, soft_404

# Pages stored in a visit before it asks.
_ENOUGH = 20


class Probe:
    def __init__(self, domain: str) -> None:
        self._waiting = list(probe_targets(domain))
        self._answers: list[PageFacts] = []
        self._home: PageFacts | None = None
        self._stored = 0
        self._verdict = NEVER

    def wants_text(self, target: str) -> bool:
        """Whether the page at this target must be read with its text."""
        return target == "/" or self._verdict.is_active

    def next(self) -> str | None:
        """What to ask for now, if anything."""
        return self._waiting[0] if self._waiting and self._stored >= _ENOUGH else None

    def answered(self, page: PageFacts | None) -> None:
        """What the question came to; None for an error, which is the honest answer and ends it."""
        del self._waiting[0]
        if page is None:
            self._waiting.clear()
        else:
            self._answers.append(page)
            if not self._waiting:
                self._verdict = soft_404(self._answers, self._home)

    def is_nothing(self, target: str, page: PageFacts) -> bool:
        """Whether a page says "not found" in the site's way; counts those that do not."""
        if target == "/":
            self._home = page
        elif self._verdict.matches(page):
            return True
        self._stored += 1
        return False

    @property
    def verdict(self) -> Soft404:
        return self._verdict
