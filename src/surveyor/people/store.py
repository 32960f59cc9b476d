"""Statements about people, their sessions and tokens, and tries."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.dialect import insert, turn
from surveyor.db.tables import api_tokens, saved_items, tries, users, web_sessions
from surveyor.errors import NotFound
from surveyor.ids import new_id
from surveyor.people.users import Bearer, Scope, Session, Token, User
from surveyor.registry.actors import Role

_u, _s, _t, _k = users.c, web_sessions.c, tries.c, api_tokens.c
_USER_COLUMNS = (
    _u.id,
    _u.name,
    _u.role,
    _u.password_hash.is_not(None),
    _u.created_at,
    _u.created_by,
    _u.disabled_at,
)
# Seconds between two writes of when a token was last used; a busy program would write at each request.
_USED_EVERY = 60


def _to_user(row: Any) -> User:
    id_, name, role, has_password, created_at, created_by, disabled_at = row
    return User(id_, name, Role(role), bool(has_password), created_at, created_by, disabled_at)


# --- people


async def add_user(
    tx: AsyncConnection, name: str, role: Role, password_hash: str | None, created_by: str
) -> User:
    values = {"name": name, "role": role, "password_hash": password_hash, "created_by": created_by}
    await tx.execute(users.insert().values(id=new_id(), created_at=now(), **values))
    return await get_user(tx, name)


async def find_user(tx: AsyncConnection, name: str) -> tuple[User, str | None] | None:
    """The person and the stored hash."""
    query = select(*_USER_COLUMNS, _u.password_hash).where(_u.name == name)
    row = (await tx.execute(query)).one_or_none()
    return (_to_user(row[:-1]), row[-1]) if row else None


async def get_user(tx: AsyncConnection, name: str) -> User:
    found = await find_user(tx, name)
    if found is None:
        raise NotFound(f"there is no user {name!r}; `surveyor user list` shows them")
    return found[0]


async def list_users(tx: AsyncConnection, limit: int) -> list[User]:
    query = select(*_USER_COLUMNS).order_by(_u.name).limit(limit)
    return [_to_user(row) for row in await tx.execute(query)]


async def set_password(tx: AsyncConnection, user: UUID, password_hash: str) -> None:
    await tx.execute(update(users).where(_u.id == user).values(password_hash=password_hash))


async def set_role(tx: AsyncConnection, user: UUID, role: Role) -> None:
    await tx.execute(update(users).where(_u.id == user).values(role=role))


async def count_admins(tx: AsyncConnection) -> int:
    """Those who can log in; they stay as they are until the transaction ends."""
    mine = (_u.role == Role.ADMIN, _u.disabled_at.is_(None), _u.password_hash.is_not(None))
    return len((await tx.execute(select(_u.id).where(*mine).with_for_update())).all())


async def set_disabled(tx: AsyncConnection, user: UUID, disabled: bool) -> None:
    await tx.execute(update(users).where(_u.id == user).values(disabled_at=now() if disabled else None))


# --- sessions


async def add_session(tx: AsyncConnection, user: User, key_hash: bytes, seconds: float) -> None:
    values = {"key_hash": key_hash, "user_id": user.id}
    await tx.execute(web_sessions.insert().values(created_at=now(), expires_at=later(seconds), **values))
    await tx.execute(delete(web_sessions).where(_s.expires_at <= now()))


async def find_session(tx: AsyncConnection, key_hash: bytes) -> Session | None:
    query = (
        select(*_USER_COLUMNS, _s.expires_at)
        .join_from(web_sessions, users)
        .where(_s.key_hash == key_hash, _s.expires_at > now(), _u.disabled_at.is_(None))
    )
    row = (await tx.execute(query)).one_or_none()
    return Session(_to_user(row[:-1]), row[-1]) if row else None


async def end_session(tx: AsyncConnection, key_hash: bytes) -> None:
    await tx.execute(delete(web_sessions).where(_s.key_hash == key_hash))


async def end_sessions_of(tx: AsyncConnection, user: UUID) -> int:
    ended = await tx.execute(delete(web_sessions).where(_s.user_id == user).returning(_s.key_hash))
    return len(ended.all())


# --- tokens


async def add_token(
    tx: AsyncConnection, user: User, key_hash: bytes, label: str, scope: Scope, seconds: float
) -> Token:
    token_id = new_id()
    values = {"id": token_id, "key_hash": key_hash, "user_id": user.id, "label": label, "scope": scope}
    await tx.execute(api_tokens.insert().values(created_at=now(), expires_at=later(seconds), **values))
    return await get_token(tx, token_id)


async def find_bearer(tx: AsyncConnection, key_hash: bytes) -> tuple[UUID, Bearer] | None:
    query = (
        select(*_USER_COLUMNS, _k.id, _k.scope)
        .join_from(api_tokens, users)
        .where(
            _k.key_hash == key_hash,
            _k.expires_at > now(),
            _k.revoked_at.is_(None),
            _u.disabled_at.is_(None),
        )
    )
    row = (await tx.execute(query)).one_or_none()
    return (row[-2], Bearer(_to_user(row[:-2]), Scope(row[-1]))) if row else None


async def used_token(tx: AsyncConnection, token: UUID) -> None:
    await tx.execute(update(api_tokens).where(_k.id == token).values(last_used_at=now()))


async def was_used_long_ago(tx: AsyncConnection, token: UUID) -> bool:
    lately = (_k.id == token, _k.last_used_at > later(-_USED_EVERY))
    return (await tx.execute(select(_k.id).where(*lately))).first() is None


async def get_token(tx: AsyncConnection, token: UUID) -> Token:
    row = (await tx.execute(_tokens().where(_k.id == token))).one_or_none()
    if row is None:
        raise NotFound(f"there is no token {token}; `surveyor token list` shows them")
    return _to_token(row)


async def list_tokens(tx: AsyncConnection, limit: int) -> list[Token]:
    query = _tokens().order_by(_k.revoked_at.is_not(None), _k.created_at.desc(), _k.id).limit(limit)
    return [_to_token(row) for row in await tx.execute(query)]


async def revoke_token(tx: AsyncConnection, token: UUID) -> None:
    live = (_k.id == token, _k.revoked_at.is_(None))
    await tx.execute(update(api_tokens).where(*live).values(revoked_at=now()))


def _tokens() -> Select[Any]:
    columns = (_k.id, _u.name, _k.label, _k.scope, _k.created_at, _k.expires_at, _k.last_used_at)
    return select(*columns, _k.revoked_at).join_from(api_tokens, users)


def _to_token(row: Any) -> Token:
    token, user, label, scope, *times = row
    return Token(token, user, label, Scope(scope), *times)


# --- tries


async def one_at_a_time(tx: AsyncConnection, subject: bytes) -> None:
    """Who counts and then adds does both before the next one counts."""
    await tx.execute(select(turn(f"tries {subject.hex()}")))


async def seconds_until_free(tx: AsyncConnection, subject: bytes, most: int) -> float | None:
    """None if there is room for one more; else how long until there is."""
    counting = (_t.subject == subject, _t.until > now())
    # With `most` tries that count, the one that is `most` from the end must stop counting.
    query = select(_t.until, now()).where(*counting).order_by(_t.until.desc()).offset(most - 1).limit(1)
    row = (await tx.execute(query)).first()
    return (row[0] - row[1]).total_seconds() if row else None


async def add_try(tx: AsyncConnection, subject: bytes, seconds: float) -> None:
    await tx.execute(tries.insert().values(subject=subject, at=now(), until=later(seconds)))
    # A few of the old ones go with every new one, so the table stays as small as what counts.
    old = select(_t.id).where(_t.until <= now()).order_by(_t.until).limit(4)
    await tx.execute(delete(tries).where(_t.id.in_(old.with_for_update(skip_locked=True))))


async def drop_tries(tx: AsyncConnection, subject: bytes) -> None:
    await tx.execute(delete(tries).where(_t.subject == subject))


# --- what people keep for themselves


async def saved_by(tx: AsyncConnection, user_id: UUID, kind: str, limit: int) -> list[Any]:
    i = saved_items.c
    query = select(i.id, i.name, i.value).where(i.user_id == user_id, i.kind == kind)
    return list(await tx.execute(query.order_by(i.id).limit(limit)))


async def save(tx: AsyncConnection, user_id: UUID, kind: str, name: str, value: str) -> None:
    statement = insert(saved_items, tx.dialect.name).values(
        user_id=user_id, kind=kind, name=name, value=value, created_at=now()
    )
    same = ["user_id", "kind", "name"]
    await tx.execute(statement.on_conflict_do_update(index_elements=same, set_={"value": value}))


async def remove_saved(tx: AsyncConnection, user_id: UUID, number: int) -> None:
    i = saved_items.c
    await tx.execute(delete(saved_items).where(i.id == number, i.user_id == user_id))
