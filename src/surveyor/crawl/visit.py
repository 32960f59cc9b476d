"""One domain under one lease: open its frontier, find its origin, fetch URL after URL, come to an outcome.

One request is in flight at a time. The visit passes URLs to the handlers of pages, sitemaps and images, and
what they return into its outbox, which becomes true with the next group commit. docs/visit.md has a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from surveyor.crawl import failures
from surveyor.crawl.context import WorkerContext
from surveyor.crawl.detect import Detector
from surveyor.crawl.detect.ownership import ChangedHands, Evidence
from surveyor.crawl.failures import Retries, Retry
from surveyor.crawl.images.fetch import ImageHandler
from surveyor.crawl.pages.handler import PageHandler, Redirect, Stored
from surveyor.crawl.pages.response import ResponseReader
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.plan import Plan
from surveyor.crawl.prefetch import Prefetch, UrlOffers
from surveyor.crawl.recheck import Recheck
from surveyor.crawl.results import START, PageReason, PageResult
from surveyor.crawl.session import SiteSession, Stopped, open_domain, resolve_origin
from surveyor.crawl.sitemaps.handler import (
    FREE_LISTS,
    SLICE,
    ReadList,
    SitemapDates,
    SitemapHandler,
    looks_like_a_list,
    named_by_robots,
)
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL, GivenBack, NewUrl, Taken, UrlKind
from surveyor.net.fetcher import Response
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.net.throttle import retry_after
from surveyor.net.transport import REDIRECTS
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.store.release import Outcome

# URLs that a visit takes at once; in flight means taken and not committed, so fewer is less to repeat.
_MOST_TAKEN, _LEAST_TAKEN = 32, 4
_TOO_BUSY = 503


class Visit:
    def __init__(self, context: WorkerContext, lease: Lease, plan: Plan) -> None:
        self.session = session = SiteSession(context, lease, plan)
        self.plan = plan
        self.evidence: Evidence | None = None  # that the domain has another owner
        self._scope = scope = Scope(session.domain, context.rules, images=plan.images)
        self._detector = detector = Detector()
        reader = ResponseReader(
            scope, context.rules, context.outside.agent, plan.images, context.wanted.captures, context.reader
        )
        self._dates = SitemapDates()
        self._offers = UrlOffers(scope, detector, plan.depth)
        self._prefetch = Prefetch(plan.pages)
        self._retries = Retries(session.failures)
        self._recheck = Recheck(session)
        self._pages = PageHandler(session, reader, detector, self._dates, plan.render)
        self._sitemaps = SitemapHandler(session, scope)
        self._images: ImageHandler | None = None  # where none are wanted
        self._lists_read = 0

    async def run(self) -> Outcome:
        """Crawl until something ends it; returns what it came to."""
        try:
            await self._begin()
            while True:
                await self._wait_for_url()
                if self._images:
                    await self._fetch_image(self._images)
                else:
                    taken = self._prefetch.pop()
                    if len(self._prefetch) <= self._batch() // 2:
                        self._ask()  # before the last one is gone
                    await self._fetch_url(taken)
        except Stopped as end:
            return end.outcome
        except ChangedHands as found:
            self.evidence = found.evidence
            return self.session.outcomes.interrupted()

    async def _begin(self) -> None:
        session = self.session
        begun = await open_domain(session)
        self._prefetch.budget -= begun.used_pages
        session.bytes, session.seconds = begun.used_bytes, begun.used_seconds
        for target in begun.fetched:
            self._detector.note(target)
        self._pages.ownership.begin(len(begun.fetched), begun.refreshing)
        known, schedule = begun.refreshing, session.context.schedule
        self._dates.are_believed = schedule.believes_lastmod(known.lastmod_right, known.lastmod_wrong)
        self._retries.had_start = begun.had_start or begun.images_only
        self._recheck.begin(begun.fetched, had_start=begun.had_start)
        session.outcomes.has_kept = bool(begun.fetched)
        if self.plan.images or begun.images_only:
            self._images = ImageHandler(session, wanted=self.plan.images, only=begun.images_only)
        if begun.images_only:
            self._prefetch.budget = 0
        elif begun.is_new:
            self._add(self._offers.page(START, 0, RANK_FIRST, None))
        origin = await resolve_origin(session)
        if origin.fetched is not None:
            self.session.outbox.robots.append(origin.fetched)
        if self.plan.depth and not begun.images_only:
            named = named_by_robots(session.site.url(""), origin.robots.rules.sitemaps, self._scope)
            session.outbox.added += self._offers.lists(named, UrlKind.SITEMAP, None)

    async def _wait_for_url(self) -> None:
        """Have a URL to fetch, of a page or an image; or come to an end."""
        session, images = self.session, self._images
        if (overdrawn := self.plan.overdrawn(session.bytes, session.seconds)) is not None:
            raise Stopped(session.outcomes.used_up(overdrawn))
        self._receive()
        while not (self._prefetch or images):
            session.check()
            is_all_said = session.outbox.is_empty and not session.member.is_under_way
            is_dry = is_all_said and (images is None or images.is_dry)
            if is_dry and (why := self._prefetch.why_empty()):
                if not (held := self._pages.let_go()):
                    raise Stopped(await self._final_outcome(why))
                self._store(held)
            self._ask()
            if images is not None:
                images.ask(self._batch())
            await self._until_committed()
        if images is not None and not images.is_dry:
            images.ask(self._batch() // 2)

    def _ask(self) -> None:
        """For more URLs, with the next commit."""
        outbox = self.session.outbox
        outbox.want += self._prefetch.ask(self._batch(), found_more=outbox.found_more)

    async def _final_outcome(self, why: str) -> Outcome:
        outcomes, retries, images = self.session.outcomes, self._retries, self._images
        if (refused := outcomes.refused()) is not None and refused.obstacle is not None:
            await self._recheck.still_answers(refused.obstacle)
        if why == "exhausted" or (images is not None and images.only):
            if not retries.had_start:
                return outcomes.without_start_page(again_soon=not retries.start_fails)
            return outcomes.exhausted(bool(retries.postponed or (images is not None and images.postponed)))
        if not retries.had_start and retries.is_start_postponed():
            # Without its start page there is nothing else of the site to be had for any budget.
            return outcomes.refused() or outcomes.used_up(why)
        return outcomes.used_up(why)

    def _batch(self) -> int:
        """As many URLs as are fetched in about two commits; a few more where a site is asked seldom, for each
        look at its frontier costs as much as a page."""
        per_commit = 2 * self.session.context.settings.commit_seconds / max(self.session.pace.delay, 0.001)
        return min(_MOST_TAKEN, max(_LEAST_TAKEN, math.ceil(per_commit)))

    async def _until_committed(self) -> None:
        self._receive()
        await self.session.context.committer.until_committed(self.session.member)
        self.session.check()
        self._receive()

    def _receive(self) -> None:
        """Take what commits brought."""
        for delivery in self.session.member.receive():
            self._prefetch.receive(delivery)
            if self._images is not None:
                self._images.receive(delivery.box.images)

    # -- one URL

    async def _fetch_image(self, images: ImageHandler) -> None:
        outcome = await images.one(images.pop())
        if outcome is not None:
            raise Stopped(outcome)
        if self.session.context.committer.is_full:
            await self._until_committed()

    async def _fetch_url(self, taken: Taken) -> None:
        if (why := self._why_not(taken)) is not None:
            self._end_unfetched(taken, why)
            return
        if self._pages.probe.is_due:  # once, how the site says "not found"
            await self._pages.probe.ask()
        await self.session.turn()
        try:
            response = await self.session.fetch(taken)
        except NetError as error:
            if error.code == Reason.NO_NETWORK:  # the URL in flight goes back as it was
                raise Stopped(self.session.outcomes.unreachable(error)) from error
            if taken.kind.is_list:
                await self._store_list(self._sitemaps.failed(taken))
            else:
                self._prefetch.in_flight = None
                await self._failed(taken, error)
            return
        failpoint("after_fetch")
        expected = taken.kind.is_list and response.status not in REDIRECTS
        if expected or looks_like_a_list(response):
            await self._store_list(await self._sitemaps.read(taken, response))
        else:
            await self._page_answered(taken, response)

    def _why_not(self, taken: Taken) -> str | None:
        """Why a URL is not asked for; none: it is."""
        robots = self.session.site.robots
        assert robots is not None
        if not robots.allows(taken.target):
            return PageReason.ROBOTS
        # Judged again: by now the detector has seen more of the site than when the link was found.
        is_new_page = taken.past is None and not taken.kind.is_list
        return self._detector.judge(taken.target) if is_new_page else None

    async def _page_answered(self, taken: Taken, response: Response) -> None:
        obstacle = failures.of_answer(response)
        if obstacle is not None:
            self._prefetch.in_flight = None
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked, self.session.context.clock.now()) if asked else None
            self.session.note_failure(obstacle, wait)
            if failures.is_refusal(response.status) and self._recheck.gave_more_than_start:
                self._detector.note_closed(taken.target)
            reason = f"http_{response.status}"
            await self._retry(taken, obstacle, response.status, reason, response.wire_bytes)
            return
        handled = await self._pages.read(taken, response)
        self._prefetch.in_flight = None
        if response.ok:
            self._recheck.remember(taken.target)
        if isinstance(handled, Redirect):
            self._follow(taken, handled)
        else:
            self._store(handled)

    def _follow(self, taken: Taken, redirect: Redirect) -> None:
        if redirect.is_twin:
            if redirect.moved:
                self._prefetch.put_back(taken)
            else:
                self._end_unfetched(taken, PageReason.REDIRECT_LOOP)
            return
        if redirect.to is not None and taken.kind.is_list:
            self.session.outbox.added += self._offers.lists([redirect.to], taken.kind, taken)
        elif redirect.to is not None:
            self._add(self._offers.page(redirect.to, taken.depth, RANK_FIRST, taken))
        if taken.kind.is_list:
            self._uncharge()
        self._finish(redirect.answer.result)

    def _store(self, pages: Iterable[Stored]) -> None:
        for page in pages:
            taken, answer = page.taken, page.answer
            if not page.is_nothing:
                if page.canonical is not None:
                    self._add(self._offers.page(page.canonical, taken.depth, RANK_NORMAL, taken))
                if self.plan.depth:
                    added = self.session.outbox.added
                    added += self._offers.lists(page.feeds, UrlKind.FEED, taken)
                    added += self._offers.lists(page.sitemaps, UrlKind.SITEMAP, taken)
                was_met, depth = self._offers.was_met, taken.depth + 1
                links = answer.links if self._images is None else self._images.see(taken, answer)
                for target, rank in links:
                    if not was_met(target, depth):
                        later = RANK_LATER if rank else RANK_NORMAL
                        self._add(self._offers.page(target, depth, later, taken))
            self._finish(answer.result)

    async def _store_list(self, read: ReadList) -> None:
        """What a list names is offered in slices: one transaction stays short."""
        taken = read.taken
        for start in range(0, len(read.pages), SLICE):
            if start:
                await self._until_committed()
            some = read.pages[start : start + SLICE]
            for target in some:
                self._add(self._offers.page(target, 1, RANK_NORMAL, taken))
            dated = {target: read.dates[target] for target in some if target in read.dates}
            self.session.outbox.named += self._dates.note(dated)
        if (kind := taken.kind.of_children) is not None:  # else they are not followed
            self.session.outbox.added += self._offers.lists(read.lists, kind, taken)
        self._prefetch.in_flight = None
        if read.result is not None:
            self._retries.note(read.result)
            self.session.outbox.results.append(read.result)
        elif read.back is not None:
            later = self._retries.postponed if read.is_postponed else self.session.outbox.given_back
            later.append(read.back)
        # A list is no page. One too many costs a page all the same, so that a visit of nothing else ends.
        self._lists_read += 1
        if self._lists_read <= FREE_LISTS:
            self._uncharge()

    # -- what goes into the outbox

    def _add(self, url: NewUrl | None) -> None:
        if url is not None:
            self.session.outbox.added.append(url)

    def _finish(self, result: PageResult) -> None:
        outcomes = self.session.outcomes
        if result.was_answered:
            outcomes.pages += 1
        outcomes.has_kept = outcomes.has_kept or result.state == "done"
        self._retries.note(result)
        self.session.outbox.results.append(result)
        self.session.context.committer.note_page(len(result.capture.body) if result.capture else 0)

    def _uncharge(self) -> None:
        """What was taken was no page."""
        self.session.outbox.unused += 1
        self._prefetch.budget += 1

    # -- what goes wrong

    async def _failed(self, taken: Taken, error: NetError) -> None:
        obstacle = failures.of_code(error.code)
        if error.code not in OUR_FAULT:
            if obstacle is not None:
                self.session.note_failure(obstacle)
            elif error.code in failures.PAGE_ITSELF:
                if self._retries.unreadable(taken).ends:
                    self._finish(self._ended(taken, error.code))
                return
        await self._retry(taken, obstacle, None, error.code, 0)

    async def _retry(
        self, taken: Taken, obstacle: Obstacle | None, status: int | None, reason: str, size: int
    ) -> None:
        """Back to the end of the frontier, or over; and perhaps the domain is blocked."""
        retry = self._retries.failed(taken, status)
        if retry.ends:
            result = self._ended(taken, PageReason.FAILED)
            result.status, result.bytes = status, size
            self._finish(result)
        elif retry.back is not None:
            self.session.outbox.given_back.append(retry.back)
        await self._stop_if_blocked(retry, obstacle, status, reason)

    async def _stop_if_blocked(
        self, retry: Retry, obstacle: Obstacle | None, status: int | None, reason: str
    ) -> None:
        session = self.session
        verdict = session.failures.verdict()
        has_answered = session.outcomes.pages or session.outcomes.successes
        is_probed = session.lease.domain.block_count and not has_answered
        if verdict is None and (is_probed or retry.blocks):
            verdict = obstacle
        if verdict is None:
            return
        # A server with too much to do is left alone; each such answer doubles the delay, up to an hour.
        if retry.blocks or status == _TOO_BUSY or not await self._recheck.still_answers(verdict):
            raise Stopped(session.outcomes.blocked(verdict, reason))

    def _end_unfetched(self, taken: Taken, reason: str) -> None:
        self._prefetch.in_flight = None
        result = self._ended(taken, reason)
        result.was_fetched = False
        self._retries.note(result)
        self.session.outbox.results.append(result)
        self._uncharge()

    def _ended(self, taken: Taken, reason: str) -> PageResult:
        now, url = self.session.context.clock.now(), self.session.site.url(taken.target)
        result = PageResult(taken.key, url, taken.target, taken.depth, "ended", now, reason)
        return result.keep_what_was(taken)

    # -- how it ends

    def give_back(self) -> None:
        """Whatever is still taken goes back where it was; for the last commit of the visit."""
        self._receive()
        held, outbox = self._prefetch.empty(), self.session.outbox
        doubtful = {
            taken.key: GivenBack(taken.key, taken.attempts, False)
            for taken, _ in self._pages.ownership.give_up()
        }
        doubtful |= {back.key: back for back in held}
        outbox.given_back += [*doubtful.values(), *self._retries.postponed]
        outbox.unused += len(held)
        outbox.want = 0
        if self._images is not None:
            self._images.give_back()

    @property
    def held_back(self) -> list[PageResult]:
        """What was fetched and not stored, because the domain may be another's."""
        return self._pages.ownership.results
