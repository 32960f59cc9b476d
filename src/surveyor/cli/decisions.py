"""Commands by which people decide: one shape for all, alone or in bulk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from surveyor.cli import named, runtime, show
from surveyor.cli.listing import Json
from surveyor.cli.named import Domains, FileOption, Version
from surveyor.errors import UsageError
from surveyor.registry import workers
from surveyor.registry.actors import Actor
from surveyor.registry.domain import to_json
from surveyor.review import decisions
from surveyor.review.decisions import DONE, Decision, Report, Target, Verb

Reason = Annotated[str | None, Parameter(help="Why; kept with the event.")]
NeededReason = Annotated[str, Parameter(help="Why; kept with the event.")]
# Lines of each kind printed to a person; the rest is counted.
_SHOWN = 20


def _command(verb: Verb, what: str) -> Callable[..., int]:
    """The command of a decision that needs no reason; `what` is its help."""

    def decide(
        *domain: Domains,
        reason: Reason = None,
        version: Version = None,
        file: FileOption = None,
        json: Json = False,
    ) -> int:
        return _decide(Decision(verb, Actor.operator(), reason), domain, file, version, json)

    decide.__doc__ = what
    return decide


def _command_with_reason(verb: Verb, what: str) -> Callable[..., int]:
    def decide(
        *domain: Domains,
        reason: NeededReason,
        version: Version = None,
        file: FileOption = None,
        json: Json = False,
    ) -> int:
        return _decide(Decision(verb, Actor.operator(), reason), domain, file, version, json)

    decide.__doc__ = what
    return decide


approve = _command(Verb.APPROVE, "Approve domains for crawling; they are due at once.")
reject = _command_with_reason(Verb.REJECT, "Reject domains; they may be submitted again.")
suspend = _command(
    Verb.SUSPEND, "Stop the crawl of approved domains; a running one stops within one request."
)
resume = _command(Verb.RESUME, "Let suspended domains be crawled again.")
reopen = _command(Verb.REOPEN, "Put approved, rejected or suspended domains back into the review queue.")
trust = _command(Verb.TRUST, "Fetch URLs of these domains first, whoever submits them.")
untrust = _command(Verb.UNTRUST, "Withdraw trust from domains.")
blacklist = _command_with_reason(Verb.BLACKLIST, "Never judge, crawl or suggest these domains again.")
unblacklist = _command(Verb.UNBLACKLIST, "Take domains off the blacklist.")


def no_funds(
    *domain: Domains,
    year: Annotated[
        int | None, Parameter(help="Until the end of this year; by default of the present one.")
    ] = None,
    reason: Reason = None,
    version: Version = None,
    file: FileOption = None,
    json: Json = False,
) -> int:
    """Hide candidates of these domains until the year ends; they stay crawlable."""
    return _decide(Decision(Verb.NO_FUNDS, Actor.operator(), reason, year), domain, file, version, json)


def domain_edit(
    *domain: Domains,
    depth: Annotated[int | None, Parameter(help="Links from the start page.")] = None,
    delay: Annotated[float | None, Parameter(help="Seconds between two requests.")] = None,
    max_pages: Annotated[int | None, Parameter(help="Pages per run.")] = None,
    every_hours: Annotated[int | None, Parameter(help="Hours between two visits.")] = None,
    render: Annotated[
        Literal["auto", "always", "never"] | None,
        Parameter(help="Pages shown in a browser: those empty without scripts, all, none."),
    ] = None,
    notes: Annotated[
        str | None, Parameter(help="What reviewers should know; an empty text removes it.")
    ] = None,
    version: Version = None,
    file: FileOption = None,
    json: Json = False,
) -> int:
    """Change limits or notes of domains; what is not given stays as it is."""
    given = {
        "max_crawl_depth": depth,
        "crawl_delay_seconds": delay,
        "max_pages_per_run": max_pages,
        "scrape_frequency_hours": every_hours,
        "render": render,
    }
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if notes is not None:
        values["notes"] = notes or None
    if not values:
        raise UsageError("say what to change: --depth, --delay, --max-pages, --every-hours or --notes")
    by = Actor.operator()
    return _run(
        lambda workspace, wanted: decisions.edit(workspace.db, by, values, wanted),
        "changed", domain, file, version, json, tells_crawl=False,
    )  # fmt: skip


def _decide(
    decision: Decision, domains: Sequence[str], file: str | None, version: int | None, json: bool
) -> int:
    async def act(workspace: Any, wanted: list[Target]) -> Report:
        assets = (await workspace.profile_head()).policies.approve_assets
        return await decisions.decide(workspace.db, replace(decision, approve_assets=assets), wanted)

    return _run(
        act,
        DONE[decision.verb], domains, file, version, json,
        tells_crawl=decision.verb in (Verb.APPROVE, Verb.RESUME),
    )  # fmt: skip


def _run(
    act: Callable[[Any, list[Target]], Awaitable[Report]],
    done: str,
    domains: Sequence[str],
    file: str | None,
    version: int | None,
    json: bool,
    *,
    tells_crawl: bool,
) -> int:
    names = named.read(domains, file)

    async def whole(workspace: Any) -> tuple[Report, bool, str]:
        wanted, bad = named.targets(workspace, names, version)
        report = await act(workspace, wanted)
        at_work = tells_crawl and await workers.any_at_work(workspace.db)
        yields = workspace.yields if json else ""
        return Report(report.done, [*bad, *report.refused]), at_work, yields

    report, at_work, yields = runtime.in_workspace(whole)
    crawl = None
    if tells_crawl and any(domain.due_at for domain in report.done):
        crawl = "crawling has started" if at_work else "queued: start `surveyor crawl`"
    show.result(lambda: _json(report, yields, crawl), lambda: _print(report, done, crawl), json=json)
    return 0 if report.done else runtime.FAILED


def _json(report: Report, yields: str, crawl: str | None) -> dict[str, Any]:
    return {
        "done": [to_json(domain, yields) for domain in report.done],
        "refused": [asdict(refusal) for refusal in report.refused],
        "crawl": crawl,
    }


def _print(report: Report, done: str, crawl: str | None) -> None:
    _print_some([f"{show.domain_name(domain.domain)}: {done}" for domain in report.done], done)
    _print_some([f"  {show.safe(refusal.why)}" for refusal in report.refused], "refused")
    if report.refused and report.done:
        runtime.say(f"{show.count(len(report.done))} {done}, {show.count(len(report.refused))} refused")
    if crawl:
        runtime.say(crawl)


def _print_some(lines: Sequence[str], what: str) -> None:
    for line in lines[:_SHOWN]:
        runtime.say(line)
    if len(lines) > _SHOWN:
        runtime.say(f"  … and {show.count(len(lines) - _SHOWN)} more {what}")
