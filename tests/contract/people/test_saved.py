"""What people keep for themselves, on both engines."""

from __future__ import annotations

import pytest

from surveyor.db import Database
from surveyor.errors import UsageError
from surveyor.people import User, saved, store
from surveyor.people.saved import SavedKind
from surveyor.registry.actors import Role


async def _user(db: Database, name: str) -> User:
    async with db.write() as tx:
        return await store.add_user(tx, name, Role.REVIEWER, None, "ada")


async def test_reasons_keep_their_order_are_replaced_by_name_and_belong_to_one_person(db: Database) -> None:
    rita, robert = await _user(db, "rita"), await _user(db, "robert")
    for text in ("a shop", "too far away", "a shop"):
        await saved.save(db, rita, SavedKind.REASON, text, f"{text}!")
    kept = await saved.saved_by(db, rita, SavedKind.REASON)
    assert [(each.name, each.value) for each in kept] == [
        ("a shop", "a shop!"),
        ("too far away", "too far away!"),
    ]
    assert await saved.saved_by(db, robert, SavedKind.REASON) == []
    await saved.remove(db, robert, kept[0].id)
    assert len(await saved.saved_by(db, rita, SavedKind.REASON)) == 2, "only one's own are removed"
    await saved.remove(db, rita, kept[0].id)
    assert len(await saved.saved_by(db, rita, SavedKind.REASON)) == 1


async def test_more_than_nine_reasons_and_an_empty_one_are_refused(db: Database) -> None:
    rita = await _user(db, "rita")
    for number in range(9):
        await saved.save(db, rita, SavedKind.REASON, str(number), "x")
    with pytest.raises(UsageError, match="remove one first"):
        await saved.save(db, rita, SavedKind.REASON, "another", "x")
    await saved.save(db, rita, SavedKind.REASON, "8", "y")
    with pytest.raises(UsageError, match="type one"):
        await saved.save(db, rita, SavedKind.VIEW, " ", "/domains")
