"""One domain on a page: every column that says something, then its events.

Apart from the lists of domains, which do without the stages that are asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from surveyor.cli import refresh_view, runtime, show
from surveyor.cli.listing import Json, Limit
from surveyor.crawl.store.why import ReasonCount
from surveyor.crawl.why import pages_by_reason, reason_text
from surveyor.extract import queries
from surveyor.extract.queries import MOST_COUNTED, DomainCounts
from surveyor.refresh.due import Outlook, outlook
from surveyor.registry import service
from surveyor.registry.domain import Domain, to_json
from surveyor.registry.service import DomainInfo

_SECTIONS: dict[str, str] = {
    "identity": "id no parent_domain start_url",
    "origin": "source seed_rank first_seen_at last_seen_at total_occurrences",
    "review": "review_status submitted_by submitter_type submission_context reviewed_by reviewed_at"
    " rejection_reason is_trusted",
    "quality": "quality_status processing_count last_processed_at best_confidence average_confidence"
    " high_quality_count low_quality_count blacklisted_by blacklisted_at blacklist_reason no_funds_year"
    " failure_reason failure_count retry_after notes",
    "limits": "max_crawl_depth crawl_delay_seconds max_pages_per_run scrape_frequency_hours render",
    "progress": "crawl_status pages_crawled pages_discovered images_found images_stored records_stored"
    " bytes_fetched crawl_depth_reached frontier_size stopped_by last_crawled_at language",
    "obstacles": "total_error_count consecutive_error_count block_reason_code block_reason"
    " first_blocked_at block_count",
    "schedule": "due_at priority_score next_fetch_at robots_verdict robots_crawl_delay",
    "lease": "claimed_by claim_expires_at lease_epoch attempts",
    "stamps": "version created_at updated_at",
}
# Shown even when empty: their absence is what a person looks for.
_ALWAYS = {"due_at", "last_crawled_at", "claimed_by"}


def domain_info(
    domain: Annotated[str, Parameter(help="A domain or any URL of it.")],
    *,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """Show everything about one domain."""

    async def act(workspace: Any) -> tuple[DomainInfo, list[ReasonCount], DomainCounts, Outlook, str]:
        info = await service.domain_info(workspace.db, workspace.domain_name(domain), limit)
        no = info.domain.no
        urls = await pages_by_reason(workspace.db, no)
        found, ahead = await queries.counts(workspace.db, no), await outlook(workspace.db, no)
        return info, urls, found, ahead, workspace.yields

    info, urls, extracted, ahead, yields = runtime.in_workspace(act)
    data = to_json(info.domain, yields) | {
        "images_only": info.images_only,
        "assets": [asdict(host) for host in info.assets],
        "events": [event.to_json() for event in info.events],
        "urls": [each._asdict() for each in urls],
        "extraction": extracted._asdict(),
        "refresh": asdict(ahead),
    }
    show.result(data, lambda: print_page(info, urls, extracted, ahead, yields), json=json)


def print_page(
    info: DomainInfo, urls: Sequence[ReasonCount], extracted: DomainCounts, ahead: Outlook, yields: str
) -> None:
    domain, out = info.domain, show.console()
    out.print(Text(f"{show.domain_name(domain.domain)}  {domain.stage}", style="bold"))
    for heading, values in _sections(domain, yields):
        out.print(Text(f"\n{heading}", style="bold"))
        for name, value in values:
            show.print_line(Text(f"  {name:<24}{value}"), out)
    _print_urls(out, urls)
    _print_extracted(out, extracted)
    _print_refresh(out, ahead)
    _print_assets(out, info)
    out.print(Text("\nevents", style="bold"))
    for event in info.events:
        show.print_line(Text(f"  {show.when(event.at)}  {show.safe(event.summary())}"), out)
    if not info.events:
        out.print("  none yet")


def _print_urls(out: Console, urls: Sequence[ReasonCount]) -> None:
    """What became of the URLs; a cut is shown with its reason and one that was cut."""
    if urls:
        out.print(Text("\nurls", style="bold"))
    for state, reason, number, example in urls:
        said = f"  {reason_text(reason)}, such as {show.safe(example)}" if reason else ""
        name = f"{state} {reason or ''}".strip()
        show.print_line(Text(f"  {name:<24}{show.count(number)}{said}"), out)


def _print_extracted(out: Console, extracted: DomainCounts) -> None:
    """What was found on its pages, and what of them is not read."""
    named = (
        ("pages to read", extracted.waiting),
        ("pages in quarantine", extracted.quarantined),
        *extracted.records.items(),
        ("records gone", extracted.gone),
        ("contacts", extracted.contacts),
    )
    shown = [(name, number) for name, number in named if number]
    if shown:
        out.print(Text("\nextraction", style="bold"))
    for name, number in shown:
        out.print(Text(f"  {name:<24}{_counted(number)}"))


def _counted(number: int) -> str:
    return show.count(number) + ("+" if number >= MOST_COUNTED else "")


def _print_refresh(out: Console, ahead: Outlook) -> None:
    """When its pages are visited again, and why the first of them."""
    lines = refresh_view.lines_of(ahead)
    if lines:
        out.print(Text("\nrefresh", style="bold"))
    for name, value in lines.items():
        show.print_line(Text(f"  {name:<24}{value}"), out)


def _print_assets(out: Console, info: DomainInfo) -> None:
    """Whose images its pages show; and that it is such a host itself."""
    if info.images_only:
        out.print("\napproved for images only")
    if info.assets:
        out.print(Text("\nimage hosts", style="bold"))
    for host in info.assets:
        status = f"{host.review_status}, for images only" if host.images_only else host.review_status
        counts = f"{show.count(host.images_stored)} stored, {show.count(host.waiting)} waiting"
        show.print_line(Text(f"  {show.domain_name(host.host)}  {status}  {counts}"), out)


def _sections(domain: Domain, yields: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for heading, names in _SECTIONS.items():
        values = [(name, getattr(domain, name)) for name in names.split()]
        if heading == "progress":
            values.append(("yield_rate", domain.yield_rate(yields)))
        shown = [(name, _value(value)) for name, value in values if value is not None or name in _ALWAYS]
        if shown:
            yield heading, shown


def _value(value: Any) -> str:
    if value is None:
        return "-"
    if hasattr(value, "strftime"):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return show.count(value) if isinstance(value, int) else show.safe(str(value))
