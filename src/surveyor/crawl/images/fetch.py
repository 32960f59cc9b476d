"""The images of one visit: which its pages show, and fetching those of its own host, one at a time.

An image belongs to its own host and waits there, so a visit fetches what any domain's pages have
shown of this host. Images are fetched as politely as pages and before them, soon after the page that
shows them. They do not count as pages, and no links are followed from them.
"""

from __future__ import annotations

from collections import deque

from surveyor.archive import ArchiveError, NotAnImage
from surveyor.crawl import failures
from surveyor.crawl.images.outbox import ImageBox, ImageResult, Sighting
from surveyor.crawl.images.refs import LEAST_PIXELS
from surveyor.crawl.pages.response import PageAnswer
from surveyor.crawl.pages.scope import IMAGE_ENDINGS, ending
from surveyor.crawl.results import PageReason
from surveyor.crawl.session import SiteSession
from surveyor.errors import NetError
from surveyor.frontier.changes import GivenBack, Taken
from surveyor.names import PageUrl, parse_url, resolve, url_key
from surveyor.net import robots_meta
from surveyor.net.fetcher import Response
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.net.robots_meta import PageRobots
from surveyor.net.throttle import retry_after
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.store.release import Outcome

ACCEPT = "image/avif,image/webp,image/*;q=0.9,*/*;q=0.5"
_MOST_HOPS = 5
# One attempt on each of three visits: what fails twice within minutes tells nothing new.
_ATTEMPTS = 3
# Image URLs whose parts are remembered: logos and the like stand on every page.
_REMEMBERED = 10_000
_NOT_FOR_US = PageRobots.NOAI | PageRobots.NOIMAGEAI
# Answers that many hosts give to whoever asks for an image alone; they say nothing about its pages.
_OF_THE_IMAGE = (Obstacle.FORBIDDEN, Obstacle.LOGIN_REQUIRED)


