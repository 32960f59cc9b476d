"""What is done to many domains of the table: to those that are ticked, or to all that match, in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import Response

from surveyor.crawl import service as crawl_service
from surveyor.errors import UsageError
from surveyor.people import Scope
from surveyor.registry import table
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.review import decisions
from surveyor.review.decisions import Report, Target, Verb
from surveyor.web import access, show
from surveyor.web.forms import Form, local
from surveyor.web.pages import decisions as deciding
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of
from surveyor.web.table import View, domain_filter

routes = Routes()
_VERBS = (
    Verb.APPROVE,
    Verb.REJECT,
    Verb.SUSPEND,
    Verb.RESUME,
    Verb.REOPEN,
    Verb.TRUST,
    Verb.UNTRUST,
    Verb.BLACKLIST,
    Verb.NO_FUNDS,
)
# Besides decisions: a limit that is set to the value beside it, and fetching everything again.
_LIMITS = {
    "depth": ("max_crawl_depth", "set the depth"),
    "delay": ("crawl_delay_seconds", "set the delay in seconds"),
    "frequency": ("scrape_frequency_hours", "set the hours between visits"),
}
_RECRAWL = "recrawl"
ACTS: dict[str, str] = (
    {verb.value: verb.replace("-", " ") for verb in _VERBS}
    | {_RECRAWL: "crawl again"}
    | {name: words for name, (_, words) in _LIMITS.items()}
)


@dataclass(frozen=True, slots=True)
class Bulk:
    """What is done, in words, and the function that does it to some."""

    words: str
    do: Callable[[Sequence[Target]], Awaitable[Report]]


@routes.post("/domains/bulk", needs=Scope.REVIEW)
async def bulk(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    is_all = form.one("scope") == "matching"
    if not is_all and form.one("verb") in set(Verb):
        return await deciding.decided(request)
    act = _act(request, app, form)
    if not is_all:
        return await _ticked(request, act, form)
    view = View.parse(form.one("query"))
    if not view.values:
        raise UsageError("choose a filter first: this would be done to every domain of the register")
    return await _matching(request, act, form, view)


async def _ticked(request: Request, act: Bulk, form: Form) -> Response:
    app, names = state_of(request), list(dict.fromkeys(form.all("domain")))
    if not names:
        raise UsageError("tick or name at least one domain")
    report = await act.do([Target(app.workspace.domain_name(name)) for name in names])
    back = local(form.one("back"), "/domains")
    return show.page(request, "decided.html", report=report, message=act.words, back=back)


async def _matching(request: Request, act: Bulk, form: Form, view: View) -> Response:
    """Asked first, with the count; then some at a time, so that no request takes long."""
    app = state_of(request)
    wanted = domain_filter(view, app.workspace.name_rules)
    done, refused = form.number("done", "a count") or 0, form.number("refused", "a count") or 0
    report, after = Report([], []), None
    if form.one("sure"):
        some, after = await table.batch(app.db, wanted, form.number("after", "a place") or 0)
        report = await act.do([Target(domain.domain) for domain in some])
    count, is_all = await table.count(app.db, wanted, show.COUNTED)
    return show.page(
        request,
        "bulk.html",
        act=act.words,
        form=form,
        view=view,
        is_asked=not form.one("sure"),
        count=count,
        is_all=is_all,
        report=report,
        after=after,
        done=done + len(report.done),
        refused=refused + len(report.refused),
        back=view.address(),
    )


def _act(request: Request, app: AppState, form: Form) -> Bulk:
    name, by = form.one("verb"), access.who(request).actor
    if name in _VERBS:
        decision = deciding.decision_of(request, form)
        return Bulk(ACTS[name], lambda targets: decisions.decide(app.db, decision, targets))
    if name == _RECRAWL:
        return Bulk(ACTS[name], lambda targets: decisions.in_bulk(targets, _again(app, by)))
    if name not in _LIMITS:
        raise UsageError(f"{name[:30]!r} is no act; those are {', '.join(ACTS)}")
    column, words = _LIMITS[name]
    value = form.decimal("value", "a delay") if name == "delay" else form.number("value", "the value")
    if value is None:
        raise UsageError(f"to {words}, type it beside")
    return Bulk(f"{words}: {value:g}", lambda targets: decisions.edit(app.db, by, {column: value}, targets))


def _again(app: AppState, by: Actor) -> Callable[[Target], Awaitable[Domain]]:
    async def again(target: Target) -> Domain:
        return (await crawl_service.recrawl(app.db, target.domain, by))[0]

    return again
