"""SearXNG: GET on a server of one's own, without a key; it asks other engines and tells which failed.

An empty answer in which every engine was blocked is a failure and not an empty result.
"""

from __future__ import annotations

from typing import Any

from surveyor.discover.adapters.base import (
    Adapter,
    Answer,
    Ask,
    Diagnosis,
    SearchQuery,
    bearer,
    by_status,
    hits,
    looks_like_captcha,
    retry_after,
)
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse


def ask(query: SearchQuery, results: int) -> Ask:
    # It has no parameter for the number of results: a page is what its engines gave.
    # In English, so that what it says of its engines is understood.
    params: dict[str, str | int] = {"q": query.text, "format": "json", "locale": "en"}
    if query.language:
        params["language"] = query.language
    return Ask("GET", "search", params)


def read(data: Any) -> Answer:
    return Answer(hits(data, "results", url="url", description="content"))


_JSON_IS_OFF = (
    "its settings do not allow JSON; add `json` to `search: formats:` in its settings.yml and start it again"
)
_LIMITER = (
    "its limiter takes us for a bot; set `server: limiter: false` in its settings.yml, or let this machine's"
    " address pass in limiter.toml"
)


def trouble_of(answer: ApiResponse) -> Diagnosis | None:
    if looks_like_captcha(answer):
        return by_status(answer)
    if answer.status == 403:
        return Diagnosis(Trouble.NOT_SET_UP, advice=_JSON_IS_OFF)
    if answer.status == 429:
        return Diagnosis(Trouble.RATE_LIMITED, retry_after(answer), _LIMITER)
    if answer.ok and (trouble := _of_engines(_engine_reasons(answer.data))):
        return Diagnosis(trouble)
    return by_status(answer)


def _engine_reasons(data: Any) -> list[str]:
    """Why engines gave nothing, where nothing is all there is; they come as pairs of name and reason."""
    if not isinstance(data, dict) or data.get("results"):
        return []
    failed = data.get("unresponsive_engines")
    pairs = [pair for pair in failed if isinstance(pair, list)] if isinstance(failed, list) else []
    return [" ".join(str(part)[:200] for part in pair[1:3]).lower() for pair in pairs]


_BLOCKED = ("captcha", "too many", "access denied", "suspended")


def _of_engines(reasons: list[str]) -> Trouble | None:
    """A rare query has no results, and an engine may be slow; blocked ones mean that nobody looked."""
    blocked = [reason for reason in reasons if any(sign in reason for sign in _BLOCKED)]
    if not blocked:
        return None
    if len(blocked) < len(reasons):
        return Trouble.SERVER
    return Trouble.CAPTCHA if all("captcha" in reason for reason in blocked) else Trouble.RATE_LIMITED


ADAPTER = Adapter(
    name="searxng",
    base_url="",
    key_variables=("SEARXNG_API_KEY",),
    needs_key=False,
    most_results=100,
    longest_query=500,
    headers=bearer,
    ask=ask,
    read=read,
    trouble_of=trouble_of,
)
