"""Everything in one process tree: for the laptop, and for one machine of many."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.errors import UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.discover.provider import Account
    from surveyor.operations.housekeeping import Tidied


def up(
    *,
    host: Annotated[str, Parameter(help="Address the admin listens at.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="Port the admin listens at; 0 takes a free one.")] = 8400,
    workers: Annotated[int, Parameter(help="Crawl workers.")] = 1,
) -> int:
    """Run web, crawl, extraction, refresh, scheduled searches, housekeeping; parts that end are restarted."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"a port is 0 to 65,535, not {port}")
    runtime.check_workers(workers)
    runtime.in_workspace(lambda workspace: _up(workspace, host, port, workers))
    return 0


async def _up(workspace: Workspace, host: str, port: int, workers: int) -> None:
    from surveyor.operations.up import PartStates, alone, keep_house, parts_of
    from surveyor.process.commands import command_line
    from surveyor.process.supervisor import Part, Supervisor
    from surveyor.registry.service import require_profile

    await require_profile(workspace.db, workspace.profile.name, workspace.profile.hash)
    ready = [one for one in workspace.provider_accounts().values() if one.missing is None]
    _announce_searches(workspace, ready)
    parts = [
        Part("web", ("serve", "--host", host, "--port", str(port))),
        Part("crawl", ("crawl", "--continuous", "--no-extract", "--workers", str(workers))),
        *parts_of(workspace.db, workspace.settings, workspace.profile, bool(ready)),
    ]
    states = PartStates(workspace.db, workspace.settings.notify)
    supervisor = Supervisor(command_line(workspace.path), parts, runtime.say, states)
    runtime.stop_on_signals(supervisor.stopping, at_once=supervisor.end_now)
    with alone(workspace.path):
        # It goes on until the parts have ended.
        keeping = keep_house(
            workspace.db, workspace.profile, workspace.settings.keep, asyncio.Event(), runtime.say
        )
        await states.report_beside(supervisor.run(), [part.name for part in parts], keeping)


def _announce_searches(workspace: Workspace, ready: list[Account]) -> None:
    """What scheduled searches will cost is said before the first query is sent."""
    from surveyor.discover.scheduled import announcement
    from surveyor.operations.up import search_shares

    shares = search_shares(workspace.settings, workspace.profile).values()
    if ready and any(share.per_day for share in shares):
        runtime.say(announcement(shares, ready))


def housekeep(
    *,
    continuous: Annotated[bool, Parameter(negative="", help="Keep running, one round a minute.")] = False,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON summary.")] = False,
) -> None:
    """Close what dead processes left open, apply policies, remove what is too old."""
    if continuous:
        runtime.in_workspace(_housekeep_continuously)
        return

    async def act(workspace: Workspace) -> Tidied:
        from surveyor.operations.housekeeping import tidy_up

        return await tidy_up(workspace.db, workspace.profile, workspace.settings.keep)

    done = runtime.in_workspace(act)
    show.result(asdict(done), done.summary(), json=json)


async def _housekeep_continuously(workspace: Workspace) -> None:
    from surveyor.operations import housekeeping
    from surveyor.operations.up import keep_house

    stopping = asyncio.Event()
    runtime.stop_on_signals(stopping, silent=True)
    db, profile, settings = workspace.db, workspace.profile, workspace.settings
    learn = None
    if settings.judge.learned and settings.judge.train_daily:
        learn = partial(housekeeping.learn, db, profile, workspace.name_rules)
    await keep_house(db, profile, settings.keep, stopping, runtime.say, learn)
