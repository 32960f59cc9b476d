"""How sessions, providers and their ledger look: bars while a session runs, tables and JSON after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from surveyor.cli import runtime, show
from surveyor.discover.ledger import ProviderState, Usage
from surveyor.discover.session import Session, SessionStatus
from surveyor.discover.sessions import Report, SessionRun

_COLOURS = {
    SessionStatus.COMPLETED: "green",
    SessionStatus.PARTIAL_SUCCESS: "yellow",
    SessionStatus.FAILED: "red",
    SessionStatus.RUNNING: "cyan",
    "ready": "green",
    "suspended": "yellow",
}


@contextmanager
def watched(run: SessionRun) -> Iterator[None]:
    """A bar per provider on standard error; on a pipe it stays silent."""
    console = show.error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        tasks = {lane.name: bars.add_task(lane.name, total=lane.planned) for lane in run.lanes}

        def refresh(now: SessionRun) -> None:
            for lane in now.lanes:
                message = f"{lane.name}: {show.count(now.totals.provider_results.get(lane.name, 0))} results"
                state = f", {lane.state}" if lane.error else ""
                bars.update(tasks[lane.name], completed=lane.answered, description=message + state)

        run.watch = refresh
        yield


def report_json(report: Report) -> dict[str, Any]:
    refused = {reason.value: count for reason, count in sorted(report.refused.items())}
    lanes = [asdict(lane) for lane in report.lanes]
    return asdict(report.session) | {
        "providers": lanes,
        "invalid_reasons": refused,
        "blacklisted": report.blacklisted,
    }


def print_report(report: Report) -> None:
    session = report.session
    columns = (("PROVIDER", "left"), ("ANSWERED", "right"), ("RESULTS", "right"), ("NEW DOMAINS", "right"))
    rows: list[show.Row | show.Note] = []
    for lane in report.lanes:
        answered = f"{show.count(lane.answered)}/{show.count(lane.planned)}"
        rows.append([lane.name, answered, show.count(lane.results), show.count(lane.new_domains)])
        if lane.error:
            rows.append(show.Note(show.safe(lane.error)))
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


def print_sessions(found: Sequence[Session]) -> None:
    columns = (
        ("SESSION", "left"),
        ("TYPE", "left"),
        ("STATUS", "left"),
        ("STARTED", "left"),
        ("QUERIES", "right"),
        ("RESULTS", "right"),
        ("NEW", "right"),
        ("KNOWN", "right"),
        ("SPAM", "right"),
    )
    show.print_table(columns, _session_rows(found))


def _session_rows(found: Sequence[Session]) -> Iterator[show.Row | show.Note]:
    for session in found:
        yield [
            str(session.id),
            session.type.value,
            Text(session.status.value, style=_COLOURS[session.status]),
            show.when(session.started_at),
            f"{show.count(session.queries_executed)}/{show.count(session.queries_planned)}",
            show.count(session.results_found),
            show.count(session.new_domains),
            show.count(session.duplicates_skipped),
            show.count(session.spam_filtered),
        ]
        for name, error in session.provider_errors.items():
            yield show.Note(show.safe(f"{name}: {error}"))
        if session.error_message and not session.provider_errors:
            yield show.Note(show.safe(session.error_message))


_FIGURES = (
    ("CALLS", "right"),
    ("FAILED", "right"),
    ("RESULTS", "right"),
    ("NEW", "right"),
    ("CREDITS", "right"),
    ("NEW/CREDIT", "right"),
)


def print_providers(states: Sequence[ProviderState]) -> None:
    columns = (
        ("PROVIDER", "left"),
        ("STATE", "left"),
        ("KEY", "left"),
        ("SUSPENDED UNTIL", "left"),
        *_FIGURES,
    )
    show.print_table(columns, _provider_rows(states))


def _provider_rows(states: Sequence[ProviderState]) -> Iterator[show.Row | show.Note]:
    for state in states:
        account, row = state.account, state.suspended
        yield [
            account.name,
            Text(state.state, style=_COLOURS.get(state.state, "")),
            "yes" if account.key else "no",
            show.when(row.until) if row else "-",
            *_figures(state.usage),
        ]
        if row:
            message = (
                f"{row.error}: {row.detail}; `surveyor providers --resume {account.name}` tries it again now"
            )
            yield show.Note(show.safe(message))
        elif account.missing:
            yield show.Note(account.missing)


def print_ledger(lines: Sequence[Usage]) -> None:
    if not lines:
        runtime.say("nobody was asked anything in these days")
        return
    columns = (("PROVIDER", "left"), ("QUERY", "left"), *_FIGURES)
    show.print_table(columns, [[line.provider, show.safe(line.query), *_figures(line)] for line in lines])


def _figures(usage: Usage | None) -> tuple[str, ...]:
    if usage is None:
        return ("0", "0", "0", "0", "0", "-")
    counts = (usage.calls, usage.failures, usage.results, usage.new_domains)
    return (*map(show.count, counts), f"{usage.credits:,g}", show.rate(usage.new_domains_per_credit))
