"""What a result says of its page, and the date that a schedule makes of it. Pure.

Without a past a URL that came to nothing is left; with one it was a page, and may be one again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from surveyor.crawl.results import START, PageReason, PageResult
from surveyor.frontier.revisits import Habits, Next, Schedule, Seen, Visited

LISTS = frozenset({PageReason.SITEMAP, PageReason.FEED, PageReason.PARTIAL_LIST})
# Ends that say nothing about the page: it was not asked for, or not answered.
_UNKNOWN = frozenset({PageReason.FAILED, PageReason.ROBOTS})
_GONE = 404, 410


def seen_of(result: PageResult) -> Seen | None:
    """None: there is nothing to come back for."""
    past = result.past
    if result.state == "done":
        if past is None:
            return Seen.NEW
        return Seen.SAME if is_same(result) else Seen.CHANGED
    if result.reason in LISTS:
        return Seen.LIST
    if past is None and result.target != START:
        return None
    return Seen.FAILED if result.reason in _UNKNOWN or not result.was_fetched else Seen.GONE


def is_same(result: PageResult) -> bool:
    """The content of the last visit, by the site's word or by its bytes."""
    past = result.past
    return result.status == 304 or (past is not None and past.content_hash == result.content_hash)


def is_gone(result: PageResult) -> bool:
    return result.status in _GONE


def plan(
    schedule: Schedule,
    habits: Habits,
    now: datetime,
    results: Iterable[PageResult],
    histories: Mapping[int, bytes | None],
) -> None:
    """Write beside each result when its page is visited again."""
    fresh: Next | None = None  # the same for all new pages of a domain
    for result in results:
        seen, history = seen_of(result), histories.get(result.key)
        if seen is Seen.NEW or (seen is Seen.CHANGED and history is None and not _was_page(result)):
            fresh = fresh or schedule.after(Visited(result.key, Seen.NEW), habits, now)
            result.plan = fresh
        elif seen is not None and (history is not None or _may_come_back(result, seen)):
            last = result.past.fetched_at if result.past else None
            visited = Visited(result.key, seen, history, last, result.target == START)
            result.plan = schedule.after(visited, habits, now)


def lastmod_counts(results: Iterable[PageResult]) -> tuple[int, int]:
    """How often a sitemap was right about a change, and how often wrong.

    A change that it kept silent about counts too; that nothing changes is no art to foretell.
    """
    right = wrong = 0
    for result in results:
        if result.named_changed is not None and result.state == "done":
            changed = not is_same(result)
            right += result.named_changed and changed
            wrong += result.named_changed is not changed
    return right, wrong


def _was_page(result: PageResult) -> bool:
    return result.past is not None and result.past.content_hash is not None


def _may_come_back(result: PageResult, seen: Seen) -> bool:
    """Without a history: lists, start pages, and pages from before there were histories."""
    was_list = result.past is not None and result.past.reason in LISTS
    return seen is Seen.LIST or was_list or result.target == START or _was_page(result)
