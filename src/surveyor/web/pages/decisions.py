"""What people decide: one route for every verb, for one domain or for many."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import NotADomain, Refused, UsageError
from surveyor.people import Scope
from surveyor.registry import service, workers
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.review import decisions, queries
from surveyor.review.decisions import DONE, Decision, Refusal, Report, Target, Verb
from surveyor.review.own_decisions import UNDO_OF
from surveyor.web import access, show
from surveyor.web.forms import Form, local
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
# Domains of one bulk act: a pasted list is longer than a page of ticks, and a request stays short.
MOST = 1_000
# Names that are read out before a bulk act.
_NAMED = 60


@routes.post("/decide", needs=Scope.REVIEW)
async def decide(request: Request) -> Response:
    return await decided(request)


async def decided(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    decision = decision_of(request, form)
    names = form.all("domain") + [line for text in form.all("domains") for line in text.split()]
    if not names:
        raise UsageError("tick or name at least one domain")
    if len(names) > MOST:
        raise UsageError(f"{len(names):,} domains are too many at once; the most is {MOST:,}")
    back = local(form.one("back"), "/review")
    if len(names) == 1 and not form.one("bulk"):
        return await _one(request, decision, names[0], form, back)
    names = list(dict.fromkeys(names))
    if not form.one("sure"):
        return _ask(request, decision, names, form, back)
    wanted, bad = _wishes(app, names)
    report = await decisions.decide(app.db, decision, wanted)
    whole = Report(report.done, bad + report.refused)
    message = DONE[decision.verb] + await _more(app, decision)
    return show.page(request, "decided.html", report=whole, message=message, back=back)


def _ask(request: Request, decision: Decision, names: list[str], form: Form, back: str) -> Response:
    """A bulk act says what it is about to do, and to how many, before it is done."""
    return show.page(
        request,
        "confirm.html",
        verb=decision.verb,
        names=names,
        most=_NAMED,
        reason=decision.reason or "",
        year=form.one("year"),
        unknown=form.one("unknown"),
        back=back,
    )


async def _one(request: Request, decision: Decision, name: str, form: Form, back: str) -> Response:
    app = state_of(request)
    target = Target(app.workspace.domain_name(name), form.number("version", "a version"))
    try:
        domain = await decisions.decide_one(app.db, decision, target)
    except Refused as error:
        if not show.is_part(request):
            raise
        return await _fresh_row(request, target.domain, error, back)
    message = f"{domain.domain}: {DONE[decision.verb]}{await _more(app, decision)}"
    if show.is_part(request):
        if decision.verb is Verb.REOPEN:
            return await _row(request, domain, back)
        undo = UNDO_OF.get(decision.verb)
        return show.page(
            request, "parts/decided_row.html", domain=domain, message=message, undo=undo, back=back
        )
    return show.done(request, back, message)


async def _fresh_row(request: Request, name: str, error: Refused, back: str) -> Response:
    """The row as it is now, with why nothing was done: its next decision is about what is shown."""
    db = state_of(request).db
    domain = (await service.domain_info(db, name, 0)).domain
    message = "; ".join([str(error), *getattr(error, "changes", ())])
    if domain.review_status is not ReviewStatus.PENDING_REVIEW:
        return show.page(
            request,
            "parts/decided_row.html",
            status=409,
            domain=domain,
            message=message,
            undo=None,
            back=back,
        )
    return await _row(request, domain, back, status=409, problem=message)


async def _row(
    request: Request, domain: Domain, back: str, *, status: int = 200, problem: str = ""
) -> Response:
    """One row of the queue."""
    evidence = await queries.evidence(state_of(request).db, [domain])
    return show.page(
        request,
        "parts/review_rows.html",
        status=status,
        domains=[domain],
        evidence=evidence,
        following=None,
        back=back,
        problem=problem,
    )


def decision_of(request: Request, form: Form) -> Decision:
    verb = form.one("verb")
    if verb not in set(Verb):
        raise UsageError(f"{verb[:30]!r} is no decision; those are {', '.join(Verb)}")
    actor, assets = access.who(request).actor, state_of(request).workspace.profile.policies.approve_assets
    return Decision(
        Verb(verb),
        actor,
        form.some("reason"),
        form.number("year", "a year"),
        assets,
        adds_unknown=bool(form.one("unknown")),
    )


def _wishes(app: AppState, names: list[str]) -> tuple[list[Target], list[Refusal]]:
    wanted: list[Target] = []
    bad: list[Refusal] = []
    for name in names:
        try:
            wanted.append(Target(app.workspace.domain_name(name)))
        except NotADomain as error:
            bad.append(Refusal(name[:80], str(error)))
    return wanted, bad


async def _more(app: AppState, decision: Decision) -> str:
    """What happens next after an approval."""
    if decision.verb not in (Verb.APPROVE, Verb.RESUME):
        return ""
    at_work = await workers.any_at_work(app.db)
    return "; crawling has started" if at_work else "; queued: start `surveyor crawl`"


def state_verbs(domain: Domain, is_admin: bool) -> list[Verb]:
    """The decisions that the present state of a domain allows."""
    return [
        verb for verb in Verb if decisions.may(verb, domain) and (is_admin or verb is not Verb.UNBLACKLIST)
    ]
