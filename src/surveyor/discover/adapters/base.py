"""What every adapter is made of: the values that go in and out, and the reading of doubtful JSON.

A provider's answer is a stranger's text. Reading it raises `Malformed` where the documented frame
is missing, and nothing else; a single hit that lacks a field is passed on and judged later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse


class SearchQuery(NamedTuple):
    """What is looked for; the language is that of the words, where it is known."""

    text: str
    language: str | None = None
    country: str | None = None
    """ISO code of the country it asks about, where it asks about one."""


class Ask(NamedTuple):
    """A request below the provider's base URL."""

    method: str
    path: str
    params: Mapping[str, str | int] | None = None
    json: Any = None


class Hit(NamedTuple):
    """One result as the provider gave it, not yet believed."""

    url: str
    title: str
    description: str
    position: int


class Answer(NamedTuple):
    hits: tuple[Hit, ...]
    millicredits: int | None = None
    """What the provider says the call cost; None where it does not say."""


class Diagnosis(NamedTuple):
    """What an answer that is no result means."""

    trouble: Trouble
    retry_after: float | None = None
    advice: str | None = None
    """What to do about it, where the provider's own words do not say."""


class Malformed(ValueError):
    """The answer lacks its documented frame; the message names what is missing."""


@dataclass(frozen=True, slots=True)
class Adapter:
    name: str
    base_url: str  # empty: there is no public one
    key_variables: tuple[str, ...]  # where people usually keep the key in the environment
    needs_key: bool
    most_results: int  # per call
    longest_query: int  # characters
    headers: Callable[[str], dict[str, str]]
    """What shows the key to the provider."""
    ask: Callable[[SearchQuery, int], Ask]
    read: Callable[[Any], Answer]
    trouble_of: Callable[[ApiResponse], Diagnosis | None]
    """What is wrong with an answer; None: it is a result, to be read."""
    pace: Callable[[Mapping[str, str]], float | None] | None = None
    """Seconds between two queries, as the headers of an answer tell; None: this provider does not tell."""
    surcharge: Callable[[int], tuple[int, str]] = lambda results: (1, "")
    """How many times the price of a call so many results cost, and what else should be known of that."""


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def hits(data: Any, *path: str, url: str, description: str | None) -> tuple[Hit, ...]:
    """The list at `path` as hits in its order; a row that is no object still has its place."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    if not isinstance(data, list):
        raise Malformed(f"no list at {'.'.join(path)}")
    return tuple(_hits(data, url, description))


def _hits(rows: list[Any], url: str, description: str | None) -> Iterator[Hit]:
    for place, row in enumerate(rows, 1):
        fields = row if isinstance(row, dict) else {}
        snippet = text(fields.get(description)) if description else ""
        position = whole(fields.get("position"))
        yield Hit(
            text(fields.get(url)), text(fields.get("title")), snippet, place if position is None else position
        )


def millicredits(value: object) -> int | None:
    """A number of credits in thousandths, if it is one that can be booked."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1_000_000:
        return None
    return round(value * 1000)


def by_status(answer: ApiResponse) -> Diagnosis | None:
    """What the status means at nearly every provider."""
    match answer.status:
        case status if 200 <= status < 300 and answer.data is not None:
            return None
        case status if looks_like_captcha(answer):
            return Diagnosis(Trouble.CAPTCHA, retry_after(answer))
        case 401 | 403:
            return Diagnosis(Trouble.BAD_KEY)
        case 402:
            return Diagnosis(Trouble.OUT_OF_QUOTA, retry_after(answer))
        case 429:
            return Diagnosis(Trouble.RATE_LIMITED, retry_after(answer))
        case 400 | 413 | 414 | 422:
            return Diagnosis(Trouble.REFUSED_QUERY)
        case status if status >= 500 or status == 408:
            return Diagnosis(Trouble.SERVER, retry_after(answer))
    return Diagnosis(Trouble.MALFORMED)


_CAPTCHA_SIGNS = ("captcha", "cf-challenge", "challenge-platform", "are you a robot", "unusual traffic")


def looks_like_captcha(answer: ApiResponse) -> bool:
    """A page for people where JSON was asked for, with a riddle on it."""
    head = answer.text_head.lower()
    return answer.data is None and any(sign in head for sign in _CAPTCHA_SIGNS)


def error_words(data: Any) -> str:
    """Every text of the usual places for an error, in lower case, to look for a provider's words."""
    return " ".join(_error_texts(data)).lower()


_ERROR_FIELDS = ("error", "errors", "detail", "message", "code", "type")
_DEEPEST = 4  # a frame, a list of errors, an error, its detail


def _error_texts(data: Any, depth: int = 0) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(data, str):
        yield data[:500]
    elif isinstance(data, list):
        for item in data[:5]:
            yield from _error_texts(item, depth + 1)
    elif isinstance(data, dict):
        for name in _ERROR_FIELDS:
            if name in data:
                yield from _error_texts(data[name], depth + 1)


def retry_after(answer: ApiResponse) -> float | None:
    """Seconds the provider asks us to wait: `Retry-After` as a number or as a date."""
    value = answer.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
