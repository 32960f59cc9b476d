"""One domain under one lease: open its frontier, knock, fetch page after page, come to an outcome.

One request is in flight at a time. Before each the visit makes sure that its lease still
runs by the local clock and was not withdrawn; so it stops within one request. What it
learns goes into its outbox and becomes true with the next group commit.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from surveyor.crawl import troubles
from surveyor.crawl.answers import Answer, Reader, conditions, ended_by, is_login
from surveyor.crawl.endings import Endings
from surveyor.crawl.hand import Hand, Known
from surveyor.crawl.images import ImageWork
from surveyor.crawl.lists import MAX_LEVEL, Lists, named_by_robots, read_list
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.page import PageFacts
from surveyor.crawl.plan import Plan
from surveyor.crawl.probe import Probe
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.scope import Scope
from surveyor.crawl.site import Site, knock
from surveyor.crawl.store import visits as store
from surveyor.crawl.tools import Tools
from surveyor.crawl.traps import TrapWatch
from surveyor.errors import NetError
from surveyor.failpoints import failpoint
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL, GivenBack, NewUrl, Taken
from surveyor.names import DomainName, PageUrl, url_key
from surveyor.net.fetcher import ACCEPT_PAGES, Response
from surveyor.net.pace import Pace, retry_after
from surveyor.net.reasons import OUR_FAULT
from surveyor.net.robots import Robots, RobotsState
from surveyor.net.transport import REDIRECTS
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

# URLs in a visit's hands; in flight means taken and not committed, so fewer is less to repeat.
_MOST_TAKEN = 32
_MOST_HOPS = 5
_ATTEMPTS = 3
_ATTEMPTS_PER_VISIT = 2
# URLs of a list offered between two commits; one transaction stays short.
_SLICE = 2_000
# Pages of a visit whose texts are remembered, 10 MB; beyond that duplicates are kept.
_TEXTS = 100_000
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
        self.renewed(lease.asked_at)
        self._lost = False
        self._delivered = asyncio.Event()
        self._hand = Hand(plan.pages)
        self._bytes, self._seconds = 0, 0.0  # of the domain in this run
        self._known = Known()
        self._lists = Lists()
        self._probe = Probe(domain.domain)
        self._hops: dict[int, int] = {}
        self._failed_here: dict[int, int] = {}
        self._texts: dict[int, int] = {}  # what pages of this visit say, by the hash of their text
        self._postponed: list[GivenBack] = []
        self._images = ImageWork(self, self._fetch, self._turn, wanted=plan.images)

    # -- what the worker and the committer say

    def renewed(self, asked_at: float) -> None:
        """The lease runs from when the database was asked, not from when its answer was read."""
        self._deadline = asked_at + self.tools.settings.lease_seconds * _BELIEVED

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
        self._images.send(box.images)
        return box

    def deliver(self, taken: Sequence[Taken], granted: int) -> None:
        self.is_pending = self.is_pending and not self.endings.has_any
        self._known.committed()
        self._hand.receive(taken, granted)
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

    async def _open(self) -> None:
        await self.tools.frontier.prepare(self.tools.db, self.no, self.epoch)
        async with self.tools.db.write() as tx:
            begun = await store.begin(tx, self.tools.frontier, self.lease, self.tools.run_id)
            row = await store.robots_of(tx, self.site.doors())
        failpoint("after_open")
        self._hand.budget -= begun.used_pages
        self._bytes, self._seconds = begun.used_bytes, begun.used_seconds
        if row is not None:
            self.site.robots = Robots.from_row(row, self.tools.agent)
            self.site.origin = self.site.origin or row.origin
        domain = self.lease.domain
        wait: float | None = None
        if not self.lease.was_abandoned:
            left = domain.next_fetch_at - domain.read_at if domain.next_fetch_at else timedelta()
            wait = max(0.0, left.total_seconds())
        self.pace.resume(self.tools.clock.ticks(), wait)
        for target in begun.fetched:
            self.traps.note(target)
        if begun.images_only:
            self._images.only, self._hand.budget = True, 0
        elif begun.is_new:
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
        if self.plan.depth and not self._images.only:
            named = named_by_robots(self.site.url(""), robots.rules.sitemaps, self.scope)
            self._offer_lists(named, 1, None)
        self.site.robots = robots.slim()

    async def _any_in_hand(self) -> None:
        """Have a URL in hand, of a page or an image; or come to an end."""
        if (overdrawn := self.plan.overdrawn(self._bytes, self._seconds)) is not None:
            raise Stopped(self.endings.used_up(overdrawn))
        while not (self._hand or self._images):
            self._check()
            if self.outbox.is_empty and self._images.is_dry and (why := self._hand.why_empty()):
                raise Stopped(self._came_to_an_end(why))
            self.outbox.want += self._hand.ask(self._batch())
            self._images.ask(self._batch())
            self._delivered.clear()
            self.tools.committer.hurry()
            await self._delivered.wait()
        if not self._images.is_dry:
            self._images.ask(self._batch() // 2)

    def _next(self) -> Taken:
        """The next page in hand; asks for more before the last one is gone."""
        taken = self._hand.pop()
        if self._hand.runs_low <= self._batch() // 2:
            self.outbox.want += self._hand.ask(self._batch())
        return taken

    def _came_to_an_end(self, why: str) -> Outcome:
        if why == "exhausted" or self._images.only:
            return self.endings.exhausted(bool(self._postponed or self._images.postponed))
        return self.endings.used_up(why)

    def _batch(self) -> int:
        """As many URLs as are fetched in about two commits."""
        per_commit = 2 * self.tools.settings.commit_seconds / max(self.pace.delay, 0.001)
        return min(_MOST_TAKEN, max(1, math.ceil(per_commit)))

    async def _turn(self) -> None:
        """Wait until the site may be asked again; the lease must still hold then."""
        clock = self.tools.clock
        while (wait := self.pace.next_at(clock.ticks()) - clock.ticks()) > 0:
            # The event loop counts in milliseconds: anything less would make it spin.
            await self._sleep(math.ceil(wait * 1000) / 1000)
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
        if taken.target not in self._lists and (trap := self.traps.judge(taken.target)):
            self._end_unfetched(taken, trap)
            return
        await self._ask_for_nothing()
        await self._turn()
        try:
            response = await self._fetch(taken)
        except NetError as error:
            if taken.target in self._lists:
                self._list_failed(taken, error.code)
            else:
                self._hand.in_flight = None
                self._failed(taken, error)
            return
        failpoint("after_fetch")
        if self._lists.recognise(taken.target, response) and response.status not in REDIRECTS:
            await self._listed(taken, response)
        else:
            self._hand.in_flight = None
            self._answered(taken, response)

    async def _fetch(self, taken: Taken, accept: str = ACCEPT_PAGES) -> Response:
        tools, url = self.tools, self.site.url(taken.target)
        headers = conditions(taken)
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
                response = await tools.fetcher.get(url, headers=headers, accept=accept, domain=self.domain)
            except NetError as error:
                self.pace.note_error(error.code, tools.clock.ticks())
                raise
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked, tools.clock.now()) if asked else None
            self.pace.note_response(response.status, response.answer_seconds, tools.clock.ticks(), wait)
            self._note_cost(response.wire_bytes, tools.clock.ticks() - started)
            return response

    def _note_cost(self, size: int, seconds: float) -> None:
        self._bytes += size
        self._seconds += seconds
        self.outbox.seconds += seconds

    def _answered(self, taken: Taken, response: Response) -> None:
        obstacle = troubles.of_status(response.status)
        url = self.site.page(taken.target, self.tools.rules)
        now = self.tools.clock.now()
        if obstacle is not None:
            asked = response.headers.get("Retry-After")
            self._trouble(taken, obstacle, retry_after(asked, now) if asked else None)
            self._passing(taken, response.status, f"http_{response.status}", response.wire_bytes)
            return
        curious = self._probe.wants_text(taken.target) or self.traps.is_curious(taken.target)
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
            if taken.target in self._lists:
                self._offer_lists([to.target], self._lists.level(taken.target), taken)
            else:
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
        facts = answer.facts
        if facts is not None and not facts.needs_javascript:
            if self._probe.is_nothing(taken.target, facts):
                self._finish(answer.result.worthless(PageReason.SOFT_404))
                return
            self.traps.learn(taken.target, facts)
            self._know_its_other_name(taken, answer, facts)
            if taken.depth == 0 and self.plan.depth:
                self._offer_lists(facts.feeds, MAX_LEVEL, taken)
            answer.result.foreign = self._not_made_up(answer.result.foreign)
        depth = taken.depth + 1
        for target, rank in self._images.see(taken, answer):
            if not self._known.was_met(target, depth):
                self._offer(target, depth, RANK_LATER if rank else RANK_NORMAL, taken)
        self._finish(answer.result)

    def _know_its_other_name(self, taken: Taken, answer: Answer, facts: PageFacts) -> None:
        """A page that names another one is its duplicate once both were seen to say the same."""
        if answer.canonical is not None:
            if facts.text_hash and self._texts.get(facts.text_hash) == url_key(answer.canonical):
                answer.result.worthless(PageReason.DUPLICATE, answer.canonical)
            else:
                self._offer(answer.canonical, taken.depth, RANK_NORMAL, taken)
        elif len(self._texts) < _TEXTS:
            self._texts.setdefault(facts.text_hash, taken.key)

    def _not_made_up(self, foreign: list[str]) -> list[str]:
        """Links to other domains, without those that a server makes up below the site's own name."""
        own = "." + self.lease.domain.parent_domain
        return [url for url in foreign if own not in url or not self.traps.judge_foreign(_host(url))]

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
        if found_on is None:
            return None
        return self.traps.judge(target, None if found_on.target in self._lists else found_on.target)

    # -- lists of pages, and pages that are none

    def _offer_lists(self, targets: Sequence[str], level: int, found_on: Taken | None) -> None:
        on = found_on.key if found_on else None
        for target in self._lists.add(targets, level):
            if not self._known.has(key := url_key(target), 0):
                self._known.offer(key, 0)
                self.outbox.added.append(NewUrl(key, target, 0, RANK_NORMAL, on))

    async def _listed(self, taken: Taken, response: Response) -> None:
        """A sitemap or feed was asked for: what it names is one link away from the start."""
        if troubles.of_status(response.status) is not None:
            self._list_failed(taken, f"http_{response.status}", response)
            return
        if not response.ok:
            self._end_list(taken, ended_by(response.status), response)
            return
        url = self.site.page(taken.target, self.tools.rules)
        listed = await asyncio.to_thread(read_list, response.body, response.content_type, url, self.scope)
        for start in range(0, len(listed.pages), _SLICE):
            if start:
                await self._until_committed()
            for target in listed.pages[start : start + _SLICE]:
                self._offer(target, 1, RANK_NORMAL, taken)
        self._offer_lists(listed.lists, self._lists.level(taken.target) + 1, taken)
        self._end_list(taken, listed.reason, response, [*listed.pages, *listed.lists])

    async def _until_committed(self) -> None:
        self._delivered.clear()
        self.tools.committer.hurry()
        await self._delivered.wait()
        self._check()

    def _list_failed(self, taken: Taken, reason: str, response: Response | None = None) -> None:
        """A list that cannot be had says nothing about the pages; it is asked for again, later."""
        if taken.attempts + 1 >= _ATTEMPTS:
            self._end_list(taken, PageReason.FAILED, response)
            return
        self._hand.in_flight = None
        self.outbox.given_back.append(GivenBack(taken.key, taken.attempts + 1, True))
        self._uncharge()
        self._hand.refill_expected()

    def _end_list(
        self, taken: Taken, reason: str, response: Response | None, links: Sequence[str] = ()
    ) -> None:
        url = self.site.url(taken.target)
        result = PageResult(taken.key, url, taken.target, 0, "ended", self._now, reason)
        result.is_page, result.links = False, list(links)
        if response is not None:
            result.status, result.bytes = response.status, response.wire_bytes
            result.ms = int(response.seconds * 1000)
        self._hand.in_flight = None
        self.outbox.results.append(result)
        self._uncharge()

    def _uncharge(self) -> None:
        """What was taken was no page."""
        self.outbox.unused += 1
        self._hand.budget += 1

    async def _ask_for_nothing(self) -> None:
        """Find out how the site says "not found", once that may matter."""
        while (target := self._probe.next()) is not None:
            assert self.site.robots is not None
            if self.site.robots.allows(target):
                await self._turn()
                self._probe.answered(await self._nothing_at(target))
            else:
                self._probe.answered(None)

    async def _nothing_at(self, target: str) -> PageFacts | None:
        taken = Taken(url_key(target), target, 0, RANK_NORMAL, 0, 0, None, None)
        try:
            response = await self._fetch(taken)
        except NetError:
            return None
        self.outbox.extra_bytes += response.wire_bytes
        if response.status != 200:
            return None
        url = self.site.page(target, self.tools.rules)
        return self._reader.read(url, taken, response, self._now, want_text=True).facts

    # -- what goes wrong

    def _failed(self, taken: Taken, error: NetError) -> None:
        if error.code not in OUR_FAULT:
            obstacle = troubles.of_code(error.code)
            if obstacle is not None:
                self._trouble(taken, obstacle, None)
            elif error.code in troubles.PAGE_ITSELF:
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
        self._uncharge()

    @property
    def _now(self) -> datetime:
        return self.tools.clock.now()

    # -- how it ends

    def give_back(self) -> None:
        """Whatever is still in hand goes back where it was; for the last commit of the visit."""
        held = self._hand.empty()
        self.outbox.given_back += [*held, *self._postponed]
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


def _host(url: str) -> str:
    return url.split("/", 3)[2]
