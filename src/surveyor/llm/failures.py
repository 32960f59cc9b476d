"""How a model's endpoint fails, and the back-off after each kind of failure."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final

from surveyor.backoff import doubling


class Trouble(StrEnum):
    """The ways in which an endpoint fails."""

    BAD_KEY = "bad_key"  # it does not accept the key
    NOT_FOUND = "not_found"  # it knows no such model, or the address is another one's
    REFUSED = "refused"  # it does not take the question
    OUT_OF_QUOTA = "out_of_quota"  # the plan or the credit is used up
    RATE_LIMITED = "rate_limited"  # too many questions in a short time
    SERVER = "server"  # it failed and says so
    MALFORMED = "malformed"  # its answer is not what such services send
    UNREACHABLE = "unreachable"  # no answer, or none in time
    LOCAL = "local"  # this machine is out of sockets or memory; the endpoint is not to blame


_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0  # seconds
_RESTS: Final = {
    # A person has to act. With another key, address or name it is tried at once.
    Trouble.BAD_KEY: doubling(_HOUR, _DAY),
    Trouble.NOT_FOUND: doubling(_HOUR, _DAY),
    # Plans renew by the day or by the month; one question a day finds out.
    Trouble.OUT_OF_QUOTA: doubling(_DAY, _DAY),
    # One page may be too long for it; when it is all of them, the setting of the format is wrong.
    Trouble.REFUSED: doubling(_MINUTE, _HOUR),
    Trouble.RATE_LIMITED: doubling(_MINUTE, _HOUR),
    # A model on one's own machine is started again within a minute.
    Trouble.SERVER: doubling(_MINUTE / 2, _HOUR),
    Trouble.UNREACHABLE: doubling(_MINUTE / 2, _HOUR),
    Trouble.MALFORMED: doubling(5 * _MINUTE, 6 * _HOUR),
}


class ModelFailed(Exception):
    """The endpoint gave no answer. The detail is one line and holds no key."""

    def __init__(
        self, trouble: Trouble, detail: str, *, retry_after: float | None = None, is_free: bool = False
    ) -> None:
        self.trouble, self.detail, self.retry_after = trouble, detail, retry_after
        self.is_free = is_free
        """No model read the question: the request was refused, or nobody listened."""
        super().__init__(f"{trouble.replace('_', ' ')}: {detail}")


def rest(trouble: Trouble, strikes: int, asked: float | None) -> timedelta | None:
    """The back-off of the endpoint after so many failures in a row; None: none."""
    backoff = _RESTS.get(trouble)
    if backoff is None:
        return None
    seconds = backoff.after(strikes)
    if asked is not None:
        # What it asks for is followed; asked for "0" and refused again, we slow down all the same.
        seconds = max(asked, 1.0, seconds if strikes > 1 else 0.0)
    return timedelta(seconds=seconds)
