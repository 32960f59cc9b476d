"""Brave Search: GET with the key in `X-Subscription-Token`; a wrong key is a 422, known by its code.

Two limits run at once, of the second and of the month; the headers give both, in that order. A limit of 0
is none: plans that are billed by the query have no monthly one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from surveyor.discover.adapters.base import (
    Adapter,
    Answer,
    Ask,
    Diagnosis,
    Malformed,
    SearchQuery,
    by_status,
    error_words,
    hits,
    retry_after,
)
from surveyor.discover.adapters.regions import brave_country, brave_language
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse

# A window longer than this is the plan's quota and not its rate.
_QUOTA_SECONDS = 3_600.0
# Its rate is counted over the second that slides along, as requests arrive there: a little more than the
# rate demands keeps two that were sent well apart from arriving too near.
_MARGIN = 1.1
_POLICY = re.compile(r"(\d{1,9})\s*;\s*w=(\d{1,9})", re.ASCII)
_SECOND = 1.0  # what a rate that nothing more is said about is counted over


def headers(key: str) -> dict[str, str]:
    return {"X-Subscription-Token": key}


def ask(query: SearchQuery, results: int) -> Ask:
    params: dict[str, str | int] = {"q": query.text, "count": results, "text_decorations": "false"}
    if language := brave_language(query.language, query.country):
        params["search_lang"] = language
    if country := brave_country(query.country):
        params["country"] = country
    return Ask("GET", "web/search", params)


def read(data: Any) -> Answer:
    if not isinstance(data, dict):
        raise Malformed("the answer is no object")
    if data.get("type") == "search" and data.get("web") is None:
        return Answer(())  # a query without results has no such part
    return Answer(hits(data, "web", "results", url="url", description="description"))


def trouble_of(answer: ApiResponse) -> Diagnosis | None:
    words = error_words(answer.data) if not answer.ok else ""
    if "subscription_token" in words or "x-subscription-token" in words:
        return Diagnosis(Trouble.BAD_KEY)
    if "quota_limited" in words or "usage_limit" in words:
        return Diagnosis(Trouble.OUT_OF_QUOTA, retry_after(answer) or _longest_spent_window(answer))
    if answer.status == 429:
        wait = retry_after(answer) or _longest_spent_window(answer) or _SECOND
        return Diagnosis(Trouble.OUT_OF_QUOTA if wait > _QUOTA_SECONDS else Trouble.RATE_LIMITED, wait)
    return by_status(answer)


def pace(headers: Mapping[str, str]) -> float | None:
    """Seconds between two queries that the key's rate allows."""
    rates = [(int(most), float(window)) for most, window in _POLICY.findall(_header(headers, "Policy"))]
    return max(
        (window / most * _MARGIN for most, window in rates if most and window <= _QUOTA_SECONDS), default=None
    )


def _longest_spent_window(answer: ApiResponse) -> float | None:
    """Seconds until the last of the windows with nothing left begins anew; one without a limit has no end."""
    left, resets = (_numbers(_header(answer.headers, name)) for name in ("Remaining", "Reset"))
    limits = _numbers(_header(answer.headers, "Limit")) or [1.0] * len(left)
    spent = [reset for most, rest, reset in zip(limits, left, resets, strict=False) if most > 0 >= rest]
    return max(spent, default=None)


def _header(headers: Mapping[str, str], name: str) -> str:
    return headers.get(f"X-RateLimit-{name}", "")


def _numbers(header: str) -> list[float]:
    parts = [part.strip() for part in header.split(",")]
    return [float(part[:9]) for part in parts if part.isascii() and part.isdecimal()]


ADAPTER = Adapter(
    name="brave",
    base_url="https://api.search.brave.com/res/v1",
    key_variables=("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
    needs_key=True,
    most_results=20,
    longest_query=400,
    headers=headers,
    ask=ask,
    read=read,
    trouble_of=trouble_of,
    pace=pace,
)
