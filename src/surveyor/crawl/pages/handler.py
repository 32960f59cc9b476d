"""Pages of one visit that were answered: what is stored of them, and which URLs follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from surveyor.crawl.detect import Detector
from surveyor.crawl.detect.ownership import Ownership
from surveyor.crawl.detect.soft404 import Probe
from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.rendering import Rendering
from surveyor.crawl.pages.response import PageAnswer, ResponseReader, is_login
from surveyor.crawl.results import PageReason
from surveyor.crawl.session import SiteSession
from surveyor.crawl.sitemaps.handler import SitemapDates
from surveyor.frontier.changes import Taken
from surveyor.names import PageUrl, url_key
from surveyor.net.fetcher import Response
from surveyor.registry.cooldowns import Obstacle

# Pages of a visit whose texts are remembered, 10 MB; beyond that duplicates are kept.
_MOST_TEXTS = 100_000


_MOST_HOPS = 5


class Stored(NamedTuple):
    """A page to be stored, and what it brings."""

    taken: Taken
    answer: PageAnswer
    is_nothing: bool = False  # a page that says "not found": nothing of it is followed
    canonical: str | None = None  # another name of the page, to be fetched first
    feeds: Sequence[str] = ()
    sitemaps: Sequence[str] = ()


class Redirect(NamedTuple):
    """The answer leads to another URL of the domain."""

    answer: PageAnswer
    to: str | None  # to be offered in its place; none: it is not followed
    is_twin: bool = False  # the same target under another scheme or www: ask there, if the site moved
    moved: bool = False


class PageHandler:
    def __init__(
        self,
        session: SiteSession,
        reader: ResponseReader,
        detector: Detector,
        dates: SitemapDates,
        render: str,
    ) -> None:
        self._session, self._reader, self._detector, self._dates = session, reader, detector, dates
        self._render, self._rendering = render, cast(Rendering | None, None)
        self.probe = Probe(session, reader)
        self.ownership = Ownership(session, reader)
        self._keys_by_text: dict[int, int] = {}  # of pages that are their own canonical ones
        self._hops: dict[int, int] = {}

    async def read(self, taken: Taken, response: Response) -> Redirect | list[Stored]:
        """An answer that is no obstacle. Nothing, where it is held back until the domain's owner is known."""
        session = self._session
        wants_text = self.probe.wants_text(taken.target) or self._detector.wants_text(taken.target)
        wants_text = wants_text or self.ownership.wants_text(taken)
        url, now = session.site.page(taken.target), session.context.clock.now()
        answer = await self._reader.read(url, taken, response, now, want_text=wants_text)
        if answer.facts is not None and (answer.facts.needs_javascript or self._render == "always"):
            answer = await self._rendered(url, taken, response, answer)
        if taken.past is not None:
            answer.result.named_changed = self._dates.names_changed(taken)
        if answer.redirect is not None:
            return self._redirected(taken, answer, answer.redirect, session.learn_cookies(response))
        if answer.result.reason == PageReason.NOT_A_PAGE and (answer.result.content_type or "").startswith(
            "text/"
        ):
            self._detector.note_closed(taken.target)  # every page as a table, every event as a calendar
        session.failures.success()
        session.outcomes.successes += 1
        return [self._store(*each) for each in await self.ownership.weigh(taken, answer, response)]

    async def _rendered(
        self, url: PageUrl, taken: Taken, response: Response, answer: PageAnswer
    ) -> PageAnswer:
        """A page that is not yet what people see, unless it is not to be shown."""
        if self._render == "never" or answer.result.state != "done":
            return answer
        self._rendering = self._rendering or Rendering(self._session, self._reader)
        return await self._rendering.read(url, taken, response, answer)

    def let_go(self) -> list[Stored]:
        """No more pages come: what was held back is stored."""
        return [self._store(*each) for each in self.ownership.give_up()]

    def _redirected(self, taken: Taken, answer: PageAnswer, to: PageUrl, has_new_cookie: bool) -> Redirect:
        if is_login(to.target) and not is_login(taken.target):
            self._session.note_failure(Obstacle.LOGIN_REQUIRED)
            self._detector.note_closed(taken.target)
            answer.result.reason = PageReason.LOGIN
        else:
            self._session.failures.success()
        hops = self._hops.get(taken.key, 0) + 1
        if hops > _MOST_HOPS:
            answer.result.reason = PageReason.REDIRECT_LOOP
        elif to.target == taken.target:
            self._hops[taken.key] = hops
            moved = self._session.site.moved(to) or has_new_cookie
            return Redirect(answer, None, is_twin=True, moved=moved)
        elif answer.result.reason is PageReason.REDIRECT:
            self._hops[url_key(to.target)] = hops
            return Redirect(answer, to.target)
        return Redirect(answer, None)

    def _store(self, taken: Taken, answer: PageAnswer) -> Stored:
        facts = answer.facts
        if facts is None or facts.needs_javascript:
            return Stored(taken, answer)
        if self.probe.is_nothing(taken.target, facts):
            answer.result.worthless(PageReason.SOFT_404)
            return Stored(taken, answer, is_nothing=True)
        self._detector.learn(taken.target, facts)
        canonical = self._other_name(taken, answer, facts)
        if answer.result.foreign:
            parent = self._session.lease.domain.parent_domain
            answer.result.foreign = self._detector.honest(answer.result.foreign, parent)
        if taken.depth:  # what every page names, the first one does
            return Stored(taken, answer, False, canonical)
        return Stored(taken, answer, False, canonical, facts.feeds, facts.sitemaps)

    def _other_name(self, taken: Taken, answer: PageAnswer, facts: PageFacts) -> str | None:
        """A page that names another one is its duplicate once both were seen to say the same."""
        known = self._keys_by_text
        if answer.canonical is None:
            if facts.text_hash and len(known) < _MOST_TEXTS:  # a page without text says nothing
                known.setdefault(facts.text_hash, taken.key)
            return None
        if known.get(facts.text_hash) == url_key(answer.canonical):
            answer.result.worthless(PageReason.DUPLICATE, answer.canonical)
            return None
        return answer.canonical
