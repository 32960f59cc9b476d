"""Keeps the time between requests to one site, and promises that none is sent before it has passed.

Pure: the caller's clock ticks (`Clock.ticks`, seconds) are passed in. The delay is the largest of

    our own     what a person or the profile set; never capped
    the site's  Crawl-delay or Request-rate, up to `max_delay`
    latency     what the site needs for an answer: it rests as long as it worked for us
    back-off    doubled by every sign of distress, a fifth less after every good answer

and counts from the end of the answer before: a server that was busy never sees the next request early,
whenever it came to read the last one. A Retry-After stands above all of them. Latency and back-off rise
fast, within three answers, and fall slowly: a site that just recovered is not run into the ground again.

Beside it `AddressLimit` bounds the requests at once to one address, whatever the names that lead there.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from weakref import WeakValueDictionary

DAY = 86_400.0  # seconds; the most a Retry-After is believed
DISTRESS = frozenset({"timeout", "too_slow", "connection_refused", "connection_reset"})
"""Net error codes that may mean that the site has too much to do; a bad name or certificate does not."""

_UP = 0.5  # weight of a higher latency: after three answers 7/8 of the rise is seen
_DOWN = 0.125  # weight of a lower one: 7/8 of the fall takes sixteen
_LEAST_BACK_OFF = 0.1  # seconds; where the delay is zero, doubling must begin somewhere
_MOST_BACK_OFF = 3600.0  # seconds; after 429 and 503. By then errors in a row have long blocked the domain
_EASE = 0.8  # of the back-off remains after a good answer


class Throttle:
    """When the next request to one site may be sent."""

    __slots__ = ("_back_off", "_is_well", "_latency", "_max_delay", "_not_before", "_own", "_since", "_site")

    def __init__(self, own_delay: float, *, max_delay: float, site_delay: float | None = None) -> None:
        self._own, self._max_delay = own_delay, max_delay
        self._latency = self._back_off = 0.0
        self._not_before = self._since = float("-inf")
        self._is_well: bool | None = None  # none: not known; false: it has shown that it has too much to do
        self.ask(site_delay)

    def ask(self, site_delay: float | None) -> None:
        """What robots.txt asks for, in seconds; None: nothing."""
        self._site = min(site_delay or 0.0, self._max_delay)

    @property
    def delay(self) -> float:
        """Seconds from the end of one answer to the sending of the next request."""
        return max(self._own, self._site, min(self._latency, self._max_delay), self._back_off)

    def next_at(self, ticks: float) -> float:
        """The first moment, not before `ticks`, at which a request may be sent."""
        return max(ticks, self._not_before, self._since + self.delay)

    def resume(self, ticks: float, wait: float | None) -> None:
        """Take over a site: `wait` seconds are left until its stored next_fetch_at.

        None: nobody stored one, because whoever held the site before died. It may have sent a request
        just now, so a full delay comes first.
        """
        if wait is None:
            self._since = max(self._since, ticks)
        else:
            self._not_before = max(self._not_before, ticks + wait)

    def trust(self) -> None:
        """The site answers while some of its pages fail: an error of one program (500) no longer slows it.
        Not where the site has shown that it has too much to do: a page from its cache is quickly served."""
        if self._is_well is None:
            self._back_off, self._is_well = 0.0, True

    def hold(self, ticks: float, seconds: float) -> None:
        """Send nothing for so long, at most a day: a Retry-After, or a deferral by robots.txt."""
        self._not_before = max(self._not_before, ticks + min(seconds, DAY))

    def note_request(self, ticks: float) -> None:
        """A request leaves now. Until its answer is noted the delay counts from here."""
        self._since = max(self._since, ticks)

    def note_response(
        self, status: int, seconds: float, ticks: float, retry_after: float | None = None
    ) -> None:
        """An answer is complete, `seconds` after its request was written to an open connection."""
        self._since = max(self._since, ticks)
        if seconds > self._latency:
            self._latency += _UP * (seconds - self._latency)
        if retry_after is not None:
            self.hold(ticks, retry_after)
        if status == 429 or status > 500:
            self._is_well = False
        if status in (429, 503):
            self._slow_down(_MOST_BACK_OFF)
        elif status >= 500 and not self._is_well:
            self._slow_down(self._max_delay)
        elif status < 500:  # only a good answer counts as recovery: an error page is quickly served
            self._back_off *= _EASE
            if seconds < self._latency:
                self._latency += _DOWN * (seconds - self._latency)

    def note_error(self, code: str, ticks: float) -> None:
        """A request failed; when it reached the site is not known, so it may have been just now."""
        self._since = max(self._since, ticks)
        if code in DISTRESS:
            self._is_well = False
            self._slow_down(self._max_delay)

    def _slow_down(self, most: float) -> None:
        """Double the delay that was too fast.

        Broken pages stop at `max_delay`: a site where every other page fails must still come to an end.
        """
        doubled = max(2.0 * self.delay, _LEAST_BACK_OFF)
        self._back_off = max(self._back_off, min(doubled, max(most, 2.0 * self._own)))


def retry_after(value: str, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, 0 to a day; None if it says nothing that can be read."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value), DAY)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:  # "-0000": a time in UTC from a zone unknown
        date = date.replace(tzinfo=UTC)
    return min(max((date - now).total_seconds(), 0.0), DAY)


@dataclass(slots=True, eq=False)
class AddressLimit:
    """At most so many requests at once to one address within this process.

    Nothing is kept about an address that nobody uses.
    """

    _per_address: int
    # Weak: whoever holds a slot or waits for one keeps the semaphore of its address.
    _slots: WeakValueDictionary[str, asyncio.Semaphore] = field(default_factory=WeakValueDictionary)

    def slot(self, address: str) -> asyncio.Semaphore:
        """`async with limit.slot(address):` around a request; first come, first served."""
        slots = self._slots.get(address)
        if slots is None:
            slots = self._slots[address] = asyncio.Semaphore(self._per_address)
        return slots

    def __len__(self) -> int:
        """Addresses in use."""
        return len(self._slots)
