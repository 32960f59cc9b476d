"""From settings to working parts. Alone in knowing every concrete class.

Parts that few commands need are loaded where they are made: a list of domains should not wait for the
client, the judges and Redis.
"""

from __future__ import annotations

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
from surveyor.bootstrap.workspace import WORKSPACE_VARIABLE, Workspace, find_workspace, open_workspace

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
