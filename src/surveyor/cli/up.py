"""Everything in one process tree: for the laptop, and for one machine of many."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.errors import DatabaseError, Refused, UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.upkeep.housekeeping import Tidied
    from surveyor.upkeep.supervisor import Due, Part

# Seconds between two rounds of housekeeping.
_ROUND_SECONDS = 60.0


def up(
    *,
    host: Annotated[str, Parameter(help="Address the admin listens at.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="Port the admin listens at; 0 takes a free one.")] = 8400,
    workers: Annotated[int, Parameter(help="Crawl workers.")] = 1,
) -> int:
    """Run web, crawl, extraction, refresh, scheduled searches, housekeeping; what dies is started again."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"a port is 0 to 65,535, not {port}")
    if workers < 1:
        raise UsageError(f"--workers must be at least 1, not {workers}")
    runtime.in_workspace(lambda workspace: _up(workspace, host, port, workers))
    return 0


async def _up(workspace: Workspace, host: str, port: int, workers: int) -> None:
    from surveyor.registry.locks import WorkerLock
    from surveyor.registry.service import require_profile
    from surveyor.upkeep.supervisor import Supervisor

    await require_profile(workspace.db, workspace.profile.name, workspace.profile.hash)
    try:
        lock = WorkerLock(workspace.path, "up")
    except Refused:
        raise Refused("`surveyor up` runs in this workspace already; stop that one first") from None
    command = [sys.executable, "-m", "surveyor", "--workspace", str(workspace.path)]
    supervisor = Supervisor(workspace.db, command, _parts(workspace, host, port, workers), runtime.say)
    runtime.stop_on_signals(supervisor.stopping, at_once=supervisor.end_now)
    try:
        await supervisor.run()
    finally:
        lock.close()


def _parts(workspace: Workspace, host: str, port: int, workers: int) -> list[Part]:
    from surveyor.upkeep.supervisor import Part

    schedule = workspace.settings.schedule
    nightly = _due(workspace, "nightly_discovery", schedule.nightly)
    weekly = _due(workspace, "weekly_deep_crawl", schedule.weekly)
    found = [
        Part("web", ("serve", "--host", host, "--port", str(port))),
        Part("crawl", ("crawl", "--continuous", "--no-extract", "--workers", str(workers))),
        Part("refresh", ("refresh", "--continuous", "--no-extract")),
        Part("nightly", ("search", "--type", "nightly_discovery"), nightly),
        Part("weekly", ("search", "--type", "weekly_deep_crawl"), weekly),
        Part("keep", ("housekeep", "--continuous")),
    ]
    if workspace.settings.extract.enabled:
        found.append(Part("extract", ("extract", "--continuous")))
    if workspace.settings.listeners.webhooks:
        found.append(Part("webhooks", ("webhooks", "--send")))
    return found


def _due(workspace: Workspace, kind: str, written: str) -> Due:
    from surveyor.upkeep import schedule, store

    async def due() -> float | None:
        """Seconds until this search; never where nobody can be asked, or the profile has no such plan."""
        accounts = workspace.provider_accounts().values()
        if kind not in workspace.profile.queries or all(one.missing for one in accounts):
            return None
        async with workspace.db.read() as tx:
            last, now = await store.last_begun(tx, kind)
        moment = schedule.next_due(written, last, now)
        return None if moment is None else (moment - now).total_seconds()

    return due


def housekeep(
    *,
    continuous: Annotated[bool, Parameter(negative="", help="Go on, a round a minute.")] = False,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON summary.")] = False,
) -> None:
    """Close what dead processes left open, apply policies, remove what is too old."""
    if continuous:
        runtime.in_workspace(_keep_house)
        return

    async def act(workspace: Workspace) -> Tidied:
        from surveyor.upkeep.housekeeping import tidy_up

        return await tidy_up(workspace.db, workspace.profile, workspace.settings.keep)

    done = runtime.in_workspace(act)
    if json:
        show.print_json(asdict(done))
    else:
        runtime.say(done.told())


async def _keep_house(workspace: Workspace) -> None:
    from surveyor.upkeep.housekeeping import Tidied, tidy_up

    stopping = asyncio.Event()
    runtime.stop_on_signals(stopping, silent=True)
    while not stopping.is_set():
        try:
            done = await tidy_up(workspace.db, workspace.profile, workspace.settings.keep)
            if done != Tidied():
                runtime.say(done.told())
        except DatabaseError as error:
            runtime.say(f"{error}; trying again")
        try:
            async with asyncio.timeout(_ROUND_SECONDS):
                await stopping.wait()
        except TimeoutError:
            pass
