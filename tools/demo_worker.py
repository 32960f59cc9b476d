"""A worker of the demo: a process that leases domains and does nothing but hold them.

It does what it is told through a pipe, one order at a time, and answers with the leases it
then holds. It ends when the pipe is closed, and holds its lock file until then.
"""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from enum import Enum, auto
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from surveyor.bootstrap import open_workspace
from surveyor.db import Database
from surveyor.registry import leases, workers
from surveyor.registry.leases import Claimer, Lease

# Long, so that nothing in the demo ends by the clock: what happens, happens at once.
LEASE_SECONDS = 600.0
SHARE = 3  # domains a worker takes at first
ALL = 100  # domains; more than the demo has


class Order(Enum):
    CLAIM = auto()  # take a share of the domains
    RESCUE = auto()  # free what dead workers hold, then take all that are due
    LOOK = auto()  # which leases are still mine?


@dataclass(frozen=True, slots=True)
class Hand:
    """The demo's end of the pipe to one worker."""

    name: str
    process: BaseProcess
    line: Connection

    @classmethod
    def start(cls, name: str, workspace: Path) -> Hand:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_run, args=(name, workspace, theirs), daemon=True)
        process.start()
        theirs.close()
        return cls(name, process, ours)

    def tell(self, order: Order) -> None:
        self.line.send(order)

    def held(self) -> list[Lease]:
        """The answer to the last order."""
        try:
            found: list[Lease] = self.line.recv()
        except (EOFError, ConnectionResetError):
            raise SystemExit(f"demo: the worker {self.name} ended early; what it said is above") from None
        return found

    def kill(self) -> None:
        """SIGKILL: the worker gets no chance to tidy up."""
        self.process.kill()
        self.process.join()

    def end(self) -> None:
        self.line.close()
        self.process.join()


def _run(name: str, workspace: Path, line: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the demo ends us by closing the pipe
    asyncio.run(_serve(name, workspace, line))


async def _serve(name: str, workspace: Path, line: Connection) -> None:
    async with open_workspace(workspace) as place:
        lock = await workers.enter(place.db, name)
        claimer = Claimer(place.db, name, LEASE_SECONDS)
        mine: list[Lease] = []
        try:
            while True:
                order = await asyncio.to_thread(line.recv)
                mine = await _obey(order, place.db, name, claimer, mine)
                line.send(mine)
        except EOFError:
            await workers.leave(place.db, name, lock)


async def _obey(order: Order, db: Database, name: str, claimer: Claimer, mine: list[Lease]) -> list[Lease]:
    if order is Order.LOOK:
        held = await leases.still_held(db, name)
        return [lease for lease in mine if held.get(lease.no) == lease.epoch]
    if order is Order.RESCUE:
        await workers.free_leases_of_the_dead(db)
        return mine + await claimer.claim(ALL)
    return mine + await claimer.claim(SHARE)
