"""One domain under one lease: open its frontier, knock, fetch page after page, come to an outcome.

One request is in flight at a time. Before each the visit makes sure that its lease still
runs by the local clock and was not withdrawn; so it stops within one request. What it
learns goes into its outbox and becomes true with the next group commit.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import timedelta

from surveyor.crawl import troubles
from surveyor.crawl.answers import Answer, Reader, is_login
from surveyor.crawl.endings import Endings
from surveyor.crawl.hand import Hand, Known
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.plan import Plan
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.scope import Scope
from surveyor.crawl.site import Site, knock
from surveyor.crawl.store import visits as store
from surveyor.crawl.tools import Tools
from surveyor.crawl.traps import TrapWatch
from surveyor.errors import NetError
from surveyor.failpoints import failpoint
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL, GivenBack, NewUrl, Taken
from surveyor.names import DomainName, PageUrl, parse_url, url_key
from surveyor.net.fetcher import Response
from surveyor.net.pace import Pace, retry_after
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.net.robots import Robots, RobotsState
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

# URLs in a visit's hands; in flight means taken and not committed, so fewer is less to repeat.
_MOST_TAKEN = 32
_MOST_HOPS = 5
_ATTEMPTS = 3
_ATTEMPTS_PER_VISIT = 2
# A lease is believed for this share of its length without word from the database.
_BELIEVED = 0.8


class Stopped(Exception):
    """Nothing more is fetched; the outcome says why."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class Lost(Exception):
    """The lease is gone: nothing is written, nothing is released."""


