"""What a finder returns: a value, and where it stands."""

from __future__ import annotations

from typing import NamedTuple


class InText(NamedTuple):
    """A value from one character of a text to before another."""

    value: str
    start: int
    end: int


class InLines(NamedTuple):
    """A value from one line to another, both counted."""

    value: str
    first_line: int
    last_line: int
