"""What a format of exports is: endings of files, and how to begin one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class BuiltInFormat(NamedTuple):
    endings: tuple[str, ...]
    open: Callable[..., Any]
    require: Callable[[], None] = lambda: None
    """Say early what is missing."""
