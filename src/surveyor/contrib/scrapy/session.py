"""An open register for one Scrapy process: its workspace, its place among the workers, its run.

A process that does not claim enters as a passive worker. A claiming one refuses to start beside it, and
it beside a claiming one; the refusal names the other.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from surveyor import bootstrap
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.service import finish_run, start_run
from surveyor.errors import DatabaseError
from surveyor.process.locks import WorkerLock
from surveyor.registry import service, workers
from surveyor.registry.actors import Actor
from surveyor.registry.workers import WorkerKind

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace

log = logging.getLogger("surveyor.scrapy")


class Session:
    """Opened once per process; `close` leaves the workers and ends the run."""

    def __init__(self, workspace: Workspace, run: UUID, worker: str) -> None:
        self.workspace, self.run, self.worker = workspace, run, worker
        self._stack = AsyncExitStack()
        self._lock: WorkerLock | None = None
        self._reporting: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, folder: str | None, name: str, kind: WorkerKind) -> Session:
        async with AsyncExitStack() as stack:
            workspace = await stack.enter_async_context(
                bootstrap.open_workspace(Path(folder) if folder else None)
            )
            profile = workspace.profile
            await service.require_profile(workspace.db, profile.name, profile.hash)
            worker = workers.new_worker_id()
            lock = await workers.enter(workspace.db, worker, kind)
            by = Actor.worker(f"scrapy:{name}")
            run = await start_run(workspace.db, by, RunOptions(), continuous=False)
            session = cls(workspace, run, worker)
            session._lock, session._stack = lock, stack.pop_all()
        session._reporting = asyncio.create_task(session._report())
        return session

    async def close(self, stopped_by: str) -> None:
        if self._reporting is not None:
            self._reporting.cancel()
        try:
            await finish_run(self.workspace.db, self.run, stopped_by)
        finally:
            await workers.leave(self.workspace.db, self.worker, self._lock)
            await self._stack.aclose()

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(workers.REPORT_SECONDS)
            try:
                await workers.report(self.workspace.db, self.worker)
            except DatabaseError as error:
                log.warning("not reported: %s", error)
