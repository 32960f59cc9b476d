"""Jobs: work that a person asks for in the admin, kept in the database until a machine with `up` does it.

A job is one command of the command line with its options. It waits, runs, and can be stopped after what it
has begun; a paused one waits until somebody lets it go on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from surveyor.db import Database
from surveyor.errors import NotFound, Refused, UsageError
from surveyor.operations import job_store as store
from surveyor.operations import queries
from surveyor.operations.store import PartLine
from surveyor.process.supervisor import PartState
from surveyor.registry.actors import Actor, Role
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import Lifecycle
from surveyor.registry.store import events


class JobKind(StrEnum):
    """What can be asked for."""

    CRAWL = "crawl"  # approved domains that are due, or named ones
    REFRESH = "refresh"  # pages that are due again
    SEARCH = "search"  # queries to search providers, judged at the end
    JUDGE = "judge"  # results that wait; `again`: all of them, with the present profile
    EXTRACT = "extract"  # pages that wait to be read
    IMPORT = "import"  # a list of names, for review
    EXPORT = "export"  # a file to be fetched


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"  # waits for a machine
    RUNNING = "running"  # its command runs
    STOPPING = "stopping"  # ends after what is begun
    PAUSING = "pausing"  # the same; it may go on later
    PAUSED = "paused"  # somebody can let it go on
    DONE = "done"  # its command ended well
    STOPPED = "stopped"  # by a person
    FAILED = "failed"  # its command did, or its machine was lost


_S = JobState
JOB: Final = Lifecycle(
    "state",
    JobState,
    first=(_S.QUEUED,),
    arrows={
        _S.QUEUED: (_S.RUNNING, _S.STOPPED),
        # A machine that is shut down gives its jobs back.
        _S.RUNNING: (_S.STOPPING, _S.PAUSING, _S.DONE, _S.FAILED, _S.QUEUED),
        _S.STOPPING: (_S.STOPPED, _S.DONE, _S.FAILED),
        _S.PAUSING: (_S.PAUSED, _S.DONE, _S.FAILED),
        _S.PAUSED: (_S.QUEUED, _S.STOPPED),
        _S.DONE: (),
        _S.STOPPED: (),
        _S.FAILED: (),
    },
)
# A running job is written at every second; after a minute its machine is lost.
SILENT: Final = timedelta(seconds=60)
FORMATS: Final = ("csv", "jsonl")
_LONGEST_LIST = 500_000  # characters of a pasted list: ten thousand names and more
_SOURCE = re.compile(r"[A-Za-z0-9._-]{1,60}")
_MOST_QUERIES, _MOST_DOMAINS = 100, 100


@dataclass(frozen=True, slots=True)
class Job:
    id: UUID
    kind: JobKind
    options: Mapping[str, Any]
    state: JobState
    asked_by: str
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    machine: str | None
    seen_at: datetime | None
    exit_code: int | None
    result: Mapping[str, Any] | None
    log: str

    @property
    def is_over(self) -> bool:
        return self.state in (_S.DONE, _S.STOPPED, _S.FAILED)


def checked(kind: JobKind, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that its command takes, or why not."""
    kept = {name: value for name, value in options.items() if value not in (None, "", [])}
    if kind is JobKind.SEARCH:
        lines = [line.strip().lstrip("-").strip() for line in str(kept.get("queries", "")).splitlines()]
        found = list(dict.fromkeys(filter(None, lines)))
        if len(found) > _MOST_QUERIES:
            raise UsageError(f"{len(found):,} queries are too many for one job; the most is {_MOST_QUERIES}")
        return {"queries": found} if found else {}
    if kind in (JobKind.CRAWL, JobKind.REFRESH):
        if len(kept.get("domains", [])) > _MOST_DOMAINS:
            raise UsageError(
                f"name at most {_MOST_DOMAINS} domains; without any, all that are due are crawled"
            )
        if any(str(name).startswith("-") for name in kept.get("domains", [])):
            raise UsageError(
                "a domain does not begin with a hyphen"
            )  # the command would take it for an option
        return {name: kept[name] for name in ("domains", "max_pages") if name in kept}
    if kind is JobKind.IMPORT:
        text, source = str(kept.get("text", "")), str(kept.get("source", "pasted"))
        if not text.strip() or len(text) > _LONGEST_LIST:
            raise UsageError(f"paste a list of names, up to {_LONGEST_LIST:,} characters")
        if not _SOURCE.fullmatch(source):
            raise UsageError("the source of a list is letters, digits and . _ -, up to 60")
        return {"text": text, "source": source} | ({"dry_run": True} if kept.get("dry_run") else {})
    if kind is JobKind.EXPORT:
        what, ending = str(kept.get("what", "domains")), str(kept.get("format", "csv"))
        if what not in ("domains", "candidates", "records", "contacts", "pages") or ending not in FORMATS:
            raise UsageError("export domains, candidates, records, contacts or pages as csv or jsonl")
        return {"what": what, "format": ending}
    return {"again": True} if kind is JobKind.JUDGE and kept.get("again") else {}


