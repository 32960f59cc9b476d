"""Usage of search providers: every call with what it cost and brought, and who is suspended until when.

Both are in the database, so that all processes know and a restart forgets nothing. A suspension
belongs to the key and address that failed: with others the provider is tried at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.discover.errors import ProviderFailed, rest
from surveyor.discover.provider import Account
from surveyor.discover.store import providers as store
from surveyor.discover.store.providers import Suspended, Usage
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

__all__ = [
    "ProviderState",
    "Suspended",
    "Usage",
    "UsageReport",
    "by_query",
    "failed",
    "report",
    "resume",
    "state_json",
    "states",
    "succeeded",
    "suspension",
    "usage_json",
]


@dataclass(frozen=True, slots=True)
class ProviderState:
    """What an operator wants to know of a provider."""

    account: Account
    suspended: Suspended | None  # only where it holds for the present key and address
    usage: Usage | None

    @property
    def state(self) -> str:
        if self.account.missing:
            return "off" if self.account.settings.enabled is False else "not set up"
        return "suspended" if self.suspended else "ready"


async def suspension(db: Database, account: Account) -> Suspended | None:
    """The suspension that keeps this account from being asked now."""
    async with db.read() as tx:
        found = (await store.suspensions(tx, [account.name])).get(account.name)
    return found if found and _holds(found, account) else None


def _holds(row: Suspended, account: Account) -> bool:
    return row.is_live and row.account == account.mark


async def failed(
    db: Database, account: Account, query: str, error: ProviderFailed, by: Actor, *, held_against: bool
) -> None:
    """Record a call that brought nothing; where it is held against the provider, suspend it for a while."""
    async with db.write() as tx:
        await store.record(tx, Usage(account.name, query, 1, 1, 0, 0, 0))
        if held_against:
            await _suspend(tx, account, error, by)


async def _suspend(tx: AsyncConnection, account: Account, error: ProviderFailed, by: Actor) -> None:
    await store.enter_alone(tx, account.name)
    before = (await store.suspensions(tx, [account.name])).get(account.name)
    if before and _holds(before, account):
        return  # calls that were under way when it began are no further strikes
    in_a_row = before.strikes + 1 if before and before.account == account.mark else 1
    length = rest(error.trouble, in_a_row, error.retry_after)
    if length is None:
        return
    moment = await current_time(tx)
    row = Suspended(
        provider=account.name,
        error=error.trouble.value,
        detail=error.detail,
        suspended_at=moment,
        until=moment + max(length, timedelta()),
        strikes=in_a_row,
        account=account.mark,
        read_at=moment,
    )
    await store.suspend(tx, row)
    data = {"provider": account.name, "until": row.until.isoformat(), "strikes": in_a_row}
    reason = f"{row.error}: {row.detail}"
    await events.append(tx, [NewEvent(EventKind.PROVIDER_SUSPENDED, by.name, reason=reason, data=data)])


async def succeeded(
    tx: AsyncConnection,
    account: Account,
    query: str,
    results: int,
    new_domains: int,
    millicredits: int | None,
) -> None:
    """Record a call that was answered, in the transaction that stores what it brought."""
    cost = round(account.call_credits * 1000) if millicredits is None else millicredits
    await store.record(tx, Usage(account.name, query, 1, 0, results, new_domains, cost))
    await store.forgive(tx, account.name, only_past=True)


async def states(db: Database, accounts: dict[str, Account], days: int) -> list[ProviderState]:
    """Every provider with its suspension and its figures of the last days."""
    async with db.read() as tx:
        suspended = await store.suspensions(tx)
        usage = {line.provider: line for line in await store.usage(tx, days, by_query=False)}
    found = []
    for name, account in accounts.items():
        row = suspended.get(name)
        found.append(ProviderState(account, row if row and _holds(row, account) else None, usage.get(name)))
    return found


async def by_query(db: Database, days: int, limit: int) -> list[Usage]:
    """Per provider and query, those that brought most new domains first."""
    async with db.read() as tx:
        return await store.usage(tx, days, by_query=True, limit=limit)


async def resume(db: Database, name: str, by: Actor) -> bool:
    """End a provider's suspension early; False: there was none."""
    async with db.write() as tx:
        await store.enter_alone(tx, name)
        ended = await store.forgive(tx, name, only_past=False)
        if ended:
            await events.append(tx, [NewEvent(EventKind.PROVIDER_RESUMED, by.name, data={"provider": name})])
    return ended


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Usage of some days: per provider, per query, and who is suspended now."""

    providers: list[Usage]
    queries: list[Usage]
    suspended: list[Suspended]


async def report(db: Database, days: int, limit: int) -> UsageReport:
    """For those who may not see the keys: whatever was ever asked."""
    async with db.read() as tx:
        suspended = await store.suspensions(tx)
        return UsageReport(
            await store.usage(tx, days, by_query=False),
            await store.usage(tx, days, by_query=True, limit=limit),
            [row for row in suspended.values() if row.is_live],
        )


def state_json(state: ProviderState) -> dict[str, Any]:
    """A provider for programs; whether there is a key, never the key."""
    account, row = state.account, state.suspended
    return {
        "provider": account.name,
        "state": state.state,
        "key_present": bool(account.key),
        "base_url": account.base_url,
        "missing": account.missing,
        "suspended_until": row.until if row else None,
        "error": row.error if row else None,
        "detail": row.detail if row else None,
        "strikes": row.strikes if row else 0,
    } | usage_json(state.usage or Usage(account.name, None, 0, 0, 0, 0, 0))


def usage_json(usage: Usage) -> dict[str, Any]:
    query = {} if usage.query is None else {"query": usage.query}
    return {
        "provider": usage.provider,
        **query,
        "calls": usage.calls,
        "failures": usage.failures,
        "results": usage.results,
        "new_domains": usage.new_domains,
        "credits": usage.credits,
        "new_domains_per_credit": usage.new_domains_per_credit,
    }
