"""Lists that are searched and sorted without an index: bounded, complete over several looks, none twice."""

from __future__ import annotations

import pytest

from surveyor.db import Database, bounded
from surveyor.errors import NotFound
from surveyor.registry import service
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events
from surveyor.registry.store.events import EventFilter
from tests.support.registry_help import add_domain


async def _ids(db: Database, wanted: EventFilter, limit: int) -> list[list[int]]:
    """Each look until the end."""
    after, looks = "", []
    for _ in range(100):
        rows, found = await service.look_for_events(db, wanted, limit, after)
        looks.append([event.id for event, _ in rows])
        if found.after is None:
            return looks
        after = str(found.after)
    raise AssertionError("it has no end")


async def test_looks_go_on_to_the_end_and_tell_nothing_twice(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"d{number}.example" for number in range(9)]
    numbers = [(await add_domain(db, name)).no for name in names]
    async with db.write() as tx:
        await events.append(tx, [NewEvent(EventKind.DOMAIN_RESET, "ada", no) for no in numbers])
    every = [event.id for event, _ in (await service.look_for_events(db, EventFilter(), 1000))[0]]
    assert every == sorted(every, reverse=True) and len(every) == len(names)
    rare = await service.look_for_events(db, EventFilter(domain_no=numbers[0]), 50)
    monkeypatch.setattr(bounded, "MOST_LOOKED", 4)
    for limit in (1, 3, 4, 5, 50):
        looks = await _ids(db, EventFilter(actor="ada"), limit)
        assert [one for look in looks for one in look] == every
    nothing = await _ids(db, EventFilter(kind=EventKind.JUDGE_TRAINED), 10)
    assert len(nothing) == -(-len(every) // 4) + (len(every) % 4 == 0), "no look reads more than its part"
    one = await _ids(db, EventFilter(domain_no=numbers[0]), 50)
    assert [each for look in one for each in look] == [event.id for event, _ in rare[0]]
    with pytest.raises(NotFound, match="no such place"):
        await service.look_for_events(db, EventFilter(), 5, "x")
