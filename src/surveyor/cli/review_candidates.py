"""Commands that assign and decide candidates."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.ids import full_id
from surveyor.cli.listing import Json
from surveyor.db.short_ids import is_ending
from surveyor.errors import NotFound, UsageError
from surveyor.judge.values import spoken
from surveyor.registry.actors import Actor
from surveyor.registry.candidates import Candidate
from surveyor.registry.store import rows
from surveyor.review import candidates, queries


class CandidateAnswer(StrEnum):
    """What a reviewer says to a candidate."""

    APPROVE = "approve"  # publish its domain's records
    REJECT = "reject"  # needs a reason


def candidate_take(
    candidate: Annotated[
        str | None,
        Parameter(name="ID_OR_DOMAIN", help="A candidate or its domain; by default the most promising one."),
    ] = None,
    *,
    give_back: Annotated[bool, Parameter(negative="", help="Give it back instead.")] = False,
    json: Json = False,
) -> None:
    """Take a candidate that waits for review, or give it back."""
    if give_back and candidate is None:
        raise UsageError("name the candidate to give back")

    async def act(workspace: Any) -> Candidate | None:
        by = Actor.operator()
        if candidate is None:
            return await candidates.take_next(workspace.db, by)
        wanted = await _id(workspace, candidate)
        return await (candidates.give_back if give_back else candidates.take)(workspace.db, wanted, by)

    found = runtime.in_workspace(act)
    nothing = "no candidate waits for review"
    show.result(found.row() if found else None, (lambda: _print(found)) if found else nothing, json=json)


def candidate_decide(
    candidate: Annotated[str, Parameter(name="ID_OR_DOMAIN", help="The candidate, or its domain.")],
    answer: Annotated[CandidateAnswer, Parameter(name="ANSWER", help="Yes or no.")],
    *,
    reason: Annotated[str | None, Parameter(help="Why; required for a rejection.")] = None,
    json: Json = False,
) -> None:
    """Decide on a candidate; an approval publishes its domain's records."""

    async def act(workspace: Any) -> Candidate:
        approved, wanted = answer is CandidateAnswer.APPROVE, await _id(workspace, candidate)
        return await candidates.decide(workspace.db, wanted, approved, Actor.operator(), reason)

    decided = runtime.in_workspace(act)
    text = f"candidate {decided.id} of {show.domain_name(decided.domain)}: {decided.status}"
    show.result(decided.row(), text, json=json)


async def _id(workspace: Any, text: str) -> UUID:
    """Of the candidate that is named, or of the open one of a domain: it has one at most."""
    try:
        return UUID(text)
    except ValueError:
        if "." not in text and is_ending(text):
            return await full_id(workspace, "candidates", text, "candidate", "surveyor candidates")
        name = workspace.domain_name(text)
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, name)
    found = await queries.open_candidates(workspace.db, [domain]) if domain else {}
    if not found:
        message = "has no candidate that waits" if domain else "is not in the register"
        raise NotFound(f"{name} {message}; `surveyor candidates` lists them")
    return next(iter(found.values())).id


def _print(candidate: Candidate) -> None:
    out = show.console()
    heading = f"{candidate.id}  {show.domain_name(candidate.domain)}  {candidate.status}"
    show.print_line(Text(heading, style="bold"), out)
    lines = {
        "confidence": f"{candidate.confidence:.2f}",
        "organisation": show.safe(candidate.organisation_name),
        "program": show.safe(candidate.program_name),
        "title": show.safe(candidate.title),
        "url": show.safe(candidate.url),
        "taken by": show.safe(candidate.assigned_to),
    }
    for name, value in lines.items():
        show.print_line(Text(f"  {name:<14}{value}"), out)
    for score in candidate.scores:
        worth = f"{score['score']} of weight {score['weight']}"
        message = f"{spoken(score['judge'])}: {worth}, {score['explanation']}"
        show.print_line(Text(f"  {show.safe(message)}", style="dim"), out)
