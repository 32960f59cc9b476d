"""Rows of the model's usage: answers by content, what a day cost, and how long to back off."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, case, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, later, now
from surveyor.db.dialect import insert, turn
from surveyor.db.tables import model_answers, model_rests, model_usage

_a, _r, _u = model_answers.c, model_rests.c, model_usage.c


class Key(NamedTuple):
    """What is asked once: a content, of a model, with a version of the question."""

    content_hash: bytes
    model: str
    prompt: str


class KeptAnswer(NamedTuple):
    """What is known of a question that was asked."""

    answer: list[Any] | None
    is_under_way: bool


class Usage(NamedTuple):
    """What was asked on a UTC day."""

    day: str
    requests: int
    tokens: int


class Rest(NamedTuple):
    trouble: str
    detail: str
    until: datetime
    strikes: int
    is_live: bool


def _row(key: Key) -> Any:
    return and_(_a.content_hash == key.content_hash, _a.model == key.model, _a.prompt == key.prompt)


async def enter_alone(tx: AsyncConnection) -> None:
    """Who reads the usage and then writes does both before the next one reads."""
    await tx.execute(select(turn("model")))


async def kept(tx: AsyncConnection, key: Key) -> KeptAnswer | None:
    """The answer; None when it was not asked, or the worker that asked is gone."""
    query = select(_a.answer, _a.until, now()).where(_row(key))
    row = (await tx.execute(query)).first()
    if row is None or (row[1] is not None and row[1] <= row[2]):
        return None
    return KeptAnswer(row[0], is_under_way=row[1] is not None)


async def usage(tx: AsyncConnection) -> Usage:
    """What the present day has cost so far."""
    day = f"{await current_time(tx):%Y-%m-%d}"
    row = (await tx.execute(select(_u.requests, _u.tokens).where(_u.day == day))).first()
    return Usage(day, *row) if row else Usage(day, 0, 0)


async def rest(tx: AsyncConnection, account: str) -> Rest | None:
    query = select(_r.trouble, _r.detail, _r.until, _r.strikes, _r.until > now()).where(_r.account == account)
    row = (await tx.execute(query)).first()
    return Rest(row[0], row[1], row[2], row[3], bool(row[4])) if row else None


async def begin(tx: AsyncConnection, key: Key, domain_no: int, seconds: float) -> None:
    """A worker asks, and has so many seconds to tell what came of it."""
    asked = {"domain_no": domain_no, "asked_at": now(), "until": later(seconds), "answer": None, "why": None}
    statement = insert(model_answers, tx.dialect.name).values(**key._asdict(), **asked)
    await tx.execute(statement.on_conflict_do_update(index_elements=list(key._fields), set_=asked))


async def end(tx: AsyncConnection, key: Key, answer: list[Any] | None, why: str | None) -> None:
    values = {"until": None, "answer": answer, "why": why}
    await tx.execute(update(model_answers).where(_row(key), _a.until.is_not(None)).values(values))


async def give_up(tx: AsyncConnection, key: Key) -> None:
    """There is no answer; the content may be asked about again."""
    await tx.execute(delete(model_answers).where(_row(key), _a.until.is_not(None)))


async def record(tx: AsyncConnection, day: str, requests: int, tokens: int) -> None:
    """Add to the day."""
    statement = insert(model_usage, tx.dialect.name).values(day=day, requests=requests, tokens=tokens)
    sums = {"requests": _u.requests + requests, "tokens": _u.tokens + tokens}
    await tx.execute(statement.on_conflict_do_update(index_elements=["day"], set_=sums))


async def correct(tx: AsyncConnection, day: str, tokens: int) -> None:
    """Tokens of a request that was booked: more than were put aside, or fewer."""
    new = _u.tokens + tokens
    # A backup from before the request may have been restored meanwhile.
    values = {"tokens": case((new < 0, 0), else_=new)}
    await tx.execute(update(model_usage).where(_u.day == day).values(values))


async def set_rest(tx: AsyncConnection, account: str, one: Rest) -> None:
    values = {"trouble": one.trouble, "detail": one.detail, "until": one.until, "strikes": one.strikes}
    statement = insert(model_rests, tx.dialect.name).values(account=account, **values)
    await tx.execute(statement.on_conflict_do_update(index_elements=["account"], set_=values))


async def forgive(tx: AsyncConnection, account: str) -> None:
    """It answers again: failures are counted from the beginning. A rest that still holds stays."""
    await tx.execute(delete(model_rests).where(_r.account == account, _r.until <= now()))
