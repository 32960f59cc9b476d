"""The list of discovery sessions, which needs neither providers nor judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.ids import full_id
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.discover import session_list
from surveyor.discover.session import Session, SessionStatus

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

COLOURS = {
    SessionStatus.COMPLETED: "green",
    SessionStatus.PARTIAL_SUCCESS: "yellow",
    SessionStatus.FAILED: "red",
    SessionStatus.RUNNING: "cyan",
    "ready": "green",
    "suspended": "yellow",
}


def sessions(
    *,
    limit: Limit = 20,
    after: Annotated[
        str | None, Parameter(help="Continue after this session, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List sessions of searches, newest first."""

    async def act(workspace: Workspace) -> list[Session]:
        start = await _session_id(workspace, after) if after else None
        return await session_list.list_sessions(workspace.db, limit + 1, start)

    found = runtime.in_workspace(act)
    _SESSIONS.print(found, limit, json=json, empty="no session yet; `surveyor search` begins one")


async def _session_id(workspace: Workspace, text: str) -> UUID:
    return await full_id(workspace, "discovery_sessions", text, "session", "surveyor sessions")


def _session_notes(session: Session) -> list[str]:
    errors = [f"{name}: {error}" for name, error in session.provider_errors.items()]
    return [show.safe(error) for error in errors or filter(None, [session.error_message])]


_SESSIONS: Listing[Session] = Listing(
    (
        Column("SESSION", lambda session: str(session.id)),
        Column("TYPE", lambda session: session.type.value),
        Column("STATUS", lambda session: Text(session.status.value, style=COLOURS[session.status])),
        Column("STARTED", lambda session: show.when(session.started_at)),
        Column(
            "QUERIES",
            lambda session: f"{show.count(session.queries_executed)}/{show.count(session.queries_planned)}",
            "right",
        ),
        number("RESULTS", lambda session: session.results_found),
        number("NEW", lambda session: session.new_domains),
        number("KNOWN", lambda session: session.duplicates_skipped),
        number("SPAM", lambda session: session.spam_filtered),
    ),
    cursor=lambda session: session.id,
    notes=_session_notes,
)
