"""What every frontier can do. One suite of tests runs over all of them.

A frontier keeps the URLs of a domain that are known and not yet fetched. Only the
holder of the domain's lease changes it, and says its epoch. Nothing that was added is
ever dropped silently; what is known is never added twice.

The database is the truth. A frontier that lies in it makes its changes inside the group's
transaction (`apply`); one that lies elsewhere makes them when that is committed (`settle`),
and finds out on opening what a crash in between left undone. A URL that no fetched page
links to (`found_on` is empty) has no other witness than the frontier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.frontier.changes import Applied, DomainChanges, Opened, Taken
from surveyor.frontier.reconcile import Standing


class Frontier(Protocol):
    @property
    def is_outside(self) -> bool:
        """Whether URLs wait elsewhere than in the database, so that each opening has to be prepared."""
        ...

    async def prepare(self, db: Database, no: int, epoch: int, standing: Standing | None = None) -> None:
        """Do before opening what may take long, such as rebuilding; under the lease, in no transaction.

        `standing` is how the database knows it under this epoch, where somebody has read that already.
        """
        ...

    async def open(self, tx: AsyncConnection, epochs: Mapping[int, int]) -> dict[int, Opened]:
        """Take over domains, each under its epoch: what a dead holder had taken comes back, as suspects."""
        ...

    async def apply(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> dict[int, Applied]:
        """Write what belongs into the transaction: changes are made, then what is wanted is taken."""
        ...

    async def settle(
        self, db: Database, changes: Sequence[DomainChanges], applied: Mapping[int, Applied]
    ) -> dict[int, Sequence[Taken]]:
        """The transaction is committed. Returns what was taken, by rank, then breadth first.

        A domain that is missing belongs to somebody else by now.
        """
        ...

    def close(self, no: int, epoch: int) -> Applied:
        """The visit is over; returns what is still to be counted."""
        ...

    async def count_alone(self, tx: AsyncConnection, no: int, key: int) -> None:
        """A suspect is about to be fetched alone: counted before, because afterwards may never come."""
        ...

    async def give_up(self, tx: AsyncConnection, no: int, epoch: int) -> int:
        """A living holder lost track: what it had taken waits again, and is no suspect. Returns how many.

        Nothing outside the database is needed for it.
        """
        ...

    async def reach(self) -> None:
        """Raises `FrontierUnreachable` while it cannot be used."""
        ...

    async def count(self, tx: AsyncConnection, no: int) -> int:
        """URLs waiting."""
        ...

    async def drop(self, tx: AsyncConnection, no: int) -> None:
        """Forget the domain's waiting URLs."""
        ...
