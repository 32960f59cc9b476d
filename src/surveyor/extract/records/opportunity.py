"""Things a person can sign up for: helping out, courses, apprenticeships, training; one of them or a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from surveyor.extract.document import BlockKind, Document
from surveyor.extract.fields.deadlines import Piece, find_deadline
from surveyor.extract.fields.venues import area_in, town_in, venue_in
from surveyor.extract.lexicon import cues, plain
from surveyor.extract.records import gate
from surveyor.extract.records.facts import (
    Fact,
    Topic,
    is_label,
    opportunity_topic,
    quoted,
)
from surveyor.extract.records.naming import head_parts, programme_name, site_of
from surveyor.extract.records.programmes import Scope, opportunities_of, rows_of_tables
from surveyor.extract.values import FIELDS, Field, FoundRecord, Source
from surveyor.words import tokens

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

KIND: Final = "opportunity"
_LONGEST_PLACE: Final = 90
# Blocks with which a page begins.
_LEAD: Final = 4


def find(analysis: Analysis, organisations: Sequence[str] = ()) -> list[FoundRecord]:
    """What a page invites to; `organisations` are the names of those found on it."""
    marks = analysis.marks
    marked = opportunities_of(analysis.structured)
    said = f"{marks.title} {plain(' '.join(head_parts(analysis.document)))} {marks.text}"
    if not marked and not cues("records", "taking_part").search(said):
        return []
    if marks.refuse() or marks.is_list() or cues("refusals", "over").search(marks.head):
        return []
    page = _Page(analysis, organisations)
    if marked:
        return [page.completed(fields) for fields in marked]
    return page.found() if gate.may_offer(analysis, KIND) else []


class _Page:
    """One page and what everything on it shares."""

    def __init__(self, analysis: Analysis, organisations: Sequence[str]) -> None:
        self._analysis, self._document = analysis, analysis.document
        self._main, self._facts = analysis.main, analysis.facts
        self._host = _host(analysis.document, organisations)

    def found(self) -> list[FoundRecord]:
        rows = [one for one in rows_of_tables(self._main, opportunity_topic) if self._is_notice(one)]
        if rows:
            return [self._of_scope(scope) for scope in rows]
        sections = [one for one in self._analysis.sections if self._is_section(one)]
        # "Volunteer" above a section with a day of its own: the section is what is offered.
        if len(sections) > 1 or (sections and len(tokens(self._title() or "")) == 1):
            return [self._of_scope(scope) for scope in sections]
        return self._single()

    def completed(self, fields: dict[str, Field]) -> FoundRecord:
        """What marks leave out and the text says."""
        if "organisation" not in fields and self._host:
            fields["organisation"] = self._host
        if "deadline" not in fields and (deadline := self._deadline(self._facts)):
            fields["deadline"] = deadline
        if "location" not in fields and (place := self._place(self._facts)):
            fields["location"] = place
        return _record(fields)

    def _is_notice(self, scope: Scope) -> bool:
        labels = {opportunity_topic(fact.label) for fact in scope.facts}
        return bool(labels & {Topic.HOST, Topic.PLACE, Topic.DEADLINE})

    def _is_section(self, scope: Scope) -> bool:
        """A card or section that names something to take part in and says where or until when."""
        if (
            not scope.name
            or scope.head is None
            or (scope.head.kind is BlockKind.HEADING and scope.head.level == 1)
            or is_label(scope.name)
        ):
            return False
        if scope.name.rstrip().endswith("?") or len(scope.name) > 100:
            return False
        says = self._deadline(scope.facts) or self._labelled(scope.facts, Topic.PLACE)
        text = plain(" ".join([self._document.title, scope.name, *(fact.text for fact in scope.facts)]))
        return bool(says) and bool(cues("records", "taking_part").search(text))

    def _of_scope(self, scope: Scope) -> FoundRecord:
        head = scope.head.text if scope.head else scope.name
        fields = {"name": Field(programme_name(scope.name), Source.STRUCTURE, quoted(head))}
        if host := self._labelled(scope.facts, Topic.HOST) or self._host:
            fields["organisation"] = host
        if deadline := self._deadline(scope.facts):
            fields["deadline"] = deadline
        if place := self._place(scope.facts):
            fields["location"] = place
        return _record(fields)

    def _single(self) -> list[FoundRecord]:
        title = self._title()
        if title is None:
            return []
        deadline, place = self._deadline(self._facts), self._place(self._facts)
        is_told = deadline or self._labelled(self._facts, Topic.PLACE) or self._has_form()
        invites = gate.may_invite(self._analysis)
        is_likely = invites or gate.offers(self._analysis, KIND)
        helping = cues("records", "helping").search(plain(title)) is not None
        # "Buscamos": in most languages whoever speaks need not say "we".
        speaks = "nobody speaks" not in self._analysis.voice or (
            helping and invites and self._document.language not in ("en", None)
        )
        if not (is_told or (is_likely and speaks)):
            return []
        # Who looks for helpers often names no day and no place; who offers a course does.
        if not (deadline or place) and not helping:
            return []
        place = place or self._area()
        fields = {"name": Field(programme_name(title), Source.STRUCTURE, quoted(title))}
        host = self._labelled(self._facts, Topic.HOST) or self._host
        more = {"organisation": host, "deadline": deadline, "location": place}
        fields |= {name: field for name, field in more.items() if field}
        return [_record(fields)]

    def _title(self) -> str | None:
        """The headline, or the name of the page in its head, if it invites to something."""
        headings = [block.text for block in self._main[:_LEAD] if block.kind is BlockKind.HEADING]
        titles = [one for one in (self._document.title, *head_parts(self._document), *headings[:2]) if one]
        helping, taking_part = cues("records", "helping"), cues("records", "taking_part", "wanted")
        first = next((title for title in titles if helping.search(plain(title))), None)
        return first or next((title for title in titles[:1] if taking_part.search(plain(title))), None)

    def _has_form(self) -> bool:
        return any(block.in_form for block in self._document.main)

    def _area(self) -> Field | None:
        """The town in which somebody is looked for, or the county that the page names first."""
        for fact in self._facts:
            if cues("records", "wanted").search(plain(fact.text)) and (town := town_in(fact.text)):
                return fact.field(town, Source.TEXT)
        for fact in self._facts:
            if fact.block.kind is not BlockKind.HEADING and (area := area_in(fact.text)):
                return fact.field(area, Source.TEXT)
        return None

    def _labelled(self, facts: Sequence[Fact], topic: Topic) -> Field | None:
        for fact in facts:
            if fact.label and opportunity_topic(fact.label) is topic and 1 < len(fact.text) <= _LONGEST_PLACE:
                return fact.field(fact.text.strip(" ."))
        return None

    def _deadline(self, facts: Sequence[Fact]) -> Field | None:
        pieces = [Piece(fact.label or (fact.heading if fact.is_first else ""), fact.text) for fact in facts]
        document = self._document
        found = find_deadline(
            pieces,
            document.page.seen_on,
            language=document.language,
            month_first=self._analysis.is_month_first,
        )
        return facts[found.piece].field(found.day.isoformat()) if found else None

    def _place(self, facts: Sequence[Fact]) -> Field | None:
        if labelled := self._labelled(facts, Topic.PLACE):
            return labelled
        for fact in facts:
            if fact.block.kind is not BlockKind.HEADING and (place := venue_in(fact.text)):
                return fact.field(place, Source.TEXT)
        return None


def _host(document: Document, organisations: Sequence[str]) -> Field | None:
    name = site_of(document) or (organisations[0] if len(organisations) == 1 else "")
    return Field(name, Source.STRUCTURE, name) if name else None


def _record(fields: dict[str, Field]) -> FoundRecord:
    return FoundRecord(KIND, {name: fields[name] for name in FIELDS[KIND] if name in fields})
