"""Whatever pages tell, in any order: a record is there while a page tells of it, and says what one says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract import merging
from surveyor.extract.shelf import MOST_SOURCES, Kept, Shelf, Version
from surveyor.extract.values import Field, FoundRecord, Source

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("Small Grants", "Large Grants", "Fund 2025", "Fund 2026")


def _found(name: str, deadline: str | None = None) -> FoundRecord:
    fields = {"name": Field(name, Source.STRUCTURE, name)}
    if deadline:
        fields["deadline"] = Field(deadline, Source.TEXT, deadline)
    return FoundRecord("funding_program", fields)


def _version(page: int, snapshot: int) -> Version:
    return Version(page, snapshot, MOMENT + timedelta(hours=snapshot), snapshot)


def _stored(shelf: Shelf) -> Shelf:
    """As it comes back from the database for the next pages."""
    return Shelf(
        Kept(
            one.id, one.kind, one.fields, one.first_seen_at, one.last_seen_at, one.is_gone, dict(one.sources)
        )
        for one in shelf.records.values()
    )


_things = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from((None, "2026-01-01", "2026-02-02"))), max_size=4
)
_pages = st.lists(st.tuples(st.integers(1, 3), _things, st.booleans()), max_size=12)


@given(_pages)
@settings(max_examples=150)
def test_records_are_what_the_newest_versions_say(
    history: list[tuple[int, list[tuple[str, str | None]], bool]],
) -> None:
    shelf = Shelf()
    newest: dict[int, set[str]] = {}
    seen: set[str] = set()
    for snapshot, (page, things, is_stored) in enumerate(history, 1):
        shelf.tell(_version(page, snapshot), [_found(*thing) for thing in things])
        newest[page] = {name for name, _ in things}
        seen |= newest[page]
        if is_stored:
            shelf = _stored(shelf)
    there = {one.name for one in shelf.records.values() if not one.is_gone}
    assert there == set().union(*newest.values())
    assert {one.name for one in shelf.records.values()} <= seen
    assert len({one.name for one in shelf.records.values()}) == len(shelf.records), "one thing, one record"
    for one in shelf.records.values():
        told = [merging.values_of(source.fields) for source in one.sources.values()]
        for field, value in merging.values_of(one.fields).items() if told else ():
            assert value in [fields.get(field) for fields in told]
        assert set(one.sources) == {page for page, names in newest.items() if one.name in names}


def test_a_thing_that_moves_to_another_page_in_one_group_was_never_gone() -> None:
    shelf = Shelf()
    shelf.tell(_version(1, 1), [_found("Small Grants")])
    shelf = _stored(shelf)
    shelf.tell(_version(1, 2), [])
    shelf.tell(_version(2, 3), [_found("Small Grants")])
    assert (shelf.gone, shelf.back) == ([], [])
    (one,) = shelf.records.values()
    assert set(one.sources) == {2}


def test_a_record_on_every_page_keeps_so_many_sources_and_a_page_with_news_is_heard() -> None:
    shelf = Shelf()
    for page in range(MOST_SOURCES + 5):
        shelf.tell(_version(page, page + 1), [_found("Small Grants", "2026-01-01")])
    (one,) = shelf.records.values()
    assert len(one.sources) == MOST_SOURCES
    assert one.last_seen_at == MOMENT + timedelta(hours=MOST_SOURCES + 5)
    shelf.tell(_version(99, 100), [_found("Small Grants", "2026-02-02")])
    assert len(one.sources) == MOST_SOURCES + 1


def test_a_difference_without_a_new_version_is_no_change() -> None:
    shelf = Shelf()
    shelf.tell(_version(1, 1), [_found("Small Grants", "2026-01-01")])
    shelf = _stored(shelf)
    outcome = shelf.tell(_version(1, 1), [_found("Small Grants", "2026-02-02")])
    assert (shelf.changes, dict(outcome.changed)) == ([], {})
    outcome = shelf.tell(_version(1, 2), [_found("Small Grants")])
    assert [(one.field, one.old, one.new) for one in shelf.changes] == [("deadline", "2026-02-02", None)]
    assert dict(outcome.changed) == {"funding_program": 1}
