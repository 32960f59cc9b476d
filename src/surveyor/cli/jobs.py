"""The command that lists jobs, and the part of `up` that does them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.errors import UsageError
from surveyor.operations import jobs as service
from surveyor.operations.jobs import Job

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

_JOBS: Listing[Job] = Listing(
    (
        Column("JOB", lambda job: str(job.id)),
        Column("KIND", lambda job: job.kind.value),
        Column("STATE", lambda job: job.state.value),
        Column("ASKED BY", lambda job: show.safe(job.asked_by)),
        Column("ASKED", lambda job: show.when(job.asked_at)),
        Column("BEGAN", lambda job: show.when(job.started_at)),
        Column("ENDED", lambda job: show.when(job.ended_at)),
    ),
)


def jobs(
    *,
    serve: Annotated[
        bool, Parameter(negative="", help="Run waiting jobs and keep running; `surveyor up` does this.")
    ] = False,
    once: Annotated[bool, Parameter(negative="", help="With --serve: end when none is left.")] = False,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """List work that was asked for in the admin, the latest first."""
    if serve:
        runtime.in_workspace(lambda workspace: _serve(workspace, once))
        return
    if once:
        raise UsageError("--once goes with --serve")

    found = runtime.in_workspace(lambda workspace: service.listing(workspace.db, limit + 1))
    _JOBS.print(found, limit, json=json, empty="no job was asked for yet; the admin's page Jobs starts one")


async def _serve(workspace: Workspace, once: bool) -> None:
    from surveyor.operations.job_runner import JobRunner

    stopping = asyncio.Event()
    runtime.stop_on_signals(stopping, silent=True)
    await JobRunner(workspace.db, workspace.path, runtime.say).serve(stopping, until_empty=once)
