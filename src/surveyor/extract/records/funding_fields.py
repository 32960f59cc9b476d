"""Fields of a programme that its facts tell: how much, who may apply, where it holds, in which language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Final, NamedTuple

from surveyor.extract.document import BlockKind
from surveyor.extract.fields import who
from surveyor.extract.fields.amounts import Amount, find_amounts
from surveyor.extract.fields.applicants import (
    applicants_in,
    labelled_applicants,
    noted_applicants,
    refuses,
    says_who,
    supported_in,
)
from surveyor.extract.fields.deadlines import is_rolling
from surveyor.extract.lexicon import alternatives, any_of, cues, plain, sentences, table, words
from surveyor.extract.records.facts import Fact, Topic, funding_topic
from surveyor.extract.values import Field

# The chance from which on a sentence is believed to say who may apply.
_LIKELY: Final = 0.27


def label_of(fact: Fact) -> str:
    return fact.label or (fact.heading if fact.is_first else "")


def is_open_always(facts: Sequence[Fact]) -> bool:
    return any(is_rolling(fact.text) for fact in facts)


def who_may_apply(facts: Sequence[Fact], language: str | None, *, is_brief: bool) -> Field | None:
    """What a label announces, or else the likeliest sentence; on a card also a line of nothing but people."""
    whole, led = "", list[str]()
    for index, fact in enumerate(facts):
        is_item = fact.block.kind is BlockKind.ITEM
        if not is_item:
            whole = who.lead_of(facts, index)
            led = list(sentences(whole))
        lead = led[-1] if led else ""
        above = [fact.label or lead, fact.heading if fact.is_first or is_item else ""]
        if (
            fact.block.kind is BlockKind.HEADING
            or fact.text.rstrip() == whole
            or any(map(refuses, above))
            or not _asks_who(above, is_item=is_item)
        ):
            continue
        said = next(filter(says_who, led[:-1]), "")  # "Schools may apply. They must be:"
        items = who.items(facts, index) if is_item else None
        if answer := labelled_applicants(said) or items or labelled_applicants(fact.text):
            return fact.field(answer)
    if found := who.best(facts, "funding_program", language, _LIKELY):
        return found.fact.field(who.answer(found, language))
    return _on_card(facts) if is_brief else None


def _asks_who(above: Sequence[str], *, is_item: bool) -> bool:
    """Whether the label, the words before a list or the heading ask who, and the nearest nothing else."""
    topics = [funding_topic(one) for one in above]
    if topics[0] is not None and topics[0] is not Topic.WHO:
        return False
    return Topic.WHO in topics or (is_item and who.announces(above[0]))


def _on_card(facts: Sequence[Fact]) -> Field | None:
    """What the few lines of a card say, by the words for it alone."""
    for read in (partial(applicants_in, is_brief=True), supported_in):
        for fact in facts:
            answer = None if fact.block.kind is BlockKind.HEADING else read(fact.text)
            if answer and " " in answer:  # a single word is a slip of a sentence about something else
                return fact.field(answer)
    return _noted(facts)


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


def labelled_region(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        if fact.label and funding_topic(fact.label) is Topic.REGION and 2 < len(fact.text) < 160:
            return fact.field(fact.text.strip(" ."))
    return None


def language_of(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        is_labelled = fact.label and funding_topic(fact.label) is Topic.LANGUAGE
        text = plain(fact.text[:_LONGEST_LABELLED])
        if code := (_only(text) if is_labelled else language_in(fact.text)):
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


# Points: a label says what a sum is, words beside it make it likely, other words rule it out.
_LABELLED, _IN_NAME, _BESIDE, _BOUNDED, _RULED_OUT = 4, 3, 2, 2, -9
_ENOUGH: Final = 2
# The first prize, the second: right before a sum or right behind it; and how many make a row of them.
_PLACES: Final = alternatives("money", "places")
_PLACE: Final = re.compile(rf"(?:{_PLACES}[^.;]{{0,16}}$|^[^.;,\d]{{0,20}}?{_PLACES})")
_SEVERAL: Final = 2
# Where something else begins to be said of the same: "covers 80% of costs and cannot exceed".
_CLAUSE: Final = re.compile(r"; | (?:and|und|и|et|si|και|y) ")
# What follows is what the money is for, or something else: studio rent does not make a grant a price.
_NEXT: Final = re.compile(r"[,;(:]|\b(?:towards?|for|to cover|fur|за|pour|pentru|για|para|zur|zum)\b")
# Characters behind a sum that may say what it is for.
_BEHIND: Final = 36


class Sum(NamedTuple):
    low: Decimal | None
    high: Decimal | None
    currency: str
    fact: Fact


class _Scored(NamedTuple):
    points: int
    amount: Amount
    fact: Fact
    is_place: bool
    """Whether it is what the first or the second gets."""


def sum_of(facts: Iterable[Fact], currencies: tuple[str, ...], *, is_named: bool = False) -> Sum | None:
    """What an applicant can get by these facts; `is_named`: they stand under the name of something given."""
    scored = [one for fact in facts for one in _scored(fact, currencies, is_named=is_named)]
    best = max(scored, key=lambda one: one.points, default=None)
    if places := _places(scored):
        return places
    if best is None or best.points < _ENOUGH:
        return None
    low, high, code = best.amount.low, best.amount.high, best.amount.currency
    if low is None or high is None:  # the other bound may stand elsewhere: "Minimum grant", "Maximum grant"
        other = next((one for one in scored if _completes(one, best)), None)
        low = other.amount.low if low is None and other else low
        high = other.amount.high if high is None and other else high
    return Sum(low, high, code, best.fact)


def _places(scored: Sequence[_Scored]) -> Sum | None:
    """From the least to the most of several prizes: "1,000 euros for the first, 500 for the second"."""
    ranked = [one for one in scored if one.is_place]
    same = (one for one in ranked if one.amount.currency == ranked[0].amount.currency)
    sums = {one.amount.low: one for one in same if one.amount.low is not None}
    if len(sums) < _SEVERAL:
        return None
    low, high = min(filter(None, sums)), max(filter(None, sums))
    return Sum(low, high, sums[high].amount.currency, sums[high].fact)


def _completes(one: _Scored, best: _Scored) -> bool:
    mine, other = best.amount, one.amount
    if one.points < best.points - 1 or mine.currency != other.currency:
        return False
    if mine.low is None and mine.high is not None:
        return other.high is None and other.low is not None and other.low < mine.high
    return other.low is None and other.high is not None and mine.low is not None and mine.low < other.high


def _scored(fact: Fact, currencies: tuple[str, ...], *, is_named: bool) -> Iterator[_Scored]:
    topic = funding_topic(fact.label) if fact.label else None
    topic = topic or (funding_topic(fact.heading) if fact.is_first or not fact.label else None)
    if topic is Topic.BUDGET:
        return
    labelled = topic is Topic.AMOUNT
    said = sentences(fact.text)
    for sentence in said:
        amounts = find_amounts(sentence, currencies=currencies)
        for index, amount in enumerate(amounts):
            start = amounts[index - 1].end if index else 0
            end = amounts[index + 1].start if index + 1 < len(amounts) else len(sentence)
            before, behind = (
                plain(sentence[start : amount.start]),
                plain(sentence[amount.end : min(end, amount.end + _BEHIND)]),
            )
            points = _points(before, behind, amount) + (_LABELLED if labelled else _BESIDE if is_named else 0)
            points += _IN_NAME if fact.block.kind is BlockKind.HEADING else 0
            named = f"{plain(fact.label)} {before}" if sentence is said[0] else before
            is_place = points > _RULED_OUT and bool(_PLACE.search(named) or _PLACE.match(behind))
            yield _Scored(points, _with_bound(amount, fact.label), fact, is_place)
        labelled = labelled and not amounts


def _points(before: str, behind: str, amount: Amount) -> int:
    clause = _CLAUSE.split(before)[-1]
    against = cues("records", "not_per_grant")
    if against.search(clause) or against.search(_NEXT.split(behind)[0]):
        return _RULED_OUT
    is_bounded = amount.low is None or amount.low != amount.high
    beside = cues("records", "per_grant").search(before) or cues("records", "per_grant").search(behind)
    return (_BESIDE if beside else 0) + (_BOUNDED if is_bounded else 0)


def _with_bound(amount: Amount, label: str) -> Amount:
    """A label such as "Maximum grant" bounds the one sum below it."""
    flat = plain(label)
    if amount.low is None or amount.low != amount.high:
        return amount
    if (
        "max" in flat
        or "hochst" in flat
        or "максим" in flat
        or "μεγιστ" in flat
        or "ανωτατ" in flat
        or "plafon" in flat
    ):
        return amount._replace(low=None)
    if "minim" in flat or "mindest" in flat or "минимал" in flat or "ελαχιστ" in flat:
        return amount._replace(high=None)
    return amount


# Characters of a text that are looked at, and of what stands under a label.
_LANGUAGE_WITHIN, _LONGEST_LABELLED = 4_000, 200
_CODES: Final = {
    code: re.compile(any_of(name for name, of in table("languages", "names").items() if of == code))
    for code in dict.fromkeys(table("languages", "names").values())
}
_NAME_OF_ONE: Final = any_of(words("languages", "names"))
_IN_ONE: Final = any_of(words("languages", "in"))
_OR_ONE: Final = any_of(words("languages", "or"), start=False)
# What is written, and further on the language or languages.
_SAID: Final = re.compile(
    any_of(words("languages", "written"))
    + rf"[^.;]{{0,60}}?{_IN_ONE} (?:the |limba |plain |good )?"
    + rf"(?P<names>{_NAME_OF_ONE}(?:,? ?{_OR_ONE} ?(?:{_IN_ONE} )?(?:limba )?{_NAME_OF_ONE}){{0,4}})"
)


def language_in(text: str) -> str | None:
    """The one language in which to apply by a sentence; None when it says nothing or leaves a choice."""
    match = _SAID.search(plain(text[:_LANGUAGE_WITHIN]))
    return _only(match["names"]) if match else None


def _only(flat: str) -> str | None:
    codes = [code for code, pattern in _CODES.items() if pattern.search(flat)]
    return codes[0] if len(codes) == 1 else None
