"""When to visit a page again: pure, from what its visits showed.

Changes are taken to come at random at a steady rate. After n visits with c changes at a mean
interval m the rate is about -ln((n - c + 0.5) / (n + 0.5)) / m, and the next visit comes when 0.4
changes are to be expected: oftener brings little, more rarely shows yesterday's page. What is known
fades, so that a page which begins to change is noticed, and one that stops is left in peace.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import NamedTuple

from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL
from surveyor.frontier.revisits import Habits, Next, Seen, Visited

_VERSION = 1
# A visit counts as so much. Halving what is known then loses no change to rounding.
UNIT = 8
# A field is at most this large, in six bytes; enough for minutes of a thousand years.
_LARGEST = (1 << 42) - 1
_SEVEN_BITS, _MORE = 0x7F, 0x80


class History(NamedTuple):
    """What past visits showed of a page, in a few bytes: whole numbers, written with a version.

    Bytes of another version, or of none, are a page without a past: a schedule begins anew, nothing breaks.
    Visits and changes are in units and fade, see `remember`; times are minutes.
    """

    visits: int = 0  # after the first
    changes: int = 0  # of these, those that found another content
    minutes: int = 0  # between these visits, in all, fading with them
    interval: int = 0  # to the next visit, as it was planned
    gone: int = 0  # visits in a row that found no page
    without_records: int = 0  # minutes of visits since the page gave its last record, or was first seen
    has_records: int = 0  # 1: it has given a record

    def to_bytes(self) -> bytes:
        out = bytearray((_VERSION,))
        for number in self:
            rest = min(max(number, 0), _LARGEST)
            while rest > _SEVEN_BITS:
                out.append(rest & _SEVEN_BITS | _MORE)
                rest >>= 7
            out.append(rest)
        return bytes(out)

    @classmethod
    def of(cls, data: bytes | None) -> History:
        """Whatever the bytes are, a history comes of them; what cannot be one is empty."""
        if not data or data[0] != _VERSION:
            return cls()
        fields, number, shift = [], 0, 0
        for byte in data[1:]:
            number |= (byte & _SEVEN_BITS) << shift
            shift += 7
            if not byte & _MORE:
                fields.append(min(number, _LARGEST))
                number = shift = 0
        whole = len(fields) == len(cls._fields) and not shift
        found = cls(*fields) if whole else cls()
        return found if found.changes <= found.visits and found.has_records <= 1 else cls()


# Changes to be expected between two visits.
EXPECTED_CHANGES = 0.4
# Minutes. More than hourly is no refresh but a watch; a page nobody looks at for a season is lost.
SHORTEST, LONGEST = 60, 90 * 24 * 60
# Visits after which half of what is known is forgotten: a page may change its ways.
MEMORY = 16
# A page that is gone is asked for so many times more; then it is left.
LAST_LOOKS = 2
# Minutes of visits without a record after which a page is visited rarely.
LONG_WITHOUT_RECORDS = 90 * 24 * 60
# Of so many such pages one is visited as before: a part of a site that begins to give records is noticed.
SAMPLE_OF = 10
# Changes that a sitemap must have named or denied, and the share of them that must have been true.
LASTMOD_TRIED, LASTMOD_RIGHT = 5, 0.8


class RefreshPolicy:
    """The schedule that a crawl is given."""

    def after(self, visited: Visited, habits: Habits, now: datetime) -> Next:
        usual = _within(habits.usual_hours * 60)
        if visited.seen is Seen.LIST:
            return Next(None, now + timedelta(minutes=usual), RANK_FIRST)
        if visited.seen is Seen.NEW:
            return _planned(History(interval=usual), now)
        past = History.of(visited.history)
        past = past._replace(interval=past.interval or usual)
        if visited.seen is Seen.GONE:
            return _after_nothing(past, now, visited.is_start)
        if visited.seen is Seen.FAILED:
            return _planned(past._replace(interval=_within(2 * past.interval)), now)
        return _planned(_after_page(past, visited, habits, now), now)

    def believes_lastmod(self, right: int, wrong: int) -> bool:
        tried = right + wrong
        return tried >= LASTMOD_TRIED and right >= LASTMOD_RIGHT * tried


def rate(history: History) -> float:
    """Changes per minute, as far as is known."""
    if not history.visits or not history.minutes:
        return 0.0
    n, c = history.visits / UNIT, history.changes / UNIT
    mean = history.minutes / n
    return -math.log((n - c + 0.5) / (n + 0.5)) / mean


def next_interval(history: History) -> int:
    """Minutes to the next visit: at most twice as long as the last time."""
    changes = rate(history)
    wanted = EXPECTED_CHANGES / changes if changes > 0 else float(LONGEST)
    return _within(min(wanted, 2.0 * max(history.interval, 1)))


def remember(history: History, elapsed: int, *, changed: bool) -> History:
    """One visit more; when there are many, half of what is known fades."""
    n, c = history.visits + UNIT, history.changes + UNIT * changed
    minutes = history.minutes + elapsed
    if n > MEMORY * UNIT:
        n, c, minutes = n // 2, c // 2, minutes // 2
    return history._replace(visits=n, changes=c, minutes=minutes)


def is_long_without_records(history: History) -> bool:
    """Visited for long, without a record in all the time."""
    return history.without_records >= LONG_WITHOUT_RECORDS


def not_changed_after_all(history: History) -> History:
    """The last visit found other bytes that say the same: that was no change."""
    known = history._replace(changes=max(0, history.changes - UNIT))
    return known._replace(interval=max(history.interval, next_interval(known)))


def gave_records(history: History, *, deadline_moved: bool) -> History:
    """The page gave records. Where a deadline moved it may move again: the next visit comes twice as soon."""
    known = history._replace(without_records=0, has_records=1)
    return known._replace(interval=_within(known.interval / 2)) if deadline_moved else known


def gave_nothing(history: History) -> History:
    """The page was read and mentions no record."""
    return history._replace(has_records=0)


def rank_of(history: History) -> int:
    """Pages that gave records come first, those that give none for long come last."""
    if is_long_without_records(history):
        return RANK_LATER
    return RANK_FIRST if history.has_records else RANK_NORMAL


def _after_page(past: History, visited: Visited, habits: Habits, now: datetime) -> History:
    """There is a page, the same or another."""
    elapsed = _minutes(past, visited.last, now)
    # A page whose records still stand there need not bring new ones.
    known = past._replace(gone=0, without_records=0 if past.has_records else past.without_records + elapsed)
    known = remember(known, elapsed, changed=visited.seen is Seen.CHANGED)
    known = known._replace(interval=next_interval(known))
    if not habits.expects_records:
        return known._replace(without_records=0)
    is_spared = visited.is_start or visited.key % SAMPLE_OF == 0
    return known._replace(interval=LONGEST) if is_long_without_records(known) and not is_spared else known


def _after_nothing(past: History, now: datetime, is_start: bool) -> Next:
    """There is no page any more. A start page is never left: the domain may come back."""
    known = past._replace(gone=past.gone + 1, interval=_within(2 * past.interval))
    if known.gone > LAST_LOOKS and not is_start:
        return Next(known.to_bytes(), None, RANK_LATER)
    return _planned(known, now)


def _planned(history: History, now: datetime) -> Next:
    return Next(history.to_bytes(), now + timedelta(minutes=history.interval), rank_of(history))


def _minutes(past: History, last: datetime | None, now: datetime) -> int:
    """Since the visit before; at least one, whatever a clock said."""
    return past.interval if last is None else max(1, int((now - last).total_seconds() // 60))


def _within(minutes: float) -> int:
    return int(min(max(minutes, SHORTEST), LONGEST))
