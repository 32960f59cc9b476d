"""How a visit begins: the frontier is opened under the lease, then the site's door is found."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

from surveyor.crawl.context import WorkerContext
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.outcomes import Outcomes
from surveyor.crawl.session import Stopped
from surveyor.crawl.site import Site, probe_origin
from surveyor.crawl.store import visits as store
from surveyor.crawl.store.visits import Begun
from surveyor.net.pace import Pace
from surveyor.net.robots import Robots, RobotsState
from surveyor.process.failpoints import failpoint
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Lease


class Visiting(Protocol):
    """What is known here of the visit."""

    tools: WorkerContext
    lease: Lease
    site: Site
    pace: Pace
    endings: Outcomes
    outbox: Outbox

    async def turn(self) -> None: ...


async def enter(visit: Visiting) -> Begun:
    """Open the frontier; what is known of robots.txt and of politeness is taken up."""
    tools, lease = visit.tools, visit.lease
    await tools.frontier.prepare(tools.db, lease.no, lease.epoch)
    async with tools.db.write() as tx:
        begun = await store.begin(tx, tools.frontier, lease, tools.run_id)
        row = await store.robots_of(tx, visit.site.origins())
    failpoint("after_open")
    if row is not None:
        visit.site.robots = Robots.from_row(row, tools.agent)
        visit.site.origin = visit.site.origin or row.origin
    visit.pace.resume(tools.clock.ticks(), _wait(lease))
    return begun


def _wait(lease: Lease) -> float | None:
    """Seconds that politeness still asks for; None after a holder that never gave the domain back."""
    if lease.was_abandoned:
        return None
    domain = lease.domain
    left = domain.next_fetch_at - domain.read_at if domain.next_fetch_at else timedelta()
    return max(0.0, left.total_seconds())


async def resolve_origin(visit: Visiting) -> Robots:
    """The robots.txt that holds; a site that denies everything, or does not answer, ends the visit."""
    tools, robots, now = visit.tools, visit.site.robots, visit.tools.clock.now()
    if robots is None or robots.due(now):
        error = await probe_origin(visit.site, tools.fetcher, tools.agent, now, visit.turn)
        visit.pace.note_request(tools.clock.ticks())  # it was asked just now, and perhaps twice
        if error is not None:
            visit.outbox.errors += 1
            raise Stopped(visit.endings.unreachable(error))
        failpoint("after_robots")
        robots = visit.site.robots
        assert robots is not None
        visit.outbox.robots.append(robots.to_row())
    if robots.state in (RobotsState.UNAVAILABLE, RobotsState.DEFERRED):
        wait = max(0.0, (robots.expires_at - now).total_seconds())
        raise Stopped(visit.endings.robots_shut(robots.state.value, wait))
    if robots.rules.denies_all:
        raise Stopped(visit.endings.blocked(Obstacle.ROBOTS_DENIED, robots.rule_for("/")))
    visit.pace.ask(robots.rules.delay)
    visit.site.robots = robots.slim()
    return robots
