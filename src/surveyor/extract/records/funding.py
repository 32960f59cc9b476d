"""Programmes that give money, as a page offers them: grants, scholarships, prizes; one or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields.amounts import number
from surveyor.extract.fields.deadlines import Piece, find_deadline
from surveyor.extract.fields.regions import land_of, place_of, places_in, required_seat
from surveyor.extract.lexicon import cues, plain
from surveyor.extract.records import gate
from surveyor.extract.records.facts import Fact, Topic, funding_topic, is_label, quoted
from surveyor.extract.records.funding_fields import (
    is_open_always,
    label_of,
    labelled_region,
    language_of,
    sentence_of,
    sum_of,
    who_may_apply,
)
from surveyor.extract.records.naming import (
    funder_of,
    giver_in,
    head_parts,
    is_clear_offer,
    is_generic,
    is_name_of_offer,
    names_a_body,
    names_a_part,
    names_an_offer,
    offer_in,
    programme_name,
    site_of,
)
from surveyor.extract.records.programmes import (
    Scope,
    grants_of,
    items_of,
    lines_of,
    rows_of_tables,
    sections_called,
)
from surveyor.extract.records.refusals import is_other_call
from surveyor.extract.values import FIELDS, Field, FoundRecord, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

KIND: Final = "funding_program"
# Facts at the beginning of a page that may name its programme where its title does not.
_LEAD: Final = 8
# Characters of a line that stands for a heading, and of a heading that is no text.
_LONGEST_LINE, _LONGEST_HEAD = 80, 140
# Fields that only an offer has.
_STATED: Final = frozenset({"currency", "deadline", "eligibility"})


def find(analysis: Analysis, organisations: Sequence[str] = ()) -> list[FoundRecord]:
    """The programmes of a page; `organisations` are the names of those found on it."""
    marks = analysis.marks
    if marks.refuse() or marks.refuse_offers():
        return []
    page = _Page(analysis, organisations)
    called = f"{marks.head} | {' | '.join(head_parts(analysis.document))}"
    if not (is_clear_offer(marks.text) or names_an_offer(called) or page.is_labelled()):
        return []
    found = page.programmes() if gate.may_offer(analysis, KIND) else []
    # One that says how much and until when, or several, need no other word for it.
    has_facts = any({"currency", "deadline"} <= record.fields.keys() for record in found)
    is_told = len(found) > 1 or has_facts or page.is_labelled() or bool(grants_of(analysis.structured))
    is_stated = any(record.fields.keys() & _STATED for record in found)
    is_own = is_stated and gate.offers(analysis, KIND) and not gate.leads_to_others(analysis)
    return found if is_told or is_own or gate.may_give(analysis) else []


class _Page:
    """One page and what all of its programmes share."""

    def __init__(self, analysis: Analysis, organisations: Sequence[str]) -> None:
        self._analysis, self._document, self._view = analysis, analysis.document, analysis.view
        self._main, self._facts = analysis.main, analysis.facts
        self._organisations = organisations
        self._is_named = is_name_of_offer(self._document.title, self._document.language)

    def is_labelled(self) -> bool:
        """Whether labels say how much and to whom, whatever words the text has for it."""
        topics = {funding_topic(fact.label) for fact in self._facts if fact.label}
        return {Topic.AMOUNT, Topic.WHO} <= topics

    def programmes(self) -> list[FoundRecord]:
        marked = grants_of(self._analysis.structured)
        if len(marked) > 1:
            return [FoundRecord(KIND, _ordered(fields)) for fields in marked]
        several = self._several()
        if several:
            shared = self._deadline([Fact("", "", self._main[0]), *self._shared(several)])
            return [self._record(scope, shared) for scope in several]
        if not marked and (self._leads_to_offers() or self._calls_otherwise()):
            return []
        single = self._single(marked[0] if marked else {})
        if "name" not in single.fields:
            return []  # a text without a title, of which no line is a name
        # "How to apply" without a fact tells how to get what other pages offer.
        stated = single.fields.keys() & {"currency", "deadline"}
        is_bare = is_generic(single.name) and not names_an_offer(single.name) and not stated
        return [] if is_bare and not marked else [single]

    def _leads_to_offers(self) -> bool:
        """Whether this is a front page, which announces programmes that have pages of their own."""
        place = urlsplit(self._document.page.url)
        if place.path.strip("/"):
            return False
        links = [link for block in self._main for link in block.links if names_an_offer(link.text)]
        targets = [urlsplit(link.url) for link in links]
        return any(to.netloc == place.netloc and to.path.strip("/") for to in targets)

    def _calls_otherwise(self) -> bool:
        """Whether a title that names no programme stands above questions, or calls for papers and bids."""
        title = self._document.title
        if names_an_offer(title):
            return False
        headings = [block.text for block in self._main if block.kind is BlockKind.HEADING]
        return any(map(is_other_call, headings)) or bool(cues("refusals", "questions").search(plain(title)))

    # ------------------------------------------------------------------------------------- several of them

    def _several(self) -> list[Scope]:
        rows = [
            scope
            for scope in rows_of_tables(self._main, funding_topic)
            if self._tells(scope) and not is_other_call(scope.name)
        ]
        if len(rows) > 1:
            return rows
        items, called = items_of(self._main), sections_called(self._main, self._is_called)
        for scopes in (self._analysis.sections, items, lines_of(self._main), called):
            programmes = [scope for scope in scopes if self._is_programme(scope)]
            if len(programmes) > 1 and not self._is_one(scopes, programmes):
                return programmes
        return next(filter(None, (self._siblings(scopes) for scopes in (called, items))), [])

    def _is_called(self, name: str) -> bool:
        """Whether a heading is the name of one programme."""
        return is_name_of_offer(name, self._document.language) and not is_other_call(name)

    def _siblings(self, scopes: Sequence[Scope]) -> list[Scope]:
        """Cards, sections or items side by side that each bear the name of a programme and tell of it."""
        named = [
            scope
            for scope in scopes
            if scope.head is not None
            and not self._is_page_title(scope.head)
            and self._is_called(scope.name)
            and any(fact.block.kind is not BlockKind.HEADING for fact in scope.facts)
        ]
        levels = {(scope.head.kind, scope.head.level) for scope in named if scope.head is not None}
        names = {plain(scope.name) for scope in named}
        is_apart = len(levels) == 1 and len(names) == len(named) > 1
        return named if is_apart and not self._is_whole(named) else []

    def _is_whole(self, named: Sequence[Scope]) -> bool:
        """Whether the title names one programme of which the page tells before these parts of it."""
        if not self._is_named:
            return False
        lead = list(takewhile(lambda fact: fact.block is not named[0].head, self._facts))
        tells_who = any(funding_topic(label_of(fact)) is Topic.WHO for fact in lead)
        return bool(tells_who or sum_of(lead, self._view.currencies) or self._deadline(lead))

    def _tells(self, scope: Scope) -> bool:
        return bool(
            sum_of(scope.facts, self._view.currencies)
            or self._deadline(scope.facts)
            or is_open_always(scope.facts)
        )

    def _is_programme(self, scope: Scope) -> bool:
        """A section that names something and says how much or until when."""
        if not scope.name or scope.head is None or is_label(scope.name):
            return False
        if scope.name.rstrip().endswith("?") or self._is_page_title(scope.head) or is_generic(scope.name):
            return False
        if is_other_call(scope.name):
            return False
        is_named = names_an_offer(scope.name)
        amount = sum_of([_head(scope), *scope.facts], self._view.currencies, is_named=is_named)
        deadline = self._deadline(scope.facts)
        is_part = self._is_named and scope.head.kind is BlockKind.HEADING
        if is_part and not is_name_of_offer(scope.name, self._document.language):
            return False  # "Annual Awards:" below the name of a programme
        return bool(amount and deadline) or (is_named and bool(amount or deadline))

    def _is_one(self, scopes: Sequence[Scope], programmes: Sequence[Scope]) -> bool:
        """Whether the page is about one programme and these are its parts: its beginning says it all."""
        first = next((index for index, scope in enumerate(scopes) if scope is programmes[0]), 0)
        lead = [fact for scope in scopes[:first] for fact in scope.facts]
        return bool(sum_of(lead, self._view.currencies) and self._deadline(lead))

    def _is_page_title(self, block: Block) -> bool:
        """Whether a heading is above the whole page: the only one of the first rank."""
        if block.kind is not BlockKind.HEADING or block.level != 1:
            return False
        return not any(
            one.kind is BlockKind.HEADING and one.level == 1 and one.text != block.text for one in self._main
        )

    def _shared(self, scopes: Sequence[Scope]) -> list[Fact]:
        """What the page says outside of its programmes, and so of all of them."""
        own = {id(fact.block) for scope in scopes for fact in scope.facts}
        return [fact for fact in self._facts if id(fact.block) not in own]

    def _record(self, scope: Scope, shared: tuple[str, Fact] | None) -> FoundRecord:
        head = _head(scope)
        fields = {"name": head.field(programme_name(scope.name), Source.STRUCTURE)}
        text = " ".join(f"{fact.label}: {fact.text}" if fact.label else fact.text for fact in scope.facts)
        given = giver_in(text)
        if given:
            fields["funder"] = Field(given, Source.TEXT, quoted(text))
        elif funder := funder_of(self._document, scope.facts, self._organisations):
            fields["funder"] = funder
        self._add_amount(fields, [head, *scope.facts], is_named=names_an_offer(scope.name))
        deadline = self._deadline(scope.facts)
        if deadline is None and not is_open_always(scope.facts):
            deadline = shared
        if deadline:
            fields["deadline"] = deadline[1].field(deadline[0])
        if who := who_may_apply(scope.facts, self._document.language, is_brief=True):
            fields["eligibility"] = who
        if region := labelled_region(scope.facts):
            fields["region"] = region
        return FoundRecord(KIND, _ordered(fields))

    # ----------------------------------------------------------------------------------------- one of them

    def _single(self, marked: dict[str, Field]) -> FoundRecord:
        facts = self._facts
        fields: dict[str, Field] = {}
        self._add_amount(fields, facts)
        if deadline := self._deadline(facts):
            fields["deadline"] = deadline[1].field(deadline[0])
        fields["name"] = self._title()
        who = who_may_apply(facts, self._document.language, is_brief=False)
        if who and who.value != self._document.title:
            fields["eligibility"] = who
        if funder := funder_of(self._document, facts, self._organisations):
            fields["funder"] = funder
        if region := self._region(facts, fields):
            fields["region"] = region
        if language := language_of(facts):
            fields["language"] = language
        if marked.keys() & {"amount_min", "amount_max"}:
            fields = {name: field for name, field in fields.items() if not name.startswith("amount_")}
        return FoundRecord(KIND, _ordered(fields | marked))

    def _title(self) -> Field:
        title = self._document.title
        is_no_name = not title or self._is_no_name(title)
        if not is_no_name and names_an_offer(title):
            return Field(programme_name(title), Source.STRUCTURE, quoted(title))
        for block in self._main[:_LEAD]:
            if _heads(block) and self._names_one(block.text, is_clear=not is_no_name):
                return Field(programme_name(block.text), Source.STRUCTURE, quoted(block.text))
        own = head_parts(self._document)[0]
        if not is_no_name and is_clear_offer(own) and plain(own) != plain(site_of(self._document)):
            return Field(programme_name(own), Source.STRUCTURE, quoted(own))
        if not is_no_name:
            return Field(programme_name(title), Source.STRUCTURE, quoted(title))
        for fact in self._facts[:_LEAD]:
            is_heading = fact.block.kind is BlockKind.HEADING and _heads(fact.block)
            if not is_heading and (name := offer_in(fact.text)):
                return fact.field(programme_name(name), Source.TEXT)
        for part in head_parts(self._document):
            if is_name_of_offer(part, self._document.language) and not is_label(part):
                return Field(programme_name(part), Source.STRUCTURE, quoted(part))
        if not title:
            title = next((block.text for block in self._main if block.kind is BlockKind.HEADING), "")
        return Field(programme_name(title), Source.STRUCTURE, quoted(title))

    def _names_one(self, heading: str, *, is_clear: bool) -> bool:
        """Whether a heading is the name of a programme; beside a title of its own it must be so clearly."""
        if is_other_call(heading) or heading.rstrip().endswith("?"):
            return False
        if is_clear:
            return is_name_of_offer(heading, self._document.language)
        return names_an_offer(heading) and not (
            is_generic(heading) or is_label(heading) or names_a_part(heading)
        )

    def _is_no_name(self, title: str) -> bool:
        """A title that any page of the giver could have, or that is the giver's own name."""
        if is_generic(title) or is_label(title) or title == self._document.site_name:
            return True
        return not names_an_offer(title) and names_a_body(title)

    # ------------------------------------------------------------------------------------------------- fields

    def _add_amount(self, fields: dict[str, Field], facts: Sequence[Fact], *, is_named: bool = False) -> None:
        found = sum_of(facts, self._view.currencies, is_named=is_named)
        if found is None:
            return
        if found.low is not None:
            fields["amount_min"] = found.fact.field(number(found.low))
        if found.high is not None:
            fields["amount_max"] = found.fact.field(number(found.high))
        fields["currency"] = found.fact.field(found.currency)

    def _deadline(self, facts: Sequence[Fact]) -> tuple[str, Fact] | None:
        pieces = [Piece(label_of(fact), fact.text) for fact in facts]
        found = find_deadline(
            pieces,
            self._document.page.seen_on,
            language=self._document.language,
            month_first=self._analysis.is_month_first,
        )
        return (found.day.isoformat(), facts[found.piece]) if found else None

    def _region(self, facts: Sequence[Fact], fields: dict[str, Field]) -> Field | None:
        if labelled := labelled_region(facts):
            return labelled
        who = fields.get("eligibility")
        said = sentence_of(facts, who) if who else ""
        place = place_of(said, self._document.language)
        if who and place:
            return Field(place, who.source, who.quote)
        for fact in facts:
            if (
                seat := required_seat(fact.text, self._document.language)
            ) and fact.block.kind is not BlockKind.HEADING:
                return fact.field(seat, Source.TEXT)
        name = fields["name"]
        if place := places_in(str(name.value)):
            return Field(place, name.source, name.quote)
        funder = fields.get("funder")
        land = land_of(str(funder.value)) if funder else None
        return Field(land, Source.STRUCTURE, funder.quote) if land and funder else None


def _head(scope: Scope) -> Fact:
    """The name of a scope as a fact of its own: sums stand in brackets behind it."""
    block = scope.head or Block(BlockKind.HEADING, Region.MAIN, scope.name)
    return Fact("", scope.name, replace(block, kind=BlockKind.HEADING))


def _heads(block: Block) -> bool:
    """A heading, or a line like one: text files and PDF have no other mark of their second title."""
    if block.kind is BlockKind.HEADING:
        return len(block.text) <= _LONGEST_HEAD
    is_line = block.kind is BlockKind.TEXT and len(block.text) <= _LONGEST_LINE
    label, colon, _ = block.text.partition(": ")
    # No name: a label with its value, such as the day of a distribution.
    is_labelled = bool(colon) and not (
        is_name_of_offer(label, None) or cues("names", "sort_before_colon").search(plain(label))
    )
    return is_line and not is_labelled and block.text[-1:] not in ".;,!?"


def _ordered(fields: dict[str, Field]) -> dict[str, Field]:
    return {name: fields[name] for name in FIELDS[KIND] if name in fields and fields[name].value != ""}
