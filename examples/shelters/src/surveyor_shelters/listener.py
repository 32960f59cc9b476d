"""A listener and a notifier: both append to a file that the environment names."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from surveyor.plugins import Event, Message


async def note_approvals(events: Sequence[Event]) -> None:
    """A batch may come a second time, so a line begins with the event's id."""
    lines = [f"{event.id} {event.domain}" for event in events if event.kind == "DomainApproved"]
    await asyncio.to_thread(_append, "SHELTERS_APPROVALS", lines)


async def note_message(message: Message) -> None:
    await asyncio.to_thread(_append, "SHELTERS_MESSAGES", [f"{message.subject}: {message.text}"])


def _append(variable: str, lines: Sequence[str]) -> None:
    if lines and (name := os.environ.get(variable)):
        with Path(name).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in lines)
