"""How sessions, providers and their usage look: bars while a session runs, tables and JSON after it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Listing, Row
from surveyor.cli.sessions import COLOURS
from surveyor.discover.session import Session
from surveyor.discover.sessions import Report, SessionRun
from surveyor.discover.usage import ProviderState, Usage, state_json, usage_json
from surveyor.judge.statistics import JudgingStatistics


@contextmanager
def watched(run: SessionRun) -> Iterator[None]:
    """A bar per provider on standard error; on a pipe it stays silent."""
    console = show.error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        tasks = {queue.name: bars.add_task(queue.name, total=queue.report.planned) for queue in run.queues}

        def refresh(now: SessionRun) -> None:
            for queue in now.queues:
                message = (
                    f"{queue.name}: {show.count(now.totals.provider_results.get(queue.name, 0))} results"
                )
                state = f", {queue.state}" if queue.report.error else ""
                bars.update(tasks[queue.name], completed=queue.report.answered, description=message + state)

        run.watch = refresh
        yield


def report_json(report: Report, judged: JudgingStatistics | None) -> dict[str, Any]:
    refused = {reason.value: count for reason, count in sorted(report.refused.items())}
    queues = [asdict(queue) for queue in report.queues]
    return asdict(report.session) | {
        "providers": queues,
        "invalid_reasons": refused,
        "blacklisted": report.blacklisted,
        **({"judging": judged.to_json()} if judged else {}),
    }


def print_report(report: Report) -> None:
    session = report.session
    columns = (("PROVIDER", "left"), ("ANSWERED", "right"), ("RESULTS", "right"), ("NEW DOMAINS", "right"))
    rows: list[show.Row | show.Note] = []
    for queue in report.queues:
        answered = f"{show.count(queue.answered)}/{show.count(queue.planned)}"
        rows.append([queue.name, answered, show.count(queue.results), show.count(queue.new_domains)])
        if queue.error:
            rows.append(show.Note(show.safe(queue.error)))
    show.print_table(columns, rows)
    runtime.say(f"{session.status.replace('_', ' ')}: {_counts(session)}")
    for reason, count in sorted(report.refused.items()):
        runtime.say(f"  {show.count(count)} refused: {reason.replace('_', ' ')}")
    for name in report.blacklisted:
        runtime.say(f"  {name} is blacklisted now: spam")


def _counts(session: Session) -> str:
    return (
        f"{show.count(session.results_found, 'result')},"
        f" {show.count(session.new_domains, 'new domain')}, {show.count(session.duplicates_skipped)} known,"
        f" {show.count(session.spam_filtered)} spam, {show.count(session.blacklisted_skipped)} blacklisted,"
        f" {show.count(session.invalid)} invalid"
    )


def _usage(read: Callable[[Row], Usage | None]) -> tuple[Column[Row], ...]:
    """What was asked and what it brought, of the rows of two listings."""

    def figure(heading: str, cell: Callable[[Usage], str], none: str = "0") -> Column[Row]:
        def of(row: Row) -> str:
            usage = read(row)
            return none if usage is None else cell(usage)

        return Column(heading, of, "right")

    return (
        figure("CALLS", lambda usage: show.count(usage.calls)),
        figure("FAILED", lambda usage: show.count(usage.failures)),
        figure("RESULTS", lambda usage: show.count(usage.results)),
        figure("NEW", lambda usage: show.count(usage.new_domains)),
        figure("CREDITS", lambda usage: f"{usage.credits:,g}"),
        figure("NEW/CREDIT", lambda usage: show.rate(usage.new_domains_per_credit), "-"),
    )


def _provider_notes(state: ProviderState) -> list[str]:
    account, row = state.account, state.suspended
    if row:
        again = f"`surveyor providers --resume {shlex.quote(account.name)}` tries it again now"
        return [show.safe(f"{row.error}: {row.detail}; {again}")]
    return [account.missing] if account.missing else []


def _usage_of(state: ProviderState) -> Usage | None:
    return state.usage


def _line(line: Usage) -> Usage:
    return line


PROVIDERS: Listing[ProviderState] = Listing(
    (
        Column("PROVIDER", lambda state: state.account.name),
        Column("STATE", lambda state: Text(state.state, style=COLOURS.get(state.state, ""))),
        Column("KEY", lambda state: "yes" if state.account.key else "no"),
        Column(
            "SUSPENDED UNTIL", lambda state: show.when(state.suspended.until if state.suspended else None)
        ),
        *_usage(_usage_of),
    ),
    to_json=state_json,
    notes=_provider_notes,
)
QUERIES: Listing[Usage] = Listing(
    (
        Column("PROVIDER", lambda line: line.provider),
        Column("QUERY", lambda line: line.query),
        *_usage(_line),
    ),
    to_json=usage_json,
)
