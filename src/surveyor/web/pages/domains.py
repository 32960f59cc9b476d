"""The list of domains: by stage or by name, with what can be done to many at once."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import NotADomain
from surveyor.names import canonical_domain
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.registry.domain import Domain, Stage
from surveyor.registry.store.listing import DomainFilter
from surveyor.review.decisions import Verb
from surveyor.web import show
from surveyor.web.forms import asked, chosen
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
_ROWS = 50
_BULK = (
    Verb.APPROVE,
    Verb.REJECT,
    Verb.SUSPEND,
    Verb.RESUME,
    Verb.TRUST,
    Verb.UNTRUST,
    Verb.BLACKLIST,
    Verb.NO_FUNDS,
)


@routes.get("/domains", needs=Scope.READ)
async def domains(request: Request) -> Response:
    app = state_of(request)
    stage, words = chosen(request, "stage", Stage), asked(request, "q")
    after = asked(request, "after")
    found = await _find(app, stage, words, after)
    shown = found[:_ROWS]
    following = None
    if len(found) > _ROWS:
        following = show.address("/domains", stage=stage, q=words, after=shown[-1].domain)
    counted = await app.figures.get()
    return show.page(
        request,
        "domains.html",
        domains=shown,
        stage=stage,
        words=words,
        following=following,
        is_first=not after,
        counts=counted.stages if counted else {},
        as_of=counted.as_of if counted else None,
        stages=list(Stage),
        verbs=_BULK,
        yields=app.workspace.profile.yields,
        back=show.address("/domains", stage=stage, q=words),
    )


async def _find(app: AppState, stage: Stage | None, words: str, after: str) -> list[Domain]:
    if words:
        return await service.find_named(app.db, _beginning(app, words), _ROWS + 1, after)
    return await service.list_domains(app.db, DomainFilter(stage=stage), _ROWS + 1, after or None)


def _beginning(app: AppState, words: str) -> str:
    """The beginning of a name as the register writes it, from whatever a person pastes."""
    try:
        return canonical_domain(words, app.workspace.name_rules)
    except NotADomain:
        text = words.lower().partition("://")[2] or words.lower()
        return text.removeprefix("www.").partition("/")[0]
