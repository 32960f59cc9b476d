"""Commands that ask search providers, and that show what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import judge_tables, runtime, search_tables, show
from surveyor.cli.judge import judge_waiting
from surveyor.cli.listing import Json, Limit
from surveyor.discover import queries, session_list, usage
from surveyor.discover.adapters import SearchQuery
from surveyor.discover.session import SessionStatus, SessionType
from surveyor.discover.sessions import Plan, SessionRun
from surveyor.errors import UsageError
from surveyor.process.signals import terminated_as_interrupted
from surveyor.registry.actors import Actor
from surveyor.registry.service import require_profile

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.discover.provider import Account
    from surveyor.discover.sessions import Report


def search(
    *query: Annotated[str, Parameter(help="What to look for; without any, the profile's queries.")],
    queries: Annotated[Path | None, Parameter(help="A file with one query per line.")] = None,
    provider: Annotated[
        tuple[str, ...], Parameter(help="Ask only this provider; may be given more than once.")
    ] = (),
    type: Annotated[  # noqa: A002
        SessionType | None,
        Parameter(help="Kind of session; it also says which of the profile's queries are asked."),
    ] = None,
    scheduled: Annotated[
        bool,
        Parameter(
            negative="",
            help="As `up` does: within `schedule.queries_per_day`, what was asked longest ago first.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, Parameter(negative="", help="Show what would be asked, without asking.")
    ] = False,
    judge: Annotated[bool, Parameter(help="Judge the results at the end.")] = True,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON document.")] = False,
) -> int:
    """Ask search providers and judge what they found; new domains wait for review."""

    async def act(workspace: Workspace) -> int:
        plan = _plan(workspace, query, queries, type)
        if scheduled:
            plan = await _share(workspace, plan)
            if not plan.queries:
                runtime.say(f"the queries of {plan.type.value} for this day are asked")
                return 0
        if dry_run:
            return _show_plan(workspace, plan, provider, json)
        report = await _search(workspace, plan, provider)
        judged = await judge_waiting(workspace) if judge else None
        shown = [lambda: search_tables.print_report(report)]
        if judged and judged.processed:
            shown.append(lambda: judge_tables.print_statistics(judged))
        show.result(lambda: search_tables.report_json(report, judged), *shown, json=json)
        return runtime.FAILED if report.session.status is SessionStatus.FAILED else 0

    return runtime.in_workspace(act)


def _plan(workspace: Workspace, given: tuple[str, ...], file: Path | None, kind: SessionType | None) -> Plan:
    wanted: tuple[SearchQuery, ...] = queries.given(given)
    if given and not wanted:
        raise UsageError("a query must hold a word")
    if file is not None:
        wanted = queries.given(one.text for one in (*wanted, *queries.from_file(file)))
    if wanted:
        return Plan(kind or SessionType.MANUAL_SEARCH, wanted)
    kind = kind or SessionType.NIGHTLY_DISCOVERY
    return Plan(kind, queries.from_profile(workspace.profile, kind))


async def _share(workspace: Workspace, plan: Plan) -> Plan:
    """The part of a profile's plan that is for today."""
    from surveyor.discover.scheduled import todays
    from surveyor.operations.up import search_shares

    share = search_shares(workspace.settings, workspace.profile).get(plan.type)
    if share is None:
        raise UsageError("--scheduled goes with --type nightly_discovery or --type weekly_deep_crawl alone")
    return Plan(plan.type, await todays(workspace.db, share, plan.queries))


def _show_plan(workspace: Workspace, plan: Plan, wanted: tuple[str, ...], json: bool) -> int:
    from surveyor.discover.provider import chosen

    known = workspace.provider_accounts()
    is_any_ready = any(account.missing is None for account in known.values())
    accounts = chosen(known, wanted) if wanted or is_any_ready else []
    costs = {one.name: one.call_credits * len(plan.queries) for one in accounts}
    texts = [one._asdict() for one in plan.queries]
    data = {"type": plan.type, "queries": texts, "credits": costs}
    show.result(data, lambda: _print_plan(plan, accounts, costs), json=json)
    return 0


def _print_plan(plan: Plan, accounts: Sequence[Account], costs: Mapping[str, Decimal]) -> None:
    for one in plan.queries:
        show.console().print(show.safe(one.text), markup=False, soft_wrap=True)
    message = (
        ", ".join(f"{name} (about {cost.normalize():f} credits)" for name, cost in costs.items()) or _NOBODY
    )
    runtime.say(f"{show.count(len(plan.queries), 'query')} would go to {message}")
    for account in accounts:
        name, (_, advice) = account.name, account.adapter.surcharge(account.settings.results)
        if advice:
            runtime.say(f"{name}: {advice}; providers.{name}.results sets how many are asked for")


_NOBODY = "nobody: no search provider is set up; `surveyor providers` says what each of them needs"


async def _search(workspace: Workspace, plan: Plan, wanted: tuple[str, ...]) -> Report:
    from surveyor.bootstrap.workers import search_providers

    await require_profile(workspace.db, workspace.profile.name, workspace.profile.hash)
    await session_list.close_abandoned(workspace.db)
    async with search_providers(workspace, wanted) as providers:
        run = SessionRun(workspace.db, plan, providers, Actor.operator(), workspace.search_policy())
        with terminated_as_interrupted(), search_tables.watched(run):
            return await run.run()


def providers(
    *,
    queries: Annotated[
        bool, Parameter(negative="", help="Usage per query: what each cost and brought.")
    ] = False,
    days: Annotated[int, Parameter(help="Days that the figures cover.")] = 30,
    resume: Annotated[
        tuple[str, ...], Parameter(help="End the suspension of this provider; may be given more than once.")
    ] = (),
    limit: Limit = 50,
    json: Json = False,
) -> None:
    """List search providers: whether they are set up or suspended, and what their credits brought."""
    if not 1 <= days <= 36_500:
        raise UsageError(f"--days must be from 1 to 36500, not {days}")

    async def act(workspace: Workspace) -> tuple[list[usage.ProviderState], list[usage.Usage]]:
        accounts = workspace.provider_accounts()
        for name in resume:
            if name not in accounts:
                raise UsageError(f"there is no provider {show.safe(name)}; there are {', '.join(accounts)}")
            ended = await usage.resume(workspace.db, name, Actor.operator())
            runtime.say(f"{name} is asked again" if ended else f"{name} was not suspended")
        lines = await usage.by_query(workspace.db, days, limit + 1) if queries else []
        return await usage.states(workspace.db, accounts, days), lines

    states, lines = runtime.in_workspace(act)
    if queries:
        empty = "nobody was asked anything in these days"
        search_tables.QUERIES.print(lines, limit, json=json, empty=empty)
    else:
        search_tables.PROVIDERS.print(states, limit, json=json, empty="there is no search provider")
