"""Sites that answer 200 for pages that do not exist: recognised by two targets that cannot exist.

What both answers have in common, and the home page has not, gives the site's way of saying "not
found". A later page is such an answer if it says all of that and hardly anything of its own. A site
that answers the probes with an error needs none of this, and its pages are never looked at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.response import ResponseReader
from surveyor.crawl.session import SiteSession
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import url_key

# Characters of its own up to which a page says nothing: an echo of its address, a date, a counter.
_HARDLY_ANYTHING = 60
# How much more of its own a page may say than the probes' answers did, which may name random links.
_MORE = 1.5
# Links of its own likewise: a list without words is a page all the same.
_FEW_LINKS = 2
# Of what the answers share, if nothing of it is special; a page that lacks more is another one.
_NEARLY_ALL = 0.9
_MOST_LINES = 1_000


def probe_targets(seed: str) -> tuple[str, str]:
    """Two targets that look like pages and that no site has; the same ones for the same seed."""
    rng = random.Random(f"probe {seed}")
    first, second, folder = ("".join(rng.choices("bcdfghjklmnpqrstvwxz", k=14)) for _ in range(3))
    return f"/{first}", f"/{folder}/{second}.html"


@dataclass(frozen=True, slots=True)
class Soft404:
    """How a site says "not found" under status 200."""

    shared: frozenset[str] = frozenset()
    """Lines that both answers have."""
    special: frozenset[str] = frozenset()
    """Those of them that the home page has not."""
    usual: frozenset[str] = frozenset()
    """Lines that say nothing about a page: of the answers, and of the home page."""
    own_chars: int = 0
    """Characters by which the answers differed."""
    usual_links: frozenset[str] = frozenset()
    """Targets that the answers or the home page link to."""
    own_links: int = 0
    """Links that only one of the answers had."""

    def matches(self, page: PageFacts) -> bool:
        """Whether a page that was answered with 200 does not exist; not to be asked of the home page."""
        if not self.shared:
            return False
        lines = _lines(page)
        if self.special:
            if not self.special <= lines:
                return False
        elif len(self.shared & lines) < _NEARLY_ALL * len(self.shared):
            return False
        if sum(map(len, lines - self.usual)) > _HARDLY_ANYTHING + _MORE * self.own_chars:
            return False
        return len(_targets(page) - self.usual_links) <= _FEW_LINKS + _MORE * self.own_links


NEVER = Soft404()
_NOTHING: frozenset[str] = frozenset()


def soft_404(probes: Sequence[PageFacts], home: PageFacts | None) -> Soft404:
    """What to look for, out of the pages that the probes were answered with; none if they were refused."""
    if not probes:
        return NEVER
    lines, links = [_lines(probe) for probe in probes], [_targets(probe) for probe in probes]
    shared, shared_links = frozenset.intersection(*lines), frozenset.intersection(*links)
    known, known_links = (_lines(home), _targets(home)) if home is not None else (_NOTHING, _NOTHING)
    return Soft404(
        shared,
        shared - known,
        known.union(*lines),
        max(sum(map(len, each - shared)) for each in lines),
        known_links.union(*links),
        max(len(each - shared_links) for each in links),
    )


def _targets(page: PageFacts) -> frozenset[str]:
    return frozenset([target for target, _ in page.links])


def _lines(page: PageFacts) -> frozenset[str]:
    lines = page.text.split("\n")[:_MOST_LINES]
    return frozenset([stripped for line in (page.title, *lines) if (stripped := line.strip()[:200])])


# Pages stored in a visit before it asks.
_ENOUGH = 20


class Probe:
    """Asks a site for two pages that nobody can have made, and knows then how it says "not found".

    Small sites are spared the question: it is asked when a visit has stored enough pages for an endless
    supply of nothing to matter.
    """

    def __init__(self, session: SiteSession, reader: ResponseReader) -> None:
        self._session, self._reader = session, reader
        self.is_due = self._was_asked = False
        self._home: PageFacts | None = None
        self._stored = 0
        self._verdict = NEVER

    def wants_text(self, target: str) -> bool:
        """Whether the page at this target must be read with its text."""
        return target == "/" or bool(self._verdict.shared)

    async def ask(self) -> None:
        """Once, when it is due; one error is an honest answer, and ends it."""
        self.is_due, self._was_asked = False, True
        answers: list[PageFacts] = []
        for target in probe_targets(self._session.site.domain):
            answer = await self._answer(target)
            if answer is None:
                return
            answers.append(answer)
        self._verdict = soft_404(answers, self._home)

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
        url = session.site.page(target)
        now = session.context.clock.now()
        return (await self._reader.read(url, taken, response, now, want_text=True)).facts

    def is_nothing(self, target: str, page: PageFacts) -> bool:
        """Whether a page says "not found" in the site's way; counts those that do not."""
        if target == "/":
            self._home = page
        elif self._verdict.shared and self._verdict.matches(page):
            return True
        self._stored += 1
        self.is_due = self._stored >= _ENOUGH and not self._was_asked
        return False
