"""When a search is due: pure, from the settings and when the last one began."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def next_due(written: str, last_begun: datetime | None, now: datetime) -> datetime | None:
    """The moment of the next search, now or earlier if it is due; None if it is never.

    What was missed while nothing ran is made up for, once. So the first search is due at once: a machine
    that is off at night would never see one otherwise.
    """
    if not written:
        return None
    latest = _latest(written, now)
    if last_begun is None or last_begun < latest:
        return latest
    return latest + (timedelta(days=7) if " " in written else timedelta(days=1))


def next_share(written: str, last_begun: datetime | None, now: datetime) -> datetime | None:
    """The moment at which a plan that is not all asked yet goes on: at its hour on the next day."""
    return next_due(written.rpartition(" ")[2], last_begun, now)


def began(written: str, now: datetime) -> datetime:
    """When the present round of a schedule began."""
    return _latest(written, now)


def _latest(written: str, now: datetime) -> datetime:
    """The last moment that the schedule names, up to now."""
    day, _, hour = written.rpartition(" ")
    moment = datetime.combine(now.astimezone(UTC).date(), time.fromisoformat(hour), UTC)
    if day:
        moment -= timedelta(days=(moment.weekday() - _DAYS.index(day)) % 7)
    if moment > now:
        moment -= timedelta(days=7 if day else 1)
    return moment
