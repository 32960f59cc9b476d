"""The profile in words: what is looked for and where, what is asked, which limits hold; and a text to try."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.discover import queries
from surveyor.discover.session import SessionType
from surveyor.judge.values import SearchHit
from surveyor.operations import profile_change
from surveyor.people import Scope
from surveyor.profiles.model import Profile
from surveyor.web import show
from surveyor.web.forms import asked
from surveyor.web.pages.settings import LINES
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
_LONGEST_TITLE, _LONGEST_TEXT = 300, 2_000


@routes.get("/profile", needs=Scope.READ)
async def profile(request: Request) -> Response:
    app = state_of(request)
    title, text = asked(request, "title", _LONGEST_TITLE), asked(request, "text", _LONGEST_TEXT)
    url = asked(request, "url", _LONGEST_TEXT)
    return show.page(
        request,
        "profile.html",
        profile=app.workspace.profile,
        chosen=app.workspace.settings.profile,
        searches=_searches(app.workspace.profile),
        title=title,
        text=text,
        url=url,
        judged=await _judged(app, url, title, text) if title or text else None,
        line=LINES["profile"],
        kept=profile_change.kept(app.workspace.path),
    )


async def _judged(app: AppState, url: str, title: str, text: str) -> dict[str, Any]:
    """What the judges say of it, as of a search result."""
    panel = await app.workspace.panel()
    hit = SearchHit(url or "https://example.org/", title, text)
    spam = app.workspace.spam_reasons(hit)
    found = panel.judge(hit)
    return {"judgment": found, "threshold": panel.threshold, "spam": spam or []}


def _searches(profile: Profile) -> dict[str, list[str]]:
    """The queries of each plan as they are asked."""
    return {
        kind.value: [one.text for one in queries.from_profile(profile, kind)]
        for kind in SessionType
        if kind.value in profile.queries
    }
