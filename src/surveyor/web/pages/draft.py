"""A draft of the profile: compared with the present one on decided domains, then made active; and back."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import BadProfile
from surveyor.judge import comparison
from surveyor.judge.panel import Panel
from surveyor.judge.training import load_model
from surveyor.operations import jobs, profile_change
from surveyor.operations.jobs import JobKind
from surveyor.people import Scope
from surveyor.profiles import loader
from surveyor.profiles.difference import differences
from surveyor.profiles.model import Profile
from surveyor.web import access, show
from surveyor.web.forms import Form, asked
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import AppState, state_of

routes = Routes()
_FLIPS, _PARTS = 200, 200


@routes.get("/profile/draft", needs=Scope.REVIEW)
async def draft(request: Request) -> Response:
    """To begin with, the present profile; or one that was replaced."""
    app, file = state_of(request), asked(request, "kept")
    present = app.workspace.settings.profile
    folder = app.workspace.path
    text = profile_change.kept_text(folder, file) if file else profile_change.text_of(folder, present)
    return _page(request, app, text.decode("utf-8", "replace"))


@routes.post("/profile/draft", needs=Scope.REVIEW)
async def compare(request: Request) -> Response:
    app, text = state_of(request), _text(access.form(request))
    if found := _faults(text):
        return _page(request, app, text, faults=found)
    drafted = loader.parse(text.encode(), "draft")
    return _page(request, app, text, draft=drafted, **await _compared(app, drafted))


def _faults(text: str) -> list[str]:
    try:
        return loader.faults_of(text.encode())
    except BadProfile as error:  # not even TOML
        return [str(error)]


async def _compared(app: AppState, drafted: Profile) -> dict[str, Any]:
    workspace = app.workspace
    model = await load_model(app.db, drafted) if workspace.settings.judge.learned else None
    panel = Panel(drafted, workspace.name_rules, model)
    found = await comparison.compare(app.db, await workspace.panel(), panel)
    parts = differences(workspace.profile, drafted)
    return {"compared": found, "parts": parts[:_PARTS], "more_parts": max(0, len(parts) - _PARTS)}


def _page(request: Request, app: AppState, text: str, **more: Any) -> Response:
    context: dict[str, Any] = {
        "text": text,
        "present": app.workspace.profile,
        "faults": (),
        "draft": None,
    } | more
    return show.page(request, "draft.html", most_flips=_FLIPS, **context)


@routes.post("/profile/activate", needs=Scope.ADMIN)
async def activate(request: Request) -> Response:
    """The file is written, the one before it is kept, and what was judged is judged again."""
    app, form, by = state_of(request), access.form(request), access.who(request).actor
    workspace, file = app.workspace, form.one("kept")
    text = profile_change.kept_text(workspace.path, file) if file else _text(form).encode()
    seen = profile_change.require_seen(workspace.profile, form.one("seen"))
    named = await profile_change.activate(app.db, workspace.path, text, seen, by)
    workspace.take_profile(named)
    job = await jobs.ask(app.db, JobKind.JUDGE, {"again": True}, by)
    if not await jobs.is_served(app.db):
        app.run_jobs()
    answer = redirect("/profile")
    name = workspace.profile.name
    show.leave_notice(request, answer, f"{name} is active; what was judged is judged again (job {job.id})")
    return answer


def _text(form: Form) -> str:
    """Browsers end lines in two characters."""
    return form.one("text").replace("\r\n", "\n") + "\n"
