"""What pages need from the process they run in: the workspace, password hashing, figures, templates."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from fastapi import Request

from surveyor import logs
from surveyor.bootstrap.workspace import Workspace
from surveyor.db import Database
from surveyor.operations.job_runner import JobRunner
from surveyor.people import Hasher
from surveyor.web.stats import CachedStats

_log = logs.get("web")


@dataclass(slots=True)
class _Local:
    """Jobs that this process does itself, because no machine looks for them."""

    task: asyncio.Task[None] | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class AppState:
    workspace: Workspace
    hasher: Hasher
    figures: CachedStats
    local: _Local = field(default_factory=_Local)

    @classmethod
    def of(cls, workspace: Workspace) -> AppState:
        return cls(workspace, Hasher(), CachedStats(workspace.db))

    @property
    def runs_jobs(self) -> bool:
        return self.local.task is not None and not self.local.task.done()

    def run_jobs(self) -> None:
        """Do the jobs that wait, beside the pages, until none is left."""
        if not self.runs_jobs:
            runner = JobRunner(self.workspace.db, self.workspace.path, lambda line: _log.info(line))
            self.local.task = asyncio.create_task(runner.serve(self.local.stopping, until_empty=True))

    @property
    def db(self) -> Database:
        return self.workspace.db

    async def close(self) -> None:
        self.local.stopping.set()
        if self.local.task is not None:
            await asyncio.gather(self.local.task, return_exceptions=True)
        await self.figures.close()
        self.hasher.close()


def state_of(request: Request) -> AppState:
    found: AppState = request.app.state.surveyor
    return found


def address_of(request: Request) -> str:
    """Where the visitor comes from, for limits; behind a proxy the server has put it right."""
    return request.client.host if request.client else ""