def arguments(job: Job, workspace: Path) -> tuple[str, ...]:
    """The command that does a job."""
    options = job.options
    if job.kind in (JobKind.CRAWL, JobKind.REFRESH):
        most = ("--max-pages", str(options["max_pages"])) if "max_pages" in options else ()
        return (job.kind.value, "--json", "--job", str(job.id), *most, *options.get("domains", ()))
    if job.kind is JobKind.SEARCH:
        return ("search", "--json", *options.get("queries", ()))
    if job.kind is JobKind.IMPORT:
        dry = ("--dry-run",) if options.get("dry_run") else ()
        return ("ingest-seeds", "-", "--for-review", "--json", *dry, "--source", options["source"])
    if job.kind is JobKind.EXPORT:
        return ("export", options["what"], "--force", "--out", str(export_file(job, workspace)))
    return (job.kind.value, "--json", *(("--again", "--apply") if options.get("again") else ()))


def export_file(job: Job, workspace: Path) -> Path:
    return workspace / "exports" / f"{job.id}.{job.options['format']}"


# --- what people do


async def ask(db: Database, kind: JobKind, options: Mapping[str, Any], by: Actor) -> Job:
    """Put a job into the queue."""
    _check_role(by)
    kept = checked(kind, options)
    async with db.write() as tx:
        made = await store.add(tx, kind, kept, by.name)
        await events.append(
            tx, [NewEvent(EventKind.JOB_ASKED, by.name, data={"job": str(made), "kind": kind.value})]
        )
        return await _get(tx, made)


async def stop(db: Database, job_id: UUID, by: Actor, *, pause: bool = False) -> Job:
    """End it after what it has begun; one that waits ends at once."""
    _check_role(by)
    running, waiting = (_S.PAUSING, _S.PAUSED) if pause else (_S.STOPPING, _S.STOPPED)
    async with db.write() as tx:
        job = await _get(tx, job_id, lock=True)
        if job.is_over or job.state in (_S.STOPPING, _S.PAUSING):
            raise Refused(f"the job is {job.state}")
        if pause and job.state is not _S.RUNNING:
            raise Refused(f"the job is {job.state}; only a running one is paused")
        target = running if job.state is _S.RUNNING else waiting
        return await _move(tx, job, target, ended=target is _S.STOPPED)


async def resume(db: Database, job_id: UUID, by: Actor) -> Job:
    """Let a paused one go on: a crawl goes on where it was."""
    _check_role(by)
    async with db.write() as tx:
        job = await _get(tx, job_id, lock=True)
        if job.state is not _S.PAUSED:
            raise Refused(f"the job is {job.state}; only a paused one goes on")
        return await _move(tx, job, _S.QUEUED)


async def listing(db: Database, limit: int, after: UUID | None = None) -> list[Job]:
    """The latest first."""
    async with db.read() as tx:
        return [to_job(row) for row in await store.page(tx, limit, after)]


async def get(db: Database, job_id: UUID) -> Job:
    async with db.read() as tx:
        return await _get(tx, job_id)


async def is_served(db: Database) -> bool:
    """Whether a machine looks for jobs now."""
    return serves(await queries.parts(db))


def serves(parts: Sequence[PartLine]) -> bool:
    """Whether one of these parts looks for jobs."""
    ready = (
        PartState.RUNNING.value,
        PartState.IDLE.value,
    )  # its process is started with the first that waits
    return any(part.name == "jobs" and part.message in ready for part in parts)


async def _get(tx: Any, job_id: UUID, *, lock: bool = False) -> Job:
    row = await store.find(tx, job_id, lock=lock)
    if row is None:
        raise NotFound(f"there is no job {job_id}")
    return to_job(row)


async def _move(tx: Any, job: Job, target: JobState, *, ended: bool = False) -> Job:
    JOB.check(job.state, target)
    await store.move(tx, job.id, target, ended=ended)
    return await _get(tx, job.id)


def to_job(row: Any) -> Job:
    values = dict(row._mapping)
    return Job(**values | {"kind": JobKind(values["kind"]), "state": JobState(values["state"])})


def _check_role(by: Actor) -> None:
    if by.role is Role.SUBMITTER:
        raise Refused(f"{by.name} may submit, not start work; ask a reviewer")
