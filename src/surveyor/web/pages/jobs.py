"""Jobs: start work, watch it, stop or pause it; what a search will cost is said before."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import FileResponse, Response

from surveyor.crawl import run_view
from surveyor.discover import queries
from surveyor.discover.session import SessionType
from surveyor.errors import NotFound, UsageError
from surveyor.operations import jobs as service
from surveyor.operations.jobs import Job, JobKind, JobState
from surveyor.people import Scope
from surveyor.web import access, show
from surveyor.web.forms import Form, asked, identifier, local
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
_ROWS = 30
_CRAWLS = (JobKind.CRAWL, JobKind.REFRESH)
NAMES = {
    JobKind.SEARCH: "Search",
    JobKind.CRAWL: "Crawl",
    JobKind.JUDGE: "Judge what waits",
    JobKind.EXTRACT: "Read pages that wait",
    JobKind.REFRESH: "Visit pages that are due again",
    JobKind.IMPORT: "Import names",
    JobKind.EXPORT: "Export",
}


@routes.get("/jobs", needs=Scope.READ)
async def listing(request: Request) -> Response:
    db, after = state_of(request).db, asked(request, "after")
    found = await service.listing(db, _ROWS + 1, identifier(after, "job") if after else None)
    shown = found[:_ROWS]
    part = show.is_part(request)
    return show.page(
        request,
        "parts/jobs.html" if part else "jobs.html",
        jobs=shown,
        names=NAMES,
        is_served=await service.is_served(db) or state_of(request).runs_jobs,
        following=show.address("/jobs", after=shown[-1].id) if len(found) > _ROWS else None,
        is_first=not after,
    )


@routes.post("/jobs", needs=Scope.REVIEW)
async def start(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    kind = form.one("kind")
    if kind not in set(JobKind):
        raise UsageError(f"{kind[:30]!r} is no job; those are {', '.join(JobKind)}")
    given = _options(app, form)
    if rehearsed := form.one("rehearsed"):  # the list of a dry run, now for good
        before = await service.get(app.db, identifier(rehearsed, "job"))
        given |= {name: before.options.get(name) for name in ("text", "source")}
    options = service.checked(JobKind(kind), given)
    if kind == JobKind.SEARCH and not form.one("sure"):
        return show.page(request, "search_cost.html", cost=cost_of(app, options), form=form)
    job = await service.ask(app.db, JobKind(kind), given, access.who(request).actor)
    if form.one("here") and not await service.is_served(app.db):
        app.run_jobs()  # the button said so
        return _to(request, job, "it begins here")
    return _to(request, job, "it waits for a machine" if job.state is JobState.QUEUED else str(job.state))


def _options(app: AppState, form: Form) -> dict[str, Any]:
    names = form.one("domains").split()
    return {
        "queries": form.one("queries"),
        "domains": [app.workspace.domain_name(name) for name in names],
        "max_pages": form.number("max_pages", "a number of pages"),
        "text": form.one("text"),
        "dry_run": bool(form.one("dry_run")),
        "source": form.one("source"),
        "what": form.one("what"),
        "format": form.one("format"),
    }


def cost_of(app: AppState, options: dict[str, Any]) -> dict[str, Any]:
    """How many queries go to whom, and about what that costs."""
    kind = SessionType.NIGHTLY_DISCOVERY
    texts = options.get("queries") or [one.text for one in queries.from_profile(app.workspace.profile, kind)]
    ready = [one for one in app.workspace.provider_accounts().values() if one.missing is None]
    costs = {one.name: one.call_credits * len(texts) for one in ready}
    return {"queries": texts, "credits": {name: f"{cost.normalize():f}" for name, cost in costs.items()}}


@routes.post("/jobs/serve", needs=Scope.REVIEW)
async def serve(request: Request) -> Response:
    """No machine looks for jobs: let the process of this page do those that wait, once."""
    state_of(request).run_jobs()
    return show.done(request, "/jobs", "those that wait are done here now")


@routes.get("/jobs/{number}", needs=Scope.READ)
async def job(request: Request, number: str) -> Response:
    found = await service.get(state_of(request).db, identifier(number, "job"))
    words = asked(request, "q")
    lines = [line for line in found.log.splitlines() if words.lower() in line.lower()]
    return show.page(
        request,
        "parts/job.html" if show.is_part(request) else "job.html",
        job=found,
        lines=lines,
        words=words,
        names=NAMES,
        has_file=_has_file(request, found),
        run=await run_view.of_job(state_of(request).db, found.id) if found.kind in _CRAWLS else None,
    )


@routes.post("/jobs/{number}/stop", needs=Scope.REVIEW)
async def stop(request: Request, number: str) -> Response:
    pause = bool(access.form(request).one("pause"))
    done = await service.stop(
        state_of(request).db, identifier(number, "job"), access.who(request).actor, pause=pause
    )
    message = "it ends after the pages it has begun" if done.state is JobState.STOPPING else str(done.state)
    return _to(request, done, message)


@routes.post("/jobs/{number}/resume", needs=Scope.REVIEW)
async def resume(request: Request, number: str) -> Response:
    done = await service.resume(state_of(request).db, identifier(number, "job"), access.who(request).actor)
    app = state_of(request)
    if access.form(request).one("here") and not await service.is_served(app.db):
        app.run_jobs()
    return _to(request, done, "goes on")


@routes.get("/jobs/{number}/file", needs=Scope.REVIEW)
async def file(request: Request, number: str) -> Response:
    app = state_of(request)
    found = await service.get(app.db, identifier(number, "job"))
    if not _has_file(request, found):
        raise NotFound("this job has no file here; export again")
    path = service.export_file(found, app.workspace.path)
    name = f"{found.options['what']}.{found.options['format']}"
    return FileResponse(path, filename=name, media_type="application/octet-stream")


def _has_file(request: Request, job: Job) -> bool:
    if job.kind is not JobKind.EXPORT or job.state is not JobState.DONE:
        return False
    return service.export_file(job, state_of(request).workspace.path).is_file()


def _to(request: Request, job: Job, message: str) -> Response:
    return show.done(
        request, local(access.form(request).one("back"), f"/jobs/{job.id}"), f"{NAMES[job.kind]}: {message}"
    )
