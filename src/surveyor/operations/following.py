"""A submitter's address is taken: limited in number, asked by mail, and notified of the decision later.

`dispatcher` makes messages of events, for submitters and for staff.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from surveyor.db import Database
from surveyor.listeners import Dispatcher
from surveyor.listeners import store as cursors
from surveyor.notify import followers, staff
from surveyor.notify.addresses import parse_address
from surveyor.notify.followers import Asked
from surveyor.people import Limit
from surveyor.people import limits as rate
from surveyor.registry.feed import FeedEntry
from surveyor.settings import MailSettings, NotifySettings

# Under this name the database remembers how far messages were made of events.
LISTENER: Final = "notify"
_HOUR, _DAY = 3_600.0, 86_400.0


async def follow(db: Database, domain: str, address: str, language: str, mail: MailSettings) -> Asked:
    """Ask whoever owns the address; TooManyTries if it was asked too often lately."""
    to = parse_address(address)
    await _begin(db)
    async with db.write() as tx:
        await rate.count(tx, Limit("mails to one address", mail.per_address, _DAY), to.lower())
        await rate.count(tx, Limit("mails at this hour", mail.in_total, _HOUR))
        return await followers.ask(db, tx, domain, to, language, mail)


async def _begin(db: Database) -> None:
    """From the first address on no decision is missed, whenever the sender is started."""
    async with db.read() as tx:
        known = await cursors.find(tx, LISTENER)
    if known is None:
        await Dispatcher(db, LISTENER, _ignore).begin()


async def _ignore(_: Sequence[FeedEntry]) -> None:
    """For a dispatcher that only begins."""


def dispatcher(db: Database, chosen: NotifySettings) -> Dispatcher:
    """Makes messages of events."""

    async def on_events(batch: Sequence[FeedEntry]) -> None:
        await followers.on_events(db, batch)
        await staff.on_events(db, chosen, batch)

    return Dispatcher(db, LISTENER, on_events)
