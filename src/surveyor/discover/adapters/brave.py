"""Brave Search: GET with the key in `X-Subscription-Token`; a wrong key is a 422, told by its code.

Two limits run at once, of the second and of the month; the headers give both, in that order.
"""

from __future__ import annotations

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
from surveyor.discover.troubles import Trouble
from surveyor.net.api import ApiResponse

# Languages it takes as `search_lang`; another one would be a query refused.
_LANGUAGES = frozenset(
    "ar bg bn ca cs da de en es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr ms nb nl pa pl ro ru "  # noqa: SIM905
    "sk sl sr sv ta te th tr uk vi".split()
)
# A window longer than this is the plan's quota and not its rate.
_QUOTA_SECONDS = 3_600.0


def headers(key: str) -> dict[str, str]:
    return {"X-Subscription-Token": key}


def ask(query: SearchQuery, results: int) -> Ask:
    params: dict[str, str | int] = {"q": query.text, "count": results, "text_decorations": "false"}
    if query.language in _LANGUAGES:
        params["search_lang"] = str(query.language)
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
        wait = retry_after(answer) or _longest_spent_window(answer)
        spent = wait is not None and wait > _QUOTA_SECONDS
        return Diagnosis(Trouble.OUT_OF_QUOTA if spent else Trouble.RATE_LIMITED, wait)
    return by_status(answer)


def _longest_spent_window(answer: ApiResponse) -> float | None:
    """Seconds until the last of the windows with nothing left begins anew."""
    left = _numbers(answer.headers.get("X-RateLimit-Remaining", ""))
    resets = _numbers(answer.headers.get("X-RateLimit-Reset", ""))
    spent = [reset for rest, reset in zip(left, resets, strict=False) if rest <= 0]
    return max(spent, default=None)


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
)