class Visit:
    def __init__(self, tools: Tools, lease: Lease, plan: Plan) -> None:
        self.tools, self.lease, self.plan = tools, lease, plan
        self.no, self.epoch = lease.no, lease.epoch
        self.is_pending = (
            lease.domain.crawl_status is not CrawlStatus.ACTIVE
        )  # until its first page is stored
        domain = lease.domain
        self.domain = DomainName(domain.domain)
        self.site = Site(domain.domain, domain.start_url)
        self.scope = Scope(self.domain, tools.rules, images=plan.images)
        self.traps = TrapWatch()
        self.pace = Pace(plan.delay, max_delay=tools.settings.max_delay_seconds)
        self.troubles = troubles.Troubles(tools.settings.max_domain_errors, domain.consecutive_error_count)
        self.endings = Endings(tools.clock, self.pace, self.troubles, tools.run_id)
        self.outbox = Outbox()
        self._reader = Reader(self.scope, tools.rules, tools.agent, plan.images, tools.keep_captures)
        self._deadline = 0.0
        self.renewed()
        self._lost = False
        self._delivered = asyncio.Event()
        self._hand = Hand(plan.pages)
        self._known = Known()
        self._hops: dict[int, int] = {}
        self._failed_here: dict[int, int] = {}
        self._postponed: list[GivenBack] = []

    # -- what the worker and the committer say

    def renewed(self) -> None:
        self._deadline = self.tools.clock.ticks() + self.tools.settings.lease_seconds * _BELIEVED

    def lose(self) -> None:
        self._lost = True
        self._delivered.set()

    @property
    def is_lost(self) -> bool:
        return self._lost or self.tools.clock.ticks() >= self._deadline

    def take_outbox(self) -> Outbox | None:
        if self.outbox.is_empty:
            return None
        box, self.outbox = self.outbox, Outbox()
        self._hand.send(box.want)
        return box

    def deliver(self, taken: Sequence[Taken], granted: int) -> None:
        self.is_pending = self.is_pending and not self.endings.pages
        self._known.committed()
        self._hand.receive(taken, granted)
        self._delivered.set()

    # -- the visit

    async def run(self) -> Outcome:
        """Crawl until something ends it; returns what it came to."""
        try:
            await self._open()
            await self._knock()
            while True:
                taken = await self._next()
                await self._one(taken)
        except Stopped as end:
            return end.outcome

    async def _open(self) -> None:
        await self.tools.frontier.prepare(self.tools.db, self.no, self.epoch)
        async with self.tools.db.write() as tx:
            begun = await store.begin(tx, self.tools.frontier, self.lease, self.tools.run_id)
            row = await store.robots_of(tx, self.site.doors())
        failpoint("after_open")
        self._hand.budget -= begun.used_pages
        if row is not None:
            self.site.robots = Robots.from_row(row, self.tools.agent)
            self.site.origin = self.site.origin or row.origin
        domain = self.lease.domain
        wait: float | None = None
        if not self.lease.was_abandoned:
            left = domain.next_fetch_at - domain.read_at if domain.next_fetch_at else timedelta()
            wait = max(0.0, left.total_seconds())
        self.pace.resume(self.tools.clock.ticks(), wait)
        if begun.is_new:
            self._offer("/", 0, RANK_FIRST, None)

    async def _knock(self) -> None:
        robots, now = self.site.robots, self.tools.clock.now()
        if robots is None or robots.due(now):
            error = await knock(self.site, self.tools.fetcher, self.tools.agent, now, self._turn)
            self.pace.note_request(self.tools.clock.ticks())  # it was asked just now, and perhaps twice
            if error is not None:
                self.outbox.errors += 1
                raise Stopped(self.endings.unreachable(error))
            failpoint("after_robots")
            robots = self.site.robots
            assert robots is not None
            self.outbox.robots.append(robots.to_row())
        if robots.state in (RobotsState.UNAVAILABLE, RobotsState.DEFERRED):
            wait = max(0.0, (robots.expires_at - now).total_seconds())
            raise Stopped(self.endings.robots_shut(robots.state.value, wait))
        if robots.rules.denies_all:
            raise Stopped(self.endings.blocked(Obstacle.ROBOTS_DENIED, robots.rule_for("/")))
        self.pace.ask(robots.rules.delay)
        self.site.robots = robots.slim()

    async def _next(self) -> Taken:
        """The next URL in hand; asks for more before the last one is gone."""
        while not self._hand:
            self._check()
            if self.outbox.is_empty and (why := self._hand.why_empty()):
                raise Stopped(self._came_to_an_end(why))
            self.outbox.want += self._hand.ask(self._batch())
            self._delivered.clear()
            self.tools.committer.hurry()
            await self._delivered.wait()
        taken = self._hand.pop()
        if self._hand.runs_low <= self._batch() // 2:
            self.outbox.want += self._hand.ask(self._batch())
        return taken

    def _came_to_an_end(self, why: str) -> Outcome:
        return (
            self.endings.exhausted(bool(self._postponed)) if why == "exhausted" else self.endings.used_up(why)
        )

    def _batch(self) -> int:
        """As many URLs as are fetched in about two commits."""
        per_commit = 2 * self.tools.settings.commit_seconds / max(self.pace.delay, 0.001)
        return min(_MOST_TAKEN, max(1, math.ceil(per_commit)))

    async def _turn(self) -> None:
        """Wait until the site may be asked again; the lease must still hold then."""
        clock = self.tools.clock
        while (wait := self.pace.next_at(clock.ticks()) - clock.ticks()) > 0:
            await self._sleep(wait)
        self._check()
        self.pace.note_request(clock.ticks())

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but wake up when the worker stops."""
        try:
            async with asyncio.timeout(seconds):
                await self.tools.stopping.wait()
        except TimeoutError:
            return
        self._check()

    def _check(self) -> None:
        if self.is_lost:
            raise Lost
        if self.tools.stopping.is_set():
            raise Stopped(self.endings.interrupted())

    async def _one(self, taken: Taken) -> None:
        robots = self.site.robots
        assert robots is not None
        if not robots.allows(taken.target):
            self._end_unfetched(taken, PageReason.ROBOTS)
            return
        # Judged again: by now the watch has seen more of the site than when the link was found.
        if trap := self.traps.judge(taken.target):
            self._end_unfetched(taken, trap)
            return
        await self._turn()
        try:
            response = await self._fetch(taken)
        except NetError as error:
            self._hand.in_flight = None
            self._failed(taken, error)
            return
        failpoint("after_fetch")
        self._hand.in_flight = None
        self._answered(taken, response)

    async def _fetch(self, taken: Taken) -> Response:
        tools, url = self.tools, self.site.url(taken.target)
        headers = _conditions(taken)
        gate = tools.gate.alone() if taken.suspect else tools.gate.shared()
        async with gate, tools.addresses.slot(await tools.fetcher.address_of(url)):
            if taken.suspect:
                async with tools.db.write() as tx:
                    await tools.frontier.count_alone(tx, self.no, taken.key)
            if self.is_lost:
                raise Lost
            started = tools.clock.ticks()
            self.pace.note_request(started)
            try:
                response = await tools.fetcher.get(url, headers=headers, domain=self.domain)
            except NetError as error:
                self.pace.note_error(error.code, tools.clock.ticks())
                raise
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked, tools.clock.now()) if asked else None
            self.pace.note_response(response.status, response.answer_seconds, tools.clock.ticks(), wait)
            self.outbox.seconds += tools.clock.ticks() - started
            return response

    def _answered(self, taken: Taken, response: Response) -> None:
        obstacle = troubles.of_status(response.status)
        url = parse_url(self.site.url(taken.target), rules=self.tools.rules)
        now = self.tools.clock.now()
        if obstacle is not None:
            asked = response.headers.get("Retry-After")
            self._trouble(taken, obstacle, retry_after(asked, now) if asked else None)
            self._passing(taken, response.status, f"http_{response.status}", response.wire_bytes)
            return
        curious = self.traps.is_curious(taken.target)
        answer = self._reader.read(url, taken, response, now, want_text=curious)
        if answer.redirect is not None:
            self._redirected(taken, answer, answer.redirect)
            return
        self.troubles.success()
        self.endings.successes += 1
        self._store(taken, answer)

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
            self._offer(to.target, taken.depth, RANK_FIRST, taken)
        self._finish(answer.result)

    def _twin(self, taken: Taken, to: PageUrl, hops: int) -> None:
        """The same page under the site's other scheme or under www: go there, and stay there."""
        self._hops[taken.key] = hops
        if self.site.moved(to):
            self._hand.put_back(taken)
        else:
            self._end_unfetched(taken, PageReason.REDIRECT_LOOP)

    def _store(self, taken: Taken, answer: Answer) -> None:
        if answer.facts is not None and not answer.facts.needs_javascript:
            self.traps.learn(taken.target, answer.facts)
        for target, rank in answer.links:
            self._offer(target, taken.depth + 1, RANK_LATER if rank else RANK_NORMAL, taken)
        self._finish(answer.result)

    def _finish(self, result: PageResult) -> None:
        self.endings.pages += 1
        self.outbox.results.append(result)
        self.tools.committer.note_page()

    def _offer(self, target: str, depth: int, rank: int, found_on: Taken | None) -> None:
        """Put a URL of the domain before the frontier, unless it is known at this depth or less."""
        key = url_key(target)
        if self._known.has(key, depth):
            return
        self._known.offer(key, depth)
        cut = self._cut(target, depth, found_on)
        self.outbox.added.append(NewUrl(key, target, depth, rank, found_on.key if found_on else None, cut))

    def _cut(self, target: str, depth: int, found_on: Taken | None) -> str | None:
        if depth > self.plan.depth:
            return PageReason.DEPTH
        if not self.scope.worth_fetching(target):
            return PageReason.NOT_A_PAGE
        return self.traps.judge(target, found_on.target) if found_on else None

    # -- what goes wrong

    def _failed(self, taken: Taken, error: NetError) -> None:
        if error.code not in OUR_FAULT:
            obstacle = troubles.of_code(error.code)
            if obstacle is not None:
                self._trouble(taken, obstacle, None)
            elif error.code in _PAGE_ITSELF:
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
        if attempts >= _ATTEMPTS and attempts > failed_here:
            self._end_failed(taken, PageReason.FAILED, status, size)
        elif failed_here >= _ATTEMPTS_PER_VISIT:
            self._postponed.append(GivenBack(taken.key, attempts, True))
        else:
            self.outbox.given_back.append(GivenBack(taken.key, attempts, True))
        self._hand.refill_expected()
        verdict = self.troubles.verdict()
        if verdict is None and self.lease.domain.block_count and not self.endings.pages:
            verdict = troubles.of_status(status) if status else troubles.of_code(reason)
        if verdict is not None:
            raise Stopped(self.endings.blocked(verdict, reason))

    def _end_failed(self, taken: Taken, reason: str, status: int | None = None, size: int = 0) -> None:
        now, url = self.tools.clock.now(), self.site.url(taken.target)
        result = PageResult(
            taken.key, url, taken.target, taken.depth, "ended", now, reason, status, bytes=size
        )
        self._finish(result)

    def _end_unfetched(self, taken: Taken, reason: str) -> None:
        self._hand.in_flight = None
        now, url = self.tools.clock.now(), self.site.url(taken.target)
        result = PageResult(
            taken.key, url, taken.target, taken.depth, "ended", now, reason, was_fetched=False
        )
        self.outbox.results.append(result)
        self.outbox.unused += 1
        self._hand.budget += 1

    # -- how it ends

    def give_back(self) -> None:
        """Whatever is still in hand goes back where it was; for the last commit of the visit."""
        held = self._hand.empty()
        self.outbox.given_back += [*held, *self._postponed]
        self.outbox.unused += len(held)
        self.outbox.want = 0
        self._postponed = []

    @property
    def pages(self) -> int:
        return self.endings.pages

    @property
    def start_url(self) -> str | None:
        return f"{self.site.origin}/" if self.site.origin else None


# Failures of one answer that say nothing about the domain; asking again would bring the same.
_PAGE_ITSELF = frozenset(
    {
        Reason.TOO_LARGE,
        Reason.BAD_RESPONSE,
        Reason.DECOMPRESS_ERROR,
        Reason.BAD_URL,
        Reason.FORBIDDEN_ADDRESS,
        Reason.FORBIDDEN_PORT,
        Reason.FORBIDDEN_SCHEME,
    }
)


def _conditions(taken: Taken) -> dict[str, str] | None:
    """Ask only for what changed, where the last answer gave something to compare."""
    if not (taken.etag or taken.last_modified):
        return None
    headers = {}
    if taken.etag:
        headers["If-None-Match"] = taken.etag
    if taken.last_modified:
        headers["If-Modified-Since"] = taken.last_modified
    return headers
