"""Staff is notified of events they chose: what happens within a while goes into one message per recipient."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import entry_points
from surveyor.db import Database
from surveyor.entry_points import Group
from surveyor.ids import new_id
from surveyor.notify import store
from surveyor.notify.addresses import parse_address
from surveyor.plugins import Message
from surveyor.registry.feed import FeedEntry
from surveyor.settings import NotifySettings

# Lines of one message; more are counted.
_LINES = 50
_MORE = "… and more; the admin's page Events has them all"


class Recipient(NamedTuple):
    channel: str
    address: str = ""


def recipients(chosen: NotifySettings) -> list[Recipient]:
    """Everybody whom the settings name, and every plugged notifier."""
    found = [Recipient("mail", parse_address(one)) for one in chosen.mail]
    found += [Recipient("webhook")] if chosen.webhook else []
    found += [Recipient("slack")] if chosen.slack_file else []
    return found + [Recipient(plugin.name) for _, plugin in entry_points.registered(Group.NOTIFIERS)]


async def on_events(db: Database, chosen: NotifySettings, batch: Sequence[FeedEntry]) -> None:
    """Events in the order of the feed, possibly again: each recipient gets each of them once."""
    wanted = [entry for entry in batch if entry.event.kind in chosen.kinds]
    for one in recipients(chosen) if wanted else ():
        async with db.write() as tx:
            known = await store.covered_up_to(tx, *one)
            news = [entry for entry in wanted if entry.position > known]
            if news:
                await _add(db, tx, one, news, chosen.every_minutes)


async def _add(
    db: Database, tx: AsyncConnection, to: Recipient, news: Sequence[FeedEntry], minutes: int
) -> None:
    up_to, lines = news[-1].position, [_line(entry) for entry in news]
    open_one = await store.gathering(tx, *to)
    if open_one is not None:
        kept = [line for line in open_one.body.splitlines() if line and line != _MORE]
        body = _body(kept + lines)
        await store.add_to(tx, open_one.id, _subject(body), body, up_to)
        return
    body = _body(lines)
    await store.put(
        db,
        tx,
        channel=to.channel,
        recipient=to.address,
        subject=_subject(body),
        body=body,
        once=f"staff:{to.channel}:{to.address}:{up_to}",
        up_to=up_to,
        wait=await _wait(tx, to, minutes),
    )


async def _wait(tx: AsyncConnection, to: Recipient, minutes: int) -> float:
    """Seconds until the next message may go to this recipient."""
    since = await store.seconds_since(tx, *to)
    return 0.0 if since is None else max(0.0, 60.0 * minutes - since)


def _line(entry: FeedEntry) -> str:
    about = f"{entry.domain}: " if entry.domain else ""
    return f"{entry.event.at:%Y-%m-%d %H:%M} {about}{' '.join(entry.event.summary().split())[:200]}"


def _body(lines: Collection[str]) -> str:
    shown = list(lines)[:_LINES]
    return "\n".join(shown + ([_MORE] if len(lines) > _LINES else [])) + "\n"


def _subject(body: str) -> str:
    lines = body.strip().splitlines()
    more = "+" if lines[-1] == _MORE else ""
    count = len(lines) - bool(more)
    return f"Surveyor: {count}{more} {'thing' if count == 1 else 'things'} happened"


async def say(db: Database, chosen: NotifySettings, message: Message) -> None:
    """A message for operators, to everybody but plugins, which are called at once."""
    plugged = {plugin.name for _, plugin in entry_points.registered(Group.NOTIFIERS)}
    async with db.write() as tx:
        for one in recipients(chosen):
            if one.channel not in plugged:
                await store.put(
                    db,
                    tx,
                    channel=one.channel,
                    recipient=one.address,
                    subject=message.subject,
                    body=message.text,
                    once=f"said:{new_id()}",
                )
