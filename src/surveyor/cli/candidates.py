"""The list of candidates, which needs no judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.ids import full_id
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.review import queries

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


def candidates(
    *,
    status: Annotated[CandidateStatus | None, Parameter(help="Only this status.")] = None,
    limit: Limit = 50,
    after: Annotated[
        str | None, Parameter(help="Continue after this candidate, the last one of the previous page.")
    ] = None,
    json: Json = False,
) -> None:
    """List candidates, the newest first."""

    async def act(workspace: Workspace) -> list[Candidate]:
        start = await _candidate_id(workspace, after) if after else None
        return await queries.list_candidates(workspace.db, status, limit + 1, start)

    found = runtime.in_workspace(act)
    empty = "no such candidates; `surveyor judge` makes them out of search results"
    _CANDIDATES.print(found, limit, json=json, empty=empty)


async def _candidate_id(workspace: Workspace, text: str) -> UUID:
    return await full_id(workspace, "candidates", text, "candidate", "surveyor candidates")


_CANDIDATES: Listing[Candidate] = Listing(
    (
        Column("ID", lambda candidate: str(candidate.id)),
        Column("DOMAIN", lambda candidate: show.domain_name(candidate.domain)),
        Column("STATUS", lambda candidate: candidate.status),
        Column("CONFIDENCE", lambda candidate: str(candidate.confidence), "right"),
        Column("ORGANISATION", lambda candidate: show.cut(candidate.organisation_name)),
        Column("PROGRAM OR TITLE", lambda candidate: show.cut(candidate.program_name or candidate.title)),
    ),
    cursor=lambda candidate: candidate.id,
    to_json=lambda candidate: candidate.row(),
)
