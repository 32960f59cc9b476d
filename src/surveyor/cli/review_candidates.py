"""Commands for candidates in people's hands."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.domains import Json
from surveyor.errors import UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.candidates import Candidate
from surveyor.review import candidates


class Answer(StrEnum):
    """What a reviewer says to a candidate."""

    APPROVE = "approve"  # publish its domain's records
    REJECT = "reject"  # needs a reason


def candidate_take(
    candidate: Annotated[str | None, Parameter(name="ID", help="Which; else the most promising one.")] = None,
    *,
    give_back: Annotated[bool, Parameter(negative="", help="Give it back instead.")] = False,
    json: Json = False,
) -> None:
    """Take a candidate that waits for review, or give it back."""
    wanted = _id(candidate) if candidate is not None else None
    if give_back and wanted is None:
        raise UsageError("name the candidate to give back")

    async def act(workspace: Any) -> Candidate | None:
        by = Actor.operator()
        if wanted is None:
            return await candidates.take_next(workspace.db, by)
        return await (candidates.give_back if give_back else candidates.take)(workspace.db, wanted, by)

    found = runtime.in_workspace(act)
    if json:
        show.print_json(found.row() if found else None)
    elif found is None:
        runtime.say("no candidate waits for review")
    else:
        _print(found)


def candidate_decide(
    candidate: Annotated[str, Parameter(name="ID", help="The candidate.")],
    answer: Annotated[Answer, Parameter(name="ANSWER", help="Yes or no.")],
    *,
    reason: Annotated[str | None, Parameter(help="Why; needed for a no.")] = None,
    json: Json = False,
) -> None:
    """Decide on a candidate; a yes publishes its domain's records."""
    wanted = _id(candidate)

    async def act(workspace: Any) -> Candidate:
        approved = answer is Answer.APPROVE
        return await candidates.decide(workspace.db, wanted, approved, Actor.operator(), reason)

    decided = runtime.in_workspace(act)
    if json:
        show.print_json(decided.row())
    else:
        runtime.say(f"candidate {decided.id} of {show.domain_name(decided.domain)}: {decided.status}")


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        told = f"{show.safe(text[:60])} is no id of a candidate; `surveyor candidates` lists them"
        raise UsageError(told) from None


def _print(candidate: Candidate) -> None:
    out = show.console()
    heading = f"{candidate.id}  {show.domain_name(candidate.domain)}  {candidate.status}"
    out.print(Text(heading, style="bold"), soft_wrap=True)
    lines = {
        "confidence": f"{candidate.confidence:.2f}",
        "organisation": show.safe(candidate.organisation_name),
        "program": show.safe(candidate.program_name),
        "title": show.safe(candidate.title),
        "url": show.safe(candidate.url),
        "taken by": show.safe(candidate.assigned_to),
    }
    for name, value in lines.items():
        out.print(Text(f"  {name:<14}{value}"), soft_wrap=True)
    for score in candidate.scores:
        told = f"{score['judge']}: {score['score']} of weight {score['weight']}, {score['explanation']}"
        out.print(Text(f"  {show.safe(told)}", style="dim"), soft_wrap=True)
