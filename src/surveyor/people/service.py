"""Whole acts on accounts that a shell asks for: each opens its own transactions and leaves an event."""

from __future__ import annotations

import hashlib
import re
import secrets
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import Refused, RefusedByDatabase, UsageError
from surveyor.people import limits, store
from surveyor.people.limits import Limit
from surveyor.people.passwords import Hasher
from surveyor.people.users import RIGHTS, Bearer, Scope, Session, Token, User
from surveyor.registry.actors import Actor, Role
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

# Of one account from one address: a person who mistypes gets in, a dictionary attack takes years.
LOGINS = Limit("logins", 10, 600)
# Of one address over all accounts: an office behind one address logs in, a list of accounts does not.
LOGINS_OF_ADDRESS = Limit("logins from one address", 100, 600)
SESSION_SECONDS = 7 * 86_400.0
LONGEST_TOKEN_DAYS = 3_650
# Leaked tokens are found by what they begin with.
TOKEN_PREFIX = "svy_"  # noqa: S105
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
_NOT_NAMES = {"system", "public"}
_LEAST_ADMINS = 2  # before one of them is none any more


class WrongLogin(Refused):
    """The same for a wrong password, an unknown name and a disabled account."""

    def __init__(self) -> None:
        super().__init__("that name and password do not belong together; try again")


# --- accounts


async def add_user(
    db: Database, hasher: Hasher, name: str, role: Role, password: str | None, by: Actor
) -> User:
    """A new account; without a password it can only have tokens."""
    name = user_name(name)
    if role not in RIGHTS:
        raise UsageError(f"a person is {', '.join(RIGHTS)}; not {role}")
    stored = await hasher.hash(password) if password is not None else None
    try:
        async with db.write() as tx:
            user = await store.add_user(tx, name, role, stored, by.name)
            await _record(tx, EventKind.USER_ADDED, by, user=name, role=role.value)
            return user
    except RefusedByDatabase:
        raise Refused(f"there is a user {name} already; `surveyor user list` shows them") from None


async def list_users(db: Database, limit: int) -> list[User]:
    async with db.read() as tx:
        return await store.list_users(tx, limit)


async def set_disabled(db: Database, name: str, disabled: bool, by: Actor) -> User:
    """A disabled account ends at once: its sessions and tokens let nobody in."""
    async with db.write() as tx:
        user = await store.get_user(tx, user_name(name))
        if (user.disabled_at is not None) is disabled:
            return user
        await store.set_disabled(tx, user.id, disabled)
        await store.end_sessions_of(tx, user.id)
        kind = EventKind.USER_DISABLED if disabled else EventKind.USER_ENABLED
        await _record(tx, kind, by, user=user.name)
        return await store.get_user(tx, user.name)


async def set_role(db: Database, name: str, role: Role, by: Actor) -> User:
    """Holds from the person's next request on; the last admin stays one."""
    if role not in RIGHTS:
        raise UsageError(f"a person is {', '.join(RIGHTS)}; not {role}")
    async with db.write() as tx:
        user = await store.get_user(tx, user_name(name))
        if user.role is role:
            return user
        if user.role is Role.ADMIN and await store.count_admins(tx) < _LEAST_ADMINS:
            raise Refused(f"{user.name} is the last admin; make another one first")
        await store.set_role(tx, user.id, role)
        await _record(tx, EventKind.ROLE_CHANGED, by, user=user.name, role=role.value)
        return await store.get_user(tx, user.name)


async def set_password(db: Database, hasher: Hasher, name: str, password: str, by: Actor) -> User:
    """All sessions of the person end."""
    stored = await hasher.hash(password)
    async with db.write() as tx:
        user = await store.get_user(tx, user_name(name))
        await store.set_password(tx, user.id, stored)
        await store.end_sessions_of(tx, user.id)
        await _record(tx, EventKind.PASSWORD_CHANGED, by, user=user.name)
        return await store.get_user(tx, user.name)


async def change_password(
    db: Database, hasher: Hasher, user: User, current: str, password: str, address: str
) -> None:
    """One's own: the present one is asked for, as often as a login may be tried. All sessions end."""
    async with db.write() as tx:
        await limits.count(tx, LOGINS, user.name, limits.address_prefix(address))
        found = await store.find_user(tx, user.name)
    if found is None or not await hasher.verify(found[1], current):
        raise Refused("that is not your present password; nothing was changed")
    await set_password(db, hasher, user.name, password, user.actor)


async def tokens_of(db: Database, user: User, limit: int) -> list[Token]:
    """One's own, the latest first."""
    async with db.read() as tx:
        return [token for token in await store.list_tokens(tx, limit) if token.user == user.name]


