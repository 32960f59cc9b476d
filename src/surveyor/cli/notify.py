"""The command that shows messages to people, and the part of `up` that sends them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.errors import UsageError
from surveyor.notify import outbox
from surveyor.notify.outbox import OutboxRow

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

_OUTBOX: Listing[OutboxRow] = Listing(
    (
        number("ID", lambda line: line.id),
        Column("CHANNEL", lambda line: line.channel),
        Column("TO", lambda line: show.safe(line.recipient)),
        Column("SUBJECT", lambda line: show.safe(line.subject)),
        Column("STATE", lambda line: str(line.state)),
        number("TRIES", lambda line: line.tries),
        Column("SENT", lambda line: show.when(line.sent_at)),
        Column("ERROR", lambda line: show.safe(line.last_error or "")),
    )
)


def notify(
    *,
    send: Annotated[
        bool, Parameter(negative="", help="Send what waits and keep running; `surveyor up` does this.")
    ] = False,
    once: Annotated[bool, Parameter(negative="", help="With --send: end when nothing is due.")] = False,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """List messages to submitters and staff, the latest first, or send them."""
    if once and not send:
        raise UsageError("--once goes with --send")
    if send:
        runtime.in_workspace(lambda workspace: _send(workspace, once))
        return

    found = runtime.in_workspace(lambda workspace: outbox.listing(workspace.db, limit + 1))
    empty = "no message yet; [mail] and [notify] of surveyor.toml say to whom and how"
    _OUTBOX.print(found, limit, json=json, empty=empty)


async def _send(workspace: Workspace, once: bool) -> None:
    from surveyor.bootstrap.delivery import channels_of
    from surveyor.notify.sender import Sender
    from surveyor.operations.following import dispatcher

    stopping = asyncio.Event()
    runtime.stop_on_signals(stopping, silent=True)
    events = dispatcher(workspace.db, workspace.settings.notify)
    await events.begin()
    async with channels_of(workspace) as channels:
        sender = Sender(workspace.db, channels)
        if once:
            await events.run(until_quiet=True)
            await sender.run(stopping, until_quiet=True)
            return
        task = asyncio.create_task(events.run())
        try:
            await sender.run(stopping)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
