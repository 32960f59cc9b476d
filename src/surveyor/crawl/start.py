"""How a visit begins: the frontier is opened under the lease, then the origin that answers is found."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from surveyor.crawl.session import SiteSession, Stopped
from surveyor.crawl.site import probe_origin
from surveyor.crawl.store.visits import Begun
from surveyor.net.robots import Robots, RobotsRow, RobotsState
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease


class Origin(NamedTuple):
    """How the site is reached, and what its robots.txt says."""

    robots: Robots
    fetched: RobotsRow | None  # none: what was known still serves


async def open_domain(session: SiteSession) -> Begun:
    """Open the frontier; what is known of robots.txt and of politeness is taken up."""
    context, lease = session.context, session.lease
    begun, row = await context.openings.open(lease, session.site.origins())
    failpoint("after_open")
    if row is not None:
        session.site.robots = Robots.from_row(row, context.outside.agent)
        session.site.origin = session.site.origin or row.origin
    session.pace.resume(context.clock.ticks(), _wait(lease))
    return begun


def _wait(lease: Lease) -> float | None:
    """Seconds that politeness still asks for; None after a holder that did not give the domain back."""
    if lease.waits_full_delay:
        return None
    domain = lease.domain
    left = domain.next_fetch_at - domain.read_at if domain.next_fetch_at else timedelta()
    return max(0.0, left.total_seconds())


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
    if robots.state in (RobotsState.UNAVAILABLE, RobotsState.DEFERRED):
        wait = max(0.0, (robots.expires_at - now).total_seconds())
        raise Stopped(session.outcomes.robots_shut(robots.state.value, wait))
    if robots.rules.denies_all:
        raise Stopped(session.outcomes.blocked(Obstacle.ROBOTS_DENIED, robots.rule_for("/")))
    session.pace.ask(robots.rules.delay)
    session.site.robots = robots.slim()
    return Origin(robots, fetched)
