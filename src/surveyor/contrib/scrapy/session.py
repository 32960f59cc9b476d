"""An open register for one Scrapy process: its workspace, its place among the workers, its run.

A process that does not claim enters as a passive worker. A claiming one refuses to start beside it, and
it beside a claiming one; the refusal names the other.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from scrapy.settings import BaseSettings

from surveyor.bootstrap.workspace import WORKSPACE_VARIABLE, open_workspace
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.service import finish_run, start_run
from surveyor.errors import DatabaseError
from surveyor.process.locks import WorkerLock
from surveyor.registry import service, workers
from surveyor.registry.actors import Actor
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import register, rows
from surveyor.registry.store.leases import Work
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.workers import WorkerKind
from surveyor.settings import CrawlSettings

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

# Names registered in one transaction.
_AT_ONCE = 500
# A kill repeats what Scrapy has in its hands and what waits for its commit: so many pages make a group.
_GROUP_PAGES = 8
# A domain is held no longer without renewal (seconds): a restart after a kill waits no longer. The
# workers of Surveyor have half an hour; Scrapy is started anew by people and timers, who do not wait.
LEASE_SECONDS = 120.0
_RENEW_SECONDS = 30.0

log = logging.getLogger("surveyor.scrapy")


def origin_of(spider: str, settings: BaseSettings) -> Origin:
    """How domains come into the register by this spider."""
    source = f"scrapy:{spider}"
    for_review = settings.getbool("SURVEYOR_FOR_REVIEW")
    status = ReviewStatus.PENDING_REVIEW if for_review else ReviewStatus.APPROVED
    return Origin(source, SubmitterType.ADMIN, source, status)


def _locks_of(workspace: Workspace) -> Path:
    return workspace.path / "workers"


def _lock_here(workspace: Workspace, worker: str) -> WorkerLock | None:
    """So that a process that starts on this machine after a kill need not wait for the leases to end."""
    try:
        return WorkerLock(_locks_of(workspace), worker)
    except OSError:
        return None  # a folder that cannot be written


def _quieten_libraries() -> None:
    """Scrapy logs everything by default; these would write each statement, and each chunk of an image."""
    for name in ("aiosqlite", "PIL"):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:  # the project did not choose
            logger.setLevel(logging.INFO)


def _leave_modules_to_themselves() -> None:
    """What is loaded by now stays for good. The register doubles it, and Python's collector would look
    through all of it again and again: a fifth of a crawl's CPU. Once per process: later there is garbage."""
    if not gc.get_freeze_count():
        gc.freeze()


class Session:
    """Opened once per process; `close` leaves the workers and ends the run."""

    def __init__(self, workspace: Workspace, worker: str, lock: WorkerLock | None) -> None:
        self.workspace, self.worker = workspace, worker
        self.run = UUID(int=0)
        self.is_holding = False  # it has claimed domains
        self._stack = AsyncExitStack()
        self._lock = lock
        self._reporting: asyncio.Task[None] | None = None

    @property
    def crawl_settings(self) -> CrawlSettings:
        """Those of the workspace, with leases and groups as short as Scrapy needs them."""
        settings = self.workspace.settings.crawl
        shorter = {
            "lease_seconds": min(settings.lease_seconds, LEASE_SECONDS),
            "renew_seconds": min(settings.renew_seconds, _RENEW_SECONDS),
            "commit_pages": min(settings.commit_pages, _GROUP_PAGES),
        }
        return settings.model_copy(update=shorter)

    @classmethod
    async def open(
        cls,
        settings: BaseSettings,
        origin: Origin,
        kind: WorkerKind,
        options: RunOptions | None = None,
        work: Work = Work.CRAWL,
        seeds: Sequence[str] = (),
    ) -> Session:
        """`seeds` are domains that the run is shared out among."""
        _quieten_libraries()
        folder = os.environ.get(WORKSPACE_VARIABLE) or settings.get(WORKSPACE_VARIABLE)
        async with AsyncExitStack() as stack:
            workspace = await stack.enter_async_context(open_workspace(Path(folder) if folder else None))
            profile = workspace.profile
            await service.require_profile(workspace.db, profile.name, profile.hash)
            worker = workers.new_worker_id()
            entered = await workers.enter(workspace.db, worker, kind)
            session = cls(workspace, worker, entered or _lock_here(workspace, worker))
            stack.push_async_callback(session._leave)
            await workers.free_leases_of_the_dead(workspace.db, _locks_of(workspace))
            only = await session._register(seeds, origin) if seeds else None
            said, by = options or RunOptions(), Actor.worker(origin.source)
            session.run = await start_run(workspace.db, by, said, continuous=False, work=work, only=only)
            await workers.set_run(workspace.db, worker, session.run)  # so that others see who works on it
            session._stack = stack.pop_all()
        _leave_modules_to_themselves()
        session._reporting = asyncio.create_task(session._report())
        return session

    async def close(self, stopped_by: str) -> None:
        if self._reporting is not None:
            self._reporting.cancel()
        try:
            await finish_run(self.workspace.db, self.run, stopped_by)
        finally:
            await self._stack.aclose()

    async def _leave(self) -> None:
        await workers.leave(self.workspace.db, self.worker, self._lock)

    async def _register(self, names: Sequence[str], origin: Origin) -> tuple[int, ...]:
        numbers: list[int] = []
        ordered = sorted(set(names))
        for start in range(0, len(ordered), _AT_ONCE):
            async with self.workspace.db.write() as tx:
                some = ordered[start : start + _AT_ONCE]
                await register.add_batch(tx, [NewDomain(name) for name in some], origin)
                numbers += [await rows.find_no(tx, name) for name in some]
        return tuple(numbers)

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(workers.REPORT_SECONDS)
            try:
                await workers.report(self.workspace.db, self.worker, holding=self.is_holding)
            except DatabaseError as error:
                log.warning("not reported: %s", error)
