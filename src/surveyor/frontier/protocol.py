"""What every frontier can do. One suite of tests runs over all of them.

A frontier keeps the URLs of a domain that are known and not yet fetched. Only the
holder of the domain's lease changes it, and says its epoch. Nothing that was added is
ever dropped silently; what is known is never added twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.frontier.changes import Applied, DomainChanges, Opened


class Frontier(Protocol):
    async def open(self, tx: AsyncConnection, no: int, epoch: int) -> Opened:
        """Take over: what a dead holder had taken comes back, as suspects."""
        ...

    async def apply(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> dict[int, Applied]:
        """Make the changes, then take what is wanted: by rank, then breadth first."""
        ...

    async def count_alone(self, tx: AsyncConnection, no: int, key: int) -> None:
        """A suspect is about to be fetched alone: counted before, because afterwards may never come."""
        ...

    async def give_up(self, tx: AsyncConnection, no: int, epoch: int) -> int:
        """A living holder lost track: what it had taken waits again, and is no suspect. Returns how many."""
        ...

    async def count(self, tx: AsyncConnection, no: int) -> int:
        """URLs waiting."""
        ...

    async def drop(self, tx: AsyncConnection, no: int) -> None:
        """Forget the domain's waiting URLs."""
        ...
