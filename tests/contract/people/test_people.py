"""People on both engines: accounts, logins and their limits, sessions, tokens; no secret is stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, text, update

from surveyor.db import Database, later
from surveyor.db.tables import api_tokens, metadata, tries, web_sessions
from surveyor.errors import NotFound, Refused, UsageError
from surveyor.people import limits, service
from surveyor.people.limits import Limit, TooManyTries
from surveyor.people.passwords import Hasher
from surveyor.people.service import WrongLogin
from surveyor.people.users import RIGHTS, Scope, User
from surveyor.registry import feed
from surveyor.registry.actors import Role
from tests.support.lease_help import second_door
from tests.support.registry_help import ADMIN

PASSWORD = "correct-horse-canary"


def quick() -> PasswordHasher:
    return PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


@pytest.fixture
def hasher() -> Iterator[Hasher]:
    made = Hasher(quick())
    yield made
    made.close()


async def _ada(db: Database, hasher: Hasher, role: Role = Role.ADMIN) -> User:
    return await service.add_user(db, hasher, "Ada", role, PASSWORD, ADMIN)


async def _dump(db: Database) -> str:
    """Everything the database holds, as text."""
    found = []
    async with db.read() as tx:
        for table in metadata.sorted_tables:
            found += [repr(tuple(row)) for row in await tx.execute(select(table))]
    return "\n".join(found)


async def _kinds(db: Database) -> list[str]:
    return [told.event.kind.value for told in await feed.read(db, 0, 100)]


async def test_an_account_logs_in_under_any_spelling_of_its_name_and_out_again(
    db: Database, hasher: Hasher
) -> None:
    user = await _ada(db, hasher)
    assert (user.name, user.role, user.has_password) == ("ada", Role.ADMIN, True)
    session = await service.log_in(db, hasher, " ADA ", PASSWORD, "192.0.2.1")
    found = await service.session_of(db, session.key)
    assert found is not None and found.user == user
    await service.log_out(db, session.key)
    assert await service.session_of(db, session.key) is None
    assert await service.session_of(db, "") is None


async def test_secrets_are_nowhere_in_the_database_or_in_a_repr(db: Database, hasher: Hasher) -> None:
    await _ada(db, hasher)
    session = await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.77")
    key, token = await service.create_token(db, "ada", "for tests", Scope.READ, 1, ADMIN)
    shown = f"{session!r} {token!r} {await _dump(db)}"
    for secret in (PASSWORD, session.key, key, key.removeprefix("svy_"), "192.0.2.77"):
        assert secret not in shown
    assert "$argon2id$" in shown


async def test_a_name_that_is_taken_or_odd_and_a_poor_password_are_refused(
    db: Database, hasher: Hasher
) -> None:
    await _ada(db, hasher)
    with pytest.raises(Refused, match="there is a user ada already"):
        await _ada(db, hasher)
    for name in ("", "a b", "system", "public", "cli:root", "x" * 65, "ünal", "-x"):
        with pytest.raises(UsageError, match="no name for a user"):
            await service.add_user(db, hasher, name, Role.REVIEWER, PASSWORD, ADMIN)
    for password in ("", "short", "x" * 1_001):
        with pytest.raises(UsageError, match="a password has 10 to 1,000 characters"):
            await service.add_user(db, hasher, "bob", Role.REVIEWER, password, ADMIN)
    with pytest.raises(UsageError, match="a person is"):
        await service.add_user(db, hasher, "bob", Role.SYSTEM, PASSWORD, ADMIN)
    assert [user.name for user in await service.list_users(db, 10)] == ["ada"]


async def test_a_wrong_password_an_unknown_name_and_a_disabled_account_are_told_alike(
    db: Database, hasher: Hasher
) -> None:
    await _ada(db, hasher)
    await service.add_user(db, hasher, "gone", Role.REVIEWER, PASSWORD, ADMIN)
    await service.add_user(db, hasher, "robot", Role.REVIEWER, None, ADMIN)
    await service.set_disabled(db, "gone", True, ADMIN)
    told = set()
    for name, password in (
        ("ada", "wrong password"),
        ("nobody", PASSWORD),
        ("gone", PASSWORD),
        ("robot", ""),
        ("ada", "x" * 1_000_000),
        ("a" * 10_000, PASSWORD),
    ):
        with pytest.raises(WrongLogin) as refused:
            await service.log_in(db, hasher, name, password, "192.0.2.1")
        told.add(str(refused.value))
    assert len(told) == 1


class _Counting(PasswordHasher):
    """Counts what was verified, and what ran at the same time."""

    def __init__(self, meeting: threading.Barrier | None = None) -> None:
        super().__init__(time_cost=1, memory_cost=64, parallelism=1)
        self.lock, self.now, self.most, self.verified = threading.Lock(), 0, 0, 0
        self.meeting = meeting

    def verify(self, *given: Any) -> Any:
        with self.lock:
            self.now, self.verified = self.now + 1, self.verified + 1
            self.most = max(self.most, self.now)
        try:
            if self.meeting:
                self.meeting.wait(30)
            return super().verify(*given)
        finally:
            with self.lock:
                self.now -= 1


async def test_a_name_nobody_has_costs_the_same_work(db: Database) -> None:
    argon = _Counting()
    hasher = Hasher(argon)
    await _ada(db, hasher)
    for number, name in enumerate(("ada", "nobody", "someone")):
        with pytest.raises(WrongLogin):
            await service.log_in(db, hasher, name, "wrong password", "192.0.2.1")
        assert argon.verified == number + 1
    assert not await hasher.verify(None, "the password of nobody")
    hasher.close()


async def test_two_hash_at_a_time_and_a_crowd_is_sent_away_instead_of_piling_up() -> None:
    argon = _Counting(threading.Barrier(2))  # each waits for another: one at a time would never end
    hasher = Hasher(argon)
    found = await asyncio.gather(
        *(hasher.verify(None, "guess number one") for _ in range(200)), return_exceptions=True
    )
    refused = [each for each in found if isinstance(each, Refused)]
    assert (len(refused), argon.verified, argon.most) == (160, 40, 2)
    assert "try again in a minute" in str(refused[0])
    hasher.close()


async def test_ten_wrong_tries_in_ten_minutes_are_the_most_however_they_come(
    db: Database, db_url: str, hasher: Hasher
) -> None:
    await _ada(db, hasher)
    async with AsyncExitStack() as doors:
        others = [db, await doors.enter_async_context(second_door(db_url))]
        guesses = [
            service.log_in(others[n % 2], hasher, "ada", f"wrong guess {n}", "192.0.2.1") for n in range(30)
        ]
        found = await asyncio.gather(*guesses, return_exceptions=True)
    kinds = [type(each) for each in found]
    assert kinds.count(WrongLogin) == 10
    assert kinds.count(TooManyTries) == 20
    with pytest.raises(TooManyTries) as wait:
        await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.1")
    assert 500 < wait.value.seconds <= 600
    # The owner is not locked out: another address is let in, and this one when the window has passed.
    assert await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.2")
    async with db.write() as tx:
        await tx.execute(update(tries).values(until=later(-1)))
    assert await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.1")


async def test_who_succeeds_begins_anew(db: Database, hasher: Hasher) -> None:
    await _ada(db, hasher)
    for _ in range(3):
        for _ in range(6):
            with pytest.raises(WrongLogin):
                await service.log_in(db, hasher, "ada", "wrong password", "192.0.2.1")
        assert await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.1")


async def test_one_address_cannot_try_many_accounts_for_ever(db: Database, hasher: Hasher) -> None:
    async with db.write() as tx:
        for _ in range(service.LOGINS_OF_ADDRESS.most):
            await limits.count(tx, service.LOGINS_OF_ADDRESS, "192.0.2.9")
    with pytest.raises(TooManyTries, match="from one address; try again in 10 minutes"):
        await service.log_in(db, hasher, "whoever", PASSWORD, "192.0.2.9")


async def test_old_tries_are_removed_on_the_way(db: Database) -> None:
    brief = Limit("things", 1_000, 0.0)
    for _ in range(50):
        async with db.write() as tx:
            await limits.count(tx, brief, "x")
    async with db.read() as tx:
        assert (await tx.execute(text("SELECT count(*) FROM tries"))).scalar_one() <= 4


@pytest.mark.parametrize("act", ["disable", "password", "everywhere"])
async def test_sessions_end_at_once_when_they_should(db: Database, hasher: Hasher, act: str) -> None:
    user = await _ada(db, hasher)
    keys = [(await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.1")).key for _ in range(2)]
    if act == "disable":
        assert (await service.set_disabled(db, "ada", True, ADMIN)).disabled_at is not None
        await service.set_disabled(db, "ada", False, ADMIN)
    elif act == "password":
        await service.set_password(db, hasher, "ada", "another password", ADMIN)
    else:
        assert await service.log_out_everywhere(db, user) == 2
    assert [await service.session_of(db, key) for key in keys] == [None, None]


async def test_a_session_ends_by_itself(db: Database, hasher: Hasher) -> None:
    await _ada(db, hasher)
    session = await service.log_in(db, hasher, "ada", PASSWORD, "192.0.2.1")
    async with db.write() as tx:
        await tx.execute(update(web_sessions).values(expires_at=later(-1)))
    assert await service.session_of(db, session.key) is None


async def test_a_token_holds_until_it_is_over_revoked_or_its_owner_is_disabled(
    db: Database, hasher: Hasher
) -> None:
    await _ada(db, hasher)
    keys = [(await service.create_token(db, "ada", "t", Scope.REVIEW, 30, ADMIN)) for _ in range(2)]
    (key, token), (other, _) = keys
    bearer = await service.bearer_of(db, key)
    assert bearer is not None and bearer.user.name == "ada"
    assert [scope for scope in Scope if bearer.may(scope)] == [Scope.READ, Scope.SUBMIT, Scope.REVIEW]
    [used] = [each for each in await service.list_tokens(db, 5) if each.id == token.id]
    assert used.last_used_at is not None
    await service.revoke_token(db, token.id, ADMIN)
    await service.revoke_token(db, token.id, ADMIN)
    assert await service.bearer_of(db, key) is None
    assert await service.bearer_of(db, other) is not None
    await service.set_disabled(db, "ada", True, ADMIN)
    assert await service.bearer_of(db, other) is None
    await service.set_disabled(db, "ada", False, ADMIN)
    async with db.write() as tx:
        await tx.execute(update(api_tokens).values(expires_at=later(-1)))
    assert await service.bearer_of(db, other) is None
    for odd in ("", "svy_", key[:-1], key + "x", "svy_" + "x" * 1_000_000, "\ud800"):
        assert await service.bearer_of(db, odd) is None
    assert (await _kinds(db)).count("TokenRevoked") == 1


async def test_a_token_never_has_more_rights_than_its_owner(db: Database, hasher: Hasher) -> None:
    for role, rights in RIGHTS.items():
        name = role.value
        await service.add_user(db, hasher, name, role, None, ADMIN)
        for scope in Scope:
            if scope in rights:
                assert await service.create_token(db, name, "t", scope, 1, ADMIN)
            else:
                with pytest.raises(Refused, match=f"cannot have a token of scope {scope}"):
                    await service.create_token(db, name, "t", scope, 1, ADMIN)
    for days, label in ((0, "t"), (4_000, "t"), (1, ""), (1, "x" * 101)):
        with pytest.raises(UsageError):
            await service.create_token(db, "admin", label, Scope.READ, days, ADMIN)
    with pytest.raises(NotFound, match="there is no user 'eve'"):
        await service.create_token(db, "eve", "t", Scope.READ, 1, ADMIN)


async def test_every_act_on_an_account_is_an_event(db: Database, hasher: Hasher) -> None:
    await _ada(db, hasher)
    for disabled in (True, True, False):
        await service.set_disabled(db, "ada", disabled, ADMIN)
    await service.set_password(db, hasher, "ada", "another password", ADMIN)
    await service.create_token(db, "ada", "t", Scope.READ, 1, ADMIN)
    wanted = ["UserAdded", "UserDisabled", "UserEnabled", "PasswordChanged", "TokenCreated"]
    assert await _kinds(db) == wanted


async def test_a_role_changes_with_an_event_and_the_last_admin_stays_one(
    db: Database, hasher: Hasher
) -> None:
    for name, role in (("ada", Role.ADMIN), ("rita", Role.REVIEWER)):
        await service.add_user(db, hasher, name, role, PASSWORD, ADMIN)
    with pytest.raises(Refused, match="the last admin"):
        await service.set_role(db, "ada", Role.REVIEWER, ADMIN)
    assert (await service.set_role(db, "rita", Role.ADMIN, ADMIN)).role is Role.ADMIN
    assert (await service.set_role(db, "ada", Role.SUBMITTER, ADMIN)).role is Role.SUBMITTER
    told = [one.event for one in await feed.latest(db, 2)]
    assert [(one.kind, one.data) for one in told] == [
        ("RoleChanged", {"user": "rita", "role": "admin"}),
        ("RoleChanged", {"user": "ada", "role": "submitter"}),
    ]
