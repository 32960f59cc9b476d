"""Providers as they really answer and want to be asked: limits, languages, countries, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from surveyor.discover.adapters import ADAPTERS, SearchQuery
from surveyor.discover.adapters.base import Diagnosis
from surveyor.discover.errors import Trouble
from surveyor.discover.provider import Account
from surveyor.net.api import ApiResponse
from surveyor.settings import ProvidersSettings

BRAVE, SEARXNG, SERPER = ADAPTERS["brave"], ADAPTERS["searxng"], ADAPTERS["serper"]
_LIMITED = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}


def _refused(limit: str, remaining: str, reset: str, **more: str) -> Diagnosis | None:
    headers = {"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset}
    return BRAVE.trouble_of(ApiResponse(429, 0.1, {**headers, **more}, _LIMITED, ""))


def test_a_window_without_a_limit_is_never_the_one_that_is_spent() -> None:
    assert _refused("50, 0", "0, 0", "1, 1419704") == Diagnosis(Trouble.RATE_LIMITED, 1.0)
    assert _refused("1, 2000", "0, 900", "1, 1419704") == Diagnosis(Trouble.RATE_LIMITED, 1.0)
    assert _refused("1, 2000", "1, 0", "1, 1419704") == Diagnosis(Trouble.OUT_OF_QUOTA, 1_419_704.0)


def test_a_refusal_that_says_nothing_more_is_waited_for_shortly() -> None:
    assert BRAVE.trouble_of(ApiResponse(429, 0.1, {}, _LIMITED, "")) == Diagnosis(Trouble.RATE_LIMITED, 1.0)


@pytest.mark.parametrize(
    ("policy", "seconds"),
    [
        ("1;w=1, 15000;w=2592000", 1.1),
        ("50;w=1, 0;w=2592000", 0.022),
        ("20; w=1", 0.055),
        ("0;w=1, 0;w=2592000", None),
        ("15000;w=2592000", None),
        ("", None),
        ("one;w=x", None),
    ],
)
def test_the_pace_is_that_of_the_policy(policy: str, seconds: float | None) -> None:
    assert BRAVE.pace is not None
    found = BRAVE.pace({"X-RateLimit-Policy": policy})
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_a_searxng_that_forbids_json_says_which_line_of_its_settings_is_missing() -> None:
    found = SEARXNG.trouble_of(ApiResponse(403, 0.1, {}, None, "<!doctype html><title>403 Forbidden</title>"))
    assert found is not None and found.trouble is Trouble.NOT_SET_UP
    assert found.advice is not None and "add `json` to `search: formats:`" in found.advice


def test_the_limiter_of_a_searxng_is_explained() -> None:
    found = SEARXNG.trouble_of(ApiResponse(429, 0.1, {}, None, "Too Many Requests"))
    assert found is not None and found.trouble is Trouble.RATE_LIMITED
    assert found.advice is not None and "limiter" in found.advice


def test_a_searxng_is_asked_to_speak_english_of_its_engines() -> None:
    params = SEARXNG.ask(SearchQuery("q", "bg"), 10).params
    assert params is not None and (params["locale"], params["language"]) == ("en", "bg")


def _asked(name: str, language: str | None, country: str | None) -> Mapping[str, Any]:
    ask = ADAPTERS[name].ask(SearchQuery("q", language, country), 10)
    found: Mapping[str, Any] = ask.params if ask.params is not None else ask.json
    return found


@pytest.mark.parametrize(
    ("language", "country", "told"),
    [
        ("pt", None, "pt-br"),
        ("pt", "PT", "pt-pt"),
        ("zh", None, "zh-hans"),
        ("zh", "TW", "zh-hant"),
        ("ja", None, "jp"),
        ("el", None, "el"),
        ("bg", "BG", "bg"),
        ("xx", None, None),
        (None, None, None),
    ],
)
def test_brave_is_told_languages_as_it_spells_them(
    language: str | None, country: str | None, told: str | None
) -> None:
    assert _asked("brave", language, country).get("search_lang") == told


@pytest.mark.parametrize(("country", "told"), [("GR", "GR"), ("BG", "ALL"), (None, None)])
def test_brave_is_told_a_country_of_its_list_or_all(country: str | None, told: str | None) -> None:
    assert _asked("brave", "en", country).get("country") == told


def test_the_others_are_told_language_and_country_in_their_own_words() -> None:
    serper = _asked("serper", "bg", "BG")
    assert (serper["hl"], serper["gl"]) == ("bg", "bg")
    assert _asked("tavily", "bg", "BG")["country"] == "bulgaria"
    assert "country" not in _asked("tavily", "en", "XK"), "a name that it does not list is refused"
    perplexity = _asked("perplexity", "bg", "BG")
    assert (perplexity["country"], perplexity["search_language_filter"]) == ("BG", ["bg"])
    assert perplexity["search_context_size"] == "low"
    for name in ADAPTERS:
        assert not {"country", "gl", "search_language_filter"} & _asked(name, None, None).keys()


def test_serper_is_asked_for_what_a_free_key_may_have_and_more_costs_twice() -> None:
    usual = ProvidersSettings().serper
    assert usual.results == 10
    assert Account(SERPER, usual, "k").call_credits == 1
    more = Account(SERPER, usual.model_copy(update={"results": 20}), "k")
    assert more.call_credits == 2
    assert "free keys are refused" in SERPER.surcharge(20)[1]
