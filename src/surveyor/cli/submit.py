"""Names a domain for review, or a page to fetch."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.registry.actors import Actor
from surveyor.review import submissions
from surveyor.review.submissions import Outcome, Submission, SubmissionAnswer, Submitter

_NOTHING_HAPPENED = (Outcome.REJECTED, Outcome.SUSPENDED, Outcome.BLACKLISTED, Outcome.OUT_OF_REACH)


def submit(
    domain_or_url: Annotated[str, Parameter(name="DOMAIN_OR_URL", help="A domain, or a page of one.")],
    *,
    context: Annotated[str | None, Parameter(help="What reviewers should know.")] = None,
    depth: Annotated[int | None, Parameter(help="Links from the start page; 3 by default.")] = None,
    delay: Annotated[float | None, Parameter(help="Seconds between two requests.")] = None,
    max_pages: Annotated[int | None, Parameter(help="Pages per run.")] = None,
    for_review: Annotated[
        bool, Parameter(negative="", help="Submit the domain of this URL, or a rejected domain again.")
    ] = False,
    json: Json = False,
) -> int:
    """Submit a domain for review, or a page of an approved one to be fetched."""
    given = Submission(domain_or_url, context, for_review, depth, delay, max_pages)

    async def act(workspace: Any) -> SubmissionAnswer:
        by = Submitter.of(Actor.operator())
        return await submissions.submit(workspace.db, given, by, workspace.intake)

    answer = runtime.in_workspace(act)
    show.result(asdict(answer), lambda: _print(answer), json=json)
    return runtime.FAILED if answer.outcome in _NOTHING_HAPPENED else 0


def _print(answer: SubmissionAnswer) -> None:
    about = "" if answer.outcome is Outcome.ASKS else f"{show.domain_name(answer.domain)}: "
    runtime.say(f"{about}{show.safe(answer.message)}")
    if answer.offers == "recrawl":
        runtime.say(f"  surveyor recrawl {shlex.quote(answer.domain)}")
    elif answer.offers == "review":
        runtime.say(f"  surveyor submit {shlex.quote(show.safe(answer.url or answer.domain))} --for-review")
