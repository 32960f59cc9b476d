"""What a model says of a page's relevance: believed with words of the page, as one voice or the last.

It can change the score, the verdict and the reasons of this page, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from math import exp, log
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from surveyor.extract.values import Relevance
from surveyor.llm.question import one_line

# What the voice is worth among the signs, in log odds: as much as a record that was found.
_WORTH: Final = 1.5
# A score is never 0 or 1 for a voice to be weighed against.
_EDGE: Final = 0.01
_PLACES: Final = Decimal("0.01")
_REASON_CHARS, _QUOTE_CHARS = 200, 300


class Verdict(NamedTuple):
    relevant: bool
    reason: str
    quote: str


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    relevant: bool
    reason: Annotated[str, StringConstraints(max_length=1_000)]
    quote: Annotated[str, StringConstraints(max_length=1_000)]


KEYS: Final = frozenset(_Shape.model_fields)
SCHEMA: Final[dict[str, dict[str, Any]]] = {
    "relevant": {"type": "boolean"},
    "reason": {"type": "string"},
    "quote": {"type": "string"},
}


def read_verdict(said: Mapping[str, Any]) -> Verdict | None:
    """The verdict in an answer; None where it does not keep to the form."""
    try:
        shape = _Shape.model_validate({name: said[name] for name in KEYS if name in said})
    except ValidationError:
        return None
    reason, quote = one_line(shape.reason)[:_REASON_CHARS], one_line(shape.quote)[:_QUOTE_CHARS]
    return Verdict(shape.relevant, reason, quote)


def kept_verdict(answer: Iterable[Any]) -> Verdict | None:
    """The verdict among what is remembered of an answer."""
    found = (one for one in answer if isinstance(one, Mapping) and one.keys() == KEYS)
    return next((read_verdict(one) for one in found), None)


def judged(relevance: Relevance, said: Verdict, threshold: Decimal, *, decides: bool) -> Relevance:
    """The relevance of a page with the model's voice in it."""
    share = min(max(float(relevance.score), _EDGE), 1 - _EDGE)
    odds = log(share / (1 - share)) + (_WORTH if said.relevant else -_WORTH)
    score = Decimal(str(1 / (1 + exp(-odds)))).quantize(_PLACES, ROUND_HALF_UP)
    is_relevant = score >= threshold
    if decides:
        is_relevant = said.relevant
        score = max(score, threshold) if said.relevant else min(score, max(threshold - _PLACES, Decimal(0)))
    word = "relevant" if said.relevant else "not relevant"
    reason = f"a language model calls it {word}: {said.reason} (“{said.quote}”)"
    return replace(relevance, score=score, is_relevant=is_relevant, reasons=[reason, *relevance.reasons])
