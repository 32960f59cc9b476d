"""Whole acts on the register that a shell asks for: each opens its own transactions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.bounded import Look
from surveyor.errors import NotFound, ProfileMismatch, Refused, StaleVersion, UsageError
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain
from surveyor.registry.events import Event, EventKind, NewEvent
from surveyor.registry.store import (
    aliases,
    assets,
    changes,
    events,
    leases,
    listing,
    merge,
    register,
    rows,
    table,
)
from surveyor.registry.store.assets import AssetHost
from surveyor.registry.store.events import EventFilter
from surveyor.registry.store.listing import DomainFilter

_PAGE = 5_000
_HOSTS_SHOWN = 50  # image hosts of one domain; it has a handful
_NAMES_SHOWN = 50  # other names of one domain
Drop = Callable[[AsyncConnection, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DomainInfo:
    domain: Domain
    events: list[Event]
    assets: list[AssetHost]  # hosts that its pages show images of
    images_only: bool  # it is such a host, and approved for nothing else
    names: list[str]  # that lead here since people merged them into it


async def list_domains(
    db: Database, wanted: DomainFilter, limit: int, after: str | None = None
) -> list[Domain]:
    async with db.read() as tx:
        start = await rows.find_no(tx, after) if after else 0
        return await table.page(tx, wanted, limit, start)


async def find_named(db: Database, beginning: str, limit: int, after: str = "") -> list[Domain]:
    """Domains whose name begins so, in the order of names."""
    async with db.read() as tx:
        return await listing.named(tx, beginning, limit, after)


async def totals(db: Database) -> dict[str, int]:
    async with db.read() as tx:
        return await listing.totals(tx)


async def domain_info(db: Database, name: str, event_limit: int) -> DomainInfo:
    async with db.read() as tx:
        domain = await rows.find(tx, name)
        if domain is None:
            raise NotFound(f"{name} is not in the register; `surveyor submit` proposes it")
        hosts = await assets.of_domain(tx, domain.no, _HOSTS_SHOWN)
        images_only = await assets.is_images_only(tx, domain.no)
        names = await aliases.names_of(tx, domain.no, _NAMES_SHOWN)
        found = await events.of_domain(tx, domain.no, event_limit)
        return DomainInfo(domain, found, hosts, images_only, names)


async def look_for_events(
    db: Database, wanted: EventFilter, limit: int, before: str = ""
) -> tuple[list[tuple[Event, str | None]], Look]:
    """Events that are wanted, newest first, each with the name of its domain; and how far the look came."""
    async with db.read() as tx:
        found = await events.look_for(tx, wanted, limit, before)
    return [events.named(row) for row in found.rows], found


async def reset_domain(db: Database, name: str, by: Actor, reason: str | None) -> Domain:
    async with db.write() as tx:
        return await changes.reset(tx, await rows.find_no(tx, name), by, reason)


async def top_domains(db: Database, yields: str, limit: int) -> list[Domain]:
    async with db.read() as tx:
        return await listing.top(tx, yields, limit)


async def recalculate_priorities(
    db: Database, yields: str, by: Actor, progress: Callable[[int], None] = lambda _: None
) -> tuple[int, int]:
    """Write every priority anew, in short transactions; returns how many rows were read and changed."""
    after, read, changed = 0, 0, 0
    while True:
        async with db.write() as tx:
            last, count, differ = await register.recalculate_priorities(tx, after, _PAGE, yields)
        read, changed = read + count, changed + differ
        progress(read)
        if count < _PAGE:
            break
        after = last
    async with db.write() as tx:
        data = {"read": read, "changed": changed}
        await events.append(tx, [NewEvent(EventKind.PRIORITIES_RECALCULATED, by.name, data=data)])
    return read, changed


async def release_claims(db: Database, by: Actor, worker: str | None, expired_only: bool) -> list[str]:
    async with db.write() as tx:
        return await leases.release_claims(tx, by, worker=worker, expired_only=expired_only)


@dataclass(frozen=True, slots=True)
class MergeReport:
    merged: list[str]
    waiting: list[str]  # being crawled now; merge them later
    bad: list[str]  # names that are no domain under the present rules


async def merge_domains(
    db: Database, canonical: Callable[[str], str], by: Actor, *, dry_run: bool
) -> MergeReport:
    """Join rows that are one domain, each pair in a transaction of its own."""
    async with db.read() as tx:
        twins, bad = await merge.find_twins(tx, canonical)
    if dry_run:
        return MergeReport([pair.name for pair in twins], [], bad)
    merged: list[str] = []
    waiting: list[str] = []
    for pair in twins:
        async with db.write() as tx:
            done = await merge.merge(tx, pair, by)
        (merged if done else waiting).append(pair.name)
    return MergeReport(merged, waiting, bad)


async def merge_chosen(
    db: Database, kept: tuple[str, int], other: tuple[str, int], by: Actor, drop: Drop
) -> Domain:
    """Join two domains that a person chose, each by name and the version they saw; the second's name leads
    to the first from now on. `drop` empties what waits for a domain, wherever it waits."""
    if by.role is Role.SUBMITTER:
        raise Refused(f"{by.name} may submit, not decide; ask a reviewer")
    async with db.write() as tx:
        kept_no, other_no = [await _seen(tx, name, version) for name, version in (kept, other)]
        if kept_no == other_no:
            raise UsageError(f"{other[0]} leads to {kept[0]} already; name two domains")
        await drop(tx, other_no)
        return await merge.merge_chosen(tx, kept_no, other_no, by)


async def _seen(tx: AsyncConnection, name: str, version: int) -> int:
    no = await rows.find_no(tx, name)
    domain = await rows.get(tx, no)
    if domain.version != version:
        raise StaleVersion(name, version, domain.version, ())
    return no


async def bind_profile(db: Database, name: str, profile_hash: str) -> str | None:
    """Record the profile this register belongs to; returns the name of another one it replaces."""
    async with db.write() as tx:
        before_hash = await register.get_fact(tx, "profile_hash")
        before_name = await register.get_fact(tx, "profile")
        await register.set_fact(db, tx, "profile", name)
        await register.set_fact(db, tx, "profile_hash", profile_hash)
    return before_name if before_hash not in (None, profile_hash) else None


async def change_profile(db: Database, name: str, profile_hash: str, seen_hash: str, by: Actor) -> None:
    """Bind the register to another profile, with its event; refused if it is not bound to the one seen."""
    async with db.write() as tx:
        known = await register.get_fact(tx, "profile_hash")
        if known not in (None, seen_hash):
            raise ProfileMismatch("the profile was changed meanwhile; look at the present one first")
        await register.set_fact(db, tx, "profile", name)
        await register.set_fact(db, tx, "profile_hash", profile_hash)
        data = {"profile": name, "hash": profile_hash[:12], "before": seen_hash[:12]}
        await events.append(tx, [NewEvent(EventKind.PROFILE_CHANGED, by.name, data=data)])


async def require_profile(db: Database, name: str, profile_hash: str) -> None:
    """Workers of two profiles on one register would undo each other's work."""
    async with db.read() as tx:
        known = await register.get_fact(tx, "profile_hash")
        known_name = await register.get_fact(tx, "profile")
    if known is not None and known != profile_hash:
        what = (
            f"is bound to the profile {known_name}"
            if known_name != name
            else f"knows {name} with other contents"
        )
        raise ProfileMismatch(f"the register {what}; run `surveyor init` here to take the present profile")
