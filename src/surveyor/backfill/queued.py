"""URLs that wait in another crawler's queue into the register, to wait here.

What is known here stays as it is, so a second run changes nothing. With a spider named, what its requests
carry (callback, headers, meta) comes along, and the spider goes on with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from surveyor.backfill import store_pages
from surveyor.backfill.jobdir import Waiting
from surveyor.backfill.pages import PagesReport
from surveyor.db import Database
from surveyor.errors import NotADomain, NotAUrl
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL
from surveyor.names import NameRules, PageUrl, parse_url, url_key

_BATCH = 200  # URLs per transaction


class QueuedUrl(NamedTuple):
    url: PageUrl
    depth: int
    rank: int
    request: str | None  # what it carries beside its URL, for the spider

    @property
    def key(self) -> int:
        return url_key(self.url.target)

    @property
    def origin(self) -> str:
        return f"{self.url.scheme}://{self.url.host}"


async def bring_queue(
    db: Database, waiting: Iterator[Waiting], rules: NameRules, spider: str | None, *, apply: bool
) -> PagesReport:
    report = PagesReport()
    while some := list(islice(waiting, _BATCH)):
        read = [found for one in some if (found := _read(one, rules, spider, report)) is not None]
        urls = {(str(one.url.domain), one.key): one for one in reversed(read)}  # the first of twins
        report.kept += len(read) - len(urls)
        await _write(db, list(urls.values()), report, apply=apply, goes_on=spider is not None)
    return report


def _read(one: Waiting, rules: NameRules, spider: str | None, report: PagesReport) -> QueuedUrl | None:
    if one.why_not is not None:
        report.leave_out(one.why_not)
        return None
    try:
        url = parse_url(one.url, rules=rules)
    except (NotAUrl, NotADomain):
        report.leave_out("no URL of a page is named")
        return None
    rank = RANK_NORMAL if one.priority == 0 else RANK_FIRST if one.priority > 0 else RANK_LATER
    return QueuedUrl(url, max(0, one.depth), rank, one.text(spider) if spider else None)


async def _write(
    db: Database, urls: list[QueuedUrl], report: PagesReport, *, apply: bool, goes_on: bool
) -> None:
    async with db.write() if apply else db.read() as tx:
        numbers, held = await store_pages.find_domains(tx, {str(one.url.domain) for one in urls})
        free = [one for one in urls if one.url.domain not in held]
        there = [one for one in free if one.url.domain in numbers] if apply else free
        for one in urls:
            if one.url.domain in held:
                report.leave_out("a worker holds its domain")
            elif apply and one.url.domain not in numbers:
                report.leave_out("its domain is not in the register")
        places = [(numbers[one.url.domain], one.key) for one in there if one.url.domain in numbers]
        known = await store_pages.known(tx, places)
        new = [one for one in there if (numbers.get(one.url.domain), one.key) not in known]
        report.kept += len(there) - len(new)
        report.new += len(new)
        if apply and new:
            await store_pages.queue(tx, new, numbers)
            if not goes_on:
                await store_pages.queue_starts(tx, sorted({numbers[one.url.domain] for one in new}))
