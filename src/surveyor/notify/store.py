"""Statements about followers and the outbox."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, later, now
from surveyor.db.tables import followers, outbox

_f, _o = followers.c, outbox.c


# --- outbox


async def put(
    db: Database,
    tx: AsyncConnection,
    *,
    channel: str,
    recipient: str,
    subject: str,
    body: str,
    once: str,
    domain_no: int | None = None,
    up_to: int | None = None,
    wait: float = 0.0,
) -> bool:
    """Put a message in, to be sent after `wait` seconds; False if it is known."""
    row = {"channel": channel, "recipient": recipient, "subject": subject, "body": body, "once": once}
    values = row | {"domain_no": domain_no, "up_to": up_to, "state": "waiting", "created_at": now()}
    statement = db.insert(outbox).values(**values, due_at=later(wait))
    made = await tx.execute(statement.on_conflict_do_nothing(index_elements=["once"]).returning(_o.id))
    return made.first() is not None


async def claim(tx: AsyncConnection, holder: str, seconds: float) -> Any:
    """The one that is due longest and that nobody holds, now of this holder."""
    free = or_(_o.held_until.is_(None), _o.held_until <= now())
    query = select(_o.id).where(_o.state == "waiting", _o.due_at <= now(), free)
    first = query.order_by(_o.due_at, _o.id).limit(1).with_for_update(skip_locked=True)
    found = (await tx.execute(first)).scalar_one_or_none()
    if found is None:
        return None
    held = {"held_by": holder, "held_until": later(seconds), "tries": _o.tries + 1}
    await tx.execute(update(outbox).where(_o.id == found).values(held))
    columns = (_o.id, _o.channel, _o.recipient, _o.subject, _o.body, _o.created_at, _o.tries)
    return (await tx.execute(select(*columns).where(_o.id == found))).one()


async def sent(tx: AsyncConnection, number: int, holder: str) -> None:
    """Delivered: what it said is not needed any more."""
    free = {"held_by": None, "held_until": None, "last_error": None}
    mine = update(outbox).where(_o.id == number, _o.held_by == holder)
    await tx.execute(mine.values(state="sent", sent_at=now(), body="", **free))


async def not_sent(tx: AsyncConnection, number: int, holder: str, error: str, wait: float | None) -> None:
    """Try again after `wait` seconds; None is never."""
    values: dict[str, Any] = {"held_by": None, "held_until": None, "last_error": error}
    values |= {"state": "failed"} if wait is None else {"due_at": later(wait)}
    await tx.execute(update(outbox).where(_o.id == number, _o.held_by == holder).values(values))


async def again(tx: AsyncConnection, number: int) -> bool:
    mine = update(outbox).where(_o.id == number, _o.state == "failed")
    done = await tx.execute(mine.values(state="waiting", due_at=now(), tries=0).returning(_o.id))
    return done.first() is not None


async def page(tx: AsyncConnection, limit: int, before: int | None) -> list[Any]:
    columns = (_o.id, _o.channel, _o.recipient, _o.subject, _o.state, _o.created_at, _o.due_at)
    query = select(*columns, _o.sent_at, _o.tries, _o.last_error).order_by(_o.id.desc()).limit(limit)
    return list(await tx.execute(query.where(_o.id < before) if before is not None else query))


async def counts(tx: AsyncConnection) -> dict[str, int]:
    found = await tx.execute(select(_o.state, func.count()).group_by(_o.state))
    return {str(state): int(number) for state, number in found}


async def remove_old(tx: AsyncConnection, sent_days: int, unconfirmed_days: int, limit: int) -> int:
    """Addresses are not kept longer than they are needed; returns how many rows went."""
    old = (
        (outbox, (_o.state == "sent", _o.sent_at < later(-86_400.0 * sent_days))),
        (followers, (_f.confirmed_at.is_(None), _f.created_at < later(-86_400.0 * unconfirmed_days))),
    )
    removed = 0
    for table, where in old:
        some = select(table.c.id).where(*where).limit(limit)
        removed += len(
            (await tx.execute(delete(table).where(table.c.id.in_(some)).returning(table.c.id))).all()
        )
    return removed


# --- messages about many events


async def covered_up_to(tx: AsyncConnection, channel: str, recipient: str) -> int:
    """The place in the feed up to which this recipient's messages reach."""
    mine = (_o.channel == channel, _o.recipient == recipient)
    found = await tx.execute(select(func.max(_o.up_to)).where(*mine))
    return int(found.scalar_one() or 0)


async def gathering(tx: AsyncConnection, channel: str, recipient: str) -> Any:
    """The message to this recipient that nobody has begun to send and that more can be added to."""
    mine = (_o.channel == channel, _o.recipient == recipient, _o.up_to.is_not(None))
    query = select(_o.id, _o.body).where(*mine, _o.state == "waiting", _o.tries == 0)
    return (await tx.execute(query.order_by(_o.id).limit(1).with_for_update())).one_or_none()


async def add_to(tx: AsyncConnection, number: int, subject: str, body: str, up_to: int) -> None:
    mine = update(outbox).where(_o.id == number)
    await tx.execute(mine.values(subject=subject, body=body, up_to=up_to))


async def seconds_since(tx: AsyncConnection, channel: str, recipient: str) -> float | None:
    """How long ago the last message about events was due to this recipient; negative if it still is."""
    mine = (_o.channel == channel, _o.recipient == recipient, _o.up_to.is_not(None))
    last, moment = (await tx.execute(select(func.max(_o.due_at), now()).where(*mine))).one()
    return None if last is None else float((moment - last).total_seconds())


# --- followers


async def follow(
    db: Database, tx: AsyncConnection, domain_no: int, address: str, language: str, key_hash: bytes
) -> bool:
    """An address that is to be asked; False if it was confirmed before. An older question is replaced."""
    values = {"language": language, "key_hash": key_hash, "created_at": now()}
    row = db.insert(followers).values(domain_no=domain_no, address=address, **values)
    statement = row.on_conflict_do_update(
        index_elements=["domain_no", "address"], set_=values, where=_f.confirmed_at.is_(None)
    )
    return (await tx.execute(statement.returning(_f.id))).first() is not None


async def by_key(tx: AsyncConnection, key_hash: bytes, *, lock: bool = False) -> Any:
    query = select(followers).where(_f.key_hash == key_hash)
    return (await tx.execute(query.with_for_update() if lock else query)).one_or_none()


async def confirm(tx: AsyncConnection, number: int) -> None:
    await tx.execute(update(followers).where(_f.id == number).values(confirmed_at=now()))


async def unfollow(tx: AsyncConnection, number: int) -> None:
    await tx.execute(delete(followers).where(_f.id == number))


async def confirmed(tx: AsyncConnection, domain_no: int) -> list[Any]:
    query = select(followers).where(_f.domain_no == domain_no, _f.confirmed_at.is_not(None))
    return list(await tx.execute(query.order_by(_f.id)))
