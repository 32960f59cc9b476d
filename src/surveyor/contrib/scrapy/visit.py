"""One domain that Scrapy crawls under one lease: the URLs it holds, its budget, its errors, how it ends.

It is what the committer calls a visitor. Requests go out through the scheduler; what came of them goes into
the outbox, which becomes true with the next group commit.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import partial
from uuid import UUID

from surveyor.clock import Clock
from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.crawl.failures import Failures, Outcomes, Retries
from surveyor.crawl.member import Delivery, Member, Outbox
from surveyor.crawl.plan import Plan
from surveyor.crawl.prefetch import Prefetch, SeenUrls
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.store.visits import Begun
from surveyor.errors import NetError
from surveyor.frontier.changes import GivenBack, NewUrl, Taken
from surveyor.frontier.revisits import Habits
from surveyor.net.reasons import Reason
from surveyor.net.throttle import Throttle
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome
from surveyor.settings import CrawlSettings

# URLs in a visit's hands; in flight means taken and not committed, so fewer is less to repeat.
_MOST_TAKEN = 32
# A lease is believed for so much of its time.
_BELIEVED = 0.9


class _Member(Member):
    """Its side of the group commit. Scrapy asks without waiting, so it says when something has come."""

    def __init__(self, lease: Lease, plan: Plan, on_delivery: Callable[[], None]) -> None:
        domain = lease.domain
        habits = Habits(plan.revisit_hours, domain.records_stored > 0)
        is_pending = domain.crawl_status is not CrawlStatus.ACTIVE
        super().__init__(lease.no, lease.epoch, habits, is_pending=is_pending)
        self._on_delivery = on_delivery

    def deliver(self, delivery: Delivery) -> None:
        super().deliver(delivery)
        self._on_delivery()


class Hold:
    """One domain under one lease, as the watch over leases sees it, and where the site is reached."""

    def __init__(
        self, lease: Lease, plan: Plan, run: UUID, settings: CrawlSettings, clock: Clock, member: Member
    ) -> None:
        self.lease, self._clock, self._seconds = lease, clock, settings.lease_seconds
        self.member = member
        self.pace = Throttle(plan.delay, max_delay=settings.max_delay_seconds)
        start = lease.domain.start_url
        self.origin = start.rstrip("/") if start else f"https://{lease.domain.domain}"
        self.failures = Failures(settings.max_domain_errors, lease.domain.consecutive_error_count)
        self.outcomes = Outcomes(clock, self.pace, self.failures, run)
        self.is_handed_over = False
        self.renewed(lease.asked_at)

    def renewed(self, asked_at: float) -> None:
        self._deadline = asked_at + self._seconds * _BELIEVED

    def hand_over(self) -> None:
        self.is_handed_over = True

    @property
    def is_lost(self) -> bool:
        return self.member.is_lost or self._clock.ticks() >= self._deadline


class _Ready:
    """URLs taken and not sent yet: the highest priority first, then in the frontier's order."""

    def __init__(self, priority_of: Callable[[Taken], int]) -> None:
        self._priority_of = priority_of
        self._heap: list[tuple[int, int, Taken]] = []
        self._order = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, taken: Taken) -> None:
        self._order += 1
        heapq.heappush(self._heap, (-self._priority_of(taken), self._order, taken))

    def pop(self) -> Taken:
        return heapq.heappop(self._heap)[2]

    def empty(self) -> list[Taken]:
        held, self._heap = [taken for _, _, taken in self._heap], []
        return held


class Backlog:
    """Pages of all visits of a process that Scrapy is done with, and that are not committed: a kill repeats
    them."""

    def __init__(self) -> None:
        self.pages = 0


