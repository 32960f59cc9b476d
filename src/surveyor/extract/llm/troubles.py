"""What goes wrong with a model's endpoint, and how long it is left alone for it."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple


class Trouble(StrEnum):
    """The ways in which an endpoint fails."""

    BAD_KEY = "bad_key"  # it does not accept the key
    NOT_FOUND = "not_found"  # it knows no such model, or the address is another one's
    REFUSED = "refused"  # it does not take the question
    RATE_LIMITED = "rate_limited"  # too many questions in a short time
    SERVER = "server"  # it failed and says so
    MALFORMED = "malformed"  # its answer is not what such services send
    UNREACHABLE = "unreachable"  # no answer, or none in time
    LOCAL = "local"  # this machine is out of sockets or memory; the endpoint is not to blame


class _Length(NamedTuple):
    """Of a rest: doubling with each failure in a row, up to the longest."""

    first: timedelta
    longest: timedelta


_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_RESTS: Final = {
    # A person has to act. With another key, address or name it is tried at once.
    Trouble.BAD_KEY: _Length(_HOUR, _DAY),
    Trouble.NOT_FOUND: _Length(_HOUR, _DAY),
    # One page may be too long for it; when it is all of them, the setting of the format is wrong.
    Trouble.REFUSED: _Length(_MINUTE, _HOUR),
    Trouble.RATE_LIMITED: _Length(_MINUTE, _HOUR),
    # A model on one's own machine is started again within a minute.
    Trouble.SERVER: _Length(_MINUTE / 2, _HOUR),
    Trouble.UNREACHABLE: _Length(_MINUTE / 2, _HOUR),
    Trouble.MALFORMED: _Length(5 * _MINUTE, 6 * _HOUR),
}
_DOUBLINGS = 16  # enough to reach every longest one


class ModelFailed(Exception):
    """The endpoint gave no answer. The detail is one line and holds no key."""

    def __init__(
        self, trouble: Trouble, detail: str, *, retry_after: float | None = None, is_free: bool = False
    ) -> None:
        self.trouble, self.detail, self.retry_after = trouble, detail, retry_after
        self.is_free = is_free
        """No model read the question: it refused at the door, or there was no door."""
        super().__init__(f"{trouble.replace('_', ' ')}: {detail}")


def rest(trouble: Trouble, strikes: int, asked: float | None) -> timedelta | None:
    """How long the endpoint is left alone after so many failures in a row; None: not at all."""
    length = _RESTS.get(trouble)
    if length is None:
        return None
    doublings: int = 2 ** min(strikes - 1, _DOUBLINGS)
    usual = min(length.first * doublings, length.longest)
    # What it asks for is followed; told "0" and refused again, we slow down all the same.
    return (
        usual
        if asked is None
        else max(timedelta(seconds=max(asked, 1.0)), usual if strikes > 1 else timedelta())
    )
