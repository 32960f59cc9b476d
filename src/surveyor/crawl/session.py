"""Requests to one site: one at a time, with the site's delay, and only while the lease holds.

Before each request the lease must still run by the local clock and not have been withdrawn; so a
visit stops within one request. Suspects are fetched alone, and requests at once to one address are limited.
A session begins by opening the frontier under the lease; then it finds the origin that answers.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NamedTuple

from surveyor.crawl.context import WorkerContext
from surveyor.crawl.cookies import Cookies
from surveyor.crawl.failures import Failures, Outcomes
from surveyor.crawl.member import Member, Outbox
from surveyor.crawl.pages.response import conditions
from surveyor.crawl.plan import Plan
from surveyor.crawl.store.visits import Begun
from surveyor.errors import NetError
from surveyor.frontier.changes import Taken
from surveyor.frontier.revisits import Habits
from surveyor.names import DomainName, PageUrl
from surveyor.net.fetcher import ACCEPT_PAGES, Response
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.net.robots import Getter, Robots, RobotsRow, fetch_robots
from surveyor.net.throttle import Throttle, retry_after
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

# Failures after which another origin may be tried.
_NO_TLS = frozenset({Reason.CONNECTION_REFUSED, Reason.CONNECTION_RESET, Reason.TIMEOUT, Reason.BAD_RESPONSE})
_OTHER_SERVER = frozenset(
    {Reason.DNS_FAILURE, Reason.CONNECTION_REFUSED, Reason.CONNECTION_RESET, Reason.TIMEOUT}
)


class Site:
    """One domain's origins. `origin` is where pages are asked for, such as https://www.example.org.

    https comes first; http only where nothing speaks TLS. A certificate that does not hold is no reason to
    go without one: there is no silent downgrade.
    """

    def __init__(self, domain: str, start_url: str | None) -> None:
        self.domain = DomainName(domain)
        self.origin: str | None = start_url.rstrip("/") if start_url else None
        self.robots: Robots | None = None

    def page(self, target: str) -> PageUrl:
        """The URL of a canonical target, without parsing it: an origin is canonical, and of the domain."""
        scheme, _, host = self.url("").partition("://")
        return PageUrl(scheme, host, self.domain, target)

    def url(self, target: str) -> str:
        assert self.origin is not None
        return self.origin + target

    def moved(self, to: PageUrl) -> bool:
        """Follow the site to its other scheme or to www; says whether anything changed."""
        origin = f"{to.scheme}://{to.host}"
        changed = origin != self.origin
        self.origin = origin
        return changed

    def origins(self) -> list[str]:
        """Origins to try, in order."""
        if self.origin is not None:
            return [self.origin]
        plain = [f"https://{self.domain}", f"http://{self.domain}"]
        return [*plain, f"https://www.{self.domain}", f"http://www.{self.domain}"]


async def probe_origin(
    site: Site, getter: Getter, agent: str, now: datetime, before: Callable[[], Awaitable[None]]
) -> NetError | None:
    """Find the origin that answers and read its robots.txt; the error if none does.

    `before` is awaited before every request: politeness holds for origins too.
    """
    first: NetError | None = None
    previous: NetError | None = None
    for origin in site.origins():
        if not _worth_trying(origin, site, previous):
            continue
        await before()
        robots = await fetch_robots(getter, origin, agent, now, site.robots, domain=site.domain)
        if robots.error is None:
            site.origin, site.robots = origin, robots
            return None
        previous = robots.error
        if previous.code in OUR_FAULT:
            return previous  # what came before it may have been our own fault as well
        first = first or previous
        if site.robots is not None and robots.rules is site.robots.rules and not site.robots.is_shut:
            return None  # a young copy serves
    return first


def _worth_trying(origin: str, site: Site, previous: NetError | None) -> bool:
    if previous is None:
        return True
    if origin == f"https://www.{site.domain}":
        # The bare name often leads to another server, or to none, or the certificate is for www alone.
        return previous.code in _OTHER_SERVER or is_bad_certificate(previous)
    if previous.code == Reason.TLS_ERROR:
        return not is_bad_certificate(previous)
    if previous.code == Reason.DNS_FAILURE:
        return origin.startswith("http://www.")
    return previous.code in _NO_TLS


def is_bad_certificate(error: NetError) -> bool:
    return error.code == Reason.TLS_ERROR and "certificate" in error.detail


# A lease is believed for this share of its length without word from the database.
_BELIEVED = 0.8


class Stopped(Exception):
    """Nothing more is fetched; the outcome says why."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class Lost(Exception):
    """The lease is gone: nothing is written, nothing is released."""