async def revoke_own_token(db: Database, token_id: UUID, user: User) -> Token:
    async with db.read() as tx:
        token = await store.get_token(tx, token_id)
    if token.user != user.name:
        raise Refused("that token is not yours; an admin can revoke it")
    return await revoke_token(db, token_id, user.actor)


def user_name(text: str) -> str:
    name = text.strip().lower()
    if not _NAME.fullmatch(name) or name in _NOT_NAMES:
        raise UsageError(f"{text[:70]!r} is no name for a user; take letters, digits and . _ @ + -, up to 64")
    return name


# --- sessions


async def log_in(db: Database, hasher: Hasher, name: str, password: str, address: str) -> Session:
    """A new session with its key. Raises `WrongLogin` or `TooManyTries`."""
    name, address = name.strip().lower()[:100], limits.address_prefix(address)
    async with db.write() as tx:
        await limits.count(tx, LOGINS_OF_ADDRESS, address)
        await limits.count(tx, LOGINS, name, address)
        found = await store.find_user(tx, name)
    user, stored = found if found else (None, None)
    fits = await hasher.verify(stored, password)
    if user is None or not fits or user.disabled_at is not None:
        raise WrongLogin
    fresh = await hasher.hash(password) if stored and hasher.is_outdated(stored) else None
    key = secrets.token_urlsafe(32)
    async with db.write() as tx:
        await limits.forget(tx, LOGINS, name, address)
        if fresh:
            await store.set_password(tx, user.id, fresh)
        await store.add_session(tx, user, _hash(key), SESSION_SECONDS)
        session = await store.find_session(tx, _hash(key))
    if session is None:  # disabled in the moment between
        raise WrongLogin
    return Session(session.user, session.expires_at, key)


async def session_of(db: Database, key: str) -> Session | None:
    async with db.read() as tx:
        return await store.find_session(tx, _hash(key))


async def log_out(db: Database, key: str) -> None:
    async with db.write() as tx:
        await store.end_session(tx, _hash(key))


async def log_out_everywhere(db: Database, user: User) -> int:
    """Ends all sessions of a person; returns how many."""
    async with db.write() as tx:
        return await store.end_sessions_of(tx, user.id)


# --- tokens


async def create_token(
    db: Database, name: str, label: str, scope: Scope, days: int, by: Actor
) -> tuple[str, Token]:
    """The token itself, which nobody can show again, and what is known of it."""
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        raise UsageError(f"a token lives 1 to {LONGEST_TOKEN_DAYS:,} days, not {days}")
    if not 1 <= len(label) <= 100:
        raise UsageError("say in up to 100 characters what the token is for")
    key = TOKEN_PREFIX + secrets.token_urlsafe(32)
    async with db.write() as tx:
        user = await store.get_user(tx, user_name(name))
        if not user.may(scope):
            state = "disabled" if user.disabled_at else f"a {user.role}"
            raise Refused(f"{user.name} is {state} and cannot have a token of scope {scope}")
        token = await store.add_token(tx, user, _hash(key), label, scope, days * 86_400.0)
        detail = {"scope": scope.value, "expires_at": token.expires_at.isoformat()}
        await _record(tx, EventKind.TOKEN_CREATED, by, user=user.name, token=str(token.id), **detail)
        return key, token


async def bearer_of(db: Database, key: str) -> Bearer | None:
    """Whoever shows this token; None if it is unknown, revoked, over, or of a disabled account."""
    if not key.startswith(TOKEN_PREFIX) or len(key) > 100:
        return None
    async with db.read() as tx:
        found = await store.find_bearer(tx, _hash(key))
        if found is None:
            return None
        token, bearer = found
        is_due = await store.was_used_long_ago(tx, token)
    if is_due:
        async with db.write() as tx:
            await store.used_token(tx, token)
    return bearer


async def list_tokens(db: Database, limit: int) -> list[Token]:
    async with db.read() as tx:
        return await store.list_tokens(tx, limit)


async def revoke_token(db: Database, token_id: UUID, by: Actor) -> Token:
    async with db.write() as tx:
        token = await store.get_token(tx, token_id)
        if token.revoked_at is not None:
            return token
        await store.revoke_token(tx, token_id)
        await _record(tx, EventKind.TOKEN_REVOKED, by, user=token.user, token=str(token_id))
        return await store.get_token(tx, token_id)


def _hash(key: str) -> bytes:
    """256 random bits need no salt and no slow hash."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


async def _record(tx: AsyncConnection, kind: EventKind, by: Actor, **data: str) -> None:
    await events.append(tx, [NewEvent(kind, by.name, data=data)])
