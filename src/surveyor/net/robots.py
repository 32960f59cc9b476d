"""The robots.txt of a site: fetched, kept for a day, and obeyed by every request for a page.

`fetch_robots` asks for robots.txt and turns whatever comes back, or does not, into one value:

    2xx                                   OBEYED       its rules hold for 24 hours
    4xx but 429, a sixth redirect         ALLOW_ALL    there are no rules, for 24 hours
    5xx, no answer, refused by the guard  UNAVAILABLE  no page request until it answers; a copy
                                                       younger than 24 hours serves meanwhile
    429                                   DEFERRED     no request at all before the time it names

What is in the file is read by `robots_rules`. Redirects are followed across hosts, as RFC 9309
demands, and the rules found there hold for the origin that was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from hashlib import sha256
from typing import NamedTuple, Protocol

from surveyor.errors import NetError
from surveyor.net.robots_rules import MAX_BYTES, NO_RULES, RobotsRules, cut, product_token
from surveyor.net.throttle import retry_after

__all__ = [
    "NO_RULES",
    "Getter",
    "Robots",
    "RobotsResponse",
    "RobotsRow",
    "RobotsRules",
    "RobotsState",
    "fetch_robots",
    "product_token",
]

MAX_REDIRECTS = 5  # the RFC's figure; one more counts as no robots.txt
KEEP = timedelta(hours=24)  # the RFC's limit for a copy
FIRST_WAIT = timedelta(minutes=5)  # a restart is over by then; doubled while no answer comes
LEAST_WAIT = timedelta(minutes=1)  # also for `Retry-After: 0`, which would have us ask again at once
# Larger files are parsed on a thread: the event loop may wait some milliseconds, not a hundred.
_PARSE_ASIDE_BYTES = 16_000


class RobotsResponse(Protocol):
    """What a `Getter` brings back."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]:
        """`get` does not mind the case of a name."""
        ...

    @property
    def body(self) -> bytes: ...
    @property
    def location(self) -> str | None:
        """Where a redirect points, as an absolute address."""
        ...


class Getter(Protocol):
    """The one request this module makes; the guard stands behind it."""

    async def get(
        self, url: str, *, max_bytes: int | None = None, domain: str | None = None
    ) -> RobotsResponse:
        """One answer, redirects not followed, the body cut (not refused) at `max_bytes`; or NetError.

        `domain` is the one being crawled: the guard lets it have a port of its own.
        """
        ...


class RobotsState(Enum):
    """What asking for robots.txt came to."""

    OBEYED = "obeyed"
    """It was read; its rules are followed."""
    ALLOW_ALL = "allow_all"
    """The site has none; every page may be fetched."""
    UNAVAILABLE = "unavailable"
    """It should be there and cannot be read; no page may be fetched until it can."""
    DEFERRED = "deferred"
    """The site asked us to come back later; nothing may be fetched before."""


_SHUT = (RobotsState.UNAVAILABLE, RobotsState.DEFERRED)


class RobotsRow(NamedTuple):
    """A `Robots` as it is stored: plain values, the rules as the body they are read from."""

    origin: str
    verdict: str
    status: int
    reason: str
    fetched_at: datetime
    expires_at: datetime
    body_hash: str
    body: bytes


class Robots(NamedTuple):
    """What one origin asks of us, and until when that is known."""

    origin: str
    state: RobotsState
    rules: RobotsRules
    fetched_at: datetime
    expires_at: datetime
    """When to ask again. Until then a shut site gets no request, and an open one is not asked twice."""
    body_hash: str
    """SHA-256 of the body, in hex; empty if there was none to obey."""
    reason: str
    """Why it came to this state: `http_404`, `too_many_redirects`, or the code of the net error."""
    status: int = 0
    """Of the last answer; 0 if there was none."""
    body: bytes = b""
    error: NetError | None = None
    """Why no answer came; None if one did, or if a young copy serves."""

    @property
    def is_shut(self) -> bool:
        """Whether nothing may be fetched until it is asked again."""
        return self.state in _SHUT

    def allows(self, target: str) -> bool:
        """Whether this path and query may be fetched now."""
        if self.state is RobotsState.OBEYED:
            return self.rules.allows(target)
        return self.state is RobotsState.ALLOW_ALL

    def rule_for(self, target: str) -> str | None:
        """What decided about this path and query, for people; None if nothing speaks of it."""
        if self.is_shut:
            return (
                f"robots.txt is {self.state.value} ({self.reason}) until {self.expires_at:%Y-%m-%d %H:%M} UTC"
            )
        return self.rules.rule_for(target)

    def due(self, now: datetime) -> bool:
        """Whether robots.txt must be asked for before the next page."""
        return now >= self.expires_at

    def to_row(self) -> RobotsRow:
        return RobotsRow(
            self.origin,
            self.state.value,
            self.status,
            self.reason,
            self.fetched_at,
            self.expires_at,
            self.body_hash,
            self.body,
        )

    @classmethod
    def from_row(cls, row: RobotsRow, agent: str) -> Robots | None:
        """The stored value, its rules read for this agent; None if the body is not the one stored."""
        state = RobotsState(row.verdict)
        if state is RobotsState.OBEYED and sha256(row.body).hexdigest() != row.body_hash:
            return None
        return cls(
            origin=row.origin,
            state=state,
            rules=RobotsRules.parse(row.body, agent) if state is RobotsState.OBEYED else NO_RULES,
            fetched_at=row.fetched_at,
            expires_at=row.expires_at,
            body_hash=row.body_hash,
            reason=row.reason,
            status=row.status,
            body=row.body,
        )


