"""People who want to know what becomes of a domain: asked by mail first, notified once, then forgotten."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.notify import store
from surveyor.notify.addresses import parse_address
from surveyor.notify.texts import texts
from surveyor.registry.events import EventKind
from surveyor.registry.feed import FeedEntry
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import rows
from surveyor.settings import MailSettings

MAIL: Final = "mail"
_DECISIONS: Final = {EventKind.DOMAIN_APPROVED: "approved", EventKind.DOMAIN_REJECTED: "rejected"}
_DECIDED: Final = {ReviewStatus.APPROVED: "approved", ReviewStatus.REJECTED: "rejected"}
_LONGEST_KEY = 64


class Asked(StrEnum):
    """What became of an address that somebody gave."""

    SENT = "mail_sent"  # a mail with the link is in the outbox
    KNOWN = "mail_known"  # it was confirmed before


@dataclass(frozen=True, slots=True)
class Follower:
    """Whoever opened a link."""

    domain: str
    language: str
    is_confirmed: bool


async def ask(
    db: Database, tx: AsyncConnection, domain: str, address: str, language: str, mail: MailSettings
) -> Asked:
    """Put the question into the outbox; who may cause how many of them is the caller's to count."""
    found = parse_address(address)
    no = await rows.find_no(tx, domain)
    key = secrets.token_urlsafe(32)
    if not await store.follow(db, tx, no, found, language, _hash(key)):
        return Asked.KNOWN
    link = f"{mail.site_url.rstrip('/')}/confirm/{key}"
    await _put(
        db, tx, "confirm", no, found, language, f"confirm:{_hash(key).hex()}", domain=domain, link=link
    )
    return Asked.SENT


async def who(db: Database, key: str) -> Follower:
    """Whoever has the link; NotFound for one that leads nowhere."""
    async with db.read() as tx:
        row = await _row(tx, key)
        domain = await rows.get(tx, row.domain_no)
    return Follower(domain.domain, row.language, row.confirmed_at is not None)


async def confirm(db: Database, key: str) -> bool:
    """From now on the address may be written to; whether a decision was made meanwhile, and is being sent."""
    async with db.write() as tx:
        row = await _row(tx, key, lock=True)
        domain = await rows.get(tx, row.domain_no, lock=True)  # so that no decision falls between
        decided = _DECIDED.get(domain.review_status)
        if decided is None:
            await store.confirm(tx, row.id)
            return False
        await _notify(db, tx, row, decided, f"decision:late:{row.id}", domain.domain, domain.rejection_reason)
        return True


async def remove(db: Database, key: str) -> None:
    """The address is deleted, whatever was agreed before."""
    async with db.write() as tx:
        await store.unfollow(tx, (await _row(tx, key, lock=True)).id)


async def on_events(db: Database, batch: Sequence[FeedEntry]) -> None:
    """Events in the order of the feed: who waits for a decision is notified once, and forgotten."""
    for entry in batch:
        event = entry.event
        decided = _DECISIONS.get(event.kind)
        if decided is None or event.domain_no is None or entry.domain is None:
            continue
        async with db.write() as tx:
            for row in await store.confirmed(tx, event.domain_no):
                once = f"decision:{event.id}:{row.id}"
                await _notify(db, tx, row, decided, once, entry.domain, event.reason)


async def _notify(
    db: Database, tx: AsyncConnection, row: Any, decided: str, once: str, domain: str, reason: str | None
) -> None:
    words = {"domain": domain, "reason": reason or "–"}
    await _put(db, tx, decided, row.domain_no, row.address, row.language, once, **words)
    await store.unfollow(tx, row.id)


async def _put(
    db: Database,
    tx: AsyncConnection,
    what: str,
    domain_no: int,
    address: str,
    language: str,
    once: str,
    **words: str,
) -> None:
    said = texts(language)
    subject = said[f"mail_{what}_subject"].format(**words)
    body = said[f"mail_{what}_body"].format(**words)
    await store.put(
        db,
        tx,
        channel=MAIL,
        recipient=address,
        subject=subject,
        body=body.lstrip(),
        once=once,
        domain_no=domain_no,
    )


async def _row(tx: AsyncConnection, key: str, *, lock: bool = False) -> Any:
    row = await store.by_key(tx, _hash(key), lock=lock) if len(key) <= _LONGEST_KEY else None
    if row is None:
        raise NotFound("this link is used up or too old")
    return row


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
