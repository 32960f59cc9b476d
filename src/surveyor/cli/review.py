"""Commands of the review stage: naming domains, the queue, and forgetting."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain, to_json
from surveyor.review import forgetting, queue, submissions
from surveyor.review.forgetting import Forgotten, ForgottenContact
from surveyor.review.queue import Order
from surveyor.review.submissions import Answer, Outcome, Submission, Submitter

_NOTHING_HAPPENED = (Outcome.REJECTED, Outcome.SUSPENDED, Outcome.BLACKLISTED, Outcome.OUT_OF_REACH)


def submit(
    domain_or_url: Annotated[str, Parameter(name="DOMAIN_OR_URL", help="A domain, or a page of one.")],
    *,
    context: Annotated[str | None, Parameter(help="What reviewers should know.")] = None,
    depth: Annotated[int | None, Parameter(help="Links from the start page; 3 if nothing is said.")] = None,
    delay: Annotated[float | None, Parameter(help="Seconds between two requests.")] = None,
    max_pages: Annotated[int | None, Parameter(help="Pages per run.")] = None,
    for_review: Annotated[
        bool, Parameter(negative="", help="Yes, submit the domain of this URL, or a rejected one again.")
    ] = False,
    json: Json = False,
) -> int:
    """Name a domain for review, or a page of an approved one to be fetched."""
    given = Submission(domain_or_url, context, for_review, depth, delay, max_pages)

    async def act(workspace: Any) -> Answer:
        by = Submitter.of(Actor.operator())
        return await submissions.submit(workspace.db, given, by, workspace.intake)

    answer = runtime.in_workspace(act)
    if json:
        show.print_json(asdict(answer))
    else:
        _tell(answer)
    return runtime.FAILED if answer.outcome in _NOTHING_HAPPENED else 0


def _tell(answer: Answer) -> None:
    about = "" if answer.outcome is Outcome.ASKS else f"{show.domain_name(answer.domain)}: "
    runtime.say(f"{about}{show.safe(answer.message)}")
    if answer.offers == "recrawl":
        runtime.say(f"  surveyor recrawl {shlex.quote(answer.domain)}")
    elif answer.offers == "review":
        runtime.say(f"  surveyor submit {shlex.quote(show.safe(answer.url or answer.domain))} --for-review")


def review(
    *,
    order: Annotated[Order, Parameter(help="Which first.")] = Order.OLDEST,
    everything: Annotated[
        bool, Parameter(name="--all", negative="", help="Also domains that nobody asked about yet.")
    ] = False,
    limit: Limit = 50,
    after: Annotated[
        str | None, Parameter(help="Go on after this domain: the last of the page before.")
    ] = None,
    json: Json = False,
) -> None:
    """List domains that wait for a decision."""

    async def act(workspace: Any) -> tuple[list[Domain], int, str]:
        start = workspace.domain_name(after) if after else None
        found = await queue.waiting(workspace.db, order, limit + 1, start, everything=everything)
        count = 0 if json else await queue.count(workspace.db, everything=everything)
        return found, count, workspace.yields

    found, count, yields = runtime.in_workspace(act)
    empty = "nothing waits for a decision" + ("" if everything else "; --all shows what was not asked about")
    if _queue(yields).print(found, limit, json=json, empty=empty):
        more = "+" if count >= queue.COUNTED else ""
        runtime.say(
            f"{show.count(count)}{more} wait; surveyor approve DOMAIN, surveyor reject DOMAIN --reason R"
        )


def _queue(yields: str) -> Listing[Domain]:
    return Listing(
        (
            Column("DOMAIN", lambda domain: show.domain_name(domain.domain)),
            Column("SUBMITTED BY", lambda domain: domain.submitted_by),
            Column("SINCE", lambda domain: show.when(domain.first_seen_at)),
            Column("CONFIDENCE", _confidence, "right"),
            Column("VERSION", lambda domain: str(domain.version), "right"),
        ),
        cursor=lambda domain: domain.domain,
        to_json=lambda domain: to_json(domain, yields),
        notes=_context,
    )


def _confidence(domain: Domain) -> str:
    return "-" if domain.best_confidence is None else f"{domain.best_confidence:.2f}"


def _context(domain: Domain) -> list[str]:
    given = domain.submission_context
    return [show.safe(given.replace("\n", " | ")[:200])] if given else []


def forget(
    subject: Annotated[str, Parameter(name="DOMAIN_OR_CONTACT", help="A domain, or an e-mail address.")],
    *,
    contact: Annotated[
        bool, Parameter(negative="", help="It is a contact of another kind: a number, a name, an address.")
    ] = False,
    yes: Annotated[
        bool, Parameter(negative="", help="Do it: what is erased cannot be brought back.")
    ] = False,
    json: Json = False,
) -> int:
    """Erase all content of a domain, or a contact, and keep it out, because its owner asks for that."""
    if not yes:
        return runtime.usage_error("forget erases what is known of it, in the archive too; add --yes")
    is_contact = contact or ("@" in subject and "/" not in subject)

    async def act(workspace: Any) -> Forgotten | ForgottenContact:
        from surveyor.bootstrap import frontier_of

        db, rules, by = workspace.db, workspace.name_rules, Actor.operator()
        archive = workspace.path / workspace.settings.archive.path
        if is_contact:
            return await forgetting.forget_contact(db, archive, rules, subject, by)
        name = workspace.domain_name(subject)
        async with frontier_of(workspace) as frontier:
            return await forgetting.forget_domain(db, frontier, archive, rules, name, by)

    done = runtime.in_workspace(act)
    if json:
        show.print_json(asdict(done))
    elif isinstance(done, ForgottenContact):
        runtime.say(
            f"forgotten: {show.count(done.contacts, 'contact')}, {show.count(done.snapshots, 'snapshot')},"
            f" {show.count(done.archive_records, 'archived response')}; it is not taken in again"
        )
    else:
        _tell_forgotten(done)
    return 0


def _tell_forgotten(done: Forgotten) -> None:
    rows = sum(done.rows.values())
    runtime.say(
        f"{done.domain}: forgotten, {show.count(rows, 'row')}, {show.count(done.images, 'image')} and"
        f" {show.count(done.archive_records, 'archived response')} erased; it is blacklisted (opt_out)"
    )
    if done.was_crawled:
        runtime.say("  a worker had claimed it: forget it once more when that worker has stopped")