async def fetch_robots(
    getter: Getter,
    origin: str,
    agent: str,
    now: datetime,
    cached: Robots | None = None,
    *,
    domain: str | None = None,
) -> Robots:
    """Ask `origin` (scheme://host[:port]) for its robots.txt; never raises NetError.

    `cached` is what was known before: a young copy serves when no answer comes, and a wait that was
    in vain is doubled.
    """
    try:
        answer = await _follow(getter, f"{origin}/robots.txt", domain)
    except NetError as error:
        # Kept for what it says: with its frames, or those of its cause, it would hold itself, and the
        # connection that failed.
        failed = error.with_traceback(None)
        failed.__cause__ = failed.__context__ = None
        wait = _wait(cached, None)
        return _shut(RobotsState.UNAVAILABLE, origin, 0, str(error.code), now, wait, cached, failed)
    if answer is None:
        return _no_rules(origin, 0, "too_many_redirects", now)
    status, reason = answer.status, f"http_{answer.status}"
    if 200 <= status < 300:
        return await _obeyed(origin, agent, answer, now)
    if 300 <= status < 500 and status != 429:
        return _no_rules(origin, status, reason, now)
    wait = _wait(cached, retry_after(answer.headers.get("Retry-After", ""), now))
    state = RobotsState.DEFERRED if status == 429 else RobotsState.UNAVAILABLE
    return _shut(state, origin, status, reason, now, wait, cached)


async def _follow(getter: Getter, url: str, domain: str | None) -> RobotsResponse | None:
    """The answer at the end of the redirects; None if they are too many."""
    for _ in range(MAX_REDIRECTS + 1):
        # One octet more than is read, so that a cut is seen for what it is.
        answer = await getter.get(url, max_bytes=MAX_BYTES + 1, domain=domain)
        if not 300 <= answer.status < 400 or answer.location is None:
            return answer
        url = answer.location
    return None


async def _obeyed(origin: str, agent: str, answer: RobotsResponse, now: datetime) -> Robots:
    body = cut(answer.body)
    if len(body) > _PARSE_ASIDE_BYTES:
        rules = await asyncio.to_thread(RobotsRules.parse, body, agent)
    else:
        rules = RobotsRules.parse(body, agent)
    return Robots(
        origin=origin,
        state=RobotsState.OBEYED,
        rules=rules,
        fetched_at=now,
        expires_at=now + KEEP,
        body_hash=sha256(body).hexdigest(),
        reason=f"http_{answer.status}",
        status=answer.status,
        body=body,
    )


def _no_rules(origin: str, status: int, reason: str, now: datetime) -> Robots:
    return Robots(origin, RobotsState.ALLOW_ALL, NO_RULES, now, now + KEEP, "", reason, status)


def _shut(
    state: RobotsState,
    origin: str,
    status: int,
    reason: str,
    now: datetime,
    wait: timedelta,
    cached: Robots | None,
    error: NetError | None = None,
) -> Robots:
    """No entry for now. A young copy serves instead, but not against a plain request to stay away."""
    if state is RobotsState.UNAVAILABLE and cached is not None and _serves(cached, origin, now):
        return cached
    return Robots(origin, state, NO_RULES, now, now + wait, "", reason, status, error=error)


def _serves(cached: Robots, origin: str, now: datetime) -> bool:
    return cached.origin == origin and not cached.is_shut and now < cached.fetched_at + KEEP


def _wait(cached: Robots | None, retry_after: float | None) -> timedelta:
    """As long as the site says; if it says nothing, twice as long as the last time in vain."""
    if retry_after is not None:
        return max(timedelta(seconds=retry_after), LEAST_WAIT)
    if cached is None or not cached.is_shut:
        return FIRST_WAIT
    return min(2 * (cached.expires_at - cached.fetched_at), KEEP)
