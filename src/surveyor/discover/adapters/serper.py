"""Serper: POST with the key in `X-API-KEY`; a wrong key is a 403, an empty account a 400 that says so."""

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
    millicredits,
)
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse

_CHEAP_RESULTS = 10  # one page of what it asks


def headers(key: str) -> dict[str, str]:
    return {"X-API-KEY": key}


def ask(query: SearchQuery, results: int) -> Ask:
    body: dict[str, Any] = {"q": query.text, "num": results}
    if query.language:
        body["hl"] = query.language
    if query.country:
        body["gl"] = query.country.lower()
    return Ask("POST", "search", json=body)


def read(data: Any) -> Answer:
    if not isinstance(data, dict):
        raise Malformed("the answer is no object")
    spent = millicredits(data.get("credits"))
    if "organic" not in data and isinstance(data.get("searchParameters"), dict):
        return Answer((), spent)  # a query without results has no such part
    return Answer(hits(data, "organic", url="link", description="snippet"), spent)


def trouble_of(answer: ApiResponse) -> Diagnosis | None:
    if not answer.ok and "credits" in error_words(answer.data):
        return Diagnosis(Trouble.OUT_OF_QUOTA)
    return by_status(answer)


def surcharge(results: int) -> tuple[int, str]:
    if results <= _CHEAP_RESULTS:
        return 1, ""
    return 2, f"more than {_CHEAP_RESULTS} results cost two credits a call, and free keys are refused them"


ADAPTER = Adapter(
    name="serper",
    base_url="https://google.serper.dev",
    key_variables=("SERPER_API_KEY",),
    needs_key=True,
    most_results=100,
    longest_query=500,
    headers=headers,
    ask=ask,
    read=read,
    trouble_of=trouble_of,
    surcharge=surcharge,
)
