"""From settings to working parts. Alone in knowing every concrete class.

Parts that few commands need are loaded where they are made, and what makes them when it is asked for: a list
of domains should not wait for the client, the judges and Redis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surveyor.bootstrap.workspace import WORKSPACE_VARIABLE, Workspace, find_workspace, open_workspace

if TYPE_CHECKING:
    from surveyor.bootstrap.delivery import channels_of, plugged_dispatchers, webhooks_of
    from surveyor.bootstrap.workers import (
        crawl_worker,
        extract_worker,
        frontier_of,
        model_judge,
        model_reader,
        page_readers,
        search_providers,
    )

__all__ = [
    "WORKSPACE_VARIABLE",
    "Workspace",
    "channels_of",
    "crawl_worker",
    "extract_worker",
    "find_workspace",
    "frontier_of",
    "model_judge",
    "model_reader",
    "open_workspace",
    "page_readers",
    "plugged_dispatchers",
    "search_providers",
    "webhooks_of",
]
_DELIVERY = frozenset(("channels_of", "plugged_dispatchers", "webhooks_of"))


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'delivery' if name in _DELIVERY else 'workers'}"), name)
