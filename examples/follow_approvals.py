"""Prints domains as they are approved, until it is interrupted: python examples/follow_approvals.py FOLDER

Started again, it goes on where it stopped: the workspace remembers how far this listener has come.
"""

import asyncio
import sys
from collections.abc import Sequence

import surveyor


async def on_events(events: Sequence[surveyor.Event]) -> None:
    for event in events:
        if event.kind == "DomainApproved":
            print(f"{event.domain} was approved at {event.at:%Y-%m-%d %H:%M} UTC", flush=True)


async def main(folder: str) -> None:
    async with surveyor.open_workspace(folder) as workspace:
        await workspace.listen("follow-approvals", on_events, from_start=True)


asyncio.run(main(sys.argv[1]))
