"""The queue of domains that wait for a decision; loads nothing that makes one."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing
from surveyor.registry.domain import Domain, to_json
from surveyor.review import queue
from surveyor.review.queue import Order


def review(
    *,
    order: Annotated[Order, Parameter(help="Sort order.")] = Order.OLDEST,
    everything: Annotated[
        bool,
        Parameter(
            name="--all", negative="", help="Also domains that neither a person nor a judge put forward."
        ),
    ] = False,
    limit: Limit = 50,
    after: Annotated[
        str | None, Parameter(help="Continue after this domain, the last one of the previous page.")
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
