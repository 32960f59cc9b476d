"""What goes wrong with a search provider, and how long it is suspended for it.

    SurveyorError
    └── ProviderFailed             a provider did not answer a query; `trouble` says in which way

A suspension is kept in the database (see `usage`): a provider that is out of credit is not asked
again by the next process either, and one that is broken does not use up the quota of the others.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final

from surveyor.backoff import doubling
from surveyor.errors import SurveyorError


class Trouble(StrEnum):
    """The ways in which a provider fails."""

    BAD_KEY = "bad_key"  # it does not accept the key, or not for this
    OUT_OF_QUOTA = "out_of_quota"  # the plan or the credit is used up
    RATE_LIMITED = "rate_limited"  # too many queries in a short time
    NOT_SET_UP = "not_set_up"  # a server of one's own that needs another setting
    CAPTCHA = "captcha"  # it wants a person to prove to be one
    SERVER = "server"  # it failed and says so
    MALFORMED = "malformed"  # its answer is not what it documents
    UNREACHABLE = "unreachable"  # no answer, or none in time
    REFUSED_QUERY = "refused_query"  # it does not take this query; others may pass
    LOCAL = "local"  # this machine is out of sockets or memory; the provider is not to blame


_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0  # seconds

# Troubles that are missing here are those of one query or of this machine: nobody is suspended.
SUSPENSIONS: Final = {
    # A person has to act. A changed key or address is tried at once; see `Provider.account`.
    Trouble.BAD_KEY: doubling(_DAY, _DAY),
    # Plans renew by the day or by the month; one call a day finds out.
    Trouble.OUT_OF_QUOTA: doubling(_DAY, _DAY),
    Trouble.RATE_LIMITED: doubling(_MINUTE, _HOUR),
    # Somebody is at it, most likely: tried again soon.
    Trouble.NOT_SET_UP: doubling(_MINUTE, 10 * _MINUTE),
    Trouble.CAPTCHA: doubling(_HOUR, _DAY),
    Trouble.SERVER: doubling(5 * _MINUTE, 6 * _HOUR),
    Trouble.MALFORMED: doubling(_HOUR, _DAY),
    Trouble.UNREACHABLE: doubling(5 * _MINUTE, 6 * _HOUR),
}
# A provider that asks for a longer rest than this has sent a mistake: plans renew by the month.
LONGEST_ASKED: Final = timedelta(days=31)


class ProviderFailed(SurveyorError):
    """A provider did not answer a query. The detail is one line and holds no key."""

    def __init__(
        self, provider: str, trouble: Trouble, detail: str, *, retry_after: float | None = None
    ) -> None:
        self.provider, self.trouble, self.detail = provider, trouble, detail
        self.retry_after = retry_after  # seconds, as the provider asks for
        super().__init__(f"{provider}: {trouble.replace('_', ' ')}: {detail}")


def rest(trouble: Trouble, strikes: int, asked: float | None) -> timedelta | None:
    """How long the provider rests after so many failures in a row; None: not at all."""
    row = SUSPENSIONS.get(trouble)
    if row is None:
        return None
    if asked is not None:
        # What it asks for is followed; asked for "0" and refused again, we slow down all the same.
        first = min(max(asked, 1.0), LONGEST_ASKED.total_seconds())
        row = doubling(first, max(first, row.steps[-1]))
    return timedelta(seconds=row.after(strikes))
