"""Adapters against any JSON, any status, any header: a result, a diagnosis, or one kind of error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.discover.adapters import ADAPTERS, Answer, Hit, SearchQuery
from surveyor.discover.adapters.base import Malformed, error_words, millicredits, retry_after
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse

_leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
# Names that adapters look for, so that chance finds its way into the frame.
_names = st.sampled_from(
    ["web", "results", "organic", "url", "link", "title", "content", "snippet", "description", "position",
     "credits", "usage", "error", "errors", "detail", "message", "code", "type", "unresponsive_engines",
     "searchParameters", "search"]
) | st.text(max_size=5)  # fmt: skip
ANY_JSON = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner, max_size=6),
    max_leaves=12,
)
_numbers = st.text(alphabet="0123456789, -x²", max_size=12)
HEADERS = st.dictionaries(
    st.sampled_from(["Retry-After", "X-RateLimit-Remaining", "X-RateLimit-Reset"]),
    _numbers | st.text(max_size=30),
)
NAMES = st.sampled_from(sorted(ADAPTERS))
adapter_names = pytest.mark.parametrize("name", ADAPTERS)


def response(status: int, data: Any, headers: dict[str, str] | None = None, head: str = "") -> ApiResponse:
    return ApiResponse(status, 0.1, headers or {}, data, head)


@settings(max_examples=200)
@given(name=NAMES, data=ANY_JSON)
def test_any_json_is_hits_or_malformed(name: str, data: Any) -> None:
    try:
        answer = ADAPTERS[name].read(data)
    except Malformed as error:
        assert str(error)
        return
    assert isinstance(answer, Answer)
    for hit in answer.hits:
        assert isinstance(hit, Hit)
        assert [type(value) for value in hit] == [str, str, str, int]
    assert answer.millicredits is None or answer.millicredits >= 0


@settings(max_examples=200)
@given(name=NAMES, status=st.integers(100, 599), data=ANY_JSON, headers=HEADERS, head=st.text(max_size=30))
def test_any_answer_has_a_diagnosis_or_is_a_result(
    name: str, status: int, data: Any, headers: dict[str, str], head: str
) -> None:
    diagnosis = ADAPTERS[name].trouble_of(response(status, data, headers, head))
    if diagnosis is None:
        assert 200 <= status < 300 and data is not None
    else:
        assert isinstance(diagnosis.trouble, Trouble)
        assert diagnosis.retry_after is None or diagnosis.retry_after >= 0


@adapter_names
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_never_taken_for_anything_lighter(name: str, status: int) -> None:
    diagnosis = ADAPTERS[name].trouble_of(response(status, {}))
    # A SearXNG has no keys of its own: where none is set, a 403 means that it is not set up for JSON.
    keyless = name == "searxng" and status == 403
    assert diagnosis is not None
    assert diagnosis.trouble is (Trouble.NOT_SET_UP if keyless else Trouble.BAD_KEY)


@given(name=NAMES, text=st.text(min_size=1, max_size=50))
def test_a_request_carries_the_query_as_it_is(name: str, text: str) -> None:
    ask = ADAPTERS[name].ask(SearchQuery(text, "bg"), 10)
    sent = dict(ask.params or {}) | dict(ask.json or {})
    assert text in (sent.get("q"), sent.get("query"))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120.0), (" 7 ", 7.0), ("", None), ("soon", None), ("-5", None), ("²", None),
     ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0)],
    ids=["number", "spaces", "empty", "words", "negative", "superscript", "past"],
)  # fmt: skip
def test_the_wait_is_a_number_or_a_date(header: str, seconds: float | None) -> None:
    assert retry_after(response(429, None, {"Retry-After": header})) == seconds


def test_brave_without_a_token_is_a_bad_key_and_a_bad_request_is_not() -> None:
    missing = {"error": {"code": "VALIDATION", "meta": {}, "detail": "header x-subscription-token: required"}}
    assert ADAPTERS["brave"].trouble_of(response(422, missing)) == (Trouble.BAD_KEY, None, None)
    wrong = {"error": {"code": "VALIDATION", "detail": "q: too long"}}
    assert ADAPTERS["brave"].trouble_of(response(422, wrong)) == (Trouble.REFUSED_QUERY, None, None)


def test_brave_is_not_asked_in_a_language_it_does_not_take() -> None:
    def language(code: str | None) -> object:
        return (ADAPTERS["brave"].ask(SearchQuery("q", code), 5).params or {}).get("search_lang")

    assert [language("bg"), language("sq"), language(None)] == ["bg", None, None]


def test_brave_lists_its_errors_in_two_ways() -> None:
    listed = {"errors": [{"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422}]}
    assert ADAPTERS["brave"].trouble_of(response(422, listed)) == (Trouble.BAD_KEY, None, None)


def test_a_page_with_a_riddle_is_a_captcha_whatever_its_status() -> None:
    for status in (200, 403, 429, 503):
        diagnosis = ADAPTERS["searxng"].trouble_of(response(status, None, head="<html>Solve the CAPTCHA"))
        assert diagnosis is not None and diagnosis.trouble is Trouble.CAPTCHA


@pytest.mark.parametrize(
    ("given_", "booked"), [(1, 1_000), (0.5, 500), (0, 0), (-1, None), (True, None), ("1", None), (1e9, None)]
)
def test_credits_are_booked_only_as_numbers_that_can_be(given_: object, booked: int | None) -> None:
    assert millicredits(given_) == booked


@given(ANY_JSON)
def test_error_words_are_one_bounded_text(data: Any) -> None:
    assert len(error_words(data)) < 1_000_000
