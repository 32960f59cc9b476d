"""Says to whoever runs this what they should know, through every notifier that is plugged in.

A message is said once and not kept: what must not be lost is an event.
"""

from __future__ import annotations

import asyncio
from typing import Any

from surveyor import entry_points, logs
from surveyor.entry_points import Group, described
from surveyor.plugins import Message

log = logs.get("notify")
# Seconds that a notifier may take; nothing else waits for it longer.
_PATIENCE = 30.0


async def notify(message: Message) -> None:
    """Every notifier gets it; one that fails is logged, and the others are asked all the same."""
    found = entry_points.load(Group.NOTIFIERS).objects
    await asyncio.gather(*(_notify(name, one, message) for name, one in found.items()))


async def _notify(name: str, notifier: Any, message: Message) -> None:
    try:
        async with asyncio.timeout(_PATIENCE):
            await notifier(message)
    except Exception as error:
        log.warning("a notifier failed", notifier=name, subject=message.subject, error=described(error))
