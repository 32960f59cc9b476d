"""A question that is asked another time."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Postponed(NamedTuple):
    until: datetime
    """The earliest moment at which an answer can be expected."""
    has_failed: bool = False
    """It was sent, and there was no answer."""