class ScrapyVisit:
    def __init__(
        self,
        lease: Lease,
        plan: Plan,
        run: UUID,
        begun: Begun,
        settings: CrawlSettings,
        clock: Clock,
        priority_of: Callable[[int, Taken], int],
        on_delivery: Callable[[], None],
        backlog: Backlog,
    ) -> None:
        self.plan = plan
        self._backlog = backlog
        member = _Member(lease, plan, self._delivered)
        self.session = Hold(lease, plan, run, settings, clock, member)
        self.in_hand: dict[int, ScrapyPage] = {}
        self._seen = SeenUrls()
        self._prefetch = Prefetch(plan.pages - begun.used_pages)
        self._ready = _Ready(partial(priority_of, lease.no))
        self._retries = Retries(self.session.failures)
        self._retries.had_start = True  # a spider begins where it likes
        self._others: list[Taken] = []  # URLs that wait for another spider
        self._on_delivery = on_delivery
        # Until the site has answered it is asked for one page alone: of several first requests Scrapy would
        # make some before it has read robots.txt.
        self.has_answered = False
        self._waiting = 0  # of the backlog, those of this domain
        self._stop: Outcome | None = None
        self.ask()

    @property
    def no(self) -> int:
        return self.session.lease.no

    @property
    def domain(self) -> str:
        return self.session.lease.domain.domain

    @property
    def member(self) -> Member:
        return self.session.member

    @property
    def outbox(self) -> Outbox:
        return self.member.outbox

    @property
    def outcomes(self) -> Outcomes:
        return self.session.outcomes

    def _delivered(self) -> None:
        """A commit brought something."""
        for delivery in self.member.receive():
            self._prefetch.receive(delivery)
            self._wait(-len(delivery.box.results) - len(delivery.box.given_back))
        while self._prefetch:
            self._ready.push(self._prefetch.pop())
        self._prefetch.in_flight = None
        self.ask()
        self._on_delivery()

    # -- URLs

    def knows(self, key: int, depth: int) -> bool:
        """For sure; others may be known too."""
        return key in self.in_hand or self._seen.has(key, depth)

    def add(self, url: NewUrl) -> None:
        """A URL that was found."""
        if url.key in self.in_hand or not self._seen.add(url.key, url.depth):
            return
        self.outbox.added.append(url)
        self.ask()

    @property
    def has_next(self) -> bool:
        return bool(self._ready) and not self._is_stopped

    def next(self) -> ScrapyPage:
        taken = self._ready.pop()
        page = self.in_hand[taken.key] = ScrapyPage(self.domain, taken)
        self.ask()
        return page

    @property
    def may_bring_more(self) -> bool:
        """Whether requests may come of it without any that is under way."""
        if self._is_stopped:
            return False
        return bool(self._ready) or not self.outbox.is_empty or self._prefetch.why_empty() is None

    @property
    def _is_stopped(self) -> bool:
        return self._stop is not None or self.session.is_lost or self.session.is_handed_over

    def ask(self) -> None:
        """Hold URLs; what is dry is asked again only when something may have come in."""
        found_more = self.outbox.found_more
        if self._is_stopped or len(self._ready) > _MOST_TAKEN // 2:
            return
        if found_more or self._prefetch.why_empty() is None:  # a run without budget would deny it for ever
            self.outbox.want += self._prefetch.ask(_MOST_TAKEN - len(self._ready), found_more=found_more)

    # -- what came of them

    def finish(self, page: ScrapyPage) -> None:
        """The page and everything it led to is safe with the next commit."""
        taken, result = page.taken, page.result
        if taken is None or self.in_hand.pop(taken.key, None) is None or result is None:
            return
        result.links, result.foreign = page.links, page.foreign
        if result.reason == PageReason.LOGIN:
            self._note_failure(Obstacle.LOGIN_REQUIRED)
        elif result.was_fetched:
            self.session.failures.success()
            self.outcomes.successes += 1
        self.outcomes.pages += result.was_answered
        self._end(result)

    def failed(
        self, page: ScrapyPage, result: PageResult, obstacle: Obstacle, wait: float | None = None
    ) -> None:
        """For a reason that may pass: back to the end of the queue, or over. Perhaps it blocks the domain."""
        taken = page.taken
        if taken is None or self.in_hand.pop(taken.key, None) is None:
            return
        self._note_failure(obstacle, wait)
        retry = self._retries.failed(taken)
        if retry.ends:
            self._end(result.keep_what_was(taken))
        elif retry.back is not None:
            self._put_back(retry.back)
            self.ask()

    def end_unfetched(self, page: ScrapyPage, result: PageResult) -> None:
        """Somebody on the way decided not to ask: robots.txt, a filter of the project's own."""
        taken = page.taken
        if taken is None or self.in_hand.pop(taken.key, None) is None:
            return
        result.was_fetched = False
        self._end(result.keep_what_was(taken))
        self.outbox.unused += 1
        self._prefetch.budget += 1

    def lose_network(self, page: ScrapyPage) -> None:
        """This machine has none: the page goes back as it was, and the visit ends for a while."""
        taken = page.taken
        if taken is None or self.in_hand.pop(taken.key, None) is None:
            return
        self._put_back(GivenBack(taken.key, taken.attempts, False))
        self.outbox.unused += 1
        self._stop = self._stop or self.outcomes.unreachable(NetError(Reason.NO_NETWORK, self.domain))

    def leave(self, page: ScrapyPage) -> None:
        """It waits for another spider; until the visit ends it stays taken, so as not to be taken again."""
        assert page.taken is not None
        del self.in_hand[page.taken.key]
        self._others.append(page.taken)
        self._prefetch.budget += 1
        self.ask()

    def _note_failure(self, obstacle: Obstacle, wait: float | None = None) -> None:
        self.session.failures.add(obstacle, wait)
        self.outbox.errors += 1
        verdict = self.session.failures.verdict()
        is_probed = self.session.lease.domain.block_count and not self.outcomes.pages
        if verdict is None and is_probed:
            verdict = obstacle
        if verdict is not None:
            self._stop = self.outcomes.blocked(verdict, None)

    def _end(self, result: PageResult) -> None:
        self.outbox.results.append(result)
        self._wait(1)

    def _put_back(self, *urls: GivenBack) -> None:
        self.outbox.given_back += urls
        self._wait(len(urls))

    def _wait(self, more: int) -> None:
        self._waiting += more
        self._backlog.pages += more

    def forget(self) -> None:
        """It is no longer this process that commits what came of it."""
        self._wait(-self._waiting)
        self._backlog = Backlog()  # a commit under way may answer yet

    # -- how it ends

    def outcome(self) -> Outcome | None:
        """What it came to; none while it goes on."""
        if self.in_hand:
            return None
        if self.session.is_handed_over:
            return self.outcomes.handed_over()
        if self._stop is not None:
            return self._stop
        why = self._prefetch.why_empty()
        if self._ready or not self.outbox.is_empty or why is None:
            return None
        if why == "exhausted":
            return self.outcomes.exhausted(bool(self._retries.postponed or self._others))
        return self.outcomes.used_up(why)

    def interrupted(self) -> Outcome:
        return self._stop or self.outcomes.interrupted()

    def give_back(self) -> None:
        """Whatever is still taken goes back where it was; for the last commit of the visit."""
        held = [page.taken for page in self.in_hand.values() if page.taken is not None]
        held += [*self._ready.empty(), *self._others]
        self._others = []
        self._put_back(*(GivenBack(taken.key, taken.attempts, False) for taken in held))
        self._put_back(*self._retries.postponed)
        self.outbox.unused += len(held)
        self.outbox.want = 0
        self.in_hand.clear()
        self._stop = self._stop or self.outcomes.interrupted()  # nothing more is asked for