class SiteSession:
    """One domain under one lease, and the way to its site."""

    def __init__(self, context: WorkerContext, lease: Lease, plan: Plan) -> None:
        self.context, self.lease = context, lease
        domain = lease.domain
        self.domain = DomainName(domain.domain)
        self.site = Site(domain.domain, domain.start_url)
        self.cookies: Cookies | None = None  # until a redirect sets one
        self.pace = Throttle(plan.delay, max_delay=context.settings.max_delay_seconds)
        self.failures = Failures(context.settings.max_domain_errors, domain.consecutive_error_count)
        self.outcomes = Outcomes(context.clock, self.pace, self.failures, context.run_id)
        self.bytes, self.seconds = 0, 0.0  # what the domain has cost in this run
        habits = Habits(plan.revisit_hours, context.wanted.records and domain.records_stored > 0)
        is_pending = domain.crawl_status is not CrawlStatus.ACTIVE
        self.member = Member(lease.no, lease.epoch, habits, is_pending=is_pending)
        self.is_handed_over = False  # to a worker that has none
        self.renewed(lease.asked_at)

    @property
    def outbox(self) -> Outbox:
        """What goes into the next group commit."""
        return self.member.outbox

    def note_failure(self, obstacle: Obstacle, wait: float | None = None) -> None:
        """An error that counts against the domain; `wait` is what the site asked for, in seconds."""
        self.failures.add(obstacle, wait)
        self.outbox.errors += 1

    def renewed(self, asked_at: float) -> None:
        """The lease runs from when the database was asked, not from when its answer was read."""
        self._deadline = asked_at + self.context.settings.lease_seconds * _BELIEVED

    def hand_over(self) -> None:
        """End at the next request, so that somebody else can go on."""
        self.is_handed_over = True
        self.member.is_to_end.set()

    @property
    def is_lost(self) -> bool:
        return self.member.is_lost or self.context.clock.ticks() >= self._deadline

    async def turn(self) -> None:
        """Wait until the site may be asked again; the lease must still hold then."""
        clock = self.context.clock
        while (wait := self.pace.next_at(clock.ticks()) - clock.ticks()) > 0:
            # The event loop counts in milliseconds: anything less would make it spin.
            await self.member.is_to_end.sleep(math.ceil(wait * 1000) / 1000)
            if self.member.is_to_end.is_set:
                self.check()
        self.check()
        self.pace.note_request(clock.ticks())

    def check(self) -> None:
        if self.is_lost:
            raise Lost
        if self.context.stopping.is_set():
            raise Stopped(self.outcomes.interrupted())
        if self.is_handed_over:
            raise Stopped(self.outcomes.handed_over())

    async def fetch(self, taken: Taken, accept: str = ACCEPT_PAGES) -> Response:
        context, url = self.context, self.site.url(taken.target)
        headers = conditions(taken) if taken.etag or taken.last_modified else {}
        if self.cookies is not None and (cookie := self.cookies.header) is not None:
            headers["Cookie"] = cookie
        outside = context.outside
        gate = outside.gate.alone() if taken.suspect else outside.gate
        async with gate, outside.addresses.slot(await outside.fetcher.address_of(url)):
            if taken.suspect:
                async with context.db.write() as tx:
                    await context.frontier.count_alone(tx, self.lease.no, taken.key)
            if self.is_lost:
                raise Lost
            started = context.clock.ticks()
            self.pace.note_request(started)
            try:
                response = await outside.fetcher.get(url, headers=headers, accept=accept, domain=self.domain)
            except NetError as error:
                self.pace.note_error(error.code, context.clock.ticks())
                raise
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked, context.clock.now()) if asked else None
            self.pace.note_response(response.status, response.answer_seconds, context.clock.ticks(), wait)
            self._note_cost(response.wire_bytes, context.clock.ticks() - started)
            return response

    def learn_cookies(self, redirect: Response) -> bool:
        """Keep what a redirect sets; says whether the next request differs from the last one."""
        self.cookies = self.cookies or Cookies()
        return self.cookies.learn(redirect)

    async def fetch_for_page(self, url: str) -> Response:
        """What a page asks for while a browser shows it; its cost is the domain's, whoever answers."""
        context, started = self.context, self.context.clock.ticks()
        async with context.outside.addresses.slot(await context.outside.fetcher.address_of(url)):
            self.check()
            response = await context.outside.fetcher.get(url, accept="*/*", domain=self.domain)
        self._note_cost(response.wire_bytes, context.clock.ticks() - started)
        self.outbox.extra_bytes += response.wire_bytes
        return response

    def _note_cost(self, size: int, seconds: float) -> None:
        self.bytes += size
        self.seconds += seconds
        self.outbox.seconds += seconds


class Origin(NamedTuple):
    """How the site is reached, and what its robots.txt says."""

    robots: Robots
    fetched: RobotsRow | None  # none: what was known still serves


async def open_domain(session: SiteSession) -> Begun:
    """Open the frontier; what is known of robots.txt and of politeness is taken up."""
    context, lease = session.context, session.lease
    begun, row = await context.opener.open(lease, session.site.origins())
    failpoint("after_open")
    if row is not None:
        session.site.robots = Robots.from_row(row, context.outside.agent)
        session.site.origin = session.site.origin or row.origin
    # What politeness still asks for; not known after a holder that did not give the domain back.
    domain, wait = lease.domain, None if lease.waits_full_delay else 0.0
    if wait is not None and domain.next_fetch_at is not None:
        wait = max(0.0, (domain.next_fetch_at - domain.read_at).total_seconds())
    session.pace.resume(context.clock.ticks(), wait)
    return begun


async def resolve_origin(session: SiteSession) -> Origin:
    """The robots.txt that holds; a site that denies everything, or does not answer, ends the session."""
    context, robots, now = session.context, session.site.robots, session.context.clock.now()
    outside, fetched = context.outside, None
    if robots is None or robots.due(now):
        error = await probe_origin(session.site, outside.fetcher, outside.agent, now, session.turn)
        session.pace.note_request(context.clock.ticks())  # it was asked just now, and perhaps twice
        if error is not None:
            session.outbox.errors += 1
            raise Stopped(session.outcomes.unreachable(error))
        failpoint("after_robots")
        robots = session.site.robots
        assert robots is not None
        fetched = robots.to_row()
    if robots.is_shut:
        wait = max(0.0, (robots.expires_at - now).total_seconds())
        raise Stopped(session.outcomes.robots_shut(robots.state.value, wait))
    if robots.rules.denies_all:
        raise Stopped(session.outcomes.blocked(Obstacle.ROBOTS_DENIED, robots.rule_for("/")))
    session.pace.ask(robots.rules.delay)
    session.site.robots = robots._replace(body=b"")  # its row has it; many are kept in memory
    return Origin(robots, fetched)
