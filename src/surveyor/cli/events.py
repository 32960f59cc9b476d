"""Commands that show what happened: to a person, to a program that reads along, to webhooks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Column, Json, Limit, Listing, number
from surveyor.errors import UsageError
from surveyor.process.signals import on_signals
from surveyor.registry import feed
from surveyor.registry.feed import FeedEntry

if TYPE_CHECKING:
    from surveyor.listeners.standing import WebhookStatus


def events(
    *,
    after: Annotated[
        int | None, Parameter(help="Continue after the event with this id; 0 is the beginning.")
    ] = None,
    follow: Annotated[
        bool,
        Parameter(
            negative="", help="Keep running and show events as they come; with --json one object per line."
        ),
    ] = False,
    limit: Limit = 50,
    json: Json = False,
) -> None:
    """Show what happened: the latest events, or those after one, in an order that never changes."""
    if after is not None and after < 0:
        raise UsageError(f"--after must be at least 0, not {after}")
    if follow:
        runtime.in_workspace(lambda workspace: _until_stopped(_follow(workspace, after, json)))
        return

    async def act(workspace: Any) -> list[FeedEntry]:
        if after is None:
            return await feed.latest(workspace.db, limit)
        return await feed.read(workspace.db, after, limit)

    found = runtime.in_workspace(act)
    if json:
        show.print_json([feed.to_json(entry) for entry in found])
    elif not found:
        runtime.say("nothing happened" + (" since then" if after else " yet"))
    else:
        for entry in found:
            _print(entry)
    if len(found) == limit:  # of a feed that goes on while it is read
        runtime.say(f"more: --after {found[-1].event.id}" if after is not None else "earlier: --after 0")


async def _follow(workspace: Any, after: int | None, json: bool) -> None:
    async for entry in feed.follow(workspace.db, after):
        if json:
            line = orjson.dumps(feed.to_json(entry), option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        else:
            _print(entry)


def _print(entry: FeedEntry) -> None:
    event = entry.event
    domain = f"  {show.domain_name(entry.domain)}" if entry.domain else ""
    line = f"{event.id}  {show.when(event.at)}{domain}  {show.safe(event.summary())}"
    show.print_line(line)


def webhooks(
    *,
    send: Annotated[bool, Parameter(negative="", help="Send events until interrupted.")] = False,
    once: Annotated[bool, Parameter(negative="", help="With --send: end when all was sent.")] = False,
    limit: Limit = 50,
    json: Json = False,
) -> None:
    """Show the position of each webhook of the settings in the feed, or send what is new."""
    if once and not send:
        raise UsageError("--once goes with --send")
    if send:
        runtime.in_workspace(lambda workspace: _until_stopped(_send(workspace, once)))
        return

    async def act(workspace: Any) -> list[WebhookStatus]:
        from surveyor.listeners.standing import standing

        return await standing(workspace.db, workspace.settings.listeners.webhooks, limit + 1)

    found = runtime.in_workspace(act)
    empty = "no webhooks; name them in [listeners] of surveyor.toml"
    _WEBHOOKS.print(found, limit, json=json, empty=empty)


_WEBHOOKS: Listing[WebhookStatus] = Listing(
    (
        Column("NAME", lambda line: line.name),
        Column("URL", lambda line: line.url),
        number("BEHIND", lambda line: line.behind),
        Column("DELIVERED", lambda line: show.when(line.delivered_at)),
        Column("ERROR", lambda line: line.last_error),
    )
)


async def _send(workspace: Any, once: bool) -> None:
    from surveyor.bootstrap.delivery import plugged_dispatchers, webhooks_of
    from surveyor.listeners import Dispatcher, dispatch_all

    async with webhooks_of(workspace) as receivers:
        dispatchers = [Dispatcher(workspace.db, webhook.name, webhook.deliver) for webhook in receivers]
        dispatchers += plugged_dispatchers(workspace)
        if not dispatchers:
            raise UsageError("nobody listens; name webhooks in [listeners] of surveyor.toml")
        await dispatch_all(dispatchers, until_quiet=once)


async def _until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Run until it ends or somebody interrupts; being interrupted is how these commands end."""
    task = asyncio.ensure_future(work)
    on_signals(task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
