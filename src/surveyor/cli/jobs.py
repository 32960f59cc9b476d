"""The command that lists jobs, and the part of `up` that does them."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.domains import Json, Limit

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.operations.jobs import Job


def jobs(
    *,
    serve: Annotated[
        bool, Parameter(negative="", help="Do those that wait, and go on; `up` runs this.")
    ] = False,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """Work that was asked for in the admin, the latest first."""
    if serve:
        runtime.in_workspace(_serve)
        return

    async def act(workspace: Workspace) -> list[Job]:
        from surveyor.operations.jobs import listing

        return await listing(workspace.db, limit)

    found = runtime.in_workspace(act)
    if json:
        show.print_json([asdict(job) for job in found])
        return
    for job in found:
        line = f"{job.id}  {job.kind:8} {job.state:9} {job.asked_at:%Y-%m-%d %H:%M}  {job.asked_by}"
        show.console().print(show.safe(line), markup=False, soft_wrap=True)


async def _serve(workspace: Workspace) -> None:
    from surveyor.operations.job_runner import JobRunner

    stopping = asyncio.Event()
    runtime.stop_on_signals(stopping, silent=True)
    await JobRunner(workspace.db, workspace.path, runtime.say).serve(stopping)
