"""Tools that change something, where the operator allowed it: submit, approve, reject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from surveyor.mcp.tools import NAME, NO_ZERO, Arguments, Session, Tool, without_nothing
from surveyor.review import decisions
from surveyor.review.decisions import LONGEST_REASON, Decision, Target, Verb
from surveyor.review.submissions import Submission, Submitter
from surveyor.review.submissions import submit as submit_one


class Submit(Arguments):
    domain_or_url: Annotated[str, Field(min_length=1, max_length=2_048, description="A domain, or a page.")]
    context: Annotated[
        str | None, Field(max_length=2_000, pattern=NO_ZERO, description="What reviewers should know.")
    ] = None
    for_review: Annotated[
        bool, Field(description="Submit the domain of this URL, or a rejected domain again.")
    ] = False


async def submit(session: Session, asked: Submit) -> Mapping[str, Any]:
    given = Submission(asked.domain_or_url, asked.context, asked.for_review)
    by, workspace = Submitter.of(session.by), session.workspace
    return without_nothing(asdict(await submit_one(workspace.db, given, by, workspace.intake)))


class Approve(Arguments):
    domain: Annotated[str, NAME]
    version: Annotated[
        int | None, Field(ge=0, le=2**31 - 1, description="The one you saw; refused if it is another by now.")
    ] = None
    reason: Annotated[
        str | None, Field(max_length=LONGEST_REASON, pattern=NO_ZERO, description="Why; it is kept.")
    ] = None


class Reject(Approve):
    reason: Annotated[
        str, Field(min_length=1, max_length=LONGEST_REASON, pattern=NO_ZERO, description="Why; it is kept.")
    ]


async def approve(session: Session, asked: Approve) -> Mapping[str, Any]:
    return await _decide(session, Verb.APPROVE, asked)


async def reject(session: Session, asked: Reject) -> Mapping[str, Any]:
    return await _decide(session, Verb.REJECT, asked)


async def _decide(session: Session, verb: Verb, asked: Approve) -> Mapping[str, Any]:
    workspace = session.workspace
    assets = (await workspace.profile_head()).policies.approve_assets
    decision = Decision(verb, session.by, asked.reason, approve_assets=assets)
    target = Target(workspace.domain_name(asked.domain), asked.version)
    done = await decisions.decide_one(workspace.db, decision, target)
    return {
        "domain": done.domain,
        "review_status": done.review_status,
        "stage": done.stage,
        "version": done.version,
        "due_at": done.due_at,
        "decided_by": session.by.name,
    }


TOOLS = (
    Tool(
        "submit",
        "Name a domain for review, or a page of an approved one to be fetched; see `outcome`.",
        Submit,
        submit,
        decides=True,
    ),
    Tool("approve", "Let a domain be crawled; it is due at once.", Approve, approve, decides=True),
    Tool("reject", "Say no to a domain; it may be submitted again.", Reject, reject, decides=True),
)
