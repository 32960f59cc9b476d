"""Which of the sums of a page is what one applicant can get."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from surveyor.extract.document import BlockKind
from surveyor.extract.fields.amounts import Amount, find_amounts
from surveyor.extract.fields.normalize import plain
from surveyor.extract.fields.sentences import sentences
from surveyor.extract.lexicon import cues
from surveyor.extract.records.facts import Fact, Topic, funding_topic

# Points: a label says what a sum is, words beside it make it likely, other words rule it out.
_LABELLED, _IN_NAME, _BESIDE, _BOUNDED, _RULED_OUT = 4, 3, 2, 2, -9
_ENOUGH: Final = 2
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


def sum_of(facts: Iterable[Fact], currencies: tuple[str, ...], *, is_named: bool = False) -> Sum | None:
    """What an applicant can get by these facts; `is_named`: they stand under the name of something given."""
    scored = [one for fact in facts for one in _scored(fact, currencies, is_named=is_named)]
    best = max(scored, key=lambda one: one.points, default=None)
    if best is None or best.points < _ENOUGH:
        return None
    low, high, code = best.amount.low, best.amount.high, best.amount.currency
    if low is None or high is None:  # the other bound may be told apart: "Minimum grant", "Maximum grant"
        other = next((one for one in scored if _completes(one, best)), None)
        low = other.amount.low if low is None and other else low
        high = other.amount.high if high is None and other else high
    return Sum(low, high, code, best.fact)


def _completes(one: _Scored, best: _Scored) -> bool:
    mine, other = best.amount, one.amount
    if one.points < best.points - 1 or mine.currency != other.currency:
        return False
    if mine.low is None and mine.high is not None:
        return other.high is None and other.low is not None and other.low < mine.high
    return other.low is None and other.high is not None and mine.low is not None and mine.low < other.high


def _scored(fact: Fact, currencies: tuple[str, ...], *, is_named: bool) -> Iterator[_Scored]:
    topic = _topic(fact)
    if topic is Topic.BUDGET:
        return
    labelled = topic is Topic.AMOUNT
    for sentence in sentences(fact.text):
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
            yield _Scored(points, _with_bound(amount, fact.label), fact)
        labelled = labelled and not amounts


def _topic(fact: Fact) -> Topic | None:
    topic = funding_topic(fact.label) if fact.label else None
    return topic or (funding_topic(fact.heading) if fact.is_first or not fact.label else None)


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
