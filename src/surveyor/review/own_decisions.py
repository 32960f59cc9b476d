"""What one person decided lately, each with the decision that takes it back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from surveyor.db import Database
from surveyor.registry.events import EventKind
from surveyor.review.decisions import Verb
from surveyor.review.store import own_decisions as store

_K = EventKind
# What takes each back. The blacklist is left to admins, and a year without funds ends by itself.
UNDO: Final[Mapping[EventKind, Verb]] = {
    _K.DOMAIN_APPROVED: Verb.REOPEN,
    _K.DOMAIN_REJECTED: Verb.REOPEN,
    _K.DOMAIN_SUSPENDED: Verb.RESUME,
    _K.DOMAIN_RESUMED: Verb.SUSPEND,
    _K.DOMAIN_TRUSTED: Verb.UNTRUST,
}


# The same by the decision that was made.
UNDO_OF: Final[Mapping[Verb, Verb]] = {
    Verb.APPROVE: Verb.REOPEN,
    Verb.REJECT: Verb.REOPEN,
    Verb.SUSPEND: Verb.RESUME,
    Verb.RESUME: Verb.SUSPEND,
    Verb.TRUST: Verb.UNTRUST,
}


class OwnDecision(NamedTuple):
    domain: str
    kind: EventKind
    at: datetime
    reason: str | None
    version: int
    undo: Verb | None  # None where the domain was changed since


async def decided_by(db: Database, name: str, limit: int = 10) -> list[OwnDecision]:
    """The latest first. What was changed since, by anybody, is not taken back with one key."""
    async with db.read() as tx:
        rows = await store.decided_by(tx, name, list(UNDO), limit)
    return [_mine(row) for row in rows]


def _mine(row: store.DecisionRow) -> OwnDecision:
    kind = EventKind(row.kind)
    undo = UNDO[kind] if row.event_version == row.version else None
    return OwnDecision(row.domain, kind, row.at, row.reason, row.version, undo)
