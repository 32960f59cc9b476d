"""One domain under one lease: open its frontier, probe_origin, fetch page after page, come to an outcome.

One request is in flight at a time. What the visit learns goes into its outbox and becomes true
with the next group commit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from surveyor.crawl import failures
from surveyor.crawl.context import WorkerContext
from surveyor.crawl.detect import Detector
from surveyor.crawl.detect.duplicates import Texts
from surveyor.crawl.detect.ownership import ChangedHands, Evidence, Ownership
from surveyor.crawl.detect.probe import Probe
from surveyor.crawl.images.fetch import ImageWork
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.response import Answer, Reader, is_login
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.plan import Plan
from surveyor.crawl.prefetch import Prefetch, SeenUrls
from surveyor.crawl.results import START, PageReason, PageResult
from surveyor.crawl.session import Asking, Stopped
from surveyor.crawl.sitemaps.dates import SitemapDates
from surveyor.crawl.sitemaps.handler import SitemapHandler, looks_like_a_list, named_by_robots
from surveyor.crawl.start import enter, resolve_origin
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL, GivenBack, NewUrl, Taken, UrlKind
from surveyor.frontier.revisits import Habits
from surveyor.names import PageUrl, url_key
from surveyor.net.fetcher import Response
from surveyor.net.pace import retry_after
from surveyor.net.reasons import OUR_FAULT
from surveyor.net.transport import REDIRECTS
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

# URLs in a visit's hands; in flight means taken and not committed, so fewer is less to repeat.
_MOST_TAKEN = 32
_MOST_HOPS = 5
_ATTEMPTS = 3
_ATTEMPTS_PER_VISIT = 2


class Visit(Asking):
    def __init__(self, tools: WorkerContext, lease: Lease, plan: Plan) -> None:
        super().__init__(tools, lease, plan)
        # Until its first page is stored: in a group that was committed, not just fetched.
        self.is_pending = lease.domain.crawl_status is not CrawlStatus.ACTIVE
        self._has_begun = not self.is_pending
        self.scope = Scope(self.domain, tools.rules, images=plan.images)
        self.reader = Reader(
            self.scope, tools.rules, tools.agent, plan.images, tools.keep_captures, tools.reader
        )
        self.traps = Detector()
        self.hand = Prefetch(plan.pages)
        self.lastmods = SitemapDates()
        self.habits = Habits(plan.revisit_hours, tools.expects_records and lease.domain.records_stored > 0)
        self._known = SeenUrls()
        self._lists = SitemapHandler(self)
        self._images = ImageWork(self, wanted=plan.images)
        self._probe = Probe(self)
        self.ownership = Ownership(self)
        self.evidence: Evidence | None = None  # that the domain is not whose it was
        self._hops: dict[int, int] = {}
        self._failed_here: dict[int, int] = {}
        self._texts = Texts()
        self._postponed: list[GivenBack] = []
        self._had_start = False  # the start page was answered once, or is not ours to ask for
        self._start_fails = False  # and it failed as often as any page may

    # -- what the worker and the committer say

    def take_outbox(self) -> Outbox | None:
        if self.outbox.is_empty:
            return None
        box, self.outbox = self.outbox, Outbox()
        self.hand.send(box.want)
        self._images.send(box.images)
        self._has_begun = self._has_begun or box.has_begun
        return box

    def deliver(self, taken: Sequence[Taken], granted: int) -> None:
        self.is_pending = not self._has_begun
        self._known.committed()
        self.hand.receive(taken, granted)
        self._images.receive()
        self._delivered.set()

    # -- the visit

    async def run(self) -> Outcome:
        """Crawl until something ends it; returns what it came to."""
        try:
            await self._open()
            await self._knock()
            while True:
                await self._any_in_hand()
                if self._images:
                    await self._one_image()
                else:
                    await self._one(self._next())
        except Stopped as end:
            return end.outcome
        except ChangedHands as found:
            self.evidence = found.evidence
            return self.endings.interrupted()

    async def _open(self) -> None:
        begun = await enter(self)
        self.hand.budget -= begun.used_pages
        self._bytes, self._seconds = begun.used_bytes, begun.used_seconds
        for target in begun.fetched:
            self.traps.note(target)
        self.ownership.begin(len(begun.fetched), begun.refreshing)
        known, schedule = begun.refreshing, self.tools.schedule
        self.lastmods.are_believed = schedule.believes_lastmod(known.lastmod_right, known.lastmod_wrong)
        self._had_start = begun.had_start
        if begun.images_only:
            self._images.only, self.hand.budget, self._had_start = True, 0, True
        elif begun.is_new:
            self.offer("/", 0, RANK_FIRST, None)

    async def _knock(self) -> None:
        robots = await resolve_origin(self)
        if self.plan.depth and not self._images.only:
            named = named_by_robots(self.site.url(""), robots.rules.sitemaps, self.scope)
            self._lists.offer(named, UrlKind.SITEMAP, None)

    async def _any_in_hand(self) -> None:
        """Have a URL in hand, of a page or an image; or come to an end."""
        if (overdrawn := self.plan.overdrawn(self._bytes, self._seconds)) is not None:
            raise Stopped(self.endings.used_up(overdrawn))
        while not (self.hand or self._images):
            self.check()
            if self.outbox.is_empty and self._images.is_dry and (why := self.hand.why_empty()):
                if not (held := self.ownership.give_up()):
                    raise Stopped(self._came_to_an_end(why))
                self._store_all(held)
            self.outbox.want += self.hand.ask(self._batch())
            self._images.ask(self._batch())
            await self.until_committed()
        if not self._images.is_dry:
            self._images.ask(self._batch() // 2)

    def _next(self) -> Taken:
        """The next page in hand; asks for more before the last one is gone."""
        taken = self.hand.pop()
        if self.hand.runs_low <= self._batch() // 2:
            self.outbox.want += self.hand.ask(self._batch())
        return taken

    def _came_to_an_end(self, why: str) -> Outcome:
        if why == "exhausted" or self._images.only:
            if not self._had_start:
                return self.endings.without_start_page(again_soon=not self._start_fails)
            return self.endings.exhausted(bool(self._postponed or self._images.postponed))
        if not self._had_start and any(back.key == url_key(START) for back in self._postponed):
            # Without its start page there is nothing else of the site to be had for any budget.
            return self.endings.refused() or self.endings.used_up(why)
        return self.endings.used_up(why)

    def _batch(self) -> int:
        """As many URLs as are fetched in about two commits."""
        per_commit = 2 * self.tools.settings.commit_seconds / max(self.pace.delay, 0.001)
        return min(_MOST_TAKEN, max(1, math.ceil(per_commit)))

    async def _one_image(self) -> None:
        outcome = await self._images.one(self._images.pop())
        if outcome is not None:
            raise Stopped(outcome)

    async def _one(self, taken: Taken) -> None:
        robots = self.site.robots
        assert robots is not None
        if not robots.allows(taken.target):
            self._end_unfetched(taken, PageReason.ROBOTS)
            return
        # Judged again: by now the watch has seen more of the site than when the link was found.
        is_new_page = taken.past is None and not taken.kind.is_list
        if is_new_page and (trap := self.traps.judge(taken.target)):
            self._end_unfetched(taken, trap)
            return
        await self._probe.ask()
        await self.turn()
        try:
            response = await self.fetch(taken)
        except NetError as error:
            if taken.kind.is_list:
                self._lists.failed(taken)
            else:
                self.hand.in_flight = None
                self._failed(taken, error)
            return
        failpoint("after_fetch")
        expected = taken.kind.is_list and response.status not in REDIRECTS
        if expected or looks_like_a_list(response):
            await self._lists.read(taken, response)
            self._had_start = self._had_start or taken.target == START
        else:
            self.hand.in_flight = None
            await self._answered(taken, response)

    async def _answered(self, taken: Taken, response: Response) -> None:
        obstacle = failures.of_status(response.status)
        url = self.site.page(taken.target, self.tools.rules)
        now = self.tools.clock.now()
        if obstacle is not None:
            asked = response.headers.get("Retry-After")
            self._trouble(taken, obstacle, retry_after(asked, now) if asked else None)
            self._passing(taken, response.status, f"http_{response.status}", response.wire_bytes)
            return
        curious = self._probe.wants_text(taken.target) or self.traps.is_curious(taken.target)
        curious = curious or self.ownership.wants_text(taken)
        self.hand.in_flight = taken  # a heavy page is read elsewhere, and the visit may end meanwhile
        answer = await self.reader.read(url, taken, response, now, want_text=curious)
        self.hand.in_flight = None
        answer.result.named_changed = self.lastmods.names_changed(taken)
        if answer.redirect is not None:
            self._redirected(taken, answer, answer.redirect)
            return
        self.troubles.success()
        self.endings.successes += 1
        self.hand.in_flight = taken  # until it may be stored
        answers = await self.ownership.weigh(taken, answer, response)
        self.hand.in_flight = None
        self._store_all(answers)

    def _redirected(self, taken: Taken, answer: Answer, to: PageUrl) -> None:
        if is_login(to.target) and not is_login(taken.target):
            self._trouble(taken, Obstacle.LOGIN_REQUIRED, None)
            answer.result.reason = PageReason.LOGIN
        else:
            self.troubles.success()
        hops = self._hops.get(taken.key, 0) + 1
        if hops > _MOST_HOPS:
            answer.result.reason = PageReason.REDIRECT_LOOP
        elif to.target == taken.target:
            self._twin(taken, to, hops)
            return
        elif answer.result.reason is PageReason.REDIRECT:
            self._hops[url_key(to.target)] = hops
            if taken.kind.is_list:
                self._lists.offer([to.target], taken.kind, taken)
            else:
                self.offer(to.target, taken.depth, RANK_FIRST, taken)
        if taken.kind.is_list:
            self.uncharge()
        self._finish(answer.result)

    def _twin(self, taken: Taken, to: PageUrl, hops: int) -> None:
        """The same page under the site's other scheme or under www: go there, and stay there."""
        self._hops[taken.key] = hops
        if self.site.moved(to):
            self.hand.put_back(taken)
        else:
            self._end_unfetched(taken, PageReason.REDIRECT_LOOP)

    def _store_all(self, answers: Sequence[tuple[Taken, Answer]]) -> None:
        for taken, answer in answers:
            self._store(taken, answer)

    def _store(self, taken: Taken, answer: Answer) -> None:
        facts = answer.facts
        if facts is not None and not facts.needs_javascript:
            if self._probe.is_nothing(taken.target, facts):
                self._finish(answer.result.worthless(PageReason.SOFT_404))
                return
            self.traps.learn(taken.target, facts)
            self._know_its_other_name(taken, answer, facts)
            if taken.depth == 0 and self.plan.depth:
                self._lists.offer(facts.feeds, UrlKind.FEED, taken)
            answer.result.foreign = self.traps.honest(answer.result.foreign, self.lease.domain.parent_domain)
        depth = taken.depth + 1
        for target, rank in self._images.see(taken, answer):
            if not self._known.was_met(target, depth):
                self.offer(target, depth, RANK_LATER if rank else RANK_NORMAL, taken)
        self._finish(answer.result)

    def _know_its_other_name(self, taken: Taken, answer: Answer, facts: PageFacts) -> None:
        """A page that names another one is its duplicate once both were seen to say the same."""
        if answer.canonical is not None:
            if self._texts.stands_at(facts.text_hash, answer.canonical):
                answer.result.worthless(PageReason.DUPLICATE, answer.canonical)
            else:
                self.offer(answer.canonical, taken.depth, RANK_NORMAL, taken)
        else:
            self._texts.remember(facts.text_hash, taken.key)

    def _finish(self, result: PageResult) -> None:
        if result.was_answered:
            self.endings.pages += 1
            self._had_start = self._had_start or result.target == START
        self.outbox.results.append(result)
        self.tools.committer.note_page()

    def offer(self, target: str, depth: int, rank: int, found_on: Taken | None) -> None:
        """Put a URL of the domain before the frontier, unless it is known at this depth or less."""
        key = url_key(target)
        if self._known.has(key, depth):
            return
        self._known.offer(key, depth)
        cut = self._cut(target, depth, found_on)
        self.outbox.added.append(NewUrl(key, target, depth, rank, found_on.key if found_on else None, cut))

    def offer_list(self, target: str, kind: UrlKind, found_on: Taken | None) -> None:
        """A list of pages is fetched whatever its name and depth."""
        key = url_key(target)
        if not self._known.has(key, 0):
            self._known.offer(key, 0)
            on = found_on.key if found_on else None
            self.outbox.added.append(NewUrl(key, target, 0, RANK_NORMAL, on, kind=kind))

    def uncharge(self) -> None:
        """What was taken was no page."""
        self.outbox.unused += 1
        self.hand.budget += 1

    async def until_committed(self) -> None:
        self._delivered.clear()
        self.tools.committer.flush_soon()
        await self._delivered.wait()
        self.check()

    def _cut(self, target: str, depth: int, found_on: Taken | None) -> str | None:
        if depth > self.plan.depth:
            return PageReason.DEPTH
        if not self.scope.worth_fetching(target):
            return PageReason.NOT_A_PAGE
        if found_on is None:
            return None
        return self.traps.judge(target, None if found_on.kind.is_list else found_on.target)

    # -- what goes wrong

    def _failed(self, taken: Taken, error: NetError) -> None:
        if error.code not in OUR_FAULT:
            obstacle = failures.of_code(error.code)
            if obstacle is not None:
                self._trouble(taken, obstacle, None)
            elif error.code in failures.PAGE_ITSELF:
                if self._must_be_had(taken):
                    self._postpone(taken, taken.attempts + 1)
                else:
                    self._end_failed(taken, error.code)
                return
        self._passing(taken, None, error.code, 0)

    def _trouble(self, taken: Taken, obstacle: Obstacle, wait: float | None) -> None:
        self.troubles.add(obstacle, wait)
        self.outbox.errors += 1

    def _passing(self, taken: Taken, status: int | None, reason: str, size: int) -> None:
        """Back to the end of the frontier; three attempts over at least two visits, then it ends."""
        failed_here = self._failed_here[taken.key] = self._failed_here.get(taken.key, 0) + 1
        attempts = taken.attempts + 1
        is_last = attempts >= _ATTEMPTS and attempts > failed_here
        if is_last and not self._must_be_had(taken):
            self._end_failed(taken, PageReason.FAILED, status, size)
        elif is_last or failed_here >= _ATTEMPTS_PER_VISIT:
            self._postpone(taken, attempts)
        else:
            self.outbox.given_back.append(GivenBack(taken.key, attempts, True))
        self.hand.refill_expected()
        is_probed = self.lease.domain.block_count and not self.endings.pages
        verdict = self.troubles.verdict()
        if verdict is None and (is_probed or (is_last and self._must_be_had(taken))):
            verdict = failures.of_status(status) if status else failures.of_code(reason)
        if verdict is not None:
            raise Stopped(self.endings.blocked(verdict, reason))

    def _must_be_had(self, taken: Taken) -> bool:
        """A start page that was never had, or that fails while nothing else was answered, stays waiting."""
        if taken.target != START:
            return False
        return not self._had_start or self.troubles.in_a_row >= _ATTEMPTS

    def _postpone(self, taken: Taken, attempts: int) -> None:
        """To another visit."""
        self._start_fails = self._start_fails or (taken.target == START and attempts >= _ATTEMPTS)
        self._postponed.append(GivenBack(taken.key, attempts, True))

    def _end_failed(self, taken: Taken, reason: str, status: int | None = None, size: int = 0) -> None:
        result = self._ended(taken, reason)
        result.status, result.bytes = status, size
        self._finish(result)

    def _end_unfetched(self, taken: Taken, reason: str) -> None:
        self.hand.in_flight = None
        result = self._ended(taken, reason)
        result.was_fetched = False
        self._had_start = self._had_start or (taken.target == START and reason == PageReason.ROBOTS)
        self.outbox.results.append(result)
        self.uncharge()

    def _ended(self, taken: Taken, reason: str) -> PageResult:
        now, url = self.tools.clock.now(), self.site.url(taken.target)
        result = PageResult(taken.key, url, taken.target, taken.depth, "ended", now, reason)
        return result.keep_what_was(taken)

    # -- how it ends

    def give_back(self) -> None:
        """Whatever is still in hand goes back where it was; for the last commit of the visit."""
        held = self.hand.empty()
        doubtful = {
            taken.key: GivenBack(taken.key, taken.attempts, False) for taken, _ in self.ownership.give_up()
        }
        doubtful |= {back.key: back for back in held}
        self.outbox.given_back += [*doubtful.values(), *self._postponed]
        self.outbox.unused += len(held)
        self.outbox.want = 0
        self._postponed = []
        self._images.give_back()

    @property
    def pages(self) -> int:
        return self.endings.pages

    @property
    def start_url(self) -> str | None:
        return f"{self.site.origin}/" if self.site.origin else None
