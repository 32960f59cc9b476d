"""Fields of a programme that its facts tell in words: who may apply, where it holds, in which language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from surveyor.extract.document import BlockKind
from surveyor.extract.fields.amounts import find_amounts
from surveyor.extract.fields.applicants import (
    applicants_in,
    labelled_applicants,
    noted_applicants,
    supported_in,
)
from surveyor.extract.fields.deadlines import is_rolling
from surveyor.extract.fields.languages import labelled_language, language_in
from surveyor.extract.fields.sentences import sentences
from surveyor.extract.records.facts import Fact, Topic, funding_topic
from surveyor.extract.values import Field

# Items of a list that answer "Who can apply?" together.
_MOST_ITEMS: Final = 6


def label_of(fact: Fact) -> str:
    return fact.label or (fact.heading if fact.is_first else "")


def is_open_always(facts: Sequence[Fact]) -> bool:
    return any(is_rolling(fact.text) for fact in facts)


def who_may_apply(facts: Sequence[Fact], *, is_brief: bool) -> Field | None:
    for index, fact in enumerate(facts):
        if fact.block.kind is BlockKind.HEADING:
            continue
        is_item = fact.block.kind is BlockKind.ITEM
        if (funding_topic(label_of(fact)) or (funding_topic(fact.heading) if is_item else None)) is Topic.WHO:
            if fact.block.kind is BlockKind.ITEM and (many := _items(facts, index)):
                return fact.field(many)
            if answer := labelled_applicants(fact.text):
                return fact.field(answer)
    for fact in facts:
        if fact.block.kind is BlockKind.HEADING:
            continue
        brief = is_brief or fact.block.kind is BlockKind.ITEM
        answer = applicants_in(fact.text, is_brief=brief)
        if answer and " " in answer:  # a single word is a slip of a sentence about something else
            return fact.field(answer)
    for fact in facts:
        if fact.block.kind is not BlockKind.HEADING and (answer := supported_in(fact.text)):
            return fact.field(answer)
    return _noted(facts) if is_brief else None


def _noted(facts: Sequence[Fact]) -> Field | None:
    """A card's line without a sum, a date or a label that names nothing but people."""
    for fact in facts:
        if fact.label or fact.block.kind is BlockKind.HEADING:
            continue
        if (
            not find_amounts(fact.text)
            and not is_rolling(fact.text)
            and (answer := noted_applicants(fact.text))
        ):
            return fact.field(answer)
    return None


def _items(facts: Sequence[Fact], index: int) -> str | None:
    """Several items below one label, joined; None for a single one."""
    first, texts = facts[index], list[str]()
    for fact in facts[index : index + _MOST_ITEMS]:
        if fact.block.kind is not BlockKind.ITEM or fact.heading != first.heading:
            break
        texts.append(fact.text.strip(" .;,"))
    return ", ".join(texts) if len(texts) > 1 else None


def labelled_region(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        if fact.label and funding_topic(fact.label) is Topic.REGION and 2 < len(fact.text) < 160:
            return fact.field(fact.text.strip(" ."))
    return None


def language_of(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        labelled = fact.label and funding_topic(fact.label) is Topic.LANGUAGE
        if code := (labelled_language(fact.text) if labelled else language_in(fact.text)):
            return fact.field(code)
    return None


def sentence_of(facts: Sequence[Fact], field: Field) -> str:
    """The whole sentence from which a piece was taken."""
    piece = str(field.value)
    for fact in facts:
        for sentence in sentences(fact.text):
            if piece in sentence:
                return sentence
    return piece
