"""Lists of what waits and of what ran, which need no crawler."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.crawl import service, stats

# Domains that are due are counted so far, and no further.
_COUNTED = 10_000


def queue_status(*, limit: Limit = 50, json: Json = False) -> None:
    """List domains with URLs waiting, the longest queues first, and say how many are due."""

    async def act(workspace: Any) -> tuple[list[Any], int]:
        _, due = (0, 0) if json else await stats.waiting(workspace.db, _COUNTED)
        return await service.queue_status(workspace.db, limit + 1), due

    found, due = runtime.in_workspace(act)
    empty = "no URL waits: approved domains are crawled to their end, or there are none"
    _QUEUES.print(found, limit, json=json, empty=empty)
    if not json:
        more, how = "+" if due >= _COUNTED else "", "; `surveyor crawl` takes them" if due else ""
        runtime.say(f"due now: {show.count(due)}{more} {'domain' if due == 1 else 'domains'}{how}")


def _due(moment: datetime | None) -> str:
    """`now`, or when; a dash for what is not due until a person decides."""
    return "now" if moment is not None and moment <= datetime.now(UTC) else show.when(moment)


_QUEUES: Listing[Any] = Listing(
    (
        Column("DOMAIN", lambda line: show.domain_name(line.domain)),
        Column("STATUS", lambda line: line.crawl_status),
        number("WAITING", lambda line: line.frontier_size),
        Column("DUE", lambda line: _due(line.due_at)),
        Column("HELD BY", lambda line: line.claimed_by),
        Column("STOPPED BY", lambda line: line.stopped_by),
    )
)
_RUNS: Listing[Any] = Listing(
    (
        Column("RUN", lambda run: str(run.id)),
        Column("STARTED", lambda run: show.when(run.started_at)),
        Column("ENDED", lambda run: show.when(run.ended_at)),
        number("PAGES", lambda run: run.pages),
        number("DOMAINS", lambda run: run.domains),
        number("ERRORS", lambda run: run.errors),
        Column("STOPPED BY", lambda run: run.stopped_by),
    )
)


def list_runs(*, limit: Limit = 20, json: Json = False) -> None:
    """List runs, the latest first."""

    found = runtime.in_workspace(lambda workspace: service.list_runs(workspace.db, limit + 1))
    _RUNS.print(found, limit, json=json, empty="nothing was crawled yet; `surveyor crawl` begins")


def cleanup_runs(*, json: Json = False) -> None:
    """Close runs whose workers are gone."""

    closed = runtime.in_workspace(lambda workspace: service.cleanup_runs(workspace.db))
    show.result({"closed": closed}, f"closed {closed} runs", json=json)
