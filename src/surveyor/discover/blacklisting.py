"""The policy that blacklists domains which collect verdicts of spam; off unless it was switched on.

Each domain in a transaction of its own, through the lifecycle, with the evidence as its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from surveyor.db import Database
from surveyor.discover.store import results as store
from surveyor.registry.actors import SYSTEM
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import changes, register, rows
from surveyor.registry.store.register import NewDomain, Origin

_SHOWN_REASONS = 3


async def blacklist_spam(db: Database, names: Iterable[str], least: int, session: UUID) -> list[str]:
    """Blacklist those of the domains that have at least so many verdicts; returns the ones that were not."""
    async with db.read() as tx:
        accused = await store.verdicts_of(tx, sorted(set(names)), least)
    done = []
    for name, (count, reasons) in sorted(accused.items()):
        if await _blacklist(db, name, _evidence(count, reasons), session):
            done.append(name)
    return done


async def _blacklist(db: Database, name: str, evidence: str, session: UUID) -> bool:
    async with db.write() as tx:
        origin = Origin("search:spam", SubmitterType.SYSTEM, SYSTEM.name, session_id=session)
        await register.add_new(tx, [NewDomain(name)], origin)
        domain = await rows.get(tx, await rows.find_no(tx, name), lock=True)
        if domain.quality_status is QualityStatus.BLACKLISTED:
            return False
        await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, SYSTEM, reason=evidence)
    return True


def _evidence(count: int, reasons: Sequence[str]) -> str:
    return f"{count} verdicts of spam, the latest: {'; '.join(reasons[:_SHOWN_REASONS])}"
