"""What stops a crawl, and how long the cooldown is: one row per obstacle."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from surveyor.registry.lifecycle import CrawlStatus


class Obstacle(StrEnum):
    """Why a domain cannot be crawled now; the code that is stored and shown."""

    LOGIN_REQUIRED = "login_required"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    ROBOTS_DENIED = "robots_denied"
    SERVER_ERRORS = "server_errors"
    DNS_FAILURE = "dns_failure"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_RESET = "connection_reset"
    TIMEOUT = "timeout"
    TLS_ERROR = "tls_error"
    OLD_ERRORS = "old_errors"


@dataclass(frozen=True, slots=True)
class Cooldown:
    status: CrawlStatus
    rest: timedelta
    message: str  # what a person reads
    doubles: bool = False  # each block in a row doubles the rest


_B, _U = CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE
_WEEK = timedelta(days=7)

COOLDOWNS: dict[Obstacle, Cooldown] = {
    Obstacle.LOGIN_REQUIRED: Cooldown(_B, timedelta(days=30), "asks for a login"),
    Obstacle.FORBIDDEN: Cooldown(_B, timedelta(days=14), "refuses with 403, 406 or 451 again and again"),
    Obstacle.RATE_LIMITED: Cooldown(_B, _WEEK, "answers 429 again and again"),
    Obstacle.ROBOTS_DENIED: Cooldown(_B, timedelta(days=90), "robots.txt denies everything"),
    Obstacle.SERVER_ERRORS: Cooldown(
        _B, timedelta(days=1), "answers 5xx or nothing again and again", doubles=True
    ),
    Obstacle.DNS_FAILURE: Cooldown(_U, _WEEK, "its name does not resolve"),
    Obstacle.CONNECTION_REFUSED: Cooldown(_U, _WEEK, "refuses connections"),
    Obstacle.CONNECTION_RESET: Cooldown(_U, _WEEK, "resets connections"),
    Obstacle.TIMEOUT: Cooldown(_U, _WEEK, "does not answer in time"),
    Obstacle.TLS_ERROR: Cooldown(_U, _WEEK, "has a broken certificate or TLS set-up"),
    Obstacle.OLD_ERRORS: Cooldown(_B, timedelta(days=14), "gave mostly errors in an old log"),
}

# After a cooldown the domain is probed with one request. The next block after so
# many automatic probes is permanent, until a person resets it.
AUTOMATIC_PROBES = 3
# The longest wish of a site we follow; beyond it lies a mistake, or a date no database can hold.
_LONGEST_WISH = timedelta(days=365)


def rest(obstacle: Obstacle, earlier_blocks: int, retry_after: timedelta | None = None) -> timedelta | None:
    """How long to stay away; None is for ever (a person must reset it).

    `earlier_blocks` counts the blocks before this one since the last success or reset.
    """
    if earlier_blocks >= AUTOMATIC_PROBES:
        return None
    row = COOLDOWNS[obstacle]
    length = row.rest * (2**earlier_blocks) if row.doubles else row.rest
    return max(length, min(retry_after, _LONGEST_WISH)) if retry_after else length
