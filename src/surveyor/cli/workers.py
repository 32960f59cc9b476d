"""Commands that list workers and release their claims."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.errors import UsageError
from surveyor.registry import service
from surveyor.registry import workers as registry_workers
from surveyor.registry.actors import Actor
from surveyor.registry.workers import Worker

_WORKERS: Listing[Worker] = Listing(
    (
        Column("WORKER", lambda worker: worker.id),
        Column("STATE", lambda worker: worker.state),
        Column("KIND", lambda worker: worker.kind),
        number("CLAIMS", lambda worker: worker.claims),
        number("EXPIRED", lambda worker: worker.expired_claims),
        Column("STARTED", lambda worker: show.when(worker.started_at)),
        Column("LAST SEEN", lambda worker: show.when(worker.last_seen_at)),
        Column("LAST COMMIT", lambda worker: show.ago(worker.last_commit_at, worker.read_at)),
    ),
    to_json=lambda worker: asdict(worker) | {"state": worker.state},
)


def workers(*, limit: Limit = 50, json: Json = False) -> None:
    """List workers, those at work first."""

    found = runtime.in_workspace(lambda workspace: registry_workers.listing(workspace.db, limit + 1))
    if not _WORKERS.print(found, limit, json=json, empty="no worker has worked here yet"):
        return
    for worker in found[:limit]:
        if worker.stall is not None:
            runtime.say(f"{worker.id} {worker.stall}")


def release_claims(
    *,
    worker: Annotated[str | None, Parameter(help="Only the claims of this worker.")] = None,
    expired: Annotated[bool, Parameter(negative="", help="Only claims whose lease has run out.")] = False,
    json: Json = False,
) -> None:
    """End claims: the domains are due at once, and later writes of their holders are refused."""
    if worker is None and not expired:
        raise UsageError("say which claims: --worker NAME, --expired, or both; `surveyor workers` lists them")

    released = runtime.in_workspace(
        lambda workspace: service.release_claims(workspace.db, Actor.operator(), worker, expired)
    )
    some = ": " + ", ".join(released[:10]) if released else ""
    show.result({"released": released}, f"released {len(released)} claims{some}", json=json)
