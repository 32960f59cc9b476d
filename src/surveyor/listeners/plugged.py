"""Listeners that other packages bring: they get every event, and again when they fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surveyor import entry_points
from surveyor.entry_points import Group, described
from surveyor.errors import SurveyorError
from surveyor.listeners.dispatcher import Deliver
from surveyor.plugins import Event
from surveyor.registry import feed
from surveyor.registry.feed import FeedEntry

# Before the name under which the database remembers how far a plugged listener is.
PREFIX = "plugin:"


class ListenerFailed(SurveyorError):
    """A plugged listener did not accept a batch; it is sent again later."""


def event_of(one: FeedEntry) -> Event:
    """As a program is given it."""
    row = feed.to_json(one)
    return Event(row["id"], row["kind"].value, one.domain, row["at"], row)


def listeners() -> dict[str, Deliver]:
    """Those that work, by the name of their place in the feed."""
    found = entry_points.load(Group.LISTENERS).objects
    return {f"{PREFIX}{name}": _careful(name, listener) for name, listener in found.items()}


def _careful(name: str, listener: Any) -> Deliver:
    async def deliver(batch: Sequence[FeedEntry]) -> None:
        try:
            await listener([event_of(one) for one in batch])
        except Exception as error:
            raise ListenerFailed(f"the plugin {name} failed: {described(error)}") from error

    return deliver
