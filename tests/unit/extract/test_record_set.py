"""Whatever pages tell, in any order: a record is there while a page tells of it, and says what one says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract import merging
from surveyor.extract.record_set import MOST_SOURCES, RecordSet, StoredRecord, Version
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


def _stored(record_set: RecordSet) -> RecordSet:
    """As it comes back from the database for the next pages."""
    return RecordSet(
        StoredRecord(
            one.id, one.kind, one.fields, one.first_seen_at, one.last_seen_at, one.is_gone, dict(one.sources)
        )
        for one in record_set.records.values()
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
    record_set = RecordSet()
    newest: dict[int, set[str]] = {}
    seen: set[str] = set()
    for snapshot, (page, things, is_stored) in enumerate(history, 1):
        record_set.merge_page(_version(page, snapshot), [_found(*thing) for thing in things])
        newest[page] = {name for name, _ in things}
        seen |= newest[page]
        if is_stored:
            record_set = _stored(record_set)
    there = {one.name for one in record_set.records.values() if not one.is_gone}
    assert there == set().union(*newest.values())
    assert {one.name for one in record_set.records.values()} <= seen
    assert len({one.name for one in record_set.records.values()}) == len(record_set.records), (
        "one thing, one record"
    )
    for one in record_set.records.values():
        told = [merging.values_of(source.fields) for source in one.sources.values()]
        for field, value in merging.values_of(one.fields).items() if told else ():
            assert value in [fields.get(field) for fields in told]
        assert set(one.sources) == {page for page, names in newest.items() if one.name in names}


def test_a_thing_that_moves_to_another_page_in_one_group_was_never_gone() -> None:
    record_set = RecordSet()
    record_set.merge_page(_version(1, 1), [_found("Small Grants")])
    record_set = _stored(record_set)
    record_set.merge_page(_version(1, 2), [])
    record_set.merge_page(_version(2, 3), [_found("Small Grants")])
    assert (record_set.gone, record_set.back) == ([], [])
    (one,) = record_set.records.values()
    assert set(one.sources) == {2}


def test_a_record_on_every_page_keeps_so_many_sources_and_a_page_with_news_is_heard() -> None:
    record_set = RecordSet()
    for page in range(MOST_SOURCES + 5):
        record_set.merge_page(_version(page, page + 1), [_found("Small Grants", "2026-01-01")])
    (one,) = record_set.records.values()
    assert len(one.sources) == MOST_SOURCES
    assert one.last_seen_at == MOMENT + timedelta(hours=MOST_SOURCES + 5)
    record_set.merge_page(_version(99, 100), [_found("Small Grants", "2026-02-02")])
    assert len(one.sources) == MOST_SOURCES + 1


def test_a_difference_without_a_new_version_is_no_change() -> None:
    record_set = RecordSet()
    record_set.merge_page(_version(1, 1), [_found("Small Grants", "2026-01-01")])
    record_set = _stored(record_set)
    outcome = record_set.merge_page(_version(1, 1), [_found("Small Grants", "2026-02-02")])
    assert (record_set.changes, dict(outcome.changed)) == ([], {})
    outcome = record_set.merge_page(_version(1, 2), [_found("Small Grants")])
    assert [(one.field, one.old, one.new) for one in record_set.changes] == [("deadline", "2026-02-02", None)]
    assert dict(outcome.changed) == {"funding_program": 1}
