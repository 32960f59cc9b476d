"""Errors of one visit: which count against the domain, and which obstacle they amount to."""

from __future__ import annotations

from collections import Counter

from surveyor.net.reasons import Reason
from surveyor.registry.cooldowns import Obstacle

_BY_CODE: dict[str, Obstacle] = {
    Reason.DNS_FAILURE: Obstacle.DNS_FAILURE,
    Reason.CONNECTION_REFUSED: Obstacle.CONNECTION_REFUSED,
    Reason.CONNECTION_RESET: Obstacle.CONNECTION_RESET,
    Reason.TIMEOUT: Obstacle.TIMEOUT,
    Reason.TOO_SLOW: Obstacle.TIMEOUT,
    Reason.TLS_ERROR: Obstacle.TLS_ERROR,
}

# Failures of one answer that say nothing about the domain; asking again would bring the same.
PAGE_ITSELF = frozenset(
    {
        Reason.TOO_LARGE,
        Reason.BAD_RESPONSE,
        Reason.DECOMPRESS_ERROR,
        Reason.BAD_URL,
        Reason.FORBIDDEN_ADDRESS,
        Reason.FORBIDDEN_PORT,
        Reason.FORBIDDEN_SCHEME,
    }
)


def of_status(status: int) -> Obstacle | None:
    """The obstacle an answer hints at; None where the page alone is to blame."""
    if status == 401:
        return Obstacle.LOGIN_REQUIRED
    if status == 403:
        return Obstacle.FORBIDDEN
    if status == 429:
        return Obstacle.RATE_LIMITED
    return Obstacle.SERVER_ERRORS if status >= 500 else None


def of_code(code: str) -> Obstacle | None:
    return _BY_CODE.get(code)


class Failures:
    """Errors in a row. One success wipes them out."""

    def __init__(self, limit: int, before: int) -> None:
        self._limit = limit
        self._row: list[Obstacle] = []
        self._before = before  # errors in a row that earlier visits ended with
        self.total = 0
        self.longest_wait: float | None = None  # what the site asked for, in seconds

    @property
    def in_a_row(self) -> int:
        return self._before + len(self._row)

    def success(self) -> None:
        self._row.clear()
        self._before = 0

    def add(self, obstacle: Obstacle, retry_after: float | None = None) -> None:
        self._row.append(obstacle)
        self.total += 1
        if retry_after is not None:
            self.longest_wait = max(self.longest_wait or 0.0, retry_after)

    def verdict(self) -> Obstacle | None:
        """The most frequent obstacle, once there were too many errors in a row; the latest decides a tie."""
        return self.worst() if self.in_a_row >= self._limit else None

    def worst(self) -> Obstacle | None:
        """The most frequent obstacle of the present row; none without one."""
        counted = Counter(reversed(self._row))
        return counted.most_common(1)[0][0] if counted else None
