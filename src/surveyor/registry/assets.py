"""Hosts of images: a host that a domain's pages show images of gets into the register, and may come along.

Known for nothing but images, it has the source `asset:DOMAIN` and waits for a decision like any
other. The policy `approve_assets` says that approving a domain approves these hosts as well, those
known at that moment and those its crawl finds later, for images only: such a host is never crawled
for pages, its robots.txt is obeyed, and it loses its permission with the last domain that gave it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import assets, changes, rows
from surveyor.registry.store.register import NewDomain, Origin, add_batch

POLICY = Actor("policy:approve_assets", Role.SYSTEM)
# Hosts of one domain's images that are registered. A site has a handful; pages that name ever new ones
# must not fill the register.
MOST_HOSTS = 500

log = logs.get("registry")


async def note_hosts(
    tx: AsyncConnection, domain_no: int, hosts: Sequence[str], *, approve: bool
) -> dict[str, int]:
    """Register hosts of a domain's images; returns the numbers of those whose images may wait for them.

    With `approve`, hosts that only that policy concerns are approved at once, if the domain still is.
    """
    domain = await rows.get(tx, domain_no)
    room = max(0, MOST_HOSTS - await assets.count(tx, domain_no))
    known = await assets.numbers(tx, hosts)
    fresh = sorted(set(hosts) - known.keys())
    if len(fresh) > room:
        log.warning("more image hosts than are registered", domain=domain.domain, left_out=len(fresh) - room)
    origin = Origin(f"{assets.SOURCE}{domain.domain}", SubmitterType.SYSTEM, "crawl")
    await add_batch(tx, [NewDomain(host) for host in fresh[:room]], origin)
    numbers = await assets.numbers(tx, hosts)
    await assets.add(tx, domain_no, list(numbers.values()))
    if approve and domain.review_status is ReviewStatus.APPROVED:
        await _let_along(tx, domain, list(numbers.values()))
    return numbers


async def _let_along(tx: AsyncConnection, domain: Domain, hosts: Sequence[int]) -> None:
    await assets.approved_along(tx, domain.no, hosts)
    await changes.advance_assets(tx, domain, POLICY, hosts)
