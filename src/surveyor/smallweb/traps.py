"""Endless parts of a site: a calendar that knows every month, and addresses with a new session each time."""

from __future__ import annotations

import re
from hashlib import blake2s

_MONTH = re.compile(r"/calendar/(\d{4})/(\d{2})")
_YEARS = range(1900, 2200)


def trap_page(trap: str, target: str) -> str | None:
    """The inside of the page at this target, if it belongs to the trap."""
    if trap == "calendar" and (month := _MONTH.fullmatch(target)):
        return _calendar(int(month[1]), int(month[2]))
    if trap == "sessions" and target.startswith("/browse?sid="):
        return _catalogue(target)
    return None


def _calendar(year: int, month: int) -> str | None:
    if year not in _YEARS or not 1 <= month <= 12:
        return None
    before = (year - 1, 12) if month == 1 else (year, month - 1)
    after = (year + 1, 1) if month == 12 else (year, month + 1)
    links = " ".join(
        f'<a href="/calendar/{y}/{m:02d}">{word}</a>'
        for (y, m), word in ((before, "previous month"), (after, "next month"))
    )
    return f"<h1>Events in {month:02d}/{year}</h1><p>There are no events in this month.</p><p>{links}</p>"


def _catalogue(target: str) -> str:
    """One page under as many names as somebody asks for: each visitor gets a number of his own."""
    session = blake2s(target.encode(), digest_size=8).hexdigest()
    links = " ".join(f'<a href="/browse?sid={session}{box}">box {box}</a>' for box in ("a", "b", "c"))
    return f"<h1>Catalogue</h1><p>Choose a box of the catalogue to look through its cards.</p><p>{links}</p>"