class ImageHandler:
    def __init__(self, session: SiteSession, *, wanted: bool, only: bool) -> None:
        self._session = session
        self._wants = wanted and session.context.images is not None
        self.only = only  # the host is approved for nothing else
        self.postponed: list[GivenBack] = []
        self._queue: deque[Taken] = deque()
        self._in_flight: Taken | None = None
        self._asked = False  # for more, and not answered yet
        self._dry = not self._wants  # the last answer had less than was wanted
        self._places: dict[str, PageUrl] = {}
        self._twins: dict[int, int] = {}  # redirects to the same target under another scheme or www

    # -- URLs that were taken

    def __bool__(self) -> bool:
        return bool(self._queue)

    @property
    def is_dry(self) -> bool:
        """No image will come, once everything else is committed."""
        return self._dry and not self._asked

    def pop(self) -> Taken:
        self._in_flight = self._queue.popleft()
        return self._in_flight

    def ask(self, size: int) -> None:
        """Have so many taken; nothing while an answer is awaited."""
        if self._wants and not self._asked and size > len(self._queue):
            self._asked = True
            self._session.outbox.images.want = size - len(self._queue)

    def receive(self, committed: ImageBox) -> None:
        if committed.want:
            self._asked = False
            self._dry = len(committed.taken) < committed.want
            self._queue.extend(committed.taken)

    def give_back(self) -> None:
        """Whatever is taken goes back; for the last commit of the session."""
        held = [*self._queue, *([self._in_flight] if self._in_flight else [])]
        box = self._session.outbox.images
        box.given_back += [GivenBack(taken.key, taken.attempts, False) for taken in held]
        box.given_back += self.postponed
        box.want = 0
        self._queue.clear()
        self._in_flight, self.postponed = None, []

    # -- what pages show

    def see(self, page: Taken, answer: PageAnswer) -> list[tuple[str, int]]:
        """Note the images of a page that was read; returns its links to pages."""
        if not self._wants:
            return answer.links
        result = answer.result
        if answer.facts is None:
            if result.status == 304:
                self._session.outbox.images.unchanged.append((page.key, result.fetched_at))
            return answer.links
        shown = {ref.url: ref.alt for ref in answer.facts.images}
        pages = []
        for link in answer.links:
            if ending(link[0]) in IMAGE_ENDINGS:  # a picture's larger self
                shown.setdefault(self._session.site.url(link[0]), "")
            else:
                pages.append(link)
        if len(pages) < len(answer.links):
            result.links = [target for target in result.links if ending(target) not in IMAGE_ENDINGS]
        if not answer.facts.robots & _NOT_FOR_US:
            self._sight(page.key, shown, answer)
        return pages

    def _sight(self, page_key: int, shown: dict[str, str], answer: PageAnswer) -> None:
        self._dry = self._dry and not shown
        when, box = answer.result.fetched_at, self._session.outbox.images
        for url, alt in shown.items():
            place = self._place(url)
            host, key = self._host(place), url_key(place.target)
            box.sightings.append(Sighting(host, key, place.target, url, page_key, alt, when))

    def _host(self, url: PageUrl) -> str | None:
        return None if url.domain == self._session.domain else url.domain

    def _place(self, url: str) -> PageUrl:
        place = self._places.get(url)
        if place is None:
            if len(self._places) >= _REMEMBERED:
                self._places.clear()
            place = self._places[url] = parse_url(url, rules=self._session.context.rules)
        return place

    # -- fetching

    async def one(self, taken: Taken) -> Outcome | None:
        """Fetch one image. An outcome ends the session."""
        robots = self._session.site.robots
        assert robots is not None
        if not robots.allows(taken.target):
            result = self._result(taken, PageReason.ROBOTS)
            result.was_fetched = False
            self._finish(result)
            return None
        await self._session.turn()
        try:
            response = await self._session.fetch(taken, ACCEPT)
            failpoint("after_fetch")
            return await self._answered(taken, response)
        except NetError as error:
            return self._failed(taken, error)
        except ArchiveError as error:
            self._session.context.committer.fail(error)
            return None

    async def _answered(self, taken: Taken, response: Response) -> Outcome | None:
        session = self._session
        session.outbox.extra_bytes += response.wire_bytes
        obstacle = failures.of_status(response.status)
        if obstacle is not None and (self.only or obstacle not in _OF_THE_IMAGE):
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked, session.context.clock.now()) if asked else None
            return self._trouble(taken, obstacle, f"http_{response.status}", wait)
        result = self._result(taken, None)
        result.status, result.bytes = response.status, response.wire_bytes
        result.ms = int(response.seconds * 1000)
        if obstacle is None:
            session.failures.success()
            session.outcomes.successes += 1
        if response.status == 304:
            result.state, result.etag, result.last_modified = "done", taken.etag, taken.last_modified
        elif 300 <= response.status < 400:
            if not self._redirected(taken, response, result):
                return None
        elif not response.ok:
            gone = {404: PageReason.NOT_FOUND, 410: PageReason.GONE}
            result.reason = gone.get(response.status, PageReason.HTTP_ERROR)
        else:
            await self._look_at(response, result)
        self._finish(result)
        return None

    async def _look_at(self, response: Response, result: ImageResult) -> None:
        """Keep what is an image by its bytes and nobody asks to leave alone."""
        keeper = self._session.context.images
        assert keeper is not None
        asked = robots_meta.from_headers(
            response.headers.getall("X-Robots-Tag"), self._session.context.outside.agent.lower()
        )
        if asked & (_NOT_FOR_US | PageRobots.NOINDEX):
            result.reason = PageReason.NOAI if asked & _NOT_FOR_US else PageReason.NOINDEX
            return
        try:
            facts = await keeper.inspect(response.body)
        except NotAnImage as error:
            result.reason, result.detail = PageReason.NOT_AN_IMAGE, f"{error.reason}: {error.detail}"
            return
        if min(facts.width, facts.height) < LEAST_PIXELS:
            result.reason, result.detail = PageReason.TOO_SMALL, f"{facts.width} x {facts.height} pixels"
            return
        result.data, result.size = response.body, len(response.body)
        result.state, result.facts = "done", facts
        result.etag, result.last_modified = response.validators
        result.signals = _signals(asked, response)

    def _redirected(self, taken: Taken, response: Response, result: ImageResult) -> bool:
        """Follow it on its own host; False: to the same image under another scheme or www, which is next."""
        session = self._session
        to = resolve(result.url, response.location, session.context.rules) if response.location else None
        if to is None:
            result.reason = PageReason.HTTP_ERROR
        elif to.domain == session.domain and to.target == taken.target:
            hops = self._twins[taken.key] = self._twins.get(taken.key, 0) + 1
            if hops <= _MOST_HOPS and session.site.moved(to):
                self._in_flight = None
                self._queue.appendleft(taken)
                return False
            result.reason = PageReason.REDIRECT_LOOP
        elif taken.depth >= _MOST_HOPS:
            result.reason = PageReason.REDIRECT_LOOP
        else:
            result.reason, result.moved_to, result.hops = PageReason.REDIRECT, to, taken.depth + 1
            result.moved_host = self._host(to)
        return True

    # -- what goes wrong

    def _failed(self, taken: Taken, error: NetError) -> Outcome | None:
        if error.code == Reason.NO_NETWORK:  # the URL goes back as it was
            return self._session.outcomes.unreachable(error)
        if error.code in OUR_FAULT:
            self._passing(taken)
            return None
        obstacle = failures.of_code(error.code)
        if obstacle is not None:
            return self._trouble(taken, obstacle, error.code, None)
        self._finish(self._result(taken, error.code))  # asking again would bring the same
        return None

    def _trouble(self, taken: Taken, obstacle: Obstacle, message: str, wait: float | None) -> Outcome | None:
        session = self._session
        session.note_failure(obstacle, wait)
        verdict = session.failures.verdict()
        if session.lease.domain.block_count and not session.outcomes.has_any:
            verdict = obstacle  # it was only to be seen whether the obstacle is still there
        self._passing(taken)
        return session.outcomes.blocked(verdict, message) if verdict is not None else None

    def _passing(self, taken: Taken) -> None:
        attempts = taken.attempts + 1
        if attempts >= _ATTEMPTS:
            self._finish(self._result(taken, PageReason.FAILED))
            return
        self._in_flight = None
        self.postponed.append(GivenBack(taken.key, attempts, True))

    def _result(self, taken: Taken, reason: str | None) -> ImageResult:
        session = self._session
        return ImageResult(
            taken.key, session.site.url(taken.target), "ended", session.context.clock.now(), reason
        )

    def _finish(self, result: ImageResult) -> None:
        self._in_flight = None
        self._session.outcomes.images += 1
        self._session.outbox.images.results.append(result)
        self._session.context.committer.note_page(result.size)


def _signals(asked: PageRobots, response: Response) -> str | None:
    """What the headers say about the use of an image that is kept all the same."""
    reserved = response.headers.get("TDM-Reservation", "").strip() == "1"
    signals = [asked.words, "tdm-reservation" if reserved else ""]
    return ", ".join(word for word in signals if word) or None
