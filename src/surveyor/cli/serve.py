"""The web: one process that serves pages and the API of a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime
from surveyor.errors import UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


def serve(
    *,
    host: Annotated[str, Parameter(help="Address to listen at; others reach 0.0.0.0 too.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="Port to listen at; 0 takes a free one.")] = 8400,
) -> None:
    """Serve the admin until interrupted."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"a port is 0 to 65,535, not {port}")
    runtime.in_workspace(lambda workspace: _serve(workspace, host, port), quick_loop=True)


async def _serve(workspace: Workspace, host: str, port: int) -> None:
    from surveyor.people import service
    from surveyor.web import server

    if not await service.list_users(workspace.db, 1):
        runtime.say("nobody can log in yet; `surveyor user add NAME --role admin` adds the first")
    await server.run(workspace, host, port, ready=lambda url: runtime.say(f"serving {url}"))
